"""Two answers to one question are compared by value, and by yes and no."""

import pytest

import assay
from assay.judges.embedded import Embedded
from assay.metrics import FactualCorrectness, Faithfulness
from assay.sample import Sample
from support.over import over
from support.scripts import score


async def value(question, answer, reference):
    sample = Sample(id="1", question=question, answer=answer, reference=reference)
    return (await score(FactualCorrectness(), sample, Embedded())).value


REVENUE = "What was the revenue of Halden Group in 2021, in millions?"
APPROVED = "Is the device approved for children?"


@over(
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


@over(
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


@over(("answer", "reference", "agrees"), [("no", "Yes", 0), ("Yes.", "No.", 0), ("No", "no.", 1)])
async def test_a_bare_yes_and_a_bare_no_differ_without_their_question(
    answer, reference, agrees, tmp_path
):
    row = {"question": "7", "contexts": ["-"], "answer": answer, "reference": reference}
    metrics = ["ragas:factual_correctness", "factual_correctness"]
    result = await assay.aevaluate([row], metrics, store=tmp_path / "a.db")
    assert {round(result[name][0].value) for name in metrics} == {agrees}


async def test_a_short_answer_may_say_more_than_the_reference():
    answer = "The first prize went to Wilhelm Holm in 1901, for his map of the coast."
    assert await value("Who won the first prize?", answer, "Wilhelm Holm") > 0.5


AUTHOR = "Who wrote the first chapter?"


@over("answer", ["Vogt", "H. Vogt", "Dr. Hanna Vogt"])
async def test_a_part_of_a_name_may_be_the_same(answer):
    assert await value(AUTHOR, answer, "Hanna Vogt") > 0.5


@pytest.mark.parametrize("answer", ["Maria Vogt", "Hanna Peral"])
async def test_a_name_with_another_part_is_another_one(answer):
    assert await value(AUTHOR, answer, "Hanna Vogt") < 0.5


async def test_the_items_of_a_list_count_one_by_one():
    sample = Sample(
        id="1",
        question="Which three languages are taught?",
        answer="French and Spanish",
        reference="French, Latin and Spanish",
    )
    found = await score(FactualCorrectness(), sample, Embedded())
    covered = {p.text.partition("? ")[2]: p.label for p in found.parts if "ref" in p.kind}
    assert covered == {"French": "covered", "Latin": "FN", "Spanish": "covered"}
    assert found.details["FN"] == pytest.approx(1, abs=0.4)


@over("answer", ["- French\n- Spanish", "1. French\n2. Spanish", "French\n", "French and Spanish"])
async def test_the_items_of_an_answer_that_is_a_list_are_judged_as_answers(answer):
    sample = Sample(
        id="1",
        question="Which two languages are taught?",
        answer=answer,
        contexts=("At the school French and Spanish are taught.",),
    )
    found = await score(Faithfulness(), sample, Embedded())
    assert {part.text.partition("? ")[0] for part in found.parts} == {
        "Which two languages are taught"
    }
    assert found.value > 0.9


@over("answer", ["- Press it.\n- Hold it down.", "- Year: 1999\n- Place: Ohio"])
async def test_items_that_say_what_they_mean_stand_for_themselves(answer):
    sample = Sample(id="1", question="Which are they?", answer=answer, contexts=("French.",))
    found = await score(Faithfulness(), sample, Embedded())
    assert not any("Which are they?" in part.text for part in found.parts[:2])


@over("answer", ["Salt and pepper", "Lyon, France", "July 20, 1969"])
async def test_what_is_one_thing_stays_one(answer):
    sample = Sample(id="1", question="What was it?", answer=answer, reference=answer)
    found = await score(FactualCorrectness(), sample, Embedded())
    assert [part.kind for part in found.parts] == ["statement", "reference statement"]


async def test_a_value_in_a_document_is_no_other_answer():
    context = (
        "The north wing has 12 rooms. The south wing has 30 rooms. The tower has 4 rooms. "
        "The house was built in 1889. It has two lifts."
    )
    sample = Sample(id="1", question="How many rooms are there?", answer="46", contexts=(context,))
    found = await score(Faithfulness(), sample, Embedded())
    assert "another value" not in found.parts[0].reason


LAMP = "The Merla lamp dims itself at dusk. It has no timer, and its cable is two metres long."


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Does the Merla lamp dim itself at dusk?", "Yes.", "No."),
        ("Is its cable two metres long?", "Yes, it is.", "No, it is not."),
    ],
)
async def test_a_bare_reply_is_held_against_the_sentence_that_it_is_about(question, right, wrong):
    samples = [
        Sample(id="1", question=question, answer=answer, contexts=(LAMP,))
        for answer in (right, wrong)
    ]
    high, low = [(await score(Faithfulness(), one, Embedded())).value for one in samples]
    assert high > 0.5 > low
