"""Records what the scripted judge of the conformance page says, every reply asked for."""  # noqa: INP001

import json
import sys
from typing import Any

from snippets import ROOT

from assay.conformance import example, worked
from assay.conformance.case import EVASIVE
from assay.conformance.example import REPLIES, key, vector
from assay.judge import Reply, Task
from assay.metrics import METRICS
from assay.tasks import (
    Embed,
    GenerateQuestions,
    JudgeContexts,
    PaperQuestion,
    PaperVerdicts,
    Questions,
    Usefulness,
    Verdict,
    VerifyStatements,
    generate_questions,
    judge_contexts,
    verify_statements,
)

sys.path.append(str(ROOT / "tests"))

from support import answers

_QUESTIONS = (
    "When was the lighthouse of Arden built?",
    "How tall is the lighthouse of Arden?",
    "Who was the architect of the lighthouse of Arden?",
)

# What cannot both be true of the lighthouse, and makes no statement true by itself.
_CLASH = ("painted red", "painted white")

PATH = ROOT / "src" / "assay" / "conformance" / REPLIES


class Recorder:
    """The tests' judge by word overlap, stricter in its verdicts; every reply is written down."""

    name = "recorder"

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name."""
        return self.name if kind else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What it says."""
        if isinstance(task, Embed):
            raw = vector(task.text)
        else:
            raw = self.said[key(task, draw)] = say(task, draw)
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


def say(task: Task[Any], draw: int) -> str:
    """The reply to one draw of a task."""
    if isinstance(task, VerifyStatements):
        found = [_verdict(s.id, s.text, task.contexts) for s in task.statements]
        return verify_statements.reply(found)
    if isinstance(task, JudgeContexts):
        useful = [_useful(context, task.target) for context in task.contexts]
        return judge_contexts.reply(
            [Usefulness(*item) for item in zip(task.ids, useful, strict=True)]
        )
    if isinstance(task, PaperVerdicts):
        verdicts = [_verdict(s.id, s.text, (task.context,)).supported for s in task.statements]
        return f"Final verdict: {' '.join('Yes.' if v else 'No.' for v in verdicts)}"
    if isinstance(task, GenerateQuestions) and task.answer != EVASIVE:
        return generate_questions.reply(
            Questions((_QUESTIONS * task.n)[: task.n], noncommittal=False)
        )
    if isinstance(task, PaperQuestion) and task.answer != EVASIVE:
        return _QUESTIONS[draw % len(_QUESTIONS)]
    return answers.answer(task.prompt(), task.kind, task.schema, draw)


def _verdict(name: str, statement: str, contexts: tuple[str, ...]) -> Verdict:
    places = [
        (answers.overlap(statement, sentence), -number, sentence)
        for number, context in enumerate(contexts)
        for sentence in answers.sentences(context)
    ]
    share, number, found = max(places, default=(0.0, 0, ""))
    if share == 1.0:
        return Verdict(name, supported=True, context=-number, quote=found, contradicted=False)
    told = f"{statement} {' '.join(contexts)}"
    return Verdict(name, supported=False, contradicted=all(w in told for w in _CLASH))


def _useful(context: str, answer: str) -> bool:
    return any(answers.overlap(said, context) == 1.0 for said in answers.sentences(answer))


def recorded() -> str:
    """The file's text, made anew."""
    recorder = Recorder()
    for metric in METRICS.values():
        worked(metric(), recorder)
    return json.dumps(recorder.said, indent=0, sort_keys=True, ensure_ascii=False) + "\n"


def refresh(*, write: bool) -> list[str]:
    """The file if it is out of date, after it was written anew if that is wanted."""
    new = recorded()
    if PATH.exists() and PATH.read_text("utf-8") == new:
        return []
    if write:
        PATH.write_text(new, "utf-8")
        example.forget()
    return [str(PATH.relative_to(ROOT))]
