"""Labelled texts, and the windows with labels that the embedded reader is trained on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.judges.embedded.evidence import Evidence, prepare
from assay.judges.embedded.reader import Window, answering, supporting, tokenise

CODES: Final = {"supported": 0, "refuted": 1, "neutral": 2, "unsupported": 3, None: -1}
UNKNOWN: Final = -1

# First and last character of a segment, and its label; None where it is not known.
Segment: TypeAlias = tuple[int, int, str | None]


@dataclass(frozen=True)
class Row:
    """A text to check beside the evidence for it.

    Attributes:
        data: Name of the set or generator.
        group: What belongs together when rows are held out: same source text.
        question: "" if there is none.
        contexts: The evidence.
        answer: The text to check: an answer, a summary or a claim.
        label: "supported", "refuted", "neutral" or "unsupported" (one of the last two, not known
            which); None: only spans are known.
        spans: Unsupported characters of the answer with their label; () = all is supported; None =
            not known.
        msmarco: Whether its text is from MS MARCO.
        cuts: Its statements, where they are known: first and last character, label, and whether
            `spans` tell which words of it are wrong; None: not known.
    """

    data: str
    group: str
    question: str
    contexts: tuple[str, ...]
    answer: str
    label: str | None
    spans: tuple[tuple[int, int, str], ...] | None
    msmarco: bool = False
    cuts: tuple[tuple[int, int, str, bool], ...] | None = None


@dataclass(frozen=True)
class Asked:
    """A question and a text, with what is known about how the text bears on it.

    Attributes:
        data: Data set and generator, "nq/vague".
        group: As of a row; same group and question = one ranking.
        question: The question.
        texts: Consecutive sentences of a context or of an answer.
        helps: Of each sentence: 1 bears on what was asked, 0 does not, None is not known.
        answers: Of the whole text: 1 answers it, 0.5 in part, 0 does not; None is not known.
        msmarco: Whether its text is from MS MARCO.
    """

    data: str
    group: str
    question: str
    texts: tuple[str, ...]
    helps: tuple[float | None, ...]
    answers: float | None
    msmarco: bool = False


@dataclass(frozen=True)
class Example:
    """One window with its labels.

    Attributes:
        data: Of its row.
        group: Of its row.
        row: The number of its row.
        ids: Token ids, shape (length,).
        types: Token types, shape (length,).
        positions: Token positions, shape (length,).
        groups: Which statement or piece of evidence each token is of, shape (length,).
        views: The pieces of evidence that each statement sees; see `reader.Window`.
        tokens: 1 unsupported, 0 supported, -1 not to be learnt from, shape (length,).
        parts: First token, the one behind the last, and the code of the label, of each text.
        any_wrong: Whether some part is unsupported, not known which.
        msmarco: Of its row.
        helps: Of every part beside a question; -1 where not known.
        answers: Of the whole text beside a question; -1 where not known.
        taught: Of every part how likely another reader finds it supported, refuted, neutral; ()
            where none was asked.
    """

    data: str
    group: str
    row: int
    ids: npt.NDArray[np.int32]
    types: npt.NDArray[np.int8]
    positions: npt.NDArray[np.int16]
    groups: npt.NDArray[np.int32]
    views: tuple[tuple[int, ...], ...]
    tokens: npt.NDArray[np.int8]
    parts: tuple[tuple[int, int, int], ...]
    any_wrong: bool
    msmarco: bool
    helps: tuple[float, ...] = ()
    answers: float = -1.0
    taught: tuple[tuple[float, float, float], ...] = ()


@lru_cache(maxsize=2_000)
def _evidence(contexts: tuple[str, ...]) -> Evidence:
    return prepare(contexts)


def whole(row: Row) -> list[Segment]:
    """A text as one segment."""
    return [(0, len(row.answer), row.label)]


def examples(
    rows: Iterable[Row],
    segments: Callable[[Row], Sequence[Segment]] = whole,
    *,
    words_unknown: tuple[str, ...] = (),
) -> Iterator[Example]:
    """The windows of every row.

    Args:
        rows: The rows.
        segments: How their texts are cut.
        words_unknown: Ends of the names of sets whose statements are known to be wrong, but not
            which words of them.
    """
    for number, row in enumerate(rows):
        cuts = segments(row)
        windows = labelled(row, number, cuts, words_unknown)
        if len(windows) == 1 or not _wrong_somewhere(row, cuts):  # else not known in which window
            yield from (example for _, example in windows)


def _wrong_somewhere(row: Row, cuts: Sequence[Segment]) -> bool:
    return row.spans is None and len(cuts) > 1 and row.label == "unsupported"


def labelled(
    row: Row, number: int, cuts: Sequence[Segment], words_unknown: tuple[str, ...] = ()
) -> list[tuple[Window, Example]]:
    """The windows of one row that is cut like this, each with its labels."""
    evidence = _evidence(row.contexts)
    statements = [evidence.read(row.answer[start:end]) for start, end, _ in cuts]
    windows = supporting([statement.text for statement in statements], evidence, tokenise)
    spans = None if words_unknown and row.data.endswith(words_unknown) else row.spans
    pairs = []
    for window in windows:
        tokens = np.full(len(window.ids), UNKNOWN, dtype=np.int8)
        for part in window.parts if spans is not None else ():
            if row.cuts is None or row.cuts[part.text][3]:
                start, read = cuts[part.text][0], statements[part.text]
                tokens[part.first : part.last] = [
                    any(s < start + last and start + first < e for s, e, _ in spans or ())
                    for first, last in map(read.original, part.tokens.offsets)
                ]
        labels = [cuts[part.text][2] for part in window.parts]
        any_wrong = len(windows) == 1 and _wrong_somewhere(row, cuts)
        example = _example(row, number, window, labels, tokens, any_wrong=any_wrong)
        pairs.append((window, example))
    return pairs


def _example(
    row: Row | Asked,
    number: int,
    window: Window,
    labels: Sequence[str | None],
    tokens: npt.NDArray[np.int8] | None = None,
    *,
    any_wrong: bool = False,
) -> Example:
    unknown = np.full(len(window.ids), UNKNOWN, dtype=np.int8)
    return Example(
        data=row.data,
        group=row.group,
        row=number,
        ids=np.asarray(window.ids, dtype=np.int32),
        types=np.asarray(window.types, dtype=np.int8),
        positions=np.asarray(window.positions, dtype=np.int16),
        groups=np.asarray(window.groups, dtype=np.int32),
        views=window.views,
        tokens=unknown if tokens is None else tokens,
        parts=tuple(
            (part.first, part.last, CODES[label])
            for part, label in zip(window.parts, labels, strict=True)
        ),
        any_wrong=any_wrong,
        msmarco=row.msmarco,
    )


def questioned(rows: Iterable[Asked]) -> Iterator[Example]:
    """The windows of texts beside a question; of an answer longer than a window no label stays."""
    for number, row in enumerate(rows):
        windows = answering(row.question, row.texts, tokenise)
        for window in windows:
            labels = [row.helps[part.text] for part in window.parts]
            yield replace(
                _example(row, number, window, [None] * len(labels)),
                helps=tuple(UNKNOWN if label is None else label for label in labels),
                answers=UNKNOWN if row.answers is None or len(windows) > 1 else row.answers,
            )
