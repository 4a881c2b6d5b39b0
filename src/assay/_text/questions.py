"""The kind of answer that a question asks for, and whether a text holds one."""

# ruff: noqa: SIM905 - word lists read better as prose

import re
from typing import Literal

from assay._text import entities, numbers, words

Kind = Literal["time", "number", "person", "place", "reason", "yes or no", "open"]

_REPLY = re.compile(r"(?:yes|no)\b[,;.:]?\s(?:[–—-]\s)?(?=\w)", re.IGNORECASE)
_FEW = 8  # words that answer a question without being a sentence

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|old|tall|long|far|large|big|high|deep|heavy|fast|often|wide)\b"
            r"|\bwhat (?:is|was|are|were) the (?:number|population|price|cost|height|length|age|"
            r"average|percentage|distance|size|weight|temperature|salary|speed|rate)\b"
            r"|\bwhat (?:percent|number|age)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "time",
        re.compile(
            r"\bwhen\b|\b(?:what|which|in what|in which) (?:year|date|day|month|century|"
            r"decade|time)\b",
            re.IGNORECASE,
        ),
    ),
    ("person", re.compile(r"\bwho(?:se|m)?\b", re.IGNORECASE)),
    (
        "place",
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent)\b",
            re.IGNORECASE,
        ),
    ),
    ("reason", re.compile(r"\bwhy\b|\bwhat (?:causes?|caused|is the reason)\b", re.IGNORECASE)),
    (
        "yes or no",
        re.compile(
            r"^\W*(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may)\b",
            re.IGNORECASE,
        ),
    ),
)
_TIME = re.compile(
    r"\b(?:1\d{3}|20\d{2}|\d{1,2}(?:st|nd|rd|th) century|\d{3,4} ?(?:bc|bce|ad|ce))\b|\b\d{2,4}0s\b"
    r"|\b(?:today|yesterday|tomorrow|ago|century|annually|daily|weekly|monthly|spring|summer|autumn|"
    r"winter|morning|evening|noon|midnight|during|after|before|until|since|while)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:several|many|few|dozens|hundreds|thousands|millions|billions|none|once|twice|one|"
    r"single|half|percent)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|due to|since|so that|in order to|as a result|result(?:s|ed)? (?:of|from|in)|"
    r"caused?|leads?|led|reasons?|therefore|thanks to|helps?|allows?|to)\b",
    re.IGNORECASE,
)
_PLAIN = 20  # words; a longer question asks and tells too much to be part of a statement
_ASKS = re.compile(
    r"(?:(?:at|by|from|in|of|on|to|with) )?(?:who(?:m|se)?|what|which|when|where|why|how)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[.!;:](?:\s|$)|\n")
_YES_NO = re.compile(r"^\W*(?:yes|no|yeah|nope|correct|true|false|it depends|not)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"\b(?:he|she|they|people|person|man|woman|men|women|president|king|queen|team|company|band|"
    r"author|actor|director|founder|anyone|everyone|those|parents?|members?|doctors?)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|near|on|from|between|along|inside|outside|around|under|above|within|located)\s+\w",
    re.IGNORECASE,
)


# What is done with a text, what that makes of it, what a text is called, and how it is to be done.
_WORK = frozenset(
    "summarize summarise sum condense shorten paraphrase rewrite rephrase reword translate "
    "proofread simplify outline recap digest explain describe analyze analyse review write give "
    "provide create generate produce make draft prepare tl tldr".split()
)
_MADE = frozenset(
    "summary summaries abstract synopsis outline overview description headline title gist recap "
    "summarization summarisation translation dr please instruction task help".split()
)
_TEXTS = frozenset(
    "text texts article articles news passage passages document documents paragraph paragraphs "
    "story report conversation dialogue dialog transcript email mail letter data information "
    "content context contexts source sources excerpt page input chapter".split()
)
_MANNER = frozenset(
    "following above below given provided attached structured original main key important point "
    "points idea ideas word words sentence sentences line lines bullet bullets brief briefly short "
    "shorter concise concisely detailed objective clear simple simply plain english language "
    "maximum minimum least exactly limit format based json two three four five".split()
)
_WONDERS = re.compile(r"\W*(?:who|whose|whom|what|when|where|why|how|which)\b", re.IGNORECASE)


def about_a_text(question: str) -> bool:
    """Whether it only orders work on a text that is at hand.

    "Summarize the following news" names nothing that a text could bear on, as a question does.
    """
    said = {word for word in words.content_words(question) if not word[0].isdigit()}
    ordered = bool(said & _WORK) and not _WONDERS.match(question)
    return ordered and said <= _WORK | _MADE | _TEXTS | _MANNER


def plain(question: str) -> str:
    """A question of one plain sentence, with its mark; "" for one that is none or tells much.

    People leave the mark out: "who wrote it" is "who wrote it?".
    """
    asked = question.strip()
    if len(words.words(asked)) > _PLAIN:
        return ""
    if asked.endswith("?"):
        return asked
    return f"{asked}?" if _ASKS.match(asked) and not _SEVERAL.search(asked) else ""


def kind_of(question: str) -> Kind:
    """The kind of answer a question asks for; "open" where it names none."""
    for kind, pattern in _KINDS:
        if pattern.search(question):
            return kind
    return "open"


def replies(text: str, question: str) -> str:
    """The "Yes, " or "No, " before a few more words, where that was asked for; else ""."""
    match = _REPLY.match(text)
    asked = match and kind_of(question) == "yes or no"
    return match[0] if match and asked and len(words.words(text)) <= _FEW else ""


def holds(kind: Kind, text: str, question: str = "") -> bool:
    """Whether `text` holds something of that kind which the question does not already name."""
    if kind == "time":
        return bool(_TIME.search(text) or entities.calendar_words(text) or numbers.numbers(text))
    if kind == "number":
        return bool(set(numbers.numbers(text)) - set(numbers.numbers(question))) or bool(
            _AMOUNT.search(text)
        )
    if kind in {"person", "place"}:
        pattern = _PERSON if kind == "person" else _PLACE
        return bool(_new_names(text, question) or pattern.search(text))
    if kind == "reason":
        return bool(_CAUSE.search(text)) or len(words.content_words(text)) > 4
    if kind == "yes or no":
        return bool(_YES_NO.search(text)) or len(words.content_words(text)) > 3
    return True


def _new_names(text: str, question: str) -> bool:
    known = set(words.words(question))
    # "Marie Curie" as the whole answer is a name although it begins the sentence.
    alone = all(word[:1].isupper() or word in {"of", "the"} for word in text.split())
    candidates = [*entities.names(text), *([text] if alone else [])]
    return any(set(words.content_words(name)) - known for name in candidates)
