"""Which step of a trace brought the decisive evidence: its answer re-judged without each step's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._analysis.diagnosis.counterfactual import check_judge
from assay._analysis.diagnosis.facts import SUPPORT, gather
from assay._runner.coalesce import coalesce_as_in
from assay._runner.evaluate import score_derived
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import plan
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay._store import Store
from assay.data import Source
from assay.data.rows import memory_records
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import is_built_in
from assay.sample import Sample
from assay.score import Outcome, Score

_METRIC: Final = "faithfulness"


@dataclass(frozen=True, slots=True)
class Step:
    """What one retrieval or call of a tool brought.

    Attributes:
        name: Of the tool, or of the retriever.
        evidence: Its texts.
    """

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
    """
    run = result.run
    settings = coalesce_as_in(settings, run.metrics.values())
    with Store(result.path) as store:
        found = [(s, steps) for _, s in store.samples(run.id) if len(steps := steps_of(s)) > 1]
    found = [(sample, steps) for sample, steps in found if _answer(sample)]
    if not found:
        what = f"no sample of run {run.id} has an answer and two steps that brought evidence"
        remedy = "evaluate traces with several retrievals, or conversations with results of tools"
        raise InputError(what, remedy)
    metric = next(
        (m for m in run.metrics if m.partition("(")[0] in SUPPORT and is_built_in(m)), _METRIC
    )
    variants = [one for sample, steps in found for one in _variants(sample, steps)]
    source = Source(f"{run.source}, without each step for run {run.id}", memory_records(variants))
    planned = plan(source, [metric], judge, embedder, settings)
    check_judge(run, [metric], planned.route)
    scored = run_to_completion(score_derived(planned, result.path, run.id))
    outcomes = {sample.id: (sample, outcome) for sample, outcome in scored.outcomes(metric)}
    blamed = [_blamed(sample.id, steps, metric, outcomes) for sample, steps in found]
    told = tuple(one for one in blamed if one is not None)
    return Blame(scored.run.id, told, len(blamed) - len(told))


def steps_of(sample: Sample) -> list[Step]:
    """What each retrieval and each call of a tool brought, in the order of the trace.

    Results of tools come first from the conversation; retrievals from its turns, or as the trace
    recorded them, unless a tool's result holds the same. A text that several steps brought is
    evidence of each.
    """
    tools = list(_of_turns(sample))
    brought = " ".join(_bare(text) for step in tools for text in step.evidence)
    searches = [
        Step(step.name, kept)
        for step in _of_contexts(sample)
        if (kept := tuple(text for text in step.evidence if _bare(text) not in brought))
    ]
    return [*searches, *tools]


def _of_turns(sample: Sample) -> Iterator[Step]:
    called: list[str] = []
    for turn in sample.turns or ():
        called += [call.name for call in turn.tool_calls]
        if turn.contexts:
            yield Step("retrieval", turn.contexts)
        if turn.role == "tool":
            name = called.pop(0) if called else "tool"
            if turn.text.strip():
                yield Step(name, (turn.text,))


def _of_contexts(sample: Sample) -> Iterator[Step]:
    contexts, steps = sample.contexts or (), sample.metadata.get("steps")
    if not contexts:
        return
    listed = steps if isinstance(steps, list) else []
    places = [place for step in listed for place in step["contexts"]]
    if max(places, default=-1) + 1 == len(contexts):
        for step in listed:
            yield Step(step["step"], tuple(contexts[place] for place in step["contexts"]))
    else:  # one retrieval, or contexts that were read otherwise than the trace recorded them
        yield Step("retrieval", contexts)


def _bare(text: str) -> str:
    return " ".join(text.casefold().split())


def _answer(sample: Sample) -> str:
    return sample.answer or _last(sample, "assistant")


def _last(sample: Sample, role: str) -> str:
    said = [turn.text for turn in sample.turns or () if turn.role == role]
    return said[-1] if said else ""


def _variants(sample: Sample, steps: Sequence[Step]) -> Iterator[Sample]:
    """The sample with all evidence, and without that which one step alone brought."""
    for left_out in range(len(steps) + 1):
        others = (step for n, step in enumerate(steps, start=1) if n != left_out)
        texts = dict.fromkeys(text for step in others for text in step.evidence)
        yield Sample(
            id=_id(sample.id, left_out),
            question=sample.question or _last(sample, "user"),
            answer=_answer(sample),
            contexts=tuple(texts),
            group=sample.group,
            language=sample.language,
        )


def _id(sample: str, left_out: int) -> str:
    return f"{sample} without step {left_out}" if left_out else f"{sample} with all steps"


def _blamed(
    id_: str, steps: Sequence[Step], metric: str, outcomes: dict[str, tuple[Sample, Outcome]]
) -> SampleBlame | None:
    """None where the judge failed on it."""
    verdicts = [outcomes[_id(id_, left_out)] for left_out in range(len(steps) + 1)]
    if not all(isinstance(outcome, Score) for _, outcome in verdicts):
        return None
    support = [gather(sample, {metric: outcome}).support for sample, outcome in verdicts]
    held = [{part.text for part in one.yes} if one else set() for one in support]
    first = support[0]
    parts = first.parts if first else ()
    lost = [
        StepBlame(step.name, tuple(p.text for p in parts if p.text in held[0] - without))
        for step, without in zip(steps, held[1:], strict=True)
    ]
    most = max(len(step.lost) for step in lost)
    decisive = tuple(n for n, step in enumerate(lost, start=1) if most and len(step.lost) == most)
    return SampleBlame(id_, len(held[0]), len(parts) - len(held[0]), tuple(lost), decisive)
