"""Overlap of two texts: shared words, token F1, and alignment of characters."""

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from typing import NamedTuple, TypeAlias

from assay.text.sentences import Span

_PLACES = 2**32


def recall(wanted: Collection[str], found: Collection[str]) -> float:
    """Share of the distinct wanted stems that were found."""
    distinct = set(wanted)
    if not distinct:
        return 1.0
    return len(distinct.intersection(found)) / len(distinct)


class Weights(dict[str, float]):
    """What stems weigh; one that is not among them as much as the heaviest."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__(weights)
        self.most = max(weights.values(), default=1.0)

    def __missing__(self, stem: str) -> float:
        """The greatest weight."""
        return self.most


def inverse_frequency(texts: Iterable[Collection[str]]) -> Weights:
    """Weight of every stem: log(1 + texts / texts with it); the rarer the heavier.

    Rounded to 32 binary places, so that sums of them are exact in any order.
    """
    counts: Counter[str] = Counter()
    total = 0
    for stems in texts:
        counts.update(set(stems))
        total += 1
    each = {
        count: round(math.log(1 + total / count) * _PLACES) / _PLACES
        for count in set(counts.values())
    }
    return Weights({stem: each[count] for stem, count in counts.items()})


def weighted_recall(wanted: Collection[str], found: Collection[str], weights: Weights) -> float:
    """Share of the wanted stems that were found, by weight; an unknown stem weighs most."""
    lookup = found if isinstance(found, set | frozenset) else set(found)
    each = set(wanted)
    # Exact sums: sets have no order, and a last digit may decide between two sentences.
    total = math.fsum(weights[stem] for stem in each)
    hit = math.fsum(weights[stem] for stem in each if stem in lookup)
    return hit / total if total else 1.0


def bigrams(stems: Sequence[str]) -> set[tuple[str, str]]:
    """Every pair of neighbours."""
    return set(pairwise(stems))


def bigram_recall(wanted: Sequence[str], found: Collection[tuple[str, str]]) -> float:
    """Share of the wanted pairs of neighbours that were found; a single word has no pair: 1.0."""
    return recall_of(bigrams(wanted), found)


def recall_of(wanted: Collection[tuple[str, str]], found: Collection[tuple[str, str]]) -> float:
    """Share of the wanted pairs that were found."""
    if not wanted:
        return 1.0
    lookup = found if isinstance(found, set | frozenset) else set(found)
    return sum(pair in lookup for pair in wanted) / len(wanted)


def longest_run(wanted: Sequence[str], found: Sequence[str]) -> float:
    """Length of the longest stretch of stems that both share, over the length of `wanted`."""
    if not wanted:
        return 1.0
    best = 0
    before: dict[int, int] = {}
    places: dict[str, list[int]] = {}
    for place, stem in enumerate(found):
        places.setdefault(stem, []).append(place)
    for stem in wanted:
        now = {place: before.get(place - 1, 0) + 1 for place in places.get(stem, ())}
        best = max(best, max(now.values(), default=0))
        before = now
    return best / len(wanted)


_ENGLISH = r"\b(a|an|the)\b"
_ARTICLES = {
    "en": _ENGLISH,
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "fr": r"\b(un|une|des|le|la|les)\b|\bl['’]",
    "it": r"\b(un|uno|una|il|lo|la|i|gli|le)\b|\b(l|un)['’]",
    "nl": r"\b(een|de|het)\b",
    "pt": r"\b(um|uma|uns|umas|o|a|os|as)\b",
}
# Written without spaces between words: Han characters, hiragana and katakana.
_UNSPACED = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
_ASCII = str.maketrans("", "", string.punctuation)


class Overlap(NamedTuple):
    """The words that two texts share, over those of either."""

    precision: float
    recall: float
    f1: float


def tokens(text: str, language: str | None = None) -> list[str]:
    """The words of a text, normalised.

    Args:
        text: The text.
        language: BCP 47 tag. "en": SQuAD's rules. Another one: MLQA's, by which all Unicode
            punctuation goes, the articles of the language do, where they are known here (de, es,
            fr, it, nl, pt), and each Chinese or Japanese character is a word. None: SQuAD's, or
            MLQA's for a text with such a character.
    """
    return _read(text, _main(language), squad=_by_squad(language, text))


def compare(answer: str, reference: str, language: str | None = None) -> Overlap:
    """Precision, recall and F1 of an answer's words against a reference's.

    Args:
        answer: The answer.
        reference: What it is compared with.
        language: As for `tokens`. None: SQuAD's rules, or MLQA's if there are Chinese or Japanese
            characters in both texts. Whichever it is, both are read by the same.
    """
    return overlap(*token_pair(answer, reference, language))


def token_pair(
    answer: str, reference: str, language: str | None = None
) -> tuple[list[str], list[str]]:
    """The words of two texts that are to be compared, both read by the same rules."""
    main, squad = _main(language), _by_squad(language, answer, reference)
    return _read(answer, main, squad=squad), _read(reference, main, squad=squad)


def _main(language: str | None) -> str:
    return (language or "en").replace("_", "-").partition("-")[0].lower()


def _by_squad(language: str | None, *texts: str) -> bool:
    if _main(language) != "en":
        return False
    # In an English answer a name may stand in its own script as well: "Tokyo (東京)".
    return bool(language) or not all(map(_UNSPACED.search, texts))


def _read(text: str, main: str, *, squad: bool) -> list[str]:
    lowered = text.lower()
    if squad:
        return re.sub(_ENGLISH, " ", lowered.translate(_ASCII)).split()
    # Articles first: with the apostrophe of "l'eau" its article would be lost in the word.
    articles = _ARTICLES.get(main)
    bare = re.sub(articles, " ", lowered) if articles else lowered
    kept = "".join(c for c in bare if not unicodedata.category(c).startswith("P"))
    return _UNSPACED.sub(r" \1 ", kept).split()


def overlap(answer: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Precision, recall and F1 of the answer's words against the reference's, each counted.

    Nothing shared is 0, even between two texts without a word, as in SQuAD 1.1.
    """
    shared = (Counter(answer) & Counter(reference)).total()
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = shared / len(answer), shared / len(reference)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


Block: TypeAlias = tuple[int, int, int]  # place in what is said, place in the source, length
# Pairs of characters that are compared at most: what a sentence of 3,000 characters takes.
_MOST = 9_000_000


def align(spans: Iterable[Span], said: str, source: str) -> list[Span]:
    """The characters of `source` that ranges of `said` were made from, in order.

    `said` is `source` in other words only where a pronoun was resolved, mark-up removed or a
    lead-in put before it. A range without any counterpart (a resolved pronoun) is left out.
    """
    wanted = list(spans)
    if not wanted:
        return []
    at = source.find(said)
    if at >= 0:
        return [(start + at, end + at) for start, end in wanted]
    # A blank that both have is no counterpart.
    blocks = [
        (here, there, size)
        for here, there, size in _blocks(said, source)
        if any(char.isalnum() for char in said[here : here + size])
    ]
    found = (_counterpart(span, blocks) for span in wanted)
    return [span for span in found if span]


def _blocks(said: str, source: str) -> list[Block]:
    """Stretches that both have, in order; of very long texts those at both ends alone."""
    if len(said) * len(source) <= _MOST:
        matcher = SequenceMatcher(None, said, source, autojunk=False)
        return [(block.a, block.b, block.size) for block in matcher.get_matching_blocks()]
    first = _alike(said, source)
    last = _alike(said[first:][::-1], source[first:][::-1])
    return [(0, 0, first), (len(said) - last, len(source) - last, last)]


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _counterpart(span: Span, blocks: Iterable[Block]) -> Span | None:
    start, end = span
    met = [
        (there + max(start, here) - here, there + min(end, here + size) - here)
        for here, there, size in blocks
        if max(start, here) < min(end, here + size)
    ]
    return (met[0][0], met[-1][1]) if met else None
