"""Item analysis: questions that tell systems apart, and those that better systems get wrong."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay._analysis.comparability import match, refuse_same, unlike_data, unlike_definitions
from assay._analysis.comparison import letter
from assay._analysis.labelled import one_metric
from assay._runner.result import Result
from assay._store import Store
from assay.errors import InputError
from assay.score import Readable
from assay.stats.intervals import Floats, Interval, share_interval, t_interval
from assay.stats.items import (
    MOST_SYSTEMS,
    Inversion,
    Rasch,
    effects,
    fewest,
    inversions,
    rasch,
    standing,
)

Flag: TypeAlias = Literal["", "all right", "all wrong", "inverted"]
# With fewer systems a question's discrimination mostly repeats what was believed beforehand.
FEW_SYSTEMS = 6
KEEP = 0.9  # of the information: intervals widen by a twentieth


@dataclass(frozen=True, slots=True)
class System:
    """One run as an examinee.

    Attributes:
        name: "A", "B" ... in the order given.
        run: Id of the run.
        source: Name of its data.
        n: Questions that it has a score for.
        mean: Mean score.
        right: Share of questions got right.
        right_interval: Its Wilson interval, questions of one group taken together.
        ability: In logits; the average question is got right half the time at 0. None where all
            or none are right.
        interval: The interval of the ability.
        title: What the run is called: its name, or its data and when it began.
    """

    name: str
    run: str
    source: str
    n: int
    mean: float | None
    right: float | None
    right_interval: Interval
    ability: float | None
    interval: Interval | None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question as an item.

    Attributes:
        sample: Id of its sample.
        question: Its text.
        scores: Score of each system, None where there is none.
        right: Whether each system got it right.
        difficulty: In logits, expected given the answers; None without a fit.
        difficulty_sd: How far it may be off.
        discrimination: How strongly it tells able from less able systems; 1 is usual.
        discrimination_sd: How far it may be off.
        flag: "all right", "all wrong", "inverted" (the less able systems get it right), or "".
        p: Chance of answers as much against the abilities, where some are right and some wrong.
    """

    sample: str
    question: str
    scores: Sequence[float | None]
    right: Sequence[bool | None]
    difficulty: float | None
    difficulty_sd: float | None
    discrimination: float | None
    discrimination_sd: float | None
    flag: Flag
    p: float | None


@dataclass(frozen=True, slots=True)
class Component:
    """What one setting of the systems adds to their ability, beside the others.

    Attributes:
        parameter: What was set: "retriever".
        value: To what: "bm25".
        runs: How many runs have it.
        effect: Its ability in logits above the mean of the parameter's values.
        interval: The interval of that.
    """

    parameter: str
    value: str
    runs: int
    effect: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class ShorterExam:
    """The questions that tell most about systems like these.

    Attributes:
        keep: The share of the information that was asked for.
        kept: Ids of the samples, the most telling first.
        n: How many questions there are.
        share: The share that they keep at the ability where they keep least.
    """

    keep: float
    kept: Sequence[str]
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class NextQuestions:
    """What a system should be asked next.

    Attributes:
        system: Its letter.
        answered: How many questions it has answered.
        ability: Its ability in logits by these, of the questions as the other systems place them.
        sd: How far that may be off.
        samples: Ids of the samples it has not answered, the most telling first.
    """

    system: str
    answered: int
    ability: float
    sd: float
    samples: Sequence[str]


@dataclass(frozen=True)
class ItemAnalysis(Readable):
    """Systems and questions on one scale.

    Attributes:
        metric: Label of the metric.
        threshold: The score from which on (down to which) a question counts as got right.
        threshold_by: Where it is from.
        higher_is_better: Whether a question counts as got right above it, or below.
        systems: The runs, in the order given.
        questions: All questions that two systems or more have a score for, in order of the data.
        spread: Standard deviation of the difficulties in logits; None without a fit.
        inverted_by_chance: How many questions would be flagged as inverted if nothing were wrong.
        few: Whether there are too few systems to tell one question's discrimination from another's.
        left_out: Questions that fewer than two systems have a score for.
        warnings: What else than the systems differs between the runs.
        components: What the parameters in which the runs differ add to ability; empty where runs
            do not share their values.
        exam: The questions to keep in a shorter exam; None without a fit.
        following: What to ask the chosen system next; None where none was chosen.
    """

    metric: str
    threshold: float
    threshold_by: str
    higher_is_better: bool
    systems: Sequence[System]
    questions: Sequence[Question]
    spread: float | None
    inverted_by_chance: float
    few: bool
    left_out: int
    warnings: Sequence[str]
    components: Sequence[Component] = ()
    exam: ShorterExam | None = None
    following: NextQuestions | None = None

    def __str__(self) -> str:
        """A line for each system, then the questions that are flagged."""
        lines = [
            f"{system.name} {system.title or system.run}: "
            f"{'-' if system.right is None else f'{system.right:.1%}'} right "
            f"({system.right_interval.low:.1%} to {system.right_interval.high:.1%}) of {system.n}"
            for system in self.systems
        ]
        flags = Counter(question.flag for question in self.questions if question.flag)
        lines += [f"{n} questions {flag}" for flag, n in flags.items()]
        sign = ">=" if self.higher_is_better else "<="
        return "\n".join([f"{self.metric}: right where {sign} {self.threshold:g}", *lines])


def items(
    results: Sequence[Result],
    metric: str | None = None,
    *,
    threshold: float | None = None,
    force: bool = False,
    keep: float = KEEP,
    ask_next: str | None = None,
) -> ItemAnalysis:
    """Item analysis of several runs over the same questions.

    Args:
        results: Two to sixteen runs; questions are those of the first, matched by their ids.
        metric: The metric, by its label or name; None: the only one.
        threshold: The score from which on a question counts as got right (down to which, where low
            is good); None: the metric's guide value, or else the middle of its range.
        force: Go on where the runs do not compute the same, or other data.
        keep: The share of the information that a shorter exam is to keep, above 0 and up to 1.
        ask_next: Letter of a system ("C": the third run) that is to be told its next questions.

    Raises:
        InputError: If runs cannot be compared, or there is no threshold, or it is no value that
            the metric can take.
    """
    _check_number(results)
    _check_wishes(len(results), keep, ask_next)
    label = one_metric(results[0], metric)
    facts = results[0].run.config["about"][label]
    minimum, source = _threshold(label, facts, threshold)
    table, groups, warnings = _table(results, label, force=force)
    answered = _answered_twice(table, label)
    scores = table.scores[answered]
    sign = 1.0 if facts["higher_is_better"] else -1.0
    right = np.where(np.isnan(scores), np.nan, sign * scores >= sign * minimum)
    members = [groups[row] for row in answered]
    fit = rasch(right, members)
    tested = inversions(right, fit.abilities) if fit else [None] * len(answered)
    ids = [table.ids[row] for row in answered]
    components, why_none = _components(right, members, [r.run.description.params for r in results])
    questions = [
        _question(table, row, right[number], fit, number, tested[number])
        for number, row in enumerate(answered)
    ]
    return ItemAnalysis(
        metric=label,
        threshold=minimum,
        threshold_by=source,
        higher_is_better=bool(facts["higher_is_better"]),
        systems=[
            _system(result, s, scores[:, s], right[:, s], members, fit)
            for s, result in enumerate(results)
        ],
        questions=questions,
        spread=fit.spread if fit else None,
        inverted_by_chance=sum(inversion.by_chance for inversion in tested if inversion),
        few=len(results) < FEW_SYSTEMS,
        left_out=len(table.ids) - len(answered),
        warnings=[*warnings, why_none] if why_none else warnings,
        components=components,
        exam=_shorter(fit, ids, keep) if fit else None,
        following=_next_for(right, members, ids, ask_next),
    )


def _answered_twice(table: "_Table", metric: str) -> list[int]:
    answered = [
        row_index for row_index, row in enumerate(table.scores) if np.sum(~np.isnan(row)) > 1
    ]
    if not answered:
        raise InputError(f"no question has a score of {metric} in two of the runs")
    return answered


def _check_wishes(systems: int, keep: float, ask_next: str | None) -> None:
    if not 0 < keep <= 1:
        raise InputError(f"a share of {keep:g} cannot be kept", "give one above 0 and up to 1")
    letters = [letter(number) for number in range(systems)]
    if ask_next is not None and ask_next not in letters:
        raise InputError(f"there is no system {ask_next}", f"one of {', '.join(letters)}")


def _next_for(
    right: Floats, groups: Sequence[str], ids: Sequence[str], system: str | None
) -> NextQuestions | None:
    for number in range(right.shape[1]):
        if letter(number) == system:
            fit_of_others = rasch(np.delete(right, number, axis=1), groups)
            return _next_questions(fit_of_others, ids, right[:, number], system)
    return None


def _check_number(results: Sequence[Result]) -> None:
    if not results:
        raise InputError("there are no runs", "name two; `assay runs` lists them")
    refuse_same(results[0], results[1:], letter)
    if len(results) > MOST_SYSTEMS:
        raise InputError(f"{len(results)} runs are too many", f"name {MOST_SYSTEMS} at most")


@dataclass(frozen=True)
class _Table:
    """Scores of every question of the first run, shape (n, systems), NaN where there is none."""

    ids: Sequence[str]
    texts: Sequence[str]
    scores: Floats


def refuse_outside(
    metric: str, ends: Sequence[float | None], given: float, name: str, remedy: str
) -> None:
    """Refuse a threshold outside the values of a metric: it calls all good, or none."""
    low, high = ends
    bottom = -math.inf if low is None else low
    top = math.inf if high is None else high
    if not (math.isfinite(given) and bottom <= given <= top):
        raise InputError(
            f"{name} {given:g}: the values of {metric} are {bottom:g} to {top:g}", remedy
        )


def _threshold(
    metric: str, facts: Mapping[str, object], given_threshold: float | None
) -> tuple[float, str]:
    guide, ends = facts["guide"], facts["range"]
    low, high = ends if isinstance(ends, Sequence) else (None, None)
    if given_threshold is not None:
        refuse_outside(metric, (low, high), given_threshold, "threshold", "give one of them")
        return given_threshold, "given"
    if isinstance(guide, int | float):
        return float(guide), "the metric's guide value"
    if low is None or high is None:
        fault = f"{metric} has no threshold from which on a question counts as got right"
        raise InputError(fault, "give one with --threshold")
    return (low + high) / 2, "the middle of the range"


def _table(
    results: Sequence[Result], metric: str, *, force: bool
) -> tuple[_Table, list[str], list[str]]:
    """(table, group of each question, warnings)."""
    first = results[0]
    with Store(first.path) as store:
        texts = {sample.id: sample.question or "" for _, sample in store.samples(first.run.id)}
    row_of = {sample: row for row, sample in enumerate(texts)}
    scores = np.full((len(texts), len(results)), np.nan)
    groups = [f"sample {sample}" for sample in texts]
    warnings: list[str] = []
    for system, result in enumerate(results):
        name = letter(system)
        if metric not in result.run.metrics:
            raise InputError(f"run {name} ({result.run.id}) has no {metric}", "score it there, too")
        matched = match(first, result, keep_other_data=force)
        if system:
            warnings += unlike_definitions(first, result, [metric], (letter(0), name), force=force)
            warnings += unlike_data(matched, (letter(0), name), force=force)
        with Store(result.path) as store:
            values = {row: value for row, value, _ in store.values(result.run.id, metric)}
        for sample, (base_row, other_row) in matched.rows.items():
            value = values.get(other_row.row)
            if value is not None:
                scores[row_of[sample], system] = value
            if base_row.group is not None:
                groups[row_of[sample]] = f"group {base_row.group}"
    return _Table(list(texts), list(texts.values()), scores), groups, warnings


def _system(
    result: Result,
    number: int,
    scores: Floats,
    right: Floats,
    groups: Sequence[str],
    fit: Rasch | None,
) -> System:
    known = ~np.isnan(scores)
    n, hits = int(known.sum()), right[known] == 1
    members = [groups[row] for row in np.flatnonzero(known).tolist()]
    return System(
        name=letter(number),
        run=result.run.id,
        source=result.run.source,
        n=n,
        mean=float(scores[known].mean()) if n else None,
        right=float(hits.mean()) if n else None,
        right_interval=share_interval(hits, members),
        ability=fit.abilities[number] if fit else None,
        interval=fit.intervals[number] if fit else None,
        title=result.run.title,
    )


def _question(
    table: _Table,
    row: int,
    right: Floats,
    fit: Rasch | None,
    number: int,
    tested: Inversion | None,
) -> Question:
    answered = right[~np.isnan(right)]
    flag: Flag = "inverted" if tested is not None and tested.flagged else ""
    if answered.all() or not answered.any():
        flag = "all right" if answered.all() else "all wrong"
    return Question(
        sample=table.ids[row],
        question=table.texts[row],
        scores=[None if np.isnan(score) else float(score) for score in table.scores[row]],
        right=[None if np.isnan(is_right) else bool(is_right) for is_right in right],
        difficulty=float(fit.difficulties[number]) if fit else None,
        difficulty_sd=float(fit.difficulty_sds[number]) if fit else None,
        discrimination=float(fit.discriminations[number]) if fit else None,
        discrimination_sd=float(fit.discrimination_sds[number]) if fit else None,
        flag=flag,
        p=tested.p if tested else None,
    )


def _components(
    right: Floats, groups: Sequence[Hashable], params: Sequence[Mapping[str, object]]
) -> tuple[list[Component], str]:
    """The effects of the parameters in which runs differ, and why there are none, if so.

    Args:
        right: Shape (n, systems), 1, 0 or NaN.
        groups: The cluster of each question.
        params: What was set of each system.
    """
    names = dict.fromkeys(name for run_params in params for name in run_params)
    levels = {
        name: list(dict.fromkeys(str(run_params.get(name, "not set")) for run_params in params))
        for name in names
    }
    levels = {name: values for name, values in levels.items() if len(values) > 1}
    # With one parameter, whose values are all different, its effects are the systems themselves.
    if not levels or all(len(values) == len(params) for values in levels.values()):
        return [], ""
    rows = [[1.0, *_coded(run_params, levels)] for run_params in params]
    fit = effects(right, np.array(rows), groups)
    if fit is None:
        fault = f"The effects of {', '.join(levels)} cannot be told apart"
        return [], f"{fault}: they change together, or a system gets all right or all wrong."
    effects_by_value, column = [], 1
    for name, values in levels.items():
        own_columns = np.arange(column, column + len(values) - 1)
        for value, weights in zip(values, _codes(len(values)), strict=True):
            effect = float(weights @ fit.values[own_columns])
            error = math.sqrt(
                float(weights @ fit.covariance[np.ix_(own_columns, own_columns)] @ weights)
            )
            runs = sum(str(run_params.get(name, "not set")) == value for run_params in params)
            interval = t_interval(effect, error, fit.freedom, 0.95, "sandwich, t")
            effects_by_value.append(Component(name, value, runs, effect, interval))
        column += len(own_columns)
    return effects_by_value, ""


def _codes(n: int) -> Floats:
    """Each value as a sum of n - 1 effects: those of all values add up to 0."""
    codes: Floats = np.vstack([np.eye(n - 1), -np.ones(n - 1)])
    return codes


def _coded(params: Mapping[str, object], levels: Mapping[str, Sequence[str]]) -> list[float]:
    return [
        float(code)
        for name, values in levels.items()
        for code in _codes(len(values))[values.index(str(params.get(name, "not set")))]
    ]


def _shorter(fit: Rasch, ids: Sequence[str], keep: float) -> ShorterExam:
    """The fewest questions that keep a share of what all tell about systems as able as these."""
    abilities = [ability for ability in fit.abilities if ability is not None]
    kept, share = fewest(fit.difficulties, fit.difficulty_sds, abilities, keep)
    return ShorterExam(keep, [ids[index] for index in kept], len(ids), share)


def _next_questions(
    fit_of_others: Rasch | None, ids: Sequence[str], right: Floats, system: str
) -> NextQuestions:
    """What a system should be asked next, as the answers of the others place the questions.

    Args:
        fit_of_others: The fit of the other systems' answers.
        ids: The sample of each question.
        right: The system's own answers: 1, 0, or NaN where it has none.
        system: Its letter.

    Raises:
        InputError: If too few of the others have both right and wrong answers.
    """
    if fit_of_others is None:
        fault = f"the questions cannot be placed without {system}"
        raise InputError(fault, "name two other runs that have both right and wrong answers")
    answers = {int(index): bool(right[index]) for index in np.flatnonzero(~np.isnan(right))}
    ability, sd, order = standing(fit_of_others.difficulties, fit_of_others.difficulty_sds, answers)
    return NextQuestions(system, len(answers), ability, sd, [ids[index] for index in order])
