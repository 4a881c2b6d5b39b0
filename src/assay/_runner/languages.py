"""Marks on scores in languages in which their judge was never measured, and a count of the rows."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from assay._middleware.wrapper import Route
from assay._text.language_id import language_name, other_language
from assay.judge import Backend
from assay.metrics import Metric
from assay.sample import Sample
from assay.score import Outcome, Score

UNMEASURED: Final = "unmeasured_language"  # among the details of a score
NEVER_MEASURED: Final = "was never measured"
_TAG: Final = re.compile("[a-z]{2,3}")  # of BCP 47, where that is what the data hold


def language_of(sample: Sample) -> str:
    """The language other than English that a sample says or surely is in; "" if unclear.

    A row may be about English documents in another language, or the other way round.
    """
    tag = (sample.language or "").partition("-")[0].lower()
    if _TAG.fullmatch(tag):
        return "" if tag == "en" else tag
    joined = (" ".join(sample.contexts or ()), sample.reference)
    return other_language(text for text in (sample.answer, sample.question, *joined) if text)


def marked(outcome: Outcome, sample: Sample, judges: Iterable[Backend]) -> Outcome:
    """A score with the sample's language, where a judge that it rests on was not measured in it."""
    measured = [one.capabilities.languages for one in judges]
    if not isinstance(outcome, Score) or not any(measured):
        return outcome
    language = language_of(sample)
    if not language or all(language in each for each in measured if each):
        return outcome
    return replace(outcome, details={**outcome.details, UNMEASURED: language_name(language)})


class LanguageCount:
    """Counts the rows of a run in languages in which a judge of it was never measured.

    Args:
        metrics: What the run computes.
        route: Who judges.

    Attributes:
        rows: How many rows were looked at.
    """

    def __init__(self, metrics: Iterable[Metric], route: Route) -> None:
        served = {
            route.to(kind.kind)
            for metric in metrics
            for kind in metric.asks(route.serves)
            if route.serves(kind)
        }
        self._judges = {one.name: one.capabilities.languages for one in served}
        self._counts: Counter[tuple[str, str]] = Counter()
        self.rows = 0

    def add(self, sample: Sample) -> None:
        """Look at one row."""
        self.rows += 1
        if not any(self._judges.values()):
            return
        language = language_of(sample)
        for name, measured in self._judges.items():
            if language and measured and language not in measured:
                self._counts[name, language] += 1

    def notes(self) -> Iterator[str]:
        """A remark on each judge and language, a sentence without its full stop."""
        for (judge, language), n in self._counts.most_common():
            name = judge.partition(":")[0]
            rows = f"{n:,} of {self.rows:,} rows {'is' if n == 1 else 'are'}"
            yield (
                f"{rows} in {language_name(language)}, in which the {name} judge {NEVER_MEASURED}: "
                "do not rely on its scores there before `assay agree` has measured them on your "
                "labels, or name an LLM as judge"
            )
