"""The models that answered under a judge's name, as the provider names them with each reply."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from assay._store import Run, Store

# What follows an alias in the name of what it stands for: gpt-4o-2024-08-06, claude-opus@20250514.
_VERSION = re.compile(r"[-@:][0-9][0-9-]*")
_LATEST = "-latest"
MOST_NAMED = 4  # models that a message names
NEARLY_ALL = 0.9  # of the answers


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
    ordered = sorted(counts.items(), key=lambda entry: (entry[0][0], -entry[1], entry[0][1]))
    return [Answering(judge, model, n) for (judge, model), n in ordered]


def mixed_models(answering: Sequence[Answering]) -> list[str]:
    """What has to be said of judges for whom more than one model answered in a run."""
    return [
        f"Behind {judge} more than one model answered: {_models_in_words(counts)}. "
        "What one calls supported another may not: name one of them as the judge, and score again."
        for judge, counts in _by_judge(answering).items()
        if _differ(counts)
    ]


def other_models(sides: Mapping[str, Sequence[Answering]], consequence: str) -> list[str]:
    """What has to be said of judges for whom other models answered in one run than in another.

    Args:
        sides: The models behind the judges of each run, by what the run is called.
        consequence: What follows for the reader, a sentence.
    """
    by_run = {name: _by_judge(answering) for name, answering in sides.items()}
    messages = []
    for judge in sorted({judge for judges in by_run.values() for judge in judges}):
        counts = {name: judges[judge] for name, judges in by_run.items() if judge in judges}
        if len(counts) > 1 and _differ({model for models in counts.values() for model in models}):
            answers_in_words = ", ".join(
                f"in {name} {_models_in_words(model_counts)}"
                for name, model_counts in counts.items()
            )
            messages.append(
                f"Behind {judge} it was not one model that answered: {answers_in_words}. "
                f"{consequence}"
            )
    return messages


def moved(before: Iterable[Sequence[Answering]], now: Sequence[Answering]) -> dict[str, str]:
    """By judge for whom another model answers nearly always than did before: what to say of it.

    Args:
        before: The models of earlier runs, the latest first.
        now: Those of the run.
    """
    messages, main_models = {}, _main_models(now)
    for earlier in before if main_models else ():
        for judge, model in _main_models(earlier).items():
            if (newer := main_models.pop(judge, model)) != model and _differ((model, newer)):
                messages[judge] = f"behind {judge} answers {newer} now, and {model} did before"
        if not main_models:
            break
    return messages


def _main_models(answering: Sequence[Answering]) -> dict[str, str]:
    """By judge the model that nearly all answers are of; a router that mixes models has none."""
    main = {}
    for judge, counts in _by_judge(answering).items():
        model = max(counts, key=lambda candidate: counts[candidate])
        if counts[model] >= NEARLY_ALL * sum(counts.values()):
            main[judge] = model
    return main


def _by_judge(answering: Sequence[Answering]) -> dict[str, Mapping[str, int]]:
    grouped = groupby(answering, key=lambda item: item.judge)
    return {judge: {item.model: item.scores for item in models} for judge, models in grouped}


def _differ(models: Collection[str]) -> bool:
    """Whether they are several, an alias beside what it stands for being the same one."""
    named = [model for model in models if not any(_stands_for(model, other) for other in models)]
    return len(named) > 1


def _stands_for(alias: str, model: str) -> bool:
    base = alias.removesuffix(_LATEST)
    return model.startswith(base) and bool(_VERSION.fullmatch(model[len(base) :]))


def _models_in_words(counts: Mapping[str, int]) -> str:
    first = [*counts.items()][:MOST_NAMED]
    listed = ", ".join(f"{model} ({n:,} score{'s' * (n != 1)})" for model, n in first)
    more = len(counts) - len(first)
    return f"{listed} and {more} more" if more else listed
