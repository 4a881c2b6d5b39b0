"""The command `assay sweep`: a system in many configurations, compared with the best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click
import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._cli import options, output, values
from assay._cli.errors import OK, SOME_FAILED, say
from assay._cli.evaluation import read_settings
from assay._cli.judges import Judges
from assay._cli.target import read_asking, read_configurable
from assay._report import leaderboard, numbers, sanitize
from assay._report.tables import numeric, table
from assay._runner.settings import Engine
from assay.errors import InputError
from assay.experiments.sweep import Configuration, Sweep, SweepSettings, count_sweep, sweep

_GROUPS = {
    "What is varied, and scored": (
        *("target", "sets", "max_configurations", "race", "metrics"),
        *("maps", "contexts", "limit", "skip_invalid"),
    ),
    "Who judges": (
        *("judges", "embedder", "base_url", "api_key", "timeout", "window"),
        *("prompts", "reasons", "together"),
    ),
    "How the system is asked": (
        *("target_body", "target_headers", "target_replies", "target_version"),
        *("target_concurrency", "target_timeout", "target_retries", "target_rpm", "draws"),
    ),
    "Pace": ("concurrency", "rpm", "tpm", "retries"),
    "What the runs are called": ("name", "tags", "note", "params"),
    "What comes out": ("dry_run", "level", "store", "as_json", "quiet"),
}


@dataclass(frozen=True, kw_only=True)
class SweepRequest(options.RunRequest):
    """What `assay sweep` is asked for."""

    sets: tuple[str, ...]
    max_configurations: int
    race: bool
    level: float
    price: str | None = None
    budget: str | None = None
    outs: tuple[str, ...] = ()
    judge_cards: tuple[str, ...] = ()
    engine: Engine = "local"
    workers: int | None = None
    worker_cores: int = 1
    probe: bool | None = None
    no_progress: bool = True


@click.command("sweep", cls=options.Grouped, groups=_GROUPS)
@click.argument("data", metavar="QUESTIONS")
@options.repeatable(
    "--set",
    "sets",
    metavar="KEY=VALUE,VALUE",
    help="A parameter of the target and its values: an argument of a function, a field of the "
    """request to a URL. Values with commas are written as JSON: 'prompt=["a, b", "c"]'.""",
)
@options.count(
    "--max-configurations", default=64, help="Refuse a grid with more configurations than this."
)
@options.flag(
    "--race",
    help="Ask in growing batches, and drop a configuration once another one is surely better by "
    "the first metric.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    required=True,
    metavar="METRIC",
    help="What to compute, as for `assay run`: repeatable or separated by commas.",
)
@options.target
@options.judge
@options.number(
    "--level",
    type=options.NumberRange(0.5, 0.999),
    default=0.95,
    metavar="SHARE",
    help="Confidence level of each mean, and of all differences to the best together.",
)
@options.description
@options.store
@options.maps
@options.contexts
@options.limit
@options.skip_invalid
@options.prompts
@options.reasons
@options.concurrency
@options.together
@options.retries
@options.rpm
@options.tpm
@options.flag("--dry-run", help="Count the questions that would be sent; ask nobody.")
@options.as_json
@options.quiet
@options.takes(SweepRequest)
def sweep_command(request: SweepRequest) -> int:
    """Ask a target QUESTIONS in every configuration of a grid, and say which is best, if any is.

    Each configuration is one run in the store, with its values as parameters and the tag "sweep".
    The same command asks nothing again; killed or stopped, it goes on where it was.
    """
    if request.target is None:
        raise InputError("no target is named", "--target URL, MODULE:FUNCTION or FILE.py:FUNCTION")
    if not request.sets:
        raise InputError("no parameter is varied", "such as --set k=3,5,8")
    grid = values.grid(request.sets)
    inputs = [request.data, request.store]
    output.check_file("--skip-invalid", request.skip_invalid, *inputs)
    settings = read_settings(request)
    judge, embedder = Judges(request).build()
    say_line = _Lines(silent=request.quiet)
    given = (
        request.data,
        read_configurable(request),
        grid,
        values.metric_specs(request.metrics),
        judge,
    )
    how = SweepSettings(
        max_configurations=request.max_configurations,
        level=request.level,
        race=request.race,
        embedder=embedder,
        settings=settings,
        asking=read_asking(request, settings),
        on_configuration=say_line,
    )
    if request.dry_run:
        return show_counts(
            count_sweep(*given, store=request.store, how=how), request, at_most=request.race
        )
    swept = sweep(*given, store=request.store, how=how)
    if request.as_json:
        output.print_json(msgspec.to_builtins(swept))
    elif not request.quiet:
        output.stdout().print(_shown(swept))
        _print_commands(swept, request.store)
    return SOME_FAILED if any(one.failures or one.failed for one in swept.configurations) else OK


class _Lines:
    """Says of each configuration what it took."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent

    def __call__(self, one: Configuration) -> None:
        if self._silent:
            return
        text = f"{one.name}: system asked {one.asked:,}, reused {one.reused:,}"
        text += f"; judge asked {one.judge_asked:,}, reused {one.judge_reused:,}"
        if one.dropped_after is not None:
            text += f"; dropped after {numbers.plural(one.dropped_after, 'question')}"
        if one.failures:
            text += f"; {numbers.plural(one.failures, 'question')} without an answer"
        say(text)


def show_counts(
    counts: dict[str, tuple[int, int]],
    request: options.RunRequest,
    one: str = "configuration",
    *,
    at_most: bool = False,
) -> int:
    """Show how many questions each configuration would be sent; nobody is asked."""
    if request.as_json:
        rows = [{"name": name, "ask": new, "known": known} for name, (new, known) in counts.items()]
        output.print_json({f"{one}s": rows})
    elif not request.quiet:
        made = table(one, gap=2)
        numeric(made, ("to ask", "known"))
        for name, (new, known) in counts.items():
            made.add_row(leaderboard.name(name), numbers.count(new), numbers.count(known))
        output.stdout().print(made)
        total = sum(new for new, _ in counts.values())
        most = "At most " if at_most else ""
        say(f"{most}{total:,} questions to send in {len(counts)} {one}s. Nothing was asked.")
    return OK


def _shown(swept: Sweep) -> RenderableType:
    n, k = numbers.plural(swept.n, "question"), len(swept.configurations)
    head = f"{swept.target} over {n} of {swept.source}, {numbers.plural(k, 'configuration')}"
    lines: list[RenderableType] = [Text(sanitize.plain(head), "bold")]
    for board in swept.leaderboards:
        lines += leaderboard.blocks(board, swept.level)
    lines += [
        Text(),
        _taken(swept.configurations),
        leaderboard.legend(swept.level, race=swept.race),
        Text(),
    ]
    return Group(*lines)


def _taken(configurations: Sequence[Configuration]) -> Table:
    """What each configuration took; columns in which nothing stands are left out."""
    columns = {
        "dropped after": [numbers.count(one.dropped_after) for one in configurations],
        "asked": [numbers.count(one.asked) for one in configurations],
        "reused": [numbers.count(one.reused) for one in configurations],
        "no answer": [numbers.count(one.failures or None) for one in configurations],
        "latency": [_shown_as(numbers.milliseconds, one.latency_ms) for one in configurations],
        "cost": [_shown_as(numbers.money, one.cost) for one in configurations],
    }
    heads = [head for head, cells in columns.items() if set(cells) != {numbers.DASH}]
    made = table("configuration", "run", gap=2)
    numeric(made, heads)
    for at, one in enumerate(configurations):
        cells = (columns[head][at] for head in heads)
        made.add_row(leaderboard.name(one.name), one.run[:8], *cells)
    return made


def _shown_as(form: Callable[[float], str], amount: float | None) -> str:
    return numbers.DASH if amount is None else form(amount)


def _print_commands(swept: Sweep, store: str) -> None:
    """The next commands, ready to be copied."""
    first = swept.leaderboards[0].standings
    runs = {one.name: one.run[:8] for one in swept.configurations}
    lines = []
    if len(first) > 1:
        pair = [runs[one.name] for one in first[:2]]
        lines.append(("compare", output.command_line("compare", *reversed(pair), store=store)))
    lines.append(("history", output.command_line("history", "--by", _varied(swept), store=store)))
    output.print_lines(lines)


def _varied(swept: Sweep) -> str:
    return next(iter(swept.configurations[0].params))
