"""How many tokens did a request cost, by the server's own count?"""

from typing import Annotated, Any, TypeAlias

import msgspec

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Counted(msgspec.Struct):
    """Tokens read and written; None where the server did not count them."""

    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None


def counted(usage: Any) -> Counted:
    """The field `usage` of a reply.

    Servers have their own ideas of it, and no reply is lost over it: what cannot be read was not
    counted.
    """
    try:
        return msgspec.convert(usage, Counted, strict=False)
    except msgspec.ValidationError:
        return Counted()
