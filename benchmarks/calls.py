"""How many calls and prompt tokens does a sample cost, and what does sharing save?

    python -m benchmarks.calls

A scripted judge answers from the words of its texts; nothing leaves this machine. The samples are
of the example data set, made as long as those of real systems: five contexts of about 120 words,
answers of three to five sentences. Embeddings are counted apart. A prompt token is four characters.
"""

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay._runner.dry_run import CHARS_PER_TOKEN
from assay._runner.stack import CoalescedBackend, Coalescer, CoalescingPolicy
from assay.conformance import SAMPLE, embedded, sample_for
from assay.errors import JudgeError
from assay.judge import Backend, Judge, Reply, Task
from assay.metrics import METRICS, Metric
from assay.sample import Sample
from assay.tasks.joint import JOINTS
from benchmarks.data import ROOT

sys.path.append(str(ROOT / "tests"))

from support import answers

DATA = ROOT / "examples" / "assay_docs" / "questions.jsonl"
SAMPLES, CONTEXTS, WORDS = 6, 5, 120
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

RAGAS = (
    "faithfulness",
    "answer_relevancy",
    "context_precision",
    "context_recall",
    "factual_correctness",
)
SETS: Mapping[str, Callable[[str], bool]] = {
    "the five of RAGAS": RAGAS.__contains__,
    "the RAG triad of TruLens": lambda name: name.startswith("trulens:"),
    "DeepEval's five": lambda name: (
        name.startswith("deepeval:") and not name.endswith((":hallucination", ":tool_correctness"))
    ),
    "all of RAGChecker": lambda name: name.startswith("ragchecker:"),
    "all four": lambda name: name in RAGAS or name.startswith(("trulens:", "deepeval:", "ragch")),
}


@dataclass(frozen=True)
class Cost:
    """What was asked for, in all.

    Attributes:
        calls: Calls to a judge.
        tokens: Their prompt tokens.
        embeddings: Texts that were embedded.
    """

    calls: int = 0
    tokens: int = 0
    embeddings: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.embeddings + other.embeddings,
        )


@dataclass
class Counting:
    """Answers by the words of the texts and keeps what was asked."""

    name: str = "counting"
    asked: list[tuple[tuple[Any, ...], Cost]] = field(default_factory=list)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name."""
        return self.name if kind else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What it says."""
        key = (task.kind, draw, task.inputs())
        raw = embedded(task)
        if raw is not None:
            self.asked.append((key, Cost(embeddings=1)))
        else:
            prompt = task.prompt()
            self.asked.append((key, Cost(1, len(prompt) // CHARS_PER_TOKEN)))
            raw = answers.answer(prompt, task.kind, task.schema, draw)
        return Reply(task.inputs(), raw, kind=task.kind, draw=draw)

    def paid(self) -> Cost:
        """Without a store: every question is paid for."""
        return sum((cost for _, cost in self.asked), Cost())

    def shared(self) -> Cost:
        """With one: equal questions are paid for once."""
        return sum(dict(self.asked).values(), Cost())


def samples() -> list[Sample]:
    """The samples."""
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    pool = list(dict.fromkeys(text for row in rows for text in row["contexts"]))
    by_question: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_question.setdefault(row["question"], []).append(row)
    groups = list(by_question.values())[:SAMPLES]
    return [_sample(group, 3 + number % 3, pool) for number, group in enumerate(groups)]


def _sample(group: list[dict[str, Any]], sentences: int, pool: list[str]) -> Sample:
    row = group[0]
    # The example answers are short: those to one question make one of the length that is wanted.
    said = [text for one in group for text in _SENTENCE_END.split(one["answer"])]
    answer = " ".join(list(dict.fromkeys(said))[:sentences])
    spare = [text for text in pool if text not in row["contexts"]]
    texts = [*row["contexts"], *spare[:CONTEXTS]][:CONTEXTS]
    more = spare[-CONTEXTS:]
    contexts = tuple(
        " ".join(f"{text} {extra}".split()[:WORDS]) for text, extra in zip(texts, more, strict=True)
    )
    ids = tuple(f"c{n}" for n in range(CONTEXTS))
    return replace(
        SAMPLE,
        id=row["id"],
        question=row["question"],
        contexts=contexts,
        answer=answer,
        reference=row["reference"],
        reference_contexts=contexts[:1],
        context_ids=ids,
        reference_context_ids=ids[:1],
        further_answers=tuple(one["answer"] for one in group[:2]),
        other_answer=row["reference"],
    )


async def _ask(metrics: Iterable[Metric], sample: Sample) -> Counting:
    counting = Counting()
    for metric in metrics:
        await _score(metric, sample, counting)
    return counting


async def _ask_together(metrics: Iterable[Metric], sample: Sample) -> Counting:
    """As a run does it: what several metrics ask about the same texts is one call."""
    counting = Counting()
    coalescer = Coalescer(counting, CoalescingPolicy(frozenset(JOINTS)))
    members = [(metric, coalescer.member()) for metric in metrics]

    async def score(metric: Metric, member: CoalescedBackend) -> None:
        await _score(metric, sample, member)
        member.leave()

    await asyncio.gather(*(score(metric, member) for metric, member in members))
    return counting


async def _score(metric: Metric, sample: Sample, backend: Backend) -> None:
    try:
        await metric.score(_shown(metric, sample), Judge(backend))
    except JudgeError as error:
        print(f"{metric.label} on {sample.id}: {error}", file=sys.stderr)


def _shown(metric: Metric, sample: Sample) -> Sample:
    # What a metric needs besides the texts: whether the question can be answered, and the like.
    if metric.name.startswith("alce:"):
        sentences = _SENTENCE_END.split(sample.answer or "")
        cited = [f"{text[:-1]} [{n}]{text[-1]}" for n, text in enumerate(sentences, start=1)]
        sample = replace(sample, answer=" ".join(cited))
    return replace(sample, answerable=sample_for(metric).answerable)


def measured(names: Iterable[str], data: list[Sample]) -> tuple[Cost, Cost, Cost]:
    """(each metric by itself, equal questions once, as a run asks), over all samples."""
    alone, shared, joint = Cost(), Cost(), Cost()
    for sample in data:
        metrics = [METRICS[name]() for name in names]
        counting = asyncio.run(_ask(metrics, sample))
        together = asyncio.run(_ask_together(metrics, sample))
        alone, shared = alone + counting.paid(), shared + counting.shared()
        joint += together.shared()
    return alone, shared, joint


def sets() -> str:
    """A line a set of metrics."""
    data = samples()
    head = (
        "| metrics | how many | calls alone | equal once | in one call "
        "| tokens alone | equal once | in one call | saved |"
    )
    lines = [head, f"|---|{'---:|' * 8}"]
    for title, holds in SETS.items():
        names = [name for name in METRICS if holds(name)]
        costs = measured(names, data)
        alone, _, joint = costs
        saved = 1 - joint.tokens / alone.tokens if alone.tokens else 0.0
        cells = [title, str(len(names)), *(_mean(cost.calls) for cost in costs)]
        cells += [*(_tokens(cost.tokens) for cost in costs), f"{saved:.0%}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def metrics() -> str:
    """A line a metric that asks a judge."""
    data = samples()
    lines = ["| metric | calls | prompt tokens | embeddings |", "|---|---:|---:|---:|"]
    for name, metric in METRICS.items():
        if not metric.tasks:
            continue
        _, cost, _ = measured([name], data)
        cells = [name, _mean(cost.calls), _tokens(cost.tokens), _mean(cost.embeddings)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean(total: int) -> str:
    return f"{total / SAMPLES:.1f}".removesuffix(".0")


def _tokens(total: int) -> str:
    return f"{total / SAMPLES:,.0f}"


if __name__ == "__main__":
    print(sets())
    print()
    print(metrics())
