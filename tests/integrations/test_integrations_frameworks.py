"""Metrics within LangChain, LlamaIndex, Haystack and DSPy, as these are released."""

import asyncio
import inspect
import os
from datetime import UTC, datetime
from uuid import uuid4

import pytest

import assay
from assay.errors import InputError
from support.scripts import plausible

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("langchain_core", reason="make test-integrations has it")

import dspy
import langsmith
from haystack import Document as HaystackDocument
from haystack import Pipeline
from haystack.dataclasses import ChatMessage as HaystackMessage
from haystack.dataclasses import GeneratedAnswer
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableGenerator, RunnableLambda, RunnablePassthrough
from langchain_core.tools import tool
from langsmith.evaluation import RunEvaluator as ItsRunEvaluator
from langsmith.schemas import Example, Run
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.schema import TextNode

from assay.integrations import langchain, llama_index
from assay.integrations.dspy import DSPyMetric, NotScored
from assay.integrations.haystack import AssayEvaluator

pytestmark = pytest.mark.integrations

QUESTION, CONTEXT = "Is water wet?", "Water is wet."
ANSWER = "Water is wet. Fire is cold."
EVASIVE = "Sorry, I do not know."


class Shelf(BaseRetriever):
    """Finds the same two documents, whatever is asked."""

    def _get_relevant_documents(self, query, *, run_manager):
        first = Document(CONTEXT, id="w1", metadata={"relevance_score": 0.9})
        return [first, Document("Fire is hot.", id="f1")]


class Nested(BaseRetriever):
    """Asks another retriever twice."""

    def _get_relevant_documents(self, query, *, run_manager):
        inner = {"callbacks": run_manager.get_child()}
        return [*Shelf().invoke(query, config=inner), *Shelf().invoke(query, config=inner)][:1]


def joined(documents):
    return "\n".join(document.page_content for document in documents)


def chain(retriever=None, answer=ANSWER):
    llm = FakeListChatModel(responses=[answer])
    prompt = ChatPromptTemplate.from_template("{context} {question}")
    given = {"context": (retriever or Shelf()) | joined, "question": RunnablePassthrough()}
    return given | prompt | llm | StrOutputParser()


class TestAChainThatRuns:
    def row(self, system, question=QUESTION, **how):
        seen = langchain.Collector()
        system.invoke(question, config={"callbacks": [seen]}, **how)
        (row,) = seen.rows
        return row

    def test_question_contexts_and_answer_are_collected(self):
        row = self.row(chain())
        assert (row["question"], row["answer"]) == (QUESTION, ANSWER)
        assert [(c["text"], c["id"], c.get("score")) for c in row["contexts"]] == [
            (CONTEXT, "w1", 0.9),
            ("Fire is hot.", "f1", None),
        ]
        assert row["latency_ms"] > 0

    def test_its_rows_can_be_evaluated(self, db):
        seen = langchain.Collector([{"question": QUESTION, "id": "q1"}])
        chain().invoke(QUESTION, config={"callbacks": [seen]})
        result = assay.evaluate(seen.rows, "faithfulness", plausible(), store=db)
        (row,) = result.rows()
        assert (row["id"], row["context_ids"], row["faithfulness"]) == ("q1", ("w1", "f1"), 0.5)

    def test_a_retriever_within_a_retriever_counts_once(self):
        assert [c["id"] for c in self.row(chain(Nested()))["contexts"]] == ["w1"]

    def test_calls_at_the_same_time_are_kept_apart(self):
        seen = langchain.Collector()
        questions = [f"Question {n}?" for n in range(20)]
        slow = RunnableLambda(self.wait) | chain()
        asyncio.run(slow.abatch(questions, config={"callbacks": [seen]}))
        assert sorted(row["question"] for row in seen.rows) == sorted(questions)
        assert all(len(row["contexts"]) == 2 for row in seen.rows)

    @staticmethod
    async def wait(question):
        await asyncio.sleep(0)
        return question

    def test_a_streamed_answer_is_whole(self):
        seen = langchain.Collector()
        assert "".join(chain().stream(QUESTION, config={"callbacks": [seen]})) == ANSWER
        assert (seen.rows[0]["question"], seen.rows[0]["answer"]) == (QUESTION, ANSWER)

    @pytest.mark.parametrize("pieces", [1, 5])
    def test_a_streamed_answer_that_is_not_read_to_its_end_is_a_failure(self, pieces):
        seen = langchain.Collector()
        stream = chain().stream(QUESTION, config={"callbacks": [seen]})
        read = [next(stream) for _ in range(pieces)]
        stream.close()
        (row,) = seen.rows
        assert len(read) == pieces
        assert (row["question"], row.get("answer")) == (QUESTION, None)
        assert "not read to its end" in row["failure"]

    def test_so_is_one_of_a_coroutine(self):
        async def ask():
            stream = chain().astream(QUESTION, config={"callbacks": [seen]})
            await anext(stream)
            await stream.aclose()

        seen = langchain.Collector()
        asyncio.run(ask())
        assert "not read to its end" in seen.rows[0]["failure"]

    @pytest.mark.parametrize("pieces", [1, 2, 3])
    @pytest.mark.parametrize("first", [None, RunnableLambda(lambda question: question)])
    def test_so_is_one_of_a_chain_without_a_model(self, first, pieces):
        def own_client(questions):
            for _ in questions:
                yield from ("It ", "is ", "hot.")

        seen = langchain.Collector()
        last = RunnableGenerator(own_client)
        system = first | last if first else last
        stream = system.stream(QUESTION, config={"callbacks": [seen]})
        read = [next(stream) for _ in range(pieces)]
        stream.close()
        assert len(read) == pieces
        assert "not read to its end" in seen.rows[0]["failure"]
        assert "".join(system.stream(QUESTION, config={"callbacks": [seen]})) == "It is hot."
        assert system.invoke(QUESTION, config={"callbacks": [seen]}) == "It is hot."
        assert [row.get("answer") for row in seen.rows] == [None, "It is hot.", "It is hot."]

    def test_a_model_that_failed_within_a_stream_is_no_stream_broken_off(self):
        class Down(FakeListChatModel):
            def _stream(self, *_, **__):
                raise ConnectionError("down")

        seen = langchain.Collector()
        model = Down(responses=["x"]).with_fallbacks([FakeListChatModel(responses=[ANSWER])])
        system = ChatPromptTemplate.from_template("{x}") | model | StrOutputParser()
        told = RunnableLambda(lambda question: {"x": question}) | system
        assert "".join(told.stream(QUESTION, config={"callbacks": [seen]})) == ANSWER
        assert seen.rows[0]["answer"] == ANSWER

    def test_a_chain_that_breaks_is_a_failure_of_the_system(self):
        seen = langchain.Collector()
        broken = RunnableLambda(lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            broken.invoke(QUESTION, config={"callbacks": [seen]})
        assert seen.rows[0]["failure"] == "ZeroDivisionError: division by zero"

    def test_messages_in_and_out_are_understood(self):
        graph = RunnableLambda(lambda given: {"messages": [*given["messages"], AIMessage(ANSWER)]})
        row = self.row(graph, {"messages": [HumanMessage(QUESTION)]})
        assert (row["question"], row["answer"]) == (QUESTION, ANSWER)

    def test_documents_beside_what_a_tool_says_are_contexts(self):
        @tool(response_format="content_and_artifact")
        def look_up(query: str):
            """Look it up."""
            found = Shelf().invoke(query)
            return joined(found), found

        call = {"name": "look_up", "args": {"query": "water"}, "id": "1", "type": "tool_call"}
        agent = RunnableLambda(lambda _: {"messages": [look_up.invoke(call), AIMessage(ANSWER)]})
        row = self.row(agent, {"messages": [HumanMessage(QUESTION)]})
        assert [c["id"] for c in row["contexts"]] == ["w1", "f1"]
        assert row["answer"] == ANSWER

    def test_a_call_that_goes_on_from_a_stop_has_the_question_of_its_messages(self):
        said = {"messages": [HumanMessage("Hello"), HumanMessage(QUESTION), AIMessage(ANSWER)]}
        row = self.row(RunnableLambda(lambda _: said), object())
        assert (row["question"], row["answer"]) == (QUESTION, ANSWER)

    def test_tokens_are_counted_as_the_messages_tell_them(self):
        from langchain_core.language_models import GenericFakeChatModel

        usage = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
        model = GenericFakeChatModel(messages=iter([AIMessage(ANSWER, usage_metadata=usage)] * 2))
        two_calls = RunnableLambda(lambda question: (model.invoke(question), model.invoke("x"))[0])
        assert self.row(two_calls)["tokens"] == 14

    def test_nothing_is_kept_of_what_has_ended(self):
        seen = langchain.Collector()
        chain().invoke(QUESTION, config={"callbacks": [seen]})
        assert seen._runs == {}


class TestEvaluatorsOfLangChain:
    def test_a_run_is_evaluated_with_what_its_retriever_found(self, db):
        evaluator = langchain.RunEvaluator(["faithfulness", "exact_match"], plausible(), store=db)
        assert isinstance(evaluator, ItsRunEvaluator)
        found = evaluator.evaluate_run(traced(), example())["results"]
        assert [(one.key, one.score) for one in found] == [
            ("faithfulness", 0.5),
            ("exact_match", 1.0),
        ]
        assert "unsupported: Fire is cold." in found[0].comment
        assert evaluator.feedback_keys == ["faithfulness", "exact_match"]

    def test_a_run_that_failed_has_no_score_and_says_why(self, db):
        evaluator = langchain.RunEvaluator("faithfulness", plausible(), store=db)
        failed = traced(outputs=None, error="RuntimeError('down')", child_runs=[])
        (found,) = evaluator.evaluate_run(failed, example())["results"]
        assert (found.score, found.value) == (None, "unanswered: RuntimeError('down')")

    def test_it_runs_in_an_evaluation_of_langsmith_without_sending_anything(self, db):
        evaluator = langchain.RunEvaluator("faithfulness", plausible(), store=db)
        client = langsmith.Client(api_url="http://127.0.0.1:9", api_key="k")
        found = langsmith.evaluate(
            lambda inputs: {"answer": ANSWER, "contexts": [CONTEXT]},
            data=[example(), example()],
            evaluators=[evaluator],
            upload_results=False,
            client=client,
        )
        scores = [one["evaluation_results"]["results"][0].score for one in found]
        assert scores == [0.5, 0.5]


def traced(**other):
    def run(**of):
        return Run(
            **{
                "id": uuid4(),
                "name": "x",
                "start_time": datetime.now(UTC),
                "trace_id": uuid4(),
                **of,
            }
        )

    found = {"documents": [{"page_content": CONTEXT, "metadata": {}, "type": "Document"}]}
    inner = run(run_type="retriever", inputs={"query": "x"}, outputs=found)
    return run(
        run_type="chain",
        inputs={"question": QUESTION},
        **{"outputs": {"output": ANSWER}, "child_runs": [inner], **other},
    )


def example():
    return Example(
        id=uuid4(),
        dataset_id=uuid4(),
        created_at=datetime.now(UTC),
        inputs={"question": QUESTION},
        outputs={"answer": ANSWER},
    )


def engine(llm=None, **how):
    nodes = [TextNode(text=CONTEXT, id_="w1"), TextNode(text="Fire is hot.", id_="f1")]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))
    return index.as_query_engine(llm=llm or MockLLM(max_tokens=3), **how)


class TestAQueryEngineThatRuns:
    def test_question_contexts_and_answer_are_collected(self):
        with llama_index.Collector([{"question": QUESTION, "id": "q1"}]) as seen:
            engine().query(QUESTION)
        (row,) = seen.rows
        assert (row["id"], row["question"], row["answer"]) == ("q1", QUESTION, "text text text")
        assert {(c["text"], c["id"]) for c in row["contexts"]} == {
            (CONTEXT, "w1"),
            ("Fire is hot.", "f1"),
        }
        assert all(isinstance(c["score"], float) for c in row["contexts"])

    def test_queries_at_the_same_time_are_kept_apart(self):
        async def ask():
            asked = engine()
            await asyncio.gather(*(asked.aquery(f"Question {n}?") for n in range(10)))

        with llama_index.Collector() as seen:
            asyncio.run(ask())
        assert sorted(row["question"] for row in seen.rows) == [f"Question {n}?" for n in range(10)]
        assert all(len(row["contexts"]) == 2 for row in seen.rows)

    def test_after_the_block_nothing_is_collected(self):
        with llama_index.Collector() as seen:
            pass
        engine().query(QUESTION)
        assert seen.rows == []

    def test_a_query_that_breaks_is_a_failure_of_the_system(self):
        broken = engine()
        broken._retriever._embed_model = None
        with llama_index.Collector() as seen, pytest.raises(AttributeError):
            broken.query(QUESTION)
        assert seen.rows[0]["failure"].startswith("AttributeError")
        assert seen._open == {}

    def test_a_streamed_answer_is_known_once_it_was_read(self):
        with llama_index.Collector() as seen:
            response = engine(streaming=True).query(QUESTION)
            assert seen.rows == []
            read = "".join(response.response_gen)
        assert read.rstrip() == "text text text"  # older versions end with a space
        (row,) = seen.rows
        assert (row["question"], row["answer"]) == (QUESTION, read)
        assert len(row["contexts"]) == 2
        assert "failure" not in row

    def test_a_streamed_answer_of_a_coroutine_is_known_too(self):
        async def ask():
            response = await engine(streaming=True).aquery(QUESTION)
            return [text async for text in response.async_response_gen()]

        with llama_index.Collector() as seen:
            texts = asyncio.run(ask())
        assert len(texts) > 1
        assert seen.rows[0]["answer"] == "".join(texts)

    @pytest.mark.parametrize("pieces", [0, 1])
    def test_a_streamed_answer_that_is_not_read_to_its_end_is_a_failure(self, pieces):
        with llama_index.Collector() as seen:
            response = engine(streaming=True).query(QUESTION)
            for _ in range(pieces):
                next(response.response_gen)
        (row,) = seen.rows
        assert "not read to its end" in row["failure"]
        assert "answer" not in row
        assert list(response.response_gen)  # who reads on gets the rest, and nothing is noted
        assert len(seen.rows) == 1

    def test_a_stream_that_breaks_is_a_failure_of_the_system(self):
        class Breaking(MockLLM):
            def stream_complete(self, prompt, **_):
                yield CompletionResponse(text="Wat", delta="Wat")
                raise ConnectionError("gone")

        with llama_index.Collector() as seen:
            response = engine(Breaking(), streaming=True).query(QUESTION)
            with pytest.raises(ConnectionError):
                str(response)
        assert seen.rows[0]["failure"] == "ConnectionError: gone"


class TestAnEvaluatorOfLlamaIndex:
    def test_it_scores_and_says_whether_it_passes(self, db):
        evaluator = llama_index.Evaluator("faithfulness", plausible(), store=db)
        found = asyncio.run(evaluator.aevaluate(QUESTION, ANSWER, [CONTEXT]))
        assert (found.score, found.passing, found.invalid_result) == (0.5, False, False)
        assert "unsupported: Fire is cold." in found.feedback

    def test_contexts_are_texts_nodes_or_one_text(self, db):
        evaluator = llama_index.Evaluator("faithfulness", plausible(), store=db)
        for contexts in ([CONTEXT], CONTEXT, [TextNode(text=CONTEXT)]):
            found = evaluator.evaluate(QUESTION, ANSWER, contexts)
            assert (found.score, found.contexts) == (0.5, [CONTEXT])

    def test_several_metrics_are_refused(self, db):
        with pytest.raises(InputError, match="one metric"):
            llama_index.Evaluator(["faithfulness", "exact_match"], plausible(), store=db)

    @pytest.mark.parametrize("passing", [50, -0.1, float("nan")])
    @pytest.mark.parametrize("make", [llama_index.Evaluator, DSPyMetric])
    def test_a_threshold_that_no_score_can_reach_is_refused_with_the_range(self, db, make, passing):
        said = f"passing={passing!r}: the values of faithfulness are 0 to 1"
        with pytest.raises(InputError, match=said):
            make("faithfulness", plausible(), passing=passing, store=db)

    def test_what_cannot_be_scored_is_invalid_with_its_reason(self, db):
        evaluator = llama_index.Evaluator("faithfulness", plausible(), store=db)
        found = evaluator.evaluate(QUESTION, EVASIVE, [CONTEXT])
        assert (found.score, found.passing, found.invalid_result) == (None, None, True)
        assert found.invalid_reason.startswith("undefined")

    def test_it_runs_in_its_batch_runner(self, db):
        evaluators = {
            name: llama_index.Evaluator(name, plausible(), store=db)
            for name in ("faithfulness", "answer_relevancy")
        }
        runner = BatchEvalRunner(evaluators, workers=4)
        queries = [f"Question {n}?" for n in range(5)]
        found = asyncio.run(runner.aevaluate_queries(engine(), queries=queries))
        assert {name: len(results) for name, results in found.items()} == dict.fromkeys(
            evaluators, 5
        )
        assert all(isinstance(one.score, float) for one in found["answer_relevancy"])


class TestAComponentOfHaystack:
    def test_it_scores_within_a_pipeline(self, db):
        pipeline = Pipeline()
        component = AssayEvaluator(["faithfulness", "exact_match"], plausible(), store=str(db))
        pipeline.add_component("assay", component)
        given = {
            "questions": [QUESTION, QUESTION],
            "contexts": [[HaystackDocument(content=CONTEXT)], [HaystackDocument(content=CONTEXT)]],
            "predicted_answers": [ANSWER, EVASIVE],
            "ground_truth_answers": [ANSWER, ANSWER],
        }
        found = pipeline.run({"assay": given})["assay"]
        assert found["scores"] == {"faithfulness": 0.5, "exact_match": 0.5}
        assert found["results"][1]["faithfulness"]["score"] is None
        assert found["results"][1]["faithfulness"]["why"].startswith("undefined")
        assert assay.Result(db, found["run"]).summary()

    @pytest.mark.parametrize(
        "answer",
        [
            GeneratedAnswer(data=ANSWER, query=QUESTION, documents=[]),
            HaystackMessage.from_assistant(ANSWER),
        ],
    )
    def test_an_answer_is_what_its_builders_and_generators_give_too(self, db, answer):
        component = AssayEvaluator("faithfulness", plausible(), store=str(db))
        contexts = [[HaystackDocument(content=CONTEXT)]]
        given = {"questions": [QUESTION], "contexts": contexts, "predicted_answers": [answer]}
        assert component.run(**given)["scores"] == {"faithfulness": 0.5}

    def test_a_pipeline_with_it_is_saved_and_loaded(self, db):
        pipeline = Pipeline()
        pipeline.add_component("assay", AssayEvaluator("exact_match", "embedded", store=str(db)))
        # Releases before 3 trust every module that there is.
        lists = "allowed_modules" in inspect.signature(Pipeline.loads).parameters
        trust = {"allowed_modules": ["assay.integrations.haystack.evaluator"]} if lists else {}
        again = Pipeline.loads(pipeline.dumps(), **trust)
        given = {"predicted_answers": ["a"], "ground_truth_answers": ["a"]}
        assert again.run({"assay": given})["assay"]["scores"] == {"exact_match": 1.0}

    def test_a_judge_that_is_an_object_is_not_saved_as_something_else(self, db):
        component = AssayEvaluator("faithfulness", plausible(), store=str(db))
        with pytest.raises(InputError, match="judge that is an object"):
            component.to_dict()


class TestAMetricOfDSPy:
    example = dspy.Example(question=QUESTION, answer=ANSWER).with_inputs("question")
    prediction = dspy.Prediction(answer=ANSWER, context=[CONTEXT])

    def test_it_is_a_number(self, db):
        metric = DSPyMetric("faithfulness", plausible(), store=db)
        assert metric(self.example, self.prediction) == 0.5
        assert metric.__name__ == "faithfulness"

    def test_dicts_are_taken_for_an_example_and_a_prediction(self, db):
        metric = DSPyMetric("faithfulness", plausible(), store=db)
        found = metric({"question": QUESTION}, {"answer": ANSWER, "context": [CONTEXT]})
        assert found == 0.5

    @pytest.mark.parametrize("prediction", [ANSWER, None, dspy.Prediction()])
    def test_what_is_no_prediction_is_told_so(self, prediction, db):
        metric = DSPyMetric("faithfulness", plausible(), store=db)
        with pytest.raises(InputError, match=r"no prediction of DSPy.* -> give a dspy.Prediction"):
            metric(self.example, prediction)

    def test_several_metrics_are_refused(self, db):
        with pytest.raises(InputError, match="one metric"):
            DSPyMetric(["faithfulness", "exact_match"], plausible(), store=db)

    def test_a_metric_whose_low_scores_are_good_would_be_driven_the_wrong_way(self, db):
        with pytest.raises(InputError, match="lower is better"):
            DSPyMetric("deepeval:hallucination(version=4.1)", plausible(), store=db)

    def test_a_threshold_of_what_may_count_either_way_is_refused(self, db):
        with pytest.raises(InputError, match="name the version"):
            DSPyMetric("deepeval:hallucination", plausible(), passing=0.2, store=db)

    def test_while_bootstrapping_it_says_whether_it_passes(self, db):
        strict = DSPyMetric("faithfulness", plausible(), store=db)
        lenient = DSPyMetric("faithfulness", plausible(), passing=0.5, store=db)
        assert strict(self.example, self.prediction, trace=[]) is False
        assert lenient(self.example, self.prediction, trace=[]) is True

    def test_it_tells_an_optimiser_what_was_wrong(self, db):
        metric = DSPyMetric("faithfulness", plausible(), feedback=True, store=db)
        found = metric(self.example, self.prediction, None, "predictor", None)
        assert found.score == 0.5
        assert "unsupported: Fire is cold." in found.feedback

    def test_the_answer_of_the_example_is_the_reference(self, db):
        assert (
            DSPyMetric("exact_match", plausible(), store=db)(self.example, self.prediction) == 1.0
        )

    def test_without_a_score_it_raises_unless_one_is_agreed_on(self, db):
        evasive = dspy.Prediction(answer=EVASIVE, context=[CONTEXT])
        with pytest.raises(NotScored, match="undefined"):
            DSPyMetric("faithfulness", plausible(), store=db)(self.example, evasive)
        agreed = DSPyMetric("faithfulness", plausible(), unscored=0.0, store=db)
        assert agreed(self.example, evasive) == 0.0

    def test_it_runs_in_its_evaluation(self, db):
        class Program(dspy.Module):
            def forward(self, question):
                return dspy.Prediction(answer=ANSWER, context=[CONTEXT])

        metric = DSPyMetric("faithfulness", plausible(), store=db)
        evaluation = dspy.Evaluate(devset=[self.example] * 3, metric=metric, display_progress=False)
        assert evaluation(Program()).score == pytest.approx(50.0)
