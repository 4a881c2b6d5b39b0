"""Rules about the words of test questions: kind, whether one stands alone, personal data."""

import re
from collections.abc import Iterator
from typing import Final

from assay._text.questions import about_a_text
from assay._text.refusals import is_plain_refusal
from assay._text.words import STOP_WORDS, content_words, words
from assay.sample import Sample
from assay.testset.checks import points_at_text

# ruff: noqa: SIM905 - word lists read better as prose

_BESIDE = re.compile(
    r"\b(?:text|passage|excerpt|paragraph|snippet|document|article|section|table|figure)s?\s+"
    r"(?:above|below)\b|\baforementioned\b",
    re.IGNORECASE,
)
_PERSONS: Final = frozenset(("he", "she", "him", "her", "his", "hers", "them", "their"))
# "They" is left out: "where did they film it" is said of nobody in particular.
_THINGS: Final = frozenset(("it", "its"))
# "What does it take", "how is it possible": nothing is meant by "it".
_EXPLETIVE = re.compile(
    r"\bit(?:'s)?\s+(?:(?:is|was|be|to|so|not|ever|really|usually|also)\s+)*"
    r"(?:takes?|took|taken|means?|meant|costs?|rains?|snows?|feel|called|possible|impossible|"
    r"necessary|important|common|wise|worth|worthwhile|normal|okay|ok|fine|safe|legal|illegal|likely|better|best|true|that|when|if|to|"
    r"came|comes?|determined|decided|shown|like|about|for|said|known|believed|thought|estimated|daylight|time)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\W*(?:who\w*|what|which|when|where|why|how)\b", re.IGNORECASE)
_ASKING: Final = frozenset(
    "much many long often far old kind type sort name happen happened happens".split()
)
_KINDS: Final = (
    (
        "comparison",
        re.compile(
            r"\b(?:differences?|similarit\w+) (?:between|from|to)\b|\bdiffer(?:s|ed|ent)?\b.*\b"
            r"(?:from|between)\b|\bcompar(?:e|ed|ing|ison)\b|\b(?:versus|vs)\b\.?|"
            r"\b(?:more|less|\w+er) than\b|^which\b.*\bor\b"
        ),
    ),
    (
        "aggregation",
        re.compile(
            r"\bhow many\b|\bwhat is the total\b|\b(?:list|name|give)\b.*\ball\b|\bwhich of\b|"
            r"\bwhat are (?:all )?the (?:\w+ )?(?:types|kinds|steps|names|parts|reasons)\b"
        ),
    ),
    (
        "procedure",
        re.compile(
            r"\bhow (?:do|can|should|would|could) (?:i|you|we|one)\b|\bhow to\b|\bsteps?\b.*\bto\b"
        ),
    ),
    (
        "yes or no",
        re.compile(
            r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|must)\b"
            r"(?!.*\bor\b)"
        ),
    ),
    (
        "definition",
        re.compile(
            r"^what (?:is|are) (?:an? )?[\w-]+(?: [\w-]+)?$|\bwhat does .*\b(?:mean|stand for)\b|"
            r"^define\b|\bdefinition of\b|\bmeaning of\b"
        ),
    ),
)
_CHOICE = re.compile(r"^(?:which|who|is|are|was|were|do|does|did|has|have|can)\b.*\bor\b")
_YES_NO: Final = frozenset(("yes", "no", "true", "false"))

_EMAIL = re.compile(r"\b[\w.+-]{1,64}@(?:[\w-]+\.)+[a-z]{2,}\b", re.IGNORECASE)
_SAMPLE_MAIL = re.compile(r"@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|\w+\.(?:example|test))$")
_PHONE = re.compile(r"(?<![\w+.-])(?:\+\d{1,3}[ ./-]?(?:\(\d+\)[ ./-]?)?\d+(?:[ ./-]\d+)+)(?!\w)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
# Payment cards by how their issuers' numbers begin, in groups or in one piece.
_CARD = re.compile(
    r"(?<![\w.,-])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|35\d\d|6011|65\d\d)(?:[ -]?\d{4}){3}"
    r"|3[47]\d\d[ -]?\d{6}[ -]?\d{5})(?![\w-])"
)


def is_unanswerable(sample: Sample) -> bool:
    """Whether the row says that nothing answers its question, or its reference does."""
    if sample.answerable is not None:
        return not sample.answerable
    return bool(sample.reference) and is_plain_refusal(sample.reference or "")


def kind_of(sample: Sample) -> str:
    """What kind of question it is, by rules for English."""
    if is_unanswerable(sample):
        return "unanswerable"
    if sample.turns:
        return "conversation"
    asked = " ".join((sample.question or "").lower().split()).strip(" ?.!")
    return next((kind for kind, pattern in _KINDS if pattern.search(asked)), "fact")


def dangling(question: str) -> str:
    """The words by which a question leans on something that is not in it; "" if it stands alone."""
    if about_a_text(question):
        return question.strip()
    beside = _BESIDE.search(question)
    if beside:
        return beside.group()
    return points_at_text(question) or _pronoun(question)


def _pronoun(question: str) -> str:
    """A pronoun before which nothing stands that it could mean, and beside which no name does."""
    names = any(word[:1].isupper() and word != "I" for word in question.split()[1:])
    asks = question.rstrip().endswith("?") or _ASKS.match(question)
    if not asks or _EXPLETIVE.search(question):  # keywords and titles ask nothing
        return ""
    for word in words(question):
        if word in _PERSONS | _THINGS and not names:
            return word
        if word not in STOP_WORDS and word not in _ASKING:
            return ""
    return ""


def gives_answer(sample: Sample) -> bool:
    """Whether the reference stands in the question, word for word, where no choice is offered."""
    answer, question = (sample.reference or "").strip(" .\n"), sample.question or ""
    offered = {"or", "between"} & set(words(question))
    offered |= {"yes or no", "comparison", "unanswerable"} & {kind_of(sample)}
    if offered or not content_words(answer) or set(words(answer)) <= _YES_NO:
        return False
    # A part of a name is not the name: "Tesla" in "Tesla Electric", "Nchf" in "Nchf_Charging".
    standing = rf"(?<![\w'\u2019/-])(?i:{re.escape(answer)})(?![\w'\u2019/-]|\s+[A-Z])"
    return bool(re.search(standing, question))


def is_guessable(sample: Sample) -> bool:
    """Whether a question offers two answers: yes or no, or one of two that it names."""
    if kind_of(sample) == "yes or no":
        return True
    asked = (sample.question or "").lower()
    return bool(_CHOICE.search(asked)) and not is_unanswerable(sample)


def personal_data(text: str) -> Iterator[tuple[str, str]]:
    """Kind and words of what looks like an address, a telephone number, an account or a card."""
    for mail in _EMAIL.findall(text):
        if not _SAMPLE_MAIL.search(mail.lower()):
            yield "e-mail address", mail
    for match in _PHONE.finditer(text):
        if 8 <= sum(char.isdigit() for char in match.group()) <= 15:
            yield "telephone number", match.group()
    for match in _IBAN.finditer(text):
        if _is_iban(match.group().replace(" ", "")):
            yield "IBAN", match.group()
    for match in _CARD.finditer(text):
        if _is_card(re.sub(r"\D", "", match.group())):
            yield "card number", match.group()


def _is_iban(written: str) -> bool:
    """Whether its check digits are right (ISO 13616)."""
    turned = written[4:] + written[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def _is_card(digits: str) -> bool:
    """Whether the check digit is that of a payment card (ISO/IEC 7812, Luhn)."""
    doubled = [2 * int(digit) for digit in digits[-2::-2]]
    total = sum(map(int, digits[-1::-2])) + sum(n - 9 if n > 9 else n for n in doubled)
    return total % 10 == 0
