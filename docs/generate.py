"""Write the generated parts of the docs anew, or with --check tell which are out of date.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. NAME is a key of
`SECTIONS`, or "output": what the code block above it prints.
"""  # noqa: INP001

import hashlib
import inspect
import json
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import fields
from difflib import SequenceMatcher
from pathlib import Path
from types import ModuleType
from typing import Any

import conforming
import diagnosing
import recording
from snippets import ROOT, Block, blocks, pages, run

sys.path.append(str(ROOT))

import assay
import assay.types
from assay.data import ALIASES as COLUMNS
from assay.judge import Task
from assay.judges import SPECS
from assay.judges.embedded import Embedded
from assay.judges.embedded import card as cards
from assay.metrics import ALIASES, METRICS, Metric
from assay.metrics.registry import GROUPS
from assay.sample import Sample
from assay.tasks import TASKS
from assay.tasks.statements import SplitTexts
from benchmarks import calls

_PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
# Two runs differ in times and dates, and so in where lines end; two versions of Python in what they
# compile a function to, and so in the digest of its code; two processors in bars made of scores.
_VARIES = re.compile(
    r"\d[\d,]*(?:\.\d+)? (?:ms|s|min)\b|\d+ [A-Z][a-z]{2} \d\d:\d\d\b|@[0-9a-f]{8}\b|[▁▂▃▄▅▆▇█]"
)
_NUMBER = re.compile(r"\d+\.\d+")
# The log odds of the network differ by up to 0.0014 between processors with AVX2 and with AVX-512,
# and by 0.0035 from those with neither; its probabilities by a quarter of that.
_NOISE = 0.001
_PLAIN = {
    "METRICS": "Every metric class by its name.",
    "Outcome": "What a metric returns: a Score or an Unscored.",
    "__version__": "The version of assay.",
}


def metrics() -> str:
    """One section a metric, in their groups."""
    sections = []
    for group, classes in GROUPS.items():
        sections.append(f"## {group}")
        sections += [_metric(metric) for metric in classes]
    return "\n\n".join(sections)


def _metric(metric: type[Metric]) -> str:
    text, _, rest = inspect.cleandoc(metric.__doc__ or "").partition("\nArgs:\n")
    lines = [f"### {metric.name}", "", _paragraphs(text), ""]
    low, high = metric.range
    asked = ", ".join(f"[{task.kind}](tasks.md#{task.kind})" for task in metric.tasks)
    guide = "" if metric.guide is None else f"; guide value {metric.guide:g}"
    better = "higher" if metric.higher_is_better else "lower"
    facts = {
        "source": metric.source,
        "follows": metric.follows,
        "needs": f"{', '.join(metric.needs)}; asks {asked or 'no judge'}",
        "range": f"{low:g} to {high:g}; {better} is better{guide}",
        "also called": ", ".join(old for old, new in ALIASES.items() if new == metric.name),
    }
    lines += [f"- {name}: {fact}" for name, fact in facts.items() if fact]
    explained = dict(_attributes(rest))
    for f in fields(metric):
        lines.append(f"- parameter `{f.name}` (default `{f.default!r}`): {explained[f.name]}")
    return "\n".join(lines)


def tasks() -> str:
    """One section a task."""
    offline = Embedded()
    sections = {task.kind: _task(task, offline) for task in TASKS.values()}
    # It goes by the kind of those that it stands in for.
    several = _task(SplitTexts, offline).partition("\n")[2]
    sections[SplitTexts.kind] += f"\n\n### {SplitTexts.kind}, of several texts\n{several}"
    return "\n\n".join(sections.values())


def _task(task: type[Task[Any]], offline: Embedded) -> str:
    asked_by = [metric.name for metric in METRICS.values() if task in metric.tasks]
    if task is SplitTexts:
        asked_by = ["metrics that split texts about the same question"]
    facts = [
        f"Asked by {', '.join(asked_by) or 'no metric'}",
        f"the embedded judge {'serves' if offline.identity(task) else 'does not serve'} it",
    ]
    if task.template:
        facts.append(f"prompt `{task.template.digest}`")
    if task.schema:
        encoded = json.dumps(task.schema, sort_keys=True).encode()
        facts.append(f"reply schema `{hashlib.sha256(encoded).hexdigest()[:8]}`")
    lines = [f"### {task.kind}", "", f"{(task.__doc__ or '').partition(chr(10))[0]}"]
    lines += ["", f"{'; '.join(facts)}."]
    if task.template is None:
        return "\n".join(lines)
    template = task.template
    lines += ["", "```text", *_wrapped(template.instruction)]
    if template.form:
        lines += ["", "Reply with JSON only, in this form:", *_wrapped(template.form)]
    lines.append("```")
    if template.examples:
        n = len(template.examples)
        lines += ["", f"With {n} worked example{'s' if n > 1 else ''}."]
    return "\n".join(lines)


def columns() -> str:
    """The fields of a sample and the column names that are recognised for each."""
    meaning = dict(_attributes((Sample.__doc__ or "").partition("Attributes:\n")[2]))
    lines = ["| field | what it holds | recognised column names |", "|---|---|---|"]
    for field, names in COLUMNS.items():
        lines.append(f"| `{field}` | {meaning[field]} | {', '.join(f'`{n}`' for n in names)} |")
    return "\n".join(lines)


def judges() -> str:
    """The ways to name a judge."""
    rows = (spec.partition(" (") for spec in SPECS)
    lines = [f"| `{name}` | {what.removesuffix(')')} |" for name, _, what in rows]
    return "\n".join(["| judge | what it is |", "|---|---|", *lines])


def api() -> str:
    """The public names."""
    return _names(assay)


def types() -> str:
    """The types of what the public functions take and return."""
    return _names(assay.types)


def _names(module: ModuleType) -> str:
    lines = ["| name | what it is |", "|---|---|"]
    for name in module.__all__:
        doc = _PLAIN.get(name) or inspect.getdoc(getattr(module, name)) or ""
        first = doc.partition("\n")[0]
        lines.append(f"| `{name}` | {first.replace('``', '`')} |")
    return "\n".join(lines)


def judge_card() -> str:
    """What was measured of the embedded judge, and what is known of it."""
    card = cards.card()
    lines = [f"**No better than the floor: {'; '.join(card.at_floor)}.**", ""]
    lines += [f"Measured: `{card.judge}`, on {card.machine}. {card.languages}"]
    for section in card.sections:
        lines += ["", f"## {section.title}", ""]
        lines += ["| measured | value | 95 % interval | n | floor | others |"]
        lines += ["|---|---:|---|---:|---|---|", *map(_figure, section.figures)]
        lines += ["", f"`{section.command}`"]
    lines += ["", "## Known weaknesses", "", *(f"- {text}" for text in card.weaknesses)]
    lines += ["", "## Text seen in training", ""]
    lines += [f"- {model}: {seen}" for model, seen in card.training_text.items()]
    return "\n".join(lines)


def _figure(figure: cards.CardFigure) -> str:
    name = f"{figure.name}<br>{figure.note}" if figure.note else figure.name
    cells = (
        name,
        cards.number(figure.value),
        cards.interval(figure),
        str(figure.n),
        cards.floor(figure),
        figure.reference,
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _attributes(text: str) -> list[tuple[str, str]]:
    """(name, explanation) of an indented section of a docstring."""
    found = re.findall(r"^(\w+): (.*(?:\n\s{4,}.*)*)", textwrap.dedent(text), re.MULTILINE)
    return [(name, " ".join(words.split())) for name, words in found]


def _wrapped(text: str) -> list[str]:
    return [part for line in text.splitlines() for part in textwrap.wrap(line, 98)]


def _paragraphs(text: str) -> str:
    # Not wrapped again: a line that begins with "+" would become a list.
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


SECTIONS: dict[str, Callable[[], str]] = {
    "metrics": metrics,
    "tasks": tasks,
    "columns": columns,
    "judges": judges,
    "judge-card": judge_card,
    "api": api,
    "types": types,
    "conformance-sample": conforming.sample,
    "conformance-overview": conforming.overview,
    "conformance": conforming.definitions,
    "causes": diagnosing.causes,
    "patterns": diagnosing.patterns,
    "calls-sets": calls.sets,
    "calls-metrics": calls.metrics,
}


def filled(text: str, printed: Sequence[tuple[Block, str]]) -> str:
    """A page's text with every generated part made anew, from what its blocks printed."""

    def part(match: re.Match[str]) -> str:
        name = match[2]
        if name != "output":
            return f"{match[1]}{SECTIONS[name]()}\n{match[3]}"
        above = [output for block, output in printed if block.end < match.start()][-1]
        shown = "\n".join(line.rstrip() for line in above.strip("\n").splitlines())
        return steady(match[0], f"{match[1]}```text\n{shown}\n```\n{match[3]}")

    return _PART.sub(part, text)


def rewritten(page: Path) -> str:
    """The page's text with every generated part made anew."""
    text = page.read_text("utf-8")
    if not any(block.shown for block in blocks(text)):
        return filled(text, [])
    with tempfile.TemporaryDirectory() as folder:
        return filled(text, list(run(page, Path(folder))))


def steady(old: str, new: str) -> str:
    """What a block printed, without what differs from run to run: there the old output stays."""
    if same(old, new):
        return old
    before, after = old.splitlines(), new.splitlines()
    bare = [[*map(_bare, lines)] for lines in (before, after)]
    for at, to, n in SequenceMatcher(None, *bare, autojunk=False).get_matching_blocks():
        for line in range(n):
            if _VARIES.search(after[to + line]):
                after[to + line] = before[at + line]
    return "\n".join(after)


def same(old: str, new: str) -> bool:
    """Whether two texts agree but for what differs from run to run and by the processor."""
    before, after = (_bare(old), _bare(new)) if _VARIES.search(old) else (old, new)
    if _NUMBER.sub("#", before) != _NUMBER.sub("#", after):
        return False
    return all(map(_alike, _NUMBER.findall(before), _NUMBER.findall(after)))


def _alike(number: str, other: str) -> bool:
    """Whether two numbers may be one that is rounded otherwise: the last digits are neighbours."""
    digits = min(len(text.partition(".")[2]) for text in (number, other))
    return abs(float(number) - float(other)) < max(1.5 * 10**-digits, _NOISE)


def _bare(text: str) -> str:
    return " ".join(_VARIES.sub(" ", text).split())


def main() -> int:
    """Write the pages; with --check write nothing and return 1 if one is out of date."""
    if wrong := set(sys.argv[1:]) - {"--check"}:
        sys.exit(f"{', '.join(sorted(wrong))}: only --check is known")
    check = "--check" in sys.argv[1:]
    stale = recording.refresh(write=not check)
    for page in pages():
        old, new = page.read_text("utf-8"), rewritten(page)
        if old == new:
            continue
        stale.append(str(page.relative_to(ROOT)))
        if not check:
            page.write_text(new, "utf-8")
    what = "out of date, run `make docs`" if check else "written"
    for name in stale:
        sys.stdout.write(f"{name}: {what}\n")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
