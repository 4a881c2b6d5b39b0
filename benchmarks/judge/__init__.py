"""How far does a judge agree with people? One module a benchmark, any judge, one runner.

    python -m benchmarks.judge.run --judge embedded

Every module has a `NAME`, `KINDS` (how many rows of each kind it takes unless told otherwise; None:
all), `rows()`, `kind(record)` and `measure(judge, rows) -> list[Figure]`, which asks the judge
through its tasks as a metric does.
"""
