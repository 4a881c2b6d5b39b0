"""Which cause do the facts of one sample show? Facts written by hand, no store and no judge."""

from dataclasses import replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Part, Sample, Score, Unscored
from assay._analysis.diagnosis import CAUSES, REMEDIES
from assay._analysis.diagnosis.classification import diagnosed
from assay._analysis.diagnosis.facts import gather
from assay._analysis.diagnosis.statistics import find_gaps
from support.over import over

SAMPLE = Sample(
    id="hut",
    question="How many beds has the hut?",
    contexts=("The hut has 52 beds.", "Apples are ripe in July."),
    answer="The hut has 52 beds.",
    reference="It has 52 beds.",
)


def score(*parts, value=1.0, **details):
    return Score(value, tuple(parts), details=details)


def said(*labels, p=None, kind="statement"):
    """One statement for each label; its text is its number."""
    parts = [Part(kind, f"{kind} {n}", label, probability=p) for n, label in enumerate(labels)]
    return score(*parts)


def reference(*labels, p=None):
    return said(*labels, p=p, kind="reference statement")


def contexts(*labels):
    return score(*(Part("context", f"c{n}", label) for n, label in enumerate(labels)))


def rated(value, *, noncommittal=False):
    label = "noncommittal" if noncommittal else "rated"
    return score(Part("answer", "...", label, value), value=value, noncommittal=noncommittal)


def look(outcomes, sample=SAMPLE, held=None, within=3):
    return diagnosed(gather(sample, outcomes, held), row=1, within=within)


GOOD = {
    "faithfulness": said("supported"),
    "context_recall": reference("supported"),
    "factual_correctness": score(
        Part("statement", "statement 0", "TP"), Part("reference statement", "r", "covered")
    ),
}


class TestNothingIsPerfectForLackOfEvidence:
    def test_a_sample_of_which_no_metric_says_anything_is_open(self):
        found = look({})
        assert (found.state, found.remark) == (
            "open",
            "no metric says whether the answer is right or supported",
        )

    def test_so_is_one_whose_scores_are_missing(self):
        outcomes = {"faithfulness": Unscored("failed", "no reply")}
        assert look(outcomes).state == "open"

    def test_retrieval_that_was_checked_counts_whether_it_failed_or_not(self):
        known = {"context_ids": ("a", "b"), "reference_context_ids": ("b",)}
        found, lost = (
            look({}, replace(SAMPLE, **known | ids)) for ids in ({}, {"context_ids": ("a",)})
        )
        assert (found.state, lost.state) == ("fine", "failed")
        assert found.checked & {"not_retrieved"}
        assert not found.checked & {"unsupported", "incomplete", "off_topic"}

    def test_what_could_not_be_checked_is_not_said_to_be_checked(self):
        found = look({"faithfulness": said("supported")})
        assert found.state == "fine"
        assert not found.checked & {"ignored", "incomplete", "not_retrieved", "off_topic"}

    def test_a_refusal_is_open_where_it_is_not_known_whether_there_was_an_answer(self):
        found = look({}, replace(SAMPLE, answer="I do not know."))
        assert (found.state, found.causes) == ("open", ())

    def test_a_wrong_answer_is_open_where_it_is_not_known_what_was_retrieved(self):
        told = {"factual_correctness": reference("FN")}
        found = look(told)
        assert found.state == "open"
        assert "does not say what the reference says" in found.remark

    def test_verdicts_that_the_judge_is_not_sure_of_are_no_findings(self):
        unsure = {**GOOD, "faithfulness": said("unsupported", p=0.45)}
        assert (look(unsure).state, look(unsure).causes) == ("uncertain", ())
        assert "uncertain whether the contexts support" in look(unsure).remark
        assert look({**GOOD, "faithfulness": said("unsupported", p=0.2)}).state == "failed"


MISSING = {"faithfulness": said("unsupported"), "context_recall": reference("unsupported")}


class TestRetrieval:
    def test_without_known_contexts_corpus_and_retrieval_are_not_told_apart(self):
        found = look(MISSING)
        assert found.main.cause == "not_in_contexts"
        assert found.main.evidence[0].text == "reference statement 0"
        assert "not_retrieved" not in found.checked

    @over(
        "known",
        [
            {"reference_contexts": ("The hut sleeps 52.",)},
            {"reference_context_ids": ("d9",), "context_ids": ("d1", "d2")},
            {"relevance_grades": {"d9": 2}, "context_ids": ("d1", "d2")},
        ],
    )
    def test_with_them_it_is_retrieval(self, known):
        sample = replace(SAMPLE, contexts=("Bread is baked.", "Apples are ripe."), **known)
        found = look(MISSING, sample)
        assert found.main.cause == "not_retrieved"
        assert found.main.evidence[0].why == "known to be right, not retrieved"
        assert found.contributing[0].cause == "unsupported"

    @over(
        "known",
        [
            {"reference_contexts": ()},
            {"reference_context_ids": ()},
            {"relevance_grades": {"d1": 0}},
        ],
    )
    def test_with_an_empty_list_of_them_it_is_the_corpus(self, known):
        assert look(MISSING, replace(SAMPLE, **known)).main.cause == "not_in_corpus"

    def test_what_not_even_the_right_contexts_hold_is_not_in_the_corpus(self):
        sample = replace(SAMPLE, reference_contexts=("The hut has 52 beds.",))
        held = {"context_recall": reference("unsupported")}
        assert look(MISSING, sample, held).main.cause == "not_in_corpus"

    def test_nothing_is_lost_where_another_document_says_the_same(self):
        sample = replace(SAMPLE, reference_context_ids=("d9",), context_ids=("d1", "d2"))
        assert look(GOOD, sample).state == "fine"
        # ... nor claimed to be lost by a judge that found all of it.
        found = look({**GOOD, "faithfulness": said("unsupported")}, sample)
        assert found.causes == ("unsupported",)

    def test_a_right_context_that_is_given_twice_is_not_lost_for_being_found_once(self):
        given = Sample(
            id="a", answer="x", contexts=("alpha beta",), reference_contexts=("alpha beta",) * 2
        )
        assert gather(given, {}).known.lost == ()

    def test_a_right_context_is_known_by_its_words_however_it_was_cut(self):
        sample = replace(
            SAMPLE,
            contexts=("x", "Far up: the hut  has 52 BEDS. It is made of wood."),
            reference_contexts=("The hut has 52 beds.",),
        )
        assert gather(sample, {}).known.first == 2

    def test_the_rank_counts_only_where_the_answer_failed(self):
        ids = ("a", "b", "c", "d9")
        sample = replace(SAMPLE, contexts=ids, context_ids=ids, reference_context_ids=("d9",))
        refused = replace(sample, answer="I do not know.")
        found = look({}, refused)
        assert found.causes == ("ranked_too_low", "wrong_refusal")
        assert found.main.evidence[0].rank == 4
        assert look(GOOD, sample).state == "fine"
        assert look({}, refused, within=4).causes == ("wrong_refusal",)

    def test_a_context_that_was_not_handed_on_is_too_low_at_any_rank(self):
        sample = replace(
            SAMPLE, context_ids=("a", "b", "d9"), reference_context_ids=("d9",), answer=""
        )
        found = look({}, sample)
        # The generator was not given it, so it did not decline with the answer at hand.
        assert found.causes == ("ranked_too_low",)
        assert found.main.evidence[0].why.endswith("only 2 were handed on")
        # Nor did it ignore what it was given, unless other contexts held all of it.
        wrong = replace(sample, answer="It has 7 beds.")
        told = {"factual_correctness": reference("FN")}
        missing = {"context_recall": reference("unsupported")}
        assert look({**told, **missing}, wrong).causes == ("ranked_too_low",)
        assert look({**told, "context_recall": reference("supported")}, wrong).causes == (
            "ignored",
        )

    @pytest.mark.parametrize(
        ("texts", "cause"),
        [
            ({"made up": "absent", "right": "supported"}, "over_claimed"),
            # What is right and unsupported came from elsewhere: it did go without the context.
            ({"made up": "supported", "right": "absent"}, "ranked_too_low"),
        ],
    )
    def test_an_answer_that_says_all_of_it_did_not_go_without_the_context(self, texts, cause):
        ids = ("a", "b", "c", "d9")
        sample = replace(SAMPLE, contexts=ids, context_ids=ids, reference_context_ids=("d9",))
        made = score(*(Part("statement", text, label) for text, label in texts.items()))
        told = score(
            Part("statement", "made up", "FP"),
            Part("statement", "right", "TP"),
            Part("reference statement", "right", "covered"),
        )
        outcomes = {"hallucination_spans": made, "context_recall": reference("supported")}
        assert look({**outcomes, "factual_correctness": told}, sample).main.cause == cause
        # Where it is not known which statements are right, some support is enough.
        found = look({**outcomes, "completeness": reference("told")}, sample)
        assert found.causes == ("over_claimed",)

    def test_by_verdicts_the_first_useful_context_tells_the_rank(self):
        outcomes = {
            "context_recall": reference("supported"),
            "context_precision": contexts(*["not useful"] * 3, "useful"),
        }
        sample = replace(SAMPLE, answer="I do not know.", contexts=("a", "b", "c", "d"))
        assert look(outcomes, sample).main.cause == "ranked_too_low"

    def test_retrieval_can_be_told_without_an_answer(self):
        sample = replace(SAMPLE, answer=None, context_ids=("a", "b"), reference_context_ids=("d9",))
        assert look({}, sample).main.cause == "not_retrieved"
        found = replace(sample, context_ids=("d9", "b"))
        assert look({}, found).state == "fine"


class TestQuotedWords:
    """Rows of `assay testset` quote the words that bear the reference out."""

    PASSAGE = "The hut stands above the lake. | `beds` | **52** in four rooms |"
    QUOTED = replace(
        SAMPLE,
        answer="I do not know.",
        reference_contexts=(PASSAGE,),
        metadata={"quotes": ["| `beds` | **52** in four rooms |"]},
    )

    def look_at(self, *chunks, outcomes=None):
        return look(outcomes or {}, replace(self.QUOTED, contexts=chunks))

    def test_mark_up_aside_they_say_what_was_retrieved(self):
        assert self.look_at("beds: 52 in four rooms").main.cause == "wrong_refusal"
        joined = ("The hut stands above the lake. beds 52", "in four rooms")
        assert self.look_at(*joined).main.cause == "wrong_refusal"
        lost = self.look_at("Apples are ripe in July.")
        assert lost.main.cause == "not_retrieved"
        assert lost.main.evidence[0].text == "| `beds` | **52** in four rooms |"

    def test_a_chunk_that_was_cut_beside_them_is_too_small(self):
        cut = self.look_at("Apples are ripe.", "The hut stands above the lake.")
        assert cut.main.cause == "cut_apart"
        assert cut.main.evidence[0].why == "not retrieved: the chunk of rank 2 was cut beside it"
        (remedy,) = [remedy for remedy in REMEDIES if "cut_apart" in remedy.causes]
        assert remedy.advice.startswith("Cut larger chunks")

    def test_no_verdict_outweighs_that_they_are_missing_and_the_system_declined(self):
        held = {"context_recall": reference("supported"), "over_refusal": score(value=1.0)}
        lost = self.look_at("Apples are ripe in July.", outcomes=held)
        assert lost.causes == ("not_retrieved", "wrong_refusal")
        # An answer that other contexts support shows that they were enough.
        answered = replace(
            self.QUOTED, answer="It has 52 beds.", contexts=("52 people sleep here",)
        )
        assert look(GOOD, answered).state == "fine"

    def test_data_without_quotes_are_not_told_to_have_some(self):
        gaps = find_gaps([look(GOOD), look({}, replace(SAMPLE, answer=None))])
        assert "cut_apart" not in {gap.cause for gap in gaps}


def test_no_metric_is_asked_for_that_a_question_without_an_answer_has_no_use_for():
    sample = replace(SAMPLE, reference=None, answerable=False)
    gaps = find_gaps([look({"faithfulness": said("unsupported")}, sample)])
    assert not {gap.cause for gap in gaps} & {"ignored", "incomplete"}


class TestSupportIsNotCorrectness:
    """An answer may rest on wrong contexts; what was lost does no harm only to a right answer."""

    FAITHFUL: ClassVar = {"faithfulness": said("supported")}

    def test_a_faithful_answer_does_not_excuse_retrieval(self):
        found = look({**self.FAITHFUL, "context_recall": reference("unsupported")})
        assert found.causes == ("not_in_contexts",)
        ids = {"context_ids": ("d1", "d2"), "reference_context_ids": ("d9",)}
        assert look(self.FAITHFUL, replace(SAMPLE, **ids)).causes == ("not_retrieved",)
        # ... but one that also says what the reference says does.
        right = {**self.FAITHFUL, "completeness": reference("told")}
        assert look(right, replace(SAMPLE, **ids)).state == "fine"

    def test_nor_is_it_blamed_on_the_rank_of_what_was_handed_on(self):
        ids = ("a", "b", "c", "d9")
        sample = replace(SAMPLE, contexts=ids, context_ids=ids, reference_context_ids=("d9",))
        assert look(self.FAITHFUL, sample).state == "fine"


class TestRetrievedInPart:
    """Some of the right contexts are there, and no verdict says what they hold."""

    BOTH: ClassVar = {"context_ids": ("d1", "d2"), "reference_context_ids": ("d1", "d9")}

    def test_what_should_have_been_retrieved_was_lost(self):
        found = look({}, replace(SAMPLE, answer=None, **self.BOTH))
        assert found.causes == ("not_retrieved",)
        assert [one.text for one in found.main.evidence] == ["d9"]
        assert look(GOOD, replace(SAMPLE, **self.BOTH)).state == "fine"

    def test_the_generator_is_not_blamed_for_what_it_may_not_have_had(self):
        refused = replace(SAMPLE, answer="I do not know.", **self.BOTH)
        assert look({}, refused).causes == ("not_retrieved",)
        wrong = {"factual_correctness": reference("FN")}
        assert look(wrong, replace(SAMPLE, **self.BOTH)).causes == ("not_retrieved",)

    def test_without_an_answer_no_metric_of_answers_is_asked_for(self):
        known = {"context_ids": ("d1",), "reference_context_ids": ("d1",)}
        for sample in (
            replace(SAMPLE, answer=None, **known),
            replace(SAMPLE, answer=None, failure="time-out"),
        ):
            shown = find_gaps([look({}, sample)])
            assert {CAUSES[gap.cause].part for gap in shown} <= {"corpus", "retrieval"}

    def test_of_an_answer_that_is_empty_no_metric_of_answers_is_asked_for(self):
        shown = find_gaps([look({}, replace(SAMPLE, answer=" "))])
        assert {CAUSES[gap.cause].part for gap in shown} <= {"corpus", "retrieval"}

    def test_without_contexts_nobody_is_asked_whether_one_says_otherwise(self):
        outcomes = {**GOOD, "faithfulness": said("unsupported")}
        for texts, asked in (((), False), ((" ",), False), (SAMPLE.contexts, True)):
            shown = {
                gap.cause for gap in find_gaps([look(outcomes, replace(SAMPLE, contexts=texts))])
            }
            assert ("contradicted" in shown) is asked

    def test_of_graded_documents_one_may_be_enough(self):
        graded = {"context_ids": ("d1", "d2"), "relevance_grades": {"d1": 2, "d9": 1}}
        assert look({}, replace(SAMPLE, answer=None, **graded)).state == "fine"

    def test_one_context_may_hold_several_right_ones(self):
        texts = ("The hut has 52 beds.", "It has a kitchen.")
        sample = replace(SAMPLE, contexts=(" ".join(texts),), reference_contexts=texts)
        assert gather(sample, {}).known.lost == ()


class TestRightContextsWithoutTheReference:
    """The data say that the context is right, the verdicts that the reference is not in it."""

    KNOWN = replace(SAMPLE, reference_contexts=("The hut has 52 beds.",))
    WANTED: ClassVar = {"context_recall": reference("unsupported", "unsupported")}
    WRONG: ClassVar = {**WANTED, "factual_correctness": reference("FN", "FN")}

    @pytest.mark.parametrize("rank", [1, 4])
    def test_the_answer_is_not_blamed(self, rank):
        contexts = (*("Bread is baked.",) * (rank - 1), "The hut has 52 beds.")
        sample = replace(self.KNOWN, contexts=contexts)
        refused = replace(sample, answer="I do not know.", answerable=True)
        for found in (look(self.WRONG, sample), look(self.WANTED, refused)):
            assert (found.state, found.causes) == ("open", ())
            assert "does not hold the reference" in found.remark
            assert not found.checked & found.untold
        assert {"ignored", "incomplete"} <= look(self.WRONG, sample).untold
        assert look(self.WANTED, refused).untold == {"wrong_refusal"}

    def test_no_further_fact_is_asked_for(self):
        shown = {gap.cause for gap in find_gaps([look(self.WRONG, self.KNOWN)])}
        assert not shown & {"ignored", "incomplete", "wrong_refusal"}

    def test_what_no_context_supports_is_found_all_the_same(self):
        found = look({**self.WRONG, "faithfulness": said("unsupported")}, self.KNOWN)
        assert found.causes == ("unsupported",)
        assert "does not hold the reference" in found.remark

    def test_a_judge_that_is_not_sure_of_all_parts_disputes_nothing(self):
        for labels, p in ((("unsupported",), 0.4), (("supported", "unsupported"), None)):
            outcomes = {**self.WRONG, "context_recall": reference(*labels, p=p)}
            assert look(outcomes, self.KNOWN).causes == ("ignored",)

    def test_an_answer_that_says_what_the_reference_says_is_fine(self):
        assert look({**GOOD, **self.WANTED}, self.KNOWN).state == "fine"

    def test_what_was_not_retrieved_may_hold_it(self):
        both = (*self.KNOWN.reference_contexts, "Elsewhere, wool is spun.")
        found = look(self.WRONG, replace(self.KNOWN, reference_contexts=both))
        assert found.causes == ("not_retrieved",)


class TestRefusals:
    def test_declining_with_the_answer_at_hand_is_wrong(self):
        sample = replace(SAMPLE, answer="I do not know.")
        found = look({"context_recall": reference("supported")}, sample)
        assert found.causes == ("wrong_refusal",)
        assert found.main.evidence[0].why == "declines: I do not know"

    def test_the_judge_goes_before_the_wording(self):
        sample = replace(SAMPLE, answer="There are several views of that.", answerable=True)
        found = look({"answer_relevancy": rated(0.1, noncommittal=True)}, sample)
        assert found.main.cause == "wrong_refusal"
        assert found.main.evidence[0].metric == "answer_relevancy"

    @pytest.mark.parametrize(
        "unanswerable", [{"answerable": False}, {"reference": "I do not know."}]
    )
    def test_without_an_answer_declining_is_right_and_answering_wrong(self, unanswerable):
        sample = replace(SAMPLE, **unanswerable)
        found = look({"faithfulness": said("unsupported")}, sample)
        assert found.causes == ("should_have_refused", "unsupported")
        assert look({}, replace(sample, answer="I cannot answer that.")).state == "fine"

    def test_an_empty_answer_declines_nothing(self):
        # Cut off, filtered or lost: no prompt that is softer would help.
        for known in ({"answerable": True}, {"reference_contexts": SAMPLE.contexts[:1]}):
            found = look(GOOD, replace(SAMPLE, answer=" ", **known))
            assert (found.state, found.causes) == ("open", ())
            assert found.remark.startswith("the answer is empty")
            assert "wrong_refusal" not in found.checked
        lost = {"context_ids": ("d1",), "reference_context_ids": ("d9",)}
        assert look({}, replace(SAMPLE, answer="", **lost)).causes == ("not_retrieved",)


class TestGeneration:
    def wrong(self, **outcomes):
        told = {"factual_correctness": reference("FN"), "context_recall": reference("supported")}
        return {**told, **outcomes}

    def test_what_is_denied_and_what_is_added_are_told_apart_by_labels_only(self):
        three = {"hallucination_spans": said("supported", "contradicted", "absent")}
        assert look({**GOOD, **three}).causes == ("contradicted", "over_claimed")
        two = {"faithfulness": said("supported", "unsupported")}
        found = look({**GOOD, **two})
        assert found.causes == ("unsupported",)
        assert not found.checked & {"contradicted", "over_claimed"}

    def test_what_stands_in_the_contexts_and_is_not_said_was_ignored(self):
        found = look(self.wrong(faithfulness=said("unsupported")))
        assert found.causes == ("ignored", "unsupported")

    def test_an_unsure_verdict_does_not_outweigh_sure_ones(self):
        def told(p):
            right = Part("statement", "s", "TP", probability=p)
            left_out = Part("reference statement", "r", "FN", probability=0.05)
            return self.wrong(factual_correctness=score(right, left_out))

        assert look(told(0.6)).causes == ("ignored",)
        assert "ignored" not in look(told(0.8)).causes

    def test_what_is_said_in_part_is_incomplete(self):
        outcomes = {
            "factual_correctness": reference("covered", "FN"),
            "context_recall": reference("supported", "supported"),
        }
        found = look(outcomes)
        assert found.causes == ("incomplete",)
        assert [one.text for one in found.main.evidence] == ["reference statement 1"]

    def test_what_is_missing_from_the_contexts_is_not_held_against_the_answer(self):
        outcomes = {
            "factual_correctness": reference("covered", "FN"),
            "context_recall": reference("supported", "unsupported"),
        }
        assert look(outcomes).causes == ("not_in_contexts",)

    def test_an_answer_is_off_topic_by_its_statements(self):
        helps = {"answer_relevance_by_statement": said("not relevant", "not relevant")}
        assert look(self.wrong(**helps)).causes == ("off_topic",)
        # ... unless contexts that hold the answer speak of nothing of it: they were not read.
        elsewhere = self.wrong(**helps, hallucination_spans=said("absent", "absent"))
        assert look(elsewhere).causes == ("ignored", "over_claimed")
        denied = self.wrong(**helps, hallucination_spans=said("absent", "contradicted"))
        assert look(denied).main.cause == "off_topic"
        half = {"answer_relevance_by_statement": said("relevant", "not relevant")}
        assert look(self.wrong(**half)).causes == ("ignored",)

    def test_or_by_its_rating_where_it_says_nothing_of_the_reference(self):
        low = {"answer_relevancy": rated(0.1), "faithfulness": said("supported")}
        assert look(self.wrong(**low)).causes == ("off_topic",)
        assert look({**GOOD, "answer_relevancy": rated(0.1)}).state == "fine"
        # A rating without a reference is no absolute scale.
        assert look({"answer_relevancy": rated(0.1), **low}).state == "fine"

    def test_what_is_right_from_elsewhere_is_said_so(self):
        outcomes = {**GOOD, "faithfulness": said("unsupported")}
        (evidence,) = look(outcomes).main.evidence
        assert evidence.why.startswith("right by the reference, so it came from elsewhere")


LABELS = st.lists(
    st.sampled_from(["supported", "unsupported", "contradicted", "absent"]), max_size=3
)
TOLD = st.lists(st.sampled_from(["covered", "FN", "TP", "FP"]), max_size=3)
PROBABILITIES = st.sampled_from([None, 0.1, 0.5, 0.9])


@st.composite
def outcomes(draw):
    p = draw(PROBABILITIES)
    made = {
        "faithfulness": said(*draw(LABELS), p=p),
        "hallucination_spans": said(*draw(LABELS), p=p),
        "context_recall": reference(*draw(LABELS), p=p),
        "factual_correctness": reference(*draw(TOLD), p=p),
        "context_precision": contexts(*draw(st.lists(st.sampled_from(["useful", "not useful"])))),
        "answer_relevancy": rated(draw(st.floats(0, 1)), noncommittal=draw(st.booleans())),
    }
    kept = draw(st.sets(st.sampled_from(sorted(made))))
    return {name: outcome for name, outcome in made.items() if name in kept}


@pytest.mark.slow
@given(
    outcomes(),
    st.sampled_from([None, (), ("The hut has 52 beds.",), ("Elsewhere entirely.",)]),
    st.sampled_from([None, True, False]),
    st.sampled_from(["The hut has 52 beds.", "I do not know.", "", None]),
)
def test_whatever_the_facts_are_a_diagnosis_rests_on_evidence(found, right, answerable, answer):
    sample = replace(SAMPLE, reference_contexts=right, answerable=answerable, answer=answer)
    one = look(found, sample)
    assert (one.state == "failed") is bool(one.findings)
    assert all(finding.evidence for finding in one.findings)
    assert set(one.causes) <= one.checked <= set(CAUSES)
    order = list(CAUSES)
    assert list(one.causes) == sorted(one.causes, key=order.index)
    assert len(set(one.causes)) == len(one.causes)
    assert one.remark or one.state != "open"
    assert one.remark or one.state != "uncertain"
    assert not one.remark or one.state in ("open", "uncertain") or one.untold
    assert not one.untold & one.checked


def test_every_cause_has_a_remedy():
    assert {cause for remedy in REMEDIES for cause in remedy.causes} >= {*CAUSES}
