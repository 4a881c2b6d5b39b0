"""RAGChecker's own computation on the oracle's entailment matrices."""

import sys
import types
from importlib.util import find_spec
from pathlib import Path

import oracle
import peer

# Its package imports an extractor and a checker that need language models: the computation does not.
package = types.ModuleType("ragchecker")
package.__path__ = [str(Path(find_spec("ragchecker").origin).parent)]
sys.modules["ragchecker"] = package

from ragchecker.computation import METRIC_FUNC_MAP  # noqa: E402
from ragchecker.container import RAGResult  # noqa: E402
from ragchecker.metrics import METRIC_REQUIREMENTS  # noqa: E402


def checked(statements, premise):
    return ["Entailment" if oracle.supported(s, premise) else "Neutral" for s in statements]


def by_context(statements, contexts):
    # One row a statement, one column a context, as its evaluator writes them.
    return [[checked([s], context)[0] for context in contexts] for s in statements]


MATRICES = {
    "answer2response": lambda row: checked(_mine(row), row["reference"]),
    "response2answer": lambda row: checked(_theirs(row), row["answer"]),
    "retrieved2response": lambda row: by_context(_mine(row), row["contexts"]),
    "retrieved2answer": lambda row: by_context(_theirs(row), row["contexts"]),
}


def _mine(row):
    return oracle.statements(row["answer"])


def _theirs(row):
    return oracle.statements(row["reference"])


def scored(name):
    def score(row):
        found = RAGResult(row["id"], row["question"], row["reference"], row["answer"])
        for matrix in METRIC_REQUIREMENTS[name]:
            setattr(found, matrix, MATRICES[matrix](row))
        METRIC_FUNC_MAP[name](found)
        return found.metrics[name]

    return score


if __name__ == "__main__":
    peer.main({name: scored(name) for name in METRIC_FUNC_MAP})
