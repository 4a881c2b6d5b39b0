"""Splitting an answer into self-contained statements, without its manners.

Conservative on purpose: a sentence is only taken apart where each part surely says something of a
known subject, and a pronoun is only replaced where one subject can be meant.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assay._text import clauses, manners
from assay._text.clauses import Part
from assay._text.expressions import expression
from assay._text.markup import clean, without_tags
from assay._text.predicates import is_alone, resolve, subject_of
from assay._text.refusals import is_plain_refusal
from assay._text.sentences import Block, Span, block_spans, blocks
from assay._text.tables import tables
from assay._text.verbs import FINITE
from assay._text.words import words

LEAD_IN = expression(
    r"\b(?:here (?:is|are)|below|following|as follows|based on|according to|like (?:this|so))\b",
    re.IGNORECASE,
)
HERE_ARE = expression(
    r".*\b(?:here|below|the following) (?:is|are)\s+(?:a list of\s+)?"
    r"(?P<listed>(?:the|all|some)\s.*)",
    re.IGNORECASE | re.DOTALL,
)
GENERAL = expression(
    r"\b(?:steps?|tips?|ways?|instructions?|reasons?|points?|things?|options?|facts?|examples?|"
    r"factors?|methods?|notes?|details?|information|answers?|summary|statements?|suggestions?|"
    r"passages?|sources?|documents?|to)\b",
    re.IGNORECASE,
)
_AS_FOLLOWS = expression(r",?\s+(?:as follows|below)$", re.IGNORECASE)
_JOINED = expression(
    r"(?P<content>.{12,}?),\s+(?:and|but|so)\s(?P<rest>.+)$", re.IGNORECASE | re.DOTALL
)
# "To set up 2FA"
_AIM = expression(r"(?:\w+[!,.]\s+)?to\s[^,]*$", re.IGNORECASE)


def statement_before_list(sentence: str) -> str:
    """The beginning of a sentence that ends with a colon, as far as it states something; "" if not.

    "It is 20 g, and mind the following:" states "It is 20 g", and so does "It is 20 g as follows:".
    Without a number, what announces nothing else is not told from an announcement.
    """
    text = sentence.rstrip(":：*_ ")
    joined = _JOINED.match(text)
    if joined and _announces(joined["rest"]) and not _announces(joined["content"]):
        return joined["content"]
    beginning = _AS_FOLLOWS.sub("", text)
    states = (
        any(map(str.isdigit, beginning)) and not _announces(beginning) and not _AIM.match(beginning)
    )
    return beginning if states else ""


def _announces(text: str) -> bool:
    return bool(LEAD_IN.search(text) or GENERAL.search(" ".join(text.split()[-3:])))


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
_HAS_VERB = expression(rf"\b(?:{_AUXILIARY}|{_VERB_AFTER_PRONOUN}|{FINITE})\b", re.IGNORECASE)
_SAYS = expression(rf"\b(?:{_AUXILIARY}|{FINITE})\b")
# A verb that no plural noun is taken for.
_STATES = expression(rf"\b(?:{_AUXILIARY}|{_PRONOUN}\s+{_VERB_AFTER_PRONOUN})\b", re.IGNORECASE)
_BEGINS_WITH_PRONOUN = expression(rf"{_PRONOUN}\s+\w", re.IGNORECASE)
# "it does not", "there is none", "I think so": the question tells what.
_ELLIPTIC = expression(
    rf"\b(?:{_AUXILIARY}(?:\s+not)?|none|neither|never|so|that)\W*$", re.IGNORECASE
)
_PREDICATE = expression(rf"{_AUXILIARY}\b", re.IGNORECASE)
# "The moons are" goes on with its item; "There are three gates" needs a colon.
_GOES_ON = expression(
    r"\b(?:is|are|was|were|be|of|in|by|as|for|with|from|to|at|on|include[sd]?|contain(?:s|ed)?|"
    r"named|called|has|have|had|sells?|mean[st]?|and|or|offers?|produces?|makes?|if|when|unless|"
    r"because|that)$",
    re.IGNORECASE,
)
_BEFORE_CLAUSE = expression(r"\b(?:(?P<condition>if|when|unless)|because|that)$", re.IGNORECASE)
# "Height: 900 m", "Cost: $5", but "Step 2: Preparation" and "Title: ..." are headings.
_NUMBERED = expression(r"(?P<label>[^:：\n]*)\b(?:\d{1,2}|[A-Z])\s?[:：]", re.IGNORECASE)
_KEY_AND_VALUE = expression(
    rf"(?!(?:title|subject|re|topic|note|tip)\b|{_NUMBERED.pattern}(?!\s*[^\w\s]{{0,4}}\s?\d))"
    r"[^:\n]{2,40}[:：]\s+[^\w\s]{0,4}\s?\w",
    re.IGNORECASE,
)
_QUESTION = expression(r"[?？؟][\"'”’)\]*_]*$")
# A fence is closed by one as long at least; what holds a backtick further on opens none.
_CODE = expression(
    r"^[ \t]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?s:.*?)(?:^[ \t]*(?P=fence)[`~]*[ \t\r]*$|\Z)"
    r"|^[ \t]*`{3,}[^`\n]+`{3,}[ \t\r]*$",
    re.MULTILINE,
)
_LABEL = expression(
    r"\W{0,3}(?:(?:final |short |long |brief )?answer|A|response|explanation|conclusion|summary)"
    r"\W{0,2}:\W{0,2}\s+(?=\w)",
    re.IGNORECASE,
)
# Says no more than what follows it: "Yes, it is open." A capital may be of a name: "Hello, Dolly".
REPLY_LEAD = expression(
    rf"(?:(?:yes|no|{manners.AGREED})(?:,|\s[–—-])\s+"
    r"|(?:hello|hi|hey|thanks|thank you)(?: there)?,\s+(?-i:(?=[a-z])))"
    r"(?!(?:if|because|but|unless|only|not|as|since|and|or|though|although|to|in)\b)",
    re.IGNORECASE,
)
_BARE = expression(
    r"\W*(?:(?:yes|no|true|false|correct|partially|partly|probably|possibly|maybe|perhaps|"
    r"it depends|not (?:ideally|necessarily|really|exactly|quite|always))\W*|\d{1,2}[.)])$",
    re.IGNORECASE,
)
_DENIED = "❌✗✘🚫"  # "❌ Free parking" is an item
_LONGEST_TITLE = 120  # characters
_SHORT_ITEM = 6  # words; what has no verb and no more words is a heading
_NOUN_PHRASE = 2  # words of a bold title that hold no verb, whatever they end in
_PHRASE = 4  # words; no more are a phrase whatever they are
_LONG_PHRASE = 8  # ... and no more if there is no verb among them
_LONG_ITEM = 14  # words; an item with more of them stands for itself


_BETWEEN = expression(r"\s*[,;]\s+(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+", re.IGNORECASE)
_AND = expression(r"\b(?:and|or)\b|&", re.IGNORECASE)
_MORE = expression(
    r"\b(?:which|what|name|list)\b(?:\s\w+)?\s(?:two|both|are|were|\w{2,}[^s\W]s)\b"
    r"|\bwho\s(?:are|were)\b|\b(?:two|both)\b",
    re.IGNORECASE,
)
_DIGIT = expression(r"\d")
_SAID = expression(r":|\b[a-z]+\s.*[.!]$")  # "Year: 1999" and "Press it." say by themselves what
_LISTED = 30  # words of a list
_ITEM = 5  # words of an item; more of them are a clause


@dataclass
class _Reading:
    """What is known while an answer is read from the beginning to the end."""

    subject: str  # what a pronoun may mean
    alone: bool = True  # no other person was named since
    lead_ins: list[tuple[int, str]] = field(default_factory=list)  # by how far they are indented
    awaits: bool = False  # the sentence before was "The captain is:"; what follows completes it
    cites: int = -1  # where the last line of a list of sources ended; -1 outside of one

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

    def is_cited(self, answer: str, block: Block) -> bool:
        """Whether a block names sources only, or is the title of such blocks."""
        line = answer[block.start : block.end]
        begins = manners.heads_sources(line) and block.marker[-1:] in {"", "#"}
        goes_on = self.cites >= 0 and not (block.marker.startswith("#") or _is_bold(line))
        is_near = answer.count("\n", max(self.cites, 0), block.start) < 2
        in_list = goes_on and (bool(block.marker) or is_near or manners.is_numbered(line))
        self.cites = block.end if begins or in_list else -1
        return begins or in_list or _is_source(line)

    def follow(self, text: str) -> None:
        """Remember whom the next sentence may mean by "it" or "she"."""
        subject = subject_of(text)
        if not subject and self.subject and self.subject in text:
            subject = self.subject
        self.alone = is_alone(text, subject)
        self.subject = subject


def statements(answer: str, question: str = "", *, whole: bool = False) -> list[Statement]:
    """The statements of an answer, in order; none where it states nothing.

    `question` only serves to find what a leading "It" or "They" of the first sentence means. With
    `whole`, no sentence is taken apart.
    """
    candidates, prose = _without_code_and_tables(answer)
    reading = _Reading(subject_of(question))
    text_blocks = blocks(prose)
    lonely = not candidates and sum(len(block_spans(prose, block)) for block in text_blocks) == 1
    listed_blocks = _listed_blocks(prose, text_blocks)
    wants_sources = manners.names_sources(question)  # "What are good sources of iron?"
    for before, block, after in zip(
        [None, *text_blocks], text_blocks, [*text_blocks[1:], None], strict=False
    ):
        if not (lonely or wants_sources) and reading.is_cited(prose, block):
            continue
        goes_on = block in listed_blocks and before is not None and not before.marker
        reading.enter(block, _indent(prose, block), goes_on=goes_on)
        for span in block_spans(prose, block):
            sentence = prose[span[0] : span[1]]
            if span[0] > block.start and not wants_sources and _is_source(sentence):
                continue
            if sentence.endswith((":", "：")) and not lonely:
                level = _indent(prose, block) if block.marker else -1
                reading.lead_ins.append((level, _usable_lead_in(sentence, reading)))
                reading.awaits = bool(_GOES_ON.search(sentence.rstrip(":：*_ ")))
                if not reading.lead_in():
                    candidates += _before_list(prose, span, reading, undivided=whole)
                continue
            item = block in listed_blocks or (after is None and not block.marker)
            has_list = not item and _has_beneath(prose, before, block, after)
            title = not item and _is_heading(sentence, block, has_list=has_list)
            asks = _QUESTION.search(sentence) or block.marker.startswith("#")
            if lonely or not (asks or (title and not reading.awaits)):
                candidates += _of_sentence(
                    prose, span, reading, lonely=lonely, undivided_wanted=whole
                )
            reading.awaits = False
    remaining = [
        statement
        for statement in candidates
        if not manners.is_chatter(statement.text) and not is_plain_refusal(statement.text)
    ]
    return sorted(remaining, key=lambda statement: statement.start)


def source_lists(answer: str, question: str = "") -> list[tuple[int, int]]:
    """Where an answer only names its sources: below "References", "[^1]: handbook.pdf"."""
    if manners.names_sources(question):
        return []
    reading = _Reading("")
    found = [(b.start, b.end) for b in blocks(answer) if reading.is_cited(answer, b)]
    return found if len(found) < len(blocks(answer)) else []


def _is_source(line: str) -> bool:
    """Whether a line or sentence only names a source."""
    return manners.is_source(line) and not _SAYS.search(line)


def is_clause(text: str) -> bool:
    """Whether a text, of however few words, says something by itself: not "it does not"."""
    if _ELLIPTIC.search(text):
        return False
    return not is_phrase(text) or bool(_STATES.search(text) or _BEGINS_WITH_PRONOUN.match(text))


def is_phrase(text: str) -> bool:
    """Whether a text is no statement but a few words that answer a question."""
    count = len(words(text))
    return count <= _PHRASE or (count <= _LONG_PHRASE and not _HAS_VERB.search(text))


def items(text: str, question: str) -> list[tuple[int, int]]:
    """Where the items of an answer stand that is no more than a list; [] for any other.

    "Salt and pepper" is one only where several things were asked for, "Paris, France" never; nor
    is what holds a figure, as a date does. Lines with markers are one if each is a phrase.
    """
    if marked := _marked_phrases(text):
        return marked
    if _DIGIT.search(text) or _HAS_VERB.search(text) or len(words(text)) > _LISTED:
        return []
    cuts = list(_BETWEEN.finditer(text))
    has_several = len(cuts) > 1 or bool(cuts and _MORE.search(question))
    if not has_several or not (_AND.search(cuts[-1][0]) or len(cuts) > 2):
        return []
    end = len(text.rstrip(" .!"))
    starts = [0, *(cut.end() for cut in cuts)]
    stops = [*(cut.start() for cut in cuts), end]
    spans = list(zip(starts, stops, strict=True))
    return spans if all(0 < len(text[a:b].split()) <= _ITEM for a, b in spans) else []


def _marked_phrases(text: str) -> list[tuple[int, int]]:
    """Where the items of a list with markers stand; [] unless there is nothing but phrases."""
    spans = []
    for block in blocks(text):
        line = text[block.start : block.end]
        if not block.marker.strip("#") or _SAID.search(line) or not is_phrase(line):
            return []
        spans.append((block.start, block.end))
    return spans


def _without_code_and_tables(answer: str) -> tuple[list[Statement], str]:
    """The rows of the answer's tables, and the answer with what is no prose left blank."""
    prose = without_tags(_CODE.sub(lambda code: "\n" * len(code.group()), answer))
    if not any(char.isalnum() for char in prose):
        return [], answer
    table_rows: list[Statement] = []
    for table in tables(prose):
        table_rows += [Statement(unit.text, unit.start, unit.end) for unit in table.units]
        blank = "\n" * (table.end - table.start)
        prose = f"{prose[: table.start]}{blank}{prose[table.end :]}"
    return table_rows, prose


def _of_sentence(
    answer: str, span: Span, reading: _Reading, *, lonely: bool, undivided_wanted: bool
) -> Iterator[Statement]:
    """The statements of one sentence."""
    label = _LABEL.match(answer, *span) or REPLY_LEAD.match(answer, *span)
    begin = label.end() if label and label.end() < span[1] else span[0]
    if _BARE.match(answer[slice(*span)]) and not lonely:
        return
    sentence = answer[begin : span[1]]
    lead_in = reading.lead_in()
    undivided = undivided_wanted or is_plain_refusal(clean(sentence))
    parts = [Part(sentence, 0, len(sentence))] if undivided else clauses.parts(sentence)
    if len(parts) > 1 and _with_lead_in(clean(sentence), sentence, lead_in) == clean(sentence):
        lead_in = ""
    for part in parts:
        start, end = begin + part.start, begin + part.end
        text = resolve(clean(part.text), reading.subject, alone=reading.alone)
        if not any(char.isalnum() for char in text):  # a citation mark alone
            continue
        yield Statement(_with_lead_in(text, answer[start:end], lead_in), start, end)
        reading.follow(text)


def _before_list(
    answer: str, span: Span, reading: _Reading, *, undivided: bool
) -> Iterator[Statement]:
    """What a sentence before a list states besides announcing it."""
    statement = statement_before_list(answer[slice(*span)])
    if statement:
        end = span[0] + len(statement)
        yield from _of_sentence(
            answer, (span[0], end), reading, lonely=False, undivided_wanted=undivided
        )


def _is_heading(sentence: str, block: Block, *, has_list: bool) -> bool:
    """Whether it is no more than a title; `has_list`: whether a list hangs on its block."""
    count = len(sentence.split())
    is_title = _is_bold(sentence)
    # "**Key points**": of a bold title most words on -s and -ed are none of its verbs.
    verb = _STATES if is_title and count <= _NOUN_PHRASE else _HAS_VERB
    if count > _SHORT_ITEM or verb.search(sentence) or sentence[0] in _DENIED:
        return False
    if block.marker:
        return is_title and has_list
    return is_title or (sentence[-1:].isalnum() and not _KEY_AND_VALUE.match(sentence))


def _listed_blocks(text: str, text_blocks: list[Block]) -> set[Block]:
    """The items of lists without markers: short lines after each other, with no text beneath."""
    listed_blocks: set[Block] = set()
    run: list[Block] = []
    for block, after in zip(text_blocks, [*text_blocks[1:], None], strict=False):
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
            listed_blocks.update(run[-3:])
        elif _counts_on(text, block, after):
            listed_blocks.add(block)
    return listed_blocks


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
    return bool(this and following and this["label"] == following["label"])


def _has_beneath(text: str, before: Block | None, block: Block, after: Block | None) -> bool:
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
    text = clean(sentence).rstrip(":：").rstrip()
    announcement = HERE_ARE.fullmatch(text)
    if announcement and not GENERAL.search(announcement["listed"]):
        return f"{announcement['listed'][:1].upper()}{announcement['listed'][1:]}:"
    general = GENERAL.search(" ".join(text.split()[-3:])) and not _BEFORE_CLAUSE.search(text)
    if LEAD_IN.search(text) or general:
        return ""
    if _STATES.search(text) or _GOES_ON.search(text):
        text = resolve(text, reading.subject, alone=reading.alone)
        return text if _GOES_ON.search(text) else f"{text}:"
    short = len(text.split()) <= _SHORT_ITEM and not GENERAL.search(text)
    return f"{text}:" if short else ""


def _with_lead_in(text: str, original: str, lead_in: str) -> str:
    """An item with what it completes, unless it stands for itself."""
    if not lead_in or ":" in text or len(text.split()) > _LONG_ITEM:
        return text
    small = next((char for char in original if char.isalnum()), "").islower()
    before = _BEFORE_CLAUSE.search(lead_in)
    if small and _PREDICATE.match(text):  # "The drug: may cause pain"
        lead_in = lead_in.rstrip(":")
    elif not (before and (small or before["condition"])):  # "if:" and "You have a fever"
        goes_on = small and not lead_in.endswith(":")
        ended = text.endswith((".", "!", "。")) and len(text.split()) > 2
        if (ended and not goes_on) or _STATES.search(text):
            return text
    return f"{lead_in} {text[:1].lower() if small else text[:1]}{text[1:]}"


def _indent(text: str, block: Block) -> int:
    line = text[text.rfind("\n", 0, block.start) + 1 : block.start]
    return len(line) - len(line.lstrip())
