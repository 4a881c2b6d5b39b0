"""Worked examples of every metric: rows, recorded replies, and the score that follows."""

import functools
import inspect
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from assay._runner.event_loop import run_to_completion
from assay._store.integrity import reply_key
from assay._text.words import words
from assay.errors import JudgeError, Unsupported
from assay.judge import Backend, BackendLike, Judge, Reply, Task
from assay.metrics import Metric
from assay.sample import Sample, ToolCall, Turn, Variant
from assay.score import Outcome, Score, Unscored
from assay.tasks import Embed, EmbedTokens, MeasureLikelihood

STORY = """\
The answer makes four statements. The first stands in context 1 and the second in context 3; the \
contexts do not mention the third; context 3 contradicts the fourth ("white", not "red"). Context \
2 is noise. The reference makes three statements: the answer makes the first two of them, the \
contexts bear out all three. A script replies for the judge, always the same, and a count of words \
for the embedder: what is shown is the arithmetic of each definition, not the skill of a judge."""

_C1 = "The lighthouse of Arden was built in 1871. It stands on the northern cliff."
_C2 = "Every May, sheep are sold at a market on the island."
_C3 = "The lighthouse of Arden is 42 metres tall. It was painted white in 1990."
_QUESTION = "When was the lighthouse of Arden built, and how tall is it?"

SAMPLE = Sample(
    id="lighthouse",
    question=_QUESTION,
    contexts=(_C1, _C2, _C3),
    answer=(
        "The lighthouse of Arden was built in 1871. The lighthouse of Arden is 42 metres tall. "
        "Its architect was Ada Reed. The lighthouse was painted red in 1990."
    ),
    reference=(
        "The lighthouse of Arden was built in 1871. The lighthouse of Arden is 42 metres tall. "
        "It stands on the northern cliff."
    ),
    reference_contexts=(_C1, _C3),
    context_ids=("building", "market", "height"),
    reference_context_ids=("building", "height", "keepers"),
    relevance_grades={"building": 2.0, "height": 1.0},
    further_answers=(
        "The lighthouse of Arden was built in 1871. It is 42 metres tall.",
        "The lighthouse of Arden was built in 1871. The lighthouse was painted white in 1990.",
    ),
    other_answer="The lighthouse of Arden was built in 1871. It is 42 metres tall.",
    answerable=True,
    rubric={
        "1": "Neither the year nor the height is right.",
        "2": "One of the two is right.",
        "3": "Both are right, and nothing else is said.",
    },
    nuggets={
        "The lighthouse of Arden was built in 1871.": "vital",
        "The lighthouse of Arden is 42 metres tall.": "vital",
        "The lighthouse stands on the northern cliff.": "okay",
    },
    turns=(
        Turn("user", "When was the lighthouse of Arden built?"),
        Turn(
            "assistant",
            "Let me look it up.",
            tool_calls=(ToolCall("search", {"query": "lighthouse of Arden"}),),
        ),
        Turn("tool", _C1),
        Turn("assistant", "The lighthouse of Arden was built in 1871.", contexts=(_C1,)),
        Turn("user", "How tall is it?"),
        Turn(
            "assistant",
            "The lighthouse of Arden is 42 metres tall. Its architect was Ada Reed.",
            contexts=(_C2, _C3),
        ),
    ),
    reference_tool_calls=(
        ToolCall("search", {"query": "lighthouse of Arden"}),
        ToolCall("search", {"query": "height of the lighthouse of Arden"}),
    ),
    reference_topics=("the lighthouse of Arden", "ferries"),
    variants=(
        Variant(
            "noise",
            "The lighthouse of Arden was built in 1871. Sheep are sold at a market.",
            contexts=(_C1, _C2),
            ratio=0.5,
        ),
        Variant(
            "counterfactual",
            "The lighthouse of Arden was built in 1900.",
            contexts=("The lighthouse of Arden was built in 1900.",),
        ),
    ),
    latency_ms=820.0,
    cost=0.0021,
    tokens=640,
)

_CITED = {
    "answer": (
        "The lighthouse of Arden was built in 1871 [1]. The lighthouse of Arden is 42 metres tall "
        "[2][3]. Its architect was Ada Reed [1]. The lighthouse was painted red in 1990."
    ),
}

_QUOTED = {"answer": 'It says: "built in 1871". It also says: "painted red in 1990".'}

# What a metric is shown on where the sample above says nothing to it.
SPECIAL: Mapping[str, Mapping[str, Any]] = {
    "alce:citation_recall": _CITED,
    "alce:citation_precision": _CITED,
    "negative_rejection": {"answerable": False, "answer": "I do not know."},
    "quoted_spans": _QUOTED,
    "ragas:quoted_spans": _QUOTED,
    "access_leak": {"context_access": ((), (), ("keepers",)), "user_access": ("visitors",)},
    "pii_leakage": {
        "answer": (
            "It was built in 1871. Ada Reed (ada.reed@example.org) knows more: +44 20 7946 0958."
        )
    },
}

EVASIVE = "I do not know."
EMPTY: Mapping[type, Any] = {str: "", tuple: (), dict: {}}


REPLIES = "replies.json"
_NAME = "worked"
_DIMENSIONS = 16


@dataclass(frozen=True, slots=True)
class Edge:
    """What a metric gives where something is absent."""

    what: str  # what is absent
    outcome: Outcome  # what comes of it


@dataclass(frozen=True, slots=True)
class Worked:
    """What a metric gives on the sample."""

    outcome: Outcome  # the score with its parts, or why there is none
    calls: Mapping[str, int]  # replies that it asked for, by kind of task
    edges: tuple[Edge, ...]  # what it gives where something is absent


def worked(metric: Metric, backend: Backend | None = None) -> Worked | None:
    """The worked example of a metric; None if the judge's replies to it are not known.

    Args:
        metric: What to compute.
        backend: Who answers; by default what was recorded.
    """
    judge = backend or Recorded()
    example = sample_for(metric)
    try:
        outcome, calls = run_to_completion(_score(metric, example, judge))
        edges = tuple(
            Edge(title, run_to_completion(_score(metric, sample, judge))[0])
            for title, sample in edge_samples(metric, example)
        )
    except Unsupported:
        return None
    return Worked(outcome, calls, edges)


def sample_for(metric: Metric) -> Sample:
    """The sample that a metric is shown on."""
    return replace(SAMPLE, **SPECIAL.get(metric.name, {}))


def edge_samples(metric: Metric, sample: Sample) -> Iterator[tuple[str, Sample]]:
    """(what is absent, the sample without it) for everything that the metric needs."""
    for need in metric.needs:
        value = getattr(sample, need, None)
        for kind, empty in EMPTY.items():
            if isinstance(value, kind):
                yield f"{need.replace('_', ' ')} empty", replace(sample, **{need: empty})
    if "answer" in metric.needs:
        yield f'answer "{EVASIVE}"', replace(sample, answer=EVASIVE)


async def _score(
    metric: Metric, sample: Sample, backend: BackendLike
) -> tuple[Outcome, Counter[str]]:
    judge = Judge(backend)
    try:
        outcome = await metric.score(sample, judge)
    except Unsupported:
        raise
    except JudgeError as error:
        outcome = Unscored("failed", str(error))
    return outcome, Counter(reply.kind for reply in judge.replies)


class Recorded:
    """Says what was recorded for the page, and makes embeddings from the words of a text."""

    name = _NAME

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name."""
        del kind
        return self.name

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What was recorded.

        Raises:
            Unsupported: If nothing was.
        """
        raw = embedded(task) or _recorded_replies().get(key(task, draw))
        if raw is None:
            raise Unsupported(f"no reply to this {task.kind} was recorded")
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


def key(task: Task[Any], draw: int) -> str:
    """Under which name a reply is recorded."""
    return f"{task.kind} {reply_key(_NAME, task, draw)[:12]}"


def embedded(task: Task[Any]) -> str | None:
    """The reply of a model that looks at words alone; None to a task that takes more.

    As an embedder it counts them in sixteen bins; a word that stood before is likely.
    """
    if isinstance(task, Embed):
        return Embed.reply(_word_counts(words(task.text) or [task.text]))
    if isinstance(task, EmbedTokens):
        tokens = words(task.text)
        return EmbedTokens.reply(tokens, [_word_counts([token]) for token in tokens])
    if isinstance(task, MeasureLikelihood):
        before = set(words(task.before))
        tokens = words(task.text) or [task.text]
        return MeasureLikelihood.reply(tokens, [-1.0 if t in before else -4.0 for t in tokens])
    return None


def _word_counts(tokens: Sequence[str]) -> list[float]:
    values = [0.0] * _DIMENSIONS
    for word in tokens:
        values[zlib.crc32(word.encode("utf-8", "replace")) % _DIMENSIONS] += 1.0
    return values


@functools.cache
def _recorded_replies() -> Mapping[str, str]:
    text = files(__package__).joinpath(REPLIES).read_text("utf-8")
    replies: dict[str, str] = json.loads(text)
    return replies


def forget() -> None:
    """Read the file again when it is next looked into."""
    _recorded_replies.cache_clear()


_LONGEST = 100
_ARGS = "\nArgs:\n"


def definition(metric: Metric) -> str:
    """Its docstring without the parameters: what it is, formula, range, source, edge cases."""
    return inspect.cleandoc(type(metric).__doc__ or "").partition(_ARGS)[0].strip()


def texts() -> list[tuple[str, str]]:
    """(name, text) of what the judge sees of the sample."""
    contexts = [(f"context {n}", text) for n, text in enumerate(SAMPLE.contexts or (), start=1)]
    ends = [("answer", SAMPLE.answer or ""), ("reference", SAMPLE.reference or "")]
    return [("question", SAMPLE.question or ""), *contexts, *ends]


def facts(metric: Metric, shown: Worked | None) -> list[tuple[str, str]]:
    """(name, fact) of what a definition takes and asks, and of what it gives on the sample."""
    inputs = "; or ".join(", ".join(way) for way in (metric.needs, *metric.instead))
    pairs = [("source", metric.source), ("follows", metric.follows), ("inputs", inputs or "none")]
    if shown is not None:
        pairs.append(("calls per sample", calls(shown.calls)))
        edges = [f"{edge.what}: {outcome(edge.outcome)}" for edge in shown.edges]
        pairs += [("where something is absent", "; ".join(edges))] if edges else []
        pairs.append(("on the sample", outcome(shown.outcome)))
    return [(name, fact) for name, fact in pairs if fact]


def calls(counts: Mapping[str, int]) -> str:
    """``7 (generate_questions, embed x 6)``."""
    if not counts:
        return "none"
    kinds = ", ".join(kind if n == 1 else f"{kind} x {n}" for kind, n in counts.items())
    return f"{sum(counts.values())} ({kinds})"


def outcome(scored: Outcome) -> str:
    """The number with the numbers on the way to it, or why there is none."""
    if not isinstance(scored, Score):
        return f"{scored.why} ({scored.detail})"
    details = [f"{name} {_short(value)}" for name, value in scored.details.items()]
    more = f" ({', '.join(details)})" if details else ""
    method = f"; {scored.method}" if scored.method else ""
    return f"{number(scored.value)}{more}{method}"


def rows(scored: Outcome) -> list[tuple[str, str, str, str]]:
    """(kind, text, what was found, what it adds) of every part of an outcome."""
    return [
        (
            part.kind if part.context is None else f"{part.kind} (context {part.context + 1})",
            _shorten(part.text),
            part.label,
            "" if part.value is None else number(part.value),
        )
        for part in scored.parts
    ]


def number(value: float) -> str:
    """A number to four digits."""
    return f"{value:.4g}"


def _short(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    return _shorten(str(value))


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."
