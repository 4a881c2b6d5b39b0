"""Which entities are found by rule, and where a name stands in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.entities import compared, entities, place

TEXT = (
    "The Eiffel Tower in Paris was opened on 31 March 1889 and is 330 metres tall. It cost "
    "7,800,000 francs. In May 2020, NASA met 1.5% of them."
)


def test_names_dates_and_numbers_are_found_each_once_in_order():
    assert entities(TEXT) == [
        "Eiffel Tower",
        "Paris",
        "31 March 1889",
        "330",
        "7,800,000",
        "May 2020",
        "NASA",
        "1.5%",
    ]
    assert entities(f"{TEXT} {TEXT}") == entities(TEXT)


@pytest.mark.parametrize("text", ["", " ", "nothing here.", "Nothing here."])
def test_ordinary_words_are_no_entities(text):
    assert entities(text) == []


@pytest.mark.parametrize(
    ("entity", "text", "found"),
    [
        ("Eiffel Tower", "near the EIFFEL  tower.", "EIFFEL  tower"),
        ("the Eiffel Tower", "An Eiffel Tower stands there.", "Eiffel Tower"),
        ("São Paulo", "in Sao Paulo", "Sao Paulo"),
        ("O'Brien", "to O\u2019Brien", "O\u2019Brien"),
        ("Sao Paulo", "in São Paulo", "São Paulo"),
        ("1,000", "some 1000 people", "1000"),
        ("1000", "some 1,000 people", "1,000"),
        ("3.5", "of 3.5 metres", "3.5"),
        ("St. Denis", "St-Denis, today", "St-Denis"),
        ("France", "France's king", "France's"),
        ("東京", "私は東京に住む", "東京"),
        ("Union européenne", "de l'Union européenne", "l'Union européenne"),
        ("l’Italie", "vers l'Italie", "l'Italie"),
        ("Müller", "Herr Mu\u0308ller kam", "Mu\u0308ller"),
        ("राम", "वहाँ राम रहते थे।", "राम"),
        ("The", "by The Band", "The"),
        ("WHO", "Who is the WHO's head?", "WHO's"),
        ("the US", "IN THE US NOW", "US"),
        ("IT", "what IT does", "IT"),
        ("l'ONU", "vers L'ONU", "L'ONU"),
        ("NASA", "the nasa of Nasa's", "Nasa's"),
        ("Us", "with us", "us"),
        ("NEW YORK", "in New York", "New York"),
        ("GPT4", "of gpt4", "gpt4"),
        ("A", "plan a", "a"),
    ],
)
def test_it_is_found_however_it_is_written(entity, text, found):
    assert text[slice(*place(entity, text))] == found


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("Par", "Paris"),
        ("Eiffel Tower", "Tower of Eiffel"),
        ("3", "3.5"),
        ("か", "が"),
        ("रोम", "राम रहते थे"),
        ("", "x"),
        ("...", "x ... y"),
        ("US", "Tell us"),
        ("WHO", "Who did it?"),
        ("the IT", "It is it."),
        ("CARE", "They care."),
    ],
)
def test_parts_of_words_and_other_words_are_not_it(entity, text):
    assert place(entity, text) is None


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Eiffel Tower", "the EIFFEL tower's", True),
        ("1,000", "1000", True),
        ("the WHO", "WHO's", True),
        ("WHO", "Who", False),
        ("Paris", "Lyon", False),
    ],
)
def test_two_are_one_if_they_are_compared_alike(one, other, equal):
    assert (compared(one) == compared(other)) is equal


@given(st.text())
def test_whatever_is_found_stands_in_the_text(text):
    for entity in entities(text):
        assert entity in text
