"""Do the contexts support a statement, and which sentence says so?

A logistic combination of sixteen measurements (`comparison.FEATURES`): how many of the statement's
words stand in the contexts, which of its numbers and names do not, whether one denies what the
other says, and the cosine to the nearest sentences. The coefficients are fixed; how they were
fitted and what they reach is in `training/support_v0`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.backends.embedded.comparison import FEATURES, Comparison, compare
from assay.backends.embedded.encoder import Encoder, Vectors
from assay.backends.embedded.evidence import Evidence, prepare
from assay.backends.embedded.fitted import Fitted
from assay.text.overlap import weighted_recall
from assay.text.words import stems

_MANY = 400  # sentences; beyond it only those with the most words in common are embedded
_KEPT = 40  # ... this many for each statement
_SHOWN = 3  # missing facts named in a reason
_QUOTED = 200  # characters of a sentence shown in a reason


@dataclass(frozen=True)
class Support:
    """How far the contexts support one statement, with the evidence."""

    probability: float  # in [0, 1], at odds of 3 to 2 for support before looking
    supported: bool  # probability >= the fitted threshold
    reason: str  # one sentence for people
    context: int | None  # the context the closest sentence stands in, from 0; None without contexts
    sentence: str  # the closest sentence; "" without contexts


def support(statements: Sequence[str], contexts: Sequence[str], encoder: Encoder) -> list[Support]:
    """One `Support` for every statement, in order.

    Contexts may have any length. Without any sentence in the contexts the probability is 0.
    """
    return [
        _judged(found, evidence) for evidence, found in comparisons(statements, contexts, encoder)
    ]


def comparisons(
    statements: Sequence[str], contexts: Sequence[str], encoder: Encoder
) -> list[tuple[Evidence, Comparison | None]]:
    """The measurements behind `support`, for fitting; None where there is no evidence at all."""
    evidence = prepare(contexts)
    if not statements or not evidence.pieces:
        return [(evidence, None) for _ in statements]
    chosen = _chosen(statements, evidence)
    texts = [*statements, *(evidence.pieces[i].text for i in chosen)]
    vectors = encoder.encode(texts)
    asked = vectors[: len(statements)]
    pieces = np.zeros((len(evidence.pieces), vectors.shape[1]), dtype=np.float32)
    pieces[chosen] = vectors[len(statements) :]
    cosines, pairs = asked @ pieces.T, asked @ _pairs(pieces, evidence).T
    return [
        (evidence, compare(statement, evidence, cosines[i], pairs[i]))
        for i, statement in enumerate(statements)
    ]


def _judged(found: Comparison | None, evidence: Evidence) -> Support:
    if found is None:
        nothing = "There is no context that could support it."
        return Support(0.0, supported=False, reason=nothing, context=None, sentence="")
    fitted = Fitted.load("support_v0.json", FEATURES)
    value = fitted.probability(found.features)
    supported = value >= fitted.threshold
    piece = evidence.pieces[found.best]
    return Support(
        probability=value,
        supported=supported,
        reason=_reason(found, piece.text, supported=supported),
        context=piece.context,
        sentence=piece.text,
    )


def _reason(found: Comparison, sentence: str, *, supported: bool) -> str:
    closest = f"closest sentence: {shorten(sentence)}"
    doubts = _doubts(found)
    if supported:
        but = f", although {doubts[0]}" if doubts else ""
        return f"The evidence says so{but}; {closest}"
    if doubts:
        return f"{doubts[0][:1].upper()}{doubts[0][1:]}; {closest}"
    return f"No sentence of the evidence says all of it; {closest}"


def _doubts(found: Comparison) -> list[str]:
    """What speaks against support, the weightiest first."""
    doubts = []
    gone = [*found.numbers, *found.names]
    if gone:
        doubts.append(f"{_listed(gone)} {_stand(gone)} not stand in the evidence")
    if found.opposites:
        doubts.append("it says the opposite ({} against {})".format(*found.opposites[0]))
    if found.negation_differs:
        doubts.append("one of the two denies what the other says")
    if found.words:
        doubts.append(f"{_listed(found.words)} {_stand(found.words)} not stand in the evidence")
    if found.far_numbers:
        far = found.far_numbers
        doubts.append(f"{_listed(far)} {_stand(far)} not stand near the closest sentence")
    return doubts


def _stand(items: Sequence[str]) -> str:
    return "does" if len(items) == 1 else "do"


def _listed(items: Sequence[str]) -> str:
    quoted = [f"'{item}'" for item in items[:_SHOWN]]
    if len(items) > _SHOWN:
        return f"{', '.join(quoted)} and {len(items) - _SHOWN} more"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def shorten(sentence: str) -> str:
    """A sentence on one line, of at most 200 characters, for a reason."""
    line = " ".join(sentence.split())
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1].rstrip()}…"


def _chosen(statements: Sequence[str], evidence: Evidence) -> list[int]:
    """The pieces worth embedding: all, or of very many those with the most words in common."""
    if len(evidence.pieces) <= _MANY:
        return list(range(len(evidence.pieces)))
    kept: set[int] = set()
    for statement in statements:
        wanted = set(stems(statement))
        shares = [weighted_recall(wanted, found, evidence.weights) for found in evidence.sets]
        kept.update(np.argsort(shares, kind="stable")[::-1][:_KEPT].tolist())
    return sorted(kept)


def _pairs(pieces: Vectors, evidence: Evidence) -> Vectors:
    """A vector for every two pieces in a row of one context: the direction of their sum."""
    contexts = np.array([piece.context for piece in evidence.pieces])
    sums = (pieces[:-1] + pieces[1:])[contexts[:-1] == contexts[1:]]
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    units: Vectors = sums / np.maximum(lengths, 1e-9)
    return units
