"""Scripts of each generation of ragas run with their imports changed, to assay's numbers."""

import math
import runpy
from pathlib import Path

import pytest

import assay
from assay._runner.settings import Settings
from assay.integrations.ragas.rewrite import rewritten, written
from support.judges import capricious
from support.llm_server import LLMServer

# What a judge at random leaves without a score.
pytestmark = pytest.mark.filterwarnings("ignore:.*are NaN")

SCRIPTS = Path(__file__).parent / "ragas_scripts"


def run(name, folder, monkeypatch):
    """What a script leaves behind, run in a folder of its own after the rewriter had it."""
    path = folder / name
    path.write_text((SCRIPTS / name).read_text("utf-8"), "utf-8")
    new = rewritten(path)
    assert new.by_hand == ()
    written(path, new)
    monkeypatch.chdir(folder)
    return runpy.run_path(str(path))


def by_assay(rows, metrics, folder, **mapping):
    judge = capricious(1)
    store = folder / "by_assay.db"
    settings = Settings(mapping=mapping)
    return assay.evaluate(rows, metrics, judge, embedder=judge, store=store, settings=settings)


def values(outcomes):
    return [getattr(outcome, "value", math.nan) for outcome in outcomes]


def test_a_script_of_0_1_gives_the_numbers_of_assay(tmp_path, monkeypatch):
    left = run("v01.py", tmp_path, monkeypatch)
    result = left["result"]
    names = ["context_precision", "faithfulness", "answer_relevancy", "context_recall"]
    metrics = ["ragas:context_precision", "ragas:faithfulness", "ragas:answer_relevancy"]
    metrics.append("context_recall")
    ours = by_assay(left["dataset"].to_list(), metrics, tmp_path, contexts="contexts_v1")
    assert list(result) == names
    for name, metric in zip(names, metrics, strict=True):
        assert result[name] == pytest.approx(values(ours[metric]), abs=0, nan_ok=True)
    scores = values(ours["ragas:faithfulness"])
    assert left["mean"] == f"{sum(scores) / len(scores):.4f}"
    columns = ["question", "contexts_v1", "answer", "ground_truth"]
    assert list(left["frame"].columns[:4]) == columns
    assert left["frame"]["faithfulness"].tolist() == scores


def test_a_script_of_0_2_gives_the_numbers_of_assay(tmp_path, monkeypatch):
    left = run("v02.py", tmp_path, monkeypatch)
    shown = '("question", "contexts", "answer", "reference")'
    polite = f'aspect_critic(definition="Is the response polite?",shows={shown})'
    metrics = {
        "context_recall": "context_recall",
        "faithfulness": "ragas:faithfulness",
        "factual_correctness(mode=recall)": "ragas:factual_correctness(mode=recall)",
        "polite": polite,
        "non_llm_string_similarity": "string_similarity",
    }
    ours = by_assay(left["rows"], list(metrics.values()), tmp_path)
    assert list(left["result"]) == list(metrics)
    for name, metric in metrics.items():
        found = values(ours[assay.metrics.parse(metric).label])
        assert left["result"][name] == pytest.approx(found, abs=0, nan_ok=True)
    assert left["single"] == left["result"]["faithfulness"][0]
    assert left["tools"] == 1.0
    assert (left["tokens"].input_tokens, left["cost"]) == (0, 0.0)


def test_a_script_of_0_4_gives_the_numbers_of_assay(tmp_path, monkeypatch):
    left = run("v04.py", tmp_path, monkeypatch)
    metrics = ["ragas:faithfulness", "ragas:answer_relevancy"]
    ours = by_assay([left["sample"]], metrics, tmp_path)
    assert left["faithful"].value == ours["ragas:faithfulness"][0].value
    assert left["faithful"].reason.count("\n") == len(ours["ragas:faithfulness"][0].parts) - 1
    assert left["relevant"].value == ours["ragas:answer_relevancy"][0].value
    assert [result.value for result in left["exact"]] == [1.0, 0.0]
    assert left["label"].value in ("poor", "good", "excellent")
    assert left["grade"].value in (1, 2, 3, 4, 5)
    assert sorted(left["order"].value) == ["one", "three", "two"]
    assert [row.length for row in left["done"]] == [4.0, 11.0]
    assert (tmp_path / "experiments" / "first.jsonl").read_text().count("\n") == 2


# What a page shows first, run as it is: with a key, at a server, or without one.
@pytest.fixture
def served(monkeypatch):
    with LLMServer().in_thread() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield server


FOUR = ["context_precision", "faithfulness", "answer_relevancy", "context_recall"]


def test_the_first_page_of_0_1_runs_with_a_key(tmp_path, monkeypatch, served):
    left = run("start_v01.py", tmp_path, monkeypatch)
    assert list(left["means"]) == FOUR
    assert {*FOUR} < {*left["frame"].columns}
    asked = {call.kind for call in served.log}
    assert {"generate_questions", "embed"} <= asked


def test_the_first_page_of_0_1_runs_without_a_key(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.warns(UserWarning, match="embedded judge is asked; answer_relevancy") as said:
        left = run("start_v01.py", tmp_path, monkeypatch)
    assert len(said) == 1
    assert list(left["means"]) == FOUR
    assert all(0.5 < mean <= 1 for mean in left["means"].values())
    assert left["shown"].startswith("{'context_precision': ")


def test_the_first_pages_of_0_2_run(tmp_path, monkeypatch, served):
    left = run("start_v02.py", tmp_path, monkeypatch)
    assert 0 < left["bleu"] < 1
    assert left["right"] in (0.0, 1.0)
    assert left["features"] == ["user_input", "response", "reference"]
    assert left["verdicts"]["right"] == [left["right"]] * 2
    assert left["found"] == left["documents"]
    assert list(left["result"]) == ["context_recall", "faithfulness"]


def test_the_first_pages_of_0_4_run(tmp_path, monkeypatch, served):
    left = run("start_v04.py", tmp_path, monkeypatch)
    assert [row["same"] for row in left["done"]] == ["fail", "pass"]
    assert {row["correct"] for row in left["done"]} <= {"pass", "fail"}
    assert [row["response"] for row in left["kept"]] == ["Notre-Dame", "Mars"]
    assert left["correct"].name == "correct"
    assert 0 <= left["faithful"].value <= 1
    assert served.count(kind="choose_label") == 2
