"""Does the embedded judge know what was said before?"""

from assay.judge import Judge
from assay.judges.embedded import Embedded
from assay.judges.embedded.judge import effective_question, question_in_context
from assay.tasks import RateAnswer, SplitStatements
from support.over import over

CURIE = (
    "user: Where was Marie Curie born?",
    "assistant: Marie Curie was born in Warsaw. It was then part of Russia.",
)
BOHR = ("user: Tell me about Niels Bohr.", "assistant: Niels Bohr was a physicist.")


@over(
    ("earlier", "question", "statement"),
    [
        (CURIE, "And when?", "Marie Curie was born in 1867."),
        ((*CURIE, *BOHR), "And when?", "Niels Bohr was born in 1867."),
        ((*BOHR, *CURIE), "When was Lise Meitner born?", "Lise Meitner was born in 1867."),
        ((), "And when?", "She was born in 1867."),
    ],
)
async def test_a_pronoun_means_the_last_subject_that_was_named(earlier, question, statement):
    pronoun = "He" if "Bohr" in statement else "She"
    task = SplitStatements(question, f"{pronoun} was born in 1867.", earlier=earlier)
    assert [s.text for s in await Judge(Embedded())(task)] == [statement]


@over(
    ("question", "alone"),
    [
        ("When?", False),
        ("Why?", False),
        ("Which prizes did she win?", True),
        ("And who designed it?", True),
        ("What is the capital of France?", True),
        ("Who wrote the novel Emma?", True),
    ],
)
def test_a_question_that_is_next_to_nothing_stands_after_the_last_one(question, alone):
    task = RateAnswer(question, "x", (*BOHR, *CURIE))
    expected = question if alone else f"Where was Marie Curie born? {question}"
    assert question_in_context(task) == expected
    assert question_in_context(RateAnswer(question, "x")) == question


async def test_a_follow_up_is_not_answered_by_the_answer_to_what_was_asked_before():
    earlier = ("user: When was the Eiffel Tower built?", "assistant: It was built in 1889.")
    answers = ("Stephen Sauvestre did.", "It was built in 1889.")
    tasks = [RateAnswer("And who designed it?", answer, earlier) for answer in answers]
    right, stale = await Judge(Embedded()).each(tasks)
    assert right.rated > 0.5 > stale.rated


def test_a_single_question_stays_as_it_is():
    assert effective_question(SplitStatements("And when?", "x")) == "And when?"


async def test_a_leaning_question_is_answered_better_beside_what_it_leans_on():
    judge = Judge(Embedded())
    answer = "Niels Bohr was born in 1885."
    alone = await judge(RateAnswer("When?", answer))
    beside = await judge(RateAnswer("When?", answer, BOHR))
    assert beside.relevance > alone.relevance
