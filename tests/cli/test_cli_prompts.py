"""Prompts are shown as a judge reads them, and an edited prompt file means what it says."""

import json
import tomllib

import pytest
from cli_help import FAITHFULNESS
from hypothesis import given
from hypothesis import strategies as st

from assay._cli.values import example_task
from assay._runner import config_files
from assay.errors import InputError
from assay.metrics import METRICS
from assay.prompt import Example, Template
from assay.tasks import TASKS
from support.over import over

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
TEMPLATES = st.builds(
    Template,
    instruction=TEXT.filter(str.strip),
    form=TEXT,
    examples=st.lists(st.builds(Example, given=TEXT, reply=TEXT), max_size=2).map(tuple),
    verbatim=st.booleans(),
)
ASKED = [kind for kind, task in TASKS.items() if task.template]


@given(st.dictionaries(st.sampled_from(ASKED), TEMPLATES, min_size=1, max_size=2))
def test_what_is_written_is_read_again(tmp_path, templates):
    path = tmp_path / "prompts.toml"
    path.write_bytes(config_files.write_prompts(templates).encode())
    assert config_files.read_prompts(path) == templates


@over("name", TASKS)  # of metrics in tests/conformance
def test_explain_shows_every_prompt_whole(assay, name):
    result, kind = assay("explain", name), TASKS[name]
    assert result.exit_code == 0, result.output
    assert kind.kind in result.stdout
    if kind.template:
        assert "".join(example_task(kind).pieces()).strip() in result.stdout
        assert kind.template.digest in result.stdout
        assert kind.schema is None or json.dumps(kind.schema) in result.stdout


@over("name", [n for n in METRICS if any(t.template for t in METRICS[n].tasks)])
def test_explain_toml_reads_back_to_the_built_in_prompts(assay, here, name):
    (here / "p.toml").write_text(assay("explain", name, "--toml").stdout, "utf-8")
    found = config_files.read_prompts("p.toml")
    assert found == {t.kind: t.template for t in METRICS[name].tasks if t.template}


def test_explain_of_a_metric_with_parameters(assay):
    shown = assay("explain", "factual_correctness(mode=recall)").stdout
    assert "parameters: mode=recall, beta=1.0" in shown


def test_an_old_name_is_explained_too(assay):
    assert "also called: context_relevancy" in assay("explain", "context_relevancy").stdout


def test_explain_with_prompts_of_the_users_own(assay, here):
    (here / "p.toml").write_text('[verify_statements]\ninstruction = "Check them."\n')
    shown = assay("explain", "faithfulness", "--prompts", "p.toml").stdout
    assert "Check them." in shown
    assert "not the built-in one" in shown
    edited = assay("explain", "faithfulness", "--prompts", "p.toml", "--toml").stdout
    assert tomllib.loads(edited)["verify_statements"]["instruction"] == "Check them."


def test_what_a_file_leaves_out_stays_as_built_in(here):
    (here / "p.toml").write_text('[verify_statements]\ninstruction = "Check them."\n')
    found = config_files.read_prompts("p.toml")["verify_statements"]
    built_in = TASKS["verify_statements"].template
    assert found.instruction == "Check them."
    assert (found.form, found.examples) == (built_in.form, built_in.examples)


def test_examples_in_one_line_as_well(here):
    text = '[rate_answer]\nexamples = [{given = "a", reply = "b"}, {given = "c", reply = "d"}]\n'
    (here / "p.toml").write_text(text)
    found = config_files.read_prompts("p.toml")["rate_answer"]
    assert found.examples == (Example("a", "b"), Example("c", "d"))


BAD = {
    "": "holds no prompts",
    "= nonsense": "is no prompt file",
    "[verify_statement]": "did you mean 'verify_statements'?",
    "[embed]": "[embed] reads no prompt",
    "rate_answer = 1": "rate_answer is no table",
    "[rate_answer]\ninstuction = 'x'": "unknown key 'instuction' -> did you mean 'instruction'?",
    "[rate_answer]\nform = 3": "form is not a text",
    "[rate_answer]\ninstruction = ' '": "instruction is empty",
    "[rate_answer]\nverbatim = 'yes'": "verbatim is not true or false",
    "[rate_answer]\nexamples = 'x'": "example 1 has no text given and no text reply",
    "[rate_answer]\nexamples = [{given = 'x'}]": "example 1 has no text reply",
    "[rate_answer]\nexamples = [{given = 'x', reply = 'y', why = 'z'}]": "unknown key 'why'",
}


@over("text", BAD)
def test_a_bad_prompt_file_is_told_in_words(here, text):
    (here / "p.toml").write_text(text)
    with pytest.raises(InputError) as raised:
        config_files.read_prompts("p.toml")
    assert BAD[text] in str(raised.value)


def test_every_mistake_at_once(here):
    (here / "p.toml").write_text("[nothing]\n[rate_answer]\nfrom = 'x'\nform = 1\n")
    with pytest.raises(InputError, match="3 problems"):
        config_files.read_prompts("p.toml")


def test_a_verbatim_prompt_shows_what_is_to_be_judged(assay, here):
    (here / "p.toml").write_text("[rate_answer]\nverbatim = true\ninstruction = 'Rate it.'\n")
    result = assay("explain", "rate_answer", "--prompts", "p.toml")
    assert result.exit_code == 2
    assert "put [question] and [answer] into the instruction" in result.stderr


def test_a_run_asks_with_them_and_says_so(assay, here):
    (here / "own_llm.py").write_text(
        "import pathlib\n"
        "def ask(prompt):\n"
        "    pathlib.Path('asked.txt').write_text(prompt)\n"
        "    return '{\"statements\": []}'\n"
    )
    (here / "p.toml").write_text('[split_statements]\ninstruction = "Take it apart."\n')
    result = assay(*FAITHFULNESS, "--judge", "own_llm:ask", "--prompts", "p.toml")
    assert result.exit_code == 0, result.output
    assert "prompt replaced: split_statements" in result.stderr
    assert (here / "asked.txt").read_text().startswith("Take it apart.")
