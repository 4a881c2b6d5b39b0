"""Attribution: citations that contexts bear out, and quotations that stand in them."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from assay._text.markup import citations, without_lead
from assay._text.sentences import Span, spans
from assay._text.statements import source_lists
from assay._text.words import tokens
from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import share, verify
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import Statement, Verdict, VerifyStatements

_SOURCE = "ALCE (Gao et al. 2023, arXiv 2305.14627; eval.py)"
_RANGE = re.compile(r"(\d+)(?:\s*[-\u2013]\s*(\d+))?")

# Indices of contexts, in the order in which they are cited.
Cited: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer and what it cites."""

    statement: Statement  # its text without the marks, and where it stands
    cited: Cited  # indices of the contexts that it cites, repeated where it repeats itself
    outside: tuple[int, ...]  # numbers it cites that no context has
    unread: tuple[str, ...] = ()  # marks that give no number: "【4:0†source】"

    @property
    def name(self) -> str:
        """The id of its statement."""
        return self.statement.id

    @property
    def all(self) -> Cited:
        """The contexts that it cites, each once."""
        return _without_repeats(self.cited)

    @property
    def checked(self) -> bool:
        """Whether it is checked: it cites something, and nothing that is not there."""
        return bool(self.cited) and not self.outside


CitedVerdicts: TypeAlias = dict[tuple[Cited, str], Verdict]


def cited_sentences(
    answer: str, n_contexts: int, at_most: int, question: str = ""
) -> list[Sentence]:
    """The sentences of an answer with their citations: [1], [1][2], [1, 2], [^1], (Source 1), ¹.

    What only lists the sources, under the answer, is no sentence. Marks after a full stop belong
    to the sentence before them, in its line or alone in theirs; where the first sentence of a line
    begins with its marks, so does every other. Marks that stand alone before the first sentence
    belong to it.
    """
    sentences: list[tuple[Span, Span]] = []  # a sentence with all its marks, and its words
    marks_lead = False  # whether marks stand before their sentences
    uncited_start: int | None = None  # where marks without a sentence begin
    lists = source_lists(answer, question)
    for start, end in spans(answer):
        if any(first <= start < last for first, last in lists):
            continue
        leading = _marks_end(answer[start:end])
        begins = not sentences or "\n" in answer[sentences[-1][0][1] : start]
        marks_lead = bool(leading) if begins else marks_lead
        last = start  # of what belongs to the sentence before
        if not any(map(str.isalnum, _words(answer[start:end]))):
            last = end
        elif leading and not (begins or marks_lead):
            last = start + leading
        if last > start and sentences:
            (first, _), words = sentences[-1]
            sentences[-1] = ((first, last), words)
        elif last > start and uncited_start is None:
            uncited_start = start
        if last < end:
            sentences.append(((last if uncited_start is None else uncited_start, end), (last, end)))
            uncited_start = None
    return [
        _sentence(f"s{number}", answer, span, words, n_contexts, at_most)
        for number, (span, words) in enumerate(sentences, start=1)
    ]


def _marks_end(sentence: str) -> int:
    """Where the marks that it begins with end, and the blanks behind them; 0 without such marks."""
    end = 0
    for (first, last), _ in citations(sentence):
        if sentence[end:first].strip() or sentence[first].isalpha():  # "According to Source 1, "
            break
        end = last
    return end and len(sentence) - len(sentence[end:].lstrip())


def _sentence(name: str, answer: str, span: Span, words: Span, n: int, at_most: int) -> Sentence:
    text = answer[slice(*span)]
    marks = citations(text)
    numbers = [n for _, listed in marks for numbered in listed for n in _numbers(numbered)]
    unread = tuple(text[slice(*span)].strip() for span, listed in marks if not listed)
    outside = tuple(dict.fromkeys(number for number in numbers if not 1 <= number <= n))
    cited = tuple(number - 1 for number in numbers if 1 <= number <= n)[:at_most]
    return Sentence(Statement(name, _words(answer[slice(*words)]), span), cited, outside, unread)


def _words(text: str) -> str:
    return without_lead(text).strip()


def _numbers(mark: str) -> Iterator[int]:
    for match in _RANGE.finditer(mark):
        first, last = int(match[1]), int(match[2] or match[1])
        yield from range(first, last + 1) if first <= last else (first, last)


async def _verify_pairs(
    pairs: Iterable[tuple[Cited, Sentence]],
    contexts: Sequence[str],
    judge: Judge,
    verdicts_so_far: CitedVerdicts | None = None,
) -> CitedVerdicts:
    """What is known, and the verdict on each further sentence by its contexts together.

    There is one call for each set of contexts.
    """
    by_citation = dict(verdicts_so_far or {})
    by_contexts: dict[Cited, dict[str, Statement]] = {}
    for cited, sentence in pairs:
        if (cited, sentence.name) not in by_citation:
            by_contexts.setdefault(cited, {})[sentence.name] = sentence.statement
    groups = [
        (tuple(statements.values()), tuple(contexts[i] for i in cited))
        for cited, statements in by_contexts.items()
    ]
    for cited, verdicts in zip(by_contexts, await verify(groups, judge), strict=True):
        by_citation |= {(cited, verdict.id): verdict for verdict in verdicts}
    return by_citation


async def _by_all_citations(
    sentences: Sequence[Sentence], contexts: Sequence[str], judge: Judge
) -> CitedVerdicts:
    """The verdict on each checked sentence by all that it cites."""
    return await _verify_pairs([(s.all, s) for s in sentences if s.checked], contexts, judge)


def _without_repeats(cited: Iterable[int]) -> Cited:
    return tuple(sorted(set(cited)))


def _other_citations(cited: Cited, i: int) -> Cited:
    """The contexts that are left where one citation of context i is taken away."""
    position = cited.index(i)
    return _without_repeats(cited[:position] + cited[position + 1 :])


def _unchecked_part(sentence: Sentence, value: float | None) -> Part:
    label, reason = "no citation", "it cites nothing"
    if sentence.outside:
        missing = ", ".join(f"[{number}]" for number in sentence.outside)
        label, reason = "out of range", f"no context is numbered {missing}"
    elif sentence.unread:
        reason = f"{', '.join(sentence.unread)} names no context by its number"
    statement = sentence.statement
    return Part("answer sentence", statement.text, label, value, reason, span=statement.span)


def _marks_of(cited: Cited) -> str:
    return "".join(f"[{i + 1}]" for i in cited)


@dataclass(frozen=True)
class _Citations(Metric):
    """Base of both: who cites what is parsed once."""

    at_most: int = 3

    source = _SOURCE
    needs = ("contexts", "answer")
    tasks = (VerifyStatements,)
    ranked = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at_most < 1:
            raise InputError(f"{self.name}: at_most must be a number above 0, not {self.at_most}")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Find the citations and check the sentences."""
        contexts = sample.contexts or ()
        answer, question = sample.answer or "", sample.question or ""
        sentences = cited_sentences(answer, len(contexts), self.at_most, question)
        if not sentences:
            return Unscored("undefined", "the answer has no sentence")
        unread = [mark for s in sentences for mark in s.unread]
        if unread and not any(s.cited or s.outside for s in sentences):
            marks = ", ".join(dict.fromkeys(unread))
            return Unscored("undefined", f"its citations give no number of a context: {marks}")
        return await self._judge_sentences(sentences, contexts, judge)

    async def _judge_sentences(
        self, sentences: Sequence[Sentence], contexts: Sequence[str], judge: Judge
    ) -> Outcome:
        raise NotImplementedError


@dataclass(frozen=True)
class CitationRecall(_Citations):
    """Share of the answer's sentences that the contexts they cite entail together (ALCE).

    sentences whose cited contexts entail them / sentences, in [0, 1]. Context k is cited as [k]
    ([1][2], [1, 2] and [1-3] are recognised; ALCE reads only the first number in brackets), [^k],
    [doc k], [citation:k], (Source k), 【k】, 【k†source】 or by raised figures. A sentence scores 0
    if it has no citation, or cites a number that no context has. Citations are removed before a
    sentence is judged. ALCE uses only the first line of an answer; here all of it is used but a
    list of sources. Undefined if there is no sentence, or if all citations are without a number.

    Args:
        at_most: How many citations of a sentence count, starting with the first (ALCE: 3).
    """

    name = "alce:citation_recall"
    revision = 2

    async def _judge_sentences(
        self, sentences: Sequence[Sentence], contexts: Sequence[str], judge: Judge
    ) -> Outcome:
        verdicts = await _by_all_citations(sentences, contexts, judge)
        return share([self._parts_of(s, verdicts.get((s.all, s.name))) for s in sentences])

    def _parts_of(self, sentence: Sentence, verdict: Verdict | None) -> Part:
        if verdict is None:
            return _unchecked_part(sentence, 0.0)
        supporting = verdict.context
        return Part(
            kind="answer sentence",
            text=sentence.statement.text,
            label="supported" if verdict.supported else "unsupported",
            value=float(verdict.supported),
            reason=f"cites {_marks_of(sentence.cited)}: {verdict.reason}".rstrip(": "),
            context=None if supporting is None else sentence.all[supporting],
            quote=verdict.quote,
            probability=verdict.probability,
            span=sentence.statement.span,
        )


@dataclass(frozen=True)
class CitationPrecision(_Citations):
    """Share of the citations that are needed (ALCE).

    needed citations / citations, in [0, 1]. No citation of a sentence is needed if its cited
    contexts together do not entail it. If they do, a single citation is needed; one of several is
    needed unless its context alone does not entail the sentence and the others without it do. 0 if
    nothing is cited. As in ALCE, the citations of a sentence that cites a number which no context
    has are not counted here (its recall is 0). For the recognised forms of citations see
    alce:citation_recall. Undefined if there is no sentence, or if all citations are without a
    number.

    Args:
        at_most: How many citations of a sentence count, starting with the first (ALCE: 3).
    """

    name = "alce:citation_precision"
    revision = 2

    async def _judge_sentences(
        self, sentences: Sequence[Sentence], contexts: Sequence[str], judge: Judge
    ) -> Outcome:
        verdicts = await _by_all_citations(sentences, contexts, judge)
        cited_together = [
            s
            for s in sentences
            if s.checked and len(s.cited) > 1 and verdicts[s.all, s.name].supported
        ]
        single_citations = [((i,), s) for s in cited_together for i in s.all]
        verdicts = await _verify_pairs(single_citations, contexts, judge, verdicts)
        rests = [
            (_other_citations(s.cited, i), s)
            for (i,), s in single_citations
            if not verdicts[(i,), s.name].supported
        ]
        verdicts = await _verify_pairs(rests, contexts, judge, verdicts)
        parts = [part for s in sentences for part in self._parts_of(s, verdicts)]
        if any(part.value is not None for part in parts):
            return share(parts)
        return Score(0.0, tuple(parts))

    def _parts_of(self, sentence: Sentence, verdicts: CitedVerdicts) -> Iterator[Part]:
        if not sentence.checked:
            yield _unchecked_part(sentence, None)
            return
        for i in sentence.cited:
            needed, label, reason = _is_needed(sentence, i, verdicts)
            statement = sentence.statement
            mark = f"{_marks_of((i,))} {statement.text}"
            yield Part(
                "citation", mark, label, float(needed), reason, context=i, span=statement.span
            )


def _is_needed(sentence: Sentence, i: int, verdicts: CitedVerdicts) -> tuple[bool, str, str]:
    name = sentence.name
    together = verdicts[sentence.all, name]
    if not together.supported:
        return False, "unsupported", together.reason
    if len(sentence.cited) == 1:
        return True, "needed", together.reason
    verdict_alone = verdicts[(i,), name]
    if verdict_alone.supported:
        return True, "needed", f"it alone entails the sentence: {verdict_alone.reason}".rstrip(": ")
    other_citations = _other_citations(sentence.cited, i)
    if verdicts[other_citations, name].supported:
        return False, "not needed", f"{_marks_of(other_citations)} without it entail the sentence"
    return True, "needed", f"{_marks_of(other_citations)} without it do not entail the sentence"


# ruff: noqa: RUF001 - quotation marks are what it is about


# Marks in pairs. A single one may be an apostrophe, so only those that stand apart count, and what
# stands behind a figure may be inches: it opens nothing.
_QUOTED = re.compile(
    r'(?<!\d)"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』'
    r"|(?<!\w)‘([^‘]+?)’(?!\w)|(?<!\w)'([^']+)'(?!\w)"
)
_SPACE = re.compile(r"\s+")
# Within a quotation marks change their shape, and at its end a stop may be the answer's own.
_ALIKE = str.maketrans(dict.fromkeys('"‘’‚‛“”„‟«»', "'"))
_STOPS = " .,。、"
# "able to pay" does not stand in "unable to pay", nor "5 percent" in "15 percent" or "1.5 percent".
_START = r"(?<![a-z0-9])(?!(?<=\d[.,])\d)|(?![a-z0-9])"
_END = r"(?![a-z0-9])(?!(?<=\d)[.,]\d)|(?<![a-z0-9])"


@dataclass(frozen=True)
class QuotedSpans(Metric):
    """Share of the answer's quotations that are, word for word, in one of the contexts.

    Found quotations / quotations of at least `words` words; in [0, 1] (RAGAS: quoted spans
    alignment). Case, white space, the shape of apostrophes and marks, and full stops and commas at
    the ends ("so it ends,") do not count. Both marks of a quotation must be of one kind, and it
    must be within one context, in whole words and numbers; ragas:quoted_spans counts as ragas does.
    Undefined if nothing is quoted.

    Args:
        words: Shorter quotations, often titles or terms, do not count. Each Chinese or Japanese
            character is a word.
    """

    words: int = 3

    name = "quoted_spans"
    aliases = ("quoted_spans_alignment",)
    source = RAGAS_DOCS
    needs = ("answer", "contexts")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.words < 1:
            raise InputError(f"{self.name}: words must be 1 or more, not {self.words}")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Look every quotation up; nobody is asked."""
        del judge
        contexts = [_unmarked(context) for context in sample.contexts or ()]
        parts = [
            _quotation(quotation, contexts)
            for quotation in _QUOTED.finditer(sample.answer or "")
            if len(tokens(_inside_marks(quotation)[0], "und")) >= self.words
        ]
        if not parts:
            return Unscored("undefined", f"the answer quotes nothing of {self.words} words or more")
        return share(parts)


def _inside_marks(quotation: re.Match[str]) -> tuple[str, tuple[int, int]]:
    group = quotation.lastindex or 0
    return quotation[group], quotation.span(group)


def _unmarked(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_ALIKE)).lower()


def _quotation(quotation: re.Match[str], contexts: list[str]) -> Part:
    text, span = _inside_marks(quotation)
    words = re.escape(_unmarked(text).strip(_STOPS))
    pattern = re.compile(f"(?:{_START}){words}(?:{_END})")
    context_index = next((i for i, context in enumerate(contexts) if pattern.search(context)), None)
    label = "not found" if context_index is None else "found"
    return Part(
        "quotation", text, label, float(context_index is not None), context=context_index, span=span
    )
