"""Which human-labelled sets can a judge be measured on?"""

import difflib
from collections.abc import Sequence
from typing import Final

from assay.bench import (
    addressed,
    answerable,
    claims,
    contradiction,
    evouna,
    finegrained,
    helpful,
    injection,
    qags,
    ragchecker,
    ragtruth,
    relevance,
    telequad,
    wikieval,
)
from assay.bench.benchmark import Benchmark
from assay.errors import InputError, Problem

# In the order in which they are shown: answers, claims, pairs, relevance, retrieval, attacks.
BENCHMARKS: Final = {
    benchmark.name: benchmark
    for module in (
        ragtruth,
        claims,
        qags,
        contradiction,
        ragchecker,
        evouna,
        wikieval,
        finegrained,
        addressed,
        relevance,
        helpful,
        answerable,
        telequad,
        injection,
    )
    for benchmark in module.BENCHMARKS
}
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
