"""Markdown of an answer as HTML: a closed list of elements, and everything else as it was written.

Neither links nor images nor HTML are among them: what a model wrote leads and loads nothing.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from assay._report.sanitize import plain

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_TEXT: Final = 50_000
RULES: Final = (
    *("emphasis", "backticks", "newline", "escape"),
    *("heading", "list", "fence", "code", "blockquote", "table", "hr"),
)
_SIGNS: Final = re.compile(
    r"^ {0,3}(?:#{1,6} |[-*+] |\d{1,9}[.)] |```|> |\|)|\*\*\S|__\S|`[^`\n]+`", re.MULTILINE
)


def rendered(text: str) -> Markup | None:
    """The text as HTML; None where nothing in it is written as Markdown, or it is very long."""
    parser = _parser()
    if parser is None or len(text) > MAX_TEXT or not _SIGNS.search(text):
        return None
    tokens = parser.parse(plain(text))
    for token in tokens:
        token.attrs = {}  # the alignment of cells would be a style
        token.info = ""
        if token.type.startswith("heading"):
            token.tag = "h6"  # a heading of the answer is none of the page
    html = parser.renderer.render(tokens, parser.options, {})
    return Markup(html)  # noqa: S704 - of these elements only, without attributes


@cache
def _parser() -> "MarkdownIt | None":
    try:
        from markdown_it import MarkdownIt
    except ImportError:  # it comes with rich, which may do without it one day
        return None
    return MarkdownIt("zero", {"html": False, "linkify": False}).enable(list(RULES))
