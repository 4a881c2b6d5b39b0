"""What grade does the answer deserve, weighted by how sure the judge is of each grade (G-Eval)?"""

from dataclasses import dataclass
from typing import Any

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.arguments import frozen
from assay.metrics.base import Can, Metric
from assay.metrics.evidence import blank
from assay.metrics.grading import (
    check_draws,
    check_shown,
    check_words,
    grade_parts,
    graded,
    missing,
    override,
    shown,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import GiveGrade, Grade, PlanEvaluation

CRITERION = (
    "How good is the answer as an answer to the question: does it address what was asked, is it "
    "complete, and is it clear?"
)
GRADES = ((1.0, "worst"), (2.0, ""), (3.0, ""), (4.0, ""), (5.0, "best"))
SHOWN = ("question", "answer")


@dataclass(frozen=True)
class GEval(Metric):
    """Expected grade (1 to 5) of the answer by a criterion, after evaluation steps, as 0 to 1.

    (E - 1) / 4 with E = sum over the grades g of p(g) g (Liu et al. 2023, section 2). If the judge
    gives no probabilities p, E is the mean grade of n draws, as in G-Eval for models without
    log-probabilities; the method of the score says which was used. If no steps are given, the judge
    writes them first, once for all samples (the paper's auto-CoT). In [0, 1]. Undefined if a shown
    text is empty.

    Args:
        criterion: What to grade, in words.
        steps: Evaluation steps; none lets the judge write them.
        n: How many draws are asked for where the judge reports no probabilities.
        shows: Fields of the sample that the judge is shown.
    """

    criterion: str = CRITERION
    steps: tuple[str, ...] = ()
    n: int = 5
    shows: tuple[str, ...] = SHOWN

    name = "g_eval"
    source = "Liu et al. 2023, G-Eval (arXiv 2303.16634), section 2"
    needs = SHOWN
    tasks = (PlanEvaluation, GiveGrade)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_words(self.name, "criterion", self.criterion)
        check_draws(self.name, self.n, "n")
        check_shown(self.name, self.shows)
        steps, shows = frozen(self.steps), tuple(self.shows)
        if not all(isinstance(step, str) and not blank(step) for step in steps):
            raise InputError(f"{self.name}: steps must be texts, none of them empty, not {steps}")
        override(self, steps=steps, shows=shows, needs=shows)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Steps only where none are given."""
        del can
        return (GiveGrade,) if self.steps else self.tasks

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for steps, then for a grade; for more draws if it comes without probabilities."""
        if gap := missing(sample, self.shows):
            return Unscored("undefined", gap)
        texts = shown(sample, self.shows)
        steps = self.steps or await judge(PlanEvaluation(self.criterion, self.shows))
        task = GiveGrade(_with_steps(self.criterion, steps), GRADES, texts)
        grades = [await judge(task)]
        if grades[0].probabilities is None:  # asking again would tell nothing new otherwise
            grades += [await judge(task, draw) for draw in range(1, self.n)]
        expected = sum(grade.expected for grade in grades) / len(grades)
        parts = (
            *(Part("step", step) for step in steps),
            *grade_parts(grades, graded(sample, self.shows), 5),
        )
        details = {"grades": [grade.value for grade in grades], "expected": expected}
        return Score((expected - 1) / 4, parts, _method(grades), details)


def _with_steps(criterion: str, steps: tuple[str, ...]) -> str:
    listed = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, start=1))
    return f"{criterion}\n\nGo through these steps in order:\n{listed}"


def _method(grades: list[Grade]) -> str:
    if grades[0].probabilities is not None:
        return "the grades weighted by the probabilities that the judge reports"
    draws = f"the mean of {len(grades)} draws" if len(grades) > 1 else "one draw"
    return f"{draws}: the judge reports no probabilities"
