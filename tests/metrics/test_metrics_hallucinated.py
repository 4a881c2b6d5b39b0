"""How likely is something in an answer unsupported? By hand, and on the judge that ships."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.backends.embedded import Embedded
from assay.metrics import parse
from assay.metrics.groundedness import any_unsupported
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import Verdict, verify_statements
from support.scripts import by_sentence, score

METRIC = parse("hallucination_probability")
SAMPLE = Sample(id="1", question="?", contexts=("x",), answer="Aa is old. Bb is new.")
P = st.floats(0.001, 0.999)


def judge(*support):
    """A judge that gives these probabilities; True or False is a verdict without one."""
    return {
        "split_statements": by_sentence,
        "verify_statements": lambda task: verify_statements.reply(
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


@pytest.mark.parametrize(("verdicts", "value"), [((True, True), 0.0), ((True, False), 1.0)])
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
    assert values["right"] < 0.3 < 0.7 < values["wrong"]


def test_the_least_probabilities_are_no_nan():
    assert any_unsupported([1e-310, 1e-310]) == any_unsupported([0.0]) == 1.0
