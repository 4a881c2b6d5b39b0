"""Which self-contained statements does an answer make, and where does each stand?

Conservative on purpose: a sentence is only taken apart where both parts are surely clauses, and a
pronoun is only replaced where one subject can be meant. One statement too long is better than a
broken one. What states nothing (a question, greeting, heading, offer of help, refusal) is left out.
"""

import re
from typing import NamedTuple

from assay.text.citations import without_citations
from assay.text.refusals import is_plain_refusal
from assay.text.sentences import Block, Span, block_spans, blocks
from assay.text.subjects import resolve, subject_of


class Statement(NamedTuple):
    """A statement and the part of the answer that makes it."""

    text: str  # self-contained where that is safe; otherwise as it stands in the answer
    start: int  # answer[start:end] is the part it was taken from
    end: int


_AUXILIARY = (
    r"(?:is|was|are|were|has|had|have|can|could|will|would|may|might|must|should|does|did|do|"
    r"isn['’]t|wasn['’]t|aren['’]t|weren['’]t|hasn['’]t|hadn['’]t|cannot|can['’]t|won['’]t|"
    r"doesn['’]t|didn['’]t|don['’]t)"
)
_PRONOUN = r"(?:it|he|she|they|we|there|this|these|those)"
_VERB_AFTER_PRONOUN = rf"(?:{_AUXILIARY}|\w+(?:ed|s)|became|began|made|took|went|led|won|lost|ran)"
_CLAUSE = (
    rf"(?:{_PRONOUN}\s+(?:also\s+|then\s+|later\s+)?{_VERB_AFTER_PRONOUN}\b"
    rf"|(?:the|its|their|his|her|[A-Z][\w'’-]+)(?:\s+[\w'’-]+){{0,4}}?\s+{_AUXILIARY}\b)"
)
_SPLIT = re.compile(
    rf"(?:;\s+(?:and\s+|but\s+|however,?\s+)?|,\s+(?:and|but|while|whereas|yet|so)\s+)(?={_CLAUSE})"
)
_HAS_VERB = re.compile(rf"\b(?:{_AUXILIARY}|{_VERB_AFTER_PRONOUN})\b", re.IGNORECASE)
# What begins so is one thought: its parts depend on each other.
_DEPENDENT = re.compile(
    r"(?:if|when|although|though|because|while|since|unless|after|before|as|given|whether|"
    r"not only|either|neither|both)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(r"\b(?:if|whether|because|said|says|that|who|which|where)\b", re.IGNORECASE)
_CHATTER = re.compile(
    r"\W*(?:(?:sure|certainly|of course|absolutely|great question|good question|hello|hi|hey|"
    r"thanks|thank you|you(?:'|’)re welcome|no problem|okay|ok|alright|understood|"
    r"sorry)\b[^.]{0,40}$"
    r"|(?:i hope|hope) (?:this|that|it)\b|(?:please )?(?:let me know|feel free)\b"
    r"|(?:if you have|do you have|should you have) (?:any|more|further)\b"
    r"|(?:is there|would you like|can i help)\b"
    r"|(?:based on|according to|using) (?:the|these|this|your|my)\b[^,]{0,60},\s*(?:"
    r"here (?:is|are)|below (?:is|are)|the following (?:is|are)|i (?:will|can|would))\b"
    r"|(?:here (?:is|are)|below (?:is|are)|the following (?:is|are))\b.*:$)",
    re.IGNORECASE | re.DOTALL,
)
_LEAD_IN = re.compile(
    r"\b(?:here (?:is|are)|below|following|based on|according to)\b", re.IGNORECASE
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_]*$")
_MARKUP = re.compile(r"(\*\*|__|`)(?=\S)|(?<=\S)(\*\*|__|`)")
_SHORT_ITEM = 6  # words; a longer item, or one with a verb, stands for itself


def statements(answer: str, question: str = "") -> list[Statement]:
    """The statements of an answer, in order; none where it states nothing.

    `question` only serves to find what a leading "It" or "They" of the first sentence means.
    """
    found: list[Statement] = []
    subject = subject_of(question)
    lead_in = ""
    parts = blocks(answer)
    lonely = sum(len(block_spans(answer, block)) for block in parts) == 1
    for block in parts:
        lead_in = lead_in if block.marker else ""
        for span in block_spans(answer, block):
            sentence = answer[span[0] : span[1]]
            if sentence.endswith((":", "：")) and not lonely:
                lead_in = _usable_lead_in(sentence)
                continue
            if not lonely and _states_nothing(sentence, block):
                continue
            for start, end in _clauses(answer, span):
                text = resolve(_clean(answer[start:end]), subject)
                if not any(char.isalnum() for char in text):  # a citation mark alone
                    continue
                found.append(Statement(_with_lead_in(text, lead_in), start, end))
                subject = subject_of(text) or subject
    return [
        statement
        for statement in found
        if not _CHATTER.match(statement.text) and not is_plain_refusal(statement.text)
    ]


def _clauses(answer: str, span: Span) -> list[Span]:
    """The parts of one sentence, or the sentence itself."""
    start, end = span
    sentence = answer[start:end]
    if _DEPENDENT.match(sentence) or sentence[:1] in "\"“'‘":
        return [span]
    cuts = [0]
    stops = []
    for joint in _SPLIT.finditer(sentence):
        left = sentence[cuts[-1] : joint.start()]
        if len(left.split()) > 3 and _HAS_VERB.search(left) and not _REPORTED.search(left):
            stops.append(joint.start())
            cuts.append(joint.end())
    stops.append(len(sentence))
    return [(start + a, start + b) for a, b in zip(cuts, stops, strict=True)]


def _states_nothing(sentence: str, block: Block) -> bool:
    if _QUESTION.search(sentence) or block.marker.startswith("#"):
        return True
    is_title = sentence.startswith(("**", "__")) and sentence.endswith(("**", "__"))
    unfinished = sentence[-1:].isalnum() and not block.marker
    heading = len(sentence.split()) <= _SHORT_ITEM and not _HAS_VERB.search(sentence)
    return heading and (is_title or unfinished)


def _usable_lead_in(sentence: str) -> str:
    """Of "The moons are:", which completes its short items; "Here are some tips:" does not."""
    text = _clean(sentence).rstrip(":：").rstrip()
    return text if _HAS_VERB.search(text) and not _LEAD_IN.search(text) else ""


def _with_lead_in(text: str, lead_in: str) -> str:
    short = len(text.split()) <= _SHORT_ITEM and not _HAS_VERB.search(text)
    return f"{lead_in} {text}" if lead_in and short else text


def _clean(text: str) -> str:
    """Without mark-up and citation marks, on one line, with a capital at the beginning."""
    plain = " ".join(without_citations(_MARKUP.sub("", text)).split())
    return plain[:1].upper() + plain[1:]
