"""Facts of one sample, from its data and its metrics, that a cause can be told from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from assay._text.quotes import comparable, holds_quote
from assay._text.refusals import is_plain_refusal, refusal
from assay._text.sentences import spans
from assay.errors import InputError
from assay.metrics.retrieval import NOT_COMPARABLE, closest, ranking
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks.verification import is_uncertain

Parts: TypeAlias = tuple[Part, ...]
Outcomes: TypeAlias = Mapping[str, Outcome]

# From here on two texts are worded alike (the default of the metrics that match by wording).
ALIKE = 0.5
# Below it a rating of 0..1 says that an answer misses its question; a cosine has its guide value.
ADDRESSES = 0.5
ADDRESSES_BY_COSINE = 0.75

# Metrics whose verdicts say whether the contexts support an answer.
SUPPORT = (
    *("hallucination_spans", "deepeval:faithfulness", "faithfulness"),
    *("ragchecker:faithfulness", "paper:faithfulness", "ragas:faithfulness"),
)
_WANTED = ("context_recall", "ragchecker:claim_recall", "ragas:context_recall")
_COVERAGE = ("factual_correctness", "completeness", "ragchecker:recall", "ragchecker:f1")
_TRUE = ("factual_correctness", "ragchecker:precision", "ragchecker:f1")
_USEFUL = ("context_precision", "deepeval:contextual_precision")
_HELPS = ("answer_relevance_by_statement", "deepeval:answer_relevancy")
_RELEVANCE = ("answer_relevancy", "paper:answer_relevancy")
_DECLINING = ("over_refusal", "negative_rejection", "answer_relevancy", "ragas:answer_relevancy")
# Metrics that look at the retrieved contexts and that a diagnosis reads.
OF_CONTEXTS = (*SUPPORT, *_WANTED, *_USEFUL)
READ = frozenset({*OF_CONTEXTS, *_COVERAGE, *_TRUE, *_HELPS, *_RELEVANCE, *_DECLINING})

_YES = frozenset(
    {"supported", "covered", "told", "retrieved", "tp", "correct", "useful", "relevant"}
)
_NEITHER = frozenset({"not needed"})


@dataclass(frozen=True, slots=True)
class MetricParts:
    """Parts of one metric; None stands for what no metric tells."""

    metric: str
    parts: Parts

    @property
    def yes(self) -> Parts:
        """Those that surely hold."""
        return tuple(p for p in self.parts if holds(p) and sure(p))

    @property
    def no(self) -> Parts:
        """Those that surely do not."""
        return tuple(p for p in self.parts if not holds(p) and sure(p))

    def all_hold(self) -> bool:
        """Whether there is something, and all of it holds, sure or not."""
        return bool(self.parts) and all(holds(p) for p in self.parts)


@dataclass(frozen=True, slots=True)
class Known:
    """Where the contexts stand that are known to be right."""

    first: int | None  # rank of the first of them, from 1; None if none was retrieved
    lost: tuple[str, ...]  # texts, or else ids, of those that were not retrieved
    # Whether the data list what should have been retrieved; grades may be of documents that say the
    # same, one of which is enough.
    all_needed: bool = True
    # Whether the data quote the words that are needed, and where a piece of their passage stands
    # that was cut beside them.
    quoted: bool = False
    piece: int | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a sample; None is always "not known"."""

    sample: Sample  # the sample
    support: MetricParts | None = None  # the answer's statements, against the contexts
    coverage: MetricParts | None = None  # the reference's statements, against the answer
    correctness: MetricParts | None = None  # the answer's statements, against the reference
    recall: MetricParts | None = None  # the reference's statements, against the contexts
    # The same against the contexts known to be right (counterfactual).
    corpus_recall: MetricParts | None = None
    # The contexts, by whether they help to arrive at the reference.
    usefulness: MetricParts | None = None
    # The answer's statements, by whether they help to answer the question.
    answer_relevance: MetricParts | None = None
    # (value, least value of an answer that addresses the question, metric).
    relevance: tuple[float, float, str] | None = None
    declined: str | None = None  # the words by which the answer declines, "" if it does not
    declined_by: str = ""  # the metric that found the words, "" if the wording told
    known: Known | None = None  # where the contexts stand that are known to be right
    corpus_empty: bool = False  # whether the data say that no context is right
    unanswerable: bool | None = None  # whether the data say that there is no answer


def holds(part: Part) -> bool:
    """Whether a part's label says yes."""
    return part.label.lower() in _YES


def sure(part: Part) -> bool:
    """Whether the judge stands by its label, where it says how likely it is."""
    return not is_uncertain(part.probability)


def gather(sample: Sample, outcomes: Outcomes, corpus_recall: Outcomes | None = None) -> Facts:
    """The facts of a sample.

    Args:
        sample: The sample.
        outcomes: Its outcomes by metric label.
        corpus_recall: Its outcomes where the contexts are those known to be right.
    """
    contexts = _known_contexts(sample)
    declined, declined_by = _refusal_in(sample, outcomes)
    return Facts(
        sample=sample,
        support=_parts_of(outcomes, SUPPORT, "statement"),
        coverage=_parts_of(outcomes, _COVERAGE, "reference statement"),
        correctness=_parts_of(outcomes, _TRUE, "statement"),
        recall=_parts_of(outcomes, _WANTED, "reference statement"),
        corpus_recall=_parts_of(corpus_recall or {}, _WANTED, "reference statement"),
        usefulness=_parts_of(outcomes, _USEFUL, "context"),
        answer_relevance=_parts_of(outcomes, _HELPS, "statement"),
        relevance=_relevance(outcomes),
        declined=declined,
        declined_by=declined_by,
        known=contexts,
        corpus_empty=contexts is None and _nothing_right(sample),
        unanswerable=_unanswerable(sample),
    )


def _scores_named(outcomes: Outcomes, names: Sequence[str]) -> list[tuple[str, Score]]:
    """The scores of these metrics, whatever their parameters, in the order of the names."""
    return [
        (label, outcome)
        for name in names
        for label, outcome in outcomes.items()
        if label.partition("(")[0] == name and isinstance(outcome, Score)
    ]


def _parts_of(outcomes: Outcomes, names: Sequence[str], kind: str) -> MetricParts | None:
    for label, score in _scores_named(outcomes, names):
        parts = tuple(p for p in score.parts if p.kind == kind and p.label not in _NEITHER)
        if parts:
            return MetricParts(label, parts)
    return None


def _relevance(outcomes: Outcomes) -> tuple[float, float, str] | None:
    for label, score in _scores_named(outcomes, _RELEVANCE):
        rated = any(part.kind == "answer" for part in score.parts)
        return score.value, ADDRESSES if rated else ADDRESSES_BY_COSINE, label
    return None


def _refusal_in(sample: Sample, outcomes: Outcomes) -> tuple[str | None, str]:
    """The words that decline, and who found them: the judge, or else the wording."""
    answer = sample.answer
    if answer is None:
        return None, ""
    if not answer.strip():
        return "the answer is empty", ""
    for label, score in _scores_named(outcomes, _DECLINING):
        verdict_parts = [
            p for p in score.parts if p.label in ("declined", "answered", "noncommittal")
        ]
        noncommittal = score.details.get("noncommittal")
        if noncommittal is None and not any(
            p.label in ("declined", "answered") for p in verdict_parts
        ):
            continue
        if noncommittal or any(p.label != "answered" for p in verdict_parts):
            reason = next((p.reason for p in verdict_parts if p.reason), "")
            return refusal(answer) or reason or "it commits itself to nothing", label
        return "", label
    sentences = [answer[start:end] for start, end in spans(answer)]
    plain = bool(sentences) and all(is_plain_refusal(s) for s in sentences)
    return (refusal(answer) if plain else ""), ""


def _unanswerable(sample: Sample) -> bool | None:
    if sample.answerable is not None:
        return not sample.answerable
    reference = sample.reference or ""
    return True if reference.strip() and is_plain_refusal(reference) else None


def right_contexts(sample: Sample) -> tuple[int, ...] | None:
    """Which of a sample's contexts are known to be right, from 0; None where nothing tells.

    By ids or grades, else by texts: equal or one inside the other, or worded alike where none is.
    """
    ids, grades = sample.reference_context_ids, sample.relevance_grades
    if sample.context_ids is not None and (ids is not None or grades is not None):
        right_ids = (
            {i for i, grade in (grades or {}).items() if grade > 0} if ids is None else {*ids}
        )
        return tuple(index for index, i in enumerate(sample.context_ids) if i in right_ids)
    contexts, right = sample.contexts or (), set[int]()
    for text in sample.reference_contexts or ():
        same = [index for index, context in enumerate(contexts) if _holds_other(context, text)]
        right |= {*same} or {
            index for index, context in enumerate(contexts) if _similar_context(context, [text])
        }
    return tuple(sorted(right)) if sample.reference_contexts else None


def _known_contexts(sample: Sample) -> Known | None:
    """By ids or grades, else by quotes, else by texts: equal, inside the other, or worded alike."""
    by_ids = sample.reference_context_ids is not None or sample.relevance_grades is not None
    if not (by_ids and sample.context_ids is not None) and (quoted := _quoted(sample)):
        return quoted
    texts = tuple(dict.fromkeys(sample.reference_contexts or ()))
    names = {str(i): text for i, text in enumerate(texts)}
    ranked = ranking(sample, ALIKE) if sample.context_ids is not None else NOT_COMPARABLE
    if isinstance(ranked, Unscored) and texts and sample.contexts is not None:
        ids = tuple(_similar_context(context, texts) for context in sample.contexts)
        by_text = replace(sample, context_ids=ids, reference_context_ids=tuple(names))
        ranked = ranking(by_text, ALIKE)
    else:
        names = {}
    if isinstance(ranked, Unscored):
        return None
    missed = (part.text for part in ranked.parts if part.kind == "reference context")
    lost_texts = [names.get(name, name) for name in missed]
    if names:  # one retrieved context may hold several of the right ones
        handed = [normalized(context) for context in sample.contexts or ()]
        lost_texts = [
            text
            for text in lost_texts
            if not any(normalized(text) in context for context in handed)
        ]
    ranks = [rank for rank, grade in enumerate(ranked.grades, start=1) if grade > 0]
    graded = not names and sample.reference_context_ids is None
    return Known(min(ranks, default=None), tuple(lost_texts), all_needed=not graded)


def _quoted(sample: Sample) -> Known | None:
    """Where the words stand that bear the reference out, if the data quote them.

    A chunk of the right passage that was cut beside them is not the right context.
    """
    quotes = sample.metadata.get("quotes")
    texts = [str(quote) for quote in quotes if quote] if isinstance(quotes, list) else []
    if not texts or sample.contexts is None:
        return None
    handed = [comparable(context) for context in sample.contexts]
    joined = " ".join(handed)  # a quote may go on in the next context
    ranks = {
        quote: next((n for n, text in enumerate(handed, 1) if holds_quote(text, quote)), None)
        for quote in texts
    }
    lost = [quote for quote, rank in ranks.items() if not rank and not holds_quote(joined, quote)]
    found = [rank or 1 for quote, rank in ranks.items() if quote not in lost]
    cut = next(iter(right_contexts(sample) or ()), None) if lost else None
    piece = None if cut is None else cut + 1
    return Known(min(found, default=None), tuple(lost), quoted=True, piece=piece)


def _nothing_right(sample: Sample) -> bool:
    """Whether the data say that no document is right, which is not the same as saying nothing."""
    if sample.reference_context_ids is not None:
        return not sample.reference_context_ids
    if sample.relevance_grades is not None:
        return not any(grade > 0 for grade in sample.relevance_grades.values())
    return sample.reference_contexts == ()


def _similar_context(context: str, texts: Sequence[str]) -> str:
    """The index of the right context that a retrieved one is, cut otherwise perhaps; "" if none."""
    for i, text in enumerate(texts):
        if _holds_other(context, text):
            return str(i)
    try:
        return closest(context, texts, ALIKE)
    except InputError:  # without the extra [text] only what is worded the same counts
        return ""


def _holds_other(text: str, other: str) -> bool:
    """Whether one of two texts holds the other, whatever their case and line breaks."""
    first, two = normalized(text), normalized(other)
    return bool(first and two) and (first in two or two in first)


@lru_cache(maxsize=128)  # each of a sample's texts is held against all of its others
def normalized(text: str) -> str:
    """A text without what case and white space tell."""
    return " ".join(text.casefold().split())
