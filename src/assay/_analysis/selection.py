"""Selection of samples: those to label next, and labelled ones to show a judge as examples."""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from assay._analysis.labelled import (
    Item,
    LabelSource,
    first_ids,
    labelled,
    one_metric,
    read_for_run,
)
from assay._runner import config_files
from assay._runner.result import Result
from assay._store import Store
from assay._text.sanitize import plain
from assay._text.words import tokens
from assay.data.files import file_records
from assay.data.tables import table_records
from assay.data.values import as_text, read_back
from assay.errors import InputError, Problem, Unreadable
from assay.judge import Reply
from assay.prompt import Example, fenced
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.stats.priority_sampling import RANDOM_SHARE, chances, fixed_numbers, priority, sizes
from assay.tasks import Statement, Verdict, VerifyStatements

COLUMNS: Final = (
    *("sample", "label", "metric", "inclusion_probability"),
    *("question", "answer", "contexts", "reference"),
)
_REASONS: Final = 3  # why samples have no score: so many reasons are told
MOST: Final = 4
# Longer texts would make every prompt long, and teaches no more.
LONGEST: Final = 3000
_HEAD: Final = re.compile(r"\n?(?P<name>[^\n]+):\n(?:<<<[0-9a-f]+\n)?")


@dataclass(frozen=True, slots=True)
class SampleToLabel:
    """A sample to be labelled."""

    sample: Sample  # the sample
    metric: str  # label of the metric that the label is for
    probability: float  # with which probability it was chosen, in (0, 1]


def label_next(
    result: Result,
    metric: str | None = None,
    *,
    n: int,
    random_share: float = RANDOM_SHARE,
    before: Collection[str] = (),
) -> list[SampleToLabel]:
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
        fault = f"a random share of {random_share:g} leaves samples without a chance"
        raise InputError(fault, "give more than 0 and up to 1")
    name = one_metric(result, metric)
    score_range = result.run.config["about"][name]["range"]
    outcomes = list(result.outcomes(name))
    scored = [(s, o) for s, o in outcomes if isinstance(o, Score)]
    if not scored:
        fault = f"run {result.run.id} has no score of {name}: {_unscored(o for _, o in outcomes)}"
        raise InputError(fault, "labels are chosen by scores: take another run or metric")
    if len(before) + min(n, 1) > len(scored):
        raise InputError(f"all {len(scored)} scored samples are chosen already")
    if not len(before) + n:
        raise InputError("no sample is chosen yet", "say how many to choose")
    size = sizes([uncertainty(outcome, score_range) for _, outcome in scored], random_share)
    numbers = fixed_numbers([sample.id for sample, _ in scored], seed=name)
    order = priority(size, numbers)[: len(before) + n]
    first = {scored[index][0].id for index in order[: len(before)]}
    if first != set(before):
        strange = min(set(before) - first)
        fault = f"'{strange}' is not among the first {len(before)} that these options choose"
        raise InputError(fault, "give the same run, --metric and --random-share, or a new file")
    drawn = zip(order, chances(size, numbers, len(order)), strict=True)
    return [SampleToLabel(scored[index][0], name, float(chance)) for index, chance in drawn]


def uncertainty(score: Score, ends: Sequence[float | None]) -> float:
    """How far a score may be wrong: the standard deviation of its verdicts, if they were drawn.

    From the probabilities of the parts where the judge gives them, else from where the score
    stands between the ends of its range; 0 where neither tells.
    """
    probabilities = [part.probability for part in score.parts if part.probability is not None]
    if probabilities:
        return sum(math.sqrt(p * (1 - p)) for p in probabilities) / len(probabilities)
    low, high = ends
    if low is None or high is None or high <= low:
        return 0.0
    share = min(max((score.value - low) / (high - low), 0.0), 1.0)
    return math.sqrt(share * (1 - share))


def write_sheet(
    wanted: Sequence[SampleToLabel], path: str | Path, before: Mapping[str, Mapping[str, str]]
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
    refuse_unseen(item.sample.id for item in wanted)
    _refuse_others(wanted, before)
    columns_before = dict.fromkeys(column for row in before.values() for column in row)
    columns = [*COLUMNS, *(column for column in columns_before if column not in COLUMNS)]
    write_rows(path, columns, ({**before.get(item.sample.id, {}), **_row(item)} for item in wanted))


def write_rows(path: str | Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """A sheet (CSV) of these rows, in the place of the one that stood there."""
    # What people wrote stays where it is until the new sheet stands there whole.
    target = Path(path).resolve()
    new = target.with_name(f"{target.name}.new")
    try:
        # Without the mark Excel on Windows takes the texts for another encoding.
        with new.open("w", encoding="utf-8-sig", newline="") as file:
            sheet = csv.DictWriter(file, columns, restval="")
            sheet.writeheader()
            sheet.writerows(rows)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def read_sheet(path: str | Path) -> dict[str, dict[str, str]]:
    """The rows of a sheet by sample, word for word; empty where there is no such file yet.

    Raises:
        InputError: If it is no sheet of `write`, or a sample stands in it twice.
    """
    if not Path(path).exists():
        return {}
    rows: dict[str, dict[str, str]] = {}
    content = Path(path).read_bytes()
    for record in table_records(lambda: io.BytesIO(content), ","):
        if record.problem is not None:
            raise InputError([record.problem])
        row = {str(column): str(cell) for column, cell in (record.values or {}).items()}
        if "sample" not in row:
            fault = f"'{path}' is no sheet of `assay label`: it has no column 'sample'"
            raise InputError(fault, "name a new file")
        sample = read_back(row["sample"])
        if sample in rows:
            fault = f"sample '{sample}' stands twice in '{path}'"
            remedy = "keep one row, with a column for each annotator: label_anna, label_ben"
            raise InputError([Problem(fault, remedy, record.number, "sample")])
        rows[sample] = row
    return rows


def warn_of_other_answers(labels: str | Path, result: Result) -> str:
    """A warning if a file of labels shows other answers than the run has; "" if it does not."""
    answers: dict[str, str] = {}
    for record in file_records(Path(labels))():
        cells = record.values or {}
        sample, answer = cells.get("sample", cells.get("id")), cells.get("answer")
        if isinstance(answer, str):
            answers[read_back(str(sample))] = answer
    if not answers:
        return ""
    with Store(result.path) as store:
        samples = ((s.id, s.answer or "") for _, s in store.samples(result.run.id))
        changed_ids = [
            i
            for i, answer in samples
            if i in answers and _words(answers[i]) != _words(as_text(answer))
        ]
    if not changed_ids:
        return ""
    warning = f"! {len(changed_ids):,} samples of {labels} have another 'answer' there than in run"
    warning += (
        f" {result.run.id} ({first_ids(changed_ids)}): labels of other answers say nothing of these"
    )
    remedy = "name the run that was labelled (`assay runs` lists them), or remove these rows"
    return f"{warning} -> {remedy}; delete the column if a spreadsheet rewrote it"


def refuse_unseen(ids: Iterable[str]) -> None:
    """Ids are matched to the letter, so what is hidden in them cannot be shown otherwise.

    Raises:
        InputError: If one holds what cannot be seen.
    """
    for name in ids:
        if plain(name) != name:
            fault = f"the id of sample '{name}' holds a character that cannot be seen"
            raise InputError(fault, "a sheet may hold none: give the sample another id")


def _refuse_others(
    samples: Sequence[SampleToLabel], before: Mapping[str, Mapping[str, str]]
) -> None:
    own_rows = {item.sample.id: _row(item) for item in samples if item.sample.id in before}
    for number, (sample, row) in enumerate(before.items(), 1):
        for name in ("metric", "question", "answer"):
            text, expected = row.get(name), own_rows.get(sample, {}).get(name)
            if text is None or expected is None or _words(text) == _words(expected):
                continue
            fault = f"the sheet is about another run: sample '{sample}' has another {name} here"
            remedy = "name that run, or a new file; delete the column if a spreadsheet rewrote it"
            if name == "metric":
                fault = f"the sheet is about another metric: '{text}', not '{expected}'"
                remedy = "name that one with --metric, or a new file"
            raise InputError([Problem(fault, remedy, number, name)])


def _words(cell: str) -> list[str]:
    """What a cell says, however a spreadsheet breaks its lines or marks it as text."""
    return plain(cell).lstrip("'").split()


def _unscored(outcomes: Iterable[Outcome]) -> str:
    """How many samples have no score, and why."""
    reason_counts = Counter(f"{o.why} ({o.detail})" for o in outcomes if isinstance(o, Unscored))
    reasons = [f"{n:,} {reason}" for reason, n in reason_counts.most_common(_REASONS)]
    more = len(reason_counts) - len(reasons)
    return ", ".join([*reasons, *([f"and {more:,} other reasons"] if more else [])]) or "no samples"


def _row(item: SampleToLabel) -> dict[str, str]:
    return {
        "metric": as_text(item.metric),
        "inclusion_probability": f"{item.probability:.9g}",
        **cells(item.sample),
    }


def cells(sample: Sample) -> dict[str, str]:
    """The columns of a sheet that are for its readers: which sample it is, and its texts."""
    texts = {
        "question": sample.question,
        "answer": sample.answer,
        "contexts": "\n\n".join(sample.contexts or ()),
        "reference": sample.reference,
    }
    # People open it in a terminal, too: nothing in it may steer that, or hide from them.
    printable = {name: as_text(plain(text or "")) for name, text in texts.items()}
    return {"sample": as_text(sample.id), **printable}


@dataclass(frozen=True, slots=True)
class ChosenExamples:
    """Examples for a prompt."""

    kind: str  # kind of the task
    examples: tuple[Example, ...]  # what is given and the right reply, in the order of choice
    # Ids of the samples they come from: nothing may be measured on these afterwards.
    samples: tuple[str, ...]
    # Whether all statements in them are supported, or none is: such examples teach a judge to say
    # always the same.
    one_sided: bool

    def prompts(self) -> str:
        """A prompts file for `--prompts`: the built-in prompt with these examples after its own."""
        built_in = VerifyStatements.template
        template = replace(built_in, examples=(*built_in.examples, *self.examples))
        names = ", ".join(json.dumps(sample) for sample in self.samples)
        note = f"# Examples from the samples {names}.\n# Measure this judge on other samples.\n\n"
        return note + config_files.write_prompts({self.kind: template})


def choose_examples(
    result: Result, labels: LabelSource, metric: str | None = None, *, n: int = MOST
) -> ChosenExamples:
    """Examples for the task that verifies statements, right by the labels.

    Taken are samples whose statements' verdicts follow from labels on which all annotators agree.
    Those on which this judge erred come first, supported and unsupported ones in turn, and each
    as unlike the ones before as can be.

    Args:
        result: The run.
        labels: What people said of statements; or of samples: a good one bears out all its
            statements, and a bad one that makes a single statement does not.
        metric: The metric; may be left out if the run has only one.
        n: At most so many.

    Raises:
        InputError: If the metric verifies no statements, or no label tells a verdict.
    """
    name = one_metric(result, metric)
    if f"|{VerifyStatements.kind}=" not in result.run.metrics[name]:
        fault = f"{name} asks for no verdicts on statements: no examples can be made for it"
        raise InputError(fault, "write some by hand: `assay explain METRIC --toml`")
    read = read_for_run(labels, result)
    items = labelled(result, read, name)
    candidates = list(_candidates(result, name, _verdicts(items.items, items.kind)))
    if not candidates:
        fault = "no label tells the verdict on a statement of a sample of moderate length"
        raise InputError(fault, "label statements (columns sample, statement, label)")
    picked = _most_diverse(candidates, n)
    return ChosenExamples(
        kind=VerifyStatements.kind,
        examples=tuple(c.example for c in picked),
        samples=tuple(c.sample for c in picked),
        one_sided=len({verdict for c in picked for verdict in c.verdicts}) < 2,
    )


@dataclass(frozen=True, slots=True)
class _Candidate:
    sample: str
    example: Example
    words: frozenset[str]
    verdicts: frozenset[bool]
    wrong: bool


def _verdicts(items: Sequence[Item], kind: str) -> dict[str, dict[str, bool]]:
    """By sample, by statement: whether it is supported. Only what labels tell beyond doubt."""
    by_sample: dict[str, dict[str, bool]] = {}
    for item in items:
        if set(item.labels.values()) not in ({0.0}, {1.0}):
            continue
        good = item.label == 1.0
        parts: Sequence[Part] = (item.part,) if item.part is not None else item.outcome.parts
        judged = [part for part in parts if part.value is not None]
        if kind == "statement" or good or len(judged) == 1:
            by_sample.setdefault(item.sample.id, {}).update({part.text: good for part in judged})
    return by_sample


def _candidates(
    result: Result, metric: str, verdicts: Mapping[str, Mapping[str, bool]]
) -> Iterator[_Candidate]:
    for sample, by_text in verdicts.items():
        for reply in result.trace(sample, metric).replies:
            task = _task(reply) if reply.kind == VerifyStatements.kind else None
            if task is None:
                continue
            labelled_statements = [s for s in task.statements if s.text in by_text]
            narrowed = task.narrow([statement.id for statement in labelled_statements])
            shown_texts = "".join(
                fenced(narrowed.input_texts())
            ).strip()  # as the judge sees its own
            if not labelled_statements or len(shown_texts) > LONGEST:
                continue
            by_statement = _verdicts_by_id(task, reply)
            truth = {s.id: by_text[s.text] for s in labelled_statements}
            right = [
                _verdict(i, by_statement.get(i), reply, task, good=good)
                for i, good in truth.items()
            ]
            yield _Candidate(
                sample=sample,
                example=Example(shown_texts, VerifyStatements.short_reply(right)),
                words=frozenset(tokens(shown_texts)),
                verdicts=frozenset(truth.values()),
                wrong=any(
                    i in by_statement and by_statement[i].supported != good
                    for i, good in truth.items()
                ),
            )
            break


def _task(reply: Reply) -> VerifyStatements | None:
    """What was asked, from the record of it."""
    by_name = {
        head["name"]: text
        for before, text in zip(reply.pieces, reply.pieces[1:], strict=False)
        if (head := _HEAD.fullmatch(before))
    }
    try:
        rows = [json.loads(line) for line in by_name["statements"].splitlines()]
        statements = tuple(Statement(row["id"], row["text"]) for row in rows)
    except (KeyError, TypeError, ValueError):  # a prompt of the user's own form
        return None
    contexts = tuple(text for name, text in by_name.items() if name.startswith("context c"))
    return VerifyStatements(statements, contexts)


def _verdicts_by_id(task: VerifyStatements, reply: Reply) -> dict[str, Verdict]:
    try:
        return task.read_some(reply.raw)
    except Unreadable:
        return {}


_NOT_BORNE_OUT = "The contexts do not bear it out."


def _verdict(
    name: str, judged: Verdict | None, reply: Reply, task: VerifyStatements, *, good: bool
) -> Verdict:
    """The right verdict, in the judge's own words where it was right and has any."""
    agrees = judged if judged is not None and judged.supported == good else None
    worded = agrees is not None and agrees.reason and reply.tokens_out
    context = agrees.context if agrees is not None and good else None
    if context is None and good and len(task.contexts) == 1:
        context = 0
    return Verdict(
        name,
        good,
        reason=agrees.reason if agrees is not None and worded else _NOT_BORNE_OUT,
        context=context,
        contradicted=bool(agrees is not None and not good and agrees.contradicted),
    )


def _most_diverse(candidates: Sequence[_Candidate], n: int) -> list[_Candidate]:
    picked: list[_Candidate] = []
    left = list(candidates)
    while left and len(picked) < n:
        counts = {good: sum(good in c.verdicts for c in picked) for good in (True, False)}
        rarer_verdict = counts[True] < counts[False]
        rare = [c for c in left if rarer_verdict in c.verdicts] or left
        best = max(rare, key=lambda c: (1 + c.wrong) * _distance(c, picked))
        picked.append(best)
        left.remove(best)
    return picked


def _distance(candidate: _Candidate, other_candidates: Sequence[_Candidate]) -> float:
    """1 - Jaccard similarity of the words to the nearest of the others."""
    similarities = (
        len(candidate.words & o.words) / len(candidate.words | o.words) for o in other_candidates
    )
    return 1 - max(similarities, default=0.0)
