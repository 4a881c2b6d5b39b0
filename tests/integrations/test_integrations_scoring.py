"""A sample that comes alone is scored as it is in a run; no number stays none."""

from pathlib import Path

import pytest

import assay
from assay.errors import InputError
from assay.integrations import optional_names
from assay.integrations.haystack import rows
from assay.integrations.rows import Request, Rows, Scorer, answer_of, pick, question_of
from support.over import over
from support.scripts import plausible

ROW = {
    "question": "Is water wet?",
    "contexts": ["Water is wet."],
    "answer": "Water is wet. Fire is cold.",
}
SILENT = {**ROW, "answer": "Sorry, I do not know."}


@pytest.fixture
def scorer(db):
    return Scorer(["faithfulness", "answer_relevancy"], plausible(), store=db)


class TestOneSample:
    def test_it_has_the_scores_of_a_run(self, scorer, tmp_path):
        metrics = ["faithfulness", "answer_relevancy"]
        result = assay.evaluate([ROW], metrics, plausible(), store=tmp_path / "b.db")
        assert [f.outcome for f in scorer.score(ROW)] == [result[m][0] for m in metrics]

    def test_its_evidence_is_in_the_store(self, scorer):
        finding = scorer.score(ROW)[0]
        result = assay.Result(finding.store, finding.run)
        assert result["faithfulness"] == [finding.outcome]

    def test_what_is_none_counts_as_not_given(self, scorer):
        with pytest.raises(InputError, match="contexts"):
            scorer.score({**ROW, "contexts": None})

    def test_what_is_missing_is_told_without_options_that_nobody_can_give_here(self, scorer):
        with pytest.raises(InputError, match="rename the field that holds it to 'contexts'") as got:
            scorer.score({**ROW, "contexts": None})
        assert "--" not in str(got.value)

    def test_where_one_metric_is_meant_several_are_refused(self, scorer):
        assert Scorer("faithfulness").metric.label == "faithfulness"
        with pytest.raises(InputError, match="not faithfulness, answer_relevancy"):
            scorer.metric  # noqa: B018

    async def test_it_can_be_awaited_in_a_running_loop(self, scorer):
        assert (await scorer.ascore(ROW))[0].value == scorer.score(ROW)[0].value == 0.5

    async def test_several_samples_are_one_run_in_their_order(self, scorer):
        found = await scorer.ascore_many([ROW, SILENT])
        assert [findings[0].value for findings in found] == [0.5, None]
        assert len({finding.run for findings in found for finding in findings}) == 1


class TestAFinding:
    def test_without_a_number_it_says_why(self, scorer):
        finding = scorer.score(SILENT)[0]
        assert finding.value is None
        assert finding.why.startswith("undefined: ")
        assert finding.why in finding.reasons
        assert finding.passing(0.0) is None

    def test_it_passes_from_the_threshold_on_or_from_the_guide_value(self, scorer):
        finding = scorer.score(ROW)[0]
        assert finding.passing(0.5) is True
        assert finding.passing(0.51) is False
        assert finding.metric.guide == 0.8
        assert finding.passing(None) is False

    def test_an_error_rate_passes_below_the_threshold(self, db):
        (finding,) = Scorer("deepeval:hallucination(version=4.1)", plausible(), store=db).score(ROW)
        assert not finding.metric.higher_is_better
        assert finding.passing(1.0) is True
        assert finding.passing(-0.1) is False

    def test_its_reasons_name_each_part(self, scorer):
        reasons = scorer.score(ROW)[0].reasons
        assert "supported: Water is wet." in reasons
        assert "unsupported: Fire is cold." in reasons


class TestInputsAndOutputsOfOtherLibraries:
    @over(
        "inputs",
        ["Why?", {"question": "Why?"}, {"query": "Why?"}, {"anything": "Why?"}, {"input": "Why?"},
         {"messages": [{"role": "user", "content": "Why?"}]},
         {"input": "Why?", "chat_history": []},
         {"messages": [{"role": "user", "content": [{"type": "text", "text": "Why?"}]}]}],
    )  # fmt: skip
    def test_the_question_is_found(self, inputs):
        assert question_of(inputs) == "Why?"

    @over(
        "outputs",
        ["So.", {"answer": "So.", "context": ["x"]}, {"result": "So.", "query": "Why?"},
         {"response": "So."}, {"messages": ["Why?", {"content": "So."}]}],
    )  # fmt: skip
    def test_the_answer_is_found(self, outputs):
        assert answer_of(outputs) == "So."

    def test_of_several_texts_none_is_guessed(self):
        assert answer_of({"a": "x", "b": "y"}) is None
        assert question_of({"a": "x", "b": "y"}) is None

    def test_a_field_is_recognised_as_in_data_sets(self):
        assert pick({"source_documents": ["x"]}, "contexts") == ["x"]
        assert pick({"ground_truth": "x"}, "reference") == "x"
        assert pick({"a": 1}, "contexts") is None


class TestRowsOfARunningSystem:
    def test_what_is_known_of_a_question_goes_into_its_row(self):
        seen = Rows([{"question": "q", "id": "1", "reference": "r"}])
        seen.add(Request("q"), "a")
        seen.add(Request("other"), "b")
        assert [(row.get("id"), row.get("reference"), row["answer"]) for row in seen.rows] == [
            ("1", "r", "a"),
            (None, None, "b"),
        ]

    @pytest.mark.parametrize("failure", [None, "it was away"])
    def test_what_another_system_made_of_it_does_not_stand_for_what_this_one_did(self, failure):
        other = {"retrieved_contexts": ["c"], "response": "b", "failure": "f", "latency_ms": 1}
        seen = Rows([{"question": "q", "id": "1", "reference_contexts": ["g"], **other}])
        seen.add(Request("q", start=0, end=2), None if failure else "a", failure)
        said = {"failure": failure} if failure else {"answer": "a"}
        row = {"question": "q", "id": "1", "reference_contexts": ["g"], "latency_ms": 2000}
        assert seen.rows == [row | said]

    def test_a_question_asked_again_is_another_sample(self):
        seen = Rows([{"question": "q", "id": "1"}])
        for _ in range(3):
            seen.add(Request("q"), "a")
        assert [row["id"] for row in seen.rows] == ["1", "1-2", "1-3"]

    def test_no_answer_is_a_failure_of_the_system_and_no_empty_answer(self):
        seen = Rows()
        seen.add(Request("q"), None)
        assert "answer" not in seen.rows[0]
        assert seen.rows[0]["failure"]

    def test_a_document_found_twice_is_kept_once(self):
        request = Request("q")
        request.add_documents([{"text": "a"}, {"text": "b"}])
        request.add_documents([{"text": "b"}, {"text": "c"}])
        assert request.documents == [{"text": "a"}, {"text": "b"}, {"text": "c"}]

    def test_they_are_written_as_a_data_set(self, tmp_path, db):
        seen = Rows()
        request = Request(ROW["question"], documents=[{"text": "Water is wet.", "id": "w"}])
        request.add_tokens(7)
        seen.add(request, ROW["answer"])
        path = seen.write(tmp_path / "seen.jsonl")
        result = assay.evaluate(path, "faithfulness", plausible(), store=db)
        (row,) = result.rows()
        assert (row["context_ids"], row["tokens"], row["faithfulness"]) == (("w",), 7, 0.5)

    @over("known", [[{"id": "1"}], ["What?"], [{"question": ["What?"]}]])
    def test_known_rows_need_a_question(self, known):
        with pytest.raises(InputError, match="known row 1 has no question"):
            Rows(known)

    @over("known", ["known.jsonl", Path("known.jsonl"), {"question": "q", "reference": "r"}])
    def test_known_rows_are_a_list(self, known):
        with pytest.raises(InputError, match="known rows are a list of dicts"):
            Rows(known)

    def test_the_question_of_a_known_row_is_recognised_as_in_data_sets(self):
        seen = Rows([{"user_input": "q", "id": "1"}])
        seen.add(Request("q"), "a")
        assert seen.rows[0]["id"] == "1"

    def test_a_collector_is_taken_for_its_rows(self, db):
        seen = Rows()
        seen.add(Request(ROW["question"], documents=[{"text": "Water is wet."}]), ROW["answer"])
        result = assay.evaluate(seen, "faithfulness", plausible(), store=db)
        assert result.summary()[0].mean == 0.5


class TestWhatIsNotInstalled:
    def test_it_says_what_to_install(self):
        find = optional_names("support", {"Thing": ("needs_absent", "assay[thing]")})
        with pytest.raises(InputError, match=r"pip install .*\[thing\]'"):
            find("Thing")

    def test_a_name_that_nobody_has_is_an_attribute_error(self):
        with pytest.raises(AttributeError):
            optional_names("support", {})("Thing")


class TestListsOfHaystack:
    def test_one_sample_is_made_of_each_place(self):
        found = rows({"questions": ["a", "b"], "predicted_answers": ["x", "y"], "contexts": None})
        assert found == [{"question": "a", "answer": "x"}, {"question": "b", "answer": "y"}]

    def test_lists_of_different_lengths_are_refused(self):
        with pytest.raises(InputError, match="questions has 2, contexts has 1"):
            rows({"questions": ["a", "b"], "contexts": [["x"]]})

    def test_a_text_is_no_list_of_its_characters(self):
        with pytest.raises(InputError, match="'questions' is the text 'ab', but must be a list"):
            rows({"questions": "ab", "predicted_answers": ["x", "y"]})

    def test_two_lists_for_one_field_are_refused(self):
        with pytest.raises(InputError, match="'contexts' and 'retrieved_documents'"):
            rows({"contexts": [["x"]], "retrieved_documents": [[]]})

    def test_an_unknown_input_is_told_with_the_one_that_was_meant(self):
        with pytest.raises(InputError, match="did you mean 'predicted_answers'"):
            rows({"questions": ["a"], "predicted_answer": ["x"]})
