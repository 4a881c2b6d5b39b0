"""What can go wrong, by ragas' names: assay's own errors."""

from assay.errors import AssayError, JudgeError, Unavailable, Unreadable

__all__ = [
    "ExceptionInRunner",
    "LLMDidNotFinishException",
    "RagasException",
    "RagasOutputParserException",
]

RagasException = AssayError
ExceptionInRunner = JudgeError
RagasOutputParserException = Unreadable
LLMDidNotFinishException = Unavailable
