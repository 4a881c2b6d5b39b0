"""Where did the evidence for the right answer get lost, if it did?"""

from dataclasses import dataclass
from typing import Literal

from assay.analysis.diagnosis.facts import Facts, Found, Known, Parts, holds
from assay.analysis.diagnosis.findings import Evidence, Finding

# "behind": found below what was handed on. "there": the generator had it. "disputed": the right
# context was handed on, and no part of the reference stands in it. "unknown": nothing tells.
Where = Literal["lacking", "missed", "absent", "behind", "low", "there", "disputed", "unknown"]

# A right context below this rank is far from where generators look.
WITHIN = 3

_CAUSES = {
    "lacking": "not_in_corpus",
    "missed": "not_retrieved",
    "absent": "not_in_contexts",
    "behind": "ranked_too_low",
    "low": "ranked_too_low",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the evidence is.

    Attributes:
        where: How far it came.
        evidence: What tells, empty if there is nothing to tell.
    """

    where: Where
    evidence: tuple[Evidence, ...] = ()

    @property
    def finding(self) -> Finding | None:
        """The cause, if the evidence did not reach the generator where it would see it."""
        cause = _CAUSES.get(self.where)
        return Finding(cause, self.evidence) if cause else None

    @property
    def had(self) -> bool:
        """Whether the generator was given it."""
        return self.where in ("there", "low")


def place(facts: Facts, within: int = WITHIN) -> Place:
    """Where the evidence is, from what is known of the right contexts, else from the verdicts.

    Args:
        facts: The sample's facts.
        within: A right context below this rank is too low.
    """
    if facts.corpus_empty:
        why = "the data say that no context holds it"
        return Place("lacking", (Evidence("data", facts.sample.reference or "", why),))
    if facts.held and not facts.held.yes and facts.held.no:
        why = "not even the contexts known to be right hold it"
        return Place("lacking", _of_reference(facts.held.no, why, facts.held.metric))
    if facts.known:
        return _by_known(facts, facts.known, within)
    return _by_verdicts(facts, within)


def _by_known(facts: Facts, known: Known, within: int) -> Place:
    wanted = facts.wanted
    why = "known to be right, not retrieved"
    lost = tuple(Evidence("context", text, why) for text in known.lost)
    if known.first is None:
        return Place("there") if _all_held(wanted) else Place("missed", lost)
    if lost and (known.all_needed if wanted is None else wanted.no):
        missing = _of_reference(wanted.no, "not in the contexts", wanted.metric) if wanted else ()
        return Place("missed", (*lost, *missing))
    contexts = facts.sample.contexts
    handed = len(contexts) if contexts is not None else known.first
    ranked = (_ranked(facts, known.first, handed),)
    if known.first > handed:
        return Place("there") if _all_held(wanted) else Place("behind", ranked)
    if wanted and len(wanted.no) == len(wanted.parts):
        return Place("disputed")
    return Place("low", ranked) if known.first > within else Place("there")


def _all_held(wanted: Found | None) -> bool:
    """Whether the contexts surely hold the whole reference: another document may say the same."""
    return wanted is not None and len(wanted.yes) == len(wanted.parts)


def _by_verdicts(facts: Facts, within: int) -> Place:
    wanted, useful = facts.wanted, facts.useful
    if wanted is None:
        return Place("unknown")
    if wanted.no:
        return Place("absent", _of_reference(wanted.no, "not in the contexts", wanted.metric))
    if not wanted.yes:
        return Place("unknown")
    ranks = [rank for rank, part in enumerate(useful.parts, 1) if holds(part)] if useful else []
    if ranks and ranks[0] > within:
        return Place("low", (_ranked(facts, ranks[0], ranks[0]),))
    return Place("there")


def _ranked(facts: Facts, rank: int, handed: int) -> Evidence:
    texts, ids = facts.sample.contexts or (), facts.sample.context_ids or ()
    text = texts[rank - 1] if rank <= len(texts) else ids[rank - 1]
    beyond = f", and only {handed} were handed on" if rank > handed else ""
    return Evidence("context", text, f"the first right context has rank {rank}{beyond}", rank=rank)


def _of_reference(parts: Parts, why: str, metric: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence("reference statement", part.text, part.reason or why, metric=metric)
        for part in parts
    )
