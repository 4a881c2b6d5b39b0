"""Does every backend that reads prompts put tasks the same way?"""

import asyncio
import collections
import copy
import functools
import json
import logging
import os
import re
import threading
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from assay import evaluate
from assay.errors import InputError, Unavailable, Unreadable, Unsupported
from assay.judge import Backend, Judge
from assay.judges.llm import LLM, Completion, Function
from assay.prompt import Template
from assay.tasks import Embed, GenerateQuestions, RateAnswer, SplitStatements
from support.over import over

TASK = RateAnswer("Who built it?", "Anna built it.")
RATING = '{"reason": "it does", "noncommittal": false, "relevance": 1.0}'


class Fixed(LLM):
    name = "fixed"

    async def complete(self, prompt, schema, kind, draw):
        self.asked = (prompt, schema, kind, draw)
        return Completion(RATING, 7, 9)


async def test_a_reply_says_all_about_the_call():
    llm = Fixed()
    reply = await llm.reply(TASK, draw=3)
    assert llm.asked == (TASK.prompt(), RateAnswer.schema, "rate_answer", 3)
    assert reply.prompt == TASK.prompt()
    assert (reply.raw, reply.tokens_in, reply.tokens_out) == (RATING, 7, 9)
    assert (reply.kind, reply.draw, reply.key) == ("rate_answer", 3, "")
    assert reply.backend == llm.identity(RateAnswer) == f"fixed#{RateAnswer.template.digest}"
    assert reply.ms >= 0


async def test_a_replaced_template_is_used_and_changes_the_identity():
    other = Template("Say how good [answer] is.", verbatim=True)
    llm = Fixed(prompts={"rate_answer": other})
    reply = await llm.reply(TASK)
    assert reply.prompt == "Say how good Anna built it. is."
    assert llm.identity(RateAnswer) == f"fixed#{other.digest}"
    assert llm.identity(SplitStatements) == Fixed().identity(SplitStatements)


async def test_a_task_without_a_prompt_is_not_served():
    assert Fixed().identity(Embed) is None
    with pytest.raises(Unsupported, match="'embed' has none"):
        await Fixed().reply(Embed("a text"))


def test_it_is_a_backend():
    assert isinstance(Fixed(), Backend)


def judge_in_words(prompt: str) -> str:
    return RATING


async def judge_later(prompt: str) -> str:
    await asyncio.sleep(0)
    return RATING


class Judging:
    async def __call__(self, prompt: str) -> str:
        return RATING


@over(
    "ask",
    [
        judge_in_words,
        judge_later,
        Judging(),
        lambda prompt: judge_later(prompt),  # noqa: PLW0108 - plain, but returns an awaitable
        functools.partial(judge_later),
    ],
)
async def test_any_callable_from_text_to_text_is_a_judge(ask):
    judge = Judge(Function(ask))
    assert (await judge(TASK)).relevance == 1.0
    assert judge.replies[0].tokens_in == len(TASK.prompt()) // 4


@pytest.mark.parametrize(
    ("ask", "takes"),
    [
        (lambda: "", "takes no argument; it is called with: prompt"),
        (lambda prompt, model: prompt + model, "takes prompt, model; it is called with: prompt"),
        (lambda *, prompt: prompt, "takes prompt by name; it is called with: prompt"),
    ],
)
def test_one_that_cannot_be_called_with_a_prompt_is_refused_before_it_is_asked(ask, takes):
    with pytest.raises(InputError, match=re.escape(takes)) as refused:
        Function(ask)
    assert "<lambda>" in str(refused.value)
    assert "write def judge(prompt)" in str(refused.value)


def test_a_decorator_may_give_what_its_function_takes_beside_the_prompt():
    def with_model(ask):
        @functools.wraps(ask)
        def asking(prompt):
            return ask(prompt, "model")

        return asking

    assert Function(with_model(lambda prompt, model: prompt + model)).name


async def test_a_judge_that_finds_nothing_to_iterate_raises_and_does_not_hang():
    def ask(prompt: str) -> str:
        return next(iter(()))

    with pytest.raises(RuntimeError, match="raised StopIteration"):
        await asyncio.wait_for(Function(ask).complete("prompt", None, "kind", 0), 30)


def test_a_function_is_named_by_its_place_and_its_code():
    place, code = Function(judge_in_words).name.split("@")
    assert place == f"{__name__}:judge_in_words"
    assert Function(judge_in_words).name == f"{place}@{code}"
    assert Function(judge_in_words, name="mine").name == "mine"
    assert Function(Judging()).name.startswith(f"{__name__}:Judging@")


def test_functions_that_differ_have_different_names():
    asks = [
        lambda p: "one",
        lambda p: "two",
        lambda p: p if p in {"a", "b"} else "",
        functools.partial(judge_in_words),
        functools.partial(print, sep="a"),
        functools.partial(print, sep="b"),
        lambda p, model="a": p + model,
        lambda p, model="b": p + model,
        lambda p, *, model="a": p + model,
    ]
    assert len({Function(ask).name for ask in asks}) == len(asks)


def made(model, **held):
    """A judge of a factory: all have the same code."""

    def ask(prompt):
        return f"{model} {held}"

    return ask


@dataclass(frozen=True)
class Options:
    model: str = "a"
    api_key: str = ""


class Keeping:
    """A judge that keeps what it is made with."""

    def __init__(self, **held):
        self.__dict__.update(held)

    def ask(self, prompt):
        return RATING

    def __call__(self, prompt):
        return RATING


@over(
    ("one", "other"),
    [
        (made("a"), made("b")),
        (made(1), made("1")),
        (made(["a"]), made(["b"])),
        (made({"model": "a"}), made({"model": "b"})),
        (made({"a", "b"}), made({"a", "c"})),
        (made(Options("a")), made(Options("b"))),
        (made(made("a")), made(made("b"))),
        (functools.partial(made("a")), functools.partial(made("b"))),
        (functools.partial(judge_later, model="a"), functools.partial(judge_later, model="b")),  # type: ignore[call-arg]
        (Keeping(model="a").ask, Keeping(model="b").ask),
        (Keeping(model="a"), Keeping(model="b")),
        (Keeping(options=Options("a")), Keeping(options=Options("b"))),
        (lambda p, options=Options("a"): p, lambda p, options=Options("b"): p),
        ({"p": "a"}.get, {"p": "b"}.get),
    ],
)
def test_callables_of_the_same_code_that_hold_other_values_have_other_names(one, other):
    assert Function(one).name != Function(other).name


@over(
    "make",
    [
        lambda: made("a", n=[1, {"b": 2.0}]),
        lambda: functools.partial(made(Options()), 1, b=2),
        lambda: Keeping(model="a", options=Options()).ask,
    ],
)
def test_callables_of_the_same_code_that_hold_equal_values_have_the_same_name(make):
    assert Function(make()).name == Function(make()).name


def test_what_a_callable_counts_or_notes_makes_no_other_of_it():
    asked = []

    def ask(prompt):
        asked.append(prompt)

    counting = Keeping(asked=asked)
    before = Function(ask).name, Function(counting).name
    asked.append("a prompt")
    assert (Function(ask).name, Function(counting).name) == before


def test_a_key_is_no_part_of_a_name():
    keys = ("old", "new")
    assert len({Function(Keeping(api_key=key)).name for key in keys}) == 1
    assert len({Function(made(Options(api_key=key))).name for key in keys}) == 1


def test_what_holds_itself_has_a_name():
    owner, held = Keeping(), []
    owner.hook = owner.ask  # type: ignore[attr-defined]
    held.append(held)
    assert Function(owner.ask).name
    assert Function(made(held)).name


@over(
    ("make", "said"),
    [
        (made, r"model \(builtins:generator\)"),
        (
            lambda held: functools.partial(lambda _, p: p, held),
            r"an argument \(builtins:generator\)",
        ),
        (lambda held: Keeping(client=held).ask, r"client \(builtins:generator\)"),
        (lambda held: made(Keeping(held=held)), r"model \(\w+:Keeping\)"),
        (lambda held: made([held] * 2000), r"model \(builtins:generator\)"),
    ],
)
def test_a_value_that_no_name_can_tell_is_warned_of_unless_the_name_is_given(make, said):
    ask = make(_ for _ in ())
    with pytest.warns(UserWarning, match=f"{said}.*give it a name"):
        Function(ask)
    assert Function(ask, name="mine").name == "mine"


def judge_of_module(**held):
    """A judge in a module of its own that uses these values of it, by way of a function."""
    values = {"__name__": "mine", **held}
    used = ", ".join(held)
    exec(f"def said():\n  return {used}\ndef judge(prompt):\n  return said(), prompt", values)
    return values["judge"]


@over(
    ("one", "other"),
    [
        ({"model": "a"}, {"model": "b"}),
        (["a"], ["b"]),
        (Options("a"), Options("b")),
        (Keeping(model="a"), Keeping(model="b")),
        (Keeping(model="a").ask, Keeping(model="b").ask),
        (functools.partial(made("a")), functools.partial(made("b"))),
    ],
)
def test_functions_that_use_other_values_of_their_module_have_other_names(one, other):
    names = [Function(judge_of_module(HELD=held)).name for held in (one, other, one)]
    assert names[0] == names[2] != names[1]


def test_an_object_of_the_module_that_no_name_can_tell_is_warned_of():
    with pytest.warns(UserWarning, match=r"client \(\w+:Keeping\).*give it a name"):
        Function(judge_of_module(client=Keeping(held=(_ for _ in ()))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([f"chunk {n}" for n in range(3000)], [f"chunk {n} again" for n in range(3000)]),
        (dict.fromkeys(range(3000), "a"), dict.fromkeys(range(3000), "b")),
        ({*range(3000)}, {*range(1, 3001)}),
        ([Options("a")] * 3000, [Options("b")] * 3000),
        (["\ud800"] * 3000, ["\ud801"] * 3000),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(2), np.array([0.0, 1.0])),
        (np.array([["a"], 1], dtype=object), np.array([["b"], 1], dtype=object)),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
        (pd.DataFrame({"a": ["x"]}), pd.DataFrame({"a": ["y"]})),
        (pd.Series([[1]]), pd.Series([[2]])),
        (collections.deque("a"), collections.deque("b")),
        (bytearray(b"a"), bytearray(b"b")),
        (Keeping(inner=Keeping(inner=Keeping(k=1))), Keeping(inner=Keeping(inner=Keeping(k=2)))),
    ],
)
def test_data_count_by_their_content_however_many_they_are(one, other):
    for make in (made, lambda held: judge_of_module(HELD=held)):
        names = [Function(make(held)).name for held in (one, other, copy.deepcopy(one))]
        assert names[0] == names[2] != names[1]


CLASSES = """
class Base:
    def kept(self):
        return 1
class Retriever(Base):
    best = [3]
    def find(self):
        return helper(), self.kept()
def helper():
    return 2
retriever = Retriever()
def judge(prompt):
    return retriever.find()
def other(prompt):
    return Retriever().find()
"""


@over("edit", ["return 1", "return 2", "[3]", "helper(), self.kept()"])
@over("name", ["judge", "other"])
def test_the_code_of_classes_of_its_module_is_part_of_a_name(name, edit):
    def of(text):
        values = {"__name__": "mine"}
        exec(text, values)
        return Function(values[name]).name

    assert of(CLASSES) == of(CLASSES) != of(CLASSES.replace(edit, edit + " and [4]"))


def test_what_a_client_of_a_server_is_made_of_is_no_riddle():
    client = Keeping(base_url="http://localhost:1/v1", inner=Keeping(held=(_ for _ in ())))
    locked = Keeping(lock=threading.Lock())
    assert Function(judge_of_module(client=client, locked=locked)).name


def test_what_is_noted_in_the_module_makes_no_other_function_of_it():
    seen = []
    ask = judge_of_module(seen=seen)
    before = Function(ask).name
    seen.append("a prompt")
    assert Function(ask).name == before


def test_keys_loggers_and_the_environment_of_the_module_are_no_part_of_a_name():
    asks = [
        judge_of_module(log=logging.getLogger(name), environ=os.environ, API_KEY=[name])
        for name in ("one", "two")
    ]
    assert len({Function(ask).name for ask in asks}) == 1


def test_closures_of_one_factory_share_no_replies(db):
    row = {"question": "Is it?", "answer": "It is.", "answerable": True}

    def judging(noncommittal):
        said = {"reason": "", "noncommittal": noncommittal, "relevance": 1.0}
        return lambda prompt: json.dumps(said)

    means = [
        evaluate([row], "over_refusal", judging(value), store=db).summary()[0].mean
        for value in (True, False)
    ]
    assert means == [1.0, 0.0]


async def test_a_plain_function_does_not_block_the_loop():
    release = threading.Event()

    def waits(prompt: str) -> str:
        release.wait(5)
        return RATING

    asked = asyncio.ensure_future(Function(waits, name="waits").reply(TASK))
    await asyncio.sleep(0.01)
    assert not asked.done()
    release.set()
    assert (await asked).raw == RATING


async def test_a_hanging_function_can_be_given_up_and_leaves_no_trace():
    release = threading.Event()

    def waits(prompt: str) -> str:
        release.wait(5)
        msg = "too late"
        raise RuntimeError(msg)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(Function(waits, name="waits").reply(TASK), 0.01)
    release.set()
    await asyncio.sleep(0.01)


async def test_a_lost_connection_in_a_function_means_no_reply():
    def fails(prompt: str) -> str:
        raise ConnectionResetError

    with pytest.raises(Unavailable, match="ConnectionResetError"):
        await Function(fails).reply(TASK)


async def test_a_bug_in_a_function_comes_out_as_it_is():
    def fails(prompt: str) -> str:
        return prompt["x"]

    with pytest.raises(TypeError):
        await Function(fails).reply(TASK)


async def test_a_function_that_returns_no_text_is_refused():
    with pytest.raises(InputError, match="returned int instead of str -> return the text"):
        await Function(lambda prompt: 3).reply(TASK)


async def test_what_cannot_be_read_is_on_record_and_asked_again():
    replies = iter(["no", '{"noncommittal": false, "questions": ["Why?"]}'])
    judge = Judge(Function(lambda prompt: next(replies), name="by turns"))
    assert (await judge(GenerateQuestions("Because.", n=1))).questions == ("Why?",)
    assert [reply.raw[:2] for reply in judge.replies] == ["no", '{"']


async def test_a_judge_that_never_makes_sense_is_unreadable():
    judge = Judge(Function(lambda prompt: "no"))
    with pytest.raises(Unreadable):
        await judge(TASK)
    assert len(judge.replies) == 3


@over("kind", [LLM, Fixed, Function])
def test_a_class_is_no_judge_and_is_told_to_be_made_one(kind):
    with pytest.raises(InputError, match=rf"{kind.__name__} is a class.* -> make one"):
        evaluate([{"question": "q", "answer": "a"}], "answer_relevancy", kind)


def test_a_backend_prints_as_its_class_and_its_name():
    assert repr(Fixed()) == "Fixed('fixed')"


def test_an_object_that_is_no_judge_is_named_by_its_class():
    with pytest.raises(InputError, match=r"^a Python module is no judge"):
        evaluate([{"question": "q", "answer": "a"}], "answer_relevancy", json)
