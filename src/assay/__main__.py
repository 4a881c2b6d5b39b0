"""``python -m assay`` is the command `assay`."""

from assay._working_folder import leave_working_folder

if __name__ == "__main__":
    leave_working_folder()
    from assay._cli import main

    main()
