"""Are texts embedded in few requests, each text with its own vector?"""

import asyncio

import pytest
from aiohttp import web

from assay import Limits
from assay._middleware.limiter import Limiter
from assay.errors import Denied, Unavailable, Unsupported
from assay.judge import Backend, Judge
from assay.judges.embedder import MOST_TEXTS, Embedder, EmbedTexts, MicroBatcher
from assay.judges.openai.judge import OpenAIEmbedder
from assay.tasks import Embed, RateAnswer
from support.answers import vector
from support.faults import Faults
from support.llm_server import LLMServer
from support.over import over


@pytest.fixture
async def server():
    async with LLMServer() as running:
        yield running


@pytest.fixture
async def embedder(server):
    made = OpenAIEmbedder("e", base_url=server.url, api_key="")
    yield made
    await made.aclose()


async def test_texts_asked_at_once_are_sent_at_once(server, embedder):
    texts = ["a red boat", "a blue boat"]
    vectors = await Judge(MicroBatcher(embedder)).each([Embed(text) for text in texts])
    assert [list(v) for v in vectors] == [pytest.approx(vector(text)) for text in texts]
    (call,) = server.log
    assert call.body == {"model": "e", "input": texts, "encoding_format": "float"}


async def test_a_request_is_bounded(server, embedder):
    texts = [f"text {n}" for n in range(MOST_TEXTS * 2 + 5)]
    await Judge(MicroBatcher(embedder)).each([Embed(text) for text in texts])
    assert sorted(len(call.body["input"]) for call in server.log) == [5, MOST_TEXTS, MOST_TEXTS]


async def test_a_request_with_many_texts_counts_as_one(server, embedder):
    # One request in flight and no second in this minute: texts that each counted would wait.
    limit = Limiter(embedder, Limits(concurrency=1, requests_per_minute=1))
    async with asyncio.timeout(10):
        await Judge(MicroBatcher(limit)).each([Embed(f"text {n}") for n in range(20)])
    assert (len(server.log), limit.usage.calls) == (1, 1)


async def test_a_reply_says_what_it_cost(embedder):
    judge = Judge(MicroBatcher(embedder))
    await judge.each([Embed("short"), Embed("a much longer text " * 10)])
    short, long = judge.replies
    assert (short.kind, short.backend, short.prompt) == ("embed", embedder.name, "short")
    assert short.tokens_in < long.tokens_in
    assert short.tokens_in + long.tokens_in == pytest.approx(48, abs=2)


async def test_it_serves_nothing_else(embedder):
    assert isinstance(embedder, Backend)
    assert embedder.identity(Embed) == embedder.name
    assert embedder.identity(RateAnswer) is None
    with pytest.raises(Unsupported, match="cannot serve 'rate_answer'"):
        await embedder.reply(RateAnswer("q", "a"))


def test_its_name_holds_what_could_change_a_vector():
    assert OpenAIEmbedder("e", base_url="https://api.openai.com/v1").name == "openai:e"
    shorter = OpenAIEmbedder("e", base_url="http://x/v1", extra_body={"dimensions": 8})
    assert shorter.name == 'openai:e@x/v1?{"dimensions":8}'
    assert OpenAIEmbedder.ollama("e", base_url="http://y/v1").name == "openai:e@y/v1"


@pytest.mark.parametrize(
    ("faults", "error"),
    [(Faults(deny=True), Denied), (Faults(share_500=1.0), Unavailable)],
)
async def test_all_that_were_sent_together_fail_together(server, embedder, faults, error):
    server.faults = faults
    gathered = MicroBatcher(embedder)
    asked = [gathered.reply(Embed(text)) for text in ("a", "b")]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(e) for e in found] == [error, error]


@pytest.mark.parametrize("status", [400, 500])
async def test_one_impossible_text_does_not_fail_the_others(status):
    async def handle(request):
        texts = (await request.json())["input"]
        if "too long" in texts:
            return web.json_response({"error": {"message": "too long"}}, status=status)
        data = [{"index": i, "embedding": [1.0]} for i, _ in enumerate(texts)]
        return web.json_response({"data": data})

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    embedder = OpenAIEmbedder("e", base_url=f"http://127.0.0.1:{runner.addresses[0][1]}")
    gathered, texts = MicroBatcher(embedder), ["a", "b", "too long", "c", "d"]
    found = await asyncio.gather(
        *(gathered.reply(Embed(text)) for text in texts), return_exceptions=True
    )
    assert [isinstance(reply, Unavailable) for reply in found] == [t == "too long" for t in texts]
    await embedder.aclose()
    await runner.cleanup()


ONE_MISSING = '{"data": [{"index": 1, "embedding": [1]}], "usage": {"prompt_tokens": 7}}'
DEEP = '{"data": [], "usage": ' + "[" * 100_000 + "]" * 100_000 + "}"


@over(
    ("status", "body", "cost"),
    [
        (200, "{}", (0, 0)),
        (200, "<html>", (0, 0)),
        (200, DEEP, (0, 0)),
        (200, ONE_MISSING, (7, 0)),
        (500, "oops", (0, 0)),
        (400, DEEP, (0, 0)),
    ],
)
async def test_a_vector_is_never_given_to_another_text(status, body, cost):
    async def handle(request):
        return web.Response(text=body, status=status)

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    embedder = OpenAIEmbedder("e", base_url=f"http://127.0.0.1:{runner.addresses[0][1]}")
    with pytest.raises(Unavailable, match=r"embeddings|answered") as caught:
        await embedder.reply(Embed("a"))
    assert caught.value.cost == cost, "somebody is there, and this is what it billed"
    await embedder.aclose()
    await runner.cleanup()


async def test_a_cancelled_request_does_not_take_the_others_with_it(server, embedder):
    gathered = MicroBatcher(embedder)
    server.faults = Faults(latency_s=0.03)
    one, other = (asyncio.ensure_future(gathered.reply(Embed(text))) for text in "ab")
    await asyncio.sleep(0.01)
    one.cancel()
    assert (await other).raw
    assert len(server.log) == 1


async def test_a_request_that_nobody_waits_for_is_not_sent(server, embedder):
    gathered = MicroBatcher(embedder)
    one, other = (asyncio.ensure_future(gathered.reply(Embed(text))) for text in "ab")
    await asyncio.sleep(0)
    one.cancel()
    await other
    assert [call.body["input"] for call in server.log] == [["b"]]


async def test_what_is_on_its_way_is_given_up_when_it_is_closed():
    class Hanging(Embedder):
        asked = asyncio.Event()

        async def vectors(self, texts):
            self.asked.set()
            return await asyncio.get_running_loop().create_future()

    embedder = Hanging("hanging")
    gathered = MicroBatcher(embedder)
    asked = asyncio.ensure_future(gathered.reply(Embed("a")))
    async with asyncio.timeout(10):
        await embedder.asked.wait()
        await gathered.aclose()
        with pytest.raises(asyncio.CancelledError):
            await asked


@over(
    ("vectors", "error"),
    [([], Unavailable), ([[1.0]] * 3, Unavailable), (None, KeyError)],
)
async def test_a_mistake_in_an_embedder_is_raised_to_all_who_wait(vectors, error):
    class Mistaken(Embedder):
        async def vectors(self, texts):
            if vectors is None:
                raise KeyError("nowhere")
            return vectors, 0

    embedder = MicroBatcher(Mistaken("mistaken"))
    asked = [embedder.reply(Embed(text)) for text in ("a", "b")]
    async with asyncio.timeout(10):
        found = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(e) for e in found} == {error}


async def test_an_embedder_by_itself_serves_one_text_and_many(embedder):
    one, other = await embedder.reply(Embed("a")), await embedder.reply(Embed("b"))
    both = await embedder.reply(EmbedTexts(("a", "b")))
    assert both.raw == f"{one.raw}\n{other.raw}"
    read = EmbedTexts(("a", "b")).read(both.raw)
    assert read == (Embed("a").read(one.raw), Embed("b").read(other.raw))
