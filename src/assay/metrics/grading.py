"""Grades by several draws: what graded metrics share, rubrics, and NVIDIA's paired ratings."""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import FOLLOWS_RAGAS, RAGAS_DOCS, Draws, Metric, frozen, override
from assay.metrics.evidence import blank
from assay.sample import Sample, Turn
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import GiveGrade, Grade

T = TypeVar("T", bound=Hashable)

# What a judge is told that a text is, by the field of the sample it comes from.
NAMES = {
    "question": "question",
    "contexts": "context",
    "answer": "answer",
    "reference": "reference",
    "reference_contexts": "reference context",
    "other_answer": "other answer",
    "turns": "turn",
}


def check_fields(name: str, called: str, fields: Sequence[str]) -> None:
    """See that the fields can be shown, each once.

    Raises:
        InputError: If they cannot.
    """
    wrong = [field for field in fields if field not in NAMES]
    if wrong or not fields or len(set(fields)) < len(fields):
        del called
        fault = f"{name}: cannot show {', '.join(map(str, wrong)) or 'nothing, or one field twice'}"
        raise InputError(fault, f"one or several of {', '.join(NAMES)}")


def check_words(name: str, called: str, text: object) -> None:
    """See that a criterion says something.

    Raises:
        InputError: If it does not.
    """
    if not isinstance(text, str) or blank(text):
        raise InputError(f"{name}: {called} is empty", f'{name}({called}="what to look at")')


Words: TypeAlias = Annotated[str, check_words]
ShownFields: TypeAlias = Annotated[tuple[str, ...], check_fields]


def missing(sample: Sample, fields: Sequence[str]) -> str:
    """Why there is nothing to grade: the first of the fields in which there is no word."""
    for field in fields:
        if blank(*(text for _, text in _texts(sample, field))):
            return f"the field '{field}' is empty"
    return ""


def texts_of(sample: Sample, fields: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The texts of these fields with the names that a judge is told; of contexts, each its own."""
    return tuple(text for field in fields for text in _texts(sample, field))


def graded(sample: Sample, fields: Sequence[str]) -> tuple[str, str]:
    """What is graded, and its text: the answer if it is shown, else what is shown first."""
    field = "answer" if "answer" in fields else fields[0]
    return NAMES[field], "\n".join(text for _, text in _texts(sample, field))


def _texts(sample: Sample, field: str) -> list[tuple[str, str]]:
    value, name = getattr(sample, field), NAMES[field]
    if not isinstance(value, tuple):
        return [(name, value or "")]
    return [
        (f"{name} {n}, {item.role}", item.text) if isinstance(item, Turn) else (f"{name} {n}", item)
        for n, item in enumerate(value, start=1)
    ]


def grade_parts(draws: Sequence[Grade], of: tuple[str, str], best: float) -> tuple[Part, ...]:
    """One part for the grade of each draw."""
    return tuple(Part(*of, f"{d.value:g} of {best:g}", d.value, d.reason) for d in draws)


def majority(values: Sequence[T]) -> tuple[T | None, float]:
    """What most of the draws say, None if two are said equally often; and the share that says it.

    Not more than half need to say it: of yes, yes, no, maybe it is yes.
    """
    (first, n), *other_counts = Counter(values).most_common()
    is_tie = bool(other_counts) and other_counts[0][1] == n
    return (None if is_tie else first), n / len(values)


def tie_message(values: Sequence[str]) -> str:
    """Why there is no majority."""
    counts = ", ".join(f"{n} {value}" for value, n in Counter(values).most_common())
    return f"no majority among {len(values)} draws: {counts}"


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
    meanings: dict[float, str] = {}
    for grade, meaning in pairs:
        match = _GRADE.fullmatch(str(grade).strip())
        if match is None or not isinstance(meaning, str):
            raise ValueError(f"'{grade}: {meaning}' is no grade with its meaning")
        if float(match[1]) in meanings:
            raise ValueError(f"the grade {match[1]} stands there twice")
        meanings[float(match[1])] = meaning
    if len(meanings) < 2:
        raise ValueError("a rubric has two grades or more")
    return tuple(sorted(meanings.items()))


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
    strictness: Draws = 1
    shows: ShownFields = ("question", "answer")

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
    shows: ShownFields = ("question", "answer", "reference")

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

    strictness: Draws = 1
    shows: ShownFields = ("question", "answer")

    name = "instance_rubrics"
    aliases = ("instance_specific_rubrics",)
    source = RAGAS_DOCS
    needs = ("question", "answer", "rubric")
    tasks = (GiveGrade,)

    def __post_init__(self) -> None:
        super().__post_init__()
        override(self, shows=tuple(self.shows), needs=(*self.shows, "rubric"))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for a grade as often as is wanted."""
        try:
            grades = scale(sample.rubric or {})
        except ValueError as error:
            return Unscored("undefined", f"the sample's rubric: {error}")
        outcome = await _graded(CRITERION, grades, self, sample, judge)
        if isinstance(outcome, Unscored):
            return outcome
        (low, _), *_, (high, _) = grades
        details = {"grade": outcome.value, **outcome.details}
        return Score((outcome.value - low) / (high - low), outcome.parts, details=details)


async def _graded(
    criterion: str,
    grades: Scale,
    metric: RubricsScore | InstanceRubrics,
    sample: Sample,
    judge: Judge,
) -> Outcome:
    if gap := missing(sample, metric.shows):
        return Unscored("undefined", gap)
    task = GiveGrade(criterion, grades, texts_of(sample, metric.shows))
    draws = await judge.draws(task, metric.strictness)
    values = [draw.value for draw in draws]
    parts = grade_parts(draws, graded(sample, metric.shows), grades[-1][0])
    details = {"grades": values, "agreement": majority(values)[1]}
    return Score(sum(values) / len(values), parts, details=details)


SOURCE = "RAGAS documentation, NVIDIA metrics"

# Which of the two asks is meant, and how: criterion, grades, and the label of its part.
SAME = "Does the answer say what the reference says? The reference answers the question completely."
SAME_GRADES: Scale = (
    (0.0, "the answer is wrong, or says something else than the reference"),
    (2.0, "the answer says part of it, or almost the same"),
    (4.0, "the answer says the same in all facts, numbers, dates and units"),
)
ALIKE = (
    "Compare the answer with the reference for the question, point by point: topics, facts, "
    "numbers, dates and units. How far do the two agree?"
)
ALIKE_GRADES: Scale = (
    (0.0, "they disagree, or one of them does not answer the question"),
    (2.0, "they agree for the most part, with small differences or gaps"),
    (4.0, "they agree in everything"),
)
USEFUL = "Do the contexts hold what is needed to answer the question? Use no knowledge of your own."
USEFUL_GRADES: Scale = (
    (0.0, "nothing in them helps to answer it"),
    (1.0, "they hold a part of what is needed"),
    (2.0, "they hold all that is needed"),
)
ENOUGH = (
    "Someone has nothing but these contexts and has to answer the question. How far does that "
    "person get?"
)
ENOUGH_GRADES: Scale = (
    (0.0, "nowhere: the contexts are about something else"),
    (1.0, "half the way: something of the answer is missing"),
    (2.0, "all the way: the question can be answered in full"),
)
GROUNDED = "Do the contexts support what the answer says? Use no knowledge of your own."
GROUNDED_GRADES: Scale = (
    (0.0, "they do not support it"),
    (1.0, "they support a part of it"),
    (2.0, "they support all of it"),
)
TRACED = (
    "Trace each thing that the answer says back to the contexts. How much of the answer can be "
    "traced back?"
)
TRACED_GRADES: Scale = (
    (0.0, "nothing of importance"),
    (1.0, "some of it"),
    (2.0, "everything"),
)


@dataclass(frozen=True)
class AnswerAccuracy(Metric):
    """Agreement of the answer with the reference, rated twice with the roles of the two swapped.

    (r1 + r2) / 8 with ratings of {0, 2, 4}: the first compares the answer with the reference, the
    second, in other words, the reference with the answer. In [0, 1]. If one rating fails, RAGAS
    uses the other for both; here the score fails. Undefined if question or reference is empty; an
    empty answer scores 0. The two ratings are the parts.
    """

    name = "answer_accuracy"
    aliases = ("nv_accuracy",)
    source = SOURCE
    follows = FOLLOWS_RAGAS
    needs = ("question", "answer", "reference")
    tasks = (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Rate both ways."""
        question, reference = sample.question or "", sample.reference or ""
        answer = sample.answer or ""
        if blank(question) or blank(reference):
            return Unscored("undefined", "the question or the reference is empty")
        if blank(answer):
            return Score(0.0, (Part("answer", answer, "empty", 0.0),))
        shown_question = ("question", question)
        forward = (shown_question, ("answer", answer), ("reference", reference))
        backward = (shown_question, ("answer", reference), ("reference", answer))
        tasks = [GiveGrade(SAME, SAME_GRADES, forward), GiveGrade(ALIKE, ALIKE_GRADES, backward)]
        directions = ("answer against reference", "reference against answer")
        return await _rated(tasks, directions, answer, judge)


@dataclass(frozen=True)
class NvContextRelevance(Metric):
    """How far the contexts contain what the question needs, rated with two different prompts.

    (r1 + r2) / 4 with ratings of {0, 1, 2}, all contexts together. In [0, 1]. As in RAGAS it is 0
    if the contexts are empty or contained in the question. If one rating fails, RAGAS uses the
    other for both; here the score fails. Undefined if the question is empty.
    """

    name = "nv_context_relevance"
    source = SOURCE
    follows = FOLLOWS_RAGAS
    needs = ("question", "contexts")
    tasks = (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Rate the contexts twice."""
        question, joined = sample.question or "", "\n".join(sample.contexts or ())
        if blank(question):
            return Unscored("undefined", "the question is empty")
        if blank(joined):
            return Score(0.0, (Part("question", question, "no context", 0.0),))
        if joined.strip() in question.strip():
            return Score(0.0, (Part("question", question, "holds the contexts itself", 0.0),))
        texts = texts_of(sample, ("question", "contexts"))
        tasks = [GiveGrade(USEFUL, USEFUL_GRADES, texts), GiveGrade(ENOUGH, ENOUGH_GRADES, texts)]
        return await _rated(tasks, ("first wording", "second wording"), joined, judge)


@dataclass(frozen=True)
class ResponseGroundedness(Metric):
    """How far the contexts support the answer, rated with two different prompts.

    (r1 + r2) / 4 with ratings of {0, 1, 2}, all contexts together. In [0, 1]. As in RAGAS it is 0
    if answer or contexts are empty. If one rating fails, RAGAS uses the other for both; here the
    score fails.
    """

    name = "response_groundedness"
    aliases = ("nv_response_groundedness",)
    source = SOURCE
    follows = FOLLOWS_RAGAS
    needs = ("contexts", "answer")
    tasks = (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Rate the answer twice."""
        answer = sample.answer or ""
        if blank(answer) or blank(*(sample.contexts or ())):
            label = "empty" if blank(answer) else "no context"
            return Score(0.0, (Part("answer", answer, label, 0.0),))
        texts = texts_of(sample, ("contexts", "answer"))
        tasks = [
            GiveGrade(GROUNDED, GROUNDED_GRADES, texts),
            GiveGrade(TRACED, TRACED_GRADES, texts),
        ]
        return await _rated(tasks, ("first wording", "second wording"), answer, judge)


async def _rated(
    tasks: Sequence[GiveGrade], directions: Sequence[str], text: str, judge: Judge
) -> Score:
    best = tasks[0].grades[-1][0]
    ratings = await judge.each(tasks)
    parts = tuple(
        Part("rating", text, f"{direction}: {r.value:g} of {best:g}", r.value / best, r.reason)
        for direction, r in zip(directions, ratings, strict=True)
    )
    details = {"ratings": [rating.value for rating in ratings]}
    return Score(sum(r.value for r in ratings) / (len(ratings) * best), parts, details=details)
