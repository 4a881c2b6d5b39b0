"""Conversations: each message of the assistant, the goal of the whole, the topics."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import PAPER, RAGAS_DOCS, Can, Draws, Metric
from assay.metrics.evidence import rating_part, verdict_parts, verify
from assay.metrics.relevance import RATED, questions_or_rating
from assay.sample import Sample, ToolCall, Turn
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    CompareOutcomes,
    Embed,
    GenerateQuestions,
    InferGoal,
    JudgeTopics,
    MatchTopics,
    NameTopics,
    RateAnswer,
    SplitStatements,
    TopicAnswer,
    TopicMatch,
    VerifyStatements,
)
from assay.tasks.embedding import cosine

# What tells that a call failed, in words or among the keys of an object.
_FAILED = re.compile(
    r"[^\w{\[\"]*(?:\w+ ?(?:error|exception)|error|exception|traceback|failed|failure)\b"
    r'|.{0,200}?"(?:error|errors|exception)"\s*:\s*+(?!null|false|""|\[\]|\{\}|0)'
    r'|.{0,200}?"(?:ok|success)"\s*:\s*false|.{0,200}?"status"\s*:\s*"(?:error|failed|failure)"',
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of the assistant with what it answers."""

    number: int  # which turn of the conversation it is, counted from 1
    question: str  # the user's last message before it, "" if there is none
    earlier: tuple[str, ...]  # what was said before, oldest first: "user: ..." and "assistant: ..."
    answer: str  # the assistant's message
    contexts: tuple[str, ...] | None  # what was retrieved for it; None if not recorded
    results: tuple[str, ...]  # what tools returned since the user's message, below calls


def exchanges(turns: Sequence[Turn], window: int) -> list[Exchange]:
    """The messages in which the assistant says something.

    Args:
        turns: The conversation.
        window: How many earlier messages are shown with each.
    """
    return [
        _exchange(turns, index, window)
        for index, turn in enumerate(turns)
        if turn.role == "assistant" and turn.text.strip()
    ]


def call(tool_call: ToolCall) -> str:
    """A tool call on one line: ``weather(city="Rome")``."""
    args = [f"{name}={as_json(value)}" for name, value in tool_call.args.items()]
    return f"{tool_call.name}({', '.join(args)})"


def as_json(value: object) -> str:
    """An argument as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


def transcript(turns: Sequence[Turn]) -> str:
    """The whole conversation as text, tools included."""
    return "\n".join(line for turn in turns for line in _lines(turn))


def _exchange(turns: Sequence[Turn], index: int, window: int) -> Exchange:
    at_question = max((n for n in range(index) if turns[n].role == "user"), default=-1)
    before = [
        f"{turn.role}: {turn.text}"
        for n, turn in enumerate(turns[:index])
        if n != at_question and turn.role in ("user", "assistant") and turn.text.strip()
    ]
    since = turns[at_question + 1 : index]
    return Exchange(
        index + 1,
        turns[at_question].text if at_question >= 0 else "",
        tuple(before[-window:]) if window else (),
        turns[index].text,
        turns[index].contexts,
        _results(since),
    )


def _results(turns: Sequence[Turn]) -> tuple[str, ...]:
    """What tools returned, each below its call: without it "24" is the weather of no city.

    A call that failed has done nothing of what it says. Where calls and results are not equally
    many, which belong together is not told.
    """
    calls = [call(c) for turn in turns if turn.role == "assistant" for c in turn.tool_calls]
    results = [turn.text for turn in turns if turn.role == "tool"]
    heads = calls if len(calls) == len(results) else [""] * len(results)
    return tuple(
        result if _FAILED.match(result) or not head else f"{head}\n{result}"
        for head, result in zip(heads, results, strict=True)
        if result.strip()
    )


def _lines(turn: Turn) -> list[str]:
    lines = [f"{turn.role}: {turn.text}"] if turn.text.strip() else []
    return lines + [f"{turn.role} calls {call(tool_call)}" for tool_call in turn.tool_calls]


def _check_window(name: str, parameter: str, window: object) -> None:
    if type(window) is not int or window < 0:
        raise InputError(f"{name}: {parameter} must be a whole number from 0, not {window!r}")


Window: TypeAlias = Annotated[int, _check_window]


@dataclass(frozen=True)
class TurnFaithfulness(Metric):
    """Mean faithfulness of the assistant's messages, each to the contexts retrieved for it.

    For each message F = supported statements / statements (Es et al. 2023, section 3), in [0, 1];
    the score is the mean over the messages that make a statement and whose contexts are recorded.
    Statements are split with the earlier turns as context, which show what "it" or "she" refers to.
    A message for which nothing was retrieved (an empty list) supports nothing: 0. Undefined if no
    message counts. DeepEval's turn faithfulness counts statements that are not contradicted.

    Args:
        window: How many earlier messages are shown with each.
        tool_results: Whether tool results since the user's message also count as contexts, each
            below its call, unless it is an error.
    """

    window: Window = 10
    tool_results: bool = False

    name = "turn_faithfulness"
    revision = 4
    aliases = ("conversation_faithfulness",)
    source = PAPER
    needs = ("turns",)
    tasks = (SplitStatements, VerifyStatements)
    guide = 0.8

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split every message, verify each of its statements against its own contexts."""
        messages = exchanges(sample.turns or (), self.window)
        recorded = [(e, contexts) for e in messages if (contexts := self._contexts(e)) is not None]
        if not recorded:
            return Unscored("undefined", _why_nothing_counts(messages))
        split = await judge.each(
            SplitStatements(e.question, e.answer, earlier=e.earlier) for e, _ in recorded
        )
        groups = zip(split, (contexts for _, contexts in recorded), strict=True)
        verdicts = await verify(list(groups), judge)
        turns = [
            _locate_parts(
                e, verdict_parts(statements, judged, e.answer, kind=_kind_of_part(e, "statement"))
            )
            for (e, _), statements, judged in zip(recorded, split, verdicts, strict=True)
        ]
        return _mean_of_turns(turns, [e for e, _ in recorded], "no message makes a statement")

    def _contexts(self, exchange: Exchange) -> tuple[str, ...] | None:
        if self.tool_results and exchange.results:
            return (*(exchange.contexts or ()), *exchange.results)
        return exchange.contexts


def _why_nothing_counts(messages: Sequence[Exchange]) -> str:
    if not messages:
        return "the assistant is silent"
    results = any(exchange.results for exchange in messages)
    remedy = "; what tools returned counts with turn_faithfulness(tool_results=True)"
    return f"no message has recorded contexts{remedy if results else ''}"


@dataclass(frozen=True)
class TurnRelevancy(Metric):
    """Mean answer relevancy of the assistant's messages, each to the user's message before it.

    For each message AR = mean_i cos(E(user's message), E(question_i)) over n questions generated
    from it (Es et al. 2023, section 3), in [-1, 1]; the score is the mean over the messages that
    follow one of the user. Questions are generated with the earlier turns as context, as the user
    would ask them at that point, so that "And in Rome?" has a counterpart. A judge that cannot
    generate questions rates each message directly, in [0, 1], and the score says so. Undefined if
    no message follows one of the user. DeepEval's turn relevancy is a yes-or-no verdict of the
    judge.

    Args:
        n: How many questions are generated for each message.
        window: How many earlier messages are shown with each.
    """

    n: Draws = 3
    window: Window = 10

    name = "turn_relevancy"
    aliases = ("conversation_relevancy", "turn_relevance")
    source = PAPER
    needs = ("turns",)
    tasks = (GenerateQuestions, RateAnswer, Embed)
    range = (-1.0, 1.0)
    guide = 0.75

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Questions and embeddings, else a rating."""
        return questions_or_rating(can)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare what each message answers with what was asked."""
        messages = [e for e in exchanges(sample.turns or (), self.window) if e.question.strip()]
        if not messages:
            return Unscored("undefined", "no message of the assistant follows one of the user")
        rated = self.asks(judge.can) == (RateAnswer,)
        turns = await (self._rated(messages, judge) if rated else self._compared(messages, judge))
        return _mean_of_turns(turns, messages, "", RATED if rated else "")

    async def _compared(self, messages: Sequence[Exchange], judge: Judge) -> list[tuple[Part, ...]]:
        generated = await judge.each(
            GenerateQuestions(e.answer, self.n, e.earlier) for e in messages
        )
        texts = [[e.question, *m.questions] for e, m in zip(messages, generated, strict=True)]
        vectors = iter(await judge.each(Embed(text) for group in texts for text in group))
        turns = []
        for exchange, questions in zip(messages, generated, strict=True):
            question_vector, kind = next(vectors), _kind_of_part(exchange, "question")
            reason = "the message is noncommittal" if questions.noncommittal else ""
            turns.append(
                tuple(
                    Part(
                        kind, question, "generated", cosine(question_vector, next(vectors)), reason
                    )
                    for question in questions.questions
                )
            )
        return turns

    async def _rated(self, messages: Sequence[Exchange], judge: Judge) -> list[tuple[Part, ...]]:
        ratings = await judge.each(RateAnswer(e.question, e.answer, e.earlier) for e in messages)
        return [
            (rating_part(rating, e.answer, _kind_of_part(e, "answer")),)
            for e, rating in zip(messages, ratings, strict=True)
        ]


@dataclass(frozen=True)
class AgentGoalAccuracy(Metric):
    """Whether a conversation ended with what should have been achieved: 1 or 0.

    The judge extracts the outcome from the conversation and compares it with the reference (RAGAS,
    AgentGoalAccuracyWithReference). Undefined if the user says nothing or the reference is empty.
    """

    name = "agent_goal_accuracy"
    aliases = ("agent_goal_accuracy_with_reference",)
    source = RAGAS_DOCS
    needs = ("turns", "reference")
    tasks = (InferGoal, CompareOutcomes)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the outcome with the reference."""
        if not (sample.reference or "").strip():
            return Unscored("undefined", "the reference is empty")
        return await _goal_reached(sample, judge, sample.reference)


@dataclass(frozen=True)
class AgentGoalAccuracyWithoutReference(Metric):
    """Whether a conversation ended with what the user wanted to achieve: 1 or 0.

    The judge extracts goal and outcome from the conversation and compares them (RAGAS,
    AgentGoalAccuracyWithoutReference). Undefined if the user says nothing.
    """

    name = "agent_goal_accuracy_without_reference"
    source = RAGAS_DOCS
    needs = ("turns",)
    tasks = (InferGoal, CompareOutcomes)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the outcome with the goal that the user had."""
        return await _goal_reached(sample, judge, None)


async def _goal_reached(sample: Sample, judge: Judge, reference: str | None) -> Outcome:
    turns = sample.turns or ()
    if not any(turn.role == "user" and turn.text.strip() for turn in turns):
        return Unscored("undefined", "the user says nothing")
    inferred = await judge(InferGoal(transcript(turns)))
    desired = inferred.goal if reference is None else reference
    comparison = await judge(CompareOutcomes(desired, inferred.outcome))
    value = float(comparison.reached)
    label = "reached" if comparison.reached else "not reached"
    parts = (
        Part("goal", desired, "of the user" if reference is None else "reference"),
        Part("outcome", inferred.outcome, label, value, comparison.reason),
    )
    return Score(value, parts)


def _locate_parts(exchange: Exchange, parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, saying in words which context is meant: it is one of the turn's, not the sample's.

    Nor does a span lie in the sample's answer.
    """
    return tuple(
        replace(part, context=None, span=None, marks=(), reason=_reason_with_turn(exchange, part))
        for part in parts
    )


def _reason_with_turn(exchange: Exchange, part: Part) -> str:
    if part.context is None:
        return part.reason
    return f"context {part.context + 1} of turn {exchange.number}: {part.reason}"


def _kind_of_part(exchange: Exchange, part_kind: str) -> str:
    return f"turn {exchange.number} {part_kind}"


def _mean_of_turns(
    turns: Sequence[Sequence[Part]], messages: Sequence[Exchange], nothing: str, method: str = ""
) -> Outcome:
    """The mean of the turns that have parts; each turn's own figure stands beside it."""
    figures = {
        f"turn {exchange.number}": sum(part.value or 0.0 for part in parts) / len(parts)
        for exchange, parts in zip(messages, turns, strict=True)
        if parts
    }
    if not figures:
        return Unscored("undefined", nothing)
    all_parts = tuple(part for parts in turns for part in parts)
    return Score(sum(figures.values()) / len(figures), all_parts, method, figures)


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
        return self._count_calls(_topic_parts(topics, answers, matches, allowed))

    def _count_calls(self, parts: Sequence[Part]) -> Outcome:
        labels, nothing = _COUNTED[self.mode]
        counts = {label: sum(part.label == label for part in parts) for label in _LABELS.values()}
        evidence = tuple(parts)
        if not any(counts[label] for label in labels):
            return Unscored("undefined", nothing, evidence)
        hits = counts[_HIT]
        missed = sum(counts[label] for label in labels) - hits
        value = 2 * hits / (2 * hits + missed) if self.mode == "f1" else hits / (hits + missed)
        return Score(value, evidence, details=counts)


def _topic_parts(
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
        outcome = "answered" if answer.answered else "refused"
        reason = f"{outcome} ({answer.reason}); falls under: {under} ({match.reason})"
        parts.append(Part("topic", topic, label, value, reason.replace(" ()", "")))
    return parts
