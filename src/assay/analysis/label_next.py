"""Which samples should people label next, and what do they need to see for it?"""

import csv
import io
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.analysis.correct import one_metric
from assay.analysis.labelled import some
from assay.dataset.files import file_records
from assay.dataset.tables import table_records
from assay.dataset.values import as_text, read_back
from assay.errors import InputError, Problem
from assay.run.result import Result
from assay.sample import Sample
from assay.score import Outcome, Score, Unscored
from assay.stats.sampling import RANDOM_SHARE, chances, fixed_numbers, priority, sizes
from assay.store import Store
from assay.text.sanitize import plain

COLUMNS: Final = (
    *("sample", "label", "metric", "inclusion_probability"),
    *("question", "answer", "contexts", "reference"),
)
_REASONS: Final = 3  # why samples have no score: so many reasons are told


@dataclass(frozen=True, slots=True)
class Wanted:
    """A sample to be labelled.

    Attributes:
        sample: The sample.
        metric: Label of the metric that the label is for.
        probability: With which probability it was chosen, in (0, 1].
    """

    sample: Sample
    metric: str
    probability: float


def label_next(
    result: Result,
    metric: str | None = None,
    *,
    n: int,
    random_share: float = RANDOM_SHARE,
    before: Collection[str] = (),
) -> list[Wanted]:
    """The samples chosen so far and the next n, with the probability of each.

    The choice is random, with chances that rise with the judge's uncertainty. Every sample keeps
    its place in one fixed order, so a choice of 40 is the choice of 20 and 20 more.

    Args:
        result: The run.
        metric: The metric; may be left out if the run has only one.
        n: How many more; 0 gives the earlier ones the chances that they have by themselves, as is
            needed when a choice was cut short.
        random_share: The part of the choice that is the same for all samples, in (0, 1]; 1 is a
            simple random choice.
        before: Ids of the samples of an earlier choice with the same metric and share.

    Raises:
        InputError: If the earlier samples are not such a choice, nothing is left to choose, or no
            sample has a score.
    """
    if not 0 < random_share <= 1:
        what = f"a random share of {random_share:g} leaves samples without a chance"
        raise InputError(what, "give more than 0 and up to 1")
    name = one_metric(result, metric)
    about = result.run.config["about"][name]["range"]
    outcomes = list(result.outcomes(name))
    found = [(s, o) for s, o in outcomes if isinstance(o, Score)]
    if not found:
        what = f"run {result.run.id} has no score of {name}: {_unscored(o for _, o in outcomes)}"
        raise InputError(what, "labels are chosen by scores: name another run or --metric")
    if len(before) + min(n, 1) > len(found):
        raise InputError(f"all {len(found)} scored samples are chosen already")
    if not len(before) + n:
        raise InputError("no sample is chosen yet", "say how many to choose")
    size = sizes([uncertainty(outcome, about) for _, outcome in found], random_share)
    numbers = fixed_numbers([sample.id for sample, _ in found], seed=name)
    order = priority(size, numbers)[: len(before) + n]
    first = {found[place][0].id for place in order[: len(before)]}
    if first != set(before):
        strange = min(set(before) - first)
        what = f"'{strange}' is not among the first {len(before)} that these options choose"
        raise InputError(what, "give the same run, --metric and --random-share, or a new file")
    chosen = zip(order, chances(size, numbers, len(order)), strict=True)
    return [Wanted(found[place][0], name, float(chance)) for place, chance in chosen]


def uncertainty(score: Score, ends: Sequence[float | None]) -> float:
    """How far a score may be wrong: the standard deviation of its verdicts, if they were drawn.

    From the probabilities of the parts where the judge gives them, else from where the score
    stands between the ends of its range; 0 where neither tells.
    """
    told = [part.probability for part in score.parts if part.probability is not None]
    if told:
        return sum(math.sqrt(p * (1 - p)) for p in told) / len(told)
    low, high = ends
    if low is None or high is None or high <= low:
        return 0.0
    share = min(max((score.value - low) / (high - low), 0.0), 1.0)
    return math.sqrt(share * (1 - share))


def write(
    wanted: Sequence[Wanted], path: str | Path, before: Mapping[str, Mapping[str, str]]
) -> None:
    """A sheet (CSV) to be filled in: the column `label` is for people, the score is not shown.

    Args:
        wanted: What is to stand in it.
        path: The file.
        before: What stood there before, by sample: all that people wrote is kept.

    Raises:
        InputError: If what stood there is about other answers or another metric: labels would then
            stand beside what they were not given for. Also if an id holds what cannot be seen.
            Nothing is written.
    """
    _refuse_unseen(wanted)
    _refuse_others(wanted, before)
    own = dict.fromkeys(column for row in before.values() for column in row)
    columns = [*COLUMNS, *(column for column in own if column not in COLUMNS)]
    # What people wrote stays where it is until the new sheet stands there whole.
    place = Path(path).resolve()
    new = place.with_name(f"{place.name}.new")
    try:
        # Without the mark Excel on Windows takes the texts for another encoding.
        with new.open("w", encoding="utf-8-sig", newline="") as file:
            sheet = csv.DictWriter(file, columns, restval="")
            sheet.writeheader()
            sheet.writerows({**before.get(item.sample.id, {}), **_row(item)} for item in wanted)
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


def read(path: str | Path) -> dict[str, dict[str, str]]:
    """The rows of a sheet by sample, word for word; empty where there is no such file yet.

    Raises:
        InputError: If it is no sheet of `write`, or a sample stands in it twice.
    """
    if not Path(path).exists():
        return {}
    found: dict[str, dict[str, str]] = {}
    content = Path(path).read_bytes()
    for record in table_records(lambda: io.BytesIO(content), ","):
        if record.problem is not None:
            raise InputError([record.problem])
        row = {str(column): str(cell) for column, cell in (record.values or {}).items()}
        if "sample" not in row:
            what = f"'{path}' is no sheet of `assay label`: it has no column 'sample'"
            raise InputError(what, "name a new file")
        sample = read_back(row["sample"])
        if sample in found:
            what = f"sample '{sample}' stands twice in '{path}'"
            remedy = "keep one row, with a column for each annotator: label_anna, label_ben"
            raise InputError([Problem(what, remedy, record.number, "sample")])
        found[sample] = row
    return found


def beside_others(labels: str | Path, result: Result) -> str:
    """A warning if a file of labels shows other answers than the run has; "" if it does not."""
    shown: dict[str, str] = {}
    for record in file_records(Path(labels))():
        cells = record.values or {}
        sample, answer = cells.get("sample", cells.get("id")), cells.get("answer")
        if isinstance(answer, str):
            shown[read_back(str(sample))] = answer
    if not shown:
        return ""
    with Store(result.path) as store:
        known = ((s.id, s.answer or "") for _, s in store.samples(result.run.id))
        others = [i for i, own in known if i in shown and _words(shown[i]) != _words(as_text(own))]
    if not others:
        return ""
    what = f"! {len(others):,} samples of {labels} have another 'answer' there than in run"
    what = f"{what} {result.run.id} ({some(others)}): labels of other answers say nothing of these"
    remedy = "name the run that was labelled (`assay runs` lists them), or remove these rows"
    return f"{what} -> {remedy}; delete the column if a spreadsheet rewrote it"


def _refuse_unseen(wanted: Sequence[Wanted]) -> None:
    """Ids are matched to the letter, so what is hidden in them cannot be shown otherwise."""
    for item in wanted:
        if plain(item.sample.id) != item.sample.id:
            what = f"the id of sample '{item.sample.id}' holds a character that cannot be seen"
            raise InputError(what, "a sheet may hold none: give the sample another id")


def _refuse_others(wanted: Sequence[Wanted], before: Mapping[str, Mapping[str, str]]) -> None:
    ours = {item.sample.id: _row(item) for item in wanted if item.sample.id in before}
    for number, (sample, row) in enumerate(before.items(), 1):
        for name in ("metric", "question", "answer"):
            told, meant = row.get(name), ours.get(sample, {}).get(name)
            if told is None or meant is None or _words(told) == _words(meant):
                continue
            what = f"the sheet is about another run: sample '{sample}' has another {name} here"
            remedy = "name that run, or a new file; delete the column if a spreadsheet rewrote it"
            if name == "metric":
                what = f"the sheet is about another metric: '{told}', not '{meant}'"
                remedy = "name that one with --metric, or a new file"
            raise InputError([Problem(what, remedy, number, name)])


def _words(cell: str) -> list[str]:
    """What a cell says, however a spreadsheet breaks its lines or marks it as text."""
    return plain(cell).lstrip("'").split()


def _unscored(outcomes: Iterable[Outcome]) -> str:
    """How many samples have no score, and why."""
    why = Counter(f"{o.why} ({o.detail})" for o in outcomes if isinstance(o, Unscored))
    told = [f"{n:,} {reason}" for reason, n in why.most_common(_REASONS)]
    more = len(why) - len(told)
    return ", ".join([*told, *([f"and {more:,} other reasons"] if more else [])]) or "no samples"


def _row(item: Wanted) -> dict[str, str]:
    sample = item.sample
    texts = {
        "question": sample.question,
        "answer": sample.answer,
        "contexts": "\n\n".join(sample.contexts or ()),
        "reference": sample.reference,
    }
    return {
        "sample": as_text(sample.id),
        "metric": as_text(item.metric),
        "inclusion_probability": f"{item.probability:.9g}",
        # People open it in a terminal, too: nothing in it may steer that, or hide from them.
        **{name: as_text(plain(text or "")) for name, text in texts.items()},
    }
