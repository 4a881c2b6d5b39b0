"""Objects that a script makes for ragas, used by the script itself."""

import asyncio
import json
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from assay.errors import InputError, Unavailable, Unreadable
from assay.integrations.ragas import metrics
from assay.integrations.ragas.dataset import Dataset
from assay.integrations.ragas.evaluation import aevaluate, evaluate
from assay.integrations.ragas.llms import (
    BaseRagasEmbedding,
    BaseRagasEmbeddings,
    BaseRagasLLM,
    InstructorBaseRagasLLM,
    LangchainEmbeddingsWrapper,
    LangchainLLMWrapper,
    LlamaIndexEmbeddingsWrapper,
    LlamaIndexLLMWrapper,
    OpenAIEmbeddings,
    embedding_factory,
    llm_factory,
)
from assay.integrations.ragas.run_config import (
    TokenUsage,
    get_token_usage_for_anthropic,
    get_token_usage_for_azure_ai,
    get_token_usage_for_bedrock,
    get_token_usage_for_openai,
)
from support.llm_server import LLMServer

ROW = {"user_input": "When?", "response": "In 1889.", "reference": "In 1889."}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(scope="module")
def server():
    with LLMServer().in_thread() as served:
        yield served


class TestEmbeddings:
    @pytest.mark.parametrize("make", [OpenAIEmbeddings, embedding_factory])
    def test_those_of_openai_embed_one_text_and_several(self, server, make):
        made = make(model="m", base_url=server.url, api_key="none")
        one, several = made.embed_text("a"), made.embed_texts(["a", "b"])
        assert several[0] == one != several[1]
        assert isinstance(made, BaseRagasEmbedding)
        assert made.embed_texts([]) == []

    async def test_they_can_be_awaited_in_a_loop_and_asked_in_it(self, server):
        made = OpenAIEmbeddings(base_url=server.url, api_key="none")
        one = await made.aembed_text("a")
        assert await made.aembed_texts(["a"]) == [one] == made.embed_texts(["a"])

    def test_they_serve_an_evaluation_too(self, server):
        made = OpenAIEmbeddings(base_url=server.url, api_key="none")
        result = evaluate([ROW], [metrics.SemanticSimilarity()], embeddings=made, llm="embedded")
        assert result["semantic_similarity"] == [pytest.approx(1.0)]

    @pytest.mark.parametrize("wrapper", [LangchainEmbeddingsWrapper, LlamaIndexEmbeddingsWrapper])
    def test_wrapped_ones_embed_a_question_and_documents(self, server, wrapper):
        made = wrapper(embeddings=embedding_factory(base_url=server.url, api_key="none"))
        query, documents = made.embed_query("a"), made.embed_documents(["a", "b"])
        assert documents[0] == query != documents[1]
        assert asyncio.run(made.aembed_query("a")) == query
        assert asyncio.run(made.embed_text("a")) == query
        assert asyncio.run(made.embed_texts(["b"])) == [documents[1]]

    def test_a_wrapped_model_embeds_a_question_in_its_own_way(self):
        model = SimpleNamespace(embed_query=lambda text: [1.0, float(len(text))])
        assert LangchainEmbeddingsWrapper(model).embed_query("four") == [1.0, 4.0]

    def test_what_makes_no_embeddings_is_refused(self):
        made = LangchainEmbeddingsWrapper(llm_factory("m", base_url="http://127.0.0.1:9/v1"))
        with pytest.raises(InputError, match="makes no embeddings -> wrap an embedding model"):
            made.embed_documents(["a"])

    def test_ones_own_embed_several_texts_by_the_method_for_one(self):
        class Own(BaseRagasEmbedding):
            def embed_text(self, text):
                return [float(len(text))]

            async def aembed_text(self, text):
                return self.embed_text(text)

        class Old(BaseRagasEmbeddings):
            async def aembed_documents(self, texts):
                return [[float(len(text))] for text in texts]

        assert Own().embed_texts(["a", "bb"]) == [[1.0], [2.0]]
        assert asyncio.run(Own().aembed_texts(["a"])) == [[1.0]]
        assert asyncio.run(Old().embed_text("bb")) == [2.0]


class Grade(BaseModel):
    """A form."""

    reason: str
    grade: int = 0


def writer(*replies):
    """A model of `llm_factory` that gives these replies, and keeps what it was asked."""
    model = llm_factory("m", base_url="http://127.0.0.1:9/v1", api_key="none")
    model.asked, left = [], list(replies)

    async def complete(prompt, schema, kind, draw):
        model.asked.append((prompt, schema, kind, draw))
        return SimpleNamespace(text=left.pop(0))

    model.complete = complete
    return model


class TestModels:
    def test_a_form_is_filled(self):
        model = writer('Here it is: ```json\n{"reason": "It is.", "grade": 3}\n```')
        found = model.generate("How good?", response_model=Grade)
        assert found == Grade(reason="It is.", grade=3)
        ((prompt, schema, kind, draw),) = model.asked
        assert prompt.startswith("How good?\n\n")
        assert json.loads(prompt.rpartition("\n")[2]) == schema
        assert schema["required"] == ["reason", "grade"]
        assert (schema["additionalProperties"], kind, draw) == (False, "Grade", 0)
        assert isinstance(model, InstructorBaseRagasLLM)

    async def test_a_reply_that_does_not_fit_is_asked_for_again(self):
        model = writer("no", '{"reason": "It is.", "grade": "high"}', '{"reason": "It is."}')
        assert await model.agenerate("How good?", Grade) == Grade(reason="It is.", grade=0)
        assert [draw for *_, draw in model.asked] == [0, 1, 2]
        with pytest.raises(Unreadable, match="no reply fits Grade"):
            await writer("no", "no", "no").agenerate("How good?", Grade)

    def test_a_request_reaches_the_server(self, server):
        model = llm_factory("m", base_url=server.url, api_key="none")
        before = len(server.log)
        assert isinstance(model.generate("How good?", Grade), Grade)
        assert len(server.log) == before + 1

    def test_without_a_form_it_says_what_to_give(self):
        with pytest.raises(InputError, match="give response_model="):
            writer().generate("How good?")

    @pytest.mark.parametrize(
        ("wrapper", "name"), [(LangchainLLMWrapper, "langchain_llm"), (LlamaIndexLLMWrapper, "llm")]
    )
    def test_wrapped_ones_write(self, wrapper, name):
        def echo(prompt):
            return f"so {prompt}"

        model = wrapper(**{name: echo})
        assert getattr(model, name) is echo
        assert isinstance(model, BaseRagasLLM)
        assert model.generate_text("it is").generations[0][0].text == "so it is"  # type: ignore[attr-defined]
        prompt = SimpleNamespace(to_string=lambda: "be it")
        found = asyncio.run(model.generate(prompt, n=2))
        assert [text.text for text in found.generations[0]] == ["so be it", "so be it"]
        critic = metrics.AspectCritic(definition="?", llm=wrapper(lambda _: '{"grade": 1}'))
        assert critic.llm.model is not None

    def test_a_text_that_was_cut_is_no_text(self):
        class Own(BaseRagasLLM):
            async def agenerate_text(self, prompt, n=1):
                text = SimpleNamespace(text="a", generation_info={"finish_reason": "length"})
                return SimpleNamespace(generations=[[text]])

        with pytest.raises(Unavailable, match="stopped by the length limit"):
            asyncio.run(Own().generate("a"))


SAVED = [
    metrics.DiscreteMetric(name="kind", prompt="Is {it} kind?", allowed_values=["no", "yes"]),
    metrics.NumericMetric(name="high", prompt="How high is {it}?", allowed_values=(0.0, 5.0)),
    metrics.NumericMetric(name="low", prompt="How low is {it}?", allowed_values=range(1, 4)),
    metrics.RankingMetric(name="order", prompt="Order {them}.", allowed_values=3),
]


class TestSavedMetrics:
    @pytest.mark.parametrize("metric", SAVED, ids=lambda metric: metric.name)
    @pytest.mark.parametrize("path", [None, "other.json", "bare", "small.json.gz", "."])
    def test_they_come_back_as_they_were(self, metric, path):
        metric.save(path)
        names = {None: f"{metric.name}.json", ".": f"{metric.name}.json", "bare": "bare.json"}
        assert type(metric).load(names.get(path, path)) == metric

    def test_a_file_that_ragas_wrote_is_read(self, tmp_path):
        data = {
            "format_version": "1.0",
            "metric_type": "NumericMetric",
            "name": "high",
            "prompt": {"type": "string", "instruction": "How high is {it}?"},
            "config": {"allowed_values": [0.0, 5.0]},
            "response_model_info": {"class_name": "Response"},
        }
        (tmp_path / "ragas.json").write_text(json.dumps(data), "utf-8")
        assert metrics.NumericMetric.load("ragas.json") == SAVED[1]
        with pytest.raises(InputError, match=r"holds a NumericMetric -> load it by Numeric"):
            metrics.DiscreteMetric.load("ragas.json")
        data["prompt"] = {**data["prompt"], "examples": [{"input": {}, "output": "1"}]}
        (tmp_path / "ragas.json").write_text(json.dumps(data), "utf-8")
        with pytest.raises(InputError, match="write the examples into the prompt"):
            metrics.NumericMetric.load("ragas.json")

    @pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\x1f\x8b"])
    def test_what_is_no_such_file_is_refused(self, tmp_path, content):
        (tmp_path / "wrong.json").write_bytes(content)
        with pytest.raises(InputError, match="cannot be read as a metric"):
            metrics.DiscreteMetric.load("wrong.json")
        with pytest.raises(InputError, match="cannot be read as a metric"):
            metrics.DiscreteMetric.load("absent.json")


class TestTokensOfAResult:
    def test_they_are_read_where_openai_and_azure_tell_them(self):
        told = {"prompt_tokens": 12, "completion_tokens": 3}
        used = SimpleNamespace(llm_output={"token_usage": told, "model_name": "gpt-4o"})
        assert get_token_usage_for_openai(used) == TokenUsage(12, 3, "gpt-4o")
        assert get_token_usage_for_openai(SimpleNamespace(llm_output=None)) == TokenUsage(0, 0)
        azure = {"token_usage": {"input_tokens": 4, "output_tokens": 5}, "model_name": "m"}
        found = get_token_usage_for_azure_ai(SimpleNamespace(llm_output=azure))
        assert found == TokenUsage(4, 5, "m")

    def test_they_are_added_up_where_messages_tell_them(self):
        def result(*used):
            told = [SimpleNamespace(message=SimpleNamespace(response_metadata=u)) for u in used]
            return SimpleNamespace(generations=[told], llm_output=None)

        anthropic = {"usage": {"input_tokens": 9, "output_tokens": 2}, "model": "c"}
        assert get_token_usage_for_anthropic(result(anthropic, anthropic)) == TokenUsage(18, 4, "c")
        bedrock = {"usage": {"prompt_tokens": 9, "completion_tokens": 2}, "model_id": "b"}
        assert get_token_usage_for_bedrock(result(bedrock, {})) == TokenUsage(9, 2, "b")
        assert get_token_usage_for_bedrock(result()) == TokenUsage(0, 0)

    def test_those_of_a_wrapped_model_are_read_by_the_same_parser(self):
        written = LangchainLLMWrapper(lambda _: "four").generate_text("four")
        assert get_token_usage_for_openai(written).output_tokens >= 1


class TestSplit:
    # What ragas 0.4.3 gives for n rows: the first table's length, and the order by a seed.
    @pytest.mark.parametrize(
        ("n", "share", "first"), [(10, 0.2, 8), (10, 0.3, 7), (5, 0.5, 2), (7, 0.2, 5), (3, 0.1, 2)]
    )
    def test_it_rounds_as_ragas_does(self, n, share, first):
        table = Dataset("numbers", data=[{"n": i} for i in range(n)])
        train, test = table.train_test_split(test_size=share)
        assert (len(train), len(test)) == (first, n - first)
        assert [row["n"] for row in [*train, *test]] == list(range(n)), "in order without a seed"

    def test_a_seed_shuffles_as_in_ragas(self):
        table = Dataset("numbers", data=[{"n": i} for i in range(6)])
        train, test = table.train_test_split(test_size=0.34, random_state=1)
        assert [row["n"] for row in train] == SHUFFLED[:3]
        assert [row["n"] for row in test] == SHUFFLED[3:]
        assert train.backend.load_dataset("numbers_train") == train.to_list()


SHUFFLED = [2, 3, 5, 0, 4, 1]


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_running_loop_needs_no_patch(allowed):
    inside = evaluate([ROW], [metrics.ExactMatch()], allow_nest_asyncio=allowed)
    awaited = await aevaluate([ROW], [metrics.ExactMatch()])
    assert inside["exact_match"] == awaited["exact_match"] == [1.0]
