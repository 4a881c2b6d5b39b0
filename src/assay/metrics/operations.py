"""How long an answer took and what it cost, read off the sample: nobody is asked."""

from abc import abstractmethod
from dataclasses import dataclass
from math import inf, isfinite
from typing import ClassVar

from assay.judge import Judge
from assay.metrics.base import Metric
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored

SOURCE = "operations of the RAG system, as its data records them"


@dataclass(frozen=True)
class Recorded(Metric):
    """Base of the metrics that are read off the sample. There is no upper end to them."""

    source = SOURCE
    range = (0.0, inf)
    higher_is_better = False
    counts: ClassVar[str]

    @abstractmethod
    def recorded(self, sample: Sample) -> float | None:
        """What the sample says."""

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The value itself."""
        del judge
        value = self.recorded(sample)
        if value is None:
            return Unscored("undefined", f"no {self.needs[0]} is recorded")
        if not isfinite(value) or value < 0:
            return Unscored("undefined", f"{self.needs[0]} is {value}, which is impossible")
        return Score(float(value), (Part("operation", f"{self.needs[0]} {value:g}", self.counts),))


@dataclass(frozen=True)
class Latency(Recorded):
    """Time that the RAG system took for the answer, in milliseconds.

    `latency_ms` of the sample; 0 or more, lower is better. The mean says little about the slowest
    answers, so the summary also shows the 50th, 95th and 99th percentile. Undefined if the sample
    has none.
    """

    name = "latency"
    needs = ("latency_ms",)
    counts = "milliseconds"
    unit = "ms"

    def recorded(self, sample: Sample) -> float | None:
        """Its latency."""
        return sample.latency_ms


@dataclass(frozen=True)
class CostPerQuery(Recorded):
    """Money that the RAG system spent on the answer, in the currency of the data.

    `cost` of the sample; 0 or more, lower is better. The run reports the cost of the evaluation
    itself separately. Undefined if the sample has none.
    """

    name = "cost_per_query"
    needs = ("cost",)
    counts = "cost"

    def recorded(self, sample: Sample) -> float | None:
        """Its cost."""
        return sample.cost


@dataclass(frozen=True)
class TokensPerQuery(Recorded):
    """Tokens that the RAG system spent on the answer.

    `tokens` of the sample; 0 or more, lower is better. Undefined if the sample has none.
    """

    name = "tokens_per_query"
    needs = ("tokens",)
    counts = "tokens"

    def recorded(self, sample: Sample) -> float | None:
        """Its tokens."""
        return sample.tokens
