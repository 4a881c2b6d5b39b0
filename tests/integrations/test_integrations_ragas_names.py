"""Every public name of ragas is here, or tells what is used instead.

`ragas_names.json` holds what the modules of ragas 0.1.21, 0.2.15 and 0.4.3 list in `__all__`.
"""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.integrations import ragas
from assay.integrations.ragas import metrics
from assay.integrations.ragas.advice import SHARED
from assay.integrations.ragas.dataset import Dataset, InMemoryBackend, register_backend
from assay.integrations.ragas.evaluation import evaluate
from assay.integrations.ragas.metrics import collections
from assay.integrations.ragas.metrics.base import EvaluationMode, MetricWithLLM
from assay.integrations.ragas.metrics.result import MetricResult
from assay.integrations.ragas.rewrite import script
from assay.integrations.ragas.testset import TestsetGenerator
from support.judges import gullible
from support.over import over

NAMES = json.loads((Path(__file__).parent / "ragas_names.json").read_text("utf-8"))
ROW = {"user_input": "When?", "response": "In 1889.", "reference": "In 1889."}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@over("module", NAMES)
def test_every_public_name_works_or_tells_its_way(module):
    for name in NAMES[module].split():
        new = script(f"from {'.'.join(filter(None, ('ragas', module)))} import {name}\n")
        if not new.by_hand:
            exec(new.text, {})
            continue
        ((_, told),) = new.by_hand
        with pytest.raises(ImportError, match=re.escape(told)):
            exec(new.text, {})
        way = told.partition(": ")[2]
        assert len(way.split()) > 3, told


@over("module", ["metrics", "metrics.collections"])
def test_a_star_brings_every_metric_that_works(module):
    brought: dict[str, object] = {}
    exec(f"from assay.integrations.ragas.{module} import *", brought)
    found = importlib.import_module(f"assay.integrations.ragas.{module}")
    works = {name for name in NAMES[module].split() if name in dir(found)}
    assert works <= brought.keys()
    assert len(works) > 30


def test_modules_that_are_not_here_can_be_named_and_tell_the_way():
    for module, name in (("utils", "safe_nanmean"), ("prompt", "Prompt"), ("validation", "x")):
        found = importlib.import_module(f"assay.integrations.ragas.{module}")
        with pytest.raises(ImportError, match="assay's ragas has no"):
            getattr(found, name)
    from assay.integrations.ragas.testset.synthesizers import TestsetGenerator as Same

    assert Same is TestsetGenerator


@over(
    ("module", "name"),
    [
        ("backends", "InMemoryBackend"),
        ("callbacks", "Callbacks"),
        ("cost", "TokenUsage"),
        ("embeddings.base", "embedding_factory"),
        ("exceptions", "RagasException"),
        ("experiments", "experiment"),
        ("integrations.langgraph", "convert_to_ragas_messages"),
        ("llms.base", "llm_factory"),
        ("messages", "HumanMessage"),
        ("metrics.critique", "harmfulness"),
        ("metrics.quoted_spans", "quoted_spans_alignment"),
        ("testset.evolutions", "multi_context"),
        ("testset.generator", "TestsetGenerator"),
    ],
)
def test_a_module_that_shares_a_file_is_imported_by_its_path_in_every_way(module, name):
    path = f"assay.integrations.ragas.{module}"
    names = {}
    exec(f"from {path} import {name}\nimport {path}\nimport {path} as it", names)
    assert getattr(names["it"], name) is names[name]
    assert eval(f"{path}.{name}", names) is names[name]
    above, _, last = path.rpartition(".")
    exec(f"from {above} import {last}", names)
    assert names[last] is names["it"]
    assert set(SHARED) <= {m.removeprefix("assay.integrations.ragas.") for m in sys.modules}
    assert not hasattr(names["it"], "__file__")


class TestParametersByPosition:
    def test_they_are_those_of_ragas(self):
        judge = gullible()
        assert collections.Faithfulness(judge).llm is judge
        assert collections.SemanticSimilarity(judge, "close").name == "close"
        assert collections.RougeScore("rouge", "rouge1").rouge_type == "rouge1"
        assert collections.InstanceSpecificRubrics(judge).llm is judge
        critic = metrics.AspectCritic("short", "Is it short?", judge)
        assert (critic.name, critic.definition, critic.llm) == ("short", "Is it short?", judge)

    def test_a_metric_that_takes_none_says_so(self):
        with pytest.raises(InputError, match=r"Faithfulness takes its parameters by name -> give"):
            metrics.Faithfulness(gullible())
        with pytest.raises(InputError, match="give name="):
            collections.ExactMatch("a", "b")


class TestMetricsOfOnesOwn:
    def test_one_of_0_1_reads_a_row_by_the_names_of_its_time(self):
        class Length(MetricWithLLM):
            name = "length"
            evaluation_mode = EvaluationMode.qa

            async def _ascore(self, row, callbacks):
                return float(len(row["answer"] + row["ground_truth"]))

        old = {"question": "q", "answer": "four", "ground_truth": "to"}
        assert evaluate([old], [Length()])["length"] == [6.0]
        assert evaluate([ROW], [Length()])["length"] == [16.0]
        assert Length().score(old) == 6.0
        with pytest.raises(InputError, match=r"no metric.train -> `assay calibrate`"):
            Length().train("labels.json")

    def test_those_of_0_4_are_scored_in_batches_by_their_own_method(self):
        class Length(collections.BaseMetric):
            name = "length"

            async def ascore(self, response):
                return MetricResult(float(len(response)))

        class Words(metrics.BaseMetric):
            async def ascore(self, response):
                return MetricResult(float(len(response.split())))

        class Loud(metrics.LLMMetric):
            async def ascore(self, response, llm=None):
                return MetricResult(f"{response}!")

        texts = [{"response": "a b"}, {"response": "c"}]
        assert [found.value for found in Length().batch_score(texts)] == [3.0, 1.0]
        assert [found.value for found in Words().batch_score(texts)] == [2.0, 1.0]
        assert Words(name="words").score(response="a b").value == 2.0
        assert Loud(prompt="").batch_score(texts, llm="embedded")[1].value == "c!"

    def test_a_value_is_checked_as_the_metric_allows(self):
        kind = metrics.DiscreteMetric(name="kind", prompt="{a}?", allowed_values=["a", "b"])
        assert kind.validate_result_value("a") is None
        assert "expected one of" in kind.validate_result_value("c")
        assert "expected value in range" in collections.ExactMatch().validate_result_value(2.0)


def test_a_result_has_the_id_of_its_run_and_names_what_it_has_not():
    result = evaluate([ROW], [metrics.ExactMatch()])
    assert result.run_id == result.assay.run.id
    assert result.binary_columns == ["exact_match"]
    with pytest.raises(InputError, match=r"result.assay.trace\(sample, metric\)"):
        _ = result.ragas_traces
    with pytest.raises(InputError, match=r"result.total_tokens\(\)"):
        _ = result.cost_cb


def test_a_backend_of_ones_own_is_known_by_its_name(capsys):
    shelf = InMemoryBackend()

    def made(**options):
        """A shelf."""
        return shelf

    register_backend("shelf", made, aliases=["board"])
    Dataset("books", "board", data=[{"n": 1}]).save()
    assert list(Dataset.load("books", "shelf")) == [{"n": 1}]
    ragas.backends.print_available_backends()
    assert "shelf: A shelf." in capsys.readouterr().out


def test_a_generator_of_0_1_names_two_models_and_others_tell_the_way():
    made = TestsetGenerator.with_openai("writer", "checker")
    assert (made.llm, made.critic_llm) == ("openai:writer", "openai:checker")
    with pytest.raises(InputError, match=r"generate_with_langchain_docs\(documents"):
        made.generate(testset_size=3)
