"""How data, metrics and a judge become a result."""
