"""Configuration sets what options do not, and the schemas are those of the code."""

import json
from pathlib import Path

import pytest

from assay.data import fields
from support.over import over

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
CONFIG = """
[run]
metric = ["faithfulness"]
judge = "scripted:judge.json"
store = "named.db"
retries = 0
together = true
"""


@pytest.fixture
def config(here):
    """Writes a file of configuration."""
    return lambda text, name="assay.toml": (here / name).write_text(text, "utf-8")


def test_options_come_from_the_file(assay, config, here):
    config(CONFIG)
    result = assay("run", "data.jsonl", "--json")
    assert result.exit_code == 0, result.output
    assert [row["metric"] for row in json.loads(result.stdout)["metrics"]] == ["faithfulness"]
    assert (here / "named.db").exists()


def test_options_of_the_command_go_before_the_file(assay, config, here):
    config(CONFIG)
    assert assay("run", "data.jsonl", "--store", "other.db", "--json").exit_code == 0
    assert (here / "other.db").exists()
    assert not (here / "named.db").exists()


def test_what_a_run_kept_is_found_by_the_other_commands(assay, config, here):
    config(f"{CONFIG}\n[gate]\nmin = {{faithfulness = 0}}")
    done = assay("run", "data.jsonl")
    assert done.exit_code == 0
    assert "--store" not in done.stdout, "the commands that it names find the store"
    for command in (["gate"], ["runs"], ["show"], ["report", "--out", "x.html"], ["verify"]):
        found = assay(*command)
        assert found.exit_code == 0, found.output
    other = assay("gate", "--store", "other.db")
    assert (other.exit_code, "there is no store 'other.db'" in other.stderr) == (2, True)


def test_commands_name_the_store_that_they_would_not_find(assay, config):
    config(CONFIG)
    assert "--store assay.db" in assay("run", "data.jsonl", "--store", "assay.db").stdout


def test_pyproject_does_as_well_and_goes_behind(assay, config, here):
    config(CONFIG.replace("[run]", "[tool.assay.run]"), "pyproject.toml")
    assert assay("run", "data.jsonl", "--json").exit_code == 0
    assert (here / "named.db").exists()
    config("[run]\nstore = 'first.db'\nmetric='faithfulness'\njudge='scripted:judge.json'")
    assert assay("run", "data.jsonl", "--json").exit_code == 0
    assert (here / "first.db").exists()


def test_a_sweep_may_stand_in_the_file(assay, config, here):
    (here / "rag.py").write_text("def answer(question, k): return str(k)", "utf-8")
    config("[sweep]\nset = ['k=1,2']\nmetric = 'exact_match'\ntarget = 'rag.py:answer'\nrace = 1")
    assert "race is 1 -> give true or false" in assay("sweep", "data.jsonl").stderr
    for sets in ("['k=1,2']", "{k = [1, 2]}", "{k = '1,2'}"):
        config(f"[sweep]\nset = {sets}\nmetric = 'exact_match'\ntarget = 'rag.py:answer'")
        found = assay("sweep", "data.jsonl", "--json")
        assert found.exit_code == 0, found.output
        configurations = json.loads(found.stdout)["configurations"]
        assert [one["params"] for one in configurations] == [{"k": 1}, {"k": 2}]


@over("sets", ["{k = []}", "{k = [[3]]}", "{k = {a = 1}}"])
def test_a_table_of_other_than_values_is_refused(assay, config, sets):
    config(f"[sweep]\nset = {sets}\nmetric = 'exact_match'")
    assert "give a text or a list of texts, or a table" in assay("sweep", "data.jsonl").stderr


def test_pairs_may_be_a_table(assay, config, here):
    config(f"{CONFIG}param = {{k = 5, model = 'small', rerank = true}}\n")
    done = assay("run", "data.jsonl", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["params"] == {"k": 5, "model": "small", "rerank": True}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[run]\nmetrics = ['x']", "unknown option 'metrics' -> did you mean 'metric'?"),
        ("[run]\napi-key = 'x'", "unknown option 'api-key'"),
        ("[run]\nretries = 'many'", "retries is 'many' -> give a whole number of at least 0"),
        ("[run]\nretries = -1", "retries is -1"),
        ("[run]\nparam = {k = [3, 5]}", "give a text or a list of texts, or a table"),
        ("[run]\nmetric = {a = 'b'}", "give a text or a list of texts"),
        ("[run]\nengine = 'dask'", "engine is 'dask' -> give local or ray"),
        ("[run]\ntogether = 1", "together is 1 -> give true or false"),
        ("[run]\nrpm = 0", "rpm is 0 -> give a number above 0"),
        ("[run]\nmetric = [1]", "metric is [1] -> give a text or a list of texts"),
        ("[runs]\nx = 1", "unknown section 'runs'"),
        ("run = 1", "'run' in 'assay.toml' is no table"),
        ("[run", "cannot be read"),
    ],
)
def test_what_makes_no_sense_is_told(assay, config, text, said):
    config(text)
    result = assay("run", "data.jsonl")
    assert result.exit_code == 2
    assert said in result.stderr


def test_other_commands_do_not_read_what_is_not_theirs(assay, config):
    config("[run]\nnonsense = 1")
    assert assay("metrics").exit_code == 0


@over(
    ("file", "arguments"),
    [
        ("row.schema.json", ["data"]),
        ("data.schema.json", ["data", "--list"]),
        ("config.schema.json", ["config"]),
    ],
)
def test_the_files_of_schemas_are_what_the_command_prints(assay, file, arguments):
    import os

    printed = assay("schema", *arguments).stdout
    if os.environ.get("ASSAY_WRITE_DOCS"):
        SCHEMAS.mkdir(exist_ok=True)
        (SCHEMAS / file).write_text(printed, "utf-8")
    assert (SCHEMAS / file).read_text("utf-8") == printed


def test_every_option_of_a_run_that_may_be_set_is_in_the_schema(assay):
    found = json.loads(assay("schema", "config").stdout)["properties"]["run"]["properties"]
    assert {"metric", "judge", "target", "concurrency", "store"} <= set(found)
    assert not {"api-key", "json", "dry-run"} & set(found)
    assert found["retries"]["type"] == "integer"
    assert found["timeout"]["exclusiveMinimum"] == 0


def test_a_row_has_a_schema_of_json_schema_2020():
    assert fields.row()["$schema"].endswith("2020-12/schema")
