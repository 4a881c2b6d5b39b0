"""Does an answer decline to answer, and with which words?

Only the author's own refusal counts ("I don't know", "it cannot be determined from the passages").
"It is not known who built it" is an answer, and so is "The treaty did not mention reparations".
That something does not stand in the passages is a statement about them as well: `absence_claim`
finds what is said to be absent, so that a judge can look for it.
"""

import re

from assay.text.absence import SOURCE, Absence, absence_claim, absence_words

__all__ = ["Absence", "absence_claim", "is_plain_refusal", "refusal"]

_NOT_ABLE = (
    r"(?:cannot|can(?:'|’)t|can not|could not|couldn(?:'|’)t|am unable to|(?:am|(?:'|"
    r"’)m) not able to|"
    r"do not|don(?:'|’)t|did not|didn(?:'|’)t|won(?:'|’)t be able to|will not be able to)"
)
_HAVE = (
    r"(?:have|know|find|see|answer|provide|determine|say|tell|give|offer|confirm|access|recall|"
    r"help|"
    r"assist|comply|discuss|share|verify|feel comfortable|locate|identify|possess)"
)
_REFUSAL = re.compile(
    rf"\b(?:i|we)(?: am sorry,? (?:but )?(?:i|we))?(?: really| currently| just|"
    rf" simply)? {_NOT_ABLE}"
    rf"(?: currently| actually| really)? {_HAVE}\b"
    r"|\b(?:i|we)(?:'m| am|’m| are|'re|’re) (?:not sure|unsure|unaware|not aware|not certain|"
    r"unable|not able|not familiar|not qualified|not permitted|afraid (?:i|we|that))\b"
    r"|\b(?:i|we) (?:have no|lack)\b (?:\w+ )?(?:idea|information|knowledge|way|data|details?|"
    r"context|access|record)"
    r"|\b(?:i(?:'m| am|’m)|we(?:'re| are|’re)) (?:very |so |truly )?sorry,? (?:but|i|we|that|for)\b"
    r"|\b(?:i|we) (?:would|(?:'|’)d|will)? ?need (?:more|additional|further) (?:information|"
    r"context|"
    r"details?)"
    r"|\bas an? (?:ai|artificial|large)\b.{0,40}\b(?:model|assistant|intelligence)\b"
    r"|\bas an ai\b(?=,| i\b| we\b)"
    r"|\b(?:unable|not able|impossible|not possible) to (?:answer|determine|say|tell|"
    r"provide|find)\b(?! (?:him|her|them|its?|his|their)\b)"
    r"|\b(?:cannot|can(?:'|’)t|can not|could not) be (?:answered\b|determined (?:without|as there))"
    r"|\bthe answer\b[^.;]{0,150}? (?:cannot|can(?:'|’)t|can not) be (?:determined|found|given)\b"
    r"|\b(?:cannot|can(?:'|’)t|can not|could not) be (?:determined|found|inferred|established|"
    r"known|"
    rf"given) (?:from|based on|with|in|by|using) {SOURCE}"
    r"|^\W*no idea\b"
    r"|(?<!was )(?<!were )\b(?:not enough (?:information|context|data|detail)|insufficient "
    r"(?:information|context|data))\b"
    rf"|\b{SOURCE} (?:is|are) (?:insufficient|not sufficient)\b"
    r"|\b(?:beyond|outside) (?:the scope of )?(?:my (?:knowledge|training|expertise)|"
    r"the (?:provided|"
    r"given) (?:context|passages?|information))"
    r"|\b(?:please|could you|can you)(?: please)? (?:provide|share|give|clarify|specify|supply)"
    r"(?: me)?(?: with)? (?:more|additional|further|your question|what you|which)\b"
    r"|^\W*(?:n/?a|unknown|none|not available|no answer|unanswerable|not known|not sure|"
    r"not (?:mentioned|specified|stated|provided|given)|unclear|"
    r"i don(?:'|’)t know)\W*$"
    r"|^\W*(?:(?:das )?weiß ich nicht|ich weiß (?:es )?nicht|keine ahnung|tut mir leid|"
    r"es tut mir leid|"
    r"je ne sais pas|je suis désolée?|désolée?|no (?:lo )?sé|lo siento|non (?:lo )?so|mi dispiace|"
    r"não sei|desculpe|我不知道|抱歉|对不起|わかりません|申し訳)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\W*(?:unfortunately,?\s+)?(?:(?:i|we)(?:\b|'|’)|(?:sorry|as an ai|as an? (?:\w+ )?language )|"
    r"(?:please|could you|can you)(?: please)? (?:provide|share|give|clarify|specify)\b)",
    re.IGNORECASE,
)
_TURN = re.compile(r"[,;]\s*(?:but|however|although|though|yet)\b,?\s*", re.IGNORECASE)
_BUT = re.compile(
    r"\W*(?:but|however|though|yet|still|nevertheless|that said)\b,?\s*", re.IGNORECASE
)
_OFFER = re.compile(
    r"(?:i|we)(?: can|(?:'|’)(?:ll|d)| will| would| could| am| do) (?:\w+ )?(?:provide|help|offer|"
    r"try|suggest|share|assist|give|hope|recommend|happy|tell)\b",
    re.IGNORECASE,
)
_ANSWER_WORDS = 4  # after "but"; fewer are no answer


def refusal(text: str) -> str:
    """The words by which `text` declines to answer, in part or as a whole; "" if it does not."""
    found = _REFUSAL.search(text)
    return found.group().strip() if found else absence_words(text)


def is_plain_refusal(sentence: str) -> bool:
    """Whether a sentence only says that its author will not or cannot answer.

    "I cannot say when, but it was built in Rome" is none: it goes on to answer.
    """
    if not (_FIRST_PERSON.match(sentence) and refusal(sentence)):
        return False
    _, *turns = _TURN.split(sentence)
    return not any(_answers(turn) for turn in turns)


def turns_to_answer(sentence: str) -> bool:
    """Whether a sentence takes a refusal before it back: "However, it was built in Rome"."""
    found = _BUT.match(sentence)
    return found is not None and _answers(sentence[found.end() :])


def _answers(turn: str) -> bool:
    return len(turn.split()) >= _ANSWER_WORDS and not (_OFFER.match(turn) or refusal(turn))
