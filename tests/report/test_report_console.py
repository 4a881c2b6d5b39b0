"""Does the console show the numbers and their evidence in 80 columns, without colour, and as text?"""

import re
from typing import Any

import fixture
import hostile
import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from assay._report import run as views
from assay.errors import InputError


def shown(view: RenderableType, width: int = 80) -> str:
    out = Console(width=width, no_color=True, force_terminal=False, highlight=True)
    with out.capture() as capture:
        out.print(view)
    return capture.get()


def test_the_table_fits_80_columns_with_every_name_on_one_line() -> None:
    text = shown(views.summary(fixture.small()))
    assert all(cell_len(line) <= 80 for line in text.splitlines())
    for metric in fixture.METRICS:
        assert metric["label"] in text
    row = next(line for line in text.splitlines() if line.startswith("faithfulness "))
    assert row.split()[:7] == ["faithfulness", "0.70", "0.42–0.89", "61", "10", "9", "2"]


def test_a_name_that_does_not_fit_is_broken_behind_an_underscore() -> None:
    data = fixture.small()
    data["metrics"][0]["label"] = "context_precision_without_reference"
    lines = [line.split()[:1] for line in shown(views.summary(data)).splitlines()]
    at = lines.index(["context_precision_"])
    assert lines[at + 1] == ["without_reference"]


def test_beside_many_counts_a_name_is_broken_nowhere_else() -> None:
    data = fixture.small()
    data["metrics"][0] |= {"label": "hallucination_spans", "n_unanswered": 3}
    assert "\nhallucination_" in shown(views.summary(data))


def test_what_must_be_read_beside_the_numbers_is_there() -> None:
    text = " ".join(shown(views.summary(fixture.small())).split())
    for words in (
        "scoring failed on 1 of 12 samples",
        "finds, errs: the judge's true-positive and false-positive rate in %",
        "unrelated texts score 0.11 on average",
        "computed as f1 of precision and recall",
        "judge openai:gpt-4o-mini: asked 121, reused 17",
    ):
        assert words in text


def test_an_interval_is_shown_where_there_is_one() -> None:
    data = fixture.small()
    data["metrics"][0]["interval"] = [0.61, 0.79]
    data["metrics"][1] |= {"interval": None, "higher_is_better": False}
    rows = shown(views.summary(data)).splitlines()
    assert any(row.startswith("faithfulness         0.70  0.61–0.79") for row in rows)
    assert any(row.startswith("answer_relevancy ↓   0.72          –") for row in rows)


def test_evidence_reads_without_colour() -> None:
    text = shown(views.sample(fixture.small(), "ran-001", "faithfulness"))
    assert re.search("✓ +Single-user MIMO", text)  # before rich 14.3 there is one more blank
    assert re.search("✗ +The uplink supports up to sixteen layers.", text)
    assert "[In the downlink, up to eight" in text
    assert "context_recall" not in text
    assert "<<<" not in text


def test_all_metrics_are_shown_when_none_is_named() -> None:
    text = shown(views.sample(fixture.small(), "core-003"))
    assert all(metric["label"] in text for metric in fixture.METRICS)
    assert "context_recall  failed: unreadable after 3 draws" in text


def test_prompts_and_replies_are_shown_on_demand() -> None:
    text = shown(views.sample(fixture.small(), "ran-001", "faithfulness", raw=True))
    assert "verify_statements by openai:gpt-4o-mini" in text
    assert "Reply with JSON only" in text


def test_a_quote_that_is_not_in_the_context_is_named_as_such() -> None:
    data = fixture.small()
    parts: list[dict[str, Any]] = data["samples"][0]["scores"]["faithfulness"]["parts"]
    parts[0]["quote"] = "words of my own"
    assert "these words are not in that context" in shown(views.sample(data, "ran-001"))


@pytest.mark.parametrize(
    ("sample", "metric", "words"),
    [("x", None, "no sample 'x'"), ("ran-001", "bleu", "it has: faithfulness")],
)
def test_an_unknown_name_is_an_input_error(sample: str, metric: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        views.sample(fixture.small(), sample, metric)


def test_hostile_texts_are_neither_markup_nor_escape_sequences() -> None:
    data = hostile.report()
    for view in (
        views.summary(data),
        *(views.sample(data, s["id"], raw=True) for s in data["samples"]),
    ):
        text = "".join(shown(view, width=400).split())
        assert not set("\x00\x07\x1b\x9b\u202e\u2028") & set(text)
        assert "[boldred]richmarkup[/boldred][/][link=x]" in text
