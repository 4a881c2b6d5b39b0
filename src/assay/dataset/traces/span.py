"""What is known of one step of a running system, whoever recorded it?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

_LAST: Final = 2**63
Kind = Literal["chain", "llm", "retriever", "reranker", "embedding", "tool", ""]


@dataclass(frozen=True, slots=True)
class Span:
    """One step, understood.

    Attributes:
        trace: Id of the trace that it belongs to.
        id: Its own id.
        parent: Id of the span around it, "" if there is none.
        name: What it is called.
        kind: What it does; "" for what has nothing to do with a language model.
        start: When it began, nanoseconds since 1970; None if not recorded.
        end: When it ended.
        asked: What went in: text, messages or an object.
        said: What came out.
        documents: What it retrieved, best first, each with "text", "id", "score" and what else
            stood there; None if not recorded.
        tokens: Tokens that it took, prompt and reply.
        cost: Money that it took.
        session: The conversation that it belongs to, "" if not recorded.
        model: The language model, "" if not recorded.
        tool: The tool that it is a call of, "" if not recorded.
        error: Why it failed, "" if it did not.
        metadata: What else the application noted.
    """

    trace: str
    id: str
    parent: str = ""
    name: str = ""
    kind: Kind = ""
    start: int | None = None
    end: int | None = None
    asked: Any = None
    said: Any = None
    documents: Sequence[Mapping[str, Any]] | None = None
    tokens: int | None = None
    cost: float | None = None
    session: str = ""
    model: str = ""
    tool: str = ""
    error: str = ""
    metadata: Mapping[str, Any] | None = None


def moment(value: Any) -> int | None:
    """A point of time in nanoseconds since 1970, from digits or an ISO 8601 text; None if none."""
    if isinstance(value, str):
        value = int(value) if value.isdecimal() and len(value) < 20 else _iso(value)
    known = isinstance(value, int) and not isinstance(value, bool)
    return value if known and 0 < value < _LAST else None


def _iso(text: str) -> int | None:
    try:
        found = datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    except ValueError:
        return None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    since = found - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * 10**9 + since.microseconds * 1000


def written(nanoseconds: int) -> str:
    """The point of time as ISO 8601, to the second."""
    return datetime.fromtimestamp(nanoseconds // 10**9, UTC).isoformat()
