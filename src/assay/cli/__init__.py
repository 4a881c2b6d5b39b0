"""What can be done from the command line? Thin commands over the public API.

The module of a command's name holds its options and nothing heavy; what a larger command does is in
a module that it imports when it is called (`run` in `running`, `show` in `showing`, `explain` in
`explaining`, `doctor` in `checkup`).
"""

from assay.cli.app import main

__all__ = ["main"]
