"""Text without citations, Markdown and HTML."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from assay._text.expressions import expression

Span: TypeAlias = tuple[int, int]

_AND = r"(?:and|or|&)\s+"
# No two ways to read the same blanks: a long run of them takes no longer than its length.
_MORE = rf"\s*(?:[,;]\s*(?:{_AND})?|{_AND}|[-–]\s*)\d{{1,3}}"
_LIST = rf"\d{{1,3}}(?:{_MORE})*"
# Texts that were retrieved and items of the answer's own list. An article, a section, a part and
# an option are things of the world: with another number the statement is another one.
_POINTER = (
    r"(?:passages?|contexts?|documents?|sources?|references?|excerpts?|"
    rf"steps?|methods?|points?|items?)\s+#?{_LIST}\b"
)
# In other languages.
_ELSEWHERE = (
    r"quellen?|dokumente?|kontexte?|textes?|contextes?|fuentes?|documentos?|contextos?|font[ei]s?|"
    r"document[io]|bron|bronnen|documenten"
)
# Numbers in brackets that are content: "the scale is [1-5]", "choose [1] for yes and [2] for no",
# "lies in [2,5]", "a[1]". But "as shown in [2,5]" and "according to [1]" name sources.
_CONTENT = (
    r"\b(?:is|are|was|were|equals?|between|within|ranges?|intervals?|choose|press|select|enter|type|"
    rf"use)\s+(?:of\s+)?\[{_LIST}\](?:[^.\[\]\n]{{1,40}}\b(?:and|or)\s+\[{_LIST}\])*"
    rf"|(?<!(?:ed|wn|en|nd)\s)\b(?-i:in)\s+\[\d{{1,3}}(?:{_MORE})+\]"
    r"|\b(?-i:[a-z])\[\d{1,3}\]"
)
# No mark is a list that begins with 0, as "[0,1]" does.
_NO_INTERVAL = r"(?!0\s*[,;–-])"
_PLACE = rf"(?:pp?\.|pages?|sections?|sec\.|§|lines?|paragraphs?)\s*{_LIST}"
_MARK = (
    rf"\[{_NO_INTERVAL}(?:\^|(?:citation|cite|source|ref|doc)s?\s?:?\s?)?{_LIST}"
    rf"(?:\^|,\s?{_PLACE})?\]"
)
_URL = r"\((?:https?://|[/#.])[^()\s]{0,500}\)"
# A mark that is a link, "[Source](https://a.example)", in brackets or not.
_LINKED = rf"(?:{_MARK}|\[{_MARK}\]|\[(?:citation|source|reference|ref)s?\]){_URL}"
_BRACKETS = expression(
    rf"(?P<content>{_CONTENT})(?!{_URL})"
    rf"|(?<!\s)\s*+(?:\({_LINKED}\)|{_LINKED}|\({_MARK}(?:[,;]?\s?{_MARK}){{0,9}}\)|{_MARK}|【[^【】\n]{{1,30}}】)",
    re.IGNORECASE,
)
# A mark of numbers alone.
_NUMBERED = expression(rf"\[{_NO_INTERVAL}{_LIST}\]", re.IGNORECASE)
# What a mark of any kind lists: of "[2, 4-5]", "[^2]", "【2†source】", "(Source 2, p. 9)"; but in
# "【4:0†source】" no number is that of a retrieved text.
_LISTED = expression(
    r"(?:^\W*|\[\^?|\b(?:passages?|contexts?|documents?|sources?|references?|excerpts?|chunks?|"
    rf"snippets?|docs?|refs?|citations?|cite|{_ELSEWHERE})\s?:?\s?#?)({_LIST})(?!\d|\s?:)",
    re.IGNORECASE,
)
# They point into the answer itself, or to where begins what is cited.
_NOWHERE = expression(
    r"\W*(?:see\s+)?(?:steps?|methods?|points?|items?|cite_start)\b", re.IGNORECASE
)
_RAISED_FIGURES = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# "It is still in use [1]." has the words of what is said, and cites all the same.
_LAST = expression(
    rf"(?:\w+\s+\[\d{{1,3}}\]|(?:use|type)\s+\[{_LIST}\])(?=\s*(?:[.,;:!?)\[]|$))", re.MULTILINE
)
_PART = rf"(?:{_POINTER}|(?:docs?|chunks?|snippets?|{_ELSEWHERE})\s+#?{_LIST}\b)"
_FILE = r"[\w. -]{1,80}\.(?:pdf|docx?|pptx?|xlsx?|html?|txt|md)"
_ORIGIN = r"(?:sources?|references?|refs?|citations?):\s"
# "(Passage 2)", "(Document 2, p. 4)", "(handbook.pdf, p. 12)", "(Source: the handbook)".
_IN_BRACKETS = expression(
    r"\[cite_start\]|(?<!\s)\s*+(?:"
    rf"[(\[]\s*+(?:see\s+)?(?:{_PART}(?:(?:[,;]|\sand)\s+(?:{_PART}|{_PLACE}))*"
    rf"|{_FILE},?\s{_PLACE})\s?[)\]]"
    rf"|\({_ORIGIN}[^()\n]{{1,200}}\)"
    rf"|\[(?:{_ORIGIN}[^\[\]\n]{{1,200}}|{_FILE}(?:\#\w+=\d+)?|cite(?:_end)?)\](?!\()"
    ")",
    re.IGNORECASE,
)
_POINTERS = expression(rf"\b{_POINTER}", re.IGNORECASE)
# "Based on the given passages, " and "according to the information provided, ".
_LEAD = expression(
    r"\W*(?:based (?:up)?on|according to|as (?:stated|mentioned|described|noted|given) in)"
    r"(?: (?:all|the|these|this|your|our|provided|given|above|following|information|in|from|of))*"
    r" (?:passages?|contexts?|documents?|sources?|excerpts?|texts?|information|data)"
    rf"(?: (?:provided|given|above)| #?(?P<numbers>{_LIST}))?,\s+",
    re.IGNORECASE,
)
# The sign of a number that comes first stays: "-15", "$5".
_MARKER = expression(r"^(?:[^\w$€£¥<>≤≥±+−–-]|[-–+]\s)*(?:\(?\d{1,2}[.)]\s+)?")
_LABEL = expression(rf"\W*{_POINTER}:\s+", re.IGNORECASE)
# "years of age¹.", but "5 cm²", "miles²", "10⁶", "(a+b)²", "sin²(x)" and "speed² × mass".
_NO_POWER = (
    r"(?<!sec)(?<!foot)(?<!feet)(?<!inch)(?<!inches)(?<!mile)(?<!miles)(?<!yard)(?<!yards)"
    r"(?<!met[er][er])(?<!met[er][er]s)(?<!acre)(?<!acres)(?<!sin)(?<!cos)(?<!tan)(?<!log)"
)
_RAISED = expression(
    rf"(?:(?<=[a-z]{{3}}){_NO_POWER}|(?<=[a-z]{{3}}\))|(?<=[.,;:!?”]))"
    r"[¹²³⁰⁴-⁹]+(?:[,⁻–][¹²³⁰⁴-⁹]+)*(?!\w|\s?[=+×·*/^−])"
)


def _may_cite(text: str) -> bool:
    """Whether there is a bracket or a raised figure; most sentences have none, at no cost."""
    return not text.isascii() or "[" in text or "(" in text


def without_citations(text: str) -> str:
    """`text` without "[1]", "(Passage 2)", "(Source: handbook)", "¹"; nothing else is touched."""
    if not _may_cite(text):
        return text
    marked = _IN_BRACKETS.sub("", _BRACKETS.sub(lambda mark: mark["content"] or "", text))
    return marked if "=" in marked else _RAISED.sub("", marked)


def citations(text: str) -> list[tuple[Span, list[str]]]:
    """Where each mark stands, and what it lists: "1" of "[1]", "2, 4-5" of "(Sources 2, 4-5)".

    One that tells a source in another way lists nothing: "【4:0†source】", "(handbook.pdf, p. 3)".
    """
    lead = _LEAD.match(text)  # "According to Sources 2 and 4, "
    cited_first = [((0, lead.end()), [lead["numbers"]])] if lead and lead["numbers"] else []
    last = [match.span() for match in _BRACKETS.finditer(text) if match["content"]]
    last = [(text.index("[", start), end) for start, end in last if _LAST.match(text, start)]
    marks = [(span, text[slice(*span)]) for span in _apart([*_citation_spans(text), *last])]
    return cited_first + [
        (span, [match[1] for match in _LISTED.finditer(plain)])
        for span, mark in marks
        if not _NOWHERE.match(mark)
        and (plain := mark.partition("](")[0].strip().translate(_RAISED_FIGURES))
    ]


def without_lead(text: str) -> str:
    """The same, and without what leads into the sentence.

    That is a number, as in "3. Open it" and "Step 3: Open it", and "Based on the given passages, ".
    """
    unmarked = _MARKER.sub("", without_citations(text))
    lead = _LEAD.match(unmarked) or _LABEL.match(unmarked)
    return _MARKER.sub("", unmarked[lead.end() :]) if lead else unmarked


def without_pointers(text: str) -> str:
    """The same, and without "Passage 2" and "step 4" in the sentence."""
    return _MARKER.sub("", _POINTERS.sub("", without_lead(text)))


# Between two letters or digits it is none: "2**64".
_MARKUP = expression(
    r"(?<![A-Za-z0-9])(?:\*\*|__)(?=\S)|(?<=\S)(?:\*\*|__)(?![A-Za-z0-9])|`(?=\S)|(?<=\S)`"
)
_ITALIC = expression(r"(?<![\w*\\])\*(?=[^\s*])(?P<content>[^*\n]{1,200})(?<=\S)\*(?![\w*])")
_LINK = expression(
    r"(?<!!)\[(?P<content>[^\[\]\n]{1,200})\]\((?:https?://|mailto:|[/#.])[^()\s]{0,500}\)"
)
_WRITTEN_SMALL = expression(r"[a-z]++[A-Z_\d(=]")
# What tags left between a word and its comma.
_GAP = expression(r"(?<=\w)\s{3,}(?=[.,;:!?)])")
# "- ", "### ", "1. " at the beginning.
_BULLET = expression(r"\s*(?:(?:[-*•‣]|#{1,6}|\d{1,2}[.)])\s+)+(?=\S)")


def says_nothing(text: str) -> bool:
    """Whether it is nothing but marks: "**", "[1]"."""
    left = text
    for start, end in reversed(marks(text)):
        left = f"{left[:start]} {left[end:]}"
    return not any(map(str.isalnum, _NUMBERED.sub(" ", left)))


def marks(text: str) -> list[Span]:
    """Where its mark-up and its citation marks stand, in order and apart from each other."""
    spans: list[Span] = [match.span() for match in _MARKUP.finditer(text)]
    for match in _ITALIC.finditer(text):
        spans += [(match.start(), match.start() + 1), (match.end() - 1, match.end())]
    spans += _citation_spans(text)
    if bullet := _BULLET.match(text):
        spans.append(bullet.span())
    return _apart(spans)


def _citation_spans(text: str) -> list[Span]:
    if not _may_cite(text):
        return []
    spans = [match.span() for match in _IN_BRACKETS.finditer(text)]
    spans += [match.span() for match in _BRACKETS.finditer(text) if not match["content"]]
    return spans + ([match.span() for match in _RAISED.finditer(text)] if "=" not in text else [])


def _apart(spans: Iterable[Span]) -> list[Span]:
    """In order, without what is empty or begins within one before."""
    separate: list[Span] = []
    for start, end in sorted(spans):
        if start < end and (not separate or start >= separate[-1][1]):
            separate.append((start, end))
    return separate


def lead_end(text: str) -> int:
    """Where "According to the passages, " ends, or what else leads into a sentence; else 0."""
    lead = _LEAD.match(text)
    return lead.end() if lead else 0


# What joins an item with the next one: "cleaning; and".
_JOINT_END = expression(r"\s?(?:[;；]|[,;]?\s(?:and/or|and|or))$")


def clean(text: str) -> str:
    """Without mark-up and citation marks, on one line, with a capital at the beginning."""
    if "*" in text or "_" in text or "`" in text:  # none is in most, and to look behind is slow
        unmarked = _GAP.sub("", without_citations(_MARKUP.sub("", text)))
        unmarked = _ITALIC.sub(r"\g<content>", unmarked)
    else:
        unmarked = _GAP.sub("", without_citations(text))
    unmarked = _LINK.sub(r"\g<content>", unmarked) if "[" in unmarked else unmarked
    plain = " ".join(unmarked.split())
    if plain.endswith((";", "；", "and", "or")):  # else every blank would be looked at
        plain = _JOINT_END.sub("", plain)
    # "iPhone", "max_delay" and "find()" are written small.
    name = _WRITTEN_SMALL.match(plain)
    return plain if name else plain[:1].upper() + plain[1:]


# Those of prose, and those by which models are asked to mark their answer and its sources.
_INLINE = (
    "a|abbr|answer|b|citation|cite|code|em|final_answer|font|i|mark|response|small|source|span|"
    "strong|sub|sup|u"
)
_APART = (
    "article|blockquote|body|br|dd|div|dl|dt|h[1-6]|head|hr|html|main|ol|p|section|table|tbody|"
    "thead|tr|ul"
)
_AMID = r"(?!(?<=[a-z,]\s)<\w+>(?:\s[a-z]|[.,;:]))"  # the words of a sentence
_TAG = expression(
    rf"(?<!`){_AMID}<(?P<close>/?)(?:(?P<inline>{_INLINE})|(?P<item>li)|(?P<cell>td|th)|(?P<apart>{_APART}))"
    r"(?:\s[^<>=]{1,100}=[^<>]{0,500})?\s?/?>(?!`|\s(?:tag|element)s?\b)|(?P<blank>&nbsp;)",
    re.IGNORECASE,
)
_CLOSED = expression(rf"</({_INLINE})>", re.IGNORECASE)
# The line breaks of a row that is written cell by cell.
_IN_ROW = expression(
    r"(?:(?<=</td>)|(?<=</th>)|(?<=<tr>))\s{1,80}(?=<t[dh]\b)|(?<=</td>)\s{1,80}(?=</tr>)"
    r"|(?<=</th>)\s{1,80}(?=</tr>)",
    re.IGNORECASE,
)
# Names of columns: cells of a head and no others. A rule takes the place of the tag behind them.
_HEAD_ROW = expression(
    r"(?P<row><tr[^<>]{0,200}>(?:\s{0,20}<th[^<>]{0,200}>[^<>]{0,200}</th>){2,40}\s{0,20})</tr>",
    re.IGNORECASE,
)


# As in m², CO₂, and the marks of sources: in brackets, or after the end of a sentence.
_SCRIPT = expression(
    r"(?P<ends>(?<=[.,;:!?]))?<(?P<kind>sup|sub)>(?P<content>\[?[\w+−–-]{1,10}\]?)</(?P=kind)>",
    re.IGNORECASE | re.ASCII,
)
_SUPERSCRIPT = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def without_tags(text: str) -> str:
    """The text with blanks for its tags, as long as it was.

    What tags keep apart stands in lines of its own: items with a dash, cells between bars.
    """
    if "<" not in text and "&nbsp;" not in text:
        return text
    text = _IN_ROW.sub(lambda blank: " " * len(blank.group()), _SCRIPT.sub(_beside_word, text))
    text = _HEAD_ROW.sub(r"\g<row>\n|-|\n", text)
    closed = {name.lower() for name in _CLOSED.findall(text)}

    def read(tag: re.Match[str]) -> str:
        inline = tag["inline"]
        return tag.group() if inline and inline.lower() not in closed else _blank(tag)

    return _TAG.sub(read, text)


def _beside_word(script: re.Match[str]) -> str:
    """What stands raised or lowered, at once behind its word; nothing for the mark of a source."""
    content, raised = script["content"], script["kind"].lower() == "sup"
    if raised and (content.startswith("[") or script["ends"] is not None):
        content = ""
    return (content.translate(_SUPERSCRIPT) if raised else content).ljust(len(script.group()))


def _blank(tag: re.Match[str]) -> str:
    size = len(tag.group())
    if tag["item"] and not tag["close"]:
        return "\n" + "- ".ljust(size - 1)
    if tag["cell"]:
        return (" " if tag["close"] else "|").ljust(size)
    return (" " if tag["inline"] or tag["blank"] else "\n") * size
