"""Experiments over a running system: its configurations, evaluated on the same questions."""
