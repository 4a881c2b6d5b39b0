"""The backend that a user names by a text or an object."""

import functools
import importlib
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from assay._middleware.wrapper import adapted
from assay._text import misspelt
from assay._user_modules import FILE, module_in_file
from assay.data.files import is_uri, near, redacted_uri
from assay.data.values import describe
from assay.errors import InputError
from assay.judge import Backend, BackendLike

DEFAULT = "embedded"
STEP, OPTIONS = ">", "?"  # of a cascade
_CASCADE = "embedded>openai:MODEL"
SHOWN = 60  # characters of a spec in a message
_MAX_NAMES = 8  # names that a module has
SPECS = (
    "embedded (offline, no key)",
    "embedded:FOLDER (the same, adapted by assay adapt judge)",
    "embedded:large (a larger network beside it, five times slower; package assay-large)",
    "openai:MODEL (any OpenAI-compatible server; OPENAI_BASE_URL and OPENAI_API_KEY)",
    "openai-batch:MODEL (the same in batches: half the price, within a day)",
    "ollama:MODEL (a local Ollama; OLLAMA_HOST)",
    "gguf:PATH (a GGUF chat model in this process; pip install 'assay[gguf]')",
    "onnx:FOLDER (a local NLI verifier or sentence encoder: onnx:FOLDER+embedded)",
    "scripted:FILE (fixed replies from a JSON file)",
    "MODULE:ATTRIBUTE (a function from prompt to text, or a back end of your own)",
    "OBJECT (a chat model or embedding object of LangChain, LlamaIndex or pydantic-ai)",
    "JUDGE,TASK=JUDGE (mixed: openai:gpt-4o-mini,verify_statements=embedded)",
    "JUDGE+JUDGE (the first does what it can, the second the rest: embedded+gguf:PATH)",
    "JUDGE>JUDGE (statements go up where the first is not sure: embedded>openai:gpt-4o)",
)


class Make(Protocol):
    """What makes the backend of one spec."""

    def __call__(self, spec: str, /, *, embedder: bool = False) -> Backend:
        """The backend, one that makes embeddings if `embedder` says so."""


def backend(spec: object, *, embedder: bool = False) -> Backend:
    """A backend from a spec, a callable from prompt to text, or a backend itself.

    Objects of other libraries that `assay.integrations` knows are taken as they are.

    Args:
        spec: See `SPECS`.
        embedder: Whether it is to make embeddings (``openai:MODEL`` then names such a model).

    Raises:
        InputError: If nothing is known by that name.
    """
    if isinstance(spec, str):
        is_mixed = "," in spec or STEP in spec or len(_chain(spec)) > 1
        return (
            mixed([spec], backend) if is_mixed else _backend_named(spec.strip(), embedder=embedder)
        )
    if isinstance(spec, BackendLike) and not isinstance(spec, type):
        return adapted(spec)
    if module := _of_a_library(spec):
        made_by_library: Backend = module.backend(spec)
        return made_by_library
    if isinstance(spec, type):
        fault = f"{spec.__qualname__} is a class, and no object of it"
        raise InputError(fault, f"make one: {spec.__qualname__}(...)")
    if callable(spec):
        from assay.judges.llm import Function

        return Function(spec)
    raise InputError(f"{describe(spec)} is no judge", f"one of: {'; '.join(SPECS)}")


def mixed(specs: Sequence[str], make: Make) -> Backend:
    """The backend that serves each task as the specs say, the one without ``TASK=`` all others.

    ``JUDGE+JUDGE`` gives each task to the first of them that can do it; ``JUDGE>JUDGE`` is a
    cascade, whose options stand behind it: ``embedded>openai:gpt-4o?risk=0.02``.

    Args:
        specs: ``JUDGE`` or ``TASK=JUDGE`` each, or several of these with commas between them.
        make: Makes the backend of one spec; called once for each, however often it is named.

    Raises:
        InputError: If a task is unknown, or there are two judges for the same tasks.
    """
    from assay._middleware.wrapper import Route

    # Named twice it is still one judge: one model in memory, and one set of limits.
    once = functools.cache(lambda spec, *, embedder: make(spec, embedder=embedder))
    cheap, top, options, by_task = _split_specs(specs)
    main, *other_backends = [once(spec, embedder=False) for spec in top]
    kinds = _fallbacks(main, other_backends)
    if cheap:
        from assay.judges.cascade import CascadePolicy, route

        upwards = [once(spec, embedder=False) for spec in cheap]
        kinds |= route([*upwards, main], CascadePolicy.of(options)).kinds
    kinds |= {task: once(spec, embedder=task == "embed") for task, spec in by_task.items()}
    return Route(main, kinds) if kinds else main


def named(specs: Sequence[str]) -> list[str]:
    """Every judge that specs as those of `mixed` name, each by its own spec.

    Raises:
        InputError: As `mixed`.
    """
    cheap, top, _, by_task = _split_specs(specs)
    return list(dict.fromkeys([*cheap, *top, *by_task.values()]))


def _split_specs(specs: Sequence[str]) -> tuple[list[str], list[str], str, dict[str, str]]:
    """(cheap judges of a cascade, the main judge and who does the rest, its options, by task)."""
    default, by_task = _parsed(
        [spec_text.strip() for spec in specs for spec_text in spec.split(",")]
    )
    *cheap, top = [step.strip() for step in (default or DEFAULT).split(STEP)]
    top, _, options = top.partition(OPTIONS) if cheap else (top, "", "")
    if cheap and (not all((*cheap, top)) or len({*cheap, top}) <= len(cheap)):
        fault = f"'{_abbreviated(default or '')}' is no cascade"
        raise InputError(fault, f"name two judges or more, the cheapest first: {_CASCADE}")
    return cheap, _chain(top), options, by_task


def cascade(
    *judges: object,
    risk: float = 0.05,
    confidence: float = 0.9,
    audit: float = 0.1,
    labels: str | Path = "",
) -> Backend:
    """A judge that asks the dear ones only about what the cheap ones are not sure of.

    Verdicts on statements go up the cascade; other tasks go to the last judge.

    Args:
        judges: As for `evaluate`, from the cheapest to the one whose word counts, two or more.
        risk: Of an answer's verdicts that a cheap judge decides, the share that the label may
            contradict, on average.
        confidence: How sure it is that this holds.
        audit: The share of answers whose verdicts the top judge checks all the same.
        labels: A file of statements that people judged, one a row: `statement`, `contexts` and
            `supported`; or a store in which people labelled statements for faithfulness. Without
            it the top judge's own verdicts are the labels.

    Raises:
        InputError: If an option or a label cannot be used, or a judge cannot verify statements.
    """
    from assay.judges.cascade import CascadePolicy, route

    policy = CascadePolicy(risk, confidence, audit, str(labels))
    return route([backend(judge) for judge in judges], policy)


def _fallbacks(main: Backend, other_backends: Sequence[Backend]) -> dict[str, Backend]:
    """Who does what the main one cannot: the first that can."""
    from assay.tasks import TASKS

    able = {
        kind: [backend for backend in other_backends if backend.identity(task) is not None]
        for kind, task in TASKS.items()
        if main.identity(task) is None
    }
    return {kind: backends[0] for kind, backends in able.items() if backends}


def _chain(spec: str) -> list[str]:
    """The judges of ``JUDGE+JUDGE``; a "+" in a file's or model's name is none between judges."""
    return [judge.strip() for judge in _PLUS.split(spec)]


def _parsed(spec_texts: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """(the spec without a task, spec by task)."""
    from assay.tasks import TASKS

    defaults: list[str] = []
    by_task: dict[str, str] = {}
    for spec_text in filter(None, spec_texts):
        task, equals, spec = spec_text.partition("=")
        if not equals or ":" in task or STEP in task:  # the "=" of a model's name is none of ours
            defaults.append(spec_text)
        elif task not in TASKS or not spec:
            fault = f"'{_abbreviated(spec_text)}' is not TASK=JUDGE"
            specs_meant = [
                f"{name}={_abbreviated(spec)}" for name in misspelt.near(task, TASKS) if spec
            ]
            raise InputError(fault, misspelt.ask(specs_meant) or f"tasks are {', '.join(TASKS)}")
        elif by_task.setdefault(task, spec) != spec:
            fault = f"two judges for {task}: {_abbreviated(by_task[task])} and {_abbreviated(spec)}"
            raise InputError(fault, "keep one")
    if len(set(defaults)) > 1:
        first, second, *more = map(_abbreviated, dict.fromkeys(defaults))
        fault = f"two judges for all tasks: {first} and {second}"
        fault += f" (and {len(more)} more)" if more else ""
        raise InputError(fault, "give one to some tasks only: TASK=JUDGE")
    return (defaults[0] if defaults else None), by_task


def _abbreviated(spec: str) -> str:
    """As messages quote it: without a password, and of a long one only what tells it apart."""
    text = redacted_uri(spec) if "://" in spec else spec
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]}...{text[-SHOWN // 2 :]}"


def _backend_named(spec: str, *, embedder: bool) -> Backend:
    scheme, _, remainder = spec.partition(":")
    if spec == "embedded":
        from assay.judges.embedded import Embedded

        return Embedded()
    if scheme in _SCHEMES and remainder:
        return _of_scheme(scheme, remainder, embedder=embedder)
    if is_uri(spec):  # not shown whole: it may hold a password or a key
        fault = f"'{_abbreviated(spec)}' is no judge"
        raise InputError(fault, "name its model: --judge openai:MODEL --base-url URL")
    if scheme in _SCHEMES:  # and what it is to serve is not said
        fault = f"'{spec}' does not say which model or file"
        raise InputError(fault, f"give {' or '.join(s for s in SPECS if s.startswith(scheme))}")
    schemes_meant = misspelt.near(scheme, _SCHEMES if remainder else (DEFAULT,))
    hint = misspelt.ask(
        f"{name}{':' * bool(remainder)}{_abbreviated(remainder)}" for name in schemes_meant
    )
    if not (hint or remainder):
        how_to_name = (
            f"say who serves it, as in openai:{_abbreviated(spec)} or ollama:{_abbreviated(spec)}"
        )
        raise InputError(
            f"'{_abbreviated(spec)}' is no judge", f"{how_to_name}; embedded needs no server"
        )
    if remainder and all(name.isidentifier() for name in scheme.split(".")):
        provider = scheme.lower() in _PROVIDERS
        remedy = (_OF_A_PROVIDER if provider else _OWN).format(scheme, _abbreviated(remainder))
        if (
            provider and not remainder.isidentifier()
        ):  # a model's name, even if its client is installed
            raise InputError(f"'{_abbreviated(spec)}' is no judge", remedy)
        return backend(imported(spec, "judge", hint or remedy))
    choices = f"one of: {'; '.join(SPECS)}"
    raise InputError(f"'{_abbreviated(spec)}' is no judge", f"{hint} {choices}".lstrip())


# Where there is no module of that name: what was meant, and how it is written.
_PROVIDERS = frozenset(
    (
        *("anthropic", "azure", "bedrock", "claude", "cohere", "deepseek", "fireworks", "gemini"),
        *("google", "groq", "huggingface", "litellm", "lmstudio", "mistral", "nvidia"),
        *("openrouter", "perplexity", "together", "vertex", "vllm", "xai"),
    )
)
_OF_A_PROVIDER = (
    "write openai:{1} and give the address of its OpenAI-compatible API: --base-url URL, or "
    "OPENAI_BASE_URL (of Azure: AZURE_OPENAI_ENDPOINT)"
)
_OWN = "run it in the folder of {0}.py, or give the file with its path: PATH/{0}.py:{1}"
_SCHEMES = ("embedded", "openai", "openai-batch", "ollama", "gguf", "onnx", "scripted")


def _of_scheme(scheme: str, target: str, *, embedder: bool) -> Backend:
    """The backend of ``SCHEME:REST``; its module is loaded only now."""
    backend: Backend
    if scheme == "embedded":
        from assay.judges.embedded import Embedded

        backend = Embedded(folder=target)
    elif scheme in ("openai", "ollama"):
        from assay.judges.openai.judge import OpenAI, OpenAIEmbedder

        kind = OpenAIEmbedder if embedder else OpenAI
        backend = kind.ollama(target) if scheme == "ollama" else kind(target)
    elif scheme == "openai-batch":
        if embedder:
            raise InputError("embeddings are not asked in batches", f"openai:{target}")
        from assay.judges.openai.batch import OpenAIBatch

        backend = OpenAIBatch(target)
    elif scheme == "gguf":
        from assay.judges.gguf import Gguf

        backend = Gguf(target)
    elif scheme == "onnx":
        from assay.judges.onnx import Onnx
        from assay.tasks import Embed

        backend = Onnx(target)
        if embedder and backend.identity(Embed) is None:
            raise InputError(
                f"'{target}' is a classifier and makes no embeddings", "name an encoder"
            )
    else:
        from assay.judges.scripted import Scripted

        backend = Scripted.load(target)
    return backend


# Whose objects are known, by the first word of the module that their class comes from.
_LIBRARIES = {
    "langchain_core": "langchain",
    "llama_index": "llama_index",
    "openai": "openai",
    "pydantic_ai": "pydantic_ai",
}
_NAMES = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
# After "embedded" whatever stands there is meant as a judge: it is refused by its own name.
_PLUS = re.compile(
    r"(?<=^embedded)\+|"
    rf"\+(?=\s*(?:embedded\s*(?:$|\+)|(?:{'|'.join(_SCHEMES)}):|{_NAMES}:{_NAMES}\s*(?:$|\+)))"
)


def _of_a_library(spec: object) -> Any:
    """The module of `assay.integrations` that knows objects of this class; None if none does.

    Nothing is imported unless the object is there, and its library with it.
    """
    for base in () if isinstance(spec, type) else type(spec).__mro__:
        name = _LIBRARIES.get(base.__module__.partition(".")[0])
        if name:
            return importlib.import_module(f"assay.integrations.{name}")
    return None


def imported(spec: str, role: str, meant: str = "") -> Any:
    """What ``MODULE:ATTRIBUTE`` or ``FILE.py:ATTRIBUTE`` names; a class is called for an object.

    Args:
        spec: What the user wrote.
        role: What it is to be (judge, target).
        meant: What to say where there is no such module.

    Raises:
        InputError: If there is no such thing, or its code cannot be read.
    """
    module, _, attribute = spec.rpartition(":")
    try:
        loaded = _module(module)
        value: Any = loaded
        for name in attribute.split("."):
            if not hasattr(value, name):
                raise _no_attribute(loaded, spec, role)
            value = getattr(value, name)
    except (ImportError, AttributeError, OSError, SyntaxError) as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == module
        reason = (isinstance(error, OSError) and error.strerror) or error
        fault = f"the {role} '{_abbreviated(spec)}' cannot be imported: {reason}"
        raise InputError(fault, meant if absent else _near_file(module)) from error
    return value() if isinstance(value, type) else value


def _no_attribute(module: ModuleType, spec: str, role: str) -> InputError:
    name, _, attribute = spec.rpartition(":")
    names = [key for key, value in vars(module).items() if callable(value) and key[:1] != "_"]
    remedy = misspelt.ask(
        f"{name}:{attribute_name}" for attribute_name in misspelt.near(attribute, names)
    )
    if names and not remedy:
        remedy = f"it has {', '.join(names[:_MAX_NAMES])}"
    return InputError(f"{name} has no '{attribute}', which is to be the {role}", remedy)


def _near_file(module: str) -> str:
    """The file that was meant where there is none of that name."""
    return near(Path(module)) if module.endswith(FILE) and not Path(module).is_file() else ""


def _module(name: str) -> ModuleType:
    if not name.endswith(FILE):
        return importlib.import_module(name)
    return module_in_file(Path(name))
