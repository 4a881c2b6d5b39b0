"""Do the judges of JUDGE+JUDGE share the tasks, by the API and on the command line?"""

import json

import pytest
from click.testing import CliRunner

import assay
from assay._cli import main
from assay._middleware.wrapper import Route
from assay.errors import InputError
from assay.judge import Judge
from assay.judges.embedded import Embedded
from assay.judges.gguf import Answer, Gguf
from assay.judges.llm import Function
from assay.judges.specs import backend
from assay.tasks import Embed, GenerateQuestions, PaperQuestion, RateAnswer, VerifyStatements
from support.engines import Says, made_file

QUESTIONS = json.dumps({"noncommittal": False, "questions": ["Who built it?"] * 3})


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a model file, whose engine writes questions and always says yes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("assay.judges.gguf.version", lambda: "1.0")

    def engine(path, threads, window):
        return Says(lambda prompt: 0.9 if prompt.endswith("No.") else Answer(QUESTIONS, 9, 0, 9))

    monkeypatch.setattr("assay.judges.gguf.Llama", engine)
    made_file(tmp_path)
    made_file(tmp_path, "a+b.gguf")
    rows = [{"question": "Who?", "answer": "Anna built it.", "contexts": ["Anna built it."]}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    return tmp_path


def test_the_first_does_what_it_can_and_the_second_the_rest(here):
    judge = backend("embedded+gguf:model.gguf")
    assert isinstance(judge, Route)
    for kind in (VerifyStatements, RateAnswer, Embed):
        assert isinstance(judge.to(kind.kind), Embedded)
    for kind in (GenerateQuestions, PaperQuestion):
        assert isinstance(judge.to(kind.kind), Gguf)
    assert len({id(b) for b in judge.kinds.values()}) == 1


def test_the_order_decides(here):
    judge = backend("gguf:model.gguf+embedded")
    assert isinstance(judge.to("verify_statements"), Gguf)  # type: ignore[attr-defined]
    assert isinstance(judge.to("embed"), Embedded)  # type: ignore[attr-defined]


def test_a_judge_that_is_named_several_times_is_there_once(here):
    spec = "gguf:model.gguf"
    judge = backend(f"{spec},verify_statements={spec},split_statements={spec},rate_answer=embedded")
    assert len({id(b) for b in (judge.default, *judge.kinds.values())}) == 2  # type: ignore[attr-defined]
    assert judge.to("verify_statements") is judge.default  # type: ignore[attr-defined]


def test_a_plus_in_a_file_name_is_none_between_judges(here):
    assert isinstance(backend("gguf:a+b.gguf"), Gguf)
    assert isinstance(backend("embedded+gguf:a+b.gguf").to("generate_questions"), Gguf)  # type: ignore[attr-defined]


def test_a_task_may_still_be_given_to_another(here):
    judge = backend("embedded+gguf:model.gguf,verify_statements=gguf:model.gguf")
    assert isinstance(judge.to("verify_statements"), Gguf)  # type: ignore[attr-defined]
    assert isinstance(judge.to("rate_answer"), Embedded)  # type: ignore[attr-defined]


def test_a_judge_of_ones_own_may_stand_anywhere(here, monkeypatch):
    (here / "judge_of_mine.py").write_text("def good(prompt):\n    return '{}'\n")
    monkeypatch.syspath_prepend(here)
    judge = backend("embedded+judge_of_mine:good")
    assert isinstance(judge.to("verify_statements"), Embedded)  # type: ignore[attr-defined]
    assert isinstance(judge.to("generate_questions"), Function)  # type: ignore[attr-defined]
    three = backend("embedded + judge_of_mine:good + gguf:model.gguf")
    assert isinstance(three.to("generate_questions"), Function)  # type: ignore[attr-defined]
    assert isinstance(backend("judge_of_mine:good+embedded").to("embed"), Embedded)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("embedded+no_such_module:good", "the judge 'no_such_module:good' cannot be imported"),
        ("embedded+nobody", "'nobody' is no judge"),
    ],
)
def test_of_several_judges_the_one_that_is_none_is_named(here, spec, words):
    with pytest.raises(InputError) as told:
        backend(spec)
    assert str(told.value).startswith(words)


def test_one_that_leaves_nothing_over_needs_no_second(here):
    assert isinstance(backend("embedded+embedded"), Embedded)


def test_relevancy_is_generated_by_one_and_compared_by_the_other(here, db):
    rows = json.loads((here / "rows.json").read_text())
    judge = "embedded+gguf:model.gguf"
    result = assay.evaluate(rows, "answer_relevancy", judge, store=db)
    (score,) = result["answer_relevancy"]
    assert score.value > 0
    assert "generate" not in score.method


async def test_the_name_of_a_chain_says_who_does_what(here):
    judge = backend("embedded+gguf:model.gguf")
    assert "generate_questions=gguf:model.gguf@" in judge.name
    assert (await Judge(judge)(GenerateQuestions("Anna.", 3))).questions


def test_the_command_line_takes_it_and_counts_what_it_costs(here):
    given = ["run", "rows.json", "-m", "answer_relevancy", "--dry-run", "--json"]
    done = CliRunner().invoke(main, [*given, "--judge", "embedded+gguf:model.gguf"])
    found = json.loads(done.stdout)
    assert (found["calls"], found["money"]) == (0, None)
    assert found["local"] > 0
    assert found["local_tokens"] > 100
    assert found["local_written"] > 10
    assert found["seconds"] is None
    assert "hardly asked before: run it with --limit 20 once" in found["seconds_from"]


def test_what_a_model_is_asked_item_by_item_is_counted_so(here):
    given = ["run", "rows.json", "-m", "faithfulness", "--dry-run", "--json"]
    done = CliRunner().invoke(
        main, [*given, "--judge", "embedded,verify_statements=gguf:model.gguf"]
    )
    found = json.loads(done.stdout)
    assert found["local_tokens"] > 50
    assert 1 <= found["local_written"] < 10  # one Yes or No a statement


@pytest.mark.parametrize("spec", ["gguf:none.gguf", "embedded+gguf:none.gguf"])
def test_a_missing_file_is_named_before_anything_is_asked(here, spec):
    done = CliRunner().invoke(main, ["run", "rows.json", "--judge", spec])
    assert done.exit_code == 2
    assert "no model file 'none.gguf'" in done.stderr


def test_the_doctor_asks_each_of_them(here):
    done = CliRunner().invoke(main, ["doctor", "--judge", "embedded+gguf:model.gguf"])
    told = " ".join(done.stdout.split())  # lines break elsewhere when it took longer
    assert "gguf:model.gguf@" in told
    assert "accepts a JSON schema" in told
