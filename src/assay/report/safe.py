"""How does text that nobody vouches for get onto a page unharmed and harmless?"""

import base64
import hashlib
import json
import re
from typing import Any, Final

from markupsafe import Markup, escape

from assay.text.sanitize import HIDDEN, code_point, plain

__all__ = ["plain", "prose", "script_json", "source_hash", "visible"]

# What stands between backticks on one line.
_CODE: Final = re.compile("`([^`\n]+)`")
# What could end the element or, in an old engine, the string that the JSON stands in.
_UNSAFE_IN_SCRIPT: Final = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def visible(text: object) -> Markup:
    """Escaped text in which hidden characters are shown by their code points."""
    escaped = str(escape(str(text).replace("\r\n", "\n")))
    return Markup(HIDDEN.sub(_mark, escaped))  # noqa: S704 - escaped above


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


def _mark(found: re.Match[str]) -> str:
    return f'<span class="hid" title="hidden character">{code_point(found)}</span>'
