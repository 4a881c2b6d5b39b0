"""All rows, in a fixed order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from assay.experiments.reader_windows import Asked
from training.data import read
from training.verifier.asked import contexts, made, sources
from training.verifier.asked.answers import Builder
from training.verifier.asked.lexical import Weights
from training.verifier.written import rows as written

# ... in a second round, whose dice leave the rows of the first as they are.
_UNECHOED = {"nq": 0.5, "ragtruth": 1, "expertqa": 1}

# How often each generator is asked, by data set; what it cannot make it leaves out.
_SHARES: dict[str, dict[str, float]] = {
    "nq": {
        "given": 0.62,
        "other_question": 0.42,
        "background": 0.9,
        "evasive": 0.13,
        "framed": 0.12,
        "padded": 0.13,
        "repeated": 0.07,
        "vague": 0.8,
        "wrong_kind": 0.8,
        "lists": 0.5,
        "compound": 0.1,
    },
    "ragtruth": {
        "given": 0.6,
        "other_question": 0.6,
        "background": 0.9,
        "evasive": 0.12,
        "framed": 0.1,
        "padded": 0.3,
        "lists": 0.6,
        "misled": 0.5,
        "compound": 0.1,
    },
    "expertqa": {
        "given": 1,
        "other_question": 0.9,
        "evasive": 0.3,
        "padded": 0.4,
        "lists": 1,
    },
    "hotpot": {
        "given": 0.75,
        "other_question": 0.8,
        "background": 0.7,
        "evasive": 0.2,
        "framed": 0.2,
        "padded": 0.3,
        "vague": 0.5,
        "compound": 0.1,
    },
}


def weights(items: Sequence[sources.Item]) -> Weights:
    """How rare words are in all the texts used here."""
    texts = [i.question for i in items]
    texts += [i.answers[0].text for i in items if i.answers]
    texts += [c for i in items for c in i.contexts]
    texts += [r["claim"] for r in read("claims/foolmetwice.jsonl.gz")]
    texts += [r["contexts"][0] for r in read("claims/factcheckgpt_stance.jsonl.gz")][::4]
    return Weights(texts)


def rows(seed: int = 0) -> Iterator[Asked]:
    """Every row of every generator; of rows that say the same the first."""
    seen: set[tuple[str, str, tuple[str, ...], bool]] = set()
    for row in _rows(seed):
        key = (row.group, row.question, row.texts, row.answers is None)
        if key not in seen:
            seen.add(key)
            yield row


def _rows(seed: int) -> Iterator[Asked]:
    sets: dict[str, list[sources.Item]] = {
        "nq": list(sources.natural_questions()),
        "ragtruth": list(sources.passages()),
        "expertqa": list(sources.experts()),
        "hotpot": list(sources.hotpot()),
    }
    known = weights([item for items in sets.values() for item in items])

    def fresh(name: str) -> random.Random:
        return random.Random(f"{seed} {name}")

    found = list(_contexts(sets, known, fresh))
    yield from found
    yield from contexts.unechoed(found, fresh("contexts unechoed"))
    yield from made.rows(fresh("made"))
    yield from written.asked()
    for name, items in sets.items():
        for measured in (False, True):
            side = [item for item in items if item.measured is measured]
            rng = fresh(f"{name} {measured}")
            yield from _answers(Builder(side, known, rng), _SHARES[name], rng)
            if name in _UNECHOED:
                rng = fresh(f"{name} {measured} unechoed")
                shares = {"unechoed": _UNECHOED[name]}
                yield from _answers(Builder(side, known, rng), shares, rng)


def _contexts(
    sets: dict[str, list[sources.Item]], known: Weights, fresh: Callable[[str], random.Random]
) -> Iterator[Asked]:
    yield from contexts.drawn_on(sets["ragtruth"], known, fresh("drawn_on"))
    yield from contexts.bridged(sets["hotpot"], known, fresh("bridged"))
    for make in (contexts.fooled, contexts.pages, contexts.checked, contexts.symmetric):
        yield from make(known, fresh(make.__name__))


def _answers(builder: Builder, shares: dict[str, float], rng: random.Random) -> Iterator[Asked]:
    for place in range(len(builder.items)):
        for name, share in shares.items():
            if rng.random() < share:
                make: Callable[[int], Iterator[Asked]] = getattr(builder, name)
                yield from make(place)
