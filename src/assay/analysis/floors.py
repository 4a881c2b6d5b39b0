"""What do trivial rules say of the same items? A metric that does not beat them proves nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assay.analysis.labelled import Item
from assay.sample import Sample
from assay.stats.weighted import Floats
from assay.text import words
from assay.text.words import content_words


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that needs no judge.

    Attributes:
        name: What it goes by.
        says: How good a text is by it, given its sample; None where the rule says nothing.
    """

    name: str
    says: Callable[[str, Sample], float | None]


def _in_contexts(text: str, sample: Sample) -> float | None:
    if sample.contexts is None:
        return None
    return words.recall(content_words(text), content_words(" ".join(sample.contexts)))


def _like_reference(text: str, sample: Sample) -> float | None:
    if sample.reference is None:
        return None
    return words.compare(text, sample.reference).f1


def _like_question(text: str, sample: Sample) -> float | None:
    if sample.question is None:
        return None
    return words.recall(content_words(sample.question), content_words(text))


RULES: Final = (
    Rule("words from contexts", _in_contexts),
    Rule("words of reference", _like_reference),
    Rule("words of question", _like_question),
    Rule("longer", lambda text, _: float(len(text))),
    Rule("shorter", lambda text, _: -float(len(text))),
)


def floors(items: Sequence[Item]) -> dict[str, Floats]:
    """Rule -> what it says of each item, shape (items,), the higher the better.

    Of a pair it is the difference of the two answers. A rule that lacks a field of some item is
    left out.
    """
    found = {}
    for rule in RULES:
        said = [_of(rule, item) for item in items]
        known = [value for value in said if value is not None]
        if len(known) == len(said):
            found[rule.name] = np.array(known, dtype=np.float64)
    return found


def _of(rule: Rule, item: Item) -> float | None:
    text = item.part.text if item.part is not None else item.sample.answer
    if text is None:
        return None
    first = rule.says(text, item.sample)
    if item.rival is None or first is None:
        return first
    second = rule.says(item.rival.answer or "", item.rival)
    return None if second is None else first - second
