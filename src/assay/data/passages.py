"""Passages that were joined in one text, and where that text is split again.

A separator is decided for a column, from many rows: a rule or a numbered list in one text may well
be the text's own. What is doubtful stays whole and is reported.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any, Final

from assay._text.misspelt import normal
from assay.errors import InputError

AUTO: Final = "auto"
WHOLE: Final = "whole"
NUMBERED: Final = "numbered"

# A line that holds nothing but a rule or a mark that separates.
_RULE: Final = re.compile(
    r"^[ \t]*(?P<mark>([-=*#~+])\2{2,}|\|{2,}|<\|?sep\|?>|\[sep\]|</s>)[ \t\r]*$",
    re.MULTILINE | re.IGNORECASE,
)
# A mark that separates wherever it stands.
_INLINE: Final = re.compile(r"(?P<mark>\|{3,}|<\|?sep\|?>|\[sep\]|</s>)", re.IGNORECASE)
_LABELS: Final = "passage|context|document|doc|chunk|source|snippet|excerpt|evidence|search result"
_LABEL: Final = re.compile(
    rf"(?:^|(?<=\s))(?:\#{{1,4}}[ ]|\*\*|\[|<|=+[ ]?|-+[ ]?)?(?P<word>{_LABELS})"
    r"[ \t_]?(?:\#|no\.?[ ])?[\[(]?(?P<n>\d{1,3})[\])]?"
    r"(?:[ ]?[:>\]]|[ ]?\*\*:?|[ ]?[=-]{2,}|[.][ ]|(?=[ ]?\()|[ \t\r]*$)+",
    re.MULTILINE | re.IGNORECASE,
)
_BRACKETS: Final = re.compile(r"(?:^|(?<=\s))\[(?P<n>\d{1,3})\](?=[\s:])[ \t]*:?", re.MULTILINE)
_NUMBERS: Final = re.compile(
    r"^[ \t]*(?:(?P<n>\d{1,3})[.):]|\((?P<m>\d{1,3})\))(?=[ \t])", re.MULTILINE
)
_ELEMENT: Final = re.compile(
    r"\s*<(?P<tag>document|doc|passage|context|chunk|source|snippet|result)\b[^<>]*>"
    r"(?P<body>.*?)</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
_RULE_AT_END: Final = re.compile(r"(?:\n[ \t]*[-=*_#]{3,}[ \t\r]*)+\Z")
# A heading at the beginning of what follows a rule, and one that is underlined by the rule.
_HEADING: Final = re.compile(r"#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t\r]*(?:\n|\Z)")
_UNDERLINED: Final = re.compile(
    r"(?:\A|\n[ \t\r]*\n)[^\n]{1,80}(?<![.!?:;,\"')\]\r])\r?\n[=-]{3,}[ \t\r]*$", re.MULTILINE
)
_PARAGRAPHS: Final = re.compile(r"\n[ \t\r]*\n\s*")
_LINES: Final = re.compile(r"\n\s*")
_SENTENCE: Final = re.compile(r"[.!?]['\")\]]?\s+\S")

# Fewer rows say little of a column, where a separator could be the text's own.
_LEAST_ROWS: Final = 3
# Steps of a recipe are shorter, passages that were retrieved seldom are.
_LEAST_PASSAGE: Final = 200
_LEAST_PIECE: Final = 20
# Lines of a text that is wrapped are shorter, those that hold a passage seldom are.
_LEAST_LINE: Final = 120
# Columns that stand together in what DeepEval saves as CSV or JSONL: it joins contexts by "|".
_DEEPEVAL: Final = (
    {"customcolumnkeyvalues"},
    {"actualoutput", "retrievalcontext", "sourcefile"},
)


@dataclass(frozen=True)
class Separator:
    """What stands between the passages of one text."""

    name: str  # what messages call it
    option: str  # what `contexts` has to say so that texts are split there
    # The passages of a text; the text alone where it is not split.
    split: Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Decision:
    """What becomes of the texts of a column."""

    separator: Separator  # what was seen between passages
    splits: bool  # whether texts are split there; if not, it is only reported


def check(contexts: Any) -> None:
    """Raise InputError if this is no way to treat contexts."""
    if contexts is not None and (not isinstance(contexts, str) or not contexts):
        remedy = f"give '{AUTO}', '{WHOLE}', '{NUMBERED}', or the text between passages"
        raise InputError(f"contexts is {contexts!r}", remedy)


def chosen_decision(contexts: str) -> Decision | None:
    """What the user chose; None if nothing is to be split, or if the rows are to decide."""
    if contexts in (AUTO, WHOLE):
        return None
    if contexts == NUMBERED:
        return Decision(Separator("their numbers", NUMBERED, _split_numbered), splits=True)
    escaped = contexts.replace("\n", "\\n").replace("\t", "\\t")
    pattern = re.compile(re.escape(contexts).replace("\\\n", "\r?\n"))
    return Decision(
        Separator(f"'{escaped}'", escaped, lambda text: _split_at(text, pattern)), splits=True
    )


def decide(texts: Sequence[str], columns: Iterable[str] = ()) -> Decision | None:
    """What joins the passages in these texts of one column; None if nothing seems to.

    Args:
        texts: Each text of the first rows that is not a list of passages already.
        columns: Names of all columns that the rows have.
    """
    texts = list(dict.fromkeys(texts))  # one document may stand in many rows
    if not texts:
        return None
    names = {*map(normal, columns)}
    if any(known <= names for known in _DEEPEVAL) and any("|" in text for text in texts):
        at_bars = partial(_split_at, pattern=re.compile(r"\|"))
        return Decision(Separator("'|'", "|", at_bars), splits=True)
    for pattern, name, sure in (
        (_ELEMENT, "their tags", _surely_labelled),
        (_LABEL, "their labels", _surely_labelled),
        (_BRACKETS, "numbers in brackets", _surely_bracketed),
        (_NUMBERS, "their numbers", _surely_numbered),
    ):
        split = _split_elements if pattern is _ELEMENT else _numbered_splitter(pattern)
        pieces_of = [split(text) for text in texts]
        if sure(pieces_of):
            return Decision(Separator(name, NUMBERED, _or_one_piece(split)), splits=True)
        if 2 * sum(len(pieces) > 1 for pieces in pieces_of) >= len(texts):
            return Decision(Separator(name, NUMBERED, _or_one_piece(split)), splits=False)
    return _decide_rules(texts) or _decide_paragraphs(texts)


def _or_one_piece(split: Callable[[str], Sequence[str]]) -> Callable[[str], Sequence[str]]:
    return lambda text: split(text) or (text,)


def _surely_labelled(splits: Sequence[Sequence[str]]) -> bool:
    """Whether texts that say themselves that they are passages are what nearly all rows hold."""
    return _share(splits, 1) >= 0.8 and _share(splits, 2) > 0


def _surely_bracketed(splits: Sequence[Sequence[str]]) -> bool:
    if len(splits) < _LEAST_ROWS or _share(splits, 1) < 0.8 or _share(splits, 2) < 0.5:
        return False
    return median(len(piece) for pieces in splits for piece in pieces) >= 2 * _LEAST_PIECE


def _surely_numbered(splits: Sequence[Sequence[str]]) -> bool:
    """Whether it is passages that are numbered, and not the steps of an instruction."""
    if len(splits) < _LEAST_ROWS or _share(splits, 1) < 0.9 or _share(splits, 2) < 0.5:
        return False
    pieces = [piece for row in splits for piece in row]
    n_sentences = sum(_SENTENCE.search(piece) is not None for piece in pieces)
    return median(map(len, pieces)) >= _LEAST_PASSAGE and n_sentences >= 0.6 * len(pieces)


def _share(splits: Sequence[Sequence[str]], min_pieces: int) -> float:
    return sum(len(pieces) >= min_pieces for pieces in splits) / len(splits)


def _split_numbered(text: str) -> Sequence[str]:
    for split in (_split_elements, *map(_numbered_splitter, (_LABEL, _BRACKETS, _NUMBERS))):
        if len(passages := split(text)) > 1:
            return passages
    return (text,)


def _split_elements(text: str) -> Sequence[str]:
    bodies, position = [], 0
    while element := _ELEMENT.match(text, position):
        bodies.append(element["body"].strip())
        position = element.end()
    return bodies if all(bodies) and not text[position:].strip() else ()


def _numbered_splitter(pattern: re.Pattern[str]) -> Callable[[str], Sequence[str]]:
    """What splits a text where labels or numbers count from the beginning of it to its end.

    No passage where a number is missing, stands twice or not in its order: they may be anything's.
    """

    def split(text: str) -> Sequence[str]:
        marks = list(pattern.finditer(text.strip()))
        if not marks or marks[0].start() > 0:
            return ()
        numbers = [
            int(next(filter(None, mark.group("n", *_other_matches(pattern))))) for mark in marks
        ]
        words = {mark["word"].lower() for mark in marks} if pattern is _LABEL else set()
        if numbers[0] > 1 or any(b != a + 1 for a, b in pairwise(numbers)) or len(words) > 1:
            return ()
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        bodies = zip(marks, ends, strict=True)
        passages = [_trim(text.strip()[mark.end() : end]) for mark, end in bodies]
        return passages if all(passages) else ()

    return split


def _other_matches(pattern: re.Pattern[str]) -> Iterable[str]:
    return ("m",) if "m" in pattern.groupindex else ()


def _trim(piece: str) -> str:
    return _RULE_AT_END.sub("", piece.strip()).strip()


def _split_at(text: str, pattern: re.Pattern[str]) -> Sequence[str]:
    """Pieces between the matches; those of white space alone are left out."""
    pieces, position = [], 0
    for separator in pattern.finditer(text):
        pieces.append(text[position : separator.start()].strip())
        position = separator.end()
    if not pieces:
        return (text,)
    return [piece for piece in (*pieces, text[position:].strip()) if piece] or (text,)


def _decide_rules(texts: Sequence[str]) -> Decision | None:
    """A decision on texts with rules or other marks that separate."""
    marks: dict[tuple[str, bool], int] = {}
    for text in texts:
        for pattern in (_RULE, _INLINE):
            for mark in {separator["mark"].lower() for separator in pattern.finditer(text)}:
                marks[mark, pattern is _RULE] = marks.get((mark, pattern is _RULE), 0) + 1
    if not marks:
        return None
    mark, on_own_line = max(marks, key=lambda key: (marks[key], key[1]))
    ends = (r"^[ \t]*", r"[ \t\r]*$") if on_own_line else ("", "")
    pattern = re.compile(f"{ends[0]}{re.escape(mark)}{ends[1]}", re.MULTILINE | re.IGNORECASE)
    splits = [_split_at(text, pattern) for text in texts]
    n_split = sum(len(pieces) > 1 for pieces in splits)
    joined = sum(_is_between_passages(text, pattern) for text in texts)
    foreign = sum(pattern.search(text) is not None for text in texts) - joined
    sure = len(texts) >= _LEAST_ROWS and 2 * joined >= len(texts) and 10 * foreign <= joined
    if not sure and 5 * n_split < len(texts):
        return None
    option = f"\\n{mark}\\n" if on_own_line else mark
    name = f"'{mark}' lines" if on_own_line else f"'{mark}'"
    return Decision(Separator(name, option, lambda text: _split_at(text, pattern)), splits=sure)


def _is_between_passages(text: str, pattern: re.Pattern[str]) -> bool:
    """Whether what matches seems to stand between passages, and not between parts of one text.

    A document begins with its front matter, and what follows its rules are headings.
    """
    stripped = text.strip()
    pieces = [piece.strip() for piece in pattern.split(stripped)]
    if len(pieces) < 2 or any(len(piece) < _LEAST_PIECE for piece in pieces):
        return False
    return not _UNDERLINED.search(stripped) and not any(_HEADING.match(piece) for piece in pieces)


def _decide_paragraphs(texts: Sequence[str]) -> Decision | None:
    """Paragraphs and long lines may be passages, which texts do not show: it is only reported."""
    for pattern, name, option in (
        (_PARAGRAPHS, "blank lines", "\\n\\n"),
        (_LINES, "several lines", "\\n"),
    ):
        separator = Separator(name, option, partial(_split_at, pattern=pattern))
        splits = [separator.split(text) for text in texts]
        if len(texts) < _LEAST_ROWS or _share(splits, 2) < 0.8:
            continue
        lengths = [len(piece) for pieces in splits for piece in pieces]
        if pattern is _PARAGRAPHS or median(lengths) >= _LEAST_LINE:
            return Decision(separator, splits=False)
    return None
