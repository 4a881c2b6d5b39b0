"""Is a question that the system left unanswered counted, apart from what failed?"""

import io
import re
from typing import Any

import fixture
import pytest
from rich.console import Console

from assay._report import run as views
from assay._report.run import html


def printed(data: dict[str, Any]) -> str:
    text = io.StringIO()
    Console(width=100, file=text).print(views.summary(data))
    return text.getvalue()


@pytest.fixture
def data() -> dict[str, Any]:
    """The small report, in which the system gave no answer to three questions."""
    found = fixture.small()
    for metric in found["metrics"]:
        metric |= {"n_unanswered": 3, "n_failed": 0, "bounds": [0.61, 0.86]}
    return found


def test_the_page_has_their_number_and_how_far_they_could_move_the_mean(
    data: dict[str, Any],
) -> None:
    page = html.render(data)
    assert page.count(">No answer</abbr>") == 1
    at = page.index('class="about"')
    row = page[at : page.index("</tr>", at)]
    assert "0.61 to 0.86" in row
    assert "none failed" not in row
    assert re.search(r"✗ </span>3</td>", row)


def test_so_has_markdown(data: dict[str, Any]) -> None:
    lines = [line for line in views.markdown(data).splitlines() if line.startswith("| ")]
    head, first = ([cell.strip() for cell in line.split("|")] for line in lines[:2])
    cells = dict(zip(head, first, strict=True))
    assert (cells["failed"], cells["no answer"]) == ("0", "3")
    assert cells["worst-case bounds"] == "0.61 to 0.86"


def test_so_has_the_console(data: dict[str, Any]) -> None:
    assert "no answer spread" in printed(data)


def test_without_any_there_is_no_column_for_them() -> None:
    data = fixture.small()
    assert ">No answer</abbr>" not in html.render(data)
    assert "| no answer |" not in views.markdown(data)
    assert "fail  spread" in printed(data)
