"""Which claims do their contexts support? AttributionBench, and what training keeps aside.

Files that may be trained on are measured on the groups that training never sees (see
`groups.py`). A claim is one statement as it stands; an answer is split as a user's is.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from assay.bench import stats
from assay.bench.answers import flagged, hallucination, uncertain, unfaithfulness
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import UNFITTED, Figure, figure
from assay.bench.flags import flags
from assay.bench.floors import unsupported
from assay.bench.groups import group_of, kept_out
from assay.bench.stats import Floats
from assay.bench.subject import Checked, Subject, Text, answered
from assay.tasks import SplitStatements, VerifyStatements

MOST = 250  # of each data set


class _Set(NamedTuple):
    title: str
    file: str
    licence: str
    about: str = "claims that their contexts support or not"


PUBLIC = "attributionbench"  # a test file: nobody trains on it
SETS = {
    PUBLIC: _Set(
        "AttributionBench test500", "attribution/attributionbench_test500.jsonl.gz", "none stated"
    ),
    "foolmetwice": _Set("FoolMeTwice", "claims/foolmetwice.jsonl.gz", "Apache-2.0"),
    "summedits": _Set(
        "SummEdits",
        "faithfulness/summedits_dev.jsonl.gz",
        "Apache-2.0",
        "summaries with or without a planted error",
    ),
    "fever_symmetric": _Set("FEVER-symmetric", "claims/fever_symmetric.jsonl.gz", "CC BY-SA 3.0"),
    "factcheckgpt": _Set("Factcheck-GPT", "claims/factcheckgpt_stance.jsonl.gz", "Apache-2.0"),
    "expertqa": _Set("ExpertQA", "attribution/expertqa_claims.jsonl.gz", "MIT"),
    "wice": _Set("WiCE", "claims/wice_claims.jsonl.gz", "ODC-BY"),
    "begin": _Set("BEGIN", "claims/begin.jsonl.gz", "CC BY 4.0 and CDLA-Sharing"),
    "conjnli": _Set("ConjNLI", "claims/conjnli.jsonl.gz", "MIT"),
    "breaking_nli": _Set("BreakingNLI", "claims/breaking_nli.jsonl.gz", "CC BY-SA 4.0"),
}
# The sets that training/verifier/fit.py combines the reader with words, numbers and names on.
COMBINED = ("wice", "begin", "conjnli")
KINDS: Mapping[str, int | None] = dict.fromkeys(SETS, MOST) | {PUBLIC: None}


def rows(data: Data, names: Sequence[str] = tuple(SETS)) -> list[Record]:
    """The rows of these sets that training does not see."""
    found = []
    for name in names:
        found += [r for r in data.rows(SETS[name].file) if name == PUBLIC or kept_out(r)]
    return [record for record in found if supported(record) is not None]


def kind(record: Record) -> str:
    """The data set."""
    return str(record["dataset"])


def fitted(judge: Subject) -> str:
    """What has to be said of the embedded judge, whose coefficients were fitted on some rows."""
    ours = judge.name.startswith("embedded")
    return "; the judge's few coefficients were fitted on some of these rows" if ours else ""


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
        if not chosen:
            continue
        checked = judge.check([text(record) for record in chosen])
        found += _figures(name, judge, answered(chosen, checked))
    return found


def _figures(name: str, judge: Subject, done: Sequence[tuple[Record, Checked]]) -> list[Figure]:
    title = SETS[name].title
    labels = np.array([not supported(record) for record, _ in done], bool)
    clusters = [group_of(record) for record, _ in done]
    note = "" if name == PUBLIC else "groups kept out of training"
    note += fitted(judge) if name in COMBINED else ""
    wrong = np.array([unfaithfulness(checked) > 0 for _, checked in done], bool)
    # Hardly a row of BreakingNLI is supported: what can be measured is how many are let through.
    if name == "breaking_nli":
        share = stats.mean(wrong[labels])
        kept = [c for c, u in zip(clusters, labels, strict=True) if u]
        return [figure(f"{title}, unsupported found", share, kept, note=note, labels=labels)]
    scores = np.array([hallucination(checked) for _, checked in done])
    rules = unsupported((text(r).text, r["contexts"]) for r, _ in done)
    ranked = {rule: stats.auroc(values, labels) for rule, values in rules.items()}
    even = {"one class for all": stats.balanced(np.ones(len(done)), labels)}
    made = partial(figure, clusters=clusters, labels=labels)
    found = [
        made(f"{title}, AUROC", stats.auroc(scores, labels), floors=ranked, note=note),
        made(f"{title}, balanced accuracy", stats.balanced(wrong, labels), floors=even, note=note),
    ]
    if name == PUBLIC:
        fixed = judge.thresholds.get(PUBLIC, {})
        found.append(_at_threshold(f"{title}, balanced accuracy", fixed, scores, rules, made))
        said = [flagged(checked) for _, checked in done]
        unsure = [uncertain(checked) for _, checked in done]
        found += flags(title, said, labels, clusters, rules, uncertain=unsure)
    return found


def _at_threshold(
    name: str,
    fixed: Mapping[str, float],
    scores: Floats,
    rules: Mapping[str, Floats],
    made: "partial[Figure]",
) -> Figure:
    """The same at the thresholds fitted on dev, of the judge and of the rules."""
    name, labels = f"{name} at the threshold of dev", made.keywords["labels"]
    if "judge" not in fixed:
        return made(name, stats.constant(np.nan), note=f"no threshold fitted: {UNFITTED}")
    at = {r: stats.balanced(v >= fixed[r], labels) for r, v in rules.items() if r in fixed}
    value = stats.balanced(scores >= fixed["judge"], labels)
    return made(name, value, floors=at, note=f"threshold {fixed['judge']:.3f}")


def _benchmark(name: str) -> Benchmark:
    chosen = SETS[name]
    return Benchmark(
        name=name,
        family="claims",
        about=f"{chosen.about} ({chosen.title})",
        files=(chosen.file,),
        licence=chosen.licence,
        rows=partial(rows, names=(name,)),
        measure=measure,
        tasks=(VerifyStatements, SplitStatements) if name == "summedits" else (VerifyStatements,),
        thresholds=(PUBLIC,) if name == PUBLIC else (),
        kinds={name: KINDS[name]},
        kind=kind,
        title=title,
    )


BENCHMARKS = tuple(_benchmark(name) for name in SETS)
