"""Which model is in a file? Found out without loading it, and before anything is paid for."""

from pathlib import Path

from assay.errors import InputError

MAGIC = b"GGUF"


def checked(path: str | Path) -> Path:
    """The path of a GGUF file.

    Raises:
        InputError: If there is none, or it is something else.
    """
    found = Path(path).expanduser()
    if not found.is_file():
        what = f"there is no model file '{path}'"
        raise InputError(what, "give the path of a GGUF file: gguf:/models/NAME.gguf")
    with found.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            what = f"'{path}' is not a GGUF file"
            raise InputError(what, "give a model in the GGUF format, wholly downloaded")
    return found
