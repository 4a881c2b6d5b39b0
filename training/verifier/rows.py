"""What one training example of the verifier is, wherever it is from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A text to check beside the evidence for it."""

    data: str  # name of the set or generator
    group: str  # what belongs together when rows are kept aside: same source text
    question: str  # "" if none
    contexts: tuple[str, ...]
    answer: str  # the text to check: an answer, a summary or a claim
    # "supported", "refuted", "neutral" or "unsupported" (one of the last two, not known which);
    # None: only spans are known.
    label: str | None
    # Unsupported character spans of the answer with their label; () = all supported;
    # None = not known.
    spans: tuple[tuple[int, int, str], ...] | None
    msmarco: bool = False  # whether its text is MS MARCO's
    # Its statements, where they are known: characters, label, and whether `spans` tell which words
    # of it are wrong; None: the sentences.
    cuts: tuple[tuple[int, int, str, bool], ...] | None = None
