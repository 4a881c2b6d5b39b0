"""How are scores over runs shown where Markdown is read?"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from assay.report import history, numbers
from assay.report.console_history import bar
from assay.report.markdown import cell, code, inline, joined, table

Json = Mapping[str, Any]
_SIDES: Final = (":---", ":---", ":---", "---:", "---:", ":---:", ":---", ":---")


def render(data: Json) -> str:
    """Each metric with its series, and what must be read beside them."""
    blocks = [block for metric in data["metrics"] for block in _metric(metric)]
    notes = "\n".join(f"- {inline(note)}" for note in history.notes(data))
    return joined(["## Scores over runs", *blocks, notes])


def _metric(metric: Json) -> Iterator[str]:
    lower = "" if metric["higher_is_better"] else " (lower is better)"
    yield f"### {code(metric['metric'])}{lower}"
    for one in metric["series"]:
        yield inline(f"Series {one['name']}: {history.title(one)}.")
        if apart := history.apart(one):
            yield f"**{inline(apart)}**"
        low, high = (numbers.score(end) for end in metric["axis"][:2])
        heads = [*history.HEADS, f"{low} to {high}", ""]
        rows = []
        for point in one["points"]:
            run, begun, source, *rest = history.row(point)
            # Spaces at the ends of a code span are lost, and with them where the axis begins.
            picture = cell(bar(point, metric["axis"]).replace(" ", "·"))
            cells = [cell(run), begun, inline(source), *rest, picture]
            rows.append([*cells, history.remarks(point, metric)])
        yield table(dict(zip(heads, _SIDES, strict=True)), rows)
