"""What happens when `assay agree` runs?"""

from collections.abc import Iterable, Mapping
from typing import Any

from assay.analysis import agreement as analysis
from assay.analysis.concordance import concordance
from assay.analysis.items import refuse_outside
from assay.analysis.selection import warn_of_other_answers
from assay.cli import alone, outputs, screen, values
from assay.cli.edge import OK, say
from assay.cli.hints import hint, run_name
from assay.data import Labels, read_labels
from assay.errors import InputError
from assay.report import agreement as words
from assay.report.agreement import html, text
from assay.runner.result import Result, labels, open_run

_FORMS = {".html": "the page", ".md": "Markdown", ".json": "what --json shows"}
_WRITERS = {".html": html.render, ".md": text.markdown}


def agree(given: Mapping[str, Any]) -> int:
    """Show or write what the options ask for; the exit code."""
    if not given["concordance"]:
        alone.refuse("is for --concordance", "add --concordance", "above", "below")
    outputs.check(given["outs"], given["labels"], given["store"], forms=_FORMS)
    result = open_run(given["run"], given["store"])
    data = _data(result, given)
    if warning := warn_of_other_answers(given["labels"], result):
        say(warning)
    outputs.write_data(data, given["outs"], _WRITERS)
    if given["as_json"]:
        screen.write_json(data)
        return OK
    screen.out().print(text.console(data))
    lines = outputs.written(given["outs"])
    shown = [case["sample"] for metric in data["metrics"] for case in metric["worst"]]
    if shown:
        store = str(result.path)
        lines.append(("next", hint("show", run_name(result), "--sample", shown[0], store=store)))
    screen.tell(lines)
    return OK


def _data(result: Result, given: Mapping[str, Any]) -> dict[str, Any]:
    run = result.run
    levels = [word.strip() for word in (given["levels"] or "").split(",") if word.strip()]
    said = read_labels(given["labels"], metrics=list(run.metrics), levels=levels)
    other = open_run(given["other"], given["store"]) if given["other"] else None
    wanted = [label for name in given["metrics"] for label in labels(run, name)]
    options = {"other": other, "threshold": given["threshold"], "most": given["worst"]}
    if wanted:
        found = [analysis.agree(result, said, metric, **options) for metric in wanted]
        without: dict[str, str] = {}
    else:
        found, refused = analysis.agree_all(result, said, **options)
        without = {metric: why for metric, why in refused.items() if said.of(metric)}
        without |= _strays(said, run.metrics)
    if given["threshold"] is not None:
        remedy = "give one of them, or name the metric that it is for: -m METRIC"
        for one in found:
            ends = result.run.config["about"][one.metric]["range"]
            refuse_outside(one.metric, ends, given["threshold"], "--threshold", remedy)
    table = None
    if given["concordance"]:
        ends = {name: _thresholds(name, given[name]) for name in ("above", "below")}
        table = concordance(result, said, wanted, **ends)
    return words.told(run, said.source, found, without, table)


def _strays(said: Labels, metrics: Iterable[str]) -> dict[str, str]:
    """Names that labels are about and that no metric has; most often they are misspelt."""
    meant = {label.metric for metric in metrics for label in said.of(metric)}
    names = dict.fromkeys(label.metric for label in said.labels if label.metric not in meant)
    return dict.fromkeys(names, "the run has no metric of this name, but labels do")


def _thresholds(name: str, texts: Iterable[str]) -> dict[str, float]:
    """Metric -> threshold, "" for all others."""
    found: dict[str, float] = {}
    for metric, value in values.by_metric(name, texts, "0.8 or faithfulness=0.8"):
        if metric in found:
            about = f"for {metric}" if metric else "without a metric"
            raise InputError(f"--{name} is given twice {about}", "keep one of them")
        found[metric] = value
    return found
