"""Langfuse: the scores of a run on the traces that its samples were made of."""

import uuid
from typing import Any

from assay._runner.result import Result
from assay.errors import InputError
from assay.integrations import exporters
from assay.integrations.exporters import ExportCounts

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "assay/score")


def send(result: Result, *, client: Any = None) -> ExportCounts:
    """Add each score to its trace, with the evidence as its comment.

    A score keeps its id, so that sending a run twice changes nothing. Langfuse has no place for
    the reason why there is no score: those are left out, and counted.

    Args:
        result: A run over traces, or over rows with the columns trace_id and span_id.
        client: A client of langfuse; by default one of LANGFUSE_HOST, LANGFUSE_PUBLIC_KEY and
            LANGFUSE_SECRET_KEY.

    Raises:
        InputError: If langfuse is not installed, or no sample's trace is known.
    """
    if client is None:
        try:
            from langfuse import get_client
        except ImportError as error:
            raise InputError("this needs langfuse", "pip install 'assay[langfuse]'") from error
        client = get_client()
    items, untraced = exporters.with_trace(result)
    run = result.run
    for item in items:
        if item.value is None:
            continue
        name = f"{run.id}/{item.sample}/{item.metric}"
        client.create_score(
            score_id=str(uuid.uuid5(_NAMESPACE, name)),
            name=item.metric,
            value=item.value,
            data_type="NUMERIC",
            trace_id=item.trace,
            observation_id=item.span or None,
            comment=item.explanation or None,
            metadata={"assay_run": run.id, "judge": run.config["judge"]},
        )
    client.flush()
    return exporters.counts(items, untraced, with_reasons=False)
