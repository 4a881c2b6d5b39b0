"""Scores, reasons, samples and errors are values that say what they are."""

import dataclasses
import math
import pickle

import pytest

from assay.errors import (
    AssayError,
    Denied,
    InputError,
    JudgeError,
    OverBudget,
    Problem,
    Unavailable,
    Unreadable,
    Unsupported,
)
from assay.judge import Backend, BackendLike, Judge, Reply, Task
from assay.sample import Sample
from assay.score import Part, Score, Unscored
from support import scripts
from support.over import over


@over("value", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_finite_cannot_exist(value):
    with pytest.raises(ValueError, match="finite"):
        Score(value)


def test_a_score_reads_as_its_number():
    assert float(Score(0.25)) == 0.25
    assert round(float(Score(1)), 2) == 1


@pytest.mark.parametrize(
    "value",
    [
        Score(0.5, (Part("statement", "x", "supported", 1.0, span=(0, 1)),), "m", {"n": 1}),
        Unscored("undefined", "why", (Part("statement", "x"),)),
        Part("statement", "x"),
        Reply(("a", "b"), "raw"),
        scripts.sample(),
        Problem("wrong", "mend it", 3, "answer"),
    ],
    ids=lambda value: type(value).__name__,
)
class TestValues:
    def test_they_survive_pickling(self, value):
        assert pickle.loads(pickle.dumps(value)) == value

    def test_they_are_frozen(self, value):
        name = dataclasses.fields(value)[0].name
        with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
            setattr(value, name, None)


def test_a_sample_shows_what_is_filled():
    sample = Sample(id="1", question="q", contexts=(), metadata={"a": 1})
    assert repr(sample) == "Sample(id='1', question='q', contexts=(), metadata={'a': 1})"
    assert eval(repr(sample), {"Sample": Sample}) == sample


def test_absent_contexts_and_no_contexts_are_different_samples():
    assert Sample(id="1") != Sample(id="1", contexts=())


class TestErrors:
    def test_all_are_one_tree(self):
        assert issubclass(InputError, AssayError)
        assert not issubclass(InputError, JudgeError)
        for error in (Unavailable, Unreadable, Unsupported, Denied, OverBudget):
            assert issubclass(error, JudgeError)

    def test_a_problem_says_where_what_and_what_to_do(self):
        problem = Problem("is empty", "fill it in", row=3, field="answer")
        assert str(problem) == "row 3, field 'answer': is empty -> fill it in"
        assert str(Problem("is empty")) == "is empty"

    def test_all_problems_are_told_at_once(self):
        error = InputError([Problem("one"), Problem("two", row=2)])
        assert str(error) == "2 problems in the input:\n  one\n  row 2: two"

    def test_what_many_rows_share_is_told_once(self):
        lines = [Problem("is no text", "save it", row, place=f"line {row}") for row in range(1, 31)]
        empty = Problem("is empty", "fill it in", row=7, field="answer")
        assert str(InputError([*lines, empty])) == (
            "31 problems in the input:\n"
            "  rows 1, 2, 3, 4, 5 and 25 more: is no text -> save it\n"
            "  row 7, field 'answer': is empty -> fill it in"
        )
        assert str(lines[0]) == "row 1: is no text (line 1 of the file) -> save it"

    def test_very_many_problems_are_counted(self):
        error = InputError([Problem(f"p{n}") for n in range(50)], total=1000)
        assert str(error).startswith("1000 problems")
        assert str(error).endswith("... and 980 more")

    def test_an_unreadable_reply_is_kept_with_its_error(self):
        assert Unreadable("no", raw="what it said").raw == "what it said"


class TestTasks:
    def test_a_kind_is_the_class_name_in_snake_case(self):
        @dataclasses.dataclass(frozen=True)
        class CountTheWords(Task[int]):
            text: str

            def input_texts(self):
                return ()

            def read(self, raw):
                return int(raw)

        assert CountTheWords.kind == "count_the_words"
        assert CountTheWords("x").prompt() == ""

    def test_a_scripted_judge_and_every_wrapper_is_a_back_end(self):
        assert isinstance(scripts.plausible(), Backend)
        assert isinstance(scripts.Watched(scripts.plausible()), BackendLike)

    def test_a_judge_knows_what_is_served(self):
        from assay.judges.scripted import Scripted
        from assay.tasks import Embed, SplitStatements

        judge = Judge(Scripted({"embed": "x"}))
        assert judge.can(Embed)
        assert not judge.can(SplitStatements)


def test_why_there_is_no_score_is_told_in_one_text():
    assert Unscored("failed", "no reply").reason == "failed: no reply"
