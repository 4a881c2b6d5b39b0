"""Query engines of LlamaIndex: collected as rows while they run, scored by an evaluator."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self, TypeAlias

from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent, LLMCompletionEndEvent
from llama_index.core.instrumentation.events.query import QueryEndEvent, QueryStartEvent
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from pydantic import PrivateAttr

from assay.integrations.llama_index import usage
from assay.integrations.rows import UNREAD, Request, Rows, Scorer, failure_of
from assay.metrics.registry import check_threshold


class Collector(Rows):
    """Collects questions, contexts and answers of query engines while they run.

    ``with Collector() as seen: engine.query(...)``; then ``assay.evaluate(seen.rows, ...)``. The
    contexts are the source nodes of the response, with ids and scores. Of queries within a query
    only the outermost one counts. A streamed answer is known once it was read to its end, which has
    to be within the block.

    Args:
        known: Rows with a ``question`` each, whose other fields (``reference``, ``id`` ...) go
            into the row of the same question.

    Raises:
        InputError: If a known row has no question.
    """

    def __init__(self, known: Iterable[Mapping[str, Any]] = ()) -> None:
        super().__init__(known)
        self._open: dict[str, Request] = {}
        self._parents: dict[str, str | None] = {}
        self._unread: dict[int, Request] = {}
        self._events, self._spans = _Events(self), _Spans(self)

    def __enter__(self) -> Self:
        root = get_dispatcher()
        root.add_event_handler(self._events)
        root.add_span_handler(self._spans)
        return self

    def __exit__(self, *_: object) -> None:
        root = get_dispatcher()
        root.event_handlers.remove(self._events)
        root.span_handlers.remove(self._spans)
        for key in list(self._unread):
            self._read_stream(key, None, UNREAD)

    def on_event(self, event: Any) -> None:
        """Note what an event tells."""
        if isinstance(event, QueryStartEvent):
            if event.span_id and self._request(event.span_id) is None:
                self._open[event.span_id] = Request(_text(event.query))
        elif isinstance(event, QueryEndEvent):
            if request := self._open.pop(event.span_id or "", None):
                self._on_answer(request, event.response)
        elif isinstance(event, LLMChatEndEvent | LLMCompletionEndEvent):
            self._count_tokens(self._request(event.span_id), event.response)

    def on_span(self, span: str, parent: str | None) -> None:
        """Note a span and where it stands."""
        self._parents[span] = parent

    def on_span_end(self, span: str, error: BaseException | None = None) -> None:
        """Forget a span; a query that ends with an error has no answer."""
        self._parents.pop(span, None)
        if error is not None and (request := self._open.pop(span, None)):
            self.add(request, None, failure_of(error))

    def _request(self, span: str | None) -> Request | None:
        """The query that a span is part of."""
        while span is not None and span not in self._open:
            span = self._parents.get(span)
        return self._open.get(span) if span is not None else None

    def _on_answer(self, request: Request, response: Any) -> None:
        request.documents = [_context(node) for node in response.source_nodes or ()]
        if is_streamed(response):
            request.end = time.perf_counter()
            self._unread[id(request)] = request
            listen(response, partial(self._read_stream, id(request)))
        else:
            text = getattr(response, "response", None)
            self.add(request, text if text is None else str(text))

    def _read_stream(self, key: int, answer: str | None, failure: str | None) -> None:
        """Note that a streamed answer was read, or why it was not."""
        request = self._unread.pop(key, None)
        if request:
            request.end = request.end if answer is None else None
            self.add(request, answer, failure)

    def _count_tokens(self, request: Request | None, response: Any) -> None:
        # One answer may be told of twice, by a model and by the one that it is made of.
        if request is None or response is None or id(response.raw) in request.seen:
            return
        request.seen[id(response.raw)] = response.raw
        counts = [count for count in usage(response) if count is not None]
        request.add_tokens(sum(counts) if counts else None)


class _Events(BaseEventHandler):
    _collector: Collector = PrivateAttr()

    def __init__(self, collector: Collector) -> None:
        super().__init__()
        self._collector = collector

    @classmethod
    def class_name(cls) -> str:
        return "AssayEvents"

    def handle(self, event: Any, **_: Any) -> None:
        self._collector.on_event(event)


class _Spans(BaseSpanHandler[BaseSpan]):
    _collector: Collector = PrivateAttr()

    def __init__(self, collector: Collector) -> None:
        super().__init__()
        self._collector = collector

    @classmethod
    def class_name(cls) -> str:
        return "AssaySpans"

    def new_span(self, id_: str, *_: Any, parent_span_id: str | None = None, **__: Any) -> None:
        self._collector.on_span(id_, parent_span_id)

    def prepare_to_exit_span(self, id_: str, *_: Any, **__: Any) -> None:
        self._collector.on_span_end(id_)

    def prepare_to_drop_span(
        self, id_: str, *_: Any, err: BaseException | None = None, **__: Any
    ) -> None:
        self._collector.on_span_end(id_, err)


def _text(query: Any) -> str:
    return query if isinstance(query, str) else str(query.query_str)


def _context(scored_node: Any) -> dict[str, Any]:
    node = scored_node.node
    fields = {
        "text": scored_node.get_content(),
        "id": node.node_id,
        "score": None if scored_node.score is None else float(scored_node.score),
        "document": node.ref_doc_id,
        "metadata": dict(node.metadata) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _content(context: Any) -> Any:
    """The text of a node; anything else as it is."""
    return context.get_content() if hasattr(context, "get_content") else context


# Told once: the whole text, or None and why there is none.
OnRead: TypeAlias = Callable[[str | None, str | None], None]


def is_streamed(response: Any) -> bool:
    """Whether a response has still to be read."""
    waiting = getattr(response, "response_gen", None) is not None
    return waiting and response.response_txt is None


def listen(response: Any, on_read: OnRead) -> None:
    """Have a streamed response tell its text when its reader has come to the end."""
    stream = response.response_gen
    listener = _listened_async if hasattr(stream, "__aiter__") else _note_when_read
    response.response_gen = listener(stream, on_read)


def _note_when_read(stream: Any, on_read: OnRead) -> Iterator[str]:
    texts: list[str] = []
    try:
        for text in stream:
            texts.append(text)
            yield text
    except BaseException as error:
        on_read(None, failure_of(error))
        raise
    on_read("".join(texts), None)


async def _listened_async(stream: Any, on_read: OnRead) -> AsyncIterator[str]:
    texts: list[str] = []
    try:
        async for text in stream:
            texts.append(text)
            yield text
    except BaseException as error:
        on_read(None, failure_of(error))
        raise
    on_read("".join(texts), None)


class Evaluator(BaseEvaluator):
    """A metric as an evaluator of LlamaIndex, for `BatchEvalRunner` too.

    ``reference=...`` and other fields of a sample are given by name. What cannot be scored is an
    invalid result with its reason, never a number.

    Args:
        metric: As for `assay.evaluate`; one.
        judge: As for `assay.evaluate`.
        passing: The worst score that passes; the metric's guide value by default.
        options: `embedder`, `store` and `settings` of `assay.evaluate`.

    Raises:
        InputError: If the metric is unknown, or none of its scores is the one that passes.
    """

    def __init__(
        self, metric: Any, judge: Any = "embedded", *, passing: float | None = None, **options: Any
    ) -> None:
        if passing is not None:
            check_threshold(metric)
        self._scorer = Scorer(metric, judge, **options)
        self._metric = self._scorer.metric
        self._passing = self._scorer.check_passing(passing)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        del prompts

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | str | None = None,
        sleep_time_in_seconds: int = 0,
        **further: Any,
    ) -> EvaluationResult:
        """The metric's score of a response; nodes are taken for contexts as well as texts.

        Raises:
            InputError: If a field that the metric needs is not there.
            Denied: If the judge refuses.
        """
        del sleep_time_in_seconds  # the judge's limits pace the calls
        given_contexts = [contexts] if isinstance(contexts, str) else contexts
        texts = (
            None if given_contexts is None else [_content(context) for context in given_contexts]
        )
        row = {"question": query, "answer": response, "contexts": texts, **further}
        (scored,) = await self._scorer.ascore(row)
        return EvaluationResult(
            query=query,
            response=response,
            contexts=texts,
            score=scored.value,
            passing=scored.passing(self._passing),
            feedback=scored.reasons,
            invalid_result=scored.value is None,
            invalid_reason=scored.why or None,
        )
