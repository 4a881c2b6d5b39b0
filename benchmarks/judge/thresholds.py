"""From which score on is an answer called hallucinated? Fitted on training and development data.

    python -m benchmarks.judge.thresholds --judge embedded

Never on a file that is reported on. RAGTruth's training rows that training itself does not see give
the threshold for answers to questions; there are hardly any summaries among them, so QAGS is added
for these. The trivial rules get thresholds in the same way: their F1 is not to suffer from none.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from training.groups import kept_out

from benchmarks.data import Record, load, thinned
from benchmarks.judge import claims, ragtruth, stats
from benchmarks.judge.answers import hallucination
from benchmarks.judge.floors import UNSUPPORTED
from benchmarks.judge.stats import Statistic
from benchmarks.judge.subject import Subject, Text

FILE = Path(__file__).with_name("thresholds.json")
Thresholds = Mapping[str, Mapping[str, float]]
_MOST = 500


def fit(judge: Subject, limit: int | None = None) -> dict[str, dict[str, float]]:
    """The thresholds of the judge and of the trivial rules."""
    most = min(limit or _MOST, _MOST)
    kept = [record for record in load("ragtruth/ragtruth_train.jsonl.gz") if kept_out(record)]
    questions = thinned([r for r in kept if ragtruth.kind(r) == "QA"], most)
    summaries = [r for r in kept if ragtruth.kind(r) == "Summary"]
    summaries += thinned(load("faithfulness/qags.jsonl.gz"), most // 2)
    claimed = thinned(load("attribution/attributionbench_dev.jsonl.gz"), most)
    return {
        "ragtruth_qa": _fitted(judge, questions, ragtruth.text, _hallucinated, stats.f1),
        "summaries": _fitted(judge, summaries, ragtruth.text, _hallucinated, stats.f1),
        "attributionbench": _fitted(judge, claimed, claims.text, _unsupported, stats.balanced),
    }


def _hallucinated(record: Record) -> bool:
    return bool(record["labels"]["hallucinated"])


def _unsupported(record: Record) -> bool:
    return not claims.supported(record)


def _fitted(
    judge: Subject,
    records: Sequence[Record],
    text: Callable[[Record], Text],
    positive: Callable[[Record], bool],
    measure: Callable[..., Statistic],
) -> dict[str, float]:
    texts = [text(record) for record in records]
    done = [(r, c) for r, c in zip(records, judge.check(texts), strict=True) if c is not None]
    labels = np.array([positive(record) for record, _ in done], bool)
    scores = {"judge": [hallucination(checked) for _, checked in done]}
    for rule, score in UNSUPPORTED.items():
        scores[rule] = [score(text(record).text, record["contexts"]) for record, _ in done]
    return {
        who: round(stats.best_threshold(values, labels, measure), 5)
        for who, values in scores.items()
    }


def known(path: Path, judge: str) -> Thresholds:
    """What was fitted for this judge, in this very version; nothing for any other."""
    if not path.is_file():
        return {}
    found: dict[str, Thresholds] = json.loads(path.read_text("utf-8"))
    return found.get(judge, {})


def main() -> None:
    import assay

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", default="embedded")
    parser.add_argument("--limit", type=int, help="rows of each file")
    parser.add_argument("--thresholds", type=Path, default=FILE, help="kept here, by judge")
    options = parser.parse_args()
    judge = Subject(assay.backend(options.judge))
    kept = json.loads(options.thresholds.read_text("utf-8")) if options.thresholds.is_file() else {}
    # Of one judge the newest version only: an older one cannot be asked any more.
    kind = judge.name.partition(":")[0]
    others = {name: value for name, value in kept.items() if name.partition(":")[0] != kind}
    content = {**others, judge.name: fit(judge, options.limit)}
    options.thresholds.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    print(json.dumps(content[judge.name], indent=2))


if __name__ == "__main__":
    main()
