"""Text that nobody vouches for, made harmless for HTML, the console and Markdown."""

import base64
import hashlib
import json
import re
from typing import Any, Final

from markupsafe import Markup, escape

from assay._text.sanitize import HIDDEN, code_point, plain

__all__ = [
    "breakable",
    "cell",
    "code",
    "flat",
    "inline",
    "plain",
    "prose",
    "script_json",
    "source_hash",
    "visible",
]

# What stands between backticks on one line.
_CODE: Final = re.compile("`([^`\n]+)`")
# What could end the element or, in an old engine, the string that the JSON stands in.
_UNSAFE_IN_SCRIPT: Final = re.compile("[<>&\u2028\u2029\ud800-\udfff]")

# A comma between parameters.
_BETWEEN: Final = re.compile(r",(?=\w+=)")

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>|~&$])")
# Mentions, issue numbers, links and emoji names are found in the text after escapes are undone;
# an invisible joiner keeps them from being found.
_MAGNETS: Final = re.compile(r"([@#]|:(?=\S)|www(?=\.))")
_JOINER: Final = "\N{WORD JOINER}"


def visible(text: object) -> Markup:
    """Escaped text in which hidden characters are shown by their code points."""
    escaped = str(escape(str(text).replace("\r\n", "\n")))
    return Markup(HIDDEN.sub(_escape_mark, escaped))  # noqa: S704 - escaped above


def prose(text: object) -> Markup:
    """The same for sentences of ours, in which `a command` is shown as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(visible(text))))  # noqa: S704 - escaped above


def script_json(value: Any) -> Markup:
    """JSON that may stand in a script element whatever texts it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(_UNSAFE_IN_SCRIPT.sub(lambda c: f"\\u{ord(c[0]):04x}", text))  # noqa: S704


def source_hash(code: str) -> str:
    """The hash by which a Content-Security-Policy names the one script or style it lets in."""
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def breakable(name: object) -> Markup:
    """Names that may be broken after "_" and ":", and ``k=3,chunk=256``, in narrow columns."""
    text = _BETWEEN.sub(",<wbr>", str(visible(name)))
    return Markup(text.replace("_", "_<wbr>").replace(":", ":<wbr>"))  # noqa: S704 - escaped above


def flat(text: object) -> str:
    """Plain text on one line, whatever it holds."""
    return " ".join(plain(text).split())


def inline(text: object) -> str:
    """Markdown of a text that stays text, and on its line, whatever it holds."""
    return _MAGNETS.sub(rf"\1{_JOINER}", _SPECIAL.sub(r"\\\1", flat(text)))


def code(name: object) -> str:
    """Markdown of a name as a code span, which nothing inside can end."""
    text = flat(name)
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text or not text else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def cell(name: object) -> str:
    """The same in a table, where pipes end cells even in a code span."""
    return code(name).replace("|", "\\|")


def _escape_mark(match: re.Match[str]) -> str:
    return f'<span class="hid" title="hidden character">{code_point(match)}</span>'
