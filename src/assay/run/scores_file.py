"""How are scores written for programs that read tables: as Parquet, a bounded part at a time?"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from assay.data.files import landing
from assay.errors import InputError

GROUP = 10_000  # rows that are written together


def write(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], path: str | Path) -> None:
    """Write the id of each row, its values as float64 and its ``_why`` columns as text.

    Args:
        rows: The rows of a result.
        columns: Which of their columns, in order; values that are None stay null.
        path: A path or URI.

    Raises:
        InputError: If pyarrow is not installed.
        OSError: If it cannot be written.
    """
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise InputError("Parquet needs pyarrow", "pip install 'assay[parquet]'") from None
    kinds = {name: pa.string() if name.endswith("_why") else pa.float64() for name in columns}
    schema = pa.schema({"id": pa.string(), **kinds})
    waiting = iter(rows)
    with landing(path) as local, ParquetWriter(local, schema) as writer:
        while group := list(islice(waiting, GROUP)):
            kept = [{name: row[name] for name in schema.names} for row in group]
            writer.write_table(pa.Table.from_pylist(kept, schema))
