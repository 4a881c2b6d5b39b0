"""What happens when `assay items` runs?"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from assay.analysis import items as analysis
from assay.cli import outputs, screen
from assay.cli.edge import OK
from assay.report.items import html, text
from assay.runner.result import open_run

_FORMS = {".html": "the page, with a picture", ".md": "Markdown", ".json": "what --json shows"}


def items(given: Mapping[str, Any]) -> int:
    """Show or write what the options ask for; the exit code."""
    outputs.check(given["outs"], given["store"], forms=_FORMS)
    results = [open_run(spec, given["store"]) for spec in given["runs"]]
    found = analysis.items(
        results, given["metric"], threshold=given["threshold"], force=given["force"]
    )
    data = msgspec.to_builtins(found)
    markdown = partial(text.markdown, most=given["most"])
    outputs.write_data(data, given["outs"], {".html": html.render, ".md": markdown})
    if given["as_json"]:
        screen.write_json(data)
    else:
        screen.out().print(text.console(data, most=given["most"]))
        screen.tell(outputs.written(given["outs"]))
    return OK
