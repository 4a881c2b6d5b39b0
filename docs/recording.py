"""Records what the scripted judge of the conformance page says, every reply asked for."""  # noqa: INP001

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from snippets import ROOT

from assay import conformance
from assay.conformance import EVASIVE, REPLIES, embedded, key, worked
from assay.judge import Reply, Task
from assay.metrics import METRICS
from assay.tasks import (
    GenerateQuestions,
    GiveGrade,
    Grade,
    GradedVerdict,
    GradeStatements,
    JudgeContexts,
    PaperVerdicts,
    Questions,
    Usefulness,
    Verdict,
    VerifyStatements,
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
_CONTRADICTED = "The lighthouse was painted red in 1990."
# From an answer that evades no question about the lighthouse follows.
_QUESTIONING = ("generate_questions", "paper_question")

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
        raw = embedded(task)
        if raw is None:
            raw = self.said[key(task, draw)] = say(task, draw)
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


def say(task: Task[Any], draw: int) -> str:
    """The reply to one draw of a task."""
    ready = _READY.get(task.kind)
    evaded = task.kind in _QUESTIONING and EVASIVE in task.prompt()
    found = ready(task, draw) if ready and not evaded else None
    return found or answers.answer(task.prompt(), task.kind, task.schema, draw)


def _verify(task: VerifyStatements, draw: int) -> str:
    del draw
    return VerifyStatements.reply([_verdict(s.id, s.text, task.contexts) for s in task.statements])


def _graded(task: GradeStatements, draw: int) -> str:
    del draw
    found = [_verdict(s.id, s.text, task.contexts) for s in task.statements]
    return GradeStatements.reply(
        [
            GradedVerdict(v.id, "supported", context=v.context)
            if v.supported
            else GradedVerdict(v.id, "contradicted" if v.contradicted else "absent", severity=2)
            for v in found
        ]
    )


def _verify_as_the_paper(task: PaperVerdicts, draw: int) -> str:
    del draw
    verdicts = [_verdict(s.id, s.text, (task.context,)).supported for s in task.statements]
    return f"Final verdict: {' '.join('Yes.' if v else 'No.' for v in verdicts)}"


def _judge(task: JudgeContexts, draw: int) -> str:
    del draw
    useful = [_useful(context, task.target) for context in task.shown().values()]
    return JudgeContexts.reply(list(map(Usefulness, task.ids, useful)))


def _generate(task: GenerateQuestions, draw: int) -> str:
    asked = [_QUESTIONS[(draw + n) % len(_QUESTIONS)] for n in range(task.n)]
    return GenerateQuestions.reply(Questions(tuple(asked), noncommittal=False))


def _grade(task: GiveGrade, draw: int) -> str | None:
    del draw
    if all(text != _CONTRADICTED for _, text in task.shown):
        return None
    return GiveGrade.reply(Grade(min(grade for grade, _ in task.grades)))


_READY: Mapping[str, Callable[[Any, int], str | None]] = {
    "verify_statements": _verify,
    "grade_statements": _graded,
    "paper_verdicts": _verify_as_the_paper,
    "judge_contexts": _judge,
    "generate_questions": _generate,
    "paper_question": lambda _, draw: _QUESTIONS[draw % len(_QUESTIONS)],
    "give_grade": _grade,
    # What a judge finds who knows that "it" is the lighthouse.
    "split_question": lambda *_: json.dumps({"questions": _QUESTIONS[:2]}),
    "name_topics": lambda *_: json.dumps(
        {"topics": [f"the lighthouse of Arden: its {what}" for what in ("age", "height")]}
    ),
}


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
        conformance.forget()
    return [str(PATH.relative_to(ROOT))]
