"""What do the labels of a classifier mean for a statement beside its evidence?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.backends.onnx.network import Numbers
from assay.errors import InputError

# Label names as published verifiers and models of natural language inference (NLI) have them, in
# lower case and without marks.
_SUPPORTED = (
    "entailment entailed entails entail supported supports support consistent attributable"
    " faithful grounded"
)
_CONTRADICTED = "contradiction contradictory contradicted contradicts refuted refutes refute"
_NEITHER = (
    "neutral notentailment notentailed nonentailment notsupported unsupported nei notenoughinfo"
    " inconsistent notattributable hallucination hallucinated unfaithful ungrounded none"
)
_MEANING = {
    name: meaning
    for meaning, names in enumerate((_SUPPORTED, _CONTRADICTED, _NEITHER))
    for name in names.split()
}


@dataclass(frozen=True)
class Labels:
    """The places of a classifier's labels in its output.

    Attributes:
        names: As the model names them, by place.
        supported: The place of the label that means support.
        contradicted: That of contradiction, None if the model does not tell it from silence.
    """

    names: tuple[str, ...]
    supported: int
    contradicted: int | None

    @classmethod
    def of(cls, config: Mapping[str, Any], where: object) -> "Labels":
        """As ``id2label`` of a model's configuration names them.

        Args:
            config: What its ``config.json`` says.
            where: The model, for the error.

        Raises:
            InputError: If they do not tell which of them means support.
        """
        held = config.get("id2label")
        by_place = held if isinstance(held, Mapping) else {}
        names = tuple(str(by_place[k]) for k in sorted(by_place, key=_place))
        meant = [_MEANING.get("".join(filter(str.isalpha, name.lower()))) for name in names]
        if meant.count(0) != 1 or None in meant or meant.count(1) > 1:
            what = f"the labels of '{where}' do not say which means support: {', '.join(names)}"
            example = '"id2label": {"0": "not_supported", "1": "supported"}'
            raise InputError(what.rstrip(": "), f"name them in its config.json, such as {example}")
        return cls(names, meant.index(0), meant.index(1) if 1 in meant else None)

    def probabilities(self, logits: Numbers) -> Numbers:
        """The probability of every label; a single one is yes or no by itself. Same shape."""
        if len(self.names) == 1:
            one: Numbers = (1 / (1 + np.exp(-logits))).astype(np.float32)
            return one
        odds = np.exp(logits - logits.max())
        shares: Numbers = odds / odds.sum()
        return shares


def _place(key: object) -> int:
    text = str(key)
    return int(text) if text.isdecimal() else -1
