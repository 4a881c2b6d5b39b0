"""OpenTelemetry: scores of a run as events, and traffic of a running system as a data set.

A system that takes the span processor does not load what sends scores.
"""

from typing import TYPE_CHECKING, Any, Final

from assay._version import __version__
from assay.errors import InputError
from assay.integrations import optional_names

if TYPE_CHECKING:
    from assay._runner.result import Result
    from assay.integrations.exporters import ExportCounts, ScoreRecord
    from assay.integrations.opentelemetry.traffic import AssaySpanProcessor

__all__ = ["AssaySpanProcessor", "emit"]

EVENT: Final = "gen_ai.evaluation.result"
_NAME: Final = "gen_ai.evaluation.name"
_VALUE: Final = "gen_ai.evaluation.score.value"
_LABEL: Final = "gen_ai.evaluation.score.label"
_EXPLANATION: Final = "gen_ai.evaluation.explanation"


def emit(result: "Result", *, provider: Any = None) -> "ExportCounts":
    """Emit each score as an event ``gen_ai.evaluation.result`` whose parent is its span.

    Where there is no score, the label says of which kind that is ("undefined", "failed"), the
    explanation why, and "error.type" is set if the judge failed. See OpenTelemetry's conventions
    for generative AI, events.

    Args:
        result: A run over traces, or over rows with the columns trace_id and span_id.
        provider: A logger provider; by default the one that the application has set.

    Raises:
        InputError: If OpenTelemetry is not installed, or no sample's span is known.
    """
    from assay.integrations import exporters

    try:
        from opentelemetry._logs import LogRecord, get_logger_provider
    except ImportError as error:
        raise InputError("this needs OpenTelemetry", "pip install 'assay[otel]'") from error
    remedy = "give the columns trace_id and span_id, in hexadecimal digits: 32 and 16"
    known, unknown = exporters.with_span(result, remedy, _has_otel_ids)
    logger = (provider or get_logger_provider()).get_logger("assay", __version__)
    for item in known:
        attributes = _attributes(item)
        logger.emit(LogRecord(event_name=EVENT, attributes=attributes, context=_context_of(item)))
    return exporters.counts(known, unknown, with_reasons=True)


def _attributes(item: "ScoreRecord") -> dict[str, Any]:
    attributes = {
        _NAME: item.metric,
        _VALUE: item.value,
        _LABEL: item.why or None,
        _EXPLANATION: item.explanation or None,
        "error.type": "judge_failed" if item.why == "failed" else None,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _context_of(item: "ScoreRecord") -> Any:
    """The context in which the span of a sample is the current one."""
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        set_span_in_context,
    )

    span_context = SpanContext(
        int(item.trace, 16), int(item.span, 16), is_remote=True, trace_flags=TraceFlags(1)
    )
    return set_span_in_context(NonRecordingSpan(span_context))


def _has_otel_ids(item: "ScoreRecord") -> bool:
    """Whether its ids are those of OpenTelemetry; Langfuse may have others."""
    return _hexadecimal(item.trace, 32) and _hexadecimal(item.span, 16)


def _hexadecimal(text: str, max_digits: int) -> bool:
    """Whether it is an id of at most so many digits; one of zeros alone is that of no span."""
    digits = bool(text) and all(mark in "0123456789abcdef" for mark in text.lower())
    return digits and 0 < int(text, 16) < 16**max_digits


# The span processor needs OpenTelemetry's SDK, and is imported when it is asked for.
__getattr__ = optional_names(__name__, {"AssaySpanProcessor": ("traffic", "assay[otel]")})
