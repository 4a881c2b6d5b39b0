"""Models of other libraries as judges: the real packages, and a scripted server."""

import asyncio
import json

import pytest

import assay
from assay.errors import CutShort, Denied, InputError, Unavailable
from assay.judges.embedder import MicroBatcher
from assay.tasks import Embed, RateAnswer
from assay.tasks.paper import PaperStatements
from support.answers import vector
from support.broken_server import POISON, BrokenServer, message, sends
from support.faults import Faults
from support.llm_server import LLMServer

langchain_core = pytest.importorskip("langchain_core", reason="make test-integrations has it")

from langchain_core.embeddings import DeterministicFakeEmbedding  # noqa: E402
from langchain_core.language_models import (  # noqa: E402
    FakeListChatModel,
    FakeListLLM,
    FakeMessagesListChatModel,
)
from langchain_core.messages import AIMessage  # noqa: E402
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata  # noqa: E402
from langchain_core.runnables import RunnableLambda  # noqa: E402
from langchain_openai import ChatOpenAI, OpenAIEmbeddings  # noqa: E402
from llama_index.core import MockEmbedding  # noqa: E402
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata  # noqa: E402
from llama_index.embeddings.openai_like import OpenAILikeEmbedding  # noqa: E402
from llama_index.llms.openai_like import OpenAILike  # noqa: E402
from openai import AsyncOpenAI, AzureOpenAI, OpenAI  # noqa: E402
from pydantic_ai import Agent  # noqa: E402
from pydantic_ai.models.openai import OpenAIChatModel  # noqa: E402
from pydantic_ai.models.test import TestModel  # noqa: E402
from pydantic_ai.providers.openai import OpenAIProvider  # noqa: E402

from assay.integrations import langchain, llama_index  # noqa: E402
from assay.integrations import openai as clients  # noqa: E402

pytestmark = pytest.mark.integrations

RAW = '{"reason": "It answers.", "noncommittal": false, "relevance": 1.0}'
ROWS = [
    {"question": "Is water wet?", "answer": "Water is wet.", "contexts": ["Water is wet."]},
    {"question": "Is fire hot?", "answer": "Fire is hot.", "contexts": ["Fire is hot."]},
]
METRICS = ["faithfulness", "answer_relevancy", "context_precision_without_reference"]


def pydantic_model(url):
    return OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="k"))


def azure(url):
    place = url.removesuffix("/v1")
    return AzureOpenAI(azure_endpoint=place, api_key="k", api_version="2024-10-21")


CHATS = {
    "langchain": lambda url: ChatOpenAI(model="m", base_url=url, api_key="k", max_retries=0),
    "llama-index": lambda url: OpenAILike(
        model="m", api_base=url, api_key="k", is_chat_model=True, max_retries=0
    ),
    "openai": lambda url: clients.backend(OpenAI(base_url=url, api_key="k"), "m"),
    "openai-async": lambda url: clients.backend(AsyncOpenAI(base_url=url, api_key="k"), "m"),
    "azure": lambda url: clients.backend(azure(url), "m"),
    "pydantic-ai": pydantic_model,
}
EMBEDDERS = {
    "langchain": lambda url: OpenAIEmbeddings(
        model="e", base_url=url, api_key="k", check_embedding_ctx_length=False
    ),
    "llama-index": lambda url: OpenAILikeEmbedding(model_name="e", api_base=url, api_key="k"),
    "openai": lambda url: clients.embeddings(OpenAI(base_url=url, api_key="k"), "e"),
    "openai-async": lambda url: clients.embeddings(AsyncOpenAI(base_url=url, api_key="k"), "e"),
}


def cutting(text, finish_reason="length", **usage):
    """A server whose replies to POISON end there, since they are as long as they may be."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{**choice, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20, **usage},
    }
    return BrokenServer(sends(message(200, json.dumps(body).encode())))


@pytest.fixture
def server():
    with LLMServer().in_thread() as running:
        yield running


@pytest.mark.parametrize("library", CHATS)
class TestAModelOfALibrary:
    def test_it_gives_the_scores_that_the_server_gives_without_it(self, library, server, tmp_path):
        own = assay.OpenAI("m", base_url=server.url, api_key="k")
        expected = assay.evaluate(ROWS, METRICS, own, embedder="embedded", store=tmp_path / "a.db")
        judge = CHATS[library](server.url)
        found = assay.evaluate(ROWS, METRICS, judge, embedder="embedded", store=tmp_path / "b.db")
        for metric in METRICS:
            values = [outcome.value for outcome in found[metric]]
            assert values == [outcome.value for outcome in expected[metric]]

    def test_it_serves_one_event_loop_after_the_other(self, library, server):
        judge = assay.backend(CHATS[library](server.url))
        for number in range(3):
            reply = asyncio.run(judge.reply(RateAnswer(f"Question {number}?", "An answer.")))
            assert RateAnswer("", "").read(reply.raw)

    def test_it_counts_the_tokens_that_the_server_counts(self, library, server):
        reply = asyncio.run(assay.backend(CHATS[library](server.url)).reply(RateAnswer("q", "a")))
        own = assay.OpenAI("m", base_url=server.url, api_key="k")
        expected = asyncio.run(own.reply(RateAnswer("q", "a")))
        assert (reply.tokens_in, reply.tokens_out) == (expected.tokens_in, expected.tokens_out)

    def test_it_counts_the_tokens_that_came_from_the_prompt_cache(self, library):
        details = {"prompt_tokens": 1200, "prompt_tokens_details": {"cached_tokens": 1024}}
        with cutting(RAW, "stop", **details).in_thread() as server:
            judge = assay.backend(CHATS[library](server.url))
            reply = asyncio.run(judge.reply(RateAnswer(POISON, "a")))
        assert (reply.tokens_in, reply.cached_in, reply.cache_written) == (1200, 1024, 0)

    def test_it_tells_which_model_answered(self, library, server):
        server.answers_as = lambda asked: f"{asked}-2025-06-01"
        reply = asyncio.run(assay.backend(CHATS[library](server.url)).reply(RateAnswer("q", "a")))
        assert reply.model.endswith("-2025-06-01")

    def test_a_refused_key_is_denied(self, library, server):
        server.faults = Faults(deny=True)
        with pytest.raises(Denied, match="key"):
            asyncio.run(assay.backend(CHATS[library](server.url)).reply(RateAnswer("q", "a")))

    def test_too_many_requests_are_told_as_such(self, library, server):
        server.faults = Faults(share_429=1.0, retry_after_s=3)
        with pytest.raises(Unavailable) as caught:
            asyncio.run(assay.backend(CHATS[library](server.url)).reply(RateAnswer("q", "a")))
        assert caught.value.throttled
        assert caught.value.retry_after == 3.0

    def test_a_server_that_is_not_there_is_unavailable(self, library):
        judge = assay.backend(CHATS[library]("http://127.0.0.1:9/v1"))
        with pytest.raises(Unavailable):
            asyncio.run(judge.reply(RateAnswer("q", "a")))

    def test_free_text_that_the_length_limit_cut_is_no_reply(self, library):
        with cutting("1. Rome is old.\n2. Rome has").in_thread() as server:
            judge = assay.backend(CHATS[library](server.url))
            with pytest.raises(CutShort, match="stopped by the length limit -> raise max_tokens"):
                asyncio.run(judge.reply(PaperStatements(POISON, "Rome is old. It has walls.")))

    def test_json_that_the_length_limit_cut_fails_its_score_and_ends_no_run(
        self, library, tmp_path
    ):
        row = {**ROWS[0], "question": POISON}
        with cutting('{"reason": "It ans').in_thread() as server:
            judge, metric = CHATS[library](server.url), "context_precision_without_reference"
            (outcome,) = assay.evaluate([row], metric, judge, store=tmp_path / "a.db")[metric]
        assert outcome.why == "failed"

    def test_its_name_holds_the_model_and_not_the_key(self, library):
        name = assay.backend(CHATS[library]("http://127.0.0.1:9/v1")).name
        assert ":m" in name
        assert name == assay.backend(CHATS[library]("http://127.0.0.1:9/v1")).name


def test_a_message_of_langchain_tells_what_was_read_from_and_written_into_the_cache():
    # As langchain_anthropic and langchain_google_genai fill it in; input_tokens is all of them.
    usage = UsageMetadata(
        input_tokens=1500,
        output_tokens=20,
        total_tokens=1520,
        input_token_details=InputTokenDetails(cache_read=1000, cache_creation=300),
    )
    model = FakeMessagesListChatModel(responses=[AIMessage(content=RAW, usage_metadata=usage)])
    reply = asyncio.run(langchain.backend(model).reply(RateAnswer("q", "a")))
    found = (reply.tokens_in, reply.tokens_out, reply.cached_in, reply.cache_written)
    assert found == (1500, 20, 1000, 300)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (  # of Anthropic, which tells of the cached tokens beside the others
            {
                "input_tokens": 200,
                "output_tokens": 20,
                "cache_read_input_tokens": 1000,
                "cache_creation_input_tokens": 300,
            },
            (1500, 20, 1000, 300),
        ),
        (
            {
                "prompt_tokens": 1500,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 1024},
            },
            (1500, 20, 1024, 0),
        ),
        (  # of DeepSeek
            {"prompt_tokens": 1500, "completion_tokens": 20, "prompt_cache_hit_tokens": 1024},
            (1500, 20, 1024, 0),
        ),
    ],
)
def test_a_response_of_llama_index_tells_what_was_read_from_and_written_into_the_cache(
    usage, expected
):
    class Billed(CustomLLM):
        @property
        def metadata(self):
            return LLMMetadata(model_name="billed")

        def complete(self, prompt, **kwargs):
            return CompletionResponse(text=RAW, raw={"usage": usage})

        def stream_complete(self, prompt, **kwargs):
            raise NotImplementedError

    reply = asyncio.run(llama_index.backend(Billed()).reply(RateAnswer("q", "a")))
    found = (reply.tokens_in, reply.tokens_out, reply.cached_in, reply.cache_written)
    assert found == expected


@pytest.mark.parametrize("library", EMBEDDERS)
def test_an_embedding_object_embeds_many_texts_in_one_request(library, server):
    embedder = assay.backend(EMBEDDERS[library](server.url))

    async def vectors():
        texts = [f"text {number}" for number in range(20)]
        gathered = MicroBatcher(embedder)
        return texts, await asyncio.gather(*(gathered.reply(Embed(text)) for text in texts))

    texts, replies = asyncio.run(vectors())
    for text, reply in zip(texts, replies, strict=True):
        assert Embed(text).read(reply.raw) == pytest.approx(vector(text), abs=1e-6)
    assert len(server.log) <= 2  # a library may send ten at a time
    assert embedder.identity(RateAnswer) is None


class TestStructuredOutput:
    @pytest.mark.parametrize("library", ["langchain", "openai", "openai-async", "pydantic-ai"])
    def test_json_is_asked_for_by_its_schema_and_without_where_that_is_refused(
        self, library, server
    ):
        server.faults = Faults(reject=("json_schema",))
        judge = assay.backend(CHATS[library](server.url))
        reply = asyncio.run(judge.reply(RateAnswer("q", "a")))
        assert RateAnswer("q", "a").read(reply.raw)
        assert server.count(status=400) == 1
        asyncio.run(judge.reply(RateAnswer("q2", "a")))
        assert server.count(status=400) == 1


class TestLangChain:
    def test_what_is_bound_to_a_model_stands_in_its_name(self):
        llm = FakeListChatModel(responses=[RAW])
        names = {assay.backend(llm.bind(temperature=t)).name for t in (0.1, 0.2)}
        assert len(names | {assay.backend(llm).name}) == 3

    def test_a_model_that_writes_text_judges_too(self):
        reply = asyncio.run(assay.backend(FakeListLLM(responses=[RAW])).reply(RateAnswer("q", "a")))
        assert reply.raw == RAW

    def test_other_draws_are_asked_of_the_sampler(self):
        first, others = FakeListChatModel(responses=["1"]), FakeListChatModel(responses=["2"])
        judge = langchain.backend(first, sampler=others)
        raws = [
            asyncio.run(judge.reply(RateAnswer("q", "a"), draw)).raw for draw in (0, 1, 1_000_000)
        ]
        assert raws == ["1", "2", "1"]
        assert judge.name != langchain.backend(first).name

    def test_a_chain_is_refused_with_what_to_give_instead(self):
        with pytest.raises(InputError, match="give the model in it"):
            assay.backend(RunnableLambda(lambda text: text))

    def test_an_embedding_object_serves_as_the_embedder(self, tmp_path):
        embedder = DeterministicFakeEmbedding(size=8)
        rows = [{"answer": "a", "reference": "a"}]
        result = assay.evaluate(
            rows, "answer_similarity", embedder=embedder, store=tmp_path / "a.db"
        )
        (score,) = result["answer_similarity"]
        assert score.value == pytest.approx(1.0)


class Echo(CustomLLM):
    """A user's own model in the form of LlamaIndex."""

    text: str = RAW

    @property
    def metadata(self):
        return LLMMetadata(model_name="echo")

    def complete(self, prompt, *args, **kwargs):
        return CompletionResponse(text=self.text)

    def stream_complete(self, prompt, *args, **kwargs):
        raise NotImplementedError


class TestLlamaIndex:
    def test_a_model_of_the_users_own_judges(self):
        judge = assay.backend(Echo())
        assert judge.name.startswith("llama-index:Echo:echo@")
        assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == RAW
        assert judge.name != assay.backend(Echo(text="x")).name

    def test_an_embedding_object_makes_embeddings(self):
        reply = asyncio.run(assay.backend(MockEmbedding(embed_dim=3)).reply(Embed("hi")))
        assert Embed("hi").read(reply.raw) == (0.5, 0.5, 0.5)
        assert llama_index.embeddings(MockEmbedding(embed_dim=3)).identity(RateAnswer) is None


def test_a_client_alone_is_refused_since_it_names_no_model():
    with pytest.raises(InputError, match=r"assay\.integrations\.openai\.backend"):
        assay.backend(OpenAI(api_key="k"))


class TestPydanticAI:
    def test_a_model_without_a_server_is_enough(self):
        judge = assay.backend(TestModel(custom_output_text=RAW))
        assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == RAW

    def test_an_agent_is_refused_with_what_to_give_instead(self):
        with pytest.raises(InputError, match="model object"):
            assay.backend(Agent(TestModel()))
