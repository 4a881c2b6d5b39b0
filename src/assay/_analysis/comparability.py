"""Comparability of two runs: the same samples, the same definitions, and unchanged judges."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from assay._analysis.answering import Answering, answered_by, mixed_models, other_models
from assay._runner.result import Result, check_results
from assay._store import Run, Store
from assay._store.judges import Fingerprint
from assay.errors import InputError
from assay.sample import Sample

# What the data set gives; all else is what a system made of it, or describes it.
# In the metadata of a sample: where in the documents stands what should be retrieved.
GOLD_RANGES: Final = "gold_ranges"
_GOLD_FIELDS = frozenset({"reference_context_ids", "relevance_grades"})
DATA_FIELDS = (
    *("question", "reference", "accepted", "reference_contexts", "reference_context_ids"),
    *("relevance_grades", "answerable", "rubric", "reference_tool_calls", "reference_topics"),
    *("nuggets", "user_access"),
)
SYSTEM_FIELDS = (
    *("answer", "contexts", "context_ids", "context_access", "further_answers", "other_answer"),
    "turns",
)
_NUMBER = re.compile(r"row-[0-9]+")  # the id of a row that brings none

BASELINE, OTHER, BOTH = "baseline", "other", "both"

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
ALPHA = 0.01
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Samples that stand in no pair, and why.

    Attributes:
        why: "only in", "undefined in", "failed in" or "other data in".
        where: The run that it is true of: "baseline", "other" or "both".
        n: How many samples.
    """

    why: str
    where: str
    n: int


@dataclass(frozen=True, slots=True)
class Row:
    """One sample of a run: its place, its cluster, and digests of what was given and what made."""

    row: int
    group: str | None
    given: int
    made: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One sample that both runs scored."""

    sample: str  # its id
    rows: tuple[int, int]  # its row in each of the runs
    group: Hashable  # what it belongs to, itself where nothing is named
    before: float  # its score in the first run
    after: float  # its score in the second run


@dataclass(frozen=True, slots=True)
class Matched:
    """The samples of two runs by id."""

    # Id -> its row in either run, for the samples that are the same in both.
    rows: Mapping[str, tuple[Row, Row]]
    left_out: tuple[LeftOut, ...]  # those that are not
    other_data: int  # how many ids have another question, reference ... in the second run.
    same_made: int  # how many of the same samples also have the same answer and contexts
    clustered: bool  # whether any sample names a group
    # Whether the ids in both are the numbers of rows, as where no column is an id.
    numbered: bool = False


def match(baseline: Result, other: Result, *, keep_other_data: bool = False) -> Matched:
    """Match samples by id; those of which the data differ are the same only if that is asked."""
    before, after = _rows(baseline), _rows(other)
    shared = {id_: (row, after[id_]) for id_, row in before.items() if id_ in after}
    differing = {id_ for id_, (a, b) in shared.items() if a.given != b.given}
    same = shared if keep_other_data else {k: v for k, v in shared.items() if k not in differing}
    counts = (
        ("only in", BASELINE, len(before) - len(shared)),
        ("only in", OTHER, len(after) - len(shared)),
        ("other data in", BOTH, len(shared) - len(same)),
    )
    return Matched(
        rows=same,
        left_out=tuple(LeftOut(*count) for count in counts if count[2]),
        other_data=len(differing),
        same_made=sum(a.made == b.made for a, b in same.values()),
        clustered=any(a.group is not None for a, _ in same.values()),
        numbered=bool(shared) and all(map(_NUMBER.fullmatch, shared)),
    )


def pairs(
    matched: Matched, metric: str, baseline: Result, other: Result
) -> tuple[list[Pair], tuple[LeftOut, ...]]:
    """The pairs of scores of a metric, and the samples that have none."""
    before, after = _values(baseline, metric), _values(other, metric)
    missing: Counter[tuple[str, str]] = Counter()
    scored_pairs = []
    for id_, (a, b) in matched.rows.items():
        before_score, after_score = before.get(a.row, "failed"), after.get(b.row, "failed")
        if isinstance(before_score, float) and isinstance(after_score, float):
            group: Hashable = (id_,) if a.group is None else a.group
            scored_pairs.append(Pair(id_, (a.row, b.row), group, before_score, after_score))
        elif before_score == after_score:
            missing[f"{before_score} in", BOTH] += 1
        elif isinstance(before_score, str):
            missing[f"{before_score} in", BASELINE] += 1
        else:
            missing[f"{after_score} in", OTHER] += 1
    unscored = tuple(
        LeftOut(reason, location, n) for (reason, location), n in sorted(missing.items())
    )
    return scored_pairs, (*matched.left_out, *unscored)


def _rows(result: Result) -> dict[str, Row]:
    with Store(result.path) as store:
        return {
            sample.id: Row(
                row,
                sample.group,
                _digest(_as_given(sample)),
                _digest(_field_values(sample, SYSTEM_FIELDS)),
            )
            for row, sample in store.samples(result.run.id)
        }


def _as_given(sample: Sample) -> list[Any]:
    fields, ranges = given_fields(sample.metadata)
    return [*_field_values(sample, fields), ranges]


def given_fields(metadata: Mapping[str, Any]) -> tuple[tuple[str, ...], Any]:
    """Which fields of a sample the user gave, and the ranges of documents that it is to retrieve.

    With such ranges the ids of its passages are the system's: they change with how documents are
    cut, which the ranges do not.
    """
    ranges = metadata.get(GOLD_RANGES)
    return tuple(f for f in DATA_FIELDS if ranges is None or f not in _GOLD_FIELDS), ranges


def _field_values(sample: Sample, fields: tuple[str, ...]) -> list[Any]:
    return [getattr(sample, field) for field in fields]


def _digest(values: list[Any]) -> int:
    # Good for this process only, and small: a million samples must fit.
    return hash(msgspec.json.encode(values))


def _values(result: Result, metric: str) -> dict[int, float | str]:
    """By row: the score, or why there is none."""
    with Store(result.path) as store:
        values = store.values(result.run.id, metric)
    return {row: reason if value is None else float(value) for row, value, reason in values}


@dataclass(frozen=True, slots=True)
class DefinitionDifferences:
    """How two signatures of a metric differ."""

    # What differs in what is computed or asked: versions, code, prompts.
    definition: tuple[str, ...]
    # What differs in who answers: (task, judge before, judge after).
    judges: tuple[tuple[str, str, str], ...]
    # How the metrics differ that were asked in one call with it; "" if not.
    coalesced_with: str = ""


def compare_definitions(metric: str, first: Run, second: Run) -> DefinitionDifferences:
    """What could make a metric's numbers differ between two runs beside the systems measured."""
    before, after = (_signature_pieces(metric, run.metrics[metric]) for run in (first, second))
    definition, judges, coalesced_with = [], [], ""
    for name in dict.fromkeys([*before, *after]):
        first_piece, second_piece = before.get(name, ""), after.get(name, "")
        if first_piece == second_piece:
            continue
        if name in _DEFINING:
            none = "1" if name == "revision" else "none"
            definition.append(f"{_DEFINING[name]} ({first_piece or none}, {second_piece or none})")
            continue
        if name == _TOGETHER:
            others_known = (
                _others_in_words(metric, piece) for piece in (first_piece, second_piece)
            )
            coalesced_with = "asked in one call with {} and with {}".format(*others_known)
            continue
        judge, prompt = _judge(first_piece)
        other_judge, other_prompt = _judge(second_piece)
        if judge != other_judge:
            judges.append((name, judge, other_judge))
        if prompt and other_prompt and prompt != other_prompt:
            definition.append(f"prompt of {name}")
    return DefinitionDifferences(tuple(definition), tuple(judges), coalesced_with)


def _others_in_words(metric: str, coalesced_with: str) -> str:
    labels = [label for label in coalesced_with.split("+") if label and label != metric]
    return ", ".join(labels) or "no other metric"


def judges(metric: str, signature: str) -> list[str]:
    """Who answers what a metric asks, as its signature tells; nobody if it asks nothing."""
    names = (
        _judge(text)[0]
        for name, text in _signature_pieces(metric, signature).items()
        if name not in _NONE
    )
    return list(dict.fromkeys(names))


def judge_of(run: Run) -> str:
    """Who judged a run; "" where no metric asked anybody."""
    asks_judge = any(judges(metric, signature) for metric, signature in run.metrics.items())
    return str(run.config["judge"]) if asks_judge else ""


def _signature_pieces(metric: str, signature: str) -> Mapping[str, str]:
    pieces_written = signature.removeprefix(metric).split("|")
    pieces = (piece.partition("=") for piece in pieces_written if piece)
    return {name: value for name, _, value in pieces}


def _judge(identity: str) -> tuple[str, str]:
    """Who answers, and the digest of the prompt, "" for those who read none."""
    name, mark, digest = identity.rpartition("#")
    return (name, digest) if mark else (identity, "")


def refuse_same(baseline: Result, others: Sequence[Result], name_of: Callable[[int], str]) -> None:
    """Refuse a comparison of a run with itself, or with nothing."""
    if not others:
        raise InputError("one run is no comparison", "name two; `assay runs` lists them")
    check_results(baseline, *others)
    numbers: dict[tuple[Path, str], int] = {}
    for number, result in enumerate((baseline, *others)):
        key = (result.path.resolve(), result.run.id)
        if key in numbers:
            fault = (
                f"{name_of(numbers[key])} and {name_of(number)} are the same run, {result.run.id}"
            )
            advice = "if no answer has changed, keep each in a store of its own"
            raise InputError(fault, f"name two different ones (`assay runs` lists them); {advice}")
        numbers[key] = number


def unlike_definitions(
    baseline: Result, other: Result, shared: Sequence[str], names: Names, *, force: bool
) -> list[str]:
    """What differs beside the systems: refused if the definition does, told if the judge does."""
    differing: dict[str, None] = {}
    judges: dict[str, None] = {}
    coalesced_with: list[str] = []
    for metric in shared:
        differences = compare_definitions(metric, baseline.run, other.run)
        differing.update(
            dict.fromkeys(f"{metric}: {difference}" for difference in differences.definition)
        )
        judges.update(
            dict.fromkeys(f"{a or 'nobody'}, {b or 'nobody'}" for _, a, b in differences.judges)
        )
        coalesced_with += (
            [f"{metric} ({differences.coalesced_with})"] if differences.coalesced_with else []
        )
    pair = " and ".join(names)
    text = f"The definitions of {pair} differ: {'; '.join(differing)}"
    if differing and not force:
        raise InputError(text, f"score both again with one version (replies are kept){FORCING}")
    warned = [f"{text}. A difference may be one of the definitions."] if differing else []
    if judges:
        judged_by = "; ".join(judges)
        text = f"Different judges scored {pair} ({judged_by})."
        warned.append(f"{text} A difference may be one of the judges, not of the systems.")
    if coalesced_with:
        text = (
            f"Other metrics were asked about beside these in {pair}: {'; '.join(coalesced_with)}."
        )
        warned.append(f"{text} A small difference may be one of the company; --apart avoids it.")
    return warned


def unlike_data(matched: Matched, names: Names, *, force: bool) -> list[str]:
    """How the samples differ beside what the systems made of them."""
    n_matched = len(matched.rows)
    first, name = names
    n = matched.other_data
    samples = "1 sample has" if n == 1 else f"{n} samples have"
    text = f"{samples} another question or reference in {name} than in {first}"
    by_number = bool(matched.numbered and n)
    if by_number and (not n_matched or (n > n_matched and not force)):
        raise InputError(f"{text}; samples {BY_NUMBER}", BY_ID)
    if not n_matched:
        fault = text if matched.other_data else f"{first} and {name} have no sample in common"
        raise InputError(fault, "compare runs over the same data; samples are matched by their id")
    if matched.other_data > n_matched and not force:
        remedy = f"compare runs over the same data{FORCING}"
        raise InputError(f"{text}, more than are the same", remedy)
    warned = []
    if matched.other_data:
        consequence = "compared all the same" if force else "left out"
        advice = f" Samples {BY_NUMBER}: {BY_ID}." if by_number else ""
        warned.append(f"{text}: {consequence}.{advice}")
    if matched.same_made == n_matched:
        same = f"The answers and contexts of {first} and {name} are the same in every pair"
        warned.append(f"{same}: a difference does not come from the systems.")
    return warned


def missing_metrics(baseline: Result, other: Result, names: Names) -> list[str]:
    """Metrics that only one of two runs has."""
    has, theirs = list(baseline.run.metrics), list(other.run.metrics)
    return [
        f"Not in {missing}, so not compared: {', '.join(only)}."
        for missing, own, opposite in ((names[1], has, theirs), (names[0], theirs, has))
        if (only := [metric for metric in own if metric not in opposite])
    ]


def unfinished(result: Result, name: str) -> list[str]:
    """Whether a run has only some of its scores."""
    if result.run.finished and not result.run.stopped:
        return []
    return [f"Only what {name} has scored is compared: it is not finished."]


@dataclass(frozen=True, slots=True)
class Drift:
    """How two fingerprints of one judge compare."""

    judge: str  # its name
    before: str  # day of the earlier one (ISO 8601)
    now: str  # day of the later one
    probes: int  # probes that both have
    differ: int  # how many of them were answered otherwise, letter for letter
    p: float  # how likely replies of the same model lie as far apart, in (0, 1]

    @property
    def changed(self) -> bool:
        """Whether the replies differ by more than those of one day do."""
        return self.p < ALPHA

    def __str__(self) -> str:
        """What it means, in words."""
        return (
            f"The model behind {self.judge} seems to have changed between {self.before} and "
            f"{self.now}: {self.differ} of {self.probes} fixed probes are answered otherwise "
            f"(p = {self.p:.2g}). Scores of before and after are not comparable."
        )


def drift_since(store: Store, run: str) -> list[Drift]:
    """How each judge of a run compares with its last fingerprint of an earlier day."""
    drifts = []
    for now in store.judges.fingerprints(run):
        fingerprints = store.judges.before(now)
        if fingerprints is not None:
            drifts.append(drift_of(fingerprints, now))
    return drifts


def drift_told(store: Store, run: str, answering: Sequence[Answering]) -> list[str]:
    """What has to be said of a run's judges that changed, in words."""
    drifts = [str(drift) for drift in drift_since(store, run) if drift.changed]
    return drifts + mixed_models(answering)


def drift_warnings(first: Result, second: Result, names: Names) -> list[str]:
    """What has to be said of the judges that two runs share: those that have changed."""
    with Store(first.path) as store, Store(second.path) as other_store:
        drifts = drift_between(store, first.run.id, other_store, second.run.id)
        answering = answered_by(store, first.run), answered_by(other_store, second.run)
    messages = [str(drift) for drift in drifts if drift.changed]
    consequence = "A difference may be one of the models, not of the systems."
    return messages + other_models(dict(zip(names, answering, strict=True)), consequence)


def drift_between(first: Store, run: str, second: Store, other: str) -> list[Drift]:
    """How the judges that two runs share compare, each by its last fingerprint in either run."""
    before = {fingerprint.judge: fingerprint for fingerprint in first.judges.fingerprints(run)}
    after = {fingerprint.judge: fingerprint for fingerprint in second.judges.fingerprints(other)}
    pairs = ((before[name], after[name]) for name in before if name in after)
    return [drift_of(*sorted(pair, key=lambda f: f.day)) for pair in pairs]


def drift_of(before: Fingerprint, now: Fingerprint) -> Drift:
    """How two fingerprints of one judge compare; the same replies are no change, whenever."""
    import numpy as np

    from assay.stats.raters import changed

    shared = [probe for probe in before.replies if probe in now.replies]
    distances = np.array([list(_distances(before, now, probe)) for probe in shared]).reshape(-1, 6)
    differ = sum(set(before.replies[probe]) != set(now.replies[probe]) for probe in shared)
    days = (_date(before.day), _date(now.day))
    return Drift(now.judge, *days, len(shared), differ, changed(distances))


def _distances(before: Fingerprint, now: Fingerprint, probe: str) -> Iterator[float]:
    a1, a2 = before.replies[probe]
    b1, b2 = now.replies[probe]
    for first, two in ((a1, a2), (b1, b2), (a1, b1), (a2, b2), (a1, b2), (a2, b1)):
        yield _bigram_distance(first, two)


def _bigram_distance(text: str, two: str) -> float:
    """Share of the pairs of neighbouring words of two texts that only one of them has."""
    first, second = _bigrams(text), _bigrams(two)
    either = first | second
    return 1 - len(first & second) / len(either) if either else 0.0


def _bigrams(text: str) -> set[tuple[str, str]]:
    words = text.split()
    return set(zip(["", *words], [*words, ""], strict=True))


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY_S, UTC).date().isoformat()
