"""Is a system asked each question once, and does what it answers become what is measured?"""

import asyncio
import dataclasses
import threading
import time

import pytest

from assay import Denied, InputError, Limits, Score, Unscored, evaluate, sweep
from assay._store.maintenance import clean, verify
from assay.data import read
from assay.metrics import resolve
from assay.target import Asking, ask, system
from support.scripts import plausible

ROWS = [{"id": f"q{n}", "question": f"What is {n}?", "answer": "of before"} for n in range(6)]


@dataclasses.dataclass
class Circle:
    """As a node that knows its children, which know it."""

    answer: str = "It is."
    parent: object = None

    def __post_init__(self):
        self.parent = [self]


class Broken:
    def model_dump(self):
        raise KeyError("lost")


def samples_of(answers):
    return [row.sample for row in read(answers)]


class Counting:
    """A system that notes what it was asked, and fails where it is told to."""

    def __init__(self, fails=()):
        self.fails = set(fails)
        self.asked = []

    def __call__(self, question):
        self.asked.append(question)
        if question in self.fails:
            raise ValueError("lost it")
        return {"answer": f"It is {question[8:-1]}.", "contexts": ["A number is a number."]}


class TestWhatIsAsked:
    def test_answers_of_before_are_replaced_by_those_of_the_system(self, db):
        found = samples_of(ask(ROWS, Counting(), store=db))
        assert [sample.answer for sample in found] == [f"It is {n}." for n in range(6)]
        assert {sample.contexts for sample in found} == {("A number is a number.",)}
        assert all(sample.latency_ms >= 0 for sample in found)

    def test_nothing_is_asked_twice(self, db):
        system = Counting()
        first = ask(ROWS, system, store=db)
        second = ask([*ROWS, {"id": "new", "question": "What is 9?"}], system, store=db)
        assert len(system.asked) == 7
        assert (first.asked, first.reused, second.asked, second.reused) == (6, 0, 1, 6)
        assert samples_of(first) == samples_of(second)[:6]

    def test_another_version_of_it_is_asked_anew(self, db):
        from assay.target import FunctionSystem

        system = Counting()
        for version in ("1", "2", "2"):
            ask(ROWS, FunctionSystem(system, version=version), store=db)
        assert len(system.asked) == 12

    def test_a_system_with_other_data_is_asked_anew_however_many_they_are(self, db, tmp_path):
        file = tmp_path / "app.py"
        for size in (3, 4, 3):
            file.write_text(
                f"CHUNKS = ['of %d words, %d' % ({size}, n) for n in range(5000)]\n"
                "class Retriever:\n    def find(self):\n        return CHUNKS[7]\n"
                "def answer(question):\n    return Retriever().find()\n"
            )
            answers = ask(ROWS, f"{file}:answer", store=db)
            assert {s.answer for s in samples_of(answers)} == {f"of {size} words, 7"}
            expected = (0, 6) if answers.asked == 0 else (6, 0)
            assert (answers.asked, answers.reused) == expected
        assert answers.asked == 0

    def test_one_that_goes_by_what_cannot_be_told_is_asked_anew_unless_a_version_is_named(self, db):
        def system_with(index):
            return lambda question: f"{question} {next(index)}"

        def asked(**how):
            made = system(system_with(n for n in range(100)), **how)
            return ask(ROWS, made, store=db).asked

        with pytest.warns(
            UserWarning, match=r"index \(builtins:\w+\).*not reused.*--target-version"
        ):
            assert [asked(), asked()] == [6, 6]
        assert [asked(version="1"), asked(version="1"), asked(version="2")] == [6, 0, 6]

    def test_stopped_on_the_way_the_same_call_goes_on_where_it_was(self, db):
        calls = []

        def answer(question):
            calls.append(question)
            if len(calls) == 4:
                raise Denied("the quota is used up")
            return "It is so."

        one_by_one = Asking(limits=Limits(concurrency=1, retries=0))
        with pytest.raises(Denied, match="quota"):
            ask(ROWS, answer, store=db, asking=one_by_one)
        before = len(calls)
        found = ask(ROWS, answer, store=db, asking=one_by_one)
        # The one that was refused is the only one that is asked a second time.
        assert len(set(calls)) == 6
        assert len(calls) == 7
        assert before >= 4
        assert not found.failures

    def test_what_a_metric_needs_and_no_system_makes_is_missed_before_anything_is_asked(self, db):
        system = Counting()
        with pytest.raises(InputError, match="reference"):
            ask(ROWS, system, metrics=resolve(["context_recall"]), store=db)
        assert system.asked == []

    def test_what_the_system_makes_is_not_missed(self, db):
        rows = [{"question": "What is 1?"}]
        ask(rows, Counting(), metrics=resolve(["faithfulness", "latency"]), store=db)

    def test_draws_become_further_answers(self, db):
        said = iter("abc")
        found = ask(
            [{"question": "Which?"}],
            lambda question: next(said),
            store=db,
            asking=Asking(draws=3, limits=Limits(concurrency=1)),
        )
        (sample,) = samples_of(found)
        assert {sample.answer, *sample.further_answers} == {"a", "b", "c"}

    def test_no_more_than_allowed_are_on_their_way_at_once(self, db):
        at_once, most, lock, three = 0, 0, threading.Lock(), threading.Event()

        def answer(question):
            nonlocal at_once, most
            with lock:
                at_once += 1
                most = max(most, at_once)
                if at_once == 3:
                    three.set()
            three.wait(0.05)  # for others, however slow the machine is
            time.sleep(0.005)
            with lock:
                at_once -= 1
            return "Yes."

        rows = [{"question": f"Is it {n}?"} for n in range(20)]
        ask(rows, answer, store=db, asking=Asking(limits=Limits(concurrency=3)))
        assert most == 3


class TestFailures:
    def test_a_question_without_an_answer_is_a_result_of_its_own_kind(self, db):
        answers = ask(ROWS, Counting(fails=["What is 2?"]), store=db)
        assert list(answers.failures) == ["q2"]
        result = evaluate(answers, ["faithfulness", "latency"], plausible(), store=db)
        outcomes = result["latency"]
        assert [type(outcome) for outcome in outcomes].count(Score) == 5
        assert isinstance(outcomes[2], Unscored)
        assert outcomes[2].why == "unanswered"
        assert "ValueError: lost it (test_target_ask.py:" in outcomes[2].detail
        row = result.summary()[0]
        assert (row.n_scored, row.n_undefined, row.n_failed, row.n_unanswered) == (5, 0, 0, 1)
        # The mean knows nothing of it, the bounds do.
        low, high = row.bounds
        assert low == pytest.approx(row.mean * 5 / 6)
        assert high == pytest.approx(row.mean * 5 / 6 + 1 / 6)
        assert "faithfulness: 1 unanswered" in str(result.summary())

    def test_the_judge_is_not_asked_about_it(self, db):
        answers = ask(ROWS[:1], Counting(fails=["What is 0?"]), store=db)
        result = evaluate(answers, "faithfulness", plausible(), store=db)
        assert result.cost().calls == 0

    def test_the_next_call_asks_it_again_and_only_it(self, db):
        system = Counting(fails=["What is 2?"])
        ask(ROWS, system, store=db)
        system.fails.clear()
        found = ask(ROWS, system, store=db)
        assert system.asked.count("What is 2?") == 2
        assert len(system.asked) == 7
        assert not found.failures

    def test_a_lost_connection_is_tried_again_and_a_bug_is_not(self, db):
        calls = []

        def answer(question):
            calls.append(question)
            if len(calls) == 1:
                raise ConnectionResetError("gone")
            return "Yes."

        quick = Asking(limits=Limits(backoff=0.001))
        assert not ask([{"question": "Is it?"}], answer, store=db, asking=quick).failures
        assert len(calls) == 2

    def test_a_system_that_never_answers_stops_the_run(self, db):
        system = Counting(fails=[f"What is {n}?" for n in range(100)])
        rows = [{"question": f"What is {n}?"} for n in range(100)]
        with pytest.raises(Denied, match=r"none of the first \d+ questions") as caught:
            ask(rows, system, store=db)
        assert "lost it" in str(caught.value)
        assert len(system.asked) < 40

    @pytest.mark.slow
    @pytest.mark.parametrize("error", [ValueError, ConnectionResetError])
    def test_quick_failures_do_not_stop_it_while_an_answer_is_on_its_way(self, db, error):
        failed = asyncio.Event()
        asked = []

        async def answer(question):
            asked.append(question)
            n = int(question[8:-1])
            if 1 <= n <= 20:
                if n == 10:
                    failed.set()
                raise error("lost it")
            await failed.wait()
            await asyncio.sleep(0.05)
            return "Yes."

        rows = [{"id": f"q{n}", "question": f"What is {n}?"} for n in range(40)]
        found = ask(rows, answer, store=db, asking=Asking(limits=Limits(concurrency=8, retries=0)))
        assert len(asked) == 40
        assert sorted(found.failures) == sorted(f"q{n}" for n in range(1, 21))

    def test_a_slow_failure_after_quick_ones_stops_it_and_nothing_new_is_asked(self, db):
        asked = []

        async def answer(question):
            asked.append(question)
            await asyncio.sleep(0.2 if question == "What is 0?" else 0)
            raise ValueError("lost it")

        rows = [{"question": f"What is {n}?"} for n in range(100)]
        with pytest.raises(Denied, match=r"none of the first \d+ questions"):
            ask(rows, answer, store=db, asking=Asking(limits=Limits(concurrency=8)))
        assert len(asked) <= 24

    def test_one_that_takes_too_long_has_no_answer(self, db):
        async def answer(question):
            await asyncio.sleep(0.0 if "0" in question else 30.0)
            return "Yes."

        brief = Asking(limits=Limits(timeout=0.05, retries=0))
        found = ask(ROWS[:2], answer, store=db, asking=brief)
        assert list(found.failures) == ["q1"]
        assert "within 0.05 s" in found.failures["q1"]

    @pytest.mark.parametrize("later", [False, True])
    def test_one_that_raises_as_if_cancelled_costs_its_own_question(self, db, later):
        def answer(question):
            if question in {"What is 7?", "What is 17?"}:
                raise asyncio.CancelledError
            return "Yes."

        async def answer_later(question):
            return answer(question)

        rows = [{"id": f"q{n}", "question": f"What is {n}?"} for n in range(30)]
        one_by_one = Asking(limits=Limits(concurrency=1, retries=0))
        found = ask(rows, answer_later if later else answer, store=db, asking=one_by_one)
        assert sorted(found.failures) == ["q17", "q7"]
        assert "CancelledError" in found.failures["q7"]
        assert sum(sample.answer == "Yes." for sample in samples_of(found)) == 28

    def test_one_that_finds_nothing_to_iterate_does_not_hang(self, db):
        found = ask(ROWS[:1], lambda question: next(iter(())), store=db)
        assert "the function raised StopIteration (test_target_ask.py:" in found.failures["q0"]

    def test_an_invalid_row_is_skipped_and_told_by_the_run(self, db, tmp_path):
        rows = [*ROWS[:2], {"id": "bad", "question": 5}]
        skipped = tmp_path / "skipped.jsonl"
        answers = ask(rows, Counting(), store=db, asking=Asking(skip_invalid=skipped))
        from assay import Settings

        result = evaluate(
            answers, "latency", plausible(), store=db, settings=Settings(skip_invalid=skipped)
        )
        assert (result.run.n_samples, result.run.skipped) == (2, 1)
        assert '"row": 3' in skipped.read_text("utf-8")


class TestErrorsInReplies:
    def test_the_same_system_is_asked_again_once_it_is_mended(self, db):
        said = iter([{"error": "the index is not loaded"}, {"answer": "Yes."}])

        def answer(question):
            return next(said)

        paths = Asking(reply={"contexts": "docs"})
        assert "index is not" in ask(ROWS[:1], answer, store=db, asking=paths).failures["q0"]
        assert not ask(ROWS[:1], answer, store=db).failures


class TestTheStore:
    def test_answers_are_sound_and_outlive_cleaning(self, db):
        system = Counting()
        evaluate(ask(ROWS, system, store=db), "latency", plausible(), store=db)
        assert verify(db).problems == ()
        clean(db)
        assert ask(ROWS, system, store=db).reused == 6
        assert len(system.asked) == 6

    def test_what_they_cost_is_not_what_the_evaluation_cost(self, db):
        answers = ask(ROWS, Counting(), store=db)
        assert evaluate(answers, "latency", plausible(), store=db).cost().calls == 0

    def test_the_same_answers_are_the_same_run(self, db):
        system = Counting()
        runs = {
            evaluate(ask(ROWS, system, store=db), "latency", plausible(), store=db).run.id
            for _ in range(2)
        }
        assert len(runs) == 1


class TestFunctions:
    @pytest.mark.parametrize(
        "function",
        [
            lambda question: "yes",
            lambda sample: f"yes{sample.id[:0]}",
            lambda question, sample: "yes",
            lambda sample, question="": "yes",
            lambda question, temperature=0.0: "yes",
        ],
    )
    def test_they_take_the_question_the_sample_or_both(self, db, function):
        (sample,) = samples_of(ask(ROWS[:1], function, store=db))
        assert sample.answer == "yes"

    @pytest.mark.parametrize(
        ("function", "takes"),
        [
            (lambda: "", "takes no argument; it is called with: question"),
            (lambda question, *, k: question, "takes question, k by name; it is called with: qu"),
        ],
    )
    def test_one_that_cannot_be_called_so_is_refused_before_it_is_asked(self, db, function, takes):
        with pytest.raises(InputError, match=takes) as refused:
            ask(ROWS, function, store=db)
        assert "write def answer(question)" in str(refused.value)

    def test_one_that_takes_anything_else_is_refused(self, db):
        with pytest.raises(InputError, match="takes question, history"):
            ask(ROWS, lambda question, history: "yes", store=db)

    @pytest.mark.parametrize(
        ("function", "given"),
        [
            (lambda question, contexts: contexts[0], "It is."),
            (lambda contexts, question: contexts[0], "It is."),
            (lambda question, *, contexts: contexts[0], "It is."),
            (lambda question, contexts=("Its own.",): contexts[0], "Its own."),
        ],
    )
    def test_they_are_given_the_contexts_unless_these_have_a_default(self, db, function, given):
        rows = [{"question": "Is it?", "contexts": ["It is."]}]
        (sample,) = samples_of(ask(rows, function, store=db))
        assert sample.answer == given

    def test_rows_without_contexts_are_refused_where_they_are_needed(self, db):
        with pytest.raises(InputError, match="contexts"):
            ask([{"question": "Is it?"}], lambda question, contexts: "yes", store=db)

    def test_contexts_of_the_data_stay_where_the_system_is_given_them(self, db):
        rows = [{"question": "Is it?", "contexts": ["It is."]}]
        (given,) = samples_of(ask(rows, lambda sample: sample.contexts[0], store=db))
        (alone,) = samples_of(ask(rows, lambda question: "yes", store=db))
        assert (given.answer, given.contexts) == ("It is.", ("It is.",))
        assert alone.contexts is None

    @pytest.mark.parametrize(
        ("made", "kept"),
        [
            ({"contexts": ["new", "newer"]}, (("new", "newer"), None)),
            ({"context_ids": ["n9"]}, (None, ("n9",))),
            ({"contexts": [{"text": "new", "id": "n1"}]}, (("new",), ("n1",))),
            ({}, (("old",), ("o1",))),
        ],
    )
    def test_texts_and_ids_of_contexts_are_never_of_two_systems(self, db, made, kept):
        rows = [{"question": "Is it?", "contexts": ["old"], "context_ids": ["o1"]}]
        (found,) = samples_of(ask(rows, lambda sample: {"answer": "It is.", **made}, store=db))
        assert (found.contexts, found.context_ids) == kept

    @pytest.mark.parametrize(
        ("made", "said"),
        [
            (
                lambda: (part for part in ("It ", "is.")),
                "generator -> join its pieces into one text",
            ),
            (lambda: b"It is.", "returned a Python bytes -> decode it"),
            (object, "returned a Python object -> return the text of the answer"),
            (lambda: ValueError("lost"), "returned a Python ValueError"),
            (lambda: {"answer": iter(["It is."])}, "an object with 'a Python list_iterator'"),
            (Circle, "returned an object that contains itself"),
            (
                Broken,
                "returned an object that cannot be read: KeyError: 'lost' (test_target_ask.py:",
            ),
        ],
        ids=["generator", "bytes", "object", "error", "inside", "circle", "broken"],
    )
    def test_what_holds_no_text_is_said_to_hold_none_and_costs_no_other(self, db, made, said):
        found = ask(ROWS, lambda question: made() if "2" in question else "Yes.", store=db)
        assert list(found.failures) == ["q2"]
        assert said in found.failures["q2"]

    def test_an_asynchronous_generator_is_no_text_either(self, db):
        async def stream(question):
            yield question

        found = ask(ROWS[:1], stream, store=db)
        assert "async_generator -> join its pieces into one text" in found.failures["q0"]

    @pytest.mark.parametrize("target", ["nonsense", "no_such_module:f", "json:no_such", 5])
    def test_what_is_no_system_is_refused(self, db, target):
        with pytest.raises(InputError):
            ask(ROWS, target, store=db)


def test_an_object_that_is_no_function_is_refused_with_what_to_write():
    class Chain:
        def invoke(self, inputs):
            return inputs

    with pytest.raises(InputError, match=r"class Chain .* def answer\(question\): return chain"):
        system(Chain())
    with pytest.raises(InputError, match=r"class int is not a system .* give a URL"):
        system(3)
    with pytest.raises(InputError, match="class Chain is not a system"):
        sweep(ROWS, Chain(), {"k": [1, 2]}, "answer_relevancy")
    with pytest.raises(InputError, match="Chain is a system, and holds no rows"):
        evaluate(Chain(), "answer_relevancy")


def test_a_query_engine_is_refused_with_a_function_that_returns_what_was_found():
    class Engine:
        def query(self, question):
            return question

    with pytest.raises(InputError, match=r"def answer\(question\): reply = engine.query.*contexts"):
        system(Engine())
