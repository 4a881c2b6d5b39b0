"""Which claims do their contexts support? AttributionBench, and what training keeps aside.

Files that may be trained on are measured on the groups that training never sees (see
`training/groups.py`). A claim is one statement as it stands; an answer is split as a user's is.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from training.groups import group_of, kept_out

from benchmarks.data import Record, load
from benchmarks.judge import stats
from benchmarks.judge.answers import hallucination, unfaithfulness
from benchmarks.judge.figures import Figure, figure
from benchmarks.judge.floors import UNSUPPORTED
from benchmarks.judge.subject import Checked, Subject, Text

NAME = "claims"
MOST = 250  # of each data set


class _Set(NamedTuple):
    title: str
    file: str


PUBLIC = "attributionbench"  # a test file: nobody trains on it
SETS = {
    PUBLIC: _Set("AttributionBench test500", "attribution/attributionbench_test500.jsonl.gz"),
    "foolmetwice": _Set("FoolMeTwice", "claims/foolmetwice.jsonl.gz"),
    "summedits": _Set("SummEdits", "faithfulness/summedits_dev.jsonl.gz"),
    "fever_symmetric": _Set("FEVER-symmetric", "claims/fever_symmetric.jsonl.gz"),
    "factcheckgpt": _Set("Factcheck-GPT", "claims/factcheckgpt_stance.jsonl.gz"),
    "expertqa": _Set("ExpertQA", "attribution/expertqa_claims.jsonl.gz"),
    "wice": _Set("WiCE", "claims/wice_claims.jsonl.gz"),
    "begin": _Set("BEGIN", "claims/begin.jsonl.gz"),
    "conjnli": _Set("ConjNLI", "claims/conjnli.jsonl.gz"),
    "breaking_nli": _Set("BreakingNLI", "claims/breaking_nli.jsonl.gz"),
}
# The sets that training/verifier/fit.py combines the reader with words, numbers and names on.
COMBINED = ("wice", "begin", "conjnli")
FITTED = "the judge's few coefficients were fitted on some of these rows"
KINDS: Mapping[str, int | None] = dict.fromkeys(SETS, MOST) | {PUBLIC: None}


def rows() -> list[Record]:
    """The rows of all files that training does not see."""
    found = []
    for name, chosen in SETS.items():
        found += [r for r in load(chosen.file) if name == PUBLIC or kept_out(r)]
    return [record for record in found if supported(record) is not None]


def kind(record: Record) -> str:
    """The data set."""
    return str(record["dataset"])


def supported(record: Record) -> bool | None:
    """What people say; None where they did not."""
    labels = record["labels"]
    found = labels["consistent"] if "consistent" in labels else labels.get("supported")
    return None if found is None else bool(found)


def text(record: Record) -> Text:
    """What is checked."""
    question = record.get("question") or ""
    if claim := record.get("claim"):
        return Text.claim(claim, record["contexts"], question)
    return Text(question, record["answer"], tuple(record["contexts"]))


def title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"{SETS[kind].title}, "


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """AUROC and balanced accuracy for each data set."""
    found: list[Figure] = []
    for name in SETS:
        chosen = [record for record in records if kind(record) == name]
        checked = judge.check([text(record) for record in chosen])
        done = [(r, c) for r, c in zip(chosen, checked, strict=True) if c is not None]
        found += _figures(name, judge, done)
    return found


def _figures(name: str, judge: Subject, done: Sequence[tuple[Record, Checked]]) -> list[Figure]:
    title = SETS[name].title
    unsupported = np.array([not supported(record) for record, _ in done], bool)
    clusters = [group_of(record) for record, _ in done]
    scores = np.array([hallucination(checked) for _, checked in done])
    rules = {
        rule: np.array([score(text(r).text, r["contexts"]) for r, _ in done])
        for rule, score in UNSUPPORTED.items()
    }
    ranked = {rule: stats.auroc(values, unsupported) for rule, values in rules.items()}
    note = "" if name == PUBLIC else "groups kept out of training"
    note += f"; {FITTED}" if name in COMBINED else ""
    wrong = np.array([unfaithfulness(checked) > 0 for _, checked in done], bool)
    # Hardly a row of BreakingNLI is supported: what can be measured is how many are let through.
    if name == "breaking_nli":
        share = stats.mean(wrong[unsupported])
        kept = [c for c, u in zip(clusters, unsupported, strict=True) if u]
        return [figure(f"{title}, unsupported found", share, kept, note=note)]
    even = {"one class for all": stats.balanced(np.ones(len(done)), unsupported)}
    found = [
        figure(f"{title}, AUROC", stats.auroc(scores, unsupported), clusters, ranked, note=note),
        figure(
            f"{title}, balanced accuracy", stats.balanced(wrong, unsupported), clusters, even,
            note=note,
        ),
    ]  # fmt: skip
    fixed = judge.thresholds.get(PUBLIC)
    if fixed and name == PUBLIC:
        at = {r: stats.balanced(v >= fixed[r], unsupported) for r, v in rules.items() if r in fixed}
        value = stats.balanced(scores >= fixed["judge"], unsupported)
        label = f"{title}, balanced accuracy at the threshold of dev"
        note = f"threshold {fixed['judge']:.3f}"
        found.append(figure(label, value, clusters, at, note=note))
    return found
