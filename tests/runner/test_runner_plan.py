"""What a plan refuses before anyone is asked: samples that are too long for who judges them."""

import json

import pytest

from assay import evaluate
from assay._runner.settings import Settings
from assay.errors import InputError
from assay.judges.openai.judge import OpenAI

LONG = {"question": "When?", "answer": "In 1889.", "reference": "In 1889.", "id": "long"}
SHORT = {**LONG, "contexts": ["It was built in 1889."], "id": "short"}


def sample(characters):
    return {**LONG, "contexts": ["It was built in 1889. " * (characters // 22)]}


def unreachable():
    return OpenAI("gpt-x", base_url="http://127.0.0.1:9/v1", api_key="-")


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        (lambda: "embedded", "would keep the judge in this process busy for 1,000 s"),
        (unreachable, "would be 5.0 million tokens for the judge"),
    ],
)
def test_a_sample_that_no_judge_can_read_is_named_before_the_first_call(tmp_path, judge, says):
    with pytest.raises(InputError) as refused:
        evaluate([SHORT, sample(20_000_000)], "faithfulness", judge(), store=tmp_path / "a.db")
    (problem,) = refused.value.problems
    assert (problem.row, problem.field) == (2, "contexts")
    assert says in problem.what
    assert "give the passages that were retrieved, not whole documents" in problem.remedy


def test_it_can_be_left_out(tmp_path):
    rows, skipped = [SHORT, sample(20_000_000)], tmp_path / "skipped.jsonl"
    settings = Settings(skip_invalid=skipped)
    result = evaluate(rows, "faithfulness", store=tmp_path / "a.db", settings=settings)
    assert (result.run.n_samples, result.run.skipped) == (1, 1)
    assert json.loads(skipped.read_text("utf-8"))["row"] == 2


def test_metrics_that_ask_nobody_read_samples_of_any_length(tmp_path):
    result = evaluate([sample(2_000_000)], "exact_match", store=tmp_path / "a.db")
    assert [row.mean for row in result.summary()] == [1.0]
