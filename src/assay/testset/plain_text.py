"""Plain text, reStructuredText and pages of `man` or of PDF files, written as Markdown."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from assay.testset.restructured_text import (
    FIELD,
    SUBSTITUTION,
    cells,
    dedented,
    drawn_table,
    entries,
    explicit,
    fenced,
    inline,
    is_item,
    item,
    table,
)

_RST: Final = re.compile(
    r"^\.\. [\w:-]+::|^\.\. _[^:\n]+:|:[a-z]+(?::[a-z]+)?:`[^`\n]|::\n\n[ \t]+\S|``\w", re.MULTILINE
)
_RULE: Final = re.compile(r"([=\-~^*`#\"'+.:_<>])\1{2,}")
_THIN: Final = re.compile(r"\s*[-=]{3,}(?: +[-=]{3,})* *")  # below the names of columns
_ATX: Final = re.compile(r"#{1,6} \S")
_FENCE: Final = re.compile(r"\s{0,3}(```+|~~~+)")
_ROW: Final = re.compile(r"\|.*\|")
_ITEM: Final = re.compile(
    r"(?P<mark>[-*+\u2022\u2023\u25e6\u25aa\u2013\u00b7]|\(?(?:\d{1,2}|#|[a-z])\)|(?:\d{1,2}|#)\.)"
    r"[ ]+(?=\S)"
)
_PARAMETER: Final = re.compile(r"(?:param|parameter|arg|argument|key|keyword)\s+(?:.*\s)?(\S+)")
_OF_PAGES: Final = frozenset(("orphan", "tocdepth", "nocomments", "nosearch", "hide-toc"))
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
_CHAPTER: Final = re.compile(
    r"(?:Chapter|Appendix|Part|CHAPTER|APPENDIX|PART) [\dA-Z]{1,3}[.:]? (?P<name>\S.{2,70}[^.:;,!])"
)
_ENDED: Final = re.compile(r"[.:!?;][\"')\]\u201d]?$")
_SHOWN: Final = re.compile("\x1b\\[[0-9;]*m|.\x08")  # how a terminal shows letters
_BLANK: Final = re.compile(r"[^\S\n\f ]")
# Numbered titles, line by line: no text stands below them.
_CONTENTS: Final = re.compile(r"(?:^[ ]*\d+(?:\.\d+)*\.?[ ]+\S.{1,70}\n){4,}", re.MULTILINE)
_QUOTED: Final = re.compile(r"(?<![`\w])`([\w.()%$\[\]-]+)'(?!\w)")  # "`name'", as is old usage
_LEADERS: Final = re.compile(r"(?:\. ?){4,}\s*[\divxl]+\s*$")
_CUT: Final = re.compile(
    r"(?<!\w)(?P<first>[A-Za-z]{2,})(?P<mark>[-\u2010])\n[ ]*(?P<second>[a-z]{2,})(?:[ ]|(?=\W))"
)
_LONG: Final = 45  # letters of a line that goes on in the next one, on average
_LONGEST_HEADING: Final = 70
_LONGEST_ENTRY: Final = 300  # of a table of contents
_LONGEST_TITLE: Final = 100  # that is underlined
_WIDE: Final = 0.8  # of the width of a page has a line that goes on
_GAP: Final = "     "  # within the head of a page
_EDGES: Final = 2  # lines at each end of a page that may be its head and foot
_SPARSE: Final = 12  # full lines for an empty one, where paragraphs are not kept apart
# What is made of some lines, and the number of the first line behind them.
_Made = tuple[list[str], int]


def as_markdown(text: str, *, rst: bool = False) -> str:
    """A text with its headings, lists, tables and code as in Markdown, a paragraph a line.

    Args:
        text: The whole text; where it is Markdown already, it stays so.
        rst: Whether it is reStructuredText for sure; else its marks tell.
    """
    rst = rst or len(_RST.findall(text)) > 2
    text = _BLANK.sub(" ", _SHOWN.sub("", text.expandtabs()))
    if not rst:
        text = _QUOTED.sub(r"`\1`", _CONTENTS.sub("\n", _of_manual(_of_pages(text))))
    reader = _Reader(text, rst=rst)
    lines = _unhyphenated(text, rst=rst).split("\n")
    return "\n\n".join(reader.read([line.rstrip() for line in lines]))


def _of_pages(text: str) -> str:
    """A text without what stands at the edges of its pages, and with its paragraphs apart."""
    text = re.sub(r"\n[^\n]*\[Page [\divx]+\]\s*\n|(?<=\n\n)[ ]*_{9,}[ ]*\n", "\n\f", text)
    text = re.sub(r"^[ ]*_{9,}[ ]*$", "", text, flags=re.MULTILINE)
    pages = [page.strip("\n").split("\n") for page in text.split("\f")]
    if len(pages) == 1:
        heads = Counter(line for line in text.split("\n") if _GAP in line.strip())
        lines = ("" if heads[line] > 2 else line for line in text.split("\n"))
        return re.sub(r"(?<=\n\n)[ ]*\d+\n(?=\n)", "", "\n".join(lines))
    often = Counter[str | int]()
    for number, page in enumerate(pages):
        often.update({key for _, line in _outer(page) for key in _edge(line, number)})
    joined = list[str]()
    for number, page in enumerate(pages):
        gone = {
            at
            for at, line in _outer(page)
            if re.fullmatch(r"[\W\divx]*", line.strip())
            or any(often[key] > max(2, len(pages) / 5) for key in _edge(line, number))
        }
        kept = "\n".join(_apart([line for at, line in enumerate(page) if at not in gone]))
        kept = re.sub(r"\A(?:[ ]*\n)+|\s+\Z", "", kept)
        goes_on = joined and not _ENDED.search(joined[-1]) and kept.lstrip()[:1].islower()
        joined += [kept] if goes_on else ["", kept]
    return "\n".join(joined)


def _outer(page: Sequence[str]) -> list[tuple[int, str]]:
    """The first and the last lines of a page that are not empty."""
    full = [(at, line) for at, line in enumerate(page) if line.strip()]
    return full if len(full) <= 2 * _EDGES else [*full[:_EDGES], *full[-_EDGES:]]


def _edge(line: str, page: int) -> list[str | int]:
    """What a line at the edge of a page has in common with others: words, the page's number."""
    words = " ".join(line.split())
    number = re.search(r"^\d{1,4}(?= \D)|(?<= )\d{1,4}$", words)
    return [re.sub(r"\d+|\b[ivxlc]+$", "0", words), *([int(number[0]) - page] if number else [])]


def _apart(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a page; one that has no empty lines gets them where paragraphs end."""
    full = sorted(len(line) for line in lines if line.strip())
    if not full or _SPARSE * sum(not line.strip() for line in lines) > len(full):
        yield from lines
        return
    width = full[len(full) * 9 // 10]
    for at, line in enumerate(lines):
        after = lines[at + 1].lstrip() if at + 1 < len(lines) else ""
        yield line
        short = len(line) < _WIDE * width
        heading = short and _NUMBERED.fullmatch(line) and (not at or _ENDED.search(lines[at - 1]))
        ends = short and (after[:1].isupper() or after[:1].isdigit())
        numbered = _ENDED.search(line) and _NUMBERED.fullmatch(after)
        if heading or ends or numbered or _ITEM.match(after):
            yield ""


def _unhyphenated(text: str, *, rst: bool) -> str:
    """A text whose words are not cut at the ends of lines."""
    known = frozenset(re.findall(r"[a-z]{2,}", text.lower()))
    whole = frozenset(re.findall(r"(?<![\w-])[a-z]{2,}(?![\w-])", text.lower()))

    def join(cut: re.Match[str]) -> str:
        first, second = cut["first"], cut["second"]
        word = (first + second).lower()
        compound = rst or (cut["mark"] == "-" and {first.lower(), second.lower()} <= whole)
        return f"{first}{'' if word in known or not compound else '-'}{second}\n"

    return _CUT.sub(join, text)


def _of_manual(text: str) -> str:
    """A page of `man` with its headings marked; any other text as it is."""
    head = re.match(r"\s*([\w.+:-]+\(\d\w*\))[ ]+\S.*[ ]\1[ ]*\n", text)
    if not head:
        return text
    lines = list[str]()
    for line in text[head.end() :].rstrip().split("\n")[:-1]:
        indent = len(line) - len(line.lstrip())
        level = {0: "##", 3: "###"}.get(indent) if line.strip() else None
        lines += ["", f"{level} {line.strip()}", ""] if level else [line[min(indent, 7) :]]
    return "\n".join(lines)


class _Reader:
    """Reads the blocks of a text by their marks and how far they stand in."""

    def __init__(self, text: str, *, rst: bool) -> None:
        self.level = 0  # of the heading above
        self._rst = rst
        self._substitutions = dict(SUBSTITUTION.findall(text))
        full = [line for line in text.split("\n") if line.strip()]
        self._inward = 3 * sum(line[0] == " " for line in full) > 2 * len(full)  # but headings
        self._sectioned = bool(re.search(r"^\d+\.\d+\.? +[A-Z]", text, re.MULTILINE))
        self._styles: list[str] = []  # of headings, the outermost first
        self._any = False  # block so far
        self._depth = 0
        both = (self._marked, self._underlined)
        alone = (self._explicit,) if rst else (self._titled, self._numbered, self._apart)
        lists = (self._drawn, self._item) if rst else (self._drawn, self._item, self._columns)
        last = (self._field, self._option, self._term, self._indented, self._paragraph)
        self._rules: Sequence[Callable[[Sequence[str], int], _Made | None]] = (
            *(*both, *alone),
            *(*lists, *last),
        )

    def read(self, lines: Sequence[str]) -> list[str]:
        """The blocks of these lines, in Markdown."""
        lines = dedented(lines)
        self._depth += 1
        blocks, at = list[str](), 0
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            made, at = next(filter(None, (rule(lines, at) for rule in self._rules)))
            follows = blocks and made and is_item(blocks[-1]) and is_item(made[0])
            if follows and "\n\n" not in blocks[-1] + made[0]:
                blocks[-1] += f"\n{made.pop(0)}"
            blocks += made
            self._any = self._any or bool(made)
        self._depth -= 1
        return blocks

    def inline(self, text: str) -> str:
        """A text with its inline marks as in Markdown."""
        return inline(text, self._substitutions) if self._rst else text

    def _marked(self, lines: Sequence[str], at: int) -> _Made | None:
        """What is Markdown already, and lines at a prompt of Python."""
        line, below = _two(lines, at)
        if fence := _FENCE.match(line):
            end = _until(lines, at + 1, lambda one: one.strip().startswith(fence[1])) + 1
            return ["\n".join(lines[at:end])], end
        if line.startswith(">>> "):
            end = _until(lines, at, lambda one: not one.strip())
            return [fenced("python", lines[at:end])], end
        if _ROW.fullmatch(line) and _ROW.fullmatch(below):
            end = _until(lines, at, lambda one: not _ROW.fullmatch(one))
            return ["\n".join(lines[at:end])], end
        if not self._rst and _ATX.match(line) and not below:
            self.level = len(line) - len(line.lstrip("#"))
            return [line], at + 1
        return None

    def _underlined(self, lines: Sequence[str], at: int) -> _Made | None:
        """A heading with a line of marks below it, or above and below; nothing of other ones."""
        line, below = _two(lines, at)
        if _RULE.fullmatch(line):
            last = "".join(lines[at + 2 : at + 3])
            if below.strip() and last[:1] == line[0] and _RULE.fullmatch(last):
                return [self._styled(below.strip(), line[0] * 2)], at + 3
            return [], at + 1
        rule = _RULE.fullmatch(below)
        odd = rule and not self._rst and (rule[1] in ".:<>_`" or "   " in line)
        if not rule or odd or line[0] == " " or not len(line) < 2 * len(below) < _LONGEST_TITLE * 2:
            return None
        return [self._styled(line, below[0])], at + 2

    def _styled(self, name: str, style: str) -> str:
        """A heading, as deep as the first of its style."""
        if style not in self._styles:
            self._styles.append(style)
        named = re.fullmatch(r"[a-z][a-z\d]*(?:[_.][a-z\d]+)+|--?[a-z][\w-]+", name)
        name = f"`{name}`" if named else self.inline(name)
        return self._headed(name, self._styles.index(style) + 1)

    def _headed(self, name: str, level: int) -> str:
        self.level = level
        return f"{'#' * min(6, level)} {name}"

    def _titled(self, lines: Sequence[str], at: int) -> _Made | None:
        """The first line of a text, where that stands alone."""
        line, below = _two(lines, at)
        name = line.strip()
        odd = self._any or below or _ENDED.search(name) or "   " in name or _ITEM.match(name)
        if odd or len(name) > _LONGEST_HEADING or (len(lines) == 1 and self._depth == 1):
            return None
        return [self._headed(name, 1)], at + 1

    def _numbered(self, lines: Sequence[str], at: int) -> _Made | None:
        """The heading of a chapter or section with its number; nothing of a table of contents."""
        line, below = _two(lines, at)
        if len(line) < _LONGEST_ENTRY and _LEADERS.search(line):
            return [], at + 1
        if below or (at and lines[at - 1]):
            return None
        if chapter := _CHAPTER.fullmatch(line):
            return [self._headed(chapter["name"], 1)], at + 1
        numbered = _NUMBERED.fullmatch(line)
        if not numbered or len(line) > _LONGEST_HEADING:
            return None
        deep, after = numbered["number"].count("."), next(filter(None, lines[at + 1 :]), "")
        if deep or self._sectioned or not (_ITEM.match(after) or after[:1] == " "):
            return [self._headed(numbered["name"], deep + 2)], at + 1
        return None

    def _apart(self, lines: Sequence[str], at: int) -> _Made | None:
        """A heading without marks: in capitals, or where all text stands further in."""
        line, below = _two(lines, at)
        if line[0] == " " or (at and lines[at - 1]) or (below and below[0] != " "):
            return None
        outer = self._inward and self._depth == 1 and "   " not in line and line[0].isalnum()
        outer = outer and not below and len(line) <= _LONGEST_HEADING
        plain = not _ENDED.search(line) and not _ITEM.match(line)
        if (_CAPITALS.fullmatch(line) and not _OPTION.fullmatch(line)) or (outer and plain):
            return [self._headed(line, 2)], at + 1
        return None

    def _explicit(self, lines: Sequence[str], at: int) -> _Made | None:
        if not re.match(r"\.\.(?: |$)|__ ", lines[at]):
            return None
        end = _block_end(lines, at)
        return explicit(lines[at:end], self), end

    def _drawn(self, lines: Sequence[str], at: int) -> _Made | None:
        """A table that is drawn; in plain text, one row of it is a box."""
        if lines[at][0] not in "+=" or not (found := drawn_table(lines[at:])):
            return None
        end, rows = at + found[0], found[1]
        if not self._rst and len(rows) < 3:
            return [fenced("text", lines[at:end])], end
        return [table([self.inline(cell) for cell in row] for row in rows)], end

    def _columns(self, lines: Sequence[str], at: int) -> _Made | None:
        """A table whose cells only blanks keep apart."""
        if "  " not in lines[at].strip():
            return None
        end = _until(lines, at, lambda one: not one)
        full = [line for line in lines[at:end] if not _THIN.fullmatch(line)]
        if len(full) < 3 or not all("  " in line.strip() for line in full[:3]):
            return None
        columns = range(max(map(len, full)))
        blank = ("x" if any(line[n : n + 1].strip() for line in full) else " " for n in columns)
        starts = [0, *(gap.end() for gap in re.finditer(r"(?<=x) {2,}", "".join(blank)))]
        ruled = bool(_THIN.fullmatch(lines[at + 1]))
        if len(starts) < (2 if ruled else 3):
            return None
        rows = cells(starts, full[:1])
        rows = [*rows, *cells(starts, full[1:])] if ruled else cells(starts, full)
        return [table(rows if ruled else [[""] * len(starts), *rows])], end

    def _item(self, lines: Sequence[str], at: int) -> _Made | None:
        """An item of a list, with its mark as in Markdown."""
        if not (marked := _ITEM.match(lines[at])):
            return None
        end = at + 1
        while end < len(lines):
            line, before = lines[end], lines[end - 1]
            lazy = not self._rst and line[:1].islower() and len(before) > _LONG
            if line and line[0] != " " and not lazy:
                break
            end += 1
        blocks = self.read([lines[at][marked.end() :], *dedented(lines[at + 1 : end])]) or [""]
        mark = marked["mark"] if re.match(r"[(a-z\d#]", marked["mark"]) else "-"
        return [item(f"{'1.' if '#' in mark else mark} {blocks[0]}", blocks[1:])], end

    def _field(self, lines: Sequence[str], at: int) -> _Made | None:
        """A field, as ":param name: What it is"."""
        if not self._rst or not (field := FIELD.match(lines[at])):
            return None
        end = _block_end(lines, at)
        blocks = self.read([field["body"], *dedented(lines[at + 1 : end])])
        of_call = _PARAMETER.fullmatch(field["name"])
        known = field["name"].lower() in _OF_PAGES or field["name"].startswith("type ")
        name = f"`{of_call[1].strip('*')}`" if of_call else f"**{field['name']}**"
        return [] if known else entries(name, blocks), end

    def _option(self, lines: Sequence[str], at: int) -> _Made | None:
        """An option of a command; its names may stand in several lines."""
        names = list[str]()
        while (option := _OPTION.fullmatch(_two(lines, at)[0])) and not option["body"]:
            names.append(option["names"])
            at += 1
        first = [option["body"]] if option else []
        if option:
            names.append(option["names"])
        elif not names or not (at < len(lines) and lines[at][:1] == " "):
            return None
        at -= not option
        end = _block_end(lines, at)
        blocks = self.read([*first, *dedented(lines[at + 1 : end])])
        return entries(f"`{', '.join(names)}`", blocks), end

    def _term(self, lines: Sequence[str], at: int) -> _Made | None:
        """A term with what it means below it, further in."""
        line, below = _two(lines, at)
        before = lines[at - 1] if at else ""
        if line[0] == " " or below[:1] != " " or (before and before[0] != " "):
            return None
        term = re.sub(r"\s+(?::|--) .*", "", line)  # and what kind of thing it is
        if re.fullmatch(r"``[^`]+``:|[\w./-]+:|[A-Z]\w+ \w+:", term):
            term = term[:-1]
        code = _ITEM.match(below.lstrip()) or (not self._rst and _IN_CODE.search(below))
        if code or _ENDED.search(term) or _NO_TERM.search(term):
            return None
        name, first = self.inline(term), self.inline(term).partition(" ")[0]
        spelled = _SPELLED.search(first) and name.count(" ") < 3
        if "`" not in name:
            name = f"`{name}`" if spelled else f"**{name}**"
        end = _block_end(lines, at)
        return entries(name, self.read(lines[at + 1 : end])), end

    def _indented(self, lines: Sequence[str], at: int) -> _Made | None:
        """A block that stands further in: a quotation, or code where its text is not plain."""
        if lines[at][0] != " ":
            return None
        end = _until(lines, at, _is_outer)
        block = dedented(lines[at:end])
        return [fenced("text", block)] if self._is_code(block) else self.read(block), end

    def _paragraph(self, lines: Sequence[str], at: int) -> _Made | None:
        if self._rst:
            return self._paragraph_and_code(lines, at)
        end = at + 1
        while end < len(lines) and lines[end]:
            further = lines[end][0] == " " and lines[end - 1].endswith(":")
            code = lines[end][0] == " " and self._is_code([lines[end]])
            if further or code or _ITEM.match(lines[end].lstrip()):
                break
            end += 1
        block = lines[at:end]
        if _ATX.match(block[0]):  # the prompt of a shell, or a comment
            return [fenced("text", block)], end
        long = sum(map(len, block[:-1])) >= _LONG * len(block[:-1])
        if long or any(line.strip()[0].islower() for line in block[1:]):
            return [" ".join(" ".join(block).split())], end
        return ["\n".join(line.strip() for line in block)], end

    def _paragraph_and_code(self, lines: Sequence[str], at: int) -> _Made:
        """A paragraph, and the code that "::" announces."""
        end = _until(lines, at, lambda one: not one)
        block = lines[at:end]
        if block[0].startswith("| "):
            return [self.inline("\n".join(line.removeprefix("|").strip() for line in block))], end
        text = " ".join(" ".join(block).split())
        if _ATX.match(text):
            return [fenced("text", block)], end
        if not text.endswith("::"):
            return [self.inline(text)], end
        text = text[:-2].rstrip() if text == "::" or text.endswith(" ::") else text[:-1]
        behind = _until(lines, end, _is_outer)
        code = dedented(lines[end:behind])
        made = [self.inline(text)] if text else []
        return [*made, *([fenced("text", code)] if "".join(code).strip() else [])], behind

    def _is_code(self, block: Sequence[str]) -> bool:
        """Whether the lines of a block are no prose and no list."""
        full = [line for line in block if line.strip()]
        marked = sum(bool(_IN_CODE.search(line)) for line in full)
        listed = self._rst or _ITEM.match(full[0]) or full[0].startswith("-")
        return not listed and 2 * marked >= len(full)


def _two(lines: Sequence[str], at: int) -> tuple[str, str]:
    """A line and the one below it; "" where there is none."""
    first, second, *_ = (*lines[at : at + 2], "", "")
    return first, second


def _until(lines: Sequence[str], at: int, ends: Callable[[str], object]) -> int:
    """The number of the first line, from one on, that ends a block."""
    return next((n for n in range(at, len(lines)) if ends(lines[n])), len(lines))


def _block_end(lines: Sequence[str], at: int) -> int:
    """The number of the line behind a line and all that stands further in below it."""
    return _until(lines, at + 1, _is_outer)


def _is_outer(line: str) -> bool:
    return bool(line) and line[0] != " "
