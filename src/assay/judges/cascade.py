"""A cascade of judges: a cheap one decides where it is sure, and the rest goes up to the next.

Only verdicts on statements are decided so: `VerifyStatements` is what the embedded judge gives
probabilities for. Every other task goes to the top judge.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, Self

import msgspec

from assay._middleware.wrapper import Route
from assay._store.integrity import digest
from assay.errors import Denied, InputError, JudgeError, OverBudget, Unsupported
from assay.judge import Backend, Capabilities, Judge, Reply, Task, repeated
from assay.judges.cascade_labels import read_labels
from assay.stats.correction import fixed_numbers
from assay.stats.risk_control import Checked, RiskControl
from assay.tasks import Verdict, VerifyStatements


@dataclass(frozen=True, slots=True)
class CascadePolicy:
    """When a cheap judge's verdicts stand.

    Attributes:
        risk: Of an answer's verdicts that a cheap judge decides, the share that the label may
            contradict, on average.
        confidence: How sure it is that this holds.
        audit: The share of answers whose verdicts the top judge checks all the same.
        labels: A file of statements that people judged, one a row: `statement`, `contexts` and
            `supported`; or a store in which people labelled statements for faithfulness. "" where
            the top judge's own verdicts are the labels.
    """

    risk: float = 0.05
    confidence: float = 0.9
    audit: float = 0.1
    labels: str = ""

    def __post_init__(self) -> None:
        for name, most in (("risk", 0.5), ("confidence", 1.0), ("audit", 1.0)):
            value = getattr(self, name)
            if not 0 < value <= most or (name != "audit" and value == most):
                raise InputError(f"{name} is {value} in a cascade", f"give a share below {most:g}")

    @classmethod
    def of(cls, text: str) -> Self:
        """From ``risk=0.02&labels=people.jsonl``.

        Raises:
            InputError: If an option is unknown or no number.
        """
        known = {field.name: field.type for field in fields(cls)}
        values: dict[str, Any] = {}
        for part in filter(None, text.split("&")):
            name, _, value = part.partition("=")
            if name not in known:
                raise InputError(f"'{part}' in a cascade", f"options: {', '.join(known)}")
            try:
                values[name] = value if name == "labels" else float(value)
            except ValueError:
                raise InputError(f"'{part}' in a cascade", f"{name}=0.05, say") from None
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
    """Who decided what, as it stands in a cascade's reply beside the verdicts.

    Attributes:
        by: The judge by statement.
        top: The judge whose word counts.
        risk: The bound on the share of cheap verdicts that it would contradict.
        checked: Verdicts of cheap judges that stood, and that the top judge checked and replaced.
        chance: With which probability all that cheap judges decided was checked.
        closed: How often the band of a judge was closed because the risk broke the bound.
    """

    by: dict[str, str]
    top: str
    risk: float
    checked: tuple[Check, ...] = ()
    chance: float = 1.0
    closed: int = 0


class _Form(msgspec.Struct, frozen=True):
    cascade: Decisions


def decisions(reply: Reply) -> Decisions | None:
    """Who decided what in a cascade's reply; None if it is none of a cascade."""
    if reply.kind != VerifyStatements.kind or '"cascade"' not in reply.raw:
        return None
    try:
        return msgspec.json.decode(reply.raw, type=_Form).cascade
    except (msgspec.ValidationError, msgspec.DecodeError):
        return None


def as_first_decided(reply: Reply, task: VerifyStatements) -> str:
    """A cascade's reply with the verdicts of cheap judges where the top judge's replaced them."""
    decided = decisions(reply)
    cheap = {one.id: one.supported for one in decided.checked} if decided else {}
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

    async def verdicts(self, task: VerifyStatements) -> dict[str, Verdict]:
        """Its verdicts by statement; {} where it has none: then it decides nothing."""
        try:
            return {v.id: v for v in await Judge(self.judge, tries=1)(task)}
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
        drawn = sorted(zip(fixed_numbers(texts), verdicts, strict=True), key=_number)
        return [
            Checked(
                v.supported, sureness(v), v.supported is not labels[v.id], v.id in self.standing
            )
            for _, v in drawn
            if v.id in labels
        ]


def _number(drawn: tuple[float, Verdict]) -> float:
    return drawn[0]


def sureness(verdict: Verdict) -> float:
    """The probability that a judge gives its own verdict; 1 where it gives none."""
    if verdict.probability is None:
        return 1.0
    return verdict.probability if verdict.supported else 1 - verdict.probability


def _check(name: str, step: _Step, top: Verdict) -> Check:
    return Check(name, step.level.judge.name, step.verdicts[name].supported, top.supported)


def _rule(
    policy: CascadePolicy, labelled: Sequence[tuple[VerifyStatements, Mapping[str, bool]]]
) -> str:
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
        labelled: Sequence[tuple[VerifyStatements, Mapping[str, bool]]] = (),
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
        each = [judge.capabilities for judge in self.behind()]
        bounds = [one.max_tokens for one in each if not one.local]
        most = max((bound for bound in bounds if bound is not None), default=None)
        return Capabilities(
            local=all(one.local for one in each),
            max_tokens=None if None in bounds else most,
        )

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its judges, and when their verdicts stand."""
        each = [judge.identity(kind) for judge in self.behind()]
        if kind.kind != VerifyStatements.kind or None in each:
            return None
        return f"{'>'.join(filter(None, each))} ({self._rule})"

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
        if repeated(draw):  # asked once more, after what could not be read
            verdicts, decided = await self._by_top(task, draw)
        else:
            await self._learn_labels()
            verdicts, decided = await self._decide(task, draw)
        raw = msgspec.json.decode(VerifyStatements.reply(verdicts))
        raw["cascade"] = decided
        return Reply(
            task.inputs(),
            msgspec.json.encode(raw).decode(),
            ms=(time.perf_counter() - start) * 1000,
            backend=self.identity(type(task)) or "",
            kind=task.kind,
            draw=draw,
        )

    async def _by_top(
        self, task: VerifyStatements, draw: int
    ) -> tuple[Sequence[Verdict], Decisions]:
        verdicts = await Judge(self._top, tries=1)(task, draw)
        return verdicts, Decisions(
            dict.fromkeys(task.ids, self._top.name), self._top.name, self._policy.risk
        )

    async def _decide(
        self, task: VerifyStatements, draw: int
    ) -> tuple[Sequence[Verdict], Decisions]:
        (number,) = fixed_numbers([digest(task.inputs())])
        # One number for all: what is checked of one judge is checked of those above it, too.
        steps, left = await self._ask_up(task, lambda step: number < step.chance)
        top: dict[str, Verdict] = {}
        if left:
            narrowed = task if len(left) == len(task.ids) else task.narrow(left)
            top = {v.id: v for v in await Judge(self._top, tries=1)(narrowed, draw)}
        labels = {i: verdict.supported for i, verdict in top.items()}
        for step in steps:
            if number < step.chance:
                self._learn(step, step.checked(labels))
        return self._joined(task, steps, top)

    async def _ask_up(
        self, task: VerifyStatements, is_checked: Callable[[_Step], bool]
    ) -> tuple[list[_Step], list[str]]:
        """What each cheap judge said, and the statements for the top judge."""
        steps: list[_Step] = []
        rest = list(task.ids)
        to_top: set[str] = set()
        for level in self._levels:
            if not rest:
                break
            narrowed = task if len(rest) == len(task.ids) else task.narrow(rest)
            verdicts = await level.verdicts(narrowed)
            standing = frozenset(i for i, verdict in verdicts.items() if level.decides(verdict))
            step = _Step(level, narrowed, verdicts, standing, level.control.chance)
            steps.append(step)
            to_top |= standing if is_checked(step) else set()
            rest = [i for i in rest if i not in standing]
        return steps, [i for i in task.ids if i in rest or i in to_top]

    def _learn(self, step: _Step, checked: Sequence[Checked]) -> None:
        """Take in what was checked; judges above begin anew where others come to them now."""
        before = step.level.control.band
        if checked:
            step.level.control.learn(checked)
        if step.level.control.band != before:
            place = self._levels.index(step.level)
            for above in self._levels[place + 1 :]:
                above.control.begin_anew()

    def _joined(
        self, task: VerifyStatements, steps: Sequence[_Step], top: Mapping[str, Verdict]
    ) -> tuple[Sequence[Verdict], Decisions]:
        final: dict[str, Verdict] = {}
        by = dict.fromkeys(top, self._top.name)
        checked = []
        chance = 1.0
        for step in steps:
            for i in step.standing:
                if i in top:
                    checked.append(_check(i, step, top[i]))
                else:
                    by[i] = step.level.judge.name
                    # Its verdict stands for the top judge's, which has no probability.
                    final[i] = replace(step.verdicts[i], probability=None)
            chance = min(chance, step.chance) if step.standing else chance
        final |= top
        closed = sum(level.control.closed for level in self._levels)
        decisions = Decisions(
            by={i: by[i] for i in task.ids},
            top=self._top.name,
            risk=self._policy.risk,
            checked=tuple(checked),
            chance=chance,
            closed=closed,
        )
        return [final[i] for i in task.ids], decisions

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

    async def aopen(self) -> None:
        """Open all judges."""
        for judge in self.behind():
            await judge.aopen()

    def stop(self) -> None:
        """Stop all judges."""
        for judge in self.behind():
            judge.stop()

    async def aclose(self) -> None:
        """Close all judges."""
        await asyncio.gather(*(judge.aclose() for judge in self.behind()))


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
            what = f"in a cascade {dear.name} stands before {cheap.name}, which costs nothing"
            raise InputError(what, "name the cheapest first: embedded>openai:MODEL")
    labelled = read_labels(policy.labels) if policy.labels else ()
    return Route(judges[-1], {VerifyStatements.kind: Cascade(judges, policy, labelled)})
