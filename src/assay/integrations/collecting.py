"""What was a running system asked, what did it retrieve, and what did it answer?"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.data.columns import recognised
from assay.errors import InputError
from assay.target.reply import REPLACED


@dataclass(slots=True)
class Request:
    """A question that is on its way through a system.

    Attributes:
        question: What was asked.
        documents: What was retrieved for it, as contexts; None if nothing was looked for.
        tokens: Tokens that its calls of models took; None if none told.
        start: When it came (monotonic clock, seconds).
        end: When it was over; None if that is when its answer is kept.
        seen: What belongs to it, by id.
    """

    question: str | None
    documents: list[dict[str, Any]] | None = None
    tokens: int | None = None
    start: float = field(default_factory=time.perf_counter)
    end: float | None = None
    seen: dict[Any, Any] = field(default_factory=dict)

    def count(self, tokens: int | None) -> None:
        """Add the tokens of a call."""
        if tokens is not None:
            self.tokens = (self.tokens or 0) + tokens

    def retrieved(self, documents: Iterable[dict[str, Any]]) -> None:
        """Add what was found, each document once."""
        kept = self.documents = self.documents or []
        kept.extend(one for one in documents if one not in kept)


class Rows:
    """What a system was asked and answered, in the order of the answers: rows to be evaluated.

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
        self._asked: Counter[str] = Counter()
        for number, row in enumerate(known, 1):
            question = row.get("question")
            if not isinstance(question, str):
                raise InputError(f"known row {number} has no question", "give it as 'question'")
            made = {column for column, name in recognised(row).items() if name in REPLACED}
            self._known[question] = {name: row[name] for name in row if name not in made}

    def add(self, request: Request, answer: str | None, failure: str | None = None) -> None:
        """Keep what became of a question.

        Args:
            request: The question.
            answer: The answer.
            failure: Why there is none.
        """
        if answer is None and failure is None:
            failure = "no answer was found in what the system gave back"
        end = time.perf_counter() if request.end is None else request.end
        found = {
            "question": request.question,
            "contexts": request.documents,
            "answer": answer,
            "failure": failure,
            "latency_ms": round((end - request.start) * 1000, 3),
            "tokens": request.tokens,
        }
        known = self._of(request.question or "")
        self.rows.append({**known, **{k: v for k, v in found.items() if v is not None}})

    def _of(self, question: str) -> dict[str, Any]:
        """What is known of a question; asked once more, it is another sample with its own id."""
        known = dict(self._known.get(question, {}))
        self._asked[question] += 1
        if "id" in known and self._asked[question] > 1:
            known["id"] = f"{known['id']}-{self._asked[question]}"
        return known

    def write(self, path: str | Path) -> Path:
        """Write the rows as JSON lines, which `assay run` reads; returns the path."""
        target = Path(path)
        lines = (json.dumps(row, ensure_ascii=False, default=str) for row in self.rows)
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return target
