"""Statements that mix up what the contexts say of two things.

"Alice lives in Paris. Bob lives in Rome." does not say that Alice lives in Rome, though every word
of it is there. Two parts of sentences that say the same of different things are laid side by side:
a statement that takes after the first here and after the second there says what neither does. So
does one that says of one of several ("Plan B") what is said of another alone ("Plan C").
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple, TypeAlias

from assay._text import clauses, words
from assay._text.grammar import read_words
from assay._text.predicates import find_subject, is_alone, resolve
from assay._text.relations import one_of_a_kind
from assay._text.sentences import Span
from assay._text.verbs import FINITE

_AND = r"(?:and|but|while|whereas)\s++"
# No two ways to read the same blanks: a long run of them takes no longer than its length.
_JOINT = re.compile(rf"(?<!\s)\s*+;\s++|,\s++(?:{_AND})?|(?<!\s)\s++{_AND}")
# "Team A" and "in May", whose words are otherwise an article and a verb.
_LETTER = re.compile(r"(?<=[a-z] )A\b")
_MAY = re.compile(r"(?<=\b(?:[Ii]n|of|[Oo]n|[Bb]y|to)\s)May\b|(?<=\d\s)May\b|\bMay(?=\s\d)")
# Names, numbers and labels ("B2"); the first word of a sentence is one only if a verb follows.
_NAME = re.compile(r"\b(?:[A-Z][\w'\u2019-]*|\w*\d[\w.,]*)")
_NO_NAME = re.compile(rf"\W*[A-Z][\w'\u2019-]*+(?!\s(?:{FINITE}|\w+s|were|are)\b)")
_LEAST = 2  # content words of a part
_LONGEST = 25  # words of a part: longer ones are hardly ever alike
_NEAR = 3  # parts from one to the other, at most
_ALIKE = 1 / 2  # of the shorter one's words, at least, both have in the same order
_SHORT = 4  # words: of no more, one is enough
_TITLE = 4  # words of a noun phrase between the beginning of a sentence and a comma
# "Version 2.2, released in May, made": what stands between the commas is cut out by clauses.
_ASIDE = re.compile(r"[^,;]{2,60}, [^,;]{2,80}, (?!and\b|or\b)")
_PRONOUN = re.compile(r"\b(?:it|he|she|they|its|his|her|their)\b", re.IGNORECASE)
_NEAR_START = 60  # characters that the first pronoun stands in
_NAMED = re.compile(
    rf"\W*(?:[Tt]he\s)?(?P<name>[A-Z][\w.'\u2019-]*)\s+(?:{FINITE}|[a-z]+s|[a-z]+ed)\b"
)
_RELATIVE = re.compile(r"^(?:which|who)\s+")
# "a vaccine against A and one against B": the later part repeats what is left out by a pronoun.
_STANDS_FOR = re.compile(r"\W*(?:the\s+)?(?:ones?|none|that|those|another)\b", re.IGNORECASE)
_STOPS = frozenset(map(words.stem, words.STOP_WORDS))
_NEIGHBOURS = 10  # parts about names that one of them is laid beside
UNKNOWN = 1  # content words of a statement that stand nowhere: "goes" for "runs"
# ruff: noqa: SIM905 - word lists read better as prose

# "Plan B", "line S4", "version 2.1", "Ward 3", "phase 2".
_NUMBERED = (
    "article arm block bus chapter class clause cohort day figure gate grade group item level line "
    "model order part phase plan platform question room route section site stage step table team "
    "trial type unit version ward week zone"
)
_LABEL = re.compile(
    r"\b(?P<noun>[A-Za-z][a-z]{2,})\s(?P<label>"
    r"[A-Z]{1,3}-?\d+[A-Za-z]?|LetterA|[B-HJ-Z]|[IVX]{2,4}|\d+(?:\.\d+)+)(?!\w)"
    rf"|\b(?P<numbered>[A-Z][a-z]{{2,}}|{_NUMBERED.replace(' ', '|')})\s(?P<number>\d{{1,4}})"
    r"(?![.,:]?\d|\s?[%€$]|\w)"
)
_NO_NOUN = words.STOP_WORDS | frozenset(
    "january february march april may june july august september october november december "
    "monthmay spring summer autumn winter about around over under since until before after than "
    "least most nearly almost only costs cost".split()
)
_MODIFIED = re.compile(r"\b(?:[Tt]he|[Aa]n?)\s(?P<word>[\w-]{2,})\s(?P<noun>[A-Za-z][\w-]{2,})\b")
# With one of them a part may say the same of others.
_SHARING = frozenset(
    map(
        words.stem,
        words.words(
            "also another both either equally like likewise neither none one same so those too"
        ),
    )
)


@dataclass(frozen=True)
class Part:
    """A part of a sentence that says something by itself.

    Attributes:
        piece: Index of the piece of evidence; 0 of a statement.
        context: Place of its context among the contexts.
        text: As it stands there.
        begins: Whether the sentence begins with it.
        whole: With the subject that it leaves out or names by a pronoun; "" if that is the text.
    """

    piece: int
    context: int
    text: str
    begins: bool
    whole: str = ""

    @cached_property
    def _plain_tokens(self) -> str:
        return _MAY.sub("MonthMay", _LETTER.sub("LetterA", self.whole or self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        """Its names and numbers."""
        first = _NO_NAME.match(self._plain_tokens) if self.begins else None
        matches = _NAME.findall(self._plain_tokens, first.end() if first else 0)
        return frozenset(words.stems(" ".join(matches)))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words, stemmed, in order."""
        return tuple(map(words.stem, words.words(self._plain_tokens)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its content words."""
        return frozenset(words.stems(self._plain_tokens))

    @cached_property
    def subject(self) -> str:
        """What it is about, as it is written; "" where that is not sure."""
        plain = read_words(self._plain_tokens)
        subject = find_subject(plain, 0)
        is_title = self.begins and len(plain) <= _TITLE and plain.opens_object(0)
        text = subject.text if subject else self._plain_tokens.strip() if is_title else ""
        return text.replace("LetterA", "A").replace("MonthMay", "May")

    @cached_property
    def name(self) -> str:
        """The one name that it begins with before its verb, stemmed; "" for anything else."""
        match = _NAMED.match(self._plain_tokens)
        name_stems = words.stems(match["name"]) if match else []
        return name_stems[0] if len(name_stems) == 1 and name_stems[0] in self.names else ""

    @cached_property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Nouns with a letter or number that tells them from others, stemmed: "Plan B"."""
        matches = [
            (match["noun"] or match["numbered"], match["label"] or match["number"])
            for match in _LABEL.finditer(self._plain_tokens)
        ]
        return tuple(
            (words.stem(noun.lower()), words.stem(label.lower()))
            for noun, label in matches
            if noun.lower() not in _NO_NOUN
        )

    @cached_property
    def modified(self) -> tuple[tuple[str, str], ...]:
        """Nouns behind an article and one word, which comes first: "the blue LED"."""
        matches = (
            (match["word"], match["noun"]) for match in _MODIFIED.finditer(self._plain_tokens)
        )
        return tuple((word, words.stem(noun.lower())) for word, noun in matches)


class Swap(NamedTuple):
    """Two parts of sentences of the contexts, of different things, that a statement mixes up."""

    first: Part
    second: Part


class Slot(NamedTuple):
    """Where two parts differ: the content words of each."""

    first: frozenset[str]
    second: frozenset[str]


class Pair(NamedTuple):
    """Two parts that are alike, and where they differ."""

    first: Part
    second: Part
    slots: tuple[Slot, ...]


# Two words that tell things of one kind apart, and the noun that both stand at.
Sibling: TypeAlias = tuple[str, str, frozenset[str]]


def parts(text: str, piece: int = 0, context: int = 0, before: str = "") -> list[Part]:
    """The parts of a sentence: it is cut where something is said on both sides.

    Args:
        text: The sentence.
        piece: Index of the piece of evidence.
        context: Place of its context among the contexts.
        before: The sentence before it, with its subject.
    """
    clause_parts = clauses.parts(text) if _ASIDE.match(text) else []
    collected: list[Part] = []
    for clause in clause_parts or [clauses.Part(text, 0, len(text))]:
        for start, end in _cuts(clause.text):
            own_text = clause.text[start:end]
            begins = not (clause.start or start)
            former = collected[-1] if collected else Part(0, 0, before, begins=True)
            full_text = _with_subject(own_text, former, begins=begins)
            text_shown = own_text if own_text in text else text[clause.start : clause.end]
            collected.append(
                Part(
                    piece, context, text_shown, begins, full_text if full_text != text_shown else ""
                )
            )
    return collected


def _cuts(text: str) -> list[Span]:
    """Where something is said on both sides of a comma, a semicolon or an "and"."""
    cuts = []
    start = 0
    joints = list(_JOINT.finditer(text))
    ends = [*(joint.start() for joint in joints[1:]), len(text)]
    for joint, end in zip(joints, ends, strict=False):  # without a joint there is one end
        left, right = text[start : joint.start()], text[joint.end() : end]
        if min(len(set(words.stems(left))), len(set(words.stems(right)))) >= _LEAST:
            cuts.append((start, joint.start()))
            start = joint.end()
    return [*cuts, (start, len(text))]


def _with_subject(text: str, former: Part, *, begins: bool) -> str:
    """A part with the subject of the one before, where it has none but a pronoun or its verb."""
    if begins:
        subject = former.subject if _PRONOUN.search(text, 0, _NEAR_START) else ""
        if not subject:
            return text
        return resolve(text, subject, alone=is_alone(former.whole or former.text, subject))
    predicate = _RELATIVE.sub("", text)
    verb = read_words(predicate.partition(" ")[0])
    finite = len(verb) and (verb.auxiliary(0) or verb.forms(0) & {"s", "past"})
    return f"{former.subject} {predicate}" if finite and former.subject else text


def pairs(sentence_parts: Sequence[Part]) -> Iterator[Pair]:
    """Those of the parts, in order, that stand near each other and are alike."""
    short = [
        part
        for part in sentence_parts
        if len(part.stems) >= _LEAST and len(part.tokens) <= _LONGEST
    ]
    for i, first in enumerate(short):
        for second in short[i + 1 : i + 1 + _NEAR]:
            if first.context == second.context:
                slots = _slots(first, second)
                if len(slots) > 1:
                    yield Pair(first, second, slots)


def _slots(first: Part, second: Part) -> tuple[Slot, ...]:
    """Where they differ; () if they are not alike.

    The later one may leave out what goes without saying: "the red car is Tom's, the blue Ann's".
    """
    if not (first.names and second.names) or _STANDS_FOR.match(second.text):
        return ()
    size = min(len(first.tokens), len(second.tokens))
    minimum = 1 if size <= _SHORT else _ALIKE * size
    if len(set(first.tokens) & set(second.tokens)) < minimum:
        return ()
    differences: list[Slot] = []
    same = 0
    matcher = SequenceMatcher(None, first.tokens, second.tokens, autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        if kind == "equal":
            same += a_end - a
        elif kind == "insert":
            if not second.stems.isdisjoint(second.tokens[b:b_end]):
                return ()
        else:
            differences += _differences(first.tokens[a:a_end], second.tokens[b:b_end])
    slots = [
        Slot(first_words & first.stems, second_words & second.stems)
        for first_words, second_words in differences
    ]
    if same < minimum or not any(a & first.names and b & second.names for a, b in slots):
        return ()
    return tuple(slot for slot in slots if all(slot))


def _differences(first: Sequence[str], second: Sequence[str]) -> list[Slot]:
    """Word by word if there are as many, else all against all; stop words may be left out."""
    if len(first) != len(second):
        first, second = ([word for word in side if word not in _STOPS] for side in (first, second))
    if len(first) == len(second):
        return [Slot(frozenset({a}), frozenset({b})) for a, b in zip(first, second, strict=True)]
    return [Slot(frozenset(first) - frozenset(second), frozenset(second) - frozenset(first))]


def find_siblings(
    evidence_parts: Sequence[Part], alike: Sequence[Pair]
) -> dict[str, dict[str, frozenset[str]]]:
    """Words that tell several things of one kind apart: "B" and "C" of "Plan B" and "Plan C".

    Args:
        evidence_parts: The parts of all sentences of the contexts.
        alike: Their `pairs`.

    Returns:
        Of each such stem the others of its kind, with what stands before or behind both.
    """
    siblings: dict[str, dict[str, frozenset[str]]] = {}
    for first, second, head in itertools.chain(
        _of_one_kind(evidence_parts), _with_like_parts(evidence_parts), _in_like_places(alike)
    ):
        for word, sibling in ((first, second), (second, first)):
            siblings_of_word = siblings.setdefault(word, {})
            siblings_of_word[sibling] = siblings_of_word.get(sibling, frozenset()) | head
    return siblings


def _of_one_kind(evidence_parts: Sequence[Part]) -> Iterator[Sibling]:
    """By a label, a name or a colour at the same noun."""
    kinds: dict[str, dict[str, bool]] = {}
    for part in evidence_parts:
        for noun, label in part.labels:
            kinds.setdefault(noun, {})[label] = True
        for word, noun in part.modified:
            kinds.setdefault(noun, {})[words.stem(word.lower())] = word[:1].isupper()
    for noun, kin in kinds.items():
        for first, second in itertools.combinations(kin, 2):
            if (kin[first] and kin[second]) or one_of_a_kind(first, second):
                yield first, second, frozenset({noun})


def _with_like_parts(evidence_parts: Sequence[Part]) -> Iterator[Sibling]:
    """Names of which near each other much the same is said."""
    parts_with_name = [part for part in evidence_parts if part.name]
    for i, first in enumerate(parts_with_name):
        for second in parts_with_name[i + 1 : i + _NEIGHBOURS]:
            like = first.context == second.context and len(first.stems & second.stems) >= _LEAST
            if like and first.name != second.name:
                yield first.name, second.name, frozenset()


def _in_like_places(like_pairs: Sequence[Pair]) -> Iterator[Sibling]:
    """Words, no numbers, by which two parts that are alike differ."""
    for slot in itertools.chain.from_iterable(pair.slots for pair in like_pairs):
        if len(slot.first) == len(slot.second) == 1:
            (first,), (second,) = slot
            if not (first[:1].isdigit() or second[:1].isdigit()):
                yield first, second, frozenset()


def find_swap(
    statement: str,
    evidence_parts: Sequence[Part],
    alike: Sequence[Pair],
    siblings: Mapping[str, Mapping[str, frozenset[str]]],
) -> Swap | None:
    """What a statement mixes up; None if nothing.

    Args:
        statement: The statement.
        evidence_parts: The parts of all sentences of the contexts.
        alike: Their `pairs`.
        siblings: Their `siblings`.
    """
    if "respectively" in statement:
        return None
    for part in parts(statement):
        if "than" in part.tokens or any(part.stems <= other.stems for other in evidence_parts):
            continue
        mixed = [pair for pair in alike if _mixes(part.stems, pair)]
        if mixed:
            # A sentence that holds both holds every word, and says it no more than they do.
            mixing = {first.piece for first, second, _ in mixed if first.piece == second.piece}
            stems_by_piece = _stems_by_piece(evidence_parts).items()
            if {piece for piece, stems in stems_by_piece if part.stems <= stems} <= mixing:
                first, second, _ = mixed[0]
                return Swap(first, second)
        swap = _of_another(part, evidence_parts, siblings)
        if swap:
            return swap
    return None


def _mixes(stems: frozenset[str], pair: Pair) -> bool:
    """Whether a statement takes after the first in one place and after the second in another."""
    if not stems <= pair.first.stems | pair.second.stems:
        return False
    like = {(slot.first <= stems, slot.second <= stems) for slot in pair.slots}
    return like == {(True, False), (False, True)}


def _of_another(
    part: Part,
    evidence_parts: Sequence[Part],
    siblings: Mapping[str, Mapping[str, frozenset[str]]],
) -> Swap | None:
    """Whether what a part says of one thing is said of another of its kind alone."""
    names_with_siblings = part.stems & siblings.keys()
    if not names_with_siblings or not _SHARING.isdisjoint(part.tokens):
        return None
    stems_by_piece = _stems_by_piece(evidence_parts)
    known = frozenset().union(*stems_by_piece.values())
    for name in sorted(names_with_siblings):
        kin = siblings[name]
        stems_said = (part.stems & known).difference({name}, *kin.values())
        missing = part.stems - known
        if len(stems_said) < _LEAST or len(missing) > UNKNOWN or part.stems & kin.keys():
            continue
        parts_about = [other for other in evidence_parts if name in other.stems]
        # Of this one, or of none in particular: "all plans can be cancelled".
        own_sets = [other.stems for other in parts_about]
        own_sets += [other.stems for other in evidence_parts if not other.stems & {name, *kin}]
        own_sets += [
            stems for stems in stems_by_piece.values() if name in stems and not stems & kin.keys()
        ]
        for other in evidence_parts:
            is_of_kin = (
                stems_said <= other.stems and name not in other.stems and other.stems & kin.keys()
            )
            if is_of_kin and not any(
                _SHARING & {*sharing.tokens} for sharing in (other, *parts_about)
            ):
                if any(_may_say(stems, stems_said, other) for stems in own_sets):
                    break
                return Swap(parts_about[0], other)
    return None


def _may_say(stems: frozenset[str], stems_said: frozenset[str], other: Part) -> bool:
    """Whether some words may say the same: most of it, with its names and numbers."""
    return 2 * len(stems_said & stems) > len(stems_said) and other.names.isdisjoint(
        stems_said - stems
    )


def _stems_by_piece(evidence_parts: Sequence[Part]) -> dict[int, frozenset[str]]:
    """The stems of each piece."""
    stems_by_piece: dict[int, frozenset[str]] = {}
    for part in evidence_parts:
        stems_by_piece[part.piece] = stems_by_piece.get(part.piece, frozenset()) | part.stems
    return stems_by_piece
