"""How is a run summed up where Markdown is read: a pull request, an issue, a wiki?"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from assay.report import diagnosis as words
from assay.report import distribution, notes, numbers, run_titles, safe
from assay.text.sanitize import whole

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>|~&$])")
# Mentions, issue numbers, links and emoji names are found in the text after escapes are undone;
# an invisible joiner keeps them from being found.
_MAGNETS: Final = re.compile(r"([@#]|:(?=\S)|www(?=\.))")
_JOINER: Final = "\N{WORD JOINER}"
_HEADS: Final = {
    "metric": ":---",
    "mean (95 % interval)": "---:",
    "guide": "---:",
    "worst-case bounds": ":---:",
    "scored": "---:",
    "undefined": "---:",
    "failed": "---:",
    "no answer": "---:",
    "distribution": ":---",
}


def render(data: Mapping[str, Any]) -> str:
    """The score table with everything that must be read beside it."""
    run = data["run"]
    made_of = [name for name in (run["source"], run["judge_in_words"]) if name]
    samples = numbers.plural(run["n_samples"], "sample")
    first = data["diagnosis"]
    blocks = [
        f"## assay run {code(run_titles.beside(run['title'], run['id']))}",
        ", ".join([samples, *map(code, made_of)]),
        "\n>\n".join(_note(note) for note in notes.notes(data)),
        _first_page(first) if first else "",
        _table(data["metrics"]),
        "\n".join(f"- {line}" for line in _beside(data)),
        inline(notes.cost(data)),
    ]
    return joined(blocks)


def _first_page(found: Mapping[str, Any]) -> str:
    lines = [f"- {name}: {inline(text)}" for name, text in words.first_page(found)]
    return "\n".join([f"{inline(words.headline(found))}.", "", *lines])


def joined(blocks: Sequence[str]) -> str:
    """The page that is made of these blocks; empty ones are left out."""
    return whole("\n\n".join(block for block in blocks if block) + "\n")


def table(sides: Mapping[str, str], rows: Iterable[Iterable[str]]) -> str:
    """A table.

    Args:
        sides: Its heads, each with the side to which its column is set: ":---", "---:", ":---:".
        rows: Cells that are Markdown already.
    """
    lines = [f"| {' | '.join(sides)} |", f"|{'|'.join(sides.values())}|"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def _table(metrics: Sequence[Mapping[str, Any]]) -> str:
    silent = any(metric.get("n_unanswered") for metric in metrics)
    sides = {name: side for name, side in _HEADS.items() if silent or name != "no answer"}
    rows = (_cells(metric) for metric in metrics)
    return table(sides, ([row[name] for name in sides] for row in rows))


def _cells(metric: Mapping[str, Any]) -> dict[str, str]:
    mean = numbers.score(metric["mean"])
    if metric["interval"]:
        mean += f" ({numbers.span(metric['interval'])})"
    guide = ""
    if metric["guide"] is not None:
        guide = numbers.score(metric["guide"])
    unanswered = metric.get("n_unanswered", 0)
    missing = metric["n_failed"] or unanswered
    return {
        "metric": cell(metric["label"]) + _aside(metric),
        "mean (95 % interval)": mean,
        "guide": guide,
        "worst-case bounds": numbers.span(metric["bounds"]) if missing else "none failed",
        "scored": numbers.count(metric["n_scored"]),
        "undefined": numbers.count(metric["n_undefined"]),
        "failed": numbers.count(metric["n_failed"]),
        "no answer": numbers.count(unanswered),
        # Spaces at the ends of a code span are lost, and with them where the axis begins.
        "distribution": "`" + distribution.spread(metric).line().replace(" ", "·") + "`",
    }


def _aside(metric: Mapping[str, Any]) -> str:
    lower = "" if metric["higher_is_better"] else "lower is better"
    said = ", ".join(filter(None, [inline(notes.unit(metric)), lower]))
    return f" ({said})" if said else ""


def _beside(data: Mapping[str, Any]) -> list[str]:
    lines = [inline(text) for text in data["unmeasured"]]
    for text, labels in notes.alike(data, notes.trust).items():
        lines.append(f"{', '.join(map(code, labels))}: {inline(text)}")
    for metric in data["metrics"]:
        name = code(metric["label"])
        lines += [f"{name}: computed as {inline(method)}" for method in metric["methods"]]
        tail = notes.percentiles(metric)
        lines += [f"{name}: {inline(tail)}"] if tail else []
    for said in (notes.letters, notes.noise):
        for text, labels in notes.alike(data, said).items():
            lines.append(f"{', '.join(map(code, labels))}: {inline(text)}")
    cosines = [code(metric["label"]) for metric in data["metrics"] if metric["cosine"]]
    if cosines:
        lines.append(f"{', '.join(cosines)}: {inline(notes.baseline(data))}")
    return lines


def _note(note: notes.Note) -> str:
    return f"> {'**Warning:** ' if note.level == 'warn' else ''}{inline(note.text)}"


def _flat(text: object) -> str:
    return " ".join(safe.plain(text).split())


def inline(text: object) -> str:
    """Text that stays text, and on its line, whatever it holds."""
    return _MAGNETS.sub(rf"\1{_JOINER}", _SPECIAL.sub(r"\\\1", _flat(text)))


def code(name: object) -> str:
    """A name as a code span, which nothing inside can end."""
    text = _flat(name)
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text or not text else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def folded(summary: str, block: str) -> str:
    """A block that opens on a click on its summary."""
    return f"<details><summary>{html.escape(_flat(summary))}</summary>\n\n{block}\n\n</details>"


def cell(name: object) -> str:
    """The same in a table, where pipes end cells even in a code span."""
    return code(name).replace("|", "\\|")
