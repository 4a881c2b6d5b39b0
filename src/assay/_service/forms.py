"""The forms of requests and responses, and the OpenAPI document made of them."""

import inspect
from typing import Annotated, Any, Final, Literal

import msgspec

from assay._runner.result import Cost
from assay._runner.summary import MetricSummary
from assay._version import __version__
from assay.data import fields
from assay.metrics import ALIASES, METRICS
from assay.score import Part

MAX_METRICS = 50
MAX_SPEC = 1000
_SPEC = "A name, or a name with parameters: factual_correctness(mode=recall)."
PAGE = 500  # samples, at most
MAX_RUNS = 1000
MAX_OFFSET = 10**9  # SQLite and Python's iterators do not take a number of any size

Spec = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SPEC, description=_SPEC)]
Specs = Annotated[list[Spec], msgspec.Meta(min_length=1, max_length=MAX_METRICS)]
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


class Described(msgspec.Struct, kw_only=True):
    """What a run is called, and what else is said of it."""

    name: str = ""
    tags: list[str] = []
    note: str = ""
    params: dict[str, str | int | float | bool] = {}


class EvaluateMany(Described, forbid_unknown_fields=True):
    """Samples and the metrics to compute."""

    samples: Annotated[list[Row], msgspec.Meta(min_length=1)]
    metrics: Specs
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


class Run(Described):
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
    notes: list[str] = []


class Listed(Described):
    """A run in a list."""

    run: str
    source: str
    created: str
    samples: int
    finished: bool
    metrics: list[str]
    title: str = ""


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


_ERRORS: Final = {
    400: "The request is not JSON.",
    401: "The token is missing or wrong.",
    403: "Without a token, callers on this machine only.",
    404: "There is no such run, sample or metric.",
    408: "The request did not arrive in time.",
    413: "The request is too long.",
    415: "The Content-Type of the request is not JSON.",
    422: "The request cannot be used; `problems` names every fault.",
    429: "Too many requests; `Retry-After` says when to come again.",
    502: "The judge refuses.",
    503: "It took or waited too long. What was scored is kept: the same request continues.",
}
_EXAMPLE: Final = {
    "id": "tower",
    "question": "When was the Eiffel Tower built?",
    "contexts": ["The Eiffel Tower was built from 1887 to 1889."],
    "answer": "It was built from 1887 to 1889. It is red.",
}
# Statuses that each operation may answer, by who may call it and what is sent.
_RETRIED_LATER: Final = (429, 503)
_COMMON: Final = (429,)
_CALLER: Final = (*_COMMON, 401, 403, 422)
_BODY: Final = (*_CALLER, 400, 408, 413, 415, 502, 503)
_RUN: Final = {
    "name": "run",
    "in": "path",
    "required": True,
    "description": 'A run\'s name, the beginning of its id, "last" or "last~1".',
    "schema": {"type": "string", "minLength": 1},
    "example": "last",
}


def document(max_samples: int, *, token: bool) -> dict[str, Any]:
    """The document."""
    documented = [
        *(Health, Metrics, EvaluateOne, EvaluateMany, Scored),
        *(Runs, Run, Samples, Evidence, Error),
    ]
    _, components = msgspec.json.schema_components(
        documented, ref_template="#/components/schemas/{name}"
    )
    for component in components.values():
        if "description" in component:
            component["description"] = component["description"].partition("\n")[0]
    row = fields.row()
    del row["$schema"]
    components["Row"] = row
    reference = {"$ref": "#/components/schemas/Row"}
    components["EvaluateOne"]["properties"]["sample"] = reference
    samples = components["EvaluateMany"]["properties"]["samples"]
    samples |= {"items": reference, "maxItems": max_samples}
    for name, key, value in (("One", "sample", _EXAMPLE), ("Many", "samples", [_EXAMPLE])):
        form = components[f"Evaluate{name}"]
        form["properties"]["metrics"]["items"] = _spec()
        form["examples"] = [{key: value, "metrics": ["faithfulness"]}]
    openapi: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "assay",
            "version": __version__,
            "description": "Measure how good a RAG system is, with the evidence of every number.",
        },
        "paths": _paths(),
        "components": {"schemas": components},
    }
    if token:
        openapi["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path in ("/health", "/openapi.json"):
            openapi["paths"][path]["get"]["security"] = []
        openapi["security"] = [{"token": []}]
    return openapi


def _spec() -> dict[str, Any]:
    """A metric, by its name alone or with parameters."""
    with_parameters = {"type": "string", "pattern": r"^[^()]+\(.*\)$", "maxLength": MAX_SPEC}
    return {"description": _SPEC, "anyOf": [{"enum": [*METRICS, *ALIASES]}, with_parameters]}


def _paths() -> dict[str, Any]:
    limit = _number("limit", "How many, at most.", 1, MAX_RUNS, 20)
    page = _number("limit", "How many, at most.", 1, PAGE, 100)
    offset = _number("offset", "How many to skip.", 0, MAX_OFFSET, 0)
    sample = _text("sample", "Id of the sample.", "tower")
    metric = _text("metric", "The metric, as the run names it.", "faithfulness")
    of_run = [404, *_CALLER]
    return {
        "/health": {"get": _operation("Whether the service is up.", Health, (*_COMMON, 422))},
        "/openapi.json": {"get": _operation("This document.", None, (*_COMMON, 422))},
        "/v1/metrics": {"get": _operation("Every metric.", Metrics, _CALLER)},
        "/v1/evaluate": {"post": _operation("Score one sample.", Scored, _BODY, sent=EvaluateOne)},
        "/v1/runs": {
            "get": _operation("The newest runs.", Runs, _CALLER, [limit]),
            "post": _operation(
                "Score samples. The same call again resumes one that was cut off.",
                Run,
                _BODY,
                sent=EvaluateMany,
            ),
        },
        "/v1/runs/{run}": {"get": _operation("A run.", Run, of_run, [_RUN])},
        "/v1/runs/{run}/samples": {
            "get": _operation("A page of a run's samples.", Samples, of_run, [_RUN, offset, page])
        },
        "/v1/runs/{run}/evidence": {
            "get": _operation(
                "The evidence behind a score.", Evidence, of_run, [_RUN, sample, metric]
            )
        },
    }


def _operation(
    summary: str,
    form: type[msgspec.Struct] | None,
    errors: Any,
    parameters: list[dict[str, Any]] | None = None,
    sent: type[msgspec.Struct] | None = None,
) -> dict[str, Any]:
    description = inspect.getdoc(form) or "" if form else "The document."
    responses: dict[str, Any] = {"200": {"description": description, "content": _content(form)}}
    for status in sorted(errors):
        response = {"description": _ERRORS[status], "content": _content(Error)}
        after = {"headers": {"Retry-After": {"schema": {"type": "integer"}}}}
        responses[str(status)] = response | (after if status in _RETRIED_LATER else {})
    operation: dict[str, Any] = {"summary": summary, "responses": responses}
    if parameters:
        operation["parameters"] = parameters
    if sent:
        operation["requestBody"] = {"required": True, "content": _content(sent)}
    return operation


def _content(form: type[msgspec.Struct] | None) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{form.__name__}"} if form else {"type": "object"}
    return {"application/json": {"schema": reference}}


def _number(
    name: str, description: str, minimum: int, maximum: int, default: int
) -> dict[str, Any]:
    form = {"type": "integer", "minimum": minimum, "maximum": maximum, "default": default}
    return {"name": name, "in": "query", "description": description, "schema": form}


def _text(name: str, description: str, example: str) -> dict[str, Any]:
    form = {"type": "string", "minLength": 1}
    options = {"required": True, "description": description, "example": example}
    return {"name": name, "in": "query", **options, "schema": form}
