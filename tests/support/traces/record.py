"""How were the traces beside this file recorded? By the real instrumentation packages.

    pip install "opentelemetry-sdk==1.45.*" opentelemetry-exporter-otlp-proto-common \
        langchain-core llama-index-core \
        openinference-instrumentation-langchain==0.1.80 \
        openinference-instrumentation-llama-index==4.6.1
    python tests/support/traces/record.py FOLDER

Each system answers the same two questions over the same three texts, the second of them without
finding anything; each agent calls a tool and answers. The LLM is a script.
"""

import asyncio
import base64
import json
import sys
from pathlib import Path

from google.protobuf.json_format import MessageToJson
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TEXTS = {
    "store": "All replies and scores are kept in one SQLite file, assay.db.",
    "resume": "A run that was killed goes on where it was; no reply is paid for twice.",
    "privacy": "Texts go to the judge that the user named, and nowhere else.",
}
WORDS = {"store": "kept", "resume": "killed", "privacy": "texts"}
QUESTIONS = {
    "Where are scores kept, and what if a run is killed?": (
        "They are kept in assay.db, and a run that was killed goes on."
    ),
    "Who wrote the first program?": "I do not know.",
}


WEATHER, RAIN = "Does it rain in Rome?", "It rains in Rome."


def weather(city: str, days: int = 1) -> str:
    """Says what the weather is going to be."""
    return f"{city}: rain for {days} days"


def found(question):
    """Ids of the texts that share a word with the question, with a score."""
    said = question.lower()
    hits = [(name, 0.9) for name, word in WORDS.items() if word in said]
    return [(name, score - 0.1 * place) for place, (name, score) in enumerate(hits)]


def answer(prompt):
    return next(reply for question, reply in QUESTIONS.items() if question in prompt)


def langchain(provider):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.language_models import SimpleChatModel
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnablePassthrough
    from openinference.instrumentation.langchain import LangChainInstrumentor

    class Words(BaseRetriever):
        def _get_relevant_documents(
            self, query: str, *, run_manager: CallbackManagerForRetrieverRun
        ) -> list[Document]:
            return [
                Document(TEXTS[name], id=name, metadata={"score": score, "page": 1})
                for name, score in found(query)
            ]

    class Scripted(SimpleChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def _call(self, messages, stop=None, run_manager=None, **kwargs) -> str:
            return answer(messages[-1].content)

    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Answer from these texts: {texts}"), ("user", "{question}")]
    )
    chain = (
        {"texts": Words(), "question": RunnablePassthrough()}
        | prompt
        | Scripted()
        | StrOutputParser()
    )
    for question in QUESTIONS:
        chain.invoke(question)
    instrumentor.uninstrument()


def llama_index(provider):
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import get_response_synthesizer
    from llama_index.core.schema import NodeWithScore, TextNode
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    class Words(BaseRetriever):
        def _retrieve(self, query_bundle):
            return [
                NodeWithScore(node=TextNode(text=TEXTS[name], id_=name), score=score)
                for name, score in found(query_bundle.query_str)
            ]

    class Scripted(CustomLLM):
        @property
        def metadata(self):
            return LLMMetadata(model_name="scripted")

        def complete(self, prompt, *args, **kwargs):
            return CompletionResponse(text=answer(prompt))

        def stream_complete(self, prompt, *args, **kwargs):
            yield CompletionResponse(text=answer(prompt))

    instrumentor = LlamaIndexInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    engine = RetrieverQueryEngine(
        retriever=Words(), response_synthesizer=get_response_synthesizer(llm=Scripted())
    )
    for question in QUESTIONS:
        engine.query(question)
    instrumentor.uninstrument()


def langchain_agent(provider):
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import tool
    from openinference.instrumentation.langchain import LangChainInstrumentor

    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    call = {"name": "weather", "args": {"city": "Rome", "days": 2}, "id": "c1"}
    said = iter([AIMessage("", tool_calls=[call]), AIMessage(RAIN)])
    llm, look = GenericFakeChatModel(messages=said), tool(weather)

    def agent(given):
        messages = [HumanMessage(given["question"])]
        while True:
            reply = llm.invoke(messages)
            messages.append(reply)
            if not reply.tool_calls:
                return {"messages": messages}
            messages += [look.invoke(call) for call in reply.tool_calls]

    RunnableLambda(agent, name="agent").invoke({"question": WEATHER})
    instrumentor.uninstrument()


def llama_index_agent(provider):
    from llama_index.core.agent.workflow import ReActAgent
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.tools import FunctionTool
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    class Scripted(CustomLLM):
        @property
        def metadata(self):
            return LLMMetadata(model_name="scripted")

        def complete(self, prompt, *args, **kwargs):
            look = 'Thought: look\nAction: weather\nAction Input: {"city": "Rome", "days": 2}'
            seen = "Observation: Rome" in prompt
            return CompletionResponse(text=f"Thought: done\nAnswer: {RAIN}" if seen else look)

        def stream_complete(self, prompt, *args, **kwargs):
            reply = self.complete(prompt)
            yield CompletionResponse(text=reply.text, delta=reply.text)

    async def ask():
        await ReActAgent(tools=[FunctionTool.from_defaults(weather)], llm=Scripted()).run(WEATHER)

    instrumentor = LlamaIndexInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    asyncio.run(ask())
    instrumentor.uninstrument()


def otlp(spans):
    """OTLP JSON, in which ids are hexadecimal; protobuf alone would write them in base64."""
    document = json.loads(MessageToJson(encode_spans(spans)))
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                ids = {"traceId", "spanId", "parentSpanId"} & span.keys()
                span |= {name: base64.b64decode(span[name]).hex() for name in ids}
    return document


def main(folder):
    for system in (langchain, llama_index, langchain_agent, llama_index_agent):
        name = system.__name__
        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        system(provider)
        spans = exporter.get_finished_spans()
        text = json.dumps(otlp(spans), indent=1)
        (folder / f"{name}.otlp.json").write_text(text + "\n", encoding="utf-8")
        lines = [json.dumps(json.loads(span.to_json())) + "\n" for span in spans]
        (folder / f"{name}.sdk.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
