"""Answers and summaries of several sentences, with nothing or something wrong in them.

Sentences of a passage are said another way, put together and sometimes changed. Added are what a
system says of its passages ("The passages do not mention X"), and quotes of the wrong person.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from assay.experiments.reader_windows import Row
from training.verifier.synthetic import edits, neutral, paraphrase
from training.verifier.synthetic.changes import apply, find
from training.verifier.synthetic.corpus import Passage, passages
from training.verifier.synthetic.names import kind_of, names_in

Piece = tuple[str, list[tuple[int, int, str]]]  # a sentence and its unsupported spans
_ABSENT = (
    "The {source} {do} not mention {x}.", "There is no information about {x} in the {source}.",
    "The {source} {do} not say anything about {x}.", "{X} is not mentioned in the {source}.",
    "The {source} {do} not provide any details on {x}.", "Nothing is said about {x}.",
    "The given {source} {do} not contain information on {x}.",
)  # fmt: skip
_PRESENT = (
    "The {source} {mentions} {x}.", "{X} is mentioned in the {source}.",
    "The {source} {speaks} of {x}.",
    "There is a mention of {x} in the {source}.",
)  # fmt: skip
_OPENERS = (
    "Based on the provided passages, here is what is known:", "According to the passages,",
    "Here is a summary:", "In summary,", "From the given text:", "To answer your question:",
    "Sure! Here is the answer based on the given information:",
)  # fmt: skip
_SAID = "(?:said|says|added|stated|wrote|argued|explained|noted|claimed|told)"


def generate(seed: int = 0) -> Iterator[Row]:
    """Answers about every passage that is long enough, and sentences about what it lacks."""
    known = passages()
    for place, passage in enumerate(known):
        rng = random.Random(f"{seed}a{passage.text[:80]}")
        if len(passage.sentences) >= 3:
            for _ in range(5 if len(passage.sentences) > 5 else 3):
                yield from _answer(passage, known[place - 1], rng)
        if rng.random() < 0.13:
            yield from _mentions(passage, known[(place * 7 + 3) % len(known)], rng)
        yield from _quotes(passage, rng)


def _answer(passage: Passage, other: Passage, rng: random.Random) -> Iterator[Row]:
    """An answer with zero to two bad sentences."""
    size = min(rng.randint(2, 6), len(passage.sentences))
    chosen = rng.sample(range(len(passage.sentences)), size)
    if rng.random() < 0.7:
        chosen.sort()
    bad = set(rng.sample(range(size), min(size, rng.choice([0, 0, 1, 1, 2]))))
    lost: set[int] = set()
    pieces: list[Piece] = []
    for turn, place in enumerate(chosen):
        piece = _bad(passage, place, lost, rng) if turn in bad else None
        pieces.append(piece or (paraphrase.heavy(passage.sentences[place], passage, rng), []))
    text, spans = _together(pieces, rng)
    kept = [s for i, s in enumerate(passage.sentences) if i not in lost]
    yield _row(passage, _contexts(kept, other, rng), text, spans)


def _bad(passage: Passage, place: int, lost: set[int], rng: random.Random) -> Piece | None:
    """A sentence with something wrong in it."""
    sentence = passage.sentences[place]
    way = rng.random()
    if way < 0.2 and not lost and neutral.without(passage, place):
        lost.add(place)
        claim = paraphrase.light(sentence, passage, rng)
        return claim, [(0, len(claim), "neutral")]
    if way < 0.4:
        claim = paraphrase.heavy(sentence, passage, rng)
        ways = [neutral.plain_tail, neutral.plain_tail, neutral.own_tail]
        made = rng.choice(ways)(claim, passage, rng)
        if made:
            return made[0], [(made[1], made[2], "neutral")]
    made = edits.edit(sentence, passage, rng)
    if not made:
        return None
    _, change, label = made
    claim = paraphrase.heavy(sentence, passage, rng)
    done = apply(claim, change) or apply(sentence, change)
    return (done[0], [(a, b, label) for a, b in done[1]]) if done else None


def _together(pieces: list[Piece], rng: random.Random) -> Piece:
    """One text of all pieces: running, a list, or with an opening."""
    listed = rng.random() < 0.18 and len(pieces) > 2
    text = rng.choice(_OPENERS) if rng.random() < (0.7 if listed else 0.15) else ""
    spans: list[tuple[int, int, str]] = []
    for number, (sentence, marked) in enumerate(pieces, 1):
        link = "\n" if listed else " "
        mark = rng.choice(["- ", "* ", f"{number}. "][: 2 if number > 1 else 3]) if listed else ""
        if listed:
            mark = f"{number}. " if len(pieces) % 2 else "- "
        elif text and rng.random() < 0.12:
            mark = rng.choice(["Additionally, ", "Furthermore, ", "In addition, ", "Moreover, "])
        text += (link if text else "") + mark
        spans += [(a + len(text), b + len(text), label) for a, b, label in marked]
        text += sentence
    return text, spans


def _contexts(kept: list[str], other: Passage, rng: random.Random) -> tuple[str, ...]:
    """The passage whole or in two, sometimes among another one."""
    found = [" ".join(kept)]
    if len(kept) > 5 and rng.random() < 0.4:
        found = [" ".join(kept[: len(kept) // 2]), " ".join(kept[len(kept) // 2 :])]
    if rng.random() < 0.3:
        found.insert(rng.randint(0, len(found)), other.text)
    if len(found) > 1 and rng.random() < 0.5:
        found = [f"passage {i}: {text}" for i, text in enumerate(found, 1)]
    return tuple(found)


def _row(
    passage: Passage, contexts: tuple[str, ...], text: str, spans: list[tuple[int, int, str]],
    name: str = "answers",
) -> Row:  # fmt: skip
    labels = {label for _, _, label in spans}
    order = ("refuted", "unsupported", "neutral")
    label = next((label for label in order if label in labels), "supported")
    return Row(
        name, passage.group, passage.question, contexts, text, label, tuple(sorted(spans)),
        passage.msmarco,
    )  # fmt: skip


def _mentions(passage: Passage, other: Passage, rng: random.Random) -> Iterator[Row]:
    """What the passages do not mention, rightly and wrongly; and refusals."""
    there = [n for n in names_in(passage.text) if len(n) > 3]
    text = passage.text.lower()
    absent = [
        n for n in names_in(other.text)
        if len(n) > 3 and not any(word.lower() in text for word in n.split())
    ]  # fmt: skip
    if not there or not absent:
        return
    source, do = rng.choice(
        [
            ("passages", "do"),
            ("text", "does"),
            ("passage", "does"),
            ("document", "does"),
            ("context", "does"),
        ]
    )
    verbs = {
        "mentions": "mention" if do == "do" else "mentions",
        "speaks": "speak" if do == "do" else "speaks",
    }
    for frames, right, wrong in ((_ABSENT, absent, there), (_PRESENT, there, absent)):
        for names, label in ((right, "supported"), (wrong, "refuted")):
            x = rng.choice(names)
            said = rng.choice(frames).format(source=source, do=do, x=x, X=x, **verbs)
            spans = [] if label == "supported" else [(0, len(said), label)]
            yield _row(passage, (passage.text,), said, spans, "answers/mentions")


def _quotes(passage: Passage, rng: random.Random) -> Iterator[Row]:
    """Who said it: another person of the passage is put for the one who did."""
    people = [n for n in names_in(passage.text) if kind_of(n) in {"person", "other1"}]
    for sentence in passage.sentences:
        near = [
            n for n in names_in(sentence)
            if n in people and find(sentence, n) >= 0
            and re.search(
                rf"{re.escape(n)},? {_SAID}|(?:{_SAID}|according to) {re.escape(n)}", sentence
            )
        ]  # fmt: skip
        others = [
            n for n in people if n not in sentence and near and kind_of(n) == kind_of(near[0])
        ]
        if not near or not others:
            continue
        done = apply(sentence, ((near[0], rng.choice(others)),))
        if done:
            yield _row(
                passage,
                (passage.text,),
                paraphrase.light(sentence, passage, rng),
                [],
                "answers/quotes",
            )
            yield _row(
                passage,
                (passage.text,),
                done[0],
                [(a, b, "refuted") for a, b in done[1]],
                "answers/quotes",
            )
            return
