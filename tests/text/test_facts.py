"""Are the same facts recognised whatever way they are written?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text import entities, numbers, questions, refusals, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,000", "1000"),
        ("two", "2"),
        ("twenty-five", "25"),
        ("three hundred", "300"),
        ("$2.5 million", "2,500,000"),
        ("half a million", "500000"),
        ("1.50", "1.5"),
        ("the 1990s", "1990"),
        ("the 21st", "21"),
        ("5 PM", "17:00"),
        ("17:0", "5:00 p.m."),
        ("5:30 p. m.", "17:30:00"),
        ("10 am to 9 pm", "10:0-21:0"),
        ("10-9 pm", "10 a.m. until 9 p.m."),
        ("5-9:30pm", "17:0-21:30"),
        ("11 to 1 am", "23:00-1:00"),
        ("5.30 pm", "17:30"),
        ("noon to midnight", "12 PM-12 AM"),
        ("24:00", "0:0"),
        ("50%", "50 percent"),
        ("$12.00", "12 dollars"),
        ("4.0", "4-star"),
        ("120-metre", "120 m"),
    ],
)
def test_one_number_two_spellings(one, other):
    assert set(numbers.numbers(one)) == set(numbers.numbers(other)) != set()


def test_no_numbers_in_names_and_pronouns():
    assert numbers.numbers("B2B is the one we want, see A4.") == {}


def test_amounts_are_no_times():
    assert set(numbers.numbers("It cost $5.50 to 9 people, 3 to 4 am I told, in 10-12 parts.")) == {
        "5.5", "9", "03:00", "04:00", "10", "12",
    }  # fmt: skip
    assert set(numbers.numbers("3.10 amps")) == {"3.1"}


def test_written_form_is_kept():
    assert numbers.numbers("It has 1,000 rooms.") == {"1000": "1,000"}


def test_close_to_any():
    assert numbers.is_close_to_any("100", {"104": "104"}, 0.05)
    assert not numbers.is_close_to_any("100", {"106": "106"}, 0.05)
    assert not numbers.is_close_to_any("17:00", {"17": "17"}, 0.05)


def test_versions_and_addresses_are_whole():
    assert set(numbers.numbers("From 5.3.2 to 192.168.1.1.")) == {"5.3.2", "192.168.1.1"}
    assert not numbers.is_close_to_any("5.3", {"5.3.2": "5.3.2"}, 0.05)
    assert not numbers.is_close_to_any("5.3.2", {"5.3.9": "5.3.9"}, 0.05)


def test_a_verb_before_a_name_and_a_part_of_a_text_are_no_names():
    assert entities.names("Contact HR first. Requires Python.") == ["HR", "Python"]
    assert entities.names("Call of Duty sold well.") == []
    assert entities.names("Under Section 12.2 and Article 5 it ends.") == []


def test_signs_above_and_below_the_line():
    assert words.words("CO₂, m², 10⁶") == ["co2", "m2", "10", "6"]


def test_names():
    text = "NASA said that Carlos Colina moved to New York. Drinking helps. The Alps are high."
    assert entities.names(text) == ["NASA", "Carlos Colina", "New York", "Alps"]


def test_a_name_stands_in_by_parts_or_as_acronym():
    found = entities.acronyms("the World Health Organization")
    assert entities.stands_in("WHO", set(), found)
    assert entities.stands_in("Colina", {"carlos", "colina"}, set())
    assert not entities.stands_in("Rome", {"paris"}, set())


@pytest.mark.parametrize("text", ["He did not go.", "It isn't so", "Nobody came", "She can’t"])
def test_negated(text):
    assert entities.is_negated(text)


@pytest.mark.parametrize("text", ["He went.", "not only red", "a notable knot", "no doubt"])
def test_not_negated(text):
    assert not entities.is_negated(text)


def test_opposites_need_the_evidence_to_say_only_the_other():
    assert entities.opposites({"increas"}, {"decreas"}) == [("increas", "decreas")]
    assert entities.opposites({"increas"}, {"decreas", "increas"}) == []


def test_calendar_words():
    assert entities.calendar_words("He may go in May or on Monday.") == {"may", "monday"}
    assert entities.calendar_words("He may go.") == set()


@pytest.mark.parametrize(
    "family",
    [
        "cities city",
        "make making makes",
        "stop stopped stopping",
        "study studied studies",
        "box boxes",
    ],
)
def test_inflections_share_a_stem(family):
    assert len({words.stem(word) for word in family.split()}) == 1


def test_words_of_other_scripts_and_possessives():
    assert words.words("The dog's two-stage 1,000 日本") == [
        "the",
        "dog",
        "two",
        "stage",
        "1,000",
        "日",
        "本",
    ]


def test_overlap():
    assert words.recall(["a", "b"], ["b"]) == 0.5
    assert words.recall([], ["b"]) == 1.0
    weights = words.Weights({"a": 1.0, "b": 3.0})
    assert words.weighted_recall(["a", "b"], {"a"}, weights) == 0.25
    assert words.bigram_recall(["a", "b", "c"], {("a", "b")}) == 0.5
    assert words.longest_run(["a", "b", "c", "d"], ["x", "b", "c", "y"]) == 0.5


@pytest.mark.parametrize(
    ("question", "kind", "good", "bad"),
    [
        ("When did he die?", "time", "He died in 1867.", "He died of cholera."),
        ("How many moons are there?", "number", "There are 79.", "They are round."),
        ("Who wrote it?", "person", "Ann Lee wrote it.", "It is long."),
        ("Where is it?", "place", "It is in Rome.", "It is round."),
        ("Why?", "reason", "Because it rains.", "Red."),
    ],
)
def test_question_kinds(question, kind, good, bad):
    assert questions.kind_of(question) == kind
    assert questions.holds(kind, good, question)
    assert not questions.holds(kind, bad, question)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.",
        "I'm sorry, but I cannot answer that.",
        "The passages do not mention his age.",
        "It cannot be determined from the context.",
        "As an AI language model, I have no opinion.",
        "There is not enough information to answer.",
        "N/A",
    ],
)
def test_refusals(text):
    assert refusals.refusal(text)


@pytest.mark.parametrize(
    "text",
    ["He did not know his father.", "It is not known who built it.", "You can find it in Rome."],
)
def test_answers_are_no_refusals(text):
    assert refusals.refusal(text) == ""


@given(st.text(max_size=200))
def test_nothing_crashes(text):
    numbers.numbers(text)
    entities.names(text)
    entities.acronyms(text)
    entities.calendar_words(text)
    entities.is_negated(text)
    words.stems(text)
    refusals.refusal(text)
    questions.holds(questions.kind_of(text), text, text)


@pytest.mark.parametrize("text", ["It is a myth that", "the claim is wrong", "if it rains", "no"])
def test_what_is_reported_or_supposed_is_doubted(text):
    assert entities.is_doubted(text)
    assert not entities.is_doubted("The tower, said Ann, stands in Paris.")
