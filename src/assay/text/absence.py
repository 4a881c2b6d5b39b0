"""Does a sentence say that something does not stand in the sources, and what?

Only of what was retrieved: "The passages do not mention reparations" is such a claim, "The treaty
did not mention reparations" is none.
"""

import re
from typing import NamedTuple


class Absence(NamedTuple):
    """That the sources do not say something."""

    what: str  # what they are said not to say; "" where that was not found


_QUALIFIED = (
    r"(?:(?:provided|given|above|retrieved|supplied|available|following|present|cited|search|"
    r"background|source|reference|context|supporting|first|second|third|fourth|fifth|last|other)\s)"
)
_NOUN = (
    r"(?:contexts?|passages?|documents?|texts?|information|sources?|articles?|results|excerpts?|"
    r"materials?|knowledge base|data|snippets?|paragraphs?|references?|documentation|record|"
    r"review|json|table)"
)
_AFTER = r"(?:\s(?:(?:that\s(?:was|were|is|are)\s)?(?:provided|given|above|available|here|\d+)))?"
# "the passage", "any of the documents provided", "provided context", "passages 1 and 2".
SOURCE = (
    r"(?:(?:(?:any|none|all|both|either) of )?(?:the|these|this|your|our|my|any)\s"
    rf"{_QUALIFIED}{{0,3}}{_NOUN}|{_QUALIFIED}{{1,3}}{_NOUN}"
    r"|(?:passages?|documents?|contexts?|sources?)\s\d+(?:\s?(?:,|and|or|to|-)\s?\d+)*)"
    rf"{_AFTER}"
)
# A source that can only be what was retrieved: of it "did not mention" counts too.
_SURELY = (
    rf"(?:(?:the|these|this|your|our|my)\s(?:{_QUALIFIED}{{1,3}}{_NOUN}|contexts?|passages?|"
    rf"excerpts?|snippets?){_AFTER})"
)
_N_T = r"(?:n(?:'|’)t|\snot)"
_HOW = (
    r"(?:\s(?:explicitly|specifically|directly|clearly|fully|thoroughly|actually|really|currently|just|even|also|"
    r"seem to|appear to))*"
)
_TELL = (
    r"(?:mention|contain|say|specify|provide|include|state|give|answer|explain|discuss|address|"
    r"indicate|offer|describe|have|cover|reveal|clarify|name|list|detail|disclose|elaborate|"
    r"make (?:any )?(?:mention|reference)|refer|tell)"
)
_TOLD = (
    r"(?:mentioned|specified|provided|stated|given|available|included|discussed|addressed|covered|"
    r"described|found|listed|explained|named|detailed|disclosed|indicated|clear|present|contained)"
)
_KIND = (
    r"(?:(?:relevant|specific|such|direct|explicit|further|clear|available|additional|other)\s)*"
)
_NEWS = r"(?:information|mention|details?|specifics)"
_ANY_NEWS = (
    r"(?:information|mention|details?|specifics|answers?|references?|indication|evidence|data|"
    r"context|explanation|statement|description)"
)
_NO = r"(?:no|not any|not enough|insufficient|little)\s"
_ABOUT = (
    r"(?:about|on|regarding|concerning|of|for|as to|to|that|whether|related to|relating to|"
    r"pertaining to|with regard to|with respect to|in regard to)"
)
_WHAT = r"(?P<what>[^.;]*?)"
_END = (
    r"(?=\s?(?:[.;!]|$|,?\s?\b(?:but|however|although|though|nor|so)\b|"
    r",\s(?:it|which|and|the|we|you)\b))"
)
_PASSIVE = r"(?P<what>(?!(?:it|this|that)\s\w+\s?n[o'’]t\b|there\b)\w[^.;]*?)"
_CANNOT = r"(?:cannot|can(?:'|’)t|can\snot|could\snot|couldn(?:'|’)t)"
# "However, the price", "It is old, but the price"
_LED_IN = re.compile(
    r"^(?:however|unfortunately|additionally|also|although|though|while|but|(?:please )?note that)"
    r"\b,?\s*|,\s(?:but|and|although|though|while)\s",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\W*(?:if|when|unless|whether)\b", re.IGNORECASE)
_ABSENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "The context does not mention X", "... provide any information about X"
        (
            rf"\b(?:{SOURCE}\s(?:do(?:es)?{_N_T}|never|fails? to)"
            rf"|{_SURELY}\s(?:did{_N_T}|failed to)){_HOW}\s{_TELL}(?:\s(?:to|on|upon))?"
            rf"(?:\s(?:(?:any|enough|much|sufficient)\s)?{_KIND}{_ANY_NEWS}(?:\s{_ABOUT})?)?"
            rf"(?:\s{_WHAT})?{_END}"
        ),
        # "The passage says nothing about X"
        (
            rf"\b{SOURCE}{_HOW}\s(?:says?|tells? us|reveals?|states?)\snothing"
            rf"(?:\s{_ABOUT}\s{_WHAT})?{_END}"
        ),
        # "The context contains no information about X", "... lacks details on X"
        (
            rf"\b{SOURCE}{_HOW}\s(?:(?:contains?|provides?|gives?|includes?|offers?|has|have|makes?)\s"
            rf"{_NO}{_KIND}|lacks?\s(?:any\s)?){_ANY_NEWS}(?:\s{_ABOUT}\s{_WHAT})?{_END}"
        ),
        # "The passage is silent on X"
        (
            rf"\b{SOURCE}\s(?:is|are)\s(?:silent|unclear|not clear|not specific|vague)\s"
            rf"(?:{_ABOUT}\s)?{_WHAT}{_END}"
        ),
        # "There is no information in the context about X", "there is no evidence in it of X"
        (
            rf"\bthere(?:\s(?:is|are)|(?:'|’)s)(?:\s{_NO}|n(?:'|’)t\s(?:any|enough)\s"
            rf"|\snot\s(?:any|enough)\s){_KIND}(?:{_NEWS}"
            rf"|{_ANY_NEWS}(?=\s(?:\w+\s)?(?:in|within|from)\s{SOURCE}))"
            rf"(?:\s(?:available|provided|given|found|here))?(?:\s(?:in|within|from)\s{SOURCE})?"
            rf"(?:\s{_ABOUT}\s{_WHAT})?(?:\s(?:in|within|from)\s{SOURCE})?{_END}"
        ),
        # "No mention is made of X", "No information about X is given in the passages"
        (
            rf"^\W*+{_NO}{_KIND}{_NEWS}(?:\s(?:is|are|was|were)\s(?:made|given|provided|available|found))?"
            rf"(?:\s{_ABOUT}\s{_WHAT})?(?:\s(?:is|are)\s(?:made|given|provided|available|found))?"
            rf"(?:\s(?:in|within|from)\s{SOURCE})?{_END}"
        ),
        # "X is not mentioned in the passages"
        (
            rf"^\W*+{_PASSIVE}\s(?:is|are|was|were)(?:n(?:'|’)t|\snot|\snever|\snowhere){_HOW}\s{_TOLD}\s"
            rf"(?:in|by|within|from|anywhere in)\s{SOURCE}"
        ),
        # "It is unclear from the passage whether X", "It is not stated in the text that X"
        (
            rf"\bit\sis\s(?:unclear|unknown|not\s(?:\w+ly\s)?{_TOLD})\s(?:from|in|based on|by)\s"
            rf"{SOURCE}(?:\s{_WHAT})?{_END}"
        ),
        # "X cannot be determined from the passages"
        (
            rf"^\W*+{_PASSIVE}\s{_CANNOT}\sbe\s(?:determined|found|inferred|established|known|given|"
            rf"answered|verified|confirmed)\s(?:from|based\son|with|in|by|using)\s{SOURCE}"
        ),
        # "I could not find X in the passages"
        (
            rf"\b(?:{_CANNOT}|did{_N_T}|do{_N_T}|unable to|not able to){_HOW}"
            rf"\s(?:find|see|locate|identify)\s(?:(?:any|a|the)\s)?(?:{_ANY_NEWS}\s{_ABOUT}\s)?{_WHAT}\s(?:in|within|from|among)"
            rf"\s{SOURCE}"
        ),
    )
)
_LONGEST = 600  # characters looked at; such a sentence is short


def absence_words(sentence: str) -> str:
    """The words by which a sentence says so; "" if it does not."""
    found = _found(sentence)
    return found.group().strip() if found else ""


def absence_claim(sentence: str) -> Absence | None:
    """What a sentence says is not in the sources; None if it says nothing of the kind.

    "The passages do not mention his age" is `Absence("his age")`. It is true exactly if that does
    not stand in the sources.
    """
    found = _found(sentence)
    if found is None:
        return None
    *_, what = _LED_IN.split(found["what"] or "")
    return Absence(what.strip(" ,:\"'"))


def _found(sentence: str) -> re.Match[str] | None:
    line = " ".join(sentence[:_LONGEST].split())
    matches = (pattern.search(line) for pattern in _ABSENCES)
    found = next((match for match in matches if match), None)
    if found and _CONDITION.match(line) and "," not in line[: found.start()]:
        return None
    return found
