"""The tasks that a judge can be asked, by kind."""

from typing import Any

from assay.judge import Task
from assay.tasks.contexts import (
    Choice,
    GradePassages,
    JudgeContexts,
    Passage,
    PassageGrade,
    SelectSentences,
    Usefulness,
)
from assay.tasks.conversation import (
    CompareOutcomes,
    Comparison,
    Goal,
    InferGoal,
    JudgeTopics,
    MatchTopics,
    NameTopics,
    TopicAnswer,
    TopicMatch,
)
from assay.tasks.embedding import Embed, EmbedTokens, Likelihood, MeasureLikelihood, TokenVectors
from assay.tasks.generation import (
    AnswerMultipleChoice,
    AskMultipleChoice,
    ChosenOption,
    FollowUp,
    MultipleChoice,
    WriteFollowUp,
    WriteMultiHop,
    WriteQuestion,
    WriteReasoning,
    WriteSingleHop,
    WriteUnanswerable,
    Written,
)
from assay.tasks.grading import (
    ChooseLabel,
    GiveGrade,
    Grade,
    Label,
    PlanEvaluation,
    PreferAnswer,
    Preference,
    RankAnswers,
    Ranking,
    RateAnswer,
    Rating,
)
from assay.tasks.listing import ListNuggets, NameEntities
from assay.tasks.paper import (
    PaperCorrectness,
    PaperExtraction,
    PaperQuestion,
    PaperStatements,
    PaperVerdicts,
    Shared,
)
from assay.tasks.questions import (
    AnswerClosedBook,
    AnswerClosedQuestions,
    AnswerFromPassages,
    AnswerQuestions,
    AskAboutFacts,
    AskClosedQuestions,
    ClosedAnswer,
    ClosedQuestion,
    GenerateQuestions,
    Questions,
    ShortAnswer,
    SplitQuestion,
)
from assay.tasks.statements import SplitStatements, SplitTexts, Statement
from assay.tasks.verification import GradedVerdict, GradeStatements, Verdict, VerifyStatements

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
        MeasureLikelihood,
        GiveGrade,
        ChooseLabel,
        PlanEvaluation,
        PreferAnswer,
        RankAnswers,
        AskClosedQuestions,
        AnswerClosedQuestions,
        AskMultipleChoice,
        AnswerMultipleChoice,
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
        WriteFollowUp,
        AnswerClosedBook,
        AnswerFromPassages,
        ListNuggets,
        GradeStatements,
        GradePassages,
    )
}

# A task under the name of its kind, for the replies of one's own judge: `embed.reply(vector)`.
split_statements = SplitStatements
verify_statements = VerifyStatements
generate_questions = GenerateQuestions
rate_answer = RateAnswer
select_sentences = SelectSentences
judge_contexts = JudgeContexts
name_entities = NameEntities
ask_about_facts = AskAboutFacts
answer_questions = AnswerQuestions
split_question = SplitQuestion
embed = Embed
embed_tokens = EmbedTokens
measure_likelihood = MeasureLikelihood
give_grade = GiveGrade
grade_statements = GradeStatements
grade_passages = GradePassages
choose_label = ChooseLabel
plan_evaluation = PlanEvaluation
prefer_answer = PreferAnswer
rank_answers = RankAnswers
ask_closed_questions = AskClosedQuestions
answer_closed_questions = AnswerClosedQuestions
ask_multiple_choice = AskMultipleChoice
answer_multiple_choice = AnswerMultipleChoice
answer_closed_book = AnswerClosedBook
list_nuggets = ListNuggets
name_topics = NameTopics
judge_topics = JudgeTopics
match_topics = MatchTopics
infer_goal = InferGoal
compare_outcomes = CompareOutcomes
paper_correctness = PaperCorrectness
write_question = WriteQuestion
write_follow_up = WriteFollowUp
split_texts = SplitTexts

__all__ = [
    "TASKS",
    "AnswerClosedBook",
    "AnswerClosedQuestions",
    "AnswerFromPassages",
    "AnswerMultipleChoice",
    "AnswerQuestions",
    "AskAboutFacts",
    "AskClosedQuestions",
    "AskMultipleChoice",
    "Choice",
    "ChooseLabel",
    "ChosenOption",
    "ClosedAnswer",
    "ClosedQuestion",
    "CompareOutcomes",
    "Comparison",
    "Embed",
    "EmbedTokens",
    "FollowUp",
    "GenerateQuestions",
    "GiveGrade",
    "Goal",
    "Grade",
    "GradePassages",
    "GradeStatements",
    "GradedVerdict",
    "InferGoal",
    "JudgeContexts",
    "JudgeTopics",
    "Label",
    "Likelihood",
    "ListNuggets",
    "MatchTopics",
    "MeasureLikelihood",
    "MultipleChoice",
    "NameEntities",
    "NameTopics",
    "PaperCorrectness",
    "PaperExtraction",
    "PaperQuestion",
    "PaperStatements",
    "PaperVerdicts",
    "Passage",
    "PassageGrade",
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
    "WriteFollowUp",
    "WriteMultiHop",
    "WriteQuestion",
    "WriteReasoning",
    "WriteSingleHop",
    "WriteUnanswerable",
    "Written",
]
