"""Scripts for ragas that hand over models of other libraries."""

import json

import pytest

from assay.errors import InputError
from assay.integrations.ragas import llms
from assay.integrations.ragas.evaluation import evaluate
from assay.integrations.ragas.metrics import AspectCritic, ExactMatch, SemanticSimilarity

pytestmark = pytest.mark.integrations

ROWS = [{"user_input": "When?", "response": "In 1889.", "reference": "In 1889."}]
YES = '{"reason": "It is.", "grade": 1}'


def critic():
    return AspectCritic(name="short", definition="Is it short?")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("wrapped", [False, True])
def test_models_of_langchain_judge_and_embed(wrapped):
    models = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    made = pytest.importorskip("langchain_core.embeddings")
    llm = models.FakeListChatModel(responses=[YES])
    embedder = made.DeterministicFakeEmbedding(size=8)
    if wrapped:
        llm = llms.LangchainLLMWrapper(llm)
        embedder = llms.LangchainEmbeddingsWrapper(embedder)
    result = evaluate(ROWS, [critic(), SemanticSimilarity()], llm=llm, embeddings=embedder)
    assert result["short"] == [1.0]
    assert result["semantic_similarity"] == pytest.approx([1.0])
    assert "langchain" in result.total_tokens().model


@pytest.mark.parametrize("wrapped", [False, True])
def test_models_of_llama_index_judge(wrapped):
    core = pytest.importorskip("llama_index.core.llms")

    class Scripted(core.CustomLLM):  # type: ignore[name-defined]
        @property
        def metadata(self):
            return core.LLMMetadata(model_name="scripted")

        def complete(self, prompt, **kwargs):
            return core.CompletionResponse(text=YES)

        def stream_complete(self, prompt, **kwargs):
            raise NotImplementedError

    llm = llms.LlamaIndexLLMWrapper(Scripted()) if wrapped else Scripted()
    assert evaluate(ROWS, [critic()], llm=llm)["short"] == [1.0]


def test_a_client_of_openai_and_a_model_make_a_judge():
    openai = pytest.importorskip("openai")
    client = openai.AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:9/v1")
    judge = llms.llm_factory("gpt-4o-mini", client=client, top_p=0.5)
    assert "gpt-4o-mini" in judge.name
    assert "embedding-3" in llms.embedding_factory("openai", client=client).name


def test_a_data_set_of_hugging_face_is_taken(tmp_path):
    datasets = pytest.importorskip("datasets")
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"answer": "In 1889.", "ground_truth": "In 1889."}), "utf-8")
    data = datasets.load_dataset("json", data_files=str(path), cache_dir=str(tmp_path))
    assert evaluate(data["train"], [ExactMatch()])["exact_match"] == [1.0]
    with pytest.raises(InputError, match="the splits train"):
        evaluate(data, [ExactMatch()])
