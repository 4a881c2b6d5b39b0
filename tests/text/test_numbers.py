"""Numbers as texts write them and as results print them."""

from hypothesis import given
from hypothesis import strategies as st

from assay._text.numbers import numbers
from assay._text.results import decimals
from support.over import over

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


@over(
    ("value", "digits", "text"),
    [
        (0.8333, 2, "0.83"),
        (0.8333, 3, "0.833"),
        (1.0, 3, "1.000"),
        (0.0, 3, "0.000"),
        (-0.0, 2, "0.00"),
        (0.9996, 3, "0.9996"),
        (0.99996, 3, "0.99996"),
        (0.999971466, 2, "0.99997"),
        (1.00000312, 2, "1.000003"),
        (0.0004, 3, "0.0004"),
        (-0.0004, 3, "-0.0004"),
        (0.00001, 3, "0.00001"),
        (0.0000072, 3, "0.0000072"),
        (0.00000072, 3, "7.2e-07"),
        (0.0012, 2, "0.0012"),
        (0.00123, 3, "0.0012"),
        (0.00012, 2, "0.00012"),
        (0.0126, 2, "0.01"),
        (0.0099, 2, "0.01"),
        (912.3, 3, "912.300"),
    ],
)
def test_so_many_digits_and_more_where_these_would_mislead(
    value: float, digits: int, text: str
) -> None:
    assert decimals(value, digits) == text


@given(st.floats(0, 1).filter(lambda x: 1e-9 < x < 1 - 1e-9), st.integers(2, 4))
def test_only_nothing_reads_as_nothing_and_only_perfect_as_perfect(value: float, n: int) -> None:
    assert 0 < float(decimals(value, n)) < 1
