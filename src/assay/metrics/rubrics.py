"""Which grade of a rubric does the answer reach, one rubric for all samples or one for each?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.arguments import frozen
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.grading import (
    check_draws,
    check_shown,
    grade_parts,
    graded,
    majority,
    missing,
    override,
    shown,
)
from assay.sample import Sample
from assay.score import Outcome, Score, Unscored
from assay.tasks import GiveGrade

Scale: TypeAlias = tuple[tuple[float, str], ...]

CRITERION = "Which of the grades below describes the answer best?"
AGAINST = f"{CRITERION} The reference is right: measure the answer against it."
RUBRIC = (
    (1, "The answer is wrong, or is about something else than the question."),
    (2, "The answer touches the question, but its main point is wrong or missing."),
    (3, "The main point is right, but much that was asked for is missing, or some of it is wrong."),
    (4, "The answer is right and covers what was asked, but for a small gap or slip."),
    (5, "The answer is right in everything, complete, and to the point."),
)
RUBRIC_WITH_REFERENCE = (
    (1, "The answer contradicts the reference or has nothing to do with it."),
    (2, "The answer shares little with the reference; its main point differs or is missing."),
    (3, "The answer has the main point of the reference; much else is missing or differs."),
    (4, "The answer says what the reference says, but for a small gap or difference."),
    (5, "The answer says all that the reference says, and nothing that is at odds with it."),
)
# "5", "score5_description", "score_5"
_GRADE = re.compile(r"(?:scores?[ _]*)?(-?\d+(?:\.\d+)?)(?:[ _]*descriptions?)?", re.IGNORECASE)


def scale(rubric: Mapping[Any, str] | Sequence[tuple[Any, str]]) -> Scale:
    """The grades of a rubric and what they mean, the lowest first.

    Raises:
        ValueError: If it names no two grades, one twice, or something that is no grade.
    """
    pairs = rubric.items() if isinstance(rubric, Mapping) else rubric
    found: dict[float, str] = {}
    for grade, meaning in pairs:
        match = _GRADE.fullmatch(str(grade).strip())
        if match is None or not isinstance(meaning, str):
            raise ValueError(f"'{grade}: {meaning}' is no grade with its meaning")
        if float(match[1]) in found:
            raise ValueError(f"the grade {match[1]} stands there twice")
        found[float(match[1])] = meaning
    if len(found) < 2:
        raise ValueError("a rubric has two grades or more")
    return tuple(sorted(found.items()))


@dataclass(frozen=True)
class RubricsScore(Metric):
    """The answer's grade in a rubric, by default 1 (worst) to 5 (best).

    Mean of `strictness` draws; a grade that is not in the rubric is an unreadable reply. The
    default rubric is in our words, not RAGAS'. Range: the ends of the rubric. Undefined if a shown
    text is empty.

    Args:
        rubric: Grades and what each means: {1: "wrong", 2: "right"}, or the same as pairs.
        strictness: How many draws are asked for.
        shows: Fields of the sample that the judge is shown.
    """

    rubric: tuple[tuple[Any, str], ...] = RUBRIC
    strictness: int = 1
    shows: tuple[str, ...] = ("question", "answer")

    name = "rubrics_score"
    aliases: ClassVar[tuple[str, ...]] = (
        "domain_specific_rubrics",
        "domain_specific_rubrics_without_reference",
    )
    source = RAGAS_DOCS
    needs: ClassVar[tuple[str, ...]] = ("question", "answer")
    tasks = (GiveGrade,)
    range = (1.0, 5.0)
    criterion: ClassVar[str] = CRITERION

    def __post_init__(self) -> None:
        super().__post_init__()
        check_draws(self.name, self.strictness)
        check_shown(self.name, self.shows)
        try:
            grades = scale(self.rubric)
        except (ValueError, TypeError) as error:
            remedy = f'{self.name}(rubric={{1: "wrong", 2: "right"}})'
            raise InputError(f"{self.name}: {error}", remedy) from error
        shows = tuple(self.shows)
        ends = (grades[0][0], grades[-1][0])
        override(self, rubric=frozen(self.rubric), shows=shows, needs=shows, range=ends)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for a grade as often as is wanted."""
        return await _graded(self.criterion, scale(self.rubric), self, sample, judge)


@dataclass(frozen=True)
class RubricsScoreWithReference(RubricsScore):
    """The answer's grade in a rubric, measured against the reference, 1 to 5.

    Mean of `strictness` draws; a grade that is not in the rubric is an unreadable reply. The
    default rubric is in our words, not RAGAS'. Range: the ends of the rubric. Undefined if a shown
    text is empty.

    Args:
        rubric: Grades and what each means: {1: "wrong", 2: "right"}, or the same as pairs.
        strictness: How many draws are asked for.
        shows: Fields of the sample that the judge is shown.
    """

    rubric: tuple[tuple[Any, str], ...] = RUBRIC_WITH_REFERENCE
    shows: tuple[str, ...] = ("question", "answer", "reference")

    name = "rubrics_score_with_reference"
    aliases = ("domain_specific_rubrics_with_reference",)
    needs = ("question", "answer", "reference")
    criterion = AGAINST


@dataclass(frozen=True)
class InstanceRubrics(Metric):
    """The answer's grade in the sample's own rubric, from 0 (lowest) to 1 (highest).

    (g - lowest) / (highest - lowest) with g the mean of `strictness` draws: rubrics of different
    samples may have different grades, and only their shares have a common mean. RAGAS returns g,
    which is in the details. The sample's field `rubric` holds the meaning of each grade, by "1" or
    "score1_description". In [0, 1]. Undefined if a shown text is empty or the rubric has not two
    grades.

    Args:
        strictness: How many draws are asked for.
        shows: Fields of the sample that the judge is shown.
    """

    strictness: int = 1
    shows: tuple[str, ...] = ("question", "answer")

    name = "instance_rubrics"
    aliases = ("instance_specific_rubrics",)
    source = RAGAS_DOCS
    needs = ("question", "answer", "rubric")
    tasks = (GiveGrade,)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_draws(self.name, self.strictness)
        check_shown(self.name, self.shows)
        override(self, shows=tuple(self.shows), needs=(*self.shows, "rubric"))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for a grade as often as is wanted."""
        try:
            grades = scale(sample.rubric or {})
        except ValueError as error:
            return Unscored("undefined", f"the sample's rubric: {error}")
        found = await _graded(CRITERION, grades, self, sample, judge)
        if isinstance(found, Unscored):
            return found
        (low, _), *_, (high, _) = grades
        details = {"grade": found.value, **found.details}
        return Score((found.value - low) / (high - low), found.parts, details=details)


async def _graded(
    criterion: str,
    grades: Scale,
    metric: RubricsScore | InstanceRubrics,
    sample: Sample,
    judge: Judge,
) -> Outcome:
    if gap := missing(sample, metric.shows):
        return Unscored("undefined", gap)
    task = GiveGrade(criterion, grades, shown(sample, metric.shows))
    draws = await judge.draws(task, metric.strictness)
    values = [draw.value for draw in draws]
    parts = grade_parts(draws, graded(sample, metric.shows), grades[-1][0])
    details = {"grades": values, "agreement": majority(values)[1]}
    return Score(sum(values) / len(values), parts, details=details)


METRICS: tuple[type[Metric], ...] = (RubricsScore, RubricsScoreWithReference, InstanceRubrics)
