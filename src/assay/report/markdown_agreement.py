"""How is agreement with people shown where Markdown is read?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from assay.analysis.agreement import Agreement
from assay.analysis.concordance import Concordance
from assay.report import agreement as words
from assay.report import run_titles
from assay.report.markdown import code, inline, joined, table

Json = Mapping[str, Any]


def render(data: Json) -> str:
    """Every metric with its measures, what they were beside, and what to read."""
    found = msgspec.convert(data, words.Told)
    run = run_titles.beside(found.title, found.run)
    blocks = [f"## Run {code(run)} and people ({code(found.labels)})"]
    for metric in found.metrics:
        blocks += _metric(metric)
    blocks += [f"{code(name)}: {inline(why)}" for name, why in found.without.items()]
    if found.concordance:
        blocks += _concordance(found.concordance)
    return joined(blocks)


def _metric(metric: Agreement) -> list[str]:
    both = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    cases = [
        f"- {code(case.sample)}: {inline(words.difference(case))}. {inline(case.text)}"
        for case in metric.worst
    ]
    return [
        f"### {code(metric.metric)}",
        f"{inline(words.head(metric))}.",
        _table(words.heads(metric), words.rows(metric)),
        f"{both}." if both else "",
        "\n".join(f"- {inline(note)}" for note in words.notes(metric)),
        "Worst disagreements:" if cases else "",
        "\n".join(cases),
    ]


def _concordance(found: Concordance) -> list[str]:
    heads = ("metric", "n", "P(correct)", *words.conditions(found))
    rest = [f"- {code(name)}: {inline(why)}" for name, why in found.without.items()]
    grids = [
        block
        for name, rows in words.grids(found)
        for block in (f"{code(name)} at other thresholds:", _table(words.GRID_HEADS, rows))
    ]
    rows = words.concordance_rows(found)
    return ["### Concordance", _table(heads, rows), "\n".join(rest), *grids]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    sides = {inline(head): "---:" if place else ":---" for place, head in enumerate(heads)}
    return table(sides, (map(inline, row) for row in rows))
