"""The design of a test set: what its questions can decide, and which of them are no good."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay._text.language_id import language_name, other_language
from assay._text.words import recall, stem, stems, words
from assay.data import read, samples
from assay.errors import InputError
from assay.sample import Sample
from assay.stats.power import ChangedShares, mcnemar_detectable, share_to_change
from assay.testset.documents import read_documents
from assay.testset.passages import Corpus, cut
from assay.testset.question_rules import (
    dangling,
    gives_answer,
    is_unanswerable,
    kind_of,
    personal_data,
)
from assay.testset.sources import PASSAGE, passages_asked, sources_of

FEWEST, FIRST_LOOK = 20, 50  # questions for a first look
_FLIPS = ChangedShares(0.1, 0.1)  # of questions that change either way between equal systems
_ONE_KIND = 0.8  # a share of one kind above it is told
_EASY = 0.7  # from there on `assay testset` says that passages are easier to find, too


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the design of a test set lacks.

    Attributes:
        check: Which check found it.
        level: "fault" if the rows have to be changed, "note" if it is something to know.
        text: What was found.
        remedy: What to do about it.
        rows: Ids of the rows concerned with what was found there; empty if it is about the whole.
    """

    check: str
    level: Literal["fault", "note"]
    text: str
    remedy: str
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Design:
    """What a test set consists of, and what is wrong with it.

    Attributes:
        rows: How many rows there are.
        questions: How many different questions.
        detectable: The smallest difference of shares of right answers that a paired comparison
            finds with 80 % power: at best, where no answer changes the other way; and where one
            question in ten changes each way between equal systems. None: no difference.
        kinds: How many questions of each kind, by rules for English.
        difficulty: Mean share of a question's content words that stand in its source; None
            where no row has a source.
        found_first: Of the questions whose source is in the corpus, the share whose passage comes
            first by the question's rare words: those are easy to retrieve. None without any.
        coverage: Passages of each document of the corpus that are the source of a question, and
            all of its passages; empty without a corpus.
        findings: What was found, what matters most first.
    """

    rows: int
    questions: int
    detectable: tuple[float | None, float | None]
    kinds: Mapping[str, int]
    difficulty: float | None
    found_first: float | None
    coverage: Mapping[str, tuple[int, int]]
    findings: tuple[Finding, ...]

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that have to be changed."""
        return tuple(finding for finding in self.findings if finding.level == "fault")


def check_design(
    data: Any,
    *,
    corpus: Any = None,
    mapping: Mapping[str, str] | None = None,
    contexts: str | None = None,
) -> Design:
    """What a test set consists of, what it can decide, and which of its rows are no good.

    Nobody is asked: all checks are rules and arithmetic. Those about the words of a question are
    for English.

    Args:
        data: The test set: a file, or whatever `evaluate` takes.
        corpus: The documents that the questions are about, as `read_documents` takes them; None
            if they are not at hand.
        mapping: Which column holds a field, where it is not found by its name.
        contexts: How contexts in one cell are split, as for `evaluate`; None to find out.

    Raises:
        InputError: If the data or the corpus cannot be read, or no row has a question.
    """
    source = read(data, mapping=mapping, contexts=contexts)
    rows = [sample for sample in samples(source, needs={}) if sample.question]
    if not rows:
        raise InputError("no row has a question", "name its column: --map question=COLUMN")
    first = {_plain(sample.question or ""): sample for sample in reversed(rows)}
    unique = list(reversed(first.values()))
    documents = read_documents(corpus) if corpus is not None else []
    passages = Corpus(
        [passage for document in documents for passage in cut(document, PASSAGE, shortest=1)]
    )
    sources = sources_of(unique, passages)
    n = len(unique)
    detectable = (share_to_change(n), mcnemar_detectable(n, _FLIPS))
    kinds = Counter(map(kind_of, unique))
    overlaps = [_overlap(s, sources[s.id]) for s in unique if s.id in sources]
    gold = passages_asked(unique, sources, passages)
    coverage = _coverage(gold, passages)
    findings = [
        *_size(n, detectable),
        *_duplicates(rows),
        *_standing_alone(unique),
        *_given_away(unique),
        *_mix(kinds),
        *_unsourced(unique, sources, with_corpus=bool(documents)),
        *_uncovered(coverage),
        *_uncovered_sections(gold, coverage, passages),
        *_easy(overlaps),
        *_languages(unique),
        *_personal(rows),
    ]
    difficulty = sum(overlaps) / len(overlaps) if overlaps else None
    found_first = _found_first(unique, gold, passages)
    return Design(
        len(rows), n, detectable, kinds, difficulty, found_first, coverage, tuple(findings)
    )


def _plain(text: str) -> str:
    return " ".join(words(text))


def _quoted(sample: Sample) -> str:
    return f"'{' '.join((sample.question or '').split())}'"


def _size(n: int, detectable: tuple[float | None, float | None]) -> Iterator[Finding]:
    if n >= FIRST_LOOK:
        return
    smallest = detectable[1]
    decides = (
        "no difference between two systems"
        if smallest is None
        else f"a difference of {100 * smallest:.2g} % of the questions or more"
    )
    text = f"{n} different {'question' if n == 1 else 'questions'} can show {decides}"
    remedy = f"{FEWEST} to {FIRST_LOOK} are the least for a first look"
    yield Finding("size", "fault" if n < FEWEST else "note", text, remedy)


def _duplicates(rows: Sequence[Sample]) -> Iterator[Finding]:
    """The same question twice, in the same words or in other forms of them."""
    exact, near = list[tuple[str, str]](), list[tuple[str, str]]()
    seen, alike = dict[str, list[Sample]](), dict[tuple[str, ...], Sample]()
    for sample in rows:
        plain = _plain(sample.question or "")
        key = _key(plain)
        if plain in seen:
            if not any(_is_variant(sample, other) for other in seen[plain]):
                exact.append((sample.id, _again(sample, seen[plain][0])))
            seen[plain].append(sample)
            continue
        seen[plain] = [sample]
        if key in alike:
            near.append((sample.id, f"as {alike[key].id}: {_quoted(sample)}"))
        alike.setdefault(key, sample)
    if exact:
        remedy = "keep one of each; a repeated question counts twice and decides nothing"
        yield Finding("duplicates", "fault", "the same question again", remedy, tuple(exact))
    if near:
        remedy = "keep one of each, or ask for something else"
        yield Finding("near-duplicates", "fault", "nearly the same words", remedy, tuple(near))


# "A shop" and "the shop" are the same; every other word may ask for something else.
_ARTICLES = frozenset(("a", "an", "the", "some", "any"))


def _key(plain: str) -> tuple[str, ...]:
    """What two questions share that ask the same in nearly the same words."""
    said = words(plain)
    kept = [word for word in said[:-1] if word not in _ARTICLES] + said[-1:]
    # Short words are mostly names of their own: "SBA" is not "SBAS".
    return tuple(stem(word) if len(word) > 4 else word for word in kept)


def _is_variant(sample: Sample, other: Sample) -> bool:
    """Whether both are answers to one question on purpose, by a system or several."""
    return (
        sample.group is not None
        and sample.group == other.group
        and sample.answer is not None
        and sample.answer != other.answer
    )


def _again(sample: Sample, first: Sample) -> str:
    other = ", with another reference" if sample.reference != first.reference else ""
    return f"as {first.id}{other}: {_quoted(sample)}"


def _standing_alone(unique: Sequence[Sample]) -> Iterator[Finding]:
    rows = [
        (s.id, f"'{pointing}' in {_quoted(s)}")
        for s in unique
        if not s.turns and (pointing := dangling(s.question or ""))
    ]
    if rows:
        remedy = "name what is meant: nobody sees the text beside the question"
        yield Finding("stands alone", "fault", "points at what is not in it", remedy, tuple(rows))


def _given_away(unique: Sequence[Sample]) -> Iterator[Finding]:
    rows = [(s.id, f"'{s.reference}' in {_quoted(s)}") for s in unique if gives_answer(s)]
    if rows:
        remedy = "ask without the words of the answer"
        text = "the reference stands in the question"
        yield Finding("answer given", "fault", text, remedy, tuple(rows))


def _mix(kinds: Mapping[str, int]) -> Iterator[Finding]:
    n = sum(kinds.values())
    kind, most = max(kinds.items(), key=lambda item: item[1])
    if n >= FEWEST and most > _ONE_KIND * n:
        text = f"{most} of {n} questions are of one kind ({kind})"
        yield Finding("kinds", "note", text, "add other kinds that your users ask")
    if not (none := kinds.get("unanswerable", 0)):
        text = "no question is marked as unanswerable"
        remedy = "add some that the documents do not answer (answerable: false), about one in five"
        yield Finding("unanswerable", "note", text, remedy)
    elif none > n / 2:
        text = f"{none} of {n} questions are unanswerable"
        yield Finding("unanswerable", "note", text, "a system that always declines would win")


def _unsourced(
    unique: Sequence[Sample], sources: Mapping[str, Any], *, with_corpus: bool
) -> Iterator[Finding]:
    answered = [sample for sample in unique if not is_unanswerable(sample)]
    bare = [(s.id, _quoted(s)) for s in answered if not (s.reference or s.accepted)]
    if bare:
        remedy = "add a column reference: without it no answer can be called right or wrong"
        yield Finding("references", "note", "no reference answer", remedy, tuple(bare))
    rows = [
        (s.id, f"'{s.reference}'")
        for s in answered
        if s.reference and s.id not in sources and not s.reference_context_ids
    ]
    if rows:
        text = "no passage of the corpus holds it" if with_corpus else "no source is named"
        remedy = "add reference_contexts" + ("" if with_corpus else ", or name the --corpus")
        yield Finding(
            "sources",
            "fault" if with_corpus else "note",
            f"{text} (references)",
            remedy,
            tuple(rows),
        )


def _overlap(sample: Sample, texts: Iterable[str]) -> float:
    """Share of a question's words of content that stand in its source."""
    return recall(set(stems(sample.question or "")), set(stems(" ".join(texts))))


def _easy(overlaps: Sequence[float]) -> Iterator[Finding]:
    if overlaps and (mean := sum(overlaps) / len(overlaps)) >= _EASY:
        text = f"{mean:.0%} of a question's content words stand in its source"
        yield Finding("difficulty", "note", text, "add questions in your users' own words")


def _found_first(
    rows: Iterable[Sample], gold: Mapping[str, frozenset[int]], corpus: Corpus
) -> float | None:
    asked = [sample for sample in rows if sample.id in gold]
    first = [corpus.nearest(sample.question or "", 1) for sample in asked]
    hits = [not gold[s.id].isdisjoint(near) for s, near in zip(asked, first, strict=True)]
    return sum(hits) / len(hits) if hits else None


def _coverage(gold: Mapping[str, frozenset[int]], corpus: Corpus) -> dict[str, tuple[int, int]]:
    """Of each document: its passages that a question is about, and all of them."""
    asked = frozenset[int]().union(*gold.values())
    counts = defaultdict[str, list[int]](lambda: [0, 0])
    for number, passage in enumerate(corpus.passages):
        counts[passage.document][0] += number in asked
        counts[passage.document][1] += 1
    return {document: (covered, total) for document, (covered, total) in counts.items()}


def _uncovered(coverage: Mapping[str, tuple[int, int]]) -> Iterator[Finding]:
    rows = [
        (document, f"{total} {'passage' if total == 1 else 'passages'}")
        for document, (covered, total) in coverage.items()
        if not covered
    ]
    if rows:
        text = f"no question about {len(rows)} of {len(coverage)} documents"
        yield Finding("coverage", "note", text, "ask about them, or leave them out", tuple(rows))


def _uncovered_sections(
    gold: Mapping[str, frozenset[int]], coverage: Mapping[str, tuple[int, int]], corpus: Corpus
) -> Iterator[Finding]:
    """Sections that no question is about, of the documents that some are about."""
    asked = frozenset[int]().union(*gold.values())
    sections = defaultdict[tuple[str, str], bool](bool)
    for number, passage in enumerate(corpus.passages):
        heading = passage.title.removeprefix(passage.document).removeprefix(" > ")
        if coverage[passage.document][0] and heading:
            sections[passage.document, heading] |= number in asked
    rows = [place for place, covered in sections.items() if not covered]
    if rows:
        text = f"no question about {len(rows)} of {len(sections)} sections of the other documents"
        yield Finding("sections", "note", text, "ask about those that matter", tuple(rows))


def _languages(unique: Sequence[Sample]) -> Iterator[Finding]:
    rows = [
        (s.id, f"{language_name(code)}: {_quoted(s)}")
        for s in unique
        if (code := other_language([s.question or ""]))
    ]
    if rows and len(rows) < len(unique):
        remedy = "give each language enough questions of its own, and compare within it"
        text = "not in the language of the others"
        yield Finding("languages", "note", text, remedy, tuple(rows))


def _personal(rows: Sequence[Sample]) -> Iterator[Finding]:
    found = [
        (sample.id, f"{kind}: {shown}")
        for sample in rows
        for kind, shown in personal_data(f"{sample.question}\n{sample.reference or ''}")
    ]
    if found:
        remedy = "replace it by invented data, such as an address at example.com"
        yield Finding("personal data", "fault", "looks like personal data", remedy, tuple(found))
