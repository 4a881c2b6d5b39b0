"""Is every usual column name understood, and does the user's mapping win?"""

import json

import numpy as np
import pandas as pd
import pytest
from data_help import load, one, problem, refused

from assay.data import ALIASES, samples
from assay.data.columns import likely_column
from support.over import over

RAGAS_1 = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truth": "g"}
RAGAS_2 = {
    "user_input": "q",
    "response": "a",
    "retrieved_contexts": ["c"],
    "reference": "g",
    "reference_contexts": ["r"],
    "retrieved_context_ids": ["1"],
    "reference_context_ids": [2],
}
DEEPEVAL = {
    "input": "q",
    "actual_output": "a",
    "retrieval_context": ["c"],
    "expected_output": "g",
    "context": ["r"],
}
PLAIN = {"query": "q", "output": "a", "context": "c", "expected": "g"}
PROMPTS = {"Prompt": "q", "COMPLETION": "a", "Documents": ["c"], "gold": "g"}
SPACED = {"User Input": "q", "Model-Answer": "a", "retrieved contexts": ["c"], "groundTruth": "g"}


@over("row", [RAGAS_1, RAGAS_2, DEEPEVAL, PLAIN, PROMPTS, SPACED])
def test_usual_names_need_no_configuration(row):
    sample = one(row)
    assert (sample.question, sample.answer, sample.contexts) == ("q", "a", ("c",))
    assert sample.reference == "g"
    assert sample.metadata == {}


def test_names_of_one_field_are_not_names_of_another():
    names = [name.replace("_", "") for names in ALIASES.values() for name in names]
    doubled = {name for name in names if names.count(name) > 1}
    assert doubled <= {"id"}  # "id" and "_id"


def test_ids_of_contexts_and_ideal_contexts_are_read():
    sample = one(RAGAS_2)
    assert sample.context_ids == ("1",)
    assert sample.reference_context_ids == ("2",)
    assert sample.reference_contexts == ("r",)


def test_context_means_ideal_context_beside_retrieval_context():
    assert one(DEEPEVAL).reference_contexts == ("r",)
    assert one({**DEEPEVAL, "retrieval_context": None}).contexts is None
    assert one({"input": "q", "context": ["r"]}).contexts == ("r",)


def test_a_list_that_holds_nothing_but_a_gap_is_no_reference():
    assert one({"question": "q", "ground_truths": [None]}).reference is None


def test_ragas_reference_lists_keep_every_answer():
    sample = one({"question": "q", "ground_truths": ["g", "h", "i"]})
    assert (sample.reference, sample.accepted) == ("g", ("h", "i"))


def test_unknown_columns_become_metadata():
    sample = one({"question": "q", "source": "wiki", "metadata": {"level": 3}, "labels": [1, None]})
    assert sample.metadata == {"source": "wiki", "level": 3, "labels": [1, None]}


def test_metadata_that_would_hide_a_column_is_kept_whole():
    sample = one({"question": "q", "level": 1, "metadata": {"level": 3}})
    assert sample.metadata == {"level": 1, "metadata": {"level": 3}}


def test_two_columns_of_one_field_must_agree():
    assert one({"question": "q", "query": "q"}).question == "q"
    assert one({"ground_truth": "g", "ground_truths": ["g"]}).reference == "g"
    assert one({"question": "q", "query": None}).question == "q"
    assert one({"question": "q", "query": ""}).question == "q"
    told = problem([{"id": 1, "question": "q", "query": "r"}])
    assert "row 1, field 'question'" in told
    assert "'question' and 'query'" in told
    assert "--map question=COLUMN" in told


def test_mapping_settles_two_columns():
    sample = one({"question": "q", "query": "r"}, mapping={"question": "query"})
    assert sample.question == "r"
    assert sample.metadata == {"question": "q"}


def test_mapping_wins_over_names_and_takes_the_column_away():
    row = {"question": "q", "answer": "gold", "my text": "said"}
    sample = one(row, mapping={"reference": "answer", "answer": "My Text"})
    assert (sample.answer, sample.reference) == ("said", "gold")


def test_mapping_reaches_into_objects_and_their_lists():
    row = {"meta": {"q": "q"}, "hits": [{"doc": {"body": "one"}}, {"doc": {"body": "two"}}]}
    sample = one(row, mapping={"question": "meta.q", "contexts": "hits.doc.body"})
    assert sample.question == "q"
    assert sample.contexts == ("one", "two")
    assert sample.metadata["meta"] == {"q": "q"}


def test_a_column_whose_name_has_a_dot_is_found():
    assert one({"meta.q": "q"}, mapping={"question": "meta.q"}).question == "q"


def test_a_hit_without_the_mapped_key_is_named():
    row = {"hits": [{"body": "one"}, {"other": 2}]}
    told = problem([row], mapping={"contexts": "hits.body"})
    assert "item 2 is null" in told
    assert "remove it; [] says that nothing was retrieved" in told


def test_an_empty_mapping_leaves_a_field_out():
    rows = [{"question": "q", "tokens": ["a", "list"]}]
    assert "--map tokens= leaves the field out" in problem(rows)
    sample = one(rows[0], mapping={"tokens": ""})
    assert sample.tokens is None
    assert sample.metadata == {"tokens": ["a", "list"]}


def test_unknown_fields_of_a_mapping_are_named_at_once():
    error = refused([{"q": 1}], mapping={"questoin": "q", "zzz": "q"})
    assert error.total == 2
    assert "did you mean 'question'?" in str(error)


def test_a_mapped_column_that_no_row_has_is_named_once():
    rows = [{"query_text": "q"}, {"query_text": "r"}]
    needs = {"metric": ("question",)}
    told = problem(rows, mapping={"question": "qery_text"}, needs=needs)
    assert "did you mean --map question=query_text?" in told


def test_a_mapped_column_may_be_absent_in_some_rows():
    rows = [{"text": "q"}, {"other": 1}]
    first, second = load(rows, mapping={"question": "text"})
    assert (first.question, second.question) == ("q", None)


def test_rows_of_ever_new_columns_are_read():
    rows = [{"question": "q", f"extra_{n}": n} for n in range(600)]
    assert [sample.metadata for sample in load(rows)] == [{f"extra_{n}": n} for n in range(600)]


@over("column", ["hits.nothing", "hits.body.deeper", "title.body", "none.body"])
def test_paths_that_lead_nowhere_are_named_once(column):
    rows = [{"title": "t", "hits": [{"body": "one"}]}] * 3
    told = problem([{**row, "id": n} for n, row in enumerate(rows)], mapping={"contexts": column})
    assert f"no row has the column '{column}'" in told


def test_guessing_what_was_meant_looks_at_so_many_columns_only():
    columns = [f"x{n}" for n in range(499)]
    assert likely_column("answer", [*columns, "anser"]) == "anser"
    assert likely_column("answer", [*columns, "x499", "anser"]) is None
    assert likely_column("answer", ["a" * 10_000_000]) is None


@pytest.mark.parametrize("write", [json.dumps, repr])
def test_a_path_leads_into_text_that_spells_an_object(write):
    row = {"inputs": write({"question": "q"}), "outputs": write({"docs": [{"text": "one"}]})}
    sample = one(row, mapping={"question": "inputs.question", "contexts": "outputs.docs.text"})
    assert (sample.question, sample.contexts) == ("q", ("one",))


def test_a_number_in_a_path_is_a_place_in_a_list():
    row = {"choices": [{"message": {"content": "a"}}]}
    assert one(row, mapping={"answer": "choices.0.message.content"}).answer == "a"
    told = problem([row], mapping={"answer": "choices.1.message.content"})
    assert "no row has the column 'choices.1.message.content'" in told


def test_a_path_leads_into_an_array():
    row = {"docs": np.array([{"text": "one"}, {"text": "two"}])}
    assert one(row, mapping={"contexts": "docs.text"}).contexts == ("one", "two")


def test_numbered_columns_are_one_list_in_the_order_of_their_numbers():
    row = {"context_10": "ten", "context_2": "two", "context_1": "one", "context_3": "", "n": None}
    sample = one({**row, "context_ids": "x"}, mapping={"contexts": "context_#", "context_ids": ""})
    assert sample.contexts == ("one", "two", "ten")
    assert sample.metadata == {"n": None, "context_ids": "x"}
    assert one({"context_1": None}, mapping={"contexts": "context_#"}).contexts is None
    wrong = problem([{"context_1": 5, "context_2": "two"}], mapping={"contexts": "context_#"})
    assert "(column 'context_1 and context_2')" in wrong


def test_of_numbered_columns_all_are_proposed_and_not_the_last():
    needs = {"metric": ("contexts",)}
    assert "--map 'contexts=contxt_#'?" in problem(
        [{"contxt_1": "a", "contxt_2": "b"}], needs=needs
    )
    assert "--map contexts=contxt_1?" in problem([{"contxt_1": "a"}], needs=needs)
    told = problem([{"contexts.0": "a", "contexts.1": "b"}], mapping={"contexts": "contexts"})
    assert "--map 'contexts=contexts.#'?" in told


@over(
    ("mapping", "told"),
    [
        ({"reference": "text"}, "column 'text' is empty in every row, and metric needs"),
        ({"reference": ""}, "--map reference= leaves 'reference' out, and metric needs it"),
        (
            {"other_answer": "target"},
            "no column is left for 'reference', which metric needs: --map other_answer=target takes",
        ),
    ],
)
def test_what_is_missing_because_of_the_mapping_is_told_so(mapping, told):
    rows = [{"question": "q", "target": "t", "text": None}] * 2
    assert told in problem(rows, mapping=mapping, needs={"metric": ("reference",)})


def test_numbered_ids_belong_to_the_texts_of_their_numbers():
    mapping = {"contexts": "ctx_#", "context_ids": "cid_#"}
    row = {"ctx_1": "one", "ctx_2": "", "cid_1": "a", "cid_2": "b"}
    assert one(row, mapping=mapping).context_ids == ("a", "b")  # more may have been retrieved
    wrong = problem([{"ctx_1": "", "ctx_2": "two", "cid_1": "a", "cid_2": ""}], mapping=mapping)
    assert "field 'context_ids': is empty where a text is given" in wrong


@pytest.mark.parametrize(
    ("column", "mapping"),
    [("Bot Answer", {"answer": "Bot Answr"}), ("Answer #", {"answer": "Answr #"})],
)
def test_a_proposed_mapping_can_be_pasted_into_a_shell(column, mapping):
    told = problem([{"question": "q", column: "a"}], mapping=mapping)
    assert f"that --map 'answer={mapping['answer']}' names" in told
    assert f"did you mean --map 'answer={column}'?" in told


def test_a_column_that_probably_holds_a_field_is_proposed_in_quotes():
    told = problem([{"question": "q", "model anwser": "a"}], needs={"metric": ("answer",)})
    assert "did you mean --map 'answer=model anwser'?" in told


def _notes(data, **options):
    read = samples(data, needs={}, **options)
    return [*read], read.notes


@over(
    ("column", "cells", "named"),
    [
        ("Ticket No", ["T-1", "T-2", "T-3"], True),
        ("ticket", ["T-1", "T-2", "T-3"], True),
        ("qid", ["q1", "q2", "q3"], True),
        ("caseNumber", [7, 8, 9], True),
        ("question_id", ["a", "b", "c"], True),
        ("Ticket No", ["T-1", "T-1", "T-3"], False),
        ("Ticket No", ["T-1", "", "T-3"], False),
        ("Ticket No", ["T-1", "T-2"], False),
        ("Team", ["A", "B", "C"], False),
    ],
)
def test_a_column_that_may_name_the_rows_is_proposed(column, cells, named):
    data = [{column: cell, "question": "Why?"} for cell in cells]
    _, notes = _notes(data)
    option = f"'id={column}'" if " " in column else f"id={column}"
    assert any(f"'{column}' names each" in note and option in note for note in notes) is named
    if named:
        mapped, notes = _notes(data, mapping={"id": column})
        assert (mapped[0].id, notes) == (str(cells[0]), [])


def test_no_column_is_proposed_where_one_is_known():
    data = [{"id": n, "Ticket No": n, "question": "Why?"} for n in range(3)]
    assert _notes(data)[1] == []


@over(
    ("value", "path"),
    [
        ({"query": "Why?"}, "input.query"),
        ({"question": "Why?", "user": "u1"}, "input.question"),
        ({"text": "Why?", "k": 3}, "input.text"),
        ({"first": "Why?", "user": "u1"}, ""),
        ({"k": 3}, ""),
    ],
)
def test_an_object_in_the_place_of_a_text_is_told_with_the_text_in_it(value, path):
    told = problem([{"input": value, "answer": "So."}])
    assert (f"--map question={path} (mapping= of Settings in Python)" in told) is bool(path)
    if path:
        assert one({"input": value}, mapping={"question": path}).question == "Why?"


def test_a_guessed_column_is_not_kept_a_second_time_as_metadata():
    (sample,) = load([{"Bot response": "So.", "question": "Why?", "team": "A"}])
    assert (sample.answer, sample.metadata) == ("So.", {"team": "A"})


@over("pattern", ["source #", "SOURCE #"])
def test_numbered_columns_are_found_in_any_case_by_their_numbers(pattern):
    row = {"Source 10": "last", "Source 2": "second", "Source 1": "first"}
    sample = one(row, mapping={"contexts": pattern})
    assert sample.contexts == ("first", "second", "last")


def test_a_place_beyond_a_list_is_no_column_however_large_its_number():
    for place in ("7", "9" * 40, "9" * 5000):
        told = problem([{"docs": ["a", "b"]}], mapping={"question": f"docs.{place}"})
        assert "no row has the column" in told
    assert one({"docs": ["a", "b"]}, mapping={"question": "docs.1"}).question == "b"


def test_marks_of_ragas_are_no_part_of_the_passages_of_a_multi_hop_question(tmp_path):
    passages = ["<1-hop>\n\nEmma is a novel.", "<2-hop>\n\nIt is by Jane Austen."]
    row = {"user_input": "?", "reference_contexts": passages}
    path = tmp_path / "testset.csv"
    pd.DataFrame([row]).to_csv(path, index=False)
    for data in (path, [row]):
        (sample,) = load(data)
        assert sample.reference_contexts == ("Emma is a novel.", "It is by Jane Austen.")
