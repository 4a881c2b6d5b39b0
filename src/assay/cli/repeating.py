"""What happens when `assay repeat` runs?"""

from collections.abc import Mapping
from typing import Any

import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.analysis import repeat as asked
from assay.cli import screen, values
from assay.cli.edge import OK
from assay.cli.judges import Judges
from assay.cli.placeholders import read_prompts
from assay.cli.progress import meter
from assay.middleware.limiter import Limits
from assay.report import numbers, sanitize
from assay.report.titles import called
from assay.runner.result import Result
from assay.runner.settings import Settings
from assay.runner.summary import Flips, Noise


def repeat(given: Mapping[str, Any]) -> int:
    """Ask again and show what was found; the exit code."""
    result = Result(given["store"], given["run"])
    judge, embedder = Judges.of(given).named(given)
    values.look_here()
    with meter(silent=given["no_progress"]) as watch:
        settings = Settings(
            prompts=read_prompts(given["prompts"]),
            limits=Limits(concurrency=given["concurrency"], timeout=given["timeout"]),
            on_progress=watch,
        )
        found = asked.repeat(
            result,
            judge,
            draws=given["draws"],
            samples=given["samples"],
            metrics=values.metric_specs(given["metrics"]) or None,
            embedder=embedder,
            settings=settings,
        )
    if given["as_json"]:
        screen.write_json(msgspec.to_builtins(found))
    else:
        screen.out().print(_shown(found, result))
    return OK


def _shown(found: asked.Repeated, result: Result) -> RenderableType:
    scored = {row.metric: row.n_scored for row in result.summary()}
    one = next(iter(found.metrics.values()))
    times = numbers.plural(one.draws, "more time")
    title = f"run {called(result.run)}, {numbers.plural(one.samples, 'sample')} judged {times}"
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("metric", overflow="fold")
    table.add_column("a score moves\n(s.d.)", justify="right")
    table.add_column("the mean moves\n(95 %)", justify="right")
    table.add_column("verdicts that flip", overflow="fold")
    for label, noise in found.metrics.items():
        table.add_row(Text(sanitize.plain(label)), *_row(noise, scored.get(label, 0)))
    lines: list[RenderableType] = [
        Text(sanitize.plain(title), style="bold"),
        Text(sanitize.plain(found.judge), "dim"),
    ]
    lines.append(table)
    lines += [Text(text, style="dim") for text in _wording(found)]
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


def _wording(found: asked.Repeated) -> list[str]:
    lines = []
    for kind, wording in found.wording.items():
        tasks = numbers.plural(wording.n, "task")
        same = f"all of {tasks} answered the same, word for word"
        differ = f"{wording.differ:,} of {tasks} answered in other words"
        lines.append(f"{kind}: {differ if wording.differ else same}")
    return lines
