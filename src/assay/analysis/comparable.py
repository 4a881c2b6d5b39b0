"""Do two runs measure the same thing, so that a difference of their numbers means something?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from assay.analysis.comparison import MetricComparison, letter
from assay.analysis.pairing import Matched
from assay.errors import InputError
from assay.runner.result import Result
from assay.store import Run

_TOGETHER = "together"
_DEFINING = {
    "code": "code of the metric",
    "revision": "revision of the metric",
    "assay": "version of assay",
}
_NONE = (*_DEFINING, _TOGETHER, "repeat")  # pieces that name no judge
# The last words of a remedy where a comparison can be forced; a gate cannot.
FORCING = ", or go on with --force (force=True)"
# Where no column is an id: why other data met, and what helps where --force would not.
BY_NUMBER = "were matched by the number of their row, since no column is an id"
BY_ID = "score both again with an id column, or name one with --map id=COLUMN"
Names: TypeAlias = tuple[str, str]  # what the baseline and the other run are called


@dataclass(frozen=True, slots=True)
class Unlike:
    """How two signatures of a metric differ.

    Attributes:
        definition: What differs in what is computed or asked: versions, code, prompts.
        judges: What differs in who answers: (task, judge before, judge after).
        company: What differs in the metrics that were asked in one call with it; "" if nothing.
    """

    definition: tuple[str, ...]
    judges: tuple[tuple[str, str, str], ...]
    company: str = ""


def unlike(metric: str, first: Run, second: Run) -> Unlike:
    """What could make a metric's numbers differ between two runs beside the systems measured."""
    before, after = (_pieces(metric, run.metrics[metric]) for run in (first, second))
    definition, judges, company = [], [], ""
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name, ""), after.get(name, "")
        if one == other:
            continue
        if name in _DEFINING:
            none = "1" if name == "revision" else "none"
            definition.append(f"{_DEFINING[name]} ({one or none}, {other or none})")
            continue
        if name == _TOGETHER:
            others = (_others(metric, piece) for piece in (one, other))
            company = "asked in one call with {} and with {}".format(*others)
            continue
        judge, prompt = _judge(one)
        other_judge, other_prompt = _judge(other)
        if judge != other_judge:
            judges.append((name, judge, other_judge))
        if prompt and other_prompt and prompt != other_prompt:
            definition.append(f"prompt of {name}")
    return Unlike(tuple(definition), tuple(judges), company)


def _others(metric: str, company: str) -> str:
    found = [label for label in company.split("+") if label and label != metric]
    return ", ".join(found) or "no other metric"


def judges(metric: str, signature: str) -> list[str]:
    """Who answers what a metric asks, as its signature tells; nobody if it asks nothing."""
    asked = (
        _judge(text)[0] for name, text in _pieces(metric, signature).items() if name not in _NONE
    )
    return list(dict.fromkeys(asked))


def _pieces(metric: str, signature: str) -> Mapping[str, str]:
    rest = signature.removeprefix(metric).split("|")
    found = (piece.partition("=") for piece in rest if piece)
    return {name: value for name, _, value in found}


def _judge(identity: str) -> tuple[str, str]:
    """Who answers, and the digest of the prompt, "" for those who read none."""
    name, mark, digest = identity.rpartition("#")
    return (name, digest) if mark else (identity, "")


def refuse_same(
    baseline: Result, others: Sequence[Result], called: Callable[[int], str] = letter
) -> None:
    """Refuse a comparison of a run with itself, or with nothing."""
    if not others:
        raise InputError("one run is no comparison", "name two; `assay runs` lists them")
    seen: dict[tuple[Path, str], int] = {}
    for number, result in enumerate((baseline, *others)):
        key = (result.path.resolve(), result.run.id)
        if key in seen:
            what = f"{called(seen[key])} and {called(number)} are the same run, {result.run.id}"
            raise InputError(what, "name two different ones; `assay runs` lists them")
        seen[key] = number


def unlike_definitions(
    baseline: Result, other: Result, shared: Sequence[str], names: Names, *, force: bool
) -> list[str]:
    """What differs beside the systems: refused if the definition does, told if the judge does."""
    differing: dict[str, None] = {}
    judges: dict[str, None] = {}
    company: list[str] = []
    for metric in shared:
        found = unlike(metric, baseline.run, other.run)
        differing.update(dict.fromkeys(f"{metric}: {what}" for what in found.definition))
        judges.update(
            dict.fromkeys(f"{a or 'nobody'}, {b or 'nobody'}" for _, a, b in found.judges)
        )
        company += [f"{metric} ({found.company})"] if found.company else []
    both = " and ".join(names)
    text = f"The definitions of {both} differ: {'; '.join(differing)}"
    if differing and not force:
        raise InputError(text, f"score both again with one version (replies are kept){FORCING}")
    warned = [f"{text}. A difference may be one of the definitions."] if differing else []
    if judges:
        who = "; ".join(judges)
        text = f"Different judges scored {both} ({who})."
        warned.append(f"{text} A difference may be one of the judges, not of the systems.")
    if company:
        text = f"Other metrics were asked about beside these in {both}: {'; '.join(company)}."
        warned.append(f"{text} A small difference may be one of the company; --apart avoids it.")
    return warned


def unlike_data(matched: Matched, names: Names, *, force: bool) -> list[str]:
    """How the samples differ beside what the systems made of them."""
    kept = len(matched.rows)
    first, name = names
    n = matched.other_data
    samples = "1 sample has" if n == 1 else f"{n} samples have"
    text = f"{samples} another question or reference in {name} than in {first}"
    by_number = bool(matched.numbered and n)
    if by_number and (not kept or (n > kept and not force)):
        raise InputError(f"{text}; samples {BY_NUMBER}", BY_ID)
    if not kept:
        what = text if matched.other_data else f"{first} and {name} have no sample in common"
        raise InputError(what, "compare runs over the same data; samples are matched by their id")
    if matched.other_data > kept and not force:
        remedy = f"compare runs over the same data{FORCING}"
        raise InputError(f"{text}, more than are the same", remedy)
    warned = []
    if matched.other_data:
        done = "compared all the same" if force else "left out"
        advice = f" Samples {BY_NUMBER}: {BY_ID}." if by_number else ""
        warned.append(f"{text}: {done}.{advice}")
    if matched.same_made == kept:
        same = f"The answers and contexts of {first} and {name} are the same in every pair"
        warned.append(f"{same}: a difference does not come from the systems.")
    return warned


def lacking(baseline: Result, other: Result, names: Names) -> list[str]:
    """Metrics that only one of two runs has."""
    has, others = list(baseline.run.metrics), list(other.run.metrics)
    return [
        f"Not in {missing}, so not compared: {', '.join(only)}."
        for missing, mine, theirs in ((names[1], has, others), (names[0], others, has))
        if (only := [metric for metric in mine if metric not in theirs])
    ]


def partial(result: Result, name: str) -> list[str]:
    """Whether a run has only some of its scores."""
    if result.run.finished and not result.run.stopped:
        return []
    return [f"Only what {name} has scored is compared: it is not finished."]


def gaps(found: Sequence[MetricComparison], called: Callable[[int], str] = letter) -> list[str]:
    """Where so many samples are missing that the pairs may not speak for all."""
    warned = []
    for one in found:
        n = one.paired.n if one.paired else 0
        missing = sum(left.n for left in one.left_out)
        if missing > (n + missing) / 5:
            both = f"{called(0)} and {called(one.run)}"
            text = f"{one.metric}: {missing} of {n + missing} samples cannot be compared between"
            warned.append(f"{text} {both}: the difference speaks about the rest.")
    return warned
