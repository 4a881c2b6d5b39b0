"""Splitting a text into paragraphs, list items and sentences.

Spans are exact, ordered and never overlap: `text[start:end]` is the sentence. One list of
abbreviations serves all languages: what is one in one is seldom the last word in another.
"""

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from assay._text.expressions import expression

# ruff: noqa: SIM905 - word lists read better as prose

# Never end a sentence: something always follows them.
TITLES = frozenset(
    "mr mrs ms dr prof st rev hon gen col sgt capt lt cmdr adm gov sen rep pres messrs mt ft "
    "fig figs eq eqs sec ch vol vols no nos pp ed eds cf e.g i.e eg ie vs v approx ca al "
    "dept "
    # Hindi
    "डॉ "
    # German
    "z.b d.h u.a i.d.r nr vgl abb bzw ggf evtl inkl exkl zzgl sog bspw dipl hrsg hl insb "
    # French
    "mme mlle p.ex c.-à-d env "
    # Spanish and Portuguese
    "ee sra srta dra dña p.ej núm pág págs aprox avda lic gral exmo "
    # Italian
    "sig sig.ra dott dott.ssa avv pag pagg p.es "
    # Dutch, Polish, Czech, Russian
    "dhr mevr bijv d.w.z drs np tzn tzv např m.in mgr inż ул им т.е см".split()
)
# May end a sentence: only if a word follows that commonly begins one.
ABBREVIATIONS = frozenset(
    "jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "inc ltd co corp bros llc plc jr sr ph.d m.d b.a m.a b.sc m.sc etc est min max hr hrs sq "
    "u.s u.k u.n u.s.a e.u d.c a.m p.m a.d b.c ave blvd rd av univ assn intl govt "
    # Of courts and their rules
    "civ proc supp cir crim evid cal "
    # German
    "abt usw u.s.w etc.pp mio mrd jh jhd chr geb gest str tel bd einschl ausschl usf u.ä o.ä "
    # French, Spanish, Portuguese, Italian
    "av j.-c éd mm ste s.a s.l ud uds ee.uu uu a.c d.c ecc s.p.a s.r.l séc tél "
    # Dutch, Polish, Czech, Russian
    "enz blz o.a itd itp atd руб млн тыс млрд др т.д т.п".split()
)
# Go on only before a number.
BEFORE_NUMBERS = frozenset("art chap cap abs op".split())
_ENGLISH = (
    "a an the this that these those it its he she we they i you his her their our my in on at by "
    "for from with as if when while after before since because although though however but and so "
    "also there here then thus therefore moreover furthermore additionally other some many most "
    "all both each no not what who how why where overall finally first second third"
)
_GERMAN = (
    "der die das ein eine er sie es wir ihr ich sein seine ihre dieser diese dieses im am auf "
    "bei mit nach seit für von zu aus um durch als wenn weil da dann danach daher deshalb doch "
    "aber und oder auch nur so später heute dort hier viele alle einige man sein zudem außerdem"
)
_ROMANCE = (
    "il elle ils elles nous vous ce cette ces cet un une des dans sur avec pour par après avant "
    "puis mais ainsi aussi alors on c'est "
    "él ella ellos ellas esto esta este estos estas una unos en con para por tras después luego "
    "pero también así su sus "
    "lui lei loro questo questa questi queste gli nel nella con dopo poi ma anche così suo "
    "ele ela eles elas isto isso uma em com depois mas também"
)
_OTHERS = (
    "het een hij zij ze wij dit deze dat de en maar toen daarna "
    "ona oni ale jednak "
    "он она они оно это эта этот эти в на но и а по его её с к у из за для также кроме после "
    "однако затем тогда"
)
STARTERS = frozenset(f"{_ENGLISH} {_GERMAN} {_ROMANCE} {_OTHERS}".split())
# Months whose names follow a day with a full stop, and what stands before an ordinal in German.
MONTHS = frozenset(
    "januar jänner februar märz april mai juni juli august september oktober november dezember "
    "jan feb mär apr jun jul aug sep sept okt nov dez".split()
)
ENGLISH_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb "
    "mar apr jun jul aug sep sept oct nov dec".split()
)
BEFORE_ORDINALS = frozenset(
    "der dem den des das im vom zum zur beim ins dieser diesem diesen jeder jedem ihr ihrem ihren "
    "ihrer sein seinem seinen seiner ihre seine am die bis".split()
)
# Also words of English: they count only beside one that is not.
AMBIGUOUS = frozenset({"am", "die", "bis"})
GERMAN = frozenset(
    "der das und ist wurde wurden im den dem des ein eine einen nicht mit von auf für sich er "
    "sie es zum zur vom seit nach".split()
)


Span = tuple[int, int]


class Block(NamedTuple):
    """Lines that belong together: a paragraph, a list item, a heading."""

    start: int  # after the marker
    end: int
    marker: str  # "-", "1.", "##"; "" for plain text


_LINE = expression(r"[^\r\n\x0b\x0c\x85\u2028\u2029]+")
# "(951) 777-3147" is a telephone number and no item 951.
_ITEM = r"(?!\(\d{3}\)\s\d{3}[-. ]?\d{4}\b)\(?\d{1,3}[.)]"
# What says yes or counts is a bullet; "❌" takes something of its line back, and so is a word.
_PICTURE = "[✅✔☑✓➡➤➔►▶▸👉🔹🔸🔷🔶📌●○■□◆◇]\ufe0f?|\\d\ufe0f?\u20e3"
_MARKER = expression(
    rf"\s*((?:[-*•·▪◦‣–—+]|{_ITEM}|\(?[A-Za-z]\)|#{{1,6}}|>(?!\s+\d)|{_PICTURE})\s+"
    r"|[・①-⑳]\s*|\d{1,2}、)*"
)
_FINISHED = expression(r"[.!?:;。！？：；…।۔؟|][\"'”’“»)\]*_」』]*\s*$")
_UNFINISHED = expression(
    r"(?:,|\b(?:the|an?|of|in|on|at|by|to|for|from|with|and|or|that|der|das|den|dem|des|eine?|und|"
    r"von|mit|für|im|am|le|la|les|du|des|une?|et|el|los|las|il|gli|di|del|della))\s*$"
)
_BEFORE_FIGURE = expression(r"\b(?:is|are|was|were|than|about|some)\s*$")
_TAIL = 80  # characters of a line that say whether it is finished
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60"
_STOP = expression(
    rf"(?P<cjk>(?:[。！？｡।॥።။។]|(?<=[{_CJK}])[!?](?=[{_CJK}]))+[」』”’）】》〉]*)"
    r"|(?<![.!?…؟۔։])(?P<stop>[.!?…؟۔։]++)"
    r"(?P<close>(?:[\"'”’»)\]*_]|[“‘](?=\s|$)|[ \u00a0\u202f]»"
    # The mark of a source: "[1, 2]", "[^1]", "[doc1]", "【1†source】", "¹".
    r"|\[(?:\^|[a-z]{3,8}\s?:?\s?)?\d{1,3}(?:\s?[-–,;]\s?\d{1,3})*\^?\]|【[^【】\n]{1,30}】"
    r"|[¹²³⁰⁴-⁹]{1,3})*+)(?=\s|$)"
    # No blank after the full stop: "record.The", but not "example.com" or "Node.js".
    r"|(?:(?<=[a-z0-9)][a-z)][a-z)])|(?<=\s[12]\d\d\d))(?P<glued>\.)(?=[A-Z][a-z]+[ ,'’]|(?:A|I)\s)"
)
# What every stop begins with. A set is searched for many times as fast as what looks behind.
_STOP_SIGN = expression(r"[.!?…؟۔։。！？｡।॥።။]")
# A full stop after a word that is no abbreviation and before a capital: most ends are such.
_LETTERS = 5
_PLAIN_END = expression(rf"(?<=[a-z]{{{_LETTERS}}})\.(?=\s+[A-Z])")
_ABBREVIATED = {word[-_LETTERS:] for word in TITLES | ABBREVIATIONS | BEFORE_NUMBERS}
# Looked for from the beginnings of words only.
_LAST_WORD = expression(r"(?<![^\s(\[\"“‘„«])[^\s(\[\"“‘„«]++$")
_ELISION = expression(r"^(?:[LlDd]|dell|all)['’]")
_NEXT = expression(r"\s*[\"'“‘„‚(\[*_«¿¡]*\s*(\S?)([^\W\d_]*)")
# What is said within Japanese quotation marks belongs to the sentence around them.
_QUOTED = expression(r"[「『（][^「『（」』）]{0,300}[」』）]")
_GOES_ON = expression(r"[とっはがをのもにで、，]")
_NUMBERED = expression(r"\s*\d+(?![.\d])")
_ROMAN = expression(r"[IVX]{1,6}")
_NEAR = 200  # characters before an ordinal in which German shows, or around a bracket
_SHORT = 4  # letters; no more with a capital and in brackets, as "Civ.", are an abbreviation
_ALNUM = expression(r"[^\W_]")
_TO_CAPITAL = expression(r"(?s:.*)[A-Z]")
_INITIAL = expression(r"\s+[^\W\d_]\.")


def spans(text: str) -> list[Span]:
    """The span of every sentence of `text`, in order."""
    return [span for block in blocks(text) for span in block_spans(text, block)]


def sentences(text: str) -> list[str]:
    """The sentences of `text`, each exactly as it stands there."""
    return [text[start:end] for start, end in spans(text)]


def blocks(text: str) -> list[Block]:
    """Paragraphs, list items and headings; hard-wrapped lines are joined again."""
    joined: list[Block] = []
    previous_end = -1
    for line in _LINE.finditer(text):
        if line.group().isspace():
            continue
        marked = _MARKER.match(text, line.start(), line.end())
        start = marked.end() if marked else line.start()
        marker = marked.group().strip() if marked else ""
        if start >= line.end():
            continue
        adjacent = joined and text.count("\n", previous_end, line.start()) <= 1
        before = (
            text[max(joined[-1].start, previous_end - _TAIL) : previous_end] if adjacent else ""
        )
        if _is_figure(marker, before, joined):
            start, marker = line.start(), ""
        if adjacent and not marker and _continues(before, text[start : line.end()].lstrip()):
            joined[-1] = joined[-1]._replace(end=line.end())
        else:
            joined.append(Block(start, line.end(), marker))
        previous_end = line.start() + len(line.group().rstrip())
    return joined


def block_spans(text: str, block: Block) -> list[Span]:
    """The span of every sentence of one block."""
    cuts = [block.start]
    quoted = deque(match.span() for match in _QUOTED.finditer(text, block.start, block.end))
    capital = _last_capital(text, block)
    for stop in _stops(text, block):
        if not stop.re.groups:  # of `_PLAIN_END`
            cuts.append(stop.end())
            continue
        if stop["cjk"]:
            while quoted and quoted[0][1] < stop.end():
                quoted.popleft()
            if quoted and quoted[0][0] < stop.start() and not _ends_quoted(text, stop, quoted[0]):
                continue
        if stop["stop"] is None or _ends_sentence(text, (cuts[-1], block.end), stop, capital):
            cuts.append(_end_after(text, cuts[-1], stop))
    cuts.append(block.end)
    trimmed = (_trim(text, start, end) for start, end in pairwise(cuts))
    return [span for span in trimmed if span]


def _stops(text: str, block: Block) -> Iterator[re.Match[str]]:
    """As `_STOP.finditer`; what is plainly the end of a sentence, as a match of `_PLAIN_END`."""
    sign = _STOP_SIGN.search(text, block.start, block.end)
    while sign:
        position = sign.start()
        stop = _PLAIN_END.match(text, position, block.end)
        if not stop or text[position - _LETTERS : position] in _ABBREVIATED:
            stop = _STOP.match(text, position, block.end)
        if stop:
            yield stop
        sign = _STOP_SIGN.search(text, (stop or sign).end(), block.end)


def _end_after(text: str, begin: int, stop: re.Match[str]) -> int:
    """Where a sentence ends; a French quotation mark after a blank is its own if it was opened."""
    if (stop["close"] or "")[-2:-1].isspace() and "«" not in text[begin : stop.start()]:
        return stop.end("stop")
    return stop.end()


def _last_capital(text: str, block: Block) -> int:
    """Where the last capital of a block stands; in a text without any a full stop means more."""
    if text.isascii():
        last = _TO_CAPITAL.match(text, block.start, block.end)
        return last.end() - 1 if last else -1
    return next((i for i in range(block.end - 1, block.start - 1, -1) if text[i].isupper()), -1)


def _ends_quoted(text: str, stop: re.Match[str], quoted: Span) -> bool:
    """Whether a stop within quotation marks ends the sentence around them too."""
    return stop.end() == quoted[1] and not _GOES_ON.match(text, stop.end())


def _continues(line: str, following: str) -> bool:
    """Whether the `following` line goes on with the sentence of `line`."""
    if _FINISHED.search(line):
        return False
    if following[:1].islower() or _UNFINISHED.search(line):
        return True
    return following[:1].isdigit() and bool(_BEFORE_FIGURE.search(line))


def _is_figure(marker: str, line: str, before: list[Block]) -> bool:
    """Whether what looks like the number of a list item ends the sentence of the `line` before.

    "The fee rose to" and on the next line "45. The cap stayed."
    """
    if not re.fullmatch(r"\d+[.)]", marker):
        return False
    number = int(marker[:-1])
    counted = number == 1 or (before[-1:] and before[-1].marker.strip("().") == str(number - 1))
    return not counted and bool(_UNFINISHED.search(line) or _BEFORE_FIGURE.search(line))


def _trim(text: str, start: int, end: int) -> Span | None:
    if not _ALNUM.search(text, start, end):
        return None
    piece = text[start:end]
    stripped = piece.lstrip()
    return end - len(stripped), end - len(piece) + len(piece.rstrip())


def _ends_sentence(text: str, bounds: Span, stop: re.Match[str], capital: int) -> bool:
    """Whether a stop that is followed by white space ends the sentence that begins at `bounds`."""
    following = _NEXT.match(text, stop.end(), bounds[1])
    if following is None or not following[1]:
        return True
    lower = following[1].islower()
    if stop["stop"] != ".":
        pause = "..." in stop["stop"] or "…" in stop["stop"] or stop["close"]
        return not (lower and pause)  # "Why?" he asked. And: wait ... what
    return _full_stop_ends(text, bounds[0], stop, following, capitals=capital >= bounds[0])


def _full_stop_ends(
    text: str, begin: int, stop: re.Match[str], following: re.Match[str], *, capitals: bool
) -> bool:
    """The same for a single full stop, which abbreviations and numbers have too."""
    last = _LAST_WORD.search(text[max(begin, stop.start() - 40) : stop.start()])
    token = _ELISION.sub("", last.group()) if last else ""
    word = token.lower()
    if word in BEFORE_NUMBERS and _NUMBERED.match(text, stop.end()):
        return False
    if word in TITLES and not stop["close"]:
        return word == "no" and _says_no(text, begin, stop, following)
    if following[1].islower() and capitals:
        abbreviation = word in ABBREVIATIONS or _ROMAN.fullmatch(token)
        return len(word) > _SHORT and word.isalpha() and not abbreviation
    follows = (following[1] + following[2]).lower()
    if word.isdigit() or (len(word) > 1 and _ROMAN.fullmatch(token)):
        before = text[max(begin, stop.start() - _NEAR) : stop.start()]
        return not (_is_item(before, word) or _is_ordinal(before, follows))
    if len(word) <= _SHORT and token.istitle() and _INITIAL.match(text, stop.end()):
        return False  # "A. A. Milne"
    shortened = word in ABBREVIATIONS or _is_initial(word)
    if not shortened and len(word) <= _SHORT and token.istitle():
        shortened = _in_brackets(text, begin, stop)
    return follows in STARTERS or not shortened


def _says_no(text: str, begin: int, stop: re.Match[str], following: re.Match[str]) -> bool:
    """Whether "no." denies; before a figure ("no. 5", "no. JD01") it counts."""
    if following[1].isdigit() or text[following.end() : following.end() + 1].isdigit():
        return False
    first = begin >= stop.start() - len("no")
    word = following[1] + following[2]
    return not first or ((len(word) > 2 or word.lower() in STARTERS) and not _ROMAN.fullmatch(word))


def _in_brackets(text: str, begin: int, stop: re.Match[str]) -> bool:
    """Whether a stop stands between an opening bracket and the one that closes it."""
    since = max(begin, stop.start() - _NEAR)
    opened = text.rfind("(", since, stop.start()) > text.rfind(")", since, stop.start())
    return opened and text.find(")", stop.end(), stop.end() + _NEAR) >= 0


def _is_item(before: str, number: str) -> bool:
    """Whether a number counts steps: "1. Open it", "Steps: 1. Open it"."""
    text_before = before.removesuffix(number).rstrip()
    return number.isdigit() and len(number) < 3 and (not text_before or text_before.endswith(":"))


def _is_ordinal(before: str, follows: str) -> bool:
    """Whether the full stop after a number makes an ordinal of it: "am 3. Mai", "im 2. Stock"."""
    *words, number = before.lower().split()
    previous = words[-1] if words else ""
    if number.isdigit() and follows in MONTHS and int(number) <= 31:
        return previous not in ENGLISH_MONTHS  # "on July 3. August was hot"
    if follows in STARTERS or len(number) > 6:
        return False
    german = GERMAN.intersection(words)
    if not number.isdigit():
        return len(german) > 1 or bool(german and len(words) < 6)
    return previous in BEFORE_ORDINALS and (previous not in AMBIGUOUS or bool(german))


def _is_initial(word: str) -> bool:
    return len(word) < 8 and all(
        len(letter) == 1 and letter.isalpha() for letter in word.split(".")
    )
