"""The section on a diagnosis that the page of a run begins with."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay._report import diagnosis as words
from assay._report import numbers
from assay._report.tables import ELLIPSIS

Json = Mapping[str, Any]
# The first of a cause's samples are shown under it; the command line lists them all.
_SHOWN: Final = 20
_EXCERPT: Final = 220
WIDTH: Final = 200


def page(data: Json, links: Mapping[str, str]) -> Json | None:
    """What the section of a report shows, for its template; None without a diagnosis.

    Args:
        data: The report.
        links: Where each sample that is shown stands, by its id.
    """
    diagnosis = data.get("diagnosis")
    if diagnosis is None:
        return None
    by_id = {one["id"]: one for one in diagnosis["samples"]}
    widest = _widest(diagnosis)
    return {
        "headline": words.headline(diagnosis),
        "first": [
            (name, text, _linked(diagnosis["first"][: words.READ_FIRST], links))
            if name == words.FIRST
            else (name, text, ())
            for name, text in words.first_page(diagnosis)
        ],
        "causes": [_cause(cause, by_id, links, widest) for cause in diagnosis["causes"]],
        "advice": [
            (one["advice"], words.gain(one), ", ".join(one["causes"]))
            for one in diagnosis["advice"]
        ],
        "patterns": [_pattern(pattern, links) for pattern in words.claimed(diagnosis)],
        "undecided": [p["title"] for p in diagnosis["patterns"] if p["state"] == "undecided"],
        "undiagnosed": [
            (
                remark,
                numbers.plural(len(ids), "sample"),
                _linked(ids[:_SHOWN], links),
                len(ids[_SHOWN:]),
            )
            for remark, ids in words.undiagnosed(diagnosis)[:_SHOWN]
        ],
        "what_ifs": words.what_ifs(diagnosis),
        "missing": [words.needed(*need) for need in words.missing(diagnosis)],
    }


def _linked(ids: Sequence[str], links: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each id with where its sample stands on the page; "" if it is not shown there."""
    return [(one, links.get(one, "")) for one in ids]


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


def _cause(cause: Json, by_id: Mapping[str, Json], links: Mapping[str, str], widest: float) -> Json:
    # Samples, not shares: shares of different numbers of checked samples are not alike.
    low, high = (WIDTH * end * cause["checked"] / widest for end in cause["interval"])
    shown = cause["samples"][:_SHOWN]
    return {
        "title": cause["title"],
        "means": cause["means"],
        "n": cause["n"],
        "contributing": cause["contributing"],
        "share": words.share(cause),
        "bar": round(WIDTH * cause["n"] / widest, 1),
        "whisker": (round(low, 1), round(high, 1)),
        "cases": [_case(by_id[case["id"]], cause["cause"], links) for case in shown],
        "more": len(cause["samples"]) - len(shown),
    }


def _case(one: Json, cause: str, links: Mapping[str, str]) -> Json:
    """A sample under a cause, with the further causes that it has."""
    findings = [one["main"], *one["contributing"]]
    mine = next(finding for finding in findings if finding["cause"] == cause)
    others = [finding["title"] for finding in findings if finding is not mine]
    is_main = mine is one["main"]
    evidence = mine["evidence"][0]
    return {
        "id": one["id"],
        "link": links.get(str(one["id"]), ""),
        "question": _short(one["question"]),
        "text": _short(evidence["text"]),
        "why": _short(evidence["why"]),
        "where": _short(words.rank_and_quote(evidence)),
        "beside": ("also " if is_main else "beside ") + ", ".join(others) if others else "",
    }


def _pattern(pattern: Json, links: Mapping[str, str]) -> tuple[Any, ...]:
    """Title, meaning, advice, conditions, linked samples."""
    shown = _linked(pattern["samples"][:_SHOWN], links)
    conditions = [words.condition(condition) for condition in pattern["conditions"]]
    return pattern["title"], pattern["means"], pattern["advice"], conditions, shown


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else line[:_EXCERPT] + ELLIPSIS
