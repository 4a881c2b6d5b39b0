"""Which vector stands for a text, on this machine and without a network?

The model is all-MiniLM-L6-v2 (Apache-2.0), quantised to int8; `training/embedder` makes it.

Dynamic quantisation picks one scale per tensor, so in a batch a text's vector would depend on its
neighbours (measured: cosine 0.99 between the same text alone and in a batch of 16). A cached or
repeated number must not depend on such company: every text is therefore a batch of its own, and the
cores work on different texts at the same time. That is also the fastest way found: 945 against 911
sentences/s in batches of 16, on two cores.
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # loaded with the first text
    import onnxruntime
    from tokenizers import Tokenizer

Vectors = npt.NDArray[np.float32]

WINDOW = 256  # tokens the model was trained to read at once, the two special ones among them
DIMENSIONS = 384


class _Model(NamedTuple):
    session: "onnxruntime.InferenceSession"
    tokenizer: "Tokenizer"
    first: int  # id of [CLS]
    last: int  # id of [SEP]


def available_cores() -> int:
    """Cores this process may use: a container's share, not the machine's count."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Encoder:
    """Texts to vectors of length 1 by the model that ships with assay.

    Nothing is loaded before the first text. One instance may be used from several threads. A vector
    depends on its text alone: not on the other texts of the call, nor on the number of threads.
    """

    def __init__(self, threads: int | None = None) -> None:
        """Use `threads` texts at a time; None means as many as there are cores to use."""
        self.threads = threads if threads is not None else available_cores()
        if self.threads < 1:
            message = f"threads must be at least 1, not {threads}"
            raise ValueError(message)
        self._lock = threading.Lock()
        self._loaded: _Model | None = None

    @cached_property
    def name(self) -> str:
        """Identity of the vectors: changes whenever the weights do."""
        weights = _folder().joinpath("model.onnx").read_bytes()
        return f"minilm-l6-v2-int8:{hashlib.sha256(weights).hexdigest()[:8]}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), 384), float32, each of Euclidean length 1.

        The dot product of two is their cosine, in [-1, 1]. A text of more than 256 tokens is read
        in windows of at most 256; its vector is their mean weighted by tokens: it is never cut off.
        An empty text has a vector too, that of no words.
        """
        unique = list(dict.fromkeys(texts))
        windows = [self._windows(text) for text in unique]
        flat = [window for parts in windows for window in parts]
        # The longest first, so that no thread is left alone with a long one at the end.
        order = sorted(range(len(flat)), key=lambda i: -len(flat[i]))
        encoded = np.empty((len(flat), DIMENSIONS), dtype=np.float32)
        for i, vector in zip(order, self._map([flat[i] for i in order]), strict=True):
            encoded[i] = vector
        pooled: dict[str, Vectors] = {}
        start = 0
        for text, parts in zip(unique, windows, strict=True):
            weights = [len(window) for window in parts]
            pooled[text] = _mean(encoded[start : start + len(parts)], weights)
            start += len(parts)
        vectors = [pooled[text] for text in texts]
        return np.stack(vectors) if vectors else np.empty((0, DIMENSIONS), dtype=np.float32)

    @property
    def _model(self) -> _Model:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _load()
        return self._loaded

    def _windows(self, text: str) -> list[list[int]]:
        """Token ids in equal windows of at most 256, each within its pair of special tokens."""
        model = self._model
        ids = model.tokenizer.encode(text, add_special_tokens=False).ids
        count = max(1, -(-len(ids) // (WINDOW - 2)))
        size = -(-len(ids) // count)
        parts = [ids[k * size : (k + 1) * size] for k in range(count)]
        return [[model.first, *part, model.last] for part in parts]

    def _map(self, windows: list[list[int]]) -> list[Vectors]:
        model = self._model
        workers = min(self.threads, len(windows))
        if workers <= 1:
            return [_run(model, window) for window in windows]
        # A pool for this call only: nothing to close, no dead threads in a forked process.
        with ThreadPoolExecutor(workers, thread_name_prefix="assay-encoder") as pool:
            return list(pool.map(lambda window: _run(model, window), windows))


def _folder() -> Traversable:
    return resources.files("assay.backends.embedded") / "minilm"


def _load() -> _Model:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # see the module's docstring: texts are what runs in parallel
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        _folder().joinpath("model.onnx").read_bytes(), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_str(_folder().joinpath("tokenizer.json").read_text("utf-8"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    first, last = tokenizer.encode("").ids  # an empty text is its two special tokens
    return _Model(session, tokenizer, first, last)


def _run(model: _Model, window: list[int]) -> Vectors:
    ids = np.asarray([window], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    (result,) = model.session.run(["sentence"], feed)
    vectors: Vectors = result[0]
    return vectors


def _mean(vectors: Vectors, weights: list[int]) -> Vectors:
    if len(weights) == 1:  # already of length 1
        return vectors.reshape(DIMENSIONS)
    mean: Vectors = np.average(vectors.astype(np.float64), axis=0, weights=weights)
    unit: Vectors = np.divide(mean, np.linalg.norm(mean)).astype(np.float32)
    return unit
