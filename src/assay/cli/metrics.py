"""`assay metrics`: which metrics are there, and what does each need?"""

from dataclasses import fields
from typing import Any

import click

from assay.cli import options
from assay.cli.edge import OK


@click.command("metrics", short_help="List the metrics: what each needs and asks.")
@options.as_json
def command(*, as_json: bool) -> int:
    """List the metrics: definition, needs, the tasks it asks, who can do them, other names."""
    from assay.cli import screen

    rows = _rows()
    if as_json:
        screen.write_json(rows)
        return OK
    from rich.padding import Padding
    from rich.text import Text

    console = screen.out()
    for row in rows:
        console.print(Text(row["name"], style="bold"))
        console.print(Padding(Text(row["definition"]), (0, 0, 0, 4)))
        for line in _details(row):
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 4)))
    console.print("`assay explain METRIC` shows the whole definition and every prompt.")
    return OK


def _rows() -> list[dict[str, Any]]:
    from assay.backends.specs import DEFAULT
    from assay.metrics import ALIASES, METRICS
    from assay.run.connect import choose
    from assay.run.settings import Settings

    route = choose(DEFAULT, None, Settings())
    rows = []
    for name, metric in METRICS.items():
        asked = metric().asks(route.serves)
        row = {
            "name": name,
            "definition": (metric.__doc__ or "").strip().partition("\n")[0],
            "parameters": {field.name: field.default for field in fields(metric)},
            "needs": list(metric.needs),
            "tasks": [kind.kind for kind in metric.tasks],
            "range": list(metric.range),
            "higher_is_better": metric.higher_is_better,
            "guide": metric.guide,
            "embedded_asks": [kind.kind for kind in asked],
            "embedded_lacks": [k.kind for k in asked if not route.serves(k)],
            "aliases": [alias for alias, meant in ALIASES.items() if meant == name],
        }
        rows.append(row)
    return rows


def _details(row: dict[str, Any]) -> list[str]:
    lines = [f"needs {', '.join(row['needs'])}", f"asks {', '.join(row['tasks'])}"]
    if row["embedded_lacks"]:
        lines.append(
            f"needs an LLM: the embedded judge cannot do {', '.join(row['embedded_lacks'])}"
        )
    elif row["embedded_asks"] != row["tasks"]:
        lines.append(f"the embedded judge can, asked {', '.join(row['embedded_asks'])} only")
    else:
        lines.append("the embedded judge can")
    if row["parameters"]:
        given = ", ".join(f"{name}={value}" for name, value in row["parameters"].items())
        lines.append(f"parameters: {given}")
    if row["aliases"]:
        lines.append(f"also called {', '.join(row['aliases'])}")
    return lines
