"""``python -m assay`` is the command `assay`."""

import os
import sys

if __name__ == "__main__":
    # Python looks for modules in the folder that one works in first: a file json.py there would
    # be taken for the library's. The command `assay` does not look there, either.
    if not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109
        del sys.path[0]
    from assay._cli import main

    main()
