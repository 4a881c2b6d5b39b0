"""What happens when `assay history` runs?"""

from collections.abc import Mapping
from typing import Any

from assay.analysis.history import history as analyse
from assay.cli import outputs, screen
from assay.cli.edge import OK
from assay.report import history as words
from assay.report.history import html, text

_FORMS = {".html": "a page with pictures", ".md": "Markdown", ".json": "what --json shows"}


def history(given: Mapping[str, Any]) -> int:
    """Show or write what the options ask for; the exit code."""
    outputs.check(given["outs"], given["store"], forms=_FORMS)
    found = analyse(
        given["store"], given["metrics"], by=given["by"], over=given["over"], limit=given["limit"]
    )
    data = words.collect(found)
    writers = {".html": html.render, ".md": text.markdown}
    outputs.write_data(data, given["outs"], writers)
    if given["as_json"]:
        screen.write_json(data)
        return OK
    screen.out().print(text.console(data, show_all=given["show_all"]))
    screen.tell(outputs.written(given["outs"]))
    return OK
