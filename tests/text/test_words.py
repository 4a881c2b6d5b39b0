"""Words that two texts share, and where."""

from hypothesis import given
from hypothesis import strategies as st

from assay._text.words import Weights, align, weighted_recall
from support.over import over


def test_the_order_of_a_set_changes_no_digit_of_a_recall():
    small = {f"w{n}": 1.0 for n in range(40)}
    weights = Weights({"huge": 1e16, **small})
    # Added one by one behind the huge one, the small ones would be lost.
    assert weighted_recall({"huge", *small}, {"huge"}, weights) == 1e16 / (1e16 + 40)


@over(
    ("said", "words", "source", "there"),
    [
        ("It was built in 1887.", "1887", "It was built in 1887.", "1887"),
        ("The tower was built in 1887.", "in 1887", "It was **built** in 1887 [2].", "in 1887"),
        ("The moons are: Io", "Io", "- Io", "Io"),
    ],
)
def test_words_are_found_where_they_came_from(said, words, source, there):
    at = said.index(words)
    ((start, end),) = align([(at, at + len(words))], said, source)
    assert source[start:end] == there


def test_a_word_that_was_put_in_has_no_place():
    assert align([(0, 9)], "The tower is red.", "§ §") == []


def test_nothing_asked_nothing_placed():
    assert align([], "a", "a") == []


@given(
    st.text(max_size=40), st.text(max_size=40), st.tuples(st.integers(0, 40), st.integers(0, 40))
)
def test_places_lie_in_the_source_and_hold_something(said, source, ends):
    start, end = min(ends), min(max(ends), len(said))
    for first, last in align([(start, end)] if start < end else [], said, source):
        assert 0 <= first < last <= len(source)


def test_of_a_very_long_text_what_stands_before_and_behind_a_change_is_found():
    same = "a " * 50_000
    said, source = f"The tower {same}and 1887.", f"It {same}and **1887**. 1887."
    at = said.index("1887")
    assert align([(10, 12), (at, at + 4)], said, f"{same}and 1887.") == [
        (0, 2),
        (100_004, 100_008),
    ]
    ((start, end),) = align([(at, at + 4)], said, source)
    assert source[start:end] == "1887"
