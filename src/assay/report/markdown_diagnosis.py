"""How is a diagnosis shown where Markdown is read?"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.report import diagnosis as words
from assay.report import numbers, run_titles
from assay.report.markdown import cell, code, inline, joined, table

Json = Mapping[str, Any]
_SHOWN: Final = 5
_SIDES: Final = {
    "cause": ":---",
    "samples": "---:",
    "also in": "---:",
    "share of those checked": ":---",
    "such as": ":---",
}


def render(data: Json) -> str:
    """The causes, what to try, the patterns and what could not be told."""
    run = run_titles.beside(data["title"], data["run"])
    blocks = [
        f"## What went wrong in run {code(run)}, and what to try",
        inline(words.headline(data)) + ".",
        _causes(data),
        "\n".join(
            f"{place}. {inline(a['advice'])} ({words.gain(a)})"
            for place, a in enumerate(data["advice"], start=1)
        ),
        "\n".join(_what_if(data["counterfactual"])) if data["counterfactual"] else "",
        "\n".join(_pattern(pattern) for pattern in words.claimed(data)),
        "\n".join(
            f"- Could not be diagnosed: {numbers.plural(len(ids), 'sample')}, {inline(why)} "
            f"({_some(ids)})."
            for why, ids in words.undiagnosed(data)[:_SHOWN]
        ),
        "\n".join(
            f"- Could not be told on {numbers.plural(n, 'sample')}: {', '.join(causes)}. "
            f"Needs {inline(need)}."
            for need, causes, n in words.missing(data)
        ),
    ]
    return joined(blocks)


def _causes(data: Json) -> str:
    if not data["causes"]:
        return ""
    rows = []
    for cause in data["causes"]:
        shown = _some([case["id"] for case in cause["samples"]])
        row = [
            f"**{cause['title']}**",
            numbers.count(cause["n"]),
            numbers.count(cause["contributing"]),
            words.share(cause),
            shown,
        ]
        rows.append(row)
    return table(_SIDES, rows)


def _some(ids: Sequence[str]) -> str:
    """The first of them, and how many there are beside."""
    more = len(ids) - _SHOWN
    return ", ".join([*map(cell, ids[:_SHOWN]), *([f"{more:,} more"] if more > 0 else [])])


def _what_if(found: Json) -> list[str]:
    return [f"{words.what_if(found)}:", "", *(f"- {inline(x)}" for x in words.changes(found))]


def _pattern(pattern: Json) -> str:
    told = "; ".join(inline(words.condition(c)) for c in pattern["conditions"])
    n = numbers.plural(len(pattern["samples"]), "sample")
    return f"- **{inline(pattern['title'])}** ({n}; {told}). {pattern['means']} {pattern['advice']}"
