"""Which typed questions a judge can be asked; one file a task."""

from typing import Any

from assay.judge import Task
from assay.tasks.answer_closed_questions import AnswerClosedQuestions, ClosedAnswer
from assay.tasks.answer_questions import AnswerQuestions, ShortAnswer
from assay.tasks.ask_about_facts import AskAboutFacts
from assay.tasks.ask_closed_questions import AskClosedQuestions, ClosedQuestion
from assay.tasks.choose_label import ChooseLabel, Label
from assay.tasks.compare_outcomes import CompareOutcomes, Comparison
from assay.tasks.embed import Embed
from assay.tasks.embed_tokens import EmbedTokens, TokenVectors
from assay.tasks.generate_questions import GenerateQuestions, Questions
from assay.tasks.give_grade import GiveGrade, Grade
from assay.tasks.infer_goal import Goal, InferGoal
from assay.tasks.judge_contexts import JudgeContexts, Usefulness
from assay.tasks.judge_topics import JudgeTopics, TopicAnswer
from assay.tasks.match_topics import MatchTopics, TopicMatch
from assay.tasks.name_entities import NameEntities
from assay.tasks.name_topics import NameTopics
from assay.tasks.paper import PaperExtraction, PaperQuestion, PaperStatements, PaperVerdicts
from assay.tasks.paper_correctness import PaperCorrectness, Shared
from assay.tasks.plan_evaluation import PlanEvaluation
from assay.tasks.prefer_answer import PreferAnswer, Preference
from assay.tasks.rank_answers import RankAnswers, Ranking
from assay.tasks.rate_answer import RateAnswer, Rating
from assay.tasks.select_sentences import Choice, Passage, SelectSentences
from assay.tasks.split_question import SplitQuestion
from assay.tasks.split_statements import SplitStatements, Statement
from assay.tasks.verify_statements import Verdict, VerifyStatements
from assay.tasks.write_question import (
    WriteMultiHop,
    WriteQuestion,
    WriteReasoning,
    WriteSingleHop,
    WriteUnanswerable,
    Written,
)

TASKS: dict[str, type[Task[Any]]] = {
    task.kind: task
    for task in (
        SplitStatements,
        VerifyStatements,
        GenerateQuestions,
        RateAnswer,
        SelectSentences,
        JudgeContexts,
        NameEntities,
        AskAboutFacts,
        AnswerQuestions,
        SplitQuestion,
        Embed,
        EmbedTokens,
        GiveGrade,
        ChooseLabel,
        PlanEvaluation,
        PreferAnswer,
        RankAnswers,
        AskClosedQuestions,
        AnswerClosedQuestions,
        NameTopics,
        JudgeTopics,
        MatchTopics,
        InferGoal,
        CompareOutcomes,
        PaperStatements,
        PaperVerdicts,
        PaperQuestion,
        PaperExtraction,
        PaperCorrectness,
        WriteSingleHop,
        WriteReasoning,
        WriteMultiHop,
        WriteUnanswerable,
    )
}

__all__ = [
    "TASKS",
    "AnswerClosedQuestions",
    "AnswerQuestions",
    "AskAboutFacts",
    "AskClosedQuestions",
    "Choice",
    "ChooseLabel",
    "ClosedAnswer",
    "ClosedQuestion",
    "CompareOutcomes",
    "Comparison",
    "Embed",
    "EmbedTokens",
    "GenerateQuestions",
    "GiveGrade",
    "Goal",
    "Grade",
    "InferGoal",
    "JudgeContexts",
    "JudgeTopics",
    "Label",
    "MatchTopics",
    "NameEntities",
    "NameTopics",
    "PaperCorrectness",
    "PaperExtraction",
    "PaperQuestion",
    "PaperStatements",
    "PaperVerdicts",
    "Passage",
    "PlanEvaluation",
    "PreferAnswer",
    "Preference",
    "Questions",
    "RankAnswers",
    "Ranking",
    "RateAnswer",
    "Rating",
    "SelectSentences",
    "Shared",
    "ShortAnswer",
    "SplitQuestion",
    "SplitStatements",
    "Statement",
    "TokenVectors",
    "TopicAnswer",
    "TopicMatch",
    "Usefulness",
    "Verdict",
    "VerifyStatements",
    "WriteMultiHop",
    "WriteQuestion",
    "WriteReasoning",
    "WriteSingleHop",
    "WriteUnanswerable",
    "Written",
]
