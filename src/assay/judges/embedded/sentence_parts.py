"""The parts of sentences, each with what it leaves out, its names, numbers and labels."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from assay._text import clauses, words
from assay._text.expressions import expression
from assay._text.gapping import in_full
from assay._text.grammar import read_words
from assay._text.predicates import find_subject, is_alone, resolve
from assay._text.sentences import Span
from assay._text.verbs import FINITE
from assay.judges.embedded.surface import is_known

# ruff: noqa: SIM905 - word lists read better as prose

LEAST = 2  # content words of a part
_AND = r"(?:and|but|while|whereas)\s++"
# No two ways to read the same blanks: a long run of them takes no longer than its length.
_JOINT = expression(rf"(?<!\s)\s*+;\s++|,\s++(?:{_AND})?|(?<!\s)\s++{_AND}")
# "Team A" and "in May", whose words are otherwise an article and a verb.
_LETTER = expression(r"(?<=[a-z] )A\b")
_MAY = expression(r"(?<=\b(?:[Ii]n|of|[Oo]n|[Bb]y|to)\s)May\b|(?<=\d\s)May\b|\bMay(?=\s\d)")
# Names, numbers and labels ("B2"); the first word of a sentence is one only if a verb follows.
_NAME = expression(r"\b(?:[A-Z][\w'\u2019-]*|\w*\d[\w.,]*)")
_NO_NAME = expression(rf"\W*[A-Z][\w'\u2019-]*+(?!\s(?:{FINITE}|\w+s|were|are)\b)")
_FIRST = expression(r"\W*(?P<word>[A-Z][a-z]++)(?!')")
# Other nouns that may begin a sentence without an article.
_PEOPLE = frozenset(
    "staff people children men women management personnel everyone everybody anyone anybody "
    "nobody someone parking access entry admission registration".split()
)
_TITLE = 4  # words of a noun phrase between the beginning of a sentence and a comma
# "Version 2.2, released in May, made": what stands between the commas is cut out by clauses.
_ASIDE = expression(r"[^,;]{2,60}, [^,;]{2,80}, (?!and\b|or\b)")
_PRONOUN = expression(r"\b(?:it|he|she|they|its|his|her|their)\b", re.IGNORECASE)
_NEAR_START = 60  # characters that the first pronoun stands in
_NAMED = expression(
    rf"\W*(?:[Tt]he\s)?(?P<name>[A-Z][\w.'\u2019-]*)\s+(?:{FINITE}|[a-z]+s|[a-z]+ed)\b"
)
_RELATIVE = expression(r"^(?:which|who)\s+")
# "Plan B", "line S4", "version 2.1", "Ward 3", "phase 2".
_NUMBERED = (
    "article arm block bus chapter class clause cohort day figure gate grade group item level line "
    "model order part phase plan platform question room route section site stage step table team "
    "trial type unit version ward week zone"
)
_LABEL = expression(
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
_MODIFIED = expression(r"\b(?:[Tt]he|[Aa]n?)\s(?P<word>[\w-]{2,})\s(?P<noun>[A-Za-z][\w-]{2,})\b")


@dataclass(frozen=True)
class Part:
    """A part of a sentence that says something by itself.

    Attributes:
        piece: Index of the piece of evidence; 0 of a statement.
        context: Place of its context among the contexts.
        text: As it stands there.
        begins: Whether the sentence begins with it.
        whole: With the subject that it leaves out or names by a pronoun; "" if that is the text.
        gapped: Whether it is made whole with words of the part beside it.
    """

    piece: int
    context: int
    text: str
    begins: bool
    whole: str = ""
    gapped: bool = False

    @cached_property
    def _plain_tokens(self) -> str:
        return _with_uniform_labels(self.whole or self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """Its names and numbers."""
        first = _first_word_no_name(self._plain_tokens) if self.begins else None
        matches = _NAME.findall(self._plain_tokens, first.end() if first else 0)
        in_letters = (token for token in self.tokens if token[:1].isdigit())  # "twelve"
        return frozenset(words.stems(" ".join(matches))).union(in_letters)

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


def _with_uniform_labels(text: str) -> str:
    return _MAY.sub("MonthMay", _LETTER.sub("LetterA", text))


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
            gapped = False
            if collected and not begins and full_text == own_text:
                former_text = former.whole or former.text
                former_full, full_text = in_full(former_text, own_text)
                gapped = full_text != own_text
                if former_full != former_text:
                    collected[-1] = replace(former, whole=former_full, gapped=True)
            text_shown = own_text if own_text in text else text[clause.start : clause.end]
            collected.append(
                Part(
                    piece,
                    context,
                    text_shown,
                    begins,
                    full_text if full_text != text_shown else "",
                    gapped=gapped,
                )
            )
    return collected


def _first_word_no_name(text: str) -> re.Match[str] | None:
    """The word that begins a sentence where it is no name; "Guests" may register, as "Ann" may."""
    first = _FIRST.match(text)
    word = first["word"].lower() if first else ""
    plural = word.endswith("s") and not word.endswith("ss") and is_known(word[:-1])
    return first if word in _PEOPLE or (plural and is_known(word)) else _NO_NAME.match(text)


def _cuts(text: str) -> list[Span]:
    """Where something is said on both sides of a comma, a semicolon or an "and"."""
    cuts = []
    start = 0
    joints = list(_JOINT.finditer(text))
    ends = [*(joint.start() for joint in joints[1:]), len(text)]
    for joint, end in zip(joints, ends, strict=False):  # without a joint there is one end
        left, right = text[start : joint.start()], text[joint.end() : end]
        if min(len(set(words.stems(left))), len(set(words.stems(right)))) >= LEAST:
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
