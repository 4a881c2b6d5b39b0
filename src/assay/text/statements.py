"""Splitting an answer into self-contained statements, without its manners.

Conservative on purpose: a sentence is only taken apart where both parts are surely clauses or
predicates of one subject, and a pronoun is only replaced where one subject can be meant.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.text.markup import clean, without_tags
from assay.text.refusals import is_plain_refusal
from assay.text.sentences import Block, Span, block_spans, blocks
from assay.text.subjects import FINITE, is_alone, resolve, subject_and_cuts, subject_of
from assay.text.tables import tables
from assay.text.words import words

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
    r"i understand (?:your|how)\b[^.,;:]{0,60}\W*$",
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
    r"(?:great|good|exciting) news\W*$",
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
_CHATTER = re.compile(
    rf"(?!.*(?:\d|\w@\w|https?://))\W*(?:{'|'.join(_MANNERS)})", re.IGNORECASE | re.DOTALL
)


def is_chatter(sentence: str) -> bool:
    """Whether a sentence is manners: a greeting, an offer, a good wish, a disclaimer."""
    return bool(_CHATTER.match(sentence.replace("’", "'")))


LEAD_IN = re.compile(
    r"\b(?:here (?:is|are)|below|following|as follows|based on|according to|like (?:this|so))\b",
    re.IGNORECASE,
)
GENERAL = re.compile(
    r"\b(?:steps?|tips?|ways?|instructions?|reasons?|points?|things?|options?|facts?|examples?|"
    r"factors?|methods?|notes?|details?|information|answers?|summary|statements?|suggestions?|"
    r"passages?|sources?|documents?|to)\b",
    re.IGNORECASE,
)


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
# What follows a verb but seldom a participle before its noun ("the painted house").
_AFTER_VERB = (
    r"(?=\s+(?:in|on|at|by|to|from|with|for|the|an?|into|over|after|before|its|their|his|her|\d|it|"
    r"him|them|out|up|down|off)\b|[.;,]|$)"
)
_CLAUSE = (
    rf"(?:{_PRONOUN}\s+(?:also\s+|then\s+|later\s+)?{_VERB_AFTER_PRONOUN}\b"
    rf"|(?:the|its|their|his|her|[A-Z][\w'’-]+)(?:\s+[\w'’-]+){{0,4}}?\s+"
    rf"(?:{_AUXILIARY}\b|(?P<full>{FINITE}){_AFTER_VERB}))"
)
_SPLIT = re.compile(
    r"(?:(?P<strong>;)\s+(?:and\s+|but\s+|however,?\s+)?|,\s+(?:and|but|while|whereas|yet|so)\s+)"
    rf"(?={_CLAUSE})"
)
_HAS_VERB = re.compile(rf"\b(?:{_AUXILIARY}|{_VERB_AFTER_PRONOUN}|{FINITE})\b", re.IGNORECASE)
# A verb that no plural noun is taken for.
_STATES = re.compile(rf"\b(?:{_AUXILIARY}|{_PRONOUN}\s+{_VERB_AFTER_PRONOUN})\b", re.IGNORECASE)
_REPORTED = re.compile(r"\b(?:if|whether|because|said|says|that|who|which|where)\b", re.IGNORECASE)
# "The moons are" goes on with its item; "There are three gates" needs a colon.
_GOES_ON = re.compile(
    r"\b(?:is|are|was|were|be|of|in|by|as|for|with|from|to|at|on|include[sd]?|contain(?:s|ed)?|"
    r"named|called|has|have|had|sells?|mean[st]?|and|or|offers?|produces?|makes?|if|when|unless|"
    r"because|that)$",
    re.IGNORECASE,
)
_BEFORE_CLAUSE = re.compile(r"\b(?:(?P<condition>if|when|unless)|because|that)$", re.IGNORECASE)
_QUESTION = re.compile(r"[?？؟][\"'”’)\]*_]*$")
# A fence is closed by one as long at least; what holds a backtick further on opens none.
_CODE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?s:.*?)(?:^[ \t]*(?P=fence)[`~]*[ \t\r]*$|\Z)"
    r"|^[ \t]*`{3,}[^`\n]+`{3,}[ \t\r]*$",
    re.MULTILINE,
)
# Says no more than what follows it: "Yes, it is open." A capital may be of a name: "Hello, Dolly".
_YES = re.compile(
    rf"(?:(?:yes|no|{AGREED})(?:,|\s[–—-])\s+"
    r"|(?:hello|hi|hey|thanks|thank you)(?: there)?,\s+(?-i:(?=[a-z])))"
    r"(?!(?:if|because|but|unless|only|not|as|since|and|or|though|although|to|in)\b)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\W*(?:(?:yes|no|true|false|correct|partially|partly|probably|possibly|maybe|perhaps|"
    r"it depends|not (?:ideally|necessarily|really|exactly|quite|always))\W*|\d{1,2}[.)])$",
    re.IGNORECASE,
)
_SHORT_ITEM = 6  # words of what may name a list
_PHRASE = 4  # words; no more are a phrase whatever they are
_LONG_PHRASE = 8  # ... and no more if there is no verb among them
_LONG_ITEM = 14  # words; an item with more of them stands for itself


@dataclass
class _Reading:
    """What is known while an answer is read from the beginning to the end."""

    subject: str  # what a pronoun may mean
    alone: bool = True  # no other person was named since
    lead_ins: list[tuple[int, str]] = field(default_factory=list)  # by how far they are indented
    awaits: bool = False  # the sentence before was "The captain is:"; what follows completes it

    def lead_in(self) -> str:
        return self.lead_ins[-1][1] if self.lead_ins else ""

    def enter(self, block: Block, indent: int) -> None:
        """Forget the lead-ins that this block does not belong to.

        "The winners are:" may stand over items without markers.
        """
        if block.marker:
            self.lead_ins = [entry for entry in self.lead_ins if entry[0] < indent]
        elif not self.awaits:
            self.lead_ins = []

    def follow(self, text: str) -> None:
        """Remember whom the next sentence may mean by "it" or "she"."""
        found = subject_of(text)
        if not found and self.subject and self.subject in text:
            found = self.subject
        self.alone = is_alone(text, found)
        self.subject = found


def statements(answer: str, question: str = "", *, whole: bool = False) -> list[Statement]:
    """The statements of an answer, in order; none where it states nothing.

    `question` only serves to find what a leading "It" or "They" of the first sentence means. With
    `whole`, no sentence is taken apart.
    """
    found, prose = _without_code_and_tables(answer)
    reading = _Reading(subject_of(question))
    parts = blocks(prose)
    lonely = not found and sum(len(block_spans(prose, block)) for block in parts) == 1
    for block in parts:
        reading.enter(block, _indent(prose, block))
        for span in block_spans(prose, block):
            sentence = prose[span[0] : span[1]]
            if sentence.endswith((":", "：")) and not lonely:
                level = _indent(prose, block) if block.marker else -1
                reading.lead_ins.append((level, _usable_lead_in(sentence, reading)))
                reading.awaits = bool(_GOES_ON.search(sentence.rstrip(":：*_ ")))
                continue
            if lonely or not (_QUESTION.search(sentence) or block.marker.startswith("#")):
                found += _of_sentence(prose, span, reading, lonely=lonely, whole=whole)
            reading.awaits = False
    kept = [
        statement
        for statement in found
        if not is_chatter(statement.text) and not is_plain_refusal(statement.text)
    ]
    return sorted(kept, key=lambda statement: statement.start)


def is_phrase(text: str) -> bool:
    """Whether a text is no statement but a few words that answer a question."""
    count = len(words(text))
    return count <= _PHRASE or (count <= _LONG_PHRASE and not _HAS_VERB.search(text))


def _without_code_and_tables(answer: str) -> tuple[list[Statement], str]:
    """The rows of the answer's tables, and the answer with what is no prose left blank."""
    prose = without_tags(_CODE.sub(lambda code: "\n" * len(code.group()), answer))
    if not any(char.isalnum() for char in prose):
        return [], answer
    found: list[Statement] = []
    for table in tables(prose):
        found += [Statement(unit.text, unit.start, unit.end) for unit in table.units]
        blank = "\n" * (table.end - table.start)
        prose = f"{prose[: table.start]}{blank}{prose[table.end :]}"
    return found, prose


def _of_sentence(
    answer: str, span: Span, reading: _Reading, *, lonely: bool, whole: bool
) -> Iterator[Statement]:
    """The statements of one sentence."""
    if _BARE.match(answer[slice(*span)]) and not lonely:
        return
    yes = _YES.match(answer, *span)
    begin = yes.end() if yes and yes.end() < span[1] else span[0]
    sentence = (begin, span[1])
    for start, end, subject in [(*sentence, "")] if whole else _clauses(answer, sentence):
        written = f"{subject} {answer[start:end]}" if subject else answer[start:end]
        text = resolve(clean(written), reading.subject, alone=reading.alone)
        if not any(char.isalnum() for char in text):  # a citation mark alone
            continue
        yield Statement(_with_lead_in(text, answer[start:end], reading.lead_in()), start, end)
        reading.follow(text)


def _clauses(answer: str, span: Span) -> Iterator[tuple[int, int, str]]:
    """The parts of one sentence, or the sentence itself, each with the subject it lacks."""
    start, end = span
    sentence = answer[start:end]
    if sentence[:1] in "\"“'‘":
        yield start, end, ""
        return
    cuts = [0]
    stops = []
    for joint in _SPLIT.finditer(sentence):
        left = sentence[cuts[-1] : joint.start()]
        if _is_clause(left, joint):
            stops.append(joint.start())
            cuts.append(joint.end())
    stops.append(len(sentence))
    for first, last in zip(cuts, stops, strict=True):
        subject, predicates = subject_and_cuts(sentence[first:last])
        at = first
        for i, cut in enumerate(predicates):
            yield start + at, start + first + cut.stop, subject if i else ""
            at = first + cut.start
        yield start + at, start + last, subject if predicates else ""


def _is_clause(left: str, joint: re.Match[str]) -> bool:
    """Whether what stands before a joint is surely a clause of its own, and no list goes on."""
    if is_plain_refusal(left):
        return True
    if joint["full"] and not joint["strong"] and "," in left:
        return False
    return len(left.split()) > 2 and bool(_HAS_VERB.search(left)) and not _REPORTED.search(left)


def _usable_lead_in(sentence: str, reading: _Reading) -> str:
    """What an item needs before it: "The moons are", "The members of the crew:"; "" for nothing.

    "Here are some tips:" says nothing about its items.
    """
    text = clean(sentence).rstrip(":：").rstrip()
    general = GENERAL.search(" ".join(text.split()[-3:])) and not _BEFORE_CLAUSE.search(text)
    if LEAD_IN.search(text) or general:
        return ""
    if _STATES.search(text) or _GOES_ON.search(text):
        text = resolve(text, reading.subject, alone=reading.alone)
        return text if _GOES_ON.search(text) else f"{text}:"
    short = len(text.split()) <= _SHORT_ITEM and not GENERAL.search(text)
    return f"{text}:" if short else ""


def _with_lead_in(text: str, written: str, lead_in: str) -> str:
    """An item with what it completes, unless it stands for itself."""
    if not lead_in or ":" in text or len(text.split()) > _LONG_ITEM:
        return text
    small = next((char for char in written if char.isalnum()), "").islower()
    before = _BEFORE_CLAUSE.search(lead_in)
    if not (before and (small or before["condition"])):  # "if:" and "You have a fever"
        goes_on = small and not lead_in.endswith(":")
        ended = text.endswith((".", "!", "。")) and len(text.split()) > 2
        if (ended and not goes_on) or _STATES.search(text):
            return text
    return f"{lead_in} {text[:1].lower() if small else text[:1]}{text[1:]}"


def _indent(text: str, block: Block) -> int:
    line = text[text.rfind("\n", 0, block.start) + 1 : block.start]
    return len(line) - len(line.lstrip())
