"""Does what the answer puts in quotation marks stand in the contexts? No judge."""

# ruff: noqa: RUF001 - quotation marks are what it is about

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import FOLLOWS_RAGAS, RAGAS_DOCS, Metric
from assay.metrics.evidence import share
from assay.metrics.wording import one_of
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored
from assay.text.words import tokens

# Marks in pairs. A single one may be an apostrophe, so only those that stand apart count, and what
# stands behind a figure may be inches: it opens nothing.
_QUOTED = re.compile(
    r'(?<!\d)"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』'
    r"|(?<!\w)‘([^‘]+?)’(?!\w)|(?<!\w)'([^']+)'(?!\w)"
)
_STRAIGHT, _CURLY = "\"'`´", "“”„‟‘’"
_RAGAS_QUOTED = {
    "collections": re.compile(f"[{_STRAIGHT}{_CURLY}](.*?)[{_STRAIGHT}{_CURLY}]"),
    "legacy": re.compile(f"[{_STRAIGHT}](.*?)[{_STRAIGHT}]"),
}
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
    the ends ("so it ends,") do not count. Both marks of a quotation must be of one kind, and it
    must be within one context, in whole words and numbers; ragas:quoted_spans counts as ragas does.
    Undefined if nothing is quoted.

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


@dataclass(frozen=True)
class RagasQuotedSpans(Metric):
    """Quoted spans as ragas 0.4.3 finds them: between any two marks, anywhere in the contexts.

    Found spans / spans of at least `words` words, in [0, 1]. A span is what stands between two
    quotation marks of a line, of whatever kind, apostrophes included, but not guillemets or corner
    brackets; words are what blanks separate. It is found if it is a part of all contexts joined by
    blanks, even within a word or across two contexts; case and runs of white space do not count.
    Undefined if nothing is quoted: in ragas 1 in ragas.metrics.collections, 0 in its function
    quoted_spans_alignment, the legacy variant, which knows no curly marks.

    Args:
        words: Shorter spans do not count.
        casefold: Whether case and white space are the same.
        variant: "collections" or "legacy": which of ragas' two.
    """

    words: int = 3
    casefold: bool = True
    variant: Literal["collections", "legacy"] = "collections"

    name = "ragas:quoted_spans"
    aliases = ("ragas:quoted_spans_alignment",)
    source = "ragas (explodinggradients/ragas), its code"
    follows = FOLLOWS_RAGAS
    needs = ("answer", "contexts")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.name, "variant", self.variant, tuple(_RAGAS_QUOTED))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Look every span up; nobody is asked."""
        del judge
        contexts = [self._plain(context) for context in sample.contexts or ()]
        everything = self._plain(" ".join(sample.contexts or ()))
        parts = []
        for text, span in self._spans(sample.answer or ""):
            wanted = self._plain(text)
            found = bool(wanted) and wanted in everything
            place = next((i for i, c in enumerate(contexts) if found and wanted in c), None)
            label = "found" if found else "not found"
            parts.append(Part("quotation", text, label, float(found), context=place, span=span))
        if not parts:
            return Unscored("undefined", f"the answer quotes nothing of {self.words} words or more")
        return share(parts)

    def _spans(self, answer: str) -> Iterator[tuple[str, tuple[int, int]]]:
        for match in _RAGAS_QUOTED[self.variant].finditer(answer):
            text = match[1].strip()
            if len(text.split()) >= self.words:
                start = match.start(1) + len(match[1]) - len(match[1].lstrip())
                yield text, (start, start + len(text))

    def _plain(self, text: str) -> str:
        return _SPACE.sub(" ", text).strip().lower() if self.casefold else text


METRICS: tuple[type[Metric], ...] = (QuotedSpans, RagasQuotedSpans)
