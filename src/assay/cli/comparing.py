"""What does `assay compare` show and write?"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from rich.console import RenderableType

from assay.cli import alone, outputs, screen
from assay.cli.edge import OK
from assay.errors import InputError
from assay.runner.result import open_run

Json = Mapping[str, Any]
_RUNS = {
    ".html": "a page that needs nothing else",
    ".md": "the same in Markdown",
    ".json": "all that is shown",
}
_GROUPS = {form: what for form, what in _RUNS.items() if form != ".html"}


def compare(given: Json) -> int:
    """Compare what the options ask for; the exit code.

    Raises:
        InputError: If it cannot be compared, or a file cannot be written.
    """
    specs = given["runs"]
    if given["by"] is not None and len(specs) > 1:
        raise InputError("--by compares the samples of one run", "name one run, or leave --by out")
    if given["by"] is not None:
        why = "is for two runs, and --by compares the samples of one"
        alone.refuse(why, "leave it out, or --by", "wanted", "most", "force", "show_all")
    outputs.check(given["outs"], *_stores(given), forms=_RUNS if given["by"] is None else _GROUPS)
    return (_runs if given["by"] is None else _groups)(given)


def _stores(given: Json) -> list[str]:
    files = (name for spec in given["runs"] for name in (spec, spec.rpartition(":")[0]))
    return [given["store"], *(name for name in files if name)]


def _runs(given: Json) -> int:
    from assay.analysis.comparison import compare as compare_runs
    from assay.report import comparison
    from assay.report.comparison import html, text

    results = [open_run(spec, given["store"]) for spec in given["runs"]]
    if len(results) == 1:
        raise InputError("one run is no comparison", "name two, or the groups of one: --by FIELD")
    options = {name: given[name] for name in ("metrics", "level", "wanted", "most", "force")}
    data = comparison.collect(compare_runs(*results, **options))
    writers = {".html": html.render, ".md": text.markdown}
    shown = partial(text.console, show_all=given["show_all"])
    return _end(data, shown, writers, given)


def _groups(given: Json) -> int:
    from assay.analysis.groups import by_group as compare_groups
    from assay.report import comparison
    from assay.report.comparison import text

    result = open_run(given["runs"][0], given["store"])
    found = compare_groups(result, given["by"], metrics=given["metrics"], level=given["level"])
    writers = {".md": text.markdown_groups}
    return _end(comparison.collect_groups(found), text.console_groups, writers, given)


def _end(
    data: Json,
    show: Callable[[Json], RenderableType],
    writers: Mapping[str, Callable[[Json], str]],
    given: Json,
) -> int:
    outputs.write_data(data, given["outs"], writers)
    if given["as_json"]:
        screen.write_json(data)
        return OK
    screen.out().print(show(data))
    screen.tell(outputs.written(given["outs"]))
    return OK
