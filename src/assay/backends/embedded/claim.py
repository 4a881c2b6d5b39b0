"""What does a statement claim, whatever the evidence? Its words, numbers, names and denials.

Read once for all the contexts that it is compared with.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.text import facts, numbers, words
from assay.text.absence import absence_claim
from assay.text.citations import without_lead, without_pointers
from assay.text.memo import remembered
from assay.text.questions import kind_of

_ABOUT = re.compile(
    r"\b(?:about|around|approximately|approx|nearly|almost|roughly|over|under|more than|less than|"
    r"at least|at most|up to|some|estimated|close to)\b|~",
    re.IGNORECASE,
)
# More signs than a few are a line that is drawn; without a bound each would begin the search anew.
_SIGNED = re.compile(
    r"((?:(?<!\w)[-\u2212\u2013+±]|[<>≤≥]=?\s?|[$€£¥]\s?){0,8}+)(\d+(?:[.,]\d+){0,8}+)(\s?[%$€£¥](?!\d))?"
    r"|(?<=[A-Za-z])([+#]+)(?!\w)"
)
# Letters, or they would be no part of a word; every minus and dash is one.
_LETTERS = str.maketrans(
    {sign: f"sign{chr(97 + i)}" for i, sign in enumerate("-+±<>≤≥=$€£¥%#")}
    | dict.fromkeys("\u2212\u2013", "signa")
    | {" ": ""}
)
_PHRASE = re.compile(r"\?\s+(?=\S)")
_FEW = 8  # words that answer a question without being a sentence
_NO_NAMES = frozenset({"yes", "no", "true", "false", "both", "none", "neither", "nobody", "never"})


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement without what only points at its sources.

    Attributes:
        wanted: The stems of its content words.
        figures: Those of them that are numbers.
        content: Its content words in order, each once.
        said: Its words in lower case, each between blanks; "" without any. "Passage 2" stays.
        exact: The same with the signs of its numbers (see `exact`).
        length: How many words those are.
        start: Where its claim begins, behind a question; else 0.
        stems: The stems of the claim's content words, in order.
        numbers: The claim's numbers, in plain form, as they are written.
        tolerance: How far these may be off, as a share: more than 0 for "about 50".
        names: The claim's names.
        calendar: Its months and week days.
        denies: Whether it denies something.
        replied: What it claims without the yes-no question before it, "It's in stock".
    """

    wanted: frozenset[str]
    figures: frozenset[str]
    content: tuple[str, ...]
    said: str
    exact: str
    length: int
    start: int
    stems: tuple[str, ...]
    numbers: Mapping[str, str]
    tolerance: float
    names: tuple[str, ...]
    calendar: frozenset[str]
    denies: bool
    replied: "Claim | None"


@remembered(512, longest=2000)
def claim(statement: str) -> Claim:
    """What a statement claims."""
    bare = without_lead(statement) or statement
    statement = without_pointers(statement) or statement
    wanted = frozenset(words.stems(statement))
    start = claim_start(statement)
    # Behind other words a capital makes a name of an answer's first word, too.
    text = f"it is {statement[start:]}" if start else statement
    said = words.words(bare)
    named = (name for name in facts.names(text) if name.lower() not in _NO_NAMES)
    return Claim(
        wanted=wanted,
        figures=frozenset(stem for stem in wanted if stem[:1].isdigit()),
        content=tuple(dict.fromkeys(words.content_words(statement))),
        said=f" {' '.join(said)} " if said else "",
        exact=exact(bare),
        length=len(said),
        start=start,
        stems=tuple(words.stems(statement[start:]) or words.stems(statement)),
        numbers=numbers.numbers(text),
        tolerance=0.05 if _ABOUT.search(text) else 0.0,
        names=tuple(name for name in named if not numbers.numbers(name)),
        calendar=frozenset(facts.calendar_words(statement)),
        # "The passages do not mention it" denies nothing.
        denies=facts.is_negated(statement) and absence_claim(statement) is None,
        replied=claim(statement[start:]) if _asks_plainly(statement[:start]) else None,
    )


def _asks_plainly(question: str) -> bool:
    """Whether a question wants a yes or no and denies nothing itself."""
    return kind_of(question) == "yes or no" and not facts.is_negated(question)


def exact(text: str) -> str:
    """Its words in lower case, each between blanks, with the signs that stand at them.

    "-15", "$5", "5%", "< 18" and "C++" are no "15", "5", "18" and "C"; "5 €" is "€5".
    """
    signed = _SIGNED.sub(_with_signs, text).replace("⁻", "signa")  # "10⁻⁶" is no "10⁶"
    return f" {' '.join(words.words(signed))} "


def _with_signs(found: re.Match[str]) -> str:
    before, number, behind, letters = found.group(1, 2, 3, 4)
    signs = "".join((before or "", behind or "", letters or "")).translate(_LETTERS)
    return signs + (number or "")


def claim_start(statement: str) -> int:
    """Where its claim begins: behind the question in "Who built it? Eiffel", else at 0.

    The words of a question claim nothing.
    """
    found = _PHRASE.search(statement)
    phrase = words.words(statement[found.end() :]) if found else []
    # With "Yes" the question itself is what is claimed.
    claims = 0 < len(phrase) <= _FEW and phrase[0] not in _NO_NAMES
    return found.end() if found and claims else 0
