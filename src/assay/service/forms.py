"""What do callers send, and what do they get? The same types make the OpenAPI document."""

from typing import Annotated, Any, Literal

import msgspec

from assay.runner.result import Cost
from assay.runner.summary import MetricSummary
from assay.score import Part

MOST_METRICS = 50
LONGEST_METRIC = 1000

Spec = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=LONGEST_METRIC,
        description="A name, or a name with parameters: factual_correctness(mode=recall).",
    ),
]
Specs = Annotated[list[Spec], msgspec.Meta(min_length=1, max_length=MOST_METRICS)]
Row = dict[str, Any]


Contexts = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=100,
        description=(
            "What becomes of contexts that are one text: auto splits them where several rows show "
            "that passages were joined, whole never does, numbered splits at numbers and labels; "
            "anything else is the text between passages."
        ),
    ),
]


class EvaluateOne(msgspec.Struct, forbid_unknown_fields=True):
    """One sample and the metrics to compute."""

    sample: Row
    metrics: Specs
    contexts: Contexts = "auto"


class EvaluateMany(msgspec.Struct, forbid_unknown_fields=True):
    """Samples and the metrics to compute."""

    samples: Annotated[list[Row], msgspec.Meta(min_length=1)]
    metrics: Specs
    name: str = ""
    tags: list[str] = []
    note: str = ""
    params: dict[str, str | int | float | bool] = {}
    contexts: Contexts = "auto"


class Outcome(msgspec.Struct):
    """A score with its evidence, or why there is none."""

    value: float | None
    why: Literal["", "undefined", "failed", "unanswered"]
    detail: str
    method: str
    details: dict[str, Any]
    parts: list[Part]


class Scored(msgspec.Struct):
    """The outcomes of one sample, by metric."""

    run: str
    sample: str
    outcomes: dict[str, Outcome]
    notes: list[str]


class Run(msgspec.Struct):
    """A run with the summary of every metric."""

    run: str
    source: str
    created: str
    judge: str
    samples: int
    skipped: int
    finished: bool
    stopped: str
    metrics: list[MetricSummary]
    cost: Cost
    title: str = ""
    name: str = ""
    tags: list[str] = []
    note: str = ""
    params: dict[str, str | int | float | bool] = {}
    notes: list[str] = []


class Listed(msgspec.Struct):
    """A run in a list."""

    run: str
    source: str
    created: str
    samples: int
    finished: bool
    metrics: list[str]
    title: str = ""
    name: str = ""
    tags: list[str] = []
    note: str = ""
    params: dict[str, str | int | float | bool] = {}


class Runs(msgspec.Struct):
    """The newest runs."""

    runs: list[Listed]


class SampleScores(msgspec.Struct):
    """A sample of a run with its numbers; null where there is none."""

    id: str
    scores: dict[str, float | None]


class Samples(msgspec.Struct):
    """A page of a run's samples."""

    run: str
    offset: int
    total: int
    samples: list[SampleScores]


class Call(msgspec.Struct):
    """One question to the judge and its reply."""

    kind: str
    backend: str
    prompt: str
    reply: str
    tokens_in: int
    tokens_out: int
    ms: float


class Evidence(msgspec.Struct):
    """All that is behind one score."""

    run: str
    metric: str
    sample: Row
    outcome: Outcome
    calls: list[Call]


class Metric(msgspec.Struct):
    """What a metric is."""

    name: str
    definition: str
    needs: list[str]
    parameters: dict[str, Any]
    range: list[float | None]
    higher_is_better: bool
    available: bool


class Metrics(msgspec.Struct):
    """Every metric; those that the judge of this service cannot compute are not available."""

    judge: str
    metrics: list[Metric]


class Health(msgspec.Struct):
    """That it runs."""

    status: Literal["ok"]
    assay: str


class Fault(msgspec.Struct):
    """One thing wrong with a request."""

    what: str
    remedy: str = ""
    row: int | None = None
    field: str = ""


class Error(msgspec.Struct):
    """Why there is no answer."""

    error: str
    problems: list[Fault] = []
