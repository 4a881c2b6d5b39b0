"""Embeddings of texts and tokens by the model that ships with assay.

The model is all-MiniLM-L6-v2 (Apache-2.0), quantised to int8; `training/embedder` makes it.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.judges.embedded.inference import Passes, session, tokenizer, workers
from assay.judges.embedded.reader import FIRST, LAST, tokenise

Vectors = npt.NDArray[np.float32]
WindowIds = tuple[int, ...]  # the ids of a window

WINDOW = 256  # tokens the model was trained to read at once, the two special ones among them
DIMENSIONS = 384
# Behind the colon the SHA-256 of the weights: a run that needs none of them does not read them.
NAME = "minilm-l6-v2-int8:0cc84a45"


class Encoder:
    """Texts to vectors of length 1 by the model that ships with assay.

    Nothing is loaded before the first text. One instance may be used from several threads. A vector
    depends on its text alone: not on the other texts of the call, nor on the number of threads.
    """

    def __init__(self, threads: int | None = None) -> None:
        """Use `threads` texts at a time; None means as many as there are cores to use."""
        self.threads = workers(threads)

    @property
    def name(self) -> str:
        """Identity of the vectors: changes whenever the weights do."""
        return NAME

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), 384), float32, each of Euclidean length 1.

        The dot product of two is their cosine, in [-1, 1]. A text of more than 256 tokens is read
        in windows of at most 256; its vector is their mean weighted by tokens: it is never cut off.
        An empty text has a vector too, that of no words.
        """
        unique = list(dict.fromkeys(texts))
        windows = [self._windows(text) for text in unique]
        flat = [window for text_windows in windows for window in text_windows]
        encoded = sentences(flat, self.threads)
        pooled: dict[str, Vectors] = {}
        start = 0
        for text, text_windows in zip(unique, windows, strict=True):
            weights = [len(window) for window in text_windows]
            pooled[text] = _mean(np.stack(encoded[start : start + len(text_windows)]), weights)
            start += len(text_windows)
        rows = [pooled[text] for text in texts]
        return np.stack(rows) if rows else np.empty((0, DIMENSIONS), dtype=np.float32)

    def tokens(self, text: str) -> tuple[list[str], Vectors]:
        """The tokens of a text and the last hidden state of each, of shape (tokens, 384).

        Each is read among the other tokens of its window; the marks around it are left out.
        """
        names = tokenizer().encode(text, add_special_tokens=False).tokens
        window_states = states(self._windows(text), self.threads)
        return names, np.concatenate(window_states)

    def _windows(self, text: str) -> list[WindowIds]:
        """Token ids in equal windows of at most 256, each within its pair of special tokens."""
        ids = tokenise(text).ids.tolist()
        count = max(1, -(-len(ids) // (WINDOW - 2)))
        size = -(-len(ids) // count)
        chunks = [ids[k * size : (k + 1) * size] for k in range(count)]
        return [(FIRST, *chunk, LAST) for chunk in chunks]


def _run(window: WindowIds) -> Vectors:
    ids = np.asarray([window], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    (result,) = session("minilm").run(["sentence"], feed)
    vectors: Vectors = result[0]
    return vectors


def _token_states(window: WindowIds) -> Vectors:
    ids = np.asarray([window], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    (result,) = session("minilm").run(["tokens"], feed)
    states: Vectors = result[0][1:-1]
    return states


# Sentences come again within a sample, and with their context for other questions (2 kB each).
sentences: Passes[WindowIds, Vectors] = Passes(_run, len, 8192)
states: Passes[WindowIds, Vectors] = Passes(_token_states, len, 16)


def _mean(vectors: Vectors, weights: list[int]) -> Vectors:
    if len(weights) == 1:  # already of length 1
        return vectors.reshape(DIMENSIONS)
    mean: Vectors = np.average(vectors.astype(np.float64), axis=0, weights=weights)
    unit: Vectors = np.divide(mean, np.linalg.norm(mean)).astype(np.float32)
    return unit
