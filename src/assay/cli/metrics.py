"""`assay metrics`: which metrics are there, what does each need, and how do they differ on data?"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import click

from assay.cli import options
from assay.cli.edge import OK


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
    """List the metrics: definition, needs, the tasks it asks, who can do them, other names.

    With METRICs only those, one of your own (MODULE:ATTRIBUTE) included. With --compare they are
    computed for the same samples, each by its own definition.
    """
    from assay.cli import comparing, screen, values

    values.look_here()
    names = values.metric_specs(given["names"])
    if given["data"] is not None:
        return comparing.compare(names, given)
    rows = _rows(names)
    if given["as_json"]:
        screen.write_json(rows)
        return OK
    _show(rows)
    return OK


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
    from assay.backends.specs import DEFAULT
    from assay.metrics import ALIASES, METRICS, resolve
    from assay.run.connect import choose
    from assay.run.settings import Settings

    route = choose(DEFAULT, None, Settings())
    rows = []
    for metric in resolve(names or [kind() for kind in METRICS.values()]):
        asked = metric.asks(route.serves)
        row = {
            "name": metric.name,
            "definition": (type(metric).__doc__ or "").strip().partition("\n")[0],
            "parameters": {field.name: getattr(metric, field.name) for field in fields(metric)},
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
    lines = [f"needs {'; or '.join(ways)}"]
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
