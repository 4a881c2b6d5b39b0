"""Does an answer decline to answer, and with which words?

Only the author's own refusal counts ("I don't know", "it cannot be determined from the passages").
"It is not known who built it" is an answer, and so are "The treaty did not mention reparations"
and "We do not offer refunds": "we" is mostly whoever the passages are about.
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
_KNOW = r"(?:know|say|determine|tell you)"
_DO = r"(?:answer|help|assist|comply|feel comfortable|discuss)"
_HAVE = (
    r"(?:have|find|see|provide|tell|give|offer|confirm|access|recall|share|verify|locate|"
    r"identify|possess)"
)
# What an answer's author lacks. "We do not offer refunds" is a claim of whoever sells.
_NEWS = (
    r"(?:(?:that|this|it|you|one|any)\b(?=\W*$|,| in | from | here| based)"
    r"|(?:(?:you|with|me|any|enough|more|further|sufficient|specific|such|the|an?|direct|exact|"
    r"definitive|clear|reliable|detailed|relevant|additional|this|that|requested)\s){0,4}"
    r"(?:answers?|information|details?|knowledge|data|context|evidence|figures|access|"
    r"explanation|(?:your|this|that|the) question)\b"
    r"(?! (?:cent(?:re|er)|breach|loss|protection|plan|road|code)s?\b)"
    r"|(?:out )?(?:what|when|who|where|whether|if|how|which|why)\b)"
)
_LACKING = (
    r"(?=\W*$|[,;]| (?:on|about|of|to|that|regarding|for|from|here|which|in|concerning|as)\b)"
)
_ADVERB = r"(?: really| currently| just| simply| actually)?"
_REFUSAL = re.compile(
    rf"\bi(?: am sorry,? (?:but )?i)?{_ADVERB} {_NOT_ABLE}{_ADVERB} (?:{_KNOW}|{_DO}|{_HAVE})\b"
    rf"|\bwe{_ADVERB} {_NOT_ABLE}{_ADVERB} (?:{_KNOW}\b|(?:{_DO}|{_HAVE}) {_NEWS})"
    r"|\b(?:i|we)(?:'m| am|’m| are|'re|’re) (?:not sure|unsure|unaware|not aware|not certain|"
    r"unable to (?:answer|determine|say|tell|provide|find|help|assist|comply|access)|"
    r"not familiar|not qualified|not permitted)\b"
    r"|\b(?:i|we) (?:have no|lack)\b (?:\w+ )?(?:idea\b|way of knowing\b|way to (?:know|tell)\b|"
    rf"(?:information|knowledge|data|details?|context|access|record)\b{_LACKING})"
    r"|\bi(?:'m| am|’m) (?:very |so |truly )?sorry,? (?:but )?(?:i\b|(?:this|that|it) (?:is|was)"
    r"(?: not|n(?:'|’)t| beyond| outside)\b)"
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
