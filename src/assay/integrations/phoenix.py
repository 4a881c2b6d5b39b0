"""Phoenix: the scores of a run as annotations of the spans that they are of."""

from typing import Any

from assay._runner.result import Result
from assay.errors import InputError
from assay.integrations import exporters
from assay.integrations.exporters import ExportCounts, ScoreRecord

_BATCH = 500


def annotations(result: Result) -> list[dict[str, Any]]:
    """Each score as Phoenix's API takes it (POST v1/span_annotations).

    Where there is no score, the label says of which kind that is and the explanation why.

    Raises:
        InputError: If no sample's span is known.
    """
    items, _ = exporters.with_span(result)
    return [_annotation(item, result) for item in items]


def send(result: Result, *, client: Any = None) -> ExportCounts:
    """Annotate the span of each sample with its scores.

    An annotation keeps its identifier, so that sending a run twice changes nothing, and runs by
    several judges stand side by side.

    Args:
        result: A run over traces, or over rows with the columns trace_id and span_id.
        client: A `phoenix.client.Client`; by default one of PHOENIX_COLLECTOR_ENDPOINT and
            PHOENIX_API_KEY.

    Raises:
        InputError: If arize-phoenix-client is not installed, or no sample's span is known.
    """
    items, unknown = exporters.with_span(result)
    if client is None:
        try:
            from phoenix.client import Client
        except ImportError as error:
            fault = "this needs arize-phoenix-client"
            raise InputError(fault, "pip install 'assay[phoenix]'") from error
        client = Client()
    annotations = [_annotation(item, result) for item in items]
    for start in range(0, len(annotations), _BATCH):
        client.spans.log_span_annotations(span_annotations=annotations[start : start + _BATCH])
    return exporters.counts(items, unknown, with_reasons=True)


def _annotation(item: ScoreRecord, result: Result) -> dict[str, Any]:
    run = result.run
    fields = {"score": item.value, "label": item.why, "explanation": item.explanation}
    return {
        "span_id": item.span,
        "name": item.metric,
        "annotator_kind": "LLM" if item.judged else "CODE",
        "identifier": f"assay:{run.id[:12]}",
        "result": {name: value for name, value in fields.items() if value not in (None, "")},
        "metadata": {"assay_run": run.id, "judge": run.config["judge"]},
    }
