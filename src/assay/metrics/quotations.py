"""Does what the answer puts in quotation marks stand in the contexts? No judge."""

# ruff: noqa: RUF001 - quotation marks are what it is about

import re
import unicodedata
from dataclasses import dataclass

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import share
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored
from assay.text.token_f1 import tokens

# Marks in pairs. A single one may be an apostrophe, so only those that stand apart count, and what
# stands behind a figure may be inches: it opens nothing.
_QUOTED = re.compile(
    r'(?<!\d)"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』'
    r"|(?<!\w)‘([^‘]+?)’(?!\w)|(?<!\w)'([^']+)'(?!\w)"
)
_SPACE = re.compile(r"\s+")
# Within a quotation marks change their shape, and at its end a stop may be the answer's own.
_ALIKE = str.maketrans(dict.fromkeys('"‘’‚‛“”„‟«»', "'"))
_STOPS = " .,。、"
# "able to pay" does not stand in "unable to pay", nor "5 percent" in "15 percent" or "1.5 percent".
_START = r"(?<![a-z0-9])(?!(?<=\d[.,])\d)|(?![a-z0-9])"
_END = r"(?![a-z0-9])(?!(?<=\d)[.,]\d)|(?<![a-z0-9])"


@dataclass(frozen=True)
class QuotedSpans(Metric):
    """Share of the answer's quotations that are, word for word, in one of the contexts.

    Found quotations / quotations of at least `words` words; in [0, 1] (RAGAS: quoted spans
    alignment). Case, white space, the shape of apostrophes and marks, and full stops and commas at
    the ends ("so it ends,") do not count. Both marks of a quotation must be of one kind (ragas
    accepts any two marks as a pair, apostrophes too), and it must be within one context (ragas
    joins them), in whole words and numbers. Undefined if nothing is quoted.

    Args:
        words: Shorter quotations, often titles or terms, do not count. Each Chinese or Japanese
            character is a word.
    """

    words: int = 3

    name = "quoted_spans"
    aliases = ("quoted_spans_alignment",)
    source = RAGAS_DOCS
    needs = ("answer", "contexts")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.words < 1:
            raise InputError(f"{self.name}: words must be 1 or more, not {self.words}")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Look every quotation up; nobody is asked."""
        del judge
        contexts = [_plain(context) for context in sample.contexts or ()]
        parts = [
            _part(quotation, contexts)
            for quotation in _QUOTED.finditer(sample.answer or "")
            if len(tokens(_inner(quotation)[0], "und")) >= self.words
        ]
        if not parts:
            return Unscored("undefined", f"the answer quotes nothing of {self.words} words or more")
        return share(parts)


def _inner(quotation: re.Match[str]) -> tuple[str, tuple[int, int]]:
    group = quotation.lastindex or 0
    return quotation[group], quotation.span(group)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_ALIKE)).lower()


def _part(quotation: re.Match[str], contexts: list[str]) -> Part:
    text, span = _inner(quotation)
    words = re.escape(_plain(text).strip(_STOPS))
    wanted = re.compile(f"(?:{_START}){words}(?:{_END})")
    place = next((i for i, context in enumerate(contexts) if wanted.search(context)), None)
    label = "not found" if place is None else "found"
    return Part("quotation", text, label, float(place is not None), context=place, span=span)


METRICS: tuple[type[Metric], ...] = (QuotedSpans,)
