"""Statements that count, by verdicts and by probabilities, on cases made by hand."""

from dataclasses import replace

import pytest

from assay import evaluate
from assay.bench.correctness import correctness
from assay.bench.judge import JudgeUnderTest
from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import (
    AnswerCorrectness,
    ContextRecall,
    FactualCorrectness,
    Faithfulness,
    PaperFaithfulness,
    parse,
)
from assay.metrics.correctness import f_beta
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import Embed, SplitStatements, Verdict, VerifyStatements
from support import scripts
from support.over import over
from support.scripts import Watched, by_sentence, score, split, verify, verify_if

EXPECTED = "the expected value, by the judge's probabilities"
SAMPLE = Sample(
    id="1",
    question="?",
    contexts=("one", "two"),
    answer="A. B. C. D.",
    reference="A. B. E.",
)


def contains(statement, contexts):
    return any(statement in context for context in contexts)


class TestFaithfulness:
    @over(
        ("verdicts", "value"),
        [
            ((True, True, True, True), 1.0),
            ((True, True, False, False), 0.5),
            ((False, False, False, True), 0.25),
            ((False, False, False, False), 0.0),
        ],
    )
    async def test_it_is_the_share_of_supported_statements(self, verdicts, value):
        judge = {"split_statements": by_sentence, "verify_statements": verify(*verdicts)}
        found = await score(Faithfulness(), SAMPLE, judge)
        assert found.value == value
        assert [part.value for part in found.parts] == [float(v) for v in verdicts]
        assert {part.label for part in found.parts} <= {"supported", "unsupported"}

    async def test_every_statement_is_evidence_with_reason_and_place_in_the_answer(self):
        judge = {"split_statements": by_sentence, "verify_statements": verify(1, 1, 1, 1)}
        found = await score(Faithfulness(), SAMPLE, judge)
        assert [(p.kind, p.text, p.reason) for p in found.parts] == [
            ("statement", text, "as told") for text in ("A.", "B.", "C.", "D.")
        ]
        assert [SAMPLE.answer[slice(*p.span)] for p in found.parts] == ["A.", "B.", "C.", "D."]

    async def test_unsupported_words_are_marked_in_the_answer(self):
        def told(task):
            return VerifyStatements.reply(
                [Verdict("s1", supported=False, spans=((13, 17),), contradicted=True)]
            )

        def named(task):
            return SplitStatements.reply([("The tower is blue.", "It is **blue**.")])

        sample = Sample(id="1", question="?", contexts=("one",), answer="So: It is **blue**.")
        judge = {"split_statements": named, "verify_statements": told}
        found = await score(Faithfulness(), sample, judge)
        ((start, end),) = found.parts[0].marks
        assert sample.answer[start:end] == "blue"

    async def test_all_contexts_are_seen_at_once(self):
        judge = Watched(scripts.plausible())
        await score(Faithfulness(), SAMPLE, judge)
        (asked,) = [task for task, _ in judge.asked if isinstance(task, VerifyStatements)]
        assert asked.contexts == SAMPLE.contexts

    async def test_no_statement_is_undefined(self):
        found = await score(Faithfulness(), SAMPLE, {"split_statements": split()})
        assert found == Unscored("undefined", "the answer makes no statement")

    @over("contexts", [(), ("",), (" ", "\n")])
    @over("metric", [Faithfulness(), PaperFaithfulness()])
    async def test_without_a_context_nothing_is_supported_and_no_verdict_is_asked(
        self, metric, contexts
    ):
        judge = {"split_statements": by_sentence, "paper_statements": "A.\nB."}
        sample = Sample(id="1", question="?", contexts=contexts, answer="A. B.")
        found = await score(metric, sample, judge)
        assert (found.value, [p.label for p in found.parts]) == (0.0, ["unsupported"] * 2)

    @over("metric", [Faithfulness(), PaperFaithfulness()])
    async def test_an_empty_answer_is_undefined_and_nobody_is_asked(self, metric):
        sample = Sample(id="1", question="?", contexts=("c",), answer=" ")
        judge = Watched(scripts.plausible())
        assert (await score(metric, sample, judge)).why == "undefined"
        assert judge.asked == []

    async def test_the_papers_words_give_the_papers_share(self):
        judge = {
            "paper_statements": "1. A.\n2. B.\n3. C.",
            "paper_verdicts": "A is there.\nB is not.\nC is.\nFinal verdict: Yes. No. Yes.",
        }
        found = await score(PaperFaithfulness(), SAMPLE, judge)
        assert found.value == pytest.approx(2 / 3)
        assert [p.reason for p in found.parts] == ["A is there.", "B is not.", "C is."]


class TestContextRecall:
    async def test_it_is_the_share_of_the_references_statements(self):
        judge = {"split_statements": by_sentence, "verify_statements": verify(1, 1, 0)}
        found = await score(ContextRecall(), SAMPLE, judge)
        assert found.value == pytest.approx(2 / 3)
        assert [p.text for p in found.parts] == ["A.", "B.", "E."]
        assert {p.kind for p in found.parts} == {"reference statement"}

    async def test_a_reference_without_statements_is_undefined(self):
        found = await score(ContextRecall(), SAMPLE, {"split_statements": split()})
        assert found == Unscored("undefined", "the reference makes no statement")

    async def test_with_nothing_retrieved_it_is_0(self):
        sample = Sample(id="1", question="?", contexts=(), reference="A.")
        assert (await score(ContextRecall(), sample, {"split_statements": by_sentence})).value == 0


class TestFactualCorrectness:
    JUDGE = {"split_statements": by_sentence, "verify_statements": verify_if(contains)}  # noqa: RUF012

    @over(
        ("answer", "reference", "precision", "recall"),
        [
            ("A. B.", "A. B.", 1, 1),
            ("A. B. C. D.", "A. B. E.", 2 / 4, 2 / 3),
            ("A. B.", "A. B. C. D.", 1, 2 / 4),
            ("A. B. C. D.", "A.", 1 / 4, 1),
            ("A. B.", "C. D.", 0, 0),
        ],
    )
    async def test_precision_recall_and_f1_on_statements_of_their_own_side(
        self, answer, reference, precision, recall
    ):
        sample = Sample(id="1", question="?", answer=answer, reference=reference)
        values = {
            mode: (
                await score(FactualCorrectness(mode=mode, short=False), sample, self.JUDGE)
            ).value
            for mode in ("precision", "recall", "f1")
        }
        f1 = 2 * precision * recall / (precision + recall) if precision else 0
        assert values == pytest.approx({"precision": precision, "recall": recall, "f1": f1})

    async def test_classes_are_counted_and_every_statement_has_one(self):
        found = await score(FactualCorrectness(short=False), SAMPLE, self.JUDGE)
        assert [(p.text, p.label) for p in found.parts] == [
            ("A.", "TP"),
            ("B.", "TP"),
            ("C.", "FP"),
            ("D.", "FP"),
            ("A.", "covered"),
            ("B.", "covered"),
            ("E.", "FN"),
        ]
        assert found.details == pytest.approx(
            {"precision": 0.5, "recall": 2 / 3, "TP": 2, "FP": 2, "FN": 1}
        )
        assert found.value == pytest.approx(2 / (2 + 0.5 * (2 + 1)))

    @over(("tp", "fp", "fn"), [(1, 0, 0), (2, 1, 1), (3, 0, 5), (1, 4, 0), (5, 2, 7)])
    def test_f1_is_tp_over_tp_and_half_of_fp_and_fn(self, tp, fp, fn):
        assert f_beta(tp / (tp + fp), tp / (tp + fn)) == pytest.approx(tp / (tp + 0.5 * (fp + fn)))

    async def test_beta_weighs_recall(self):
        one, two, half = [
            (await score(FactualCorrectness(beta=beta, short=False), SAMPLE, self.JUDGE)).value
            for beta in (1, 2, 0.5)
        ]
        assert half < one < two  # recall is above precision here
        assert two == pytest.approx(5 * (1 / 2) * (2 / 3) / (4 * (1 / 2) + 2 / 3))

    @over(
        ("mode", "answer", "reference", "detail"),
        [
            ("f1", "", "", "neither"),
            ("precision", "", "A.", "the answer makes no statement"),
            ("recall", "A.", "", "the reference makes no statement"),
        ],
    )
    async def test_it_is_undefined_where_nothing_can_be_counted(
        self, mode, answer, reference, detail
    ):
        sample = Sample(id="1", question="?", answer=answer, reference=reference)
        found = await score(FactualCorrectness(mode=mode), sample, self.JUDGE)
        assert found.why == "undefined"
        assert detail in found.detail

    @over(("answer", "reference"), [("", "A."), ("A.", "")])
    async def test_one_empty_side_scores_0_even_if_the_judge_says_yes_to_everything(
        self, answer, reference
    ):
        sample = Sample(id="1", question="?", answer=answer, reference=reference)
        judge = {**self.JUDGE, "verify_statements": verify_if(lambda *_: True)}
        for mode in ("f1", "precision" if answer else "recall"):
            assert (await score(FactualCorrectness(mode=mode), sample, judge)).value == 0

    @over("beta", [0, -1, float("nan"), float("inf")])
    def test_beta_is_a_finite_number_above_0(self, beta):
        with pytest.raises(InputError, match="beta"):
            FactualCorrectness(beta=beta)

    @over("levels", [{"atomicity": "low"}, {"coverage": "low"}])
    async def test_atomicity_and_coverage_are_asked_of_whoever_splits_both_texts(self, levels):
        judge = Watched(Scripted(self.JUDGE))
        await score(FactualCorrectness(**levels), SAMPLE, judge)
        asked = {task for task, _ in judge.asked if isinstance(task, SplitStatements)}
        assert asked == {
            SplitStatements("?", SAMPLE.answer, **levels),
            SplitStatements("?", SAMPLE.reference, **levels),
        }

    @over("name", ["atomicity", "coverage"])
    def test_a_level_that_does_not_exist_is_refused(self, name):
        with pytest.raises(InputError, match=f"{name} must be low or high, not 'medium'"):
            FactualCorrectness(**{name: "medium"})

    def test_an_unknown_mode_is_refused(self):
        with pytest.raises(InputError, match="f1, precision or recall, not 'F1'"):
            FactualCorrectness(mode="F1")


RECALL_LED = (
    "led by recall beside a short reference: FP is only what contradicts it, beta is {}".format
)


class TestShortReference:
    """The answer's statements are FP only if they contradict what a short reference says."""

    SAMPLE = Sample(
        id="1",
        question="Who built it?",
        answer="Reed built it. It is red. It is in Wells.",
        reference="Ada Reed",
    )

    @staticmethod
    def judge(mine, theirs):
        """Verdicts on the answer's statements, as (probability, contradicted), and on the other."""

        def verify(task):
            given = mine if len(task.statements) == len(mine) else (theirs,)
            return VerifyStatements.reply(
                [
                    Verdict(i, p >= 0.5, probability=p, contradicted=None if p >= 0.5 else c)
                    for i, (p, c) in zip(task.ids, given, strict=True)
                ]
            )

        return {"split_statements": by_sentence, "verify_statements": verify}

    async def test_what_is_beyond_it_costs_nothing(self):
        judge = self.judge([(1.0, None), (0.0, False), (0.0, False)], (1.0, None))
        found = await score(FactualCorrectness(), self.SAMPLE, judge)
        assert found.value == 1.0
        assert [p.label for p in found.parts] == ["TP", "beyond", "beyond", "covered"]
        assert found.method == f"{EXPECTED}; {RECALL_LED(2)}"

    @over("soft", [True, False])
    async def test_what_contradicts_it_does_and_recall_weighs_double(self, soft):
        judge = self.judge([(1.0, None), (0.0, True), (0.0, False)], (1.0, None))
        found = await score(FactualCorrectness(soft=soft), self.SAMPLE, judge)
        assert found.value == pytest.approx(f_beta(1 / 2, 1, 2))
        assert found.details == {"precision": 0.5, "recall": 1, "TP": 1, "FP": 1, "FN": 0}
        assert RECALL_LED(2) in found.method

    async def test_an_answer_that_only_leaves_it_out_is_wrong(self):
        judge = self.judge([(0.1, False), (0.0, False), (0.0, False)], (0.1, False))
        found = await score(FactualCorrectness(), self.SAMPLE, judge)
        assert found.value < 0.2

    async def test_where_all_is_beyond_it_nothing_is_imprecise(self):
        judge = self.judge([(0.0, False)] * 3, (0.0, False))
        found = await score(FactualCorrectness(), self.SAMPLE, judge)
        assert (found.value, found.details["precision"], found.details["FP"]) == (0.0, 1.0, 0.0)

    async def test_ones_own_beta_is_doubled(self):
        judge = self.judge([(1.0, None), (0.0, True), (0.0, False)], (1.0, None))
        found = await score(FactualCorrectness(beta=0.5), self.SAMPLE, judge)
        assert found.value == pytest.approx(f_beta(1 / 2, 1, 1))
        assert RECALL_LED(1) in found.method

    @over("mode", ["precision", "recall"])
    async def test_the_two_shares_stay_as_they_are(self, mode):
        judge = self.judge([(1.0, None), (0.0, False), (0.0, True)], (1.0, None))
        short, plain = [
            await score(FactualCorrectness(mode=mode, short=short), self.SAMPLE, judge)
            for short in (True, False)
        ]
        assert short == plain

    @over(
        ("reference", "led"),
        [
            ("1889", True),
            ("The lighthouse was built by Ada Reed in 1889.", True),
            ("It was built by Ada Reed. She was twenty then.", False),
            (
                "It was Ada Reed, whom the harbour had chosen for it among twelve young builders.",
                False,
            ),
        ],
    )
    async def test_short_is_a_phrase_or_a_short_sentence(self, reference, led):
        sample = replace(self.SAMPLE, reference=reference)
        judge = {"split_statements": by_sentence, "verify_statements": verify_if(lambda *_: True)}
        found = await score(FactualCorrectness(), sample, judge)
        assert (found.method == RECALL_LED(2)) is led

    async def test_answer_correctness_weighs_it(self):
        judge = self.judge([(1.0, None), (0.0, False), (0.0, False)], (1.0, None))
        for short, value in ((True, 1), (False, f_beta(1 / 3, 1))):
            found = await score(AnswerCorrectness(1, 0, short=short), self.SAMPLE, judge)
            assert found.value == pytest.approx(value)


class TestAnswerCorrectness:
    JUDGE = {  # noqa: RUF012
        **TestFactualCorrectness.JUDGE,
        # cos = 0.6 between answer and reference
        "embed": {"A. B. C.": Embed.reply((1, 0)), "A. B. E.": Embed.reply((0.6, 0.8))},
    }

    @over(
        ("weights", "value"),
        [
            ((), 0.75 * 4 / 7 + 0.25 * 0.6),
            ((0.7, 0.3), 0.7 * 4 / 7 + 0.3 * 0.6),
            ((3, 1), 0.75 * 4 / 7 + 0.25 * 0.6),
            ((1, 0), 4 / 7),
            ((0, 1), 0.6),
        ],
    )
    async def test_it_is_the_weighted_mean_of_facts_and_meaning(self, weights, value):
        found = await score(AnswerCorrectness(*weights, short=False), SAMPLE, self.JUDGE)
        assert found.value == pytest.approx(value, abs=1e-6)

    async def test_both_components_stand_first_among_the_evidence(self):
        found = await score(AnswerCorrectness(), SAMPLE, self.JUDGE)
        assert [(p.text, p.label) for p in found.parts[:2]] == [
            ("factual_correctness", "weight 0.75"),
            ("answer_similarity", "weight 0.25"),
        ]

    async def test_without_a_weight_no_embedding_is_asked_for(self):
        judge = {k: v for k, v in self.JUDGE.items() if k != "embed"}
        assert isinstance(await score(AnswerCorrectness(1, 0), SAMPLE, judge), Score)

    async def test_it_is_undefined_where_factual_correctness_is(self):
        judge = {**self.JUDGE, "split_statements": split()}
        assert (await score(AnswerCorrectness(), SAMPLE, judge)).why == "undefined"

    @over("weights", [(0, 0), (-1, 2), (1, -0.1), (float("nan"), 1), (1, float("inf"))])
    def test_weights_are_0_or_more_and_not_both_0(self, weights):
        with pytest.raises(InputError, match="weights must be 0 or more"):
            AnswerCorrectness(*weights)

    @over(("weights", "low"), [((), -0.25), ((3, 1), -0.25), ((0, 2), -1)])
    def test_it_goes_below_0_as_far_as_the_weight_of_meaning_lets_it(self, weights, low):
        metric = AnswerCorrectness(*weights)
        assert (metric.range, metric.ends()) == ((low, 1), [low, 1])

    def test_facts_alone_have_the_interval_and_bounds_of_facts(self, tmp_path):
        rows = [
            {"id": str(n), "question": "?", "answer": "A.", "reference": "A."} for n in range(6)
        ]
        rows.append({**rows[0], "id": "failed", "answer": "X.", "reference": "X."})
        said = verify_if(lambda text, contexts: True)
        judge = scripts.plausible(
            split_statements=by_sentence,
            verify_statements=lambda task: (
                "none" if task.statements[0].text == "X." else said(task)
            ),
        )
        metrics = [FactualCorrectness(), AnswerCorrectness(similarity_weight=0)]
        facts, both = evaluate(rows, metrics, judge, store=tmp_path / "x.db").summary()
        assert (both.mean, both.n_failed) == (1, 1)
        assert (both.interval, both.bounds) == (facts.interval, facts.bounds)
        assert both.interval[0] > 0.6


async def test_the_three_metrics_ask_the_same_task_for_the_answers_statements():
    asked = []
    for metric in (Faithfulness(), FactualCorrectness(), AnswerCorrectness()):
        judge = Watched(scripts.plausible())
        await score(metric, SAMPLE, judge)
        asked.append({task for task, _ in judge.asked if isinstance(task, SplitStatements)})
    assert SplitStatements("?", SAMPLE.answer) in asked[0] & asked[1] & asked[2]


SAMPLE_SOFT = Sample(id="1", question="?", answer="Aa is old. Bb is new.", reference="Cc is big.")


def judge(answer, reference):
    """Probabilities of the answer's two statements and of the reference's one; or True and False."""

    def verify(task):
        given = answer if len(task.statements) == 2 else reference
        return VerifyStatements.reply(
            [
                Verdict(i, p >= 0.5, probability=None if isinstance(p, bool) else p)
                for i, p in zip(task.ids, given, strict=True)
            ]
        )

    return {
        "split_statements": by_sentence,
        "verify_statements": verify,
        "embed": lambda task: Embed.reply([1.0, 0.0]),
    }


async def test_the_counts_are_sums_of_probabilities():
    found = await score(
        parse("factual_correctness(short=false)"), SAMPLE_SOFT, judge((0.9, 0.3), (0.5,))
    )
    precision, recall = (0.9 + 0.3) / 2, 0.5
    assert found.value == pytest.approx(2 * precision * recall / (precision + recall))
    assert found.details == pytest.approx(
        {"precision": 0.6, "recall": 0.5, "TP": 1.2, "FP": 0.8, "FN": 0.5}
    )
    assert [(p.label, p.value) for p in found.parts] == [("TP", 0.9), ("FP", 0.3), ("covered", 0.5)]
    assert found.method == EXPECTED


@over("name", ["factual_correctness", "answer_correctness"])
async def test_without_probabilities_verdicts_are_counted(name):
    said = judge((True, False), (False,))
    soft, counted = [
        await score(parse(f"{name}({how})"), SAMPLE_SOFT, said)
        for how in ("short=false", "soft=false,short=false")
    ]
    assert soft == counted
    assert soft.method == ""


async def test_verdicts_are_counted_on_request():
    found = await score(
        parse("factual_correctness(soft=false,short=false)"),
        SAMPLE_SOFT,
        judge((0.9, 0.3), (0.5,)),
    )
    assert (found.details["TP"], found.details["FP"], found.details["FN"]) == (1, 1, 0)
    assert found.method == ""


async def test_of_a_blank_text_no_probability_is_missing():
    found = await score(
        parse("factual_correctness"),
        Sample(id="1", question="?", answer="", reference="Cc is big."),
        judge((), ()),
    )
    assert (found.value, found.method) == (0.0, "")


async def test_answer_correctness_weighs_the_soft_score():
    said = judge((0.9, 0.3), (0.5,))
    factual = await score(parse("factual_correctness"), SAMPLE_SOFT, said)
    found = await score(parse("answer_correctness"), SAMPLE_SOFT, said)
    assert found.value == pytest.approx(0.75 * factual.value + 0.25)


async def test_it_is_what_the_card_calls_by_probabilities():
    said = judge((0.9, 0.3), (0.5,))
    soft = await score(parse("factual_correctness"), SAMPLE_SOFT, said)
    ((_, weighed),) = correctness(
        JudgeUnderTest(Scripted(said)), [("?", SAMPLE_SOFT.answer, SAMPLE_SOFT.reference)]
    )
    assert weighed.overall == pytest.approx(soft.value)


@over("name", ["ragas:factual_correctness", "ragas:answer_correctness"])
def test_what_ragas_counts_has_no_probabilities(name):
    with pytest.raises(InputError, match="soft"):
        parse(f"{name}(soft=true)")


@over(("yes", "no"), [("true", "false"), ("True", "False")])
def test_yes_and_no_are_written_either_way(yes, no):
    assert parse(f"factual_correctness(soft={yes})").soft is True  # type: ignore[attr-defined]
    assert parse(f"factual_correctness(soft={no})").soft is False  # type: ignore[attr-defined]
