"""The command `assay repeat`: how much a judge's verdicts and scores vary."""

from dataclasses import dataclass

import click
import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis import repeat as analysis
from assay._cli import options, output, values
from assay._cli.errors import OK
from assay._cli.judges import JudgeRequest, Judges
from assay._cli.progress import meter
from assay._cli.prompts import read_prompts
from assay._cli.user_modules import look_here
from assay._middleware.limiter import Limits
from assay._report import numbers, sanitize
from assay._report.titles import called
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay._runner.summary import Flips, Noise
from assay.judge import Reasons


@dataclass(frozen=True, kw_only=True)
class RepeatRequest(JudgeRequest):
    """What `assay repeat` is asked for."""

    run: str
    draws: int
    samples: int
    metrics: tuple[str, ...]
    prompts: str | None
    reasons: Reasons
    concurrency: int
    as_json: bool
    store: str
    no_progress: bool


@click.command("repeat")
@click.argument("run", metavar="[RUN]", default="last")
@options.count("--draws", default=3, help="How often to repeat every task.")
@options.count(
    "--samples",
    default=100,
    least=2,
    help="Approximate number of samples, drawn at random; the same ones each time.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Only these metrics of the run; MODULE:ATTRIBUTE for one of your own.",
)
@options.judge
@click.option("--prompts", metavar="FILE", help="The prompts that the run was judged with.")
@options.reasons
@options.count("--concurrency", default=16, help="Maximum number of concurrent calls to a judge.")
@options.as_json
@options.store
@options.no_progress
@options.takes(RepeatRequest)
def repeat_command(request: RepeatRequest) -> int:
    """Ask the judge of RUN the same again, and measure how its verdicts and scores move.

    Name the same judge as for the run. Every task is asked with the same settings as
    before. The result is stored with the judge and shown beside every score that it gives under
    the same signature. Replies are stored, so the same command asks nothing again.
    """
    result = Result(request.store, request.run)
    judge, embedder = Judges(request).build()
    look_here()
    with meter(silent=request.no_progress) as progress:
        settings = Settings(
            prompts=read_prompts(request.prompts),
            reasons=request.reasons,
            limits=Limits(concurrency=request.concurrency, timeout=request.timeout),
            on_progress=progress,
        )
        repeated = analysis.repeat(
            result,
            judge,
            draws=request.draws,
            samples=request.samples,
            metrics=values.metric_specs(request.metrics) or None,
            embedder=embedder,
            settings=settings,
        )
    if request.as_json:
        output.print_json(msgspec.to_builtins(repeated))
    else:
        output.stdout().print(_shown(repeated, result))
    return OK


def _shown(repeated: analysis.Repeated, result: Result) -> RenderableType:
    scored = {row.metric: row.n_scored for row in result.summary()}
    first = next(iter(repeated.metrics.values()))
    times = numbers.plural(first.draws, "more time")
    title = f"run {called(result.run)}, {numbers.plural(first.samples, 'sample')} judged {times}"
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("metric", overflow="fold")
    table.add_column("a score moves\n(s.d.)", justify="right")
    table.add_column("the mean moves\n(95 %)", justify="right")
    table.add_column("verdicts that flip", overflow="fold")
    for label, noise in repeated.metrics.items():
        table.add_row(Text(sanitize.plain(label)), *_row(noise, scored.get(label, 0)))
    lines: list[RenderableType] = [
        Text(sanitize.plain(title), style="bold"),
        Text(sanitize.plain(repeated.judge), "dim"),
    ]
    lines.append(table)
    lines += [Text(text, style="dim") for text in _wording(repeated)]
    return Group(*lines)


def _row(noise: Noise, n: int) -> tuple[str, str, str]:
    if noise.same:
        return "0", "0", "none: always the same"
    moves = noise.of_mean(n)
    mean = numbers.score(moves) if moves is None else f"\N{PLUS-MINUS SIGN}{numbers.score(moves)}"
    flips = [_flips(kind, flips) for kind, flips in noise.flips.items()]
    if noise.unsettled:
        flips.append(f"{numbers.plural(noise.unsettled, 'sample')} scored only at times")
    return numbers.score(noise.sd), mean, "; ".join(flips)


def _flips(kind: str, flips: Flips) -> str:
    ends = flips.interval
    span = f" ({_percent(ends[0])} to {_percent(ends[1])})" if ends else ""
    return f"{kind}: {_percent(flips.rate)} of {flips.n:,}{span}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _wording(repeated: analysis.Repeated) -> list[str]:
    lines = []
    for kind, wording in repeated.wording.items():
        tasks = numbers.plural(wording.n, "task")
        same = f"all of {tasks} answered the same, word for word"
        differ = f"{wording.differ:,} of {tasks} answered in other words"
        lines.append(f"{kind}: {differ if wording.differ else same}")
    return lines
