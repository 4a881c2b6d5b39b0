"""Are all gaps named at once, and is nothing dropped without a word?"""

import json
import tracemalloc

import pytest
from data_help import NONE, load, problem, refused

from assay.data import read, samples
from assay.errors import InputError
from support.over import over

NEEDS = {"faithfulness": ("question", "answer", "contexts"), "recall": ("contexts", "reference")}
FULL = {"question": "q", "answer": "a", "contexts": ["c"], "reference": "g"}


def rows(*changes):
    return [{"id": str(n), **FULL, **change} for n, change in enumerate(changes)]


def test_full_rows_pass():
    assert len(load(rows({}, {"contexts": []}), needs=NEEDS)) == 2


def test_every_problem_of_every_row_is_named_at_once():
    data = rows({}, {"question": 7, "contexts": 7}, {"id": "0"}, {"contexts": ["", "c"]}, {})
    data[4] = "no row"
    error = refused(data, needs=NEEDS)
    assert [(found.row, found.field) for found in error.problems] == [
        (2, "question"),
        (2, "contexts"),
        (3, "id"),
        (4, "contexts"),
        (5, ""),
    ]
    assert "'0' is the id of an earlier row" in str(error)
    assert all(found.remedy for found in error.problems)


def noted(data, **options):
    found = samples(data, **options)
    return list(found), found.notes


class TestGapsOfSomeRows:
    def test_they_are_counted_by_field_and_the_rows_are_given_all_the_same(self):
        data = rows({}, {"question": " ", "contexts": None}, {"contexts": None}, {"id": "x"})
        found, notes = noted(data, needs=NEEDS)
        assert len(found) == 4
        assert notes == [
            "1 of 4 rows has no 'question' (the first is row 2): faithfulness is undefined there",
            (
                "2 of 4 rows have no 'contexts' (the first is row 2): "
                "faithfulness and recall are undefined there"
            ),
        ]
        assert noted(rows({}, {"contexts": []}), needs=NEEDS)[1] == []

    def test_a_metric_that_no_row_serves_is_refused(self):
        data = rows({"question": None}, {"answer": None}, {"contexts": None})
        told = problem(data, needs={"f": NEEDS["faithfulness"], "r": NEEDS["recall"]})
        assert "no row holds all that f needs (question, answer, contexts): " in told
        assert "row 1 has no 'question', row 2 has no 'answer', row 3 has no 'contexts'" in told
        assert "-> fill them in, or drop f" in told

    def test_a_row_whose_question_was_not_answered_has_none(self):
        data = rows({}, {"answer": None, "failure": "time-out"})
        assert noted(data, needs=NEEDS)[1] == []
        assert len(load(rows({"answer": None, "failure": "x"}), needs=NEEDS)) == 1

    def test_what_is_required_must_be_in_every_row(self):
        data = rows({}, {"question": None}, {"question": " ", "reference": None})
        error = refused(data, needs=NEEDS, required={"the system": ("question",)})
        assert [(found.row, found.field) for found in error.problems] == [
            (2, "question"),
            (3, "question"),
        ]
        assert "row 2, field 'question': is missing, and the system needs it" in str(error)
        assert "row 3, field 'question': is empty, and the system needs it -> fill it in or" in str(
            error
        )


IDS = {"recall_at_k": ("context_ids", "reference_context_ids"), "recall": ("contexts",)}
TEXTS = {"recall_at_k": (("contexts", "reference_contexts"),)}


class TestOtherFieldsDoAsWell:
    def test_a_row_that_holds_them_has_no_gap(self):
        by_ids = {
            "id": "1",
            "context_ids": ["a"],
            "reference_context_ids": ["a"],
            "contexts": ["c"],
        }
        by_texts = {"id": "2", "contexts": ["c"], "reference_contexts": ["c"]}
        assert len(load([by_ids, by_texts], needs=IDS, instead=TEXTS)) == 2

    def test_a_row_that_holds_neither_is_told_of_those_that_it_needs(self):
        neither = {"id": "2", "contexts": ["c"]}
        both = {"id": "1", "contexts": ["c"], "reference_contexts": ["c"], "context_ids": ["a"]}
        _, notes = noted([both, neither], needs=IDS, instead=TEXTS)
        assert [note.partition(" have")[0].partition(" (the first")[0] for note in notes] == [
            "1 of 2 rows has no 'context_ids'",
            "1 of 2 rows has no 'reference_context_ids'",
        ]
        error = refused(
            [{"id": "1", "contexts": ["c"], "context_ids": ["a"]}, neither],
            needs=IDS,
            instead=TEXTS,
        )
        assert "'reference_context_ids', which recall_at_k needs" in str(error)
        assert "give contexts and reference_contexts instead" in str(error)

    def test_a_gap_of_another_metric_stays_one(self):
        rows = [{"id": "1", "context_ids": ["a"], "reference_context_ids": ["a"]}]
        told = problem(rows, needs=IDS, instead=TEXTS)
        assert "'contexts', which recall needs" in told


REST = {"question": "q", "contexts": ["c"], "answer": "a"}
TWO = {"recall": ("question", "reference"), "relevance": ("question", "contexts")}


class TestRowsThatAreLeftOut:
    def test_serve_no_metric_and_are_in_no_count(self, tmp_path):
        skipping = {"needs": TWO, "skip_invalid": tmp_path / "skipped.jsonl"}
        bad = {**REST, "question": 7, "reference": "r"}
        told = problem([bad, REST, REST], **skipping)
        assert "no row holds all that recall needs" in told
        found, notes = noted([bad, REST, {**REST, "reference": "r"}], **skipping)
        assert len(found) == 2
        assert notes == [
            "1 of 2 rows has no 'reference' (the first is row 2): recall is undefined there"
        ]

    def test_since_the_system_failed_serve_a_metric_by_what_they_hold(self):
        failed = {"question": "q", "failure": "timeout"}
        told = problem([failed, REST], needs=TWO)
        assert "no column holds 'reference', which recall needs" in told
        assert len(load([{**failed, "reference": "r"}, REST], needs=TWO)) == 2
        assert len(load([failed], needs=TWO)) == 1


def test_valid_samples_are_given_before_the_error_is_raised():
    found = samples(rows({}, {"answer": 7}, {}), needs=NEEDS)
    assert [next(found).id, next(found).id] == ["0", "2"]
    with pytest.raises(InputError):
        next(found)


def test_a_field_that_no_row_has_is_one_problem():
    data = [{"question": "q", "refrence": "g"} for _ in range(50)]
    told = problem(data, needs={"context_recall": ("question", "reference")})
    assert "no column holds 'reference', which context_recall needs" in told
    assert "columns found: 'question', 'refrence'" in told
    assert "did you mean --map reference=refrence?" in told


@over("mark", ["\u00a0", "\u200b", "\ufeff", "\u00ad", "\u200f", " \u200b\n"])
def test_a_text_of_invisible_characters_is_none(mark):
    needs = {"m": ("reference",)}
    _, notes = noted([{"reference": "r"}, {"reference": mark}], needs=needs)
    assert notes == ["1 of 2 rows has no 'reference' (the first is row 2): m is undefined there"]
    seen = load([{"reference": f"{mark}r"}], needs=needs)  # beside others they are kept
    assert seen[0].reference == f"{mark}r"


def test_an_answer_of_invisible_characters_stays_as_it_is():
    (first, _) = load([{"answer": "\u200b"}, {"answer": "a"}], needs={"m": ("answer",)})
    assert first.answer == "\u200b"


def test_an_empty_answer_is_a_result_where_others_were_recorded():
    assert len(load(rows({}, {"answer": ""}), needs=NEEDS)) == 2
    told = problem(rows({"answer": ""}, {"answer": " "}), needs=NEEDS)
    assert "column 'answer' is empty in every row" in told
    assert "say why in the field 'failure'" in told


def test_an_empty_answer_of_the_only_row_is_a_result():
    for answer in ("", " "):
        (only,) = load(rows({"answer": answer}), needs=NEEDS)
        assert only.answer == answer
    assert "'answer'" in problem(rows({"answer": None}), needs=NEEDS)


def test_a_column_that_only_a_metric_of_ones_own_needs_is_renamed_and_not_mapped():
    needs = {"usestag": ("topic",)}
    told = problem([{"question": "q", "tag": "x"}], needs=needs)
    assert "-> rename the column to 'topic', or correct needs= of usestag" in told
    assert "rename 'topics' to 'topic'" in problem([{"topics": "x"}], needs=needs)
    told = problem([{"topic": None}, {"topic": None}], needs=needs)
    assert "column 'topic' is empty in every row" in told
    assert "--map" not in told
    told = problem([{"answer": "a"}], needs={"own": ("response",)})
    assert "-> correct needs= of own: the field is called 'answer'" in told


def test_a_column_that_is_empty_everywhere_is_one_problem():
    data = rows({"reference": None}, {"reference": None})
    assert "column 'reference' is empty in every row" in problem(data, needs=NEEDS)


def test_a_field_may_be_one_of_the_metadata():
    needs = {"selfcheck": ("other_answers",)}
    assert len(load([{"other_answers": ["a"]}], needs=needs)) == 1
    assert "no column holds 'other_answers'" in problem(rows({}), needs=needs)


def test_very_many_problems_are_counted_and_the_first_kept():
    data = [FULL, *({**FULL, "answer": 7, "tokens": -1} for _ in range(3000))]
    error = refused(data, needs=NEEDS)
    assert error.total == 6000
    assert len(error.problems) == 1000
    assert [found.row for found in error.problems[:4]] == [2, 2, 3, 3]


def test_generated_ids_meet_given_ones():
    error = refused([{"question": "q"}, {"question": "q", "id": "row-1"}])
    assert "'row-1' is the id of an earlier row" in str(error)


def test_invalid_rows_can_be_skipped_and_are_kept_aside(tmp_path):
    path = tmp_path / "data.jsonl"
    lines = [json.dumps(row) for row in rows({}, {"answer": 7}, {})]
    path.write_text("\n".join([*lines, "{broken", ""]))
    found = samples(path, needs=NEEDS, skip_invalid=tmp_path / "skipped.jsonl")
    assert [sample.id for sample in found] == ["0", "2"]
    assert (found.rows, found.skipped, found.name) == (4, 2, "data.jsonl")
    kept = [json.loads(line) for line in (tmp_path / "skipped.jsonl").read_text().splitlines()]
    assert [(entry["row"], entry["raw"]) for entry in kept] == [(2, lines[1]), (4, "{broken")]
    assert "is the number 7" in kept[0]["problems"][0]


def test_rows_without_text_of_their_own_are_kept_aside_too(tmp_path):
    data = rows({}, {"tokens": -1, "note": {1, 2}}, {"question": "\ud800"})
    found = samples(data, needs=NONE, skip_invalid=tmp_path / "skipped.jsonl")
    assert len(list(found)) == 1
    kept = [json.loads(line) for line in (tmp_path / "skipped.jsonl").read_text().splitlines()]
    assert json.loads(kept[0]["raw"])["tokens"] == -1
    assert json.loads(kept[1]["raw"])["question"] == "\ud800"


def test_nothing_skipped_leaves_an_empty_file(tmp_path):
    found = samples(rows({}), needs=NEEDS, skip_invalid=tmp_path / "skipped.jsonl")
    assert len(list(found)) == 1
    assert (tmp_path / "skipped.jsonl").read_text() == ""


def test_a_field_that_no_row_has_cannot_be_skipped(tmp_path):
    data = [{"question": "q"}]
    options = {"skip_invalid": tmp_path / "s.jsonl", "needs": {"m": ("reference",)}}
    assert "no column holds 'reference'" in problem(data, **options)


def test_skipping_every_row_is_refused(tmp_path):
    error = refused([{"question": 1}, {"question": 2}], skip_invalid=tmp_path / "s.jsonl")
    assert error.total == 2


def test_a_damaged_source_cannot_be_skipped(tmp_path):
    (tmp_path / "x.json").write_text('[{"question": "q"}, {"question": 1}, {')
    told = problem(tmp_path / "x.json", skip_invalid=tmp_path / "s.jsonl")
    assert "never ends" in told


def test_the_skip_file_must_be_writable_and_not_the_data(tmp_path):
    (tmp_path / "x.jsonl").write_text("{}")
    assert "overwritten" in problem(tmp_path / "x.jsonl", skip_invalid=tmp_path / "x.jsonl")
    assert "exists" in problem([FULL], skip_invalid=tmp_path / "no" / "s.jsonl")
    assert "exists" in problem([FULL], skip_invalid=tmp_path)


@pytest.mark.slow
def test_a_large_file_is_read_in_little_memory(tmp_path):
    path = tmp_path / "x.jsonl"
    line = json.dumps({"question": "q" * 40, "contexts": ["c" * 200], "answer": "a" * 40})
    path.write_text((line + "\n") * 20_000)  # 6 MB
    first = samples(path, needs={"m": ("question", "answer", "contexts")}, limit=3000)
    tracemalloc.start()
    assert sum(1 for _ in first) == 3000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.slow
def test_bad_rows_do_not_fill_the_memory():
    bad = ({"question": n, "answer": "x" * 1000} for n in range(4000))
    tracemalloc.start()
    with pytest.raises(InputError) as caught:
        load(bad, needs={"m": ("reference",)})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.total == 4001
    assert peak < 3_000_000


def test_many_metrics_are_named_in_short():
    needs = dict.fromkeys("abcde", ("answer",))
    _, (told,) = noted([{"answer": "x"}, {"answer": None}], needs=needs)
    assert "a, b and 3 more metrics are undefined there" in told


def test_a_source_can_be_checked_more_than_once():
    source = read(rows({}, {}), mapping={"language": "lang"}, limit=1)
    assert len(list(samples(source, needs=NEEDS, mapping={"language": ""}))) == 1
    assert [row.sample.id for row in read(source, limit=2) if row.sample] == ["0", "1"]


def test_a_header_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text('question,"answer\nq,a\n')
    assert "the header is not readable" in problem(tmp_path / "x.csv")


@pytest.mark.slow
def test_a_row_nested_too_deeply_to_be_written_is_skipped_all_the_same(tmp_path):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    kept = load(
        [{"id": "a", "question": "q", "other": deep}, {"id": "b", "question": "q"}],
        skip_invalid=tmp_path / "skipped.jsonl",
    )
    assert [sample.id for sample in kept] == ["b"]
    assert "nested too deeply" in (tmp_path / "skipped.jsonl").read_text()


@pytest.mark.posix
def test_a_skip_file_that_cannot_be_opened_is_named():
    error = refused([{"question": "q"}], skip_invalid="/proc/skipped")
    assert "'/proc/skipped' cannot take the skipped rows" in str(error)


@pytest.mark.parametrize(
    "lost", ["#N/A", "#NAME?", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NULL!"]
)
def test_a_cell_that_the_spreadsheet_lost_is_a_problem_of_its_row(tmp_path, lost):
    file, skipped = tmp_path / "sheet.csv", tmp_path / "skipped.jsonl"
    file.write_text(f"question,answer,note\nq,a,{lost}\nq,{lost},n\nq,{lost} is one,n\n", "utf-8")
    told = problem(file)
    assert f"row 2, field 'answer': is '{lost}': the spreadsheet lost this cell" in told
    assert "restore its text" in told
    first, second = load(file, skip_invalid=skipped)
    assert (first.metadata, second.answer) == ({"note": lost}, f"{lost} is one")
    assert "the spreadsheet lost this cell" in skipped.read_text("utf-8")


def test_a_lost_cell_is_seen_among_those_that_make_a_list_and_no_other_form_has_one(tmp_path):
    file = tmp_path / "sheet.tsv"
    file.write_text("question\tc1\tc2\nq\tone\t#REF!\n", "utf-8")
    assert "is '#REF!': the spreadsheet lost" in problem(file, mapping={"contexts": "c#"})
    (sample,) = load([{"question": "q", "answer": "#N/A"}])
    assert sample.answer == "#N/A"


def test_answers_that_read_like_error_messages_are_noted():
    messages = ("Error: 504 Gateway Timeout", "503 Service Unavailable", "openai.APIError: down")
    answers = ("Errors are logged.", "404 people came.", "Rate limits apply.")
    changes = [{"answer": text} for text in (*answers, *messages)]
    checked = samples(rows(*changes), needs=NEEDS)
    assert len(list(checked)) == 6
    (note,) = checked.notes
    assert note.startswith("the answer of 3 of 6 rows reads like an error message")
    assert "(the first is row 4, 'Error: 504 Gateway Timeout')" in note
    assert "in the field 'failure'" in note
