"""A benchmark: its rows, what is measured on them, and the trivial rules beside the judge."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from assay._text.words import WORD, content_words
from assay.bench.data import Data, Record, thinned
from assay.bench.judge import JudgeUnderTest
from assay.errors import InputError
from assay.judge import Task
from assay.judges.embedded.card import CardFigure
from assay.metrics import METRICS
from assay.stats import agreement as stats
from assay.stats.intervals import Floats, Numbers, Statistic, WithInterval, ones
from assay.stats.jackknife import jackknife_interval

# What to do where a figure needs a threshold that was not fitted for the judge.
UNFITTED = "`--fit` fits one on train rows"


class Figure(CardFigure, frozen=True, kw_only=True):
    """A figure of the card as it was measured, which may be undefined.

    Attributes:
        value: The number; None where it is undefined (only one class among the rows).
        source: Where the published figures stand.
        base_rate: Share of the rows that are what is looked for; None where nothing is.
    """

    value: float | None  # type: ignore[assignment]  # a card ships with what is defined only
    source: str = ""
    base_rate: float | None = None


def figure(
    name: str,
    statistic: Statistic,
    clusters: Sequence[str],
    baselines: Mapping[str, Statistic] | None = None,
    *,
    note: str = "",
    lower_is_better: bool = False,
    labels: Numbers | None = None,
) -> Figure:
    """A figure with its interval beside the strongest of the baselines.

    Args:
        name: What it is called, and what published figures are found by.
        statistic: From weights of the rows to the number.
        clusters: The source of each row: rows of one source are drawn together.
        baselines: The same of trivial rules.
        note: What else a reader has to know.
        lower_is_better: Whether small numbers are good.
        labels: Which rows are what is looked for.
    """
    even = ones(len(clusters))
    value = _finite(statistic(even)) if len(clusters) else None
    low, high = interval(statistic, clusters) if value is not None else (None, None)
    values = {
        rule: _finite(floor(even)) for rule, floor in (baselines or {}).items() if len(clusters)
    }
    floors = {rule: floor for rule, floor in values.items() if floor is not None}
    best = min if lower_is_better else max
    floor_name = best(floors, key=lambda rule: floors[rule]) if floors else ""
    other_floors = [f"{rule} {floors[rule]:.2f}" for rule in floors if rule != floor_name]
    if other_floors:
        note = "; ".join(filter(None, [note, f"other floors: {', '.join(other_floors)}"]))
    reference = REFERENCES.get(name)
    return Figure(
        name=name,
        value=value,
        low=low,
        high=high,
        n=len(clusters),
        floor=floors.get(floor_name),
        floor_name=floor_name,
        reference=reference.peers if reference else "",
        note=note,
        lower_is_better=lower_is_better,
        source=reference.source if reference else "",
        base_rate=float(np.mean(labels)) if labels is not None and len(labels) else None,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def interval(statistic: Statistic, clusters: Sequence[str]) -> tuple[float | None, float | None]:
    """The ends of the 95 % interval of a measure; rows of one source count together.

    Of a statistic that does not know its own: by leaving out each source, if it lies in [0, 1].
    (None, None) where nothing can be told: one source, one class, or nothing that varies.
    """
    if isinstance(statistic, WithInterval):
        ends = statistic.interval(clusters)
    else:
        ends = jackknife_interval(statistic, clusters)
    return (ends.low, ends.high) if ends else (None, None)


BAD_FLAGGED, GOOD_FLAGGED = ", bad flagged", ", good flagged"
BAD_UNCERTAIN, GOOD_UNCERTAIN = ", bad uncertain", ", good uncertain"


def flags(
    data: str,
    flagged: Numbers,
    bad: Numbers,
    clusters: Sequence[str],
    rules: Mapping[str, Numbers],
    *,
    uncertain: Numbers | None = None,
    note: str = "",
) -> list[Figure]:
    """Of the bad and of the good cases, the share that is flagged, and of which nothing is said.

    Args:
        data: How the names of the figures begin.
        flagged: Which cases the judge flags. Shape (n,).
        bad: Which of them people call bad. Shape (n,).
        clusters: The source of each case.
        rules: What trivial rules say, the higher the worse. Shape (n,) each.
        uncertain: Cases in which it is uncertain of something; those that are flagged do not count
            as such. Shape (n,).
        note: What else a reader has to know.
    """
    flagged_rows, labels = np.asarray(flagged, float), np.asarray(bad, bool)
    if not 0 < labels.sum() < len(labels):
        return []
    wrong = float(flagged_rows[~labels].mean())
    baselines = {
        name: stats.mean(_at_rate(np.asarray(values, float), labels, wrong)[labels])
        for name, values in rules.items()
    }
    bads = [c for c, is_bad in zip(clusters, labels, strict=True) if is_bad]
    goods = [c for c, is_bad in zip(clusters, labels, strict=True) if not is_bad]
    figures = [
        figure(
            f"{data}{BAD_FLAGGED}", stats.mean(flagged_rows[labels]), bads, baselines, note=note
        ),
        figure(
            f"{data}{GOOD_FLAGGED}",
            stats.mean(flagged_rows[~labels]),
            goods,
            note=note,
            lower_is_better=True,
        ),
    ]
    if uncertain is not None:
        open_ = np.asarray(uncertain, float) * (1 - flagged_rows)
        for name, mask, clusters_of_mask in (
            (BAD_UNCERTAIN, labels, bads),
            (GOOD_UNCERTAIN, ~labels, goods),
        ):
            figures.append(
                figure(
                    f"{data}{name}", stats.mean(open_[mask]), clusters_of_mask, lower_is_better=True
                )
            )
    return figures


def _at_rate(values: Floats, bad: "np.typing.NDArray[np.bool_]", rate: float) -> Floats:
    """What a rule flags if it flags this share of the good ones; ties are flagged in part."""
    good = values[~bad]
    above = (values[:, None] < good[None, :]).mean(axis=1)  # share of the good ones beyond each
    level = (values[:, None] == good[None, :]).mean(axis=1)
    full = above + level <= rate
    tied_share = np.where(level > 0, (rate - above) / np.where(level > 0, level, 1), above <= rate)
    return np.where(full, 1.0, np.clip(tied_share, 0.0, 1.0))


_RAGTRUTH: Final = (
    "GPT-4-turbo: Niu et al. 2024, RAGTruth (arXiv 2401.00396); RAGAS and Luna: Belyi et al. 2024 "
    "(arXiv 2406.00975); LettuceDetect: Kovacs and Recski 2025 (arXiv 2502.17125); "
    "all of the 2,700 rows"
)
_RAGCHECKER: Final = "Ru et al. 2024, RAGChecker (arXiv 2408.08067), human judgements"
_WIKIEVAL: Final = "Es et al. 2023, RAGAS (arXiv 2309.15217), table 1"


class Reference(NamedTuple):
    """Published figures of others, and where they stand."""

    peers: str
    source: str


REFERENCES: Final = {
    "RAGTruth QA answers, F1": Reference(
        "RAGAS 0.36, GPT-4-turbo 0.46, Luna 0.51, LettuceDetect base 0.66, large 0.70", _RAGTRUTH
    ),
    "RAGTruth QA spans, F1": Reference(
        "GPT-4-turbo 0.28 (all tasks), LettuceDetect large 0.64", _RAGTRUTH
    ),
    "RAGTruth Summary answers, F1": Reference(
        "RAGAS 0.41, GPT-4-turbo 0.48, Luna 0.53, LettuceDetect large 0.60", _RAGTRUTH
    ),
    "RAGTruth Data2txt answers, F1": Reference(
        "RAGAS 0.62, GPT-4-turbo 0.78, LettuceDetect large 0.89; flag all 0.78", _RAGTRUTH
    ),
    "RAGChecker pairs overall, Pearson": Reference(
        "RAGChecker 0.67, between two people 0.70", _RAGCHECKER
    ),
    "RAGChecker pairs correctness, Pearson": Reference(
        "RAGChecker 0.55, between two people 0.64", _RAGCHECKER
    ),
    "RAGChecker pairs completeness, Pearson": Reference(
        "RAGChecker 0.65, between two people 0.72", _RAGCHECKER
    ),
    "WikiEval faithfulness, agreement": Reference("RAGAS 0.95, GPT score 0.72", _WIKIEVAL),
    "WikiEval answer_relevance, agreement": Reference("RAGAS 0.78, GPT score 0.52", _WIKIEVAL),
    "WikiEval context_relevance, agreement": Reference("RAGAS 0.70, GPT score 0.63", _WIKIEVAL),
}


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One set, or one way of measuring several together."""

    name: str  # what it is called by
    family: str  # the section of a card that it belongs to
    about: str  # what people said of its rows, and so what is measured, in a few words
    files: tuple[str, ...]  # the files that it needs
    licence: str  # of these
    # Asks the judge about rows and gives the figures.
    measure: Callable[[JudgeUnderTest, Sequence[Record]], list[Figure]]
    # Reads its rows; None where they are all rows of its files.
    rows: Callable[[Data], list[Record]] | None = None
    tasks: tuple[type[Task[Any]], ...] = ()  # what the judge is asked for
    # Metrics that are computed, whose tasks depend on what the judge serves.
    metrics: tuple[str, ...] = ()
    # What it takes that is fitted on training rows (see `measurement.py`).
    thresholds: tuple[str, ...] = ()
    # How many rows of each kind are taken unless told otherwise; None for all.
    kinds: Mapping[str, int | None] = field(default_factory=lambda: {"": None})
    kind: Callable[[Record], str] = lambda _: ""  # which kind a row is of
    whole: tuple[str, ...] = ()  # kinds that are never sampled: texts, not what is measured
    title: Callable[[str], str] = lambda _: ""  # how the names of the figures of a kind begin

    def absent(self, data: Data) -> list[str]:
        """Which of its files are not there."""
        return [name for name in self.files if not data.has(name)]

    def beyond(self, judge: JudgeUnderTest) -> list[str]:
        """Which kinds of task it takes that the judge cannot do."""
        kinds = [*self.tasks]
        for name in self.metrics:
            kinds += METRICS[name]().asks(judge.can)
        return [kind.kind for kind in dict.fromkeys(kinds) if not judge.can(kind)]

    def drawn(
        self, data: Data, limit: int | None, *, full: bool
    ) -> tuple[list[Record], dict[str, str]]:
        """The rows that are measured, and in words by kind how they were sampled, if they were.

        Args:
            data: Where the files are.
            limit: Rows of each kind at most; None for as many as `kinds` says.
            full: Whether to take all rows, whatever `kinds` says.

        Raises:
            InputError: If a file cannot be read, or holds rows of another form.
        """
        try:
            return self._draw_rows(self._rows(data), limit, full=full)
        except (KeyError, TypeError) as error:
            files = ", ".join(self.files)
            fault = f"{self.name}: rows of {files} do not have the expected form: {error!r}"
            raise InputError(fault, "docs/bench.md says which fields they have") from error

    def _rows(self, data: Data) -> list[Record]:
        if self.rows:
            return self.rows(data)
        return [record for name in self.files for record in data.rows(name)]

    def _draw_rows(
        self, records: Sequence[Record], limit: int | None, *, full: bool
    ) -> tuple[list[Record], dict[str, str]]:
        drawn: list[Record] = []
        sampled: dict[str, str] = {}
        for kind, max_rows in self.kinds.items():
            kind_records = [record for record in records if self.kind(record) == kind]
            limits = (None if full else max_rows, None if kind in self.whole else limit)
            bounds = [bound for bound in limits if bound is not None]
            sample_records = thinned(kind_records, min(bounds)) if bounds else kind_records
            if len(sample_records) < len(kind_records):
                sampled[kind] = f"{len(sample_records)} of {len(kind_records)} {kind} rows".replace(
                    "  ", " "
                )
            drawn += sample_records
        return drawn, sampled


# From a text and its contexts: the higher, the less likely it is supported.
Rule: TypeAlias = Callable[[str, Sequence[str]], float]


def share_of_new_words(text: str, contexts: Sequence[str]) -> float:
    """Share of the text's content words that stand nowhere in the contexts."""
    content, in_contexts = content_words(text), set(content_words(" ".join(contexts)))
    return sum(word not in in_contexts for word in content) / max(1, len(content))


def count_of_new_words(text: str, contexts: Sequence[str]) -> float:
    """How many of the text's content words stand nowhere in the contexts."""
    context_words = set(content_words(" ".join(contexts)))
    return float(sum(word not in context_words for word in content_words(text)))


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
    answer_words, reference_words = content_words(answer), content_words(reference)
    left = list(reference_words)
    hits = 0
    for word in answer_words:
        if word in left:
            left.remove(word)
            hits += 1
    return 2 * hits / max(1, len(answer_words) + len(reference_words))


def new_characters(text: str, contexts: Sequence[str]) -> "np.typing.NDArray[np.bool_]":
    """Which characters belong to content words that stand nowhere in the contexts?"""
    context_words = set(content_words(" ".join(contexts)))
    marked = np.zeros(len(text), bool)
    for word in WORD.finditer(text):
        if any(stem not in context_words for stem in content_words(word[0])):
            marked[word.start() : word.end()] = True
    return marked
