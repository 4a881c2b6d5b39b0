"""The questions that rules make of three corpora, to be read one by one.

    python -m benchmarks.offline_testset docs clapnq qed telequad xquad [--n 30] [--seed 0]
    python -m benchmarks.offline_testset docs/ci.md docs/store.md

Whether a person would keep each is judged by reading; benchmarks/NOTES.md holds the figures.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from assay.testset import Document, Plan, Testset, generate, read_documents
from benchmarks.data import ROOT, load
from benchmarks.live import telequad
from benchmarks.retriever_ranking import corpus

NAMED = {
    "clapnq": "retrieval/clapnq.jsonl.gz",
    "qed": "retrieval/qed_nq_dev.jsonl.gz",  # passages 301 to 600
    "telequad": "",
    "xquad": "",
}


def documents(name: str) -> list[Document]:
    """A corpus by its name, or a file or folder of this repository."""
    if name == "xquad":
        return corpus(name)[0]
    if name in NAMED:
        rows = load(NAMED[name]) if NAMED[name] else []
        texts = [text for row in rows for text in row["contexts"]] or telequad()[0].values()
        unique = list(dict.fromkeys(texts))[300:600] if name == "qed" else dict.fromkeys(texts)
        return [Document(f"{n}", text) for n, text in enumerate(unique)]
    return list(read_documents(ROOT / name))


def table(made: Testset) -> str:
    """Each question with its reference, then what was rejected, by reason."""
    lines = [f"{q.kind} {q.template}: {q.question}\n    {q.reference}" for q in made.questions]
    reasons = Counter(draft.why for draft in made.rejected)
    return "\n".join([*lines, f"{len(made.questions)} kept; rejected: {dict(reasons)}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--n", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    named = [name for name in options.corpora if name == "docs" or name in NAMED]
    pages = [name for name in options.corpora if name not in named]
    for names in [*([name] for name in named), *([pages] if pages else [])]:
        texts = [document for name in names for document in documents(name)]
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "store.db"
            made = generate(
                texts, Plan(n=options.n, seed=options.seed), judge="embedded", store=store
            )
        print(f"\n{' '.join(names)}: {len(texts)} documents\n{table(made)}")


if __name__ == "__main__":
    main()
