"""Does an answer decline to answer, and with which words?

Only the author's own refusal counts ("I don't know", "it cannot be determined from the passages").
"It is not known who built it" is an answer.
"""

import re

_SOURCE = (
    r"(?:the |these |this |any of the |your |our |my |available |given |provided |above |"
    r"retrieved )*"
    r"(?:context|contexts|passages?|documents?|text|texts|information|sources?|article|articles|"
    r"search results|results|excerpts?|material|knowledge base|data)(?: provided| given| above)?"
)
_NOT_ABLE = (
    r"(?:cannot|can(?:'|’)?t|can not|could not|couldn(?:'|’)t|am unable to|am not able to|"
    r"do not|don(?:'|’)t|did not|didn(?:'|’)t)"
)
_HAVE = r"(?:have|know|find|see|answer|provide|determine|say|tell|give|offer|confirm|access|recall)"
_REFUSAL = re.compile(
    rf"\b(?:i|we)(?: am sorry,? (?:but )?(?:i|we))?(?: really| currently| just)? {_NOT_ABLE}"
    rf"(?: currently| actually| really)? {_HAVE}\b"
    r"|\b(?:i|we)(?:'m| am|’m| are|'re|’re) (?:not sure|unsure|unaware|not aware|not certain|"
    r"unable)\b"
    r"|\bas an? (?:ai|artificial|large)\b.{0,40}\b(?:model|assistant|intelligence)\b"
    r"|\b(?:unable|not able|impossible|not possible) to (?:answer|determine|say|tell|"
    r"provide|find)\b"
    r"|\b(?:cannot|can(?:'|’)t|can not|could not) be (?:answered|determined|found|inferred|"
    r"established|known|given) ?(?:from|based|with|in|by|using|on)?\b"
    r"|\b(?:no idea|not enough (?:information|context|data|detail)|insufficient (?:information|"
    r"context|data|evidence)|no (?:relevant |specific |such )?(?:information|mention|answer)"
    r" (?:is |was |about|on|regarding|of|in|available|provided|given|found))"
    rf"|\b{_SOURCE} (?:(?:does|do|did)(?: not|n(?:'|’)t)|never|fails? to) (?:\w+ )?(?:mention|"
    r"contain|"
    r"say|specify|provide|include|state|give|answer|explain|discuss|address|indicate|offer|"
    r"describe|have|cover|reveal|clarify)\b"
    r"|\b(?:is|are|was|were) not (?:mentioned|specified|provided|stated|given|available|included|"
    rf"discussed|addressed|covered) (?:in|by|within|from) {_SOURCE}"
    r"|^\W*(?:n/?a|unknown|none|not available|no answer|unanswerable|not known|not sure|"
    r"i don(?:'|’)t know)\W*$",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\W*(?:(?:i|we)(?:\b|'|’)|(?:sorry|unfortunately|as an? ))", re.IGNORECASE
)


def refusal(text: str) -> str:
    """The words by which `text` declines to answer; "" if it does not."""
    found = _REFUSAL.search(text)
    return found.group().strip() if found else ""


def is_plain_refusal(sentence: str) -> bool:
    """Whether a sentence only says that its author will not or cannot answer."""
    return bool(_FIRST_PERSON.match(sentence) and _REFUSAL.search(sentence))
