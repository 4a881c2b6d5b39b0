"""Do the remarks beside the numbers say what they must, and each of them once?"""

from pathlib import Path
from typing import Any

import fixture
import pytest

import assay
from assay._middleware.wrapper import Route
from assay._report import notes
from assay._report import run as views
from assay._report.run import collect, html
from assay.judges.embedded import Embedded
from support.scripts import plausible

RETRIEVED = {
    "question": "How many beds?",
    "context_ids": ["a", "b"],
    "reference_context_ids": ["b"],
}


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    metrics = ["hit_at_k", "f1_at_k", "ndcg_at_k", "hit_at_k(k=3)", "mrr"]
    store = tmp_path_factory.mktemp("ranked") / "assay.db"
    return collect(assay.evaluate([RETRIEVED], metrics, store=store))


def test_the_k_of_a_metric_at_k_is_said_where_the_label_does_not_say_it(
    ranked: dict[str, Any],
) -> None:
    assert notes.by_remark(ranked, notes.letters) == {
        "k = 5": ["hit_at_k", "f1_at_k"],
        "k = 10": ["ndcg_at_k"],
    }


def test_pages_say_it_too(ranked: dict[str, Any]) -> None:
    page = html.render(ranked)
    assert page.count("<b>k = 5</b>") == 2
    assert page.count("<b>k = 10</b>") == 1
    assert "`hit_at_k`, `f1_at_k`: k = 5" in views.markdown(ranked)


def test_metrics_in_which_the_embedded_judge_was_not_measured_are_named(tmp_path: Path) -> None:
    row = {
        "question": "How many beds has the hut?",
        "contexts": ["The hut has twelve beds."],
        "answer": "The hut has twelve beds.",
        "reference": "Twelve.",
        "nuggets": {"The hut has twelve beds.": "vital"},
    }
    metrics = ["faithfulness", "nugget_recall", "answer_similarity", "exact_match"]
    data = collect(assay.evaluate([row], metrics, judge="embedded", store=tmp_path / "assay.db"))
    (line,) = (text for whose, text in notes.beside(data) if whose == "judge")
    assert line.startswith("how often the embedded one is wrong in nugget_recall has not been")
    assert "the embedded one is wrong in nugget" in views.markdown(data)


GERMAN = {
    "question": "Wie viele Betten hat die Hütte und wann ist sie offen?",
    "answer": "Sie hat zwölf Betten und ist von Juni bis September offen.",
    "reference": "Sie hat zwölf Betten und ist im Sommer offen.",
}


@pytest.mark.parametrize(
    ("metric", "told"), [("token_f1", False), ("answer_similarity", True), ("bert_score", True)]
)
def test_of_the_language_is_warned_where_the_embedded_judge_or_its_encoder_was_asked(
    metric: str, tmp_path: Path, *, told: bool
) -> None:
    data = collect(assay.evaluate([GERMAN], ["exact_match", metric], store=tmp_path / "assay.db"))
    warned = any("never measured" in note.text for note in notes.notes(data))
    assert warned is told


@pytest.mark.parametrize(
    ("metric", "told"),
    [("faithfulness", False), ("context_entity_recall", True), ("answer_similarity", True)],
)
def test_of_the_language_is_not_warned_where_all_that_is_asked_is_sent_to_others(
    metric: str, tmp_path: Path, *, told: bool
) -> None:
    others = dict.fromkeys(("split_statements", "verify_statements"), plausible())
    judge = Route(Embedded(), others)
    row = {**GERMAN, "contexts": [GERMAN["answer"]]}
    data = collect(assay.evaluate([row], metric, judge, store=tmp_path / "assay.db"))
    warned = any("never measured" in note.text for note in notes.notes(data))
    assert warned is told


def test_the_n_of_a_definition_is_not_said_of_what_was_computed_otherwise() -> None:
    asked = {"label": "answer_relevancy", "letters": "n = 3", "methods": []}
    assert notes.letters(asked) == "n = 3"
    assert notes.letters({**asked, "methods": ["rated directly by the judge"]}) == ""


def test_metrics_undefined_on_as_many_samples_are_one_remark() -> None:
    data = fixture.small()
    labels = [metric["label"] for metric in data["metrics"][:3]]
    for metric in data["metrics"]:
        metric["n_undefined"] = 7 if metric["label"] in labels else 0
    undefined = [note.text for note in notes.notes(data) if "undefined" in note.text]
    total = data["run"]["n_samples"]
    shared = ", ".join(labels)
    assert undefined == [
        f"{shared} are undefined on 7 of {total} samples each: their means speak about the rest."
    ]


def test_what_the_data_lack_is_not_said_a_second_time_of_the_scores() -> None:
    data = fixture.small()
    total = data["run"]["n_samples"]
    for metric in data["metrics"]:
        metric["n_undefined"] = 7 if metric["label"] == "faithfulness" else 0
    why = (
        f"7 of {total} rows have no 'answer' (the first is row 1): faithfulness is undefined there"
    )
    for note, n_told in ((why, 1), (why.replace("7", "6"), 2), (why.replace("faith", "f"), 2)):
        data["run"]["notes"] = [note]
        told = [one.text for one in notes.notes(data) if "undefined" in one.text]
        assert len(told) == n_told


def test_of_a_metric_without_any_score_no_mean_is_spoken_of() -> None:
    data = fixture.small()
    data["metrics"] = [{**data["metrics"][0], "n_scored": 0, "n_failed": 12, "mean": None}]
    (note,) = [note.text for note in notes.notes(data) if "scoring failed" in note.text]
    assert note == "faithfulness: scoring failed on 12 of 12 samples. There is no mean."


def test_metrics_that_failed_alike_are_one_remark_with_the_bounds_of_each() -> None:
    data = fixture.small()
    failed = {"n_failed": 2, "n_unanswered": 0, "why_failed": "no reply"}
    one = {**data["metrics"][0], **failed, "bounds": (0.5, 0.75)}
    two = {**data["metrics"][1], **failed, "bounds": (0.25, 0.5)}
    data["metrics"] = [one, two, {**data["metrics"][2], **failed, "why_failed": "it timed out"}]
    first, second = [n.text for n in notes.notes(data) if "scoring failed" in n.text]
    total = data["run"]["n_samples"]
    assert first == (
        f"{one['label']}, {two['label']}: scoring failed on 2 of {total} samples each. The means "
        "leave them out; had they all scored lowest or all highest, they would lie at 0.50 or 0.75,"
        " 0.25 or 0.50. The intervals know nothing of them. Most often: no reply."
    )
    assert "it timed out" in second


def test_bounds_are_not_said_to_be_of_the_failed_ones_alone() -> None:
    data = fixture.small()
    told = "had they, and those without an answer, all scored lowest or all highest, it would lie"
    for unanswered, expected in ((0, False), (3, True)):
        data["metrics"] = [{**data["metrics"][0], "n_failed": 1, "n_unanswered": unanswered}]
        (note,) = [n.text for n in notes.notes(data) if "scoring failed" in n.text]
        assert (told in note) is expected


def test_of_texts_on_which_the_judge_was_not_measured_no_rate_is_told() -> None:
    data = fixture.small()
    data["run"]["texts"] = {"records": 6, "passages": 4}
    of_records = {**fixture.QUALITY, "wrong": {"value": 0.57, "low": 0.48, "high": 0.66}}
    for metric in data["metrics"]:
        known = metric["quality"] and of_records
        metric |= {"quality": known, "quality_on": {"records": known, "passages": None}}
    assert not any("there the judge flags" in note.text for note in notes.notes(data))
    for metric in data["metrics"]:
        metric["quality_on"]["passages"] = metric["quality"] and fixture.QUALITY
    (told,) = [note.text for note in notes.notes(data) if "there the judge flags" in note.text]
    assert told.startswith("4 of 10 samples ask a question about passages: there the judge flags")
    assert "flags 61 % of bad ones and 10 % of good ones (faithfulness)." in told
