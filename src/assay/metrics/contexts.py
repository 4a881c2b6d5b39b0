"""Retrieved contexts as a judge sees them: precision, recall, relevance, entities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay._text.entities import compared, place
from assay.judge import Judge
from assay.metrics.base import PAPER, RAGAS_DOCS, Metric
from assay.metrics.evidence import (
    blank,
    by_context,
    choices,
    context_parts,
    sentences,
    share,
    split,
    supported_share,
    verdict_parts,
    verify,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    Choice,
    JudgeContexts,
    NameEntities,
    SelectSentences,
    SplitStatements,
    Statement,
    Usefulness,
    VerifyStatements,
)

EVEN = 0.5  # the probability from which on a context is called relevant


def average_precision(useful: Sequence[bool]) -> float:
    """Average precision of a ranking, exact, in [0, 1]; 0 if nothing is useful.

    AP = sum_k (P@k v_k) / sum_k v_k, with v_k = 1 if the item at rank k is useful.

    >>> average_precision([True, True, False])
    1.0
    >>> round(average_precision([True, False, True]), 4)
    0.8333
    """
    hits = 0
    total = 0.0
    for rank, hit in enumerate(useful, start=1):
        if hit:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


@dataclass(frozen=True)
class ContextPrecision(Metric):
    """Average precision of the ranked contexts, judged against the reference.

    AP over ranks in [0, 1]: sum_k (P@k v_k) / sum_k v_k, where v_k says whether context k is useful
    for arriving at the reference (RAGAS documentation), computed exactly, without an epsilon. 0 if
    no context is useful; an empty context is not. Undefined if nothing was retrieved.
    """

    name = "context_precision"
    aliases = ("llm_context_precision_with_reference",)
    ranked = True
    source = RAGAS_DOCS
    needs = ("question", "contexts", "reference")
    tasks = (JudgeContexts,)
    guide = 0.7

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Judge every context against the reference."""
        return await _precision(sample, sample.reference or "", judge)


@dataclass(frozen=True)
class ContextPrecisionWithoutReference(Metric):
    """Average precision of the ranked contexts, judged against the answer.

    As context_precision, with the answer in place of the reference: for data without references.
    It rewards contexts that led to the answer, right or wrong.
    """

    name = "context_precision_without_reference"
    aliases = ("context_utilization", "llm_context_precision_without_reference")
    ranked = True
    source = RAGAS_DOCS
    needs = ("question", "contexts", "answer")
    tasks = (JudgeContexts,)
    guide = 0.7

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Judge every context against the answer."""
        return await _precision(sample, sample.answer or "", judge)


async def _precision(sample: Sample, target: str, judge: Judge) -> Outcome:
    contexts = sample.contexts or ()
    if not contexts:
        return Unscored("undefined", "no context was retrieved")
    if blank(target):
        return Unscored("undefined", "the text to arrive at is empty")
    verdicts = await _verdicts(sample.question or "", target, contexts, judge)
    parts = tuple(
        Part(
            kind="context",
            text=context,
            label="useful" if verdict.useful else "not useful",
            value=float(verdict.useful),
            reason=verdict.reason,
            context=rank,
            quote=verdict.quote,
            probability=verdict.probability,
        )
        for rank, (context, verdict) in enumerate(zip(contexts, verdicts, strict=True))
    )
    return Score(average_precision([v.useful for v in verdicts]), parts)


async def _verdicts(
    question: str, target: str, contexts: tuple[str, ...], judge: Judge
) -> list[Usefulness]:
    # Nothing can be said about an empty context, so nothing is asked.
    ids = tuple(f"c{rank}" for rank, context in enumerate(contexts, start=1) if not blank(context))
    filled = ids if len(ids) < len(contexts) else ()
    verdicts = await judge(JudgeContexts(question, target, contexts, filled)) if ids else ()
    by_id = {verdict.id: verdict for verdict in verdicts}
    names = (f"c{rank}" for rank in range(1, len(contexts) + 1))
    return [by_id.get(name, Usefulness(name, useful=False, reason="empty")) for name in names]


@dataclass(frozen=True)
class ContextRecall(Metric):
    """Share of the reference's statements that can be attributed to the retrieved contexts.

    CR = attributable statements of the reference / its statements, in [0, 1] (RAGAS
    documentation). Where the judge gives probabilities, CR is the expected share: their mean.
    Undefined if the reference makes no statement. With no context retrieved: 0.
    """

    name = "context_recall"
    revision = 3
    aliases = ("llm_context_recall",)
    source = RAGAS_DOCS
    needs = ("question", "contexts", "reference")
    tasks = (SplitStatements, VerifyStatements)
    guide = 0.8

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the reference, verify each statement against all contexts."""
        reference = sample.reference or ""
        (statements,) = await split(sample.question or "", [reference], judge)
        if not statements:
            return Unscored("undefined", "the reference makes no statement")
        (verdicts,) = await verify([(statements, sample.contexts or ())], judge)
        parts = verdict_parts(statements, verdicts, reference, kind="reference statement")
        return supported_share(parts)


SUFFICES = (
    "the probability that the contexts suffice to answer (from 0.5 on they probably do), which is "
    "that of the best of them: not the share of sentences, which falls with their length"
)


@dataclass(frozen=True)
class ContextRelevance(Metric):
    """Share of the contexts' sentences that help to answer the question.

    CR = relevant sentences / sentences of the contexts, in [0, 1] (Es et al. 2023, section 3). The
    judge selects sentences by id, so it cannot invent any. Undefined if nothing was retrieved.
    Longer contexts score lower by construction. Where the judge gives the probability that each
    context helps, CR is the highest of them, the probability that the contexts suffice, and the
    score says so. Beside it stand how many contexts are expected to help, and the expected
    reciprocal rank of the first that does (Chapelle et al. 2009): sum_k P_k / k prod_{j<k} (1 -
    P_j).

    Args:
        soft: False gives the share of sentences, whatever probabilities the judge gives.
    """

    soft: bool = True

    name = "context_relevance"
    revision = 2
    aliases = ("context_relevancy",)
    source = PAPER
    needs = ("question", "contexts")
    tasks = (SelectSentences,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Number all sentences and let the judge choose."""
        numbered = context_sentences(sample)
        if not numbered:
            return Unscored("undefined", "the contexts hold no sentence")
        by_id = await choices(sample.question or "", tuple(s for _, s in numbered), judge)
        parts = context_parts(numbered, by_id, "sentence")
        helpful = _helpful(numbered, by_id, len(sample.contexts or ())) if self.soft else []
        return _sufficiency(sample.contexts or (), helpful, parts) if helpful else share(parts)


def _helpful(
    numbered: Sequence[tuple[int, Statement]], by_id: Mapping[str, Choice], contexts: int
) -> list[float]:
    """The probability that each context helps; [] if the judge gives none."""
    chances = [0.0] * contexts
    for rank, statement in numbered:
        choice = by_id.get(statement.id)
        if choice is None or choice.passage is None:
            return []
        chances[rank] = choice.passage
    return chances


def expected_reciprocal_rank(helpful: Sequence[float]) -> float:
    """The expected reciprocal rank of the first item that helps, by the probability of each.

    >>> expected_reciprocal_rank([0.0, 1.0])
    0.5
    """
    value, none_yet = 0.0, 1.0
    for rank, probability in enumerate(helpful, start=1):
        value += none_yet * probability / rank
        none_yet *= 1 - probability
    return value


def _sufficiency(
    contexts: Sequence[str], helpful: Sequence[float], sentences_found: Sequence[Part]
) -> Score:
    parts = [
        Part(
            kind="context",
            text=context,
            label="relevant" if probability >= EVEN else "not relevant",
            value=probability,
            context=rank,
            probability=probability,
        )
        for rank, (context, probability) in enumerate(zip(contexts, helpful, strict=True))
    ]
    details = {
        "helpful_contexts": round(sum(helpful), 4),
        "expected_reciprocal_rank": round(expected_reciprocal_rank(helpful), 4),
    }
    sentence_parts = (replace(part, value=None) for part in sentences_found)
    return Score(max(helpful), (*parts, *sentence_parts), SUFFICES, details)


def context_sentences(sample: Sample) -> list[tuple[int, Statement]]:
    """The sentences of all contexts of a sample, each with the index of its context."""
    return by_context([sentences(context) for context in sample.contexts or ()])


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
        entities = () if blank(reference) else await judge(NameEntities(reference))
        stated: dict[tuple[str, ...], str] = {}
        for name in entities:
            if place(name, reference):
                stated.setdefault(compared(name), name)
        parts = [_entity_part(name, contexts) for name in stated.values()]
        if not parts:
            return Unscored("undefined", "the reference names no entity")
        return share(parts)


def _entity_part(entity: str, contexts: Sequence[str]) -> Part:
    mentions = ((rank, span) for rank, c in enumerate(contexts) if (span := place(entity, c)))
    rank, span = next(mentions, (None, None))
    quote = contexts[rank][slice(*span)] if rank is not None and span else ""
    label = "found" if quote else "not found"
    return Part("entity", entity, label, float(bool(quote)), context=rank, quote=quote, span=span)
