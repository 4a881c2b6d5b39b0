"""What does the trained network say about texts beside evidence, or beside a question?

The network is MiniLM-L6 trained by `training/verifier`; a window is read in one pass, however many
texts it holds. What is computed here is not yet a judgement: `support.py` and `relevance.py`
combine it with what words, numbers and names say.
"""

import hashlib
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.backends.embedded.evidence import Evidence
from assay.backends.embedded.models import folder, session, tokenizer, workers
from assay.backends.embedded.passes import Passes
from assay.backends.embedded.window import Numbers, Tokens, Window, answering, supporting
from assay.text.memo import remembered

Logits = npt.NDArray[np.float32]
Given = tuple[tuple[int, ...], tuple[int, ...]]  # the ids and types of a window

# The columns of what the network says of a token.
UNSUPPORTED, SUPPORTED, REFUTED, NEUTRAL, HELPS, ANSWERS = range(6)


@dataclass(frozen=True)
class Reading:
    """What the network says of one text.

    Attributes:
        each: Votes of every token: supported, refuted, neutral, helps, answers; shape
            (tokens, 5). Logits: the first three against each other, the last two each for itself.
        tokens: Logit of "unsupported" of every token, shape (tokens,).
        offsets: The first character of every token and the one behind it, shape (tokens, 2).
        pieces: The pieces of evidence that it was read beside.
    """

    each: Logits
    tokens: Logits
    offsets: Numbers
    pieces: tuple[int, ...]

    @cached_property
    def votes(self) -> Logits:
        """The mean of the votes of all tokens, shape (5,)."""
        return self.votes_from(0)

    def votes_from(self, start: int) -> Logits:
        """The mean of the votes of the tokens from this character on, shape (5,)."""
        later = self.each[self.offsets[:, 0] >= start]
        return later.mean(axis=0) if len(later) else np.zeros(5, np.float32)


class Reader:
    """Texts to readings by the model that ships with assay.

    Nothing is loaded before the first text. One instance may be used from several threads. A
    reading depends on its window alone, not on the number of threads.
    """

    def __init__(self, threads: int | None = None) -> None:
        """Read `threads` windows at a time; None means as many as there are cores to use."""
        self.threads = workers(threads)

    @cached_property
    def name(self) -> str:
        """Identity of the readings: changes whenever the weights do."""
        weights = folder("reader").joinpath("model.onnx").read_bytes()
        return f"reader-l6-int8:{hashlib.sha256(weights).hexdigest()[:8]}"

    def beside_evidence(self, statements: Sequence[str], evidence: Evidence) -> list[Reading]:
        """One reading for every statement, in order."""
        return self._read(supporting(statements, evidence, tokenise), len(statements))

    def beside_question(
        self, question: str, texts: Sequence[str], begins: AbstractSet[int] = frozenset()
    ) -> list[Reading]:
        """One reading for every text, in order; texts that follow each other are read together.

        Those before one that `begins` a context, by its index, have no part in its reading.
        """
        return self._read(answering(question, texts, tokenise, begins), len(texts))

    def _read(self, windows: Sequence[Window], count: int) -> list[Reading]:
        logits = passes([(window.ids, window.types) for window in windows], self.threads)
        stretches: list[list[tuple[Window, int, Logits]]] = [[] for _ in range(count)]
        for i, window in enumerate(windows):
            for k, part in enumerate(window.parts):
                found = logits[i][part.first : part.last]
                stretches[part.text].append((window, k, found))
        return [_reading(mine) for mine in stretches]


def _reading(stretches: Sequence[tuple[Window, int, Logits]]) -> Reading:
    logits = np.concatenate([found for _, _, found in stretches])
    offsets = [window.parts[k].tokens.offsets for window, k, _ in stretches]
    pieces = dict.fromkeys(piece for window, _, _ in stretches for piece in window.pieces)
    return Reading(
        each=logits[:, SUPPORTED:],
        tokens=logits[:, UNSUPPORTED],
        offsets=np.concatenate(offsets),
        pieces=tuple(pieces),
    )


def _run(window: Given) -> Logits:
    ids, types = window
    feed = {"ids": np.asarray([ids], np.int64), "types": np.asarray([types], np.int64)}
    (result,) = session("reader").run(["logits"], feed)
    logits: Logits = result[0]
    return logits


# Metrics read the same windows within one sample: few are worth remembering (9 kB each).
passes: Passes[Given, Logits] = Passes(_run, lambda window: len(window[0]), 256)


@remembered(20_000, longest=2000)
def tokenise(text: str) -> Tokens:
    """The tokens of a text without the special ones; of contexts met again from memory."""
    found = tokenizer().encode(text, add_special_tokens=False)
    return Tokens.of(found.ids, found.offsets)
