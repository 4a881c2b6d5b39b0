"""The design of a test set: in words, as plain values, and as a page of its own without scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._report import numbers
from assay._report.page import asset, page
from assay._version import __version__
from assay.testset import Design

_OF_CORPUS: Final = ("coverage", "sections", "topics")  # whose rows are no rows of the data
_RANKS: Final = "rank of its passage by rare words"
_DRAWN: Final = ("kinds", _RANKS)  # facts that the page shows as bars
_MOST = 30  # rows of a finding on the page; the others are in the JSON


def decides(design: Design) -> list[str]:
    """What the questions can decide and what not, the first line by itself."""
    questions = numbers.plural(design.questions, "question")
    if design.groups:
        questions += f" in {numbers.plural(len(design.groups), 'group')}"
    best, usual = design.detectable
    first = f"{questions} can show no difference between systems"
    if usual is not None and best is not None:
        first = (
            f"{questions} can tell two systems apart whose shares of right answers differ by "
            f"{100 * usual:.2g} points or more; a smaller difference stays undecided (80 % power, "
            f"if one answer in ten changes each way by chance; {100 * best:.2g} points if none does"
            f"{_smallest_together(design)})"
        )
    lines = [f"{first}."]
    if design.runs is not None:
        runs = f"{design.runs.metric} in {numbers.plural(design.runs.runs, 'run')}"
        if (by_runs := design.detectable_by_runs) is not None:
            lines.append(
                f"With scores that vary as those of {runs}: a difference of means of "
                f"{by_runs:.2f} or more."
            )
    if design.generated:
        lines.append(
            "They are generated: they may rank retrievers (of those that rules made, keywords "
            "alone), but not models that write answers."
        )
    if design.faults:
        lines.append(
            f"{numbers.plural(len(design.faults), 'fault')} to be changed before a result counts."
        )
    return lines


def _smallest_together(design: Design) -> str:
    """What groups make of the smallest difference at worst."""
    if not design.groups:
        return ""
    detectable = design.detectable_together
    points = "none is found" if detectable is None else f"{100 * detectable:.2g} points"
    return f"; {points} if the answers to a group's questions change all together"


def facts(design: Design) -> list[tuple[str, str]]:
    """What the set consists of: name and value."""
    kinds = sorted(design.kinds.items(), key=lambda item: (-item[1], item[0]))
    rows = [
        ("kinds", ", ".join(f"{kind} {n}" for kind, n in kinds)),
        (
            "unanswerable",
            f"{numbers.percent(design.kinds.get('unanswerable', 0) / design.questions)} %",
        ),
    ]
    if design.difficulty is not None:
        share = f"{numbers.percent(design.difficulty)} % of a question's content words, on average"
        rows.append(("words in the source", share))
    if design.ranks:
        ranks = ", ".join(f"{name} for {n}" for name, n in design.ranks.items())
        rows.append((_RANKS, ranks))
    if design.easy is not None:
        share = f"of {numbers.percent(design.easy)} % of the questions, in long and short passages"
        rows.append(("evidence first by BM25", share))
    if design.coverage:
        covered_passages = sum(covered for covered, _ in design.coverage.values())
        total = sum(total for _, total in design.coverage.values())
        n_documents = sum(1 for covered, _ in design.coverage.values() if covered)
        documents = f"{n_documents} of {numbers.plural(len(design.coverage), 'document')}"
        topics = f"{sum(1 for covered, _ in design.topics.values() if covered)} of "
        topics = f", {topics}{numbers.plural(len(design.topics), 'topic')}" * bool(design.topics)
        passages = f"{covered_passages} of {numbers.plural(total, 'passage')}"
        rows.append(("corpus", f"{passages}, {documents}{topics} asked about"))
    if design.runs and design.runs.difficulty:
        spread = sorted(design.runs.difficulty.values())
        ends = f"{spread[0]:+.1f} to {spread[-1]:+.1f}"
        rows.append(("difficulty by runs", f"{ends} logits, {design.runs.runs} runs"))
    if design.judge:
        checked = f"{design.judge.checked} by {design.judge.judge}"
        none = (
            "" if design.judge.checked else ": no row names a source (reference_contexts, --corpus)"
        )
        rows.append(("references checked", f"{checked}{none}"))
        if design.judge.asked:
            answered = f"{len(design.judge.leaked)} of {design.judge.asked} right, at least"
            rows.append(("closed-book", answered))
    return rows


def count(design: Design, check: str) -> str:
    """How many rows a finding has, "" where it is about no rows of the data."""
    finding = next(finding for finding in design.findings if finding.check == check)
    rows = finding.rows and check not in _OF_CORPUS
    return numbers.plural(len(finding.rows), "row") if rows else ""


def plain(design: Design) -> dict[str, Any]:
    """A design as plain values."""
    best, usual = design.detectable
    runs, judge = design.runs, design.judge
    by_runs = design.detectable_by_runs
    return {
        "decides": decides(design),
        **_selected(design, "rows", "questions", "kinds", "difficulty"),
        **_selected(design, "ranks", "found_first", "easy"),
        "groups": len(design.groups) or None,
        "detectable": {
            "at_best": best,
            "with_flips": usual,
            "together": design.detectable_together,
            "by_runs": by_runs,
        },
        "coverage": _coverage(design.coverage),
        "topics": _coverage(design.topics),
        "generated": design.generated,
        "runs": runs and _selected(runs, "metric", "runs", "deviation", "difficulty"),
        "judge": judge and _selected(judge, "judge", "checked", "asked", "stopped"),
        "findings": [
            {
                **_selected(finding, "check", "level", "text", "remedy"),
                "rows": [{"id": row, "found": detail} for row, detail in finding.rows],
            }
            for finding in design.findings
        ],
    }


def _selected(holder: object, *names: str) -> dict[str, Any]:
    return {name: getattr(holder, name) for name in names}


def _coverage(coverage: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, int]]:
    return {
        name: {"asked_about": covered, "passages": total}
        for name, (covered, total) in coverage.items()
    }


@dataclass(frozen=True, slots=True)
class _Bar:
    """A share as it is drawn."""

    name: str
    share: float
    value: str


def _bars(counts: Mapping[str, int], order: Sequence[str] = ()) -> list[_Bar]:
    total = sum(counts.values())
    names = order or sorted(counts, key=lambda name: (-counts[name], name))
    return [_Bar(name, counts[name] / total, numbers.count(counts[name])) for name in names]


def render(designs: Mapping[str, Design]) -> str:
    """The card of each file on one page, without any outside reference."""
    cards = [
        {
            "file": file,
            "design": design,
            "decides": decides(design),
            "facts": [fact for fact in facts(design) if fact[0] not in _DRAWN],
            "kinds": _bars(design.kinds),
            "ranks": _bars(design.ranks, tuple(design.ranks)),
            "topics": [
                _Bar(topic, covered / total, f"{covered} of {total}")
                for topic, (covered, total) in sorted(
                    design.topics.items(), key=lambda topic: (-topic[1][1], topic[0])
                )
            ],
            "findings": [(finding, count(design, finding.check)) for finding in design.findings],
        }
        for file, design in designs.items()
    ]
    style = asset("style.css") + asset("design.css")
    return page("design.html", style, version=__version__, cards=cards, most=_MOST)
