"""The report of a run as plain values, which every form of it is made from."""

import itertools
import re
from typing import Any

import msgspec

from assay._analysis import comparability
from assay._analysis.cascade import audit_cascade
from assay._analysis.comparability import judges
from assay._analysis.diagnosis import diagnose
from assay._report.diagnosis import told
from assay._report.titles import judge_in_words, said
from assay._runner.result import NOT_DONE, Result
from assay._runner.summary import MetricSummary
from assay._store import Run, Store
from assay._text.language_id import is_english
from assay._version import __version__
from assay.judge import Reply
from assay.sample import Sample
from assay.score import Outcome
from assay.tasks import Embed, EmbedTokens

# More samples than this make a page that no browser likes; the table still counts them all.
MOST_SAMPLES = 2000
# Of more samples a summary does not wait for the diagnosis, which takes a millisecond for each.
MOST_DIAGNOSED = 5000
# So many samples, the first ones, are looked at to tell the language of the data.
LOOKED_AT = 200
_THOUGHTS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_UNMEASURED = (
    "how often it is wrong has not been measured; `assay agree` measures it on your labels, "
    "`assay bench --out card.json` with `--judge-card card.json` on public ones"
)


def collect(
    result: Result,
    *,
    most: int = MOST_SAMPLES,
    only: str | None = None,
    diagnosed: bool | None = None,
) -> dict[str, Any]:
    """Everything a report shows of a run, as plain values.

    Args:
        result: The run.
        most: Samples shown in full, the first ones; with 0 the report is a summary.
        only: Id of the one sample to show instead.
        diagnosed: Whether what went wrong is looked into; by default where samples are shown.

    Raises:
        InputError: If there is no sample of that id.
    """
    diagnosed = (most > 0 and only is None) if diagnosed is None else diagnosed
    run = result.run
    baseline = result.baseline()
    cost = result.cost()
    audit = audit_cascade(result)
    summary = result.summary()
    with Store(result.path) as store:
        first = itertools.islice(store.samples(run.id), most)
        rows = first if only is None else [store.sample(run.id, only)]
        samples = [sample_values(store, run, row, sample) for row, sample in rows]
        metrics = [_metric(store, run, row) for row in summary]
        looked_at = _first(store, run, LOOKED_AT)
        drifts = [str(drift) for drift in comparability.drift_since(store, run.id) if drift.changed]
    return {
        "assay": __version__,
        "run": _run(run),
        "metrics": metrics,
        "baseline": msgspec.to_builtins(baseline) if baseline else None,
        "cost": msgspec.to_builtins(cost),
        "drift": drifts,
        "cascade": msgspec.to_builtins(audit) if audit else None,
        "unmeasured": [f"{judge_in_words(name)}: {_UNMEASURED}" for name in _unmeasured(run)],
        "foreign": {
            "samples": sum(not is_english(_text_of(sample)) for sample in looked_at),
            "looked_at": len(looked_at),
        },
        "thoughts": sum(bool(_THOUGHTS.match(sample.answer or "")) for sample in looked_at),
        "diagnosis": told(diagnose(result)) if diagnosed else None,
        "samples": samples,
        "n_shown": len(samples),
    }


def summed_up(result: Result) -> dict[str, Any]:
    """What a report shows of a run without its samples, with what went wrong if that is quick."""
    return collect(result, most=0, diagnosed=result.run.n_samples <= MOST_DIAGNOSED)


def _first(store: Store, run: Run, most: int) -> list[Sample]:
    return [sample for _, sample in itertools.islice(store.samples(run.id), most)]


def _text_of(sample: Sample) -> str:
    context = (sample.contexts or ("",))[:1]
    return " ".join(filter(None, [sample.question, sample.answer, *context]))[:5000]


def _run(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        **said(run),
        "created": run.created,
        "finished": run.finished is not None,
        "stopped": run.stopped,
        "source": run.source,
        "judge": _judges(run),
        "judge_in_words": judge_in_words(_judges(run)),
        "embedder": run.config["embedder"],
        "n_samples": run.n_samples,
        "skipped": run.skipped,
        "notes": list(run.config.get("data_notes", ())),
    }


def _unmeasured(run: Run) -> list[str]:
    """The judges of whose agreement with people nothing is known."""
    measured = {quality["judge"] for quality in run.config.get("quality", {}).values()}
    return [name for name in run.config.get("unmeasured", ()) if name not in measured]


def _judges(run: Run) -> str:
    """The judge, and who else was asked for what by the metrics of this run."""
    parts = (part for signature in run.metrics.values() for part in signature.split("|"))
    kinds_asked = {part.partition("=")[0] for part in parts} - {Embed.kind, EmbedTokens.kind}
    kinds: dict[str, list[str]] = {}
    for kind, name in run.config["routes"].items():
        if kind in kinds_asked and name != run.config["judge"]:
            kinds.setdefault(name, []).append(kind)
    others = [f"{name} for {', '.join(mine)}" for name, mine in kinds.items()]
    return "; ".join([run.config["judge"], *others])


def _metric(store: Store, run: Run, row: MetricSummary) -> dict[str, Any]:
    fields = msgspec.to_builtins(row)
    label = fields.pop("metric")
    about = run.config["about"][label]
    return {
        "label": label,
        "unit": "",  # of runs that were made before metrics had one
        **about,
        "quality": run.config.get("quality", {}).get(label),
        "asks": judges(label, run.metrics[label]),
        **fields,
        "methods": list(row.methods),
        "why_failed": store.why_failed(run.id, label) if row.n_failed else "",
        "values": [value for _, value, _ in store.values(run.id, label) if value is not None],
    }


def sample_values(store: Store, run: Run, row: int, sample: Sample) -> dict[str, Any]:
    """A sample with its scores, their evidence and replies, as plain values."""
    scores = {
        metric: _score(
            store.outcome(run.id, row, metric) or NOT_DONE, store.replies(run.id, row, metric)
        )
        for metric in run.metrics
    }
    fields = msgspec.to_builtins(sample)
    return {**fields, "row": row, "contexts": list(sample.contexts or ()), "scores": scores}


def _score(outcome: Outcome, replies: list[Reply]) -> dict[str, Any]:
    empty: dict[str, Any] = {"value": None, "why": "", "detail": "", "method": "", "details": {}}
    shown = [{**msgspec.to_builtins(reply), "prompt": reply.prompt} for reply in replies]
    return {**empty, **msgspec.to_builtins(outcome), "replies": shown}
