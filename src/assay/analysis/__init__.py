"""What one asks of finished runs: how they compare, whether to trust them, what went wrong."""
