"""Trivial rules beside a judge: one that does not beat them proves nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from assay._text.words import WORD, content_words
from assay.stats.intervals import Floats

# From a text and its contexts: the higher, the less likely it is supported.
Rule: TypeAlias = Callable[[str, Sequence[str]], float]


def share_of_new_words(text: str, contexts: Sequence[str]) -> float:
    """Share of the text's content words that stand nowhere in the contexts."""
    content, in_contexts = content_words(text), set(content_words(" ".join(contexts)))
    return sum(word not in in_contexts for word in content) / max(1, len(content))


def count_of_new_words(text: str, contexts: Sequence[str]) -> float:
    """How many of the text's content words stand nowhere in the contexts."""
    known = set(content_words(" ".join(contexts)))
    return float(sum(word not in known for word in content_words(text)))


def length(text: str, contexts: Sequence[str]) -> float:  # noqa: ARG001 - a rule
    """The longer, the likelier something in it is unsupported."""
    return float(len(text))


UNSUPPORTED: Mapping[str, Rule] = {
    "share of new words": share_of_new_words,
    "count of new words": count_of_new_words,
    "longer text": length,
}


def unsupported(pairs: Iterable[tuple[str, Sequence[str]]]) -> dict[str, Floats]:
    """What each rule says of each (text, contexts)."""
    texts = list(pairs)
    return {name: np.array([rule(*pair) for pair in texts]) for name, rule in UNSUPPORTED.items()}


def shared_words(wanted: str, text: str) -> float:
    """Share of the content words of one text that stand in another."""
    return 1 - share_of_new_words(wanted, [text])


def token_f1(answer: str, reference: str) -> float:
    """F1 of the answer's words against the reference's, as SQuAD counts."""
    mine, theirs = content_words(answer), content_words(reference)
    left = list(theirs)
    hits = 0
    for word in mine:
        if word in left:
            left.remove(word)
            hits += 1
    return 2 * hits / max(1, len(mine) + len(theirs))


def new_characters(text: str, contexts: Sequence[str]) -> "np.typing.NDArray[np.bool_]":
    """Which characters belong to content words that stand nowhere in the contexts?"""
    known = set(content_words(" ".join(contexts)))
    marked = np.zeros(len(text), bool)
    for word in WORD.finditer(text):
        if any(found not in known for found in content_words(word[0])):
            marked[word.start() : word.end()] = True
    return marked
