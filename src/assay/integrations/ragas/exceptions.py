"""What can go wrong, by ragas' names: assay's own errors."""

from functools import partial

from assay.errors import AssayError, InputError, JudgeError, Unavailable, Unreadable
from assay.integrations.ragas.absent import missing

__all__ = [
    "ExceptionInRunner",
    "LLMDidNotFinishException",
    "MaxRetriesExceeded",
    "RagasError",
    "RagasException",
    "RagasOutputParserException",
    "ValidationError",
]

RagasException = RagasError = AssayError
ExceptionInRunner = JudgeError
RagasOutputParserException = Unreadable
LLMDidNotFinishException = MaxRetriesExceeded = Unavailable
ValidationError = InputError


__getattr__ = partial(missing, "exceptions")
