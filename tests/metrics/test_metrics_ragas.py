"""The variants that count as ragas 0.4.3 does, and where they part from ours."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import Embed, SplitStatements
from support.over import over
from support.scripts import (
    Watched,
    as_json,
    by_sentence,
    questions,
    score,
    split,
    useful,
    verify_if,
)

SAMPLE = Sample(
    id="1", question="?", contexts=("one", "two"), answer="A. B. C. D.", reference="A. B. E."
)
JUDGE = {
    "split_statements": by_sentence,
    "verify_statements": verify_if(lambda text, contexts: text in contexts[0]),
}


async def value(name, judge=None, sample=SAMPLE):
    """The number, or why there is none."""
    found = await score(parse(name), sample, judge or JUDGE)
    return found.why if isinstance(found, Unscored) else found.value


class TestFactualCorrectness:
    @over(
        ("mode", "ragas", "ours"),
        [
            ("precision", 2 / 4, 2 / 4),
            # Theirs divides statements of the answer by them and statements of the reference:
            # with 2 true positives and 1 false negative that happens to be 2 of 3.
            ("recall", 0.67, 2 / 3),
            ("f1", 0.57, 4 / 7),
        ],
    )
    async def test_numbers_are_rounded_to_two_decimals(self, mode, ragas, ours):
        assert await value(f"ragas:factual_correctness(mode={mode})") == ragas
        assert await value(f"factual_correctness(mode={mode},short=false)") == pytest.approx(ours)

    @over(("mode", "exact"), [("precision", 2 / 4), ("recall", 2 / 3), ("f1", 4 / 7)])
    async def test_the_exact_value_is_one_parameter_away(self, mode, exact):
        found = await value(f"ragas:factual_correctness(mode={mode},exact=true)")
        assert found == pytest.approx(exact, abs=1e-15)

    async def test_recall_mixes_statements_of_both_texts(self):
        # Three statements of the answer stand in the one sentence of the reference, which names
        # more than the answer: 3 TP, 1 FN. Of the reference nothing was told, so ours is 0.
        sample = Sample(id="1", question="?", answer="A. B. C.", reference="A. B. C. E.")
        judge = {
            **JUDGE,
            "split_statements": lambda task: (
                split(task.text) if "E" in task.text else by_sentence(task)
            ),
        }
        assert await value("ragas:factual_correctness(mode=recall)", judge, sample) == 0.75
        assert await value("factual_correctness(mode=recall)", judge, sample) == 0

    async def test_texts_are_split_as_coarsely_as_ragas_does_and_without_the_question(self):
        watched = Watched(Scripted(JUDGE))
        await score(parse("ragas:factual_correctness(mode=precision)"), SAMPLE, watched)
        (asked,) = [task for task, _ in watched.asked if isinstance(task, SplitStatements)]
        assert asked == SplitStatements("", SAMPLE.answer, "low", "low")

    @over("mode", ["f1", "precision", "recall"])
    async def test_no_statement_or_an_empty_answer_is_0_an_empty_reference_undefined(self, mode):
        name = f"ragas:factual_correctness(mode={mode})"
        assert await value(name, {"split_statements": split()}) == 0
        empty = Sample(id="1", answer=" ", reference="A.")
        assert await value(name, sample=empty) == 0
        empty = Sample(id="1", answer="A.", reference=" ")
        assert await value(name, sample=empty) == "undefined"

    @over(("answer", "rounded"), [(3, 0.33), (8, 0.12), (40, 0.02)])
    async def test_an_epsilon_comes_before_rounding(self, answer, rounded):
        sample = Sample(id="1", answer=" ".join(f"N{n}." for n in range(answer)), reference="N0.")
        assert await value("ragas:factual_correctness(mode=precision)", sample=sample) == rounded


class TestAnswerCorrectness:
    JUDGE = {  # noqa: RUF012
        **JUDGE,
        "embed": lambda task: Embed.reply((0.6, 0.8) if "E" in task.text else (1, 0)),
    }
    SAMPLE = Sample(id="1", question="?", answer="A. B. C.", reference="A. B. C. E.")

    async def test_it_takes_f_beta_of_counts(self):
        # TP 3, FP 0, FN 1: F1 = 3 / 3.5; the cosine is 0.6.
        found = await value("ragas:answer_correctness", self.JUDGE, self.SAMPLE)
        assert found == pytest.approx(0.75 * 3 / 3.5 + 0.25 * 0.6, abs=1e-6)

    async def test_the_details_are_the_shares_that_it_takes(self):
        judge = {**self.JUDGE, "split_statements": by_sentence}
        judge["verify_statements"] = verify_if(lambda text, contexts: text in "A. B. C. R.")
        sample = Sample(id="1", question="?", answer="A. B. C. D.", reference="R. S.")
        found = await score(parse("ragas:answer_correctness"), sample, judge)
        shares = {"precision": 0.75, "recall": 0.75}
        assert found.details == {**shares, "TP": 3, "FP": 1, "FN": 1}
        assert found.parts[0].value == 0.75

    def test_its_range_is_that_of_its_weights(self):
        assert parse("ragas:answer_correctness(similarity_weight=0)").range == (0, 1)

    async def test_beta_weighs_recall(self):
        alone = "ragas:answer_correctness(similarity_weight=0,beta=2)"
        found = await value(alone, self.JUDGE, self.SAMPLE)
        assert found == pytest.approx(5 * 0.75 / (4 * 1 + 0.75))

    async def test_no_statement_is_no_perfect_answer(self):
        judge = {**self.JUDGE, "split_statements": split()}
        assert await value("ragas:answer_correctness", judge, self.SAMPLE) == "undefined"


class TestAnswerRelevancy:
    SAMPLE = Sample(id="1", question="asked", answer="answered")
    VECTORS = {"asked": Embed.reply((1, 0)), "why?": Embed.reply((0.6, 0.8))}  # noqa: RUF012

    def judge(self, *evasive):
        """Question n is said to be of an evasive answer or not."""
        said = [questions("why?", noncommittal=bool(one)) for one in evasive]
        return Watched(Scripted({"generate_questions": said, "embed": self.VECTORS}))

    @over(
        ("evasive", "by_all", "by_any"),
        [((0, 0, 0), 0.6, 0.6), ((1, 0, 0), 0.6, 0), ((1, 1, 1), 0, 0)],
    )
    async def test_an_answer_that_evades_scores_0(self, evasive, by_all, by_any):
        name = "ragas:answer_relevancy"
        found = await value(name, self.judge(*evasive), self.SAMPLE)
        assert found == pytest.approx(by_all, abs=1e-6)
        found = await value(f"{name}(noncommittal=any)", self.judge(*evasive), self.SAMPLE)
        assert found == pytest.approx(by_any, abs=1e-6)

    async def test_every_question_is_a_draw_of_its_own(self):
        judge = self.judge(0, 1)
        found = await score(parse("ragas:answer_relevancy(strictness=2)"), self.SAMPLE, judge)
        drawn = [(task.n, draw) for task, draw in judge.asked if task.kind == "generate_questions"]
        assert drawn == [(1, 0), (1, 1)]
        assert [part.label for part in found.parts] == ["generated", "noncommittal"]
        assert found.details == {"noncommittal": False}

    async def test_an_empty_answer_is_0_and_an_empty_question_undefined(self):
        empty = Sample(id="1", question="?", answer="")
        assert await value("ragas:answer_relevancy", self.judge(0), empty) == 0
        empty = Sample(id="1", question=" ", answer="A.")
        assert await value("ragas:answer_relevancy", self.judge(0), empty) == "undefined"

    def test_an_unknown_rule_or_number_is_refused(self):
        with pytest.raises(InputError, match="noncommittal must be all or any, not 'some'"):
            parse("ragas:answer_relevancy(noncommittal=some)")
        with pytest.raises(InputError, match="strictness must be a whole number"):
            parse("ragas:answer_relevancy(strictness=0)")


class TestContexts:
    @over("name", ["context_precision", "context_precision_without_reference"])
    async def test_precision_is_never_quite_1(self, name):
        judge = {"judge_contexts": useful(1, 0)}
        assert await value(f"ragas:{name}", judge) == 1 / (1 + 1e-10)
        assert await value(name, judge) == 1

    async def test_entities_are_compared_letter_by_letter(self):
        named = {
            "A. B. E.": '{"entities": ["Paris", "Rome"]}',
            "one\ntwo": '{"entities": ["paris", "Rome"]}',
        }
        judge = {"name_entities": lambda task: named[task.text]}
        assert await value("ragas:context_entity_recall", judge) == pytest.approx(1 / 2, abs=1e-8)

    @over(
        ("variant", "wanted", "labels"),
        [
            ("collections", 2 / 3, ["found", "found", "not found"]),
            ("legacy", 2 / 5, ["found", "found", "not found", "repeated", "repeated"]),
        ],
    )
    async def test_ragas_has_two_ways_to_count_what_is_named_twice(self, variant, wanted, labels):
        named = {
            "A. B. E.": '{"entities": ["Paris", "Rome", "Paris", "Oslo", "Oslo"]}',
            "one\ntwo": '{"entities": ["Rome", "Paris", "Rome"]}',
        }
        judge = {"name_entities": lambda task: named[task.text]}
        metric = parse(f"ragas:context_entity_recall(variant={variant})")
        found = await score(metric, SAMPLE, judge)
        assert found.value == pytest.approx(wanted, abs=1e-8)
        assert [part.label for part in found.parts] == labels

    def test_collections_go_before_legacy_and_there_is_no_third(self):
        newer = parse("ragas:context_entity_recall(variant=collections)")
        assert parse("ragas:context_entity_recall") == newer
        with pytest.raises(InputError, match="variant must be collections or legacy"):
            parse("ragas:context_entity_recall(variant=third)")

    async def test_no_entity_is_0(self):
        judge = {"name_entities": as_json({"entities": []})}
        assert await value("ragas:context_entity_recall", judge) == 0

    @over("name", ["faithfulness", "context_precision", "context_precision_without_reference"])
    async def test_nothing_retrieved_is_0(self, name):
        nothing = Sample(id="1", question="?", contexts=(), answer="A.", reference="A.")
        assert await value(f"ragas:{name}", sample=nothing) == 0
        without = Sample(id="1", question="?", contexts=(), answer="A.", reference=" ")
        expected = "undefined" if name == "context_precision" else 0
        assert await value(f"ragas:{name}", sample=without) == expected

    async def test_contexts_of_an_empty_answer_are_0(self):
        empty = Sample(id="1", question="?", contexts=("one",), answer="")
        assert await value("ragas:context_precision_without_reference", sample=empty) == 0

    async def test_faithfulness_is_that_of_ours(self):
        assert await value("ragas:faithfulness") == await value("faithfulness")


def test_what_ragas_computes_as_we_do_is_found_under_its_name():
    assert parse("ragas:noise_sensitivity") == parse("noise_sensitivity")
