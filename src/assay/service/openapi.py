"""How does the service describe itself? The OpenAPI document, made from the forms it uses."""

import inspect
from typing import Any, Final

import msgspec

from assay._version import __version__
from assay.data import fields
from assay.metrics import ALIASES, METRICS
from assay.service import forms
from assay.service.functions import PAGE, Service

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
_LATER: Final = (429, 503)
_BASE: Final = (429,)
_KNOWN: Final = (*_BASE, 401, 403, 422)
_SENT: Final = (*_KNOWN, 400, 408, 413, 415, 502, 503)
_RUN: Final = {
    "name": "run",
    "in": "path",
    "required": True,
    "description": 'A run\'s name, the beginning of its id, "last" or "last~1".',
    "schema": {"type": "string", "minLength": 1},
    "example": "last",
}


def document(service: Service, *, token: bool) -> dict[str, Any]:
    """The document.

    Args:
        service: What it describes.
        token: Whether callers need one.
    """
    used = [
        *(forms.Health, forms.Metrics, forms.EvaluateOne, forms.EvaluateMany, forms.Scored),
        *(forms.Runs, forms.Run, forms.Samples, forms.Evidence, forms.Error),
    ]
    _, components = msgspec.json.schema_components(used, ref_template="#/components/schemas/{name}")
    for component in components.values():
        if "description" in component:
            component["description"] = component["description"].partition("\n")[0]
    row = fields.row()
    del row["$schema"]
    components["Row"] = row
    reference = {"$ref": "#/components/schemas/Row"}
    components["EvaluateOne"]["properties"]["sample"] = reference
    many = components["EvaluateMany"]["properties"]["samples"]
    many |= {"items": reference, "maxItems": service.most_samples}
    for name, key, value in (("One", "sample", _EXAMPLE), ("Many", "samples", [_EXAMPLE])):
        form = components[f"Evaluate{name}"]
        form["properties"]["metrics"]["items"] = _spec()
        form["examples"] = [{key: value, "metrics": ["faithfulness"]}]
    found: dict[str, Any] = {
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
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path in ("/health", "/openapi.json"):
            found["paths"][path]["get"]["security"] = []
        found["security"] = [{"token": []}]
    return found


def _spec() -> dict[str, Any]:
    """A metric, by its name alone or with parameters."""
    most = forms.LONGEST_METRIC
    written = {"type": "string", "pattern": r"^[^()]+\(.*\)$", "maxLength": most}
    named = {"enum": [*METRICS, *ALIASES]}
    about = "A name, or a name with parameters: factual_correctness(mode=recall)."
    return {"description": about, "anyOf": [named, written]}


def _paths() -> dict[str, Any]:
    limit = _number("limit", "How many, at most.", 1, 1000, 20)
    page = _number("limit", "How many, at most.", 1, PAGE, 100)
    offset = _number("offset", "How many to skip.", 0, 10**9, 0)
    sample = _text("sample", "Id of the sample.", "tower")
    metric = _text("metric", "The metric, as the run names it.", "faithfulness")
    found = [404, *_KNOWN]
    return {
        "/health": {"get": _operation("Whether the service is up.", forms.Health, (*_BASE, 422))},
        "/openapi.json": {"get": _operation("This document.", None, (*_BASE, 422))},
        "/v1/metrics": {"get": _operation("Every metric.", forms.Metrics, _KNOWN)},
        "/v1/evaluate": {
            "post": _operation("Score one sample.", forms.Scored, _SENT, sent=forms.EvaluateOne)
        },
        "/v1/runs": {
            "get": _operation("The newest runs.", forms.Runs, _KNOWN, [limit]),
            "post": _operation(
                "Score samples. The same call again resumes one that was cut off.",
                forms.Run,
                _SENT,
                sent=forms.EvaluateMany,
            ),
        },
        "/v1/runs/{run}": {"get": _operation("A run.", forms.Run, found, [_RUN])},
        "/v1/runs/{run}/samples": {
            "get": _operation(
                "A page of a run's samples.", forms.Samples, found, [_RUN, offset, page]
            )
        },
        "/v1/runs/{run}/evidence": {
            "get": _operation(
                "The evidence behind a score.", forms.Evidence, found, [_RUN, sample, metric]
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
    told = inspect.getdoc(form) or "" if form else "The document."
    responses: dict[str, Any] = {"200": {"description": told, "content": _content(form)}}
    for status in sorted(errors):
        content = _content(forms.Error)
        responses[str(status)] = {"description": _ERRORS[status], "content": content}
        if status in _LATER:
            after = {"Retry-After": {"schema": {"type": "integer"}}}
            responses[str(status)]["headers"] = after
    found: dict[str, Any] = {"summary": summary, "responses": responses}
    if parameters:
        found["parameters"] = parameters
    if sent:
        found["requestBody"] = {"required": True, "content": _content(sent)}
    return found


def _content(form: type[msgspec.Struct] | None) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{form.__name__}"} if form else {"type": "object"}
    return {"application/json": {"schema": reference}}


def _number(name: str, about: str, least: int, most: int, default: int) -> dict[str, Any]:
    form = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return {"name": name, "in": "query", "description": about, "schema": form}


def _text(name: str, about: str, example: str) -> dict[str, Any]:
    form = {"type": "string", "minLength": 1}
    told = {"required": True, "description": about, "example": example}
    return {"name": name, "in": "query", **told, "schema": form}
