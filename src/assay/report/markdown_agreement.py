"""How is agreement with people shown where Markdown is read?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.report import agreement as words
from assay.report.markdown import code, inline, joined

Json = Mapping[str, Any]


def render(data: Json) -> str:
    """Every metric with its measures, what they were beside, and what to read."""
    blocks = [f"## Run {code(data['run'])} and people ({code(data['labels'])})"]
    for metric in data["metrics"]:
        blocks += _metric(metric)
    blocks += [f"{code(name)}: {inline(why)}" for name, why in data["without"].items()]
    if data["concordance"]:
        blocks += _concordance(data["concordance"])
    return joined(blocks)


def _metric(metric: Json) -> list[str]:
    both = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    cases = [
        f"- {code(case['sample'])}: {inline(words.difference(case))}. {inline(case['text'])}"
        for case in metric["worst"]
    ]
    return [
        f"### {code(metric['metric'])}",
        f"{inline(words.head(metric))}.",
        _table(words.heads(metric), words.rows(metric)),
        f"{both}." if both else "",
        "\n".join(f"- {inline(note)}" for note in words.notes(metric)),
        "Worst disagreements:" if cases else "",
        "\n".join(cases),
    ]


def _concordance(table: Json) -> list[str]:
    heads = ("metric", "n", "P(correct)", *words.conditions(table))
    rest = [f"- {code(name)}: {inline(why)}" for name, why in table["without"].items()]
    grids = [
        block
        for name, rows in words.grids(table)
        for block in (f"{code(name)} at other thresholds:", _table(words.GRID_HEADS, rows))
    ]
    rows = words.concordance_rows(table)
    return ["### Concordance", _table(heads, rows), "\n".join(rest), *grids]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(map(inline, heads))} |"]
    lines.append("|:---|" + "---:|" * (len(heads) - 1))
    lines += [f"| {' | '.join(map(inline, row))} |" for row in rows]
    return "\n".join(lines)
