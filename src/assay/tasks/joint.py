"""Tasks of one kind that are put to a judge as one, and the reply's part for each."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from assay.judge import Task
from assay.tasks.statements import SplitStatements, SplitTexts, Statement
from assay.tasks.verification import VerifyStatements

T = TypeVar("T", bound=Task[Any])
Key = str  # a text to split, or a statement to check


class Joint(ABC, Generic[T]):
    """How tasks of one kind become one task. What two of them ask alike is asked once.

    Attributes:
        max_items: Items in one call: of very many, a judge loses count.
    """

    max_items: int

    @abstractmethod
    def alike(self, task: T) -> Hashable | None:
        """Tasks with equal values may be asked together; one with None is asked alone."""

    @abstractmethod
    def items(self, task: T) -> Sequence[Key]:
        """What it asks about."""

    @abstractmethod
    def whole(self, first: T, items: Sequence[Key]) -> Task[Any]:
        """The task about all items; in all else it is as the first one."""

    @abstractmethod
    def shares(self, whole: Task[Any], raw: str, tasks: Sequence[T]) -> list[str | None]:
        """The part of the reply that answers each task, in the form that the task reads.

        What the judge left out is not there: who misses it asks again. None for nothing at all.

        Raises:
            Unreadable: If the reply is no reply to the whole.
        """


class JointChecks(Joint[VerifyStatements]):
    """Statements that are checked against the same contexts."""

    max_items = 40

    def alike(self, task: VerifyStatements) -> Hashable | None:
        """The contexts."""
        return task.contexts

    def items(self, task: VerifyStatements) -> Sequence[Key]:
        """The statements' texts."""
        return [s.text for s in task.statements]

    def whole(self, first: VerifyStatements, items: Sequence[Key]) -> VerifyStatements:
        """The check of all statements, numbered anew."""
        statements = (Statement(f"s{n}", text) for n, text in enumerate(items, start=1))
        return VerifyStatements(tuple(statements), first.contexts)

    def shares(
        self, whole: Task[Any], raw: str, tasks: Sequence[VerifyStatements]
    ) -> list[str | None]:
        """The verdicts on each one's statements, under its own ids."""
        assert isinstance(whole, VerifyStatements)  # noqa: S101 - what `whole` made
        by_id = whole.read_some(raw)
        by_text = {s.text: by_id[s.id] for s in whole.statements if s.id in by_id}
        return [
            VerifyStatements.reply(
                [replace(by_text[s.text], id=s.id) for s in task.statements if s.text in by_text]
            )
            for task in tasks
        ]


class JointSplits(Joint[SplitStatements]):
    """Texts about the same question that are split at the usual levels."""

    max_items = 4

    def alike(self, task: SplitStatements) -> Hashable | None:
        """The question and what was said before it."""
        usual = (task.atomicity, task.coverage) == ("high", "high")
        return (task.question, task.earlier) if usual else None

    def items(self, task: SplitStatements) -> Sequence[Key]:
        """The text."""
        return [task.text]

    def whole(self, first: SplitStatements, items: Sequence[Key]) -> SplitTexts:
        """All texts to be split."""
        return SplitTexts(first.question, tuple(items), first.earlier)

    def shares(
        self, whole: Task[Any], raw: str, tasks: Sequence[SplitStatements]
    ) -> list[str | None]:
        """Each one's statements; None where its text was left out."""
        assert isinstance(whole, SplitTexts)  # noqa: S101 - what `whole` made
        by_id = whole.read(raw)
        by_text = {text: by_id.get(name) for name, text in zip(whole.ids, whole.texts, strict=True)}
        return [
            None if items is None else SplitStatements.reply([(i.text, i.source) for i in items])
            for items in (by_text[task.text] for task in tasks)
        ]


JOINTS: Mapping[type[Task[Any]], Joint[Any]] = {
    SplitStatements: JointSplits(),
    VerifyStatements: JointChecks(),
}
