"""Which samples does a run have?"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from assay.errors import InputError
from assay.sample import Sample
from assay.store import rows
from assay.store.file import PAGE, File
from assay.store.packing import Kept

RECENT = 512  # samples whose scores are most likely written or read next


class Samples(File):
    """The samples of one store's runs, read in pages so that memory stays bounded."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self._recent: dict[tuple[str, int], bytes] = {}

    def samples(self, run: str, start: int = 0) -> Iterator[tuple[int, Sample]]:
        """(row, sample) of a run in order, those after row `start`."""
        for page in self._pages(run, start):
            for row, body in page:
                yield row, self._read(run, row, body)

    def sample(self, run: str, sample_id: str) -> tuple[int, Sample]:
        """(row, sample) by the sample's id.

        Raises:
            InputError: If the run has no such sample.
        """
        sql = f"SELECT {rows.SAMPLE} FROM samples WHERE run = {rows.NAME} AND id = ?"
        found = self._bodies(run, sql, sample_id)
        if not found:
            raise InputError(f"run {run} has no sample '{sample_id}'", "`assay show` names some")
        return found[0][0], rows.sample(found[0][1], self._text)

    def fields(self, run: str) -> Iterator[dict[str, msgspec.Raw]]:
        """The fields of each sample in order, as they are kept: equal ones are the same bytes."""
        for page in self._pages(run):
            yield from (rows.fields(body) for _, body in page)

    def groups(self, run: str) -> dict[int, str]:
        """The group of each row that names one: a document, a conversation. Reads no texts."""
        found = ((row, rows.group(body)) for page in self._pages(run) for row, body in page)
        return {row: group for row, group in found if group is not None}

    def _pages(self, run: str, start: int = 0) -> Iterator[list[tuple[int, Kept]]]:
        """(row, body) of the rows after `start`, in order, a bounded number at once."""
        which = f"run = {rows.NAME} AND row > ? ORDER BY row LIMIT ?"
        sql = f"SELECT {rows.SAMPLE} FROM samples WHERE {which}"
        while page := self._bodies(run, sql, start, PAGE):
            yield page
            start = page[-1][0]

    def _bodies(self, run: str, sql: str, *values: object) -> list[tuple[int, Kept]]:
        """(row, body) of samples, each seen to be what was written."""
        found = self.query(sql, run, *values)
        for kept, number, row, *rest in found:
            self._intact(f"sample {row} of run {run}", kept, number, row, *rest)
        return [(row, body) for _, _, row, _, body in found]

    def _read(self, run: str, row: int, body: Kept) -> Sample:
        """The sample of a body, of which is remembered what its evidence is packed beside."""
        sample = rows.sample(body, self._text)
        self._remember(run, row, rows.beside(sample))
        return sample

    def _remember(self, run: str, row: int, known: bytes) -> bytes:
        with self._reading:
            self._recent[run, row] = known
            if len(self._recent) > RECENT:
                del self._recent[next(iter(self._recent))]
        return known

    def beside(self, run: str, row: int) -> bytes:
        """What the evidence of a sample is packed beside."""
        known = self._recent.get((run, row))
        if known is not None:
            return known
        sql = f"SELECT {rows.SAMPLE} FROM samples WHERE run = {rows.NAME} AND row = ?"
        found = self._bodies(run, sql, row)
        beside = rows.beside(rows.sample(found[0][1], self._text)) if found else b""
        return self._remember(run, row, beside)
