"""Are scores over runs drawn where they lie, and told apart without colours and scripts?"""

import io
import re

import pytest
from rich.console import Console

from assay._report import history
from assay._report.history import BAR, bar, remarks
from assay._report.numbers import axis, ticks
from support.over import over


def point(run, mean, interval=None, **more):
    counts = {"n_scored": 10, "n_undefined": 0, "n_failed": 0, "n_unanswered": 0, "noise": None}
    said = {"title": run, "name": "", "tags": [], "note": "", "params": {}}
    said |= {"values": {}, "n_older": 0, "best_of": 0}
    given = {"run": run, **said, "created": f"2026-01-0{run[-1]}T10:00:00.0Z", "source": "d.jsonl"}
    return {**given, "finished": True, "mean": mean, "interval": interval, "bounds": interval} | (
        {**counts, **more}
    )


def series(name, *points, differs=()):
    about = {"judges": ["ann"], "data": 1, "n_samples": 10, "settings": {}, "signature": "s"}
    return {"name": name, **about, "differs": list(differs), "points": list(points)}


@pytest.fixture
def data():
    one = series("1", point("aaaaaaaa1", 0.5, [0.4, 0.6]), point("aaaaaaaa3", 0.7, [0.6, 0.8]))
    two = series("2", point("aaaaaaaa2", 0.6, [0.5, 0.7]), differs=["judge: <bob> instead of ann"])
    about = {"doc": "d", "range": [0.0, 1.0], "higher_is_better": True, "guide": 0.65}
    metric = {"metric": "faithfulness", **about, "series": [one, two]}
    metric["axis"] = axis(metric["series"], metric["range"])
    metric |= {"misses": False, "unmoved": False}
    counts = {"n_runs": 3, "n_older": 0, "n_derived": 0, "n_without": 0, "n_swept": 0, "by": []}
    return {"assay": "0", **counts, "metrics": [metric]}


def test_a_page_draws_runs_in_the_order_of_what_they_are_ordered_by(data):
    (one, _), metric = data["metrics"][0]["series"], data["metrics"][0]
    for point, k in zip(reversed(one["points"]), ("3", "5"), strict=True):
        point["values"] = {"k": k}
    one["points"].reverse()
    drawn = history.picture({**metric, "series": [one]})
    assert [name for _, name, _ in drawn.names] == [p["run"][:8] for p in one["points"]]
    assert [mark.x for mark in drawn.lines[0].marks] == sorted(x for x, *_ in drawn.names)


def shown_of(data):
    console = Console(width=200, file=io.StringIO())
    console.print(history.console(data))
    return console.file.getvalue()  # type: ignore[attr-defined]


NEWEST = "From d.jsonl (aaaaaaaa) to the newest run, d.jsonl (aaaaaaaa): faithfulness 0.50 to 0.70."


def test_every_form_begins_with_what_the_newest_run_did(data):
    command = "`assay compare aaaaaaaa aaaaaaaa` says whether chance explains it."
    assert shown_of(data).startswith(f"{NEWEST} {command}")
    assert (
        history.markdown(data).split("\n\n")[1].startswith(f"**{NEWEST.split(':', maxsplit=1)[0]}")
    )
    page = history.html(data)
    assert 0 < page.index(NEWEST) < page.index("<figure")


def test_runs_that_stand_alone_are_counted_but_for_the_newest(data):
    assert "series 2" not in shown_of(data)
    assert "Left out: 1 mean beside which no other stands. --all shows more." in shown_of(data)
    assert "Left out: 1 mean" in history.markdown(data)
    assert "<details" in history.html(data)
    data["metrics"][0]["series"][1]["points"][0]["created"] = "2026-02-01T10:00:00.0Z"
    assert "series 2" in shown_of(data)
    assert shown_of(data).startswith("No run stands beside the newest one, d.jsonl (aaaaaaaa): ")


class TestAxis:
    @over(
        ("interval", "ends", "expected"),
        [
            ((0.42, 0.58), (0.0, 1.0), [0.4, 0.6]),
            ((0.97, 1.0), (0.0, 1.0), [0.97, 1.0]),
            ((1.0, 1.0), (0.0, 1.0), [0.99, 1.0]),
            ((0.0, 0.0), (0.0, 1.0), [0.0, 0.01]),
            ((120.0, 4200.0), (0.0, None), [0.0, 5000.0]),
            ((0.00008, 0.00014), (0.0, None), [0.00008, 0.00014]),
            ((0.0001, 0.0001), (0.0, None), [0.0001, 0.00011]),
            ((3.0, 3.0), (1.0, 5.0), [3.0, 3.05]),
            ((-3.0, -2.5), (None, None), [-3.0, -2.5]),
        ],
    )
    def test_it_holds_all_scores_ends_at_round_values_and_within_the_range(
        self, interval, ends, expected
    ):
        found = axis([series("1", point("r1", interval[0], list(interval)))], ends)
        assert found[:2] == pytest.approx(expected)
        assert ticks(*found)[0] == pytest.approx(expected[0])
        assert ticks(*found)[-1] == pytest.approx(expected[1])

    def test_runs_without_any_score_have_one_too(self):
        assert axis([series("1", point("r1", None))], (0.0, 1.0))[:2] == [0.0, 1.0]


class TestBar:
    def test_mean_and_interval_lie_where_they_should(self):
        drawn = bar(point("r1", 0.5, [0.0, 1.0]), [0.0, 1.0])
        assert drawn == "├" + "─" * 11 + "●" + "─" * 11 + "┤"
        assert len(drawn) == BAR

    def test_a_mean_without_an_interval_and_no_mean(self):
        assert bar(point("r1", 1.0), [0.0, 1.0]).strip() == "●"
        assert bar(point("r1", 1.0), [0.0, 1.0]).endswith("●")
        assert bar(point("r1", None), [0.0, 1.0]) == ""


class TestPage:
    def test_each_series_has_a_line_of_its_own_that_meets_its_means_only(self, data):
        picture = history.picture(data["metrics"][0])
        one, two = picture.lines
        assert two.path == ""  # one run is no line
        marks = [(mark.x, mark.y) for mark in one.marks]
        assert one.path == "M" + "L".join(f"{x} {y}" for x, y in marks)
        assert marks[0][0] < two.marks[0].x < marks[1][0]
        assert marks[0][1] > two.marks[0].y > marks[1][1]  # upwards is more

    def test_series_differ_in_shape_and_not_in_colour_alone(self, data):
        shapes = [line.shape for line in history.picture(data["metrics"][0]).lines]
        assert len(set(shapes)) == len(shapes)

    def test_it_needs_no_script_and_holds_every_number_as_text(self, data):
        page = history.html(data)
        assert "<script" not in page
        assert "script-src" not in page
        for shown in ("0.40 to 0.60", "0.50 to 0.70", "0.60 to 0.80", "<code>aaaaaaaa</code>"):
            assert shown in page
        assert "Not to be compared with series 1: judge: &lt;bob&gt; instead of ann." in page
        assert not re.search(r"<bob>", page)


def test_markdown_tells_series_apart_in_words(data):
    data["metrics"][0]["series"][1]["points"][0]["created"] = "2026-02-01T10:00:00.0Z"
    written = history.markdown(data)
    assert "**Not to be compared with series 1: judge: \\<bob\\> instead of ann.**" in written
    assert written.count("| run | id | begun (UTC)") == 2


def test_what_is_missing_stands_beside_the_mean():
    metric = {"guide": 0.8, "higher_is_better": True}
    found = point("r1", 0.5, [0.4, 0.6], n_failed=2, finished=False)
    assert remarks(found, metric) == (
        "not finished, 2 failed, worst case 0.40 to 0.60, misses the guide value"
    )
    assert remarks(point("r1", 0.9, [0.85, 0.95]), metric) == ""
    assert remarks(point("r1", 0.9, noise=0.0123), metric) == "its judge moves it by ±0.01"


def test_remarks_on_a_run_stand_whole_below_the_table(data):
    console = Console(width=100, file=io.StringIO())
    data["metrics"][0]["series"][0]["points"][0] |= {"n_unanswered": 1, "n_undefined": 1}
    console.print(history.console(data))
    assert "aaaaaaaa: 1 unanswered, 1 undefined, worst case " in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_run_alone_is_held_against_no_other_of_its_series(data):
    same = "though their intervals overlap: the samples are the same"
    assert any(same in note for note in history.notes(data))
    data["metrics"][0]["series"] = data["metrics"][0]["series"][1:]
    assert not any(same in note for note in history.notes(data))
