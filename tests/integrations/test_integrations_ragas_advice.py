"""What a script written for ragas is told where it names no model or gives what cannot be used."""

import math
import traceback
import warnings

import pytest

import assay
from assay.errors import AssayError, Denied, InputError
from assay.integrations.ragas import EvaluationDataset, RunConfig, metrics
from assay.integrations.ragas.evaluation import aevaluate, evaluate
from assay.integrations.ragas.metrics import collections

OLD = {
    "question": "When was the tower built?",
    "answer": "It was built in 1889.",
    "contexts": ["The tower was built in 1889."],
    "ground_truth": "It was built in 1889.",
}
NEW = {
    "user_input": OLD["question"],
    "response": OLD["answer"],
    "retrieved_contexts": OLD["contexts"],
    "reference": OLD["ground_truth"],
}
FOUR = [
    metrics.answer_relevancy,
    metrics.context_precision,
    metrics.faithfulness,
    metrics.context_recall,
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


class TestAnswerRelevancyWithoutAKey:
    @pytest.mark.parametrize(
        "data", [[OLD], EvaluationDataset.from_list([NEW])], ids=["ragas 0.1", "ragas 0.2"]
    )
    @pytest.mark.parametrize("chosen", [FOUR, None], ids=["named", "by default"])
    def test_a_notebook_runs_with_a_rating_and_one_warning(self, data, chosen):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            result = evaluate(data, chosen)
        assert list(result) == [metric.key for metric in FOUR]
        assert 0.5 < result["answer_relevancy"][0] <= 1
        (warning,) = said
        assert "embedded judge is asked; answer_relevancy: the judge gener" in str(warning.message)
        assert "give llm= a model" in str(warning.message)

    def test_the_rating_is_that_of_assay_s_own_metric(self):
        with pytest.warns(UserWarning, match="rates each answer directly"):
            ours = evaluate([OLD], [metrics.answer_relevancy], llm="embedded")
        rated = assay.evaluate([OLD], "answer_relevancy", "embedded", store="own.db")
        assert ours["answer_relevancy"] == [rated.summary()[0].mean]

    def test_each_form_of_ragas_gives_the_same(self):
        with pytest.warns(UserWarning, match="rates each answer directly"):
            table = evaluate([NEW], [metrics.AnswerRelevancy()], llm="embedded")
        with pytest.warns(UserWarning, match="rates each answer directly"):
            single = collections.AnswerRelevancy(llm="embedded").score(
                user_input=NEW["user_input"], response=NEW["response"]
            )
        assert table["answer_relevancy"] == [single.value]
        assert single.reason

    def test_it_is_nan_as_in_ragas_where_that_is_asked_for(self):
        strict = metrics.AnswerRelevancy(rated=False)
        with pytest.warns(UserWarning, match="1 of 1 rows have no score and are NaN") as said:
            result = evaluate([NEW], [strict, metrics.faithfulness], llm="embedded")
        assert math.isnan(result["answer_relevancy"][0])
        assert result["faithfulness"] == [1.0]
        assert result.reasons["answer_relevancy"] == ["undefined: the judge generates no questions"]
        assert len(said) == 1

    def test_a_judge_that_writes_is_asked_for_questions(self):
        reply = '{"reason": "", "noncommittal": false, "questions": ["When was the tower built?"]}'
        judge = assay.Scripted({"generate_questions": reply})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = evaluate([NEW], [metrics.AnswerRelevancy(rated=False)], llm=judge)
        assert result["answer_relevancy"] == [pytest.approx(1.0)]


def without(column):
    return {name: value for name, value in NEW.items() if name != column}


LACKING = without("retrieved_contexts")
WRONG = [
    (lambda: evaluate([LACKING], FOUR), "name it with column_map={'retrieved_contexts': 'COLUMN'}"),
    (
        lambda: evaluate([{**LACKING, "retrieved_ctxs": ["It."]}], [metrics.faithfulness]),
        r"did you mean column_map={'retrieved_contexts': 'retrieved_ctxs'}\?",
    ),
    (
        lambda: evaluate([{**NEW, "response": ["a", "b"]}], [metrics.ExactMatch()]),
        "column_map={'reference': 'COLUMN'}",
    ),
    (
        lambda: evaluate([{**NEW, "response": {"a": "b"}}], [metrics.ExactMatch()]),
        "take the text within it: column_map=",
    ),
    (lambda: evaluate([NEW], [metrics.harmfulness]), "the embedded judge cannot do -> give llm= a"),
    (
        lambda: metrics.DiscreteMetric(name="kind", prompt="Is {it} kind?").score(it="a"),
        "give llm= a model that writes",
    ),
    (
        lambda: evaluate([NEW], [metrics.faithfulness], llm="http://localhost:9/v1"),
        r"llm_factory\('MODEL', base_url='URL'\)",
    ),
    (lambda: evaluate([NEW], [metrics.ToolCallF1()]), "'user_input' is no conversation"),
    (
        lambda: metrics.AspectCritic(definition="?").single_turn_score(
            EvaluationDataset.from_list([NEW]).samples[0]
        ),
        "give llm= a model that writes",
    ),
    (
        lambda: collections.Faithfulness().score(user_input="a", response="b"),
        "lacks retrieved_contexts",
    ),
    (lambda: evaluate([], [metrics.ExactMatch()]), "the data set holds no rows"),
]


@pytest.mark.filterwarnings("ignore:no llm= was given")
class TestAdvice:
    @pytest.mark.parametrize(("call", "told"), WRONG)
    def test_it_names_what_a_script_has(self, call, told):
        with pytest.raises(InputError, match=told) as caught:
            call()
        text = str(caught.value)
        assert "--" not in text
        assert "embedded:v" not in text
        entries = traceback.extract_tb(caught.value.__traceback__)
        ours = [entry for entry in entries if "/assay/" in entry.filename]
        assert len(ours) <= 3, "a notebook shows every one of them"
        assert caught.value.__suppress_context__

    async def test_it_is_the_same_where_it_is_awaited(self):
        with pytest.raises(InputError, match=r"column_map={'retrieved_contexts'"):
            await aevaluate([LACKING], [metrics.faithfulness], llm="embedded")

    def test_a_server_without_a_key_is_told_with_the_parameters_of_a_script(self):
        with pytest.raises(Denied, match=r"set OPENAI_API_KEY, or .* llm_factory") as caught:
            evaluate([NEW], [metrics.faithfulness], llm="openai:gpt-4o-mini")
        assert "--" not in str(caught.value)

    def test_a_store_that_cannot_be_used_is_told_without_options(self, tmp_path):
        (tmp_path / "assay.db").write_bytes(b"no store at all" * 100)
        with pytest.raises(AssayError, match="run the script in another folder") as caught:
            evaluate([NEW], [metrics.faithfulness], llm="embedded")
        assert "--" not in str(caught.value)

    def test_time_and_workers_are_those_of_the_run_config(self):
        import asyncio

        async def hangs(prompt):
            await asyncio.sleep(60)

        rows = [{**NEW, "response": f"In {n}."} for n in range(20)]
        config = RunConfig(timeout=0.05, max_retries=0)
        with pytest.raises(Denied, match="give run_config=RunConfig") as caught:
            evaluate(rows, [metrics.faithfulness], llm=hangs, run_config=config)
        assert "--" not in str(caught.value)


@pytest.mark.parametrize("name", ["save", "adapt", "save_prompts", "load_prompts", "set_prompts"])
def test_what_is_done_with_prompts_names_its_replacement_whatever_it_is_given(name):
    with pytest.raises(InputError, match=r"holds no prompts -> prompts are replaced by task"):
        getattr(metrics.Faithfulness(), name)("folder", language="hindi")
