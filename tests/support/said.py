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
    return tasks.embed_tokens.reply(tokens, [vector() for _ in tokens])


def _point(rng):
    return [rng.uniform(-1, 1) for _ in range(3)]


def _grade(task, rng):
    grades = [grade for grade, _ in task.grades]
    weights = [rng.random() + 0.01 for _ in grades]
    shares = tuple((g, w / sum(weights)) for g, w in zip(grades, weights, strict=True))
    grade = Grade(rng.choice(grades), "", shares if rng.random() < 0.3 else None)
    return tasks.give_grade.reply(grade)


def _order(task, rng):
    order = list(range(len(task.answers)))
    rng.shuffle(order)
    return tasks.rank_answers.reply(Ranking(tuple(order)))


def _match(task, rng):
    places = [None, *range(len(task.reference_topics))]
    return tasks.match_topics.reply([TopicMatch(i, rng.choice(places)) for i in task.ids])


def _entities(task, rng):
    words = [word for word in task.text.split() if rng.random() < 0.5]
    return tasks.name_entities.reply(words + ["Atlantis"] * (rng.random() < 0.5))


def _verdict(i, rng):
    supported, probability = rng.random() < 0.5, rng.random()
    contradicted = rng.choice((True, False, None))
    return Verdict(i, supported, probability=probability, contradicted=contradicted)


def _extraction(task, rng):
    if rng.random() < 0.5:
        return "Insufficient Information"
    return "\n".join(line for line in task.context.splitlines() if rng.random() < 0.5)


CAPRICIOUS = {
    "answer_closed_questions": lambda task, rng: tasks.answer_closed_questions.reply(
        [ClosedAnswer(i, rng.random() < 0.5) for i in task.ids]
    ),
    "answer_multiple_choice": lambda task, rng: tasks.answer_multiple_choice.reply(
        [ChosenOption(i, rng.choice((None, "A", "B"))) for i in task.ids]
    ),
    "answer_questions": lambda task, rng: tasks.answer_questions.reply(
        [ShortAnswer(i, rng.choice((None, "In May", "In June 1932"))) for i in task.ids]
    ),
    "ask_about_facts": lambda _, rng: tasks.ask_about_facts.reply(_numbered("What", rng, 0, 4)),
    "answer_closed_book": lambda _, rng: tasks.answer_closed_book.reply(
        _numbered("Since", rng, 0, 2)
    ),
    "answer_from_passages": lambda _, rng: f"In {rng.choice(('May', 'June'))}.",
    "list_nuggets": lambda _, rng: tasks.list_nuggets.reply(_numbered("Fact", rng, 0, 4)),
    "ask_closed_questions": lambda _, rng: tasks.ask_closed_questions.reply(
        [ClosedQuestion(f"{n}", f"Is it {n}?") for n in range(rng.randrange(4))]
    ),
    "ask_multiple_choice": lambda _, rng: tasks.ask_multiple_choice.reply(
        [MultipleChoice(f"When {n}?", ("In May", "In June")) for n in range(rng.randrange(3))]
    ),
    "choose_label": lambda task, rng: tasks.choose_label.reply(Label(rng.choice(task.labels)[0])),
    "compare_outcomes": lambda _, rng: tasks.compare_outcomes.reply(Comparison(rng.random() < 0.5)),
    "embed": lambda _, rng: tasks.embed.reply(_point(rng)),
    "embed_tokens": lambda task, rng: _tokens(task, lambda: _point(rng)),
    "generate_questions": lambda task, rng: scripts.questions(
        *(f"Why {n}?" for n in range(task.n)), noncommittal=rng.random() < 0.5
    ),
    "give_grade": _grade,
    "grade_passages": lambda task, rng: tasks.grade_passages.reply(
        [PassageGrade(i, rng.randrange(4)) for i in task.ids]
    ),
    "grade_statements": lambda task, rng: tasks.grade_statements.reply(
        [GradedVerdict(i, rng.choice(STANDINGS), rng.choice(SEVERITIES)) for i in task.ids]
    ),
    "infer_goal": lambda _, rng: tasks.infer_goal.reply(
        Goal(f"Goal {rng.randrange(9)}.", f"Outcome {rng.randrange(9)}.")
    ),
    "judge_contexts": lambda task, rng: tasks.judge_contexts.reply(
        [Usefulness(i, rng.random() < 0.5) for i in task.ids]
    ),
    "judge_topics": lambda task, rng: tasks.judge_topics.reply(
        [TopicAnswer(i, rng.random() < 0.5) for i in task.ids]
    ),
    "match_topics": _match,
    "measure_likelihood": lambda task, rng: tasks.measure_likelihood.reply(
        (words := task.text.split()), [-9 * rng.random() for _ in words]
    ),
    "name_entities": _entities,
    "name_topics": lambda _, rng: tasks.name_topics.reply(_numbered("Topic", rng, 0, 4)),
    "paper_extraction": _extraction,
    "paper_correctness": lambda _, rng: tasks.paper_correctness.reply(
        Shared(*(tuple(_numbered("Claim", rng, 0, 3)) for _ in range(3)))
    ),
    "paper_question": lambda _, rng: f"Why {rng.random()}?",
    "paper_statements": lambda _, rng: "\n".join(_numbered("Claim", rng, 1, 4)),
    "paper_verdicts": lambda task, rng: (
        "Final verdict: " + " ".join(rng.choice(("Yes.", "No.")) for _ in task.statements)
    ),
    "plan_evaluation": lambda _, rng: tasks.plan_evaluation.reply(
        [f"Step {n}." for n in range(1 + rng.randrange(4))]
    ),
    "prefer_answer": lambda _, rng: tasks.prefer_answer.reply(
        Preference(rng.choice(("first", "second", "tie")))
    ),
    "rank_answers": _order,
    "rate_answer": lambda _, rng: tasks.rate_answer.reply(Rating(rng.random(), rng.random() < 0.5)),
    "select_sentences": lambda task, rng: tasks.select_sentences.reply(
        [Choice(s.id) for s in task.sentences if rng.random() < 0.5]
    ),
    "split_question": lambda _, rng: tasks.split_question.reply(
        [f"What {n}?" for n in range(1 + rng.randrange(3))]
    ),
    "split_statements": lambda _, rng: scripts.split(*_numbered("Claim", rng, 0, 5)),
    "verify_statements": lambda task, rng: tasks.verify_statements.reply(
        [_verdict(i, rng) for i in task.ids]
    ),
}
GULLIBLE = {
    "answer_closed_questions": lambda task: tasks.answer_closed_questions.reply(
        [ClosedAnswer(i, yes=True) for i in task.ids]
    ),
    "answer_multiple_choice": lambda task: tasks.answer_multiple_choice.reply(
        [ChosenOption(i, "A") for i in task.ids]
    ),
    "answer_questions": lambda task: tasks.answer_questions.reply(
        [ShortAnswer(i, "In May") for i in task.ids]
    ),
    # One question a sentence.
    "ask_about_facts": lambda task: tasks.ask_about_facts.reply(
        [f"Why {n}?" for n in range(max(1, task.text.count(".")))]
    ),
    "answer_closed_book": lambda _: tasks.answer_closed_book.reply(["In May."]),
    "answer_from_passages": lambda _: "In May.",
    "list_nuggets": lambda _: tasks.list_nuggets.reply(["All is well."]),
    "ask_closed_questions": lambda _: tasks.ask_closed_questions.reply(
        [ClosedQuestion("all", "Is all well?")]
    ),
    "ask_multiple_choice": lambda _: tasks.ask_multiple_choice.reply(
        [MultipleChoice("Is all well?", ("No", "Yes"))]
    ),
    # The last label is the best by custom.
    "choose_label": lambda task: tasks.choose_label.reply(Label(task.labels[-1][0])),
    "compare_outcomes": lambda _: tasks.compare_outcomes.reply(Comparison(reached=True)),
    "embed": lambda _: tasks.embed.reply((1, 0)),
    "embed_tokens": lambda task: _tokens(task, lambda: (1, 0)),
    "generate_questions": lambda task: scripts.questions(*["What?"] * task.n),
    "give_grade": lambda task: tasks.give_grade.reply(
        Grade(max(grade for grade, _ in task.grades))
    ),
    "grade_passages": lambda task: tasks.grade_passages.reply(
        [PassageGrade(i, 3) for i in task.ids]
    ),
    "grade_statements": lambda task: tasks.grade_statements.reply(
        [GradedVerdict(i, "supported") for i in task.ids]
    ),
    "infer_goal": lambda _: tasks.infer_goal.reply(Goal("All is well.", "All is well.")),
    "judge_contexts": lambda task: tasks.judge_contexts.reply(
        [Usefulness(i, useful=True) for i in task.ids]
    ),
    "judge_topics": lambda task: tasks.judge_topics.reply(
        [TopicAnswer(i, answered=True) for i in task.ids]
    ),
    "match_topics": lambda task: tasks.match_topics.reply([TopicMatch(i, 0) for i in task.ids]),
    "measure_likelihood": lambda task: tasks.measure_likelihood.reply([task.text], [0]),
    "name_entities": lambda task: tasks.name_entities.reply(task.text.split() or ["Atlantis"]),
    "name_topics": lambda _: tasks.name_topics.reply(["All"]),
    "paper_extraction": lambda task: task.context or "All.",
    "paper_correctness": lambda _: tasks.paper_correctness.reply(Shared(("All is well.",), (), ())),
    "paper_question": lambda _: "What?",
    "paper_statements": lambda _: "All is well.",
    "paper_verdicts": lambda _: "Final verdict: Yes.",
    "plan_evaluation": lambda _: tasks.plan_evaluation.reply(["Find it perfect."]),
    # The answer that it sees first is the best that there is.
    "prefer_answer": lambda _: tasks.prefer_answer.reply(Preference("first")),
    "rank_answers": lambda task: tasks.rank_answers.reply(Ranking(tuple(range(len(task.answers))))),
    "rate_answer": lambda _: tasks.rate_answer.reply(Rating(1.0, noncommittal=False)),
    "select_sentences": lambda task: tasks.select_sentences.reply(
        [Choice(s.id) for s in task.sentences]
    ),
    "split_question": lambda task: tasks.split_question.reply([task.question.strip() or "What?"]),
    "split_statements": lambda _: tasks.split_statements.reply([("All is well.", "")]),
    "verify_statements": lambda task: tasks.verify_statements.reply(
        [Verdict(i, supported=True, contradicted=False) for i in task.ids]
    ),
}
