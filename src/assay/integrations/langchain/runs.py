"""Runs of LangChain: collected as rows by a callback handler, scored by a LangSmith evaluator."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from traceback import walk_stack
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langsmith import evaluation
from langsmith.evaluation import EvaluationResult, EvaluationResults

from assay._runner.event_loop import run_to_completion
from assay.integrations.rows import (
    UNREAD,
    MetricOutcome,
    Request,
    Rows,
    Scorer,
    answer_of,
    context_of,
    failure_of,
    message_text,
    pick,
    question_of,
)

_STREAMS: Final = "_transform_stream_with_config"  # what streams a chain in LangChain


class Collector(Rows, BaseCallbackHandler):
    """Collects questions, contexts and answers of chains, agents and graphs while they run.

    ``chain.invoke(question, config={"callbacks": [collector]})``, as often and as many at once as
    one likes; then ``assay.evaluate(collector.rows, ...)``. Documents of all retrievers that ran
    within a call are kept, with ids and scores as far as they have them, and latency and tokens.

    Args:
        known: Rows with a ``question`` each, whose other fields (``reference``, ``id`` ...) go
            into the row of the same question.
        question: Finds the question in the inputs of a chain, where it has an unusual place.
        answer: Finds the answer in its outputs.

    Raises:
        InputError: If a known row has no question.
    """

    run_inline = True  # in a thread of its own an answer could be seen before its documents
    raise_error = True  # what is not seen would be missing without a word

    def __init__(
        self,
        known: Iterable[Mapping[str, Any]] = (),
        *,
        question: Callable[[Any], str | None] = question_of,
        answer: Callable[[Any], str | None] = answer_of,
    ) -> None:
        Rows.__init__(self, known)
        BaseCallbackHandler.__init__(self)
        self._question, self._answer = question, answer
        # Run -> (its request, whether it is a retriever or within one).
        self._runs: dict[UUID, tuple[Request, bool]] = {}

    def on_chain_start(
        self,
        _serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        """A chain begins: a question if it is the outermost one."""
        if parent_run_id is None:
            self._runs[run_id] = (Request(self._question(inputs)), False)
        else:
            self._attach(run_id, parent_run_id)

    def on_inner_start(
        self,
        _serialized: Any,
        _given: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        """A model begins, or a tool, which may retrieve."""
        self._attach(run_id, parent_run_id)

    on_chat_model_start = on_llm_start = on_tool_start = on_inner_start

    def on_retriever_start(
        self,
        _serialized: Any,
        _query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        """A retriever begins."""
        self._attach(run_id, parent_run_id, retrieves=True)

    def on_retriever_end(
        self, documents: Sequence[Any], *, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """A retriever has found something; one within another one hands it to that one."""
        if parent_run_id in self._runs:
            request, within = self._runs[parent_run_id]
            if not within:
                request.add_documents(map(context_of, documents))

    def on_tool_end(self, output: Any, *, parent_run_id: UUID | None = None, **_: Any) -> None:
        """A tool has given back what it found: text for the model, documents beside it."""
        artifact = getattr(output, "artifact", None)
        if parent_run_id in self._runs and isinstance(artifact, list | tuple):
            documents = [document for document in artifact if hasattr(document, "page_content")]
            if documents:
                self._runs[parent_run_id][0].add_documents(map(context_of, documents))

    def on_llm_end(self, response: Any, *, parent_run_id: UUID | None = None, **_: Any) -> None:
        """A model has answered."""
        if parent_run_id in self._runs:
            self._runs[parent_run_id][0].add_tokens(_tokens(response))

    def on_chain_end(
        self,
        outputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: Any = None,
        **_: Any,
    ) -> None:
        """A chain has ended: with the answer if it is the outermost one."""
        if parent_run_id is None and (request := self._end(run_id)):
            # A chain that streams is told its inputs piece by piece: they are known at its end.
            request.question = request.question or self._question(inputs) or _question_in(outputs)
            contexts = pick(outputs, "contexts") if isinstance(outputs, Mapping) else None
            if request.documents is None and isinstance(contexts, list):
                request.documents = [_context(context) for context in contexts]
            if _is_broken_off(run_id):  # what came until then is no answer
                self.add(request, None, UNREAD)
            else:
                self.add(request, self._answer(outputs))

    def on_chain_error(
        self, error: BaseException, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """A chain has failed: there is no answer if it is the outermost one."""
        if parent_run_id is None and (request := self._end(run_id)):
            self.add(request, None, failure_of(error))

    def _attach(self, run: UUID, parent: UUID | None, *, retrieves: bool = False) -> None:
        if parent in self._runs:
            request, within = self._runs[parent]
            self._runs[run] = (request, within or retrieves)
            request.seen[run] = True

    def _end(self, run: UUID) -> Request | None:
        request, _ = self._runs.pop(run, (None, False))
        for inner in request.seen if request else ():
            self._runs.pop(inner, None)
        return request


def _is_broken_off(run: UUID) -> bool:
    """Whether the reader of a stream that ends now has left some of it unread.

    LangChain reports this like any other end: it swallows the GeneratorExit, so that no exception
    is at hand. Only the iterator that it reads from, in the frame that calls us, knows whether
    there was more. There is no public way: a handler that taps the stream (`tap_output_iter`) makes
    LangChain stream models that were invoked, and runs within that have not ended tell nothing of
    a chain without any.
    """
    for frame, _ in walk_stack(inspect.currentframe()):
        if frame.f_code.co_name == _STREAMS:
            values = frame.f_locals
            if getattr(values.get("run_manager"), "run_id", None) == run:
                return getattr(values.get("iterator"), "gi_frame", None) is not None
    return False


def _question_in(outputs: Any) -> str | None:
    """What was asked, where a call that goes on from a stop is not told it: the last question."""
    messages = outputs.get("messages") if isinstance(outputs, Mapping) else None
    questions = [message for message in messages or () if getattr(message, "type", "") == "human"]
    return (message_text(questions[-1]) or None) if questions else None


def _context(obj: Any) -> dict[str, Any]:
    if isinstance(obj, Mapping):
        return dict(obj)
    return context_of(obj) if hasattr(obj, "page_content") else {"text": str(obj)}


def _tokens(response: Any) -> int | None:
    """The tokens that an answer took, where the message or the model tells them."""
    counts = [
        (getattr(getattr(generation, "message", None), "usage_metadata", None) or {}).get(
            "total_tokens"
        )
        for generations in response.generations
        for generation in generations
    ]
    numbers = [count for count in counts if isinstance(count, int)]
    if numbers:
        return sum(numbers)
    usage = (response.llm_output or {}).get("token_usage") or {}
    total = usage.get("total_tokens")
    return total if isinstance(total, int) else None


class RunEvaluator(evaluation.RunEvaluator):
    """Metrics as an evaluator of runs: ``langsmith.evaluate(..., evaluators=[RunEvaluator(...)])``.

    The question is taken from the inputs of the run, the answer from its outputs, the contexts from
    the outputs or else from the retrievers that ran within it, the reference from the outputs of
    the example. Keys are recognised as columns of data sets are.

    Args:
        metrics: As for `assay.evaluate`.
        judge: As for `assay.evaluate`.
        row: Makes the fields of a sample of a run and its example, where keys have other names.
        options: `embedder`, `store` and `settings` of `assay.evaluate`.
    """

    def __init__(
        self,
        metrics: Any,
        judge: Any = "embedded",
        *,
        row: Callable[[Any, Any], Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> None:
        self._scorer = Scorer(metrics, judge, **options)
        self._row = row or row_of

    @property
    def feedback_keys(self) -> list[str]:
        """The labels of the metrics."""
        return [metric.label for metric in self._scorer.metrics]

    def evaluate_run(
        self, run: Any, example: Any = None, evaluator_run_id: UUID | None = None
    ) -> EvaluationResults:
        """The results of all metrics on a run."""
        return run_to_completion(self.aevaluate_run(run, example, evaluator_run_id))

    async def aevaluate_run(
        self, run: Any, example: Any = None, evaluator_run_id: UUID | None = None
    ) -> EvaluationResults:
        """The results of all metrics on a run."""
        del evaluator_run_id
        outcomes = await self._scorer.ascore(self._row(run, example))
        return EvaluationResults(results=[_result(scored) for scored in outcomes])


def row_of(run: Any, example: Any = None) -> dict[str, Any]:
    """The fields of a sample that a run and its example hold."""
    inputs, outputs = run.inputs or {}, run.outputs or {}
    expected = getattr(example, "outputs", None) or {}
    contexts = pick(outputs, "contexts")
    answer = answer_of(outputs)
    return {
        "question": question_of(inputs) or question_of(getattr(example, "inputs", None) or {}),
        "answer": answer,
        "failure": getattr(run, "error", None) if answer is None else None,
        "contexts": _retrieved(run) if contexts is None else contexts,
        "reference": message_text(pick(expected, "reference") or "") or answer_of(expected),
        "reference_contexts": pick(expected, "reference_contexts"),
    }


def _retrieved(run: Any) -> list[Any] | None:
    """What the last retriever within a run found; None if there was none."""
    contexts = None
    for child in run.child_runs or ():
        if child.run_type == "retriever":
            documents = (child.outputs or {}).get("documents") or []
            contexts = [d if isinstance(d, Mapping) else context_of(d) for d in documents]
        else:
            inner = _retrieved(child)
            contexts = contexts if inner is None else inner
    return contexts


def _result(scored: MetricOutcome) -> EvaluationResult:
    metadata = {"assay_run": scored.run, "assay_store": str(scored.store)}
    return EvaluationResult(
        key=scored.metric.label,
        score=scored.value,
        value=scored.why or None,
        comment=scored.reasons,
        metadata=metadata,
    )
