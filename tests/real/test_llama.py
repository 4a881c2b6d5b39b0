"""Do our requests hold at a real server, and do all metrics run against a real LLM?

The model is far too small to judge: no test here looks at how good its judgements are.
"""

import asyncio
import json

import pytest

import assay
from assay import Limits
from assay._middleware.limiter import Limiter
from assay.errors import Denied, Unavailable
from assay.judge import Judge
from assay.judges.openai.judge import OpenAI, OpenAIEmbedder
from assay.metrics import METRICS
from assay.tasks import (
    TASKS,
    Embed,
    JudgeContexts,
    RateAnswer,
    Statement,
    VerifyStatements,
    WriteFollowUp,
    WriteQuestion,
)
from assay.tasks.embedding import cosine
from assay.testset import Plan, agenerate
from support.qwen import NO_PADDING


def of_every_task():
    """The first metric that asks for each task of metrics, where an LLM can be asked."""
    found = {}
    asked = (task for task in TASKS.values() if not issubclass(task, WriteQuestion | WriteFollowUp))
    for task in (task for task in asked if task.template or task is Embed):
        asking = (name for name, metric in METRICS.items() if task in metric().asks(lambda _: True))
        if metric := next(asking, ""):
            found[metric] = task
    return list(found)


ASKING = of_every_task()
TASK = RateAnswer("Who built the mill?", "Anna built the mill.")
CONTEXTS = ("The mill was built by Anna in 1890.", "Cats sleep for most of the day.")
ROW = {
    "id": "1",
    "question": "Who built the mill?",
    "answer": "Anna built the mill in 1890.",
    "contexts": list(CONTEXTS),
    "reference": "It was built by Anna.",
    "other_answer": "Cats built it.",
    "further_answers": ["Anna did.", "Cats did."],
    "nuggets": {"Anna built the mill.": "vital"},
    "context_access": ["crew", []],
    "user_access": [],
    "answerable": False,
    "turns": [
        {"role": "user", "content": "Who built the mill?"},
        {"role": "assistant", "content": "Anna built the mill in 1890."},
    ],
    "reference_topics": ["mills"],
}


async def test_the_schema_binds_what_the_model_writes(llm):
    reply = await llm.reply(TASK)
    assert set(json.loads(reply.raw)) == {"reason", "noncommittal", "relevance"}
    assert reply.tokens_in > 100
    assert reply.tokens_out > 5
    assert reply.ms > 1


async def test_draw_0_repeats_itself_and_other_draws_differ(llm):
    same = [(await llm.reply(TASK)).raw for _ in range(2)]
    other = [(await llm.reply(TASK, draw)).raw for draw in (1, 2, 3)]
    assert same[0] == same[1]
    assert len({*same, *other}) > 1


async def test_tasks_with_ids_end_in_verdicts_or_say_how_many_came(llm):
    statements = (Statement("s1", "Anna built the mill."), Statement("s2", "Cats never sleep."))
    tasks = [
        VerifyStatements(statements, CONTEXTS),
        JudgeContexts("Who built it?", "Anna", CONTEXTS),
    ]
    for task in tasks:
        judge = Judge(llm)
        (found,) = await asyncio.gather(judge(task), return_exceptions=True)
        if isinstance(found, assay.Unreadable):
            assert found.raw == judge.replies[-1].raw
        else:
            assert tuple(verdict.id for verdict in found) == task.ids
        assert judge.replies


async def test_white_space_can_be_bound_through_the_schema(make_llm):
    llm = make_llm(schema_extra=NO_PADDING)
    raw = (await llm.reply(TASK)).raw
    await llm.aclose()
    assert raw.startswith('{"reason": "')
    assert "\n" not in raw


async def test_a_prompt_too_long_is_told_apart_from_a_server_in_trouble(llm):
    with pytest.raises(Unavailable) as caught:
        await llm.reply(RateAnswer("Who?", "word " * 6000))
    assert caught.value.permanent
    assert (await llm.reply(TASK)).raw


async def test_embeddings_are_vectors_of_their_texts(embedder):
    judge = Judge(embedder)
    mill, again, cats = await judge.each(
        [Embed(text) for text in ("the mill", "the mill", CONTEXTS[1])]
    )
    assert cosine(mill, again) == pytest.approx(1.0)
    assert cosine(mill, cats) < 0.999


async def test_questions_are_written_and_every_try_is_accounted_for(llm_url, tmp_path):
    documents = [
        {"id": place, "text": f"The mill of {place} was built in {1800 + n}. " * 6}
        for n, place in enumerate(("Oslo", "Rome", "Lima"))
    ]
    made = await agenerate(
        documents,
        Plan(n=4, words=50),
        judge=OpenAI("smollm2", base_url=llm_url, max_tokens=160),
        store=tmp_path / "assay.db",
        settings=assay.Settings(limits=Limits(concurrency=2, timeout=600.0), tries=1),
    )
    assert made.calls > 0
    assert made.tokens_out > 0
    assert len(made.questions) <= 4
    tried = len(made.questions) + len(made.rejected)
    assert 4 <= tried <= 4 * (3 + 5)
    for question in made.questions:
        assert question.question
        assert question.answerable == bool(question.quotes)


async def test_a_wrong_place_is_denied(llm_url):
    llm = OpenAI("smollm2", base_url=llm_url + "/nowhere")
    with pytest.raises(Denied, match="base URL"):
        await Limiter(llm).reply(TASK)
    await llm.aclose()


@pytest.fixture(scope="module")
def result(llm_url, tmp_path_factory):
    # The model serves the embeddings as well: every call of this run goes over HTTP.
    return assay.evaluate(
        [ROW],
        list(ASKING),
        OpenAI("smollm2", base_url=llm_url, max_tokens=160),
        embedder=OpenAIEmbedder("smollm2", base_url=llm_url),
        store=tmp_path_factory.mktemp("real") / "assay.db",
        settings=assay.Settings(limits=Limits(concurrency=2, timeout=600.0), tries=2),
    )


@pytest.mark.parametrize("metric", ASKING)
def test_a_metric_of_every_task_ends_in_a_score_or_a_reason_with_all_replies_on_record(
    result, metric
):
    trace = result.trace("1", metric)
    if isinstance(trace.outcome, assay.Score):
        low, high = METRICS[metric].range
        assert low <= trace.outcome.value <= high
        assert trace.outcome.parts
    else:
        assert trace.outcome.why in ("undefined", "failed")
        assert trace.outcome.detail
    assert trace.replies
    for reply in trace.replies:
        assert reply.prompt
        assert reply.backend.startswith("openai:smollm2@127.0.0.1")
        assert reply.tokens_in > 0


def test_the_run_counts_what_the_server_counted(result):
    cost = result.cost()
    assert cost.calls >= len(ASKING) - 1
    assert cost.tokens_in > 0
    assert not result.stopped


def test_a_second_run_asks_the_server_nothing(result, llm_url):
    again = assay.evaluate(
        [ROW],
        "faithfulness",
        OpenAI("smollm2", base_url=llm_url, max_tokens=160),
        store=result.path,
        settings=assay.Settings(tries=2),
    )
    assert again.cost().calls == 0
