"""Numbered sentences of texts, and the words of them that a statement was taken from."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from assay._text import memoized
from assay._text.markup import clean
from assay._text.sentences import spans
from assay._text.statements import statements
from assay._text.words import WORD, stem, stems
from assay.errors import Unreadable
from assay.tasks.base import schema

Span = tuple[int, int]
_SINGLE = re.compile("['\u2018\u2019]")
_DOUBLE = re.compile('["\u201c\u201d\u201e]')
_NUMBER = re.compile(r"<?(\d{1,9})>?")
# A statement that has no word of its sentence and this share of another's was given a wrong number.
_ELSEWHERE = 0.5


@memoized(256, longest=20_000)
def _spans(text: str) -> list[Span]:
    return spans(text)  # for the prompt, and again for its reply


def is_numbered(text: str) -> bool:
    """Whether a prompt's example numbers the sentences of its text."""
    return "<1> " in text


class _StatementsForm(msgspec.Struct):
    statements: list[list[str]]


SCHEMA = schema(_StatementsForm)


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement and the characters of its text that it was taken from."""

    text: str
    span: Span


@dataclass(frozen=True)
class NumberedSentences:
    """The sentences of several texts, numbered from 1 on from text to text.

    Attributes:
        texts: The texts.
    """

    texts: Sequence[str]
    _places: list[tuple[int, Span]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbered_spans = [(n, span) for n, text in enumerate(self.texts) for span in _spans(text)]
        object.__setattr__(self, "_places", numbered_spans)

    def numbered_texts(self) -> list[str]:
        """The texts, each sentence after its number: "<1> It rains. <2> It pours."."""
        texts = list(self.texts)
        for number in range(len(self._places), 0, -1):
            n, (start, _) = self._places[number - 1]
            texts[n] = f"{texts[n][:start]}<{number}> {texts[n][start:]}"
        return texts

    def read(self, lists: Sequence[Sequence[str | int]], raw: str) -> list[list[Placed] | None]:
        """The statements of each text; None for one of which a sentence that claims is left out.

        Args:
            lists: Of a sentence its number alone where it is a statement as it stands, else its
                number and the statements that it makes; "" for none.
            raw: The reply, for errors.

        Raises:
            Unreadable: If a list names no sentence, or a statement is plainly of another one.
        """
        by_number: dict[int, list[str]] = {}
        for name, *texts in lists:
            number = self._number(str(name), raw)
            sentence_statements = [str(text).strip() for text in texts] or [self._sentence(number)]
            by_number.setdefault(number, []).extend(text for text in sentence_statements if text)
        placed: list[list[Placed]] = [[] for _ in self.texts]
        for number, sentence_statements in sorted(by_number.items()):
            n, (start, _) = self._places[number - 1]
            self._check(number, sentence_statements, raw)
            for text, (first, last) in zip(
                sentence_statements, _windows(self._bare(number), sentence_statements), strict=True
            ):
                placed[n].append(Placed(text, (start + first, start + last)))
        left_out = self._claiming(set(by_number))
        return [
            None if n in left_out else statements_of_text
            for n, statements_of_text in enumerate(placed)
        ]

    def lists(self, statements_of_texts: Sequence[Sequence[tuple[str, int]]]) -> list[list[str]]:
        """What `read` reads, of the statements of each text and where they begin."""
        lists = []
        for number, (n, (start, end)) in enumerate(self._places, start=1):
            own_statements = [
                text for text, begin in statements_of_texts[n] if start <= begin < end
            ]
            is_sentence = own_statements == [self._sentence(number)]
            lists.append([str(number), *([] if is_sentence else own_statements or [""])])
        return lists

    def _number(self, name: str, raw: str) -> int:
        match = _NUMBER.fullmatch(name.strip())
        number = int(match[1]) if match else 0
        if not 1 <= number <= len(self._places):
            fault = f"no number of the {len(self._places)} sentences"
            raise Unreadable(f"statements of '{name}', which is {fault}", raw=raw)
        return number

    def _bare(self, number: int) -> str:
        n, (start, end) = self._places[number - 1]
        return self.texts[n][start:end]

    def _sentence(self, number: int) -> str:
        """A sentence as a statement: without marks and citations."""
        return clean(self._bare(number)).strip()

    def _check(self, number: int, sentence_statements: Sequence[str], raw: str) -> None:
        sentence = self._bare(number)
        for text in sentence_statements:
            own_stems = set(stems(text)) if text != sentence else set()
            if not own_stems or own_stems.intersection(stems(sentence)):
                continue
            for other_number in range(1, len(self._places) + 1):
                if len(own_stems.intersection(stems(self._bare(other_number)))) >= _ELSEWHERE * len(
                    own_stems
                ):
                    fault = (
                        f"a statement of sentence {number} is of sentence {other_number}: {text!r}"
                    )
                    raise Unreadable(fault, raw=raw)

    def _claiming(self, numbers: set[int]) -> set[int]:
        """The texts with a sentence that is not named, though by rules it claims something."""
        left_out: set[int] = set()
        for number, (n, (start, end)) in enumerate(self._places, start=1):
            if number in numbers or n in left_out:
                continue
            if any(s.start < end and start < s.end for s in statements(self.texts[n])):
                left_out.add(n)
        return left_out


def _windows(sentence: str, sentence_statements: Sequence[str]) -> list[Span]:
    """The words of a sentence that each of its statements was taken from.

    From the first to the last word that it has and that not all of them have, such as a subject.
    """
    if len(sentence_statements) == 1:
        return [(0, len(sentence))]
    tokens = [(*match.span(), stem(match[0].lower())) for match in WORD.finditer(sentence)]
    by_statement: Mapping[int, set[str]] = {
        n: set(stems(text)) for n, text in enumerate(sentence_statements)
    }
    common = set.intersection(*by_statement.values()) if sentence_statements else set()
    windows = []
    for own_stems in by_statement.values():
        matches = [t for t in tokens if t[2] in own_stems - common] or [
            t for t in tokens if t[2] in own_stems
        ]
        windows.append((matches[0][0], matches[-1][1]) if matches else (0, len(sentence)))
    return windows


def find(text: str, source: str, *starts: int) -> tuple[int, int] | None:
    """Where `source` stands in `text`, looked for from each of `starts` and then from 0.

    As words of their own, if it does so anywhere ("5" is not found in "15"); None if nowhere. White
    space, marks of emphasis and the shape of quotation marks may differ: models do not copy these.
    """
    source = source.strip()
    if not source:
        return None
    all_starts = (*starts, 0)
    for start in all_starts:
        if (begin := _as_words(text, source, start)) >= 0:
            return begin, begin + len(source)
    loosely = re.compile(_loose_pattern(source))
    if match := next(filter(None, (loosely.search(text, start) for start in all_starts)), None):
        return match.span()
    begin = next((begin for start in all_starts if (begin := text.find(source, start)) >= 0), -1)
    return (begin, begin + len(source)) if begin >= 0 else None


def _as_words(text: str, source: str, start: int) -> int:
    """Where `source` begins that no letter or digit goes on, -1 if nowhere."""
    begin = text.find(source, start)
    while begin >= 0:
        end = begin + len(source)
        begun = source[0].isalnum() and begin > 0 and _in_word(text[begin - 1])
        if not begun and not (source[-1].isalnum() and _in_word(text[end : end + 1])):
            return begin
        begin = text.find(source, begin + 1)
    return begin


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _loose_pattern(source: str) -> str:
    # No longer run of blanks and marks: each would be gone through from each of its places.
    words = r"[\s*_`]{1,40}".join(map(re.escape, source.split()))
    pattern = _SINGLE.sub(_SINGLE.pattern, _DOUBLE.sub(_DOUBLE.pattern, words))
    before = r"(?<![^\W_])" if source[0].isalnum() else ""
    after = r"(?![^\W_])" if source[-1].isalnum() else ""
    return f"{before}{pattern}{after}"
