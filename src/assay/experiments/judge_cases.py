"""Labelled cases for a judge of a domain: people's, and synthetic ones of the user's documents."""

import math
import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from assay._text import entities, misspelt, numbers
from assay._text.sentences import sentences
from assay._text.statements import statements
from assay._text.words import recall, stems
from assay.data.columns import recognised
from assay.data.files import file_records, located
from assay.data.labels import number as judgement
from assay.data.values import FieldError, describe
from assay.errors import InputError, Problem
from assay.experiments.adaptation import read_questions
from assay.experiments.reader_windows import Asked, Example, Row, examples, questioned
from assay.judges.cascade import is_store, read_labels
from assay.testset.documents import read_documents
from assay.testset.drafts import Drafts
from assay.testset.passages import Corpus, cut
from assay.testset.sources import PASSAGE, passages_asked, sources_of

PAIRS = [pair.split("/") for pair in entities._OPPOSITES]  # noqa: SLF001
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_BE = re.compile(r"\b(is|was|are|were|can|will|has|have|should|could|would|may)\b(?! not|n't)")


def swapped(good: list[Row]) -> Iterator[Row]:
    """Of supported statements those where a swap was possible, each followed by its twin."""
    foreign = [name for row in good for name in entities.names(row.answer) if len(name) > 3]
    for row in good:
        seed = zlib.crc32(row.answer.encode())
        changes = [number, name, opposite, denial]
        for turn in range(len(changes)):
            changed = changes[(seed + turn) % len(changes)](row, seed, foreign)
            if changed and changed != row.answer:
                yield replace(row, data="swapped", label="supported", spans=())
                yield replace(row, data="swapped", answer=changed, label="unsupported", spans=None)
                break


def number(row: Row, seed: int, _foreign: list[str]) -> str:
    """Another number: of the contexts, or a little more or less."""
    stated = list(numbers.numbers(row.answer).items())
    if not stated:
        return ""
    plain, number_text = stated[seed % len(stated)]
    if not _PLAIN_NUMBER.fullmatch(plain):  # a time, a version
        return ""
    other_numbers = [w for p, w in numbers.numbers("\n".join(row.contexts)).items() if p != plain]
    new = f"{float(plain) + 1 + seed % 7:g}"
    if other_numbers and seed % 2:
        new = other_numbers[seed % len(other_numbers)]
    return row.answer.replace(number_text, new, 1)


def name(row: Row, seed: int, foreign: list[str]) -> str:
    """A name of another source."""
    stated = entities.names(row.answer)
    if not stated or not foreign:
        return ""
    context = "\n".join(row.contexts)
    other_names = [n for n in foreign[seed % len(foreign) :][:20] if n not in context]
    if not other_names:
        return ""
    return row.answer.replace(stated[seed % len(stated)], other_names[0], 1)


def opposite(row: Row, _seed: int, _foreign: list[str]) -> str:
    """The other word of a pair of opposites."""
    for word, opposite_word in PAIRS:
        for old, new in ((word, opposite_word), (opposite_word, word)):
            changed = re.sub(rf"\b{old}(s|d|ed|r|er|est)?\b", rf"{new}\1", row.answer, count=1)
            if changed != row.answer:
                return changed
    return ""


def denial(row: Row, _seed: int, _foreign: list[str]) -> str:
    """The first auxiliary verb denied."""
    if entities.is_negated(row.answer):
        return ""
    return _BE.sub(r"\1 not", row.answer, count=1)


Kind: TypeAlias = Literal["faithfulness", "context_relevance", "answer_relevance"]
KINDS: Final[tuple[Kind, ...]] = ("faithfulness", "context_relevance", "answer_relevance")
_STATEMENTS: Final = 4  # of a passage, that swaps and other passages are tried on
_WORDS: Final = 5  # stems of a statement, at least
_SAID: Final = 0.75  # of a statement's stems; a passage that holds more may support it
_FEW_DOCUMENTS: Final = 10  # of fewer, passages are held out instead
_LABELS: Final[dict[str, Kind]] = {
    "supported": "faithfulness",
    "context_relevant": "context_relevance",
    "answer_relevant": "answer_relevance",
}
_EXAMPLE: Final = '{"statement": "...", "contexts": ["..."], "supported": true}'


@dataclass(frozen=True)
class Case:
    """What a judge is asked, and what it should say.

    Attributes:
        kind: What is asked.
        group: What belongs together when cases are held out: the source.
        question: The question; "" of a statement that has none.
        contexts: The contexts; () beside an answer that is to be relevant.
        text: The statement or the answer; of a relevant context the evidence in it, if known.
        good: What it should say.
        maker: The rule that made it; "people" if nobody else did.
    """

    kind: Kind
    group: str
    question: str
    contexts: tuple[str, ...]
    text: str
    good: bool
    maker: str = "people"


class _Labelled(msgspec.Struct):
    contexts: list[str] | str = []
    question: str = ""
    statement: str = ""
    answer: str = ""
    supported: bool | None = None
    context_relevant: bool | None = None
    answer_relevant: bool | None = None
    source: str = ""
    id: str | int = ""


def labelled(path: str | Path) -> list[Case]:
    """The cases that people labelled.

    Args:
        path: A store in which statements were labelled (`assay label`), or a file. Each row of a
            file has `supported` (beside `statement` and `contexts`), `context_relevant` (beside
            `question` and `contexts`) or `answer_relevant` (beside `question` and `answer`), or
            several of them, and may name its `source`.

    Raises:
        InputError: If a row is none of these, or there are none.
    """
    if is_store(Path(path)):
        return [
            Case(
                "faithfulness",
                "\n".join(task.contexts),
                "",
                task.contexts,
                statement.text,
                labels[statement.id],
            )
            for task, labels in read_labels(str(path))
            for statement in task.statements
        ]
    problems: list[Problem] = []
    cases: list[Case] = []
    unknown: set[str] = set()
    for record in file_records(located(path))():
        if record.problem:
            problems.append(record.problem)
            continue
        values = record.values or {}
        new = [name for name in values if name not in _COLUMNS and name not in unknown]
        problems += [_unknown(name, record.number) for name in new]
        unknown.update(new)
        try:
            cases += _cases(_row(values, record.number))
        except InputError as error:
            problems += error.problems
        except (msgspec.ValidationError, ValueError) as error:
            if not unknown:  # under whose names what is missing may stand
                problems.append(Problem(f"{path}: {error}", _EXAMPLE, row=record.number))
    if problems or not cases:
        raise InputError(problems or f"no labels in '{path}'")
    return cases


_COLUMNS: Final = _Labelled.__struct_fields__
# What other data sets call a statement, and a label.
_OTHER_NAMES: Final = {"claim": "statement", "label": "supported", "text": "statement"}


def _unknown(name: str, row: int) -> Problem:
    """A column that is none of those that are read: a label under it would be lost."""
    field = _OTHER_NAMES.get(misspelt.normal(name)) or recognised([name]).get(name, name)
    names = misspelt.near(field, _COLUMNS)
    hint = f"call it '{names[0]}' if it is that, else leave it out" if names else "leave it out"
    remedy = f"{hint}; columns are {', '.join(_COLUMNS)}"
    return Problem("is an unknown column, here and in what follows", remedy, row=row, field=name)


def _row(values: Mapping[str, Any], number: int) -> _Labelled:
    present = {name: value for name, value in values.items() if value is not None}
    for label in [name for name in _LABELS if name in present]:
        value = present.pop(label)
        try:
            judged = judgement(value, {})
        except FieldError:
            judged = (False, math.nan)
        if judged is None:  # left open
            continue
        if judged not in ((False, 0.0), (False, 1.0)):
            fault = f"is {describe(value)}, but must be yes or no"
            raise InputError([Problem(fault, "write true or false", row=number, field=label)])
        present[label] = bool(judged[1])
    return msgspec.convert(present, _Labelled, strict=False)


def _cases(row: _Labelled) -> list[Case]:
    contexts = (row.contexts,) if isinstance(row.contexts, str) else tuple(row.contexts)
    claim = row.statement or row.answer
    needs: dict[str, tuple[object, object]] = {
        "supported": (claim, contexts),
        "context_relevant": (row.question, contexts),
        "answer_relevant": (row.question, row.answer),
    }
    cases = []
    for label, kind in _LABELS.items():
        good = getattr(row, label)
        if good is None:
            continue
        if not all(needs[label]):
            needed_fields = {
                "supported": "a statement and contexts",
                "context_relevant": "contexts",
            }
            missing = needed_fields.get(label, "an answer")
            raise ValueError(f"'{label}' needs {missing}, and a question where one is asked")
        group = row.source or "\n".join(contexts) or row.question
        own_contexts = () if kind == "answer_relevance" else contexts
        text = "" if kind == "context_relevance" else claim
        cases.append(Case(kind, group, row.question, own_contexts, text, good))
    if not cases:
        raise ValueError(f"a row has none of the labels {', '.join(_LABELS)}")
    return cases


def synthetic(corpus: Any, questions: Any = None, *, seed: int = 0, limit: int = 600) -> list[Case]:
    """Right and wrong statements, contexts and answers, made by rule of a corpus.

    Statements of a passage are right beside it, and wrong with a number, name or word exchanged, or
    denied, and beside the passage that is most like it. A question's passage and answer are right;
    the passage most like it and the answer to another question are wrong.

    Args:
        corpus: As for `read_documents`.
        questions: A data set with references, as `assay testset` writes it, better with a language
            model; None: those that its rules make.
        seed: Chooses the passages.
        limit: Passages and questions, at most.

    Raises:
        InputError: If anything cannot be read, or there is too little text.

    Source:
        Saad-Falcon et al. 2024, ARES (NAACL 2024), section 3.1; the rules are assay's.
    """
    passages = [
        passage for document in read_documents(corpus) for passage in cut(document, PASSAGE)
    ]
    if len(passages) < 4:
        fault = f"the corpus has {len(passages)} passages of text: too few to learn from"
        raise InputError(fault, "give more documents")
    searchable = Corpus(passages)
    few_documents = len({passage.document for passage in passages}) < _FEW_DOCUMENTS
    groups = [passage.id if few_documents else passage.document for passage in passages]
    order = searchable.evenly(seed)
    numbers = [next(order) for _ in range(min(limit, len(passages)))]
    drafts = (
        _drafted(searchable, seed) if questions is None else _given_questions(questions, searchable)
    )
    random.Random(seed).shuffle(drafts)  # noqa: S311 - no secret
    cases = [
        case for number in numbers for case in _statement_cases(searchable, number, groups[number])
    ]
    cases += _exchange_answers([case for case in cases if case.good])
    return [*cases, *_of_questions(drafts[:limit], searchable, groups)]


def _statement_cases(corpus: Corpus, number: int, group: str) -> Iterator[Case]:
    """Statements beside their passage, and beside the one that is most like it."""
    text = corpus.passages[number].text
    sentences = [
        statement.text
        for statement in statements(text)
        if len(set(stems(statement.text))) >= _WORDS
    ]
    random.Random(text).shuffle(sentences)  # noqa: S311 - no secret
    for n, statement in enumerate(sentences[:_STATEMENTS]):
        yield Case("faithfulness", group, "", (text,), statement, good=True, maker="stated")
        nearest = corpus.nearest(statement, 1, [number]) if n % 2 else []
        other_text = corpus.passages[nearest[0]].text if nearest else ""
        if other_text and recall(stems(statement), stems(other_text)) < _SAID:
            yield Case(
                "faithfulness", group, "", (other_text,), statement, good=False, maker="elsewhere"
            )


def _exchange_answers(good: Sequence[Case]) -> Iterator[Case]:
    rows = [Row("", case.group, "", case.contexts, case.text, "supported", ()) for case in good]
    for row in swapped(rows):
        if row.label != "supported":
            texts = (row.contexts, row.answer)
            yield Case("faithfulness", row.group, "", *texts, good=False, maker="exchanged")


# A question, its answer, the evidence for it, and the passage with that.
_Question: TypeAlias = tuple[str, str, str, int]


def _drafted(corpus: Corpus, seed: int) -> list[_Question]:
    drafts = Drafts(corpus, seed)
    return [
        (draft.fact.question, draft.fact.answer, draft.quotes[0], draft.passages[0])
        for draft in drafts.of("single_hop")
        if draft.fact.answer and draft.quotes and not drafts.fault("single_hop", draft)
    ]


def _given_questions(questions: Any, corpus: Corpus) -> list[_Question]:
    rows = [row for row in read_questions(questions) if row.question and row.reference]
    numbers = passages_asked(rows, sources_of(rows, corpus), corpus)
    answered = [
        (row.question or "", row.reference or "", row.reference or "", min(numbers[row.id]))
        for row in rows
        if row.id in numbers
    ]
    if not answered:
        fault = "no question has a reference that is found in the corpus"
        raise InputError(fault, "give questions with `reference`, as assay testset writes them")
    return answered


def _of_questions(
    questions: Sequence[_Question], corpus: Corpus, groups: Sequence[str]
) -> Iterator[Case]:
    for n, (question, answer, evidence, number) in enumerate(questions):
        group, text = groups[number], corpus.passages[number].text
        base = Case(
            "context_relevance", group, question, (text,), evidence, good=True, maker="asked"
        )
        yield base
        for nearest in corpus.nearest(question, 3, [number]):
            other_text = corpus.passages[nearest].text
            if recall(stems(answer), stems(other_text)) < _SAID:
                yield replace(base, contexts=(other_text,), text="", good=False)
                break
        answered = replace(base, kind="answer_relevance", contexts=(), text=answer)
        yield answered
        supported = replace(base, kind="faithfulness", text=f"{question} {answer}")
        yield supported
        other_answers = (entry[1] for entry in (*questions[n + 1 :], *questions[:n]))
        wrong = next(
            (
                other_answer
                for other_answer in other_answers
                if other_answer.lower() not in text.lower()
            ),
            "",
        )
        if wrong:
            yield replace(answered, text=wrong, good=False)
            yield replace(supported, text=f"{question} {wrong}", good=False)


def windows(cases: Sequence[Case]) -> list[Example]:
    """What the network learns of cases."""
    rows = [
        Row(
            data=f"adapted/{case.maker}",
            group=case.group,
            question="",
            contexts=case.contexts,
            answer=case.text,
            label="supported" if case.good else "unsupported",
            spans=() if case.good else None,
        )
        for case in cases
        if case.kind == "faithfulness"
    ]
    cases_of_questions = [_as_asked(case) for case in cases if case.kind != "faithfulness"]
    return [*examples(rows), *questioned(cases_of_questions)]


def _as_asked(case: Case) -> Asked:
    data = f"adapted/{case.kind}"
    if case.kind == "answer_relevance":
        texts = tuple(sentences(case.text)) or (case.text,)
        unknown = (None,) * len(texts)
        return Asked(data, case.group, case.question, texts, unknown, float(case.good))
    texts = tuple(sentences("\n\n".join(case.contexts)))
    question_stems = set(stems(case.text))
    shares = [recall(question_stems, stems(text)) for text in texts]
    # Of a right passage it is known that the sentence with the answer helps, not what else does.
    best = max(shares, default=0.0)
    helps = tuple((1.0 if share == best else None) if case.good else 0.0 for share in shares)
    return Asked(data, case.group, case.question, texts, helps, None)
