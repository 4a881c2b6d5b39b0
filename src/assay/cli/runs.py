"""`assay runs`: which runs are in the store?"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.edge import OK

if TYPE_CHECKING:
    from assay.store import Run, Store

_LONGEST = 18  # characters of a name that a table of 80 columns has room for


@click.command("runs", short_help="List the runs in the store.")
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Only runs with this tag. Repeatable."
)
@options.as_json
@options.store
def command(*, tags: tuple[str, ...], as_json: bool, store: str) -> int:
    """List the runs in the store, the newest first.

    Every command that takes a RUN takes its name, the beginning of its id, "last", or "last~1" for
    the one before.
    """
    from assay.cli import screen
    from assay.errors import InputError
    from assay.store import Store

    if not Path(store).is_file():
        raise InputError(f"there is no store '{store}'", "`assay run` makes one")
    with Store(store) as opened:
        runs = [run for run in opened.runs() if {*tags} <= {*run.tags}]
        rows = [_row(opened, run) for run in runs]
    if as_json:
        screen.write_json(rows)
    else:
        _show(rows, tags)
    return OK


def _row(store: "Store", run: "Run") -> dict[str, Any]:
    from assay.report.titles import said

    counts = store.counts(run.id).values()
    done = sum(n for by_why in counts for why, n in by_why.items() if why != "failed")
    failed = sum(by_why.get("failed", 0) for by_why in counts)
    spent = store.spent(run.id)
    return {
        "run": run.id,
        **said(run),
        "created": run.created,
        "source": run.source,
        "judge": run.config["judge"],
        "metrics": list(run.metrics),
        "samples": run.n_samples,
        "scores": {"done": done, "failed": failed, "all": run.n_samples * len(run.metrics)},
        "calls": spent.calls,
        "tokens": spent.tokens_in + spent.tokens_out,
        "finished": run.finished is not None,
        "stopped": run.stopped,
        "about": _about(run),
    }


def _about(run: "Run") -> str:
    """Which run it asks again about; "" for one that was asked for by itself."""
    if "repeats" in run.config:
        again = run.config["repeats"]
        return f"repetition {again['time']} of {again['run'][:8]}"
    return f"{run.config['rescores'][:8]} re-scored" if run.derived else ""


def _show(rows: list[dict[str, Any]], tags: tuple[str, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    from assay.cli import screen
    from assay.report import sanitize
    from assay.report.titles import judge_in_words, remarks

    # A table would fold names at 80 columns: every run has a second line for its data and judge.
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("run", no_wrap=True, overflow="ellipsis", max_width=_LONGEST)
    for name in ("id", "begun (UTC)"):
        table.add_column(name, no_wrap=True)
    for name in ("samples", "metrics", "scores", "calls"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("state", overflow="fold")
    console = screen.out()
    for row in rows:
        scores = row["scores"]
        share = "all" if scores["done"] == scores["all"] else f"{scores['done']}/{scores['all']}"
        table.add_row(
            Text(sanitize.plain(row["name"] or row["source"])),
            row["run"][:8],
            row["created"][:16].replace("T", " "),
            f"{row['samples']:,}",
            str(len(row["metrics"])),
            share,
            f"{row['calls']:,}",
            _state(row),
        )
    console.print(table if rows else "no run with that tag" if tags else "no run yet")
    for row in rows:
        about = filter(
            None, [remarks(row), f"{row['source']}, judged by {judge_in_words(row['judge'])}"]
        )
        text = f"{row['run'][:8]}  {'; '.join(about)}"
        console.print(Text(sanitize.plain(text), style="dim"))


def _state(row: dict[str, Any]) -> str:
    stopped = str(row["stopped"]).partition(":")[0]
    state = "finished" if row["finished"] else f"stopped: {stopped}" if stopped else "not finished"
    failed = row["scores"]["failed"] if row["finished"] else 0
    said = [state, f"{failed} failed" if failed else "", row["about"]]
    return ", ".join(filter(None, said))
