"""The sources of a test set's references: passages that are named, or sought in the corpus."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assay._text.words import BM25, recall, stems
from assay.sample import Sample
from assay.testset.checks import comparable
from assay.testset.passages import Corpus
from assay.testset.questions import is_unanswerable

PASSAGE: Final = 200  # words, as `assay testset` cuts documents
_VERBATIM: Final = 5  # words from which on a text that stands in a passage word for word is from it
_NEAR: Final = 20  # passages of which one may hold it so
_TRACED: Final = 0.5  # of a reference's content words stand in a passage that may be its source


def sources_of(rows: Iterable[Sample], corpus: Corpus) -> dict[str, tuple[str, ...]]:
    """The texts that each row's reference comes from: named, of the corpus, or retrieved."""
    texts_of = dict[str, tuple[str, ...]]()
    for sample in rows:
        texts = sample.reference_contexts or ()
        if not texts and sample.reference and not is_unanswerable(sample):
            near = _nearest(f"{sample.question} {sample.reference}", sample.reference, corpus)
            texts = () if near is None else (corpus.passages[near].text,)
        if texts or sample.contexts:
            texts_of[sample.id] = texts or sample.contexts or ()
    return texts_of


def passages_asked(
    rows: Iterable[Sample], sources: Mapping[str, Sequence[str]], corpus: Corpus
) -> dict[str, frozenset[int]]:
    """The numbers of the passages that each question's sources are in; none without any."""
    numbers = dict[str, frozenset[int]]()
    for sample in rows:
        texts = () if is_unanswerable(sample) else sources.get(sample.id, ())
        near = frozenset(_named(text, sample, corpus) for text in texts)
        if held := frozenset(number for number in near if number is not None):
            numbers[sample.id] = held
    return numbers


def passages_declined(rows: Iterable[Sample], corpus: Corpus) -> frozenset[int]:
    """The numbers of the passages that unanswerable questions name, in texts or as their source."""
    numbers = set[int]()
    for sample in filter(is_unanswerable, rows):
        texts = sample.reference_contexts or sample.contexts or ()
        numbers |= {at for text in texts if (at := _named(text, sample, corpus)) is not None}
        for place in sample.metadata.get("source") or ():  # as `assay testset` writes it
            numbers |= {
                number
                for number, each in enumerate(corpus.passages)
                if isinstance(place, Mapping)
                and each.document == place.get("document")
                and each.start < place.get("end", 0)
                and place.get("start", 0) < each.end
            }
    return frozenset(numbers)


def _named(text: str, sample: Sample, corpus: Corpus) -> int | None:
    """The passage that holds a text, or that a longer one holds and the question is about."""
    if (near := _nearest(text, text, corpus)) is not None:
        return near
    plain = comparable(text)
    parts = [n for n in corpus.nearest(text, _NEAR) if comparable(corpus.passages[n].text) in plain]
    wanted = set(stems(f"{sample.question} {sample.reference or ''}"))
    held = {number: recall(wanted, set(stems(corpus.passages[number].text))) for number in parts}
    return max(parts, key=held.__getitem__, default=None)


def _nearest(text: str, held: str, corpus: Corpus) -> int | None:
    """The nearest passage that holds a text word for word, or has most of its content words."""
    near, plain = corpus.nearest(text, _NEAR), comparable(held)
    if len(plain.split()) >= _VERBATIM:
        for number in near:
            if plain in comparable(corpus.passages[number].text):
                return number
    for number in near[:1]:
        if recall(set(stems(held)), set(stems(corpus.passages[number].text))) >= _TRACED:
            return number
    return None


def found_first(
    rows: Iterable[Sample], gold: Mapping[str, frozenset[int]], corpus: Corpus, short: Corpus
) -> dict[str, bool]:
    """Whether BM25 finds a question's evidence first, in long and in short passages.

    Args:
        rows: The questions.
        gold: The numbers of the passages of `corpus` that each is about.
        corpus: The documents in long passages.
        short: The same documents in short ones.
    """
    by_words = [BM25(each.text for each in one.passages) for one in (corpus, short)]
    within = defaultdict[str, list[int]](list)
    for number, each in enumerate(short.passages):
        within[each.document].append(number)
    first = dict[str, bool]()
    for sample in rows:
        evidence = set(stems(_evidence(sample)))
        shares = {
            number: recall(evidence, set(stems(short.passages[number].text)))
            for at in gold.get(sample.id, ())
            for long in [corpus.passages[at]]
            for number in within[long.document]
            if short.passages[number].start < long.end and long.start < short.passages[number].end
        }
        if not shares:
            continue
        best = {number for number, share in shares.items() if share == max(shares.values())}
        held = (gold[sample.id], best)
        tops = [int(one.scores(sample.question or "").argmax()) for one in by_words]
        first[sample.id] = all(top in numbers for top, numbers in zip(tops, held, strict=True))
    return first


def _evidence(sample: Sample) -> str:
    """The words that a reference rests on, as `assay testset` quotes them, or else its own."""
    quotes = sample.metadata.get("quotes")
    return " ".join(map(str, quotes)) if isinstance(quotes, list) else sample.reference or ""
