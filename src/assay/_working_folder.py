"""The folder that one works in, in which `python -m` looks for modules first."""

import os
import sys


def leave_working_folder() -> None:
    """Look for no modules there: a file click.py would be taken for the library.

    The installed command `assay` does not look there, either.
    """
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109
        del sys.path[0]
