"""Is a question told from an order to do something with a text?"""

from assay._text.questions import about_a_text
from support.over import over


@over(
    "order",
    [
        "Summarize the following news within 60 words:",
        "Please write a short summary of this article.",
        "TL;DR",
        "Can you give me an overview of the document?",
        "Translate the text below.",
    ],
)
def test_work_on_a_text(order):
    assert about_a_text(order)


@over(
    "question",
    [
        "Summarize the company's earnings.",
        "Summarize the article about Bell.",
        "Give me an overview of our refund policy",
        "What is the title?",
        "Describe photosynthesis.",
        "Tell me more",
        "ibuprofen side effects",
        "",
    ],
)
def test_a_question_names_something(question):
    assert not about_a_text(question)
