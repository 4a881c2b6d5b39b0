"""A language model in this process: any GGUF chat model, run by llama.cpp (extra ``[gguf]``)."""

from assay.backends.gguf.engine import Answer, Engine, TooLong, Wish
from assay.backends.gguf.judge import Gguf
from assay.backends.likely import Token

__all__ = ["Answer", "Engine", "Gguf", "Token", "TooLong", "Wish"]
