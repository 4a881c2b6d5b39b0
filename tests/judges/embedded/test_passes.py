"""Is an equal pass made once, whoever asks, a failed one made again, and an unwanted one not?"""

import asyncio
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from assay.judges.embedded.inference import Passes, Work, aside


class Counted:
    """A model that counts its passes and can be held up."""

    def __init__(self):
        self.seen = []
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def __call__(self, text):
        self.seen.append(text)
        self.begun.set()
        self.go_on.wait(10)
        if text == "bad":
            raise RuntimeError(text)
        return text.upper()


@pytest.fixture
def model():
    return Counted()


def test_results_come_in_the_order_of_the_texts_and_the_longest_goes_first(model):
    passes = Passes(model, len, 8)
    assert passes(["a", "ccc", "bb", "a"], 1) == ["A", "CCC", "BB", "A"]
    assert model.seen == ["ccc", "bb", "a"]


def test_what_is_known_or_on_its_way_is_not_made_again(model):
    passes = Passes(model, len, 8)
    model.go_on.clear()
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(passes, ["same"], 2) for _ in range(3)]
        model.go_on.set()
        assert [one.result() for one in asked] == [["SAME"]] * 3
    assert passes(["same"], 2) == ["SAME"]
    assert model.seen == ["same"]


def test_what_was_asked_for_longest_ago_is_forgotten_first(model):
    passes = Passes(model, len, 2)
    for text in ("a", "b", "a", "c", "a", "b"):
        passes([text], 1)
    assert model.seen == ["a", "b", "c", "b"]


def test_more_texts_than_are_remembered_all_have_a_result(model):
    texts = [str(number) for number in range(20)]
    assert Passes(model, len, 3)(texts, 2) == texts


def test_a_failure_is_not_remembered(model):
    passes = Passes(model, len, 8)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="bad"):
            passes(["bad"], 1)
    assert model.seen == ["bad", "bad"]


class Watched(Work):
    """Work that tells when it waits for passes."""

    def __init__(self):
        super().__init__()
        self.waiting = threading.Event()

    def waits_for(self, passes):
        super().waits_for(passes)
        if passes:
            self.waiting.set()


def within(work, passes, texts):
    with work:
        return passes(texts, 1)


def test_of_work_that_is_given_up_no_pass_is_begun_any_more(model):
    passes, work = Passes(model, len, 8), Watched()
    model.go_on.clear()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(within, work, passes, ["ccc", "bb", "a"])
        assert model.begun.wait(10)
        assert work.waiting.wait(10)
        work.give_up()
        model.go_on.set()
        with pytest.raises(CancelledError):
            asked.result(10)
    assert model.seen == ["ccc"]
    with pytest.raises(CancelledError):
        within(work, passes, ["d"])
    assert passes(["bb"], 1) == ["BB"]
    assert model.seen == ["ccc", "bb"]


def test_what_another_waits_for_is_made_all_the_same(model):
    passes, first, second = Passes(model, len, 8), Watched(), Watched()
    model.go_on.clear()
    with ThreadPoolExecutor(2) as pool:
        given_up = pool.submit(within, first, passes, ["ccc", "bb", "a"])
        assert model.begun.wait(10)
        assert first.waiting.wait(10)
        wanted = pool.submit(within, second, passes, ["bb", "a"])
        assert second.waiting.wait(10)
        first.give_up()
        model.go_on.set()
        assert wanted.result(10) == ["BB", "A"]
        with pytest.raises(CancelledError):
            given_up.result(10)
    assert sorted(model.seen) == ["a", "bb", "ccc"]


async def test_work_that_raises_stop_iteration_ends_with_an_error():
    async with asyncio.timeout(10):
        with pytest.raises(RuntimeError, match="StopIteration"):
            await aside(lambda: next(iter(())), 1)
