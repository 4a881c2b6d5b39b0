"""Metrics in a user's own words: a label, a number or an order by a prompt (ragas 0.4)."""

import asyncio
import gzip
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from assay._runner.settings import Settings
from assay.errors import InputError
from assay.integrations.ragas.advice import completed, refusal, refuse, reworded
from assay.integrations.ragas.judges import choose_judges
from assay.integrations.ragas.metrics.result import MetricResult, result_of, unwanted
from assay.integrations.ragas.scoring import row_of, run
from assay.judge import Judge, Task
from assay.metrics import Metric
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import ChooseLabel, GiveGrade, RankAnswers

_PLACE = re.compile(r"\{(\w+)\}")
_STEPS = 10  # grades on a scale of fractions


@dataclass(frozen=True)
class _Worded(Metric):
    """A criterion in words about texts that stand under `inputs` in a sample's metadata."""

    criterion: str = ""

    source = "ragas 0.4"
    needs = ("metadata",)

    def _inputs(self, sample: Sample) -> Mapping[str, Any]:
        inputs: Mapping[str, Any] = sample.metadata["inputs"]
        return inputs


@dataclass(frozen=True)
class Labelled(_Worded):
    """Which label the texts deserve by a criterion in words."""

    labels: tuple[str, ...] = ()

    name = "ragas:discrete"
    tasks = (ChooseLabel,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for a label; the score is its place, from 0 (first) to 1 (last)."""
        texts = _shown_texts(self._inputs(sample))
        labels = tuple((label, "") for label in self.labels)
        reply = await judge(ChooseLabel(self.criterion, labels, texts))
        share = self.labels.index(reply.value) / max(1, len(self.labels) - 1)
        part = Part("texts", _text(texts), reply.value, share, reply.reason)
        return Score(share, (part,), details={"value": reply.value})


@dataclass(frozen=True)
class Graded(_Worded):
    """Which grade the texts deserve by a criterion in words."""

    grades: tuple[float, ...] = ()

    name = "ragas:numeric"
    tasks = (GiveGrade,)
    range = (-math.inf, math.inf)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for a grade."""
        texts = _shown_texts(self._inputs(sample))
        grades = tuple((grade, "") for grade in self.grades)
        reply = await judge(GiveGrade(self.criterion, grades, texts))
        part = Part("texts", _text(texts), f"{reply.value:g}", reply.value, reply.reason)
        return Score(reply.value, (part,), details={"value": reply.value})


@dataclass(frozen=True)
class Ranked(_Worded):
    """In which order the items of a list stand by a criterion in words."""

    items: int = 2

    name = "ragas:ranking"
    tasks = (RankAnswers,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for the order, best first; the score is the first item's place, 1 for the best."""
        inputs = self._inputs(sample)
        lists = [name for name, value in inputs.items() if isinstance(value, list)]
        if len(lists) != 1 or len(inputs[lists[0]]) != self.items:
            return Unscored("undefined", f"no list of {self.items} items to be ranked was given")
        items = tuple(map(str, inputs[lists[0]]))
        other_inputs = {name: value for name, value in inputs.items() if name != lists[0]}
        reply = await judge(RankAnswers(self.criterion, _shown_texts(other_inputs), items))
        ranked = [items[index] for index in reply.order]
        share = 1 - reply.order.index(0) / max(1, self.items - 1)
        parts = tuple(Part("item", item, f"rank {n}") for n, item in enumerate(ranked, 1))
        return Score(share, parts, details={"value": ranked, "reason": reply.reason})


def _shown_texts(inputs: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    names_and_items = [
        (f"{name} {n}", item) if isinstance(value, list) else (name, item)
        for name, value in inputs.items()
        for n, item in enumerate(value if isinstance(value, list) else [value], 1)
    ]
    return tuple((name, str(item)) for name, item in names_and_items)


def _text(texts: Sequence[tuple[str, str]]) -> str:
    return "\n".join(text for _, text in texts)


@dataclass
class BaseMetric:
    """Base of the metrics of ragas 0.4 that a user makes.

    Attributes:
        name: What its scores are called.
        allowed_values: The values that it may give.
    """

    name: str = "metric"
    allowed_values: Any = field(default_factory=lambda: ["pass", "fail"])

    async def ascore(self, **inputs: Any) -> MetricResult:
        """The value for these inputs, by keyword; what a metric of the user's own defines.

        Raises:
            NotImplementedError: If it does not.
        """
        raise NotImplementedError(f"{type(self).__name__}.ascore is not implemented")

    def score(self, **inputs: Any) -> MetricResult:
        """`ascore` run to completion."""
        return completed(self.ascore(**inputs))

    async def abatch_score(self, inputs: Sequence[Mapping[str, Any]], **options: Any) -> list[Any]:
        """The values for several sets of inputs."""
        return list(await asyncio.gather(*(self.ascore(**{**row, **options}) for row in inputs)))

    def batch_score(self, inputs: Sequence[Mapping[str, Any]], **options: Any) -> list[Any]:
        """`abatch_score` run to completion."""
        return completed(self.abatch_score(inputs, **options))

    def validate_result_value(self, value: Any) -> str | None:
        """What is wrong with a value of this metric; None if it is allowed."""
        return unwanted(value, self.allowed_values) or None


@dataclass
class LLMMetric(BaseMetric):
    """A metric whose prompt names its texts in braces: "Is {response} polite?".

    The judge is shown the texts apart from the words of the prompt, so that nothing in them can
    pass for an instruction.

    Attributes:
        prompt: The criterion in words.
        llm: The judge; `llm=` of a call goes before it.
    """

    prompt: Any = ""
    llm: Any = None
    tasks: ClassVar[tuple[type[Task[Any]], ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.prompt, str):
            refuse("prompt objects", "give the prompt as a text with {names} in braces")

    def get_variables(self) -> list[str]:
        """The names in braces, each once."""
        return list(dict.fromkeys(_PLACE.findall(self.prompt)))

    async def ascore(self, *, llm: Any = None, **inputs: Any) -> MetricResult:
        """The value for these texts, by keyword as the prompt names them.

        Raises:
            InputError: If one is missing.
        """
        result: MetricResult
        (result,) = await self.abatch_score([inputs], llm=llm)
        return result

    async def abatch_score(self, inputs: Sequence[Mapping[str, Any]], **options: Any) -> list[Any]:
        """The values for several sets of texts; a judge may be given as `llm`, or with them."""
        if type(self).ascore is not LLMMetric.ascore:  # a metric of the user's own
            return await super().abatch_score(inputs, **options)
        if not inputs:
            return []
        judge = options.get("llm") or inputs[0].get("llm") or self.llm
        texts = [row_of({k: v for k, v in row.items() if k != "llm"}) for row in inputs]
        for row in texts:
            absent = [name for name in self.get_variables() if name not in row]
            if absent:
                raise InputError(f"{self.name}: its prompt names {', '.join(absent)}", "give it")
        metric = self.in_assay()
        rows = [{"metadata": {"inputs": row}} for row in texts]
        with reworded():
            judges = choose_judges(judge, None, settings := Settings(probe=False), needed=True)
            judges.warn(())
        result = await run(rows, [metric], judges.judge, judges.embedder, settings)
        return [
            result_of(outcome, outcome.details.get("value"), row)
            if isinstance(outcome, Score)
            else result_of(outcome, None, row)
            for outcome, row in zip(result[metric.label], texts, strict=True)
        ]

    def in_assay(self) -> Metric:
        """The metric of assay.

        Raises:
            InputError: If this class has none.
        """
        raise InputError(f"{type(self).__name__} has no values", "DiscreteMetric, NumericMetric")

    @property
    def criterion(self) -> str:
        """The prompt with the names of the texts in the place of the texts."""
        return _PLACE.sub(r"the text '\1'", str(self.prompt)).strip()

    align = refusal("metric.align", "`assay agree` and `assay calibrate` work on human labels")
    align_and_validate = validate_alignment = get_correlation = align

    def save(self, path: str | Path | None = None) -> None:
        """Write name, prompt and allowed values to a JSON file, which ragas 0.4 reads too.

        Args:
            path: The file; of a folder, ``NAME.json`` in it. ``.gz`` compresses.

        Raises:
            InputError: If it cannot be written.
        """
        write(place(path, self.name), type(self).__name__, self)

    @classmethod
    def load(
        cls, path: str | Path, response_model: Any = None, embedding_model: Any = None
    ) -> Self:
        """The metric that `save`, or ragas 0.4, wrote to a file.

        Args:
            path: The file.
            response_model: Kept for ragas' sake; the form of a reply follows from the metric.
            embedding_model: Likewise.

        Raises:
            InputError: If the file cannot be read, or holds another kind of metric.
        """
        del response_model, embedding_model
        return cls(**read(path, cls.__name__))


@dataclass
class DiscreteMetric(LLMMetric):
    """A label of `allowed_values` by a prompt; assay's `discrete_criterion` for any texts."""

    def in_assay(self) -> Metric:
        """The metric of assay."""
        return Labelled(self.criterion, tuple(map(str, self.allowed_values)))


@dataclass
class NumericMetric(LLMMetric):
    """A number between two ends, or of a range, by a prompt.

    Between whole ends that lie 2 or more apart the judge gives whole grades, else tenths of the
    way.
    """

    allowed_values: Any = (0.0, 1.0)

    def in_assay(self) -> Metric:
        """The metric of assay."""
        return Graded(self.criterion, grades_of(self.allowed_values))


@dataclass
class RankingMetric(LLMMetric):
    """The items of the one list among the texts, best first, by a prompt.

    `allowed_values` is their number.
    """

    allowed_values: Any = 2

    def in_assay(self) -> Metric:
        """The metric of assay."""
        return Ranked(self.criterion, int(self.allowed_values))


def grades_of(allowed: Any) -> tuple[float, ...]:
    """The grades that stand for the allowed values.

    Raises:
        InputError: If they are no range and no two ends.
    """
    if isinstance(allowed, range):
        return tuple(map(float, allowed))
    try:
        low, high = map(float, allowed)
    except (TypeError, ValueError) as error:
        raise InputError(f"not a range of numbers: {allowed!r}", "allowed_values=(0, 1)") from error
    is_whole = low.is_integer() and high.is_integer() and high - low >= 2
    steps = round(high - low) if is_whole else _STEPS
    return tuple(round(low + n * (high - low) / steps, 9) for n in range(steps + 1))


_VERSION = "1.0"


def place(path: str | Path | None, name: str) -> Path:
    """Where a metric of this name is kept: a file, a file in a folder, or ``./NAME.json``."""
    file = Path(path) if path is not None else Path(f"{name}.json")
    if file.is_dir():
        return file / f"{name}.json"
    return file if file.suffix else file.with_suffix(".json")


def write(path: Path, kind: str, metric: Any) -> None:
    """Write a metric; ``.gz`` compresses.

    Raises:
        InputError: If the file cannot be written.
    """
    allowed = metric.allowed_values
    data = {
        "format_version": _VERSION,
        "metric_type": kind,
        "name": metric.name,
        "prompt": {"type": "string", "instruction": metric.prompt},
        "config": {"allowed_values": _allowed_as_list(allowed)},
        "response_model_info": None,
    }
    text = json.dumps(data, indent=2, ensure_ascii=False).encode()
    try:
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}", "give another path") from error


def _allowed_as_list(allowed: Any) -> Any:
    if isinstance(allowed, range):
        return {"start": allowed.start, "stop": allowed.stop, "step": allowed.step}
    return list(allowed) if isinstance(allowed, tuple) else allowed


def read(path: str | Path, kind: str) -> dict[str, Any]:
    """Name, prompt and allowed values of a metric that assay or ragas wrote.

    Raises:
        InputError: If the file cannot be read, or holds a metric of another kind.
    """
    file = Path(path)
    try:
        raw = file.read_bytes()
        data = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
        kind_there, prompt = data["metric_type"], data["prompt"]
        fields = {"name": data["name"], "prompt": prompt["instruction"]}
        allowed = data.get("config", {}).get("allowed_values")
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        fault = f"'{path}' cannot be read as a metric: {error or type(error).__name__}"
        raise InputError(fault, "give a file that a metric's save() wrote") from error
    if kind_there != kind:
        raise InputError(f"'{path}' holds a {kind_there}", f"load it by {kind_there}.load")
    if prompt.get("examples"):
        fault = f"assay's ragas has no prompts with examples, and '{path}' holds one"
        raise InputError(fault, "write the examples into the prompt")
    if allowed is not None:
        fields["allowed_values"] = _allowed(allowed, kind)
    return fields


def _allowed(allowed: Any, kind: str) -> Any:
    if isinstance(allowed, Mapping):
        return range(allowed["start"], allowed["stop"], allowed["step"])
    # JSON has no tuples: the two ends of numbers come back as they were.
    return tuple(allowed) if kind == "NumericMetric" and isinstance(allowed, list) else allowed
