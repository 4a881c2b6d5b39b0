"""What a metric of ragas can do: the base classes of its ready-made ones and of a user's own."""

import enum
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeAlias

from assay.errors import InputError
from assay.integrations.ragas.advice import WAYS, completed, missing, refusal
from assay.metrics.base import Can

VALID_COLUMNS = (
    "user_input",
    "retrieved_contexts",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
    "response",
    "reference",
    "rubric",
    "rubrics",
    "reference_tool_calls",
    "reference_topics",
)


Callbacks: TypeAlias = Any  # what metrics of a user's own say of callbacks; there are none here


class MetricType(enum.Enum):
    """What kind of sample a metric scores."""

    SINGLE_TURN = "single_turn"
    MULTI_TURN = "multi_turn"


class EvaluationMode(enum.Enum):
    """What a metric of ragas 0.1 reads of a row; kept for the sake of metrics that say so."""

    qac = enum.auto()
    qa = enum.auto()
    qc = enum.auto()
    gc = enum.auto()
    ga = enum.auto()
    qga = enum.auto()
    qcg = enum.auto()
    ca = enum.auto()


class MetricOutputType(enum.Enum):
    """What kind of value a metric gives."""

    BINARY = "binary"
    DISCRETE = "discrete"
    CONTINUOUS = "continuous"
    RANKING = "ranking"


@dataclass
class Metric:
    """Base of all metrics.

    Attributes:
        name: What its scores are called.
    """

    _required_columns: dict[MetricType, set[str]] = field(default_factory=dict, repr=False)
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or type(self).name or type(self).__name__

    @property
    def required_columns(self) -> dict[str, set[str]]:
        """The columns that it needs, by kind of sample."""
        return self.get_required_columns()

    @required_columns.setter
    def required_columns(self, columns: Mapping[MetricType, set[str]]) -> None:
        for columns_of_type in columns.values():
            for name in sorted(column.partition(":")[0] for column in columns_of_type):
                if name not in VALID_COLUMNS:
                    raise ValueError(f"Invalid column '{name}': must be one of {VALID_COLUMNS}")
        self._required_columns = dict(columns)

    def get_required_columns(self, with_optional: bool = False) -> dict[str, set[str]]:  # noqa: FBT001, FBT002
        """The columns that it needs, by kind of sample, with those that it takes as well."""
        suffixes = ("", "optional") if with_optional else ("",)
        return {
            kind.name: {c.partition(":")[0] for c in columns if c.partition(":")[2] in suffixes}
            for kind, columns in self._required_columns.items()
        }

    def init(self, run_config: Any) -> None:
        """Nothing is to be made ready; for ragas' sake."""

    def get_prompts(self, *_: Any, **__: Any) -> dict[str, Any]:
        """There are no prompts in metrics: assay has them in tasks.

        Raises:
            InputError: Always, with the assay way.
        """
        remedy = "prompts are replaced by task: assay.evaluate(..., settings=Settings(prompts=...))"
        raise InputError(f"{self.name} holds no prompts", remedy)

    set_prompts = adapt_prompts = save_prompts = load_prompts = adapt = save = get_prompts

    async def ascore(self, row: Mapping[str, Any], callbacks: Any = None) -> float:
        """The score of a row by `_ascore`, which a metric of ragas 0.1 defines.

        Raises:
            NotImplementedError: If it does not.
        """
        score = getattr(self, "_ascore", None)
        if score is None:
            raise NotImplementedError(f"{type(self).__name__}._ascore is not implemented")
        return float(await score(row, callbacks))

    def score(self, row: Mapping[str, Any], callbacks: Any = None) -> float:
        """`ascore` run to completion."""
        return completed(self.ascore(row, callbacks))


@dataclass
class MetricWithLLM(Metric):
    """Base of metrics that ask a judge.

    Attributes:
        llm: The judge: a model of any library, or what assay takes. None for that of `evaluate`.
    """

    llm: Any = field(default=None, repr=False)
    output_type: MetricOutputType | None = field(default=None, repr=False)

    train = refusal("metric.train", WAYS["train"])


@dataclass
class MetricWithEmbeddings(Metric):
    """Base of metrics that compare embeddings.

    Attributes:
        embeddings: The embedder. None for that of `evaluate`.
    """

    embeddings: Any = field(default=None, repr=False)


@dataclass
class SingleTurnMetric(Metric):
    """Base of metrics that score one question and its answer."""

    async def _single_turn_ascore(self, sample: Any, callbacks: Any = None) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._single_turn_ascore is not implemented")

    async def single_turn_ascore(
        self,
        sample: Any,
        callbacks: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> Any:
        """The score of a sample; NaN with a warning where there is none."""
        del timeout
        return await self._single_turn_ascore(self._only_kind(sample, "SINGLE_TURN"), callbacks)

    def single_turn_score(self, sample: Any, callbacks: Any = None) -> Any:
        """`single_turn_ascore` run to completion."""
        return completed(self.single_turn_ascore(sample, callbacks))

    def _only_required_columns_single_turn(self, sample: Any) -> Any:
        return self._only_kind(sample, "SINGLE_TURN")

    def _only_kind(self, sample: Any, kind: str) -> Any:
        columns = self.get_required_columns(with_optional=True).get(kind)
        if not columns or not hasattr(sample, "model_dump"):
            return sample
        return type(sample)(**{k: v for k, v in sample.model_dump().items() if k in columns})


@dataclass
class MultiTurnMetric(Metric):
    """Base of metrics that score a conversation."""

    async def _multi_turn_ascore(self, sample: Any, callbacks: Any = None) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._multi_turn_ascore is not implemented")

    async def multi_turn_ascore(
        self,
        sample: Any,
        callbacks: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> Any:
        """The score of a conversation; NaN with a warning where there is none."""
        del timeout
        return await self._multi_turn_ascore(sample, callbacks)

    def multi_turn_score(self, sample: Any, callbacks: Any = None) -> Any:
        """`multi_turn_ascore` run to completion."""
        return completed(self.multi_turn_ascore(sample, callbacks))


_LISTED = ("columns", "passed", "positional")


class _ByPosition(type):
    """Takes parameters by position in the order that the class of ragas has."""

    positional: tuple[str, ...]

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if len(args) > len(cls.positional):
            names = ", ".join(f"{name}=" for name in cls.positional) or "llm="
            raise InputError(f"{cls.__name__} takes its parameters by name", f"give {names}")
        return super().__call__(**dict(zip(cls.positional, args, strict=False)), **named)


@dataclass
class Ready(
    MetricWithLLM,
    MetricWithEmbeddings,
    SingleTurnMetric,
    MultiTurnMetric,
    metaclass=_ByPosition,
):
    """Base of ragas' ready-made metrics, all of which assay computes.

    Attributes:
        metric: The metric of assay that stands behind it.
        columns: The columns that it needs, in ragas' words.
        passed: Parameters that assay's metric takes too: "name", or "name=its name there".
        fixed: Parameters of assay's metric that follow from the class.
        spoken: Whether it scores conversations.
        positional: Parameters that may be given by position, in order.

    A subclass declares these in its head, lists as words; `name` is that of assay's metric unless
    it says so.
    """

    metric: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]] = ()
    passed: ClassVar[tuple[str, ...]] = ()
    fixed: ClassVar[Mapping[str, Any]] = {}
    spoken: ClassVar[bool] = False
    positional: ClassVar[tuple[str, ...]] = ()
    max_retries: int = field(default=1, repr=False)

    def __init_subclass__(cls, **declared: Any) -> None:
        """Keep what the head of a class declares."""
        super().__init_subclass__()
        if "metric" in declared:
            declared.setdefault("name", declared["metric"].removeprefix("ragas:"))
        for name, value in declared.items():
            setattr(cls, name, tuple(value.split()) if name in _LISTED else value)

    def __new__(cls, *_: Any, **parameters: Any) -> Self:
        """Refuse what is no parameter here, by name."""
        names = [field.name for field in fields(cls)]
        for name in parameters:
            if name not in names and cls.__module__.startswith("assay."):
                remedy = "prompts are replaced by task: Settings(prompts=...)"
                has = f"it has {', '.join(names)}"
                raise InputError(
                    f"{cls.__name__} has no parameter '{name}'", remedy if "prompt" in name else has
                )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = MetricType.MULTI_TURN if self.spoken else MetricType.SINGLE_TURN
        self._required_columns = self._required_columns or {kind: set(self.columns)}

    @property
    def key(self) -> str:
        """What its scores are called in a result: its name, with its mode where it has one."""
        mode = getattr(self, "mode", None)
        return f"{self.name}(mode={mode})" if mode else self.name

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """The parameters of assay's metric, for samples that fill these fields."""
        del fields
        names = (name.partition("=") for name in self.passed)
        return {
            **self.fixed,
            **{own_name or name: getattr(self, name) for name, _, own_name in names},
        }

    def in_assay(self, fields: frozenset[str]) -> Any:
        """The metric of assay, for samples that fill these fields."""
        from assay.metrics import METRICS

        return METRICS[self.metric](**self.parameters(fields))

    def served(self, metric: Any, can: Can) -> Any:
        """The metric of assay for a judge that can do these tasks; here the same for all."""
        del can
        return metric

    def value(self, outcome: Any) -> float:
        """What ragas calls the value; NaN where there is none."""
        return float(getattr(outcome, "value", math.nan))

    async def _single_turn_ascore(self, sample: Any, callbacks: Any = None) -> float:
        del callbacks
        return await self._ascore(sample)

    async def _multi_turn_ascore(self, sample: Any, callbacks: Any = None) -> float:
        del callbacks
        return await self._ascore(sample)

    async def _ascore(self, row: Any, callbacks: Any = None) -> float:
        del callbacks
        from assay.integrations.ragas.metrics.result import why
        from assay.integrations.ragas.scoring import outcomes, row_of

        (outcome,) = await outcomes(self, [row_of(row)])
        if why(outcome):
            warnings.warn(f"{self.name} is NaN: {why(outcome)}", stacklevel=2)
        return self.value(outcome)


def __getattr__(name: str) -> Any:
    if name in ("SimpleBaseMetric", "SimpleLLMMetric"):
        from assay.integrations.ragas.metrics import custom

        return {"SimpleBaseMetric": custom.BaseMetric, "SimpleLLMMetric": custom.LLMMetric}[name]
    return missing("metrics.base", name)
