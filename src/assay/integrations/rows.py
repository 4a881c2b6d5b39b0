"""Rows made of what other libraries hand over, and samples scored one by one as they do.

These are the objects themselves, in which a text is a text. What was written down of them, where a
text may be JSON, is read by `assay.data.traces`.
"""

import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay._runner import STORE
from assay._runner.evaluate import aevaluate
from assay._runner.event_loop import run_to_completion
from assay._runner.settings import Settings
from assay._store.integrity import StoreError
from assay._text.results import span
from assay.data.columns import recognised
from assay.data.values import describe
from assay.errors import InputError
from assay.integrations.objects import fields_of, text_of
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, resolve
from assay.score import Outcome, Unscored
from assay.target.reply import REPLACED

UNREAD = "the streamed answer was not read to its end while it was being collected"


def pick(values: Any, field: str) -> Any:
    """The value of the key that is recognised as the field, as columns of data sets are.

    A text by itself is what is looked for. None if there is nothing of the kind.
    """
    if not isinstance(values, Mapping):
        return values if isinstance(values, str) and values else None
    columns = [
        name
        for name, recognised_as in recognised(map(str, values)).items()
        if recognised_as == field
    ]
    return next((values[name] for name in columns if values[name] not in (None, "")), None)


def question_of(values: Any) -> str | None:
    """The question among inputs: a text, one under a known name, or the last message of a user."""
    question = pick(values, "question")
    if question is None and isinstance(values, Mapping):
        question = values.get("messages") or _only_text(values)
    return message_text(values if question is None else question) or None


def answer_of(values: Any) -> str | None:
    """The answer among outputs: a text, one under a known name, the only text, or a message.

    Outputs may be a mapping, a model of pydantic or a dataclass, and so may the answer in them.
    """
    fields = fields_or_value(values)
    if not isinstance(fields, Mapping):
        return _answer_text(fields) or None
    answer = pick(fields, "answer")
    if answer is None:
        nested_values = (fields.get(key) for key in ("structured_response", "result", "messages"))
        nested = next(filter(None, map(answer_of, nested_values)), None)
        # A message is no mapping with one text: its role may be the only one that is no list.
        return nested or _answer_text(fields) or _only_text(fields)
    inner = fields_or_value(answer)
    return answer_of(inner) if isinstance(inner, Mapping) else _answer_text(answer) or None


def fields_or_value(value: Any) -> Any:
    """The fields of a model of pydantic or a dataclass; any other value, and a message, as is."""
    if isinstance(value, Mapping) or hasattr(value, "content"):
        return value
    return value if (fields := fields_of(value)) is None else fields


def message_text(value: Any) -> str:
    """The text of a text, a message, or the last one of several messages; "" if it is none."""
    if isinstance(value, list | tuple):
        return message_text(value[-1]) if value else ""
    if isinstance(value, Mapping):
        return text_of(value.get("content"))
    content = getattr(value, "content", None)
    return text_of(value if content is None else content)


def _answer_text(value: Any) -> str:
    """What `message_text` gives, but for the words of a user, which answer nothing."""
    last = value[-1] if isinstance(value, list | tuple) and value else value
    speaker = getattr(last, "type", None)
    if isinstance(last, Mapping):
        speaker = last.get("role", last.get("type"))
    return "" if speaker in ("human", "user") else message_text(last)


def _only_text(values: Mapping[Any, Any]) -> str | None:
    texts = [value for value in values.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


def failure_of(error: BaseException) -> str:
    """Why there is no answer, where an error ended the call."""
    if isinstance(error, GeneratorExit):
        return UNREAD
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def context_of(obj: Any) -> dict[str, Any]:
    """A retrieved document as a context that `assay.evaluate` reads: text, id, score, the rest."""
    metadata = dict(getattr(obj, "metadata", None) or {})
    numbers = (metadata.get(name) for name in ("relevance_score", "score", "_score", "similarity"))
    score = next((float(number) for number in numbers if isinstance(number, int | float)), None)
    names = ("id", "doc_id", "chunk_id", "_id", "source_id")
    id_ = getattr(obj, "id", None) or next((metadata[n] for n in names if metadata.get(n)), None)
    fields = {
        "text": str(obj.page_content),
        "id": id_,
        "score": score,
        "metadata": metadata or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(slots=True)
class Request:
    """A question that is on its way through a system."""

    question: str | None  # what was asked
    # What was retrieved for it, as contexts; None if nothing was looked for.
    documents: list[dict[str, Any]] | None = None
    tokens: int | None = None  # tokens that its calls of models took; None if none told
    # When it came (monotonic clock, seconds)
    start: float = field(default_factory=time.perf_counter)
    end: float | None = None  # when it was over; None if that is when its answer is kept
    seen: dict[Any, Any] = field(default_factory=dict)  # what belongs to it, by id

    def add_tokens(self, tokens: int | None) -> None:
        """Add the tokens of a call."""
        if tokens is not None:
            self.tokens = (self.tokens or 0) + tokens

    def add_documents(self, documents: Iterable[dict[str, Any]]) -> None:
        """Add what was found, each document once."""
        merged = self.documents = self.documents or []
        merged.extend(document for document in documents if document not in merged)


class Rows:
    """What a system was asked and answered, in the order of the answers: rows to be evaluated.

    The collectors of all libraries are subclasses.

    Args:
        known: Rows with a ``question`` each; what else they hold (``id``, ``reference``, ``group``
            ...) goes into the row of the same question, but for what another system made of it:
            contexts, answers, latency, cost.

    Attributes:
        rows: One dict a question, as `assay.evaluate` takes them: question, contexts with their
            ids and scores, answer or failure, latency_ms, tokens.

    Raises:
        InputError: If a known row has no question.
    """

    def __init__(self, known: Iterable[Mapping[str, Any]] = ()) -> None:
        self.rows: list[dict[str, Any]] = []
        self._known: dict[str, Mapping[str, Any]] = {}
        self._repeats: Counter[str] = Counter()
        if isinstance(known, str | Path | Mapping):
            fault = f"known rows are a list of dicts, and not {describe(known)}"
            raise InputError(fault, 'give a list: [{"question": "...", "reference": "..."}]')
        for number, row in enumerate(known, 1):
            question = _known_question(row)
            if not isinstance(question, str):
                raise InputError(f"known row {number} has no question", "give it as 'question'")
            replaced = {column for column, name in recognised(row).items() if name in REPLACED}
            self._known[question] = {name: row[name] for name in row if name not in replaced}

    def add(self, request: Request, answer: str | None, failure: str | None = None) -> None:
        """Keep what became of a question."""
        if answer is None and failure is None:
            failure = "no answer was found in what the system gave back"
        end = time.perf_counter() if request.end is None else request.end
        row = {
            "question": request.question,
            "contexts": request.documents,
            "answer": answer,
            "failure": failure,
            "latency_ms": round((end - request.start) * 1000, 3),
            "tokens": request.tokens,
        }
        known = self._known_fields(request.question or "")
        self.rows.append({**known, **{k: v for k, v in row.items() if v is not None}})

    def _known_fields(self, question: str) -> dict[str, Any]:
        """What is known of a question; asked once more, it is another sample with its own id."""
        known = dict(self._known.get(question, {}))
        self._repeats[question] += 1
        if "id" in known and self._repeats[question] > 1:
            known["id"] = f"{known['id']}-{self._repeats[question]}"
        return known

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows: it is taken for a data set itself."""
        return iter(self.rows)

    def write(self, path: str | Path) -> Path:
        """Write the rows as JSON lines, which `assay run` reads; returns the path."""
        target = Path(path)
        lines = (json.dumps(row, ensure_ascii=False, default=str) for row in self.rows)
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return target


def _known_question(row: Any) -> Any:
    """The question of a row: by this name, or by another that columns of data sets have."""
    if not isinstance(row, Mapping):
        return None
    return row["question"] if "question" in row else pick(row, "question")


@dataclass(frozen=True, slots=True)
class MetricOutcome:
    """What one metric found on one sample."""

    metric: Metric  # the metric
    outcome: Outcome  # the score with its evidence, or why there is none
    store: Path  # the store that holds prompts and replies
    run: str  # the run in it

    @property
    def value(self) -> float | None:
        """The score; None if there is none."""
        return None if isinstance(self.outcome, Unscored) else self.outcome.value

    @property
    def why(self) -> str:
        """Why there is no score, "" if there is one."""
        return self.outcome.reason if isinstance(self.outcome, Unscored) else ""

    @property
    def reasons(self) -> str:
        """The evidence in words, one line a part: label, text and reason."""
        lines = [f"{part.label or part.kind}: {part.text}" for part in self.outcome.parts]
        reasons = [part.reason for part in self.outcome.parts]
        with_reasons = [f"{a} ({b})" if b else a for a, b in zip(lines, reasons, strict=True)]
        return "\n".join([self.why, *with_reasons] if self.why else with_reasons)

    def passing(self, threshold: float | None) -> bool | None:
        """Whether the score is good enough; None where there is no score or no threshold.

        Args:
            threshold: The worst score that passes; None for the metric's guide value.
        """
        limit = self.metric.guide if threshold is None else threshold
        if self.value is None or limit is None:
            return None
        return self.value >= limit if self.metric.higher_is_better else self.value <= limit


class Scorer:
    """Metrics and their judge, for samples that come one by one.

    Each sample is a run of its own in the store; the same sample is not paid for twice.

    Args:
        metrics: As for `assay.evaluate`.
        judge: As for `assay.evaluate`.
        embedder: As for `assay.evaluate`.
        store: As for `assay.evaluate`.
        settings: As for `assay.evaluate`.

    Raises:
        InputError: If a metric is unknown.
    """

    def __init__(
        self,
        metrics: Iterable[str | Metric] | str | Metric,
        judge: Any = DEFAULT,
        *,
        embedder: Any = None,
        store: str | Path = STORE,
        settings: Settings | None = None,
    ) -> None:
        self.metrics = resolve(metrics)
        self.judge = judge
        self.embedder = embedder
        self.store = Path(store)
        self._settings = settings

    @property
    def metric(self) -> Metric:
        """The metric, where there is to be one.

        Raises:
            InputError: If there are several.
        """
        if len(self.metrics) > 1:
            labels = ", ".join(metric.label for metric in self.metrics)
            raise InputError(
                f"one metric is scored at a time, and not {labels}", "make one of each"
            )
        return self.metrics[0]

    def check_passing(self, passing: float | None) -> float | None:
        """The worst score that passes, as it was given; None for the metric's guide value.

        Raises:
            InputError: If it is no value that the metric can take.
        """
        if passing is None:
            return None
        low, high = self.metric.range
        if not low <= passing <= high:
            values = span(low, None if high == math.inf else high)
            fault = f"passing={passing!r}: the values of {self.metric.label} are {values}"
            raise InputError(fault, "give the worst of them that passes")
        return passing

    async def ascore(self, row: Mapping[str, Any]) -> list[MetricOutcome]:
        """What each metric found on a sample, in order.

        Args:
            row: Its fields by name; those that are None are left out.

        Raises:
            InputError: If a field that a metric needs is not there.
            Denied: If the judge refuses.
        """
        (outcomes,) = await self.ascore_many([row])
        return outcomes

    def score(self, row: Mapping[str, Any]) -> list[MetricOutcome]:
        """`ascore`, whether or not an event loop is running."""
        return run_to_completion(self.ascore(row))

    async def ascore_many(self, rows: Iterable[Mapping[str, Any]]) -> list[list[MetricOutcome]]:
        """For each of several samples what each metric found: one run for all of them."""
        filled = [{k: v for k, v in row.items() if v is not None} for row in rows]
        options = {"embedder": self.embedder, "store": self.store, "settings": self._settings}
        try:
            result = await aevaluate(filled, self.metrics, self.judge, **options)
        except StoreError:
            raise
        except InputError as error:
            raise error.as_sent() from None
        path, run = result.path, result.run.id
        by_metric = [
            [MetricOutcome(metric, outcome, path, run) for outcome in result[metric.label]]
            for metric in self.metrics
        ]
        return [list(outcomes) for outcomes in zip(*by_metric, strict=True)]
