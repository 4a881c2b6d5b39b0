"""Adaptation of an embedder to a corpus: questions, hard negatives, and what it gained."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from assay._text.sentences import spans
from assay._text.words import words
from assay.bench.relevance import ranks
from assay.data import read
from assay.data.validation import samples
from assay.errors import InputError
from assay.sample import Sample
from assay.stats.comparison import Paired, paired
from assay.stats.intervals import LEVEL, Interval, mean_interval
from assay.testset.documents import Document, read_documents
from assay.testset.passages import Corpus, Passage, cut
from assay.testset.sources import passages_asked, sources_of

Floats: TypeAlias = npt.NDArray[np.float64]
# Vectors of texts, of Euclidean length 1: shape (texts, dimensions).
Embedding: TypeAlias = Callable[[Sequence[str]], Floats]
DEPTHS: Final = (1, 3, 5)
HELD_OUT: Final = 0.3
PASSAGE: Final = 80  # words that training reads to their end
HARD_NEGATIVES: Final = 3  # of a passage
LEAST_HELD_OUT: Final = 10  # questions: fewer say nothing of others
NO_GAIN: Final = "no gain shown"
_ASKING: Final = (6, 40)  # words of a sentence that may stand for a question
_LEAST_LEFT: Final = 15  # words that a passage must have beside it


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the passages that answer it.

    Attributes:
        id: Its id.
        text: The question.
        right: Places of the passages that answer it, one at least.
        source: The document that these are from; None if they are from several.
    """

    id: str
    text: str
    right: frozenset[int]
    source: str | None


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What an embedder is adapted to."""

    passages: tuple[str, ...]  # the texts of all passages: what is searched
    questions: tuple[Question, ...]  # the questions about them
    unmatched: int = 0  # questions left out because no passage is known to answer them
    by_rule: bool = False  # whether the questions are sentences taken out of the passages


@dataclass(frozen=True, slots=True)
class Split:
    """Questions to learn from, and questions to measure with, from different documents."""

    train: tuple[Question, ...]  # the former
    held_out: tuple[Question, ...]  # the latter
    mixed: int  # how many belong to neither: their passages are from several documents


@dataclass(frozen=True, slots=True)
class Triplet:
    """A question with a passage that answers it, and others that look like it and do not."""

    question: Question  # the question
    positive: int  # place of the former
    negatives: tuple[int, ...]  # places of the latter


@dataclass(frozen=True, slots=True)
class Gain:
    """One measure of retrieval, before and after."""

    measure: str  # its name: accuracy@1, MRR ..
    base: Interval | None  # interval of its mean for the base; None if there are too few documents
    adapted: Interval | None  # the same of the adapted embedder
    paired: Paired  # the two compared, question by question, clustered by document

    @property
    def verdict(self) -> str:
        """Better or worse if the interval of the difference does not contain zero."""
        ends = self.paired.interval
        if ends is None or ends.low <= 0 <= ends.high:
            return NO_GAIN
        return "better" if ends.low > 0 else "worse"


def read_training_data(
    corpus: Any, questions: Any = None, *, words: int | None = PASSAGE
) -> TrainingData:
    """The passages of a corpus, and the questions about them.

    Args:
        corpus: As for `read_documents`.
        questions: A data set as for `evaluate`. Which passage answers a question is told by
            `reference_context_ids` (ids of passages, "document#1", or of documents: the passage
            of it with most words of the reference), else by `reference_contexts`, else by the
            reference: the passage of all that holds most of its words. None: sentences taken out
            of the passages stand for questions (the inverse cloze task).
        words: Words of a passage, about; None: each document is one passage.

    Raises:
        InputError: If anything cannot be read, or no question has a passage.

    Source:
        Lee, Chang and Toutanova 2019, Latent Retrieval for Weakly Supervised Open Domain Question
        Answering, section 4, for the inverse cloze task.
    """
    documents = read_documents(corpus)
    passages = [p for document in documents for p in _passages(document, words)]
    if len(passages) < 2:
        fault = f"the corpus has {len(passages)} passages, so there is nothing to search"
        raise InputError(fault, "give more documents, or shorter passages: --passage-words")
    if questions is None:
        return _by_rule(passages)
    rows = read_questions(questions)
    answerable = _questions(rows, passages)
    if not answerable:
        first_ids = ", ".join(repr(passage.id) for passage in passages[:3])
        fault = "no question names a passage of the corpus, and none has a reference found there"
        raise InputError(fault, f"give reference_context_ids: passages are called {first_ids}")
    return TrainingData(
        tuple(p.text for p in passages), tuple(answerable), len(rows) - len(answerable)
    )


def _passages(document: Document, words: int | None) -> list[Passage]:
    if words is not None:
        return cut(document, words)
    text = document.text
    return [Passage(document.id, 1, document.title, text, 0, len(text))]


def _questions(rows: Sequence[Sample], passages: Sequence[Passage]) -> list[Question]:
    number_of = {passage.id: number for number, passage in enumerate(passages)}
    of_document: dict[str, list[int]] = {}
    for number, passage in enumerate(passages):
        of_document.setdefault(passage.document, []).append(number)
    right = {}
    for row in rows:
        ids = row.reference_context_ids or ()
        named_places = {number_of[name] for name in ids if name in number_of}
        inside = (
            of_document[name] for name in ids if name not in number_of and name in of_document
        )
        right[row.id] = frozenset(
            named_places | {_holding_passage(row, inside_it, passages) for inside_it in inside}
        )
    unplaced = [row for row in rows if not right[row.id]]
    if unplaced:
        all_passages = Corpus(passages)
        right |= passages_asked(unplaced, sources_of(unplaced, all_passages), all_passages)
    return [
        _question(row.id, row.question, right[row.id], passages)
        for row in rows
        if row.question and right.get(row.id)
    ]


def _holding_passage(row: Sample, numbers: Sequence[int], passages: Sequence[Passage]) -> int:
    """Of a document's passages the one with most words of the reference, then of the question."""
    word_sets = [set(words(text or "")) for text in (row.reference, row.question)]

    def shared(number: int) -> list[int]:
        passage_words = set(words(passages[number].text))
        return [len(asked_words & passage_words) for asked_words in word_sets]

    return max(numbers, key=shared)


def _question(name: str, text: str, right: frozenset[int], passages: Sequence[Passage]) -> Question:
    documents = {passages[number].document for number in right}
    return Question(name, text, right, documents.pop() if len(documents) == 1 else None)


def read_questions(questions: Any) -> list[Sample]:
    """The rows of a data set that are asked.

    Raises:
        InputError: If they cannot be read, or have no questions.
    """
    try:
        return list(samples(read(questions), needs={"adapt": ("question",)}))
    except InputError as error:  # there is no option to name a column, and nothing to drop
        raise error.as_sent().without(", or drop adapt") from None


def _by_rule(passages: Sequence[Passage]) -> TrainingData:
    texts, questions = [], []
    for number, passage in enumerate(passages):
        span = _sentence(passage)
        texts.append(passage.text)
        if span is not None:
            start, end = span
            texts[-1] = f"{passage.text[:start]} {passage.text[end:]}".strip()
            sentence = passage.text[start:end]
            questions.append(_question(passage.id, sentence, frozenset([number]), passages))
    if not questions:
        fault = "no passage has a sentence that could be taken out of it as a question"
        raise InputError(fault, "give questions: --questions FILE")
    return TrainingData(tuple(texts), tuple(questions), by_rule=True)


def _sentence(passage: Passage) -> tuple[int, int] | None:
    """A sentence that may stand for a question, the same one every time; None without any."""
    min_words, max_words = _ASKING
    length = len(words(passage.text))
    fit = []
    for start, end in spans(passage.text):
        size = len(words(passage.text[start:end]))
        if min_words <= size <= max_words and length - size >= _LEAST_LEFT:
            fit.append((start, end))
    return random.Random(passage.id).choice(fit) if fit else None  # noqa: S311 - no secret


def split(questions: Sequence[Question], share: float = HELD_OUT, *, seed: int = 0) -> Split:
    """Divide questions by the documents that they are about.

    Args:
        questions: All of them.
        share: Share of the documents that are held out.
        seed: Chooses them.

    Raises:
        InputError: If there are fewer than four documents, or fewer than 10 questions are held out.
    """
    sources = sorted({question.source for question in questions if question.source is not None})
    if len(sources) < 4:
        fault = f"the questions are about {len(sources)} documents: too few to hold any out"
        raise InputError(fault, "give questions about four documents or more")
    random.Random(seed).shuffle(sources)  # noqa: S311 - no secret
    held_out_sources = set(sources[: min(len(sources) - 2, max(2, round(share * len(sources))))])
    with_source = [question for question in questions if question.source is not None]
    held_out = tuple(question for question in with_source if question.source in held_out_sources)
    if len(held_out) < LEAST_HELD_OUT:
        fault = f"{len(held_out)} questions are held out, which is too few to measure with"
        raise InputError(fault, f"hold out more, or give more: it takes {LEAST_HELD_OUT}")
    train = tuple(question for question in with_source if question.source not in held_out_sources)
    return Split(train, held_out, len(questions) - len(with_source))


def mine(
    questions: Sequence[Question],
    data: TrainingData,
    embed: Embedding,
    most: int = HARD_NEGATIVES,
) -> list[Triplet]:
    """Hard negatives for every question: what the embedder finds first of all that is not right.

    They are sought among the passages that these questions are about: no passage that is held out
    is learnt from.

    Source:
        Karpukhin et al. 2020, Dense Passage Retrieval, section 3.2, for hard negatives.
    """
    right_passages = sorted({number for question in questions for number in question.right})
    if len(right_passages) < 2:
        raise InputError("the questions to learn from are about one passage", "give more")
    scores = _cosines(
        [q.text for q in questions], [data.passages[p] for p in right_passages], embed
    )
    triplets = []
    for question, row in zip(questions, scores, strict=True):
        order = [right_passages[column] for column in np.argsort(-row, kind="stable")]
        negatives = [number for number in order if number not in question.right]
        if negatives:
            positive = next(number for number in order if number in question.right)
            triplets.append(Triplet(question, positive, tuple(negatives[:most])))
    return triplets


def _cosines(questions: Sequence[str], passages: Sequence[str], embed: Embedding) -> Floats:
    return np.asarray(embed(questions) @ embed(passages).T, dtype=np.float64)


def ranked(questions: Sequence[Question], data: TrainingData, embed: Embedding) -> Floats:
    """How many passages stand before the first right one, of each question, by cosine."""
    scores = _cosines([q.text for q in questions], data.passages, embed)
    return ranks(scores, (question.right for question in questions))


def gains(
    questions: Sequence[Question], base: Floats, adapted: Floats, *, level: float = LEVEL
) -> tuple[Gain, ...]:
    """Accuracy at 1, 3 and 5 and the mean reciprocal rank, of the base and of the adapted embedder.

    Args:
        questions: Those held out.
        base: How they are `ranked` by the base.
        adapted: The same by the adapted embedder.
        level: Nominal coverage of the intervals.
    """
    measures: Mapping[str, Callable[[Floats], Floats]] = {
        **{f"accuracy@{k}": _accuracy(k) for k in DEPTHS},
        "MRR": lambda before: 1 / (1 + before),
    }
    groups = [question.source for question in questions]
    measured = []
    for name, measure in measures.items():
        old, new = measure(base), measure(adapted)
        ends = [mean_interval(x, groups=groups, low=0, high=1, level=level) for x in (old, new)]
        pairs = paired(old, new, groups=groups, span=1.0, level=level)
        measured.append(Gain(name, ends[0], ends[1], pairs))
    return tuple(measured)


def _accuracy(k: int) -> Callable[[Floats], Floats]:
    return lambda before: np.asarray(before < k, dtype=np.float64)


def batches(triplets: Iterable[Triplet], size: int, *, most: int, seed: int) -> list[list[Triplet]]:
    """Triplets in random order, up to `most` of one passage beside each other.

    A passage is read once for all its questions of a batch, which is most of what training costs.
    """
    draw = random.Random(seed)  # noqa: S311 - no secret
    of_passage: dict[int, list[Triplet]] = {}
    for triplet in triplets:
        of_passage.setdefault(triplet.positive, []).append(triplet)
    pieces = []
    for together in of_passage.values():
        draw.shuffle(together)
        pieces += [together[start : start + most] for start in range(0, len(together), most)]
    draw.shuffle(pieces)
    ordered = [triplet for piece in pieces for triplet in piece]
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]
