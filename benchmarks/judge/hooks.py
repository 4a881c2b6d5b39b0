"""Which models lie behind a judge? What no task tells, in the one place that has to know.

`relevance_of`: SelectSentences names the chosen sentences only, so that all others would tie; what
ranks them is asked for here. `models_of`: the bare models whose own speed the judge's is a share
of. Both give None for a judge that is not known here.
"""

from collections.abc import Callable, Sequence
from importlib import resources

import numpy as np

import assay
from assay.backends.embedded import Embedded
from assay.backends.embedded.models import session
from assay.backends.embedded.window import FIRST

Run = Callable[[], object]


def relevance_of(backend: assay.Backend) -> Callable[[str, str], float] | None:
    """From a question and a sentence to the probability that the sentence helps."""
    if not isinstance(backend, Embedded):
        return None
    from assay.backends.embedded.relevance import sentence_relevance

    models = backend._encoder, backend._reader  # noqa: SLF001 - the one module that looks inside

    def probability(question: str, sentence: str) -> float:
        return sentence_relevance(question, [sentence], *models)[0].probability

    return probability


def model_of(backend: assay.Backend) -> Callable[[int], Run] | None:
    """The verifier's bare model: from a number of tokens to one run on so many of them."""
    if not isinstance(backend, Embedded):
        return None
    model = session("reader")

    def prepared(tokens: int) -> Run:
        ids = np.full((1, tokens), FIRST, dtype=np.int64)
        return lambda: model.run(["logits"], {"ids": ids, "types": np.zeros_like(ids)})

    return prepared


def model_sizes(backend: assay.Backend) -> dict[str, int]:
    """Bytes of each model file that ships."""
    if not isinstance(backend, Embedded):
        return {}
    found: dict[str, int] = {}
    waiting = [resources.files("assay.backends.embedded")]
    while waiting:
        folder = waiting.pop()
        for file in folder.iterdir():
            if file.is_dir():
                waiting.append(file)
            elif file.name.endswith(".onnx"):
                found[f"{folder.name}/{file.name}"] = len(file.read_bytes())
    return dict(sorted(found.items()))


def relevances(backend: assay.Backend, asked: Sequence[tuple[str, str]]) -> list[float] | None:
    """The relevance of each (question, sentence), where the judge's model can be asked."""
    rank = relevance_of(backend)
    return None if rank is None else [rank(question, sentence) for question, sentence in asked]
