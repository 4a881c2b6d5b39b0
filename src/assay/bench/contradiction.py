"""Does the judge tell what is contradicted from what is merely absent?

Three classes, on groups kept out of training. Measured only for a judge whose verdicts say whether
the contexts say otherwise.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.bench import claims, stats
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.groups import group_of
from assay.bench.subject import Subject, answered
from assay.tasks import Verdict, VerifyStatements

CLASSES = {"supported": "supported", "refuted": "contradicted", "neutral": "absent"}
KINDS: Mapping[str, int | None] = {
    "fever_symmetric": None,
    "foolmetwice": None,
    "factcheckgpt": None,
    "conjnli": None,
    "breaking_nli": 200,
}


def rows(data: Data) -> list[Record]:
    """Claims with one of the three labels."""
    found = claims.rows(data, tuple(KINDS))
    return [record for record in found if record["labels"].get("label") in CLASSES]


def title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"{claims.SETS[kind].title} "


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Macro F1 over the classes, and AUROC of contradicted against absent; nothing if untold."""
    checked = judge.check([claims.text(record) for record in records])
    verdicts = [(record, found.verdicts[0]) for record, found in answered(records, checked)]
    told = [(record, verdict) for record, verdict in verdicts if tells(verdict)]
    if all(verdict.supported for _, verdict in told):
        return []
    found = []
    for name in KINDS:
        done = [(record, verdict) for record, verdict in told if claims.kind(record) == name]
        if done:
            found.append(_classes(claims.SETS[name].title, done))
    return [*found, _apart(told)]


def tells(verdict: Verdict) -> bool:
    """Whether it says more than that the statement is unsupported."""
    return verdict.supported or verdict.contradicted is not None


def said(verdict: Verdict) -> str:
    """The class that a verdict stands for."""
    if verdict.supported:
        return "supported"
    return "contradicted" if verdict.contradicted else "absent"


def _classes(title: str, done: Sequence[tuple[Record, Verdict]]) -> Figure:
    labels = [CLASSES[record["labels"]["label"]] for record, _ in done]
    most = max(sorted(set(labels)), key=labels.count)
    return figure(
        f"{title} supported/contradicted/absent, macro F1",
        stats.macro_f1([said(verdict) for _, verdict in done], labels),
        [group_of(record) for record, _ in done],
        {"majority class": stats.macro_f1([most] * len(labels), labels)},
        note="groups kept out of training",
    )


def _apart(told: Sequence[tuple[Record, Verdict]]) -> Figure:
    # Data sets without both labels would tell the data set, not the class.
    both = {
        n
        for n in KINDS
        if {"refuted", "neutral"} <= {_label(r) for r, _ in told if claims.kind(r) == n}
    }
    done = [(r, v) for r, v in told if claims.kind(r) in both and _label(r) != "supported"]
    labels = np.array([_label(record) == "refuted" for record, _ in done], bool)
    scores = [float(verdict.contradicted or False) for _, verdict in done]
    clusters = [group_of(record) for record, _ in done]
    return figure(
        "contradicted against absent, AUROC",
        stats.auroc(scores, labels),
        clusters,
        note=", ".join(sorted(both)),
        labels=labels,
    )


def _label(record: Record) -> str:
    return str(record["labels"]["label"])


BENCHMARKS = (
    Benchmark(
        name="contradiction",
        family="contradiction",
        about="whether a claim is contradicted, absent or supported (five sets of claims)",
        files=tuple(claims.SETS[name].file for name in KINDS),
        licence="as those of fever_symmetric, foolmetwice, factcheckgpt, conjnli and breaking_nli",
        rows=rows,
        measure=measure,
        tasks=(VerifyStatements,),
        kinds=KINDS,
        kind=claims.kind,
        title=title,
    ),
)
