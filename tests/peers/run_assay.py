"""Our metrics on the same rows, with the oracle as the judge of a run like any other."""

import math
import tempfile
from pathlib import Path

import oracle

import assay
from assay.judge import RETRY_STRIDE
from assay.score import Score
from assay.tasks import (
    TASKS,
    Choice,
    Embed,
    GenerateQuestions,
    GiveGrade,
    Grade,
    JudgeContexts,
    NameEntities,
    Questions,
    SelectSentences,
    SplitStatements,
    Usefulness,
    Verdict,
    VerifyStatements,
)


def _split(task, _draw):
    found = oracle.statements(task.text)
    return SplitStatements.reply([(text, text) for text in found])


def _verified(task, _draw):
    premise = "\n".join(task.contexts)
    told = [(s, oracle.supported(s.text, premise)) for s in task.statements]
    return VerifyStatements.reply(
        [
            Verdict(s.id, found, contradicted=oracle.contradicted(s.text, premise))
            for s, found in told
            if found is not None
        ]
    )


def _useful(task, _draw):
    found = [(i, oracle.useful(task.target, text)) for i, text in task.shown().items()]
    return JudgeContexts.reply([Usefulness(i, useful) for i, useful in found])


def _selected(task, _draw):
    helpful = [s for s in task.sentences if oracle.helps(task.question, s.text)]
    return SelectSentences.reply([Choice(s.id) for s in helpful])


def _questions(task, draw):
    made = [oracle.question(task.answer, draw % RETRY_STRIDE + n) for n in range(task.n)]
    evades = any(noncommittal for _, noncommittal in made)
    return GenerateQuestions.reply(Questions(tuple(q for q, _ in made), evades))


def _graded(task, _draw):
    shown = dict(task.shown)
    premise = "\n".join(text for name, text in task.shown if name.startswith("context"))
    best = int(task.grades[-1][0])
    if "statement" in shown:
        grade = oracle.grounded(shown["statement"], premise)
    elif "reference" in shown:
        grade = 2 * oracle.rating(shown["answer"], shown["reference"], 2)
    elif "question" in shown:
        grade = min(best, oracle.answers(shown["question"], shown.get("answer", premise)))
    else:
        grade = oracle.rating(shown["answer"], premise, best)
    return GiveGrade.reply(Grade(float(grade), "as the oracle says"))


SAYS = {
    "split_statements": _split,
    "verify_statements": _verified,
    "judge_contexts": _useful,
    "select_sentences": _selected,
    "generate_questions": _questions,
    "give_grade": _graded,
    "name_entities": lambda task, _: NameEntities.reply(oracle.entities(task.text)),
    "embed": lambda task, _: Embed.reply(oracle.vector(task.text)),
}


class Oracle:
    """The oracle behind the one door."""

    name = "oracle"

    def identity(self, kind):
        return self.name if kind.kind in SAYS else None

    async def reply(self, task, draw=0):
        raw = SAYS[task.kind](task, draw)
        return assay.Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


assert set(SAYS) <= set(TASKS)


def _row(row):
    # A field that is missing is not there, as in a file that lacks it.
    return {name: value for name, value in row.items() if value is not None}


def _value(outcome):
    if isinstance(outcome, Score):
        assert math.isfinite(outcome.value)
        return outcome.value
    return {"none": outcome.why, "why": outcome.detail}


def _scored(rows, metric, folder):
    """Values by row id; "refused" is a row that no run takes for this metric."""
    settings = assay.Settings(skip_invalid=folder / "refused.jsonl")
    samples = [_row(row) for row in rows]
    result = assay.evaluate(
        samples, [metric], Oracle(), store=folder / "peers.db", settings=settings
    )
    found = {sample.id: _value(outcome) for sample, outcome in result.outcomes(metric)}
    refused = {"none": "refused", "why": "the row lacks what the metric needs"}
    return {row["id"]: found.get(row["id"], refused) for row in rows}


def values(rows, metrics):
    """Value by metric and row id, through the public interface."""
    with tempfile.TemporaryDirectory() as folder:
        return {metric: _scored(rows, metric, Path(folder)) for metric in metrics}
