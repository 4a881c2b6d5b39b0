"""What do fitted coefficients make of measurements? A probability, by logistic regression."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Fitted:
    """A logistic regression as `training/verifier` fitted it.

    Attributes:
        coefficients: One for each measurement, in their order.
        intercept: What is added to the weighted sum.
        threshold: The probability, in [0, 1], from which on the answer is yes.
        constants: Other fitted numbers, by name.
    """

    coefficients: tuple[float, ...]
    intercept: float
    threshold: float
    constants: Mapping[str, float]

    @classmethod
    @cache
    def load(cls, file: str, names: tuple[str, ...]) -> "Fitted":
        """The coefficients in a file of this package, in the order of the measurements' names."""
        text = resources.files("assay.backends.embedded").joinpath(file).read_text("utf-8")
        content = json.loads(text)
        return cls(
            tuple(float(content["coefficients"][name]) for name in names),
            float(content["intercept"]),
            float(content.get("threshold", 0.5)),
            content.get("constants", {}),
        )

    def probability(self, features: Sequence[float]) -> float:
        """The probability, in [0, 1], that measurements in the order of the names give."""
        terms = (weight * value for weight, value in zip(self.coefficients, features, strict=True))
        total = self.intercept + sum(terms)
        # Beyond 30 nothing changes but that exp may overflow.
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
