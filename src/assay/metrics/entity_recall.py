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
    """Share of the reference's entities that appear in the retrieved contexts.

    CER = entities of the reference that appear in a context / entities of the reference, in [0, 1]
    (RAGAS documentation). The judge names only the entities of the reference; one counts as found
    if its words are consecutive in a context. Case, accents, punctuation, white space, a leading
    article, a possessive s and the commas of a number are ignored ("the Eiffel tower", "1,000"):
    names that are then equal are one entity. A name that is one word in capitals does not match the
    common word: "WHO" is neither "who" nor "Who"; with four letters or more an initial capital
    suffices ("Nasa"). RAGAS also asks for the entities of the contexts and compares the two lists
    letter by letter, so it misses names that are written differently or were not named. Entities
    that the judge invents (not in the reference) are left out. Undefined if the reference names no
    entity. With no context retrieved: 0.
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
