"""Which entities of the right answer stand in the retrieved contexts?"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import blank, share
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored
from assay.tasks import NameEntities
from assay.text.entities import compared, place


@dataclass(frozen=True)
class ContextEntityRecall(Metric):
    """Share of the reference's entities that stand in the retrieved contexts.

    CER = entities of the reference that stand in a context / entities of the reference, in [0, 1]
    (RAGAS documentation). The judge names the entities of the reference only; one counts as found
    if its words stand in a context in a row. Case, accents, punctuation, white space, a leading
    article, a possessive s and the commas of a number do not count ("the Eiffel tower", "1,000"):
    names that are equal by this are one entity. A name that is one word in capitals is no common
    word: "WHO" is not "who" nor "Who"; with four letters or more a first capital does ("Nasa").
    RAGAS has the entities of the contexts named as well and compares the two lists letter by
    letter, so that it misses what is written otherwise or was not named. Entities that the judge
    makes up (not in the reference) are left out. Undefined if the reference names no entity. With
    no context retrieved: 0.
    """

    name = "context_entity_recall"
    aliases = ("context_entities_recall",)
    source = RAGAS_DOCS
    needs = ("contexts", "reference")
    tasks = (NameEntities,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Name the entities of the reference, look each up in the contexts."""
        reference, contexts = sample.reference or "", sample.contexts or ()
        named = () if blank(reference) else await judge(NameEntities(reference))
        stated: dict[tuple[str, ...], str] = {}
        for name in named:
            if place(name, reference):
                stated.setdefault(compared(name), name)
        parts = [_part(name, contexts) for name in stated.values()]
        if not parts:
            return Unscored("undefined", "the reference names no entity")
        return share(parts)


def _part(entity: str, contexts: Sequence[str]) -> Part:
    found = ((rank, span) for rank, c in enumerate(contexts) if (span := place(entity, c)))
    rank, span = next(found, (None, None))
    quote = contexts[rank][slice(*span)] if rank is not None and span else ""
    label = "found" if quote else "not found"
    return Part("entity", entity, label, float(bool(quote)), context=rank, quote=quote, span=span)


METRICS: tuple[type[Metric], ...] = (ContextEntityRecall,)
