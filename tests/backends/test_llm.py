"""Does every back end that reads prompts put tasks the same way?"""

import asyncio
import functools
import threading

import pytest

from assay.backends.llm import LLM, Completion, Function
from assay.errors import InputError, Unavailable, Unreadable, Unsupported
from assay.judge import Backend, Judge
from assay.prompt import Template
from assay.tasks import Embed, GenerateQuestions, RateAnswer, SplitStatements

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


@pytest.mark.parametrize(
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


def test_a_function_is_named_by_its_place_and_its_code():
    place, code = Function(judge_in_words).name.split("@")
    assert place == f"{__name__}:judge_in_words"
    assert Function(judge_in_words).name == f"{place}@{code}"
    assert Function(judge_in_words, name="mine").name == "mine"
    assert Function(Judging()).name == f"{__name__}:Judging"


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


async def test_a_plain_function_does_not_block_the_loop():
    release = threading.Event()

    def waits(prompt: str) -> str:
        release.wait(5)
        return RATING

    asked = asyncio.ensure_future(Function(waits).reply(TASK))
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
        await asyncio.wait_for(Function(waits).reply(TASK), 0.01)
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
    judge = Judge(Function(lambda prompt: next(replies)))
    assert (await judge(GenerateQuestions("Because.", n=1))).questions == ("Why?",)
    assert [reply.raw[:2] for reply in judge.replies] == ["no", '{"']


async def test_a_judge_that_never_makes_sense_is_unreadable():
    judge = Judge(Function(lambda prompt: "no"))
    with pytest.raises(Unreadable):
        await judge(TASK)
    assert len(judge.replies) == 3
