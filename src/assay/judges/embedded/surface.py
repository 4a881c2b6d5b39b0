"""Texts as the judge reads them: no mark-up, no citation marks, usual case, typing errors undone.

What is written otherwise but says the same must not be judged otherwise. A word of the tokenizer's
vocabulary is taken for a word; others may be misspelt ones of the texts that they stand beside.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from assay._text import acronyms, manners, words
from assay._text.expressions import expression
from assay._text.markup import lead_end, marks
from assay._text.numbers import Normalized
from assay._text.sentences import spans
from assay._text.statements import REPLY_LEAD, is_phrase
from assay.judges.embedded.inference import tokenizer

_WORD = expression(r"[^\W\d_]+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST = 5  # letters of a word of the texts beside that may be misspelt
_LONGEST = 40  # letters; what is longer is no word, and has too many neighbours to look through
_SUBSTITUTED = 5  # letters from which on one of them may have been mistyped for another
_ENDING = 3  # letters at the end where another letter makes another word: "nitrite", "nitrate"
_FEW = 5  # words; of fewer it cannot be told whether they are all written large
_SHOUTED, _TITLED = 0.8, 0.9  # share of capitals, of words with one


_HERE = expression(
    r"(?:here(?:'s| is)|this is) (?:the|an|my|your) (?:answer|response|reply)\b[^:.\n]{0,60}:\s+"
    r"(?=\S)",
    re.IGNORECASE,
)


class Vocabulary(NamedTuple):
    """The words of some texts.

    Attributes:
        written: How each is written, by the word in lower case; in lower case where it ever is.
        stems: Their stems.
        rates: How what is counted by a unit of time is, "a year" by "year".
        texts: The texts.
    """

    written: Mapping[str, str]
    stems: frozenset[str]
    rates: Mapping[str, str]
    texts: tuple[str, ...] = ()


class Edit(NamedTuple):
    """Characters of a text and what is read in their place."""

    start: int
    end: int
    read: str


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """The words of texts."""
    spelling_of: dict[str, str] = {}
    rates: dict[str, str] = {}
    texts = tuple(texts)
    for text in texts:
        for rate in _RATE.finditer(text):
            rates.setdefault(_unit(rate), rate["rate"].lower())
        for match in _WORD.finditer(text):
            word = match[0]
            if word.lower() not in spelling_of or word.islower():
                spelling_of[word.lower()] = word
    return Vocabulary(spelling_of, frozenset(map(words.stem, spelling_of)), rates, texts)


NOTHING = Vocabulary({}, frozenset(), {})


def plain(text: str, vocabulary: Vocabulary = NOTHING) -> Normalized:
    """A statement, or a sentence, in the form in which it is read beside texts of these words."""
    edited = _apply_edits(Normalized(text), [Edit(*span, "") for span in _lead_ins(text)])
    edited = _apply_edits(edited, [Edit(*span, "") for span in marks(edited.text)])
    if not edited.text.strip():  # nothing but marks
        return Normalized(text)
    edited = _apply_edits(edited, list(_recase(edited.text, vocabulary)))
    edited = _apply_edits(edited, list(_rates_of(edited.text, vocabulary)))
    names = acronyms.as_written(edited.text, vocabulary.texts, vocabulary.written)
    edited = _apply_edits(edited, [Edit(*span, read) for span, read in names])
    return _apply_edits(edited, list(_respelt(edited.text, vocabulary)))


def _apply_edits(before: Normalized, edits: list[Edit]) -> Normalized:
    """A text after some edits, which are in order and apart from each other."""
    if not edits:
        return before
    pieces: list[str] = []
    changes: list[tuple[int, int, int, int]] = []
    done = length = 0
    for start, end, read in edits:
        pieces += [before.text[done:start], read]
        length += start - done
        changes.append((length, length + len(read), start, end))
        length, done = length + len(read), end
    pieces.append(before.text[done:])
    base = before if before.changes else None
    return Normalized("".join(pieces), tuple(changes), base)


def _lead_ins(text: str) -> Iterator[tuple[int, int]]:
    """Polite sentences before the first that states something, and what leads into that one."""
    stated = [span for span in spans(text) if not _is_manners(text[slice(*span)])]
    if not stated:
        return
    begin = stated[0][0]
    begin += lead_end(text[begin:])
    if opening := _HERE.match(text, begin):
        begin = opening.end()
    elif (reply := REPLY_LEAD.match(text, begin)) and not is_phrase(text[reply.end() :]):
        begin = reply.end()  # "No, dogs are not allowed" denies nothing more than what follows
    if 0 < begin < len(text):
        yield 0, begin


def _recase(text: str, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Words of a text in capitals, or written as titles are, as the texts beside write them."""
    matches = list(_WORD.finditer(text))
    letters = "".join(match[0] for match in matches)
    if len(matches) < _FEW:
        return
    large = [match for match in matches if match[0][0].isupper()]
    shouted = sum(map(str.isupper, letters)) >= _SHOUTED * len(letters)
    if not shouted and len(large) < _TITLED * len(matches):
        return
    for n, match in enumerate(matches):
        word = match[0].lower()
        read = vocabulary.written.get(word, word if is_known(word) else word.capitalize())
        read = read.capitalize() if n == 0 and read.islower() else read
        if read != match[0]:
            yield Edit(*match.span(), read)


# They say the same, but the reader takes one that the texts beside do not have for more.
_ADVERBS = {
    "annually": "year", "yearly": "year", "monthly": "month", "weekly": "week", "daily": "day",
    "hourly": "hour",
}  # fmt: skip
# "20 euros a year", "twice per day"
_RATE = expression(
    r"(?:\d\S{0,20}(?:\s[^\W\d]{1,20}){0,2}|\b(?:once|twice|times))\s(?P<rate>(?:an?|per|each|every)\s"
    rf"(?P<unit>{'|'.join(dict.fromkeys(_ADVERBS.values()))}|night|minute|second)"
    rf"|(?P<adverb>{'|'.join(_ADVERBS)}))\b",
    re.IGNORECASE,
)


def _unit(rate: re.Match[str]) -> str:
    return _ADVERBS[rate["adverb"].lower()] if rate["adverb"] else rate["unit"].lower()


def _rates_of(text: str, vocabulary: Vocabulary) -> Iterator[Edit]:
    """What is counted by a unit of time, as the texts beside say it."""
    for rate in _RATE.finditer(text):
        read = vocabulary.rates.get(_unit(rate), rate["rate"])
        if rate["rate"].lower() != read:
            yield Edit(*rate.span("rate"), read)


def _respelt(text: str, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Words of a text that are misspelt ones of the texts beside."""
    for n, match in enumerate(_WORD.finditer(text)):
        word = match[0].lower()
        if is_known(word) or not word.isascii() or not _SHORTEST - 1 <= len(word) <= _LONGEST:
            continue
        if word in vocabulary.written or words.stem(word) in vocabulary.stems:
            continue
        name_like = n > 0 and not match[0].islower()
        if read := _intended(word, vocabulary, name_like=name_like):
            yield Edit(*match.span(), _case_like(vocabulary.written.get(read, read), match[0]))


def _case_like(read: str, spelling: str) -> str:
    if spelling.islower():
        return read.lower()
    return read.capitalize() if spelling[0].isupper() and read.islower() else read


def _intended(word: str, vocabulary: Vocabulary, *, name_like: bool) -> str:
    """The one word of the texts beside that a slip of the finger makes this of; else ""."""
    slips = _slips(word) if name_like else [*_slips(word), *_mistyped(word)]
    candidates = {
        slip for slip in slips if len(slip) >= _SHORTEST and _in_vocabulary(slip, vocabulary)
    }
    return candidates.pop() if len(candidates) == 1 else ""


def _in_vocabulary(word: str, vocabulary: Vocabulary) -> bool:
    # "artichokes" where the texts have "artichoke", but no form that only looks like one.
    return word in vocabulary.written or (is_known(word) and words.stem(word) in vocabulary.stems)


def _slips(word: str) -> Iterator[str]:
    """Two letters exchanged, a doubled letter written once, or one written twice."""
    for i in range(1, len(word) - 1):
        if word[i] != word[i + 1]:
            yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    for i in range(1, len(word)):
        yield word[:i] + word[i - 1] + word[i:]
        if word[i] == word[i - 1]:
            yield word[:i] + word[i + 1 :]


def _letter_slips(word: str) -> Iterator[str]:
    """A letter lost or one too many, neither at the beginning nor at the end."""
    for i in range(1, len(word)):
        for letter in _LETTERS:
            yield word[:i] + letter + word[i:]
        if i < len(word) - 1:
            yield word[:i] + word[i + 1 :]


def _mistyped(word: str) -> Iterator[str]:
    """A letter lost, one too many, or another one: where that makes no other word."""
    yield from _letter_slips(word)
    if len(word) >= _SUBSTITUTED:
        for i in range(1, len(word) - _ENDING):
            for letter in _LETTERS:
                yield word[:i] + letter + word[i + 1 :]


def is_known(word: str) -> bool:
    """Whether the tokenizer's vocabulary has a word of two letters or more."""
    return len(word) > 1 and word.isalpha() and tokenizer().token_to_id(word) is not None


# Orders to answer: "Hi, could you tell me who wrote it?".
_ASKS = (
    r"(?:who|whom|whose|what|when|where|why|how|which|is|are|was|were|do|does|did|can|could|will|"
    r"would|should|has|have|had|in what|in which|at what)\b"
)
_ORDER = expression(
    r"\W*(?:(?:hi|hello|hey)(?: there)?\b[,!.]?\s+)?"
    r"(?:(?:a |just a |i have a |i've got a |one )?(?:quick |short )?question\b"
    r"\s?[.:,\u2013\u2014-]*\s+)?"
    r"(?:please,? |kindly )?"
    r"(?:(?:can|could|would|will) (?:you|anyone|someone)(?: please| kindly)? (?:tell|explain|show)"
    r"(?: to)? me(?: please)?\b|tell me\b|i(?:'d| would) (?:like|love) to know\b|i want to know\b|"
    r"do you know\b|i(?:'m| am) wondering\b|"
    r"(?:please )?answer (?:the following|this|my) question\b|"
    rf"using [^.:?]{{1,40}}, (?:please )?answer\b)?\s*[:,]?\s*(?={_ASKS})",
    re.IGNORECASE,
)
_MANNER_BEHIND = expression(
    r"(?<=\?)\s+(?:please (?:be|keep|answer|use|reply|respond|explain)|thanks|thank you|"
    r"answer (?:in|with|briefly|concisely)|be (?:brief|concise|short|specific)|keep it)\b"
    r"[^?]{0,80}$",
    re.IGNORECASE,
)


def plain_question(question: str, vocabulary: Vocabulary = NOTHING) -> str:
    """A question without the order or the greeting around it, read as `plain` reads a sentence."""
    without_manners = _MANNER_BEHIND.sub("", question)
    order = _ORDER.match(without_manners)
    without_manners = without_manners[order.end() :] if order else without_manners
    return plain(without_manners, vocabulary).text


def plain_sentences(sentences: Iterable[str], vocabulary: Vocabulary = NOTHING) -> list[str]:
    """The sentences of an answer that state something, as they are read; all if none does.

    A greeting, an offer and a question back to the user are left out.
    """
    return [read for read, _ in read_sentences(sentences, vocabulary)]


def read_sentences(
    sentences: Iterable[str], vocabulary: Vocabulary = NOTHING
) -> list[tuple[str, str]]:
    """What `plain_sentences` gives, each with the sentence as it is written."""
    pairs = [(plain(sentence, vocabulary).text, sentence) for sentence in sentences]
    stated = [pair for pair in pairs if not _is_manners(pair[0])]
    return stated or pairs


_BACK = expression(
    r"\W*(?:(?:would|do|did) you (?:like|want|need)|shall i|should i|can i|may i|"
    r"could you (?:please )?(?:clarify|specify|provide|share|tell)|is there anything|what else|"
    r"does (?:this|that) (?:help|answer|make sense))\b.*\?\W*$",
    re.IGNORECASE | re.DOTALL,
)


_AGREED = expression(rf"\W*{manners.AGREED}\W*", re.IGNORECASE)


def _is_manners(sentence: str) -> bool:
    """Whether a sentence is manners, or a question back to the user."""
    return bool(
        manners.is_chatter(sentence) or _BACK.match(sentence) or _AGREED.fullmatch(sentence)
    )
