"""What reStructuredText alone has, in Markdown: directives, fields, roles and marks of text."""

# ruff: noqa: SIM905 - word lists read better as prose

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from assay.testset.plain_text import (
    Lines,
    Made,
    TextReader,
    fenced,
    first_line,
    further_in,
    item,
    printed,
    table,
)

_TELLING: Final = re.compile(
    r"^\.\. [\w:-]+::|^\.\. _[^:\n]+:|:[a-z]+(?::[a-z]+)?:`[^`\n]|::\n\n[ \t]+\S|``\w[^`\n]*``",
    re.MULTILINE,
)
_EXPLICIT: Final = re.compile(r"\.\.(?: |$)|__ ")
_DIRECTIVE: Final = re.compile(r"\.\. (?P<name>[A-Za-z][\w:+.-]*)::(?:\s+(?P<argument>.*))?$")
_FIELD: Final = re.compile(r":(?P<name>[A-Za-z][^:`\n]{0,60}):(?=\s|$)[ ]*(?P<body>.*)")
_OPTIONS: Final = re.compile(r"^:([\w-]+):[ ]*(.*(?:\n[ ]+.*)*)", re.MULTILINE)
_PARAMETER: Final = re.compile(r"(?:param|parameter|arg|argument|key|keyword)\s+(?:.*\s)?(\S+)")
_OF_PAGES: Final = frozenset(("orphan", "tocdepth", "nocomments", "nosearch", "hide-toc"))
_SUBSTITUTION: Final = re.compile(r"^\.\. \|([^|\n]+)\| replace:: (.+)$", re.MULTILINE)
_CUT: Final = re.compile(r"(?<=[A-Za-z]{2})-\n[ ]*(?=[a-z]{2})")
_CODE: Final = frozenset(
    "code code-block code-tab sourcecode prompt console parsed-literal doctest testcode "
    "ipython".split()
)
# What Sphinx describes, each under its name: "function:: get(url, timeout=3)".
_OBJECTS: Final = frozenset(
    "function method class exception attribute data envvar confval decorator staticmethod "
    "classmethod property describe object type macro fixture setting directive role".split()
)
_COMMAND_OPTIONS: Final = frozenset(("option", "cmdoption"))
_VERSIONS: Final = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}
_NAMED: Final = frozenset(("rubric", "admonition", "topic", "dropdown"))
_NOTES: Final = frozenset("note warning tip important caution danger hint attention".split())
_UNREAD: Final = frozenset(
    "toctree contents figure raw index math graphviz digraph testsetup testcleanup testoutput "
    "autosummary seealso productionlist plot meta header footer tabularcolumns".split()
)
_CODE_ROLES: Final = frozenset(
    "func meth class attr mod data obj exc const option envvar confval program command file kbd "
    "code literal samp setting fixture mailheader mimetype token keyword hook paramref".split()
)
_DELIMITERS: Final = {"tab": "\t", "space": " "}


def is_restructured(text: str) -> bool:
    """Whether the marks of a text are those of reStructuredText."""
    return len(_TELLING.findall(text)) > 2


def restructured_as_markdown(text: str) -> str:
    """A text in reStructuredText as Markdown, a paragraph a line."""
    return _Reader(dict(_SUBSTITUTION.findall(text))).markdown(_CUT.sub("-", printed(text)))


class _Reader(TextReader):
    """Reads the blocks of reStructuredText."""

    in_code = re.compile(r"(?!)")  # code is announced

    def __init__(self, substitutions: Mapping[str, str]) -> None:
        super().__init__()
        self._substitutions = substitutions
        self.rules = (
            *(self.marked, self.underlined, self._explicit, self.drawn, self.item, self._field),
            *(self.option, self.term, self.indented, self._paragraph),
        )

    def _explicit(self, lines: Lines, position: int) -> Made | None:
        """What begins with two dots: nothing of comments and targets."""
        if not _EXPLICIT.match(lines[position]):
            return None
        body, end = further_in(lines, position)
        directive = _DIRECTIVE.match(lines[position])
        name = directive["name"].rpartition(":")[2] if directive else ""
        if not directive or name in _UNREAD:
            return [], end
        return self._directive(name, (directive["argument"] or "").strip(), body), end

    def _directive(self, name: str, argument: str, body: Lines) -> list[str]:
        """The blocks of a directive, as far as it has a text."""
        titled = argument and name in _OBJECTS | _COMMAND_OPTIONS
        head = [*takewhile(str.strip, body)]  # its options, and further signatures
        head = head if titled or (head and _FIELD.match(head[0])) else []
        options, body = dict(_OPTIONS.findall("\n".join(head))), body[len(head) :]
        if name in _CODE:
            return [fenced(argument.partition(" ")[0] or "text", body)]
        if name in _TABLES:
            rows = _TABLES[name](body, options)
            full = [map(self.inline, row) for row in rows if len(row) == len(rows[0])]
            return [table(full)] if full else []
        if default := " ".join(options.get("default", "").split()):
            body = [f":Default: {default}", "", *body]
        if argument and name in _OBJECTS:
            return self._object(argument, body)
        return (
            self.read([argument, *body])
            if name in _NOTES
            else self._directive_lines(name, argument, body)
        )

    def _directive_lines(self, name: str, argument: str, body: Lines) -> list[str]:
        """What is said of an option or a version, or below a name."""
        text, title = self.read(body), self.inline(argument)
        if name in _VERSIONS:
            version, _, title = title.partition(" ")
            title = " ".join([title, *text[:1]]).strip()
            return [f"{_VERSIONS[name]} {version}{f': {title}' if title else '.'}"]
        if name in _COMMAND_OPTIONS:
            return item(f"- `{argument}`: ", text)
        return [f"**{title}**", *text] if title and name in _NAMED else text

    def _object(self, signature: str, body: Lines) -> list[str]:
        """What is described, under its name; then its signature."""
        plain = re.sub(r"^(?:async|class|static|abstract)\s+", "", signature)
        name, bracket, parameters = map(str.strip, plain.partition("("))
        self.level += 1
        heading = f"{'#' * min(6, self.level)} `{name}{'()' * bool(bracket)}`"
        blocks = self.read(body)
        self.level -= 1
        code = fenced("python", [f"def {name.rpartition('.')[2]}({parameters}"])
        return [heading, *blocks[:1], *([code] if "=" in parameters else []), *blocks[1:]]

    def _field(self, lines: Lines, position: int) -> Made | None:
        """A field, as ":param name: What it is"."""
        if not (field := _FIELD.match(lines[position])):
            return None
        body, end = further_in(lines, position)
        of_call = _PARAMETER.fullmatch(field["name"])
        name = f"`{of_call[1].strip('*')}`" if of_call else f"**{field['name']}**"
        known = field["name"].lower() in _OF_PAGES or field["name"].startswith("type ")
        return [] if known else item(f"- {name}: ", self.read([field["body"], *body])), end

    def _paragraph(self, lines: Lines, position: int) -> Made:
        """A paragraph, and the code that "::" announces."""
        end = first_line(lines, position, lambda line: not line)
        block = lines[position:end]
        if block[0].startswith("| "):
            return [self.inline("\n".join(line.removeprefix("|").strip() for line in block))], end
        text = " ".join(" ".join(block).split())
        announced = text.endswith("::")
        text = re.sub(r"(?:^| )::$|:(?=:$)", "", text)
        text = text[:-1] if announced and text.endswith("::") else text
        code, end_of_code = further_in(lines, end - 1) if announced else ([], end)
        blocks = [self.inline(text)] if text else []
        return [*blocks, *([fenced("text", code)] if "".join(code).strip() else [])], end_of_code

    def inline(self, text: str) -> str:
        """A text with its inline marks as in Markdown."""
        pieces = re.split(r"``(.+?)``(?!`)", text)  # every second one is code
        pieces[::2] = [self._unmarked(piece) for piece in pieces[::2]]
        pieces[1::2] = [f"`{piece.replace('`', '')}`" for piece in pieces[1::2]]
        return "".join(pieces)

    def _unmarked(self, text: str) -> str:
        """A text without roles, links, references to footnotes and backslashes."""
        for pattern, plain in _INLINE:
            text = pattern.sub(plain, text)
        known = self._substitutions
        text = re.sub(r"\|([^|\s][^|\n]*)\|_?", lambda match: known.get(match[1], match[0]), text)
        return re.sub(r"\\(?: |(?=\W))", "", text)


def _rows(body: Lines, options: Mapping[str, str]) -> list[list[str]]:
    """The rows of a table that is written as CSV, its head first."""
    delimiter = options.get("delim", ",").strip()
    delimiter = _DELIMITERS.get(delimiter, delimiter)
    lines = [*options.get("header", "").split("\n"), *body]
    try:
        rows = [*csv.reader(lines, delimiter=delimiter, skipinitialspace=True)]
    except (csv.Error, TypeError):  # a cell without end, a delimiter of several letters
        return []
    return [[" ".join(cell.split()) for cell in row] for row in rows if row]


def _listed(body: Lines, _: Mapping[str, str]) -> list[list[str]]:
    """The rows of a table that is written as a list of lists."""
    rows = list[list[str]]()
    for line in body:
        if line.startswith("* - "):
            rows.append([line[4:]])
        elif rows and re.match(r"  - ?", line):
            rows[-1].append(line[4:])
        elif rows and line.strip():
            rows[-1][-1] += f" {line.strip()}"
    return rows


_TABLES: Final = {"csv-table": _rows, "list-table": _listed}


def _role_text(marked: re.Match[str]) -> str:
    """The text of a role: code where it names a thing of a program."""
    role, text = marked["role"].rpartition(":")[2], marked["text"].lstrip("!")
    if titled := re.fullmatch(r"(?P<title>.+?)\s*<[^<>]+>", text, re.DOTALL):
        return titled["title"]
    if role in {"pep", "rfc"}:
        return f"{role.upper()} {text}"
    if role not in _CODE_ROLES:
        return text
    name = text.rpartition(".")[2] if text.startswith("~") else text.lstrip(".")
    return f"`{name}{'()' if role in {'func', 'meth'} and not name.endswith(')') else ''}`"


_INLINE: Final[Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]] = (
    (re.compile(r":(?P<role>[a-zA-Z][\w:+-]{0,40}):`(?P<text>[^`]+)`"), _role_text),
    (re.compile(r"`([^`<]+?)\s*<[^`<>]+>`__?"), r"\1"),  # a link
    (re.compile(r"`([^`]+)`__?(?!\w)"), r"\1"),
    (re.compile(r"\s?\[(?:#[\w-]*|\d+|\*|[A-Z][\w-]*)\]_"), ""),  # a footnote
    (re.compile(r"(?<![\w`])([A-Za-z][\w-]*[A-Za-z0-9])__?(?![\w`])"), r"\1"),
    (re.compile(r"(?<![\w`])`([^`\n]* [^`\n]*)`(?![\w`])"), r"\1"),
)
