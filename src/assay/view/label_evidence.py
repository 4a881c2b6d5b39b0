"""What a person who labels reads: the contexts, with the passages nearest to what is labelled."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from assay._text.sentences import spans
from assay._text.words import WORD, inverse_frequency, stem, stems, weighted_recall

_NEAR: Final = 0.3  # of its words by weight: a sentence that shares less is not near
_MOST_CLAIMS: Final = 24
_MOST_SENTENCES: Final = 1500
_LONG: Final = 1400  # characters of all contexts from which on those that say nothing are folded
_HEAD: Final = 110


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a text: "" as it is, "near" in a passage that is near, "word" a word they share."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """A context to be read.

    Attributes:
        number: From 1.
        runs: Its text in runs.
        near: Whether a passage of it is near.
        folded: Whether it is folded away behind its beginning.
        head: Its beginning.
    """

    number: int
    runs: tuple[Run, ...]
    near: bool
    folded: bool
    head: str


def laid_out(claim: str, contexts: Sequence[str], *, fold: bool = True) -> list[Context]:
    """The contexts, each sentence of a claim leading to the sentence of them that is nearest.

    It goes by the words that they share, and knows nothing of what the judge says.

    Args:
        claim: What is to be labelled.
        contexts: Whatever it may rest on.
        fold: Whether long contexts without a near passage are folded.
    """
    sentences = [(n, span) for n, text in enumerate(contexts) for span in spans(text)]
    sentences = sentences[:_MOST_SENTENCES]
    said = [frozenset(stems(contexts[n][a:b])) for n, (a, b) in sentences]
    weights = inverse_frequency(said)
    claims = [frozenset(stems(claim[a:b])) for a, b in spans(claim)[:_MOST_CLAIMS]]
    near: dict[int, set[str]] = {}
    for wanted in filter(None, claims):
        shares = [weighted_recall(wanted, found, weights) for found in said]
        best = max(range(len(shares)), key=shares.__getitem__, default=-1)
        if best >= 0 and shares[best] >= _NEAR:
            near.setdefault(best, set()).update(wanted & said[best])
    long = fold and sum(map(len, contexts)) > _LONG and bool(near)
    return [
        _context(
            n,
            text,
            {sentences[at][1]: near[at] for at in near if sentences[at][0] == n},
            long=long,
        )
        for n, text in enumerate(contexts)
    ]


def within(text: str, span: tuple[int, int] | None) -> tuple[Run, ...]:
    """A text with one part of it picked out."""
    if span is None or not 0 <= span[0] < span[1] <= len(text):
        return (Run(text),)
    start, end = span
    runs = Run(text[:start]), Run(text[start:end], "near"), Run(text[end:])
    return tuple(run for run in runs if run.text)


def _context(n: int, text: str, near: dict[tuple[int, int], set[str]], *, long: bool) -> Context:
    runs: list[Run] = []
    ends = sorted({0, len(text), *(end for span in near for end in span)})
    for a, b in pairwise(ends):
        shared = near.get((a, b))
        runs += [Run(text[a:b])] if shared is None else _passage(text[a:b], shared)
    head = " ".join(text[: 2 * _HEAD].split())
    head = head if len(head) <= _HEAD else head[:_HEAD].rsplit(" ", 1)[0] + " …"
    return Context(n + 1, tuple(runs), bool(near), long and not near and len(text) > _HEAD, head)


def _passage(text: str, shared: set[str]) -> list[Run]:
    """A passage that is near, the words that it shares picked out."""
    runs, last = [], 0
    for match in WORD.finditer(text):
        if shared.isdisjoint(stems(match[0])) and stem(match[0].lower()) not in shared:
            continue
        if match.start() > last:
            runs.append(Run(text[last : match.start()], "near"))
        runs.append(Run(match[0], "word"))
        last = match.end()
    return [*runs, *([Run(text[last:], "near")] if last < len(text) else [])]
