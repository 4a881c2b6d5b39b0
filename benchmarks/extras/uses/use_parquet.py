"""Parquet in, and scores as Parquet out."""

import pyarrow as pa
import pyarrow.parquet as pq
from said import ROWS

import assay

pq.write_table(pa.Table.from_pylist(ROWS), "rows.parquet")
assay.evaluate("rows.parquet", ["faithfulness"]).to_parquet("scores.parquet")
assert pq.read_table("scores.parquet")["faithfulness"].to_pylist() == [0.5]
