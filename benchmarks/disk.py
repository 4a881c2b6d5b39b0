"""How large is the store, measured by the data set's own JSON lines?

    python -m benchmarks.disk            300 rows, the five metrics of RAGAS
    python -m benchmarks.disk --rows 2000 --tables

The rows are as long as those of real systems: five contexts of about 120 words, none of which
stands in another row, answers of three to five sentences. Their sentences are those of Natural
Questions in $ASSAY_DATA. The judge is a function from prompt to text that writes reasons and quotes
as a language model does, or the embedded one. Embeddings are numbers that nothing makes smaller, so
they are shown apart.
"""

import argparse
import asyncio
import json
import random
import re
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.calls import RAGAS
from benchmarks.data import ROOT, load

sys.path.append(str(ROOT / "tests"))

import assay
from assay.judges.llm import Function
from support import answers
from support.scripts import plausible

CONTEXTS, WORDS = 5, 120
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
SIZES = "SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC"
EMBEDDED = """
    SELECT ifnull(sum(length(raw) + 24), 0) FROM replies
    WHERE kind = (SELECT id FROM names WHERE name = 'embed')
"""


def rows(n: int) -> Iterator[dict[str, Any]]:
    """The same rows every time."""
    records = load("retrieval/qed_nq_dev.jsonl.gz")
    sentences = [s for r in records for c in r["contexts"] or () for s in _SENTENCE_END.split(c)]
    pool = list(dict.fromkeys(s for s in sentences if 5 < len(s.split()) < 40))
    chance = random.Random(0)
    for number in range(n):
        contexts = [_context(pool, chance) for _ in range(CONTEXTS)]
        said = [s for context in contexts for s in context]
        answer = [chance.choice(said if chance.random() < 0.7 else pool) for _ in range(3 + n % 3)]
        yield {
            "id": f"r{number}",
            "question": f"{chance.choice(records)['question']} ({number})",
            "contexts": [" ".join(context) for context in contexts],
            "answer": " ".join(answer),
            "reference": " ".join(chance.sample(said, 2)),
        }


def _context(pool: list[str], chance: random.Random) -> list[str]:
    found: list[str] = []
    while sum(len(s.split()) for s in found) < WORDS:
        found.append(chance.choice(pool))
    return found


async def written(prompt: str) -> str:
    """What a language model would write."""
    await asyncio.sleep(0)
    return answers.answer(prompt)


def judges() -> dict[str, tuple[Any, Any]]:
    """Judge and embedder by their names."""
    llm = Function(written, name="openai:gpt-4o-mini")
    return {
        "LLM, embeddings of 64 numbers": (llm, plausible("small")),
        "LLM, embeddings of 384 numbers": (llm, "embedded"),
        "embedded judge": ("embedded", None),
    }


def measure(name: str, n: int, folder: Path, *, tables: bool) -> float:
    judge, embedder = judges()[name]
    data, store = folder / "data.jsonl", folder / f"{len(name)}.db"
    lines = [json.dumps(row, ensure_ascii=False) for row in rows(n)]
    data.write_text("\n".join(lines), encoding="utf-8")
    assay.evaluate(str(data), RAGAS, judge, embedder=embedder, store=store)
    given, kept = data.stat().st_size, store.stat().st_size
    connection = sqlite3.connect(store)
    ((vectors,),) = connection.execute(EMBEDDED).fetchall()
    print(
        f"{name:32} {n:5} rows  data {given / n:6.0f} bytes a row, store {kept / n:6.0f}:"
        f" {kept / given:.2f} times, {(kept - vectors) / given:.2f} without embeddings",
        flush=True,
    )
    for table, size, unused in connection.execute(SIZES) if tables else ():
        print(f"    {table:28} {size / given:6.3f} times, unused {unused / given:.3f}")
    connection.close()
    return kept / given


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--tables", action="store_true", help="show what takes the room")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in judges():
            # The embedded judge takes its time.
            n = given.rows // 2 if name.startswith("embedded") else given.rows
            measure(name, n, Path(folder), tables=given.tables)


if __name__ == "__main__":
    main()
