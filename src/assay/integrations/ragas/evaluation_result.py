"""The result of ragas' `evaluate`: scores by metric, over assay's own results."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay._runner.result import Result
from assay.errors import InputError
from assay.integrations.ragas.advice import refuse
from assay.integrations.ragas.run_config import TokenUsage


class Scores(list[float]):
    """The scores of one metric, a list (ragas 0.2 and later) and its mean (before) in one.

    NaN stands where there is no score; the mean is that of the others. It is the mean where a
    number is asked for: ``float(scores)``, ``round(scores, 2)``, ``f"{scores:.2f}"``, and in
    arithmetic and comparisons with a number or the scores of another metric.
    """

    @property
    def average(self) -> float:
        """The mean of the scores there are; NaN if there is none."""
        # Not called `mean`: numpy would call an attribute of that name.
        there = [score for score in self if not math.isnan(score)]
        return sum(there) / len(there) if there else math.nan

    def __float__(self) -> float:
        return self.average

    def __round__(self, digits: int | None = None) -> float:
        return round(self.average, digits)

    def __format__(self, form: str) -> str:
        return format(self.average, form) if form else str(self)

    def __neg__(self) -> float:
        return -self.average

    def __add__(self, other: Any) -> Any:
        return self.average + float(other) if _is_number(other) else super().__add__(other)

    def __sub__(self, other: Any) -> float:
        return self.average - float(other)

    def __rsub__(self, other: float) -> float:
        return other - self.average

    def __mul__(self, other: Any) -> Any:
        return self.average * float(other)

    def __truediv__(self, other: Any) -> float:
        return self.average / float(other)

    def __rtruediv__(self, other: float) -> float:
        return other / self.average

    __radd__ = __add__
    __rmul__ = __mul__

    def __lt__(self, other: Any) -> bool:
        return self.average < float(other) if _is_number(other) else super().__lt__(other)

    def __le__(self, other: Any) -> bool:
        return self.average <= float(other) if _is_number(other) else super().__le__(other)

    def __gt__(self, other: Any) -> bool:
        return self.average > float(other) if _is_number(other) else super().__gt__(other)

    def __ge__(self, other: Any) -> bool:
        return self.average >= float(other) if _is_number(other) else super().__ge__(other)


def _is_number(other: Any) -> bool:
    return isinstance(other, int | float | Scores)


def _names(name: str, model: str) -> bool:
    """Whether a judge is of that model: `gpt-4o` is not `openai:gpt-4o-mini`."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", model) is not None


@dataclass(eq=False)
class EvaluationResult(Mapping[str, Scores]):
    """The scores of a data set.

    Attributes:
        rows: The rows as they were given.
        columns: Scores by metric, in the order of the rows.
        reasons: Why there is no score, by metric and in the order of the rows; "" where there is.
        runs: assay's own results, one for each judge, with all the evidence.
        dataset: The data set as it was given.
    """

    rows: Sequence[Mapping[str, Any]]
    columns: Mapping[str, Scores]
    reasons: Mapping[str, Sequence[str]]
    runs: Sequence[Result] = ()
    dataset: Any = field(default=None, repr=False)

    def __getitem__(self, metric: str) -> Scores:
        return self.columns[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        shown = [f"'{name}': {mean:0.4f}" for name, mean in self._repr_dict.items()]
        return "{" + ", ".join(shown) + "}"

    @property
    def _repr_dict(self) -> dict[str, float]:
        # Not public in ragas either, but what scripts for 0.2 and later take means from.
        return {name: scores.average for name, scores in self.columns.items()}

    @property
    def assay(self) -> Result:
        """Assay's own result: intervals, evidence, reports.

        Raises:
            InputError: If the metrics had several judges, or none that assay knows of.
        """
        if len(self.runs) != 1:
            raise InputError(f"there are {len(self.runs)} runs of assay behind it", "see .runs")
        return self.runs[0]

    @property
    def scores(self) -> list[dict[str, float]]:
        """One dict a row."""
        return [
            {name: scores[at] for name, scores in self.columns.items()}
            for at in range(len(self.rows))
        ]

    def to_pandas(self) -> Any:
        """Rows, scores, and beside each score with gaps a column `<metric>_why`.

        Raises:
            InputError: If pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InputError("to_pandas needs pandas", "pip install 'assay[ragas]'") from None
        frame = pd.DataFrame([dict(row) for row in self.rows])
        for name, scores in self.columns.items():
            frame[name] = list(scores)
            if any(self.reasons[name]):
                frame[f"{name}_why"] = list(self.reasons[name])
        return frame

    def total_tokens(self) -> TokenUsage | list[TokenUsage]:
        """Tokens that this evaluation paid for; a list where it had several judges.

        Replies that were in the store already cost nothing and are not counted.
        """
        usages = []
        for run in self.runs:
            spent = run.paid
            judge = str(run.run.config["judge"])
            usages.append(TokenUsage(spent.tokens_in, spent.tokens_out, judge))
        return usages[0] if len(usages) == 1 else usages

    def total_cost(
        self,
        cost_per_input_token: float | None = None,
        cost_per_output_token: float | None = None,
        per_model_costs: Mapping[str, tuple[float, float]] | None = None,
    ) -> float:
        """What these tokens cost.

        Args:
            cost_per_input_token: Price of a token read.
            cost_per_output_token: Price of a token written, the same if it is not given.
            per_model_costs: Both prices by model, where there are several.

        Raises:
            InputError: If a model has no price.
        """
        used = self.total_tokens()
        prices = per_model_costs or {}
        total = 0.0
        for usage in used if isinstance(used, list) else [used]:
            model = next((name for name in prices if _names(name, usage.model)), None)
            if model is not None:
                total += usage.cost(*prices[model])
            elif cost_per_input_token is not None:
                total += usage.cost(cost_per_input_token, cost_per_output_token)
            else:
                raise InputError(f"no price for {usage.model}", "give cost_per_input_token")
        return total

    @property
    def traces(self) -> Any:
        """Not kept in ragas' form.

        Raises:
            InputError: Always, with the assay way.
        """
        refuse("result.traces", "result.assay.trace(sample, metric) has the evidence of a score")

    ragas_traces = traces

    @property
    def cost_cb(self) -> Any:
        """There are no callbacks.

        Raises:
            InputError: Always, with the assay way.
        """
        refuse("result.cost_cb", "result.total_tokens() and result.total_cost() need no callback")

    @property
    def run_id(self) -> str:
        """The id of assay's run, by which the store has it; see `assay` for when there is one."""
        return self.assay.run.id

    @property
    def binary_columns(self) -> list[str]:
        """The metrics whose scores are all 0 or 1."""
        return [name for name, scores in self.columns.items() if {*scores} <= {0.0, 1.0}]

    def upload(self, *_: Any, **__: Any) -> str:
        """There is no server to upload to.

        Raises:
            InputError: Always, with the assay way.
        """
        refuse("upload")
