"""Does what the answer puts in quotation marks stand in the contexts? No judge."""

# ruff: noqa: RUF001 - quotation marks are what it is about

import re
from dataclasses import dataclass

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import share
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored

# Marks in pairs. A single one may be an apostrophe, so only those that stand apart count.
_QUOTED = re.compile(
    '"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』'
    r"|(?<!\w)‘([^‘]+?)’(?!\w)|(?<!\w)'([^']+)'(?!\w)"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class QuotedSpans(Metric):
    """Share of the answer's quotations that stand, word for word, in one of the contexts.

    Found quotations / quotations of at least `words` words, whatever the case and white space; in
    [0, 1] (RAGAS: quoted spans alignment). Both marks of a quotation must be of one kind (ragas
    takes any two marks for a pair, apostrophes too), and it must stand within one context (ragas
    joins them). Undefined if nothing is quoted.

    Args:
        words: Shorter quotations, often titles or terms, do not count.
    """

    words: int = 3

    name = "quoted_spans"
    aliases = ("quoted_spans_alignment",)
    source = RAGAS_DOCS
    needs = ("answer", "contexts")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.words < 1:
            raise InputError(f"{self.name}: words is 1 or more, not {self.words}")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Look every quotation up; nobody is asked."""
        del judge
        contexts = [_plain(context) for context in sample.contexts or ()]
        parts = [
            _part(quotation, contexts)
            for quotation in _QUOTED.finditer(sample.answer or "")
            if _length(_inner(quotation)[0]) >= self.words
        ]
        if not parts:
            return Unscored("undefined", f"the answer quotes nothing of {self.words} words or more")
        return share(parts)


def _inner(quotation: re.Match[str]) -> tuple[str, tuple[int, int]]:
    group = quotation.lastindex or 0
    return quotation[group], quotation.span(group)


def _length(text: str) -> int:
    return len(text.split())


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().lower()


def _part(quotation: re.Match[str], contexts: list[str]) -> Part:
    text, span = _inner(quotation)
    wanted = _plain(text)
    place = next((i for i, context in enumerate(contexts) if wanted in context), None)
    label = "not found" if place is None else "found"
    return Part("quotation", text, label, float(place is not None), context=place, span=span)


METRICS: tuple[type[Metric], ...] = (QuotedSpans,)
