"""Gold: what should be retrieved, as ranges of documents, which survive another chunking."""

import bisect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from assay._analysis.comparability import GOLD_RANGES
from assay.data import Record, Source, values_of
from assay.errors import InputError
from assay.experiments.retrieval import Chunk, Index
from assay.sample import Sample
from assay.testset.documents import Document

SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Gold:
    """A stretch of a document that should be retrieved, however the document is cut.

    Attributes:
        document: Id of the document.
        start: Its first character there.
        end: The character after its last one.
    """

    document: str
    start: int
    end: int

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
        found = [name for name in covers if name in ranks and covers[name] >= share]
        if found:
            names.append(min(found, key=ranks.__getitem__))
        elif covers:
            names.append(max(covers, key=covers.__getitem__))
    return list(dict.fromkeys(names))


class GoldFinder:
    """Finds in documents what samples say should have been retrieved.

    Args:
        documents: The documents.
    """

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

        They are ranges in its column `source` (``{"document": ..., "start": ..., "end": ...}``), or
        ids (of documents, with or without the extension of a file, or ``document#start-end``), or
        texts that stand in the documents.

        Raises:
            InputError: If one is not in the documents.
        """
        ranges = sample.metadata.get(GOLD_RANGES, sample.metadata.get("source"))
        if isinstance(ranges, list) and all(isinstance(one, Mapping) for one in ranges):
            return [self._of_range(one) for one in ranges]
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

    def _of_range(self, given: Mapping[str, Any]) -> Gold:
        document, start, end = (given.get(name) for name in ("document", "start", "end"))
        length = self._lengths.get(document) if isinstance(document, str) else None
        whole = isinstance(start, int) and isinstance(end, int)
        if length is None or not whole or not 0 <= start < end <= length:  # type: ignore[operator]
            what = f"the source {dict(given)} is no range of a document of the corpus"
            raise InputError(what, 'such as {"document": "a.txt", "start": 0, "end": 120}')
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
        at = self._all.find(text) if text else -1
        end = at + len(text)
        if at < 0 and text:  # line breaks elsewhere do not make it another text
            match = re.search(r"\s+".join(map(re.escape, text.split())), self._all)
            at, end = match.span() if match else (-1, -1)
        if at < 0:
            what = f"the reference context '{text[:60]}' does not stand in the corpus"
            raise InputError(what, "give its text as it stands there, or its document and range")
        number = bisect.bisect_right(self._starts, at) - 1
        start = self._starts[number]
        return Gold(self._names[number], at - start, end - start)


def with_ranges(source: Source, finder: GoldFinder, index: Index) -> Source:
    """The rows, each with the ranges that should be retrieved and the chunks that stand for them.

    A row whose gold is not in the documents has a problem.
    """

    def records() -> Iterator[Record]:
        for row in source:
            sample = row.sample
            if sample is None:
                yield row.record
                continue
            try:
                golds = finder.find(sample)
            except InputError as error:
                problem = replace(error.problems[0], row=row.number)
                yield replace(row.record, values=None, problem=problem)
                continue
            if golds is not None:
                metadata = {**sample.metadata, GOLD_RANGES: [asdict(gold) for gold in golds]}
                ids = tuple(relevant_ids(golds, index))
                sample = replace(
                    sample, reference_context_ids=ids, relevance_grades=None, metadata=metadata
                )
            yield Record(row.number, values_of(sample), form="sample")

    return Source(source.name, records)


def with_retrieved(values: dict[str, Any], index: Index, share: float) -> dict[str, Any]:
    """The values of an answered sample, in which gold that was retrieved has the id it came by."""
    golds = [Gold(**one) for one in values["metadata"][GOLD_RANGES]]
    ids = relevant_ids(golds, index, values.get("context_ids") or (), share)
    return {**values, "reference_context_ids": ids}
