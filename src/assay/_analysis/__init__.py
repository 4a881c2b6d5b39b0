"""Analyses of finished runs: how they compare, whether to trust them, and what went wrong."""
