"""A leaderboard corrected for the judge's error, by the labels of its runs that the store holds."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from assay._runner.result import Result
from assay._store import Store
from assay.score import Score
from assay.stats.intervals import Interval

if TYPE_CHECKING:
    from assay._analysis.label_progress import Per
    from assay.stats.correction import Corrected, Shares
    from assay.stats.intervals import Floats

_LabelsById: TypeAlias = Mapping[str, tuple[float, float]]  # label, and its probability
_NOBODY = "leaderboard"  # whom the store asks to label nothing


@dataclass(frozen=True, slots=True)
class CorrectedStanding:
    """One configuration as people would have judged it (prediction-powered inference).

    Attributes:
        name: The configuration.
        mean: The mean label of all its answers, were all labelled; high is good.
        interval: Its confidence interval by itself; None if the labels cannot tell it.
        difference: Its mean minus that of the best.
        difference_interval: The confidence interval of that, simultaneous over all.
        verdict: "best", "tied" or "worse".
        labels: How many of its answers are labelled.
    """

    name: str
    mean: float
    interval: Interval | None
    difference: float
    difference_interval: Interval | None
    verdict: str
    labels: int


def corrected_standings(
    results: Sequence[Result],
    names: Sequence[str],
    metric: str,
    scores: tuple[Sequence[str], "Floats"],
    *,
    groups: Sequence[Hashable] | None,
    level: float,
) -> tuple[tuple[CorrectedStanding, ...], str]:
    """The configurations with labels of their answers, the best first; none where none has any.

    And which labels in the store have no part in it, and what to do; "" if all have.

    A label of an answer is what people said of it as a whole, or the share of its statements that
    they call supported where all are labelled. Of the two kinds, which are not mixed, that counts
    which most configurations have.

    Args:
        results: The run of each configuration.
        names: What each is called.
        metric: Label of the metric.
        scores: Ids of the questions, and their scores: shape (n, configurations).
        groups: For each question the cluster that it belongs to; None if all are independent.
        level: Nominal coverage, of each mean's interval and of all differences together.
    """
    labels, unused = _of_one_kind(results, metric, frozenset(scores[0]))
    labelled = [index for index, by_id in enumerate(labels) if by_id]
    if not labelled:
        return (), unused
    import numpy as np

    from assay._analysis.correction import label_ends
    from assay.stats.best import differences_to_best
    from assay.stats.intervals import cluster_numbers

    facts = results[0].run.config["about"][metric]
    label_values = [value for index in labelled for value, _ in labels[index].values()]
    scale = _Scale(label_ends(label_values, None, facts["range"]), facts, groups, level)
    ids, matrix = scores
    corrections = [scale.corrected(ids, matrix[:, index], labels[index]) for index in labelled]
    estimates = [estimate for estimate, _ in corrections]
    clusters = cluster_numbers(range(len(ids)) if groups is None else groups)
    sums = np.zeros((int(clusters.max()) + 1, len(labelled)))
    np.add.at(sums, clusters, np.stack([share.adds for _, share in corrections], axis=1))
    order, differences = differences_to_best(
        np.array([estimate.estimate for estimate in estimates]),
        sums.T @ sums + np.diag([share.made_up for _, share in corrections]),
        min(share.freedom for _, share in corrections),
        span=scale.ends[1] - scale.ends[0],
        level=level,
    )
    standings = tuple(
        CorrectedStanding(
            names[labelled[index]],
            estimates[index].estimate,
            estimates[index].interval,
            *differences[index],
            labels=estimates[index].n_labelled,
        )
        for index in order
    )
    return standings, unused


@dataclass(frozen=True)
class _Scale:
    """How scores become labels, and what else holds for all configurations."""

    ends: tuple[float, float]
    about: Mapping[str, Any]
    groups: Sequence[Hashable] | None
    level: float

    def corrected(
        self, ids: Sequence[str], scores: "Floats", labels: _LabelsById
    ) -> "tuple[Corrected, Shares]":
        """The mean of one configuration, corrected by its labels."""
        from assay._analysis.correction import as_labels
        from assay.stats.correction import Design, correct_with_shares

        row_of = {id_: row for row, id_ in enumerate(ids)}
        values, chances = zip(*labels.values(), strict=True)
        falling = not self.about["higher_is_better"]
        return correct_with_shares(
            as_labels(scores, self.about["range"], self.ends, falling=falling),
            [row_of[id_] for id_ in labels],
            values,
            Design(chances, groups=self.groups),
            ends=self.ends,
            level=self.level,
        )


def _of_one_kind(
    results: Sequence[Result], metric: str, ids: frozenset[str]
) -> tuple[list[dict[str, tuple[float, float]]], str]:
    """The labels of each configuration, of whole answers or of statements, and what is not used."""
    answers, statements = (
        [_labels(result, metric, ids, statements=statements) for result in results]
        for statements in (False, True)
    )
    if any(statements) and not all(_are_shares(result, metric, ids) for result in results):
        fault = f"labels of statements do not correct {metric}, which is no mean of its statements"
        return answers, f"{fault}: label whole answers (`assay label RUN --per answer`)"
    by_kind = {"answers": answers, "statements": statements}
    used, unused = sorted(
        by_kind,
        key=lambda kind: (sum(map(bool, by_kind[kind])), sum(map(len, by_kind[kind]))),
        reverse=True,
    )
    if not any(by_kind[unused]):
        return by_kind[used], ""
    n = sum(map(len, by_kind[unused]))
    description = (
        f"{n} answers with labels of {'the answer' if unused == 'answers' else 'all statements'}"
    )
    return by_kind[used], f"{description} have no part in the correction: it is by labels of {used}"


def _labels(
    result: Result, metric: str, ids: frozenset[str], *, statements: bool
) -> dict[str, tuple[float, float]]:
    """By id of an answer that was drawn and labelled: its label, and with which probability."""
    with Store(result.path) as store:
        tallies = store.labels.tally(result.run.id)
        if not any(tally.about == metric and tally.statements == statements for tally in tallies):
            return {}
        import numpy as np

        from assay._analysis.labelling import Labelling
        from assay.stats.batches import as_chances

        per: Per = "statement" if statements else "answer"
        labelling = Labelling(store, result.run.id, metric, annotator=_NOBODY, per=per)
        values, weights = labelling.values(), labelling.weights()
    chances = as_chances(np.array(list(weights.values()))) if weights else np.zeros(0)
    return {
        id_: (values[id_], float(chance))
        for id_, chance in zip(weights, chances, strict=True)
        if id_ in ids and id_ in values
    }


def _are_shares(result: Result, metric: str, ids: frozenset[str]) -> bool:
    """Whether every score is the mean of its judged statements, as a label of these is."""
    from assay._analysis.correction import is_share

    scores = (score for sample, score in result.outcomes(metric) if sample.id in ids)
    return all(is_share(score) for score in scores if isinstance(score, Score))
