"""Nuggets of a test set: the facts that answers to its questions should hold, from a pool."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from assay._runner import STORE
from assay._runner.event_loop import run_to_completion
from assay._runner.settings import Settings, chosen
from assay._runner.stack import choose
from assay._text.markup import without_citations
from assay.data import read, samples
from assay.data.missing_fields import SKIP_HINT
from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.evidence import split, verify
from assay.metrics.nuggets import VITAL
from assay.sample import Sample
from assay.tasks import ChooseLabel, ListNuggets, SplitStatements, Statement, VerifyStatements
from assay.testset.checks import ask_each

Pool: TypeAlias = Literal["answers", "contexts"]
MOST = 30  # nuggets of a question, as in TREC 2024 RAG
_BATCH = 10  # texts that a model reads at once
_OKAY = "okay"
_IMPORTANCE = "How important is the nugget, a fact, for a good answer to the question?"
_LABELS = (
    (_OKAY, "worth saying, but an answer can be good without it"),
    (VITAL, "an answer without it is not good"),
)


@dataclass(frozen=True, slots=True)
class NuggetSet:
    """The nuggets of questions, as rows of a data set.

    Attributes:
        rows: One for each question: its id, question, reference where there is one, nuggets, and
            how many texts of the pool there were.
        method: How they were found.
        failed: Questions of which the judge said nothing usable, and why.
        left_out: Questions with fewer than two texts to compare, where no model lists nuggets.
        stopped: Why not all were asked about, "" if they were.
    """

    rows: tuple[Mapping[str, Any], ...]
    method: str
    failed: Mapping[str, str]
    left_out: tuple[str, ...] = ()
    stopped: str = ""


def find_nuggets(
    data: Any,
    *,
    judge: Any,
    pool: Pool = "answers",
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> NuggetSet:
    """Find once for each question the facts that answers to it should hold.

    A judge that can write lists them from the texts of the pool, and says which are vital. Another
    one can only compare: a nugget is then a statement that a second text of the pool makes too,
    and vital if at least half of the others make it. That is weaker, and the method says so.

    Args:
        data: Rows with answers, of several systems to the same question, or with contexts.
        judge: As for `evaluate`.
        pool: The texts that facts are taken from: "answers" (answer, other_answer and
            further_answers of all rows with the question) or "contexts" (reference_contexts, or
            contexts where there are none).
        store: The SQLite file that keeps all replies.
        settings: Limits, budget, prompts and tries; how the data are read.

    Raises:
        InputError: If the data or the judge cannot be used, or a judge that only compares is given
            no question with two texts.
        Denied: If the judge refuses.
    """
    settings = chosen(settings)
    source = read(data, mapping=settings.mapping, contexts=settings.contexts)
    try:
        rows = [sample for sample in samples(source, needs={}) if sample.question]
    except InputError as error:  # no row is skipped
        raise error.without(SKIP_HINT) from error
    pools = _pools(rows, pool)
    if not pools:
        raise InputError(f"no row has a question and {pool}", "name their columns with --map")
    return run_to_completion(_find_nuggets(pools, judge, store, settings))


@dataclass(frozen=True, slots=True)
class _Question:
    sample: Sample  # the first row that asks it
    texts: dict[str, None] = field(default_factory=dict)  # in order, each once


def _pools(rows: Sequence[Sample], pool: Pool) -> list[_Question]:
    by_question = dict[str, _Question]()
    for sample in rows:
        question = by_question.setdefault(sample.question or "", _Question(sample))
        texts = sample.reference_contexts or sample.contexts or ()
        if pool == "answers":
            texts = (
                sample.answer or "",
                sample.other_answer or "",
                *(sample.further_answers or ()),
            )
        question.texts.update(dict.fromkeys(text for text in texts if text.strip()))
    return [question for question in by_question.values() if question.texts]


async def _find_nuggets(
    pools: Sequence[_Question], spec: Any, store: str | Path, settings: Settings
) -> NuggetSet:
    route = choose(spec, None, settings)
    writes = all(route.identity(kind) is not None for kind in (ListNuggets, ChooseLabel))
    kinds: tuple[type[Any], ...] = (SplitStatements, VerifyStatements)
    if not writes and any(route.identity(kind) is None for kind in kinds):
        raise InputError("the judge neither lists facts nor verifies them", "such as embedded")
    usable = [question for question in pools if writes or len(question.texts) > 1]
    if not usable:
        fault = "no question has two texts, and this judge keeps only what two of them share"
        remedy = "give rows of several systems, or name one that writes: --judge openai:MODEL"
        raise InputError(fault, remedy)
    find = _listed_nuggets if writes else _shared

    def jobs(judge: Judge) -> dict[int, Awaitable[dict[str, str]]]:
        """The nuggets of each question."""
        questions_and_texts = (
            (question.sample.question or "", list(question.texts)) for question in usable
        )
        return {
            n: find(question, texts, judge)
            for n, (question, texts) in enumerate(questions_and_texts)
        }

    nuggets_found, failed, stopped = await ask_each(jobs, route, store, settings)
    rows = tuple(_row(usable[n], nuggets) for n, nuggets in nuggets_found.items())
    reasons = {usable[n].sample.id: reason for n, reason in failed.items()}
    name = route.name.partition("+")[0]
    method = f"listed by {name}" if writes else f"statements that texts share, by {name} (weaker)"
    left_out = tuple(question.sample.id for question in pools if question not in usable)
    return NuggetSet(rows, method, reasons, left_out, stopped)


def _row(question: _Question, nuggets: Mapping[str, str]) -> dict[str, Any]:
    sample = question.sample
    row: dict[str, Any] = {"id": sample.id, "question": sample.question}
    if sample.reference:
        row["reference"] = sample.reference
    return {**row, "nuggets": dict(nuggets), "pool": len(question.texts)}


async def _listed_nuggets(question: str, texts: list[str], judge: Judge) -> dict[str, str]:
    """Nuggets as a model lists them, batch by batch, each with what it says of its importance."""
    nuggets = list[str]()
    for start in range(0, len(texts), _BATCH):
        batch = tuple(texts[start : start + _BATCH])
        further: tuple[str, ...] = await judge(ListNuggets(question, batch, tuple(nuggets)))
        nuggets += further
    nuggets = list(dict.fromkeys(nuggets))[:MOST]
    tasks = [
        ChooseLabel(_IMPORTANCE, _LABELS, (("question", question), ("nugget", text)))
        for text in nuggets
    ]
    labels = await judge.each(tasks)
    return {text: label.value for text, label in zip(nuggets, labels, strict=True)}


async def _shared(question: str, texts: list[str], judge: Judge) -> dict[str, str]:
    """Statements that at least two texts make, those of most texts first, each fact once."""
    groups = await split(question, texts, judge)
    verdict_of = await verify([(group, (text,)) for text in texts for group in groups], judge)
    makes = list[tuple[int, Statement, frozenset[int]]]()  # by which other texts it is made
    for index, group in enumerate(groups):
        verdicts = [verdict_of[other * len(texts) + index] for other in range(len(texts))]
        for n, statement in enumerate(group):
            other_makers = (o for o in range(len(texts)) if o != index and verdicts[o][n].supported)
            makes.append((index, statement, frozenset(other_makers)))
    makes = sorted(
        (statement_made for statement_made in makes if statement_made[2]),
        key=lambda statement_made: -len(statement_made[2]),
    )
    distinct = await _without_repetitions(makes, judge)
    return {
        without_citations(statement.text): VITAL if 2 * len(makers) >= len(texts) - 1 else _OKAY
        for _, statement, makers in distinct
    }


async def _without_repetitions(
    makes: Sequence[tuple[int, Statement, frozenset[int]]], judge: Judge
) -> list[tuple[int, Statement, frozenset[int]]]:
    """Without those that follow from one that is kept, the most shared first."""
    distinct = list[tuple[int, Statement, frozenset[int]]]()
    for statement_made in makes:
        if len(distinct) == MOST:
            break
        texts = "\n".join(other.text for _, other, _ in distinct)
        (verdicts,) = await verify([((statement_made[1],), (texts,))], judge)
        if not verdicts[0].supported:
            distinct.append(statement_made)
    return distinct
