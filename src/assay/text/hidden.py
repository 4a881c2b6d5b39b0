"""Characters that nobody sees and that change what is read, made visible."""

import re
from typing import Final

# Characters that a reader cannot see but that change what is read: controls, line separators,
# lone surrogates, those that turn the direction of what follows, and those without any width. A
# retrieved text may use them to hide an instruction or to show another order than the judge saw;
# and a judge takes "3\u200b30" for two numbers where a reader sees one. The joiners U+200C and
# U+200D and the variation selectors of emoji are part of how words and signs are spelt.
HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def plain(text: object) -> str:
    """The text with hidden characters shown by their code points: "[U+001B]"."""
    return HIDDEN.sub(lambda found: f"[{code_point(found)}]", str(text).replace("\r\n", "\n"))


def code_point(found: re.Match[str]) -> str:
    """The code point of a character that was found: "U+001B"."""
    return f"U+{ord(found[0]):04X}"
