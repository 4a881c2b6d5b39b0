"""A run leaves the garbage collector as it found it."""

import contextlib
import gc
import sys
import weakref

import pytest

from assay.runner import event_loop
from assay.runner.event_loop import FROZEN_BY_PYTHON, OFTEN_ENOUGH, collecting_rarely


@pytest.fixture(autouse=True)
def settings():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def test_what_is_there_is_passed_over_meanwhile_and_all_is_as_before_afterwards():
    gc.set_threshold(700, 10, 10)
    with collecting_rarely():
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold() == (OFTEN_ENOUGH, 10, 10)
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == (700, 10, 10)


def test_a_run_that_fails_puts_all_back_too():
    before = gc.get_threshold()
    with contextlib.suppress(KeyError), collecting_rarely():
        raise KeyError
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_someone_who_froze_objects_of_their_own_keeps_them():
    gc.freeze()
    n = gc.get_freeze_count()
    with collecting_rarely():
        pass
    assert gc.get_freeze_count() == n


def test_of_two_runs_in_one_process_the_first_puts_all_back():
    before = gc.get_threshold()
    with collecting_rarely(), collecting_rarely():
        pass
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_what_refers_to_itself_does_not_pile_up_from_run_to_run(monkeypatch):
    monkeypatch.setattr(event_loop, "_last", event_loop._Last())
    gc.collect()
    # As in a process that holds little: what other tests left behind sets no measure.
    blocks, there = sys.getallocatedblocks, sys.getallocatedblocks() - 1_000_000
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: blocks() - there)
    seen = []
    for _ in range(400):
        ring = [[] for _ in range(2000)]
        ring.append(ring)
        seen.append(weakref.ref(judge := type("Judge", (), {})()))
        judge.ring, judge.itself = ring, judge
        del ring, judge
        with collecting_rarely():
            pass
    assert sum(ref() is not None for ref in seen) < 200


def test_frozen_objects_are_not_walked_through(monkeypatch):
    walked, count = [], gc.get_freeze_count
    monkeypatch.setattr(gc, "get_freeze_count", lambda: walked.append(count()) or walked[-1])
    with collecting_rarely(), collecting_rarely():
        pass
    assert walked
    assert max(walked) <= FROZEN_BY_PYTHON
