"""Answers in a trace: each question with its documents, its time and its cost."""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.data.missing_fields import SKIP_HINT
from assay.data.rows import Record
from assay.data.traces.attributes import Span, iso_time
from assay.data.traces.messages import contexts_in, conversation, text_in, tool_messages
from assay.errors import InputError, Problem

# What alone makes no answer: reading documents in, tools, what is foreign.
_ANSWERING: Final = ("chain", "llm", "retriever", "reranker")


def assemble(spans: Iterable[Span | Record]) -> Iterator[Record]:
    """A record for each question that was answered, in the order of their beginning.

    Spans of one trace may stand anywhere among the others; so all are held. Traces without a step
    that has to do with answering (other telemetry, reading documents in) make no record.

    Raises:
        InputError: If no trace has such a step.
    """
    traces: dict[str, list[Span]] = {}
    broken = []
    for item in spans:
        if isinstance(item, Record):
            broken.append(item)
        else:
            traces.setdefault(item.trace, []).append(item)
    units = [unit for trace in traces.values() for unit in answers(trace)]
    units.sort(key=lambda unit: unit.start_time)
    if not units and not broken:
        raise _no_answers_error(traces)
    yield from broken
    for number, unit in enumerate(units, 1):
        yield unit.record(number)


def answers(spans: Sequence[Span]) -> list["Answer"]:
    """The questions answered in one trace.

    It is one, unless several chains with an input and an output stand side by side, or there is
    nothing but several calls of models.
    """
    tree = _SpanTree(spans)
    tops = [span for span in tree.outermost(spans) if span.kind in _ANSWERING]
    # Below a root that is foreign (a web server's) or says nothing of itself (a script's).
    while len(tops) == 1 and tops[0].kind == "chain" and not _has_ended(tops[0]):
        below = [s for s in tree.outermost(tree.below(tops[0])[1:]) if s.kind in _ANSWERING]
        enough = _is_whole_span if _speaks(tops[0]) else _has_ended
        if not any(enough(span) and span.kind == "chain" for span in below):
            break
        tops = below
    chains = _final(span for span in tops if span.kind == "chain" and _has_ended(span))
    separate = chains if len(chains) > 1 else _unrelated_calls(spans, tree)
    if separate:
        return [Answer((span,), tree.below(span), several=True) for span in separate]
    if not tops:
        return []
    inside = [span for top in tops for span in tree.below(top)]
    standing = [chain for chain in chains if _is_whole_span(chain)] or tops
    return [Answer(tuple(standing), tuple({s.id: s for s in [*tops, *inside]}.values()))]


def _unrelated_calls(spans: Sequence[Span], tree: "_SpanTree") -> list[Span]:
    """The calls of models in a trace that holds nothing else, if there are several.

    A chain, a search or a tool would show that they are steps on the way to one answer. Where
    nothing does, the first one's question and the last one's answer would be strangers.
    """
    calls = tree.outermost(spans, ("llm",))
    steps = ("retriever", "reranker", "embedding", "tool")
    joined = any(s.kind in steps or (s.kind == "chain" and _is_recorded(s)) for s in spans)
    if joined or conversation(calls, calls):
        return []
    speaking = _final(filter(_speaks, calls))
    return speaking if len(speaking) > 1 else []


def _final(spans: Iterable[Span]) -> list[Span]:
    """Those that were not tried again with success.

    Args:
        spans: Steps in the order of their beginning.
    """
    final: list[Span] = []
    answered: set[str | None] = set()
    for span in reversed([*spans]):
        question = text_in(span.input, "question")
        if _is_whole_span(span):
            answered.add(question)
        elif _failure(span) and question in answered:
            continue
        final.append(span)
    return final[::-1]


def _is_whole_span(span: Span) -> bool:
    return bool(text_in(span.input, "question") and text_in(span.output, "answer"))


def _has_ended(span: Span) -> bool:
    """Whether it answered what it was asked, or failed to."""
    return _is_whole_span(span) or bool(text_in(span.input, "question") and _failure(span))


def _failure(span: Span) -> str | None:
    """Why a step brought nothing; None if it said something, or did not fail."""
    return None if text_in(span.output, "answer") else span.error or None


def _speaks(span: Span) -> bool:
    return bool(text_in(span.input, "question") or text_in(span.output, "answer"))


def _is_recorded(span: Span) -> bool:
    """Whether anything was recorded of it, be it no text; a call without arguments is nothing."""
    values = (v for value in (span.input, span.output) for v in _values(value))
    return any(value not in (None, "", [], {}) for value in values)


def _values(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, Mapping) else (value,)


class _SpanTree:
    """Spans by their parents."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = {span.id: span for span in spans}
        self._children: dict[str, list[Span]] = {}
        for span in sorted(spans, key=lambda span: span.start or 0):
            self._children.setdefault(span.parent, []).append(span)

    def below(self, top: Span) -> tuple[Span, ...]:
        """All below a span, itself first."""
        spans: dict[str, Span] = {}
        waiting = [top]
        while waiting:
            span = waiting.pop()
            if span.id not in spans:  # a broken record may go in circles
                spans[span.id] = span
                waiting += self._children.get(span.id, [])[::-1]
        return tuple(spans.values())

    def outermost(self, spans: Iterable[Span], kinds: Sequence[str] = ()) -> list[Span]:
        """Those that are of some kind and below none that is, in the order of their beginning."""
        spans_of_kinds = {s.id: s for s in spans if (s.kind in kinds if kinds else s.kind)}
        outer = [
            span for span in spans_of_kinds.values() if not self._is_within(span, spans_of_kinds)
        ]
        return sorted(outer, key=lambda span: span.start or 0)

    def _is_within(self, span: Span, spans_of_kinds: Mapping[str, Span]) -> bool:
        visited = {span.id}
        parent = span.parent
        while parent in self._spans and parent not in visited:
            if parent in spans_of_kinds:
                return True
            visited.add(parent)
            parent = self._spans[parent].parent
        return False


@dataclass(frozen=True)
class Answer:
    """One question answered: the spans that stand for it, and all that belong to it."""

    tops: tuple[Span, ...]  # the chain, or the steps that stand side by side where there is none
    spans: tuple[Span, ...]  # all spans below, the tops among them
    several: bool = False  # whether its trace holds other answers too

    @property
    def start_time(self) -> int:
        """When it began, nanoseconds since 1970; 0 if not recorded."""
        return min((span.start or 0 for span in self.tops), default=0)

    def record(self, number: int) -> Record:
        """It as a row of a data set, or with what is wrong with it."""
        values = self.values()
        if "question" not in values:
            trace_name = f"trace {values['id']} ({self.tops[0].name or 'without a name'})"
            fault = f"{trace_name} does not record what was asked"
            remedy = f"record the input of its outermost step{SKIP_HINT}"
            problem = Problem(fault, remedy, row=number, field="question")
            return Record(number, None, problem=problem, text=json.dumps(values))
        return Record(number, values)

    def values(self) -> dict[str, Any]:
        """The fields that are recorded, under the names of a Sample's."""
        tree = _SpanTree(self.spans)
        documents, steps = self._documents(tree), self._steps(tree)
        fields = {
            "id": self._trace_id(),
            "question": self._question(tree),
            "answer": self._answer(tree),
            "failure": self._failure(),
            **_contexts(documents),
            "turns": self._turns(tree),
            "latency_ms": self._latency(),
            "tokens": self._sum(tree, "tokens"),
            "cost": self._sum(tree, "cost"),
            "group": next((span.session for span in self.spans if span.session), None),
            "metadata": self._metadata() | {"steps": steps} if steps else self._metadata(),
        }
        return {name: value for name, value in fields.items() if value is not None}

    def _trace_id(self) -> str:
        top = self.tops[0]
        return f"{top.trace}:{top.id}" if self.several else top.trace

    def _failure(self) -> str | None:
        """Why there is no answer: of several steps side by side, the last one shows it."""
        return _failure(self.tops[-1])

    def _question(self, tree: _SpanTree) -> str | None:
        inner = tree.outermost(self.spans, ("retriever",)) + tree.outermost(self.spans, ("llm",))
        chains = (top for top in self.tops if top.kind == "chain")
        texts = (text_in(span.input, "question") for span in itertools.chain(chains, inner))
        return next((text for text in texts if text), None)

    def _answer(self, tree: _SpanTree) -> str | None:
        if self._failure():  # what its steps said on the way (another wording, say) is no answer
            return None
        models = tree.outermost(self.spans, ("llm",))[::-1]
        chains = (top for top in self.tops if top.kind == "chain")
        texts = (text_in(span.output, "answer") for span in itertools.chain(chains, models))
        return next((text for text in texts if text), None)

    def _turns(self, tree: _SpanTree) -> list[dict[str, Any]] | None:
        """The conversation of an agent that called tools; None where none was called.

        Agents that write their calls as text are known by the tools that ran. None also where it
        failed: the last words on the way would be taken for its answer.
        """
        if self._failure():
            return None
        messages = conversation(self.tops, tree.outermost(self.spans, ("llm",)))
        tools = tree.outermost(self.spans, ("tool",))
        if messages or not tools:
            return messages or None
        ends = (("user", self._question(tree)), ("assistant", self._answer(tree)))
        before, after = ([{"role": role, "content": text}] if text else [] for role, text in ends)
        return [*before, *(message for tool in tools for message in tool_messages(tool)), *after]

    def _documents(self, tree: _SpanTree) -> list[Mapping[str, Any]] | None:
        """What the model was given: reranked where that was done, of several searches together."""
        if steps := self._searches(tree):
            return _distinct_documents(itertools.chain(*(step.documents or () for step in steps)))
        returned = (contexts_in(top.output) for top in self.tops)
        documents = next((documents for documents in returned if documents is not None), None)
        return None if documents is None else _distinct_documents(documents)

    def _searches(self, tree: _SpanTree) -> list[Span]:
        for kind in ("reranker", "retriever"):
            steps = tree.outermost(self.spans, (kind,))
            if recorded := [step for step in steps if step.documents is not None]:
                return recorded
        return []

    def _steps(self, tree: _SpanTree) -> list[dict[str, Any]] | None:
        """Of several searches that were put together, which contexts each found; else None."""
        steps = self._searches(tree)
        documents = _distinct_documents(itertools.chain(*(step.documents or () for step in steps)))
        if len(steps) < 2 or "contexts" not in _contexts(documents):
            return None
        keys = [_key(item) for item in documents]
        keys_of_steps = [{_key(item) for item in step.documents or ()} for step in steps]
        return [
            {
                "step": step.name or step.kind,
                "contexts": [n for n, key in enumerate(keys) if key in step_keys],
            }
            for step, step_keys in zip(steps, keys_of_steps, strict=True)
        ]

    def _latency(self) -> float | None:
        starts = [span.start for span in self.tops if span.start is not None]
        ends = [span.end for span in self.tops if span.end is not None]
        if not starts or not ends:  # Langfuse's traces have no end of their own
            starts = [span.start for span in self.spans if span.start is not None]
            ends = [span.end for span in self.spans if span.end is not None]
        duration = max(ends) - min(starts) if starts and ends else None
        return None if duration is None or duration < 0 else duration / 1e6

    def _sum(self, tree: _SpanTree, name: str) -> Any:
        """A sum over the calls of models; a call within a call is the same one, recorded twice."""
        calls = tree.outermost(self.spans, ("llm",))
        values = [
            next((value for s in tree.below(call) if (value := getattr(s, name)) is not None), None)
            for call in calls
        ]
        recorded = [value for value in values if value is not None]
        recorded = recorded or [v for top in self.tops if (v := getattr(top, name)) is not None]
        return sum(recorded) if recorded else None

    def _metadata(self) -> dict[str, Any]:
        top = self.tops[0]
        noted: dict[str, Any] = {}
        for span in self.tops:
            noted |= span.metadata or {}
        models = dict.fromkeys(span.model for span in self.spans if span.model)
        metadata = {
            **noted,
            "trace_id": top.trace,
            "span_id": top.id if top.id != top.trace else None,
            "span_name": top.name,
            "began": iso_time(top.start) if top.start is not None else None,
            "models": list(models),
            "error": next((span.error for span in self.tops if span.error), None),
        }
        return {name: value for name, value in metadata.items() if value not in (None, "", [])}


def _contexts(documents: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """As contexts; as ids alone where the texts were not recorded."""
    if documents is None:
        return {}
    if documents and not any(str(item.get("text", "")).strip() for item in documents):
        return {"context_ids": [item["id"] for item in documents if "id" in item]}
    return {"contexts": list(documents)}


def _distinct_documents(documents: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Each document once, the first time that it was found; parts of one may share its id."""
    by_key: dict[tuple[str, str], Mapping[str, Any]] = {}
    for item in documents:
        by_key.setdefault(_key(item), item)
    with_text = {id_ for id_, text in by_key if text}
    return [item for (id_, text), item in by_key.items() if text or id_ not in with_text]


def _key(item: Mapping[str, Any]) -> tuple[str, str]:
    return str(item.get("id") or ""), str(item.get("text") or "")


def _no_answers_error(traces: Mapping[str, Sequence[Span]]) -> InputError:
    names = dict.fromkeys(span.name for spans in traces.values() for span in spans)
    examples = ", ".join(f"'{name}'" for name in itertools.islice(names, 5))
    n = sum(map(len, traces.values()))
    message = f"none of {n} spans in {len(traces)} traces belongs to answering a question"
    remedy = "supported are OpenInference, OpenTelemetry's gen_ai.*, Langfuse and TruLens"
    return InputError(f"{message} (there are {examples})" if examples else message, remedy)
