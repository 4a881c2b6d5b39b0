"""Do the quotations of answers stand in their sources? As ragas' function counts them."""

from collections.abc import Sequence

from assay.integrations.ragas.advice import completed
from assay.integrations.ragas.metrics.collections import QuotedSpansAlignment
from assay.integrations.ragas.scoring import outcomes

__all__ = ["quoted_spans_alignment"]


class _OfFunction(QuotedSpansAlignment):
    """What ragas' function takes for a quotation: straight marks only."""

    variant = "legacy"


def quoted_spans_alignment(
    answers: Sequence[str],
    sources: Sequence[Sequence[str]],
    *,
    casefold: bool = True,
    min_len: int = 3,
) -> dict[str, float]:
    """Share of all quotations of the answers that stand in their sources; 0 if there is none.

    Args:
        answers: The answers.
        sources: The contexts of each.
        casefold: Whether case and white space are the same.
        min_len: Words that a quotation has at least.

    Returns:
        The share, how many were found, and how many there are.
    """
    metric = _OfFunction(casefold=casefold, min_span_words=min_len)
    rows = [
        {"response": answer, "retrieved_contexts": list(contexts)}
        for answer, contexts in zip(answers, sources, strict=True)
    ]
    found = completed(outcomes(metric, rows)) if rows else []
    values = [part.value or 0.0 for outcome in found for part in outcome.parts]
    matched, total = sum(values), float(len(values))
    share = matched / total if total else 0.0
    return {"citation_alignment_quoted_spans": share, "matched": matched, "total": total}
