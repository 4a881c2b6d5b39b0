"""The questions of the shared data with what systems answered to them.

Only files marked train whose licence allows a model that ships.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay._text import refusals
from assay._text import sentences as cut
from assay.bench.data import HELD_OUT, fold_of, group_of
from training.data import read

LONGEST = 170  # words of an answer


@dataclass(frozen=True)
class Answer:
    """One system's answer."""

    text: str
    parts: tuple[str, ...]  # its sentences
    sound: tuple[bool, ...]  # which of them are supported
    system: str
    correct: bool | None
    declines: str  # "no", "partly" or "yes"
    listed: tuple[bool, ...]  # which of the sentences begin a list item
    value: float | None = None  # a person's rating as a value in 0..1
    helps: tuple[float | None, ...] = ()  # people's ratings of the sentences

    @property
    def size(self) -> int:
        """Its words."""
        return len(self.text.split())


@dataclass(frozen=True)
class Item:
    """A question and all that belongs to it."""

    data: str
    group: str
    question: str
    answers: tuple[Answer, ...]
    contexts: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    msmarco: bool = False

    @property
    def measured(self) -> bool:
        """Whether it is kept out of training; texts of both sides are never mixed."""
        return fold_of(self.group) == HELD_OUT


_MARKS = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?=[\s.,;]|$)|\[\d{1,2}\]|\*\*")
_NOTES = re.compile(r"(?<=[a-z”\")])\d{1,3}(?=\.(?:\s|$)|$)|\s+(?=\.(?:\s|$))")
_DECLINES = re.compile(
    r"\bunable to answer\b|\bI(?:'|\u2019)?m sorry,? but\b|\bas an? (?:ai|language)"
    r"|\bcould(?:n't|n\u2019t| not) find\b"
    r"|\bno (?:specific |official )?(?:information|announcement)\b|\bI (?:do not|don't) have\b"
    r"|\bno answer\b|\bcannot (?:answer|provide|determine)\b",
    re.IGNORECASE,
)


def declines(parts: tuple[str, ...]) -> str:
    """Whether an answer declines: "yes", "partly" (with something else) or "no"."""
    found = [bool(refusals.refusal(part) or _DECLINES.search(part)) for part in parts]
    if not any(found):
        return "no"
    return (
        "yes" if (all(found) or (found[0] and len(found) <= 2)) and not _turn(parts) else "partly"
    )


def _turn(parts: tuple[str, ...]) -> bool:
    return any(
        re.search(r"\b(?:however|but|generally|typically)\b", p, re.IGNORECASE) for p in parts
    )


def answer(
    text: str, system: str, *, correct: bool | None = None, bad: Sequence[tuple[int, int]] = ()
) -> Answer:
    """An answer with its sentences, of which those that meet a bad span are not sound."""
    clean = _MARKS.sub(lambda m: "" if "\n" not in m.group() else "\n", text)
    spans = cut.spans(clean)
    markers = {block.start for block in cut.blocks(clean) if block.marker}
    whole = clean == text
    parts = tuple(" ".join(clean[s:e].split()) for s, e in spans)
    sound = tuple(not whole or not any(s < f and b < e for b, f in bad) for s, e in spans)
    return Answer(
        text=" ".join(parts),
        parts=parts,
        sound=sound,
        system=system,
        correct=correct,
        declines=declines(parts),
        listed=tuple(s in markers for s, _ in spans),
    )


def natural_questions() -> Iterator[Item]:
    """Questions of Natural Questions with the answers of five systems (EVOUNA)."""
    by_question: dict[str, list[dict]] = defaultdict(list)
    for record in read("correctness/evouna_nq.jsonl.gz"):
        if record["answer"] and re.search(r"\w", record["answer"]):
            by_question[record["question"]].append(record)
    for question, records in by_question.items():
        given = tuple(
            answer(
                _NOTES.sub("", re.sub(r"^[?\s:.,]+(?=\S)", "", r["answer"])),
                r["meta"]["system"],
                correct=r["labels"]["correct"],
            )
            for r in records
        )
        truths = tuple(re.sub(r"\s+", " ", t).strip() for t in records[0]["ground_truth"])
        yield Item("nq", group_of(records[0]), question, given, truths=truths)


def passages() -> Iterator[Item]:
    """Questions of RAGTruth with three passages and the answers of up to six systems."""
    by_source: dict[str, list[dict]] = defaultdict(list)
    for record in read("ragtruth/ragtruth_train.jsonl.gz"):
        if record["meta"]["task_type"] == "QA":
            by_source[group_of(record)].append(record)
    for group, records in by_source.items():
        given = tuple(
            answer(
                r["answer"],
                r["meta"]["model"],
                bad=[(s["start"], s["end"]) for s in r["labels"]["spans"]],
            )
            for r in records
        )
        first = records[0]
        contexts = tuple(dict.fromkeys(first["contexts"]))
        yield Item("ragtruth", group, first["question"], given, contexts, msmarco=True)


_INFORMS = {"Very relevant": 1.0, "Uninformative": 0.0}
_USEFUL = {"Useful": 1.0, "Partially useful": 0.75}


def experts() -> Iterator[Item]:
    """Experts' questions, each with one answer whose statements they rated."""
    tested = {
        (record["question"] or "").strip().lower()
        for record in read("attribution/attributionbench_test500.jsonl.gz")
    }
    by_question: dict[str, list[dict]] = defaultdict(list)
    for record in read("attribution/expertqa_claims.jsonl.gz"):
        if record["question"].strip().lower() not in tested:
            by_question[record["question"]].append(record)
    for question, records in by_question.items():
        given = answer(records[0]["answer"], records[0]["meta"]["system"])
        rated = {" ".join(_MARKS.sub("", r["claim"]).split())[:60]: r["labels"] for r in records}
        helps = tuple(
            _INFORMS.get(rated[part[:60]]["informativeness"]) if part[:60] in rated else None
            for part in given.parts
        )
        given = Answer(
            **{
                **given.__dict__,
                "value": _USEFUL.get(records[0]["meta"]["usefulness"]),
                "helps": helps,
            }
        )
        groups = sorted({group_of(r) for r in records})
        group = min(groups, key=lambda g: (fold_of(g) != HELD_OUT, g))
        yield Item("expertqa", group, question.strip(), (given,))


def hotpot() -> Iterator[Item]:
    """Questions of HotpotQA with two facts, right and machine-made wrong answers (HaluEval)."""
    by_question: dict[str, list[dict]] = defaultdict(list)
    for record in read("claims/halueval_qa500.jsonl.gz"):
        by_question[record["question"]].append(record)
    for question, records in by_question.items():
        given = tuple(
            answer(r["answer"], r["id"].rpartition("-")[2], correct=r["labels"]["supported"])
            for r in records
        )
        first = records[0]
        truths = (first["ground_truth"],)
        # Two paragraphs stand in one string without a blank between them.
        contexts = tuple(
            " ".join(re.sub(r"(?<=[a-z0-9)\]\"”])\.(?=[A-Z][a-z])", ". ", c).split())
            for c in first["contexts"]
        )
        yield Item("hotpot", group_of(first), question.strip(), given, contexts, truths)
