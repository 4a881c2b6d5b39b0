"""How does text that nobody vouches for get onto a page unharmed and harmless?"""

import base64
import hashlib
import json
import re
from typing import Any, Final

from markupsafe import Markup, escape

# Characters that a reader cannot see but that change what is read: controls, line separators,
# lone surrogates, those that turn the direction of what follows, and those without any width. A
# retrieved text may use them to hide an instruction or to show another order than the judge saw;
# and a judge takes "3\u200b30" for two numbers where a reader sees one. The joiners U+200C and
# U+200D and the variation selectors of emoji are part of how words and signs are spelt.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# What stands between backticks on one line.
_CODE: Final = re.compile("`([^`\n]+)`")
# What could end the element or, in an old engine, the string that the JSON stands in.
_UNSAFE_IN_SCRIPT: Final = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def visible(text: object) -> Markup:
    """Escaped text in which hidden characters are shown by their code points."""
    escaped = str(escape(str(text).replace("\r\n", "\n")))
    return Markup(_HIDDEN.sub(_mark, escaped))  # noqa: S704 - escaped above


def prose(text: object) -> Markup:
    """The same for sentences of ours, in which `a command` is shown as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(visible(text))))  # noqa: S704 - escaped above


def plain(text: object) -> str:
    """The same without markup, for attributes and for places where no element may stand."""
    return _HIDDEN.sub(lambda found: f"[{_code(found)}]", str(text).replace("\r\n", "\n"))


def script_json(value: Any) -> Markup:
    """JSON that may stand in a script element whatever texts it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(_UNSAFE_IN_SCRIPT.sub(lambda c: f"\\u{ord(c[0]):04x}", text))  # noqa: S704


def source_hash(code: str) -> str:
    """The hash by which a Content-Security-Policy names the one script or style it lets in."""
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def _code(found: re.Match[str]) -> str:
    return f"U+{ord(found[0]):04X}"


def _mark(found: re.Match[str]) -> str:
    return f'<span class="hid" title="hidden character">{_code(found)}</span>'
