"""Is the Markdown a table whatever the names in it, and does it say what must be read beside it?"""

import html
import re
from dataclasses import replace
from pathlib import Path

import fixture
import hostile
from markdown_it import MarkdownIt

import assay
from assay._analysis.calibration import calibrate
from assay._report import calibration, sanitize
from assay._report import run as views


def cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def test_every_metric_is_a_row() -> None:
    text = views.markdown(fixture.small())
    assert (
        "| `faithfulness` | 0.70 (0.42 to 0.89) | 0.80 | 0.63 to 0.73 | 9 | 2 | 1 | `▃····▅▅··█` |"
    ) in text
    assert "**Warning:** faithfulness: scoring failed on 1 of 12 samples." in text
    assert "unrelated texts score 0.11 on average" in text


def test_an_interval_and_a_metric_where_lower_is_better() -> None:
    data = fixture.small()
    data["metrics"][0] |= {"interval": [0.6, 0.8], "higher_is_better": False}
    row = next(line for line in views.markdown(data).splitlines() if line.startswith("| `faith"))
    assert row.startswith("| `faithfulness` (lower is better) | 0.70 (0.60 to 0.80) |")


def test_names_cannot_break_out_of_their_cells() -> None:
    text = views.markdown(hostile.report())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(fixture.METRICS)
    assert {cells(row) for row in rows} == {8}


def test_a_name_with_a_pipe_is_itself_in_and_outside_tables() -> None:
    name = "a|b `c`"
    row = f"| name |\n|:---|\n| {sanitize.cell(name)} |"
    page = MarkdownIt().enable("table").render(f"{sanitize.code(name)}\n\n{row}")
    assert page.count("<code>a|b `c`</code>") == 2
    assert page.count("<td") == 1


def test_the_file_of_a_run_is_named_as_it_is() -> None:
    text = views.markdown(fixture.report(fixture.small()["samples"], source="a|b.jsonl"))
    assert "12 samples, `a|b.jsonl`" in text


def test_texts_are_neither_markup_nor_mentions_nor_links() -> None:
    text = views.markdown(hostile.report())
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    for dangerous in ("<script", "**bold", "@everyone", "](", "www.", "\u202e", "\x1b"):
        assert not re.search(rf"(?<!\\){re.escape(dangerous)}", outside), dangerous


def test_names_in_a_calibration_are_neither_markup_nor_links(tmp_path: Path) -> None:
    rows = [{"id": f"s{n}", "answer": "a", "reference": "ab"[n % 2]} for n in range(40)]
    result = assay.evaluate(rows, "exact_match", store=tmp_path / "a.db")
    card = calibrate(result, [{"id": f"s{n}", "label": 1 - n % 2} for n in range(40)])
    names = "own(by='*a* [b](c) `d` <i>|')", "gguf:*a*_[b](c)`|", "[my](c) *labels*.csv"
    card = replace(card, metric=names[0], judge=names[1], labels=names[2])
    text = calibration.markdown(card, card.quality, held_out="5 folds")
    page = html.unescape(MarkdownIt().enable("table").render(text))
    assert f"<h2>Calibration of <code>{names[0]}</code></h2>" in page
    assert f"<li>Judge: <code>{names[1]}</code></li>" in page
    assert f"<li>Labels: {names[2]}</li>" in page
