"""Did the assistant keep to the topics that it may talk about?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.dialogue import transcript
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import JudgeTopics, MatchTopics, NameTopics, TopicAnswer, TopicMatch

Mode = Literal["f1", "precision", "recall"]
_LABELS = {
    (True, True): "answered",
    (True, False): "answered, off topic",
    (False, True): "refused",
    (False, False): "refused, off topic",
}
_HIT, _FALSE, _MISSED, _ = _LABELS.values()
# Which topics each mode counts, and why there may be none.
_COUNTED: dict[Mode, tuple[tuple[str, ...], str]] = {
    "f1": ((_HIT, _FALSE, _MISSED), "every topic was off the reference topics and was refused"),
    "precision": ((_HIT, _FALSE), "no topic was answered"),
    "recall": ((_HIT, _MISSED), "no topic falls under the reference topics"),
}


@dataclass(frozen=True)
class TopicAdherence(Metric):
    """Whether a conversation answered questions on allowed topics and refused all others.

    The judge names the topics that the user asks about, whether each was answered or refused, and
    whether it falls under the reference topics. TP = answered and allowed, FP = answered though not
    allowed, FN = refused though allowed. precision = TP / (TP + FP), recall = TP / (TP + FN), f1 =
    2 TP / (2 TP + FP + FN), in [0, 1] (RAGAS, TopicAdherenceScore). Undefined if the user asks
    about nothing, or if the mode counts no topic: in f1 if every topic was outside and was refused,
    which is 0 in RAGAS.

    Args:
        mode: "f1", "precision" or "recall".
    """

    mode: Mode = "f1"

    name = "topic_adherence"
    source = RAGAS_DOCS
    needs = ("turns", "reference_topics")
    tasks = (NameTopics, JudgeTopics, MatchTopics)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in _COUNTED:
            wanted = f"one of {', '.join(_COUNTED)}"
            raise InputError(f"{self.name}: mode must be {wanted}, not {self.mode!r}")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Name the topics, then judge each beside the conversation and the reference topics."""
        turns = sample.turns or ()
        allowed = tuple(topic for topic in sample.reference_topics or () if topic.strip())
        if not any(turn.role == "user" and turn.text.strip() for turn in turns):
            return Unscored("undefined", "the user says nothing")
        if not allowed:
            return Unscored("undefined", "there is no reference topic")
        conversation = transcript(turns)
        topics = await judge(NameTopics(conversation))
        if not topics:
            return Unscored("undefined", "the user asks about nothing")
        answers = await judge(JudgeTopics(conversation, topics))
        matches = await judge(MatchTopics(topics, allowed))
        return self._counted(_parts(topics, answers, matches, allowed))

    def _counted(self, parts: Sequence[Part]) -> Outcome:
        labels, nothing = _COUNTED[self.mode]
        counts = {label: sum(part.label == label for part in parts) for label in _LABELS.values()}
        shown = tuple(parts)
        if not any(counts[label] for label in labels):
            return Unscored("undefined", nothing, shown)
        hits = counts[_HIT]
        missed = sum(counts[label] for label in labels) - hits
        value = 2 * hits / (2 * hits + missed) if self.mode == "f1" else hits / (hits + missed)
        return Score(value, shown, details=counts)


def _parts(
    topics: Sequence[str],
    answers: Sequence[TopicAnswer],
    matches: Sequence[TopicMatch],
    allowed: Sequence[str],
) -> list[Part]:
    parts = []
    for topic, answer, match in zip(topics, answers, matches, strict=True):
        label = _LABELS[answer.answered, match.reference is not None]
        value = {_HIT: 1.0, _FALSE: 0.0, _MISSED: 0.0}.get(label)
        under = "no reference topic" if match.reference is None else allowed[match.reference]
        done = "answered" if answer.answered else "refused"
        reason = f"{done} ({answer.reason}); falls under: {under} ({match.reason})"
        parts.append(Part("topic", topic, label, value, reason.replace(" ()", "")))
    return parts


METRICS: tuple[type[Metric], ...] = (TopicAdherence,)
