"""A module that needs a library which nobody has."""

import a_library_that_is_not_there  # noqa: F401
