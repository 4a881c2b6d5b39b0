"""How many tokens did a request cost, by the server's own count?"""

from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_Form = TypeVar("_Form")


class Counted(msgspec.Struct):
    """Tokens read and written; None where the server did not count them."""

    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None


class _Total(msgspec.Struct):
    total_tokens: _Count


def counted(usage: Any, text: str = "") -> Counted:
    """The field `usage` of a reply.

    Servers have their own ideas of it, and no reply is lost over it: what cannot be read was not
    counted. Some count reasoning in the total only; it is paid for as what is written is.

    Args:
        usage: The field.
        text: What was written: a server that read and wrote nothing for it did not count.
    """
    found = _read(usage, Counted) or Counted()
    if text:
        found.prompt_tokens = found.prompt_tokens or None
        found.completion_tokens = found.completion_tokens or None
    total = _read(usage, _Total)
    if total and found.prompt_tokens:
        rest = total.total_tokens - found.prompt_tokens
        if rest > (found.completion_tokens or 0):
            found.completion_tokens = rest
    return found


def _read(usage: Any, form: type[_Form]) -> _Form | None:
    try:
        return msgspec.convert(usage, form, strict=False)
    except msgspec.ValidationError:
        return None
