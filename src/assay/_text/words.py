"""Words and stems of a text: how far two texts share them, and ranking by BM25.

Words are lower-cased; hyphenated words are taken apart; a possessive 's, accents and elided
articles are dropped; every Chinese, Japanese or Korean character is a word of its own. Token F1
follows SQuAD's rules, and MLQA's for other languages.
"""

import math
import re
import string
import unicodedata
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain, pairwise, takewhile
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from assay._text import memoized, numbers
from assay._text.expressions import expression
from assay._text.sentences import Span, spans

# ruff: noqa: SIM905 - word lists read better as prose


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_UNIT = (
    "[cfkmgwv]|[ckm]m|[kmµ]g|[cdm]l|[kmgt]b|[kmg]hz|lbs?|oz|mph|ft|in|bn|mn|kw|kwh|hrs?|mins?|[ap]m"
)
# Vowel signs of India's scripts, accents written apart: parts of a word, but not for Python's \\w.
_MARKS = "".join(
    chr(code)
    for codes in (range(0x300, 0x1D00), range(0xA800, 0xAC00))
    for code in codes
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
WORD = expression(
    rf"\d+(?:[.,:]\d+)+|\d+(?=(?i:{_UNIT})\b)|[{_CJK}]"
    rf"|[^\W_{_CJK}]+(?:[{_MARKS}]+[^\W_{_CJK}]*)*"
    rf"(?:['’][^\W\d_{_CJK}]+(?:[{_MARKS}]+[^\W\d_{_CJK}]*)*)*"
)
# The same in ASCII, where it finds words in a third of the time.
_ASCII_WORD = expression(rf"\d+(?:[.,:]\d+)+|\d+(?=(?i:{_UNIT})\b)|[a-z0-9]+(?:'[a-z]+)*", re.ASCII)
# Without figures and apostrophes, words are what stands between signs and blanks.
_FIGURES_AND_APOSTROPHES = b"0123456789'"
_LETTERS = bytes(n if chr(n).isalnum() and n < 128 else ord(" ") for n in range(256))
_POSSESSIVE = expression(r"['’]s?$")
ELISION = expression(r"^(?:[dl]|dell|all)['’](?=\w{2})")
_ORDINAL = expression(r"(\d+)(?:st|nd|rd|th)")
# The Latin letters with accents, in lower case, and the ones without.
_BARE = {
    code: unicodedata.normalize("NFKD", chr(code))[0]
    for codes in (range(0xDF, 0x250), range(0x1E00, 0x1F00))
    for code in codes
    if "a" <= unicodedata.normalize("NFKD", chr(code))[0] <= "z"
}
# "CO₂" and "m²" are written "CO2" and "m2" as well.
_BARE |= {ord(sign): str(unicodedata.digit(sign)) for sign in "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"}
_POWER = expression(r"(?<=\d)(?=[⁰¹²³⁴-⁹])")  # "10⁶" is no 106
_VOWEL = expression(r"[aeiouy]")
_METRIC = expression(r"(met|lit)re$")
# "Five" and "fifth" are 5; "one" is mostly a pronoun, and "first" to "third" are no numbers.
_FIGURES = {
    word: str(value)
    for word, value in {**numbers.SMALL, "twenty": 20, **numbers.ORDINALS}.items()
    if value > 1
}
_SUFFIXES = ("ations", "ation", "ings", "edly", "ing", "ied", "ed", "ly")

STOP_WORDS = frozenset(
    "a an the this that these those it its he him his she her hers they them their theirs we us "
    "our ours i me my mine you your yours who whom whose which what where when why how there here "
    "is are was were be been being am do does did doing done have has had having will would shall "
    "should can could may might must and or but nor so yet if then than as of in on at by to for "
    "from with into onto upon about over under between among through during within out up off per "
    "not no also too very just only such both each any some all more most other another same own "
    "s t don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain "
    "however therefore thus hence moreover furthermore additionally overall while whereas although "
    "though because since until unless both either neither including included include includes "
    "according etc".split()
)


def words(text: str) -> list[str]:
    """Every word of `text`, in order, in lower case."""
    text = text.lower()
    if text.isascii():
        data = text.encode()
        if len(data.translate(None, _FIGURES_AND_APOSTROPHES)) == len(data):  # most sentences
            return data.translate(_LETTERS).decode().split()
        tokens = _ASCII_WORD.findall(text)
    else:
        text = _POWER.sub(" ", unicodedata.normalize("NFC", text)).translate(_BARE)
        tokens = WORD.findall(text)
    if "'" not in text and "’" not in text:
        return tokens
    return [word if word.isalnum() else _plain_word(word) for word in tokens]


def _plain_word(word: str) -> str:
    return ELISION.sub("", _POSSESSIVE.sub("", word)).replace("’", "'")


def content_words(text: str) -> list[str]:
    """The words of `text` without stop words, in order, in lower case."""
    return [word for word in words(text) if word and word not in STOP_WORDS]


def stems(text: str) -> list[str]:
    """The stems of the content words of `text`, in order."""
    return [_STEMS[word] for word in words(text) if word and word not in STOP_WORDS]


def stem(word: str) -> str:
    """A short form shared by the inflections of a lower-case word.

    Light on purpose: plural, -ing, -ed, -ly, -ation and a final e or y. "cities" and "city" are
    one, "make" and "making" too, and "five" and "5"; "organ" and "organise" are not.
    """
    return _STEMS[word]


class _Stems(dict[str, str]):
    """The stems of the short words that were met: a look-up is faster than any call."""

    def __missing__(self, word: str) -> str:
        """The stem; all are forgotten where there are too many."""
        stem = _stem(word)
        if len(word) <= _LONG_WORD:
            if len(self) >= _MANY_WORDS:
                self.clear()
            self[word] = stem
        return stem


_STEMS = _Stems()
_MANY_WORDS, _LONG_WORD = 65_536, 64


def _stem(word: str) -> str:
    if word in _FIGURES:
        return _FIGURES[word]
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return _plain_number(word) if word[:1].isdigit() else word
    word = _singular(word)
    if word.endswith("re"):
        word = _METRIC.sub(r"\1er", word)
    for suffix in _SUFFIXES:
        base = word.removesuffix(suffix)
        min_length = 4 if suffix.startswith("ation") else 3
        if base != word and len(base) >= min_length and _VOWEL.search(base):
            word = base + "y" if suffix == "ied" else _undouble(base)
            break
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


def _plain_number(word: str) -> str:
    """Without commas, and without the end of an ordinal."""
    ordinal = _ORDINAL.fullmatch(word)
    return ordinal[1] if ordinal else word.replace(",", "")


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def _undouble(word: str) -> str:
    """Make "stopp" "stop"; "fall" stays."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word


_PLACES = 2**32
# With less of a statement, a sentence is mostly not the one that a strong model quotes for it.
MIN_SHARED = 0.3


def recall(reference: Collection[str], candidate: Collection[str]) -> float:
    """Share of the distinct stems of the reference that the candidate has."""
    distinct = set(reference)
    if not distinct:
        return 1.0
    return len(distinct.intersection(candidate)) / len(distinct)


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
    distinct = [frozenset(stems) for stems in texts]
    counts, total = Counter(chain.from_iterable(distinct)), len(distinct)
    weight_by_count = {
        count: round(math.log(1 + total / count) * _PLACES) / _PLACES
        for count in set(counts.values())
    }
    return Weights({stem: weight_by_count[count] for stem, count in counts.items()})


def weighted_recall(
    reference: Collection[str], candidate: Collection[str], weights: Weights
) -> float:
    """Share of the reference that the candidate has, by weight; an unknown stem weighs most."""
    lookup = candidate if isinstance(candidate, set | frozenset) else set(candidate)
    reference_stems = set(reference)
    # Exact sums: sets have no order, and a last digit may decide between two sentences.
    total = math.fsum(weights[stem] for stem in reference_stems)
    hit = math.fsum(weights[stem] for stem in reference_stems if stem in lookup)
    return hit / total if total else 1.0


@memoized(512, longest=20_000)
def _by_sentence(text: str) -> tuple[list[tuple[Span, frozenset[str]]], Weights]:
    sentences = [((start, end), frozenset(stems(text[start:end]))) for start, end in spans(text)]
    return sentences, inverse_frequency(sentence_stems for _, sentence_stems in sentences)


def closest_sentence(claim: str, text: str) -> Span | None:
    """The sentence of a text that has most of what is said, by the weight of its stems.

    The shorter one of two that have as much; None if none has `MIN_SHARED` of it.
    """
    sentences, weights = _by_sentence(text)
    claim_stems = frozenset(stems(claim))
    weight = weights.__getitem__
    total = sum(map(weight, claim_stems))
    shared = [
        (sum(map(weight, claim_stems & sentence_stems)) / total, span[0] - span[1], span)
        for span, sentence_stems in sentences
        if total
    ]
    most_shared, _, span = max(shared, default=(0.0, 0, (0, 0)))
    return span if claim_stems and most_shared >= MIN_SHARED else None


def bigrams(stems: Sequence[str]) -> set[tuple[str, str]]:
    """Every pair of neighbours."""
    return set(pairwise(stems))


def bigram_recall(reference: Sequence[str], candidate: Collection[tuple[str, str]]) -> float:
    """Share of the pairs of neighbours that the candidate has; a single word has none: 1.0."""
    return recall_of(bigrams(reference), candidate)


def recall_of(
    reference: Collection[tuple[str, str]], candidate: Collection[tuple[str, str]]
) -> float:
    """Share of the pairs of the reference that the candidate has."""
    if not reference:
        return 1.0
    lookup = candidate if isinstance(candidate, set | frozenset) else set(candidate)
    return sum(pair in lookup for pair in reference) / len(reference)


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
_UNSPACED = expression("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
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
    return _read_language(text, _main_language(language), squad=_by_squad(language, text))


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
    main, squad = _main_language(language), _by_squad(language, answer, reference)
    return _read_language(answer, main, squad=squad), _read_language(reference, main, squad=squad)


def _main_language(language: str | None) -> str:
    return (language or "en").replace("_", "-").partition("-")[0].lower()


def _by_squad(language: str | None, *texts: str) -> bool:
    if _main_language(language) != "en":
        return False
    # In an English answer a name may stand in its own script as well: "Tokyo (東京)".
    return bool(language) or not all(map(_UNSPACED.search, texts))


def _read_language(text: str, main: str, *, squad: bool) -> list[str]:
    lowered = text.lower()
    if squad:
        return re.sub(_ENGLISH, " ", lowered.translate(_ASCII)).split()
    # Articles first: with the apostrophe of "l'eau" its article would be lost in the word.
    articles = _ARTICLES.get(main)
    without_articles = re.sub(articles, " ", lowered) if articles else lowered
    unmarked = "".join(c for c in without_articles if not unicodedata.category(c).startswith("P"))
    return _UNSPACED.sub(r" \1 ", unmarked).split()


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


def align(spans: Iterable[Span], derived: str, source: str) -> list[Span]:
    """The characters of `source` that ranges of `derived` were made from, in order.

    `derived` is `source` in other words only where a pronoun was resolved, mark-up removed or a
    lead-in put before it. A range without any counterpart (a resolved pronoun) is left out.
    """
    ranges = list(spans)
    if not ranges:
        return []
    offset = source.find(derived)
    if offset >= 0:
        return [(start + offset, end + offset) for start, end in ranges]
    # A blank that both have is no counterpart.
    blocks = [
        (begin, start, size)
        for begin, start, size in _blocks(derived, source)
        if any(char.isalnum() for char in derived[begin : begin + size])
    ]
    counterparts = (_counterpart(span, blocks) for span in ranges)
    return [span for span in counterparts if span]


def _blocks(derived: str, source: str) -> list[Block]:
    """Stretches that both have, in order; of very long texts those at both ends alone."""
    if len(derived) * len(source) <= _MOST:
        matcher = SequenceMatcher(None, derived, source, autojunk=False)
        return [(block.a, block.b, block.size) for block in matcher.get_matching_blocks()]
    first = _shared_prefix(derived, source)
    last = _shared_prefix(derived[first:][::-1], source[first:][::-1])
    return [(0, 0, first), (len(derived) - last, len(source) - last, last)]


def _shared_prefix(text: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(text, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _counterpart(span: Span, blocks: Iterable[Block]) -> Span | None:
    start, end = span
    met = [
        (source + max(start, begin) - begin, source + min(end, begin + size) - begin)
        for begin, source, size in blocks
        if max(start, begin) < min(end, begin + size)
    ]
    return (met[0][0], met[-1][1]) if met else None


if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

K1: Final = 1.2  # the usual constants (Robertson and Zaragoza 2009)
B: Final = 0.75


class BM25:
    """Texts indexed by their stems.

    What a stem adds to a text's score is computed once (Lu 2024, arXiv 2407.03618), so that a query
    adds up a few sparse rows. The inverse document frequency is log(1 + (n - df + 0.5) /
    (df + 0.5)), which is never negative.

    Args:
        texts: The texts to be found.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        import numpy as np
        from scipy.sparse import csr_array

        self._rows: dict[str, int] = {}
        rows, columns, counts = array("i"), array("i"), array("i")
        n = 0
        for n, text in enumerate(texts, start=1):
            for stem, count in Counter(stems(text)).items():
                rows.append(self._rows.setdefault(stem, len(self._rows)))
                columns.append(n - 1)
                counts.append(count)
        row, column, often = (
            np.array(values, dtype=np.int32) for values in (rows, columns, counts)
        )
        lengths = np.bincount(column, often, minlength=n)
        holders = np.bincount(row, minlength=len(self._rows))
        rare = np.log(1 + (n - holders + 0.5) / (holders + 0.5))
        mean = lengths.mean() if lengths.any() else 1.0
        spread = (K1 * (1 - B + B * lengths / mean))[column]
        weights = rare[row] * often * (K1 + 1) / (often + spread)
        self._weights = csr_array((weights, (row, column)), shape=(len(self._rows), n))

    def scores(self, query: str) -> "npt.NDArray[np.float64]":
        """The score of every text, 0 without a word in common; a stem of the query counts once."""
        import numpy as np

        rows = [self._rows[stem] for stem in dict.fromkeys(stems(query)) if stem in self._rows]
        return np.asarray(self._weights[rows].sum(axis=0), dtype=np.float64)


def fused(rankings: Sequence["npt.NDArray[np.int_]"], n: int) -> "npt.NDArray[np.float64]":
    """Scores of n texts by reciprocal rank fusion: the sum of 1 / (60 + rank) over rankings.

    A text that is in none has 0 (Cormack, Clarke and Buettcher 2009).

    Args:
        rankings: Numbers of texts, the best first.
        n: How many texts there are.
    """
    import numpy as np

    scores = np.zeros(n)
    for ranking in rankings:
        scores[ranking] += 1 / (61 + np.arange(len(ranking)))
    return scores
