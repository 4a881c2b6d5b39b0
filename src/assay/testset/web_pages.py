"""The text of a web page, written as Markdown."""

import codecs
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Final

_VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_MUTE: Final = frozenset(
    (
        *("button", "footer", "iframe", "nav", "noscript", "script", "select", "style", "svg"),
        *("template", "textarea"),
    )
)
_MUTE_ROLES: Final = frozenset(("navigation", "search"))
_CELLS: Final = frozenset(("td", "th"))
_WITHIN: Final = _CELLS | {"dd", "dt"}  # where paragraphs do not stand apart
_HEADINGS: Final = frozenset(f"h{level}" for level in range(1, 7))
_LISTS: Final = frozenset(("ol", "ul"))
_APART: Final = _LISTS | {
    *("address", "article", "aside", "blockquote", "br", "caption", "details", "div", "dl"),
    *("figcaption", "header", "hr", "main", "p", "section", "summary", "table"),
}
_BEGINS: Final = {
    **dict.fromkeys(("li", "dt"), "\n- "),
    **dict.fromkeys(_CELLS, " | "),
    **{heading: f"\n\n{'#' * int(heading[1])} " for heading in _HEADINGS},
    "dd": ": ",
    "tr": "\n",
    "pre": "\n\n```\n",
    "code": "`",
}
_ENDS: Final = {
    **dict.fromkeys(("li", "dd"), "\n"),
    **dict.fromkeys(_HEADINGS, "\n\n"),
    "tr": " |",
    "pre": "\n```\n\n",
    "code": "`",
}
_OF_TABLES: Final = (*_CELLS, "tr", "thead", "tbody", "tfoot")
# What an element ends that was left open, as far as the element that holds it.
_OPTIONAL: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    **dict.fromkeys(_CELLS, (tuple(_CELLS), "tr")),
    "tr": ((*_CELLS, "tr"), "table"),
    **dict.fromkeys(("thead", "tbody", "tfoot"), (_OF_TABLES, "table")),
    "li": (("li",), "ul ol"),
    **dict.fromkeys(("dt", "dd"), (("dt", "dd"), "dl")),
}
# How pages name the language of code, on its block or around it.
_LANGUAGE: Final = re.compile(r"\b(?:language|lang|highlight|brush)[-:] ?(?P<name>[a-z][\w+-]*)")
_LINKS: Final = 0.9  # of the letters of a list are links, where it is a menu
_LINES: Final = re.compile(r"[ \t]*\n[ \t]*")
_BLANK: Final = re.compile(r"\n{3,}")
_KEPT: Final = "\0"  # a line break of code
_MARKS: Final = (  # of byte order; that of UTF-16 begins that of UTF-32
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED: Final = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*(?P<name>[\w.:-]+)""",
    re.IGNORECASE,
)
_DECLARATIONS: Final = 1024  # bytes among which a charset is declared
# As browsers read what calls itself so.
_WIDER: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_NO_LETTERS: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")  # in windows-1252


def charset_of(page: bytes) -> tuple[str, bool]:
    """The charset of a page, and whether the page tells: by a mark, a declaration or as UTF-8.

    What is UTF-8 is nothing else by chance, whatever the page declares. What tells nothing is
    windows-1252 most often.
    """
    for mark, name in _MARKS:
        if page.startswith(mark):
            return name, True
    try:
        page.decode()
        is_partial = utf8 = not page.isascii()
    except UnicodeDecodeError:
        is_partial, utf8 = not page.decode(errors="ignore").isascii(), False
    if (declared := _DECLARED.search(page[:_DECLARATIONS])) and not utf8:
        name = declared["name"].decode()
        try:
            name = codecs.lookup(name).name
        except LookupError:
            return name, True
        return "utf-8-sig" if name.startswith("utf-") else _WIDER.get(name, name), True
    guessed = not is_partial and not page.isascii() and _NO_LETTERS.isdisjoint(page)
    return ("cp1252", False) if guessed else ("utf-8-sig", True)


def text_and_title(page: str) -> tuple[str, str]:
    """The text of a page and what it is called: its main part, without menus and machinery."""
    parser = _Page()
    parser.feed(page.replace(_KEPT, ""))
    parser.close()
    return parser.text(), " ".join(parser.title.split())


class _Page(HTMLParser):
    """Headings, code, tables and terms are written as in Markdown."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self._pieces: list[str] = []
        self._open: list[str] = []  # elements, the outermost first
        self._muted = 0  # elements that are open where one is not read
        self._main: tuple[int, int] | None = None  # the pieces of the main part
        self._main_depth = 0
        self._list: tuple[int, int] | None = None  # depth and first piece of an outermost list
        self._letters = self._linked = 0  # of that list
        self._language = ""  # of the code that begins

    def text(self) -> str:
        """The text of what the page calls its main part, or of all of it."""
        text = "".join(self._pieces[slice(*self._main)] if self._main else self._pieces)
        return _BLANK.sub("\n\n", _LINES.sub("\n", text)).replace(_KEPT, "\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep apart what stands apart."""
        if tag in _OPTIONAL:
            self._end_optional(*_OPTIONAL[tag])
        if tag in _VOID:
            self._write(self._mark_text(tag, _BEGINS))
            return
        known = dict(attrs)
        self._open.append(tag)
        role = known.get("role")
        mute = tag in _MUTE or role in _MUTE_ROLES or known.get("aria-hidden") == "true"
        if mute and not self._muted and tag not in _OPTIONAL:
            self._muted = len(self._open)
        if self._muted:
            return
        of_block = tag != "code" or "pre" in self._open
        if of_block and (language := _LANGUAGE.search(known.get("class") or "")):
            self._language = language["name"]
        if tag == "code" and self._pieces[-1:] == [_BEGINS["pre"]]:
            self._pieces[-1] = f"\n\n```{self._language}\n"
        if (tag == "main" or role == "main") and self._main is None:
            self._main, self._main_depth = (len(self._pieces), 10**9), len(self._open)
        if tag in _LISTS and self._list is None:
            self._list = len(self._open), len(self._pieces)
            self._letters = self._linked = 0
        self._write(self._mark_text(tag, _BEGINS))
        if tag == "pre":
            self._pieces[-1] = self._pieces[-1].replace("```", f"```{self._language}")

    def handle_endtag(self, tag: str) -> None:
        """Keep apart what stands apart."""
        if tag in self._open:
            self._close(len(self._open) - 1 - self._open[::-1].index(tag))

    def handle_data(self, data: str) -> None:
        """Take the text, blanks joined as a browser joins them; no mark of a footnote."""
        open_ = set(self._open)
        if "title" in open_ and not self._muted:  # of the page, not of a drawing
            self.title += data
            return
        linked = "a" in open_
        footnote = linked and "sup" in open_ and data.strip("[] \n").isdigit()
        heading_tags = open_ & (_HEADINGS | {"dt"})
        permalink = linked and heading_tags and not any(map(str.isalnum, data))  # "¶"
        if self._muted or footnote or permalink:
            return
        self._letters += len(data.strip())
        self._linked += len(data.strip()) * linked
        if "pre" in open_ and not open_ & _CELLS:
            self._pieces.append(data.replace("\n", _KEPT))
        elif data.strip():
            before, after = " " * data[:1].isspace(), " " * data[-1:].isspace()
            if self._open[-1:] == ["sup"] and "".join(self._pieces[-1:])[-1:].isdigit():
                before = "^"
            words = " ".join(data.split())
            words = words.replace("|", "\\|") if open_ & _CELLS else words
            self._pieces.append(before + words + after)
        elif "\n" not in data or not (self._pieces and self._pieces[-1].endswith("\n")):
            self._pieces.append(" ")

    def _end_optional(self, ended: tuple[str, ...], within: str) -> None:
        """Close what stands open of some elements, as far as the innermost that holds them."""
        for depth in range(len(self._open) - 1, -1, -1):
            if self._open[depth] in within.split():
                return
            if self._open[depth] in ended:
                self._close(depth)

    def _close(self, depth: int) -> None:
        """Close all elements from a depth on."""
        while len(self._open) > depth:
            tag = self._open.pop()
            if not self._muted:
                self._write(self._mark_text(tag, _ENDS))
                self._language = "" if tag == "pre" else self._language
            elif len(self._open) < self._muted:
                self._muted = 0
            if self._main and len(self._open) < self._main_depth:
                self._main, self._main_depth = (self._main[0], len(self._pieces)), 0
            if self._list and len(self._open) < self._list[0]:
                self._end_list(self._list[1])

    def _end_list(self, first: int) -> None:
        """Leave out a list of links, unless a sentence announces it."""
        self._list = None
        before = "".join(self._pieces[max(0, first - 9) : first]).rstrip()
        if self._linked and self._linked >= _LINKS * self._letters and not before.endswith(":"):
            del self._pieces[first:]

    def _mark_text(self, tag: str, marks: Mapping[str, str]) -> str:
        """What is written where an element begins or ends."""
        open_ = set(self._open)
        if tag == "code":
            return "" if "pre" in open_ else marks[tag]
        if tag in marks and tag in {"dd", *_CELLS, *_HEADINGS}:
            return marks[tag]
        if tag not in _APART and tag not in _BEGINS:
            return ""
        if _CELLS & open_ - {tag} or (_WITHIN & open_ - {tag} and tag != "pre"):
            return " "
        return marks.get(tag, "\n\n" if tag in _APART else "")

    def _write(self, mark: str) -> None:
        """Write a mark: a line begins once, and none breaks behind the mark of an item."""
        before = "".join(self._pieces[-3:]).rstrip(" ")
        if mark.startswith("\n") and not mark.startswith("\n\n") and before.endswith("\n"):
            mark = mark[1:]
        if mark.strip("\n") or before[-2:] != "\n-":
            self._pieces.append(mark)
