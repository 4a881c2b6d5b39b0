"""What does the trained network say about texts beside evidence, or beside a question?

The network is MiniLM-L6 trained by `training/verifier`; a window is read in one pass, however many
texts it holds. What is computed here is not yet a judgement: `support.py` and `relevance.py`
combine it with what words, numbers and names say.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from assay.backends.embedded.evidence import Evidence
from assay.backends.embedded.models import folder, session, spread, tokenizer, workers
from assay.backends.embedded.window import Token, Window, answering, supporting

Logits = npt.NDArray[np.float32]

# The columns of what the network says of a token.
UNSUPPORTED, SUPPORTED, REFUTED, NEUTRAL, HELPS, ANSWERS = range(6)


@dataclass(frozen=True)
class Reading:
    """What the network says of one text.

    Attributes:
        each: Votes of every token: supported, refuted, neutral, helps, answers; shape
            (tokens, 5). Logits: the first three against each other, the last two each for itself.
        tokens: Logit of "unsupported" of every token, shape (tokens,).
        offsets: First and last character of every token.
        pieces: The pieces of evidence that it was read beside.
    """

    each: Logits
    tokens: Logits
    offsets: tuple[tuple[int, int], ...]
    pieces: tuple[int, ...]

    @property
    def votes(self) -> Logits:
        """The mean of the votes of all tokens, shape (5,)."""
        return self.votes_from(0)

    def votes_from(self, start: int) -> Logits:
        """The mean of the votes of the tokens from this character on, shape (5,)."""
        later = [i for i, (first, _) in enumerate(self.offsets) if first >= start]
        return self.each[later].mean(axis=0) if later else np.zeros(5, np.float32)


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

    def beside_question(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """One reading for every text, in order; texts that follow each other are read together."""
        return self._read(answering(question, texts, tokenise), len(texts))

    def _read(self, windows: Sequence[Window], count: int) -> list[Reading]:
        # The longest first, so that no thread is left alone with a long one at the end.
        order = sorted(range(len(windows)), key=lambda i: -len(windows[i].ids))
        logits = dict(
            zip(order, spread(_run, [windows[i] for i in order], self.threads), strict=True)
        )
        stretches: list[list[tuple[Window, int, Logits]]] = [[] for _ in range(count)]
        for i, window in enumerate(windows):
            for k, part in enumerate(window.parts):
                found = logits[i][part.first : part.last]
                stretches[part.text].append((window, k, found))
        return [_reading(mine) for mine in stretches]


def _reading(stretches: Sequence[tuple[Window, int, Logits]]) -> Reading:
    logits = np.concatenate([found for _, _, found in stretches])
    tokens = [token for window, k, _ in stretches for token in window.parts[k].tokens]
    pieces = dict.fromkeys(piece for window, _, _ in stretches for piece in window.pieces)
    return Reading(
        each=logits[:, SUPPORTED:],
        tokens=logits[:, UNSUPPORTED],
        offsets=tuple((token.start, token.end) for token in tokens),
        pieces=tuple(pieces),
    )


def _run(window: Window) -> Logits:
    feed = {
        "ids": np.asarray([window.ids], dtype=np.int64),
        "types": np.asarray([window.types], dtype=np.int64),
    }
    (result,) = session("reader").run(["logits"], feed)
    logits: Logits = result[0]
    return logits


@lru_cache(maxsize=20_000)
def tokenise(text: str) -> tuple[Token, ...]:
    """The tokens of a text without the special ones; of contexts met again from memory."""
    found = tokenizer().encode(text, add_special_tokens=False)
    return tuple(
        Token(i, start, end) for i, (start, end) in zip(found.ids, found.offsets, strict=True)
    )
