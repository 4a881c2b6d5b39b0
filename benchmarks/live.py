"""Is what runs in LangChain and LlamaIndex seen as it is, and is what is wrong found?

    python -m benchmarks.live [--data telequad] [--questions 200]

A LangChain chain and a LlamaIndex query engine answer questions over the same passages. Both find
passages with assay's own encoder; a scripted model answers with the sentence of the contexts that
is nearest to the question, and for one question in four with a sentence of another passage. Both
are watched by the collectors, and what these saw is evaluated by the embedded judge.

Needs the packages of the group `integrations` (make test-integrations).
"""

import argparse
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay._text.sentences import sentences
from assay.bench.relevance import TELEQUAD, asked, corpus, drawn, in_one_line
from assay.judges.embedded.embedding import Encoder
from benchmarks.data import DATA, Record, load, present

TOP = 4
METRICS = ["id_based_context_recall", "mrr", "string_presence", "faithfulness", "answer_relevancy"]
BETWEEN = "\n\n"  # as LlamaIndex puts it between passages, which have none in them here
PROMPT = "{context}\n\nQuestion: {question}"
PLANTED = 4  # one in so many answers is of another passage
Corpus = tuple[dict[str, str], list[Record]]

encoder = Encoder()


def xquad() -> Corpus:
    """(passages by id, questions with reference and the id of their passage)."""
    passages, questions = {}, []
    for row in load("retrieval/xquad_en.jsonl.gz"):
        gold = row["labels"]["gold_passage"]
        passages[gold] = in_one_line(row["contexts"][0])
        questions.append(asked(row["id"], row["question"], row["ground_truth"][0], gold))
    return passages, questions


def telequad() -> Corpus:
    """The same of questions from telecommunications."""
    present(TELEQUAD)
    return corpus(DATA)


@cache
def vector(text: str) -> Any:
    return encoder.encode([text])[0]


@cache
def parts(passage: str) -> tuple[list[str], Any]:
    """The sentences of a passage, and their vectors."""
    found = sentences(passage)
    return found, encoder.encode(found)


def planted(question: str) -> bool:
    return zlib.crc32(question.encode()) % PLANTED == 0


def answerer(elsewhere: Sequence[str]) -> Callable[[str], str]:
    """The scripted model: from the prompt to a sentence."""

    def answer(prompt: str) -> str:
        context, _, question = prompt.rpartition("\n\nQuestion: ")
        shown = context.split(BETWEEN)
        if planted(question):
            shown = [elsewhere[zlib.crc32(question.encode()[::-1]) % len(elsewhere)]]
        near = [
            (float(cosine), sentence)
            for passage in shown
            for sentence, cosine in zip(
                parts(passage)[0], parts(passage)[1] @ vector(question), strict=True
            )
        ]
        return max(near)[1]

    return answer


def langchain(passages: dict[str, str], questions: Sequence[Record]) -> Any:
    """What the collector saw of a chain."""
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import SimpleChatModel
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough
    from langchain_core.vectorstores import InMemoryVectorStore

    from assay.integrations.langchain import Collector

    class Ours(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return encoder.encode(texts).tolist()

        def embed_query(self, text: str) -> list[float]:
            return vector(text).tolist()

    answer = answerer(list(passages.values()))

    class Scripted(SimpleChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def _call(self, messages: Any, *_: Any, **__: Any) -> str:
            return answer(messages[-1].content)

    shelf = InMemoryVectorStore(Ours())
    shelf.add_documents([Document(text, id=name) for name, text in passages.items()])
    found = shelf.as_retriever(search_kwargs={"k": TOP})
    chain = (
        {
            "context": found | (lambda documents: BETWEEN.join(d.page_content for d in documents)),
            "question": RunnablePassthrough(),
        }
        | ChatPromptTemplate.from_messages([("user", PROMPT)])
        | Scripted()
        | StrOutputParser()
    )
    seen = Collector(questions)
    for row in questions:
        chain.invoke(row["question"], config={"callbacks": [seen]})
    return seen


def llama_index(passages: dict[str, str], questions: Sequence[Record]) -> Any:
    """What the collector saw of a query engine."""
    from llama_index.core import PromptTemplate, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.schema import TextNode

    from assay.integrations.llama_index import Collector

    class Ours(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return encoder.encode(texts).tolist()

        def _get_text_embedding(self, text: str) -> list[float]:
            return vector(text).tolist()

        def _get_query_embedding(self, query: str) -> list[float]:
            return vector(query).tolist()

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    answer = answerer(list(passages.values()))

    class Scripted(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(model_name="scripted", context_window=100_000)

        def complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponse:
            return CompletionResponse(text=answer(prompt))

        def stream_complete(self, prompt: str, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    nodes = [TextNode(text=text, id_=name) for name, text in passages.items()]
    template = PromptTemplate("{context_str}\n\nQuestion: {query_str}")
    engine = VectorStoreIndex(nodes, embed_model=Ours()).as_query_engine(
        llm=Scripted(), similarity_top_k=TOP, text_qa_template=template
    )
    with Collector(questions) as seen:
        for row in questions:
            engine.query(row["question"])
    return seen


def right(rows: Sequence[Record], passages: dict[str, str], asked: Sequence[Record]) -> int:
    """How many rows hold the question, its passages in order, and the answer that was given."""
    names, texts = list(passages), list(passages.values())
    matrix, answer = encoder.encode(texts), answerer(texts)
    expected = {}
    for row in asked:
        best = np.argsort(-(matrix @ vector(row["question"])), kind="stable")[:TOP]
        context = BETWEEN.join(texts[n] for n in best)
        prompt = PROMPT.format(context=context, question=row["question"])
        expected[row["question"]] = ([names[n] for n in best], answer(prompt))
    return sum(
        ([c["id"] for c in row["contexts"]], row["answer"]) == expected[row["question"]]
        for row in rows
    )


def evaluated(name: str, seen: Any, corpus: Corpus, store: Path) -> None:
    """Evaluate what was seen, and print it."""
    passages, questions = corpus
    matched = right(seen.rows, passages, questions)
    print(f"\n{name}: {len(seen.rows)} of {len(questions)} questions collected, {matched} of them")
    print("with exactly the passages and the answer that the system had; latency, median:", end=" ")
    print(f"{np.median([row['latency_ms'] for row in seen.rows]):.1f} ms")
    start = time.perf_counter()
    result = assay.evaluate(seen.rows, METRICS, store=store)
    print(f"evaluated in {time.perf_counter() - start:.1f} s\n{result.summary()}")
    for label, chosen in (("of another passage", True), ("of its contexts", False)):
        for metric in ("faithfulness", "answer_relevancy"):
            values = [
                outcome.value
                for sample, outcome in result.outcomes(metric)
                if isinstance(outcome, assay.Score) and planted(sample.question or "") == chosen
            ]
            print(f"{metric}, answers {label}: {np.mean(values):.2f} (n = {len(values)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", choices=("xquad", "telequad"), default="telequad")
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    passages, questions = {"xquad": xquad, "telequad": telequad}[options.data]()
    corpus = passages, drawn(questions, options.questions)
    print(f"{options.data}: {len(passages)} passages, {len(corpus[1])} questions", flush=True)
    for passage in passages.values():
        parts(passage)  # so that the latencies are those of the frameworks
    with tempfile.TemporaryDirectory() as folder:
        for watched in (langchain, llama_index):
            try:
                seen = watched(*corpus)
            except ModuleNotFoundError as error:
                sys.exit(f"skipped: {error.name} is not installed (make test-integrations)")
            evaluated(watched.__name__, seen, corpus, Path(folder) / "live.db")


if __name__ == "__main__":
    main()
