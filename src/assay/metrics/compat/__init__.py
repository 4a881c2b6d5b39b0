"""Metrics as other systems and papers define them."""
