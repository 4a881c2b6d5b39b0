"""What happens when `assay diagnose` runs?"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from assay.analysis import diagnosis
from assay.cli import screen
from assay.cli.edge import OK, SOME_FAILED
from assay.cli.judges import Bench
from assay.cli.progress import meter
from assay.errors import InputError
from assay.report import console_diagnosis, markdown_diagnosis
from assay.report.diagnosis import told
from assay.run.result import Result
from assay.run.settings import Settings

_FORMS = (".md", ".json", ".html")


def diagnose(given: Mapping[str, Any]) -> int:
    """Show or write what the options ask for; the exit code."""
    result = Result(given["store"], given["run"])
    _check(given)
    code = _rescore(result, given) if given["counterfactual"] else OK
    data = told(diagnosis.diagnose(result, within=given["within"]))
    for out in given["outs"]:
        _write(result, data, Path(out))
    sample = given["sample"]
    if sample is not None and all(one["id"] != sample for one in data["samples"]):
        raise InputError(f"run {data['run']} has no sample '{sample}'")
    if given["as_json"]:
        screen.write_json(_of(data, sample))
        return code
    console = screen.out()
    if sample is not None:
        console.print(console_diagnosis.sample(data, sample))
    else:
        console.print(console_diagnosis.overview(data, show_all=given["show_all"]))
    shown = sample or next((s["id"] for s in data["samples"] if s["main"]), None)
    if shown is not None:
        console.print(Text(f"\nassay show {data['run'][:8]} --sample {shown}", style="dim"))
    return code


def _check(given: Mapping[str, Any]) -> None:
    """See before anything is spent that every file can be written.

    Raises:
        InputError: If one cannot.
    """
    for out in given["outs"]:
        path = Path(out)
        if path.suffix.lower() not in _FORMS:
            raise InputError(f"--out {out}: a diagnosis ends in {', '.join(_FORMS)}")
        if path.is_dir() or not path.parent.is_dir():
            raise InputError(f"--out {out} cannot be written", "name a file in an existing folder")
    if given["judges"] and not given["counterfactual"]:
        raise InputError("--judge is for --counterfactual: nobody else is asked", "leave it out")


def _rescore(result: Result, given: Mapping[str, Any]) -> int:
    bench = Bench.of(given)
    judge = bench.judge(given["judges"])
    embedder = bench.backend(given["embedder"], embedder=True) if given["embedder"] else None
    bench.check()
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


def _write(result: Result, data: dict[str, Any], path: Path) -> None:
    form = path.suffix.lower()
    if form == ".html":
        result.report(path)
    elif form == ".md":
        path.write_text(markdown_diagnosis.render(data), encoding="utf-8")
    else:
        path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
