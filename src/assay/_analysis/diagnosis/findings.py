"""Findings: the causes of failure that are told apart, what helps, and what is said of a sample."""

from dataclasses import dataclass
from typing import Literal

Part = Literal["corpus", "retrieval", "generation"]


@dataclass(frozen=True, slots=True)
class Cause:
    """A part of the system that may fail, and how."""

    name: str  # as programs know it
    title: str  # as people read it
    means: str  # what was found where it is claimed
    part: Part  # which part of the system it is
    told_by: tuple[str, ...]  # facts each of which tells it; without any nothing is claimed

    @property
    def needs(self) -> str:
        """The facts that tell it, in words."""
        return ", or ".join(self.told_by)


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something to try, and the causes that it touches."""

    name: str
    advice: str
    causes: tuple[str, ...]


_KNOWN = (
    "reference_contexts, reference_context_ids or relevance_grades in the data (empty: there is "
    "none)"
)
_QUOTES = "quotes in the data, as assay testset writes them"
_ANSWERABLE = "answerable, or a reference that declines, in the data"
_COVERAGE = "factual_correctness or completeness, with context_recall or known right contexts"
_THREE_WAY = "hallucination_spans (on the verdicts of faithfulness: no call more)"

# From the beginning of the pipeline to its end: what fails early explains what follows, so the
# first of a sample's findings is its main cause.
_ALL = (
    Cause(
        "should_have_refused",
        "should have refused",
        "The question has no answer in the corpus, but the system answered.",
        "generation",
        (_ANSWERABLE,),
    ),
    Cause(
        "not_in_corpus",
        "not in the corpus",
        "No document holds the answer, so nothing could have been retrieved.",
        "corpus",
        (_KNOWN,),
    ),
    Cause(
        "not_retrieved",
        "not retrieved",
        "The corpus holds the answer, but retrieval missed all or part of it.",
        "retrieval",
        (_KNOWN,),
    ),
    Cause(
        "cut_apart",
        "cut apart",
        "A piece of the right passage was retrieved, cut so that the answer is not in it.",
        "retrieval",
        (_QUOTES,),
    ),
    Cause(
        "not_in_contexts",
        "not in the contexts",
        "The contexts do not hold the answer; whether the corpus does is unknown.",
        "retrieval",
        ("context_recall",),
    ),
    Cause(
        "ranked_too_low",
        "ranked too low",
        "The right context was retrieved, but ranked so low that the answer did not use it.",
        "retrieval",
        (_KNOWN, "context_precision with context_recall"),
    ),
    Cause(
        "wrong_refusal",
        "wrong refusal",
        "The contexts hold the answer, but the system declined to give it.",
        "generation",
        ("context_recall", _ANSWERABLE, _KNOWN),
    ),
    Cause(
        "off_topic",
        "off-topic",
        "The answer is not about the question.",
        "generation",
        ("answer_relevance_by_statement", "answer_relevancy with factual_correctness"),
    ),
    Cause(
        "contradicted",
        "contradicted",
        "The answer says the opposite of what the contexts say.",
        "generation",
        (_THREE_WAY,),
    ),
    Cause(
        "ignored",
        "ignored",
        "The contexts hold the answer, but the system said something else.",
        "generation",
        (_COVERAGE,),
    ),
    Cause(
        "over_claimed",
        "over-claimed",
        "The answer adds something that no context mentions.",
        "generation",
        (_THREE_WAY,),
    ),
    Cause(
        "unsupported",
        "unsupported",
        "No context supports part of the answer; whether one contradicts it is unknown.",
        "generation",
        ("faithfulness",),
    ),
    Cause(
        "incomplete",
        "incomplete",
        "The answer leaves out part of the right answer that the contexts hold.",
        "generation",
        (_COVERAGE,),
    ),
)
CAUSES: dict[str, Cause] = {cause.name: cause for cause in _ALL}

REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "documents",
        "Add the documents that are missing, or let the system say that it cannot know.",
        ("not_in_corpus",),
    ),
    Remedy(
        "retrieval",
        "Search the index for what is missing: it may be old, or read words by the rules of "
        "another language. Else retrieve more (larger k), try another embedding model, words and "
        "vectors together, larger chunks, or questions put in the corpus's own words.",
        ("not_retrieved", "not_in_contexts"),
    ),
    Remedy(
        "chunking",
        "Cut larger chunks, let them overlap, or hand on what stands beside a chunk as well.",
        ("cut_apart",),
    ),
    Remedy(
        "reranking",
        "Add a reranker, or hand more contexts to the generator.",
        ("ranked_too_low",),
    ),
    Remedy(
        "refusing_less",
        "See whether the contexts reach the generator whole. If so, soften the instruction to "
        "decline, and show it when it has enough to answer.",
        ("wrong_refusal",),
    ),
    Remedy(
        "refusing_more",
        "Tell the generator to decline where the contexts hold no answer, with examples of it.",
        ("should_have_refused",),
    ),
    Remedy(
        "grounding",
        "See whether the contexts reach the generator whole. If so, ask for nothing but what they "
        "say (a stricter grounding prompt, quotes), or take a model that follows instructions "
        "better.",
        ("contradicted", "ignored", "over_claimed", "unsupported"),
    ),
    Remedy(
        "answering",
        "Let the prompt repeat the question and ask for a direct answer; rewrite the question.",
        ("off_topic",),
    ),
    Remedy(
        "completeness",
        "Ask for every part of the question to be answered, and leave room for it.",
        ("incomplete",),
    ),
)
State = Literal["failed", "uncertain", "fine", "open"]
# How the verdicts on the statements of an answer stand to the contexts, taken together.
Support = Literal["flagged", "uncertain", "passed"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding rests on.

    Attributes:
        kind: "statement", "reference statement", "context", "answer" or "data".
        text: The statement, the context ... itself.
        why: What was found of it, in words of the judge or of the diagnosis.
        quote: The words of the context that bear on it.
        rank: 1-based rank of the context meant.
        metric: Label of the metric that found it, "" if the data or the wording say so.
    """

    kind: str
    text: str
    why: str = ""
    quote: str = ""
    rank: int | None = None
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause that was found in a sample, with its evidence (never empty)."""

    cause: str
    evidence: tuple[Evidence, ...]

    @property
    def flagged_by(self) -> str:
        """Label of the metric on whose verdict it rests, "" if the data or the wording say so."""
        # That a document is lost is known from the data, whatever a judge adds of what it held;
        # that a refusal is wrong rests on all of its evidence.
        evidence = self.evidence if self.cause == "wrong_refusal" else self.evidence[:1]
        return next((item.metric for item in evidence if item.metric), "")


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """One sample.

    Attributes:
        id: Its id.
        row: Its row, from 1.
        question: What was asked.
        state: "failed", "uncertain" (no failure found, but the judge is uncertain of a verdict),
            "fine" (no failure found in what could be checked) or "open" (nothing could be checked,
            or something is wrong whose cause cannot be told).
        main: The earliest cause on the way from corpus to answer; None unless failed.
        contributing: Further ones, in the same order.
        checked: Names of the causes that could be told, found or not.
        remark: Why it is open or uncertain, or what else is to be known.
        support: Whether the judge flags a statement of the answer as unsupported, is uncertain of
            one, or passes them all; None if it was not asked, or the answer makes no statement.
        doubt: How likely it finds one unsupported, in [0, 1]; what is worst is read first.
        declines: Whether the answer declines; None if there is no answer.
        untold: Names of causes that no further fact would tell: those known deny each other, or
            there is no answer.
    """

    id: str
    row: int
    question: str
    state: State
    main: Finding | None = None
    contributing: tuple[Finding, ...] = ()
    checked: frozenset[str] = frozenset()
    remark: str = ""
    untold: frozenset[str] = frozenset()
    support: Support | None = None
    doubt: float = 0.0
    declines: bool | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, the main one first."""
        return (self.main, *self.contributing) if self.main else ()

    @property
    def causes(self) -> tuple[str, ...]:
        """Their causes."""
        return tuple(finding.cause for finding in self.findings)
