"""Where the evidence of a sample was lost on its way from the corpus to the generator."""

from dataclasses import dataclass
from typing import Literal

from assay._analysis.diagnosis.facts import Facts, Known, MetricParts, Parts, holds
from assay._analysis.diagnosis.findings import Evidence, Finding

# "cut": a piece of the right passage was found, cut beside the words that are needed. "behind":
# found below what was handed on. "there": the generator had it. "disputed": the right
# context was handed on, and no part of the reference stands in it. "unknown": nothing tells.
Where = Literal[
    "lacking", "missed", "cut", "absent", "behind", "low", "there", "disputed", "unknown"
]
# A right context below this rank is far from where generators look.
WITHIN = 3
_CAUSES = {
    "lacking": "not_in_corpus",
    "missed": "not_retrieved",
    "cut": "cut_apart",
    "absent": "not_in_contexts",
    "behind": "ranked_too_low",
    "low": "ranked_too_low",
}


@dataclass(frozen=True, slots=True)
class Location:
    """Where the evidence is."""

    where: Where
    evidence: tuple[Evidence, ...] = ()

    @property
    def finding(self) -> Finding | None:
        """The cause, if the evidence did not reach the generator where it would see it."""
        cause = _CAUSES.get(self.where)
        return Finding(cause, self.evidence) if cause else None

    @property
    def reached_generator(self) -> bool:
        """Whether the generator was given it."""
        return self.where in ("there", "low")


def locate_evidence(facts: Facts, within: int = WITHIN) -> Location:
    """Where the evidence is, from what is known of the right contexts, else from the verdicts.

    Args:
        facts: The sample's facts.
        within: A right context below this rank is too low.
    """
    if facts.corpus_empty:
        reason = "the data say that no context holds it"
        return Location("lacking", (Evidence("data", facts.sample.reference or "", reason),))
    if facts.corpus_recall and not facts.corpus_recall.yes and facts.corpus_recall.no:
        reason = "not even the contexts known to be right hold it"
        return Location(
            "lacking",
            of_reference(facts.corpus_recall.no, reason, facts.corpus_recall.metric),
        )
    if facts.known:
        return _by_known(facts, facts.known, within)
    return _by_verdicts(facts, within)


def _by_known(facts: Facts, known: Known, within: int) -> Location:
    # What was not retrieved and what the system declined agree: no verdict outweighs both.
    recall = None if facts.declined and known.lost else facts.recall
    lost: Where = "cut" if known.piece else "missed"
    reason = "known to be right, not retrieved"
    if known.piece:
        reason = f"not retrieved: the chunk of rank {known.piece} was cut beside it"
    lost_evidence = tuple(Evidence("context", text, reason) for text in known.lost)
    if known.first is None:
        return Location("there") if all_held(recall) else Location(lost, lost_evidence)
    if lost_evidence and (known.all_needed if recall is None else recall.no):
        missing = of_reference(recall.no, "not in the contexts", recall.metric) if recall else ()
        return Location(lost, (*lost_evidence, *missing))
    contexts = facts.sample.contexts
    handed = len(contexts) if contexts is not None else known.first
    ranked = (_ranked(facts, known.first, handed),)
    if known.first > handed:
        return Location("there") if all_held(recall) else Location("behind", ranked)
    if recall and len(recall.no) == len(recall.parts):
        return Location("disputed")
    return Location("low", ranked) if known.first > within else Location("there")


def all_held(recall: MetricParts | None) -> bool:
    """Whether the contexts surely hold the whole reference: another document may say the same."""
    return recall is not None and len(recall.yes) == len(recall.parts)


def _by_verdicts(facts: Facts, within: int) -> Location:
    recall, usefulness = facts.recall, facts.usefulness
    if recall is None:
        return Location("unknown")
    if recall.no:
        return Location(
            "absent",
            of_reference(recall.no, "not in the contexts", recall.metric),
        )
    if not recall.yes:
        return Location("unknown")
    ranks = (
        [rank for rank, part in enumerate(usefulness.parts, 1) if holds(part)] if usefulness else []
    )
    if ranks and ranks[0] > within:
        metric = usefulness.metric if usefulness else ""
        return Location("low", (_ranked(facts, ranks[0], ranks[0], metric),))
    return Location("there")


def _ranked(facts: Facts, rank: int, handed: int, metric: str = "") -> Evidence:
    texts, ids = facts.sample.contexts or (), facts.sample.context_ids or ()
    text = texts[rank - 1] if rank <= len(texts) else ids[rank - 1]
    beyond = f", and only {handed} were handed on" if rank > handed else ""
    reason = f"the first right context has rank {rank}{beyond}"
    return Evidence("context", text, reason, rank=rank, metric=metric)


def of_reference(parts: Parts, reason: str, metric: str) -> tuple[Evidence, ...]:
    """Statements of the reference as evidence; `reason` where the judge gave none."""
    return tuple(
        Evidence("reference statement", part.text, part.reason or reason, metric=metric)
        for part in parts
    )
