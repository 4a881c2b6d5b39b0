"""What a cascade of judges did in a run: who decided, how often wrongly, and corrected means."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay._runner.event_loop import run_to_completion
from assay._runner.result import Result
from assay._runner.stack import Coalescer, CoalescingPolicy
from assay._store import Run, Store
from assay._store.integrity import reply_key
from assay._store.runs import Spent
from assay.data.missing_fields import lacked
from assay.errors import JudgeError, Unavailable
from assay.judge import Backend, Judge, Reply, Task
from assay.judges.cascade import Decisions, as_first_decided, decisions
from assay.metrics import Metric, is_built_in, parse
from assay.sample import Sample
from assay.score import Outcome, Score
from assay.stats.correction import Corrected, Design, correct_mean
from assay.stats.intervals import Interval, mean_interval
from assay.tasks import SplitStatements, VerifyStatements

# Fewer checked answers say nothing of errors that are rare.
MIN_CHECKED = 10
_ASKS = f"{VerifyStatements.kind}="


@dataclass(frozen=True, slots=True)
class CascadeAudit:
    """What a cascade did in a run.

    Attributes:
        statements: How many statements each judge decided, by its name.
        spent: What each judge was paid for verdicts, by its identity.
        bound: The bound on the risk.
        n_checked: Answers in which something that stood was checked.
        risk: Of an answer's verdicts that stood, the share that the top judge contradicts, on
            average over the checked ones; None if none was checked.
        interval: Its 95 % interval; None if there are too few.
        n_unsupported: Checked verdicts where the top judge says "unsupported".
        n_missed: Those of them that had stood as supported.
        closed: How often a band was closed because the risk broke the bound.
        corrected: By metric its mean as the top judge alone would have it, from all scores and the
            checked ones (prediction-powered).
        uncorrected: Metrics for which that cannot be computed, with the reason.
    """

    statements: Mapping[str, int]
    spent: Mapping[str, Spent]
    bound: float
    n_checked: int
    risk: float | None
    interval: Interval | None
    n_unsupported: int
    n_missed: int
    closed: int
    corrected: Mapping[str, Corrected] = field(default_factory=dict)
    uncorrected: Mapping[str, str] = field(default_factory=dict)


def audit_cascade(result: Result) -> CascadeAudit | None:
    """What the cascade of a run did, and its means corrected for what cheap judges decided.

    Returns:
        What was found; None if the run's statements were judged by no cascade.
    """
    run = result.run
    labels = [label for label, signature in run.metrics.items() if _identity(signature)]
    if not labels:
        return None
    with Store(result.path) as store:
        decided = _Decided.read(store, run, labels)
        if not decided.replies:
            return None
        spent = {
            identity: paid
            for identity, paid in store.spent_on(run.id, VerifyStatements.kind).items()
            if identity not in {_identity(run.metrics[label]) for label in labels}
        }
        return decided.audit(spent, _means(store, run, labels, decided))


def _identity(signature: str) -> str:
    """Of the cascade that a metric asked for verdicts; "" if it asked none."""
    tasks = [field for field in signature.split("|") if field.startswith(_ASKS)]
    identity = tasks[0].removeprefix(_ASKS) if tasks else ""
    return identity if ">" in identity and identity.endswith(")") else ""


@dataclass(frozen=True)
class _Decided:
    """Decisions by metric and row, and those of each reply once."""

    by_score: Mapping[tuple[str, int], Sequence[Decisions]]
    replies: Mapping[str, Decisions]
    groups: Mapping[str, str]  # of the samples that the replies are about

    @classmethod
    def read(cls, store: Store, run: Run, labels: Sequence[str]) -> "_Decided":
        by_score: dict[tuple[str, int], Sequence[Decisions]] = {}
        replies: dict[str, Decisions] = {}
        groups, groups_of_rows = dict[str, str](), store.groups(run.id)
        for label in labels:
            for row, value, _ in store.values(run.id, label):
                if value is None:
                    continue
                of_score = {
                    reply.key: reply_decisions
                    for reply in store.replies(run.id, row, label)
                    if (reply_decisions := decisions(reply))
                }
                by_score[label, row] = tuple(of_score.values())
                replies |= of_score
                group = groups_of_rows.get(row, f"{row}")
                groups |= dict.fromkeys(of_score, group)
        return cls(by_score, replies, groups)

    def audit(self, spent: Mapping[str, Spent], means: "_Means") -> CascadeAudit:
        """What was found, beside what was paid and the corrected means."""
        decisions = list(self.replies.values())
        checked = [check for decision in decisions for check in decision.checked]
        shares = {
            key: sum(check.supported is not check.top for check in decision.checked)
            / len(decision.checked)
            for key, decision in self.replies.items()
            if decision.checked
        }
        values = list(shares.values())
        return CascadeAudit(
            statements=dict(
                Counter(judge for decision in decisions for judge in decision.by.values())
            ),
            spent=spent,
            bound=decisions[0].risk,
            n_checked=len(shares),
            risk=sum(values) / len(values) if values else None,
            interval=mean_interval(
                values, groups=[self.groups[key] for key in shares], low=0.0, high=1.0
            ),
            n_unsupported=sum(not check.top for check in checked),
            n_missed=sum(check.supported and not check.top for check in checked),
            closed=max(decision.closed for decision in decisions),
            corrected=means.corrected,
            uncorrected=means.uncorrected,
        )


@dataclass(frozen=True)
class _Means:
    """Corrected means by metric, and why others have none."""

    corrected: dict[str, Corrected] = field(default_factory=dict)
    uncorrected: dict[str, str] = field(default_factory=dict)


def _means(store: Store, run: Run, labels: Sequence[str], decided: _Decided) -> _Means:
    means = _Means()
    own_metrics = [label for label in labels if not is_built_in(label)]
    means.uncorrected.update(dict.fromkeys(own_metrics, "it is a metric of your own"))
    for label in (label for label in labels if label not in own_metrics):
        rows = [row for name, row in decided.by_score if name == label]
        known = [row for row in rows if _is_top_judges(decided.by_score[label, row])]
        if len(known) == len(rows):
            continue  # the top judge's own scores
        checked = sum(
            any(decision.checked for decision in decided.by_score[label, row]) for row in known
        )
        if checked < MIN_CHECKED:
            means.uncorrected[label] = f"{checked} checked answers are too few"
            continue
        first = run_to_completion(_first_scores(store, run, label, known, decided))
        if first is None:
            means.uncorrected[label] = "its replies are no longer in the store"
        else:
            means.corrected[label] = _correct(store, run, label, first, decided)
    return means


def _is_top_judges(decisions: Sequence[Decisions]) -> bool:
    """Whether the top judge said all that a score rests on."""
    return all(judge == decision.top for decision in decisions for judge in decision.by.values())


def _correct(
    store: Store, run: Run, label: str, first: Mapping[int, float], decided: _Decided
) -> Corrected:
    scored = list(store.numbers(run.id, label).items())
    groups = store.groups(run.id)
    labelled_at = [index for index, (row, _) in enumerate(scored) if row in first]
    low, high = run.config["about"][label]["range"]
    return correct_mean(
        [first.get(row, value) for row, value in scored],
        labelled_at,
        [scored[index][1] for index in labelled_at],
        design=Design(
            probabilities=[
                math.prod(decision.chance for decision in decided.by_score[label, scored[index][0]])
                for index in labelled_at
            ],
            groups=[groups.get(row, f"{row}") for row, _ in scored] if groups else None,
        ),
        ends=(low, high),
    )


async def _first_scores(
    store: Store, run: Run, label: str, rows: Sequence[int], decided: _Decided
) -> dict[int, float] | None:
    """The scores of checked samples as they were before the check; None if one cannot be told."""
    values = {row: value for row, value, _ in store.values(run.id, label)}
    first: dict[int, float] = {}
    for row in rows:
        checks = (check for case in decided.by_score[label, row] for check in case.checked)
        if all(check.supported is check.top for check in checks):
            first[row] = values[row] or 0.0
            continue
        replies = (reply for name in run.metrics for reply in store.replies(run.id, row, name))
        backend = _FirstDecided(store, replies)
        outcome = await _score(parse(label), store.sample_at(run.id, row), backend, run)
        if not isinstance(outcome, Score):
            return None
        first[row] = outcome.value
    return first


async def _score(metric: Metric, sample: Sample, backend: Backend, run: Run) -> Outcome | None:
    """A score made anew from the replies in the store; None if one of them is not there."""
    together = [name for name in run.metrics if "|together=" in run.metrics[name]]
    if metric.label not in together:
        return await _score_again(metric, sample, Judge(backend))
    # Texts of several metrics were split in one call: it is found only if all of them ask.
    coalescer = Coalescer(backend, CoalescingPolicy(frozenset({SplitStatements})))
    outcomes = await coalescer.score(
        list(map(parse, together)),
        lambda backend, member: _score_again(backend, sample, Judge(member)),
    )
    return outcomes[together.index(metric.label)]


async def _score_again(metric: Metric, sample: Sample, judge: Judge) -> Outcome | None:
    if lacked(metric.needs, metric.instead, sample):
        return None
    try:
        return await metric.score(sample, judge)
    except JudgeError:
        return None


class _FirstDecided(Backend):
    """Replies from the store, with the verdicts that the top judge replaced as they were before.

    Args:
        store: Where they are.
        replies: What the scores of a sample rest on: who gave them gave the others.
    """

    name = "store"

    def __init__(self, store: Store, replies: Iterable[Reply]) -> None:
        self._store = store
        self._identities: dict[str, dict[str, None]] = {}
        for reply in replies:
            self._identities.setdefault(reply.kind, {})[reply.backend] = None

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Whoever served this kind; of several, as texts are split alone and together, any."""
        return next(iter(self._identities.get(kind.kind, ())), None)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Whether the store has the reply."""
        return self._kept_reply(task, draw) is not None

    def _kept_reply(self, task: Task[Any], draw: int) -> Reply | None:
        keys = (reply_key(identity, task, draw) for identity in self._identities.get(task.kind, ()))
        return next((reply for key in keys if (reply := self._store.reply(key))), None)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply in the store.

        Raises:
            Unavailable: If there is none.
        """
        reply = self._kept_reply(task, draw)
        if reply is None:
            raise Unavailable("the reply is no longer in the store", permanent=True)
        if isinstance(task, VerifyStatements) and decisions(reply):
            return replace(reply, raw=as_first_decided(reply, task))
        return reply
