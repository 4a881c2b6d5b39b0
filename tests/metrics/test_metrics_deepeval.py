"""DeepEval's definitions, with numbers worked by hand."""

import pytest

from assay import evaluate, pytest_plugin
from assay._analysis.gate import Rules, gate
from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.compat.deepeval import (
    DeepEvalAnswerRelevancy,
    DeepEvalContextualPrecision,
    DeepEvalContextualRecall,
    DeepEvalContextualRelevancy,
    DeepEvalFaithfulness,
    DeepEvalHallucination,
    DeepEvalToolCorrectness,
)
from assay.metrics.groundedness import Faithfulness
from assay.sample import Sample, ToolCall, Turn
from assay.score import Score, Unscored
from assay.tasks import ChooseLabel, Label, Verdict, VerifyStatements
from support import scripts
from support.over import over

SAMPLE = Sample(
    id="1",
    question="Where is it?",
    contexts=("One.", "Two.", "Three."),
    answer="Aa. Bb. Cc. Dd.",
    reference="Ants run. Bees fly. Cats nap.",
)


def told(**said):
    """Verdicts by statement text: "yes", "no" (contradicted), "absent" or "unsaid"."""
    denied = {"yes": False, "no": True, "absent": False, "unsaid": None}

    def say(task):
        return VerifyStatements.reply(
            [
                Verdict(s.id, w == "yes", f"{w}!", contradicted=denied[w])
                for s in task.statements
                for w in [said.get(s.text.rstrip("."), "absent")]
            ]
        )

    return say


def judge(verdicts=None, relevant=(), useful=()):
    return {
        "split_statements": scripts.by_sentence,
        "verify_statements": verdicts or told(),
        "select_sentences": scripts.select(*relevant),
        "judge_contexts": scripts.useful(*useful),
    }


class TestFaithfulness:
    async def test_two_supported_one_absent_one_contradicted_are_three_quarters(self):
        script = judge(told(Aa="yes", Bb="yes", Cc="absent", Dd="no"))
        found = await scripts.score(DeepEvalFaithfulness(), SAMPLE, script)
        assert found.value == 0.75
        assert [part.label for part in found.parts] == [
            "supported",
            "supported",
            "absent",
            "contradicted",
        ]
        assert (await scripts.score(Faithfulness(), SAMPLE, script)).value == 0.5

    async def test_support_outweighs_a_contradiction_elsewhere(self):
        def both(task):
            return VerifyStatements.reply(
                [Verdict(i, supported=True, contradicted=True) for i in task.ids]
            )

        found = await scripts.score(DeepEvalFaithfulness(), SAMPLE, judge(both))
        assert found.value == 1.0

    async def test_a_judge_that_cannot_tell_contradicted_from_absent_makes_no_number(self):
        script = judge(told(Aa="yes", Bb="yes", Cc="yes", Dd="unsaid"))
        found = await scripts.score(DeepEvalFaithfulness(), SAMPLE, script)
        assert isinstance(found, Unscored)
        assert found.why == "failed"
        assert "contradicted or only absent" in found.detail
        assert found.parts[3].label == "unsupported"

    async def test_what_the_verdicts_leave_unsaid_is_asked_as_a_label(self):
        def say(task):
            denied = task.shown[-1] == ("statement", "Dd.")
            return ChooseLabel.reply(Label("contradicted" if denied else "absent", "so"))

        script = judge(told(Aa="yes", Bb="absent", Cc="unsaid", Dd="unsaid"))
        watched = scripts.Watched(Scripted({**script, "choose_label": say}))
        found = await scripts.score(DeepEvalFaithfulness(), SAMPLE, watched)
        assert found.value == 0.75
        assert [part.label for part in found.parts] == [
            "supported",
            "absent",
            "absent",
            "contradicted",
        ]
        asked = [task for task, _ in watched.asked if task.kind == "choose_label"]
        assert [task.shown for task in asked] == [
            (
                ("context 1", "One."),
                ("context 2", "Two."),
                ("context 3", "Three."),
                ("statement", statement),
            )
            for statement in ("Cc.", "Dd.")
        ]

    async def test_it_is_not_needed_where_all_is_supported(self):
        script = judge(scripts.verify(1, 1, 1, 1))
        assert (await scripts.score(DeepEvalFaithfulness(), SAMPLE, script)).value == 1.0

    @over("contexts", [(), ("",), (" ", "\n")])
    async def test_without_a_context_nothing_can_be_contradicted_so_it_is_undefined(self, contexts):
        sample = Sample(id="1", question="?", contexts=contexts, answer="Aa.")
        found = await scripts.score(DeepEvalFaithfulness(), sample, judge())
        assert found == Unscored(
            "undefined", "there is no context that could contradict the answer"
        )


class TestAnswerRelevancy:
    async def test_it_is_the_share_of_statements_that_help(self):
        found = await scripts.score(
            DeepEvalAnswerRelevancy(), SAMPLE, judge(relevant=("s1", "s2", "s4"))
        )
        assert found.value == 0.75
        assert found.parts[2].label == "not relevant"

    async def test_an_answer_without_a_statement_is_undefined_and_not_perfect(self):
        sample = Sample(id="1", question="Where?", answer="Hm")
        script = {**judge(), "split_statements": scripts.split()}
        found = await scripts.score(DeepEvalAnswerRelevancy(), sample, script)
        assert found == Unscored("undefined", "the answer makes no statement")


class TestContextualPrecision:
    @over(
        ("useful", "value"),
        [((1, 1, 0), 1.0), ((1, 0, 1), (1 + 2 / 3) / 2), ((0, 0, 1), 1 / 3), ((0, 0, 0), 0.0)],
    )
    async def test_it_is_the_weighted_cumulative_precision(self, useful, value):
        found = await scripts.score(DeepEvalContextualPrecision(), SAMPLE, judge(useful=useful))
        assert found.value == pytest.approx(value)


class TestContextualRecall:
    async def test_it_counts_sentences_of_the_reference(self):
        script = {"verify_statements": told(**{"Ants run": "yes", "Cats nap": "yes"})}
        found = await scripts.score(DeepEvalContextualRecall(), SAMPLE, script)
        assert found.value == pytest.approx(2 / 3)
        assert [part.text for part in found.parts] == ["Ants run.", "Bees fly.", "Cats nap."]
        assert [SAMPLE.reference[slice(*part.span)] for part in found.parts] == [
            part.text for part in found.parts
        ]

    async def test_without_a_context_it_is_0_and_nobody_is_asked(self):
        sample = Sample(id="1", contexts=(), reference="Ants run.")
        assert (await scripts.score(DeepEvalContextualRecall(), sample, {})).value == 0.0


class TestContextualRelevancy:
    async def test_statements_are_pooled_over_the_contexts(self):
        sample = Sample(id="1", question="Where?", contexts=("Aa. Bb. Cc.", "", "Dd."))
        script = judge(relevant=("1.1", "3.1"))
        found = await scripts.score(DeepEvalContextualRelevancy(), sample, script)
        assert found.value == 0.5  # not the mean of 1/3, nothing and 1
        assert [(p.text, p.context, p.value) for p in found.parts] == [
            ("Aa.", 0, 1.0),
            ("Bb.", 0, 0.0),
            ("Cc.", 0, 0.0),
            ("Dd.", 2, 1.0),
        ]


class TestHallucination:
    async def test_it_is_the_share_of_contexts_of_which_a_statement_says_the_opposite(self):
        def say(task):
            denied = task.contexts == ("Two.",)
            return VerifyStatements.reply(
                [
                    Verdict(i, supported=False, reason="says 2.", contradicted=denied and i == "s3")
                    for i in task.ids
                ]
            )

        before = await scripts.score(DeepEvalHallucination(version=4.1), SAMPLE, judge(say))
        found = await scripts.score(DeepEvalHallucination(), SAMPLE, judge(say))
        assert (before.value, found.value) == pytest.approx((1 / 3, 2 / 3))
        assert [part.label for part in before.parts] == [part.label for part in found.parts]
        assert ("less is better" in before.method, "more is better" in found.method) == (True, True)
        assert [part.label for part in found.parts] == [
            "not contradicted",
            "contradicted",
            "not contradicted",
        ]
        assert found.parts[1].reason == "Cc. says 2."

    async def test_one_contradiction_is_enough_whatever_else_is_not_told(self):
        script = judge(told(Aa="no", Bb="unsaid", Cc="yes", Dd="absent"))
        found = await scripts.score(DeepEvalHallucination(), SAMPLE, script)
        assert isinstance(found, Score)
        assert found.value == 0.0

    async def test_a_context_of_which_it_is_not_told_fails_the_score(self):
        script = judge(told(Aa="unsaid"))
        found = await scripts.score(DeepEvalHallucination(), SAMPLE, script)
        assert isinstance(found, Unscored)
        assert found.why == "failed"

    @over(("version", "up"), [(4.3, True), (4.2, True), (4.1, False), (3, False)])
    def test_the_label_and_the_direction_are_those_of_the_version(self, version, up):
        metric = parse(f"deepeval:hallucination(version={version})")
        assert metric.higher_is_better is up
        assert metric.label == f"deepeval:hallucination(version={version})"
        assert parse(metric.label) == metric

    def test_the_newest_release_is_followed_and_the_label_says_so(self):
        assert parse("deepeval:hallucination").label == "deepeval:hallucination(version=4.3)"
        with pytest.raises(InputError, match=r"a release of DeepEval up to 4\.3, not 5"):
            parse("deepeval:hallucination(version=5)")

    def test_a_threshold_without_a_version_is_refused_and_what_was_stored_keeps_its_meaning(
        self, db
    ):
        plain, newer = "deepeval:hallucination", "deepeval:hallucination(version=4.3)"
        older = "deepeval:hallucination(version=4.1)"
        rows = [{"question": "?", "contexts": ["Aa."], "answer": "Aa."}]
        result = evaluate(rows, [newer, older], Scripted(judge(told(Aa="yes"))), store=db)
        about = result.run.config["about"]
        directions = {label: about[label]["higher_is_better"] for label in (newer, older)}
        assert directions == {newer: True, older: False}
        for rules in (Rules(max={plain: 0.2}), Rules(min={plain: 0.8})):
            with pytest.raises(InputError, match=r"up to 4\.1 it was the share"):
                gate(result, rules)
        with pytest.raises(InputError, match="name the version"):
            pytest_plugin.check_demand(plain, "<=", 0.2)
        held = gate(result, Rules(min={newer: 0.8}, max={older: 0.2}, on="mean"))
        assert [check.verdict for check in held.checks if check.rule[0] in "<>"] == ["pass"] * 2

    async def test_reference_contexts_do_where_nothing_was_recorded_as_retrieved(self, db):
        row = {"input": "?", "actual_output": "Aa.", "retrieval_context": None, "context": ["One."]}
        rows = [row, {**row, "retrieval_context": ["Two.", "Three."]}]
        script = Scripted(judge(told(Aa="no")))
        result = evaluate(rows, "deepeval:hallucination", script, store=db)
        texts = [[part.text for part in found.parts] for found in result["deepeval:hallucination"]]
        assert texts == [["One."], ["Two.", "Three."]]

    async def test_empty_contexts_do_not_count(self):
        sample = Sample(id="1", question="?", contexts=("", "One."), answer="Aa.")
        found = await scripts.score(DeepEvalHallucination(), sample, judge(told(Aa="no")))
        assert found.value == 0.0
        assert [part.context for part in found.parts] == [1]


X1, X2 = ToolCall("a", {"x": 1}), ToolCall("a", {"x": 2})
NESTED, OTHER = ToolCall("b", {"y": {"u": 1, "v": 2}, "z": 3}), ToolCall("b", {"y": {"u": 1}})


class TestToolCorrectness:
    @over(
        ("made", "wanted", "values"),
        [  # what DeepEval 4.3.1 finds: free, kept, exact; then with arguments
            ([X1], [X1], (1, 1, 1, 1, 1, 1)),
            ([X1, NESTED], [X1], (1, 1, 0, 1, 1, 0)),
            ([NESTED, X1], [X1, NESTED], (1, 1 / 2, 0, 1, 1 / 2, 0)),
            ([X1], [X2], (1, 1, 1, 0, 0, 0)),
            ([X1, X2], [X2, X2], (1, 1, 1, 1 / 2, 1 / 2, 0)),
            ([X1, X1], [X1, X1], (1 / 2, 1, 1, 1 / 2, 1, 1)),
            ([OTHER], [NESTED], (1, 1, 1, 1 / 4, 1 / 4, 0)),
            ([], [X1], (0, 0, 0, 0, 0, 0)),
            ([X1], [], (0, 0, 0, 0, 0, 0)),
        ],
    )
    async def test_tools_are_found_by_name_and_arguments_where_asked_for(
        self, made, wanted, values
    ):
        metrics = [
            DeepEvalToolCorrectness(arguments=arguments, order=order)
            for arguments in (False, True)
            for order in ("free", "kept", "exact")
        ]
        turns = (Turn("user", "?"), Turn("assistant", "", tool_calls=tuple(made)))
        sample = Sample(id="1", turns=turns, reference_tool_calls=tuple(wanted))
        found = [(await scripts.score(metric, sample, {})).value for metric in metrics]
        assert found == pytest.approx(values)

    async def test_where_no_tool_was_called_and_none_expected_there_is_nothing_to_count(self):
        sample = Sample(id="1", turns=(Turn("user", "?"),), reference_tool_calls=())
        assert isinstance(await scripts.score(DeepEvalToolCorrectness(), sample, {}), Unscored)
