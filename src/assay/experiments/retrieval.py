"""Retrieval for experiments: documents in chunks, an index, and what should be retrieved."""

import bisect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from assay._analysis.comparability import GOLD_RANGES
from assay._text.sentences import spans
from assay._text.words import BM25, fused
from assay.data import Record, Source, values_of
from assay.errors import InputError
from assay.judge import Judge
from assay.sample import Sample
from assay.tasks import Embed
from assay.testset.documents import Document
from assay.testset.passages import sections

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from assay.judges.embedded.embedding import Encoder


Chunker: TypeAlias = Literal["fixed", "sentence", "recursive", "heading", "semantic"]
Retriever: TypeAlias = Literal["bm25", "embedding", "hybrid"]
Range: TypeAlias = tuple[int, int]  # first character, and the one after the last
Levels: TypeAlias = Sequence[Callable[[str], Iterable[Range]]]

_DEPTH: Final = 100  # ranks of each ranking that are fused
_FEWEST: Final = 6  # sentences of a document that has topics
_BESIDE: Final = 3  # sentences that are embedded together
_BORDERS: Final = 0.2  # share of the gaps between sentences at which a topic ends
_BATCH: Final = 512  # texts that are embedded before their vectors are packed
# A word; of what is written without spaces, a character.
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD: Final = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")
_PARAGRAPH: Final = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_LINE: Final = re.compile(r"\S[^\n]*")


def _matches(pattern: re.Pattern[str]) -> Callable[[str], Iterable[Range]]:
    return lambda text: (match.span() for match in pattern.finditer(text))


def _sentences(text: str) -> Iterable[Range]:
    """The sentences, each with what stands before it in its line and after it (marks, code)."""
    borders, end = [0], 0
    for start, after in spans(text):
        if end:
            borders.append(text.rfind("\n", end, start) + 1 or start)
        end = after
    return pairwise([*borders, len(text)])


_LEVELS: Final[Mapping[str, Levels]] = {
    "fixed": (_matches(_WORD),),
    "sentence": (_sentences, _matches(_WORD)),
    "recursive": (_matches(_PARAGRAPH), _matches(_LINE), _sentences, _matches(_WORD)),
}
_LIKE: Final = {"heading": "recursive", "semantic": "sentence"}  # between their borders


def _topics(text: str) -> list[int]:
    """Where the topic changes: sentences that lie farthest from those before them.

    The neighbours on either side are embedded together (the shipped model), and one in five of a
    document's gaps is a border: those of the greatest cosine distance.
    """
    import numpy as np

    pieces = list(_sentences(text))
    if len(pieces) < _FEWEST:
        return []
    starts = [start for start, _ in pieces]
    ends = [*starts[_BESIDE:], *[len(text)] * _BESIDE]
    vectors = _encoder().encode([text[a:b] for a, b in zip(starts, ends, strict=True)])
    # What begins with sentence n against what ends before it.
    n = len(pieces)
    distances = [1 - float(vectors[max(0, i - _BESIDE)] @ vectors[i]) for i in range(1, n)]
    limit = float(np.quantile(distances, 1 - _BORDERS))
    return [starts[i] for i, far in enumerate(distances, start=1) if far > limit]


@lru_cache(maxsize=1)
def _encoder() -> "Encoder":
    from assay.judges.embedded.embedding import Encoder

    return Encoder()


_SPLITS: Final[Mapping[str, Callable[[str], Iterable[int]]]] = {
    "heading": sections,
    "semantic": _topics,
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document that is retrieved as one."""

    document: str  # id of the document
    start: int  # its first character there
    end: int  # the character after its last one
    text: str  # the stretch, exactly as it stands there

    @property
    def id(self) -> str:
        """``document#start-end``."""
        return f"{self.document}#{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut."""

    # "fixed" counts words; "sentence" keeps sentences whole; "recursive" paragraphs, or else lines,
    # sentences, words; "heading" does so within the sections of a document, "semantic" keeps
    # sentences whole between places where the topic changes.
    chunker: Chunker = "sentence"
    size: int = 200  # words of a chunk, at most
    overlap: int = 0  # words at the end of a chunk with which the next one begins again, at most

    def cut(self, document: Document) -> Iterator[Chunk]:
        """The chunks of a document, in order."""
        text, chunker = document.text, self.chunker
        split = _SPLITS.get(chunker)
        borders = [0, *(split(text) if split else ()), len(text)]
        levels = _LEVELS[_LIKE.get(chunker, chunker)]
        for start, end in pairwise(borders):
            pieces = list(_uncut_pieces(text[start:end], start, self.size, levels))
            for first, last in _pack([size for _, _, size in pieces], self.size, self.overlap):
                a, b = pieces[first][0], pieces[last][1]
                yield Chunk(document.id, a, b, text[a:b])


def _uncut_pieces(
    text: str, offset: int, size: int, levels: Levels
) -> Iterator[tuple[int, int, int]]:
    """(start, end, words) of what is not to be cut, each of `size` words at most."""
    for start, end in levels[0](text):
        piece = text[start:end].strip()
        words = sum(1 for _ in _WORD.finditer(piece))
        first = offset + text.index(piece, start)
        if words > size and len(levels) > 1:
            yield from _uncut_pieces(piece, first, size, levels[1:])
        elif words:
            yield first, first + len(piece), words


def _pack(sizes: Sequence[int], max_words: int, overlap: int) -> Iterator[tuple[int, int]]:
    """First and last piece of each chunk."""
    first, words = 0, 0
    for last, size in enumerate(sizes):
        if words and words + size > max_words:
            yield first, last - 1
            repeated = 0
            first = last
            while repeated + sizes[first - 1] <= min(overlap, max_words - size):
                first -= 1
                repeated += sizes[first]
            words = repeated
        words += size
    if sizes:
        yield first, len(sizes) - 1


class Index:
    """Chunks of documents, found by words and by meaning; each part is made when it is needed."""

    def __init__(self, documents: Iterable[Document], chunking: Chunking) -> None:
        self.chunks = [chunk for document in documents for chunk in chunking.cut(document)]
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    @cached_property
    def bm25(self) -> BM25:
        """The chunks by their words."""
        return BM25(chunk.text for chunk in self.chunks)

    @cached_property
    def by_id(self) -> Mapping[str, Chunk]:
        """The chunks by their ids."""
        return {chunk.id: chunk for chunk in self.chunks}

    @cached_property
    def by_document(self) -> Mapping[str, Sequence[Chunk]]:
        """The chunks of each document."""
        grouped: dict[str, list[Chunk]] = {}
        for chunk in self.chunks:
            grouped.setdefault(chunk.document, []).append(chunk)
        return grouped

    async def embed(self, embedder: str, judge: Judge) -> None:
        """Make the vectors of all chunks, unless an embedder of that name has."""
        if embedder not in self._vectors:
            texts = [chunk.text for chunk in self.chunks]
            batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
            self.add_vectors(embedder, [await vectors_of(batch, judge) for batch in batches])

    def add_vectors(self, embedder: str, parts: Sequence["npt.NDArray[np.float32]"]) -> None:
        """Take vectors of the chunks, in order, each of Euclidean length 1."""
        import numpy as np

        self._vectors[embedder] = np.concatenate(parts)

    def by_words(self, question: str, depth: int) -> "npt.NDArray[np.int_]":
        """Numbers of the chunks that share words with a question, the best first."""
        scores = self.bm25.scores(question)
        ranking = best(scores, depth)
        return ranking[scores[ranking] > 0]

    def by_vector(
        self, embedder: str, vector: "npt.NDArray[np.float32]", depth: int
    ) -> "npt.NDArray[np.int_]":
        """Numbers of the chunks nearest to a vector by cosine, the best first."""
        return best(self._vectors[embedder] @ vector, depth)

    def by_both(
        self, question: str, embedder: str, vector: "npt.NDArray[np.float32]", depth: int
    ) -> "npt.NDArray[np.int_]":
        """Both rankings by reciprocal rank fusion, the best first."""
        n_ranked = max(depth, _DEPTH)
        rankings = [self.by_words(question, n_ranked), self.by_vector(embedder, vector, n_ranked)]
        return best(fused(rankings, len(self.chunks)), depth)


async def vectors_of(texts: Sequence[str], judge: Judge) -> "npt.NDArray[np.float32]":
    """The embeddings of texts, each of Euclidean length 1."""
    import numpy as np

    vectors = np.array(await judge.each([Embed(text) for text in texts]), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def best(scores: "npt.NDArray[Any]", depth: int) -> "npt.NDArray[np.int_]":
    """Numbers of the highest scores, the best first; of equal ones the first."""
    import numpy as np

    n = len(scores)
    if depth < n:
        threshold = np.partition(scores, n - depth)[n - depth]
        candidates = np.flatnonzero(scores >= threshold)
    else:
        candidates = np.arange(n)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:depth]


SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Gold:
    """A stretch of a document that should be retrieved, however the document is cut."""

    document: str  # id of the document
    start: int  # its first character there
    end: int  # the character after its last one

    def covered(self, chunk: Chunk) -> float:
        """How much of the shorter of the two the other one covers, in [0, 1]."""
        shared = min(self.end, chunk.end) - max(self.start, chunk.start)
        shorter = min(self.end - self.start, chunk.end - chunk.start)
        return max(0, shared) / max(1, shorter)


def relevant_ids(
    golds: Iterable[Gold], index: Index, retrieved: Sequence[str] = (), share: float = SHARE
) -> list[str]:
    """The chunk that stands for each gold range: the first retrieved one that covers it.

    A chunk covers a range if `share` of the shorter of the two is common to both. Where no such
    chunk was retrieved, the one that covers most of the range stands for it. So recall is the
    share of ranges that were found, over the same number of ranges however documents are cut.
    """
    ranks = {name: rank for rank, name in enumerate(retrieved)}
    names = []
    for gold in golds:
        covers = {chunk.id: gold.covered(chunk) for chunk in index.by_document[gold.document]}
        retrieved_ones = [name for name in covers if name in ranks and covers[name] >= share]
        if retrieved_ones:
            names.append(min(retrieved_ones, key=ranks.__getitem__))
        elif covers:
            names.append(max(covers, key=covers.__getitem__))
    return list(dict.fromkeys(names))


class GoldFinder:
    """Finds in documents what samples say should have been retrieved."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._lengths = {document.id: len(document.text) for document in documents}
        stems = [document.id.rpartition(".")[0] for document in documents]
        once = {stem for stem, n in Counter(stems).items() if stem and n == 1}
        pairs = zip(stems, documents, strict=True)
        self._by_stem = {stem: document.id for stem, document in pairs if stem in once}
        self._names = [document.id for document in documents]
        self._all = "\0".join(document.text for document in documents)
        self._starts = [0]
        for document in documents[:-1]:
            self._starts.append(self._starts[-1] + len(document.text) + 1)

    def find(self, sample: Sample) -> list[Gold] | None:
        """The stretches that a sample names, None if it names none.

        They are ranges in its column `evidence`, or else `source` (``{"document": ..., "start":
        ..., "end": ...}``), or ids (of documents, with or without the extension of a file, or
        ``document#start-end``), or texts that stand in the documents.

        Raises:
            InputError: If one is not in the documents.
        """
        told = sample.metadata
        ranges = told.get(GOLD_RANGES, _evidence(sample) or told.get("source"))
        if sample.answerable is False and _evidence(sample) == []:
            ranges = []  # `source` is what it was written about, and holds no answer
        if isinstance(ranges, list) and all(isinstance(item, Mapping) for item in ranges):
            return [self._of_range(item) for item in ranges]
        ids = sample.reference_context_ids
        if ids is None and sample.relevance_grades is not None:
            ids = tuple(i for i, grade in sample.relevance_grades.items() if grade > 0)
        texts = sample.reference_contexts
        if ids is not None:
            golds = [self._of_id(name) for name in ids]
            if None not in golds:
                return [gold for gold in golds if gold]
            if texts is None:
                name = ids[golds.index(None)]
                raise InputError(
                    f"'{name}' is no document of the corpus",
                    f"name documents by their ids, such as '{self._names[0]}'",
                )
        return None if texts is None else [self._of_text(text) for text in texts]

    def _of_range(self, source: Mapping[str, Any]) -> Gold:
        document, start, end = (source.get(name) for name in ("document", "start", "end"))
        length = self._lengths.get(document) if isinstance(document, str) else None
        is_range = isinstance(start, int) and isinstance(end, int)
        if length is None or not is_range or not 0 <= start < end <= length:  # type: ignore[operator]
            fault = f"the source {dict(source)} is no range of a document of the corpus"
            raise InputError(fault, 'such as {"document": "a.txt", "start": 0, "end": 120}')
        return Gold(document, start, end)  # type: ignore[arg-type]

    def _of_id(self, name: str) -> Gold | None:
        document = name if name in self._lengths else self._by_stem.get(name)
        if document is not None:
            return Gold(document, 0, self._lengths[document])
        document, _, numbers = name.rpartition("#")
        start, dash, end = numbers.partition("-")
        if document in self._lengths and dash and start.isdecimal() and end.isdecimal():
            return Gold(document, int(start), int(end))
        return None

    def _of_text(self, text: str) -> Gold:
        text = text.strip()
        begin = self._all.find(text) if text else -1
        end = begin + len(text)
        if begin < 0 and text:  # line breaks elsewhere do not make it another text
            match = re.search(r"\s+".join(map(re.escape, text.split())), self._all)
            begin, end = match.span() if match else (-1, -1)
        if begin < 0:
            fault = f"the reference context '{text[:60]}' does not stand in the corpus"
            raise InputError(fault, "give its text as it stands there, or its document and range")
        number = bisect.bisect_right(self._starts, begin) - 1
        start = self._starts[number]
        return Gold(self._names[number], begin - start, end - start)


def _evidence(sample: Sample) -> list[Any] | None:
    """Where the words stand that bear the answer out, as `assay testset` writes them."""
    places = sample.metadata.get("evidence")
    is_places = isinstance(places, list) and all(
        isinstance(place, Mapping) and place.keys() >= {"document", "start", "end"}
        for place in places
    )
    return places if is_places else None


def names_gold(sample: Sample) -> bool:
    """Whether a sample says in any way what should be retrieved."""
    fields = (sample.reference_context_ids, sample.relevance_grades, sample.reference_contexts)
    return "source" in sample.metadata or any(value is not None for value in fields)


def with_ranges(
    source: Source, finder: GoldFinder, index: Callable[[], Index], *, strict: bool
) -> Source:
    """The rows, each with the ranges that should be retrieved and the chunks that stand for them.

    A row whose gold is not in the documents has a problem, or stays as it is unless `strict`.

    Raises:
        InputError: If `strict`, and no row names any.
    """
    if strict and not any(names_gold(row.sample) for row in source if row.sample):
        fault = "no question says what should be retrieved, and a metric of rankings needs it"
        remedy = "give source, reference_context_ids or reference_contexts, or --judge-retrieval"
        raise InputError(fault, remedy)

    def records() -> Iterator[Record]:
        for row in source:
            sample = row.sample
            if sample is None:
                yield row.record
                continue
            try:
                golds = finder.find(sample)
            except InputError as error:
                if strict:
                    problem = replace(error.problems[0], row=row.number)
                    yield replace(row.record, values=None, problem=problem)
                    continue
                golds = None
            if golds is not None:
                metadata = {**sample.metadata, GOLD_RANGES: [asdict(gold) for gold in golds]}
                ids = tuple(relevant_ids(golds, index()))
                sample = replace(
                    sample, reference_context_ids=ids, relevance_grades=None, metadata=metadata
                )
            yield Record(row.number, values_of(sample), form="sample")

    return Source(source.name, records)


def with_retrieved(values: dict[str, Any], index: Index, share: float) -> dict[str, Any]:
    """The values of an answered sample, in which gold that was retrieved has the id it came by."""
    golds = [Gold(**gold) for gold in values["metadata"][GOLD_RANGES]]
    ids = relevant_ids(golds, index, values.get("context_ids") or (), share)
    return {**values, "reference_context_ids": ids}
