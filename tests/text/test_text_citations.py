"""What only points at sources is taken out, and in no more time than the text is long."""

import time

import pytest

from assay.text.citations import without_citations, without_pointers


@pytest.mark.parametrize(
    "mark",
    ["[1]", "[1, 2]", "[1 and 2]", "[1, and 2]", "[1-3]", "[^4]", "(see Passage 2)", "【5†x】"],
)
def test_a_mark_is_taken_out_with_the_blank_before_it(mark):
    assert without_citations(f"It is red {mark}.") == "It is red."


@pytest.mark.parametrize("text", ["It is [red].", "See f(1, 2).", "Passage 2 says so."])
def test_what_is_no_mark_stays(text):
    assert without_citations(text) == text


def test_a_pointer_in_the_sentence_is_taken_out_where_that_is_asked_for():
    assert without_pointers("3. As passages 1 and 2 say [1]") == "As  say"


@pytest.mark.parametrize("text", ["[1" + " " * 100_000 + "]", "passage 1" + " " * 100_000])
def test_long_blanks_take_no_longer_than_they_are(text):
    start = time.perf_counter()
    without_pointers(text)
    assert time.perf_counter() - start < 5  # a second way to read them took minutes
