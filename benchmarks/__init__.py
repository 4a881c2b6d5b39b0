"""Measurements of assay itself; each module is run as `python -m benchmarks.NAME`."""
