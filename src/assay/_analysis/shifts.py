"""What differs between two sets of samples beside their scores: questions, contexts, answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

import numpy as np

from assay._text.language_id import identify_language, language_name
from assay._text.refusals import refusal
from assay._text.words import content_words, words
from assay.sample import Sample
from assay.stats.comparison import holm

LEVEL: Final = 0.05  # at which differences are told, all of them together
_MOST_WORDS, _MOST_DOCUMENTS = 200, 50  # that are tested, the most frequent ones
_SHOWN = 5  # of a kind
_FEWEST = 5  # samples with a value on each side, for a number to be compared


@dataclass(frozen=True, slots=True)
class Shift:
    """One thing that differs, by a test.

    Attributes:
        about: "questions", "retrieval" or "answers".
        what: What it is: "language German", "words, mean".
        before: Its share or its mean before.
        after: The same after.
        share: Whether these are shares.
        p: The p-value, adjusted for all that was tested.
    """

    about: str
    what: str
    before: float
    after: float
    share: bool
    p: float

    def __str__(self) -> str:
        """``questions: language German 2 % -> 31 %``."""
        form = "{:.0%}" if self.share else "{:.4g}"
        ends = (form.format(each).replace("%", " %") for each in (self.before, self.after))
        return f"{self.about}: {self.what} {' -> '.join(ends)}"


def shifts(before: Sequence[Sample], after: Sequence[Sample]) -> list[Shift]:
    """What clearly differs, the clearest first of each kind.

    Shares are compared by Fisher's exact test, numbers by that of Mann and Whitney, all adjusted
    together (Holm), at the level of `LEVEL`.
    """
    if not before or not after:
        return []
    tested = [*_numbers(before, after), *_shares(before, after)]
    adjusted = holm([shift.p for shift in tested])
    clear = [replace(shift, p=p) for shift, p in zip(tested, adjusted, strict=True) if p < LEVEL]
    kinds: Counter[tuple[str, str]] = Counter()
    kept = []
    for shift in sorted(clear, key=lambda shift: (shift.p, shift.what)):
        kind = (shift.about, shift.what.partition(" ")[0])
        kinds[kind] += 1
        if kinds[kind] <= _SHOWN:
            kept.append(shift)
    order = ["questions", "retrieval", "answers"]
    return sorted(kept, key=lambda shift: order.index(shift.about))


def _length(text: str | None) -> float | None:
    return None if not text else len(words(text))


def _best_score(sample: Sample) -> float | None:
    noted = sample.metadata.get("contexts")
    scores = (
        [one.get("score") for one in noted if isinstance(one, dict)]
        if isinstance(noted, list | tuple)
        else []
    )
    known = [float(score) for score in scores if isinstance(score, int | float)]
    return max(known, default=None)


_NUMBERS: Final[tuple[tuple[str, str, Callable[[Sample], float | None]], ...]] = (
    ("questions", "words, mean", lambda s: _length(s.question)),
    ("retrieval", "contexts, mean", lambda s: None if s.contexts is None else len(s.contexts)),
    ("retrieval", "best score, mean", _best_score),
    ("retrieval", "words of contexts, mean", lambda s: _length(" ".join(s.contexts or ()))),
    ("answers", "words, mean", lambda s: _length(s.answer)),
    ("answers", "latency in ms, mean", lambda s: s.latency_ms),
)


def _numbers(before: Sequence[Sample], after: Sequence[Sample]) -> Iterator[Shift]:
    from scipy.stats import mannwhitneyu

    for about, what, number in _NUMBERS:
        sides = [[v for s in side if (v := number(s)) is not None] for side in (before, after)]
        if min(map(len, sides)) < _FEWEST or len({*sides[0], *sides[1]}) == 1:
            continue
        p = float(mannwhitneyu(np.array(sides[0]), np.array(sides[1])).pvalue)
        yield Shift(about, what, fmean(sides[0]), fmean(sides[1]), share=False, p=p)


def _shares(before: Sequence[Sample], after: Sequence[Sample]) -> Iterator[Shift]:
    yield from _compared("questions", "language {}", _languages, (before, after), _MOST_WORDS)
    yield from _compared("questions", "word '{}'", _words, (before, after), _MOST_WORDS)
    yield from _compared("retrieval", "document {}", _documents, (before, after), _MOST_DOCUMENTS)
    yield from _compared("answers", "{}", _endings, (before, after), _MOST_WORDS)


def _languages(sample: Sample) -> Iterable[str]:
    code = sample.language or identify_language(sample.question or "")
    return ("English" if code == "en" else language_name(code),) if code else ()


def _words(sample: Sample) -> Iterable[str]:
    return content_words(sample.question or "")


def _documents(sample: Sample) -> Iterable[str]:
    return sample.context_ids or ()


def _endings(sample: Sample) -> Iterable[str]:
    if sample.failure:
        return ("failed",)
    return ("refused",) if sample.answer and refusal(sample.answer) else ()


def _compared(
    about: str,
    what: str,
    features: Callable[[Sample], Iterable[str]],
    sides: tuple[Sequence[Sample], Sequence[Sample]],
    most: int,
) -> Iterator[Shift]:
    """The shares of samples that have a feature, of the features that are the most frequent."""
    from scipy.stats import fisher_exact

    first, second = (Counter(f for s in side for f in set(features(s))) for side in sides)
    n, m = map(len, sides)
    for name, _ in (first + second).most_common(most):
        a, b = first[name], second[name]
        p = float(fisher_exact(np.array([[a, n - a], [b, m - b]])).pvalue)
        yield Shift(about, what.format(name), a / n, b / m, share=True, p=p)
