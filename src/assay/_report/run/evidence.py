"""A sample as it is shown: its texts, its scores, its turns, and the evidence behind them."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

import msgspec

from assay._report import labels, numbers, tables
from assay.score import Part

Json = Mapping[str, Any]
Range = tuple[int, int]
# Half a thousand characters of base64 without a break: the store keeps them, a page need not.
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/=]{500,}")
_UNSCORED: Final = {
    "failed": "\N{BALLOT X} failed",
    "undefined": "undef.",
    "unanswered": "\N{BALLOT X} no answer",
}
_EXACT: Final = "!"  # owns the words that nothing supports; no reference of evidence
# Which text the spans of a kind of evidence point into; those of a sentence point into a context.
_SPANS_INTO: Final = {
    "statement": "answer",
    "answer": "answer",
    "quotation": "answer",
    "answer sentence": "answer",
    "citation": "answer",
    "reference statement": "reference",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of a text that the same pieces of evidence speak about."""

    text: str  # the characters
    owners: tuple[str, ...]  # who speaks about them; empty where nobody does


@dataclass(frozen=True, slots=True)
class Mark:
    """A run of text, its tone, and the references of the evidence that speaks about it.

    `exact` runs are the very words that a judge found no support for, within a longer statement.
    The tone "mixed" is of words from which several statements were taken that are judged apart.
    `tones` has a tone for each reference where these differ: metrics may disagree about the same
    words, and where one of them is looked at only its own tone counts.
    """

    text: str
    tone: str = ""
    refs: str = ""
    exact: bool = False
    tones: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One score in the overview: whose, what it reads, how it looks, what a screen reader says."""

    name: str
    text: str
    style: str
    label: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence, ready to be shown."""

    ref: str  # names it on the page of its sample: "m0p3" is piece 3 of metric 0
    part: Part  # the evidence itself
    tone: str  # whether it speaks for the answer
    text: str  # the statement, sentence, question ... itself
    quote_found: bool = False  # whether its quote stands in the context that it names
    has_context: bool = False  # whether the context that it names exists

    @property
    def symbol(self) -> str:
        """The tone without colour."""
        return labels.SYMBOLS[self.tone]

    @property
    def value(self) -> str:
        """What it adds to the score, where the label does not say so already."""
        value = self.part.value
        return numbers.score(value) if value is not None and self.tone == "plain" else ""


@dataclass(frozen=True, slots=True)
class Section:
    """One metric's part of a sample."""

    number: int  # which metric of the run it is
    metric: Json  # the metric
    score: Json  # its outcome
    cell: Cell  # the outcome in short
    groups: Sequence[tuple[str, str, Sequence[Piece]]]  # evidence by kind: title, tally, pieces
    # The calls, each with the numbers of its prompt and its reply in the text table.
    replies: Sequence[tuple[Json, int, int]]

    @property
    def pieces(self) -> Iterator[Piece]:
        """All evidence in reading order of the groups."""
        for _, _, pieces in self.groups:
            yield from pieces

    @property
    def calls(self) -> str:
        """What the score took."""
        return numbers.calls([reply for reply, _, _ in self.replies])


@dataclass(frozen=True, slots=True)
class Context:
    """One retrieved context with what was found in it."""

    marks: Sequence[Mark]
    verdicts: Sequence[tuple[Piece, str]]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, ready to be shown."""

    heading: str  # its number, as the evidence of a score names it, and who speaks
    role: str  # who speaks
    text: str  # what was said, "" for a turn that only calls tools
    calls: Sequence[str]  # the tools that it calls
    contexts: Sequence[str]  # the contexts retrieved for it
    about: str  # how many contexts there are, "" where none were recorded


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that the page shows of one sample."""

    number: int
    sample: Json
    cells: Sequence[Cell | None]
    sections: Sequence[Section]
    answers: Sequence[tuple[int, Sequence[Mark]]]
    references: Sequence[tuple[int, Sequence[Mark]]]
    contexts: Sequence[Context]
    turns: Sequence[Turn]


@dataclass(slots=True)
class TextTable:
    """Texts by number, each line stored once.

    A text is written as runs of line numbers. Lines are numbered as they are first met, so the
    instruction that thousands of prompts begin with is one short run in each of them, and so is a
    context that several metrics asked about.
    """

    # Every distinct line, in the order in which it was first met.
    lines: list[str] = field(default_factory=list)
    # Every distinct text as flat pairs: first line, number of lines.
    texts: list[list[int]] = field(default_factory=list)
    _line_numbers: dict[str, int] = field(default_factory=dict)
    _text_numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        """The number of a text, which is stored if it is new."""
        number = self._text_numbers.get(text)
        if number is None:
            number = self._text_numbers[text] = len(self.texts)
            self.texts.append(self._runs(text))
        return number

    def text(self, number: int) -> str:
        """The text of a number, as the page's script puts it together."""
        runs = self.texts[number]
        return "\n".join(
            line
            for first, length in zip(runs[::2], runs[1::2], strict=True)
            for line in self.lines[first : first + length]
        )

    def _runs(self, text: str) -> list[int]:
        runs: list[int] = []
        for line in text.split("\n"):
            number = self._line_numbers.setdefault(line, len(self.lines))
            if number == len(self.lines):
                self.lines.append(line)
            if runs and number == runs[-2] + runs[-1]:
                runs[-1] += 1
            else:
                runs += (number, 1)
        return runs


def evidence(number: int, sample: Json, metrics: Sequence[Json], texts: TextTable) -> Evidence:
    """Collect what the page shows of a sample; long texts go into `texts`."""
    sections = [
        _section(index, metric, sample, texts)
        for index, metric in enumerate(metrics)
        if metric["label"] in sample["scores"]
    ]
    cells: list[Cell | None] = [None] * len(metrics)
    for section in sections:
        cells[section.number] = section.cell
    return Evidence(
        number,
        sample,
        cells,
        sections,
        _marks_by_metric(sample["answer"], "answer", sections),
        _marks_by_metric(sample["reference"], "reference", sections),
        [_context(index, text, sections) for index, text in enumerate(sample["contexts"])],
        turns(sample),
    )


def cell(metric: Json, score: Json) -> Cell:
    """One score in short."""
    name = metric["label"]
    if score["value"] is None:
        symbol = _UNSCORED[score["why"]]
        text = f"{name} {score['why']}: {score['detail']}"
        return Cell(name, symbol, score["why"], text, text)
    step = round(tables.goodness(score["value"], metric) * 10)
    text = numbers.score(score["value"])
    missed = " under" if tables.misses(score["value"], metric) else ""
    if missed and text == numbers.score(metric["guide"]):  # it would read as if it met it
        longer = (f"{score['value']:.{digits}f}" for digits in range(3, tables.EXACT + 1))
        text = next(text for text in longer if float(text) != metric["guide"])
    remark = ", beyond the guide value" if missed else ""
    return Cell(name, text, f"h{step}{missed}", f"{name} {text}{remark}")


def readable(raw: str) -> str:
    """A reply without the long encoded numbers (embeddings) that nobody reads."""
    return _ENCODED.sub(lambda match: f"{match[0][:60]}... ({len(match[0]):,} characters)", raw)


def _section(metric_number: int, metric: Json, sample: Json, texts: TextTable) -> Section:
    score = sample["scores"][metric["label"]]
    pieces = [
        _piece_of(f"m{metric_number}p{number}", part, sample["contexts"], metric)
        for number, part in enumerate(msgspec.convert(score["parts"], list[Part]))
    ]
    by_kind: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_kind.setdefault(piece.part.kind, []).append(piece)
    groups = [
        (labels.heading(kind), labels.tally([piece.part for piece in members]), members)
        for kind, members in by_kind.items()
    ]
    replies = [
        (reply, texts.add(reply["prompt"]), texts.add(readable(reply["raw"])))
        for reply in score["replies"]
    ]
    return Section(metric_number, metric, score, cell(metric, score), groups, replies)


def _piece_of(ref: str, part: Part, contexts: Sequence[str], metric: Json) -> Piece:
    tone = labels.tone(part, higher_is_better=metric["higher_is_better"])
    context = labels.context(part, contexts)
    quoted = context is not None and find_quote(context, part.quote) is not None
    return Piece(ref, part, tone, labels.excerpt(part, contexts), quoted, context is not None)


def _marks_by_metric(
    text: str | None, into: str, sections: Sequence[Section]
) -> list[tuple[int, list[Mark]]]:
    """The text once for every metric whose evidence points into it, or once without colours."""
    if not text:
        return []
    variants = []
    for section in sections:
        pointing = [
            (piece.part.span, piece)
            for piece in section.pieces
            if piece.part.span and _SPANS_INTO.get(piece.part.kind) == into
        ]
        if pointing:
            variants.append((section.number, _own_marks(text, pointing)))
    return variants or [(-1, [Mark(text)])]


def united(text: str | None, into: str, sections: Sequence[Section]) -> Sequence[Mark]:
    """The text with the evidence of all metrics in it at once, the worst metric's in front."""
    pieces = [piece for section in sections for piece in section.pieces]
    pointing = [
        (piece.part.span, piece)
        for piece in pieces
        if piece.part.span and _SPANS_INTO.get(piece.part.kind) == into
    ]
    return _own_marks(text or "", pointing)


def _context(index: int, text: str, sections: Sequence[Section]) -> Context:
    spans: list[tuple[Range, Piece]] = []
    verdicts = []
    for section in sections:
        for piece in section.pieces:
            part = piece.part
            if part.context != index:
                continue
            if part.kind == "context":
                verdicts.append((piece, section.metric["label"]))
            elif part.kind == "sentence" and part.span:
                spans.append((part.span, piece))
            elif piece.quote_found:
                spans.append((find_quote(text, part.quote) or (0, 0), piece))
    return Context(_mark_text(text, spans), verdicts)


def _mark_text(text: str, spans: Iterable[tuple[Range, Piece]]) -> list[Mark]:
    """The text with the worst that is said of each place in front."""
    spans = list(spans)
    tones = {piece.ref: piece.tone for _, piece in spans}
    owned = [(span, piece.ref) for span, piece in spans]
    return [
        _mark_of(
            segment.text, segment.owners, tones, _worst_tone(tones[ref] for ref in segment.owners)
        )
        for segment in segments(text, owned)
    ]


def _own_marks(text: str, pointing: Sequence[tuple[Range, Piece]]) -> list[Mark]:
    """The text its pieces were taken from: words within two belong to the shorter one."""
    tones = {piece.ref: piece.tone for _, piece in pointing}
    lengths = {piece.ref: end - start for (start, end), piece in pointing}
    owned = [(span, piece.ref) for span, piece in pointing]
    owned += [(span, _EXACT) for _, piece in pointing for span in piece.part.marks]
    marks = []
    for segment in segments(text, owned):
        refs = [ref for ref in segment.owners if ref != _EXACT]
        exact = len(refs) < len(segment.owners)
        by_metric: dict[str, list[str]] = {}
        for ref in refs:
            by_metric.setdefault(ref.partition("p")[0], []).append(ref)
        worst = []
        for metric_refs in by_metric.values():
            shortest = min(lengths[ref] for ref in metric_refs)
            of_words = {tones[ref] for ref in metric_refs if lengths[ref] == shortest}
            divided = "good" in of_words and of_words & {"bad", "warn"} and not exact
            worst.append("mixed" if divided else _worst_tone(of_words))
        marks.append(replace(_mark_of(segment.text, refs, tones, _worst_tone(worst)), exact=exact))
    return marks


def _worst_tone(tones: Iterable[str]) -> str:
    given_tones = set(tones)
    return next((tone for tone in labels.WORST_FIRST if tone in given_tones), "")


def _mark_of(text: str, refs: Sequence[str], tones: Mapping[str, str], tone: str) -> Mark:
    own_tones = [tones[ref] for ref in refs]
    return Mark(
        text, tone, " ".join(refs), tones=" ".join(own_tones) if len(set(own_tones)) > 1 else ""
    )


def turns(sample: Json) -> list[Turn]:
    """The turns of a sample, none if it is no conversation."""
    return [_turn(number, turn) for number, turn in enumerate(sample.get("turns") or (), start=1)]


def call(tool_call: Json) -> str:
    """A tool call on one line: ``weather(city="Rome")``."""
    args = [f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in tool_call["args"].items()]
    return f"{tool_call['name']}({', '.join(args)})"


def _turn(number: int, turn: Json) -> Turn:
    contexts = turn["contexts"]
    return Turn(
        f"Turn {number}, {turn['role']}",
        turn["role"],
        turn["text"],
        [call(tool_call) for tool_call in turn["tool_calls"]],
        contexts or (),
        "" if contexts is None else numbers.plural(len(contexts), "context"),
    )


def segments(text: str, spans: Iterable[tuple[Range, str]]) -> list[Segment]:
    """Cut a text where spans begin and end; joined, the segments are the text again."""
    begins: dict[int, list[int]] = defaultdict(list)
    ends: dict[int, list[int]] = defaultdict(list)
    owners: list[str] = []
    for (start, end), owner in spans:
        first, last = max(start, 0), min(end, len(text))
        if first < last:
            begins[first].append(len(owners))
            ends[last].append(len(owners))
            owners.append(owner)
    cut: list[Segment] = []
    active: set[int] = set()
    for left, right in pairwise(sorted({0, len(text), *begins, *ends})):
        active.difference_update(ends.get(left, ()))
        active.update(begins.get(left, ()))
        cut.append(Segment(text[left:right], tuple(owners[i] for i in sorted(active))))
    return cut


def find_quote(text: str, quote: str) -> Range | None:
    """Where a quote stands in a text, whatever its case, quotation marks and line breaks.

    None if it does not stand there: a quote that a judge made up must not be shown as found.
    """
    start = text.find(quote)
    if quote and start >= 0:
        return start, start + len(quote)
    words = quote.strip(" \t\n\"'\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}")
    if not words:
        return None
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    match = re.search(pattern, text, re.IGNORECASE)
    return match.span() if match else None
