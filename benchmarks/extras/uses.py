"""Uses each extra once, in the environment that it was installed into: `python uses.py EXTRA`."""

import asyncio
import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path

import assay

ROWS = [
    {
        "id": "tower",
        "question": "When was the tower built?",
        "contexts": ["The tower was built in 1889."],
        "answer": "It was built in 1889. It is red.",
        "reference": "It was built in 1889.",
        "metadata": {"trace_id": "a" * 32, "span_id": "b" * 16},
    }
]
REPLY = '{"reason": "It answers.", "noncommittal": false, "relevance": 1.0}'
COMPLETION = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REPLY}}
    ],
}


def is_half(score: float) -> bool:
    """Whether one of the two statements was found to be supported."""
    return abs(score - 0.5) < 0.1


@contextmanager
def answering(reply: object) -> Iterator[str]:
    """The address of a server at which every request is answered so."""
    body = json.dumps(reply).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def use_adapt() -> None:
    """A tiny model is fine-tuned by one step and read as ONNX."""
    import transformers

    from assay.experiments.adapt import Adapting, Training, adapt, embedding

    base = Path("base")
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.BertConfig(**sizes, intermediate_size=32, max_position_embeddings=64)
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(base)
    with resources.as_file(resources.files("assay.judges.embedded") / "minilm") as shipped:
        shutil.copy(shipped / "tokenizer.json", base)
    (base / "1_Pooling").mkdir()
    (base / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    towers = [f"tower{n}" for n in range(12)]
    corpus = [{"id": name, "text": f"The lamp of {name} is lit at dusk."} for name in towers]
    questions = [
        {
            "id": f"{name} {word}",
            "question": f"{word} is lit of {name}?",
            "reference_context_ids": [name],
        }
        for name in towers
        for word in ("What", "When")
    ]
    settings = Adapting(held_out=0.5, words=None, training=Training(epochs=1, threads=1))
    adapt(base, corpus, questions, out="adapted", settings=settings)
    assert embedding(Path("adapted"))(["a tower"]).shape == (1, 32)


def use_datasets() -> None:
    """A data set of Hugging Face, asked by assay and by code written for ragas."""
    from datasets import Dataset

    from assay.integrations.ragas import evaluate
    from assay.integrations.ragas.metrics import faithfulness

    data = Dataset.from_list(ROWS)
    assert is_half(assay.evaluate(data, ["faithfulness"])["faithfulness"][0].value)
    assert evaluate(data, [faithfulness], llm="embedded")["faithfulness"] == [0.5]


def use_dspy() -> None:
    """A metric scores a prediction."""
    import dspy

    from assay.integrations.dspy import DSPyMetric

    example = dspy.Example(question=ROWS[0]["question"]).with_inputs("question")
    prediction = dspy.Prediction(answer=ROWS[0]["answer"], context=ROWS[0]["contexts"])
    assert is_half(DSPyMetric("faithfulness")(example, prediction))


def use_gguf() -> None:
    """A file that holds no model reaches llama.cpp and is refused; one in $ASSAY_GGUF judges."""
    import xllamacpp

    from assay.errors import AssayError
    from assay.tasks import RateAnswer

    assert xllamacpp.CommonParams()
    path = os.environ.get("ASSAY_GGUF", "empty.gguf")
    Path("empty.gguf").write_bytes(b"GGUF")
    refusal = ""
    try:
        asyncio.run(assay.backend(f"gguf:{path}").reply(RateAnswer("Is it?", "It is.")))
    except AssayError as error:
        refusal = str(error)
    assert bool(refusal) == (path == "empty.gguf"), refusal


def use_haystack() -> None:
    """A component scores within a pipeline."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

    from haystack import Document, Pipeline

    from assay.integrations.haystack import AssayEvaluator

    pipeline = Pipeline()
    pipeline.add_component("assay", AssayEvaluator(["faithfulness"]))
    inputs = {
        "questions": [ROWS[0]["question"]],
        "contexts": [[Document(content=text) for text in ROWS[0]["contexts"]]],
        "predicted_answers": [ROWS[0]["answer"]],
    }
    assert is_half(pipeline.run({"assay": inputs})["assay"]["scores"]["faithfulness"])


def use_langchain() -> None:
    """A chain is watched, its rows are scored, and a chat model judges."""
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.runnables import RunnableLambda

    from assay.integrations.langchain import Collector, RunEvaluator
    from assay.tasks import RateAnswer

    collector = Collector(ROWS)
    RunnableLambda(lambda _: ROWS[0]["answer"]).invoke(
        ROWS[0]["question"], config={"callbacks": [collector]}
    )
    result = assay.evaluate(collector.rows, ["answer_relevancy"])
    assert result["answer_relevancy"][0].value is not None
    judge = assay.backend(FakeListChatModel(responses=[REPLY]))
    assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == REPLY
    assert RunEvaluator("faithfulness").feedback_keys == ["faithfulness"]


def use_langfuse() -> None:
    """A score is posted."""
    from langfuse import Langfuse

    from assay.integrations import langfuse

    with answering({"successes": [], "errors": []}) as url:
        client = Langfuse(public_key="pk", secret_key="sk", host=url)
        assert langfuse.send(assay.evaluate(ROWS, ["faithfulness"]), client=client).scores == 1
        client.shutdown()


def use_llama_index() -> None:
    """A query engine is watched, its rows are scored, and a model judges."""
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.schema import TextNode

    from assay.integrations.llama_index import Collector, Evaluator

    index = VectorStoreIndex(
        [TextNode(text="It was built in 1889.")], embed_model=MockEmbedding(embed_dim=4)
    )
    with Collector() as collector:
        index.as_query_engine(llm=MockLLM()).query("When was it built?")
    assert (
        assay.evaluate(collector.rows, ["context_relevance"])["context_relevance"][0].value
        is not None
    )
    assert Evaluator("faithfulness").evaluate("Q?", "It is red.", ["It is red."]).score > 0.5
    assert assay.backend(MockLLM()).name.startswith("llama-index:MockLLM")


def use_mcp() -> None:
    """The server of tools is started by the protocol's client, and one tool is called."""
    from mcp import Client, StdioServerParameters, stdio_client

    async def score() -> float:
        command = ["-c", "from assay._cli import main; main()", "mcp"]
        started = StdioServerParameters(command=sys.executable, args=command)
        async with Client(stdio_client(started)) as client:
            arguments = {"sample": ROWS[0], "metrics": ["faithfulness"]}
            reply = await client.call_tool("evaluate_sample", arguments)
        scored = json.loads("".join(block.text for block in reply.content))
        return scored["outcomes"]["faithfulness"]["value"]

    assert is_half(asyncio.run(score()))


def use_mlflow() -> None:
    """A result is logged into a folder."""
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

    import mlflow as client

    from assay.integrations import mlflow

    client.set_tracking_uri(Path("mlruns").absolute().as_uri())
    client.set_experiment("assay")
    logged = mlflow.log(assay.evaluate(ROWS, ["faithfulness"]))
    assert is_half(client.get_run(logged).data.metrics["faithfulness/mean"])


def use_nothing() -> None:
    """Metrics of each kind, files, and code written for ragas, with no other package."""
    from assay.integrations.ragas import evaluate
    from assay.integrations.ragas.metrics import faithfulness

    result = assay.evaluate(ROWS, ["faithfulness", "answer_similarity", "exact_match"])
    result.report("report.html")
    result.to_jsonl("scores.jsonl")
    assert evaluate(ROWS, [faithfulness], llm="embedded")["faithfulness"] == [0.5]


def use_openai() -> None:
    """A client judges."""
    from openai import AsyncOpenAI, OpenAI

    from assay.integrations import openai
    from assay.tasks import RateAnswer

    with answering(COMPLETION) as url:
        for client in (OpenAI(base_url=url, api_key="k"), AsyncOpenAI(base_url=url, api_key="k")):
            judge = openai.backend(client, "m")
            assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == REPLY


def use_otel() -> None:
    """Traffic is taken from spans, scored, and told as events."""
    from opentelemetry.sdk.trace import TracerProvider

    from assay.integrations.opentelemetry import AssaySpanProcessor, emit

    provider = TracerProvider()
    provider.add_span_processor(AssaySpanProcessor("traffic.jsonl", share=1.0))
    with provider.get_tracer("app").start_as_current_span("answer") as span:
        span.set_attribute("openinference.span.kind", "CHAIN")
        span.set_attribute("input.value", "When was it built?")
        span.set_attribute("output.value", "It was built in 1889.")
    provider.shutdown()
    result = assay.evaluate("traffic.jsonl", ["answer_relevancy"])
    assert emit(result).scores == 1


def use_pandas() -> None:
    """A data frame in, a data frame out."""
    import pandas as pd

    result = assay.evaluate(pd.DataFrame(ROWS), ["faithfulness"])
    assert is_half(result.to_pandas()["faithfulness"][0])
    assert len(result.summary().to_pandas()) == 1


def use_parquet() -> None:
    """Parquet in, and scores as Parquet out."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(ROWS), "rows.parquet")
    assay.evaluate("rows.parquet", ["faithfulness"]).to_parquet("scores.parquet")
    assert is_half(pq.read_table("scores.parquet")["faithfulness"][0].as_py())


def use_phoenix() -> None:
    """An annotation is posted."""
    from phoenix.client import Client

    from assay.integrations import phoenix

    with answering({"data": []}) as url:
        result = assay.evaluate(ROWS, ["faithfulness"])
        assert phoenix.send(result, client=Client(base_url=url)).scores == 1


def use_pydantic_ai() -> None:
    """A model object judges."""
    from pydantic_ai.models.test import TestModel

    from assay.tasks import RateAnswer

    judge = assay.backend(TestModel(custom_output_text=REPLY))
    assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == REPLY


def use_ragas() -> None:
    """Samples, a data frame out, a metric of a prompt, and an experiment."""
    from assay.integrations.ragas import EvaluationDataset, SingleTurnSample, evaluate
    from assay.integrations.ragas.metrics import DiscreteMetric, Faithfulness

    sample = SingleTurnSample(
        user_input=ROWS[0]["question"],
        response=ROWS[0]["answer"],
        retrieved_contexts=ROWS[0]["contexts"],
    )
    result = evaluate(EvaluationDataset([sample]), [Faithfulness()], llm="embedded")
    assert result.to_pandas()["faithfulness"].tolist() == [0.5]
    assert DiscreteMetric(name="red", prompt="Red? {response}", allowed_values=["yes", "no"])


def use_ray() -> None:
    """A run on the workers of a cluster of this machine alone."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

    import ray

    ray.init(
        num_cpus=2,
        object_store_memory=100 << 20,
        include_dashboard=False,
        logging_level="error",
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
    )
    settings = assay.Settings(engine="ray")
    assert is_half(
        assay.evaluate(ROWS, ["faithfulness"], settings=settings)["faithfulness"][0].value
    )
    ray.shutdown()


def use_text() -> None:
    """Metrics that compare words and characters by published packages."""
    names = ["bleu", "rouge", "chrf", "string_similarity", "meteor"]
    result = assay.evaluate(ROWS, names)
    for name in names:
        assert result[name][0].value > 0, name


def use_wandb() -> None:
    """A result is logged offline."""
    import wandb as client

    from assay.integrations import wandb

    settings = client.Settings(silent=True)
    with client.init(mode="offline", project="p", settings=settings) as run:
        wandb.log(assay.evaluate(ROWS, ["faithfulness"]))
        assert is_half(run.summary["faithfulness/mean"])


if __name__ == "__main__":
    globals()[f"use_{sys.argv[1]}"]()
