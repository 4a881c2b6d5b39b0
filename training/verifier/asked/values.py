"""The value that a question asks for: found in an answer, made vague, exchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.text import numbers
from training.verifier.asked import phrases

_DATE = re.compile(
    rf"(?:(?:{'|'.join(phrases.MONTHS)})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s*)?(?:of\s+)?"
    rf"(?:\d{{4}})?",
)
_PREPOSITION = re.compile(r"(?:\b(?:in|on|at|from|near|since|during|around)\s+(?:the\s+)?)$", re.I)
_BY = re.compile(r"\bby\s+(?:the\s+)?$", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """Where the asked-for value stands in a sentence."""

    text: str
    start: int
    end: int

    def with_value(self, value: str) -> str:
        """The sentence with another value there."""
        made = f"{self.text[: self.start]}{value}{self.text[self.end :]}"
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
        before = re.search(r"(?:(?:[A-Z][\w.'’-]*|of|the|\"[^\"]*)\s+)*$", text[:start])
        name = re.search(r"(?:[A-Z][\w.'’-]*\s+)+$", text[:start])
        if name and before and name.start() > 0:
            start = name.start()
        after = re.match(r"(?:\s+[A-Z][\w'’-]*)+", text[end:])
        if after:
            end += after.end()
        if kind == "place":
            more = re.match(r"(?:,\s+(?:[A-Z][\w'’-]*\s?)+)+", text[end:])
            if more:
                end += len(more.group().rstrip())
    return Found(text, start, end)


def vague(
    found: Found, kind: str, question: str, rng: random.Random
) -> tuple[str, str, float] | None:
    """(generator, sentence, how far it answers) with the value gone or beside vague words."""
    whole = grown(found, kind)
    if not whole:
        return None
    text, start, end = whole.text, whole.start, whole.end
    value = text[start:end]
    before, after = text[:start], text[end:]
    rest = before + " " + after
    if locate(rest, [value]) or (kind == "time" and re.search(r"\b\d{4}\b", rest)):
        return None
    lead = _PREPOSITION.search(before)
    by = _BY.search(before)
    way = rng.random()
    tail = not re.search(r"\w", after)
    if way < 0.3 and tail and (lead or by) and kind in {"time", "place", "person"}:
        # "The film was released on 15 February." as "The film was released."
        where = (lead or by).start()  # type: ignore[union-attr]
        cut = text[:where].rstrip(" ,")
        if len(cut.split()) >= 4 and not re.search(r"\b(?:is|was|are|were|and|or)$", cut):
            return "restated", f"{cut}.", 0.0
    if (
        kind == "time"
        and 0.3 <= way < 0.45
        and (years := re.search(r"\b(1[5-9]|20)(\d)\d\b", value))
    ):
        if lead and lead.group().lower().strip() in {"in", "on", "in the", "on the"}:
            made = Found(text, lead.start(), end)
            return "narrowed", made.with_value(f"in the {years[1]}{years[2]}0s"), 0.5
    if way > 0.8 and kind in {"person", "place"}:
        word = rng.choice(phrases.VAGUE["artist" if _artist(question) else "person"])
        if kind == "person" and word not in {"someone", "several people", "various people"}:
            if not re.search(r"\w", before) or not word.startswith("a "):
                return None
            if re.search(r"\bby\s$|\bwas\s$|\bis\s$", before):
                return "specific", Found(text, start, end).with_value(f"{word}, {value}"), 1.0
        return None
    return _worded(Found(text, start, end), kind, question, lead, rng)


def _worded(
    whole: Found, kind: str, question: str, lead: re.Match[str] | None, rng: random.Random
) -> tuple[str, str, float] | None:
    text, start, end = whole.text, whole.start, whole.end
    if kind in {"time", "place"}:
        if not lead:
            return None
        made = Found(text, lead.start(), end).with_value(rng.choice(phrases.VAGUE[kind]))
    elif kind == "person":
        start -= len(re.search(r"(?:\bthe\s+)?$", text[:start], re.I).group())  # type: ignore[union-attr]
        words = phrases.VAGUE["artist" if _artist(question) else "person"]
        made = Found(text, start, end).with_value(rng.choice(words))
    elif kind == "number":
        value = text[start:end]
        if not re.fullmatch(r"[\d,.]+|\w+", value) or not numbers.numbers(value):
            return None
        if not re.match(r"\s+[a-z]{3,}", text[end:]):
            return None
        start -= len(
            re.search(r"(?:\b(?:about|around|approximately|over)\s+)?$", text[:start]).group()
        )  # type: ignore[union-attr]
        made = Found(text, start, end).with_value(rng.choice(phrases.VAGUE[kind]))
    else:
        link = re.search(
            r"\b(?:is|was|are|were|called|named|means|include|includes|as)\s+(?:the\s+|an?\s+)?$",
            text[:start],
        )
        if not link or re.search(r"\w", text[end:]):
            return None
        start -= len(re.search(r"(?:\b(?:the|an?)\s+)?$", text[:start]).group())  # type: ignore[union-attr]
        made = Found(text, start, end).with_value(rng.choice(phrases.VAGUE[kind]))
    return "vague", made, 0.0


def _artist(question: str) -> bool:
    return bool(re.search(r"\b(?:s[aiu]ngs?|sings|singer|song|plays?|played|voice)\b", question))


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
    low = question.strip().lower()
    if low.startswith("when "):
        whole = grown(found, "time")
        lead = _PREPOSITION.search(whole.text[: whole.start]) if whole else None
        if not whole or not lead or re.search(r"\b\d{4}\b", whole.with_value("")):
            return None
        made = Found(whole.text, lead.start(), whole.end).with_value(rng.choice(phrases.PLACES))
        return f"where {question.strip()[5:]}", made
    if low.startswith("where "):
        whole = grown(found, "place")
        lead = _PREPOSITION.search(whole.text[: whole.start]) if whole else None
        if not whole or not lead or re.search(r"\w", whole.text[whole.end :]):
            return None
        if re.search(r"\b(?:located|situated|lies?|found)\s*$", whole.text[: lead.start()]):
            return None
        made = Found(whole.text, lead.start(), whole.end).with_value(some_time(rng))
        turned = (
            f"when {question.strip()[6:]}" if re.match(r"where (?:did|was|were)\b", low) else ""
        )
        return turned, made
    match = _WHO_DID.match(question.strip())
    if match and match["verb"].lower() in _PASSIVE:
        whole = grown(found, "person")
        by = _BY.search(whole.text[: whole.start]) if whole else None
        if not whole or not by or re.search(r"\b\d{4}\b", whole.text):
            return None
        word = some_time(rng) if rng.random() < 0.6 else rng.choice(phrases.PLACES)
        made = Found(whole.text, by.start(), whole.end).with_value(word)
        if re.search(r"[a-z]", made[by.start() + len(word) :]):
            return None
        asks = "where" if word in phrases.PLACES else "when"
        return f"{asks} was {match['rest']} {_PASSIVE[match['verb'].lower()]}", made
    return None
