"""Which self-contained statements does an answer make, and where does each stand?

Conservative on purpose: a sentence is only taken apart where both parts are surely clauses or
predicates of one subject, and a pronoun is only replaced where one subject can be meant. One
statement too long is better than a broken one. What states nothing (a question, greeting, heading,
offer of help, refusal, code) is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.text.citations import without_citations
from assay.text.lead_ins import GENERAL, HERE_ARE, LEAD_IN, told_before
from assay.text.predicates import FINITE, subject_and_cuts
from assay.text.refusals import is_plain_refusal
from assay.text.sentences import Block, Span, block_spans, blocks
from assay.text.subjects import is_alone, resolve, subject_of
from assay.text.tables import tables
from assay.text.words import words


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
# What begins so is one thought: its parts depend on each other.
_DEPENDENT = re.compile(
    r"(?:if|when|although|though|because|while|since|unless|after|before|as|given|whether|"
    r"not only|either|neither|both)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(r"\b(?:if|whether|because|said|says|that|who|which|where)\b", re.IGNORECASE)
_AGREED = (
    r"(?:sure(?: thing)?|certainly|of course|absolutely|no problem|okay|ok|alright|understood)"
)
_POLITE = (
    r"(?:sure|of course|absolutely|certainly|ok|okay|alright|thanks|thank|sorry|hello|hi|hey|hope|"
    r"welcome|thing|there|again|so|very|much|a|lot|at|all|and|to|too|me|us|for|you|your|you(?:'|’)re|"
    r"the|this|that|any|about|asking|everyone|everybody|folks|friend|sir|madam|dear|pleasure|my|"
    r"question|query|inquiry|request|message|confusion|inconvenience|delay|mistake|error|trouble|"
    r"misunderstanding|oversight|help|patience|interest|understanding)"
)
_CHATTER = re.compile(
    # "Sure thing!", but "Sure, it is open until 9 pm" and "Thanks to the treaty the war ended".
    rf"\W*(?:(?:{_AGREED}|(?:great|good) question|hello|hi|hey|thanks|thank you|"
    rf"you(?:'|’)re welcome|sorry)\b(?:\W+{_POLITE}\b)*[^\w.]*$"
    r"|(?:great|good) question (?:about|on)\b[^.,]{0,40}$"
    r"|(?:thanks|thank you) for (?:your|asking|reaching|contacting|providing|sharing|using)\b"
    r"[^.,]{0,60}$"
    r"|(?:hello|hi|hey),? \w+(?: \w+)?[,!]+$"
    r"|i(?:(?:'|’)ll| can| will|(?:(?:'|’)d| would) be (?:happy|glad) to|(?:(?:'|’)m| am) here to)"
    r"(?: certainly| gladly)? (?:help|assist|answer)\b(?: you)?"
    r"(?: (?:with )?(?:this|that|it|your)\b[^.,]{0,30})?\W*$"
    r"|(?:i hope|hope) (?:this|that|it)\b|(?:please )?(?:let me know|feel free)\b"
    r"|(?:if you have|do you have|should you have) (?:any|more|further)\b"
    r"|(?:is there|would you like|can i help)\b"
    r"|(?:based on|according to|using) (?:the|these|this|your|my)\b[^,]{0,60},\s*(?:"
    r"here (?:is|are)|below (?:is|are)|the following (?:is|are)|i (?:will|can|would))\b"
    r"|(?:here (?:is|are)|below (?:is|are)|the following (?:is|are))\b.*:$"
    # How a letter begins and ends.
    r"|dear\b[^.!?]{0,40},$"
    r"|(?:(?:best|kind|warm) (?:regards|wishes)|(?:yours )?(?:sincerely|faithfully|truly)|regards)"
    r"(?:,[^.!?]{0,40})?$)",
    re.IGNORECASE | re.DOTALL,
)
# "The moons are" goes on with its item; "There are three gates" needs a colon.
_GOES_ON = re.compile(
    r"\b(?:is|are|was|were|be|of|in|by|as|for|with|from|to|at|on|include[sd]?|contain(?:s|ed)?|"
    r"named|called|has|have|had|sells?|mean[st]?|and|or|offers?|produces?|makes?)$",
    re.IGNORECASE,
)
# "Height: 900 m", "Cost: $5", but "Step 2: Preparation" and "Title: ..." are headings.
_NUMBERED = re.compile(r"(?P<what>[^:：\n]*)\b(?:\d{1,2}|[A-Z])\s?[:：]", re.IGNORECASE)
_KEY_AND_VALUE = re.compile(
    rf"(?!(?:title|subject|re|topic|note|tip)\b|{_NUMBERED.pattern}(?!\s*[^\w\s]{{0,4}}\s?\d))"
    r"[^:\n]{2,40}[:：]\s+[^\w\s]{0,4}\s?\w",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_]*$")
# Between two letters or digits it is none: "2**64".
_MARKUP = re.compile(
    r"(?<![A-Za-z0-9])(?:\*\*|__)(?=\S)|(?<=\S)(?:\*\*|__)(?![A-Za-z0-9])|`(?=\S)|(?<=\S)`"
)
# A fence is closed by one as long at least; what holds a backtick further on opens none.
_CODE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?s:.*?)(?:^[ \t]*(?P=fence)[`~]*[ \t\r]*$|\Z)"
    r"|^[ \t]*`{3,}[^`\n]+`{3,}[ \t\r]*$",
    re.MULTILINE,
)
_LABEL = re.compile(
    r"\W{0,3}(?:(?:final |short |long |brief )?answer|A|response|explanation|conclusion|summary)"
    r"\W{0,2}:\W{0,2}\s+(?=\w)",
    re.IGNORECASE,
)
# Says no more than what follows it: "Yes, it is open." A capital may be of a name: "Hello, Dolly".
_YES = re.compile(
    rf"(?:(?:yes|no|{_AGREED}),\s+|(?:hello|hi|hey|thanks|thank you)(?: there)?,\s+(?-i:(?=[a-z])))"
    r"(?!(?:if|because|but|unless|only|not|as|since|and|or|though|although|to|in)\b)",
    re.IGNORECASE,
)
_BARE = re.compile(r"\W*(?:(?:yes|no|true|false|correct)\W*|\d{1,2}[.)])$", re.IGNORECASE)
_LONGEST_TITLE = 120  # characters
_SHORT_ITEM = 6  # words; what has no verb and no more words is a heading
_NOUN_PHRASE = 2  # words of a bold title that hold no verb, whatever they end in
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

    def enter(self, block: Block, indent: int, *, goes_on: bool) -> None:
        """Forget the lead-ins that this block does not belong to; `goes_on`: with the line before.

        "The winners are:" may stand over items without markers.
        """
        if block.marker:
            self.lead_ins = [entry for entry in self.lead_ins if entry[0] < indent]
        elif not (self.awaits or goes_on):
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
    listed = _listed(prose, parts)
    for before, block, after in zip([None, *parts], parts, [*parts[1:], None], strict=False):
        goes_on = block in listed and before is not None and not before.marker
        reading.enter(block, _indent(prose, block), goes_on=goes_on)
        for span in block_spans(prose, block):
            sentence = prose[span[0] : span[1]]
            if sentence.endswith((":", "：")) and not lonely:
                level = _indent(prose, block) if block.marker else -1
                reading.lead_ins.append((level, _usable_lead_in(sentence, reading)))
                reading.awaits = bool(_GOES_ON.search(sentence.rstrip(":：*_ ")))
                if not reading.lead_in():
                    found += _told_before(prose, span, reading, whole=whole)
                continue
            item = block in listed or (after is None and not block.marker)
            over = not item and _over(prose, before, block, after)
            title = not item and _is_heading(sentence, block, over=over)
            asks = _QUESTION.search(sentence) or block.marker.startswith("#")
            if lonely or not (asks or (title and not reading.awaits)):
                found += _of_sentence(prose, span, reading, lonely=lonely, whole=whole)
            reading.awaits = False
    kept = [
        statement
        for statement in found
        if not _CHATTER.match(statement.text) and not is_plain_refusal(statement.text)
    ]
    return sorted(kept, key=lambda statement: statement.start)


def is_phrase(text: str) -> bool:
    """Whether a text is no statement but a few words that answer a question."""
    count = len(words(text))
    return count <= _PHRASE or (count <= _LONG_PHRASE and not _HAS_VERB.search(text))


def _without_code_and_tables(answer: str) -> tuple[list[Statement], str]:
    """The rows of the answer's tables, and the answer with what is no prose left blank."""
    prose = _CODE.sub(lambda code: "\n" * len(code.group()), answer)
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
    label = _LABEL.match(answer, *span) or _YES.match(answer, *span)
    begin = label.end() if label and label.end() < span[1] else span[0]
    if _BARE.match(answer[slice(*span)]) and not lonely:
        return
    sentence = (begin, span[1])
    for start, end, subject in [(*sentence, "")] if whole else _clauses(answer, sentence):
        written = f"{subject} {answer[start:end]}" if subject else answer[start:end]
        text = resolve(_clean(written), reading.subject, alone=reading.alone)
        if not any(char.isalnum() for char in text):  # a citation mark alone
            continue
        yield Statement(_with_lead_in(text, answer[start:end], reading.lead_in()), start, end)
        reading.follow(text)


def _told_before(answer: str, span: Span, reading: _Reading, *, whole: bool) -> Iterator[Statement]:
    """What a sentence before a list states besides announcing it."""
    said = told_before(answer[slice(*span)])
    if said:
        end = span[0] + len(said)
        yield from _of_sentence(answer, (span[0], end), reading, lonely=False, whole=whole)


def _clauses(answer: str, span: Span) -> Iterator[tuple[int, int, str]]:
    """The parts of one sentence, or the sentence itself, each with the subject it lacks."""
    start, end = span
    sentence = answer[start:end]
    if _DEPENDENT.match(sentence) or sentence[:1] in "\"“'‘":
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


def _is_heading(sentence: str, block: Block, *, over: bool) -> bool:
    """Whether it is no more than a title; `over`: whether a list hangs on its block."""
    count = len(sentence.split())
    is_title = _is_bold(sentence)
    # "**Key points**": of a bold title most words on -s and -ed are none of its verbs.
    verb = _STATES if is_title and count <= _NOUN_PHRASE else _HAS_VERB
    if count > _SHORT_ITEM or verb.search(sentence):
        return False
    if block.marker:
        return is_title and over
    return is_title or (sentence[-1:].isalnum() and not _KEY_AND_VALUE.match(sentence))


def _listed(text: str, parts: list[Block]) -> set[Block]:
    """The items of lists without markers: short lines after each other, with no text beneath."""
    found: set[Block] = set()
    run: list[Block] = []
    for block, after in zip(parts, [*parts[1:], None], strict=False):
        if not _is_short_line(text, block):
            run = []
            continue
        bold = _is_bold(text[block.start : block.end].strip())
        if run and bold != _is_bold(text[run[0].start : run[0].end].strip()):
            run = []
        run.append(block)
        # Two lines over a text are a title and a heading, unless nothing is between them.
        close = len(run) > 1 and not bold and text.count("\n", run[-2].end, block.start) < 2
        if len(run) > 2 or close or after is None:
            found.update(run[-3:])
        elif _counts_on(text, block, after):
            found.add(block)
    return found


def _is_short_line(text: str, block: Block) -> bool:
    """Whether a block has the form of a heading, whatever its words are."""
    if block.marker or block.end - block.start > _LONGEST_TITLE:
        return False
    line = text[block.start : block.end].strip()
    title = len(line.split()) <= _SHORT_ITEM and (line[-1:].isalnum() or _is_bold(line))
    return title and not _KEY_AND_VALUE.match(line)


def _is_bold(line: str) -> bool:
    return line.startswith(("**", "__")) and line.endswith(("**", "__"))


def _counts_on(text: str, block: Block, after: Block) -> bool:
    """Whether "Step 2: ..." follows "Step 1: ...", with nothing under that."""
    this = _NUMBERED.match(text, block.start, block.end)
    following = _NUMBERED.match(text, after.start, after.end)
    return bool(this and following and this["what"] == following["what"])


def _over(text: str, before: Block | None, block: Block, after: Block | None) -> bool:
    """Whether what follows a list item belongs to it, and not to the list or what comes after."""
    if after is None or not block.marker:
        return False
    level = _indent(text, block)
    # The last of several items does not stand over the paragraph after their list.
    last = before is not None and bool(before.marker) and _indent(text, before) == level
    return _indent(text, after) > level or not (after.marker or last)


def _usable_lead_in(sentence: str, reading: _Reading) -> str:
    """What an item needs before it: "The moons are", "The members of the crew:"; "" for nothing.

    "Here are some tips:" says nothing about its items.
    """
    text = _clean(sentence).rstrip(":：").rstrip()
    here = HERE_ARE.fullmatch(text)
    if here and not GENERAL.search(here["what"]):
        return f"{here['what'][:1].upper()}{here['what'][1:]}:"
    if LEAD_IN.search(text) or GENERAL.search(" ".join(text.split()[-3:])):
        return ""
    if _STATES.search(text) or _GOES_ON.search(text):
        text = resolve(text, reading.subject, alone=reading.alone)
        return text if _GOES_ON.search(text) else f"{text}:"
    short = len(text.split()) <= _SHORT_ITEM and not GENERAL.search(text)
    return f"{text}:" if short else ""


def _with_lead_in(text: str, written: str, lead_in: str) -> str:
    """An item with what it completes, unless it stands for itself."""
    if not lead_in or ":" in text or len(text.split()) > _LONG_ITEM or _STATES.search(text):
        return text
    if text.endswith((".", "!", "。")) and len(text.split()) > 2:
        return text
    first = next((char for char in written if char.isalnum()), "")
    return f"{lead_in} {text[:1].lower() if first.islower() else text[:1]}{text[1:]}"


def _indent(text: str, block: Block) -> int:
    line = text[text.rfind("\n", 0, block.start) + 1 : block.start]
    return len(line) - len(line.lstrip())


def _clean(text: str) -> str:
    """Without mark-up and citation marks, on one line, with a capital at the beginning."""
    plain = " ".join(without_citations(_MARKUP.sub("", text)).split())
    return plain[:1].upper() + plain[1:]
