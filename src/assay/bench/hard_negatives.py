"""Answers and contexts beside those of the question most like theirs: hard negatives.

Real questions beside a passage of which people marked the sentences that answer (QED, Lamm et al.
2021; CLAPnq, Rosenthal et al. 2024), and beside the contexts and answers that people found or gave
in CLAPnq, PubMedQA (an abstract's conclusion), MTRAG-UN and FiQA. Of the sets that the embedded
judge's combination is fitted on, only the fold that is held out of that is measured.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from assay._text import words
from assay._text.sentences import sentences
from assay.bench.benchmark import Benchmark, Figure, figure, flags, shared_words
from assay.bench.data import Data, Record, dataset, rows_of_fold
from assay.bench.judge import JudgeUnderTest, answered
from assay.stats import agreement as stats
from assay.stats.intervals import Floats, Numbers
from assay.tasks import Passage, RateAnswer, SelectSentences

MOST = 3  # contexts of a question
PASSED = 0.5


class _Set(NamedTuple):
    title: str
    file: str
    licence: str
    fitted: bool  # whether rows of other folds fit the embedded judge
    marked: bool = False  # whether people marked its sentences
    alike: bool = True  # whether answers and contexts are shown beside a like question's


SETS = {  # by the data set that rows name
    "qed": _Set(
        "QED",
        "retrieval/qed_nq_dev.jsonl.gz",
        "CC BY-SA 3.0",
        fitted=True,
        marked=True,
        alike=False,
    ),
    "clapnq": _Set("CLAPnq", "retrieval/clapnq.jsonl.gz", "Apache-2.0", fitted=True, marked=True),
    "pubmedqa": _Set("PubMedQA", "retrieval/pubmedqa.jsonl.gz", "MIT", fitted=True),
    "mtrag_un": _Set("MTRAG-UN", "robustness/mtrag_un.jsonl.gz", "Apache-2.0", fitted=False),
    "fiqa": _Set("FiQA", "examples/fiqa30.jsonl", "Apache-2.0", fitted=False),
}
ANSWERED = {name: marked_set for name, marked_set in SETS.items() if marked_set.alike}


class Case(NamedTuple):
    """A question, sentences, and of each whether it helps; None where people did not say."""

    question: str
    sentences: tuple[str, ...]
    helps: tuple[bool | None, ...]
    own: bool  # whether the contexts are the question's


def rows_with_contexts(data: Data, *, fitting: bool = False) -> list[Record]:
    """All rows whose contexts answer; of sets that fit the judge those that do not, or only those.

    Args:
        data: Where the files are.
        fitting: Whether the rows that the embedded judge may be fitted on are wanted instead.
    """
    files = [(marked_set.file, marked_set.fitted) for marked_set in SETS.values()]
    return rows_of_fold(data, files, _answers, fitting=fitting)


def _answers(record: Record) -> bool:
    labels = record.get("labels") or {}
    answerable = labels.get("answerable", labels.get("answerability", "ANSWERABLE"))
    return answerable in (True, "ANSWERABLE") and any(text.strip() for text in record["contexts"])


def _title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"{SETS[kind].title} "


def marked_sentences(records: Sequence[Record]) -> Iterator[Case]:
    """Each passage with the sentences that people marked, at least one of which is in it."""
    for record in records:
        labels = record["labels"]
        marks = labels.get("relevant_sentences") or [labels.get("relevant_sentence") or ""]
        marked = [_plain_words(text) for text in marks if text.strip()]
        texts = tuple(sentences(record["contexts"][0]))
        plain = [_plain_words(text) for text in texts]
        helps = tuple(
            any(sentence in text or text in sentence for sentence in marked) for text in plain
        )
        if any(helps):
            yield Case(record["question"], texts, helps, own=True)


def _plain_words(text: str) -> str:
    return " ".join(text.split())


def alike_contexts(records: Sequence[Record]) -> Iterator[Case]:
    """Each question with its contexts, and with those of the question most like it."""
    likest = nearest([record["question"] for record in records])
    for record, nearest_index in zip(records, likest, strict=True):
        for source, is_own in (
            (record, True),
            (None if nearest_index is None else records[nearest_index], False),
        ):
            if source is not None and (is_own or source["contexts"] != record["contexts"]):
                texts = [s for context in source["contexts"][:MOST] for s in sentences(context)]
                helps = (None if is_own else False,) * len(texts)
                yield Case(record["question"], tuple(texts), helps, is_own)


def measure_contexts(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """How well sentences are chosen, and whole contexts told apart, in each set."""
    figures: list[Figure] = []
    for name, marked_set in SETS.items():
        own_records = [record for record in records if dataset(record) == name]
        if own_records and marked_set.marked:
            figures += _sentences(judge, _title(name), list(marked_sentences(own_records)))
        if own_records and marked_set.alike:
            figures += _contexts(judge, _title(name), list(alike_contexts(own_records)))
    return figures


def nearest(questions: Sequence[str]) -> list[int | None]:
    """Of each question the place of the one most like it, the first of equals; None if alone."""
    stems = [frozenset(words.stems(question)) for question in questions]
    indices: list[int | None] = []
    for index, own_stems in enumerate(stems):
        other_indices = [other for other in range(len(stems)) if other != index]
        indices.append(
            max(other_indices, key=lambda o: _likeness(own_stems, stems[o]))
            if other_indices
            else None
        )
    return indices


def _likeness(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(1, len(first | second))


def _choices_of(judge: JudgeUnderTest, cases: Sequence[Case]) -> list[tuple[Case, list[bool]]]:
    tasks = [
        SelectSentences(
            case.question, tuple(Passage(f"1.{n}", s) for n, s in enumerate(case.sentences, 1))
        )
        for case in cases
    ]
    replies = judge.answers(tasks)
    choices_of_cases = []
    for case, choices in answered(cases, replies):
        ids = {choice.id for choice in choices if choice.chosen}
        choices_of_cases.append(
            (case, [f"1.{n}" in ids for n in range(1, len(case.sentences) + 1)])
        )
    return choices_of_cases


def _sentences(judge: JudgeUnderTest, begins: str, cases: Sequence[Case]) -> list[Figure]:
    judged = _choices_of(judge, cases)
    sentences = [
        (case.question, text, bool(helps), is_chosen)
        for case, choices in judged
        for text, helps, is_chosen in zip(case.sentences, case.helps, choices, strict=True)
    ]
    labels = np.array([helps for _, _, helps, _ in sentences], bool)
    chosen_flags = np.array([choices for _, _, _, choices in sentences], bool)
    half = np.array(
        [shared_words(question, text) >= 0.5 for question, text, _, _ in sentences], bool
    )
    make = partial(figure, clusters=[question for question, _, _, _ in sentences], labels=labels)
    rule = "half of the question's words"
    return [
        make(
            f"{begins}sentences that answer, balanced accuracy",
            stats.balanced(chosen_flags, labels),
            baselines={rule: stats.balanced(half, labels)},
        ),
        make(
            f"{begins}sentences that answer, F1",
            stats.f1(chosen_flags, labels),
            baselines={
                rule: stats.f1(half, labels),
                "everything": stats.f1(np.ones_like(labels), labels),
            },
        ),
    ]


def _contexts(judge: JudgeUnderTest, begins: str, cases: Sequence[Case]) -> list[Figure]:
    judged = _choices_of(judge, cases)
    shares = np.array([float(np.mean(choices)) for _, choices in judged])
    names = (
        f"{begins}contexts, AUROC of context relevance",
        f"{begins}contexts, balanced accuracy of 'some sentence helps'",
        f"{begins}contexts",
    )
    texts = [(case.question, " ".join(case.sentences)) for case, _ in judged]
    return _separation(names, texts, [case.own for case, _ in judged], shares, shares > 0)


def _separation(
    names: tuple[str, str, str],
    texts: Sequence[tuple[str, str]],
    is_own: Sequence[bool],
    scores: Floats,
    passed: Numbers,
) -> list[Figure]:
    """How well the texts of questions are told from those of like questions.

    Args:
        names: Of the AUROC, of the balanced accuracy, and how those of the flags begin.
        texts: Each question with a text.
        is_own: Whether that is the question's own.
        scores: Of the judge, the higher the likelier it is.
        passed: Whether the judge takes it for that.
    """
    labels, passes = np.array(is_own, bool), np.asarray(passed, bool)
    questions = [question for question, _ in texts]
    shared = np.array([shared_words(question, text) for question, text in texts], float)
    make = partial(figure, clusters=questions, labels=labels)
    rule = "share of the question's words"
    ranked, balanced, begins = names
    return [
        make(ranked, stats.auroc(scores, labels), baselines={rule: stats.auroc(shared, labels)}),
        make(
            balanced,
            stats.balanced(passes, labels),
            baselines={rule: stats.balanced(shared >= PASSED, labels)},
        ),
        *flags(begins, ~passes, ~labels, questions, {rule: -shared}),
    ]


HELPFUL_SET = Benchmark(
    name="helpful",
    family="relevance",
    about="sentences that people marked as the answer; contexts beside a like question's",
    files=tuple(marked_set.file for marked_set in SETS.values()),
    licence="; ".join(dict.fromkeys(marked_set.licence for marked_set in SETS.values())),
    rows=rows_with_contexts,
    measure=measure_contexts,
    tasks=(SelectSentences,),
    kinds=dict.fromkeys(SETS, 200),
    kind=dataset,
    title=_title,
)


class Pair(NamedTuple):
    """A question and an answer, which is its own or another's."""

    question: str
    answer: str
    own: bool


def rows_with_answers(data: Data, *, fitting: bool = False) -> list[Record]:
    """All rows that a person answered; of sets that fit the judge those that do not, or only those.

    Args:
        data: Where the files are.
        fitting: Whether the rows that the embedded judge may be fitted on are wanted instead.
    """
    files = [(marked_set.file, marked_set.fitted) for marked_set in ANSWERED.values()]
    return rows_of_fold(data, files, lambda record: bool(_answer(record)), fitting=fitting)


def _answers_title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"{SETS[kind].title} people's answers, "


def answer_pairs(records: Sequence[Record]) -> Iterator[Pair]:
    """Each question with its answer, and with the answer to the question most like it."""
    likest = nearest([record["question"] for record in records])
    for record, nearest_index in zip(records, likest, strict=True):
        yield Pair(record["question"], _answer(record), own=True)
        if nearest_index is not None:
            yield Pair(record["question"], _answer(records[nearest_index]), own=False)


def _answer(record: Record) -> str:
    """What a person answered; "" where that is no answer, or one in part only."""
    labels = record.get("labels") or {}
    if labels.get("answerability", "ANSWERABLE") != "ANSWERABLE":
        return ""
    right_answer = record.get("ground_truth") or ""
    return str(right_answer if isinstance(right_answer, str) else right_answer[0]).strip()


def measure_answers(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Of each set: AUROC of relevance, and balanced accuracy at one half."""
    figures: list[Figure] = []
    for name in ANSWERED:
        own_records = [record for record in records if dataset(record) == name]
        if own_records:
            figures += _figures(judge, _answers_title(name), list(answer_pairs(own_records)))
    return figures


def _figures(judge: JudgeUnderTest, begins: str, pairs: Sequence[Pair]) -> list[Figure]:
    rated = judge.answers([RateAnswer(pair.question, pair.answer) for pair in pairs])
    judged = answered(pairs, rated)
    scores = np.array([rating.rated for _, rating in judged], float)
    names = (
        f"{begins}AUROC",
        f"{begins}balanced accuracy at one half",
        begins.removesuffix(", "),
    )
    texts = [(pair.question, pair.answer) for pair, _ in judged]
    return _separation(names, texts, [pair.own for pair, _ in judged], scores, scores >= PASSED)


ADDRESSED_SET = Benchmark(
    name="addressed",
    family="addressed",
    about="answers that people gave, beside answers to like questions",
    files=tuple(marked_set.file for marked_set in ANSWERED.values()),
    licence="; ".join(dict.fromkeys(marked_set.licence for marked_set in ANSWERED.values())),
    rows=rows_with_answers,
    measure=measure_answers,
    tasks=(RateAnswer,),
    kinds=dict.fromkeys(ANSWERED, 200),
    kind=dataset,
    title=_answers_title,
)
