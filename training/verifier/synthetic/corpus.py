"""The passages that rows are made from: train-marked, permissively licensed files only.

Whatever belongs to a group kept aside is skipped here, so no generator ever sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from assay._text.sentences import sentences
from assay.bench.data import group_of, held_out
from training.data import read

# conjnli's contexts are single sentences and begin's WoW ones are lower case: both stay out.
FILES = (
    "faithfulness/summedits_dev",
    "claims/factcheckgpt_stance",
    "claims/foolmetwice",
    "claims/fever_symmetric",
    "claims/wice_claims",
    "claims/wice_nonsupported_tokens",
    "claims/halueval_qa500",
    "attribution/expertqa_claims",
)
_LONGEST = 12  # sentences of one passage
_URL = re.compile(
    r"https?:|www\.|\.com\b|[|{}<>\\@#^=\u2026\ufffd]|\[ ?\d|\.\.\.|\bI\b|^[A-Z][\w ]{0,20}:|"
    r"\b(?:[Mm]y|I'm|I've)\b"
)
_BAD_START = re.compile(r"(?:This|That|These|Those|But|And|Or|So|See|Click|Read|Photo|Image)\b")
_GLUED = re.compile(r"(?<=[a-z)])\.(?=[A-Z][a-z])")
_MARKS = "\u2013\u2014\u2018\u2019\u201c\u201d"  # dashes and curly quotation marks
_BRACKETS = (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"))


@dataclass(frozen=True)
class Passage:
    """A stretch of running text and what is known about it."""

    data: str
    group: str
    question: str
    sentences: tuple[str, ...]  # clean ones only, in order
    name: str  # what it is about: a page; "" if not known
    msmarco: bool = False

    @property
    def text(self) -> str:
        """All its sentences."""
        return " ".join(self.sentences)


@cache
def passages(*, msmarco: bool = False) -> tuple[Passage, ...]:
    """Every passage with at least two clean sentences, each once, in a fixed order."""
    files = [*FILES, "ragtruth/ragtruth_train"] if msmarco else FILES
    found: dict[str, Passage] = {}
    for file in files:
        data = file.rpartition("/")[2]
        records = list(read(f"{file}.jsonl.gz"))
        # A passage may stand beside a claim to train on and beside one kept out: then out it is.
        hidden = {c for record in records if held_out(record) for c in record["contexts"]}
        for record in records:
            if held_out(record) or hidden.issuperset(record["contexts"]):
                continue
            for passage in _passages(data, group_of(record), record):
                found.setdefault(passage.text[:120], passage)
    return tuple(found.values())


def _passages(data: str, group: str, record: dict) -> Iterator[Passage]:
    if data == "summedits_dev" and record["meta"]["domain"] in {"samsum", "qmsumm"}:
        return  # dialogue: its lines are no statements
    marco = data == "ragtruth_train" and record["meta"]["task_type"] == "QA"
    name = record.get("meta", {}).get("page", "") if data == "foolmetwice" else ""
    question = record["question"] if data in {"halueval_qa500", "expertqa_claims"} else ""
    for run in _runs(data, record):
        clean = tuple(dict.fromkeys(s for s in run if is_clean(s)))
        for start in range(0, len(clean), _LONGEST):
            piece = clean[start : start + _LONGEST]
            if len(piece) >= (1 if data == "fever_symmetric" else 2):
                yield Passage(data, group, question or "", piece, name, marco)


def _runs(data: str, record: dict) -> Iterator[list[str]]:
    """The sentences of each stretch of text of a record."""
    contexts = record["contexts"]
    if data.startswith("wice"):
        yield contexts
    elif data in {"foolmetwice", "fever_symmetric"}:
        yield [_plain(c) for c in [*contexts, *record.get("meta", {}).get("retrieved", [])]]
    else:
        for context in contexts:
            yield sentences(_GLUED.sub(". ", " ".join(_plain(context).split())))


def _plain(text: str) -> str:
    """Without the marks of a tokenised text: "-LRB- 1916 -- 1999 -RRB- ." -> "(1916-1999)."."""
    if "-LRB-" in text or text.endswith(" ."):
        for mark, char in _BRACKETS:
            text = text.replace(mark, char)
        text = re.sub(r"\(\s+", "(", re.sub(r"\s+([.,;:)%])", r"\1", text))
        text = re.sub(r" ('s|n't|')(?=\s)", r"\1", text)
        text = re.sub(r"``\s*|\s*''", '"', text)
    return text


def is_clean(sentence: str) -> bool:
    """Whether a sentence is one: not a heading, a menu, a caption or a broken piece."""
    words = sentence.split()
    if not 6 <= len(words) <= 45 or sentence[-1] != "." or not sentence[0].isupper():
        return False
    if _URL.search(sentence) or _BAD_START.match(sentence) or sentence.count('"') % 2:
        return False
    if sentence.count("(") != sentence.count(")") or "?" in sentence or "!" in sentence:
        return False
    if not sentence.isascii() and sum(ord(c) > 0x24F and c not in _MARKS for c in sentence):
        return False
    lower = sum(word.islower() for word in words)
    return lower >= len(words) * 0.5 and len({w.lower() for w in words}) > len(words) * 0.6
