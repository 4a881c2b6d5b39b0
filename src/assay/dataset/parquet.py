"""How are rows read from Parquet files, a few at a time?"""

from collections.abc import Callable, Iterator
from typing import IO, Final

from assay.dataset.columns import refuse_doubled
from assay.dataset.record import Record
from assay.errors import InputError

_BATCH: Final = 256


def parquet_records(opened: Callable[[], IO[bytes]]) -> Iterator[Record]:
    """Records of a Parquet file."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        remedy = "pip install 'assay[parquet]', or save the data as JSONL"
        raise InputError("Parquet files need pyarrow", remedy) from error
    number = 0
    with opened() as stream:
        try:
            file = ParquetFile(stream)
            refuse_doubled(file.schema_arrow.names)
            for batch in file.iter_batches(batch_size=_BATCH):
                for number, values in enumerate(batch.to_pylist(), number + 1):  # noqa: B020
                    yield Record(number, values, "arrow")
        except (ArrowException, UnicodeDecodeError) as error:
            what = f"the Parquet file cannot be read past row {number}: {error}"
            raise InputError(what, "the file is damaged; get it again") from error
