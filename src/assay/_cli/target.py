"""The system that --target names: how it is asked, and what is shown while it answers."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from assay._cli import options
from assay._cli.errors import say
from assay._cli.options import TargetRequest
from assay._cli.progress import counter
from assay._cli.user_modules import look_here
from assay._middleware.limiter import Limits
from assay._report import notes
from assay._runner.settings import Settings
from assay.errors import InputError
from assay.metrics import Metric
from assay.target import Answers, Asking, Configurable, ask, system
from assay.target.ask import check_answers
from assay.target.system import Body, System

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # what HTTP lets a header be called
_SHOWN_FAILURES = 3  # all of them are in the report


@dataclass(frozen=True)
class Target:
    """A system and how it is asked."""

    system: System
    asking: Asking


def read_target(
    request: TargetRequest, settings: Settings, *, contexts: bool = False
) -> Target | None:
    """The system that the options name, None if they name none; `contexts` as for `system`."""
    if request.target is None:
        others = [field.name for field in fields(TargetRequest)]
        options.reject_options("needs a target, and none is given", "add --target URL", *others)
        return None
    return Target(read_system(request, contexts=contexts), read_asking(request, settings))


def read_system(request: TargetRequest, *, contexts: bool = False) -> System:
    """The system that the options name; `contexts` as for `system`."""
    look_here()
    return system(
        request.target,
        version=request.target_version,
        contexts=contexts,
        body=Body.parse(request.target_body) if request.target_body else None,
        headers=_headers(request.target_headers),
    )


def read_configurable(request: TargetRequest) -> Configurable:
    """What the system is made of that the options name, once its parameters are known."""
    look_here()
    return Configurable(
        target=request.target,
        version=request.target_version,
        body=Body.parse(request.target_body) if request.target_body else None,
        headers=_headers(request.target_headers),
    )


def read_asking(request: TargetRequest, settings: Settings) -> Asking:
    """How the options say that a system is asked."""
    limits = Limits(
        concurrency=request.target_concurrency,
        timeout=request.target_timeout,
        retries=request.target_retries,
        requests_per_minute=request.target_rpm,
    )
    return Asking(
        draws=request.draws,
        limits=limits,
        reply=_paths(request.target_replies),
        mapping=settings.mapping,
        limit=settings.limit,
        contexts=settings.contexts,
        skip_invalid=settings.skip_invalid,
    )


def ask_target(
    target: Target, data: Any, metrics: Sequence[Metric], store: str, *, silent: bool
) -> Answers:
    """What the target answers to the data, checked to hold what the metrics need."""
    columns = (TextColumn("asking {task.description}"), BarColumn(), MofNCompleteColumn())
    name = target.system.name
    with counter(*columns, TimeRemainingColumn(), description=name, silent=silent) as progress:
        asking = replace(target.asking, on_progress=progress)
        answers = ask(data, target.system, metrics=metrics, store=store, asking=asking)
    if not silent:
        _say_answered(answers)
    if metrics:
        check_answers(answers, target.system, metrics)
    return answers


def _headers(texts: Iterable[str]) -> dict[str, str]:
    headers = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or not _HEADER.fullmatch(name.strip()):
            # Whatever stands there may be a secret: nothing of it is shown.
            what = "a --target-header is not NAME:VALUE, or NAME is no valid header name"
            raise InputError(what, "such as X-Key:$KEY")
        name, value = name.strip(), _expanded(name.strip(), value.strip())
        if not value.isprintable():
            raise InputError(f"--target-header '{name}' is not NAME:VALUE", "such as X-Key:$KEY")
        headers[name] = value
    return headers


def _expanded(header: str, value: str) -> str:
    """The header's value with the environment's variables in it."""
    for braced, bare in _VARIABLE.findall(value):
        if (variable := braced or bare) not in os.environ:
            what = f"--target-header '{header}' takes ${variable}, which is not set"
            raise InputError(what, f"set it: export {variable}=...")
    return os.path.expandvars(value)


def _paths(texts: Iterable[str]) -> dict[str, str]:
    paths = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not path.strip():
            what = f"--target-reply '{text}' is not FIELD=PATH"
            raise InputError(what, "such as --target-reply answer=data.text")
        paths[name.strip()] = path.strip()
    return paths


def _say_answered(answers: Answers) -> None:
    calls = notes.asked(f"system {answers.system}", answers.asked, answers.reused)
    say(f"{calls}; {answers.n - len(answers.failures):,} of {answers.n:,} questions answered")
    for id_, why in list(answers.failures.items())[:_SHOWN_FAILURES]:
        say(f"  no answer to {id_}: {why}")
    if len(answers.failures) > _SHOWN_FAILURES:
        say(f"  ... and {len(answers.failures) - _SHOWN_FAILURES:,} more")
