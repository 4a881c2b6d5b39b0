"""Is a reader told of contexts that were lost, and of ids that are not of one kind?"""

from assay import evaluate

ROW = {"question": "How hot?", "contexts": ["Fire is hot."], "answer": "Fire is hot."}


def test_empty_contexts_are_counted_with_the_first_row(tmp_path):
    rows = [ROW, {**ROW, "contexts": []}, {**ROW, "contexts": [], "failure": "timed out"}]
    told = "\n".join(evaluate(rows, "faithfulness", store=tmp_path / "assay.db").notes)
    assert "1 of 3 rows has an empty list of contexts (the first is row 2)" in told


def test_rows_with_contexts_have_no_such_note(tmp_path):
    told = evaluate([ROW, ROW], "faithfulness", store=tmp_path / "assay.db").notes
    assert not any("empty list" in note for note in told)


def test_ids_that_agree_in_no_row_are_doubted(tmp_path):
    rows = [{**ROW, "context_ids": ["d1"], "reference_context_ids": [1]}] * 3
    told = "\n".join(evaluate(rows, "hit_at_k", store=tmp_path / "assay.db").notes)
    assert "in none of 3 rows is a right document among the retrieved ones" in told
    assert "(such as '1' and 'd1')" in told


def test_ids_that_agree_in_one_row_are_believed(tmp_path):
    rows = [
        {**ROW, "context_ids": ["d1"], "reference_context_ids": [right]} for right in ("d1", "d2")
    ]
    told = evaluate(rows, "hit_at_k", store=tmp_path / "assay.db").notes
    assert not any("right document" in note for note in told)
