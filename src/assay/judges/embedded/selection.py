"""Which pieces of evidence are read beside statements, and in what order."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import numpy.typing as npt

from assay.judges.embedded.evidence import Evidence

Lengths = Sequence[int] | npt.NDArray[np.int64]  # of the pieces of evidence, in tokens

_FEW = 3  # stems of a piece; with less it cannot be told whether it is foreign
_AGAIN = 0.25  # what a word counts for a piece when a chosen piece has it already


def nearest_first(found: Sequence[int], wanted: AbstractSet[str], evidence: Evidence) -> list[int]:
    """The chosen pieces context by context, that one first whose best piece shares most."""
    if len({evidence.pieces[piece].context for piece in found}) < 2:
        return list(found)
    shares = evidence.shared(wanted)
    best: dict[int, float] = {}
    for piece in found:
        context = evidence.pieces[piece].context
        best[context] = max(best.get(context, 0.0), float(shares[piece]))
    return sorted(found, key=lambda piece: -best[evidence.pieces[piece].context])


def chosen(
    wanted: AbstractSet[str], evidence: Evidence, lengths: Lengths, budget: int
) -> list[int]:
    """The pieces to show within a budget of tokens: those that share most with the statements.

    If there is room for all, all. Else greedy: first the piece that adds most
    of the wanted words not yet shown, by their weight; then the neighbours of what was chosen; then
    the rest by what they share.
    """
    room = np.asarray(lengths)
    if room.sum() <= budget:
        return list(range(len(room)))
    shares = evidence.shared(wanted)
    new = shares.copy()  # what of it no chosen piece has
    cost = np.sqrt(room + 20)
    gains = shares / cost
    seen: set[str] = set()
    kept: list[int] = []
    left = budget
    while left > 0 and gains[best := int(gains.argmax())] > 0:
        added = (evidence.sets[best] & wanted) - seen
        seen |= added
        kept.append(best)
        left -= int(room[best])
        if added and left > 0:
            left = _with_neighbours(best, kept, evidence, lengths, left)
        for known in added:
            new[evidence.places[known]] -= evidence.weights[known]
        if added:
            gains = (new + _AGAIN * (shares - new)) / cost
        # What no longer fits never will.
        gains[room > left] = 0
        gains[kept] = 0
    return sorted(kept)


def connected(wanted: AbstractSet[str], evidence: Evidence) -> list[int]:
    """The pieces that share a word with a statement, or with such a piece, and so on.

    What shares none is foreign, as an advertisement is or an order to whoever judges, and would
    sway the verdict. A piece stays before one that stays, since that one's pronouns may mean what
    it says, and so does one of few words, as "Yes." is; all stay where nothing is shared.
    """
    stays = np.zeros(len(evidence.pieces), bool)
    known: set[str] = set()
    fresh = set(wanted & evidence.stems)
    while fresh:
        known |= fresh
        found = np.unique(np.concatenate([evidence.places[each] for each in fresh]))
        new = found[~stays[found]]
        stays[new] = True
        fresh = {each for i in new.tolist() for each in evidence.sets[i]} - known
    if not stays.any():
        return list(range(len(stays)))
    before = [min(evidence.window(i)) for i in np.flatnonzero(stays).tolist()]
    stays[before] = True
    stays |= np.array([len(each) < _FEW for each in evidence.sets])
    kept: list[int] = np.flatnonzero(stays).tolist()
    return kept


def _with_neighbours(
    piece: int, kept: list[int], evidence: Evidence, lengths: Lengths, left: int
) -> int:
    """Keep the piece before, which says what its pronouns mean, if it is short; what is left."""
    before = min(evidence.window(piece))
    if before not in kept and lengths[before] <= left // 4:
        kept.append(before)
        left -= int(lengths[before])
    return left
