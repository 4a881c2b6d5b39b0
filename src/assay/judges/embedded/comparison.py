"""Measurements of a statement beside the evidence: shared words, missing facts, denials.

`FEATURES` names them in the order of `Comparison.features`; each is in [0, 1], except the two
lengths, natural logarithms. A yes or no of a record that names all that a statement says settles it
(99 % right where it agrees, see `training/NOTES.md`).
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay._text import entities, numbers, words
from assay._text.expressions import expression
from assay._text.markup import says_nothing
from assay._text.units import OtherUnit, other_figure
from assay.judges.embedded import cells, predications
from assay.judges.embedded.evidence import Claim, Evidence, Piece, exact, read_claim
from assay.judges.embedded.foreign import compare_foreign
from assay.judges.embedded.intervals import compare_nearby
from assay.judges.embedded.lookups import look_up
from assay.judges.embedded.predications import Finding, Passage
from assay.judges.embedded.replies import differ, value_agrees
from assay.judges.embedded.short_answers import Place, find_place
from assay.judges.embedded.swaps import FURTHER, Swap, find_swap
from assay.judges.embedded.wordings import Near, Otherwise

_FLAG = expression(r"(?P<key>[^:?]{2,80}): (?P<value>yes|no|true|false)\.?", re.IGNORECASE)
_ASKS = expression(r"(?:(?:q|question):\s*)?(?P<question>.+\?)", re.IGNORECASE | re.DOTALL)
# "No problem" and "No worries" mean yes.
_REPLY = expression(
    r"(?:(?:a|answer):\s*)?(?P<value>yes|no)(?=\s*(?:[.,;:!]|$))(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_CELLS = "; "  # between the cells of a row
_FURTHER = 2  # content words that a statement may have besides what it names, names apart
_DENIES = frozenset(
    words.stems("unavailable absent missing prohibited forbidden banned excluded disabled")
)
# Say no more than that there is something.
_NEUTRAL = _DENIES.union(
    words.stems(
        "available availability offered offers offer provided provides included includes include "
        "allowed permitted accepted accepts has have contains comes feature there present "
        "customers guests users people cafe hotel restaurant place establishment plan product"
    )
)
# With one of these a statement may agree with either: "non-smoker", "breakfast costs extra".
_UNCLEAR = frozenset(
    words.words(
        "non extra only except unless but if or free zero out off gone absence negative resolved "
        "exhausted instead rather than own from hard skip skips waive waived problem problems "
        "trouble mention mentions mentioned information say says said state states stated"
    )
)
_DENIALS = expression(r" (?:not|no|never|without|lack\w*|neither|nor|none|cannot|\w+n't)(?= )")


class Flag(NamedTuple):
    """A yes or no.

    Attributes:
        piece: Index of the piece of evidence.
        agrees: Whether the statement says the same.
    """

    piece: int
    agrees: bool


class _RecordFlag(NamedTuple):
    piece: int
    key: frozenset[str]  # stems of what it is about
    of: frozenset[str]  # ... and of whom: the keys above, the other cells of a row
    words: frozenset[str]  # of the key
    holds: bool


def flag(claim: Claim, evidence: Evidence) -> Flag | None:
    """What the contexts say of all that a statement names; None if nothing, or yes and no."""
    if claim.start:  # a question and its answer
        return None if claim.replied is None else flag(claim.replied, evidence)
    if not claim.content_stems or len(_DENIALS.findall(claim.plain)) > 1:
        return None
    flags = [flag for flag in _flags(claim, evidence) if _is_mentioned(flag, claim, evidence)]
    # Of several records or rows, those that the statement is about.
    n_named: dict[frozenset[str], int] = {}
    for found_flag in flags:
        n_named[found_flag.key] = max(
            n_named.get(found_flag.key, 0), len(found_flag.of & claim.content_stems)
        )
    flags = [flag for flag in flags if len(flag.of & claim.content_stems) == n_named[flag.key]]
    if len({flag.holds for flag in flags}) != 1 or not _says_all(flags, claim, evidence):
        return None
    denies = claim.denies is not bool(claim.content_stems & _DENIES)
    return Flag(flags[0].piece, flags[0].holds is not denies)


def _flags(claim: Claim, evidence: Evidence) -> Iterator[_RecordFlag]:
    indices = {
        int(i) for stem in claim.content_stems & evidence.stems for i in evidence.places[stem]
    }
    for i in sorted(indices):
        text = evidence.pieces[i].text
        question = _ASKS.fullmatch(text)
        yield from (
            _in_reply(i, question["question"], evidence)
            if question
            else _in_cells(i, text, evidence)
        )


def _in_cells(index: int, text: str, evidence: Evidence) -> Iterator[_RecordFlag]:
    """Of the cells of a row, or of one value; "no deposit: yes" may mean either."""
    cells = text.split(_CELLS)
    for match in filter(None, map(_FLAG.fullmatch, cells)):
        *above, last = match["key"].split(", ")
        key = frozenset(words.stems(last))
        named_stems = evidence.sets[index] - key if len(cells) > 1 else words.stems(" ".join(above))
        holds = match["value"].lower() in {"yes", "true"}
        if not entities.is_negated(last):
            yield _RecordFlag(
                index, key, frozenset(named_stems), frozenset(words.words(last)), holds
            )


def _in_reply(index: int, question: str, evidence: Evidence) -> Iterator[_RecordFlag]:
    """Of a question that is answered with yes or no at once; "Is it not?" may mean either."""
    after = index + 1
    if after not in evidence.window(index) or entities.is_negated(question):
        return
    match = _REPLY.fullmatch(evidence.pieces[after].text)
    if match and _UNCLEAR.isdisjoint(words.words(match["rest"])):
        key, holds = words.words(question), match["value"].lower() == "yes"
        yield _RecordFlag(
            after, frozenset(words.stems(question)), frozenset(), frozenset(key), holds
        )


def _is_mentioned(record_flag: _RecordFlag, claim: Claim, evidence: Evidence) -> bool:
    """Whether a statement names what a flag is about."""
    if not record_flag.key or not record_flag.key <= claim.content_stems:
        return False
    if record_flag.of and not record_flag.of & claim.content_stems:
        # Alone "lot" of "parking, lot" may be any lot, and a name another record's.
        return (
            len(record_flag.key) > 1
            and not (claim.content_stems - record_flag.key) & evidence.stems
        )
    return True


def _says_all(flags: Sequence[_RecordFlag], claim: Claim, evidence: Evidence) -> bool:
    """Whether a statement says hardly more than what it names, and of the same thing.

    Of what there is not, there is nothing in particular either; of what there is, a statement may
    say what nobody knows.
    """
    if set(claim.plain.split()).difference(*(flag.words for flag in flags)) & _UNCLEAR:
        return False
    remaining_stems = claim.content_stems.difference(
        _DENIES, *(flag.key | flag.of for flag in flags)
    )
    further = {stem for stem in remaining_stems if not stem.endswith("n't")}
    names = further.intersection(words.stems(" ".join(claim.names)))
    context = evidence.pieces[flags[0].piece].context
    known = all(_stem_stands(stem, context, evidence) for stem in names)
    if len(further - names) > _FURTHER or not known:
        return False
    if flags[0].holds:
        return further <= names | _NEUTRAL
    return all(
        stem not in evidence.stems or _stem_stands(stem, context, evidence) for stem in further
    )


def _stem_stands(stem: str, context: int, evidence: Evidence) -> bool:
    return any(evidence.pieces[i].context == context for i in evidence.places.get(stem, ()))


FEATURES = (
    "recall_all",  # content words found anywhere, the rare ones counting more
    "recall_window",  # ... in the best sentence and its neighbours
    "recall_best",  # ... in the best sentence
    "bigrams_all",  # pairs of neighbouring content words found anywhere
    "numbers_missing_all",  # one of its numbers stands nowhere
    "numbers_missing_window",  # ... or not near the best sentence
    "names_missing_all",  # the same for its names
    "names_missing_window",
    "calendar_missing",  # a month or week day that stands nowhere
    "negation_differs",  # one denies and the other does not, by how alike they are otherwise
    "opposites",  # "increase" against "decrease", by how alike they are otherwise
    "grammar_agrees",  # it says the same, the other way round or of fewer: "B was hired by A"
    "roles_differ",  # it says the same with the sides exchanged: "B hired A"
    "polarity_differs",  # ... or denied
    "direction_differs",  # ... or of the opposite order or direction
    "phrase",  # it is a question and a phrase that answers it
    "phrase_missing",  # ... and the share of that which stands nowhere
    "log_words",
    "log_sentences",
    "table_agrees",  # the cells of a table or record say the same
    "table_differs",  # ... or otherwise
)
_NEAREST = 3  # sentences whose clauses are compared with the statement's ...
_SHARED = 0.4  # ... if they hold so much of its content words, by weight
_ABSENT = 4  # ... and lack no more of them
_WORDED = 4  # sentences that the statement is laid beside ...
_OTHERS = 3  # ... if they lack no more of its content words
_NO_SENTENCE = expression(r":\s|\?$")  # a record, a row or a question
_BEFORE = 2  # sentences before them that tell what they are about
_LONG = 6  # words in a row that stand in a sentence; fewer may be part of anything
_REJECTED = expression(
    r" (?:myth|misconception|false|untrue|not true|not the case|no (?:evidence|proof|sign)) that $"
)


@dataclass(frozen=True)
class Comparison:
    """The measurements of one statement and what a reason is made of."""

    features: tuple[float, ...]
    best: int  # index of the closest piece
    quoted: int  # ... of the one to be shown: of those that are as close
    numbers: tuple[str, ...]  # as written in the statement, missing from all contexts
    names: tuple[str, ...]
    words: tuple[str, ...]  # content words missing from all contexts, lower case
    negation_differs: bool
    opposites: tuple[tuple[str, str], ...]
    grammar: tuple[Finding, ...]  # what says the same, or surely something else
    far_numbers: tuple[str, ...]  # in the contexts, but not near the closest sentence
    verbatim: bool  # it stands in one of the pieces, word by word
    # It says nothing, or it answers a question and none of it stands anywhere or is another name.
    foreign: bool
    sign_differs: bool  # a number of it stands there with the other sign alone
    unit: OtherUnit | None  # ... with another unit alone
    flag: Flag | None  # what a record's yes or no says of it
    # Whether another answer to its question is as much or the same yes or no.
    value_agrees: bool | None
    swap: Swap | None  # what it mixes up
    rejected: bool  # it stands there word by word, but only behind "it is a myth that"
    table: cells.Finding | None  # what the tables and records say of it
    wording: Otherwise | None  # what sentences say of it that are worded nearly like it
    place: Place | None  # where it stands as a short answer to its question


def compare(statement: str, evidence: Evidence) -> Comparison:
    """Compare one statement with prepared evidence of at least one piece."""
    claim = read_claim(statement)
    claimed = set(claim.stems)
    recalls = _recalls(claim.content_stems, evidence)
    record = flag(claim, evidence)
    closeness = recalls + _figures(claim, evidence)
    best = record.piece if record else int(np.argmax(closeness))
    likeness = float(recalls[best])
    around = evidence.around(best)
    missing_numbers, absent = _missing(claim, evidence.numbers, evidence.words, evidence)
    far, distant = _missing(claim, around.numbers, around.words, evidence)
    differs, contrary = _negation_and_opposites(claim, best, evidence)
    shared = words.weighted_recall(claimed, evidence.stems, evidence.weights)
    table = None if claim.start else look_up(statement, evidence.grids)
    grammar = _grammar(statement, claim, recalls, evidence)
    texts = [piece.text for piece in evidence.pieces]
    features = (
        shared,
        words.weighted_recall(claimed, around.stems, evidence.weights),
        words.weighted_recall(claimed, evidence.sets[best], evidence.weights),
        words.bigram_recall(claim.stems, evidence.bigrams),
        float(bool(missing_numbers)),
        float(bool(far)),
        float(bool(absent)),
        float(bool(distant)),
        float(bool(claim.calendar - evidence.words)),
        likeness if differs else 0.0,
        likeness if contrary else 0.0,
        *_grammar_features(grammar),
        float(claim.start > 0),
        1 - shared if claim.start else 0.0,
        math.log1p(len(claim.content_stems)),
        math.log1p(len(evidence.pieces)),
        *_sides_of_finding(table),
    )
    return Comparison(
        features=features,
        best=best,
        quoted=best if record else _closest_piece(claim, closeness, evidence),
        numbers=tuple(missing_numbers),
        names=tuple(absent),
        words=tuple(_missing_words(claim, evidence)),
        negation_differs=differs and likeness > 0.5,
        opposites=_as_worded(contrary, claim, evidence.pieces[best]),
        grammar=tuple(grammar),
        far_numbers=tuple(number for number in far if number not in missing_numbers),
        verbatim=_verbatim(claim, evidence),
        foreign=_is_foreign(statement, claim, shared, evidence),
        sign_differs=_sign_differs(statement, claim, evidence),
        unit=None if claim.denies else other_figure(statement, evidence.measures, texts),
        flag=record,
        value_agrees=value_agrees(statement, evidence),
        swap=_find_swap(statement, claim, evidence),
        rejected=_is_rejected(claim, evidence),
        table=table,
        wording=None if record or table else _wording(statement, claim, recalls, evidence),
        place=find_place(statement, evidence),
    )


_LOWER = expression(
    r"\b(?:below|minus|negative|under|loss(?:es)?|lost|deficit|f[ae]ll(?:s|en)?|dropp?(?:s|ed)?|"
    r"declin\w+|decreas\w+|shr[aiu]nk\w*|reduc\w+|down|lower\w*|colder|less|fewer|bce?)\b",
    re.IGNORECASE,
)


def _negation_and_opposites(
    claim: Claim, best: int, evidence: Evidence
) -> tuple[bool, list[tuple[str, str]]]:
    """Whether one of the two denies, and the opposites; none where both: "not open", "closed"."""
    piece = evidence.pieces[best].text
    differs = bool(claim.content_stems) and claim.denies != entities.is_negated(piece)
    contrary = entities.opposites(claim.plain, claim.content_stems, piece, evidence.sets[best])
    return (False, []) if differs and contrary else (differs, contrary)


def _as_worded(
    pairs: Sequence[tuple[str, str]], claim: Claim, piece: Piece
) -> tuple[tuple[str, str], ...]:
    """Pairs of stems as the words that the statement and the piece have of them."""
    stated = {words.stem(word): word for word in claim.content}
    given = {words.stem(word): word for word in words.words(piece.text)}
    return tuple((stated.get(a, a), given.get(b, b)) for a, b in pairs)


def _sign_differs(statement: str, claim: Claim, evidence: Evidence) -> bool:
    """Whether a number stands only with the other sign; "fell by 5" may be a change of -5."""
    if not claim.numbers or _LOWER.search(statement):
        return False
    (below, above), (given_below, given_above) = numbers.by_sign(statement), evidence.by_sign
    return bool(below & given_above - given_below or above & given_below - given_above)


def _is_foreign(statement: str, claim: Claim, overlap: float, evidence: Evidence) -> bool:
    silent = (claim.start > 0 and not overlap) or says_nothing(statement)
    return silent or differ(statement, evidence)


def _sides_of_finding(finding: cells.Finding | None) -> tuple[float, float]:
    """Whether it agrees and whether it differs."""
    return (float(finding.agrees), float(not finding.agrees)) if finding else (0.0, 0.0)


def _grammar(
    statement: str, claim: Claim, recalls: npt.NDArray[np.float64], evidence: Evidence
) -> list[Finding]:
    """What the sentences that hold nearly all of it say of it."""
    nearest = np.argsort(-recalls, kind="stable")[:_NEAREST].tolist()
    passages = (
        Passage(evidence.pieces[i].text, evidence.topic(i))
        for i in nearest
        if recalls[i] >= _SHARED
        and len(claim.content_stems - evidence.sets[i] - evidence.topic(i)) <= _ABSENT
    )
    return predications.findings(statement, list(passages))


def _wording(
    statement: str, claim: Claim, recalls: npt.NDArray[np.float64], evidence: Evidence
) -> Otherwise | None:
    """What the sentences that are worded nearly like it say of it."""
    if claim.start:
        return None
    nearest = np.argsort(-recalls, kind="stable")[:_WORDED].tolist()
    # An interval need not repeat when.
    stems = claim.content_stems - claim.figures - set(words.stems(" ".join(claim.calendar)))
    nearby = [
        Near(evidence.pieces[i].text, tuple(evidence.before(i, _BEFORE)))
        for i in nearest
        if recalls[i] > 0
        and (evidence.language or len(stems - evidence.sets[i]) <= _OTHERS)
        and not _NO_SENTENCE.search(evidence.pieces[i].text)
    ]
    if evidence.language:
        return compare_foreign(statement, nearby, evidence.language)
    return compare_nearby(statement, nearby)


def _grammar_features(grammar: Sequence[Finding]) -> tuple[float, ...]:
    differing = {finding.kind for finding in grammar if not finding.agrees}
    return (
        float(bool(grammar) and not differing),
        float("roles" in differing),
        float("polarity" in differing),
        float("direction" in differing),
    )


def _find_swap(statement: str, claim: Claim, evidence: Evidence) -> Swap | None:
    """What it mixes up, by itself or beside its question; of one that says much else, nothing."""
    if len(claim.content_stems - evidence.stems) > FURTHER:
        return None
    evidence_parts = evidence.parts, evidence.alike, evidence.siblings
    swaps = (find_swap(statement[at:], *evidence_parts) for at in dict.fromkeys((claim.start, 0)))
    return next(filter(None, swaps), None)


def _closest_piece(claim: Claim, closeness: npt.NDArray[np.float64], evidence: Evidence) -> int:
    """Of the pieces that are closest the one with most of all words, such as "between them"."""
    ties = np.flatnonzero(closeness >= closeness.max() - 1e-9).tolist()
    spoken = set(claim.plain.split())
    return int(max(ties, key=lambda i: len(spoken.intersection(evidence.pieces[i].plain.split()))))


def _recalls(stems: AbstractSet[str], evidence: Evidence) -> npt.NDArray[np.float64]:
    """Share of the stems that stand in each piece, by weight; 1.0 without any stem."""
    total = math.fsum(evidence.weights[stem] for stem in stems)
    return evidence.shared(stems) / total if total else np.ones(len(evidence.pieces))


def _figures(claim: Claim, evidence: Evidence) -> npt.NDArray[np.float64]:
    """A bonus of up to 0.3 for pieces with the statement's figures.

    "It was built in 1889" is the evidence for a year, though "The tower is in Paris" is nearer.
    """
    counts = np.zeros(len(evidence.pieces))
    for figure in claim.figures & evidence.stems:
        counts[evidence.places[figure]] += 1
    return 0.3 * (counts / max(1, len(claim.figures)))


def _verbatim(claim: Claim, evidence: Evidence) -> bool:
    """Whether it stands there, signs included, as a piece or as what a part of one says."""
    if not claim.length or (claim.length < _LONG and claim.plain not in evidence.sayings):
        return False
    return any(
        _says_claim(piece, claim) and claim.exact in exact(piece.text)
        for piece in _pieces_of_rarest(claim, evidence)
    )


def _is_rejected(claim: Claim, evidence: Evidence) -> bool:
    texts = [
        piece.plain for piece in _pieces_of_rarest(claim, evidence) if claim.plain in piece.plain
    ]
    before = [text[: text.index(claim.plain) + 1] for text in texts]
    return bool(claim.length and texts) and all(map(_rejects, before))


def _rejects(text: str) -> bool:
    match = _REJECTED.search(text)
    return bool(match) and not entities.is_negated(text[: match.start()] if match else "")


def _pieces_of_rarest(claim: Claim, evidence: Evidence) -> Iterator[Piece]:
    """Where it may stand word by word: only where its rarest word does."""
    pieces_by_stem = (evidence.places.get(stem, ()) for stem in claim.content_stems)
    for i in min(pieces_by_stem, key=len, default=range(len(evidence.pieces))):
        yield evidence.pieces[i]


def _says_claim(piece: Piece, claim: Claim) -> bool:
    """Whether its words are these, or at least six in a row are and the rest casts no doubt."""
    if claim.plain == piece.plain:
        return True
    if claim.length < _LONG or claim.plain not in piece.plain or entities.is_negated(piece.text):
        return False
    return not entities.is_doubted(piece.plain.replace(claim.plain, " "))


def _missing(
    claim: Claim,
    evidence_numbers: Mapping[str, str],
    evidence_words: frozenset[str],
    evidence: Evidence,
) -> tuple[list[str], list[str]]:
    """The statement's numbers and names that are not among these numbers and words."""
    absent = [
        as_stated
        for plain, as_stated in claim.numbers.items()
        if plain not in evidence_numbers
        and not numbers.is_prefix_of_any(as_stated, evidence_numbers)
        and not (
            claim.tolerance and numbers.is_close_to_any(plain, evidence_numbers, claim.tolerance)
        )
    ]
    return absent, [
        n for n in claim.names if not entities.stands_in(n, evidence_words, evidence.acronyms)
    ]


def _missing_words(claim: Claim, evidence: Evidence) -> list[str]:
    return [
        word
        for word in claim.content
        if words.stem(word) not in evidence.stems and word not in evidence.words
    ]
