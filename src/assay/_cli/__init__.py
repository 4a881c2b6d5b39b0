"""The command line: thin commands over the public API.

A command is imported when it is called, so that none pays for the imports of another. What a
user asks for and cannot have raises InputError wherever it is noticed; `errors` tells it.
"""

from assay._cli.app import main

__all__ = ["main"]
