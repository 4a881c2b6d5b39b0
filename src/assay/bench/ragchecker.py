"""Does the better of two answers score higher, and by how much?

RAGChecker (Ru et al. 2024): two people say of each pair which answer is better, from -2 (a much) to
+2 (b much). As in the paper, the difference of the two answers' scores is correlated with the mean
of what they said.
"""

from collections.abc import Sequence

from assay.bench import stats
from assay.bench.benchmark import Benchmark
from assay.bench.correctness import Correctness, correctness
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.floors import token_f1
from assay.bench.subject import Subject

FILE = "correctness/ragchecker_human_pairs.jsonl.gz"


def rows(data: Data) -> list[Record]:
    """All pairs."""
    return data.rows(FILE)


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Correlation with people, for each of the three things they were asked."""
    asked = [(r["question"], r[f"answer_{side}"], reference(r)) for r in records for side in "ab"]
    scores = correctness(judge, asked)
    pairs = zip(records, scores[::2], scores[1::2], strict=True)
    done = [(r, a, b) for r, a, b in pairs if a is not None and b is not None]
    found = []
    for aspect in Correctness._fields:
        counted = [_difference(a[0], b[0], aspect) for _, a, b in done]
        weighed = [_difference(a[1], b[1], aspect) for _, a, b in done]
        chosen = [record for record, _, _ in done]
        found.append(_figure(f"RAGChecker pairs {aspect}, Pearson", aspect, chosen, counted))
        name = f"RAGChecker pairs {aspect}, Pearson by probabilities"
        found.append(_figure(name, aspect, chosen, weighed))
    return found


def _figure(
    name: str, aspect: str, records: Sequence[Record], differences: Sequence[float]
) -> Figure:
    people = [record["labels"][aspect] for record in records]
    longer = [len(r["answer_b"]) - len(r["answer_a"]) for r in records]
    floors = {
        "token F1": stats.pearson([_token_f1(record) for record in records], people),
        "longer answer": stats.pearson(longer, people),
    }
    clusters = [record["question"] for record in records]
    return figure(name, stats.pearson(differences, people), clusters, floors)


def _difference(a: Correctness, b: Correctness, aspect: str) -> float:
    return float(getattr(b, aspect) - getattr(a, aspect))


def _token_f1(record: Record) -> float:
    known = reference(record)
    return token_f1(record["answer_b"], known) - token_f1(record["answer_a"], known)


def reference(record: Record) -> str:
    """The right answer, as one text."""
    known = record["ground_truth"]
    return known if isinstance(known, str) else "\n".join(known)


BENCHMARKS = (
    Benchmark(
        name="ragchecker",
        family="ragchecker",
        about="which of two answers is better, and by how much (RAGChecker)",
        files=(FILE,),
        licence="Apache-2.0",
        rows=rows,
        measure=measure,
        metrics=("factual_correctness",),
    ),
)
