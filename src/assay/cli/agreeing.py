"""What happens when `assay agree` runs?"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from assay.analysis import agreement as analysis
from assay.analysis.concordance import concordance
from assay.cli import screen
from assay.cli.edge import OK
from assay.cli.run_spec import open_run
from assay.dataset import read_labels
from assay.errors import InputError
from assay.report import agreement as words
from assay.report import console_agreement, html_agreement, markdown_agreement
from assay.run.result import Result, labels

_FORMS = (".html", ".md", ".json")


def agree(given: Mapping[str, Any]) -> int:
    """Show or write what the options ask for; the exit code."""
    for out in given["outs"]:
        _check(Path(out), given)
    result = open_run(given["run"], given["store"])
    data = _data(result, given)
    for out in given["outs"]:
        _write(data, Path(out))
    if given["as_json"]:
        screen.write_json(data)
        return OK
    console = screen.out()
    console.print(console_agreement.overview(data))
    shown = [case["sample"] for metric in data["metrics"] for case in metric["worst"]]
    if shown:
        console.print(Text(f"assay show {data['run'][:8]} --sample {shown[0]}", style="dim"))
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
        found, without = analysis.agree_all(result, said, **options)
    table = concordance(result, said, wanted) if given["concordance"] else None
    return words.told(run.id, said.source, found, without, table)


def _check(path: Path, given: Mapping[str, Any]) -> None:
    """See first that a file can be written and is not read as well.

    Raises:
        InputError: If it is not so.
    """
    if path.suffix.lower() not in _FORMS:
        raise InputError(f"--out {path}: agreement is written as {', '.join(_FORMS)}")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"--out {path} cannot be written", "name a file in an existing folder")
    if any(path.resolve() == Path(read).resolve() for read in (given["labels"], given["store"])):
        raise InputError(f"--out {path} would overwrite what this command reads", "name another")


def _write(data: dict[str, Any], path: Path) -> None:
    form = path.suffix.lower()
    if form == ".html":
        text = html_agreement.render(data)
    elif form == ".md":
        text = markdown_agreement.render(data)
    else:
        text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--out {path} cannot be written: {error.strerror or error}") from error
