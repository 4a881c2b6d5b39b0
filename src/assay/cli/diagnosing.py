"""What happens when `assay diagnose` runs?"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.analysis import diagnosis
from assay.cli import alone, outputs, screen
from assay.cli.edge import OK, SOME_FAILED
from assay.cli.hints import hint, run_name
from assay.cli.judges import Judges
from assay.cli.progress import meter
from assay.errors import InputError
from assay.report.diagnosis import text, told
from assay.report.run import collect, html
from assay.runner.result import Result
from assay.runner.settings import Settings

_FORMS = {
    ".md": "Markdown",
    ".json": "what --json shows",
    ".html": "the report, which begins with it",
}
_JUDGE = ("judges", "embedder", "base_url", "api_key", "timeout", "window")


def diagnose(given: Mapping[str, Any]) -> int:
    """Show or write what the options ask for; the exit code."""
    result = Result(given["store"], given["run"])
    outputs.check(given["outs"], given["store"], forms=_FORMS)
    if not given["counterfactual"]:
        why = "is for --counterfactual: nobody is asked otherwise"
        alone.refuse(why, "leave it out, or add --counterfactual", *_JUDGE)
    code = _rescore(result, given) if given["counterfactual"] else OK
    data = told(diagnosis.diagnose(result, within=given["within"]))
    sample = given["sample"]
    if sample is not None and all(one["id"] != sample for one in data["samples"]):
        raise InputError(f"run {data['run']} has no sample '{sample}'", "name it as the data does")
    writers: dict[str, Any] = {".md": text.markdown, ".html": partial(_page, result)}
    outputs.write_data(data, given["outs"], writers)
    if given["as_json"]:
        screen.write_json(_of(data, sample))
        return code
    console = screen.out()
    if sample is not None:
        console.print(text.console_sample(data, sample))
    else:
        console.print(text.console(data, show_all=given["show_all"]))
    shown = sample or next((s["id"] for s in data["samples"] if s["main"]), None)
    lines = outputs.written(given["outs"])
    if shown is not None:
        command = hint("show", run_name(result), "--sample", shown, store=given["store"])
        lines.append(("next", command))
    console.print()
    screen.tell(lines)
    return code


def _rescore(result: Result, given: Mapping[str, Any]) -> int:
    judges = Judges.of(given)
    judge, embedder = judges.named(given)
    outputs.check(given["outs"], *judges.files, forms=_FORMS)
    watch = meter(silent=given["as_json"])
    with watch:
        again = diagnosis.counterfactual(
            result, judge, embedder=embedder, settings=Settings(on_progress=watch)
        )
    return SOME_FAILED if any(row.n_failed for row in again.summary()) else OK


def _of(data: dict[str, Any], sample: str | None) -> dict[str, Any]:
    if sample is None:
        return data
    return next(one for one in data["samples"] if one["id"] == sample)


def _page(result: Result, data: Mapping[str, Any]) -> str:
    """The report, with this diagnosis."""
    return html.render({**collect(result, diagnosed=False), "diagnosis": data})
