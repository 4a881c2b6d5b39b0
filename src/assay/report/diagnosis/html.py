"""The section on a diagnosis that the page of a run begins with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.report import diagnosis as words
from assay.report import numbers

Json = Mapping[str, Any]
# The first of a cause's samples are shown under it; the command line lists them all.
_SHOWN: Final = 20
_EXCERPT: Final = 220
WIDTH: Final = 200


@dataclass(frozen=True, slots=True)
class Case:
    """A sample under a cause.

    Attributes:
        id: Its id.
        link: Where it stands on the page, "" if it is not shown there.
        question: What was asked.
        text: What the finding is about: a statement, a context ...
        why: What was found of it.
        where: Rank and quote of the context that bears on it.
        beside: The main cause, where this one only contributes; else the further ones.
    """

    id: str
    link: str
    question: str
    text: str
    why: str
    where: str
    beside: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause with its samples."""

    title: str
    means: str
    n: int
    contributing: int
    share: str
    bar: float
    whisker: tuple[float, float]
    cases: Sequence[Case]
    more: int


@dataclass(frozen=True, slots=True)
class Page:
    """All that the section shows."""

    headline: str
    first: Sequence[tuple[str, str, Sequence[tuple[str, str]]]]
    causes: Sequence[Cause]
    advice: Sequence[tuple[str, str, str]]
    patterns: Sequence[tuple[str, str, str, Sequence[str], Sequence[tuple[str, str]]]]
    undecided: Sequence[str]
    undiagnosed: Sequence[tuple[str, str, Sequence[tuple[str, str]], int]]
    what_if: str
    changes: Sequence[str]
    missing: Sequence[str]


def page(data: Json) -> Page | None:
    """The section of a report; None if there is no diagnosis in it."""
    diagnosis = data.get("diagnosis")
    if diagnosis is None:
        return None
    links = {str(sample["id"]): f"#s{n}" for n, sample in enumerate(data["samples"])}
    by_id = {one["id"]: one for one in diagnosis["samples"]}
    what_if = diagnosis["counterfactual"]
    return Page(
        headline=words.headline(diagnosis),
        first=[
            (name, text, _linked(diagnosis, links) if name == words.FIRST else ())
            for name, text in words.first_page(diagnosis)
        ],
        causes=[_cause(cause, by_id, links, _widest(diagnosis)) for cause in diagnosis["causes"]],
        advice=[(a["advice"], words.gain(a), ", ".join(a["causes"])) for a in diagnosis["advice"]],
        patterns=[_pattern(pattern, links) for pattern in words.claimed(diagnosis)],
        undecided=[p["title"] for p in diagnosis["patterns"] if p["state"] == "undecided"],
        undiagnosed=[
            (
                remark,
                numbers.plural(len(ids), "sample"),
                [(i, links.get(i, "")) for i in ids[:_SHOWN]],
                len(ids[_SHOWN:]),
            )
            for remark, ids in words.undiagnosed(diagnosis)[:_SHOWN]
        ],
        what_if=words.what_if(what_if) if what_if else "",
        changes=words.changes(what_if) if what_if else [],
        missing=[
            f"{', '.join(causes)} ({numbers.plural(n, 'sample')}): needs {need}"
            for need, causes, n in words.missing(diagnosis)
        ],
    )


def _linked(diagnosis: Json, links: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    return [(one, links.get(one, "")) for one in diagnosis["first"][: words.READ_FIRST]]


def by_sample(data: Json) -> Mapping[str, tuple[str, str]]:
    """By sample that is not fine: what went wrong, the main cause first, and what to know of it."""
    diagnosis = data.get("diagnosis")
    remarks = {}
    for one in diagnosis["samples"] if diagnosis else ():
        causes = [one["main"], *one["contributing"]] if one["main"] else []
        if causes or one["remark"]:
            remarks[str(one["id"])] = (", ".join(f["title"] for f in causes), one["remark"])
    return remarks


def _widest(diagnosis: Json) -> float:
    """The greatest number of samples that an interval reaches: it takes all the width."""
    return max((c["interval"][1] * c["checked"] for c in diagnosis["causes"]), default=1.0) or 1.0


def _cause(
    cause: Json, by_id: Mapping[str, Json], links: Mapping[str, str], widest: float
) -> Cause:
    # Samples, not shares: shares of different numbers of checked samples are not alike.
    low, high = (WIDTH * end * cause["checked"] / widest for end in cause["interval"])
    shown = cause["samples"][:_SHOWN]
    return Cause(
        title=cause["title"],
        means=cause["means"],
        n=cause["n"],
        contributing=cause["contributing"],
        share=words.share(cause),
        bar=round(WIDTH * cause["n"] / widest, 1),
        whisker=(round(low, 1), round(high, 1)),
        cases=[_case(by_id[case["id"]], cause["cause"], links) for case in shown],
        more=len(cause["samples"]) - len(shown),
    )


def _case(one: Json, cause: str, links: Mapping[str, str]) -> Case:
    findings = [one["main"], *one["contributing"]]
    mine = next(finding for finding in findings if finding["cause"] == cause)
    others = [finding["title"] for finding in findings if finding is not mine]
    is_main = mine is one["main"]
    evidence = mine["evidence"][0]
    return Case(
        id=one["id"],
        link=links.get(str(one["id"]), ""),
        question=_short(one["question"]),
        text=_short(evidence["text"]),
        why=_short(evidence["why"]),
        where=_short(words.rank_and_quote(evidence)),
        beside=("also " if is_main else "beside ") + ", ".join(others) if others else "",
    )


def _pattern(
    pattern: Json, links: Mapping[str, str]
) -> tuple[str, str, str, Sequence[str], Sequence[tuple[str, str]]]:
    shown = [(sample, links.get(sample, "")) for sample in pattern["samples"][:_SHOWN]]
    conditions = [words.condition(condition) for condition in pattern["conditions"]]
    return pattern["title"], pattern["means"], pattern["advice"], conditions, shown


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[:_EXCERPT] + " \N{HORIZONTAL ELLIPSIS}"
