"""What came of adapting an embedder, or a judge, in words and tables."""

from collections.abc import Mapping
from typing import Any

from assay._report import numbers
from assay._report.comparison import between, signed
from assay._report.page import Section, Sections

Json = Mapping[str, Any]


def embedder_report(data: Json) -> Sections:
    """The table of an adaptation as plain values."""
    facts = [("base", data["base"]), ("adapted", data["folder"]), ("questions", _questions(data))]
    text = "Questions are sentences taken out of the passages: users ask in other words, and may"
    warnings = [f"{text} find less gained, or more."] if data["by_rule"] else []
    heads = ("retrieval", "base", "adapted", "adapted - base", "")
    level = f"{numbers.percent(data['level'])} %"
    note = f"Among {numbers.plural(data['passages'], 'passage')}. In brackets {level} intervals, "
    note += "clustered by document; of the differences, over the same questions."
    rows = list(map(_row, data["gains"]))
    table = Section("Retrieval of held-out questions", heads, rows, [note])
    return Sections("An embedder adapted to a corpus", facts, warnings, [table])


def _questions(data: Json) -> str:
    held_out = numbers.plural(data["held_out"], "question")
    documents = numbers.plural(data["documents"], "document")
    text = f"{data['train']:,} to learn from; {held_out} about {documents} held out"
    return f"{text}; {data['left_out']:,} left out" if data["left_out"] else text


def _row(gain: Json) -> list[str]:
    pairs = gain["paired"]
    ends, difference = pairs["interval"], signed(pairs["difference"])
    return [
        gain["measure"],
        _beside(pairs["before"], gain["base"]),
        _beside(pairs["after"], gain["adapted"]),
        f"{difference} ({between(ends)})" if ends else difference,
        gain["verdict"],
    ]


def _beside(mean: float, ends: Json | None) -> str:
    return f"{numbers.score(mean)} ({numbers.span((ends['low'], ends['high']) if ends else None)})"


_KINDS = {
    "faithfulness": "Statements that the contexts support",
    "context_relevance": "Contexts that help to answer the question",
    "answer_relevance": "Answers that address the question",
}


def judge_report(data: Json) -> Sections:
    """The figures of an adaptation as plain values."""
    facts = [
        ("base", data["base"]),
        ("learnt from", _judge_learnt(data)),
        ("outcome", judge_outcome(data)),
    ]
    text = "Synthetic cases are what rules make of the documents: a gain on them need not be one on"
    people = any(one["cases"] == "people" for one in data["compared"])
    warnings = [] if people else [f"{text} real answers. Measure with labels of people: --labels"]
    sections = [
        section
        for kind, title in _KINDS.items()
        for whose in ("people", "synthetic")
        if (section := _section(data, kind, whose, title)) is not None
    ]
    return Sections("The embedded judge adapted to a domain", facts, warnings, sections)


def judge_outcome(data: Json) -> str:
    """What was written, or that nothing is worth using."""
    if data["folder"] is None:
        return "nothing that was tried is better than the judge that ships: keep using embedded"
    parts = ["the trained network"] if data["network"] == "trained" else []
    if data["fitted"]:
        parts.append(f"coefficients for {', '.join(data['fitted'])}")
    return f"{data['folder']}: {' and '.join(parts)}"


def _judge_learnt(data: Json) -> str:
    steps = f"{data['steps']:,} steps over {numbers.plural(data['windows'], 'window')}"
    labels = [f"{n} of {kind}" for kind, n in data["labels"].items() if n]
    told = [steps if data["steps"] else "", f"labels: {', '.join(labels)}" if labels else ""]
    left_out = f"{data['left_out']} cases cannot be read" if data["left_out"] else ""
    return "; ".join(filter(None, [*told, left_out]))


def _section(data: Json, kind: str, whose: str, title: str) -> Section | None:
    mine = [one for one in data["compared"] if (one["kind"], one["cases"]) == (kind, whose)]
    if not mine:
        return None
    first = mine[0]
    heads = ("judge", "missed", "false alarms", "AUROC", "squared error", "")
    base = [numbers.score(first[name][0]) for name in ("missed", "alarms", "auroc")]
    rows = [["ships", *base, numbers.score(first["brier"]["before"]), ""]]
    for one in mine:
        figures = [numbers.score(one[name][1]) for name in ("missed", "alarms", "auroc")]
        ends = one["brier"]["interval"]
        error = numbers.score(one["brier"]["after"]) + (f" ({between(ends)})" if ends else "")
        rows.append([one["candidate"], *figures, error, one["verdict"]])
    counts = f"{first['good']} right and {first['bad']} wrong"
    notes = [f"{counts}, of sources that nothing was learnt from. Missed: wrong ones that pass."]
    level = f"{numbers.percent(data['level'])} %"
    notes.append(
        f"In brackets the difference, with {level} intervals that hold for all candidates."
    )
    floors = [f"{name} {numbers.score(value)}" for name, value in first["floors"].items()]
    share = first["good"] / (first["good"] + first["bad"])
    constant = numbers.score(share * (1 - share))
    notes.append(f"Without a judge: AUROC of {', '.join(floors)}; squared error of one guess for")
    notes[-1] += f" all {constant}."
    return Section(f"{title} ({whose})", heads, rows, notes)
