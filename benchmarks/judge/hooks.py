"""Which models lie behind the embedded judge, and how large are they? Of no other judge."""

from collections.abc import Callable
from importlib import resources

import numpy as np

import assay
from assay.judges.embedded import Embedded
from assay.judges.embedded.inference import session
from assay.judges.embedded.reader import FIRST

Run = Callable[[], object]


def model_of(backend: assay.Backend) -> Callable[[int], Run] | None:
    """The verifier's bare model: from a number of tokens to one run on so many of them."""
    if not isinstance(backend, Embedded):
        return None
    model = session("reader")

    def prepared(tokens: int) -> Run:
        ids = np.full((1, tokens), FIRST, dtype=np.int64)
        inputs = {
            "ids": ids,
            "types": np.zeros_like(ids),
            "positions": np.arange(tokens, dtype=np.int64)[None],
            "visible": np.ones((1, tokens, tokens), dtype=bool),
        }
        return lambda: model.run(["logits"], inputs)

    return prepared


def model_sizes(backend: assay.Backend) -> dict[str, int]:
    """Bytes of each model file that ships."""
    if not isinstance(backend, Embedded):
        return {}
    found: dict[str, int] = {}
    waiting = [resources.files("assay.judges.embedded")]
    while waiting:
        folder = waiting.pop()
        for file in folder.iterdir():
            if file.is_dir():
                waiting.append(file)
            elif file.name.endswith(".onnx"):
                found[f"{folder.name}/{file.name}"] = len(file.read_bytes())
    return dict(sorted(found.items()))
