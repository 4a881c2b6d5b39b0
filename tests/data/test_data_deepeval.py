"""Is what DeepEval holds and saves read as it is: test cases, goldens, its data sets and files?"""

import csv
import json
from dataclasses import dataclass, field

from data_help import load, one, problem

import assay
from assay.data import samples
from assay.sample import ToolCall, Turn
from support.over import over

CASE = {
    "input": "What is the weather in Rome?",
    "actual_output": "The sky is clear.",
    "expected_output": "Clear.",
    "retrieval_context": ["Rome: clear sky."],
    "tools_called": [{"name": "weather", "input_parameters": {"city": "Rome"}}],
    "expected_tools": [{"name": "weather", "input_parameters": {"city": "Rome"}}],
}
CALL = ToolCall("weather", {"city": "Rome"})


@dataclass
class Case:
    """As DeepEval's pydantic models: iterating over one gives pairs."""

    fields: dict[str, object]

    def __iter__(self):
        return iter(self.fields.items())

    def model_dump(self):
        return self.fields


@dataclass
class EvaluationDataset:
    goldens: list[Case] = field(default_factory=list)
    test_cases: list[Case] = field(default_factory=list)


def saved(path, row):
    """One row as DeepEval saves it: lists of texts joined, tools as JSON."""
    row = {**row, "source_file": None}
    for name in ("retrieval_context", "context"):
        row[name] = "|".join(row.get(name) or ())
    for name in ("tools_called", "expected_tools"):
        calls = [{"name": c["name"], "inputParameters": c["input_parameters"]} for c in row[name]]
        row[name] = json.dumps(calls)
    if path.suffix == ".jsonl":
        path.write_text(json.dumps(row), "utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, row)
            writer.writeheader()
            writer.writerow(row)
    return path


def test_the_tools_that_a_case_called_are_an_exchange(tmp_path):
    sample = one(CASE)
    contexts = ("Rome: clear sky.",)
    asked = Turn("user", "What is the weather in Rome?")
    assert sample.turns == (asked, Turn("assistant", "The sky is clear.", contexts, (CALL,)))
    assert (sample.question, sample.answer, sample.contexts) == (asked.text, *sample_texts(sample))
    metrics = ["tool_call_accuracy", "deepeval:tool_correctness"]
    result = assay.evaluate([CASE], metrics, store=tmp_path / "x.db")
    assert [row.mean for row in result.summary()] == [1.0, 1.0]


def sample_texts(sample):
    return sample.turns[1].text, sample.turns[1].contexts


@over(
    ("called", "expected", "exchanges"),
    [
        ([], [], 0),
        (None, None, 0),
        ([], CASE["expected_tools"], 2),  # none was called, though one should have been
        (["weather"], CASE["expected_tools"], 0),  # nothing is known of its arguments
        (3, None, 0),
    ],
)
def test_without_calls_that_can_be_read_there_is_none(called, expected, exchanges):
    sample = one({**CASE, "tools_called": called, "expected_tools": expected})
    assert len(sample.turns or ()) == exchanges


def test_messages_of_the_row_stand_above_its_calls():
    turns = [{"role": "user", "content": "Hello."}]
    assert one({**CASE, "turns": turns}).turns == (Turn("user", "Hello."),)


@over("name", ["cases.csv", "cases.jsonl"])
def test_files_that_it_saves_give_back_what_it_held(tmp_path, name):
    row = {**CASE, "retrieval_context": ["Rome: clear sky.", "24 degrees."], "context": ["Rome."]}
    found = samples(saved(tmp_path / name, row), needs={})
    (sample,) = found
    assert sample.contexts == ("Rome: clear sky.", "24 degrees.")
    assert sample.reference_contexts == ("Rome.",)
    assert sample.reference_tool_calls == sample.turns[1].tool_calls == (CALL,)
    assert "contexts of 1 of 1 rows were split at '|' into 2 passages" in found.notes[0]


def test_the_context_of_a_conversation_is_what_should_have_been_retrieved(tmp_path):
    turns = [
        {"role": "user", "content": "I want a refund."},
        {"role": "assistant", "content": "In 14 days.", "retrieval_context": ["14 days."]},
    ]
    row = {"turns": json.dumps(turns), "expected_outcome": "A refund.", "context": "One.|Two."}
    path = tmp_path / "goldens.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, {**row, "custom_column_key_values": ""})
        writer.writeheader()
        writer.writerow(row)
    (sample,) = load(path)
    assert (sample.contexts, sample.reference_contexts) == (("14 days.",), ("One.", "Two."))


def test_bars_of_other_files_stay_where_they_are():
    assert one({**CASE, "retrieval_context": "a | b"}).contexts == ("a | b",)


def test_a_data_set_gives_its_cases_else_its_goldens():
    golden = Case({"input": "When?", "expected_output": "In 1889."})
    assert [s.question for s in load(EvaluationDataset([golden], [Case(CASE)]))] == [CASE["input"]]
    assert [s.reference for s in load(EvaluationDataset([golden]))] == ["In 1889."]


@over("row", [Case(CASE), assay.Sample(id="a", question="When?")])
def test_a_single_case_is_asked_for_in_a_list(row):
    assert "is a single row -> give it in a list: [row]" in problem(row)
