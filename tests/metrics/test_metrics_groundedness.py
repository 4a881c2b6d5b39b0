"""Hallucination, by probability and by characters, on answers marked by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges.embedded import Embedded
from assay.metrics import parse
from assay.metrics.groundedness import HallucinationSpans, any_unsupported, merged
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import (
    GradedVerdict,
    GradeStatements,
    SplitStatements,
    Verdict,
    VerifyStatements,
)
from support.over import over
from support.scripts import by_sentence, score

METRIC = parse("hallucination_probability")
SAMPLE = Sample(id="1", question="?", contexts=("x",), answer="Aa is old. Bb is new.")
P = st.floats(0.001, 0.999)


def judge(*support):
    """A judge that gives these probabilities; True or False is a verdict without one."""
    return {
        "split_statements": by_sentence,
        "verify_statements": lambda task: VerifyStatements.reply(
            [
                Verdict(i, p >= 0.5, probability=None if isinstance(p, bool) else p)
                for i, p in zip(task.ids, support, strict=True)
            ]
        ),
    }


async def test_the_odds_of_the_statements_add_up():
    found = await score(METRIC, SAMPLE, judge(0.8, 0.5))
    assert found.value == pytest.approx(1.25 / 2.25)  # 0.2 / 0.8 + 0.5 / 0.5
    assert [(part.text, part.label) for part in found.parts] == [
        ("Aa is old.", "supported"),
        ("Bb is new.", "uncertain"),
    ]
    assert [part.value for part in found.parts] == pytest.approx([0.2, 0.5])
    assert found.method == ""


@over(("verdicts", "value"), [((True, True), 0.0), ((True, False), 1.0)])
async def test_a_judge_without_probabilities_counts_with_0_and_1_and_it_is_said(verdicts, value):
    found = await score(METRIC, SAMPLE, judge(*verdicts))
    assert (found.value, found.method) == (
        value,
        "verdicts of 0 or 1: the judge gives no probabilities",
    )


async def test_without_contexts_everything_is_unsupported():
    nothing = Sample(id="1", question="?", contexts=(), answer=SAMPLE.answer)
    found = await score(METRIC, nothing, judge())
    assert (found.value, found.method) == (1.0, "")


async def test_an_answer_that_states_nothing_has_no_score():
    empty = Sample(id="1", question="?", contexts=("x",), answer=" ")
    assert await score(METRIC, empty, judge()) == Unscored(
        "undefined", "the answer makes no statement"
    )


@given(st.lists(P, min_size=1, max_size=8), P)
def test_a_further_statement_never_makes_it_less_likely(support, further):
    alone, more = any_unsupported(support), any_unsupported([*support, further])
    assert max(1 - p for p in support) - 1e-9 <= alone <= more <= 1
    assert any_unsupported(support[::-1]) == pytest.approx(alone)


async def test_one_wrong_statement_among_many_is_seen_with_the_embedded_judge():
    right = "The tower stands in Paris. It was finished in 1889. It is 330 metres tall."
    contexts = ("The tower stands in Paris. It was finished in 1889 and is 330 metres tall.",)
    values = {}
    for name, answer in {"right": right, "wrong": f"{right} It weighs 900 tonnes."}.items():
        sample = Sample(id="1", question="Which tower?", contexts=contexts, answer=answer)
        values[name] = (await score(METRIC, sample, Embedded())).value
    assert values["right"] < 0.4 < 0.6 < values["wrong"]


def test_the_least_probabilities_are_no_nan():
    assert any_unsupported([1e-310, 1e-310]) == any_unsupported([0.0]) == 1.0


ANSWER = "Aa is old. Bb is new. Cc is big."
#         0         10          22      31


def judge_of_spans(*verdicts, split=by_sentence):
    return {
        "split_statements": split,
        "verify_statements": lambda task: VerifyStatements.reply(
            [
                Verdict(i, yes, f"why {i}", quote=quote, contradicted=denied, spans=spans)
                for i, (yes, quote, denied, spans) in zip(task.ids, verdicts, strict=True)
            ]
        ),
    }


def sentences(task):
    """Every sentence a statement, with its exact words as source."""
    found = [part.strip() + "." for part in task.text.split(".") if part.strip()]
    return SplitStatements.reply([(text, text) for text in found])


YES = (True, "it stands there", None, ())
NO = (False, "", True, ())
ABSENT = (False, "", False, ())
UNSAID = (False, "", None, ())


async def of(*verdicts, split=sentences, answer=ANSWER):
    sample = Sample(id="1", question="?", contexts=("x",), answer=answer)
    return await score(HallucinationSpans(), sample, judge_of_spans(*verdicts, split=split))


class TestScore:
    async def test_a_statement_without_marks_is_unsupported_as_a_whole(self):
        found = await of(YES, NO, YES)
        assert found.details["spans"] == [[11, 21]]
        assert ANSWER[11:21] == "Bb is new."
        assert found.value == pytest.approx(10 / 32)
        assert [(p.label, p.value, p.marks) for p in found.parts] == [
            ("supported", 0.0, ()),
            ("contradicted", 1.0, ((11, 21),)),
            ("supported", 0.0, ()),
        ]
        assert (found.parts[0].quote, found.parts[1].reason) == ("it stands there", "why s2")

    async def test_the_marked_words_count_where_the_judge_marks_them(self):
        found = await of(YES, (False, "", False, ((6, 9),)), YES)
        assert found.details == {"spans": [[17, 20]], "characters": 3}
        assert ANSWER[17:20] == "new"
        assert found.value == pytest.approx(3 / 32)
        assert found.parts[1].label == "absent"

    async def test_neighbours_are_one_span_and_all_of_it_is_1(self):
        found = await of(NO, ABSENT, UNSAID)
        assert found.details["spans"] == [[0, 32]]
        assert found.value == 1.0
        assert [part.label for part in found.parts] == ["contradicted", "absent", "unsupported"]

    async def test_what_two_statements_say_with_the_same_words_counts_once(self):
        def twice(task):
            return SplitStatements.reply([("Aa is", "Aa is old."), ("Aa is old", "is old.")])

        found = await of(NO, NO, split=twice, answer="Aa is old. Bb is new.")
        assert found.details["spans"] == [[0, 10]]
        assert found.value == pytest.approx(10 / 21)

    async def test_white_space_around_the_answer_does_not_count(self):
        found = await of(YES, NO, answer="\n\nAa is. Bb is. \n")
        assert found.value == pytest.approx(6 / 13)

    @over("spans", [(), ((0, 10),)])
    async def test_what_is_said_again_is_unsupported_again(self, spans):
        answer = "Aa is old. Aa is old. Bb is new. Aa is old."
        found = await of((False, "", False, spans), YES, answer=answer)
        assert [(p.text, p.marks) for p in found.parts if p.marks] == [
            ("Aa is old.", ((0, 10), (11, 21), (33, 43)))
        ]
        assert found.details == {"spans": [[0, 21], [33, 43]], "characters": 31}

    async def test_all_supported_is_0(self):
        assert (await of(YES, YES, YES)).value == 0.0

    async def test_without_contexts_all_that_is_stated_is_unsupported(self):
        sample = Sample(id="1", question="?", contexts=(), answer=ANSWER)
        found = await score(HallucinationSpans(), sample, {"split_statements": sentences})
        assert found.value == 1.0


class TestPlaces:
    async def test_the_likeliest_sentence_stands_for_a_place_that_is_not_told(self):
        def unplaced(_task):
            return SplitStatements.reply([("The Bb, it is new", "elsewhere")])

        found = await of(ABSENT, split=unplaced)
        assert found.details["spans"] == [[11, 21]]

    async def test_a_statement_that_is_nowhere_fails_the_score_if_it_is_unsupported(self):
        def foreign(_task):
            return SplitStatements.reply([("Penguins swim well", "")])

        found = await of(ABSENT, split=foreign)
        assert isinstance(found, Unscored)
        assert found.why == "failed"
        assert "Penguins swim well" in found.detail
        assert (await of(YES, split=foreign)).value == 0.0


SPANS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 6)).map(lambda pair: (pair[0], sum(pair)))
)


@given(SPANS)
def test_merged_spans_are_in_order_apart_and_cover_the_same_characters(spans):
    found = merged(spans, "x" * 30)
    covered = {at for start, end in spans for at in range(start, end)}
    assert {at for start, end in found for at in range(start, end)} == covered
    assert sum(end - start for start, end in found) == len(covered)
    assert found == sorted(found)


GRADED = [
    GradedVerdict("s1", "supported", context=0),
    GradedVerdict("s2", "common knowledge", 1, "Everybody knows."),
    GradedVerdict("s3", "absent", 2, "Silent."),
    GradedVerdict("s4", "contradicted", 3, "It says otherwise."),
]
FOUR = Sample(id="1", question="?", contexts=("x", "y"), answer="A a. B b. C c. D d.")
GRADES = {"split_statements": by_sentence, "grade_statements": GradeStatements.reply(GRADED)}


@over(
    ("reading", "value"),
    [("graded", 1 - (0.25 / 3 + 0.75 * 2 / 3 + 1) / 4), ("strict", 1 / 4), ("lenient", 2 / 4)],
)
async def test_three_readings_of_the_same_grades(reading, value):
    found = await score(parse(f"graded_faithfulness(reading={reading})"), FOUR, GRADES)
    assert found.value == pytest.approx(value)
    assert found.details["worst"] == 0.0
    assert found.details["severities"] == [None, 1, 2, 3]
    assert [(p.label, p.reason, p.context) for p in found.parts[:2]] == [
        ("supported", "", 0),
        ("common knowledge", "Everybody knows.", None),
    ]


async def test_without_contexts_no_grade_is_asked_for_and_nothing_counts():
    found = await score(parse("graded_faithfulness"), replace(FOUR, contexts=()), GRADES)
    assert (found.value, len(found.parts)) == (0.0, 4)
