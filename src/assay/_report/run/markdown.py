"""A run summed up in Markdown: for a pull request, an issue, a wiki."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay._report import diagnosis as words
from assay._report import distribution, notes, numbers, titles
from assay._report.sanitize import cell, code, inline
from assay._report.tables import joined, markdown_table

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
        f"## assay run {code(titles.beside(run['title'], run['id']))}",
        ", ".join([samples, *map(code, made_of)]),
        "\n>\n".join(_note(note) for note in notes.notes(data)),
        _first_page(first) if first else "",
        _table(data["metrics"]),
        "\n".join(f"- {line}" for line in _beside(data)),
        inline(notes.cost(data)),
    ]
    return joined(blocks)


def _first_page(diagnosis: Mapping[str, Any]) -> str:
    lines = [f"- {name}: {inline(text)}" for name, text in words.first_page(diagnosis)]
    return "\n".join([f"{inline(words.headline(diagnosis))}.", "", *lines])


def _table(metrics: Sequence[Mapping[str, Any]]) -> str:
    silent = any(metric.get("n_unanswered") for metric in metrics)
    sides = {name: side for name, side in _HEADS.items() if silent or name != "no answer"}
    rows = (_cells(metric) for metric in metrics)
    return markdown_table(sides, ([row[name] for name in sides] for row in rows))


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
    remark = ", ".join(filter(None, [inline(notes.unit(metric)), lower]))
    return f" ({remark})" if remark else ""


def _beside(data: Mapping[str, Any]) -> list[str]:
    lines = [inline(text) for text in data["unmeasured"]]
    for text, labels in notes.by_remark(data, notes.trust).items():
        lines.append(f"{', '.join(map(code, labels))}: {inline(text)}")
    for method, labels in notes.methods(data).items():
        lines.append(f"{', '.join(map(code, labels))}: computed as {inline(method)}")
    for metric in data["metrics"]:
        tail = notes.percentiles(metric)
        lines += [f"{code(metric['label'])}: {inline(tail)}"] if tail else []
    for remark in (notes.letters, notes.noise):
        for text, labels in notes.by_remark(data, remark).items():
            lines.append(f"{', '.join(map(code, labels))}: {inline(text)}")
    cosines = [code(metric["label"]) for metric in data["metrics"] if metric["cosine"]]
    if cosines:
        lines.append(f"{', '.join(cosines)}: {inline(notes.baseline(data))}")
    return lines


def _note(note: notes.Note) -> str:
    return f"> {'**Warning:** ' if note.level == 'warn' else ''}{inline(note.text)}"
