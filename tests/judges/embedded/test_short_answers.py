"""Does a short answer stand in the contexts beside what its question asks about?"""

import assay
from support.over import over

ROME = (
    "Rome was founded in 753 BC by Romulus. The city grew quickly on seven hills. "
    "It became a republic in 509 BC."
)
PARIS = (
    "The Eiffel Tower in Paris was completed in 1889 for the World's Fair. "
    "It was designed by the company of Gustave Eiffel."
)


@over(
    ("question", "right", "wrong"),
    [
        ("When was Rome founded?", "753 BC", "1889"),
        ("When was Rome founded?", "753 BC", "509 BC"),
        ("When did Rome become a republic?", "509 BC", "1889"),
        ("Who designed the Eiffel Tower?", "Gustave Eiffel", "Romulus"),
        ("Where is the Eiffel Tower?", "Paris", "Rome"),
    ],
)
def test_one_that_stands_elsewhere_does_not_answer_the_question(question, right, wrong):
    supported, other = (
        assay.verify([f"{question} {answer}"], [ROME, PARIS])[0] for answer in (right, wrong)
    )
    assert supported.supported
    assert not other.supported
    assert f"'{wrong}' stands there, but not beside what the question asks about" in other.reason
    assert not other.contradicted
    assert [f"{question} {wrong}"[slice(*span)] for span in other.spans] == [wrong]


def test_a_question_of_other_words_than_the_contexts_tells_nothing():
    (verdict,) = assay.verify(["Quelle ville? Paris"], [ROME, PARIS])
    assert "stands there" not in verdict.reason


def test_a_list_of_answers_is_no_document():
    evidence = ["Which cities? Rome", "Which cities? Paris", "Which cities? Oslo"]
    (verdict,) = assay.verify(["Which cities? Paris"], evidence)
    assert verdict.supported
