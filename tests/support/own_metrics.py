"""Metrics as users write them."""

from dataclasses import dataclass

import assay
from assay.metrics import Faithfulness, Metric
from assay.score import Score
from assay.tasks import RateAnswer

MOST = 4


@assay.metric(name="brevity", needs=("answer",))
def brevity(sample):
    """1 for an answer of at most four words."""
    return min(1.0, MOST / words(sample))


def words(sample):
    return len(sample.answer.split())


@assay.metric(needs=("question", "answer"), tasks=(RateAnswer,), range=(0, 1), guide=0.5)
async def committed(sample, judge):
    """Whether the answer commits itself."""
    rating = await judge(RateAnswer(sample.question, sample.answer))
    return not rating.noncommittal


@assay.metric(name="failing", needs="answer")
def failing(sample):
    """Not a number for the second sample."""
    return float("nan") if sample.id == "q1" else 0.5


@dataclass(frozen=True)
class Short(Metric):
    """Whether the answer is short.

    Args:
        most: So many words are short.
    """

    most: int = 5

    name = "short"
    needs = ("answer",)

    async def score(self, sample, judge):
        return Score(float(words(sample) <= self.most))


class Unfinished(Metric):
    """A metric that scores nothing yet."""

    name = "unfinished"
    needs = ()


short = Short(most=2)
number = 3


def plain(sample):
    return 1.0


@assay.metric(
    needs=("question", "contexts", "answer"),
    tasks=Faithfulness.tasks,
    higher_is_better=False,
)
async def unfaithfulness(sample, judge):
    """The other way round."""
    return 1 - float(await Faithfulness().score(sample, judge))
