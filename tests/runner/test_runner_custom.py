"""A user's own metric, judge and back end take the same door as those that ship."""

import asyncio
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from assay import Limits, Metric, Part, Reply, Score, Settings, Task, Unscored, evaluate
from assay._runner.result import Result
from assay._store.rows import outcome_values
from assay.errors import InputError, Unsupported
from assay.judges import backend
from assay.prompt import InputText, Template
from assay.tasks import SplitStatements
from support import answers
from support.over import over
from support.scripts import Watched, plausible, sample, samples


@dataclass(frozen=True)
class Polite(Task[bool]):
    """A task of the user's own."""

    answer: str

    template = Template("Is the answer polite? Say yes or no.")

    def input_texts(self):
        return (InputText("answer", self.answer),)

    def read(self, raw):
        from assay.errors import Unreadable

        if raw not in ("yes", "no"):
            raise Unreadable("neither yes nor no", raw=raw)
        return raw == "yes"


@dataclass(frozen=True)
class Politeness(Metric):
    """Share of the words, in percent, if the answer is polite.

    Args:
        least: Words that a polite answer has.
    """

    least: int = 1

    name = "politeness"
    needs = ("answer",)
    tasks = (Polite,)
    range: ClassVar = (0.0, 100.0)

    async def score(self, sample, judge):
        words = len(sample.answer.split())
        if words < self.least:
            return Unscored("undefined", "too short")
        polite = await judge(Polite(sample.answer))
        return Score(100.0 * polite, (Part("answer", sample.answer, str(polite)),))


def yes(prompt):
    return "yes" if "Is the answer polite?" in prompt else answers.answer(prompt)


async def yes_later(prompt):
    await asyncio.sleep(0)
    return yes(prompt)


class Own:
    """A back end of the user's own: it serves one kind of task and splits at spaces."""

    name = "own"

    def identity(self, kind):
        return "own:1" if kind in (SplitStatements, Polite) else None

    async def reply(self, task, draw=0):
        raw = "yes" if isinstance(task, Polite) else '{"statements": []}'
        return Reply(task.inputs(), raw, tokens_in=7, backend="own:1", kind=task.kind, draw=draw)


@pytest.mark.parametrize(
    "judge",
    [yes, yes_later, lambda prompt: yes(prompt + ""), Own()],
    ids=["function", "async", "lambda", "own"],
)
def test_a_metric_and_a_task_of_ones_own_are_served_by_any_judge(db, judge):
    result = evaluate(samples(2), Politeness(), judge, embedder=plausible(), store=db)
    assert [o.value for o in result["politeness"]] == [100.0, 100.0]
    assert result.summary()[0].bounds == (100.0, 100.0)
    trace = result.trace("q0", "politeness")
    assert [(r.kind, r.raw) for r in trace.replies] == [("polite", "yes")]


def test_its_parameters_are_part_of_its_label_and_signature(db):
    metrics = [Politeness(), Politeness(least=99)]
    result = evaluate(samples(2), metrics, yes, embedder=plausible(), store=db)
    assert list(result.run.metrics) == ["politeness", "politeness(least=99)"]
    assert {o.why for o in result["politeness(least=99)"]} == {"undefined"}


@dataclass(frozen=True)
class Wrong(Metric):
    """Too much."""

    name = "wrong"
    needs = ()

    async def score(self, sample, judge):
        return Score(1.5)


def test_a_number_outside_its_range_is_told_with_the_range_and_what_to_do(db):
    (failed,) = evaluate(samples(1), Wrong(), plausible(), store=db)["wrong"]
    told = r"wrong returned 1\.5, and its range is 0 to 1 -> return .* range=\(0, 100\)"
    assert failed.why == "failed"
    assert re.match(told, failed.detail)


def test_of_a_metric_that_is_built_in_it_is_a_bug(db, monkeypatch):
    monkeypatch.setattr(Wrong, "__module__", "assay.metrics.wrong")
    with pytest.raises(ValueError, match=r"wrong returned 1\.5, and its range is 0 to 1"):
        evaluate(samples(1), Wrong(), plausible(), store=db)


def test_it_needs_metadata_by_name(db):
    @dataclass(frozen=True)
    class Stars(Metric):
        """Stars that users gave."""

        name = "stars"
        needs = ("stars",)
        range: ClassVar = (0.0, 5.0)

        async def score(self, sample, judge):
            return Score(sample.metadata["stars"])

    data = [{"id": "a", "answer": "x", "stars": 4}]
    assert [o.value for o in evaluate(data, Stars(), plausible(), store=db)["stars"]] == [4]
    with pytest.raises(InputError, match="stars"):
        evaluate([{"id": "a", "answer": "x"}], Stars(), plausible(), store=db)


class TestJudgesByName:
    @pytest.mark.parametrize("spec", ["support.counted:say", "support.counted:judge"])
    def test_a_module_and_an_attribute_name_a_judge(self, spec):
        assert backend(spec).identity(SplitStatements)

    @over("spec", ["support.counted:missing", "support.missing:judge", "support.counted:nothing"])
    def test_one_that_cannot_be_imported_or_is_no_judge_is_refused(self, spec):
        with pytest.raises(InputError):
            backend(spec)

    def test_judges_are_mixed_by_task(self):
        mixed = backend("support.counted:judge,verify_statements=support.counted:say")
        assert mixed.identity(SplitStatements) == "counted"
        assert mixed.name.startswith("counted,verify_statements=support.counted:say")

    def test_an_unknown_task_in_a_mix_is_refused(self):
        with pytest.raises(InputError, match="'verify=x' is not TASK=JUDGE"):
            backend("support.counted:judge,verify=x")


def test_what_a_judge_cannot_do_is_unsupported_even_if_a_metric_asks_undeclared(db):
    @dataclass(frozen=True)
    class Sneaky(Metric):
        """Asks for what it did not declare."""

        name = "sneaky"
        needs = ("answer",)

        async def score(self, sample, judge):
            await judge(SplitStatements("", sample.answer))
            await judge(Polite(sample.answer))
            return Score(1.0)

    result = evaluate(samples(1), Sneaky(), plausible(), store=db)
    assert result["sneaky"] == [Unscored("failed", "the judge plausible cannot do polite")]


async def test_a_scripted_judge_says_what_it_was_told_or_that_it_cannot():
    from assay.judges.scripted import Scripted

    judge = Scripted({"split_statements": {"Rome": ["one", "two"], "Paris": "three"}})
    rome, paris = SplitStatements("", "Rome."), SplitStatements("", "Paris.")
    assert [(await judge.reply(rome, draw)).raw for draw in (0, 1, 2, 1000)] == [
        "one",
        "two",
        "two",
        "two",
    ]
    assert (await judge.reply(paris)).raw == "three"
    with pytest.raises(Unsupported):
        await judge.reply(SplitStatements("", "Vienna."))
    assert judge.calls == 6


def test_a_script_may_be_a_file(tmp_path):
    path = tmp_path / "script.json"
    path.write_text('{"split_statements": "one", "embed": "two"}')
    identity = backend(f"scripted:{path}").identity(SplitStatements)
    assert identity.startswith("scripted:script.json")
    path.write_text('{"split_statements": "other"}')
    assert backend(f"scripted:{path}").identity(SplitStatements) != identity
    for wrong in ("[]", "{", '{"no_such_task": "x"}'):
        path.write_text(wrong)
        with pytest.raises(InputError):
            backend(f"scripted:{path}")


async def test_at_no_moment_are_more_calls_in_flight_than_allowed(db):
    now, most = 0, 0

    class Busy(Watched):
        async def reply(self, task, draw=0):
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.001)
            now -= 1
            return await super().reply(task, draw)

    settings = Settings(limits=Limits(concurrency=3))
    await asyncio.to_thread(
        evaluate, samples(10), "faithfulness", Busy(plausible()), store=db, settings=settings
    )
    assert most == 3


def test_a_slow_sample_holds_up_no_other(db):
    async def slow(task):
        if "Paris" in repr(task):
            await asyncio.sleep(0.1)

    done = []
    settings = Settings(on_progress=lambda p: done.append((p.done, p.waiting_for)))
    judge = Watched(plausible(), before=slow)
    evaluate([sample(n) for n in range(5)], "faithfulness", judge, store=db, settings=settings)
    assert any(n == 4 and waiting and waiting[0] == "q0 faithfulness" for n, waiting in done)


def test_a_metric_whose_code_was_edited_is_scored_anew(db):
    async def one(self, sample, judge):
        return Score(1.0)

    async def half(self, sample, judge):
        return Score(0.5)

    class Mine(Metric):
        name = "mine"
        needs = ("answer",)
        score = one

    first = evaluate([sample()], Mine(), plausible(), store=db)
    Mine.score = half
    second = evaluate([sample()], Mine(), plausible(), store=db)
    assert [r["mine"][0].value for r in (first, second)] == [1.0, 0.5]


@dataclass(frozen=True)
class Computed(Metric):
    """What numpy gives, as a user's metric may give it.

    Args:
        value: What it scores.
    """

    value: object = None

    name = "computed"
    needs = ("answer",)

    async def score(self, sample, judge):
        part = Part("word", np.str_("a"), value=self.value, span=(np.int64(0), np.int64(1)))
        return Score(self.value, (part,), details={"n": self.value, "all": np.arange(2)})


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.5), 0.5])
def test_numbers_of_numpy_are_kept_as_plain_ones(db, value):
    (kept,) = evaluate(samples(1), Computed(value), store=db)["computed"]
    part = Part("word", "a", value=0.5, span=(0, 1))
    assert kept == Score(0.5, (part,), details={"n": 0.5, "all": [0, 1]})
    assert type(kept.value) is float


def test_evidence_that_cannot_be_kept_is_named():
    with pytest.raises(TypeError, match="the evidence of a score holds a range: give plain values"):
        outcome_values(Score(0.5, details={"n": range(1)}), ())


@dataclass(frozen=True)
class Returns(Metric):
    """What it is told to; it is called if it can be.

    Args:
        made: What it returns.
    """

    made: object = None

    name = "returns"
    needs = ("answer",)

    async def score(self, sample, judge):
        return self.made() if callable(self.made) else self.made


def _nested():
    found = []
    found.append(found)
    return Score(0.5, details={"all": found})


UNKEPT = {
    "bare number": (0.5, " returned 0.5 -> return a Score or an Unscored"),
    "nothing": (None, " returned None -> return a Score or an Unscored"),
    "text": ("good", " returned 'good' -> return a Score or an Unscored"),
    "text for a number": (lambda: Score("0.5"), ": a score is a finite number, not '0.5' -> give"),
    "nan": (lambda: Score(float("nan")), ": a score is a finite number, not nan -> give"),
    "part without text": (
        Score(0.5, (Part("reference", None),)),
        ": parts[0].text: expected str, got null -> kind, text,",
    ),
    "text for parts": (Score(0.5, "hello"), ": parts: expected array, got str -> kind, text,"),
    "half a character": (
        Score(0.5, (Part("a", "b"), Part("a", "\ud800"))),
        ": parts[1].text holds half of a character -> repair",
    ),
    "object": (
        Score(0.5, details={"n": 1, "all": [{"of": object()}]}),
        ": details['all'][0]['of'] is a Python object -> give texts, numbers",
    ),
    "itself": (_nested, ": its evidence is nested too deeply -> give texts"),
    "another why": (
        Unscored("skipped", "x"),
        " returned Unscored('skipped', ...) -> the first is 'undefined', 'failed' or 'unanswered'",
    ),
    "no detail": (Unscored("undefined", None), ": detail: expected str, got null -> "),
}


@pytest.mark.parametrize("case", UNKEPT)
def test_what_could_not_be_read_again_is_told_and_fails_the_sample(db, case):
    made, told = UNKEPT[case]
    metric = Returns(made)
    (failed,) = evaluate(samples(1), metric, plausible(), store=db)[metric.label]
    assert failed.why == "failed"
    assert failed.detail.startswith(f"{metric.label}{told}")
    assert Result(db)[metric.label] == [failed]


def test_a_score_that_is_not_async_is_told(db):
    class Hasty(Returns):
        def score(self, sample, judge):
            return Score(0.5)

    with pytest.raises(InputError, match="`score` of returns is not async -> write `async def sc"):
        evaluate(samples(1), Hasty(), plausible(), store=db)


class TestSettings:
    @pytest.mark.parametrize("given", [{"limit": 1}, {}, 3])
    def test_what_is_no_settings_is_told(self, db, given):
        with pytest.raises(InputError, match=r"settings is .* -> such as settings=assay\.Settings"):
            evaluate(samples(1), "faithfulness", plausible(), store=db, settings=given)

    @over(
        ("given", "told"),
        [
            ({"limit": 1.5}, "limit is 1.5 -> give a whole number"),
            ({"tries": "3"}, "tries is '3' -> give a whole number"),
            ({"cores": True}, "cores is True -> give a whole number"),
            ({"skip_invalid": True}, "skip_invalid is True -> name the file"),
            ({"on_progress": 3}, "on_progress is 3 -> give a function of one argument"),
        ],
    )
    def test_a_value_of_another_kind_is_told(self, given, told):
        with pytest.raises(InputError, match=told):
            Settings(**given)

    def test_whole_numbers_of_numpy_and_paths_as_text_are_fine(self):
        assert Settings(limit=np.int64(2), skip_invalid="skipped.jsonl").limit == 2
