"""How ragas bounds a run, and its result: scores by metric, tokens and errors by ragas' names."""

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeAlias

from assay._runner.result import Result
from assay.errors import AssayError, InputError, JudgeError, Unavailable, Unreadable
from assay.integrations.ragas.advice import missing, refusal
from assay.judge import Limits


@dataclass
class RunConfig:
    """Bounds on the calls of a run.

    Attributes:
        timeout: Seconds a call may take.
        max_retries: How often a call that brought nothing is made again.
        max_wait: Longest wait between two tries, in seconds.
        max_workers: Most calls at the same time.
        exception_types: Kept for ragas' sake; assay knows which errors are worth another try.
        log_tenacity: Kept for ragas' sake; retries are counted in the store.
        seed: Seed of `rng`.
    """

    timeout: int = 180
    max_retries: int = 10
    max_wait: int = 60
    max_workers: int = 16
    exception_types: Any = (Exception,)
    log_tenacity: bool = False
    seed: int = 42

    @cached_property
    def rng(self) -> Any:
        """A generator of random numbers (numpy) made with the seed."""
        import numpy as np

        return np.random.default_rng(self.seed)

    def limits(self) -> Limits:
        """The same bounds in assay's words."""
        return Limits(
            concurrency=max(1, self.max_workers),
            timeout=float(self.timeout),
            retries=self.max_retries,
            patience=float(self.max_wait),
        )


@dataclass
class TokenUsage:
    """Tokens read and written by one model.

    Attributes:
        input_tokens: Tokens of the prompts.
        output_tokens: Tokens of the replies.
        model: The model, "" if it is not known.
    """

    input_tokens: int
    output_tokens: int
    model: str = ""

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        if not self.is_same_model(other):
            raise ValueError("token counts of different models cannot be added up")
        read, tokens_out = self.input_tokens, self.output_tokens
        return TokenUsage(read + other.input_tokens, tokens_out + other.output_tokens, self.model)

    def is_same_model(self, other: "TokenUsage") -> bool:
        """Whether both are of one model."""
        return self.model == other.model

    def cost(
        self, cost_per_input_token: float, cost_per_output_token: float | None = None
    ) -> float:
        """Their price; tokens written cost as much as tokens read unless it is said."""
        output_price = (
            cost_per_input_token if cost_per_output_token is None else cost_per_output_token
        )
        return self.input_tokens * cost_per_input_token + self.output_tokens * output_price


TokenUsageParser: TypeAlias = Callable[[Any], TokenUsage]


def get_token_usage_for_openai(llm_result: Any) -> TokenUsage:
    """The tokens that a result of LangChain says it used, or that its messages say.

    An evaluation needs no parser: assay counts the tokens of every reply by itself.

    Args:
        llm_result: An `LLMResult` or `ChatResult`.
    """
    messages = [
        getattr(getattr(generation, "message", None), "response_metadata", None) or {}
        for generations in getattr(llm_result, "generations", None) or ()
        for generation in (generations if isinstance(generations, list) else [generations])
    ]
    output = getattr(llm_result, "llm_output", None) or {}
    used = output.get("token_usage")
    usages = [used] if used else [message.get("usage") for message in messages]
    read, tokens_out = (
        sum(
            usage.get(f"{old}_tokens") or usage.get(f"{new}_tokens") or 0
            for usage in usages
            if usage
        )
        for old, new in (("prompt", "input"), ("completion", "output"))
    )
    names = (
        source.get(key)
        for source in (output, *messages)
        for key in ("model_name", "model", "model_id")
    )
    return TokenUsage(read, tokens_out, next(filter(None, names), ""))


get_token_usage_for_azure_ai = get_token_usage_for_anthropic = get_token_usage_for_openai
get_token_usage_for_bedrock = get_token_usage_for_openai


def _of_mean(do: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda scores, operand: do(scores.average, float(operand))


def _to_mean(do: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda scores, operand: do(float(operand), scores.average)


def _of_mean_or_list(do: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    of_list = getattr(list, f"__{do.__name__}__")
    of_mean = _of_mean(do)
    return lambda scores, operand: (of_mean if _is_number(operand) else of_list)(scores, operand)


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
        numbers = [score for score in self if not math.isnan(score)]
        return sum(numbers) / len(numbers) if numbers else math.nan

    def __float__(self) -> float:
        return self.average

    def __round__(self, digits: int | None = None) -> float:
        return round(self.average, digits)

    def __format__(self, form: str) -> str:
        return format(self.average, form) if form else str(self)

    def __neg__(self) -> float:
        return -self.average

    __sub__, __mul__, __truediv__ = map(_of_mean, (operator.sub, operator.mul, operator.truediv))
    __rsub__, __rmul__ = map(_to_mean, (operator.sub, operator.mul))
    __rtruediv__ = _to_mean(operator.truediv)
    __add__ = __radd__ = _of_mean_or_list(operator.add)
    __lt__, __le__ = map(_of_mean_or_list, (operator.lt, operator.le))
    __gt__, __ge__ = map(_of_mean_or_list, (operator.gt, operator.ge))


def _is_number(operand: Any) -> bool:
    return isinstance(operand, int | float | Scores)


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
        means = [f"'{name}': {mean:0.4f}" for name, mean in self._repr_dict.items()]
        return "{" + ", ".join(means) + "}"

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
            {name: scores[index] for name, scores in self.columns.items()}
            for index in range(len(self.rows))
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

    traces = ragas_traces = property(
        refusal("result.traces", "result.assay.trace(sample, metric) has the evidence of a score")
    )
    cost_cb = property(
        refusal("result.cost_cb", "result.total_tokens() and result.total_cost() need no callback")
    )

    @property
    def run_id(self) -> str:
        """The id of assay's run, by which the store has it; see `assay` for when there is one."""
        return self.assay.run.id

    @property
    def binary_columns(self) -> list[str]:
        """The metrics whose scores are all 0 or 1."""
        return [name for name, scores in self.columns.items() if {*scores} <= {0.0, 1.0}]

    upload = refusal("upload")  # there is no server to upload to


__all__ = [
    "ExceptionInRunner",
    "LLMDidNotFinishException",
    "MaxRetriesExceeded",
    "RagasError",
    "RagasException",
    "RagasOutputParserException",
    "ValidationError",
]

RagasException = RagasError = AssayError
ExceptionInRunner = JudgeError
RagasOutputParserException = Unreadable
LLMDidNotFinishException = MaxRetriesExceeded = Unavailable
ValidationError = InputError


__getattr__ = partial(missing, "run_config")
