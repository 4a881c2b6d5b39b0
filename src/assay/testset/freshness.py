"""Freshness of a test set: what a change of the documents does to each of its questions."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Final, Literal, TypeAlias

from assay._text.quotes import comparable
from assay._text.sentences import sentences
from assay._text.verbs import base
from assay._text.words import STOP_WORDS, recall, stem, stems, words
from assay.data import read, samples
from assay.errors import InputError
from assay.sample import Sample
from assay.testset.documents import Document, read_documents
from assay.testset.passages import Corpus, Passage, cut
from assay.testset.questions import is_unanswerable
from assay.testset.sources import PASSAGE, sources_of

# ruff: noqa: SIM905 - word lists read better as prose

State: TypeAlias = Literal["invalidated", "drifted", "valid", "untraced"]
STATES: Final[tuple[State, ...]] = ("invalidated", "drifted", "valid", "untraced")

_MOST_EVIDENCE = 3  # sentences that one reference rests on
_MAIN = 0.4  # of a reference's words are in the sentence that it rests on most
_GAIN = 0.2  # ... and so many more in each further one
_HELD = 0.5  # of a reference's words are in the sentences it rests on
_LIKE = 0.5  # of a sentence's words stand in the one that took its place
_SPEAKS_OF = 0.6  # of a question's words stand in a new sentence that may answer it
_NEAR = 5  # new sentences that are compared with one that is gone
_NEW = 0.5  # of a new part's words are in new sentences
_PART = 60  # words of a part, about
_TURNING = frozenset(
    "not no never without none nor neither except unless least most more less fewer above "
    "below over under before after minimum maximum must may".split()
)
_CLAUSE = 4  # words that are put in together say something of their own
# A part of a sentence that begins so says when, where, how or of what the rest is said.
_ADJUNCT = frozenset(
    "as at because by during for from if in on since that through via what whatever when whenever "
    "where wherever which while who with".split()
)
_DEFINITE = {("the",), ("this",), ("these",), ("that",), ("those",)}
_PRONOUNS = frozenset("it its they them their this that these those he she".split())
# A sign that a number means something else without.
_SIGN = re.compile(r"(?<!\w)[-+±~<>≤≥=$€£¥](?=\s?\d)|(?<=\d)\s?[°€£¥‰]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_BEGINS = re.compile(r"\s*(?:[-*+>]\s|\d{1,3}[.)]\s|[#|]|[=~^-]{3,}\s*$)")  # a block of its own
_MARKER = re.compile(r"^[^\S\n]*(?:(?:[-*+>]|\d{1,3}[.)])[^\S\n]+)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class QuestionFreshness:
    """What a change of the documents does to one question.

    Attributes:
        id: The row's id.
        question: What it asks.
        state: "invalidated": what its reference rests on is gone or says something else;
            "drifted": it is said in other words, or elsewhere; "valid": it is unchanged;
            "untraced": the documents did not hold it before.
        reason: Why, in words.
        before: The sentence that the reference rests on; "" if none was found.
        after: The sentence that took its place; "" if none did or nothing changed.
    """

    id: str
    question: str
    state: State
    reason: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class NewPart:
    """A stretch of a section that is mostly new, and that no question rests on.

    Attributes:
        document: Id of its document.
        title: Title of the document and the headings above it.
        start: Its first character in the document.
        end: The character after its last one.
    """

    document: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Freshness:
    """What a change of the documents does to a test set.

    Attributes:
        questions: Each question of the data, in its order.
        new_parts: Parts of the documents that are new and have no question.
    """

    questions: tuple[QuestionFreshness, ...]
    new_parts: tuple[NewPart, ...]

    def of(self, state: State) -> tuple[QuestionFreshness, ...]:
        """The questions in one state."""
        return tuple(question for question in self.questions if question.state == state)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    plain: str
    stems: frozenset[str]


class _Edition:
    """One state of the documents: what they say, whatever it looks like."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.passages = Corpus([p for d in documents for p in cut(d, PASSAGE, shortest=1)])
        self.sentences = [s for d in documents for s in _sentences(d.text)]
        self._plain_words = "\n".join(f" {_plain_words(document.text)} " for document in documents)

    def says(self, plain: str) -> bool:
        """Whether these words stand somewhere, in this order and nothing between."""
        return f" {plain} " in self._plain_words

    def times(self, plain: str) -> int:
        """In how many places they stand."""
        return self._plain_words.count(f" {plain} ")


class _Change:
    """Two editions, and the sentences that only the second one has."""

    def __init__(self, before: _Edition, after: _Edition) -> None:
        self.before, self.after = before, after
        self.new = [s for s in after.sentences if not before.says(s.plain)]
        self._plain_words = {s.plain for s in after.sentences}
        self._new_index = _index(self.new)
        self._index = _index(after.sentences)

    def replacement(self, gone: _Sentence) -> _Sentence | None:
        """The sentence that is most like one that is gone: a new one, or what is left of it."""
        nearest = [self.new[n] for n in self._new_index.nearest(gone.text, _NEAR)]
        nearest += (s for s in self.after.sentences if f" {s.plain} " in f" {gone.plain} ")
        shares = [(recall(set(gone.stems), set(s.stems)), s) for s in nearest]
        share, best = max(shares, key=lambda pair: pair[0], default=(0.0, None))
        return best if share >= _LIKE else None

    def within(self, sentence: _Sentence) -> _Sentence | None:
        """The new sentence that a sentence has become a part of, if it stands nowhere by itself."""
        if sentence.plain in self._plain_words:
            return None
        return next((s for s in self.new if f" {sentence.plain} " in f" {s.plain} "), None)

    def speaks_of(self, question: str) -> _Sentence | None:
        """A new sentence that holds most of a question's words."""
        question_words = set(stems(question))
        nearest = [self.new[n] for n in self._new_index.nearest(question, _NEAR)]
        return next(
            (s for s in nearest if recall(question_words, set(s.stems)) >= _SPEAKS_OF), None
        )

    def elsewhere(self, gone: _Sentence, needed: frozenset[str]) -> _Sentence | None:
        """A sentence that says all that is needed of one that is gone."""
        nearest = [self.after.sentences[n] for n in self._index.nearest(gone.text, _NEAR)]
        return next((s for s in nearest if needed and needed <= s.stems), None)


def check_freshness(data: Any, *, before: Any, after: Any, **reading: Any) -> Freshness:
    """Which questions of a test set a change of the documents touches, and which parts are new.

    Nobody is asked. The sentences that a reference rests on are found by words, and sought in the
    documents after the change: mark-up, line breaks and the place where they stand do not count.

    Args:
        data: The test set: a file, or whatever `evaluate` takes.
        before: The documents when the questions were written, as `read_documents` takes them.
        after: The documents now.
        **reading: `mapping` and `contexts`, as for `check_design`.

    Raises:
        InputError: If the data or documents cannot be read, or no row has a question.
    """
    rows = [sample for sample in samples(read(data, **reading), needs={}) if sample.question]
    if not rows:
        raise InputError("no row has a question", "name its column: --map question=COLUMN")
    change = _Change(_Edition(read_documents(before)), _Edition(read_documents(after)))
    sources = sources_of(rows, change.before.passages)
    questions = tuple(
        _judge_question(sample, sources.get(sample.id, ()), change) for sample in rows
    )
    questions_asked = {_plain_words(question.after) for question in questions if question.after}
    return Freshness(questions, tuple(_new_parts(change, questions_asked)))


def _judge_question(sample: Sample, texts: Sequence[str], change: _Change) -> QuestionFreshness:
    """The worst that happened to a sentence that the question's reference rests on."""
    question = sample.question or ""
    if is_unanswerable(sample):
        if (new := change.speaks_of(question)) is None:
            return QuestionFreshness(sample.id, question, "valid", "nothing new speaks of it")
        reason = "something new may answer what nothing answered"
        return QuestionFreshness(sample.id, question, "drifted", reason, "", new.text)
    evidence = [
        sentence
        for sentence in _quoted_sentences(sample, texts) or _evidence(sample, texts)
        if sentence.plain and change.before.says(sentence.plain)
    ]
    if not evidence:
        reason = "the documents did not hold what its reference says"
        return QuestionFreshness(sample.id, question, "untraced", reason)
    states = [(_state_of(sample, sentence, change), sentence) for sentence in evidence]
    (state, reason, after), sentence = min(states, key=lambda state: STATES.index(state[0][0]))
    return QuestionFreshness(sample.id, question, state, reason, sentence.text, after)


def _quoted_sentences(sample: Sample, texts: Sequence[str]) -> list[_Sentence]:
    """The sentences that the row's `quotes` stand in, none if one of them is not there."""
    quotes = sample.metadata.get("quotes")
    plain = [_plain_words(str(quote)) for quote in quotes] if isinstance(quotes, list) else []
    among = [sentence for text in texts for sentence in _sentences(text)]
    holders = [
        [s for s in among if quote in s.plain or s.plain in quote] for quote in plain if quote
    ]
    return (
        list({s.plain: s for sentences in holders for s in sentences}.values())
        if all(holders)
        else []
    )


def _evidence(sample: Sample, texts: Iterable[str]) -> list[_Sentence]:
    """The fewest sentences that hold the reference; of equal ones, those nearest the question."""
    question_stems = frozenset(stems(sample.question or ""))
    wanted_stems = _answer_stems(sample) or question_stems
    left, sentences = set(wanted_stems), list[_Sentence]()
    among = [sentence for text in texts for sentence in _sentences(text)]

    def gain(sentence: _Sentence) -> tuple[int, int]:
        return len(left & sentence.stems), len(question_stems & sentence.stems)

    while left and among and len(sentences) < _MOST_EVIDENCE:
        best = max(among, key=gain)
        if len(left & best.stems) < max(1, (_GAIN if sentences else _MAIN) * len(wanted_stems)):
            break
        sentences.append(best)
        among.remove(best)
        left -= best.stems
    return sentences if len(left) <= (1 - _HELD) * len(wanted_stems) else []


def _answer_stems(sample: Sample) -> frozenset[str]:
    return frozenset(stems(" ".join(filter(None, (sample.reference, *sample.accepted)))))


def _state_of(sample: Sample, old: _Sentence, change: _Change) -> tuple[State, str, str]:
    """What became of a sentence of evidence: state, reason and what took its place."""
    if change.after.says(old.plain):
        return _state_of_unchanged(old, change)
    answer = _answer_stems(sample) & old.stems
    needed = answer or frozenset(stems(sample.question or "")) & old.stems
    new = change.replacement(old)
    if new is None:
        if (other := change.elsewhere(old, needed)) is not None:
            return "drifted", "its sentence is gone; another one says as much", other.text
        return "invalidated", "what its reference rests on is gone", ""
    edits = _edits(old.text, new.text)
    lost_words = _lost_words(old, new, needed)
    left = {word for edit in edits if not edit.is_harmless() for word in edit.before}
    is_partial = 2 * len(lost_words) < len(needed) and left.isdisjoint(lost_words)
    if lost_words and not is_partial:
        words_in_quotes = ", ".join(f"'{word}'" for word in lost_words)
        return "invalidated", f"no longer there: {words_in_quotes}", new.text
    if turned := _turning_word(old.text, new.text, edits):
        return "invalidated", f"'{turned}' changes what is said", new.text
    return "drifted", "said in part" if lost_words else "said in other words", new.text


@dataclass(frozen=True, slots=True)
class _Edit:
    """Words of a sentence, and those that stand in their place now."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    def is_harmless(self) -> bool:
        """Whether what was said still holds: less is said of when and how, or by a pronoun."""
        if not self.after:  # "in the shop": what holds without it holds with it
            has_number = any(char.isdigit() for word in self.before for char in word)
            return (
                self.before[0] in _ADJUNCT and not has_number and _TURNING.isdisjoint(self.before)
            )
        return self.before[:1] in _DEFINITE and set(self.after) <= _PRONOUNS

    def adds(self) -> bool:
        """Whether a clause was put in, which leaves the rest as it was."""
        when = self.after[:1] and self.after[0] in _ADJUNCT and any(map(_is_telling, self.after))
        return not self.before and (len(self.after) >= _CLAUSE or bool(when))


def _is_telling(word: str) -> bool:
    """Whether it is a word of content that turns nothing."""
    return word not in STOP_WORDS and word not in _TURNING


def _edits(before: str, after: str) -> list[_Edit]:
    """What was done to the words of a sentence, in order."""
    words_before, words_after = words(before), words(after)
    blocks = SequenceMatcher(None, words_before, words_after, autojunk=False).get_opcodes()
    return [
        _Edit(tuple(words_before[a:b]), tuple(words_after[c:d]))
        for tag, a, b, c, d in blocks
        if tag[0] != "e"
    ]


def _lost_words(old: _Sentence, new: _Sentence, needed: frozenset[str]) -> list[str]:
    """The words of what is needed that are not there now, and numbers that are less often."""
    fewer = Counter(map(stem, words(old.text))) - Counter(map(stem, words(new.text)))
    forms = {stem(base(word)) for word in words(new.text)}  # "written" is there with "write"
    lost_stems = {
        stem for stem in needed if stem not in new.stems or (stem[0].isdigit() and fewer[stem])
    }
    missing = dict.fromkeys(word for word in words(old.text) if stem(word) in lost_stems)
    return [word for word in missing if word[0].isdigit() or stem(base(word)) not in forms]


def _state_of_unchanged(sentence: _Sentence, change: _Change) -> tuple[State, str, str]:
    """The same of a sentence whose words still stand there."""
    if (longer := change.within(sentence)) is not None:
        edits = _edits(sentence.text, longer.text)
        if turned := _turning_word(sentence.text, longer.text, edits):
            return "invalidated", f"'{turned}' changes what is said", longer.text
        return "drifted", "it is part of a longer sentence now", longer.text
    if change.after.times(sentence.plain) < change.before.times(sentence.plain):
        return "drifted", "one of the places that said it no longer does", ""
    return "valid", "unchanged", ""


def _turning_word(before: str, after: str, edits: Sequence[_Edit]) -> str:
    """A word or sign that turns what is said, and that one of two sentences has more often.

    In a clause that was put in it turns that clause.
    """
    turning_before, turning_after = _turning_words(before), _turning_words(after)
    added = Counter(word for edit in edits if edit.adds() for word in edit.after)
    return min(
        (turning_before - turning_after) + ((turning_after - turning_before) - added), default=""
    )


def _turning_words(text: str) -> Counter[str]:
    signs = Counter(sign.group().strip() for sign in _SIGN.finditer(text))
    plain = ("not" if word == "cannot" or word.endswith("n't") else word for word in words(text))
    return signs + Counter(word for word in plain if word in _TURNING)


def _new_parts(change: _Change, questions_asked: set[str]) -> Iterator[NewPart]:
    new = {sentence.plain for sentence in change.new}
    for document in change.after.documents:
        passages = [p for p in cut(document, _PART, shortest=1) if _is_new(p, new, questions_asked)]
        for (_, title), run in groupby(
            enumerate(passages), key=lambda p: (p[1].number - p[0], p[1].title)
        ):
            stretch = [passage for _, passage in run]
            yield NewPart(document.id, title, stretch[0].start, stretch[-1].end)


def _is_new(passage: Passage, new: set[str], questions_asked: set[str]) -> bool:
    sentence_sizes = [(s.plain, len(s.plain.split())) for s in _sentences(passage.text)]
    size, fresh = (
        sum(n for _, n in sentence_sizes),
        sum(n for plain, n in sentence_sizes if plain in new),
    )
    return (
        size > 0
        and fresh >= _NEW * size
        and questions_asked.isdisjoint(plain for plain, _ in sentence_sizes)
    )


def _index(among: Iterable[_Sentence]) -> Corpus:
    return Corpus([Passage("", n, "", s.text, 0, len(s.text)) for n, s in enumerate(among)])


def _sentences(text: str) -> Iterator[_Sentence]:
    for sentence in sentences(_unwrapped(_COMMENT.sub(" ", text))):
        if plain := _plain_words(sentence):
            yield _Sentence(sentence, plain, frozenset(stems(sentence)))


def _unwrapped(text: str) -> str:
    """The text with the lines of a paragraph on one, wherever they were broken."""
    lines, fenced, joins = list[str](), False, False
    for line in text.splitlines():
        fence = _FENCE.match(line) is not None
        if joins and not fence and line.strip() and not _BEGINS.match(line):
            lines[-1] += f" {line.strip()}"
            continue
        fenced ^= fence
        joins = not (fenced or fence or not line.strip() or line.lstrip().startswith(("#", "|")))
        lines.append(line)
    return "\n".join(lines)


def _plain_words(text: str) -> str:
    """The words of a text in one line, and the signs of its numbers as words."""
    unmarked = _MARKER.sub("", _COMMENT.sub(" ", text))
    return comparable(
        _SIGN.sub(lambda sign: f" {unicodedata.name(sign.group().strip())} ", unmarked)
    )
