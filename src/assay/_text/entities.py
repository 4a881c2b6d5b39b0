"""Names, dates, negations and opposites in a text."""

import re
import unicodedata
from collections.abc import Set as AbstractSet

from assay._text import memoized
from assay._text.expressions import expression
from assay._text.numbers import MONTH_NAMES
from assay._text.sentences import Span, spans
from assay._text.words import ELISION, STOP_WORDS, WORD, stem, stems, words

# ruff: noqa: SIM905 - word lists read better as prose


MONTHS = frozenset(map(str.lower, MONTH_NAMES))
DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_NAME_WORD = r"(?:(?:[A-Z]\.)+(?=\s[A-Z])|[A-Z][\w’'.&-]*\w|[A-Z])"
_NAME = expression(
    rf"(?<!\w){_NAME_WORD}(?:\s+(?:(?:of|de|van|von|der|al|bin|la|the)\s+){{0,2}}{_NAME_WORD})*"
)
# "30 °C", "5 PM", and a letter alone, which is a mark or an initial without its name.
_UNITS = {"am", "pm", "bc", "ad", "fahrenheit", "celsius", "centigrade"}
_PARTS = frozenset("section article clause chapter table figure paragraph annex appendix".split())
_NO_NAMES = MONTHS | DAYS | _UNITS | _PARTS | set("abcdefghijklmnopqrstuvwxyz")
# Before a name they begin an order or a line of a list: "Contact HR", "Requires Python".
_VERBS = frozenset(
    "add ask call check choose click contact contains create download email enable enter export "
    "follow go import includes install open press provides read requires run see select send set "
    "supports tap try turn use uses using visit".split()
)
_WRITTEN_ACRONYM = expression(r"\b(?:[A-Z]{2,6}\b|(?:[A-Z]\.){2,6})")
_HYPHENATED = expression(r"\b[A-Za-z]+(?:-[A-Za-z]+)+\b")
_PLURAL_ACRONYM = expression(r"([A-Z]{2,6})['’]?s")
_ROMAN = {
    numeral.lower(): str(value)
    for value, numeral in enumerate("II III IV V VI VII VIII IX X XI XII XIII XIV XV".split(), 2)
}
_NUMERALS = {value: numeral for numeral, value in _ROMAN.items()}
_NEGATION = expression(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|scarcely|lacks?|"
    r"lacking|fails?\s+to|failed\s+to|unable|refus\w+\s+to|den(?:y|ies|ied))\b|n['’]t\b",
    re.IGNORECASE,
)
# Not denials: "not only ... but", "no doubt", "no. 5", "why not".
_FALSE_NEGATION = expression(
    r"(?=n)(?:\bnot\s+only\b|\bno\s+doubt\b|\bno\.\s*\d|"
    r"(?:\bnot|n['’]t)\s+(?:an?\s+)?(?:myth|hoax|misconception|false|untrue|wrong|incorrect)\b)",
    re.IGNORECASE,
)
# What a text reports, supposes or calls wrong it does not say itself.
_DOUBT = expression(
    r"\b(?:myths?|hoax|misconceptions?|false|falsely|untrue|wrong|wrongly|incorrect|incorrectly|"
    r"contrary|claim(?:s|ed|ing)?|rumou?r(?:s|ed)?|alleg(?:ed|edly|es|ations?)|supposed|supposedly|"
    r"purported|purportedly|believed|perhaps|maybe|might|if|unless|whether|would)\b",
    re.IGNORECASE,
)
_OPPOSITES = (
    "increase/decrease increase/reduce increase/decline increase/fall increase/drop rise/fall "
    "rise/decline rise/drop grow/shrink grow/decline gain/lose gain/loss high/low higher/lower "
    "highest/lowest more/less more/fewer most/least maximum/minimum large/small larger/smaller "
    "largest/smallest big/small bigger/smaller long/short longer/shorter old/young older/younger "
    "oldest/youngest old/new fast/slow faster/slower hot/cold warm/cool warmer/cooler early/late "
    "earlier/later before/after first/last begin/end start/end start/finish open/close win/lose "
    "won/lost victory/defeat accept/reject approve/reject allow/forbid allow/ban allow/prohibit "
    "permit/prohibit agree/disagree agree/refuse include/exclude add/remove buy/sell bought/sold "
    "import/export arrive/leave enter/exit live/die alive/dead birth/death born/died marry/divorce "
    "male/female man/woman men/women boy/girl husband/wife father/mother son/daughter "
    "brother/sister king/queen north/south east/west northern/southern eastern/western left/right "
    "up/down above/below inside/outside front/back positive/negative good/bad better/worse "
    "best/worst strong/weak stronger/weaker safe/dangerous legal/illegal possible/impossible "
    "necessary/unnecessary success/failure succeed/fail true/false guilty/innocent "
    "convicted/acquitted public/private internal/external always/never often/rarely all/none "
    "many/few support/oppose love/hate like/dislike rich/poor cheap/expensive hard/soft "
    "hard/easy wet/dry day/night summer/winter morning/evening teacher/student "
    "allow/forbidden permit/forbidden open/shut rose/fell rise/fell rose/decline rose/drop "
    "increase/fell grew/fell grew/decline grew/shrank"
).split()
OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in _OPPOSITES:
    _left, _right = (stem(_word) for _word in _pair.split("/"))
    OPPOSITES[_left] = OPPOSITES.get(_left, frozenset()) | {_right}
    OPPOSITES[_right] = OPPOSITES.get(_right, frozenset()) | {_left}
# Each holds where its opposite does, the sides exchanged: "A is older than B", "B is younger".
_COMPARED = {
    stem(word): "than"
    for word in "more less fewer higher lower larger smaller bigger longer shorter older younger "
    "faster slower warmer cooler earlier later better worse stronger weaker".split()
} | {stem(word): word for word in ("before", "after", "above", "below")}
_TRADED = frozenset(map(stem, "buy sell bought sold win won lose lost victory defeat".split()))
_CLAUSE_END = expression(r"[,;:()]|\b(?:but|and|so|because|though|although|while|whereas|yet)\b")


def names(text: str) -> list[str]:
    """Names of people, places, bodies and works, by their capitals, in order, each once.

    A single capitalised word at the beginning of a sentence is left out unless it is written like
    no ordinary word (NASA, McDonald, B2B): there a capital proves nothing.
    """
    ordered: dict[str, None] = {}
    for start, end in spans(text):
        sentence = text[start:end]
        for match in _NAME.finditer(sentence):
            name = _without_first_word(match.group()) if _opens(sentence, match) else match.group()
            if name and name.lower() not in STOP_WORDS and name.lower() not in _NO_NAMES:
                ordered.setdefault(name)
    return list(ordered)


def calendar_words(text: str) -> set[str]:
    """The months and week days that a text names, in lower case; "may" only with a capital."""
    candidates = set(words(text)) & (MONTHS | DAYS)
    return candidates - {"may", "march"} | {
        word.lower() for word in re.findall(r"\b(?:May|March)\b(?!\s+(?:not|be|have)\b)", text)
    }


def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return bool(_NEGATION.search(_FALSE_NEGATION.sub(" ", text)))


def is_doubted(text: str) -> bool:
    """Whether a text denies, doubts or only supposes something."""
    return is_negated(text) or bool(_DOUBT.search(text))


def opposites(
    statement: str, stated: AbstractSet[str], evidence: str, given: AbstractSet[str]
) -> list[tuple[str, str]]:
    """Pairs of stems of which the statement has one and the evidence only the other.

    Not of a word whose like the evidence has, too ("declined" beside "rose" and "fell"), and not
    where the sides are exchanged ("A is older than B", "B is younger").

    Args:
        statement: A statement.
        stated: The stems of its content words.
        evidence: A sentence.
        given: The stems of its content words.
    """
    return [
        (word, opposite)
        for word in sorted(stated - given)
        for opposite in sorted(OPPOSITES.get(word, frozenset()) & (given - stated))
        if word not in _TRADED
        and not (OPPOSITES[opposite] & given)
        and not (word in _COMPARED and _is_exchanged(word, statement, opposite, evidence))
    ]


def _is_exchanged(word: str, statement: str, opposite: str, evidence: str) -> bool:
    """Whether the statement's first side is the evidence's second one, or it has other sides."""
    first, second = _sides(statement, word)
    given_first, given_second = _sides(evidence, opposite)
    told_apart, told_apart_second = given_first - given_second, given_second - given_first
    if _COMPARED[word] != "than":
        return not (first & told_apart and second & told_apart_second)
    return bool(first & told_apart_second and (second & told_apart or told_apart - first))


def _sides(sentence: str, word: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of what is compared by a word, given by its stem, and of what it is compared to."""
    sentence = sentence.lower()
    places = [match for match in WORD.finditer(sentence) if stem(match[0]) == word]
    if not places:
        return frozenset(stems(sentence)), frozenset()
    place = places[0]
    if _COMPARED[word] == "than":
        begin = sentence.find(" than ", place.end())
        begin = len(sentence) if begin < 0 else begin + len(" than ")
    else:
        begin = place.end()
    clause_end = _CLAUSE_END.search(sentence, begin)
    end = clause_end.start() if clause_end else len(sentence)
    first = sentence[:begin] if sentence[: place.start()].strip() else sentence[end:]
    return frozenset(stems(first)) - {word}, frozenset(stems(sentence[begin:end]))


def stands_in(name: str, lower_words: AbstractSet[str], acronyms: AbstractSet[str]) -> bool:
    """Whether every part of a name is among these words, or the name is one of their acronyms.

    An initial proves nothing; "II" is "2". Either side may be the acronym: `acronyms` holds those
    that could be made of the text, `lower_words` those that stand in it (see `lookup`).
    """
    plural = _PLURAL_ACRONYM.fullmatch(name)
    letters = plural[1] if plural else name.replace(".", "")
    if letters.isupper() and (letters in acronyms or letters.lower() in lower_words):
        return True
    name_words = [word for word in words(name) if word not in STOP_WORDS]
    telling = [word for word in name_words if len(word) > 1 or not word.isalpha() or word in _ROMAN]
    if all(_part_stands_in(word, lower_words) for word in telling or name_words):
        return True
    return len(name_words) > 1 and "".join(word[0] for word in name_words).upper() in lower_words


def _part_stands_in(word: str, lower_words: AbstractSet[str]) -> bool:
    numeral = _ROMAN.get(word) or _NUMERALS.get(word)
    return word in lower_words or stem(word) in lower_words or numeral in lower_words


def lookup(text: str) -> set[str]:
    """What names are looked up in: the words in lower case, and the acronyms as "WHO".

    A hyphenated word is there in parts and in one piece: "Wi-Fi" is "wi", "fi" and "wifi".
    """
    joined = (match.group().replace("-", "").lower() for match in _HYPHENATED.finditer(text))
    acronyms_written = (match.group().replace(".", "") for match in _WRITTEN_ACRONYM.finditer(text))
    return {*words(text), *joined, *acronyms_written}


def acronyms(text: str) -> set[str]:
    """The first letters of every name of two or more words: "World Health Organization" -> WHO."""
    initialisms: set[str] = set()
    for match in _NAME.finditer(text):
        initials = [word[0] for word in match.group().split() if word[0].isupper()]
        for size in range(2, min(6, len(initials)) + 1):
            initialisms.update(
                "".join(initials[i : i + size]) for i in range(len(initials) - size + 1)
            )
    return initialisms


def _opens(sentence: str, match: re.Match[str]) -> bool:
    beginning = sentence[: match.start()].rstrip(" \"'“‘*(")
    return not any(char.isalnum() for char in beginning) or beginning.endswith((":", "|"))


def _without_first_word(name: str) -> str:
    """A name at the beginning of a sentence, without what may be an ordinary word there."""
    first, _, remainder = name.partition(" ")
    if first.lower() in _VERBS and not remainder[:1].islower():  # "Call of Duty"
        return remainder
    marked = any(char.isupper() or char.isdigit() for char in first[1:])
    if marked or (remainder and remainder[0].isupper() and first.lower() not in STOP_WORDS):
        return name
    return remainder if remainder[:1].isupper() else ""


_MONTH = "|".join(month.capitalize() for month in sorted(MONTHS))
_DATE = expression(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?:,?\s+\d{{4}})?\b"
    rf"|\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b"
    rf"|\b(?:{_MONTH})\s+\d{{4}}\b"
)
_NUMBER = expression(r"(?<![\w.,])[$€£¥]?\d+(?:[.,:]\d+)*\s?(?:%|°C|°F)?(?!\w)")
_GROUPED = expression(r"(?<=\d)[,'’](?=\d{3}(?!\d))")
_ELISION = expression(ELISION.pattern, re.IGNORECASE)
_POSSESSIVE = expression(r"['’]s$", re.IGNORECASE)
_INITIALS = 3  # letters of a name in capitals that may be a common word too: US, WHO, IT
_ARTICLES = frozenset(
    ["a", "an", "the", "der", "die", "das", "le", "la", "les", "l", "el", "los", "las", "il", "lo"]
)


def entities(text: str) -> list[str]:
    """Names by their capitals, dates and numbers, as they are written, each once.

    A rule for English: a single capitalised word at the beginning of a sentence is left out, since
    there a capital proves nothing, and so is what is written in lower case.
    """
    dates = [match.span() for match in _DATE.finditer(text)]
    texts = [text[slice(*span)] for span in dates]
    texts += names(_DATE.sub(" ", text))
    numbers = (m for m in _NUMBER.finditer(text) if not _is_within(m.span(), dates))
    texts += [match.group().strip() for match in numbers]
    return sorted(dict.fromkeys(texts), key=text.find)


def compared(entity: str) -> tuple[str, ...]:
    """The words of an entity as they are compared: two that are equal here are one.

    Case, accents, punctuation, white space, a leading article ("l'Italie" too) and the commas of a
    number do not count; only a name that is one word in capitals keeps them ("WHO").
    """
    words = _words(entity)
    if len(words) > 1 and words[0][1] in _ARTICLES:
        words = words[1:]
    if len(words) == 1 and _is_acronym(words[0][0]):
        return (words[0][0],)
    return tuple(folded for _, folded, _ in words)


def place(entity: str, text: str) -> Span | None:
    """Where an entity first stands in a text as whole words, see `compared`; None if nowhere.

    A name in capitals is no common word: "US", "IT" and "WHO" stand only where all letters are
    capitals, one of four letters or more where the first is ("Nasa").
    """
    entity_words = compared(entity)
    sought = [word.casefold() for word in entity_words]
    acronym = len(entity_words) == 1 and _is_acronym(entity_words[0])
    text_words = _words(text)
    folded = [word for _, word, _ in text_words]
    for start in range(len(text_words) - len(entity_words) + 1) if entity_words else ():
        if folded[start : start + len(entity_words)] == sought and not (
            acronym and _is_common(text_words[start][0])
        ):
            return text_words[start][2][0], text_words[start + len(entity_words) - 1][2][1]
    return None


def _is_acronym(name: str) -> bool:
    return len(name) > 1 and name.isalpha() and name.isupper()


def _is_common(word: str) -> bool:
    """Whether a word with the letters of an acronym is written as a common word."""
    return not (word if len(word) <= _INITIALS else word[0]).isupper()


@memoized(16, longest=20_000)  # the same few texts are looked through for every entity
def _words(text: str) -> tuple[tuple[str, str, Span], ...]:
    """Each word without what does not count, the same without its case, and where it stands."""
    plain = ((_plain_word(match.group()), match.span()) for match in WORD.finditer(text))
    return tuple((word, word.casefold(), span) for word, span in plain)


def _plain_word(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", _GROUPED.sub("", word))
    # Accents of Latin, Greek and Cyrillic letters only: elsewhere a mark makes another letter.
    unaccented = "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")
    return _ELISION.sub("", _POSSESSIVE.sub("", unaccented)).replace("\u2019", "'")


def _is_within(span: Span, other_spans: list[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in other_spans)
