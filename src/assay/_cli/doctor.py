"""The command `assay doctor`: whether the installation, the store and the judges work."""

import asyncio
import importlib.metadata
import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click
import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay._cli import options, output
from assay._cli.errors import OK, REFUSED
from assay._cli.judges import Judges
from assay._middleware.limiter import Limiter
from assay._middleware.wrapper import Route
from assay._report import numbers
from assay._report.bench import figures_table
from assay._store import Store
from assay._store.connection import check_place
from assay._version import __version__
from assay.errors import IF_REFUSED, Denied, InputError, Unavailable, Unreadable, install_hint
from assay.judge import Backend, Limits, Reply, Task
from assay.judges.embedded.card import Card
from assay.judges.embedded.judge import Embedded
from assay.judges.specs import DEFAULT, backend
from assay.tasks import TASKS, Embed, Statement, VerifyStatements

_STYLES = {"ok": "green", "note": "cyan", "FAIL": "bold red"}
_REQUIRED = re.compile(r"([\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")
_QUESTION = VerifyStatements(
    (
        Statement("s1", "The library opens at nine in the morning."),
        Statement("s2", "Volcanoes in Iceland erupt every year."),
    ),
    ("The library opens at nine in the morning and closes at six. Entry is free.",),
)
_RIGHT = (True, False)
_REPLY_FORMS = {
    "json_schema": "it accepts a JSON schema",
    "json_object": "it accepts no JSON schema, but has a JSON mode",
    "text": "it has no JSON mode, so only the prompt asks for JSON",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        level: "ok"; "note" if nothing is wrong but it is worth knowing; "FAIL" if it is wrong.
        what: What was found.
        remedy: What to do about it.
    """

    level: Literal["ok", "note", "FAIL"]
    what: str
    remedy: str = ""


class _DoctorRequest(options.JudgeRequest):
    store: str
    card: bool = options.flag(
        "--card",
        help="Show instead how well the embedded judge agrees with human labels (with --judge "
        "embedded:large, that one).",
    )
    as_json: bool


@options.command("doctor", _DoctorRequest)
def doctor_command(request: _DoctorRequest) -> int:
    """Check the installation: versions, extras, embedded model, store and judge.

    With --judge, every judge named is sent one small question with a known answer.
    """
    if request.card:
        return _show_card(*_card_and_identity(request.judges), as_json=request.as_json)
    if request.as_json:
        raise click.UsageError("--json goes with --card")
    return _examine(request)


def _examine(request: _DoctorRequest) -> int:
    """Look at everything, show what was found; the exit code."""
    judges = Judges(request)
    embedded = _embedded()  # before the probes, which load it too: loading is timed
    probes = _probes(judges, request)
    judges.check()
    console = output.stdout()
    failed = False
    for finding in _findings(request, embedded, probes):
        failed |= finding.level == "FAIL"
        table = Table.grid(padding=(0, 2))
        table.add_column(width=4)
        table.add_column(overflow="fold")
        table.add_row(Text(finding.level, style=_STYLES[finding.level]), Text(finding.what))
        console.print(table)
        if finding.remedy:
            console.print(Padding(Text(f"-> {finding.remedy}"), (0, 0, 0, 6)))
    return REFUSED if failed else OK


def _findings(
    request: _DoctorRequest, embedded: Finding, probes: "list[Probe]"
) -> Iterator[Finding]:
    yield _python()
    yield from _packages()
    yield embedded
    yield from _store(request.store)
    for probe in probes:
        yield probe.finding(request.timeout)


def _python() -> Finding:
    system = f"{platform.system()} {platform.machine()}"
    return Finding("ok", f"assay {__version__}, Python {platform.python_version()}, {system}")


def _packages() -> Iterator[Finding]:
    try:
        required = importlib.metadata.requires("assay") or []
    except importlib.metadata.PackageNotFoundError:
        yield Finding("note", "assay is not installed as a package: extras are not known")
        return
    groups: dict[str, list[str]] = {}
    for line in required:
        if match := _REQUIRED.match(line):
            groups.setdefault(match[2] or "", []).append(match[1])
    absent = []
    for extra, names in groups.items():
        versions = {name: _version(name) for name in names}
        missing = [name for name, version in versions.items() if not version]
        if extra and missing:
            absent.append(f"{extra} ({', '.join(missing)})")
        else:
            yield _group(extra, versions, missing)
    if absent:
        description = f"extras that are not installed, and what they lack: {'; '.join(absent)}"
        yield Finding(
            "note", description, install_hint("if you need one: pip install 'assay[EXTRA]'")
        )


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _group(extra: str, versions: Mapping[str, str | None], missing: Sequence[str]) -> Finding:
    if missing:
        fault = f"not installed: {', '.join(missing)}"
        return Finding("FAIL", fault, "pip install --force-reinstall assay")
    versions_in_words = ", ".join(f"{name} {version}" for name, version in versions.items())
    return Finding("ok", f"extra [{extra}]: {versions_in_words}" if extra else versions_in_words)


def _embedded() -> Finding:
    try:
        judge = backend(DEFAULT)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        fault = f"the embedded judge cannot be loaded: {type(error).__name__}: {error}"
        return Finding("FAIL", fault, "pip install --force-reinstall assay")
    finding = Probe(judge, "verify_statements").finding(60.0)
    return replace(finding, what=f"{finding.what}, loading it included")


def _store(path: str) -> Iterator[Finding]:
    try:
        check_place(Path(path))
    except InputError as error:
        (problem,) = error.problems
        remedy = problem.remedy or "make it, or name another file"
        yield Finding("FAIL", problem.what, f"{remedy} with --store")
        return
    if not Path(path).is_file():
        yield Finding("note", f"no store '{path}' here yet: `assay run` makes it")
        return
    try:
        with Store(path) as store:
            runs = numbers.plural(len(store.runs()), "run")
    except InputError as error:
        yield Finding("FAIL", str(error), "name another with --store, or move the file away")
        return
    size = Path(path).stat().st_size / 1e6
    description = f"store '{path}': {runs}, {size:.1f} MB"
    # Beside the file SQLite writes a log.
    if os.access(path, os.W_OK) and os.access(Path(path).parent, os.W_OK):
        yield Finding("ok", description)
    else:
        remedy = "to make runs, name one that can be written with --store"
        yield Finding("note", f"{description}; it can be read only", remedy)


def _remedy(error: Unavailable) -> str:
    """What to do where a server sent no reply, and its message does not say it."""
    if error.cost is None:
        return "check that the server runs and that --base-url is its address"
    if error.permanent:
        return IF_REFUSED
    return "try again later: the server is there, and does not serve now"


@dataclass(frozen=True)
class Probe:
    """A question to one backend."""

    backend: Backend
    kind: str

    def finding(self, timeout: float) -> Finding:
        """Whether it answers rightly, how fast, and what it takes; else what to do."""
        task: Task[Any] = Embed("one text") if self.kind == Embed.kind else _QUESTION
        name = self.backend.name
        if self.backend.identity(type(task)) is None:
            serves = [kind for kind, t in TASKS.items() if self.backend.identity(t)]
            description = f"{name} was not asked: it does {', '.join(serves) or 'no task'} only"
            return Finding("note", description)
        try:
            reply = asyncio.run(self._ask(task, timeout))
            return self._finding_of_reply(task, reply)
        except Unreadable as error:
            description = f"{name} sent a reply that cannot be read ({error}): {error.raw[:200]!r}"
            return Finding(
                "FAIL", description, "use a model that follows instructions, or a larger one"
            )
        except Denied as error:
            reason, _, remedy = str(error).partition(" -> ")
            return Finding("FAIL", f"{name} refused: {reason}", remedy)
        except Unavailable as error:
            reason, _, remedy = str(error).partition(" -> ")
            return Finding("FAIL", f"{name} sent no reply: {reason}", remedy or _remedy(error))
        except Exception as error:  # noqa: BLE001 - a judge of the user's own may raise
            description = f"{name} raised {type(error).__name__}: {error}"
            return Finding("FAIL", description, "put it right: a run stops at such an error")

    async def _ask(self, task: Task[Any], timeout: float) -> Reply:  # noqa: ASYNC109
        limit = Limiter(self.backend, Limits(concurrency=1, timeout=timeout, retries=1))
        try:
            return await limit.reply(task)
        finally:
            await limit.aclose()

    def _finding_of_reply(self, task: Task[Any], reply: Reply) -> Finding:
        answer = task.read(reply.raw)
        if isinstance(task, Embed):
            return Finding("ok", f"{self.backend.name}: {len(answer)} dimensions{_elapsed(reply)}")
        verdicts = tuple(verdict.supported for verdict in answer)
        form = _REPLY_FORMS.get(self.backend.capabilities.form, "")
        details = f"{_elapsed(reply)}{f'; {form}' if form else ''}"
        if verdicts != _RIGHT:
            pairs = zip(_QUESTION.statements, verdicts, _RIGHT, strict=True)
            wrong = [statement.text for statement, is_, should in pairs if is_ != should]
            fault = f"{self.backend.name} answered, but wrongly about {wrong[0]!r}{details}"
            return Finding("FAIL", fault, "do not trust its scores: use a better model")
        return Finding("ok", f"{self.backend.name}: the right answer{details}")


def _probes(judges: Judges, request: _DoctorRequest) -> list[Probe]:
    """A probe for every backend that is named, each once."""
    probes: list[Probe] = []
    if request.judges:
        route = Route.of(judges.judge())
        probes = [Probe(route.default, VerifyStatements.kind)]
        probes += [Probe(backend, kind) for kind, backend in route.kinds.items()]
    if request.embedder:
        probes.append(Probe(judges.backend(request.embedder, embedder=True), Embed.kind))
    once = {(id(p.backend), p.kind == Embed.kind): p for p in reversed(probes)}
    return list(reversed(once.values()))


def _elapsed(reply: Reply) -> str:
    tokens = f", {reply.tokens_in:,} + {reply.tokens_out:,} tokens" if reply.tokens_in else ""
    return f" in {reply.ms:,.0f} ms{tokens}"


def _card_and_identity(judges: Sequence[str]) -> tuple[Card, str]:
    """The card of the judge that is named, and the identity of that judge.

    Raises:
        InputError: If no card ships of it, or its package is not installed.
    """
    spec = "+".join(judges) or DEFAULT
    scheme, _, folder = spec.partition(":")
    judge = Embedded(folder=folder or None) if scheme == DEFAULT else None
    if judge is None or judge.card is None:
        measure = f"measure it: assay bench --judge {spec} --out card.json"
        raise InputError(f"no card ships of '{spec}'", measure)
    return judge.card, judge.name


def _show_card(card: Card, judge: str, *, as_json: bool) -> int:
    """Print the card; the exit code."""
    if as_json:
        output.print_json(msgspec.to_builtins(card))
        return OK
    console = output.stdout()
    console.print(Text(f"The card of {card.judge}", style="bold"))
    if judge != card.judge:
        console.print(Text(f"This is {judge}: it has not been measured yet.", style="bold red"))
    console.print("A judge whose interval does not lie above the floor adds nothing to that rule.")
    console.print(Text(f"No better than the floor: {'; '.join(card.at_floor)}.", style="yellow"))
    for section in card.sections:
        console.print()
        console.print(Text(section.title, style="bold"))
        console.print(figures_table(section.figures))
        console.print(Text(section.command, style="dim"))
    _print_remarks(console, card)
    return OK


def _print_remarks(console: Console, card: Card) -> None:
    console.print(Text(f"\nMeasured on {card.machine}. {card.languages}"))
    console.print(Text("\nKnown weaknesses", style="bold"))
    for weakness in card.weaknesses:
        console.print(Text(f"- {weakness}"))
    console.print(Text("\nText seen in training", style="bold"))
    for model, description in card.training_text.items():
        console.print(Text(f"- {model}: {description}"))
