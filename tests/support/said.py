"""What may a judge say to each kind of task: any valid reply, and one that finds all perfect?"""

from assay import tasks
from assay.tasks import (
    Choice,
    ChosenOption,
    ClosedAnswer,
    ClosedQuestion,
    Comparison,
    Goal,
    Grade,
    GradedVerdict,
    Label,
    MultipleChoice,
    PassageGrade,
    Preference,
    Ranking,
    Rating,
    Shared,
    ShortAnswer,
    TopicAnswer,
    TopicMatch,
    Usefulness,
    Verdict,
)
from assay.tasks.verification import SEVERITIES, STANDINGS
from support import scripts


def capricious(task, rng):
    """A valid reply drawn at random."""
    return CAPRICIOUS[task.kind](task, rng)


def gullible(task):
    """The reply that finds everything perfect."""
    return GULLIBLE[task.kind](task)


def _numbered(word, rng, least, below):
    return [f"{word} {n}." for n in range(least, least + rng.randrange(below))]


def _tokens(task, vector):
    tokens = task.text.split()
    return tasks.EmbedTokens.reply(tokens, [vector() for _ in tokens])


def _point(rng):
    return [rng.uniform(-1, 1) for _ in range(3)]


def _grade(task, rng):
    grades = [grade for grade, _ in task.grades]
    weights = [rng.random() + 0.01 for _ in grades]
    shares = tuple((g, w / sum(weights)) for g, w in zip(grades, weights, strict=True))
    grade = Grade(rng.choice(grades), "", shares if rng.random() < 0.3 else None)
    return tasks.GiveGrade.reply(grade)


def _order(task, rng):
    order = list(range(len(task.answers)))
    rng.shuffle(order)
    return tasks.RankAnswers.reply(Ranking(tuple(order)))


def _match(task, rng):
    places = [None, *range(len(task.reference_topics))]
    return tasks.MatchTopics.reply([TopicMatch(i, rng.choice(places)) for i in task.ids])


def _entities(task, rng):
    words = [word for word in task.text.split() if rng.random() < 0.5]
    return tasks.NameEntities.reply(words + ["Atlantis"] * (rng.random() < 0.5))


def _verdict(i, rng):
    supported, probability = rng.random() < 0.5, rng.random()
    contradicted = rng.choice((True, False, None))
    return Verdict(i, supported, probability=probability, contradicted=contradicted)


def _extraction(task, rng):
    if rng.random() < 0.5:
        return "Insufficient Information"
    return "\n".join(line for line in task.context.splitlines() if rng.random() < 0.5)


CAPRICIOUS = {
    "answer_closed_questions": lambda task, rng: tasks.AnswerClosedQuestions.reply(
        [ClosedAnswer(i, rng.random() < 0.5) for i in task.ids]
    ),
    "answer_multiple_choice": lambda task, rng: tasks.AnswerMultipleChoice.reply(
        [ChosenOption(i, rng.choice((None, "A", "B"))) for i in task.ids]
    ),
    "answer_questions": lambda task, rng: tasks.AnswerQuestions.reply(
        [ShortAnswer(i, rng.choice((None, "In May", "In June 1932"))) for i in task.ids]
    ),
    "ask_about_facts": lambda _, rng: tasks.AskAboutFacts.reply(_numbered("What", rng, 0, 4)),
    "answer_closed_book": lambda _, rng: tasks.AnswerClosedBook.reply(
        _numbered("Since", rng, 0, 2)
    ),
    "answer_from_passages": lambda _, rng: f"In {rng.choice(('May', 'June'))}.",
    "list_nuggets": lambda _, rng: tasks.ListNuggets.reply(_numbered("Fact", rng, 0, 4)),
    "ask_closed_questions": lambda _, rng: tasks.AskClosedQuestions.reply(
        [ClosedQuestion(f"{n}", f"Is it {n}?") for n in range(rng.randrange(4))]
    ),
    "ask_multiple_choice": lambda _, rng: tasks.AskMultipleChoice.reply(
        [MultipleChoice(f"When {n}?", ("In May", "In June")) for n in range(rng.randrange(3))]
    ),
    "choose_label": lambda task, rng: tasks.ChooseLabel.reply(Label(rng.choice(task.labels)[0])),
    "compare_outcomes": lambda _, rng: tasks.CompareOutcomes.reply(Comparison(rng.random() < 0.5)),
    "embed": lambda _, rng: tasks.Embed.reply(_point(rng)),
    "embed_tokens": lambda task, rng: _tokens(task, lambda: _point(rng)),
    "generate_questions": lambda task, rng: scripts.questions(
        *(f"Why {n}?" for n in range(task.n)), noncommittal=rng.random() < 0.5
    ),
    "give_grade": _grade,
    "grade_passages": lambda task, rng: tasks.GradePassages.reply(
        [PassageGrade(i, rng.randrange(4)) for i in task.ids]
    ),
    "grade_statements": lambda task, rng: tasks.GradeStatements.reply(
        [GradedVerdict(i, rng.choice(STANDINGS), rng.choice(SEVERITIES)) for i in task.ids]
    ),
    "infer_goal": lambda _, rng: tasks.InferGoal.reply(
        Goal(f"Goal {rng.randrange(9)}.", f"Outcome {rng.randrange(9)}.")
    ),
    "judge_contexts": lambda task, rng: tasks.JudgeContexts.reply(
        [Usefulness(i, rng.random() < 0.5) for i in task.ids]
    ),
    "judge_topics": lambda task, rng: tasks.JudgeTopics.reply(
        [TopicAnswer(i, rng.random() < 0.5) for i in task.ids]
    ),
    "match_topics": _match,
    "measure_likelihood": lambda task, rng: tasks.MeasureLikelihood.reply(
        (words := task.text.split()), [-9 * rng.random() for _ in words]
    ),
    "name_entities": _entities,
    "name_topics": lambda _, rng: tasks.NameTopics.reply(_numbered("Topic", rng, 0, 4)),
    "paper_extraction": _extraction,
    "paper_correctness": lambda _, rng: tasks.PaperCorrectness.reply(
        Shared(*(tuple(_numbered("Claim", rng, 0, 3)) for _ in range(3)))
    ),
    "paper_question": lambda _, rng: f"Why {rng.random()}?",
    "paper_statements": lambda _, rng: "\n".join(_numbered("Claim", rng, 1, 4)),
    "paper_verdicts": lambda task, rng: (
        "Final verdict: " + " ".join(rng.choice(("Yes.", "No.")) for _ in task.statements)
    ),
    "plan_evaluation": lambda _, rng: tasks.PlanEvaluation.reply(
        [f"Step {n}." for n in range(1 + rng.randrange(4))]
    ),
    "prefer_answer": lambda _, rng: tasks.PreferAnswer.reply(
        Preference(rng.choice(("first", "second", "tie")))
    ),
    "rank_answers": _order,
    "rate_answer": lambda _, rng: tasks.RateAnswer.reply(Rating(rng.random(), rng.random() < 0.5)),
    "select_sentences": lambda task, rng: tasks.SelectSentences.reply(
        [Choice(s.id) for s in task.sentences if rng.random() < 0.5]
    ),
    "split_question": lambda _, rng: tasks.SplitQuestion.reply(
        [f"What {n}?" for n in range(1 + rng.randrange(3))]
    ),
    "split_statements": lambda _, rng: scripts.split(*_numbered("Claim", rng, 0, 5)),
    "verify_statements": lambda task, rng: tasks.VerifyStatements.reply(
        [_verdict(i, rng) for i in task.ids]
    ),
}
GULLIBLE = {
    "answer_closed_questions": lambda task: tasks.AnswerClosedQuestions.reply(
        [ClosedAnswer(i, yes=True) for i in task.ids]
    ),
    "answer_multiple_choice": lambda task: tasks.AnswerMultipleChoice.reply(
        [ChosenOption(i, "A") for i in task.ids]
    ),
    "answer_questions": lambda task: tasks.AnswerQuestions.reply(
        [ShortAnswer(i, "In May") for i in task.ids]
    ),
    # One question a sentence.
    "ask_about_facts": lambda task: tasks.AskAboutFacts.reply(
        [f"Why {n}?" for n in range(max(1, task.text.count(".")))]
    ),
    "answer_closed_book": lambda _: tasks.AnswerClosedBook.reply(["In May."]),
    "answer_from_passages": lambda _: "In May.",
    "list_nuggets": lambda _: tasks.ListNuggets.reply(["All is well."]),
    "ask_closed_questions": lambda _: tasks.AskClosedQuestions.reply(
        [ClosedQuestion("all", "Is all well?")]
    ),
    "ask_multiple_choice": lambda _: tasks.AskMultipleChoice.reply(
        [MultipleChoice("Is all well?", ("No", "Yes"))]
    ),
    # The last label is the best by custom.
    "choose_label": lambda task: tasks.ChooseLabel.reply(Label(task.labels[-1][0])),
    "compare_outcomes": lambda _: tasks.CompareOutcomes.reply(Comparison(reached=True)),
    "embed": lambda _: tasks.Embed.reply((1, 0)),
    "embed_tokens": lambda task: _tokens(task, lambda: (1, 0)),
    "generate_questions": lambda task: scripts.questions(*["What?"] * task.n),
    "give_grade": lambda task: tasks.GiveGrade.reply(Grade(max(grade for grade, _ in task.grades))),
    "grade_passages": lambda task: tasks.GradePassages.reply(
        [PassageGrade(i, 3) for i in task.ids]
    ),
    "grade_statements": lambda task: tasks.GradeStatements.reply(
        [GradedVerdict(i, "supported") for i in task.ids]
    ),
    "infer_goal": lambda _: tasks.InferGoal.reply(Goal("All is well.", "All is well.")),
    "judge_contexts": lambda task: tasks.JudgeContexts.reply(
        [Usefulness(i, useful=True) for i in task.ids]
    ),
    "judge_topics": lambda task: tasks.JudgeTopics.reply(
        [TopicAnswer(i, answered=True) for i in task.ids]
    ),
    "match_topics": lambda task: tasks.MatchTopics.reply([TopicMatch(i, 0) for i in task.ids]),
    "measure_likelihood": lambda task: tasks.MeasureLikelihood.reply([task.text], [0]),
    "name_entities": lambda task: tasks.NameEntities.reply(task.text.split() or ["Atlantis"]),
    "name_topics": lambda _: tasks.NameTopics.reply(["All"]),
    "paper_extraction": lambda task: task.context or "All.",
    "paper_correctness": lambda _: tasks.PaperCorrectness.reply(Shared(("All is well.",), (), ())),
    "paper_question": lambda _: "What?",
    "paper_statements": lambda _: "All is well.",
    "paper_verdicts": lambda _: "Final verdict: Yes.",
    "plan_evaluation": lambda _: tasks.PlanEvaluation.reply(["Find it perfect."]),
    # The answer that it sees first is the best that there is.
    "prefer_answer": lambda _: tasks.PreferAnswer.reply(Preference("first")),
    "rank_answers": lambda task: tasks.RankAnswers.reply(Ranking(tuple(range(len(task.answers))))),
    "rate_answer": lambda _: tasks.RateAnswer.reply(Rating(1.0, noncommittal=False)),
    "select_sentences": lambda task: tasks.SelectSentences.reply(
        [Choice(s.id) for s in task.sentences]
    ),
    "split_question": lambda task: tasks.SplitQuestion.reply([task.question.strip() or "What?"]),
    "split_statements": lambda _: tasks.SplitStatements.reply([("All is well.", "")]),
    "verify_statements": lambda task: tasks.VerifyStatements.reply(
        [Verdict(i, supported=True, contradicted=False) for i in task.ids]
    ),
}
