"""The page of definitions and `assay explain` tell what the code computes."""

import functools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay import conformance
from assay._cli import main
from assay._cli import metrics as cli_metrics
from assay._cli.values import example_task
from assay.conformance import SAMPLE
from assay.metrics import METRICS, FactualCorrectness, Faithfulness, Metric, parse
from assay.score import Score
from assay.tasks import Statement, VerifyStatements
from support import scripts
from support.over import over

worked = functools.cache(conformance.worked)
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))

import conforming  # noqa: E402 - docs/ is no package
import recording  # noqa: E402

# By hand: four statements (supported, supported, not mentioned, contradicted), three contexts of
# which two are of use, a reference of three statements of which the answer makes two.
BY_HAND = {
    "faithfulness": 2 / 4,
    "paper:faithfulness": 2 / 4,
    "graded_faithfulness": 1 - (0.75 * 2 / 3 + 1 * 2 / 3) / 4,
    "deepeval:faithfulness": 3 / 4,
    "ragchecker:faithfulness": 2 / 4,
    "context_precision": (1 / 1 + 2 / 3) / 2,
    "deepeval:contextual_precision": (1 / 1 + 2 / 3) / 2,
    "context_recall": 3 / 3,
    "factual_correctness": 4 / 7,
    "ragchecker:precision": 2 / 4,
    "ragchecker:recall": 2 / 3,
    "ragchecker:f1": 4 / 7,
    "ragchecker:claim_recall": 3 / 3,
    "ragchecker:context_precision": 2 / 3,
    "ragchecker:context_utilization": 2 / 3,
    "ragchecker:hallucination": 2 / 4,
    "ragchecker:self_knowledge": 0.0,
    "ragchecker:noise_sensitivity_relevant": 0.0,
    "ragchecker:noise_sensitivity_irrelevant": 0.0,
    "deepeval:hallucination": 2 / 3,
    "id_based_context_precision": 2 / 3,
    "id_based_context_recall": 2 / 3,
}


@pytest.fixture(autouse=True, scope="module")
def _each_example_is_worked_once():
    patch = pytest.MonkeyPatch()
    for module in (conforming, cli_metrics):
        patch.setattr(module, "worked", worked)
    yield
    patch.undo()


@over(("name", "value"), BY_HAND.items())
def test_the_worked_example_is_what_one_computes_by_hand(name, value):
    found = worked(parse(name)).outcome
    assert found.value == pytest.approx(value)


class TestEveryDefinition:
    @over("name", METRICS)
    def test_it_has_a_worked_example_with_its_calls_and_what_it_gives_for_nothing(self, name):
        found = worked(METRICS[name]())
        assert set(found.calls) <= {kind.kind for kind in METRICS[name].tasks}
        assert bool(found.calls) is bool(METRICS[name].tasks)
        empty = [edge for edge in found.edges if edge.what == "answer empty"]
        assert bool(empty) is ("answer" in METRICS[name].needs)

    @over("name", METRICS)
    def test_the_page_and_explain_tell_the_same_facts_and_prompts_are_shown_whole(self, name):
        metric = METRICS[name]()
        page = conforming.section(metric)
        done = CliRunner().invoke(main, ["explain", name], env={"COLUMNS": "4000"})
        assert done.exit_code == 0, done.output
        assert conformance.definition(metric).partition("\n")[0] in page
        for fact, value in conformance.facts(metric, worked(metric)):
            if fact != "inputs":
                assert f"{fact}: {value}" in done.stdout
            assert conforming.plain(f"{fact}: {value}") in page
        for row in conformance.rows(worked(metric).outcome):
            assert conforming.plain(row[1]) in page
        for need in METRICS[name].needs:
            assert need in done.stdout
        for kind in METRICS[name].tasks:
            assert kind.kind in done.stdout
            if kind.template:
                assert "".join(example_task(kind).pieces()).strip() in done.stdout
                assert kind.template.digest in done.stdout
                assert kind.schema is None or json.dumps(kind.schema) in done.stdout


def test_calls_are_told_by_kind():
    assert conformance.calls({"embed": 4, "rate_answer": 1}) == "5 (embed x 4, rate_answer)"
    assert conformance.calls({}) == "none"


def test_parameters_that_ask_the_same_have_their_example_too():
    assert worked(FactualCorrectness(mode="recall")).outcome.value == pytest.approx(2 / 3)
    conformance = CliRunner().invoke(main, ["explain", "factual_correctness(mode=recall)"]).stdout
    assert "on the sample: 0.6667" in conformance


def test_what_was_never_asked_has_none():
    @dataclass(frozen=True)
    class Other(Metric):
        """Asks something else."""

        name = "other"
        needs = ("answer",)
        tasks = (VerifyStatements,)

        async def score(self, sample, judge):
            await judge(VerifyStatements((), ("something else",)))
            return Score(1.0)

    assert worked(Other()) is None
    assert [name for name, _ in conformance.facts(Other(), None)] == ["inputs"]


def test_a_judge_that_fails_is_an_outcome_and_no_end():
    found = worked(Faithfulness(), scripts.plausible(split_statements="{"))
    assert found.outcome.why == "failed"


def test_the_code_of_a_user_is_not_run_to_explain_it():
    done = CliRunner().invoke(main, ["explain", "support.own_metrics:failing"])
    assert done.exit_code == 0
    assert "worked example" not in done.stdout


def test_the_recorded_judge_finds_in_the_sample_what_the_story_says():
    statements = tuple(
        Statement(f"s{n}", text.strip() + ".")
        for n, text in enumerate(SAMPLE.answer.rstrip(".").split(". "), start=1)
    )
    raw = recording.say(VerifyStatements(statements, SAMPLE.contexts), 0)
    found = VerifyStatements(statements, SAMPLE.contexts).read(raw)
    assert [(v.supported, v.context, v.contradicted) for v in found] == [
        (True, 0, False),
        (True, 2, False),
        (False, None, False),
        (False, None, True),
    ]


@pytest.mark.slow
def test_nothing_is_written_where_the_record_is_only_checked(monkeypatch, tmp_path):
    path = tmp_path / "replies.json"
    monkeypatch.setattr(recording, "ROOT", tmp_path)
    monkeypatch.setattr(recording, "PATH", path)
    assert recording.refresh(write=False) == ["replies.json"]
    assert not path.exists()
    assert recording.refresh(write=True) == ["replies.json"]
    assert recording.refresh(write=False) == []
