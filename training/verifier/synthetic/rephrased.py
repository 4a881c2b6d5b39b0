"""Claims in other words than the passage's, right and wrong.

Right ones say the same or less. Wrong ones are said in other words too and then changed, or say
more than a passage that was itself made to say less; a unit may be converted wrongly.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from assay.experiments.reader_windows import Row
from training.verifier.synthetic import edits, paraphrase
from training.verifier.synthetic.changes import apply
from training.verifier.synthetic.corpus import Passage, passages

PER_PASSAGE = 5


def generate(seed: int = 0) -> Iterator[Row]:
    """Some sentences of every passage, each in one way that it allows."""
    ways = [_changed, _changed, _less, _weaker, _unit, _kind, _structure]
    for passage in passages():
        rng = random.Random(f"{seed}p{passage.text[:80]}")
        count = min(PER_PASSAGE, len(passage.sentences))
        for sentence in rng.sample(passage.sentences, count):
            for way in sorted(ways, key=lambda _: rng.random()):
                rows = list(way(passage, sentence, rng))
                yield from rows
                if rows:
                    break


def difference(shorter: str, longer: str) -> tuple[int, int] | None:
    """Where the longer text says more, if it does so in one place."""
    start = 0
    while start < len(shorter) and shorter[start].lower() == longer[start].lower():
        start += 1
    end = 0
    while end < len(shorter) - start and shorter[-1 - end] == longer[-1 - end]:
        end += 1
    if start + end < len(shorter):
        return None
    return start, len(longer) - end


def _row(
    passage: Passage, name: str, context: str, answer: str, label: str = "supported",
    spans: list[tuple[int, int]] | None = None,
) -> Row:  # fmt: skip
    marked = tuple((start, end, label) for start, end in spans or ())
    return Row(f"rephrased/{name}", passage.group, "", (context,), answer, label, marked)


def _changed(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
    """In other words, and in other words with a change."""
    claim = paraphrase.heavy(sentence, passage, rng)
    made = edits.edit(claim, passage, rng) if claim != sentence else None
    done = apply(claim, made[1]) if made else None
    if made and done:
        right = paraphrase.synonyms(claim, passage, rng, 0.9) or claim
        yield _row(passage, "changed", passage.text, right)
        yield _row(passage, "changed", passage.text, done[0], made[2], done[1])


def _less(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
    """A part left out of the claim: still right. Left out of the passage: the claim is too much."""
    short = paraphrase.less(sentence, passage, rng)
    place = difference(short, sentence) if short and len(short) < len(sentence) else None
    if not short or not place or place[0] < 12 or len(sentence[slice(*place)].split()) < 3:
        return
    right = paraphrase.synonyms(short, passage, rng, 0.7) or short
    yield _row(passage, "less", passage.text, right)
    context = passage.text.replace(sentence, short)
    claim = paraphrase.contraction(sentence, passage, rng) or sentence
    place = difference(short, claim) or place
    yield _row(
        passage,
        "less",
        context,
        claim if difference(short, claim) else sentence,
        "neutral",
        [place],
    )


def _reversed(
    way: Callable[[str, Passage, random.Random], str | None], name: str
) -> Callable[[Passage, str, random.Random], Iterator[Row]]:
    """Rows of a way that says less by other words: some for all, a musician for a guitarist."""

    def rows(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
        vaguer = way(sentence, passage, rng)
        if not vaguer:
            return
        spans = changed_words(vaguer, sentence)
        if spans is None:
            return
        yield _row(passage, name, passage.text, vaguer)
        context = passage.text.replace(sentence, vaguer)
        yield _row(passage, name, context, sentence, "neutral", [spans])

    return rows


def changed_words(old: str, new: str) -> tuple[int, int] | None:
    """Where the words of `new` differ from those of `old`, from the first to the last."""
    before, after = old.split(" "), new.split(" ")
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    first = len(" ".join(after[:start])) + (1 if start else 0)
    last = len(new) - len(" ".join(after[len(after) - end :])) - (1 if end else 0)
    return (first, last) if first < last else None


_weaker = _reversed(paraphrase.weaker, "weaker")
_kind = _reversed(paraphrase.kinds, "kind")


def _unit(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
    """Converted rightly, and wrongly."""
    right = paraphrase.converted(sentence)
    wrong = paraphrase.converted(sentence, rng.choice([0.4, 0.6, 1.5, 2.0, 2.6]))
    place = changed_words(right, wrong) if right and wrong else None
    if right and wrong and place:
        yield _row(passage, "unit", passage.text, right)
        yield _row(passage, "unit", passage.text, wrong, "refuted", [place])


def _structure(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
    """Active for passive, the time first: right, and wrong with the roles exchanged or changed."""
    for way in (paraphrase.voice, paraphrase.order, paraphrase.nationality, paraphrase.figures):
        claim = way(sentence, passage, rng)
        if not claim:
            continue
        kinds = ("role", "two_numbers", "entity", "number", "date")
        made = edits.edit(claim, passage, rng, kinds)
        done = apply(claim, made[1]) if made else None
        if made and done:
            yield _row(passage, "structure", passage.text, claim)
            yield _row(passage, "structure", passage.text, done[0], made[2], done[1])
            return
