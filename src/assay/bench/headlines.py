"""Which figures say most of a judge, in one line for each kind of task?

Reports print these lines beside the scores that rest on such tasks.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assay.backends.embedded.card import CardFigure, interval
from assay.backends.route import Route
from assay.judge import Backend
from assay.tasks import TASKS


class Headline(NamedTuple):
    """What a line is about, and the figures that it may hold, the most important first."""

    what: str
    figures: tuple[str, ...]


HEADLINES: Mapping[str, Headline] = {
    "verify_statements": Headline(
        "support of a statement",
        (
            "RAGTruth QA answers, AUROC",
            "AttributionBench test500, AUROC",
            "Factcheck-GPT, AUROC",
            "FoolMeTwice, AUROC",
        ),
    ),
    "select_sentences": Headline(
        "relevance of a sentence",
        ("TREC-QA sentences, AUROC", "MS MARCO hard negatives, AUROC"),
    ),
    "judge_contexts": Headline(
        "usefulness of a passage for a known answer",
        ("RGB passages for a known answer, AUROC",),
    ),
    "rate_answer": Headline(
        "relevance of an answer",
        (
            "WikiEval answer_relevance, agreement",
            "FiQA people's answers, AUROC",
            "Fine-Grained RLHF answers with something irrelevant, AUROC",
        ),
    ),
}


def headlines(judge: Backend, measured: Sequence[CardFigure], rows: str) -> dict[str, str]:
    """What was found of a judge, by kind of task and its identity for it, as signatures have them.

    Args:
        judge: Who was measured.
        measured: The figures; kinds of tasks without any of theirs have no line.
        rows: How many rows were taken, in words; "" for the usual number.
    """
    by_name = {figure.name: figure for figure in measured if figure.value is not None}
    found = {}
    for kind, (what, names) in HEADLINES.items():
        figures = [by_name[name] for name in names if name in by_name]
        identity = judge.identity(TASKS[kind])
        if figures and identity is not None:
            server = judge.to(kind) if isinstance(judge, Route) else judge
            told = line(server.name, what, figures, intervals=True)
            found[f"{kind}={identity}"] = f"{told}; by `assay bench`{', ' if rows else ''}{rows}"
    return found


def line(judge: str, what: str, figures: Sequence[CardFigure], *, intervals: bool = False) -> str:
    """Figures in one line, each with its floor; a measure is named once."""
    told: list[str] = []
    last = ""
    for figure in figures:
        data, _, measure = figure.name.rpartition(", ")
        floor = "" if figure.floor is None else f" (floor {figure.floor:.2f})"
        named = "" if measure == last else f"{measure} "
        ends = f" [{interval(figure)}]" if intervals and interval(figure) else ""
        told.append(f"{named}{figure.value:.2f}{ends} on {data}{floor}")
        last = measure
    return f"{judge}, {what}: {', '.join(told)}"
