"""Refusals to answer, and statements that the sources are silent.

Only the author's own refusal counts ("I don't know"): "It is not known who built it" and "We do not
offer refunds" are answers. That something is absent from the passages can be checked against them.

How likely other words decline to answer is told by a linear model of groups of letters in fifteen
languages, fitted by `training/refusals.py` on answers that were written for it.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import resources
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay._text import memoized
from assay._text.expressions import expression
from assay._text.language_id import identify_language

SIZES = range(2, 6)  # letters of a group
PLACES = 1 << 16  # groups share a weight by chance
FILE = "refusals.npz"


class LazyPattern:
    """A large pattern: compiling it takes longer than most commands, which never use it.

    Args:
        pattern: As for `re.compile`.
        flags: As for `re.compile`.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern, self._flags = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match, None without one."""
        return self._compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the beginning, None without one."""
        return self._compiled.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """The matches, one after the other."""
        return self._compiled.finditer(text)


class Absence(NamedTuple):
    """That the sources do not say something."""

    topic: str  # what they are said not to say; "" where that was not found


_QUALIFIED = (
    r"(?:(?:provided|given|above|retrieved|supplied|available|following|present|cited|search|"
    r"background|source|reference|context|supporting|first|second|third|fourth|fifth|last|other)\s)"
)
_NOUN = (
    r"(?:contexts?|passages?|documents?|texts?|information|sources?|articles?|results|excerpts?|"
    r"materials?|knowledge base|data|snippets?|paragraphs?|references?|documentation|record|"
    r"sections?|review|json|table|\w+ (?:excerpts?|snippets?|passages?|sections?))"
)
_AFTER = (
    r"(?:\s(?:(?:that\s(?:was|were|is|are)\s)?(?:provided|given|above|available|here|\d+)"
    r"|(?:(?:that|which)\s)?(?:i|we)(?:\s(?:was|were|have\sbeen)|(?:'|’)ve\sbeen)"
    r"\s(?:given|provided|shown)(?:\swith)?))?"
)
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
_WHAT = r"(?P<topic>[^.;]*?)"
_END = (
    r"(?=\s?(?:[.;!]|$|,?\s?\b(?:but|however|although|though|nor|so)\b|"
    r",\s(?:it|which|and|the|we|you)\b))"
)
_PASSIVE = r"(?P<topic>(?!(?:it|this|that)\s\w+\s?n[o'’]t\b|there\b)\w[^.;]*?)"
_CANNOT = r"(?:cannot|can(?:'|’)t|can\snot|could\snot|couldn(?:'|’)t)"
# "However, the price", "It is old, but the price"
_LED_IN = expression(
    r"^(?:however|unfortunately|additionally|also|although|though|while|but|(?:please )?note that)"
    r"\b,?\s*|,\s(?:but|and|although|though|while)\s",
    re.IGNORECASE,
)
_CONDITION = expression(r"\W*(?:if|when|unless|whether)\b", re.IGNORECASE)
_ABSENCES = tuple(
    LazyPattern(pattern, re.IGNORECASE)
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
            rf"\bit(?:\sis|(?:'|’)s)\s(?:unclear|unknown|not\s(?:\w+ly\s)?{_TOLD})"
            rf"\s(?:from|in|based on|by)\s{SOURCE}(?:\s{_WHAT})?{_END}"
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
    match = _absence(sentence)
    return match.group().strip() if match else ""


def absence_claim(sentence: str) -> Absence | None:
    """What a sentence says is not in the sources; None if it says nothing of the kind.

    "The passages do not mention his age" is `Absence("his age")`. It is true exactly if that does
    not stand in the sources.
    """
    match = _absence(sentence)
    if match is None:
        return None
    *_, topic = _LED_IN.split(match["topic"] or "")
    return Absence(topic.strip(" ,:\"'"))


def _absence(sentence: str) -> re.Match[str] | None:
    line = " ".join(sentence[:_LONGEST].split())
    matches = (pattern.search(line) for pattern in _ABSENCES)
    first = next((match for match in matches if match), None)
    if first and _CONDITION.match(line) and "," not in line[: first.start()]:
        return None
    return first


__all__ = ["Absence", "absence_claim", "is_plain_refusal", "refusal"]

# "I dont know" is as plain as "I don't know".
_NOT_ABLE = (
    r"(?:cannot|can(?:'|’)?t|can not|could not|couldn(?:'|’)?t|am unable to|(?:am|(?:'|"
    r"’)m) not able to|"
    r"do not|don(?:'|’)?t|did not|didn(?:'|’)?t|won(?:'|’)t be able to|will not be able to)"
)
_KNOW = r"(?:know|say|determine|tell you)"
_DO = r"(?:answer|help|assist|comply|feel comfortable|discuss)"
_HAVE = (
    r"(?:have|find|see|provide|tell|give|offer|confirm|access|recall|share|verify|locate|"
    r"identify|possess)"
)
# What an answer's author lacks. "We do not offer refunds" is a claim of whoever sells.
_WHAT_IS_LACKING = (
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
_OF_SOURCE = rf"(?:from|based (?:\w+ )?on|with|in|by|using|within) {SOURCE}"
_SORRY = (
    r"(?:(?:i(?: am|'m|’m) )?(?:very |so )?sorry,? (?:but )?|(?:unfortunately|therefore),? "
    rf"|based (?:\w+ )?on {SOURCE},? )?"
)
# "I am unable to find it" declines, "Users are unable to find it" tells of the users; "It is
# impossible to find the answer" declines, "It was impossible to find a cure" tells of the past.
_IMPOSSIBLE = r"(?:unable|not able|impossible|not possible) to"
_UNABLE = (
    rf"(?:\b(?:i|we)(?:'m|’m|'re|’re| am| are| was| were){_ADVERB} {_IMPOSSIBLE} "
    r"(?:answer|determine|say|tell|provide|find)\b(?! (?:him|her|them|its?|his|their)\b)"
    r"|(?<!made )\b(?:it|that|this(?: question)?)(?: is|'s|’s)?"
    r"(?: (?:simply|just|therefore|thus|also|currently|not))? "
    rf"{_IMPOSSIBLE} (?:(?:answer|determine|say)\b|(?:find|tell|provide) {_WHAT_IS_LACKING})"
    rf"|\b{_IMPOSSIBLE} (?:answer|determine|say|tell|provide|find)\b(?=[^.;]{{0,80}}? {_OF_SOURCE})"
    rf"|^\W*{_SORRY}{_IMPOSSIBLE} (?:answer|determine|say|tell|provide|find)\b(?=[^.,;]*+\W*$))"
)
# "Insufficient data to tell" declines, "Insufficient data caused the crash" does not.
_SCANT = (
    r"(?:not enough (?:information|context|data|details?)"
    r"|insufficient (?:information|context|data|details?))\b"
)
_TOO_LITTLE = (
    rf"(?:\b(?:(?:i|we)(?: only)? have|(?:it|there)(?: is|'s|’s)) {_SCANT}"
    rf"|\b{_SCANT}(?: \w+)? {_OF_SOURCE}"
    rf"|^\W*{_SORRY}{_SCANT}(?: (?:is |was )?(?:provided|given|available|found))?"
    r"(?: to\b[^.,;]*+)?\W*$)"
)
_AI = (
    r"as an? (?:ai(?=,| i\b| we\b)|(?:ai|artificial|large)\b[^.!?]{0,40}\b"
    r"(?:model|assistant|intelligence)\b(?! (?:company|firm|lab|start-?up|business)\b))"
)
# What an assistant for one thing says to questions about others.
_OUT_OF_SCOPE = (
    r"(?:\bi(?: can only| only|(?:'m| am|’m) only (?:able|allowed|here|designed) to)"
    r" (?:help|assist|talk|speak|advise|(?:answer|discuss|handle)(?= (?:\w+ )?"
    r"(?:questions?|topics?|requests?|matters?)\b))\b"
    rf"|\bi ?{_NOT_ABLE} (?:advise (?:you|on|about)\b|comment on\b)"
    r"|\b(?:beyond|outside)(?: of)? (?:my (?:scope|remit|role|area)\b"
    r"|(?:the scope of )?what i(?: can|(?:'m| am|’m) able to) (?:help|assist|answer|discuss|do)\b)"
    r"|\bi(?: would|'d|’d) rather not (?:say|answer|discuss|talk|comment)\b)"
)
# What an answer that consists of it declines with.
_BARE = (
    r"(?:n/?a|unknown|none|no answer|unanswerable|unclear|idk|no idea|not (?:sure|known|clear)"
    r"|(?:i )?(?:don(?:'|’)?t|do not) know"
    r"|(?:cannot|can(?:'|’)?t|can not) (?:answer|say|tell|determine)(?: (?:this|that|it))?"
    r"(?: question)?"
    r"|(?:(?:it|this|that|(?:(?:the|this|that|your) )?(?:requested )?"
    r"(?:information|answers?|details?))(?: is| are|'s|’s)? ?)?(?:not|n(?:'|’)t)(?: explicitly)? "
    r"(?:mentioned|specified|stated|provided|given|available|found|included)"
    r"|no (?:(?:relevant|such|further) )?(?:information|answers?|data|details?|mention)"
    r"(?: (?:is |was )?(?:found|available|provided|given))?)"
)
_REFUSAL = LazyPattern(
    rf"\bi(?: am sorry,? (?:but )?i)?{_ADVERB} ?{_NOT_ABLE}{_ADVERB} (?:{_KNOW}|{_DO}|{_HAVE})\b"
    rf"|{_OUT_OF_SCOPE}"
    rf"|\bwe{_ADVERB} {_NOT_ABLE}{_ADVERB} (?:{_KNOW}\b|(?:{_DO}|{_HAVE}) {_WHAT_IS_LACKING})"
    r"|\b(?:i|we)(?:'m| am|’m| are|'re|’re) (?:not sure|unsure|unaware|not aware|not certain|"
    r"unable to (?:answer|determine|say|tell|provide|find|help|assist|comply|access)|"
    r"not familiar|not qualified|not permitted)\b"
    r"|\b(?:i|we) (?:have no|lack)\b (?:\w+ )?(?:idea\b|way of knowing\b|way to (?:know|tell)\b|"
    rf"(?:information|knowledge|data|details?|context|access|record)\b{_LACKING})"
    r"|\b(?:i|we) (?:was|were)(?: not|n(?:'|’)t) (?:given|shown|provided(?: with)?) "
    rf"(?:any|enough|sufficient) (?:\w+ )?{_ANY_NEWS}{_LACKING}"
    rf"|\bbeyond what {SOURCE} (?:tells?|says?|covers?|provides?|contains?|gives?|shows?)\b"
    r"|\bi(?:'m| am|’m) (?:very |so |truly )?sorry,? (?:but )?(?:i\b|(?:this|that|it) (?:is|was)"
    r"(?: not|n(?:'|’)t| beyond| outside)\b)"
    r"|\b(?:i|we) (?:would|(?:'|’)d|will)? ?need (?:more|additional|further) (?:information|"
    r"context|"
    r"details?)"
    # "As an artificial intelligence company, it employs 700 people" is the answer of nobody.
    rf"|\b{_AI}(?=[^.!?]{{0,200}}\b(?:i|we)\b)|\b(?:i|we)\b[^.!?]{{0,80}}\b{_AI}"
    rf"|{_UNABLE}|{_TOO_LITTLE}"
    r"|\b(?:cannot|can(?:'|’)t|can not|could not) be (?:answered\b|determined (?:without|as there))"
    r"|\bthe answer\b[^.;]{0,150}? (?:cannot|can(?:'|’)t|can not) be (?:determined|found|given)\b"
    r"|\b(?:cannot|can(?:'|’)t|can not|could not) be (?:determined|found|inferred|established|"
    r"known|"
    rf"given) (?:from|based on|with|in|by|using) {SOURCE}"
    r"|^\W*no idea\b"
    rf"|\bthere(?: is|'s|’s) nothing (?:about|on|regarding) [^.;]{{0,80}}? ?{_OF_SOURCE}"
    rf"|\b{SOURCE} (?:is|are) (?:insufficient|not sufficient)\b"
    r"|\b(?:beyond|outside) (?:the scope of )?(?:my (?:knowledge|training|expertise)|"
    r"the (?:provided|"
    r"given) (?:context|passages?|information))"
    r"|\b(?:please|could you|can you)(?: please)? (?:provide|share|give|clarify|specify|supply)"
    r"(?: me)?(?: with)? (?:more|additional|further|your question|what you|which)\b"
    rf"|^\W*{_SORRY}{_BARE}(?: {_OF_SOURCE})?\W*$"
    r"|^\W*(?:(?:das )?weiß ich nicht|ich weiß (?:es )?nicht|keine ahnung|tut mir leid|"
    r"es tut mir leid|"
    r"je ne sais pas|je suis désolée?|désolée?|no (?:lo )?sé|lo siento|non (?:lo )?so|mi dispiace|"
    r"não sei|desculpe|我不知道|抱歉|对不起|わかりません|申し訳)",
    re.IGNORECASE,
)
# A refusal without its author: "Not mentioned in the context.", "Unable to determine the year."
# "None" may be how many there are.
_ALONE = LazyPattern(
    rf"\W*{_SORRY}(?:(?!none\b){_BARE}(?: {_OF_SOURCE})?\W*$"
    rf"|{_IMPOSSIBLE} (?:answer|determine|say|tell|provide|find)\b)",
    re.IGNORECASE,
)
_FIRST_PERSON = expression(
    r"\W*(?:unfortunately,?\s+)?(?:(?:i|we)(?:\b|'|’)"
    r"|(?:sorry|idk|don(?:'|’)?t know|as an ai|as an? (?:\w+ )?language )|"
    r"(?:please|could you|can you)(?: please)? (?:provide|share|give|clarify|specify)\b)",
    re.IGNORECASE,
)
# What somebody is quoted with; the apostrophe within "'I don't know'" closes nothing.
_QUOTED = expression(
    r"\"[^\"\n]{1,200}\"|“[^“”\n]{1,200}”|«[^«»\n]{1,200}»|„[^„“”\n]{1,200}[“”]"
    r"|(?<!\w)'(?=\w)[^\n]{1,200}?(?<=[\w.,!?])'(?!\w)|(?<!\w)‘[^‘\n]{1,200}?’(?!\w)"
)
# An answer may stand in quotation marks as a whole: 'Answer: "I don't know."'
_AROUND = expression(r"\W*(?:(?:the )?(?:final )?(?:answer|response)(?: is)?\b)?\W*", re.IGNORECASE)
# ... and so may what it says it must reply with.
_ONE_S_OWN = expression(
    r"\b(?:i(?: \w+){0,3} (?:reply|respond|answer|say)"
    r"|(?:answer|response|reply)(?: \w+){0,2} (?:is|be))\b(?: with)?\W*$",
    re.IGNORECASE,
)
_NEAR = 60  # characters before a quotation that say whose it is
_HIDDEN = "\0"
_TURN = expression(r"[,;]\s*(?:but|however|although|though|yet)\b,?\s*", re.IGNORECASE)
_BUT = expression(
    r"\W*(?:but|however|though|yet|still|nevertheless|that said)\b,?\s*", re.IGNORECASE
)
_OFFER = expression(
    r"(?:i|we)(?: can|(?:'|’)(?:ll|d)| will| would| could| am| do) (?:\w+ )?(?:provide|help|offer|"
    r"try|suggest|share|assist|give|hope|recommend|happy|tell)\b",
    re.IGNORECASE,
)
_DECLINES = 0.5  # the least probability of a refusal in another language than English
_ANSWER_WORDS = 4  # after "but"; fewer are no answer


def refusal(text: str) -> str:
    """The words by which `text` declines to answer, in part or as a whole; "" if it does not."""
    own_words = _without_quotes(text)
    # A match may go on into a quotation, but not begin in one.
    matches = (match for match in _REFUSAL.finditer(text) if own_words[match.start()] != _HIDDEN)
    match = next(matches, None)
    if match:
        return match.group().strip()
    return absence_words(text) or (text.strip() if declines_elsewhere(text) else "")


def declines_elsewhere(text: str) -> bool:
    """Whether a text in another language than English declines to answer; False in English."""
    language = identify_language(text)
    return language not in {"", "en"} and refusal_probability(text) >= _DECLINES


def _without_quotes(text: str) -> str:
    """The text with what somebody else is quoted with hidden, every character in its place."""

    def hidden(quote: re.Match[str]) -> str:
        words_before = text[max(quote.start() - _NEAR, 0) : quote.start()]
        return quote.group() if _ONE_S_OWN.search(words_before) else _HIDDEN * len(quote.group())

    own_words = _QUOTED.sub(hidden, text)
    return text if _AROUND.fullmatch(own_words) else own_words


def is_plain_refusal(sentence: str) -> bool:
    """Whether a sentence only says that its author will not or cannot answer.

    "I cannot say when, but it was built in Rome" is none: it goes on to answer.
    """
    if declines_elsewhere(sentence):
        return True
    if not ((_ALONE.match(sentence) or _FIRST_PERSON.match(sentence)) and refusal(sentence)):
        return False
    _, *turns = _TURN.split(sentence)
    return not any(_answers(turn) for turn in turns)


def answers_after_all(sentence: str) -> bool:
    """Whether a sentence takes a refusal before it back: "However, it was built in Rome"."""
    match = _BUT.match(sentence)
    return match is not None and _answers(sentence[match.end() :])


def _answers(turn: str) -> bool:
    return len(turn.split()) >= _ANSWER_WORDS and not (_OFFER.match(turn) or refusal(turn))


@memoized(2048, longest=4000)
def refusal_probability(text: str) -> float:
    """The probability, in [0, 1], that a sentence or short answer declines to answer."""
    counts = groups(text)
    if not counts:
        return 0.0
    weights, intercept = _fitted_weights()
    length = math.sqrt(sum(counts.values()))  # of the vector of the counts' roots
    total = sum(math.sqrt(count) * float(weights[index]) for index, count in counts.items())
    return 1 / (1 + math.exp(-(total / length + intercept)))


def groups(text: str) -> Counter[int]:
    """How often each group of letters stands in a text, by its place among the weights."""
    counts: Counter[int] = Counter()
    for word in text.lower().split():
        padded = f" {word} "
        for size in SIZES:
            for start in range(max(1, len(padded) - size + 1)):
                counts[zlib.crc32(padded[start : start + size].encode()) % PLACES] += 1
    return counts


@cache
def _fitted_weights() -> tuple[npt.NDArray[np.float32], float]:
    with resources.files("assay._text").joinpath(FILE).open("rb") as file:
        arrays = np.load(file)
        weights = arrays["weights"].astype(np.float32) * float(arrays["scale"])
        return weights, float(arrays["intercept"])
