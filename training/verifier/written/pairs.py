"""Minimal pairs: statements about one context that differ in little and of which one is false.

`pairs/*.txt` holds them, block by block, in the form that README.md describes.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Asked, Row
from training.verifier.written.statement import NAMED, Statement

TEXTS = Path(__file__).parent / "pairs"
LABELS = {"+": "supported", "-": "refuted", "?": "neutral"}
GUESTS = (0, 0, 0, 1, 1, 2)  # contexts of other blocks beside its own
SHORT = 8  # words of an answer that says something only beside its question
_TWIN = 0.6  # how alike two statements are of which one shows what is wrong with the other
# What is known of an answer beside a question, by its sign.
_REFUSED = {"!": 1.0, "~": None, "+": 0.0}
_ANSWERS = {"!": 1.0, "~": 0.5, "-": 0.0}
# Blocks of several passages of one source: sets of their own, which need no strange ones.
PASSAGES = "passages"
STATED = ("pairs", "pairs/said", "pairs/reference", PASSAGES, f"{PASSAGES}/said")


@dataclass
class Block:
    """One situation: contexts, a question and what is said about them.

    Attributes:
        lines: What is said, each with its sign and, in answers, the number of its answer.
    """

    kinds: tuple[str, ...]
    domain: str = ""
    language: str = "en"
    contexts: list[str] = field(default_factory=list)
    question: str = ""
    reference: str = ""
    lines: list[tuple[str, str, int]] = field(default_factory=list)

    @property
    def group(self) -> str:
        """What it is kept aside with."""
        return (self.contexts[0] if self.contexts else self.question)[:NAMED]


@cache
def blocks() -> tuple[Block, ...]:
    """All of them, in the order of the files."""
    return tuple(block for path in sorted(TEXTS.glob("*.txt")) for block in read(path))


def read(path: Path) -> list[Block]:
    """The blocks of a file."""
    return [_read(text) for text in path.read_text("utf-8").split("\n\n") if text.strip()]


def _read(text: str) -> Block:
    block = Block(kinds=())
    answer = 0
    for line in filter(None, map(str.strip, text.split("\n"))):
        sign, said = line[:2].strip(), line[2:].strip()
        match sign:
            case "K:":
                block.kinds = tuple(kind.strip() for kind in said.split(","))
            case "D:":
                block.domain = said
            case "#":
                block.language = said
            case "C:":
                block.contexts.append(said.replace("\\n", "\n"))
            case "Q:":
                block.question = said
            case "R:":
                block.reference = said
            case "A:":
                answer += 1
            case _:
                block.lines.append((sign, said, answer))
    return block


def rows(seed: int = 0) -> Iterator[Row]:
    """What is said in every block: no statement sees the others, so they share a window."""
    rng = random.Random(f"{seed} pairs")
    for block in blocks():
        if "correctness" in block.kinds:
            yield from _against_reference(block)
        elif "answer" in block.kinds:
            yield from _answers(block, rng)
        elif not {"refusals", "relevance"} & set(block.kinds):
            yield from _statements(block, rng)


def _statements(block: Block, rng: random.Random) -> Iterator[Row]:
    """One row with all that is said; of a compound sentence the whole and its claims."""
    said: list[Statement] = []
    whole, claims = "", list[str]()
    right = [text for sign, text, _ in block.lines if sign == "+"]
    for sign, text, _ in [*block.lines, ("=", "", 0)]:
        if sign in LABELS:
            label = LABELS[sign]
            said.append(Statement(text, label, wrong_words(text, right) if sign != "+" else ""))
            claims.append(label)
        elif sign == "!" and said:
            said.append(Statement(text, said[-1].label, ""))
        elif sign == "=":
            if whole and claims:
                said.append(Statement(whole, _worst(claims), ""))
            whole, claims = text, []
    if block.question:
        said = [
            Statement(f"{block.question.rstrip('?')}? {one.text}", one.label, "") for one in said
        ]
    rng.shuffle(said)
    yield _together("pairs", block, said, rng)


def _worst(labels: list[str]) -> str:
    return next((label for label in ("refuted", "neutral") if label in labels), "supported")


def _together(data: str, block: Block, said: list[Statement], rng: random.Random) -> Row:
    if PASSAGES in block.kinds:
        data = data.replace("pairs", PASSAGES)
    text, spans, cuts = "", list[tuple[int, int, str]](), list[tuple[int, int, str, bool]]()
    for one in said:
        start = len(text) + bool(text)
        text = f"{text}\n{one.text}".strip()
        cuts.append((start, len(text), one.label, bool(one.wrong) or one.label == "supported"))
        if one.wrong:
            place = start + one.text.index(one.wrong)
            spans.append((place, place + len(one.wrong), one.label))
    contexts = _contexts(block, rng)
    return Row(data, block.group, "", contexts, text, None, tuple(spans), cuts=tuple(cuts))


def _answers(block: Block, rng: random.Random) -> Iterator[Row]:
    """Whole answers, whose lead-ins and offers claim nothing and are left out."""
    for number in sorted({number for _, _, number in block.lines}):
        said = [
            Statement(text, LABELS[sign], "")
            for sign, text, mine in block.lines
            if mine == number and sign in LABELS
        ]
        if said:
            yield _together("pairs/said", block, said, rng)


def _against_reference(block: Block) -> Iterator[Row]:
    """The reference beside each answer, and short answers beside the reference."""
    question = f"{block.question.rstrip('?')}?"
    expected = f"{question} {block.reference}"
    for sign, answer, _ in block.lines:
        if sign not in "+-":
            continue
        label = "supported" if sign == "+" else "unsupported"
        short = len(answer.split()) <= SHORT
        said = f"{question} {answer}" if short else answer
        yield _referred(block, said, expected, label)
        if short:
            yield _referred(block, expected, said, label)


def _referred(block: Block, context: str, text: str, label: str) -> Row:
    spans = () if label == "supported" else None
    return Row("pairs/reference", block.group, block.question, (context,), text, label, spans)


def _contexts(block: Block, rng: random.Random) -> tuple[str, ...]:
    """Its own and up to two of other blocks, in any order."""
    found = list(block.contexts)
    others = blocks()
    for _ in range(0 if PASSAGES in block.kinds else rng.choice(GUESTS)):
        other = rng.choice(others)
        strange = other.contexts and other.domain != block.domain
        if strange and (fold_of(other.group) == HELD_OUT) == (fold_of(block.group) == HELD_OUT):
            found.append(other.contexts[0])
    rng.shuffle(found)
    return tuple(found)


def wrong_words(text: str, right: list[str]) -> str:
    """The shortest stretch of a false statement that its nearest true twin does not have."""
    words = text.split()
    best, ratio = None, _TWIN
    for other in right:
        match = difflib.SequenceMatcher(None, words, other.split(), autojunk=False)
        if match.ratio() > ratio:
            best, ratio = match, match.ratio()
    if best is None:
        return ""
    changed = [(a, b) for tag, a, b, _, _ in best.get_opcodes() if tag != "equal" and b > a]
    if not changed:
        return ""
    stretch = " ".join(words[changed[0][0] : changed[-1][1]])
    return stretch if stretch in text else ""


def asked() -> Iterator[Asked]:
    """Sentences that help to answer a question, answers that do, and answers that refuse to."""
    for block in blocks():
        if "relevance" not in block.kinds:
            continue
        own = [(sign, text) for sign, text, number in block.lines if number == 0]
        if own:
            helps = tuple(float(sign == "+") for sign, _ in own)
            texts = tuple(text for _, text in own)
            yield Asked("pairs/sentences", block.group, block.question, texts, helps, None)
        for sign, text, number in block.lines:
            if number and sign in _ANSWERS:
                yield Asked(
                    "pairs/replies", block.group, block.question, (text,), (None,), _ANSWERS[sign]
                )


def refusals() -> Iterator[tuple[Block, str, float]]:
    """(block, answer, 1 where it refuses and 0 where it answers)."""
    for block in blocks():
        if "refusals" in block.kinds:
            for sign, text, _ in block.lines:
                known = _REFUSED.get(sign)
                if known is not None:
                    yield block, text, known
