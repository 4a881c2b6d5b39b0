"""Which of the topics that are allowed does a topic fall under?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec

from assay.errors import Unreadable
from assay.judge import ByIds
from assay.prompt import Example, Material, Template
from assay.tasks.reading import by_id, decode, listed, numbered, schema


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


class _Item(msgspec.Struct, frozen=True):
    id: str
    reason: str
    reference: str | None


class _Form(msgspec.Struct, frozen=True):
    matches: list[_Item]


@dataclass(frozen=True)
class MatchTopics(ByIds[TopicMatch]):
    """Decide for each topic which of the reference topics it falls under, if any.

    Attributes:
        topics: What to look up.
        reference_topics: Where to look it up; shown as r1, r2 ...
        asked: Ids ("t1" ...) of the topics still without a match; empty means all.
    """

    topics: tuple[str, ...]
    reference_topics: tuple[str, ...]
    asked: tuple[str, ...] = ()

    schema = schema(_Form)
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

    @property
    def ids(self) -> tuple[str, ...]:
        """The topics' ids."""
        return tuple(numbered("t", self.topics, self.asked))

    def material(self) -> Sequence[Material]:
        """The reference topics, then the topics, as JSON, one a line."""
        references = listed(numbered("r", self.reference_topics, ()).items())
        topics = listed(numbered("t", self.topics, self.asked).items())
        return (Material("reference topics", references), Material("topics", topics))

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same reference topics, these topics only."""
        return replace(self, asked=tuple(ids))

    def read_some(self, raw: str) -> dict[str, TopicMatch]:
        """The matches by topic id; raises Unreadable for a reference that does not exist."""
        found = by_id(decode(raw, _Form).matches, self.ids, raw)
        return {i: TopicMatch(i, self._place(item, raw), item.reason) for i, item in found.items()}

    def _place(self, item: _Item, raw: str) -> int | None:
        if item.reference is None or item.reference.strip().lower() in ("", "null", "none"):
            return None
        known = [f"r{n}" for n in range(1, len(self.reference_topics) + 1)]
        if item.reference.strip() not in known:
            what = f"a reference topic '{item.reference}', which does not exist"
            raise Unreadable(what, raw=raw)
        return known.index(item.reference.strip())


def reply(matches: Sequence[TopicMatch]) -> str:
    """A reply in the form that `MatchTopics` reads."""
    items = [
        _Item(m.id, m.reason, None if m.reference is None else f"r{m.reference + 1}")
        for m in matches
    ]
    return msgspec.json.encode(_Form(items)).decode()
