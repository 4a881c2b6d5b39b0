"""Are our numbers those of ragas 0.4.3 where the definitions agree, and why not where they differ?

The file of its outputs is not part of the project: without it these tests are skipped.
`docs/ragas-differences.md` explains every difference that is tested here.
"""

import asyncio
import json
import os
from pathlib import Path

import pytest

from assay.judge import Judge
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.contexts import average_precision
from assay.metrics.correctness import f_beta
from assay.sample import Sample, ToolCall, Turn
from assay.score import Score, Unscored
from assay.tasks import (
    JudgeTopics,
    MatchTopics,
    NameEntities,
    NameTopics,
    TopicAnswer,
    TopicMatch,
)
from support import scripts

ROOT = Path(__file__).parents[2]
FILE = Path(os.environ.get("ASSAY_GOLDEN", ROOT.parent / "shared" / "golden" / "ragas_0_4_3.json"))

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="no recorded outputs of ragas here")

EPSILON = 1e-10  # ragas divides by (sum of verdicts + this)


@pytest.fixture(scope="module")
def golden():
    return json.loads(FILE.read_text("utf-8"))


def test_average_precision_is_that_of_ragas_up_to_its_epsilon(golden):
    for case in golden["average_precision"]:
        useful = [bool(v) for v in case["verdicts"]]
        ours = average_precision(useful)
        assert ours == pytest.approx(case["ragas"], abs=1e-6)
        hits = sum(useful)
        assert ours * hits / (hits + EPSILON) == pytest.approx(case["ragas"], abs=1e-15)


def test_a_perfect_ranking_is_1_here_and_never_there(golden):
    perfect = [
        case
        for case in golden["average_precision"]
        if any(case["verdicts"]) and case["verdicts"] == sorted(case["verdicts"], reverse=True)
    ]
    assert perfect
    for case in perfect:
        assert average_precision([bool(v) for v in case["verdicts"]]) == 1.0
        assert case["ragas"] < 1.0


def _f(case):
    tp, fp, fn = case["tp"], case["fp"], case["fn"]
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    return f_beta(precision, recall, case["beta"])


def test_f_beta_is_that_of_ragas(golden):
    for case in golden["fbeta"]:
        assert _f(case) == pytest.approx(case["legacy"], abs=1e-6), case


def test_no_statement_at_all_is_0_there_and_undefined_here(golden):
    empty = [c for c in golden["fbeta"] if not c["tp"] + c["fp"] + c["fn"]]
    assert empty
    assert {case["legacy"] for case in empty} == {0.0}


async def told(metric, holds, mine, theirs, contexts=()):
    """The outcome where only these (statement, premise) pairs hold; None as premise: the other text."""
    answer, reference = " ".join(mine) or "Hm?", " ".join(theirs) or "Hm?"
    texts = {answer: mine, reference: theirs}
    said = {
        "split_statements": lambda task: scripts.split(*texts[task.text]),
        "verify_statements": scripts.verify_if(
            lambda text, given: (text, given[0] if given[0] in contexts else None) in holds
        ),
    }
    sample = Sample(id="1", question="?", contexts=contexts, answer=answer, reference=reference)
    return await scripts.score(metric, sample, said)


async def test_factual_correctness_by_ragas_is_f_beta_of_counts_to_two_decimals(golden):
    for case in golden["fbeta"]:
        mine = [f"True {n}." for n in range(case["tp"])] + [
            f"Wrong {n}." for n in range(case["fp"])
        ]
        theirs = [f"Left out {n}." for n in range(case["fn"])]
        holds = {(text, None) for text in mine[: case["tp"]]}
        metric = parse(f"ragas:factual_correctness(beta={case['beta']})")
        found = await told(metric, holds, mine, theirs)
        assert found.value == pytest.approx(round(case["legacy"] * 100) / 100, abs=1e-6), case


@pytest.mark.parametrize("mode", ["relevant", "irrelevant"])
async def test_noise_sensitivity_is_that_of_ragas(golden, mode):
    for case in golden["noise_sensitivity"]:
        (correct,) = case["ground_truth2answer"]
        mine = [f"Mine {n}." for n in range(len(correct))]
        theirs = [f"Theirs {n}." for n in range(len(case["retrieved2ground_truth"]))]
        contexts = tuple(f"context {k}" for k in range(len(case["retrieved2answer"][0])))
        holds = {(text, None) for text, yes in zip(mine, correct, strict=True) if yes}
        for texts, key in ((mine, "retrieved2answer"), (theirs, "retrieved2ground_truth")):
            for text, row in zip(texts, case[key], strict=True):
                holds |= {(text, c) for c, yes in zip(contexts, row, strict=True) if yes}
        metric = parse(f"ragas:noise_sensitivity(mode={mode})")
        found = await told(metric, holds, mine, theirs, contexts)
        assert found.value == pytest.approx(case[mode], abs=1e-6), case


async def test_entity_recall_by_ragas_is_that_of_ragas(golden):
    for case in golden["entity_recall"]:
        named = {"reference": case["reference"], "context": case["context"]}
        judge = {"name_entities": lambda task, named=named: NameEntities.reply(named[task.text])}
        sample = Sample(id="1", contexts=("context",), reference="reference")
        for variant in ("legacy", "collections"):
            metric = parse(f"ragas:context_entity_recall(variant={variant})")
            found = await scripts.score(metric, sample, judge)
            assert found.value == pytest.approx(case[variant], abs=1e-15), case


async def test_context_precision_by_ragas_is_that_of_ragas(golden):
    for case in golden["average_precision"]:
        n = len(case["verdicts"])
        sample = Sample(id="1", question="?", reference="G", contexts=tuple("abcdefgh"[:n]))
        judge = {"judge_contexts": scripts.useful(*case["verdicts"])}
        found = await scripts.score(parse("ragas:context_precision"), sample, judge)
        assert found.value == pytest.approx(case["ragas"], abs=1e-15), case


def one(metric, **fields):
    """The outcome of a metric that asks nobody."""
    sample = Sample(id="1", **fields)
    return asyncio.run(metric.score(sample, Judge(Scripted({}))))


WORDING = {
    "exact_match": "exact_match",
    "string_presence": "string_presence",
    "chrf": "chrf",
    "rouge1_f": "rouge(variant=rouge1)",
    "rougeL_f": "rouge",
    "rougeL_p": "rouge(mode=precision)",
    "rougeL_r": "rouge(mode=recall)",
    "sim_levenshtein": "string_similarity",
    "sim_hamming": "string_similarity(distance=hamming)",
    "sim_jaro": "string_similarity(distance=jaro)",
    "sim_jaro_winkler": "string_similarity(distance=jaro_winkler)",
}


@pytest.mark.parametrize("figure", WORDING)
def test_wording_metrics_are_those_of_ragas(golden, figure):
    for case in golden["text_pairs"]:
        found = one(parse(WORDING[figure]), answer=case["response"], reference=case["reference"])
        if isinstance(found, Unscored):
            assert not (case["response"] + case["reference"]).strip()
        elif figure == "string_presence" and not case["reference"]:
            assert (found.value, case[figure]) == (0.0, 1.0)  # nothing stands nowhere
        else:
            assert found.value == pytest.approx(case[figure], abs=1e-6), case


def test_bleu_is_that_of_ragas_where_it_does_not_drop_sentences(golden):
    differ = []
    for case in golden["text_pairs"]:
        found = one(parse("bleu"), answer=case["response"], reference=case["reference"])
        theirs = case["bleu_BUGGY"]
        if isinstance(found, Score) and found.value != pytest.approx(theirs, abs=1e-6):
            differ.append(case)
    assert differ
    # ragas splits at ". " and compares first sentences only: it is wrong on nothing else.
    assert all(". " in case["response"] + case["reference"] for case in differ)


def test_id_based_figures_are_those_of_ragas(golden):
    for case in golden["id_based"]:
        ids = {
            "context_ids": tuple(map(str, case["retrieved"])),
            "reference_context_ids": tuple(map(str, case["reference"])),
        }
        for figure in ("precision", "recall"):
            found = one(parse(f"id_based_context_{figure}"), **ids)
            if isinstance(found, Unscored):
                assert case[figure] is None  # their NaN
            else:
                assert found.value == pytest.approx(case[figure], abs=1e-6), case


def test_contexts_compared_by_wording_are_those_of_ragas(golden):
    for case in golden["non_llm_context"]:
        texts = {
            "contexts": tuple(case["retrieved"]),
            "reference_contexts": tuple(case["reference"]),
        }
        precision = one(parse("non_llm_context_precision"), **texts)
        recall = one(parse("non_llm_context_recall"), **texts)
        if not case["retrieved"]:
            assert isinstance(precision, Unscored)  # theirs is 0
            assert recall.value == 0.0  # theirs is an exception
            continue
        assert precision.value == pytest.approx(case["precision"], abs=1e-6)
        assert recall.value == pytest.approx(case["recall"], abs=1e-6)


def test_tool_calls_are_those_of_ragas_but_where_nothing_was_to_be_called(golden):
    for case in golden["tool_calls"]:
        made, wanted = ([ToolCall(n, a) for n, a in case[side]] for side in ("pred", "ref"))
        fields = {
            "turns": (Turn("user", "?"), Turn("assistant", "", tool_calls=tuple(made))),
            "reference_tool_calls": tuple(wanted),
        }
        figures = {
            "tool_call_accuracy": case["accuracy_strict"],
            "tool_call_accuracy(strict_order=False)": case["accuracy_flexible"],
            "tool_call_f1": case["f1"],
        }
        for spec, theirs in figures.items():
            found = one(parse(spec), **fields)
            if not made and not wanted:
                assert isinstance(found, Unscored)  # theirs are 1, 1 and 0
            elif spec == "tool_call_f1":
                assert round(found.value, 4) == pytest.approx(theirs, abs=1e-6)  # they round
            else:
                assert found.value == pytest.approx(theirs, abs=1e-6), case


def test_topic_adherence_is_that_of_ragas_up_to_its_epsilon_where_a_topic_counts(golden):
    sample = Sample(id="1", turns=(Turn("user", "A? B?"),), reference_topics=("a",))
    for case in golden["topic_adherence"]:
        answers = [TopicAnswer(f"t{n}", bool(v)) for n, v in enumerate(case["answered"], 1)]
        matches = [TopicMatch(f"t{n}", 0 if v else None) for n, v in enumerate(case["in_topic"], 1)]
        judge = Scripted(
            {
                "name_topics": NameTopics.reply(["A", "B"]),
                "judge_topics": JudgeTopics.reply(answers),
                "match_topics": MatchTopics.reply(matches),
            }
        )
        for mode in ("precision", "recall", "f1"):
            metric = parse(f"topic_adherence(mode={mode})")
            found = asyncio.run(metric.score(sample, Judge(judge)))
            if isinstance(found, Unscored):
                assert case[mode] == 0.0  # 0 / (0 + epsilon)
            else:
                assert found.value == pytest.approx(case[mode], abs=1e-6), case
