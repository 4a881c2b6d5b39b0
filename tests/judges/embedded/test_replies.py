"""Two answers to one question are compared by value, and by yes and no."""

import pytest

from assay.judges.embedded import Embedded
from assay.metrics import FactualCorrectness
from assay.sample import Sample
from support.scripts import score


async def value(question, answer, reference):
    sample = Sample(id="1", question=question, answer=answer, reference=reference)
    return (await score(FactualCorrectness(), sample, Embedded())).value


REVENUE = "What was the revenue of Halden Group in 2021, in millions?"
APPROVED = "Is the device approved for children?"


@pytest.mark.parametrize(
    ("question", "answer", "reference"),
    [
        (REVENUE, "1577.0", "$1,577 million"),
        (REVENUE, "$1.577 billion", "1577"),
        ("What share of the members voted?", "0.157", "15.7 %"),
        ("How long is the tunnel?", "Roughly 35 miles", "57 km"),
        ("When was the bridge opened?", "20/07/1969", "July 20, 1969"),
        ("In which year did it open?", "Two thousand and seven", "2007"),
        (APPROVED, "No.", "no"),
        (APPROVED, "Yes", "yes"),
    ],
)
async def test_the_same_value_in_another_form_is_right(question, answer, reference):
    assert await value(question, answer, reference) > 0.8


@pytest.mark.parametrize(
    ("question", "answer", "reference"),
    [
        (REVENUE, "1577.0", "$1,577 billion"),
        (REVENUE, "The revenue of Halden Group was $1,757 million in 2021.", "$1,577 million"),
        ("How long is the tunnel?", "57 miles", "57 km"),
        ("How long did she reign?", "36 years", "63 years"),
        ("When was the bridge opened?", "July 16, 1969", "July 20, 1969"),
        (APPROVED, "Yes.", "No"),
        (APPROVED, "The device is approved for children.", "No"),
        (APPROVED, "The device isn't approved for children.", "Yes"),
        (APPROVED, "Yes, for all of them", "No, for none of them"),
    ],
)
async def test_another_value_is_wrong_however_alike_the_words_are(question, answer, reference):
    assert await value(question, answer, reference) < 0.3


async def test_a_short_answer_may_say_more_than_the_reference():
    answer = "The first prize went to Wilhelm Holm in 1901, for his map of the coast."
    assert await value("Who won the first prize?", answer, "Wilhelm Holm") > 0.5
