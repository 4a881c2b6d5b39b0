"""How does a statement compare with the evidence: what of it is there, and what is not?

`FEATURES` names the measurements in the order of `Comparison.features`; each is in [0, 1], except
the two lengths, natural logarithms.
"""

import math
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.backends.embedded.claim import Claim, claim, exact
from assay.backends.embedded.evidence import Evidence, Piece
from assay.backends.embedded.exchange import Exchange, exchange
from assay.backends.embedded.flags import Flag, flag
from assay.text import facts, numbers, overlap, words

FEATURES = (
    "recall_all",  # content words found anywhere, the rare ones counting more
    "recall_window",  # ... in the best sentence and its neighbours
    "recall_best",  # ... in the best sentence
    "bigrams_all",  # pairs of neighbouring content words found anywhere
    "run_best",  # longest stretch of content words shared with the best sentence
    "numbers_missing_all",  # one of its numbers stands nowhere
    "numbers_missing_window",  # ... or not near the best sentence
    "names_missing_all",  # the same for its names
    "names_missing_window",
    "calendar_missing",  # a month or week day that stands nowhere
    "negation_differs",  # one denies and the other does not, by how alike they are otherwise
    "opposites",  # "increase" against "decrease", by how alike they are otherwise
    "phrase",  # it is a question and a phrase that answers it
    "phrase_missing",  # ... and the share of that which stands nowhere
    "phrase_foreign",  # ... and one of its names or numbers does
    "log_words",
    "log_sentences",
)
_LONG = 6  # words in a row that stand in a sentence; fewer may be part of anything
_REJECTED = re.compile(
    r" (?:myth|misconception|false|untrue|not true|not the case|no (?:evidence|proof|sign)) that $"
)


@dataclass(frozen=True)
class Comparison:
    """The measurements of one statement and what a reason is made of."""

    features: tuple[float, ...]
    best: int  # index of the closest piece
    numbers: tuple[str, ...]  # as written in the statement, missing from all contexts
    names: tuple[str, ...]
    words: tuple[str, ...]  # content words missing from all contexts, lower case
    negation_differs: bool
    opposites: tuple[tuple[str, str], ...]
    far_numbers: tuple[str, ...]  # in the contexts, but not near the closest sentence
    verbatim: bool  # it stands in one of the pieces, word by word
    foreign: bool  # it is a phrase that answers a question, and none of it stands anywhere
    flag: Flag | None  # what a record's yes or no says of it
    exchange: Exchange | None  # what it mixes up
    rejected: bool  # it stands there word by word, but only behind "it is a myth that"


def compare(statement: str, evidence: Evidence) -> Comparison:
    """Compare one statement with prepared evidence of at least one piece."""
    said = claim(statement)
    claimed = set(said.stems)
    recalls = _recalls(said.wanted, evidence)
    told = flag(said, evidence)
    best = told.piece if told else int(np.argmax(recalls + _figures(said, evidence)))
    likeness = float(recalls[best])
    piece = evidence.pieces[best]
    near = evidence.around(best)
    gone, absent = _missing(said, evidence.numbers, evidence.words, evidence)
    far, distant = _missing(said, near.numbers, near.words, evidence)
    differs = bool(said.wanted) and said.denies != facts.is_negated(piece.text)
    contrary = facts.opposites(said.wanted, evidence.sets[best])
    found = overlap.weighted_recall(claimed, evidence.stems, evidence.weights)
    features = (
        found,
        overlap.weighted_recall(claimed, near.stems, evidence.weights),
        overlap.weighted_recall(claimed, evidence.sets[best], evidence.weights),
        overlap.bigram_recall(said.stems, evidence.bigrams),
        overlap.longest_run(said.stems, piece.stems),
        float(bool(gone)),
        float(bool(far)),
        float(bool(absent)),
        float(bool(distant)),
        float(bool(said.calendar - evidence.words)),
        likeness if differs else 0.0,
        likeness if contrary else 0.0,
        float(said.start > 0),
        1 - found if said.start else 0.0,
        float(bool(said.start and (gone or absent))),
        math.log1p(len(said.wanted)),
        math.log1p(len(evidence.pieces)),
    )
    return Comparison(
        features=features,
        best=best,
        numbers=tuple(gone),
        names=tuple(absent),
        words=tuple(_missing_words(said, evidence)),
        negation_differs=differs and likeness > 0.5,
        opposites=tuple(contrary),
        far_numbers=tuple(number for number in far if number not in gone),
        verbatim=_verbatim(said, evidence),
        foreign=said.start > 0 and not found,
        flag=told,
        exchange=_exchange(statement, said, evidence),
        rejected=_rejected(said, evidence),
    )


def _exchange(statement: str, said: Claim, evidence: Evidence) -> Exchange | None:
    """What it mixes up, by itself or beside its question."""
    starts = dict.fromkeys((said.start, 0))
    found = (exchange(statement[at:], evidence.parts, evidence.alike) for at in starts)
    return next(filter(None, found), None)


def _recalls(wanted: AbstractSet[str], evidence: Evidence) -> npt.NDArray[np.float64]:
    """Share of the wanted stems that stand in each piece, by weight; 1.0 if none is wanted."""
    total = math.fsum(evidence.weights[stem] for stem in wanted)
    return evidence.shared(wanted) / total if total else np.ones(len(evidence.pieces))


def _figures(said: Claim, evidence: Evidence) -> npt.NDArray[np.float64]:
    """A bonus of up to 0.3 for pieces with the statement's figures.

    "It was built in 1889" is the evidence for a year, though "The tower is in Paris" is nearer.
    """
    counts = np.zeros(len(evidence.pieces))
    for figure in said.figures & evidence.stems:
        counts[evidence.places[figure]] += 1
    return 0.3 * (counts / max(1, len(said.figures)))


def _verbatim(said: Claim, evidence: Evidence) -> bool:
    """Whether it stands there, signs included, as a piece or as what a part of one says."""
    if not said.length or (said.length < _LONG and said.said not in evidence.sayings):
        return False
    return any(
        _says(piece, said) and said.exact in exact(piece.text) for piece in _places(said, evidence)
    )


def _rejected(said: Claim, evidence: Evidence) -> bool:
    found = [piece.said for piece in _places(said, evidence) if said.said in piece.said]
    behind = [text[: text.index(said.said) + 1] for text in found]
    return bool(said.length and found) and all(map(_rejects, behind))


def _rejects(text: str) -> bool:
    found = _REJECTED.search(text)
    return bool(found) and not facts.is_negated(text[: found.start()] if found else "")


def _places(said: Claim, evidence: Evidence) -> Iterator[Piece]:
    """Where it may stand word by word: only where its rarest word does."""
    places = (evidence.places.get(stem, ()) for stem in said.wanted)
    for i in min(places, key=len, default=range(len(evidence.pieces))):
        yield evidence.pieces[i]


def _says(piece: Piece, said: Claim) -> bool:
    """Whether its words are these, or at least six in a row are and the rest casts no doubt."""
    if said.said == piece.said:
        return True
    if said.length < _LONG or said.said not in piece.said or facts.is_negated(piece.text):
        return False
    return not facts.is_doubted(piece.said.replace(said.said, " "))


def _missing(
    said: Claim, found: Mapping[str, str], known: frozenset[str], evidence: Evidence
) -> tuple[list[str], list[str]]:
    """The statement's numbers and names that are not among these numbers and words."""
    gone = [
        written
        for plain, written in said.numbers.items()
        if plain not in found
        and not numbers.begins_any(written, found)
        and not (said.tolerance and numbers.close_to_any(plain, found, said.tolerance))
    ]
    return gone, [n for n in said.names if not facts.stands_in(n, known, evidence.acronyms)]


def _missing_words(said: Claim, evidence: Evidence) -> list[str]:
    return [
        word
        for word in said.content
        if words.stem(word) not in evidence.stems and word not in evidence.words
    ]
