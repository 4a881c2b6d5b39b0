"""Sentences of an answer that are manners, and lines that only list its sources.

Greetings, thanks, offers, good wishes and disclaimers state nothing about the subject; nor do the
lines below "References", which no context can bear out.
"""

import re

from assay._text.expressions import expression

AGREED = r"(?:sure(?: thing)?|certainly|of course|absolutely|no problem|okay|ok|alright|understood)"
_POLITE = (
    r"(?:sure|of course|absolutely|certainly|ok|okay|alright|thanks|thank|sorry|hello|hi|hey|hope|"
    r"welcome|thing|there|again|so|very|much|a|lot|at|all|and|to|too|me|us|for|you|your|you're|"
    r"the|this|that|any|about|asking|everyone|everybody|folks|friend|sir|madam|dear|pleasure|my|"
    r"question|query|inquiry|request|message|confusion|inconvenience|delay|mistake|error|trouble|"
    r"misunderstanding|oversight|help|patience|interest|understanding)"
)
_I = r"i(?:'d| would| can|'ll| will)"
_DO_NOT = r"(?:do not|don't)"
_ADVICE = r"(?:legal|medical|financial|professional|tax|investment)\b[^.]{0,40}\badvice\b"
_ANSWER = r"(?:information|response|answer|content|summary|overview)"
_OPEN = r"(?:any|more|further|other|additional|specific|follow-up)"
_UNCLEAR = r"(?:questions?|concerns?|doubts?|quer(?:y|ies)|feedback)"
_TURN = (
    r"(?:ask|reach out|contact (?:me|us)|let (?:me|us) know|tell me|share|message me|follow up|say)"
)
_SERVE = (
    r"(?:help|assist|answer|provide|explain|clarify|elaborate|share|walk|give|look|"
    r"go (?:over|into)|discuss|tell you more|show|send|draft|write|summari[sz]e|expand|add|suggest|"
    r"recommend|dig|break)"
)
_MANNERS = (
    # "Sure thing!", but "Sure, it is open until 9 pm" and "Thanks to the treaty the war ended".
    (
        rf"(?:{AGREED}|(?:great|good) question|hello|hi|hey|thanks|thank you|"
        rf"you're welcome|sorry)\b(?:\W+{_POLITE}\b)*[^\w.]*$"
    ),
    (
        r"(?:(?:that's|that is|this is|what) an? )?(?:great|good|excellent|interesting) "
        r"question(?: (?:about|on)\b[^.,]{0,40})?\W*$"
    ),
    (
        r"(?:thanks|thank you) for (?:your|asking|reaching|contacting|providing|sharing|using)\b"
        r"[^.,;:]{0,60}\W*$"
    ),
    r"(?:hello|hi|hey),? \w+(?: \w+)?[,!]+$",
    (
        rf"(?:i(?:'m|'ll| am) |we're |always )*(?:{_I} be )?(?:happy|glad|here) to "
        rf"{_SERVE}\b(?!.*\bthat (?:the|your|you|it|we)\b)[^.,;:]{{0,80}}\W*$"
    ),
    (
        r"i(?:'ll| can| will)(?: certainly| gladly)? (?:help|assist|answer)\b(?: you)?"
        r"(?: (?:with )?(?:this|that|it|your)\b[^.,]{0,30})?\W*$"
    ),
    rf"{_I} [^.]{{0,80}}\bif you(?:'d like| want| wish)\W*$",
    (
        r"(?:i hope|hope) (?:this|that|it)\b(?: \w+){0,3} (?:finds|helps?|helped|helpful|"
        r"useful|answers?|answered|clarif\w+|clears?|makes sense|gives?|provides?|explains?)\b"
    ),
    # Offers to go on, as in "If you have any questions, feel free to ask."
    rf"(?:please )?(?:let me know\b|feel free(?:\W*$| to {_TURN}\b)|just ask\W*$)",
    rf"(?:please )?{_DO_NOT} hesitate(?:\W*$| to {_TURN}\b)",
    (
        rf"(?:if|should) you have (?:{_OPEN} ){{1,3}}{_UNCLEAR}\b[^,]{{0,80}}"
        r"(?:\W*$|,[^.]{0,20}\b(?:please|feel free|let|ask|i'm|i am|i'll|i can|i'd|we're|reach)\b)"
    ),
    (
        r"if you\b[^.]{0,120}\b(?:let me know\b|just ask\W*$"
        rf"|(?:feel free|{_DO_NOT} hesitate)(?: to {_TURN}\b|\W*$))"
    ),
    (
        r"(?:(?:i'm|i am) )?(?:so |very |really )?sorry (?:to hear|you're|for the)\b"
        r"[^.,;:]{0,120}\W*$"
    ),
    r"i understand (?:your|how|this is|that this)\b[^.,;:]{0,60}\W*$",
    r"let me (?:explain|break|walk)\b[^.:]{0,60}\W*$",
    r"is there anything (?:else|more)\b",
    # Good wishes: "Stay safe!"
    r"have an? (?:great|good|nice|lovely|wonderful|pleasant|safe|fantastic)\b[^.!?]{0,40}!\W*$",
    (
        r"(?:good luck|best of luck|take care(?! of)|safe travels|happy \w+ing|congratulations)\b"
        r"[^.!?:]{0,40}!\W*$"
    ),
    r"stay (?:safe|healthy|well|tuned)(?: and \w+)?!\W*$",
    r"enjoy(?: (?:your|the|it)\b[^.!?]{0,30})?!\W*$",
    r"(?:great|good|exciting) news(?: for [^.!?,]{1,30})?\W*$",
    # "What a lovely plan!", "How nice that you came!", "Don't worry!", "Let's begin!"
    r"(?:what an?|how (?:nice|lovely|great|kind|sad|exciting|wonderful|sweet|fun))\b[^.?:]*!\W*$",
    r"(?:do not|don't) worry\W*$",
    r"let(?:'s| us) (?!say|assume|suppose)[^.?:]{1,60}[!:]\W*$",
    rf"(?:{AGREED},? )?here(?:'s| is| are) (?:what|the|a|an|your|my|some)\b[^.?]{{0,60}}[!:]$",
    (
        r"(?:the |these |this )?(?:\w+ ){1,4}(?:can be|are|is) "
        r"(?:summari[sz]ed|listed|described|outlined|given|shown) (?:as follows|below)\W*$"
    ),
    # No advice: "This is not legal advice."
    (
        r"(?:(?:disclaimer|please note|note)\b:?\s*(?:that )?)?(?:this|it|the above) (?:is not|"
        r"isn't|does(?: not|n't) constitute|should not be \w+ as) "
        rf"(?:a substitute for )?{_ADVICE}(?!.*\bbut\b)"
    ),
    (
        rf"(?:disclaimer\b:?\s*)?(?:this|the) {_ANSWER}(?: \w+)? is (?:\w+ )?for (?:\w+ )?"
        r"(?:education\w*|information\w*)(?: and \w+)? purposes"
    ),
    (
        r"(?:disclaimer\b:?\s*)?i(?:'m| am) not an? (?:\w+ )?(?:doctor|lawyer|attorney|"
        r"physician|advis[eo]r|professional)\W*$"
    ),
    # How a letter begins and ends.
    r"dear\b[^.!?]{0,40},$",
    (
        r"(?:(?:best|kind|warm) (?:regards|wishes)|(?:yours )?(?:sincerely|faithfully|truly)|"
        r"regards)(?:,[^.!?]{0,40})?$"
    ),
    # The offers with which answers in other languages end.
    r"(?:wenn|falls) sie (?:weitere|noch) fragen\b|ich hoffe,? das hilft\b",
    r"j'espère que (?:cela|ça)\b|n'hésitez pas à (?:me|nous|demander|poser)\b",
    r"espero que (?:te|le|esto)\b",
    r"si tienes? (?:más|alguna)(?: otra)? (?:preguntas?|dudas?|consultas?)\b",
    r"希望(?:对|這|这|以上)|ご不明な点|أتمنى أن يكون هذا",
)
# What tells a number or an address states something: "If you have any questions, call 555-0199."
_CHATTER = expression(
    rf"(?!.*(?:\d|\w@\w|https?://))\W*(?:{'|'.join(_MANNERS)})", re.IGNORECASE | re.DOTALL
)
# What leads to the claims: "Here are the 3 steps:".
_LEAD = expression(
    r"\W*(?:(?:based on|according to|using) (?:the|these|this|your|my)\b[^,]{0,60},\s*(?:"
    r"(?:here|below|the following) (?:is|are)\b[^:]*:?\W*$"
    rf"|i (?:will|can|would) (?!suggest|recommend)(?:{_SERVE}|estimate)\b"
    r"(?!.*\bthat\b)[^:]*:?\W*$)"
    r"|(?:here (?:is|are)|below (?:is|are)|the following (?:is|are))\b.*:$)",
    re.IGNORECASE | re.DOTALL,
)
_LIST = (
    r"(?:sources?|references?|citations?|footnotes?|bibliography|works cited|further reading|"
    r"quellen(?:angaben)?|einzelnachweise|fuentes|referencias|références|fonti|bronnen|fontes)"
)
_TITLE = expression(rf"\W*{_LIST}(?: (?:used|cited|consulted))?\W*$", re.IGNORECASE)
_NAMED = expression(rf"\b{_LIST}\b", re.IGNORECASE)
_SOURCES = expression(rf"\W*{_LIST}\W{{0,3}}[:：]", re.IGNORECASE)
# "[^1]: Dams of the World", "² Annual report", an address alone.
_NOTE = expression(r"\s*(?:\[(?:\^\w{1,20}|\d{1,3})\]:|[¹²³⁰-⁹]+\s|<?(?:https?://|www\.)\S+\s*$)")
_NUMBERED = expression(r"\s*\[\d{1,3}\]")


def is_chatter(sentence: str) -> bool:
    """Whether a sentence is manners: a greeting, an offer, a good wish, a disclaimer."""
    plain = sentence.replace("’", "'")
    return bool(_CHATTER.match(plain) or _LEAD.match(plain))


def names_sources(question: str) -> bool:
    """Whether a question asks about sources itself: what is listed below "Sources" answers it."""
    return bool(_NAMED.search(question))


def heads_sources(line: str) -> bool:
    """Whether a line is the title of a list of sources: "**References**"."""
    return bool(_TITLE.match(line))


def is_source(line: str) -> bool:
    """Whether a line names a source or an address: "Sources: handbook", "[^1]: handbook"."""
    return bool(_SOURCES.match(line) or _NOTE.match(line))


def is_numbered(line: str) -> bool:
    """Whether a line begins with the mark of a source: "[1] Annual report"."""
    return bool(_NUMBERED.match(line))
