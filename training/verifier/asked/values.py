"""The value that a question asks for: found in an answer, made vague, exchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay._text import numbers
from training.verifier.asked import phrases

Made = tuple[str, str, float]  # generator, sentence, how far it answers

_DATE = re.compile(
    rf"(?:(?:{'|'.join(phrases.MONTHS)})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s*)?(?:of\s+)?"
    rf"(?:\d{{4}})?",
)
_PREPOSITION = re.compile(
    r"(?:\b(?:in|on|at|from|near|since|during|around)\s+(?:the\s+)?)$", re.IGNORECASE
)
_BY = re.compile(r"\bby\s+(?:the\s+)?$", re.IGNORECASE)
_LINK = re.compile(
    r"\b(?:is|was|are|were|called|named|means|include|includes|as)\s+(?:the\s+|an?\s+)?$"
)
_ABOUT = re.compile(r"(?:\b(?:about|around|approximately|over)\s+)?$")
_BEFORE_NAME = re.compile(
    r"(?:^|[:,]\s*|\b(?:by|is|was|are|were|to|from|of|with|played|and|that|under|named|called)\s+)$"
)
_GOES_ON = re.compile(r"\s*(?:[.,;)]|$|(?:in|on|by|with|during|as|and|after|before|for|when|to)\b)")
_THE = re.compile(r"(?:\b(?:the|an?)\s+)?$", re.IGNORECASE)
# Where a place is named: "in Paris", "at the Royal Theatre", "aboard the Missouri".
PLACED = re.compile(
    rf"\b(?:in|at|aboard|near|from|off|outside|between)\s+(?:the\s+)?(?:[a-z]+\s+)?"
    rf"(?!(?:{'|'.join(phrases.MONTHS)})\b)[A-Z]"
)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_ENDS_WELL = re.compile(
    r"\b(?:is|was|were|are|been|being)\s+(?:\w+ly\s+|first\s+|originally\s+)?\w+$"
    r"|\b(?:aired|started|ended|died|happened|opened|debuted|premiered|moved|occurred|joined|began|"
    r"lived|came out|took place|won|closed|stopped|became|arrived|left)$"
)
_ARTISTS = re.compile(r"\b(?:s[aiu]ngs?|sings|singer|song|plays?|played|voice)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """Where the asked-for value stands in a sentence."""

    text: str
    start: int
    end: int

    @property
    def before(self) -> str:
        """What stands before it."""
        return self.text[: self.start]

    @property
    def after(self) -> str:
        """What stands after it."""
        return self.text[self.end :]

    @property
    def value(self) -> str:
        """The value."""
        return self.text[self.start : self.end]

    def wider(self, pattern: re.Pattern[str]) -> Found:
        """With what stands right before it."""
        match = pattern.search(self.before)
        return Found(self.text, match.start() if match else self.start, self.end)

    def with_value(self, value: str) -> str:
        """The sentence with another value there."""
        made = f"{self.before}{value}{self.after}"
        made = re.sub(r"\s+([.,;])", r"\1", " ".join(made.split()))
        return made[:1].upper() + made[1:]


def locate(text: str, truths: Sequence[str]) -> Found | None:
    """The longest of the accepted values that stands in a text."""
    low = text.lower()
    best: Found | None = None
    for truth in truths:
        value = truth.lower().strip(" .")
        value = value.removeprefix("the ").removeprefix("in ").removeprefix("on ")
        if not value:
            continue
        match = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", low)
        if match and (best is None or len(value) > best.end - best.start):
            best = Found(text, *match.span())
    return best


def grown(found: Found, kind: str) -> Found | None:
    """The value with what belongs to it: the whole date, the whole name."""
    text, start, end = found.text, found.start, found.end
    if len(text) != len(text.lower()):
        return None
    if kind == "time":
        for match in _DATE.finditer(text):
            if match.start() <= start < match.end() or match.start() < end <= match.end():
                start, end = min(start, match.start()), max(end, match.end())
    elif kind in {"person", "place", "open"}:
        name = re.search(r"(?:[A-Z][\w.'\u2019-]*\s+)+$", text[:start])
        if name and name.start() > 0:
            start = name.start()
        after = re.match(r"(?:\s+[A-Z][\w'\u2019-]*)+", text[end:])
        if after:
            end += after.end()
        if kind == "place":
            more = re.match(r"(?:,\s+(?:[A-Z][\w'\u2019-]*\s?)+)+", text[end:])
            if more:
                end += len(more.group().rstrip())
    return Found(text, start, end)


def vague(
    found: Found, kind: str, question: str, truths: Sequence[str], rng: random.Random
) -> Made | None:
    """The sentence with the value gone, narrowed, or beside vague words."""
    whole = grown(found, kind)
    if not whole:
        return None
    rest = f"{whole.before} {whole.after}"
    if locate(rest, [whole.value, *truths]) or (kind == "time" and _YEAR.search(rest)):
        return None
    if kind == "place" and PLACED.search(f"{whole.before} | {whole.after}"):
        return None
    if re.match(r"\s*(?:and|or|&|,\s+(?:and|[A-Z]))\s", whole.after + " ") or re.search(
        r"(?:\band|,|&)\s+$", whole.before
    ):
        return None  # one of several values: the others would still answer
    way = rng.random()
    if way < 0.35:
        made = _left_out(whole, kind)
    elif way < 0.5 and kind == "time":
        made = _narrowed(whole)
    elif way > 0.75 and kind == "person":
        made = _beside(whole, question, rng)
    else:
        made = None
    return made or _worded(whole, kind, question, rng)


def _left_out(whole: Found, kind: str) -> Made | None:
    """The end cut off: "The film was released on 15 February." as "The film was released"."""
    lead = _PREPOSITION.search(whole.before) or _BY.search(whole.before)
    if not lead or re.search(r"\w", whole.after) or kind not in {"time", "place", "person"}:
        return None
    cut = whole.before[: lead.start()].rstrip(" ,")
    if len(cut.split()) < 4 or not _ENDS_WELL.search(cut) or cut.endswith((" set", " based")):
        return None
    return "restated", f"{cut}.", 0.0


def _narrowed(whole: Found) -> Made | None:
    """A day as its decade."""
    lead = re.search(r"\b(?:in|on)\s+(?:the\s+)?$", whole.before, re.IGNORECASE)
    year = re.search(r"\b(1[5-9]|20)(\d)\d\b", whole.value)
    if not lead or not year:
        return None
    made = Found(whole.text, lead.start(), whole.end)
    return "narrowed", made.with_value(f"in the {year[1]}{year[2]}0s"), 0.5


def _beside(whole: Found, question: str, rng: random.Random) -> Made | None:
    """The value after the same vague words, so that these do not tell."""
    words = [w for w in phrases.VAGUE["person"] if w.startswith("a ") and "group" not in w]
    if _ARTISTS.search(question):
        words = [w for w in phrases.VAGUE["artist"] if w.startswith("a ")]
    if not re.search(r"\b(?:by|was|is)\s$", whole.before):
        return None
    return "specific", whole.with_value(f"{rng.choice(words)}, {whole.value}"), 1.0


def _worded(whole: Found, kind: str, question: str, rng: random.Random) -> Made | None:
    """Vague words in the value's place."""
    words = phrases.VAGUE.get(kind, phrases.VAGUE["open"])
    if kind in {"time", "place"}:
        if not _PREPOSITION.search(whole.before) or not _GOES_ON.match(whole.after):
            return None
        made = whole.wider(_PREPOSITION)
    elif kind == "person":
        made = whole.wider(_THE)
        if not _BEFORE_NAME.search(made.before):
            return None
        if _ARTISTS.search(question):
            words = phrases.VAGUE["artist"]
    elif kind == "number":
        one_number = re.fullmatch(r"[\d,.]+|\w+", whole.value) and numbers.numbers(whole.value)
        if not one_number or not re.match(r"\s+[a-z]{3,}[^:]*$", whole.after):
            return None
        made = whole.wider(_ABOUT)
    else:
        if not _LINK.search(whole.before) or re.search(r"\w", whole.after):
            return None
        made = whole.wider(_THE)
    return "vague", made.with_value(rng.choice(words)), 0.0


def some_time(rng: random.Random) -> str:
    """A time, made up: an answer may be wrong and answer all the same."""
    year = rng.randint(1850, 2022)
    return rng.choice(phrases.TIMES).format(
        y=year,
        c=year // 10 * 10,
        d=rng.randint(1, 28),
        m=rng.choice(phrases.MONTHS),
        n=rng.randint(3, 60),
    )


_WHO_DID = re.compile(r"who (?P<verb>\w+) (?P<rest>.+)", re.IGNORECASE)
_PASSIVE = {
    "wrote": "written",
    "sang": "sung",
    "sings": "recorded",
    "recorded": "recorded",
    "directed": "directed",
    "produced": "produced",
    "founded": "founded",
    "invented": "invented",
    "discovered": "discovered",
    "made": "made",
    "created": "created",
    "painted": "painted",
    "built": "built",
    "composed": "composed",
    "designed": "designed",
    "killed": "killed",
    "developed": "developed",
    "published": "published",
    "introduced": "introduced",
}


def other_kind(found: Found, question: str, rng: random.Random) -> tuple[str, str] | None:
    """(the question that it would answer or "", the sentence with a value of another kind)."""
    word, _, rest = question.strip().partition(" ")
    match word.lower():
        case "when":
            return _time_to_place(grown(found, "time"), rest, rng)
        case "where":
            return _place_to_time(grown(found, "place"), rest, rng)
        case "who":
            return _person_to_other(grown(found, "person"), question.strip(), rng)
    return None


def _time_to_place(whole: Found | None, rest: str, rng: random.Random) -> tuple[str, str] | None:
    lead = whole and _PREPOSITION.search(whole.before)
    if not whole or not lead or _YEAR.search(whole.before + whole.after):
        return None
    if PLACED.search(whole.before + " | " + whole.after):
        return None
    if not re.match(r"(?:did|was|were)\b", rest, re.IGNORECASE):
        return None
    return f"where {rest}", whole.wider(_PREPOSITION).with_value(rng.choice(phrases.PLACES))


def _place_to_time(whole: Found | None, rest: str, rng: random.Random) -> tuple[str, str] | None:
    lead = whole and _PREPOSITION.search(whole.before)
    if not whole or not lead or re.search(r"\w", whole.after) or PLACED.search(whole.before):
        return None
    if re.search(r"\b(?:located|situated|lies?|found)\s*$", whole.before[: lead.start()]):
        return None
    turned = f"when {rest}" if re.match(r"(?:did|was|were)\b", rest, re.IGNORECASE) else ""
    if _YEAR.search(whole.before):
        turned = ""
    return turned, whole.wider(_PREPOSITION).with_value(some_time(rng))


def _person_to_other(
    whole: Found | None, question: str, rng: random.Random
) -> tuple[str, str] | None:
    match = _WHO_DID.match(question)
    passive = _PASSIVE.get(match["verb"].lower()) if match else None
    if not whole or not match or not passive or not _BY.search(whole.before):
        return None
    if _YEAR.search(whole.text) or re.search(r"[a-z]", whole.after) or PLACED.search(whole.text):
        return None
    word = some_time(rng) if rng.random() < 0.6 else rng.choice(phrases.PLACES)
    asks = "where" if word in phrases.PLACES else "when"
    rest = match["rest"].rstrip(" ?")
    return f"{asks} was {rest} {passive}", whole.wider(_BY).with_value(word)
