"""What reStructuredText alone has, in Markdown: directives, inline marks, drawn tables."""

# ruff: noqa: SIM905 - word lists read better as prose

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final, Protocol

FIELD: Final = re.compile(r":(?P<name>[A-Za-z][^:`\n]{0,60}):(?=\s|$)[ ]*(?P<body>.*)")
SUBSTITUTION: Final = re.compile(r"^\.\. \|([^|\n]+)\| replace:: (.+)$", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"\.\. (?P<name>[A-Za-z][\w:+.-]*)::(?:\s+(?P<argument>.*))?$")
_CODE: Final = frozenset(
    "code code-block code-tab sourcecode prompt console parsed-literal doctest testcode "
    "ipython".split()
)
# What Sphinx describes, each under its name: "function:: get(url, timeout=3)".
_OBJECTS: Final = frozenset(
    "function method class exception attribute data envvar confval decorator staticmethod "
    "classmethod property describe object type macro fixture setting directive role".split()
)
_OPTIONS: Final = frozenset(("option", "cmdoption"))
_VERSIONS: Final = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}
_NAMED: Final = frozenset(("rubric", "admonition", "topic", "dropdown"))
_NOTES: Final = frozenset("note warning tip important caution danger hint attention".split())
_UNREAD: Final = frozenset(
    "toctree contents image figure raw include literalinclude index module currentmodule highlight "
    "meta math graphviz digraph testsetup testcleanup testoutput automodule autoclass autofunction "
    "automethod autodata autoexception autoattribute autosummary sectionauthor codeauthor seealso "
    "bibliography plot productionlist default-role role tabularcolumns sectnum header footer click "
    "rst-class class unicode target-notes command-output program-output program csv-table".split()
)
_CODE_ROLES: Final = frozenset(
    "func meth class attr mod data obj exc const option envvar confval program command file kbd "
    "code literal samp setting fixture mailheader mimetype token keyword hook paramref".split()
)
_RULE: Final = re.compile(r"=+(?: +=+)+")


class Reader(Protocol):
    """What reads the text within a directive.

    Attributes:
        level: Of the heading above.
    """

    level: int

    def read(self, lines: Sequence[str]) -> list[str]:
        """The blocks of these lines, in Markdown."""
        ...

    def inline(self, text: str) -> str:
        """A text with its inline marks as in Markdown."""
        ...


def explicit(lines: Sequence[str], reader: Reader) -> list[str]:
    """The blocks of what begins with two dots: nothing of comments and targets.

    Args:
        lines: The one with the dots, and those below that stand further in.
        reader: Of what stands within.
    """
    if not (directive := _DIRECTIVE.match(lines[0])):
        return []
    name = directive["name"].rpartition(":")[2]
    body, argument = dedented(lines[1:]), (directive["argument"] or "").strip()
    titled = argument and name in _OBJECTS | _OPTIONS
    several = list(takewhile(str.strip, body)) if titled else []  # signatures
    settings = [*takewhile(lambda one: FIELD.match(one) or one in several, body)]
    if settings:
        settings += takewhile(lambda one: one[:1].isspace(), body[len(settings) :])
    default = (one.partition(":default:")[2].strip() for one in settings)
    body = [*(f":Default: {one}" for one in default if one), "", *body[len(settings) :]]
    if name in _UNREAD:
        return []
    if name in _CODE:
        return [fenced(argument.partition(" ")[0] or "text", body)]
    return _directive(name, argument, body, reader)


def _directive(name: str, argument: str, body: Sequence[str], reader: Reader) -> list[str]:
    """The blocks of a directive whose text is read."""
    if name == "list-table":
        return _listed_table(body, reader)
    if argument and name in _OBJECTS:
        return _object(argument, body, reader)
    text = reader.read(body)
    if name in _VERSIONS:
        version, _, said = argument.partition(" ")
        said = " ".join([said, *text[:1]]).strip()
        return [reader.inline(f"{_VERSIONS[name]} {version}{f': {said}' if said else '.'}")]
    if name in _OPTIONS:
        return entries(f"`{argument}`", text)
    lead = f"**{reader.inline(argument)}**" if name in _NAMED else reader.inline(argument)
    return [lead, *text] if argument and name in _NAMED | _NOTES else text


def _object(signature: str, body: Sequence[str], reader: Reader) -> list[str]:
    """What is described, under its name; then its signature."""
    above, plain = reader.level, re.sub(r"^(?:async|class|static|abstract)\s+", "", signature)
    name, bracket, parameters = plain.partition("(")
    reader.level += 1
    heading = f"{'#' * min(6, reader.level)} `{name.strip()}{'()' * bool(bracket)}`"
    blocks = reader.read(body)
    reader.level = above
    short = name.strip().rpartition(".")[2]
    code = [fenced("python", [f"def {short}({parameters}"])] if "=" in parameters else []
    return [heading, *blocks[:1], *code, *blocks[1:]]


def _listed_table(body: Sequence[str], reader: Reader) -> list[str]:
    """A table that is written as a list of lists."""
    rows = list[list[str]]()
    for line in body:
        if line.startswith("* - "):
            rows.append([line[4:]])
        elif rows and re.match(r"  - ?", line):
            rows[-1].append(line[4:])
        elif rows and line.strip():
            rows[-1][-1] += f" {line.strip()}"
    full = [row for row in rows if len(row) == len(rows[0])]
    return [table([reader.inline(one) for one in row] for row in full)] if full else []


def drawn_table(lines: Sequence[str]) -> tuple[int, list[list[str]]] | None:
    """A table that is drawn with bars or rules: how many lines it has, its head and its rows."""
    if re.fullmatch(r"\+(?:[-=]+\+)+", lines[0]):
        end = next((at for at, one in enumerate(lines) if one[:1] not in {"+", "|"}), len(lines))
        return end, _grid(lines[:end])
    if _RULE.fullmatch(lines[0]):
        rules = [at for at, line in enumerate(lines) if _RULE.fullmatch(line)]
        last = (at for at in rules[1:] if at + 1 == len(lines) or not lines[at + 1].strip())
        if end := next(last, -1) + 1:
            return end, _simple(lines[:end])
    return None


def _grid(lines: Sequence[str]) -> list[list[str]]:
    edges = [at for at, mark in enumerate(lines[0]) if mark == "+"]
    rows, head, cells = list[list[str]](), list[str](), [[""] for _ in edges[1:]]
    for line in lines[1:]:
        if line.startswith("+"):
            row = [" ".join(" ".join(cell).split()) for cell in cells]
            head, rows = (row, rows) if "=" in line and not head else (head, [*rows, row])
            cells = [[""] for _ in edges[1:]]
            continue
        for cell, start, end in zip(cells, edges, edges[1:], strict=False):
            cell.append(line[start + 1 : end])
    return [head or [""] * len(cells), *rows]


def _simple(lines: Sequence[str]) -> list[list[str]]:
    starts = [one.start() for one in re.finditer(r"=+", lines[0])]
    rows, head = list[list[str]](), list[str]()
    for line in lines[1:-1]:
        if line.startswith("=="):
            if rows and not head:
                head, rows = [" ".join(column).strip() for column in zip(*rows, strict=True)], []
        elif line.strip() and not re.fullmatch(r"-+(?: +-+)*", line):
            rows = cells(starts, [line], rows)
    return [head or [""] * len(starts), *rows]


def cells(
    starts: Sequence[int], lines: Iterable[str], rows: Iterable[list[str]] = ()
) -> list[list[str]]:
    """The cells of lines by where columns begin; a line without a first one goes on above."""
    rows = list(rows)
    for line in lines:
        ends = [*starts[1:], len(line) + 1]
        row = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        if row[0] or not rows:
            rows.append(row)
        else:
            pairs = zip(rows[-1], row, strict=True)
            rows[-1] = [f"{above} {cell}".strip() for above, cell in pairs]
    return rows


def table(rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, its head first."""
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join((lines[0], f"|{'---|' * len(escaped[0])}", *lines[1:]))


def inline(text: str, substitutions: Mapping[str, str]) -> str:
    """A text with its inline marks as in Markdown."""
    parts = re.split(r"(``.+?``(?!`))", text)
    return "".join(
        f"`{part[2:-2].replace('`', '')}`"
        if part.startswith("``") and len(part) > 4
        else _unmarked(part, substitutions)
        for part in parts
    )


def _unmarked(text: str, substitutions: Mapping[str, str]) -> str:
    """A text without roles, links, references to footnotes and backslashes."""
    text = re.sub(r":(?P<role>[a-zA-Z][\w:+-]{0,40}):`(?P<text>[^`]+)`", _role, text)
    text = re.sub(r"`([^`<]+?)\s*<[^`<>]+>`__?", r"\1", text)
    text = re.sub(r"`([^`]+)`__?(?!\w)", r"\1", text)
    text = re.sub(r"\|([^|\s][^|\n]*)\|_?", lambda one: substitutions.get(one[1], one[0]), text)
    text = re.sub(r"\s?\[(?:#[\w-]*|\d+|\*|[A-Z][\w-]*)\]_", "", text)
    text = re.sub(r"(?<![\w`])([A-Za-z][\w-]*[A-Za-z0-9])__?(?![\w`])", r"\1", text)
    text = re.sub(r"(?<![\w`])`([^`\n]* [^`\n]*)`(?![\w`])", r"\1", text)
    return re.sub(r"\\(?: |(?=\W))", "", text)


def _role(marked: re.Match[str]) -> str:
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


def entries(name: str, blocks: Sequence[str]) -> list[str]:
    """A term and what is said of it; nothing where nothing is said."""
    return [item(f"- {name}: {blocks[0]}", blocks[1:])] if blocks else []


def item(first: str, blocks: Sequence[str]) -> str:
    """An item of a list with the blocks that belong to it."""
    if not blocks:
        return first
    rest = "\n\n".join(re.sub(r"^(?=.)", "  ", block, flags=re.MULTILINE) for block in blocks)
    return "\n".join((first, rest) if is_item(blocks[0]) else (first, "", rest))


def is_item(block: str) -> bool:
    """Whether a block of Markdown is of a list."""
    return bool(re.match(r"(?:-|\(?\w{1,2}[.)]) ", block))


def fenced(language: str, lines: Sequence[str]) -> str:
    """A block of code."""
    text = "\n".join(lines).strip("\n")
    return "\n".join((f"```{language}", *([text] if text else []), "```"))


def dedented(lines: Sequence[str]) -> list[str]:
    """Lines without what all of them stand in."""
    least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[least:] for line in lines]
