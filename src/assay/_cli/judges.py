"""Who is asked: the options of judges and of the system under test."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from assay._cli import values
from assay._cli.errors import say
from assay._cli.options import JudgeRequest, PricedJudgeRequest, TargetRequest
from assay._cli.output import counter
from assay._cli.values import look_here
from assay._middleware.budget import Budget, Price
from assay._report import notes
from assay._runner.settings import Settings
from assay.errors import InputError
from assay.judge import Backend, Limits
from assay.judges.embedded.card import Quality
from assay.judges.prices import list_price, price_of_all
from assay.judges.specs import backend, mixed, named
from assay.metrics import Metric
from assay.target import Answers, Asking, Configurable, ask, system
from assay.target.ask import check_answers
from assay.target.system import Body, System

_EMBEDDERS = ("openai", "ollama")
_FROM_FILES = ("scripted", "gguf", "onnx")
_LISTED = "list"
_JUDGES = (*_EMBEDDERS, "openai-batch")


def budget(request: PricedJudgeRequest) -> Budget:
    """What --price and --budget allow; raises InputError if they make no sense."""
    amount = request.budget
    prices = _price(request) if request.price else None
    money, tokens, calls = values.budget(amount) if amount else (None, None, None)
    if money is not None and prices is None:
        fault = f"--budget {amount} is an amount of money, but the price of a token is unknown"
        raise InputError(
            fault, "add --price IN/OUT or --price list, or give tokens: --budget 200000tok"
        )
    return Budget(money=money, tokens=tokens, price=prices, calls=calls)


def _price(request: PricedJudgeRequest) -> Price:
    """What --price says, or the list price of the judges.

    Raises:
        InputError: If it cannot be read, or names a judge that the run has not.
    """
    if request.price == _LISTED:
        return list_price(request.judges, request.base_url)
    by_judge = values.prices(request.price or "")
    usual = by_judge.pop("", None)
    judges = [judge for judge in named(request.judges) if judge.partition(":")[0] in _JUDGES]
    for name in by_judge:
        if name not in judges:
            fault = f"--price names '{name}', which is no judge of the run over the network"
            raise InputError(
                fault, f"name one of {', '.join(judges)}" if judges else "leave it out"
            )
    return price_of_all(by_judge, usual)


def priced(price: Price | None) -> str:
    """At which price an amount of money was counted."""
    if price is None or not price.source:
        return "at the price given"
    return f"at {price} a million tokens ({price.source})"


class Judges:
    """Builds backends, one for each spec however often it is named: its limits are shared.

    Attributes:
        files: What the judges made so far are read from.
    """

    def __init__(self, request: JudgeRequest) -> None:
        embedder = [] if request.embedder is None else [request.embedder]
        for option, specs in (("--judge", request.judges), ("--embedder", embedder)):
            if any(not spec.strip(" ,") for spec in specs):
                raise InputError(f"{option} is empty", "name one, or leave it out")
        self.files: list[str] = []
        self._request = request
        self._made: dict[tuple[str, bool], Backend] = {}
        self._addressed = False
        self._windowed = False

    def build(self) -> tuple[Backend, Backend | None]:
        """The judge and the embedder that the options name; None for the default embedder."""
        embedder = self._request.embedder
        built = self.judge(), self.backend(embedder, embedder=True) if embedder else None
        self.check()
        return built

    def judge(self) -> Backend:
        """The judge that the specs describe, as `mixed` reads them."""
        return mixed(self._request.judges, self.backend)

    def backend(self, spec: str, *, embedder: bool = False) -> Backend:
        """The backend of one spec."""
        key = (spec, embedder)
        if key not in self._made:
            self._made[key] = self._make_backend(spec, embedder=embedder)
        return self._made[key]

    def check(self) -> None:
        """See to it that --base-url, --api-key and --window were meant for somebody."""
        if (self._request.base_url or self._request.api_key) and not self._addressed:
            fault = "--base-url and --api-key apply to openai: judges, and none is given"
            raise InputError(fault, "add --judge openai:MODEL")
        if self._request.window and not self._windowed:
            fault = "--window applies to openai: and ollama: judges, and none is given"
            raise InputError(fault, "leave it out; gguf: judges know their window")

    def _make_backend(self, spec: str, *, embedder: bool) -> Backend:
        scheme, _, model = spec.partition(":")
        if scheme in (_EMBEDDERS if embedder else _JUDGES) and model:
            return self._over_http(scheme, model, embedder=embedder)
        look_here()
        if scheme in _FROM_FILES:
            self.files.append(model)
        return backend(spec, embedder=embedder)

    def _over_http(self, scheme: str, model: str, *, embedder: bool) -> Backend:
        from assay.judges.openai.batch import OpenAIBatch
        from assay.judges.openai.judge import OpenAI, OpenAIEmbedder

        options: dict[str, Any] = {"timeout": self._request.timeout}
        if not embedder and scheme != "openai-batch":
            self._windowed = True
            options["window"] = self._request.window
        kind = OpenAIEmbedder if embedder else OpenAI
        if scheme == "ollama":
            return kind.ollama(model, **options)
        self._addressed = True
        if scheme == "openai-batch":
            kind = OpenAIBatch
        base_url, api_key = self._request.base_url, self._request.api_key
        return kind(model, base_url=base_url, api_key=api_key, **options)


def measured(files: Sequence[str]) -> dict[str, Quality]:
    """How well metrics by the judges whose cards these are tell bad from good."""
    from assay.bench.card import read

    qualities: dict[str, Quality] = {}
    for file in files:
        card = read(file)
        if not card.quality:
            fault = f"the judge card '{file}' has no figure that is reported beside scores"
            remedy = "measure it again: assay bench --out FILE (replies in the store cost nothing)"
            raise InputError(fault, remedy)
        qualities |= card.quality
    return qualities


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
        target_options = [field.name for field in fields(TargetRequest)]
        values.reject_options(
            "needs a target, and none is given", "add --target URL", *target_options
        )
        return None
    return Target(read_system(request, contexts=contexts), read_asking(request, settings))


def read_system(request: TargetRequest, *, contexts: bool = False) -> System:
    """The system that the options name; `contexts` as for `system`."""
    return system(request.target, contexts=contexts, **_system_options(request))


def read_configurable(request: TargetRequest) -> Configurable:
    """What the system is made of that the options name, once its parameters are known."""
    return Configurable(target=request.target, **_system_options(request))


def _system_options(request: TargetRequest) -> dict[str, Any]:
    look_here()
    return {
        "version": request.target_version,
        "body": Body.parse(request.target_body) if request.target_body else None,
        "headers": _headers(request.target_headers),
    }


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
            fault = "a --target-header is not NAME:VALUE, or NAME is no valid header name"
            raise InputError(fault, "such as X-Key:$KEY")
        name, value = name.strip(), _expanded(name.strip(), value.strip())
        if not value.isprintable():
            raise InputError(f"--target-header '{name}' is not NAME:VALUE", "such as X-Key:$KEY")
        headers[name] = value
    return headers


def _expanded(header: str, value: str) -> str:
    """The header's value with the environment's variables in it."""
    for braced, unbraced in _VARIABLE.findall(value):
        if (variable := braced or unbraced) not in os.environ:
            fault = f"--target-header '{header}' takes ${variable}, which is not set"
            raise InputError(fault, f"set it: export {variable}=...")
    return os.path.expandvars(value)


def _paths(texts: Iterable[str]) -> dict[str, str]:
    paths = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not path.strip():
            fault = f"--target-reply '{text}' is not FIELD=PATH"
            raise InputError(fault, "such as --target-reply answer=data.text")
        paths[name.strip()] = path.strip()
    return paths


def _say_answered(answers: Answers) -> None:
    calls = notes.asked(f"system {answers.system}", answers.asked, answers.reused)
    say(f"{calls}; {answers.n - len(answers.failures):,} of {answers.n:,} questions answered")
    for id_, reason in list(answers.failures.items())[:_SHOWN_FAILURES]:
        say(f"  no answer to {id_}: {reason}")
    if len(answers.failures) > _SHOWN_FAILURES:
        say(f"  ... and {len(answers.failures) - _SHOWN_FAILURES:,} more")
