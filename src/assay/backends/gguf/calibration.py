"""What does a model's Yes mean? Fitted on labelled data where known, else taken as it is said."""

import math
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec

from assay.errors import InputError

Style = Literal["plain", "quote"]
SHIPPED = "calibration.json"
# Beside model.gguf: what `training/gguf/fit.py` wrote for it.
BESIDE = ".calibration.json"
SUREST = 15.0  # log-odds; beyond them nothing changes but that exp may overflow


class Fit(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one kind of yes-or-no question is put to one model, and what its answer means.

    Attributes:
        style: "plain" asks for Yes or No at once; "quote" for a quote and a comparison first.
        slope: Weight of the log-odds of Yes against No.
        bias: What is added to them; the verdict is yes where the sum is not negative.
        card: What is known of its agreement with people.
    """

    style: Style = "plain"
    slope: float = 1.0
    bias: float = 0.0
    card: str = ""

    def probability(self, yes: float) -> float:
        """The probability that the right answer is yes, from that which the model gives to Yes."""
        odds = max(-SUREST, min(SUREST, log_odds(yes) * self.slope + self.bias))
        return 1 / (1 + math.exp(-odds))


class _Model(msgspec.Struct, frozen=True):
    name: str
    kinds: dict[str, Fit]


def log_odds(probability: float) -> float:
    """The log-odds of a probability, bounded where it is 0 or 1."""
    least = 1 / (1 + math.exp(SUREST))
    sane = max(least, min(1 - least, probability))
    return math.log(sane / (1 - sane))


def fits(path: Path, digest: str) -> Mapping[str, Fit]:
    """The fits by kind of task: from the file beside the model, else the shipped ones, else none.

    A kind without a fit is asked plainly, and yes is what the model holds likelier than no.

    Raises:
        InputError: If the file beside the model is not about this model or cannot be read.
    """
    beside = path.with_suffix(BESIDE)
    if beside.is_file():
        found = _models(beside.read_bytes(), str(beside))
        if digest not in found:
            what = f"'{beside}' is not about this model ({digest}), but {', '.join(found)}"
            raise InputError(what, "fit it anew with training/gguf/fit.py, or take it away")
    else:
        found = _models(resources.files(__package__).joinpath(SHIPPED).read_bytes(), SHIPPED)
    return found[digest].kinds if digest in found else {}


def _models(content: bytes, where: str) -> dict[str, _Model]:
    try:
        return msgspec.json.decode(content, type=dict[str, _Model])
    except msgspec.DecodeError as error:
        raise InputError(f"'{where}' cannot be read: {error}", "see docs/gguf.md") from error
