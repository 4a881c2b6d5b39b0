"""The simulated run of `benchmarks.faults --floor`."""

import pytest
from benchmarks.faults import IN_FLIGHT, Refusals, simulated


def test_without_refusals_a_run_takes_its_calls_over_those_in_flight():
    assert simulated(Refusals(0.0, 0.0, 0), 1, 0.1, 0) == pytest.approx(0.2)  # one after the other
    ideal = 0.1 * 4 * 100  # and the last checks are asked once their splits are there
    assert ideal <= simulated(Refusals(0.0, 0.0, 0), 100 * IN_FLIGHT, 0.1, 0) < ideal + 0.15


def test_a_refused_call_waits_where_it_cannot_go_instead_of_another():
    waiting, swapped = (simulated(Refusals(0.2, 5.0, n), 200, 0.1, 3) for n in (0, 9))
    assert waiting > 5.0
    assert swapped < waiting
