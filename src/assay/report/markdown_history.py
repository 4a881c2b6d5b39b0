"""How are scores over runs shown where Markdown is read?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.report import history, numbers
from assay.report.console_history import bar
from assay.report.markdown import cell, code, inline, joined, table

Json = Mapping[str, Any]


def render(data: Json) -> str:
    """Each metric with its series, and what must be read beside them."""
    heads = history.heads(data)
    blocks = [block for metric in data["metrics"] for block in _metric(metric, heads)]
    notes = "\n".join(f"- {inline(note)}" for note in history.notes(data))
    return joined(["## Scores over runs", *blocks, notes])


def _metric(metric: Json, heads: Sequence[str]) -> Iterator[str]:
    lower = "" if metric["higher_is_better"] else " (lower is better)"
    yield f"### {code(metric['metric'])}{lower}"
    for one in metric["series"]:
        yield inline(f"Series {one['name']}: {history.title(one)}.")
        if apart := history.apart(one):
            yield f"**{inline(apart)}**"
        low, high = (numbers.score(end) for end in metric["axis"][:2])
        sides = {inline(name): _side(name) for name in heads}
        sides |= {f"{low} to {high}": ":---", "": ":---"}
        rows = []
        for point in one["points"]:
            cells = [_cell(*pair) for pair in zip(heads, history.row(point), strict=True)]
            # Spaces at the ends of a code span are lost, and with them where the axis begins.
            picture = cell(bar(point, metric["axis"]).replace(" ", "·"))
            rows.append([*cells, picture, history.remarks(point, metric)])
        yield table(sides, rows)


def _side(head: str) -> str:
    return {"n": "---:", "mean": "---:", "95 % interval": ":---:"}.get(head, ":---")


def _cell(head: str, text: str) -> str:
    return cell(text) if head == "id" else inline(text)
