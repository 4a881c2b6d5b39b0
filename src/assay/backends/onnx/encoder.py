"""Which vector stands for a text, by a sentence encoder in an ONNX file?"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.backends.onnx.folder import Folder
from assay.backends.onnx.network import Network, Numbers
from assay.errors import InputError

_POOLED = "sentence_embedding"  # an output that exports of sentence-transformers have
_TOKENS = ("last_hidden_state", "token_embeddings")
_MODES: dict[str, Literal["mean", "cls"]] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
}


@dataclass(frozen=True)
class Encoder:
    """A sentence encoder as sentence-transformers describes one.

    Attributes:
        network: The model.
        threads: How many texts are read at a time.
        states: The output that holds the states of the tokens; None if there is none.
        pooling: How they make a vector; None if the model has an output that holds it.
    """

    network: Network
    threads: int
    states: str | None
    pooling: Literal["mean", "cls"] | None

    @classmethod
    def of(cls, network: Network, threads: int) -> "Encoder":
        """As the model's files describe it.

        Raises:
            InputError: If they do not say how tokens make a vector.
        """
        states = next((name for name in _TOKENS if name in network.outputs), None)
        if _POOLED in network.outputs:
            return cls(network, threads, states, None)
        if states is None:
            what = f"'{network.folder.model}' returns {', '.join(network.outputs)}"
            remedy = f"export a sentence encoder, which returns {_TOKENS[0]}, or an NLI classifier"
            raise InputError(what, remedy)
        return cls(network, threads, states, _pooling(network.folder))

    def vector(self, text: str) -> Numbers:
        """Its vector of Euclidean length 1, shape (dimensions,), float32.

        A text that is longer than the model reads at once is read in equal parts; the vector is
        that of their mean, weighted by tokens. Nothing is cut off.
        """
        windows = self.network.windows(text)
        output = _POOLED if self.pooling is None else self.states or ""
        read = self.network.passes([(window, output) for window in windows], self.threads)
        weights = [len(ids) for ids, _ in windows]
        mean = np.average([_unit(self._pooled(each)) for each in read], axis=0, weights=weights)
        return _unit(mean)

    def tokens(self, text: str) -> tuple[list[str], Numbers]:
        """The tokens of a text and the state of each, shape (tokens, dimensions).

        Those of the special tokens around it are left out.
        """
        windows = self.network.windows(text)
        read = self.network.passes(
            [(window, self.states or "") for window in windows], self.threads
        )
        return self.network.encoded(text).tokens, np.concatenate(list(map(self.network.own, read)))

    def _pooled(self, found: Numbers) -> Numbers:
        if self.pooling is None:
            return found
        mean: Numbers = found[0] if self.pooling == "cls" else found.mean(axis=0)
        return mean


def _unit(vector: Numbers) -> Numbers:
    length = np.linalg.norm(vector)
    return (vector / length if length else vector).astype(np.float32)


def _pooling(folder: Folder) -> Literal["mean", "cls"]:
    chosen = [name for name, on in folder.pooling.items() if on is True and "mode" in name]
    if len(chosen) == 1 and chosen[0] in _MODES:
        return _MODES[chosen[0]]
    what = f"'{folder.model.parent}' does not say how tokens make a vector"
    if chosen:
        what = f"'{folder.model.parent}' makes vectors by {', '.join(chosen)}"
    remedy = 'give it a 1_Pooling/config.json with {"pooling_mode_mean_tokens": true}, or with'
    raise InputError(what, f"{remedy} pooling_mode_cls_token, whichever the model was trained with")
