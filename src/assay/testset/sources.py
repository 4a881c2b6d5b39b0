"""Where references come from: passages named or sought, and what of a corpus they cover."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assay._text.quotes import comparable
from assay._text.words import BM25, recall, stem, stems, words
from assay.sample import Sample
from assay.testset.checks import Finding
from assay.testset.passages import Corpus
from assay.testset.questions import is_unanswerable

PASSAGE: Final = 200  # words, as `assay testset` cuts documents
_VERBATIM: Final = 5  # words from which on a text that stands in a passage word for word is from it
_NEAR: Final = 20  # passages of which one may hold it so
_TRACED: Final = 0.5  # of a reference's content words stand in a passage that may be its source
_FEWEST_PASSAGES: Final = 20  # passages, so that it is worth telling topics
_MAX_TOPICS: Final = 24
_COMMON: Final = 0.3  # of the passages have a word that says nothing of a topic
_DIMENSIONS: Final = 50  # of the space in which passages are near that use other words together
_STARTS: Final = 5
_NAMES: Final = 3  # words that name a topic


def sources_of(rows: Iterable[Sample], corpus: Corpus) -> dict[str, tuple[str, ...]]:
    """The texts that each row's reference comes from: named, of the corpus, or retrieved."""
    texts_of = dict[str, tuple[str, ...]]()
    for sample in rows:
        texts = sample.reference_contexts or ()
        if not texts and sample.reference and not is_unanswerable(sample):
            nearest = _nearest_passage(
                f"{sample.question} {sample.reference}", sample.reference, corpus
            )
            texts = () if nearest is None else (corpus.passages[nearest].text,)
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
        numbers_named = frozenset(_passage_named(text, sample, corpus) for text in texts)
        if known := frozenset(number for number in numbers_named if number is not None):
            numbers[sample.id] = known
    return numbers


def passages_declined(rows: Iterable[Sample], corpus: Corpus) -> frozenset[int]:
    """The numbers of the passages that unanswerable questions name, in texts or as their source."""
    numbers = set[int]()
    for sample in filter(is_unanswerable, rows):
        texts = sample.reference_contexts or sample.contexts or ()
        numbers |= {
            number for text in texts if (number := _passage_named(text, sample, corpus)) is not None
        }
        for source in sample.metadata.get("source") or ():  # as `assay testset` writes it
            numbers |= {
                number
                for number, passage in enumerate(corpus.passages)
                if isinstance(source, Mapping)
                and passage.document == source.get("document")
                and passage.start < source.get("end", 0)
                and source.get("start", 0) < passage.end
            }
    return frozenset(numbers)


def _passage_named(text: str, sample: Sample, corpus: Corpus) -> int | None:
    """The passage that holds a text, or that a longer one holds and the question is about."""
    if (nearest := _nearest_passage(text, text, corpus)) is not None:
        return nearest
    plain = comparable(text)
    inner_passages = [
        n for n in corpus.nearest(text, _NEAR) if comparable(corpus.passages[n].text) in plain
    ]
    wanted_stems = set(stems(f"{sample.question} {sample.reference or ''}"))
    shares = {n: recall(wanted_stems, stems(corpus.passages[n].text)) for n in inner_passages}
    return max(inner_passages, key=shares.__getitem__, default=None)


def _nearest_passage(text: str, reference: str, corpus: Corpus) -> int | None:
    """The nearest passage that holds a text word for word, or has most of its content words."""
    nearest, plain = corpus.nearest(text, _NEAR), comparable(reference)
    if len(plain.split()) >= _VERBATIM:
        for number in nearest:
            if plain in comparable(corpus.passages[number].text):
                return number
    for number in nearest[:1]:
        if recall(stems(reference), stems(corpus.passages[number].text)) >= _TRACED:
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
    by_words = [BM25(passage.text for passage in split.passages) for split in (corpus, short)]
    within = defaultdict[str, list[int]](list)
    for number, passage in enumerate(short.passages):
        within[passage.document].append(number)
    first = dict[str, bool]()
    for sample in rows:
        evidence = set(stems(_evidence(sample)))
        shares = {
            number: recall(evidence, stems(short.passages[number].text))
            for long_number in gold.get(sample.id, ())
            for long in [corpus.passages[long_number]]
            for number in within[long.document]
            if short.passages[number].start < long.end and long.start < short.passages[number].end
        }
        if not shares:
            continue
        best = {number for number, share in shares.items() if share == max(shares.values())}
        golds = (gold[sample.id], best)
        tops = [int(index.scores(sample.question or "").argmax()) for index in by_words]
        first[sample.id] = all(top in numbers for top, numbers in zip(tops, golds, strict=True))
    return first


def _evidence(sample: Sample) -> str:
    """The words that a reference rests on, as `assay testset` quotes them, or else its own."""
    quotes = sample.metadata.get("quotes")
    return " ".join(map(str, quotes)) if isinstance(quotes, list) else sample.reference or ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The passages of a corpus that questions are about.

    Attributes:
        corpus: The passages.
        answerable: Numbers of those that an answerable question is about.
        declined: Numbers of those that an unanswerable one names.
    """

    corpus: Corpus
    answerable: frozenset[int]
    declined: frozenset[int]

    def of(self, names: Mapping[int, str]) -> dict[str, tuple[int, int]]:
        """Of each group of passages: how many an answerable question is about, and all."""
        counts = defaultdict[str, list[int]](lambda: [0, 0])
        for number, name in names.items():
            counts[name][0] += number in self.answerable
            counts[name][1] += 1
        return {name: (covered, total) for name, (covered, total) in counts.items()}

    def documents(self) -> dict[int, str]:
        """The document of each passage."""
        return {number: passage.document for number, passage in enumerate(self.corpus.passages)}

    def sections(self) -> dict[int, str]:
        """The document and section of each passage, of the documents that questions are about."""
        digests = self.of(self.documents())
        return {
            number: f"{passage.document}\n{heading}"
            for number, passage in enumerate(self.corpus.passages)
            if (heading := passage.title.removeprefix(passage.document).removeprefix(" > "))
            and digests[passage.document][0]
        }


def uncovered(coverage: Coverage, topics: Mapping[int, str]) -> Iterator[Finding]:
    """Documents, sections and topics that no answerable question is about."""
    remedy = "ask about those that matter, or leave them out"
    kinds = (
        ("coverage", "documents", coverage.documents()),
        ("sections", "sections of documents that have one", coverage.sections()),
        ("topics", "topics", topics),
    )
    for check, groups_name, names in kinds:
        groups = coverage.of(names)
        declined = {names[number] for number in coverage.declined if number in names}
        rows = list[tuple[str, str]]()
        for name, (covered, total) in groups.items():
            if covered:
                continue
            document, _, heading = name.partition("\n")
            size = heading or f"{total} {'passage' if total == 1 else 'passages'}"
            rows.append((document, size + "; unanswerable questions alone" * (name in declined)))
        if rows:
            text = f"no answerable question about {len(rows)} of {len(groups)} {groups_name}"
            yield Finding(check, "note", text, remedy, tuple(rows))


def topics_of(corpus: Corpus) -> dict[int, str]:
    """The topic of each passage, named by its most telling words; {} for a small corpus.

    Passages that use words of one kind together are near (latent semantic analysis), and near ones
    are a topic (k-means, about as many as the root of half the passages).
    """
    from scipy.cluster.vq import kmeans2
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import svds

    n = len(corpus.passages)
    counts = [Counter(stems(f"{passage.title} {passage.text}")) for passage in corpus.passages]
    spread = Counter(stem for count in counts for stem in count)
    terms = sorted(
        stem
        for stem, n_passages in spread.items()
        if 2 <= n_passages <= _COMMON * n and stem.isalpha() and len(stem) > 2
    )
    if n < _FEWEST_PASSAGES or len(terms) < _FEWEST_PASSAGES:
        return {}
    column = {term: index for index, term in enumerate(terms)}
    cells = [
        (row, column[s], (1 + math.log(times)) * math.log(n / spread[s]))
        for row, count in enumerate(counts)
        for s, times in count.items()
        if s in column
    ]
    rows, columns, values = zip(*cells, strict=True)
    table = csr_matrix((values, (rows, columns)), shape=(n, len(terms)))
    dimensions = min(_DIMENSIONS, n - 1, len(terms) - 1)
    left, scale, _ = svds(table, k=dimensions, random_state=np.random.default_rng(0))
    points = left * scale
    points /= np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-9)
    k = min(_MAX_TOPICS, round(math.sqrt(n / 2)))
    clusterings = [kmeans2(points, k, minit="++", seed=seed) for seed in range(_STARTS)]
    _, labels = min(
        clusterings,
        key=lambda clustering: float(((points - clustering[0][clustering[1]]) ** 2).sum()),
    )
    forms = _forms(corpus)
    return {
        number: name
        for label in np.unique(labels)
        for members in [np.flatnonzero(labels == label)]
        for weights in [np.asarray(table[members].sum(axis=0)).ravel()]
        for name in [", ".join(forms[terms[index]] for index in np.argsort(-weights)[:_NAMES])]
        for number in members.tolist()
    }


def _forms(corpus: Corpus) -> dict[str, str]:
    """The word of each stem that is met most."""
    forms = Counter(word for passage in corpus.passages for word in words(passage.text))
    return {stem(word): word for word, _ in reversed(forms.most_common())}
