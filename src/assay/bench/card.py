"""What is known of a judge once it was measured: its card, which is JSON that can be read again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from assay._version import __version__
from assay.backends.embedded.card import Quality
from assay.bench.figures import Figure
from assay.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What was found on one set, or why nothing was.

    Attributes:
        name: The set.
        about: What was measured.
        skipped: Why it was not measured; "" if it was.
        figures: The numbers.
        calls: Different replies that they rest on, known ones included.
        unanswered: Questions without a readable reply, or without a score.
        tokens_in: Prompt tokens of the replies.
        tokens_out: Reply tokens.
        seconds: Seconds that the replies took, added up.
        money: What the tokens cost; None without a price.
    """

    name: str
    about: str
    skipped: str = ""
    figures: tuple[Figure, ...] = ()
    calls: int = 0
    unanswered: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    money: float | None = None


@dataclass(frozen=True, kw_only=True)
class JudgeCard:
    """How far a judge agrees with people.

    Attributes:
        judge: Who was measured, version included.
        limit: Rows of each kind at most; None if that was not bounded.
        full: Whether all rows were taken.
        price: What a million prompt and reply tokens cost, None if nobody said.
        thresholds: Fitted on training rows, by who needs them, then by who decides.
        sets: What was found on each set.
        quality: How well the scores of each metric by it tell bad from good, by the metric and
            whom it asks.
        notes: What else has to be known of it.
        stopped: Why it ended early, "" if it did not.
        assay: The version that measured.
    """

    judge: str
    limit: int | None = None
    full: bool = False
    price: tuple[float, float] | None = None
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    sets: tuple[Measured, ...] = ()
    quality: Mapping[str, Quality] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: str = ""
    assay: str = __version__


def read(path: str | Path) -> JudgeCard:
    """A card that `assay bench --out` wrote as JSON.

    Raises:
        InputError: If it is not there, or is no such card.
    """
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=JudgeCard)
    except OSError as error:
        what = f"the card '{path}' cannot be read: {error.strerror or error}"
        raise InputError(what, "`assay bench --out card.json` writes one") from error
    except msgspec.MsgspecError as error:
        what = f"'{path}' is not a judge card: {error}"
        raise InputError(what, "`assay bench --out card.json` writes one") from error
