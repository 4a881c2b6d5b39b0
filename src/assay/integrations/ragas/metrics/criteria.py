"""The ready-made metrics of ragas whose criterion is in words, each computed by assay."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.integrations.ragas.metrics.base import Ready
from assay.score import Unscored

# In the order in which a judge is shown them.
_SHOWN = ("question", "turns", "contexts", "answer", "reference", "reference_contexts")
_ENDS = re.compile(r"(\d+)\s*(?:to|-|\N{EN DASH})\s*(\d+)")


class ReferenceFree(Ready):
    """A metric that is not shown the reference, whatever else there is."""

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The same without the reference."""
        return super().parameters(fields - {"reference"})


@dataclass
class AspectCritic(Ready):
    """Whether the sample meets a criterion in words, 1 or 0: `aspect_critic`."""

    metric = "aspect_critic"
    name = "aspect_critic"
    positional = ("name", "definition", "llm")
    definition: str = ""
    strictness: int = 1

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The criterion, and all texts that there are."""
        words = {"definition": self.definition, "strictness": self.strictness}
        return {**words, "shows": shows(fields)}


AspectCritique = AspectCritic


@dataclass
class SimpleCriteriaScore(Ready):
    """A grade by a criterion in words: `numeric_criterion`.

    The grades are those that the criterion names ("Score 0 to 5 by ..."), else 0 to 5.
    """

    metric = "numeric_criterion"
    name = "simple_criteria"
    positional = ("name", "definition", "llm")
    definition: str = ""
    strictness: int = 1

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The criterion, its grades, and all texts that there are."""
        ends = _ENDS.search(self.definition)
        low, high = (float(ends[1]), float(ends[2])) if ends else (0.0, 5.0)
        words = {"criterion": self.definition, "strictness": self.strictness}
        return {**words, "low": low, "high": high, "shows": shows(fields)}


class SimpleCriteriaScoreWithReference(SimpleCriteriaScore):
    """`SimpleCriteriaScore` by the name of ragas 0.2.0."""


class SimpleCriteriaScoreWithoutReference(ReferenceFree, SimpleCriteriaScore):
    """`SimpleCriteriaScore`, whatever the reference says (ragas 0.2.0)."""


@dataclass
class RubricsScore(Ready):
    """The grade of a rubric that the sample reaches: `rubrics_score`."""

    metric = "rubrics_score"
    name = "domain_specific_rubrics"
    positional: ClassVar[tuple[str, ...]] = ("name", "rubrics", "llm")
    rubrics: Mapping[str, str] | None = None

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The rubric, and all texts that there are."""
        given = {} if self.rubrics is None else {"rubric": tuple(self.rubrics.items())}
        return {**given, "shows": shows(fields)}


class RubricsScoreWithReference(RubricsScore):
    """`RubricsScore` by the name of ragas 0.2.0."""

    name = "rubrics_score_with_reference"


class RubricsScoreWithoutReference(ReferenceFree, RubricsScore):
    """`RubricsScore`, whatever the reference says (ragas 0.2.0)."""

    name = "rubrics_score_without_reference"


class LabelledRubricsScore(RubricsScoreWithReference):
    """`RubricsScore` by the name of ragas 0.1."""

    name = "labelled_rubrics_score"


class ReferenceFreeRubricsScore(RubricsScoreWithoutReference):
    """`RubricsScore`, whatever the reference says (ragas 0.1)."""

    name = "reference_free_rubrics_score"


class InstanceRubrics(Ready):
    """The grade that a sample reaches of its own rubric: `instance_rubrics`."""

    metric = "instance_rubrics"
    name = "instance_rubrics"
    positional = ("name", "llm")

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """All texts that there are."""
        return {"shows": shows(fields)}

    def value(self, outcome: Any) -> float:
        """The grade itself, which assay gives as a share of the rubric's range."""
        there = not isinstance(outcome, Unscored)
        return float(outcome.details["grade"]) if there else super().value(outcome)


class InstanceRubricsWithReference(InstanceRubrics):
    """`InstanceRubrics` by the name of ragas 0.2.0."""

    name = "labelled_rubrics_score"


class InstanceRubricsScoreWithoutReference(ReferenceFree, InstanceRubrics):
    """`InstanceRubrics`, whatever the reference says (ragas 0.2.0)."""

    name = "reference_free_rubrics_score"


def shows(fields: frozenset[str]) -> tuple[str, ...]:
    """The fields that a judge can be shown, in the order in which it is."""
    found = tuple(name for name in _SHOWN if name in fields)
    return found or ("question", "answer")  # so that assay says what is missing
