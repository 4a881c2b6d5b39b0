"""Judged pools: what all configurations retrieved for a question, graded by a judge."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from assay._analysis.comparability import GOLD_RANGES
from assay._middleware.concurrency import in_parallel
from assay._runner.plan import who_can
from assay._runner.settings import Settings
from assay._runner.stack import choose, opened_stack
from assay._store import Store
from assay._store.integrity import reply_key
from assay._store.runs import POOL
from assay.data import Record, Source
from assay.errors import Denied, InputError, JudgeError, OverBudget, Unreadable
from assay.judge import Backend, Judge, Reply
from assay.metrics import Metric
from assay.metrics.retrieval import UNJUDGED, Ranked
from assay.tasks import GradePassages
from assay.tasks.contexts import GRADES, PassageGrade

RELEVANT: Final = 2  # the least grade that counts as relevant where grades do not count
BATCH: Final = 8  # passages in a call
# The draw under which each passage's share of a reply is kept; nobody is asked for it.
_SHARE: Final = 500
_NOTE: Final = "no gold labels, but a judged pool"
Passages: TypeAlias = dict[str, dict[str, str]]  # by question: the id of each text


@dataclass(frozen=True, slots=True)
class Pool:
    """The passages that were pooled over all configurations, and how they were graded.

    Attributes:
        judge: Who graded them.
        questions: How many questions have passages.
        passages: How many different passages, summed over the questions.
        asked: How many of them the judge was asked about.
        reused: Grades that were in the store already.
        grades: How many passages have grade 0, 1, 2 and 3.
        ungraded: How many have none: their questions have no scores.
        reason: Why the first of these has none.
        nothing: Questions without a relevant passage in the pool: their scores are undefined.
    """

    judge: str
    questions: int
    passages: int
    asked: int
    reused: int
    grades: tuple[int, ...]
    ungraded: int = 0
    reason: str = ""
    nothing: int = 0

    @property
    def note(self) -> str:
        """What a reader of the scores must know, in one line."""
        return (
            f"{_NOTE}: {self.judge} graded the {self.passages:,} passages that all configurations "
            f"retrieved from 0 to 3. Grades {RELEVANT} and 3 are relevant; recall is against this "
            "pool: what no configuration retrieved is not counted"
        )


@dataclass
class Graded:
    """The grades of a pool, and the rows with them."""

    passages: Passages  # the pool
    grades: dict[tuple[str, str], int] = field(default_factory=dict)  # by question and text
    # By question and text: why there is no grade.
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    pool: Pool = field(init=False)  # the sum of it

    def sum_up(self, judge: str, asked: int, reused: int) -> None:
        """Count what came of it.

        Raises:
            Denied: If no passage has a grade.
        """
        reason = next(iter(self.reasons.values()), "")
        if self.reasons and not self.grades:
            fault = f"none of the {len(self.reasons):,} pooled passages got a grade from {judge}"
            raise Denied(f"{fault}; the first: {reason}")
        pooled = {question: texts for question, texts in self.passages.items() if texts}
        counts = Counter(self.grades.values())
        best = (
            max((self.grades.get((question, text), RELEVANT) for text in texts), default=0)
            for question, texts in pooled.items()
        )
        self.pool = Pool(
            judge=judge,
            questions=len(pooled),
            passages=sum(map(len, pooled.values())),
            asked=asked,
            reused=reused,
            grades=tuple(counts[grade] for grade in GRADES),
            ungraded=len(self.reasons),
            reason=reason,
            nothing=sum(grade < RELEVANT for grade in best),
        )

    def rows(self, source: Source) -> Source:
        """The rows, each with the ids and the grades of the pool in the place of gold labels."""

        def records() -> Iterator[Record]:
            for record in source.records():
                known = record.form == "sample" and record.values is not None
                yield replace(record, values=self._values(record.values)) if known else record

        return replace(source, records=records, notes=(*source.notes, self.pool.note))

    def _values(self, values: Any) -> dict[str, Any]:
        question = values.get("question") or ""
        names = self.passages.get(question, {})
        grades = {names[text]: self.grades.get((question, text)) for text in names}
        grades_given = {name: grade for name, grade in grades.items() if grade is not None}
        metadata = {k: v for k, v in values.get("metadata", {}).items() if k != GOLD_RANGES}
        keys = [(question, text) for text in names]
        if reasons := [self.reasons[key] for key in keys if key in self.reasons]:
            fault = f"{len(reasons)} of {len(names)} pooled passages have no grade: {reasons[0]}"
            metadata[UNJUDGED] = fault
        pooled = {
            **values,
            "metadata": metadata,
            "relevance_grades": grades_given,
            "reference_context_ids": [n for n, grade in grades_given.items() if grade >= RELEVANT],
        }
        if values.get("contexts") is not None:
            pooled["context_ids"] = [names[text] for text in values["contexts"]]
        return pooled


def pool_note(notes: Iterable[str]) -> str:
    """What the notes of a run say of a judged pool, "" if nothing."""
    return next((note for note in notes if note.startswith(_NOTE)), "")


def uses_gold(metric: Metric) -> bool:
    """Whether a metric takes its gold labels by id: what a judged pool stands in for."""
    return isinstance(metric, Ranked) or "reference_context_ids" in metric.needs


def check_pool(metrics: Sequence[Metric], judge: Any, embedder: Any, settings: Settings) -> None:
    """See that the judge can grade passages, and that a metric asks for grades.

    Raises:
        InputError: If not.
    """
    if not any(map(uses_gold, metrics)):
        remedy = "add -m ndcg_at_k,recall_at_k,precision_at_k,mrr"
        raise InputError("retrieval is to be judged, and no metric is about a ranking", remedy)
    server = choose(judge, embedder, settings).to(GradePassages.kind)
    if server.identity(GradePassages) is None:
        fault = f"retrieval is to be judged: {GradePassages.kind}, which {server.name} cannot do"
        raise InputError(fault, who_can(GradePassages))


def pooled(answers: Iterable[Source]) -> Passages:
    """The different passages that were retrieved for each question, each text once.

    A passage is called by the id that it came with first; one without an id, or with that of
    another text, by its content.

    Raises:
        InputError: If no answer holds contexts.
    """
    passages: Passages = {}
    for source in answers:
        for row in source:
            sample = row.sample
            if sample is None or sample.contexts is None:
                continue
            names = passages.setdefault(sample.question or "", {})
            ids: Sequence[str | None] = sample.context_ids or ()
            if len(ids) != len(sample.contexts):
                ids = [None] * len(sample.contexts)
            for name, text in zip(ids, sample.contexts, strict=True):
                if text not in names:
                    names[text] = _passage_name(name, text, set(names.values()))
    if not passages:
        remedy = "let the target return contexts: retrieval is judged by what was retrieved"
        raise InputError("no answer holds contexts", remedy)
    return passages


def _passage_name(name: str | None, text: str, names: set[str]) -> str:
    if name is not None and name not in names:
        return name
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"passage-{digest}" if name is None else f"{name}~{digest}"


async def grade_pool(
    passages: Passages, judge: Any, embedder: Any, store: str | Path, settings: Settings
) -> Graded:
    """Have a judge grade all passages of a pool; a grade in the store is not asked for again.

    Args:
        passages: The pool.
        judge: As for `evaluate`.
        embedder: As for `evaluate`.
        store: The SQLite file that keeps replies and grades.
        settings: Limits, budget and prompts.

    Raises:
        Denied: If the judge refuses, or grades nothing; what was graded is kept.
        OverBudget: If the budget is used up; likewise.
    """
    route = await asyncio.to_thread(choose, judge, embedder, settings)
    graded = Graded(passages)
    with Store(store) as opened:
        n = sum(map(len, passages.values()))
        async with opened_stack(route, settings, opened, POOL) as stack:
            grading = _Grading(graded, opened, stack.backend, settings.tries)
            todo = await asyncio.to_thread(grading.read_known)
            n_asked = sum(len(texts) for _, texts in todo)
            await in_parallel(grading.ask, todo, stack.max_in_flight)
    graded.sum_up(route.to(GradePassages.kind).name, n_asked, n - n_asked)
    return graded


@dataclass
class _Grading:
    """The grading of a pool on its way."""

    graded: Graded
    store: Store
    backend: Backend
    tries: int

    def read_known(self) -> list[tuple[str, list[str]]]:
        """Take the grades that are known; what is to be asked, in batches of one question."""
        todo = []
        for question, names in self.graded.passages.items():
            left = [text for text in names if not self._is_known(question, text)]
            todo += [
                (question, left[start : start + BATCH]) for start in range(0, len(left), BATCH)
            ]
        return todo

    def _is_known(self, question: str, text: str) -> bool:
        task = GradePassages(question, (text,))
        known_reply = self.store.reply(self._key(task))
        if known_reply is not None:
            self.graded.grades[question, text] = task.read(known_reply.raw)[0].grade
        return known_reply is not None

    def _key(self, task: GradePassages) -> str:
        return reply_key(self._identity, task, _SHARE)

    @property
    def _identity(self) -> str:
        return self.backend.identity(GradePassages) or ""

    async def ask(self, batch: tuple[str, list[str]]) -> None:
        """Have some passages of a question graded, and keep each grade by itself.

        A passage that gets no grade beside the others is asked about alone: a judge that refuses
        one of them, or is confused by their number, may grade the rest.
        """
        question, texts = batch
        task = GradePassages(question, tuple(texts))
        judge, reason, must_split = Judge(self.backend, tries=self.tries), "", False
        grades: tuple[PassageGrade, ...] = ()
        try:
            grades = await judge(task)
        except (Denied, OverBudget):
            raise
        except JudgeError as error:
            reason = str(error)
            must_split = isinstance(error, Unreadable) or getattr(error, "permanent", False)
            with suppress(Unreadable, IndexError):  # what the first reply says is paid for
                first = tuple(task.read_some(judge.replies[0].raw).values())
                grades = first if len(first) > 1 else ()  # one may bear the id of an example
        graded = {texts[int(grade.id[1:]) - 1]: grade.grade for grade in grades}
        await asyncio.gather(
            *(self._store_grade(question, *text_and_grade) for text_and_grade in graded.items())
        )
        missing = [text for text in texts if text not in graded]
        if must_split and len(texts) > 1:
            for text in missing:
                await self.ask((question, [text]))
        else:
            self.graded.reasons |= {(question, text): reason for text in missing}

    async def _store_grade(self, question: str, text: str, grade: int) -> None:
        task = GradePassages(question, (text,))
        raw = task.reply([PassageGrade("c1", grade)])
        share = Reply(
            task.inputs(),
            raw,
            key=self._key(task),
            backend=self._identity,
            kind=task.kind,
            draw=_SHARE,
        )
        await self.store.keep_reply(share, POOL)
        self.graded.grades[question, text] = grade
