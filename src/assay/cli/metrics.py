"""`assay metrics`: which metrics are there, what does each need, and how do they differ on data?"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import click

from assay.cli import options
from assay.cli.edge import OK

_LLM = "needs an LLM"
_COMPARING = (
    *("judges", "embedder", "base_url", "api_key", "timeout", "window"),
    *("store", "maps", "limit"),
)


@click.command("metrics", short_help="List the metrics, or compare some on the same data.")
@click.argument("names", metavar="[METRIC]...", nargs=-1)
@click.option(
    "--compare",
    "data",
    metavar="DATA",
    help="Compute these METRICs for DATA side by side, from the same evidence, and say why they "
    "differ.",
)
@options.judge
@options.store
@options.maps
@options.limit
@options.as_json
def command(**given: Any) -> int:
    """List the metrics, a line each, and whether they need an LLM.

    With METRICs only those, one of your own (MODULE:ATTRIBUTE) included: definition, needs, the
    tasks it asks, who can do them, other names. With --compare they are computed for the same
    samples, each by its own definition. To compare two systems, use `assay compare`.
    """
    from assay.cli import alone, screen, side_by_side, values

    values.look_here()
    names = values.metric_specs(given["names"])
    if given["data"] is not None:
        return side_by_side.show(names, given)
    alone.refuse("is for --compare", "leave it out, or add --compare DATA", *_COMPARING)
    rows = _rows(names)
    if given["as_json"]:
        screen.write_json(rows)
        return OK
    (_show if names else _list)(rows)
    return OK


def _list(rows: Sequence[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from assay.cli import screen
    from assay.metrics.registry import GROUPS

    console = screen.out()
    by_name = {row["name"]: row for row in rows}
    width = max(map(len, by_name))
    for group, metrics in GROUPS.items():
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column(width=width, no_wrap=True)
        table.add_column(width=len(_LLM), no_wrap=True, style="dim")
        table.add_column()
        for name in (metric.name for metric in metrics):
            row = by_name[name]
            table.add_row(name, _who(row), Text(row["definition"]))
        console.print(Text(f"\n{group}", style="bold"))
        console.print(table)
    console.print(
        "\n`assay metrics METRIC` shows what one needs, `assay explain METRIC` all of it."
    )


def _who(row: dict[str, Any]) -> str:
    if not row["tasks"]:
        return "no judge"
    return _LLM if row["embedded_lacks"] else "offline"


def _show(rows: Sequence[dict[str, Any]]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from assay.cli import screen

    console = screen.out()
    for row in rows:
        console.print(Text(row["name"], style="bold"))
        console.print(Padding(Text(row["definition"]), (0, 0, 0, 4)))
        for line in _details(row):
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 4)))
    console.print("`assay explain METRIC` shows the whole definition and every prompt.")


def _rows(names: Sequence[str]) -> list[dict[str, Any]]:
    from assay.judges.specs import DEFAULT
    from assay.metrics import ALIASES, METRICS, resolve
    from assay.runner.settings import Settings
    from assay.runner.stack import choose

    route = choose(DEFAULT, None, Settings())
    rows = []
    for metric in resolve(names or [kind() for kind in METRICS.values()]):
        asked = metric.asks(route.serves)
        row = {
            "name": metric.name,
            "definition": (type(metric).__doc__ or "").strip().partition("\n")[0],
            "parameters": {field.name: getattr(metric, field.name) for field in fields(metric)},
            "source": metric.source,
            "follows": metric.follows,
            "needs": list(metric.needs),
            "instead": [list(way) for way in metric.instead],
            "tasks": [kind.kind for kind in metric.tasks],
            "range": metric.ends(),
            "higher_is_better": metric.higher_is_better,
            "guide": metric.guide,
            "embedded_asks": [kind.kind for kind in asked],
            "embedded_lacks": [k.kind for k in asked if not route.serves(k)],
            "aliases": [alias for alias, meant in ALIASES.items() if meant == metric.name],
        }
        rows.append(row)
    return rows


def _details(row: dict[str, Any]) -> list[str]:
    ways = [", ".join(way) or "nothing" for way in (row["needs"], *row["instead"])]
    lines = [f"follows {row['follows']}"] if row["follows"] else []
    lines.append(f"needs {'; or '.join(ways)}")
    lines.append(f"asks {', '.join(row['tasks']) or 'nobody'}")
    if row["embedded_lacks"]:
        lines.append(
            f"needs an LLM: the embedded judge cannot do {', '.join(row['embedded_lacks'])}"
        )
    elif row["embedded_asks"] != row["tasks"]:
        lines.append(f"the embedded judge can, asked {', '.join(row['embedded_asks'])} only")
    elif row["tasks"]:
        lines.append("the embedded judge can")
    if row["parameters"]:
        given = ", ".join(f"{name}={value}" for name, value in row["parameters"].items())
        lines.append(f"parameters: {given}")
    if row["aliases"]:
        lines.append(f"also called {', '.join(row['aliases'])}")
    return lines
