"""The models that answered under a judge's name, as the provider names them with each reply."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from assay._runner.result import Result
from assay._store import Run, Store

# What follows an alias in the name of what it stands for: gpt-4o-2024-08-06, claude-opus@20250514.
_VERSION = re.compile(r"[-@:][0-9][0-9-]*")
_LATEST = "-latest"
MOST_NAMED = 4  # models that a message names


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that answered for a judge.

    Attributes:
        judge: The judge, as the run names it.
        model: The model, as the provider named it.
        scores: Scores of the run that rest on a reply of it.
    """

    judge: str
    model: str
    scores: int


def answered_by(store: Store, run: Run) -> list[Answering]:
    """The models behind each judge of a run, the commonest first; nothing of those not named."""
    counts = store.answered_by(run.id, list(run.metrics))
    ordered = sorted(counts.items(), key=lambda one: (one[0][0], -one[1], one[0][1]))
    return [Answering(judge, model, n) for (judge, model), n in ordered]


def mixed_models(answering: Sequence[Answering]) -> list[str]:
    """What has to be said of judges for whom more than one model answered in a run."""
    return [
        f"Behind {judge} more than one model answered: {_named(counts)}. What one calls supported "
        "another may not: name one of them as the judge, and score again."
        for judge, counts in _by_judge(answering).items()
        if _differ(counts)
    ]


def other_models(first: Result, second: Result, names: tuple[str, str]) -> list[str]:
    """What has to be said of judges that two runs share and for whom other models answered."""
    each = []
    for result in (first, second):
        with Store(result.path) as store:
            each.append(_by_judge(answered_by(store, result.run)))
    before, after = each
    told = []
    for judge in before.keys() & after.keys():
        if _differ({**before[judge], **after[judge]}):
            sides = zip(names, (before[judge], after[judge]), strict=True)
            found = ", ".join(f"in {name} {_named(counts)}" for name, counts in sides)
            text = f"Behind {judge} it was not one model that answered: {found}."
            told.append(f"{text} A difference may be one of the models, not of the systems.")
    return sorted(told)


def _by_judge(answering: Sequence[Answering]) -> dict[str, Mapping[str, int]]:
    grouped = groupby(answering, key=lambda one: one.judge)
    return {judge: {one.model: one.scores for one in models} for judge, models in grouped}


def _differ(models: Mapping[str, int]) -> bool:
    """Whether they are several, an alias beside what it stands for being the same one."""
    return sum(not any(_stands_for(one, other) for other in models) for one in models) > 1


def _stands_for(alias: str, other: str) -> bool:
    base = alias.removesuffix(_LATEST)
    return other.startswith(base) and bool(_VERSION.fullmatch(other[len(base) :]))


def _named(counts: Mapping[str, int]) -> str:
    first = [*counts.items()][:MOST_NAMED]
    named = ", ".join(f"{model} ({n:,} score{'s' * (n != 1)})" for model, n in first)
    more = len(counts) - len(first)
    return f"{named} and {more} more" if more else named
