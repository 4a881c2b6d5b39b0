"""A file that holds no model reaches llama.cpp and is refused; one in $ASSAY_GGUF judges."""

import asyncio
import os
from pathlib import Path

import xllamacpp

import assay
from assay.errors import AssayError
from assay.tasks import RateAnswer

assert xllamacpp.CommonParams()
path = os.environ.get("ASSAY_GGUF", "empty.gguf")
Path("empty.gguf").write_bytes(b"GGUF")
said = ""
try:
    asyncio.run(assay.backend(f"gguf:{path}").reply(RateAnswer("Is it?", "It is.")))
except AssayError as error:
    said = str(error)
assert bool(said) == (path == "empty.gguf"), said
