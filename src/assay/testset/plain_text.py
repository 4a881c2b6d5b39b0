"""Plain text and pages of `man` or of PDF files, written as Markdown."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, TypeAlias

_UNDERLINE: Final = re.compile(r"([=\-~^*`#\"'+.:_<>])\1{2,}")
_THIN: Final = re.compile(r"\s*[-=]{3,}(?: +[-=]{3,})* *")  # below the names of columns
_RULES: Final = re.compile(r"=+(?: +=+)+")  # of a table
_DASHES: Final = re.compile(r"[-=]+(?: +[-=]+)*")
_ATX: Final = re.compile(r"#{1,6} \S")
_FENCE: Final = re.compile(r"\s{0,3}(```+|~~~+)")
_ROW: Final = re.compile(r"\|.*\|")
_ITEM: Final = re.compile(
    r"(?P<mark>[-*+\u2022\u2023\u25e6\u25aa\u2013\u00b7]|\(?(?:\d{1,2}|#|[a-z])\)|(?:\d{1,2}|#)\.)"
    r"[ ]+(?=\S)"
)
# "-v, --verbose  Say more." or below it, further in.
_OPTION: Final = re.compile(
    r"(?P<names>(?:--?[A-Za-z?][\w-]*|/[A-Z])(?:[ =\[]{1,2}<?[\w.|\]>]+)?"
    r"(?:,? +--?[A-Za-z][\w-]*(?:[ =\[]{1,2}<?[\w.|\]>-]+)?)*)(?: {2,}(?P<body>\S.*))?$"
)
_IN_CODE: Final = re.compile(
    r"^\s*[$%>] \S|[;{}\\]\s*$|=\S*[\"'(]|^\s*(?:#|//|import |def |/\w+/)|--\w|&&|>\s*/|\$\w|\|\|",
    re.MULTILINE,
)
_SPELLED: Final = re.compile(r"[_.()/=%<>{}$@*:\\]|^-|^[a-z].*-")  # a term that is code
_NO_TERM: Final = re.compile(r"[,\\]$|   | = |(?:\S+\s+){6}|.{61}")
_CAPITALS: Final = re.compile(r"(?!BEGIN\b|END\b)[A-Z][A-Z0-9 ,/&()'_-]{2,60}")
_NUMBERED: Final = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2})*)\.?\s+(?P<name>[A-Z`\"].{2,70}[^.:;,!])"
)
_ENDED: Final = re.compile(r"[.:!?;][\"')\]\u201d]?$")
_SHOWN: Final = re.compile("\x1b\\[[0-9;]*m|.\x08")  # how a terminal shows letters
_BLANK: Final = re.compile(r"[^\S\n\f ]")
_QUOTED: Final = re.compile(r"(?<![`\w])`([\w.()%$\[\]-]+)'(?!\w)")  # "`name'", as is old usage
# The first line of a page of `man`: "TAR(1)      GNU TAR Manual      TAR(1)".
MANUAL: Final = re.compile(
    r"\s*(?P<name>[\w.+:-]+)(?P<section>\(\d\w*\))[ \t].*[ \t](?P=name)(?P=section)[ \t]*\n"
)
_CUT: Final = re.compile(
    r"(?<!\w)(?P<first>[A-Za-z]{2,})(?P<mark>[-\u2010])\n"
    r"(?P<indent>[ ]*)(?P<second>[a-z]{2,})(?P<rest>\S*)[ ]*(?P<end>\n?)"
)
_LONG: Final = 45  # letters of a line that goes on in the next one, on average
_LONGEST_HEADING: Final = 70
_DEEPEST: Final = 20  # blocks within blocks; what is further in is one paragraph
_LONGEST_TITLE: Final = 100  # that is underlined
_WIDE: Final = 0.8  # of the width of a page has a line that goes on
_GAP: Final = "     "  # within the head of a page
_EDGES: Final = 2  # lines at each end of a page that may be its head and foot
_SPARSE: Final = 12  # full lines for an empty one, where paragraphs are not kept apart

Lines: TypeAlias = Sequence[str]
# What is made of some lines, and the number of the first line behind them.
Made: TypeAlias = tuple[list[str], int]


def plain_as_markdown(text: str) -> str:
    """A text with its headings, lists, tables and code as in Markdown, a paragraph a line.

    Where it is Markdown already, it stays so.
    """
    text = _of_manual(_of_pages(printed(text)))
    return PlainReader(text).markdown(_unhyphenated(_QUOTED.sub(r"`\1`", text)))


def printed(text: str) -> str:
    """A text without what only a terminal shows, and with no blanks but spaces."""
    return _BLANK.sub(" ", _SHOWN.sub("", text.expandtabs()))


def _of_pages(text: str) -> str:
    """A text without what stands at the edges of its pages, and with its paragraphs apart."""
    text = re.sub(r"\n[^\n]*\[Page [\divx]+\]\s*\n|(?<=\n\n)[ ]*_{9,}[ ]*\n", "\n\f", text)
    text = re.sub(r"^[ ]*_{9,}[ ]*$", "", text, flags=re.MULTILINE)
    pages = [page.strip("\n").split("\n") for page in text.split("\f")]
    if len(pages) == 1:
        heads = Counter(line for line in text.split("\n") if _GAP in line.strip())
        lines = ("" if heads[line] > 2 else line for line in text.split("\n"))
        return re.sub(r"(?<=\n\n)[ ]*\d+\n(?=\n)", "", "\n".join(lines))
    edges = [
        {number: _edge(page[number], n) for number in _outer_lines(page)}
        for n, page in enumerate(pages)
    ]
    often = Counter(key for page in edges for keys in page.values() for key in keys)
    often_enough = max(2, len(pages) / 5)
    joined = list[str]()
    for page, outer in zip(pages, edges, strict=True):
        edge_numbers = {
            number
            for number, keys in outer.items()
            if re.fullmatch(r"[\W\divx]*", page[number].strip())
            or any(often[key] > often_enough for key in keys)
        }
        kept = "\n".join(
            _with_breaks([line for number, line in enumerate(page) if number not in edge_numbers])
        )
        kept = re.sub(r"\A(?:[ ]*\n)+|\s+\Z", "", kept)
        goes_on = joined and not _ENDED.search(joined[-1]) and kept.lstrip()[:1].islower()
        joined += [kept] if goes_on else ["", kept]
    return "\n".join(joined)


def _outer_lines(page: Lines) -> list[int]:
    """The numbers of the first and the last lines of a page that are not empty."""
    full = [number for number, line in enumerate(page) if line.strip()]
    return full if len(full) <= 2 * _EDGES else [*full[:_EDGES], *full[-_EDGES:]]


def _edge(line: str, page: int) -> list[str | int]:
    """What a line at the edge of a page has in common with others: words, the page's number."""
    words = " ".join(line.split())
    number = re.search(r"^\d{1,4}(?= \D)|(?<= )\d{1,4}$", words)
    return [re.sub(r"\d+|\b[ivxlc]+$", "0", words), *([int(number[0]) - page] if number else [])]


def _with_breaks(lines: Lines) -> Iterator[str]:
    """The lines of a page; one that has no empty lines gets them where paragraphs end."""
    full = sorted(len(line) for line in lines if line.strip())
    if not full or _SPARSE * sum(not line.strip() for line in lines) > len(full):
        yield from lines
        return
    width = full[len(full) * 9 // 10]
    for number, line in enumerate(lines):
        after = lines[number + 1].lstrip() if number + 1 < len(lines) else ""
        yield line
        short = len(line) < _WIDE * width
        heading = (
            short and _NUMBERED.fullmatch(line) and (not number or _ENDED.search(lines[number - 1]))
        )
        ends = short and (after[:1].isupper() or after[:1].isdigit())
        numbered = _ENDED.search(line) and _NUMBERED.fullmatch(after)
        if heading or ends or numbered or _ITEM.match(after):
            yield ""


def _unhyphenated(text: str) -> str:
    """A text whose words are not cut at the ends of lines."""
    words = frozenset(re.findall(r"[a-z]{2,}", text.lower()))
    whole_words = frozenset(re.findall(r"(?<![\w-])[a-z]{2,}(?![\w-])", text.lower()))

    def join(cut: re.Match[str]) -> str:
        first, second = cut["first"], cut["second"]
        compound = cut["mark"] == "-" and {first.lower(), second} <= whole_words
        compound = compound and (first + second).lower() not in words
        end = cut["end"] or f"\n{cut['indent']}"  # what follows stands as far in as the line did
        return f"{first}{'-' * compound}{second}{cut['rest']}{end}"

    return _CUT.sub(join, text)


def _of_manual(text: str) -> str:
    """A page of `man` with its headings marked; any other text as it is."""
    if not (head := MANUAL.match(text)):
        return text
    lines = list[str]()
    for line in text[head.end() :].rstrip().split("\n")[:-1]:
        indent = len(line) - len(line.lstrip())
        level = {0: "##", 3: "###"}.get(indent) if line.strip() else None
        lines += ["", f"{level} {line.strip()}", ""] if level else [line[min(indent, 7) :]]
    return "\n".join(lines)


class TextReader:
    """Reads the blocks of a text by their marks and how far they stand in.

    Two empty lines follow those that a rule is given, and -1 is the number of one: there is always
    a line above and below.
    """

    odd = ""  # marks that are of no heading
    in_code = _IN_CODE

    def __init__(self) -> None:
        self.level = 0  # of the heading above
        self.depth = 0  # of the block that is read
        self.any = False  # block so far
        self.rules: Sequence[Callable[[Lines, int], Made | None]] = ()
        self._styles: list[str] = []  # of headings, the outermost first

    def markdown(self, text: str) -> str:
        """A text in Markdown."""
        return "\n\n".join(self.read([line.rstrip() for line in text.split("\n")]))

    def read(self, lines: Lines) -> list[str]:
        """The blocks of these lines, in Markdown."""
        lines = [*dedented(lines), "", ""]
        self.depth += 1
        blocks, position = list[str](), 0
        while position < len(lines):
            if not lines[position]:
                position += 1
                continue
            rules = self.rules if self.depth < _DEEPEST else self.rules[-1:]
            new_blocks, position = next(filter(None, (rule(lines, position) for rule in rules)))
            follows = blocks and new_blocks and is_item(blocks[-1]) and is_item(new_blocks[0])
            if follows and "\n\n" not in blocks[-1] + new_blocks[0]:
                blocks[-1] += f"\n{new_blocks.pop(0)}"
            blocks += new_blocks
            self.any = self.any or bool(new_blocks)
        self.depth -= 1
        return blocks

    def inline(self, text: str) -> str:
        """A text with its inline marks as in Markdown."""
        return text

    def is_code(self, block: Lines) -> bool:
        """Whether the lines of a block are no prose and no list."""
        full = [line for line in block if line]
        marked = sum(bool(self.in_code.search(line)) for line in full)
        return not _ITEM.match(full[0]) and full[0][0] != "-" and 2 * marked >= len(full)

    def marked(self, lines: Lines, at: int) -> Made | None:
        """What is Markdown already, and lines at a prompt of Python."""
        line, below = lines[at], lines[at + 1]
        if fence := _FENCE.match(line):
            end = first_line(lines, at + 1, lambda line: line.strip().startswith(fence[1])) + 1
            return ["\n".join(lines[at:end]).rstrip("\n")], end
        if line.startswith(">>> "):
            end = first_line(lines, at, lambda line: not line)
            return [fenced("python", lines[at:end])], end
        if _ROW.fullmatch(line) and _ROW.fullmatch(below):
            end = first_line(lines, at, lambda line: not _ROW.fullmatch(line))
            return ["\n".join(lines[at:end])], end
        if _ATX.match(line) and not below:
            self.level = len(line) - len(line.lstrip("#"))
            return [line], at + 1
        return None

    def underlined(self, lines: Lines, at: int) -> Made | None:
        """A heading with a line of marks below it, or above and below; nothing of other ones."""
        line, below, last = lines[at : at + 3]
        if _UNDERLINE.fullmatch(line):
            if below and last[:1] == line[0] and _UNDERLINE.fullmatch(last):
                return [self._styled_heading(below.strip(), line[0] * 2)], at + 3
            return [], at + 1
        long = 2 * len(below) > len(line) and len(line) < 2 * _LONGEST_TITLE
        if line[0] == " " or "   " in line or not long or not _UNDERLINE.fullmatch(below):
            return None
        return None if below[0] in self.odd else ([self._styled_heading(line, below[0])], at + 2)

    def _styled_heading(self, name: str, style: str) -> str:
        """A heading, as deep as the first of its style."""
        if style not in self._styles:
            self._styles.append(style)
        is_identifier = re.fullmatch(r"[a-z][a-z\d]*(?:[_.][a-z\d]+)+|--?[a-z][\w-]+", name)
        return self.headed(
            f"`{name}`" if is_identifier else self.inline(name), self._styles.index(style)
        )

    def headed(self, name: str, depth: int) -> str:
        """A heading below so many others."""
        self.level = depth + 1
        return f"{'#' * min(6, self.level)} {name}"

    def drawn(self, lines: Lines, at: int) -> Made | None:
        """A table that is drawn with bars or rules."""
        if re.fullmatch(r"\+(?:[-=]+\+)+", lines[at]):
            end = first_line(lines, at, lambda line: line[:1] not in {"+", "|"})
            rows = _grid(lines[at:end])
        elif _RULES.fullmatch(lines[at]):
            rules = (n for n in range(at + 1, len(lines) - 1) if _RULES.fullmatch(lines[n]))
            first = next(rules, 0)  # below the head, or the last one
            last = next((n for n in (first, *rules) if not lines[n + 1]), 0) if first else 0
            if not last:
                return None
            end, rows = last + 1, _simple(lines[at : last + 1], (first - at) * (first < last))
        else:
            return None
        return [table(map(self.inline, row) for row in rows)], end

    def item(self, lines: Lines, at: int) -> Made | None:
        """An item of a list, with its mark as in Markdown; a long line goes on at the margin."""
        if not (marked := _ITEM.match(lines[at])):
            return None
        end = first_line(lines, at + 1, is_outer)
        while end < len(lines) and lines[end][0].islower() and len(lines[end - 1]) > _LONG:
            end = first_line(lines, end + 1, is_outer)
        blocks = self.read([lines[at][marked.end() :], *dedented(lines[at + 1 : end])]) or [""]
        mark = marked["mark"] if re.match(r"[(a-z\d#]", marked["mark"]) else "-"
        return item(f"{'1.' if '#' in mark else mark} ", blocks), end

    def option(self, lines: Lines, at: int) -> Made | None:
        """An option of a command; its names may stand in several lines."""
        names, body = list[str](), ""
        while not body and (option := _OPTION.fullmatch(lines[at])):
            names.append(option["names"])
            body, at = option["body"] or "", at + 1
        if not names or not (body or lines[at][:1] == " "):
            return None
        below, end = further_in(lines, at - 1)
        return item(f"- `{', '.join(names)}`: ", self.read([body, *below])), end

    def term(self, lines: Lines, at: int) -> Made | None:
        """A term with what it means below it, further in."""
        line, below = lines[at], lines[at + 1]
        if line[0] == " " or below[:1] != " " or is_outer(lines[at - 1]):
            return None
        term = re.sub(r"\s+(?::|--) .*", "", line)  # and what kind of thing it is
        if re.fullmatch(r"``[^`]+``:|[\w./-]+:|[A-Z]\w+ \w+:", term):
            term = term[:-1]
        code = _ITEM.match(below.lstrip()) or self.in_code.search(below)
        if code or _ENDED.search(term) or _NO_TERM.search(term):
            return None
        name, first = self.inline(term), self.inline(term).partition(" ")[0]
        spelled = _SPELLED.search(first) and name.count(" ") < 3
        if "`" not in name:
            name = f"`{name}`" if spelled else f"**{name}**"
        body, end = further_in(lines, at)
        return item(f"- {name}: ", self.read(body)), end

    def indented(self, lines: Lines, at: int) -> Made | None:
        """A block that stands further in: a quotation, or code where its text is not plain."""
        if lines[at][0] != " ":
            return None
        block, end = further_in(lines, at - 1)
        return [fenced("text", block)] if self.is_code(block) else self.read(block), end


class PlainReader(TextReader):
    """Reads the blocks of a text that has no marks of its own."""

    odd = ".:<>_`"

    def __init__(self, text: str) -> None:
        super().__init__()
        full = [line for line in text.split("\n") if line.strip()]
        inward = 3 * sum(line[0] == " " for line in full) > 2 * len(full)  # but headings
        self._inward = inward and not any(map(_ATX.match, full))
        self._sectioned = bool(re.search(r"^\d+\.\d+\.? +[A-Z]", text, re.MULTILINE))
        self.rules = (
            *(self.marked, self.underlined, self._heading, self.drawn, self.item, self.option),
            *(self.indented, self._columns, self.term, self._paragraph),
        )

    def _heading(self, lines: Lines, position: int) -> Made | None:
        """A line that stands alone: the first of a text, numbered, in capitals or further out."""
        line, below = lines[position], lines[position + 1]
        brief = not below and len(line) <= _LONGEST_HEADING
        plain = brief and not re.search(r"\S {3}", line) and not _ENDED.search(line)
        plain = plain and not _ITEM.match(line.lstrip())
        depth = None
        if not self.any and plain and (self.depth > 1 or any(lines[position + 1 :])):
            depth, name = 0, line.strip()
        elif line[0] == " " or lines[position - 1] or is_outer(below):
            return None
        elif brief and (numbered := _NUMBERED.fullmatch(line)):
            deep, after = (
                numbered["number"].count("."),
                next(filter(None, lines[position + 1 :]), ""),
            )
            if deep or self._sectioned or not (_ITEM.match(after) or after[:1] == " "):
                depth, name = deep + 1, numbered["name"]
        if depth is None:
            outer = self._inward and self.depth == 1 and plain and line[0].isalnum()
            if not (outer or (_CAPITALS.fullmatch(line) and not _OPTION.fullmatch(line))):
                return None
            depth, name = 1, line
        return [self.headed(name, depth)], position + 1

    def _columns(self, lines: Lines, position: int) -> Made | None:
        """A table whose cells only blanks keep apart."""
        end = first_line(lines, position, lambda line: not line)
        full = [line for line in lines[position:end] if not _THIN.fullmatch(line)]
        if len(full) < 3 or not all("  " in line.strip() for line in full[:3]):
            return None
        columns = range(max(map(len, full)))
        blank = ("x" if any(line[n : n + 1].strip() for line in full) else " " for n in columns)
        starts = [0, *(gap.end() for gap in re.finditer(r"(?<=x) {2,}", "".join(blank)))]
        ruled = bool(_THIN.fullmatch(lines[position + 1]))
        if len(starts) < (2 if ruled else 3):
            return None
        head = _cells(starts, full[:1]) if ruled else [[""] * len(starts)]
        return [table([*head, *_cells(starts, full[ruled:])])], end

    def _paragraph(self, lines: Lines, position: int) -> Made:
        end = first_line(lines, position + 1, lambda line: not line)
        for n in range(position + 1, end):
            further = lines[n][0] == " " and (lines[n - 1][-1] == ":" or self.is_code([lines[n]]))
            if further or _ITEM.match(lines[n].lstrip()):
                end = n
                break
        block = lines[position:end]
        if _ATX.match(block[0]):  # the prompt of a shell, or a comment
            return [fenced("text", block)], end
        long = sum(map(len, block[:-1])) >= _LONG * len(block[:-1])
        if long or any(line.strip()[0].islower() for line in block[1:]):
            return [" ".join(" ".join(block).split())], end
        return ["\n".join(line.strip() for line in block)], end


def _grid(lines: Lines) -> list[list[str]]:
    edges = [column for column, mark in enumerate(lines[0]) if mark == "+"]
    groups = [[*group] for bar, group in groupby(lines, lambda line: line[0] == "+") if not bar]
    rows = [
        [" ".join(" ".join(line[a + 1 : b] for line in group).split()) for a, b in pairwise(edges)]
        for group in groups
    ]
    headed = any("=" in line for line in lines if line[0] == "+")
    return rows if headed and rows else [[""] * (len(edges) - 1), *rows]


def _simple(lines: Lines, headed: int) -> list[list[str]]:
    """The rows of a table with rules; the second one may end its head."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    head, body = (
        [line for line in part if line and not _DASHES.fullmatch(line)]
        for part in (lines[:headed], lines[headed:])
    )
    names = [" ".join(cells).strip() for cells in zip(*_cells(starts, head), strict=True)]
    return [names or [""] * len(starts), *_cells(starts, body)]


def _cells(starts: Sequence[int], lines: Lines) -> list[list[str]]:
    """The cells of lines by where columns begin; a line without a first one goes on above."""
    rows = list[list[str]]()
    for line in lines:
        row = [line[start:end].strip() for start, end in pairwise([*starts, len(line) + 1])]
        if row[0] or not rows:
            rows.append(row)
        else:
            rows[-1] = [
                " ".join(filter(None, cell_texts)) for cell_texts in zip(rows[-1], row, strict=True)
            ]
    return rows


def table(rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown, its head first."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    head_and_body = [f"| {' | '.join(row)} |" for row in (head, *body)]
    return "\n".join((head_and_body[0], f"|{'---|' * len(head)}", *head_and_body[1:]))


def item(mark: str, blocks: Lines) -> list[str]:
    """An item of a list, such as a term with what is said of it; nothing where nothing is said."""
    if len(blocks) < 2:
        return [mark + block for block in blocks]
    inner = [re.sub(r"^(?=.)", "  ", block, flags=re.MULTILINE) for block in blocks[1:]]
    separator = "\n" if is_item(blocks[1]) else "\n\n"
    return [mark + blocks[0] + separator + "\n\n".join(inner)]


def is_item(block: str) -> bool:
    """Whether a block of Markdown is of a list."""
    return bool(re.match(r"(?:-|\(?\w{1,2}[.)]) ", block))


def fenced(language: str, lines: Lines) -> str:
    """A block of code."""
    text = "\n".join(lines).strip("\n")
    return "\n".join((f"```{language}", *([text] if text else []), "```"))


def dedented(lines: Lines) -> list[str]:
    """Lines without what all of them stand in."""
    indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return [line[indent:] for line in lines]


def further_in(lines: Lines, at: int) -> tuple[list[str], int]:
    """What stands further in below a line, and the number of the first line behind it."""
    end = first_line(lines, at + 1, is_outer)
    return dedented(lines[at + 1 : end]), end


def first_line(lines: Lines, at: int, ends: Callable[[str], object]) -> int:
    """The number of the first line, from one on, that ends a block."""
    return next((n for n in range(at, len(lines)) if ends(lines[n])), len(lines))


def is_outer(line: str) -> bool:
    """Whether a line stands no further in."""
    return line[:1] not in {"", " "}
