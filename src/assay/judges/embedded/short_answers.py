"""Whether a short answer stands in the evidence beside what its question asks about.

A network takes "When was Rome founded? 1889" for supported wherever 1889 stands. What tells "753"
and "1889" apart are the words of the question in the sentence of the answer, and close to it.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from assay._text import verbs, words
from assay._text.questions import holds, kind_of
from assay.judges.embedded.evidence import Evidence, read_claim

FEATURES = (
    "sentence",  # question words in the sentence of the answer, those before it counting half
    "sentence_best",  # ... less those of the best sentence without the answer
    "near",  # question words within four words of the answer
    "around",  # ... within twelve
    "kind",  # it is of the kind asked for: a time, a number, a person, a place
)
_NEAR, _AROUND = 4, 12
_BEFORE = 0.5  # what a question word counts that stands in the sentence before only
_FEW = 3  # pieces of evidence that are an answer rather than documents
_ASKING = frozenset(
    map(
        words.stem,
        words.words(
            "who whom whose what which when where why how much many do did does is are was were"
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a short answer stands.

    Attributes:
        piece: Index of the piece of evidence.
        features: The measurements in the order of `FEATURES`; shares are by inverse frequency.
    """

    piece: int
    features: tuple[float, ...]


def find_place(statement: str, evidence: Evidence) -> Place | None:
    """Where the answer of "Q? A" stands, of several places the one closest to the question.

    None where there is nothing to tell: for another statement, an answer that stands nowhere, a
    question that shares no word with the evidence or stands there itself, evidence that is an
    answer itself or is in another language than English.
    """
    start = read_claim(statement).start
    if not start or len(evidence.pieces) <= _FEW or evidence.language:
        return None
    question, answer = statement[:start].strip(), statement[start:]
    if any(piece.text == question for piece in evidence.pieces):
        return None
    asked = _stems_asked(question, evidence) - frozenset(words.stems(answer))
    total = sum(evidence.weights[stem] for stem in sorted(asked))
    if not total or asked.isdisjoint(evidence.stems):
        return None
    shares = [_in_sentence(piece, asked, evidence) / total for piece in range(len(evidence.pieces))]
    pieces = _pieces_with(answer, evidence)
    others = [
        share
        for piece, share in enumerate(shares)
        if piece not in pieces and not _is_question(piece, evidence)
    ]
    best_other = max(others, default=0.0)
    kind = float(holds(kind_of(question), answer, question))
    places = [
        Place(piece, (shares[piece], shares[piece] - best_other, near, around, kind))
        for piece in pieces
        for near, around in _around_answer(piece, answer, asked, total, evidence)
    ]
    return max(places, key=lambda place: sum(place.features), default=None)


def _stems_asked(question: str, evidence: Evidence) -> frozenset[str]:
    """Of a question's words, a verb in the past where the evidence has only that: "became"."""
    stems = set(words.stems(question)) - _ASKING
    for word in words.words(question):
        stem, past = words.stem(word), words.stem(verbs.past(word))
        if stem in stems - evidence.stems and verbs.is_known(word) and past in evidence.stems:
            stems.symmetric_difference_update((stem, past))
    return frozenset(stems)


def _pieces_with(answer: str, evidence: Evidence) -> list[int]:
    """The pieces with the answer as it is or, if none has, with all of its content words."""
    phrase = f" {' '.join(words.words(answer))} "
    pieces = [i for i, piece in enumerate(evidence.pieces) if phrase in piece.plain]
    stems = frozenset(words.stems(answer))
    return pieces or [i for i, others in enumerate(evidence.sets) if stems and stems <= others]


def _in_sentence(piece: int, asked: AbstractSet[str], evidence: Evidence) -> float:
    """The weight of question words in a piece, and in a part of the piece before."""
    own = evidence.sets[piece]
    weight = _weight(asked & own, evidence)
    before = piece - 1
    if before not in evidence.window(piece):
        return weight
    # A question that the evidence itself asks says what its answer is about.
    part = 1.0 if _is_question(before, evidence) else _BEFORE
    return weight + part * _weight((asked & evidence.sets[before]) - own, evidence)


def _around_answer(
    piece: int, answer: str, asked: frozenset[str], total: float, evidence: Evidence
) -> Iterator[tuple[float, float]]:
    """The shares of question words near and around each place of the answer in a piece."""
    spoken, phrase = evidence.pieces[piece].plain.split(), words.words(answer)
    stems = [words.stem(word) for word in spoken]
    for start, end in _spans(spoken, stems, phrase):
        near, around = (
            asked.intersection([*stems[max(0, start - size) : start], *stems[end : end + size]])
            for size in (_NEAR, _AROUND)
        )
        yield _weight(near, evidence) / total, _weight(around, evidence) / total


def _spans(
    spoken: Sequence[str], stems: Sequence[str], phrase: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Where a phrase stands among words or, if nowhere, from its first to its last content word."""
    size = len(phrase)
    starts = [i for i in range(len(spoken) - size + 1) if list(spoken[i : i + size]) == phrase]
    if starts:
        yield from ((start, start + size) for start in starts)
        return
    content = frozenset(words.stems(" ".join(phrase)))
    indices = [i for i, stem in enumerate(stems) if stem in content]
    if indices:
        yield indices[0], indices[-1] + 1


def _is_question(piece: int, evidence: Evidence) -> bool:
    return evidence.pieces[piece].text.rstrip().endswith("?")


def _weight(stems: AbstractSet[str], evidence: Evidence) -> float:
    return sum(evidence.weights[stem] for stem in sorted(stems))  # sums depend on the order
