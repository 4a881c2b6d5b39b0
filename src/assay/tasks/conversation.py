"""Topics, goal and outcome of a conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Example, InputText, Template
from assay.tasks.base import ItemsTask, ListTask, decode, encode, listed, numbered, schema


@dataclass(frozen=True)
class NameTopics(ListTask):
    """Name the topics that the user of a conversation asks about.

    Attributes:
        conversation: The messages, each after the role of its speaker, tools included.
    """

    conversation: str

    key = "topics"
    template = Template(
        instruction=(
            "Name the topics that the user asks or talks about in the conversation, in the order "
            "in which they come up, each once and in a few words. Go by what the user says: what "
            "only the assistant or a tool brings up is no topic. Greetings, thanks and remarks on "
            "the conversation itself are none. Write them in the language of the user. If the "
            "user asks about nothing, the list is empty."
        ),
        form='{"topics": ["...", "..."]}',
        examples=(
            Example(
                given=(
                    "conversation: user: How do I descale the kettle?\nassistant: With vinegar.\n"
                    "user: Thanks! And which shares should I buy?\nassistant: I cannot advise on "
                    "shares."
                ),
                reply='{"topics": ["descaling a kettle", "buying shares"]}',
            ),
        ),
    )


@dataclass(frozen=True, slots=True)
class TopicAnswer:
    """What the assistant did about one topic.

    Attributes:
        id: "t1", "t2" ... in order of the topics.
        answered: Whether it took the topic up rather than refuse or evade.
        reason: Why, in the judge's words.
    """

    id: str
    answered: bool
    reason: str = ""


@dataclass(frozen=True)
class JudgeTopics(ItemsTask[TopicAnswer]):
    """Decide for each topic whether the assistant answered what the user asked about it.

    Attributes:
        conversation: The messages, each after the role of its speaker, tools included.
        topics: What the user asks about.
        asked: Ids ("t1" ...) of the topics still without a verdict; empty means all.
    """

    conversation: str
    topics: tuple[str, ...]
    asked: tuple[str, ...] = ()

    key = "verdicts"
    fields = (("reason", str), ("answered", bool))
    verdict = TopicAnswer
    template = Template(
        instruction=(
            "For every topic, decide whether the assistant took up what the user asked about it. "
            "It did if it answered, in part or wrongly too, asked back in order to answer, or "
            "called a tool to answer. It did not if it refused, evaded or passed over the topic. "
            "Give one verdict for every topic id: first the reason in one sentence, then "
            "answered: true or false."
        ),
        form='{"verdicts": [{"id": "t1", "reason": "...", "answered": true}]}',
    )

    def shown(self) -> Mapping[str, str]:
        """The topics by id."""
        return numbered("t", self.topics, self.asked)

    def input_texts(self) -> Sequence[InputText]:
        """The conversation, then the topics as JSON, one a line."""
        topics = listed(self.shown().items())
        return (InputText("conversation", self.conversation), InputText("topics", topics))


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """What one topic falls under.

    Attributes:
        id: "t1", "t2" ... in order of the topics.
        reference: 0-based place of the reference topic that it falls under, None if none.
        reason: Why, in the judge's words.
    """

    id: str
    reference: int | None
    reason: str = ""


@dataclass(frozen=True)
class MatchTopics(ItemsTask[TopicMatch]):
    """Decide for each topic which of the reference topics it falls under, if any.

    Attributes:
        topics: What to look up.
        reference_topics: Where to look it up; shown as r1, r2 ...
        asked: Ids ("t1" ...) of the topics still without a match; empty means all.
    """

    topics: tuple[str, ...]
    reference_topics: tuple[str, ...]
    asked: tuple[str, ...] = ()

    key = "matches"
    fields = (("reason", str), ("reference", str | None))
    verdict = TopicMatch
    template = Template(
        instruction=(
            "For every topic, decide whether it falls under one of the reference topics: it is "
            "the same, in other words too, or a part of it. Being near to one is not enough. Give "
            "one match for every topic id: first the reason in a few words, then the id of the "
            "reference topic, or null if it falls under none."
        ),
        form=(
            '{"matches": [{"id": "t1", "reason": "...", "reference": "r2"}, '
            '{"id": "t2", "reason": "...", "reference": null}]}'
        ),
        examples=(
            Example(
                given=(
                    'reference topics:\n{"id": "r1", "text": "household appliances"}\n'
                    'topics:\n{"id": "t1", "text": "descaling a kettle"}\n'
                    '{"id": "t2", "text": "buying shares"}'
                ),
                reply=(
                    '{"matches": [{"id": "t1", "reason": "A kettle is a household appliance.", '
                    '"reference": "r1"}, {"id": "t2", "reason": "It is about money.", '
                    '"reference": null}]}'
                ),
            ),
        ),
    )

    def shown(self) -> Mapping[str, str]:
        """The topics by id."""
        return numbered("t", self.topics, self.asked)

    def input_texts(self) -> Sequence[InputText]:
        """The reference topics, then the topics, as JSON, one a line."""
        references = listed(numbered("r", self.reference_topics).items())
        topics = listed(self.shown().items())
        return (InputText("reference topics", references), InputText("topics", topics))

    def values_of(self, name: str, item: Any, raw: str) -> Mapping[str, Any]:  # noqa: ARG002
        """The place of the reference topic; raises Unreadable if it does not exist."""
        reference = (item.reference or "").strip()
        ids = [f"r{n}" for n in range(1, len(self.reference_topics) + 1)]
        index = ids.index(reference) if reference in ids else None
        if index is None and reference.lower() not in ("", "null", "none"):
            fault = f"a reference topic '{item.reference}', which does not exist"
            raise Unreadable(fault, raw=raw)
        return {"reason": item.reason, "reference": index}

    @classmethod
    def reply(cls, verdicts: Sequence[TopicMatch]) -> str:
        """A reply in the form that is read."""
        names = (None if v.reference is None else f"r{v.reference + 1}" for v in verdicts)
        items = zip(verdicts, names, strict=True)
        return encode(
            {cls.key: [{"id": v.id, "reason": v.reason, "reference": n} for v, n in items]}
        )


@dataclass(frozen=True, slots=True)
class Goal:
    """What a conversation was for.

    Attributes:
        goal: What the user wanted to achieve.
        outcome: What had been achieved in the end.
    """

    goal: str
    outcome: str


class _GoalForm(msgspec.Struct, frozen=True):
    goal: str
    outcome: str


@dataclass(frozen=True)
class InferGoal(Task[Goal]):
    """Tell what the user of a conversation wanted to achieve, and what was achieved in the end.

    Attributes:
        conversation: The messages, each after the role of its speaker, tools included.
    """

    conversation: str

    schema = schema(_GoalForm)
    template = Template(
        instruction=(
            "Tell in one sentence each what the user wanted to achieve (goal), going by the "
            "user's messages alone, and what had been achieved at the end of the conversation "
            "(outcome), going by what the assistant said and what the tools returned. If the user "
            "changes the goal on the way, give the last one. What the assistant claims but a tool "
            "denies has not been achieved. Write in the language of the user."
        ),
        form='{"goal": "...", "outcome": "..."}',
        examples=(
            Example(
                given=(
                    "conversation: user: Book me a room in Lyon for Friday.\n"
                    'assistant calls book(city="Lyon", day="Friday")\n'
                    "tool: no room free\nassistant: I am sorry, there is no room on Friday."
                ),
                reply=(
                    '{"goal": "The user wants a room in Lyon for Friday.", "outcome": "No room '
                    'was booked, since none was free."}'
                ),
            ),
        ),
    )

    def read(self, raw: str) -> Goal:
        """Goal and outcome; raises Unreadable if one is empty."""
        form = decode(raw, _GoalForm)
        if not form.goal.strip() or not form.outcome.strip():
            raise Unreadable("an empty goal or outcome", raw=raw)
        return Goal(form.goal.strip(), form.outcome.strip())

    @staticmethod
    def reply(goal: Goal) -> str:
        """A reply in the form that is read."""
        return encode(_GoalForm(goal.goal, goal.outcome))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the outcome stands to what was desired.

    Attributes:
        reached: Whether the outcome is what was desired.
        reason: Why, in the judge's words.
    """

    reached: bool
    reason: str = ""


class _OutcomeForm(msgspec.Struct, frozen=True):
    reason: str
    reached: bool


@dataclass(frozen=True)
class CompareOutcomes(Task[Comparison]):
    """Decide whether an outcome is the desired one.

    Attributes:
        desired: What should have been achieved.
        achieved: What was achieved.
    """

    desired: str
    achieved: str

    schema = schema(_OutcomeForm)
    template = Template(
        instruction=(
            "Decide whether the achieved outcome is the desired one. It is if all that is desired "
            "has been achieved, whatever was achieved besides and however it is worded. It is not "
            "if a part is missing or differs. Give first the reason in one sentence, then "
            "reached: true or false."
        ),
        form='{"reason": "...", "reached": true}',
        examples=(
            Example(
                given=(
                    "desired outcome: A room in Lyon is booked for Friday.\n"
                    "achieved outcome: A room in Lyon was booked for Saturday."
                ),
                reply='{"reason": "The room is booked for another day.", "reached": false}',
            ),
        ),
    )

    def input_texts(self) -> Sequence[InputText]:
        """Both outcomes."""
        desired = InputText("desired outcome", self.desired)
        return (desired, InputText("achieved outcome", self.achieved))

    def read(self, raw: str) -> Comparison:
        """Whether it was reached."""
        form = decode(raw, _OutcomeForm)
        return Comparison(form.reached, form.reason)

    @staticmethod
    def reply(comparison: Comparison) -> str:
        """A reply in the form that is read."""
        return encode(_OutcomeForm(comparison.reason, comparison.reached))
