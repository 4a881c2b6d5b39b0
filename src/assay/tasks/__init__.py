"""Which typed questions a judge can be asked; one file a task."""

from typing import Any

from assay.judge import Task
from assay.tasks.choose_label import ChooseLabel, Label
from assay.tasks.embed import Embed
from assay.tasks.generate_questions import GenerateQuestions, Questions
from assay.tasks.give_grade import GiveGrade, Grade
from assay.tasks.judge_contexts import JudgeContexts, Usefulness
from assay.tasks.paper import PaperExtraction, PaperQuestion, PaperStatements, PaperVerdicts
from assay.tasks.rate_answer import RateAnswer, Rating
from assay.tasks.select_sentences import Choice, Passage, SelectSentences
from assay.tasks.split_statements import SplitStatements, Statement
from assay.tasks.verify_statements import Verdict, VerifyStatements

TASKS: dict[str, type[Task[Any]]] = {
    task.kind: task
    for task in (
        SplitStatements,
        VerifyStatements,
        GenerateQuestions,
        RateAnswer,
        SelectSentences,
        JudgeContexts,
        Embed,
        GiveGrade,
        ChooseLabel,
        PaperStatements,
        PaperVerdicts,
        PaperQuestion,
        PaperExtraction,
    )
}

__all__ = [
    "TASKS",
    "Choice",
    "ChooseLabel",
    "Embed",
    "GenerateQuestions",
    "GiveGrade",
    "Grade",
    "JudgeContexts",
    "Label",
    "PaperExtraction",
    "PaperQuestion",
    "PaperStatements",
    "PaperVerdicts",
    "Passage",
    "Questions",
    "RateAnswer",
    "Rating",
    "SelectSentences",
    "SplitStatements",
    "Statement",
    "Usefulness",
    "Verdict",
    "VerifyStatements",
]
