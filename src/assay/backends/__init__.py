"""Who can answer: a back end from the text or object by which a user names it."""

import importlib
from collections.abc import Callable
from typing import Any

from assay.errors import InputError
from assay.judge import Backend

SPECS = (
    "embedded (offline, no key)",
    "openai:MODEL (any OpenAI-compatible server; OPENAI_BASE_URL and OPENAI_API_KEY)",
    "ollama:MODEL (a local Ollama; OLLAMA_HOST)",
    "scripted:FILE (fixed replies from a JSON file)",
    "MODULE:ATTRIBUTE (a function from prompt to text, or a back end of your own)",
    "JUDGE,TASK=JUDGE (mixed: openai:gpt-4o-mini,verify_statements=embedded)",
)


def backend(spec: object, *, embedder: bool = False) -> Backend:
    """A back end from a spec, a callable from prompt to text, or a back end itself.

    Args:
        spec: See `SPECS`.
        embedder: Whether it is to make embeddings (``openai:MODEL`` then names such a model).

    Raises:
        InputError: If nothing is known by that name.
    """
    if isinstance(spec, str):
        return _mixed(spec) if "," in spec else _named(spec.strip(), embedder=embedder)
    if isinstance(spec, Backend) and not isinstance(spec, type):
        return spec
    if callable(spec):
        from assay.backends.llm import Function

        return Function(spec)
    raise InputError(f"{spec!r} is no judge -> one of: {'; '.join(SPECS)}")


def _mixed(spec: str) -> Backend:
    from assay.backends.route import Route
    from assay.tasks import TASKS

    default, *routes = (part.strip() for part in spec.split(","))
    kinds: dict[str, Backend] = {}
    for route in routes:
        kind, equals, name = route.partition("=")
        if not equals or kind not in TASKS:
            raise InputError(f"'{route}' is not TASK=JUDGE -> tasks are {', '.join(TASKS)}")
        kinds[kind] = backend(name, embedder=kind == "embed")
    return Route(backend(default), kinds)


def _named(spec: str, *, embedder: bool) -> Backend:
    scheme, _, rest = spec.partition(":")
    if spec == "embedded":
        from assay.backends.embedded import Embedded

        return Embedded()
    if scheme in _SCHEMES and rest:
        return _SCHEMES[scheme](rest, embedder)
    if rest and all(part.isidentifier() for part in scheme.split(".")):
        return _imported(scheme, rest)
    raise InputError(f"'{spec}' is no judge -> one of: {'; '.join(SPECS)}")


def _openai(model: str, embedder: bool) -> Backend:  # noqa: FBT001 - called through the table
    from assay.backends.openai import OpenAI
    from assay.backends.openai_embeddings import OpenAIEmbedder

    return OpenAIEmbedder(model) if embedder else OpenAI(model)


def _ollama(model: str, embedder: bool) -> Backend:  # noqa: FBT001
    from assay.backends.openai import OpenAI
    from assay.backends.openai_embeddings import OpenAIEmbedder

    return OpenAIEmbedder.ollama(model) if embedder else OpenAI.ollama(model)


def _scripted(path: str, embedder: bool) -> Backend:  # noqa: ARG001, FBT001
    from assay.backends.scripted import Scripted

    return Scripted.load(path)


_SCHEMES: dict[str, Callable[[str, bool], Backend]] = {
    "openai": _openai,
    "ollama": _ollama,
    "scripted": _scripted,
}


def _imported(module: str, attribute: str) -> Backend:
    try:
        found: Any = importlib.import_module(module)
        for name in attribute.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"the judge '{module}:{attribute}' cannot be imported: {error}") from error
    if isinstance(found, type):
        found = found()
    return backend(found)
