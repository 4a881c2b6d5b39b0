"""The steps of a trace: an answer judged again with the evidence of each step taken out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._analysis.diagnosis.counterfactual import check_judge
from assay._analysis.diagnosis.facts import SUPPORT, gather, normalized
from assay._runner.estimate import Estimate, estimate_plan
from assay._runner.evaluate import score_derived
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import Plan, plan
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay._runner.stack import coalesce_as_in
from assay._store import Store
from assay.data import Source
from assay.data.rows import memory_records
from assay.errors import InputError, OverBudget
from assay.judges.specs import DEFAULT
from assay.metrics import is_built_in
from assay.sample import Sample
from assay.score import Outcome, Score

_METRIC: Final = "faithfulness"


@dataclass(frozen=True, slots=True)
class Step:
    """What one retrieval or call of a tool brought."""

    name: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepBlame:
    """What an answer owes to one step.

    Attributes:
        name: Of the step.
        lost: Statements that the evidence supports, and without this step's no longer does.
    """

    name: str
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleBlame:
    """What an answer owes to each of its steps.

    Attributes:
        id: Of the sample.
        supported: Statements that all evidence together supports.
        unsupported: Statements that it does not: no step is to blame for them.
        steps: In the order of the trace.
        decisive: Number of the step, from 1, without which most support is lost, or of several;
            none where no step is missed alone (what it brought is in the evidence of others too, or
            nothing is supported).
    """

    id: str
    supported: int
    unsupported: int
    steps: tuple[StepBlame, ...]
    decisive: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Blame:
    """Which steps were decisive.

    Attributes:
        run: Id of the run that holds the scores.
        samples: Those with an answer and two or more steps that brought something, and a verdict.
        failed: Further ones without a verdict.
    """

    run: str
    samples: tuple[SampleBlame, ...]
    failed: int


def blame_steps(
    result: Result, judge: Any = DEFAULT, *, embedder: Any = None, settings: Settings | None = None
) -> Blame:
    """Judge each answer with the evidence of all its steps, and with that of each step taken out.

    Nothing is asked of the system: it reads the trace alone. So it tells what the answer rests on,
    not what the system would have said without the step.

    Args:
        result: The run.
        judge: As for `evaluate`; it has to be the judge of the run.
        embedder: As for `evaluate`.
        settings: As for `evaluate`.

    Raises:
        InputError: If no sample has an answer and two steps, or another judge is given.
        OverBudget: If the budget does not suffice; what came is kept, and the same call goes on.
    """
    planned, with_steps, metric = _planned(result, judge, embedder, settings)
    scored = run_to_completion(score_derived(planned, result.path, result.run.id))
    if scored.stopped:
        raise OverBudget(scored.stopped)
    outcomes = {sample.id: (sample, outcome) for sample, outcome in scored.outcomes(metric)}
    blamed = [_blamed(sample.id, steps, metric, outcomes) for sample, steps in with_steps]
    blamed_samples = tuple(blame for blame in blamed if blame is not None)
    return Blame(scored.run.id, blamed_samples, len(blamed) - len(blamed_samples))


def estimate_steps(
    result: Result, judge: Any = DEFAULT, *, embedder: Any = None, settings: Settings | None = None
) -> Estimate:
    """What `blame_steps` would ask for with the same arguments; nobody is asked.

    Raises:
        InputError: As `blame_steps` would.
    """
    planned, _, _ = _planned(result, judge, embedder, settings)
    return estimate_plan(planned, result.path)


def _planned(
    result: Result, judge: Any, embedder: Any, settings: Settings | None
) -> tuple[Plan, list[tuple[Sample, list[Step]]], str]:
    """How the answers are judged without each step, those that have steps, and by which metric.

    Raises:
        InputError: If no sample has an answer and two steps, or another judge is given.
    """
    run = result.run
    settings = coalesce_as_in(settings, run.metrics.values())
    with Store(result.path) as store:
        with_steps = [(s, steps) for _, s in store.samples(run.id) if len(steps := steps_of(s)) > 1]
    with_steps = [(sample, steps) for sample, steps in with_steps if _answer(sample)]
    if not with_steps:
        fault = f"no sample of run {run.id} has an answer and two steps that brought evidence"
        remedy = "evaluate traces with several retrievals, or conversations with results of tools"
        raise InputError(fault, remedy)
    metric = next(
        (m for m in run.metrics if m.partition("(")[0] in SUPPORT and is_built_in(m)), _METRIC
    )
    variants = [variant for sample, steps in with_steps for variant in _variants(sample, steps)]
    source = Source(f"{run.source}, without each step for run {run.id}", memory_records(variants))
    planned = plan(source, [metric], judge, embedder, settings)
    check_judge(run, [metric], planned.route)
    return planned, with_steps, metric


def steps_of(sample: Sample) -> list[Step]:
    """What each retrieval and each call of a tool brought, in the order of the trace.

    Results of tools come first from the conversation; retrievals from its turns, or as the trace
    recorded them, unless a tool's result holds the same. A text that several steps brought is
    evidence of each.
    """
    tools = list(_of_turns(sample))
    brought = " ".join(normalized(text) for step in tools for text in step.evidence)
    searches = [
        Step(step.name, evidence)
        for step in _of_contexts(sample)
        if (evidence := tuple(text for text in step.evidence if normalized(text) not in brought))
    ]
    return [*searches, *tools]


def _of_turns(sample: Sample) -> Iterator[Step]:
    tools_called: list[str] = []
    for turn in sample.turns or ():
        tools_called += [call.name for call in turn.tool_calls]
        if turn.contexts:
            yield Step("retrieval", turn.contexts)
        if turn.role == "tool":
            name = tools_called.pop(0) if tools_called else "tool"
            if turn.text.strip():
                yield Step(name, (turn.text,))


def _of_contexts(sample: Sample) -> Iterator[Step]:
    contexts, steps = sample.contexts or (), sample.metadata.get("steps")
    if not contexts:
        return
    step_list = steps if isinstance(steps, list) else []
    context_indices = [index for step in step_list for index in step["contexts"]]
    if max(context_indices, default=-1) + 1 == len(contexts):
        for step in step_list:
            yield Step(step["step"], tuple(contexts[index] for index in step["contexts"]))
    else:  # one retrieval, or contexts that were read otherwise than the trace recorded them
        yield Step("retrieval", contexts)


def _answer(sample: Sample) -> str:
    return sample.answer or _last_text(sample, "assistant")


def _last_text(sample: Sample, role: str) -> str:
    texts = [turn.text for turn in sample.turns or () if turn.role == role]
    return texts[-1] if texts else ""


def _variants(sample: Sample, steps: Sequence[Step]) -> Iterator[Sample]:
    """The sample with all evidence, and without that which one step alone brought."""
    for left_out in range(len(steps) + 1):
        other_steps = (step for n, step in enumerate(steps, start=1) if n != left_out)
        texts = dict.fromkeys(text for step in other_steps for text in step.evidence)
        yield Sample(
            id=_variant_id(sample.id, left_out),
            question=sample.question or _last_text(sample, "user"),
            answer=_answer(sample),
            contexts=tuple(texts),
            group=sample.group,
            language=sample.language,
        )


def _variant_id(sample: str, left_out: int) -> str:
    return f"{sample} without step {left_out}" if left_out else f"{sample} with all steps"


def _blamed(
    id_: str, steps: Sequence[Step], metric: str, outcomes: dict[str, tuple[Sample, Outcome]]
) -> SampleBlame | None:
    """None where the judge failed on it."""
    verdicts = [outcomes[_variant_id(id_, left_out)] for left_out in range(len(steps) + 1)]
    if not all(isinstance(outcome, Score) for _, outcome in verdicts):
        return None
    support = [gather(sample, {metric: outcome}).support for sample, outcome in verdicts]
    backed = [
        {part.text for part in metric_parts.yes} if metric_parts else set()
        for metric_parts in support
    ]
    first = support[0]
    parts = first.parts if first else ()
    lost_steps = [
        StepBlame(step.name, tuple(p.text for p in parts if p.text in backed[0] - without))
        for step, without in zip(steps, backed[1:], strict=True)
    ]
    most_lost = max(len(step.lost) for step in lost_steps)
    decisive = tuple(
        n for n, step in enumerate(lost_steps, start=1) if most_lost and len(step.lost) == most_lost
    )
    return SampleBlame(
        id_, len(backed[0]), len(parts) - len(backed[0]), tuple(lost_steps), decisive
    )
