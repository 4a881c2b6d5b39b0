"""A cascade of judges: a cheap one decides where it is sure, and the rest goes up to the next.

Only verdicts on statements are decided so: `VerifyStatements` is what the embedded judge gives
probabilities for. Every other task goes to the top judge.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, Self, TypeAlias

import msgspec

from assay._middleware.wrapper import Route
from assay._store import Store
from assay._store.integrity import digest, is_database
from assay._store.labels import HumanLabel
from assay.data.files import file_records, located
from assay.errors import Denied, InputError, JudgeError, OverBudget, Problem, Unsupported
from assay.judge import Backend, Capabilities, Judge, Reply, Task, repeated
from assay.score import Score
from assay.stats.priority_sampling import fixed_numbers
from assay.stats.risk_control import Checked, RiskControl
from assay.tasks import Statement, Verdict, VerifyStatements

# What people said of statements on the same contexts, by the statements' ids.
LabelledTask: TypeAlias = tuple[VerifyStatements, Mapping[str, bool]]
_METRIC = "faithfulness"  # whose labels in a store count


@dataclass(frozen=True, slots=True)
class CascadePolicy:
    """When a cheap judge's verdicts stand."""

    # Of an answer's verdicts that a cheap judge decides, the share that the label may contradict,
    # on average.
    risk: float = 0.05
    confidence: float = 0.9  # how sure it is that this holds
    audit: float = 0.1  # the share of answers whose verdicts the top judge checks all the same
    # A file of statements that people judged, one a row: `statement`, `contexts` and `supported`;
    # or a store in which people labelled statements for faithfulness. "" where the top judge's own
    # verdicts are the labels.
    labels: str = ""

    def __post_init__(self) -> None:
        for name, end in (("risk", 0.5), ("confidence", 1.0), ("audit", 1.0)):
            value = getattr(self, name)
            if not 0 < value <= end or (name != "audit" and value == end):
                raise InputError(f"{name} is {value} in a cascade", f"give a share below {end:g}")

    @classmethod
    def of(cls, text: str) -> Self:
        """From ``risk=0.02&labels=people.jsonl``.

        Raises:
            InputError: If an option is unknown or no number.
        """
        known = {field.name: field.type for field in fields(cls)}
        values: dict[str, Any] = {}
        for option in filter(None, text.split("&")):
            name, _, value = option.partition("=")
            if name not in known:
                raise InputError(f"'{option}' in a cascade", f"options: {', '.join(known)}")
            try:
                values[name] = value if name == "labels" else float(value)
            except ValueError:
                raise InputError(f"'{option}' in a cascade", f"{name}=0.05, say") from None
        return cls(**values)


class Check(msgspec.Struct, frozen=True):
    """A cheap judge's verdict that stood, until the top judge checked and replaced it.

    Attributes:
        id: The statement.
        by: Who gave it.
        supported: What it was.
        top: What the top judge says.
    """

    id: str
    by: str
    supported: bool
    top: bool


class Decisions(msgspec.Struct, frozen=True):
    """Who decided what, as it stands in a cascade's reply beside the verdicts."""

    by: dict[str, str]  # the judge by statement
    top: str  # the judge whose word counts
    risk: float  # the bound on the share of cheap verdicts that it would contradict
    # Verdicts of cheap judges that stood, and that the top judge checked and replaced.
    checked: tuple[Check, ...] = ()
    chance: float = 1.0  # with which probability all that cheap judges decided was checked
    closed: int = 0  # how often the band of a judge was closed because the risk broke the bound


class _Form(msgspec.Struct, frozen=True):
    cascade: Decisions


def decisions(reply: Reply) -> Decisions | None:
    """Who decided what in a cascade's reply; None if it is none of a cascade."""
    if reply.kind != VerifyStatements.kind or '"cascade"' not in reply.raw:
        return None
    try:
        return msgspec.json.decode(reply.raw, type=_Form).cascade
    except msgspec.DecodeError:
        return None


def as_first_decided(reply: Reply, task: VerifyStatements) -> str:
    """A cascade's reply with the verdicts of cheap judges where the top judge's replaced them."""
    decided = decisions(reply)
    cheap = {statement.id: statement.supported for statement in decided.checked} if decided else {}
    verdicts = task.read(reply.raw)
    return VerifyStatements.reply(
        [
            replace(v, supported=cheap[v.id], probability=None) if v.id in cheap else v
            for v in verdicts
        ]
    )


@dataclass
class _Level:
    """A cheap judge, and what is known of its verdicts."""

    judge: Backend
    control: RiskControl

    async def verdicts(self, task: VerifyStatements, draw: int = 0) -> dict[str, Verdict]:
        """Its verdicts by statement; {} where it has none: then it decides nothing."""
        try:
            return {v.id: v for v in await Judge(self.judge, tries=1)(task, draw)}
        except (Denied, OverBudget):
            raise
        except JudgeError:
            return {}

    def decides(self, verdict: Verdict | None) -> bool:
        """Whether a verdict needs no other judge."""
        return verdict is not None and self.control.band.holds(
            supported=verdict.supported, sureness=sureness(verdict)
        )


@dataclass(frozen=True)
class _Step:
    """What one cheap judge said to a task, and what of it stands."""

    level: _Level
    task: VerifyStatements
    verdicts: Mapping[str, Verdict]
    standing: frozenset[str]
    chance: float

    def checked(self, labels: Mapping[str, bool]) -> list[Checked]:
        """Its verdicts beside their labels, in random order."""
        texts = [s.text for s in self.task.statements if s.id in self.verdicts]
        verdicts = [self.verdicts[s.id] for s in self.task.statements if s.id in self.verdicts]
        drawn = sorted(zip(fixed_numbers(texts), verdicts, strict=True), key=itemgetter(0))
        return [
            Checked(
                v.supported, sureness(v), v.supported is not labels[v.id], v.id in self.standing
            )
            for _, v in drawn
            if v.id in labels
        ]


def sureness(verdict: Verdict) -> float:
    """The probability that a judge gives its own verdict; 1 where it gives none."""
    if verdict.probability is None:
        return 1.0
    return verdict.probability if verdict.supported else 1 - verdict.probability


def _rule(policy: CascadePolicy, labelled: Sequence[LabelledTask]) -> str:
    """When verdicts stand, in words that are part of the identity."""
    rule = f"risk {policy.risk:g} at {policy.confidence:g}, audit {policy.audit:g}"
    labels = [text for task, by_id in labelled for text in (*task.inputs(), f"{by_id}")]
    return f"{rule}, labels {digest(labels)[:8]}" if labels else rule


class Cascade(Backend):
    """Verdicts on statements, each by the first judge that is sure of it, else by the last one.

    Args:
        judges: From the cheapest to the one whose word counts.
        policy: When a cheap judge's verdicts stand.
        labelled: What people said of statements, by their task; see `CascadePolicy.labels`.
    """

    def __init__(
        self,
        judges: Sequence[Backend],
        policy: CascadePolicy,
        labelled: Sequence[LabelledTask] = (),
    ) -> None:
        *cheap, self._top = judges
        self._policy = policy
        self._labelled = labelled
        # Each cheap judge has its part of the probability that the bound does not hold.
        alpha = (1 - policy.confidence) / len(cheap)
        self._levels = [
            _Level(judge, RiskControl(policy.risk, alpha, policy.audit)) for judge in cheap
        ]
        self._rule = _rule(policy, labelled)
        self._learnt = not labelled
        self._learning = asyncio.Lock()

    @property
    def name(self) -> str:
        """Its judges, from the cheapest up."""
        return ">".join(judge.name for judge in self.behind())

    @property
    def capabilities(self) -> Capabilities:
        """Local if all judges are; it has no limits of its own."""
        capabilities = [judge.capabilities for judge in self.behind()]
        bounds = [capability.max_tokens for capability in capabilities if not capability.local]
        longest = max((bound for bound in bounds if bound is not None), default=None)
        local = all(capability.local for capability in capabilities)
        return Capabilities(local=local, max_tokens=None if None in bounds else longest)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its judges, and when their verdicts stand."""
        identities = [judge.identity(kind) for judge in self.behind()]
        if kind.kind != VerifyStatements.kind or None in identities:
            return None
        return f"{'>'.join(filter(None, identities))} ({self._rule})"

    def behind(self) -> tuple[Backend, ...]:
        """Its judges, from the cheapest up."""
        return (*(level.judge for level in self._levels), self._top)

    def least_shares(self) -> tuple[float, ...]:
        """Of all tasks, the share that each judge is asked at least, from the cheapest up."""
        return (1.0, *(0.0 for _ in self._levels[1:]), self._policy.audit)

    def over(self, judges: Sequence[Backend]) -> Backend:
        """The same over other judges; nothing is known of their verdicts yet."""
        return Cascade(judges, self._policy, self._labelled)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The verdicts of whoever decided each, and who that was.

        Raises:
            Unsupported: If it is about anything but statements.
            JudgeError: If the top judge was needed and gave none.
        """
        if not isinstance(task, VerifyStatements):
            raise Unsupported(f"a cascade cannot do {task.kind}")
        start = time.perf_counter()
        top = Judge(self._top, tries=1)
        if repeated(draw):  # asked once more, after what could not be read
            by_top = await top(task, draw)
            verdicts: Sequence[Verdict] = by_top
            name = self._top.name
            decided = Decisions(dict.fromkeys(task.ids, name), name, self._policy.risk)
        else:
            await self._learn_labels()
            verdicts, decided = await self._decide(task, draw, top)
        raw = msgspec.json.decode(VerifyStatements.reply(verdicts))
        raw["cascade"] = decided
        return Reply(
            task.inputs(),
            msgspec.json.encode(raw).decode(),
            ms=(time.perf_counter() - start) * 1000,
            backend=self.identity(type(task)) or "",
            kind=task.kind,
            draw=draw,
            model=next((reply.model for reply in top.replies), ""),
        )

    async def _decide(
        self, task: VerifyStatements, draw: int, top_judge: Judge
    ) -> tuple[Sequence[Verdict], Decisions]:
        (number,) = fixed_numbers([digest(task.inputs())])
        # One number for all: what is checked of one judge is checked of those above it, too.
        steps, left = await self._ask_up(task, draw, number)
        top: dict[str, Verdict] = {}
        if left:
            narrowed = task if len(left) == len(task.ids) else task.narrow(left)
            top = {v.id: v for v in await top_judge(narrowed, draw)}
        labels = {i: verdict.supported for i, verdict in top.items()}
        for step in steps:
            if number < step.chance:
                self._learn(step, step.checked(labels))
        return self._join_verdicts(task, steps, top)

    async def _ask_up(
        self, task: VerifyStatements, draw: int, number: float
    ) -> tuple[list[_Step], list[str]]:
        """What each cheap judge said, and the statements for the top judge.

        Verdicts that stand are checked all the same where the number is below their chance of it.
        """
        steps: list[_Step] = []
        remaining = list(task.ids)
        to_top: set[str] = set()
        for level in self._levels:
            if not remaining:
                break
            narrowed = task if len(remaining) == len(task.ids) else task.narrow(remaining)
            verdicts = await level.verdicts(narrowed, draw)
            standing = frozenset(i for i, verdict in verdicts.items() if level.decides(verdict))
            step = _Step(level, narrowed, verdicts, standing, level.control.chance)
            steps.append(step)
            to_top |= standing if number < step.chance else set()
            remaining = [i for i in remaining if i not in standing]
        return steps, [i for i in task.ids if i in remaining or i in to_top]

    def _learn(self, step: _Step, checked: Sequence[Checked]) -> None:
        """Take in what was checked; judges above begin anew where others come to them now."""
        band = step.level.control.band
        if checked:
            step.level.control.learn(checked)
        if step.level.control.band != band:
            index = self._levels.index(step.level)
            for above in self._levels[index + 1 :]:
                above.control.begin_anew()

    def _join_verdicts(
        self, task: VerifyStatements, steps: Sequence[_Step], top: Mapping[str, Verdict]
    ) -> tuple[Sequence[Verdict], Decisions]:
        final: dict[str, Verdict] = {}
        judge_names = dict.fromkeys(top, self._top.name)
        checked = []
        chance = 1.0
        for step in steps:
            for i in step.standing:
                name, supported = step.level.judge.name, step.verdicts[i].supported
                if i in top:
                    checked.append(Check(i, name, supported, top[i].supported))
                else:
                    judge_names[i] = name
                    # Its verdict stands for the top judge's, which has no probability.
                    final[i] = replace(step.verdicts[i], probability=None)
            chance = min(chance, step.chance) if step.standing else chance
        final |= top
        closed = sum(level.control.closed for level in self._levels)
        judge_names = {i: judge_names[i] for i in task.ids}
        decided = Decisions(
            judge_names, self._top.name, self._policy.risk, tuple(checked), chance, closed
        )
        return [final[i] for i in task.ids], decided

    async def _learn_labels(self) -> None:
        """See what people's labels say of the cheap judges, before the first task."""
        async with self._learning:
            if self._learnt:
                return
            left = list(self._labelled)
            for level in self._levels:
                verdict_lists = await asyncio.gather(*(level.verdicts(task) for task, _ in left))
                answers = [
                    _Step(level, task, verdicts, frozenset(), 1.0).checked(labels)
                    for (task, labels), verdicts in zip(left, verdict_lists, strict=True)
                ]
                level.control.learn_before([answer for answer in answers if answer])
                left = [
                    (task.narrow(unsure), labels)
                    for (task, labels), verdicts in zip(left, verdict_lists, strict=True)
                    if (unsure := [i for i in task.ids if not level.decides(verdicts.get(i))])
                ]
            self._learnt = True

    def under_way(self) -> str:
        """What its cheap judges wait for; the top judge is asked for other tasks, too."""
        return "; ".join(filter(None, (level.judge.under_way() for level in self._levels)))

    def trouble(self) -> str:
        """What goes wrong with calls of its cheap judges."""
        return "; ".join(filter(None, (level.judge.trouble() for level in self._levels)))


def route(judges: Sequence[Backend], policy: CascadePolicy) -> Route:
    """The cascade for verdicts on statements, its last judge for all else.

    Raises:
        InputError: If there are fewer than two, one cannot verify statements, or a dear one comes
            before one that costs nothing.
    """
    if len(judges) < 2:
        raise InputError("a cascade of fewer than two judges", "embedded>openai:MODEL")
    for judge in judges:
        if judge.identity(VerifyStatements) is None:
            raise InputError(f"the judge {judge.name} cannot verify statements", "leave it out")
    for dear, cheap in pairwise(judges):
        if cheap.capabilities.local and not dear.capabilities.local:
            fault = f"in a cascade {dear.name} stands before {cheap.name}, which costs nothing"
            raise InputError(fault, "name the cheapest first: embedded>openai:MODEL")
    labelled = read_labels(policy.labels) if policy.labels else ()
    return Route(judges[-1], {VerifyStatements.kind: Cascade(judges, policy, labelled)})


class _LabelledStatement(msgspec.Struct, frozen=True):
    statement: str
    contexts: tuple[str, ...]
    supported: bool


def read_labels(path: str) -> tuple[LabelledTask, ...]:
    """The labelled statements of a file or a store: those on the same contexts in one task.

    Raises:
        InputError: If a row is none, or there are none.
    """
    if is_store(Path(path)):
        if stored := list(_in_store(path)):
            return _tasks(stored)
        remedy = "label statements first: assay label --metric faithfulness"
        raise InputError(f"nobody labelled statements for faithfulness in '{path}'", remedy)
    problems: list[Problem] = []
    rows: list[_LabelledStatement] = []
    for record in file_records(located(path))():
        if record.problem:
            problems.append(record.problem)
            continue
        try:
            rows.append(msgspec.convert(record.values, _LabelledStatement))
        except msgspec.ValidationError as error:
            remedy = '{"statement": "...", "contexts": ["..."], "supported": true}'
            problems.append(Problem(f"{path}: {error}", remedy, row=record.number))
    if problems or not rows:
        raise InputError(problems or f"no labels in '{path}'")
    return _tasks(rows)


def _tasks(rows: Sequence[_LabelledStatement]) -> tuple[LabelledTask, ...]:
    by_contexts: dict[tuple[str, ...], list[_LabelledStatement]] = {}
    for row in rows:
        by_contexts.setdefault(row.contexts, []).append(row)
    labelled = []
    for contexts, same in by_contexts.items():
        statements = tuple(Statement(f"s{n}", r.statement) for n, r in enumerate(same, start=1))
        labels = {s.id: row.supported for s, row in zip(statements, same, strict=True)}
        labelled.append((VerifyStatements(statements, contexts), labels))
    return tuple(labelled)


def is_store(path: Path) -> bool:
    """Whether a file is a store of runs."""
    return path.is_file() and is_database(path)


def _in_store(path: str) -> Iterator[_LabelledStatement]:
    """The statements that people labelled in the runs of a store.

    The bound holds for labels of answers drawn at random, each as likely as any other: of those
    that were drawn rather than others, fewer are taken, by numbers that follow from their ids.
    """
    with Store(path) as store:
        for run in store.runs():
            for metric in run.metrics:
                if metric.partition("(")[0] != _METRIC:
                    continue
                for sample_id, by_statement in _by_sample(store.labels.of(run.id, metric)).items():
                    row, sample = store.sample(run.id, sample_id)
                    outcome = store.outcome(run.id, row, metric)
                    parts = outcome.parts if isinstance(outcome, Score) else ()
                    for number, share in sorted(by_statement.items()):
                        if number < len(parts) and share != 0.5:
                            contexts = tuple(sample.contexts or ())
                            yield _LabelledStatement(parts[number].text, contexts, share > 0.5)


def _by_sample(labels: Sequence[HumanLabel]) -> dict[str, dict[int, float]]:
    """By sample and statement, the mean of people's labels, or what settled their dispute."""
    valued = [label for label in labels if label.statement is not None and label.value is not None]
    settled = {label.item for label in valued if label.kind == "settled"}
    chances = [label.chance for label in valued if label.chance is not None]
    values: dict[str, dict[int, list[float]]] = {}
    for label in valued:
        number = fixed_numbers([label.sample])[0]
        sampled = number * (label.chance or 1.0) < min(chances, default=1.0)
        counts = label.kind == "settled" or (label.kind == "label" and label.item not in settled)
        if sampled and counts and label.statement is not None and label.value is not None:
            values.setdefault(label.sample, {}).setdefault(label.statement, []).append(label.value)
    return {
        sample: {number: sum(values) / len(values) for number, values in by_statement.items()}
        for sample, by_statement in values.items()
    }
