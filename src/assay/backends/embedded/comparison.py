"""How does a statement compare with the evidence: what of it is there, and what is not?

`FEATURES` names the measurements in the order of `Comparison.features`; each is in [0, 1], except
the two lengths, natural logarithms.
"""

import math
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.backends.embedded.evidence import Evidence
from assay.text import facts, numbers, overlap, words
from assay.text.absence import absence_claim
from assay.text.citations import without_pointers

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
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|approx|nearly|almost|roughly|over|under|more than|less than|"
    r"at least|at most|up to|some|estimated|close to)\b|~",
    re.IGNORECASE,
)


_LONG = 6  # words in a row that stand in a sentence; fewer may be part of anything
_PHRASE = re.compile(r"\?\s+(?=\S)")
_FEW = 8  # words that answer a question without being a sentence
_NO_NAMES = frozenset({"yes", "no", "true", "false", "both", "none", "neither", "nobody", "never"})


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


def compare(statement: str, evidence: Evidence) -> Comparison:
    """Compare one statement with prepared evidence of at least one piece."""
    statement = without_pointers(statement) or statement
    wanted = set(words.stems(statement))
    start = claim_start(statement)
    stems = words.stems(statement[start:]) or words.stems(statement)
    claimed = set(stems)
    recalls = [overlap.weighted_recall(wanted, found, evidence.weights) for found in evidence.sets]
    best = int(np.argmax(np.asarray(recalls) + _figures(wanted, evidence)))
    piece = evidence.pieces[best]
    near = frozenset().union(*(evidence.sets[i] for i in evidence.window(best)))
    window = " ".join(evidence.pieces[i].text for i in evidence.window(best))
    # Behind other words a capital makes a name of an answer's first word, too.
    claim = f"it is {statement[start:]}" if start else statement
    gone, absent = _missing(claim, evidence.numbers, evidence.words, evidence)
    near_words = frozenset(words.words(window)) | near
    far, distant = _missing(claim, numbers.numbers(window), near_words, evidence)
    # "The passages do not mention it" denies nothing.
    denies = facts.is_negated(statement) and absence_claim(statement) is None
    differs = bool(wanted) and denies != facts.is_negated(piece.text)
    contrary = facts.opposites(wanted, evidence.sets[best])
    dates = facts.calendar_words(statement)
    found = overlap.weighted_recall(claimed, evidence.stems, evidence.weights)
    features = (
        found,
        overlap.weighted_recall(claimed, near, evidence.weights),
        overlap.weighted_recall(claimed, evidence.sets[best], evidence.weights),
        overlap.bigram_recall(stems, evidence.bigrams),
        overlap.longest_run(stems, piece.stems),
        float(bool(gone)),
        float(bool(far)),
        float(bool(absent)),
        float(bool(distant)),
        float(bool(dates - evidence.words)),
        recalls[best] if differs else 0.0,
        recalls[best] if contrary else 0.0,
        float(start > 0),
        1 - found if start else 0.0,
        float(bool(start and (gone or absent))),
        math.log1p(len(wanted)),
        math.log1p(len(evidence.pieces)),
    )
    return Comparison(
        features=features,
        best=best,
        numbers=tuple(gone),
        names=tuple(absent),
        words=tuple(_missing_words(statement, evidence)),
        negation_differs=differs and recalls[best] > 0.5,
        opposites=tuple(contrary),
        far_numbers=tuple(number for number in far if number not in gone),
        verbatim=_verbatim(statement, evidence),
        foreign=start > 0 and not found,
    )


def claim_start(statement: str) -> int:
    """Where its claim begins: behind the question in "Who built it? Eiffel", else at 0.

    The words of a question claim nothing.
    """
    found = _PHRASE.search(statement)
    phrase = words.words(statement[found.end() :]) if found else []
    # With "Yes" the question itself is what is claimed.
    claims = 0 < len(phrase) <= _FEW and phrase[0] not in _NO_NAMES
    return found.end() if found and claims else 0


def _verbatim(statement: str, evidence: Evidence) -> bool:
    """A whole piece, or at least six words in a row of one that denies nothing."""
    said = words.words(statement)
    if not said:
        return False
    wanted = f" {' '.join(said)} "
    for piece in evidence.pieces:
        found = f" {' '.join(words.words(piece.text))} "
        if wanted == found:
            return True
        if len(said) >= _LONG and wanted in found and not facts.is_negated(piece.text):
            return True
    return False


def _figures(wanted: set[str], evidence: Evidence) -> npt.NDArray[np.float64]:
    """A bonus of up to 0.3 for pieces with the statement's figures.

    "It was built in 1889" is the evidence for a year, though "The tower is in Paris" is nearer.
    """
    figures = {stem for stem in wanted if stem[:1].isdigit()}
    shares = [len(figures & found) / max(1, len(figures)) for found in evidence.sets]
    return 0.3 * np.asarray(shares)


def _missing(
    statement: str, found: dict[str, str], known: frozenset[str], evidence: Evidence
) -> tuple[list[str], list[str]]:
    """The statement's numbers and names that are not among these numbers and words."""
    tolerance = 0.05 if _ABOUT.search(statement) else 0.0
    gone = [
        written
        for plain, written in numbers.numbers(statement).items()
        if plain not in found and not (tolerance and numbers.close_to_any(plain, found, tolerance))
    ]
    named = [
        name
        for name in facts.names(statement)
        if name.lower() not in _NO_NAMES and not numbers.numbers(name)
    ]
    return gone, [n for n in named if not facts.stands_in(n, known, evidence.acronyms)]


def _missing_words(statement: str, evidence: Evidence) -> list[str]:
    return [
        word
        for word in dict.fromkeys(words.content_words(statement))
        if words.stem(word) not in evidence.stems and word not in evidence.words
    ]
