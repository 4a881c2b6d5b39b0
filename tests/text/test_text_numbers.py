"""Are numbers found in a text whatever else it holds?"""

from hypothesis import given
from hypothesis import strategies as st

from assay.text.numbers import numbers

WORDS = (  # noqa: SIM905 - reads better as prose
    "the a half fifth fifths two thirds noon Midday at 12 5 pm 3/4 million 2million twenty-five "
    "ninth one zero dozen hundred of water, opened (four) 7th 1,000.5 a.m. five_ten 12:30"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join))
def test_a_letter_of_another_script_changes_nothing(text):
    assert numbers(f"{text} \N{GREEK SMALL LETTER BETA}") == numbers(text)


def test_each_way_of_writing():
    text = "At noon 2 of 1,000 guests, three quarters of a million, left; the fifth came at 5 pm"
    assert numbers(text) == {
        "2": "2",
        "1000": "1,000",
        "17:00": "5 pm",
        "12:00": "noon",
        "3": "three",
        "1000000": "a million",
        "5": "fifth",
    }
