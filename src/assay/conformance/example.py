"""What does a metric give on the sample of the conformance page, and how often does it ask?"""

import functools
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from assay.conformance.case import EMPTY, EVASIVE, SAMPLE, SPECIAL
from assay.errors import JudgeError, Unsupported
from assay.judge import Backend, BackendLike, Judge, Reply, Task
from assay.metrics import Metric
from assay.run.loop import run_to_completion
from assay.sample import Sample
from assay.score import Outcome, Unscored
from assay.store.keys import reply_key
from assay.tasks import Embed, EmbedTokens, embed, embed_tokens
from assay.text.words import words

REPLIES = "replies.json"
_NAME = "worked"
_DIMENSIONS = 16


@dataclass(frozen=True, slots=True)
class Edge:
    """What a metric gives where something is absent.

    Attributes:
        what: What is absent.
        outcome: What comes of it.
    """

    what: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Worked:
    """What a metric gives on the sample.

    Attributes:
        outcome: The score with its parts, or why there is none.
        calls: Replies that it asked for, by kind of task.
        edges: What it gives where something is absent.
    """

    outcome: Outcome
    calls: Mapping[str, int]
    edges: tuple[Edge, ...]


def worked(metric: Metric, backend: Backend | None = None) -> Worked | None:
    """The worked example of a metric; None if the judge's replies to it are not known.

    Args:
        metric: What to compute.
        backend: Who answers; by default what was recorded.
    """
    judge = backend or Recorded()
    shown = sample_for(metric)
    try:
        outcome, calls = run_to_completion(_asked(metric, shown, judge))
        edges = tuple(
            Edge(what, run_to_completion(_asked(metric, sample, judge))[0])
            for what, sample in edge_samples(metric, shown)
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


async def _asked(
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
        raw = embedded(task) or _recorded().get(key(task, draw))
        if raw is None:
            raise Unsupported(f"no reply to this {task.kind} was recorded")
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


def key(task: Task[Any], draw: int) -> str:
    """Under which name a reply is recorded."""
    return f"{task.kind} {reply_key(_NAME, task, draw)[:12]}"


def embedded(task: Task[Any]) -> str | None:
    """The reply of an embedder that counts words in sixteen drawers; None to any other task."""
    if isinstance(task, Embed):
        return embed.reply(_drawers(words(task.text) or [task.text]))
    if isinstance(task, EmbedTokens):
        tokens = words(task.text)
        return embed_tokens.reply(tokens, [_drawers([token]) for token in tokens])
    return None


def _drawers(found: Sequence[str]) -> list[float]:
    values = [0.0] * _DIMENSIONS
    for word in found:
        values[zlib.crc32(word.encode("utf-8", "replace")) % _DIMENSIONS] += 1.0
    return values


@functools.cache
def _recorded() -> Mapping[str, str]:
    text = files(__package__).joinpath(REPLIES).read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def forget() -> None:
    """Read the file again when it is next looked into."""
    _recorded.cache_clear()
