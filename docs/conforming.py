"""The generated parts of the conformance page: every definition on one and the same sample."""  # noqa: INP001

from collections.abc import Iterable, Sequence

from assay.conformance import STORY, Worked, definition, facts, outcome, rows, texts, worked
from assay.metrics import METRICS, Metric
from assay.score import Score
from assay.tasks import Embed, EmbedTokens

EMBEDDING = {Embed.kind, EmbedTokens.kind}


def sample() -> str:
    """The sample, and what the scripted judge finds in it."""
    lines = [STORY, "", "| field | text |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {text} |" for name, text in texts())])


def overview() -> str:
    """One line a metric: what it gives on the sample, and how often it asks."""
    lines = ["| metric | on the sample | calls | embeddings |", "|---|---:|---:|---:|"]
    for name, metric in METRICS.items():
        shown = worked(metric())
        link = f"[{name}](#{name.replace(':', '').lower()})"
        lines.append(_row((link, _value(shown), *_calls(shown))))
    return "\n".join(lines)


def definitions() -> str:
    """One section a metric."""
    return "\n\n".join(section(metric()) for metric in METRICS.values())


def section(metric: Metric) -> str:
    """What the page says of one metric."""
    shown = worked(metric)
    lines = [f"### {metric.name}", "", _paragraphs(definition(metric)), ""]
    lines += [f"- {name}: {plain(fact)}" for name, fact in facts(metric, shown)]
    parts = rows(shown.outcome) if shown else []
    if parts:
        lines += ["", *_table(("part", "text", "found", "value"), parts)]
    return "\n".join(lines)


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    rule = "|".join(["---"] * (len(head) - 1) + ["---:"])
    return [_row(head), f"|{rule}|", *(_row([plain(c) for c in line]) for line in lines)]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def plain(text: str) -> str:
    """A text with nothing in it that Markdown would read."""
    for mark in ("|", "<", "*"):
        text = text.replace(mark, f"\\{mark}")
    return text


def _value(shown: Worked | None) -> str:
    if shown is None:
        return ""
    found = shown.outcome
    return outcome(Score(found.value)) if isinstance(found, Score) else found.why


def _calls(shown: Worked | None) -> tuple[str, str]:
    if shown is None:
        return "", ""
    embeddings = sum(n for kind, n in shown.calls.items() if kind in EMBEDDING)
    return str(sum(shown.calls.values()) - embeddings), str(embeddings)


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
