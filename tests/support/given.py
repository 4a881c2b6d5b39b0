"""A metric whose scores are told by the samples themselves: for tests of what is made of scores."""

from dataclasses import dataclass

from assay import Metric, Sample, Score, Unscored, evaluate
from assay.judges.scripted import Scripted


@dataclass(frozen=True)
class Given(Metric):
    """The score that a sample was given; "undefined" or "failed" for one that has none."""

    name = "given"
    needs = ()

    async def score(self, sample, judge):
        """What the sample says."""
        value = sample.metadata["score"]
        return Unscored(value, "as told") if isinstance(value, str) else Score(value)


@dataclass(frozen=True)
class Loss(Given):
    """The same where lower is better."""

    name = "loss"
    higher_is_better = False


@dataclass(frozen=True)
class Waiting(Given):
    """The same without an upper end."""

    name = "waiting"
    range = (0.0, float("inf"))
    higher_is_better = False


def told(scores, store, metrics=None, **fields):
    """The result of a run with these scores, one a sample."""
    samples = [
        Sample(id=f"q{n}", question="why?", metadata={"score": score}, **fields)
        for n, score in enumerate(scores)
    ]
    return evaluate(samples, metrics or Given(), Scripted({}), store=store)
