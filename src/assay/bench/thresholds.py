"""The score from which on an answer is called hallucinated, fitted on training data.

Never on a file that is reported on. RAGTruth's training rows that training itself does not see give
the threshold for answers to questions; the file leaves out a third of them, nearly all without a
hallucination, so those that are there stand for more. There are hardly any summaries among them,
so QAGS is added for these. The trivial rules get thresholds in the same way: their F1 is not to
suffer from none.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final, TypeAlias

import msgspec
import numpy as np

from assay.bench import claims, groundedness
from assay.bench.baselines import unsupported
from assay.bench.data import Data, Record, held_out, thinned
from assay.bench.judge import JudgeUnderTest, Text, answered, hallucination
from assay.errors import InputError
from assay.stats import agreement as stats
from assay.stats.intervals import Statistic

# What is fitted, by who needs it, then by who decides: the judge or a trivial rule.
Thresholds: TypeAlias = Mapping[str, Mapping[str, float]]

NAME: Final = "thresholds.json"
_TRAIN: Final = "ragtruth/ragtruth_train.jsonl.gz"
_QAGS: Final = "faithfulness/qags.jsonl.gz"
_DEV: Final = "attribution/attributionbench_dev.jsonl.gz"
FILES: Final = {
    "ragtruth_qa": (_TRAIN,),
    "summaries": (_TRAIN, _QAGS),
    "attributionbench": (_DEV,),
}
# Share of hallucinated answers to questions in all of RAGTruth's training part: 1,564 of 5,034 (Niu
# et al. 2024: 1,724 of 5,934, less the test part's 160 of 900). The best F1 depends on it.
_HALLUCINATED: Final = 0.31
_MOST: Final = 1200  # rows of a kind: with half of them the best threshold is a matter of chance


def known(judge: str) -> Thresholds:
    """What ships for this judge, in this very version: the embedded one; nothing for any other."""
    return _shipped().get(judge, {})


@cache
def _shipped() -> dict[str, dict[str, dict[str, float]]]:
    content = resources.files("assay.bench").joinpath(NAME).read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, dict[str, float]]])


def fit(
    judge: JudgeUnderTest, data: Data, limit: int | None = None, names: Sequence[str] = tuple(FILES)
) -> dict[str, dict[str, float]]:
    """The thresholds of the judge and of the trivial rules.

    Args:
        judge: Who decides.
        data: Where the training files are.
        limit: Rows of each kind at most.
        names: Which ones, of `FILES`.

    Raises:
        InputError: If a file is absent, or its rows are all of one class.
    """
    most = min(limit or _MOST, _MOST)
    return {name: _fit_one(judge, data, name, most) for name in names}


def _fit_one(judge: JudgeUnderTest, data: Data, name: str, most: int) -> dict[str, float]:
    if name == "attributionbench":
        claimed = thinned(data.rows(_DEV), most)
        return _fitted(judge, claimed, claims.text, _unsupported, stats.balanced)
    kept = [record for record in data.rows(_TRAIN) if held_out(record)]
    if name == "ragtruth_qa":
        answers = thinned([r for r in kept if groundedness.ragtruth_task(r) == "QA"], most)
        return _fitted(
            judge, answers, groundedness.ragtruth_text, _hallucinated, stats.f1, _HALLUCINATED
        )
    answers = thinned([r for r in kept if groundedness.ragtruth_task(r) == "Summary"], most)
    answers += thinned(data.rows(_QAGS), max(1, most // 2))
    return _fitted(judge, answers, groundedness.ragtruth_text, _hallucinated, stats.f1)


def _hallucinated(record: Record) -> bool:
    return bool(record["labels"]["hallucinated"])


def _unsupported(record: Record) -> bool:
    return not claims.supported(record)


def _fitted(
    judge: JudgeUnderTest,
    records: Sequence[Record],
    text: Callable[[Record], Text],
    positive: Callable[[Record], bool],
    measure: Callable[..., Statistic],
    share: float | None = None,
) -> dict[str, float]:
    texts = [text(record) for record in records]
    done = answered(records, judge.check(texts))
    labels = np.array([positive(record) for record, _ in done], bool)
    if len(set(labels.tolist())) < 2:
        raise InputError("no threshold can be fitted to rows of one class", "raise --limit")
    rules = unsupported((text(record).text, record["contexts"]) for record, _ in done)
    scores = {"judge": np.array([hallucination(checked) for _, checked in done]), **rules}
    # Each row counts once, or so that the positive ones are that share.
    weights = None
    if share is not None:
        weights = np.where(labels, share / labels.mean(), (1 - share) / (1 - labels.mean()))
    return {
        who: stats.best_threshold(values, labels, measure, weights)
        for who, values in scores.items()
    }
