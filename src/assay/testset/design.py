"""The design of a test set: what its questions can decide, and which of them are no good."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Literal

from assay._runner import STORE
from assay._runner.settings import Settings
from assay._text.language_id import language_name, other_language
from assay._text.words import stem, words
from assay.data import read, samples
from assay.errors import InputError
from assay.sample import Sample
from assay.stats.power import detectable_fall
from assay.testset.checks import Finding, JudgeEvidence, RunEvidence, ask
from assay.testset.documents import read_documents
from assay.testset.passages import Corpus, cut
from assay.testset.questions import (
    dangling,
    gives_answer,
    is_guessable,
    is_unanswerable,
    kind_of,
    overlap,
    personal_data,
)
from assay.testset.size import FEWEST, FLIPS, NO_FLIPS, group_sizes, of_size, smallest
from assay.testset.sources import (
    PASSAGE,
    Coverage,
    found_first,
    passages_asked,
    passages_declined,
    sources_of,
    topics_of,
    uncovered,
)

_ONE_KIND = 0.8  # a share of one kind above it is told
_EASY = 0.7  # from there on `assay testset` says that passages are easier to find, too
_DEEP = 10  # a passage that is not among so many is found by few retrievers
_SHORT = 50  # words of a passage in which most questions stand out, if they are in its words
# From such a share of questions that are found first on, people's rank retrievers less surely
# (benchmarks.retriever_ranking --easy).
_TOO_EASY = 0.9
# Columns that generators of test sets write beside a question, and nobody else.
_GENERATED: Final = (
    frozenset(("kind", "quotes", "overlap")),  # assay
    frozenset(("synthesizer_name",)),  # ragas from 0.2 on
    frozenset(("evolution_type",)),  # ragas 0.1
)


@dataclass(frozen=True, slots=True)
class Design:
    """What a test set consists of, and what is wrong with it.

    Attributes:
        rows: How many rows there are.
        questions: How many different questions.
        groups: How many of them each `group` (document, conversation) has, a question without one
            being its own; empty where no group has two. A comparison takes groups, not questions,
            as independent.
        kinds: How many questions of each kind, by rules for English.
        difficulty: Mean share of a question's content words that stand in its source; None
            where no row has a source.
        ranks: Of the questions whose source is in the corpus, how many have their passage "first",
            at "2 to 10" or "below 10" by the question's rare words: the first are easy to retrieve,
            the last hard. Empty without any.
        easy: The share of those whose evidence BM25 finds first in passages of 200 and of 50
            words; None without any.
        coverage: Passages of each document of the corpus that are the source of an answerable
            question, and all of its passages; empty without a corpus.
        topics: The same of each topic of the corpus, named by its most telling words; empty for a
            corpus of fewer than 20 passages.
        generated: Whether columns say that a model or rules wrote the questions.
        runs: What runs over these questions showed; None without any.
        judge: What a judge said of them; None if none was asked.
        findings: What was found, what matters most first.
    """

    rows: int
    questions: int
    groups: tuple[int, ...]
    kinds: Mapping[str, int]
    difficulty: float | None
    ranks: Mapping[str, int]
    easy: float | None
    coverage: Mapping[str, tuple[int, int]]
    topics: Mapping[str, tuple[int, int]]
    generated: bool
    runs: RunEvidence | None
    judge: JudgeEvidence | None
    findings: tuple[Finding, ...]

    @property
    def detectable(self) -> tuple[float | None, float | None]:
        """The smallest difference of shares of right answers that is found with 80 % power.

        By a paired comparison: at best, where no answer changes the other way; and where one
        question in ten changes each way between equal systems. The questions of a group change
        each by itself. None: no difference.
        """
        without_flips, usual = (
            smallest(self.questions, self.groups, flips) for flips in (NO_FLIPS, FLIPS)
        )
        return without_flips, usual

    @property
    def detectable_together(self) -> float | None:
        """The second of `detectable` if the questions of a group change all together, or none."""
        return smallest(self.questions, self.groups, FLIPS, together=True)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that have to be changed."""
        return tuple(finding for finding in self.findings if finding.level == "fault")

    @property
    def found_first(self) -> float | None:
        """The share of `ranks` that are first; None without any."""
        return self.ranks["first"] / sum(self.ranks.values()) if self.ranks else None

    @property
    def detectable_by_runs(self) -> float | None:
        """The smallest difference of mean scores that so many questions show with 80 % power.

        In the unit of the runs' metric, by how its scores vary there; None if that is not known.
        """
        if self.runs is None or self.runs.deviation is None:
            return None
        groups = len(self.groups) or None
        return detectable_fall(self.runs.deviation, self.runs.loss, self.questions, groups=groups)


def check_design(  # noqa: PLR0913 - what is read, and who else is heard
    data: Any,
    *,
    corpus: Any = None,
    mapping: Mapping[str, str] | None = None,
    contexts: str | None = None,
    runs: RunEvidence | None = None,
    judge: Any = None,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> Design:
    """What a test set consists of, what it can decide, and which of its rows are no good.

    Without a judge nobody is asked: all checks are rules and arithmetic. Those about the words of
    a question are for English.

    Args:
        data: The test set: a file, or whatever `evaluate` takes.
        corpus: The documents that the questions are about, as `read_documents` takes them; None
            if they are not at hand.
        mapping: Which column holds a field, where it is not found by its name.
        contexts: How contexts in one cell are split, as for `evaluate`; None to find out.
        runs: What runs over the same questions showed.
        judge: Who says whether references are supported and, if it writes, which questions it
            answers without any source; as for `evaluate`. None: nobody is asked.
        store: The SQLite file that keeps its replies.
        settings: Limits, budget and prompts for it.

    Raises:
        InputError: If the data or the corpus cannot be read, or no row has a question.
    """
    rows, (passages, short) = _rows(data, mapping, contexts), _passages(corpus)
    first = {_plain_words(sample.question or ""): sample for sample in reversed(rows)}
    unique = list(reversed(first.values()))
    sources = sources_of(unique, passages)
    kinds = Counter(map(kind_of, unique))
    difficulty = _mean([_overlap(s, sources[s.id]) for s in unique if s.id in sources])
    gold = passages_asked(unique, sources, passages)
    coverage, topics = _coverage(unique, gold, passages), topics_of(passages)
    generated = any(columns <= row.metadata.keys() for columns in _GENERATED for row in rows)
    easy = found_first(unique, gold, passages, short) if gold else {}
    judged = _ask(unique, sources, judge, store, settings)
    findings = [
        *of_size(unique),
        *_duplicates(rows),
        *_standing_alone(unique),
        *_given_away_answers(unique),
        *_mix(kinds),
        *_unsourced(unique, sources, with_corpus=bool(passages.passages)),
        *_of_judge(unique, judged),
        *_of_runs(unique, runs),
        *uncovered(coverage, topics),
        *_easy(difficulty),
        *_ranking(unique, easy),
        *_languages(unique),
        *_personal(rows),
        *_form_findings(generated=generated),
    ]
    counts = (kinds, difficulty, _ranks(unique, gold, passages), _mean(easy.values()))
    covers = (coverage.of(coverage.documents()), coverage.of(topics), generated)
    n, groups = len(unique), group_sizes(unique)
    return Design(len(rows), n, groups, *counts, *covers, runs, judged, tuple(findings))


def _mean(values: Collection[float]) -> float | None:
    return fmean(values) if values else None


def _rows(data: Any, mapping: Mapping[str, str] | None, contexts: str | None) -> list[Sample]:
    source = read(data, mapping=mapping, contexts=contexts)
    all_samples = list(samples(source, needs={}))
    if rows := [sample for sample in all_samples if sample.question]:
        return rows
    columns = ", ".join(dict.fromkeys(name for sample in all_samples for name in sample.metadata))
    known = f" (one of {columns})" if columns else ""
    raise InputError("no row has a question", f"name its column: --map question=COLUMN{known}")


def _passages(corpus: Any) -> tuple[Corpus, Corpus]:
    """The documents in passages as `assay testset` cuts them, and in short ones."""
    documents = read_documents(corpus) if corpus is not None else []
    long, short = (
        Corpus([passage for document in documents for passage in cut(document, size, shortest=1)])
        for size in (PASSAGE, _SHORT)
    )
    return long, short


def _plain_words(text: str) -> str:
    return " ".join(words(text))


def _quote_question(sample: Sample) -> str:
    return f"'{' '.join((sample.question or '').split())}'"


def _duplicates(rows: Sequence[Sample]) -> Iterator[Finding]:
    """The same question twice, in the same words or in other forms of them."""
    exact, nearly = list[tuple[str, str]](), list[tuple[str, str]]()
    rows_by_text, by_key = dict[str, list[Sample]](), dict[tuple[str, ...], Sample]()
    for sample in rows:
        plain = _plain_words(sample.question or "")
        key = _key(plain)
        if plain in rows_by_text:
            if not any(_is_variant(sample, other) for other in rows_by_text[plain]):
                exact.append((sample.id, _repeats_question(sample, rows_by_text[plain][0])))
            rows_by_text[plain].append(sample)
            continue
        rows_by_text[plain] = [sample]
        if key in by_key:
            nearly.append((sample.id, f"as {by_key[key].id}: {_quote_question(sample)}"))
        by_key.setdefault(key, sample)
    if exact:
        remedy = "keep one of each; a repeated question counts twice and decides nothing"
        yield Finding("duplicates", "fault", "the same question again", remedy, tuple(exact))
    if nearly:
        remedy = "keep one of each, or ask for something else"
        yield Finding("near-duplicates", "fault", "nearly the same words", remedy, tuple(nearly))


# "A shop" and "the shop" are the same; every other word may ask for something else.
_ARTICLES = frozenset(("a", "an", "the", "some", "any"))


def _key(plain: str) -> tuple[str, ...]:
    """What two questions share that ask the same in nearly the same words."""
    question_words = words(plain)
    telling = [word for word in question_words[:-1] if word not in _ARTICLES] + question_words[-1:]
    # Short words are mostly names of their own: "SBA" is not "SBAS".
    return tuple(stem(word) if len(word) > 4 else word for word in telling)


def _is_variant(sample: Sample, other: Sample) -> bool:
    """Whether both are answers to one question on purpose, by a system or several."""
    return (
        sample.group is not None
        and sample.group == other.group
        and sample.answer is not None
        and sample.answer != other.answer
    )


def _repeats_question(sample: Sample, first: Sample) -> str:
    remark = ", with another reference" if sample.reference != first.reference else ""
    return f"as {first.id}{remark}: {_quote_question(sample)}"


def _standing_alone(unique: Sequence[Sample]) -> Iterator[Finding]:
    rows = [
        (s.id, f"'{pointing}' in {_quote_question(s)}")
        for s in unique
        if not s.turns and (pointing := dangling(s.question or ""))
    ]
    if rows:
        remedy = "name what is meant: nobody sees the text beside the question"
        yield Finding("stands alone", "fault", "points at what is not in it", remedy, tuple(rows))


def _given_away_answers(unique: Sequence[Sample]) -> Iterator[Finding]:
    rows = [(s.id, f"'{s.reference}' in {_quote_question(s)}") for s in unique if gives_answer(s)]
    if rows:
        remedy = "ask without the words of the answer"
        text = "the reference stands in the question"
        yield Finding("answer given", "fault", text, remedy, tuple(rows))


def _mix(kinds: Mapping[str, int]) -> Iterator[Finding]:
    n = sum(kinds.values())
    kind, n_most = max(kinds.items(), key=lambda item: item[1])
    if n >= FEWEST and n_most > _ONE_KIND * n:
        text = f"{n_most} of {n} questions are of one kind ({kind})"
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
    without_reference = [
        (s.id, _quote_question(s)) for s in answered if not (s.reference or s.accepted)
    ]
    if without_reference:
        remedy = (
            "add a column reference: without it no answer can be called right or wrong; mark what "
            "the documents do not answer (answerable: false)"
        )
        if all(sample.answer for sample in answered):
            remedy += "; if `answer` holds the right ones: --map reference=answer"
        yield Finding("references", "note", "no reference answer", remedy, tuple(without_reference))
    rows = [
        (s.id, f"'{s.reference}'")
        for s in answered
        if s.reference and s.id not in sources and not s.reference_context_ids
    ]
    if rows:
        text = "no passage of the corpus holds it" if with_corpus else "no source is named"
        remedy = "add reference_contexts" + ("" if with_corpus else ", or name the --corpus")
        level: Literal["fault", "note"] = "fault" if with_corpus else "note"
        yield Finding("sources", level, f"{text} (references)", remedy, tuple(rows))


def _overlap(sample: Sample, texts: Iterable[str]) -> float:
    return overlap(sample.question or "", texts)


def _coverage(
    unique: Sequence[Sample], gold: Mapping[str, frozenset[int]], corpus: Corpus
) -> Coverage:
    answerable = frozenset[int]().union(*gold.values())
    return Coverage(corpus, answerable, passages_declined(unique, corpus))


def _easy(difficulty: float | None) -> Iterator[Finding]:
    if difficulty is not None and difficulty >= _EASY:
        text = f"{100 * difficulty:.0f} % of a question's content words stand in its source"
        yield Finding("difficulty", "note", text, "add questions in your users' own words")


def _ranks(
    rows: Iterable[Sample], gold: Mapping[str, frozenset[int]], corpus: Corpus
) -> dict[str, int]:
    """How many questions have the best of their passages where, by the question's rare words."""
    counts = Counter[str]()
    for sample in rows:
        if sample.id in gold:
            nearest = corpus.nearest(sample.question or "", _DEEP)
            rank = next((n for n, number in enumerate(nearest) if number in gold[sample.id]), _DEEP)
            counts["first" if rank == 0 else "2 to 10" if rank < _DEEP else "below 10"] += 1
    return {name: counts[name] for name in ("first", "2 to 10", "below 10")} if counts else {}


def _ask(
    unique: Sequence[Sample],
    sources: Mapping[str, Sequence[str]],
    judge: Any,
    store: str | Path,
    settings: Settings | None,
) -> JudgeEvidence | None:
    rows = [s for s in unique if s.reference and not is_unanswerable(s) and not s.turns]
    if judge is None or not rows:
        return None
    # What a system retrieved need not be where the reference is from.
    sources_named = {
        s.id: sources[s.id] for s in rows if sources.get(s.id, s.contexts) != s.contexts
    }
    return ask(rows, sources_named, judge=judge, store=store, settings=settings)


def _of_judge(unique: Sequence[Sample], judged: JudgeEvidence | None) -> Iterator[Finding]:
    """References that their sources do not support, what a judge did not say, and leaks."""
    if judged and judged.unsupported:
        rows = tuple((row, f"'{text}'") for row, text in judged.unsupported.items())
        text = f"not supported by its source, says {judged.judge}"
        yield Finding("support", "note", text, "read them beside their sources", rows)
    if judged and (judged.failed or judged.stopped):
        text = judged.stopped or f"{judged.judge} said nothing usable"
        yield Finding("judge", "note", text, "ask again", tuple(judged.failed.items()))
    yield from _leaks(unique, judged)


def _leaks(unique: Sequence[Sample], judged: JudgeEvidence | None) -> Iterator[Finding]:
    """Questions that are answered without retrieval; else that this is not known."""
    if judged is not None and judged.asked:
        if judged.leaked:
            rows = tuple((row, f"answered '{text}'") for row, text in judged.leaked.items())
            text = f"at least {len(rows)} of {judged.asked} answered closed-book by {judged.judge}"
            remedy = "they test what the model knows, not retrieval: ask for what only you know"
            yield Finding("leaks", "note", text, remedy, rows)
        return
    guessable = sum(map(is_guessable, unique))
    text = "not known which questions are answered without retrieval: no model was asked"
    if guessable:
        text += f"; a guess is right half of the time on {guessable} that offer two answers"
    remedy = (
        "name one that writes: --judge openai:MODEL; of public facts, expect most to be known: a "
        "strong model answered 47 of 59 questions of CLAP NQ without any source"
    )
    yield Finding("leaks", "note", text, remedy)


_OF_RUNS: Final = {
    "inverted": (
        *("wrong keys", "better runs miss it and worse ones get it"),
        "read whether the reference is right",
    ),
    "all wrong": (
        *("all wrong", "no run gets it right"),
        "read whether the reference is right and the documents hold it",
    ),
    "all right": ("all right", "every run gets it right", "it tells no two of them apart"),
}


def _of_runs(unique: Sequence[Sample], runs: RunEvidence | None) -> Iterator[Finding]:
    """Questions whose results say that something may be wrong with them."""
    for flag, (check, text, remedy) in _OF_RUNS.items():
        rows = tuple(
            (s.id, _quote_question(s))
            for s in unique
            if runs and runs.flags.get(s.question or "") == flag
        )
        if rows and runs:
            yield Finding(check, "note", f"{text} ({runs.metric}, {runs.runs} runs)", remedy, rows)


def _form_findings(*, generated: bool) -> Iterator[Finding]:
    if generated:
        text = (
            "the questions are generated: such sets ranked retrievers as people's questions did, "
            "and generators not (van Elburg et al. 2025, arXiv 2508.11758)"
        )
        remedy = "add questions of real users before you compare models that write answers"
        yield Finding("generated", "note", text, remedy)


def _languages(unique: Sequence[Sample]) -> Iterator[Finding]:
    rows = [
        (s.id, f"{language_name(code)}: {_quote_question(s)}")
        for s in unique
        if (code := other_language([s.question or ""]))
    ]
    if rows and len(rows) < len(unique):
        remedy = "give each language enough questions of its own, and compare within it"
        text = "not in the language of the others"
        yield Finding("languages", "note", text, remedy, tuple(rows))


def _personal(rows: Sequence[Sample]) -> Iterator[Finding]:
    flagged = [
        (sample.id, f"{kind}: {text}")
        for sample in rows
        for kind, text in personal_data(f"{sample.question}\n{sample.reference or ''}")
    ]
    if flagged:
        remedy = "replace it by invented data, such as an address at example.com"
        yield Finding("personal data", "fault", "looks like personal data", remedy, tuple(flagged))


def _ranking(rows: Sequence[Sample], easy: Mapping[str, bool]) -> Iterator[Finding]:
    """Whether retrievers are ranked by chance: the words of a question are those of its answer."""
    plain = sum("template" in s.metadata and not s.metadata.get("style") for s in rows)
    share = fmean(easy.values()) if easy else 0.0
    remedy = "rank retrievers by users' questions, or by keywords (`style` in --plan)"
    if plain > len(rows) / 2:
        text = (
            f"{plain} of {len(rows)} questions are asked by rules in the words of one sentence: "
            "such ones ranked six retrievers as people's questions did over one of four corpora"
        )
        yield Finding("retrievers", "note", text, remedy)
    elif share >= _TOO_EASY:
        text = (
            f"BM25 finds the evidence of {100 * share:.0f} % of {len(easy)} questions first, in "
            f"passages of {PASSAGE} and of {_SHORT} words: few are left to tell retrievers apart"
        )
        yield Finding("retrievers", "note", text, remedy)
