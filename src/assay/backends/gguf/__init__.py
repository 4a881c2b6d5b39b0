"""A language model in this process: any GGUF chat model, run by llama.cpp (extra ``[gguf]``)."""

from assay.backends.gguf.engine import Answer, Engine, Token, TooLong, Wish
from assay.backends.gguf.judge import Gguf

__all__ = ["Answer", "Engine", "Gguf", "Token", "TooLong", "Wish"]
