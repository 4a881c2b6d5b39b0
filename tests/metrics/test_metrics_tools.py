"""Are tool calls compared by tool and by value, and is every mismatch told?"""

import asyncio
import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge import Judge
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.operations import canonical, matched, pairs
from assay.sample import Sample, ToolCall, Turn
from assay.score import Score, Unscored
from support.over import over

A1, A2 = ToolCall("a", {"x": 1}), ToolCall("a", {"x": 2})
ROME = ToolCall("weather", {"city": "Rome", "days": 2})
OSLO = ToolCall("weather", {"city": "Oslo", "days": 2})
NOW = ToolCall("now")
ARGUMENTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 1))
ANY_CALL = st.builds(ToolCall, st.sampled_from("fg"), ARGUMENTS)


def outcome(spec, made, wanted):
    turns = (Turn("user", "?"), *(Turn("assistant", "", tool_calls=(call,)) for call in made))
    sample = Sample(id="1", turns=turns, reference_tool_calls=tuple(wanted))
    return asyncio.run(parse(spec).score(sample, Judge(Scripted({}))))


def value(spec, made, wanted):
    return outcome(spec, made, wanted).value


STRICT, FREE = "tool_call_accuracy", "tool_call_accuracy(strict_order=False)"


class TestAccuracy:
    @over(
        ("made", "wanted", "strict", "free"),
        [
            ([ROME, NOW], [ROME, NOW], 1, 1),
            ([NOW, ROME], [ROME, NOW], 0, 1),
            ([OSLO, NOW], [ROME, NOW], 0.75, 0.75),  # one of two arguments, and all of none
            ([OSLO, ROME], [ROME, OSLO], 0.5, 1),  # each with one of two arguments
            ([ROME], [ROME, NOW], 0, 0),
            ([ROME, NOW, NOW], [ROME, NOW], 0, 0),
            ([], [ROME], 0, 0),
            ([ROME], [], 0, 0),
        ],
    )
    def test_worked_examples(self, made, wanted, strict, free):
        assert value(STRICT, made, wanted) == pytest.approx(strict)
        assert value(FREE, made, wanted) == pytest.approx(free)

    def test_arguments_that_nobody_asked_for_are_told_and_count_only_where_none_was(self):
        more = ToolCall("weather", {"city": "Rome", "days": 2, "unit": "C"})
        found = outcome(STRICT, [more], [ROME])
        assert found.value == 1
        assert 'unit: "C" was not asked for (not counted)' in found.parts[0].reason
        assert value(STRICT, [ToolCall("now", {"zone": "CET"})], [NOW]) == 0

    def test_every_mismatch_is_told_with_its_turn(self):
        found = outcome(STRICT, [ToolCall("weather", {"city": "Oslo"})], [ROME])
        (part,) = found.parts
        assert (part.label, part.value) == ("wrong arguments", 0.0)
        assert part.text == 'weather(city="Rome", days=2)'
        assert part.reason == (
            'turn 2: weather(city="Oslo"); city: "Oslo" instead of "Rome"; '
            "days: not given instead of 2"
        )

    def test_other_tools_than_expected_make_it_0_and_are_told(self):
        found = outcome(STRICT, [ROME, ToolCall("book")], [ROME, NOW])
        assert [(p.kind, p.label, p.value) for p in found.parts] == [
            ("tool call", "matched", 0.0),
            ("tool call", "missing", 0.0),
            ("other tool call", "unexpected", None),
        ]
        assert found.details == {"tools": "weather, book for weather, now"}

    def test_the_parts_add_up_to_the_score(self):
        rng = random.Random(1)
        pool = [A1, A2, ROME, OSLO, NOW]
        for _ in range(200):
            wanted = rng.choices(pool, k=rng.randint(1, 4))
            made = rng.sample(wanted, len(wanted)) if rng.random() < 0.7 else rng.choices(pool, k=3)
            for spec in (STRICT, FREE):
                found = outcome(spec, made, wanted)
                values = [part.value for part in found.parts if part.value is not None]
                assert found.value == pytest.approx(sum(values) / len(wanted))

    def test_in_free_order_calls_of_one_tool_meet_the_one_that_matches_best(self):
        calls = [ToolCall("f", {"x": 9, "y": 1}), ToolCall("f", {"x": 1, "y": 1})]
        wanted = [ToolCall("f", {"x": 1, "y": 1}), ToolCall("f", {"x": 2, "y": 1})]
        assert value(FREE, calls, wanted) == pytest.approx(0.75)
        assert value(STRICT, calls, wanted) == pytest.approx(0.5)

    def test_sorting_would_set_these_calls_beside_the_wrong_ones(self):
        calls = [ToolCall("a", {"x": 0, "y": 6}), ToolCall("a", {"x": 3, "y": 5})]
        wanted = [ToolCall("a", {"x": 1, "y": 5}), ToolCall("a", {"x": 2, "y": 6})]
        assert value(FREE, calls, wanted) == pytest.approx(0.5)

    def test_a_call_that_fits_two_is_left_to_the_one_that_needs_it(self):
        wanted = [ToolCall("f", {"a": 1, "b": 2}), ToolCall("f", {"a": 1})]
        calls = [ToolCall("f", {"a": 1, "b": 3}), ToolCall("f", {"a": 1, "b": 2})]
        assert value(FREE, calls, wanted) == value(FREE, calls[::-1], wanted) == 1

    @given(st.lists(ANY_CALL, min_size=1, max_size=4), st.data())
    def test_in_free_order_the_score_is_that_of_the_best_of_all_pairings(self, wanted, data):
        names = data.draw(st.permutations([call.name for call in wanted]))
        calls = [ToolCall(name, data.draw(ARGUMENTS)) for name in names]
        best = max(
            sum(matched(done.args, call.args)[0] for done, call in zip(way, wanted, strict=True))
            for way in itertools.permutations(calls)
            if all(done.name == call.name for done, call in zip(way, wanted, strict=True))
        )
        for way in (calls, data.draw(st.permutations(calls))):
            assert value(FREE, way, wanted) == pytest.approx(best / len(wanted))

    def test_calls_of_users_and_tools_are_nobodys(self):
        turns = (Turn("user", "?", tool_calls=(ROME,)), Turn("tool", "", tool_calls=(ROME,)))
        sample = Sample(id="1", turns=turns, reference_tool_calls=(ROME,))
        assert asyncio.run(parse(STRICT).score(sample, Judge(Scripted({})))).value == 0


class TestF1:
    @over(
        ("made", "wanted", "f1"),
        [
            ([ROME, NOW], [NOW, ROME], 1),
            ([ROME, NOW], [ROME], 2 / 3),
            ([OSLO], [ROME], 0),
            ([ROME, ROME], [ROME], 1),
            ([], [ROME], 0),
            ([ROME], [], 0),
        ],
    )
    def test_worked_examples(self, made, wanted, f1):
        assert value("tool_call_f1", made, wanted) == pytest.approx(f1)

    def test_repeats_count_if_asked(self):
        found = outcome("tool_call_f1(repeats=True)", [ROME, ROME], [ROME])
        assert found.value == pytest.approx(2 / 3)
        assert found.details["FP"] == 1
        assert [part.label for part in found.parts] == ["matched", "unexpected"]
        twice = outcome("tool_call_f1(repeats=True)", [ROME], [ROME, ROME])
        assert [part.label for part in twice.parts] == ["matched", "missing"]

    def test_a_call_that_is_expected_twice_is_shown_as_often_as_it_counts(self):
        found = outcome("tool_call_f1", [ROME], [ROME, ROME, NOW])
        assert [part.label for part in found.parts] == ["matched", "missing"]
        assert found.value == pytest.approx(2 / 3)

    def test_what_is_missing_and_what_is_too_much_is_told(self):
        found = outcome("tool_call_f1", [OSLO, NOW], [ROME, NOW])
        told = [(part.text, part.label) for part in found.parts]
        assert told == [
            ('weather(city="Rome", days=2)', "missing"),
            ("now()", "matched"),
            ('weather(city="Oslo", days=2)', "unexpected"),
        ]
        assert found.details == {"precision": 0.5, "recall": 0.5, "TP": 1, "FP": 1, "FN": 1}


@over("spec", [STRICT, FREE, "tool_call_f1"])
def test_nothing_expected_and_nothing_called_is_undefined(spec):
    assert isinstance(outcome(spec, [], []), Unscored)
    assert isinstance(outcome(spec, [NOW], []), Score)


@over(
    ("one", "other", "same"),
    [
        (2, 2.0, True),
        (2, "2", False),
        (1, True, False),
        (0, False, False),
        (None, "None", False),
        ({"a": 1, "b": [1.0, {"c": 2}]}, {"b": [1, {"c": 2.0}], "a": 1}, True),
        ([1, 2], [2, 1], False),
        ("Rome", "rome", False),
        (0.1 + 0.2, 0.3, False),
        ((1, 2), [1, 2], True),
    ],
)
def test_values_are_compared_as_values(one, other, same):
    assert (canonical(one) == canonical(other)) is same
    assert matched({"x": one}, {"x": other})[0] == float(same)


def test_calls_are_paired_so_that_they_fit_and_stay_in_place_where_all_fit_alike():
    class Made:
        def __init__(self, call):
            self.call = call

    assert pairs([Made(A2), Made(A1)], [A1, A2]) == [1, 0]
    assert pairs([Made(A1)], [A1, A1]) == [0, None]
    assert pairs([Made(NOW)], [A1]) == [None]
    assert pairs([Made(A1), Made(A1), Made(A1)], [A1, A1, A1]) == [0, 1, 2]
