"""Every kind of bad input is told in words, before anything is asked, with exit code 2."""

import json

import pytest
from cli_help import FAITHFULNESS, JUDGE

RUN = ("run", "data.jsonl")
CASES = [
    (("frobnicate",), "No such command"),
    (("shwo",), "No such command 'shwo'. Did you mean 'show'?"),
    (("run", "dta.jsonl"), "no file 'dta.jsonl' -> did you mean 'data.jsonl'?"),
    ((*RUN, "--frobnicate"), "No such option '--frobnicate'.\n"),
    ((*RUN, "--bugdet", "4"), "No such option '--bugdet'. Did you mean '--budget'?"),
    ((*RUN, "--html", "a.html"), "No such option '--html'. Did you mean '--out'?"),
    ((*RUN, "--set", "k=5"), "No such option '--set'. Did you mean '--param'?"),
    ((*RUN, "--baseline", "x"), "No such option '--baseline'. See `assay gate`."),
    (("show", "--html", "a.html"), "No such option '--html'. See `assay report`."),
    (("show", "--out", "a.html"), "No such option '--out'. See `assay report`."),
    (("compare", "--group-by", "x"), "No such option '--group-by'. Did you mean '--by'?"),
    (("gate", "--against", "x"), "No such option '--against'. Did you mean '--no-regression'?"),
    (("gate", "--baseline", "x"), "Did you mean '--no-regression'?"),
    (("gate", "--gains", "x"), "No such option '--gains'.\n"),
    (("verify", "--store", "store.db"), "Give the store by itself, without '--store'."),
    (("run", "nowhere.jsonl"), "no file 'nowhere.jsonl'"),
    (("run", "."), "error: "),
    (("run", "data.xlsx"), "data.xlsx"),
    (("run", "empty.jsonl"), "is empty"),
    (("run", "broken.jsonl"), "row 1"),
    (("run", "broken.jsonl", "--dry-run"), "row 1"),
    (("run", "columns.jsonl"), "no metric can be computed"),
    (("run", "columns.jsonl"), "columns found: alpha, beta -> name columns with --map question="),
    (
        ("run", "columns.jsonl", "--map", "question=Quesion x"),
        "no row has the column 'Quesion x' that --map 'question=Quesion x' names",
    ),
    (
        ("compare", "data.jsonl", "data.jsonl"),
        "a run of one (`assay runs` lists them); `assay run` scores data",
    ),
    (("run", "columns.jsonl", "-m", "faithfulness"), "--map"),
    (("run", "store.db"), "store.db"),
    ((*RUN, "-m", "faithfullness"), "did you mean 'faithfulness'"),
    ((*RUN, "-m", "faithfulness(x=1)"), "no parameter 'x'"),
    ((*RUN, "-m", "factual_correctness(mode=f2)"), "mode must be f1, precision or recall"),
    ((*RUN, "-m", "factual_correctness(beta=2"), "parentheses do not match"),
    ((*RUN, "-m", "factual_correctness)("), "parentheses do not match"),
    ((*RUN, "--judge", "gpt-4o"), "'gpt-4o' is no judge"),
    ((*RUN, "--judge", "openai"), "'openai' does not say which model or file -> give openai:MODEL"),
    ((*RUN, "--judge", "embedded>ollama:"), "-> give ollama:MODEL ("),
    ((*RUN, "--judge", "embedded>"), "'embedded>' is no cascade -> name two judges or more"),
    ((*RUN, "--judge", "embedded>embedded"), "'embedded>embedded' is no cascade"),
    ((*RUN, "--judge", "anthropic:claude-3"), "is no judge -> write openai:claude-3 and give the"),
    ((*RUN, "--judge", "Groq:llama3"), "No module named 'Groq' -> write openai:llama3 and give"),
    ((*RUN, "--judge", "no_module:ask"), "or give the file with its path: PATH/no_module.py:ask"),
    (
        (*RUN, "--judge", "embedded,verify_statement=embedded"),
        "-> did you mean 'verify_statements=embedded'?",
    ),
    ((*RUN, "--judge", "verify=embedded"), "not TASK=JUDGE"),
    ((*RUN, "--judge", "verify_statements="), "not TASK=JUDGE"),
    ((*RUN, "--judge", "embedded", "--judge", "openai:x"), "two judges for all tasks"),
    (
        (*RUN, "--judge", "embed=embedded", "--judge", "embed=openai:x"),
        "two judges for embed",
    ),
    ((*RUN, "--judge", "no_such_module:ask"), "cannot be imported"),
    ((*RUN, "--judge", "opneai:gpt"), "-> did you mean 'openai:gpt'?"),
    ((*RUN, "--judge", "OpenAI:gpt"), "-> did you mean 'openai:gpt'?"),
    ((*RUN, "--judge", "opneai-batch:gpt"), "-> did you mean 'openai-batch:gpt'? one of: "),
    ((*RUN, "--judge", "embeded"), "-> did you mean 'embedded'? one of: "),
    ((*RUN, "--judge", "gpt-4o"), "-> say who serves it, as in openai:gpt-4o or ollama:gpt-4o; "),
    ((*RUN, "--judge", "scripted:nowhere.json"), "is not a script"),
    ((*RUN, "--embedder", "scripted:judge.json"), "makes no embeddings"),
    ((*RUN, "--judge", ""), "--judge is empty -> name one, or leave it out"),
    ((*RUN, "--judge", " , "), "--judge is empty"),
    ((*RUN, "--embedder", ""), "--embedder is empty"),
    ((*RUN, "-m", ""), "-m '' names no metric -> name one, or leave it out"),
    ((*RUN, "-m", "faithfulness", "-m", ","), "-m ',' names no metric"),
    (("check", "data.jsonl", "-m", ""), "names no metric"),
    ((*RUN, "--base-url", "http://localhost/v1"), "apply to openai: judges"),
    ((*RUN, "--api-key", "sk-secret"), "apply to openai: judges"),
    ((*RUN, "--out", "r.pdf"), "no report ends in '.pdf'"),
    ((*RUN, "--out", "report"), "no report ends in ''"),
    ((*RUN, "--out", "nowhere/r.html"), "cannot be written"),
    ((*RUN, "--out", "data.jsonl"), "would overwrite"),
    ((*RUN, "--store", "nowhere/a.db"), "no folder 'nowhere'"),
    ((*RUN, "--store", "data.jsonl"), "cannot be used as a store"),
    *(((*RUN, "--store", folder), "is a folder -> name a file") for folder in ("", ".", "/")),
    ((*RUN, "--map", "answer"), "is not field=column"),
    ((*RUN, "--map", "answer=a", "--map", "answer=b"), "a second time"),
    ((*RUN, "--map", "anwser=a"), "did you mean 'answer'"),
    ((*RUN, "--map", "answer=nothing", "-m", "faithfulness"), "no row has the column"),
    ((*RUN, "--limit", "0"), "--limit"),
    ((*RUN, "--limit", "many"), "--limit"),
    ((*RUN, "--concurrency", "0"), "--concurrency"),
    ((*RUN, "--timeout", "0"), "--timeout"),
    ((*RUN, "--retries", "-1"), "--retries"),
    ((*RUN, "--rpm", "0"), "--rpm"),
    ((*RUN, "--tpm", "-5"), "--tpm"),
    ((*RUN, "--price", "0.15"), "is not IN/OUT"),
    ((*RUN, "--price", "a/b"), "is not IN/OUT"),
    ((*RUN, "--price", "1/-1"), "is not IN/OUT"),
    ((*RUN, "--budget", "5"), "add --price"),
    ((*RUN, "--budget", "much", "--price", "1/1"), "is no budget"),
    ((*RUN, "--budget", "nan", "--price", "1/1"), "is no budget"),
    ((*RUN, "--skip-invalid", "data.jsonl"), "overwritten"),
    ((*RUN, "--prompts", "nowhere.toml"), "is no prompt file"),
    ((*RUN, "--prompts", "prompts.toml"), "reads no prompts"),
    (("show",), "no store 'assay.db'"),
    (("runs",), "no store 'assay.db'"),
    (("runs", "--store", "data.jsonl"), "cannot be used as a store"),
    (("report", "--out", "r.html"), "no store 'assay.db'"),
    (("report",), "nowhere to write"),
    (("explain", "faithfullness"), "did you mean 'faithfulness'"),
    (("explain", "verify_statement"), "verify_statements"),
    (("explain", "factual_correctness(mode=x)"), "mode must be"),
    (("explain", "answer_similarity", "--toml"), "it is served by an embedder"),
    (("explain", "token_f1", "--toml"), "no prompt asks token_f1: it asks nobody"),
    (("doctor", "--judge", "gpt-4o"), "is no judge"),
    (("doctor", "--base-url", "http://localhost"), "apply to openai: judges"),
]


@pytest.fixture
def files(here):
    (here / "data.xlsx").write_bytes(b"PK\x03\x04")
    (here / "empty.jsonl").write_text("")
    (here / "broken.jsonl").write_text("{oops\n")
    (here / "columns.jsonl").write_text(json.dumps({"alpha": 1, "beta": 2}) + "\n")
    (here / "store.db").write_bytes(b"SQLite format 3\0")
    (here / "prompts.toml").write_text("[verify_statements]\ninstruction = 'Verify.'\n")
    return here


@pytest.mark.parametrize(
    ("line", "said"), CASES, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_bad_input_is_told_in_words(assay, files, line, said):
    result = assay(*line)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output
    assert "sk-secret" not in result.output
    assert not (files / "assay.db").exists() or not list(files.glob("r.*"))


def test_nothing_is_asked_before_all_rows_are_seen(assay, here):
    with (here / "data.jsonl").open("a") as file:
        file.write('{"id": "late", "question": "?", "answer": "x", "contexts": 7}\n')
    result = assay(*FAITHFULNESS, *JUDGE)
    assert result.exit_code == 2
    assert "'contexts'" in result.stderr
    assert assay("runs").stdout.strip() == "no run yet"


def test_unknown_runs_samples_and_metrics(scored):
    for line, said in {
        ("show", "zzz"): "no run is called 'zzz'",
        ("show", "tower"): "'tower' in assay.db -> it is a sample of the last run: --sample tower",
        ("show", "--sample", "nobody"): "no sample 'nobody'",
        ("show", "--metric", "context_recall"): "has no 'context_recall': it has faithfulness",
        ("show", "--raw"): "add --sample ID",
        ("report", "zzz", "--out", "r.html"): "no run is called 'zzz'",
        ("report", "--out", "assay.db"): "no report ends in '.db'",
    }.items():
        result = scored(*line)
        assert result.exit_code == 2, line
        assert said in result.stderr


def test_a_sample_that_is_nearly_or_by_its_number_named_is_proposed(scored):
    for command in ("show", "diagnose"):
        for given, meant in {"1": "tower", "2": "faust", "towre": "tower"}.items():
            result = scored(command, "--sample", given)
            assert result.exit_code == 2
            assert f"has no sample '{given}' -> did you mean '{meant}'?" in result.stderr


def test_a_field_that_is_misspelt_is_told_without_a_list_of_all(assay):
    asked = ("run", "data.jsonl", "--target", "http://localhost:1/")
    for line in (
        (*asked, "--target-body", '{"q": "{qestion}"}'),
        (*asked[:3], "http://localhost:1/?q={query}"),
        ("run", "data.jsonl", "--map", "qestion=q"),
    ):
        result = assay(*line)
        assert result.exit_code == 2
        assert "did you mean 'question'?" in result.stderr
        assert "reference_contexts" not in result.stderr
    result = assay(*asked, "--target-body", '{"q": "{xyz}"}')
    assert "reference_contexts" in result.stderr
    assert "{metadata.xyz}" in result.stderr


def test_what_is_quoted_of_the_data_does_not_steer_the_terminal(assay, here):
    row = json.dumps({"id": "a\x1b]0;title\x07", "question": "q"})
    (here / "odd.jsonl").write_text(f"{row}\n{row}\n", "utf-8")
    said = assay("check", "odd.jsonl").stderr
    assert "'a[U+001B]]0;title[U+0007]' is the id of an earlier row" in said


def test_a_file_that_is_all_of_another_encoding_is_told_once(assay, tmp_path):
    rows = "".join(f"{n};café?;yes\n" for n in range(30))
    (tmp_path / "excel.csv").write_text(f"id;question;answer\n{rows}", encoding="cp1252")
    result = assay("run", "excel.csv")
    assert result.exit_code == 2
    first, told = result.output.splitlines()
    assert first == "error: 30 problems in the input:"
    assert told.startswith("  rows 1, 2, 3, 4, 5 and 25 more: holds bytes that are not UTF-8 -> ")


def test_what_objects_hold_is_named_as_it_can_be_mapped(assay, tmp_path):
    row = {"inputs": {"question": "a?"}, "outputs": {"answer": "b", "contexts": ["c"]}}
    (tmp_path / "langsmith.jsonl").write_text(json.dumps(row))
    told = assay("run", "langsmith.jsonl").output
    assert "inputs (an object: inputs.question)" in told
    assert "outputs (an object: outputs.answer, outputs.contexts)" in told
