"""Are results remembered, and long texts soon forgotten?"""

import gc
import tracemalloc
import weakref

import pytest

from assay._text import memoized
from assay._text.language_id import identify_language
from assay._text.words import stems


class Found:
    """A result that can be watched."""


def test_short_ones_are_remembered_and_of_long_ones_the_last_two():
    calls = []

    @memoized(3, longest=4)
    def read(text: str) -> Found:
        calls.append(text)
        return Found()

    for text in ("one", "two", "three", "three and", "three and more", "one", "two", "three and"):
        read(text)
    assert calls == ["one", "two", "three", "three and", "three and more"]
    read("three")  # longer than four, and two were asked for since
    assert calls[-1] == "three"
    assert calls.count("three") == 2


@pytest.mark.slow
def test_what_is_forgotten_is_freed():
    read = memoized(3, longest=4)(lambda _text: Found())
    first = weakref.ref(read("a long text"))
    for n in range(2):
        read(f"another long text {n}")
    gc.collect()
    assert first() is None


@pytest.mark.slow
def test_endless_words_and_texts_do_not_stay_in_memory():
    tracemalloc.start()
    try:
        for n in range(20):
            endless = f"{n}x" * 100_000
            stems(endless)
            identify_language(endless)
        del endless
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 2_000_000  # all of them would be 4,000,000 in one cache alone
