"""The kind of answer that a question asks for, and the statement that a yes or no makes.

"Does the Kolo 3 switch itself off?" with "No" states "The Kolo 3 does not switch itself off."
"""

import re
from typing import Literal

from assay._text import entities, numbers, verbs, words
from assay._text.expressions import expression

# ruff: noqa: SIM905 - word lists read better as prose


Kind = Literal["time", "number", "person", "place", "reason", "yes or no", "open"]

_REPLY = expression(r"(?:yes|no)\b[,;.:]?\s(?:[–—-]\s)?(?=\w)", re.IGNORECASE)
_FEW = 8  # words that answer a question without being a sentence

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "number",
        expression(
            r"\bhow (?:many|much|old|tall|long|far|large|big|high|deep|heavy|fast|often|wide)\b"
            r"|\bwhat (?:is|was|are|were) the (?:number|population|price|cost|height|length|age|"
            r"average|percentage|distance|size|weight|temperature|salary|speed|rate)\b"
            r"|\bwhat (?:percent|number|age)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "time",
        expression(
            r"\bwhen\b|\b(?:what|which|in what|in which) (?:year|date|day|month|century|"
            r"decade|time)\b",
            re.IGNORECASE,
        ),
    ),
    ("person", expression(r"\bwho(?:se|m)?\b", re.IGNORECASE)),
    (
        "place",
        expression(
            r"\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent)\b",
            re.IGNORECASE,
        ),
    ),
    ("reason", expression(r"\bwhy\b|\bwhat (?:causes?|caused|is the reason)\b", re.IGNORECASE)),
    (
        "yes or no",
        expression(
            r"^\W*(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may)\b",
            re.IGNORECASE,
        ),
    ),
)
_TIME = expression(
    r"\b(?:1\d{3}|20\d{2}|\d{1,2}(?:st|nd|rd|th) century|\d{3,4} ?(?:bc|bce|ad|ce))\b|\b\d{2,4}0s\b"
    r"|\b(?:today|yesterday|tomorrow|ago|century|annually|daily|weekly|monthly|spring|summer|autumn|"
    r"winter|morning|evening|noon|midnight|during|after|before|until|since|while)\b",
    re.IGNORECASE,
)
_AMOUNT = expression(
    r"\b(?:several|many|few|dozens|hundreds|thousands|millions|billions|none|once|twice|one|"
    r"single|half|percent)\b",
    re.IGNORECASE,
)
_CAUSE = expression(
    r"\b(?:because|due to|since|so that|in order to|as a result|result(?:s|ed)? (?:of|from|in)|"
    r"caused?|leads?|led|reasons?|therefore|thanks to|helps?|allows?|to)\b",
    re.IGNORECASE,
)
_PLAIN = 20  # words; a longer question asks and tells too much to be part of a statement
_ASKS = expression(
    r"(?:(?:at|by|from|in|of|on|to|with) )?(?:who(?:m|se)?|what|which|when|where|why|how)\b",
    re.IGNORECASE,
)
_SEVERAL = expression(r"[.!;:](?:\s|$)|\n")
_YES_NO = expression(r"^\W*(?:yes|no|yeah|nope|correct|true|false|it depends|not)\b", re.IGNORECASE)
_PERSON = expression(
    r"\b(?:he|she|they|people|person|man|woman|men|women|president|king|queen|team|company|band|"
    r"author|actor|director|founder|anyone|everyone|those|parents?|members?|doctors?)\b",
    re.IGNORECASE,
)
_PLACE = expression(
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
_WONDERS = expression(r"\W*(?:who|whose|whom|what|when|where|why|how|which)\b", re.IGNORECASE)


def about_a_text(question: str) -> bool:
    """Whether it only orders work on a text that is at hand.

    "Summarize the following news" names nothing that a text could bear on, as a question does.
    """
    content = {word for word in words.content_words(question) if not word[0].isdigit()}
    ordered = bool(content & _WORK) and not _WONDERS.match(question)
    return ordered and content <= _WORK | _MADE | _TEXTS | _MANNER


def plain(question: str) -> str:
    """A question of one plain sentence, with its mark; "" for one that is none or tells much.

    People leave the mark out: "who wrote it" is "who wrote it?".
    """
    text = question.strip()
    if len(words.words(text)) > _PLAIN:
        return ""
    if text.endswith("?"):
        return text
    return f"{text}?" if _ASKS.match(text) and not _SEVERAL.search(text) else ""


def kind_of(question: str) -> Kind:
    """The kind of answer a question asks for; "open" where it names none."""
    for kind, pattern in _KINDS:
        if pattern.search(question):
            return kind
    return "open"


def replies(text: str, question: str) -> str:
    """The "Yes, " or "No, " before a few more words, where that was asked for; else ""."""
    match = _REPLY.match(text)
    closed = match and kind_of(question) == "yes or no"
    return match[0] if match and closed and len(words.words(text)) <= _FEW else ""


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
    question_words = set(words.words(question))
    # "Marie Curie" as the whole answer is a name although it begins the sentence.
    capitalized = all(word[:1].isupper() or word in {"of", "the"} for word in text.split())
    candidates = [*entities.names(text), *([text] if capitalized else [])]
    return any(set(words.content_words(name)) - question_words for name in candidates)


# ruff: noqa: SIM905 - word lists read better as prose


_QUESTION = expression(
    r"\W*(?P<auxiliary>is|are|was|were|do|does|did|can|could|will|would|should|must|may|might|has|have|had)"
    r"(?P<denied>n(?:'|’)t)?\s+(?P<rest>[^?.!;]+)\?",
    re.IGNORECASE,
)
_PRONOUNS = frozenset("i you he she it we they there".split())
_BE = frozenset("is are was were".split())
_HAVE = frozenset("has have had".split())
_DETERMINERS = frozenset("the a an this that these those my your his her its our their".split())
# What stands behind the subject of a form of "be".
_BEHIND_BE = frozenset(
    "a an the any another one not still already always ever never also currently now only really "
    "in on at for to from by with without within between during over under above below about "
    "able available necessary safe valid possible true false free open closed ok okay allowed "
    "eligible subject due part made based located born known used ready legal illegal correct "
    "mandatory optional compulsory full empty bigger smaller larger higher lower older younger "
    "longer shorter faster slower cheaper better worse more less as too very good bad".split()
)
_ADJECTIVE = expression(r"[a-z]{2,}(?:able|ible|ous|ful|less|proof)")
_LONGEST = 30  # words of a question
_ONLY = expression(r"^(?:only|just|rather|but)\s+", re.IGNORECASE)
_PREPOSITIONS = (
    "in on at from by for to with within after before until since under over above below between "
    "during"
).split()
_CIRCUMSTANCE = expression(
    r"\s(?P<first>in|on|at|from|by|for|with|within|after|before|until|during)\s"
    rf"(?:(?!(?:{'|'.join(_PREPOSITIONS)})\b)\w\S*(?:\s|$)){{1,4}}$",
    re.IGNORECASE,
)
_NUMBER = expression(
    r"[$€£]?\d[\d.,:]*%?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|"
    r"twenty|thirty|forty|fifty|sixty|ninety|a hundred"
)


def asserted(question: str, *, yes: bool) -> str:
    """What a yes or no says; "" where the subject's end, or what is denied, cannot be told."""
    match = _QUESTION.fullmatch(question.strip())
    if not match or match["denied"]:
        return ""
    auxiliary, words = match["auxiliary"].lower(), match["rest"].split()
    # "Is it red or blue?" wants no yes.
    is_alternative = len(words) > _LONGEST or "or" in map(str.lower, words)
    end = 0 if is_alternative else _subject_end(auxiliary, words)
    if not end:
        return ""
    subject, predicate = words[:end], words[end:]
    if predicate[0].lower() in {"not", "never"}:
        return ""
    denied = [f"{auxiliary}not" if auxiliary == "can" else f"{auxiliary} not"]
    sentence = [*subject, *([auxiliary] if yes else denied), *predicate]
    if yes and auxiliary in {"do", "does", "did"}:
        sentence = [*subject, _finite(predicate[0], auxiliary), *predicate[1:]]
    text = " ".join(sentence).rstrip(" ,")
    return f"{text[:1].upper()}{text[1:]}."


def corrected(question: str, phrase: str) -> str:
    """The statement of a phrase behind a "No"; "" where it is not clear what it replaces.

    "In Leeds" says "It was sold in Leeds." where the question is "Was it sold in York?".
    """
    statement = asserted(question, yes=True)
    phrase = _ONLY.sub("", phrase).rstrip(" .!")
    first = phrase.partition(" ")[0].lower()
    if first in _PREPOSITIONS:
        replaced = re.compile(rf"\b{first}\s.+?(?=\s(?:{'|'.join(_PREPOSITIONS)})\b|\.$)")
    elif _NUMBER.fullmatch(first):
        noun = re.escape(phrase[len(first) :])  # " years", as in "two years" for "three years"
        replaced = re.compile(rf"\b(?:{_NUMBER.pattern})\b(?:{noun}\b)?", re.IGNORECASE)
    else:
        return ""
    matches = list(replaced.finditer(statement))
    if len(matches) != 1:
        return ""
    start, end = matches[0].span()
    return f"{statement[:start]}{phrase}{statement[end:]}"


def with_circumstance(statement: str, question: str) -> str:
    """A short statement with the last circumstance of its question, if it names none of that kind.

    "It is closed." says "It is closed on Sundays." where the question is about Sundays.
    """
    match = _CIRCUMSTANCE.search(question.rstrip(" ?"))
    if not match or match[1].lower() in statement.lower().split():
        return statement
    return f"{statement.rstrip(' .!')}{match[0]}."


def has_pronoun_for_subject(question: str) -> bool:
    """Whether a yes-no question asks about "it" or "you"."""
    match = _QUESTION.fullmatch(question.strip())
    return match is not None and match["rest"].split()[0].lower() in _PRONOUNS


def subject(question: str) -> str:
    """What a yes-no question asks about, "Travel time"; "" where its end cannot be told."""
    match = _QUESTION.fullmatch(question.strip())
    words = match["rest"].split() if match else []
    end = _subject_end(match["auxiliary"].lower(), words) if match and words else 0
    text = " ".join(words[:end]) if len(words) <= _LONGEST else ""
    return "" if text.lower() in _PRONOUNS else f"{text[:1].upper()}{text[1:]}"


def _finite(verb: str, auxiliary: str) -> str:
    """The verb behind a form of "do" without it: "switches" for "does switch"."""
    if auxiliary == "do":
        return verb
    return verbs.third_person(verb) if auxiliary == "does" else verbs.past(verb)


def _subject_end(auxiliary: str, words: list[str]) -> int:
    """How many of the words behind the auxiliary are its subject; 0 where that is not sure."""
    plain = [word.lower().strip(",\"'’") for word in words]
    if plain[0] in _PRONOUNS and len(words) > 1:
        return int(not (auxiliary == "do" and plain[0] in {"he", "she", "it"}))
    begins = 1 + (plain[0] in _DETERMINERS)
    positions = [
        i
        for i in range(begins, len(words))
        if plain[i - 1] not in _DETERMINERS | {"of"} and _may_follow(auxiliary, plain[i])
    ]
    if auxiliary in _BE:
        # "Is the function pure?": what has no mark is the last word.
        return positions[0] if positions else max(0, len(words) - 1) * (len(words) > begins)
    # "Does travel time count?"
    sure = [i for i in positions if not verbs.is_also_noun(plain[i])]
    return sure[0] if sure else positions[0] if len(positions) == 1 else 0


def _may_follow(auxiliary: str, word: str) -> bool:
    """Whether a word is what stands behind the subject of this auxiliary."""
    forms = verbs.forms(word)
    if auxiliary in _BE:
        return word in _BEHIND_BE or bool(
            forms & {"participle", "ing"} or _ADJECTIVE.fullmatch(word)
        )
    if auxiliary in _HAVE:
        return word == "been" or "participle" in forms
    return word in {"be", "have", "not", "also", "still", "ever"} or "base" in forms
