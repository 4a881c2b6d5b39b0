"""What can be done from the command line? Thin commands over the public API."""

from assay.cli.app import main

__all__ = ["main"]
