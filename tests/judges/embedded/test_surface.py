"""What is written otherwise and says the same is judged the same."""

import tracemalloc

import pytest

from assay.judge import Judge
from assay.judges.embedded.judge import Embedded
from assay.tasks import RateAnswer, Statement, VerifyStatements
from support.over import over

CONTEXT = (
    "The Brunnmoor reservoir was completed in 1911 and supplies the town of Ostwick. Its dam is "
    "forty metres high and was built by the engineer Clara Holtby."
)
TRUE = "The reservoir at Brunnmoor was completed in 1911."
QUESTION = "When was the Brunnmoor reservoir completed?"


async def verdict(text, context=CONTEXT):
    statement = Statement("s1", text, (0, len(text)))
    (found,) = await Judge(Embedded())(VerifyStatements((statement,), (context,)))
    return found


async def relevance(question, answer):
    return (await Judge(Embedded())(RateAnswer(question, answer))).rated


@over(
    "text",
    [
        "The resrevoir at Brunnmoor was completed in 1911.",
        "The reservoir at Brunnmoor was compleeted in 1911.",
        "The reservoir at Brunnmoor was complted in 1911.",
        "The reservoir at Brunmoor was completed in 1911.",
        "The **reservoir** at Brunnmoor was `completed` in 1911.",
        "- The reservoir at Brunnmoor was completed in 1911 [1].",
        "The reservoir [2] at Brunnmoor was completed in 1911 (Source 2).",
        "Sure! According to the provided passages, the reservoir at Brunnmoor was completed in 1911.",
        "Great question! The reservoir at Brunnmoor was completed in 1911.",
        "THE RESERVOIR AT BRUNNMOOR WAS COMPLETED IN 1911.",
        "The Reservoir At Brunnmoor Was Completed In 1911.",
    ],
)
async def test_a_statement_keeps_its_verdict(text):
    plain, written = await verdict(TRUE), await verdict(text)
    assert written.supported is plain.supported is True
    assert written.probability == pytest.approx(plain.probability, abs=0.02)


@over(
    ("text", "context"),
    [
        ("The mine produced nitrite.", "The mine produced nitrate until it was closed."),
        ("Clara Holtbi built the dam.", "Clara Holtby built the dam."),
        ("The town has 4,512 inhabitants.", "The town has 4,521 inhabitants."),
    ],
)
async def test_another_word_name_or_number_is_no_typing_error(text, context):
    right = await verdict(context, context)
    assert (await verdict(text, context)).probability < right.probability


async def test_marks_stand_at_the_words_as_they_were_written():
    text = "**The resrevoir** at Brunnmoor was completed in 1987 [1]."
    found = await verdict(text)
    assert not found.supported
    assert any("1987" in text[start:end] for start, end in found.spans)


@over(
    ("question", "answer"),
    [
        ("When was the Brunnmoor reservor completed?", TRUE),
        ("When was the Brunnmoor resrevoir completed?", TRUE),
        ("Hi, could you tell me when was the Brunnmoor reservoir completed?", TRUE),
        ("Answer the following question: When was the Brunnmoor reservoir completed?", TRUE),
        ("When was the Brunnmoor reservoir completed? Please be brief.", TRUE),
        ("WHEN WAS THE BRUNNMOOR RESERVOIR COMPLETED?", TRUE),
        (QUESTION, f"Sure! {TRUE}"),
        (QUESTION, f"{TRUE} Let me know if you have any other questions!"),
        (QUESTION, f"{TRUE} Would you like to know more about the dam?"),
        (QUESTION, "The resevoir at **Brunnmoor** was completed in 1911 [1]."),
    ],
)
async def test_an_answer_keeps_its_relevance(question, answer):
    assert await relevance(question, answer) == pytest.approx(
        await relevance(QUESTION, TRUE), abs=0.05
    )


@over("text", ["[1]", "**", "- [2]", "`", "#"])
async def test_what_holds_nothing_but_marks_is_judged_all_the_same(text):
    assert not (await verdict(text)).supported
    assert await relevance(QUESTION, text) < 0.5


async def test_an_answer_of_nothing_but_an_offer_is_rated_as_it_is():
    assert await relevance(QUESTION, "Would you like to know more about the dam?") < 0.5


async def test_a_word_of_thousands_of_letters_is_not_looked_up_among_its_misspellings():
    word = "capitalofthecountry" * 100  # with all its neighbours it would take 200 MB
    await relevance("What is the capital?", f"{word} is the capital.")
    tracemalloc.start()
    await relevance("What is the capital?", f"The {word} is the capital.")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
