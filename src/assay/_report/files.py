"""Reports as users get them from Python: a page in a file, or the HTML of a notebook cell."""

from pathlib import Path

from assay._report.run import collect, html, notebook
from assay._runner.result import Result, Trace
from assay._runner.summary import Summary


def write_report(result: Result, path: str | Path) -> Path:
    """Write the self-contained HTML report of a run; returns its path."""
    target = Path(path)
    target.write_text(html.render(collect(result)), encoding="utf-8")
    return target


def notebook_html(value: Result | Summary | Trace) -> str:
    """The HTML that a notebook shows of a result, of its summary, or of the evidence of a score."""
    if isinstance(value, Result):
        return notebook.result(value)
    return notebook.summary(value) if isinstance(value, Summary) else notebook.trace(value)
