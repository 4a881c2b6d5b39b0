"""In which order, best first, stand several answers by a criterion?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import decode, schema


@dataclass(frozen=True, slots=True)
class Ranking:
    """Answers in order.

    Attributes:
        order: Index of each answer among those shown, the best first.
        reason: Why, in the judge's words.
    """

    order: tuple[int, ...]
    reason: str = ""


class _Form(msgspec.Struct, frozen=True):
    reason: str
    order: list[str]


@dataclass(frozen=True)
class RankAnswers(Task[Ranking]):
    """Put several answers in order, the best first, by a criterion in words.

    Attributes:
        criterion: What makes an answer the better one, in words.
        shown: Texts to consult, with their names: ("question", ...), ("context 1", ...).
        answers: The answers in the order in which they are shown, as a1, a2 ...
    """

    criterion: str
    shown: tuple[tuple[str, str], ...]
    answers: tuple[str, ...]

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Several answers are given. Put them in order by the criterion below, the best first, "
            "and by nothing else: neither the order in which they stand nor their length counts, "
            "unless the criterion is about it. Name every answer exactly once by its id (a1, a2 "
            "...). Give the reason first, in one sentence."
        ),
        form='{"reason": "...", "order": ["a2", "a1"]}',
    )

    def material(self) -> Sequence[Material]:
        """The criterion, what is to be consulted, and the answers."""
        return (
            Material("criterion", self.criterion),
            *(Material(name, text) for name, text in self.shown),
            *(Material(f"answer a{n}", text) for n, text in enumerate(self.answers, start=1)),
        )

    def read(self, raw: str) -> Ranking:
        """The order; raises Unreadable if an answer is missing or named twice."""
        form = decode(raw, _Form)
        ids = [f"a{n}" for n in range(1, len(self.answers) + 1)]
        named = [name.strip().lower().removeprefix("answer ") for name in form.order]
        if sorted(named) != sorted(ids):
            what = f"an order of {', '.join(named) or 'nothing'} instead of all of {', '.join(ids)}"
            raise Unreadable(what, raw=raw)
        return Ranking(tuple(ids.index(name) for name in named), form.reason)


def reply(ranking: Ranking) -> str:
    """A reply in the form that `RankAnswers` reads."""
    form = _Form(ranking.reason, [f"a{n + 1}" for n in ranking.order])
    return msgspec.json.encode(form).decode()
