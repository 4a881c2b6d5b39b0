"""The human-labelled sets that a judge can be measured on."""

import difflib
from collections.abc import Sequence
from typing import Final

from assay.bench import (
    claims,
    correctness,
    groundedness,
    hard_negatives,
    relevance,
    retrieval,
)
from assay.bench.benchmark import Benchmark
from assay.errors import InputError, Problem

# In the order in which they are shown: answers, claims, pairs, relevance, retrieval, attacks.
_SETS: Final = (
    groundedness.RAGTRUTH_SET,
    *claims.CLAIM_SETS,
    groundedness.QAGS_SET,
    claims.CONTRADICTION_SET,
    correctness.RAGCHECKER_SET,
    correctness.EVOUNA_SET,
    correctness.WIKIEVAL_SET,
    groundedness.FINEGRAINED_SET,
    hard_negatives.ADDRESSED_SET,
    *relevance.RELEVANCE_SETS,
    hard_negatives.HELPFUL_SET,
    *relevance.ANSWERABLE_SETS,
    retrieval.TELEQUAD_SET,
    claims.INJECTION_SET,
)
BENCHMARKS: Final = {one.name: one for one in _SETS}
FAMILIES: Final = {
    family: tuple(one for one in BENCHMARKS.values() if one.family == family)
    for family in dict.fromkeys(one.family for one in BENCHMARKS.values())
}


def chosen(names: Sequence[str]) -> list[Benchmark]:
    """The sets of these names, or of these families of sets; all of them without a name.

    Raises:
        InputError: Naming every unknown one, with what was most likely meant.
    """
    known = [*BENCHMARKS, *FAMILIES]
    problems = [
        Problem(f"there is no set '{name}'", _meant(name, known))
        for name in names
        if name not in known
    ]
    if problems:
        raise InputError(problems)
    wanted = {one.name for name in names for one in _of(name)}
    return [one for one in BENCHMARKS.values() if not names or one.name in wanted]


def _of(name: str) -> Sequence[Benchmark]:
    return (BENCHMARKS[name],) if name in BENCHMARKS else FAMILIES[name]


def _meant(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    close += [one for one in known if name.lower() in one and one not in close]
    listed = "`assay bench --list` names them all"
    return f"did you mean {' or '.join(dict.fromkeys(close))}?" if close else listed
