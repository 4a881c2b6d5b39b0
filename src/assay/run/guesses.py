"""What would a judge reply, roughly? For counting calls and tokens before anybody is asked."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from assay.tasks import (
    AnswerClosedQuestions,
    AnswerQuestions,
    AskClosedQuestions,
    Choice,
    ChooseLabel,
    ClosedAnswer,
    ClosedQuestion,
    CompareOutcomes,
    Comparison,
    Embed,
    GenerateQuestions,
    GiveGrade,
    Goal,
    Grade,
    InferGoal,
    JudgeContexts,
    JudgeTopics,
    Label,
    MatchTopics,
    NameTopics,
    PaperVerdicts,
    PlanEvaluation,
    PreferAnswer,
    Preference,
    RankAnswers,
    Ranking,
    RateAnswer,
    Rating,
    SelectSentences,
    ShortAnswer,
    TopicAnswer,
    TopicMatch,
    Usefulness,
    Verdict,
    VerifyStatements,
    WriteMultiHop,
    WriteReasoning,
    WriteSingleHop,
    WriteUnanswerable,
    Written,
    answer_closed_questions,
    answer_questions,
    ask_closed_questions,
    choose_label,
    compare_outcomes,
    embed,
    give_grade,
    infer_goal,
    judge_contexts,
    judge_topics,
    match_topics,
    name_topics,
    plan_evaluation,
    prefer_answer,
    rank_answers,
    rate_answer,
    select_sentences,
    verify_statements,
    write_question,
)
from assay.text.sentences import sentences, spans

# Words of "the shortest exact quote".
QUOTED = 10
# As long as the reasons that judges give.
REASON = "The answer says what is asked for, and the contexts bear it out."


def guess(task: Any) -> str:
    """A reply that the task can read, about as long as a judge's, where one is known to be that."""
    return _GUESSES.get(task.kind, _paper_lines)(task)


def _vector(task: Any) -> str:
    return embed.reply([float(len(task.text)), 1.0])


def _questions(task: Any) -> str:
    topic = task.answer.split(".")[0]
    questions = [f"{topic} ({number})?" for number in range(task.n)]  # each is embedded
    return json.dumps({"noncommittal": False, "questions": questions})


def _paper_verdicts(task: Any) -> str:
    explained = "\n".join(f"{s.text} The context supports this." for s in task.statements)
    return (
        f"{explained}\nFinal verdict for each statement in order:{' Yes.' * len(task.statements)}"
    )


def _paper_lines(task: Any) -> str:
    # One line a sentence of what was given last: statements of an answer, sentences of a context.
    text: str = task.material()[-1].text
    return text.replace(". ", ".\n")[:4000] + "?"


def _grade(task: Any) -> str:
    return give_grade.reply(Grade(task.grades[-1][0], REASON))


def _label(task: Any) -> str:
    return choose_label.reply(Label(task.labels[-1][0], REASON))


def _plan(_task: Any) -> str:
    return plan_evaluation.reply([REASON] * 4)


def _preference(_task: Any) -> str:
    return prefer_answer.reply(Preference("first", REASON))


def _ranking(task: Any) -> str:
    return rank_answers.reply(Ranking(tuple(range(len(task.answers))), REASON))


def _closed_questions(task: Any) -> str:
    facts = [task.text[a:b] for a, b in spans(task.text)]
    return ask_closed_questions.reply([ClosedQuestion(f[:20], f"Is it so: {f}?") for f in facts])


def _closed_answers(task: Any) -> str:
    return answer_closed_questions.reply(
        [ClosedAnswer(i, yes=True, reason=REASON) for i in task.ids]
    )


def _topics(task: Any) -> str:
    # One topic for each message of the user.
    said = task.conversation.splitlines()
    asked = [line.removeprefix("user: ") for line in said if line.startswith("user: ")]
    return name_topics.reply([" ".join(text.split()[:5]) for text in asked])


def _topic_answers(task: Any) -> str:
    return judge_topics.reply([TopicAnswer(i, answered=True, reason=REASON) for i in task.ids])


def _topic_matches(task: Any) -> str:
    return match_topics.reply([TopicMatch(i, 0, REASON) for i in task.ids])


def _goal(_task: Any) -> str:
    return infer_goal.reply(Goal(REASON, REASON))


def _comparison(_task: Any) -> str:
    return compare_outcomes.reply(Comparison(reached=True, reason=REASON))


def _short_answers(task: Any) -> str:
    # A text answers what is asked in its own words.
    held = set(task.text.split())
    answers = (
        ShortAnswer(f"q{n}", question[:20] if held.issuperset(question.split()) else None)
        for n, question in enumerate(task.questions, start=1)
    )
    return answer_questions.reply([answer for answer in answers if answer.id in task.ids])


def _verdicts(task: Any) -> str:
    # What shares most of its words with a context is supported by it.
    contexts = [(set(text.split()), text) for text in task.contexts]
    made = []
    for statement in task.statements:
        if statement.id not in task.ids:
            continue
        words = statement.text.rstrip(".").split()
        shared = [sum(word in held for word in words) for held, _ in contexts] or [0]
        best = max(range(len(shared)), key=shared.__getitem__)
        supported = 2 * shared[best] > len(words)
        quote = " ".join(contexts[best][1].split()[:QUOTED]) if supported else ""
        place = best if supported else None
        made.append(Verdict(statement.id, supported, REASON, place, quote))
    return verify_statements.reply(made)


def _usefulness(task: Any) -> str:
    quotes = ((i, " ".join(text.split()[:QUOTED])) for i, text in task.shown() if i in task.ids)
    return judge_contexts.reply(
        [Usefulness(i, useful=True, reason=REASON, quote=quote) for i, quote in quotes]
    )


def _choices(task: Any) -> str:
    asked = {word for word in task.question.lower().split() if len(word) > 3}
    chosen = [s for s in task.sentences if not asked.isdisjoint(s.text.lower().split())]
    return select_sentences.reply([Choice(s.id, REASON) for s in chosen or task.sentences[:1]])


def _rating(_task: Any) -> str:
    return rate_answer.reply(Rating(1.0, noncommittal=False, reason=REASON))


def _written(task: Any) -> str:
    # In the text's own words, so that it goes through every check of a test set; backwards, so
    # that "in this document" does not point at a text.
    facts = [max(sentences(text), key=len, default="") for text in task.passages]
    answer = " ".join(facts)
    asked = " ".join(reversed(answer.split()))
    if isinstance(task, WriteUnanswerable):
        return write_question.reply(Written(f"{asked} ... and what else?"))
    return write_question.reply(Written(asked, answer, tuple(facts)))


_GUESSES: Mapping[str, Callable[[Any], str]] = {
    Embed.kind: _vector,
    VerifyStatements.kind: _verdicts,
    JudgeContexts.kind: _usefulness,
    SelectSentences.kind: _choices,
    RateAnswer.kind: _rating,
    GenerateQuestions.kind: _questions,
    PaperVerdicts.kind: _paper_verdicts,
    GiveGrade.kind: _grade,
    ChooseLabel.kind: _label,
    PlanEvaluation.kind: _plan,
    PreferAnswer.kind: _preference,
    RankAnswers.kind: _ranking,
    AskClosedQuestions.kind: _closed_questions,
    AnswerClosedQuestions.kind: _closed_answers,
    NameTopics.kind: _topics,
    JudgeTopics.kind: _topic_answers,
    MatchTopics.kind: _topic_matches,
    InferGoal.kind: _goal,
    CompareOutcomes.kind: _comparison,
    AnswerQuestions.kind: _short_answers,
    **{
        kind.kind: _written
        for kind in (WriteSingleHop, WriteReasoning, WriteMultiHop, WriteUnanswerable)
    },
}
