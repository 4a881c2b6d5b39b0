"""Whether two answers state the same amount or date."""

import pytest

from assay._text.amounts import amounts, scale_of
from assay._text.numbers import normalize
from assay._text.quantities import matches
from support.over import over


def alike(one, other, question=""):
    first, second = (amounts(normalize(text).text) for text in (one, other))
    assert first
    assert second
    return len(matches(first, second, question, scale_of(question))) == len(first)


@over(
    ("one", "other"),
    [
        ("$1,577 million", "1.577 billion dollars"),
        ("$1,577 million", "about $1.6bn"),
        ("one million two hundred thousand", "1.2 million"),
        ("three hundred and eighteen million euros", "€318m"),
        ("eight point two million", "8.2 million"),
        ("15.7 %", "0.157"),
        ("250 basis points", "2.5 percentage points"),
        ("57 kilometres", "roughly 35 miles"),
        ("8 feet 11 inches", "272 cm"),
        ("two metres and seventy-two centimetres", "2.72 meters"),
        ("1 minute 52.13 seconds", "112.13 seconds"),
        ("about 8 minutes", "500 seconds"),
        ("100 °C", "212 degrees Fahrenheit"),
        ("31.4 kt", "31,400 tonnes"),
        ("9.8 g/dL", "98 g/L"),
        ("299 792 458 m/s", "299,792,458 m/s"),
        ("3 × 10⁸ m/s", "300,000 km/s"),
        ("EUR 1.20", "120 cents"),
        ("1889", "31.3.1889"),
        ("July 20, 1969", "20/07/1969"),
        ("9 November 1989", "9.11.89"),
        ("1 March", "the first of March"),
        ("nineteen sixty-nine", "1969"),
        ("Two thousand and seven", "2007"),
        ("-8.3%", "a decline of 8.3%"),
        ("\N{MINUS SIGN}41.2 °C", "minus 41.2 degrees centigrade"),
        ("two and a half percent", "2.5%"),
    ],
)
def test_it_is_the_same_in_another_scale_unit_rounding_or_form(one, other):
    assert alike(one, other)
    assert alike(other, one)


@over(
    ("one", "other"),
    [
        ("$1,577 million", "$1,577 billion"),
        ("$1,577 million", "$1,757 million"),
        ("0.45", "4.5"),
        ("57 km", "57 miles"),
        ("98.6 °C", "98.6 °F"),
        ("8 minutes", "8 hours"),
        ("EUR 1.20", "USD 1.20"),
        ("1889", "1898"),
        ("1999", "2000"),
        ("July 20, 1969", "July 16, 1969"),
        ("63 years", "36 years"),
        ("-8.3%", "8.3% higher"),
        ("up to 25", "at least 25"),
        ("12.5%", "12.5 million francs"),
    ],
)
def test_it_is_not(one, other):
    assert not alike(one, other)
    assert not alike(other, one)


@pytest.mark.parametrize(
    "question", ["What was the revenue in 2021, in millions?", "Revenue (USD million)?"]
)
def test_what_the_numbers_are_counted_in_may_stand_in_the_question(question):
    assert alike("1577.0", "$1,577 million", question)
    assert alike("$1,577.0", "1.577 billion dollars", question)
    assert not alike("1577.0", "$1,577 billion", question)
    assert not alike("1577.0", "$1,577 million")


def test_what_fell_is_asked():
    assert alike("5%", "-5%", "By how much did sales fall?")
    assert not alike("17%", "It shrank by 17%", "By how much did sales grow?")


def test_words_beside_a_number_count_far_into_a_text_too():
    text = "The river is long. " * 50
    (bound, fall) = amounts(f"{text}It has no more than 5 km of banks; its level fell by 3 m.")
    assert (bound.bound, bound.number, fall.turn, fall.number) == (-1, 5, -1, 3)
