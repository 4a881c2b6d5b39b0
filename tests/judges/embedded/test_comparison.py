"""What counts as said word by word: the same numbers and signs, and nothing that casts doubt."""

import time

import pytest

from assay.judges.embedded.comparison import compare
from assay.judges.embedded.evidence import prepare
from support.over import over


def verbatim(statement, context):
    return compare(statement, prepare([context])).verbatim


@over(
    ("right", "wrong"),
    [
        ("Section 12 prohibits the sale of alcohol.", "Section 14 prohibits the sale of alcohol."),
        ("Article 5 covers the mutual defence.", "Article 6 covers the mutual defence."),
        ("Step 3 tells you to close the red valve.", "Step 5 tells you to close the red valve."),
        ("The least of the night was -15 degrees.", "The least of the night was 15 degrees."),
        ("-15 degrees was the least of the night.", "15 degrees was the least of the night."),
        ("Profit changed by +5% in that quarter.", "Profit changed by -5% in that quarter."),
        ("The ticket costs $5 for adults.", "The ticket costs €5 for adults."),
        ("The dose is 5% of the volume.", "The dose is 5 of the volume."),
        ("Users must be < 18 years old.", "Users must be > 18 years old."),
        ("The engine is written in C++ only.", "The engine is written in C only."),
        ("The fee is $5.", "The fee is €5."),
    ],
)
def test_another_number_or_sign_is_not_said_word_by_word(right, wrong):
    assert verbatim(right, right)
    assert not verbatim(wrong, right)
    assert not verbatim(right, wrong)


def test_a_part_with_another_sign_at_its_edge_is_not_said():
    assert not verbatim("In all the dose of it is 5", "In all the dose of it is 5% of the volume.")
    assert verbatim("In all the dose of it is 5%", "In all the dose of it is 5 % of the volume.")


@over(
    "context",
    [
        "It is a myth that {}.",
        "It is false that {}.",
        "The claim that {} is wrong.",
        "Contrary to rumours {}, it is not to be seen.",
        "If the air is clear, {}.",
    ],
)
def test_a_part_is_not_said_where_the_rest_casts_doubt_on_it(context):
    said = "the wall is visible from space with the naked eye"
    assert not verbatim(said, context.format(said))
    assert verbatim(said, f"A guide of the city wrote that {said}.")
    doubted = context.format(said)
    assert verbatim(doubted, doubted)


@over("lead", ["", "3. ", "Step 3: ", "Based on the given passages, "])
def test_what_only_leads_in_does_not_count(lead):
    text = "Close the red valve of the tank before you leave."
    assert verbatim(f"{lead}{text} [1]", text)


def test_another_exponent_is_not_verbatim():
    assert verbatim("The mass is 5×10⁻⁶ kg.", "The mass is 5×10⁻⁶ kg.")
    assert not verbatim("The mass is 5×10⁶ kg.", "The mass is 5×10⁻⁶ kg.")


def test_a_version_may_be_told_by_its_beginning():
    evidence = prepare(["Release 5.3.2 fixed the leak."])
    assert compare("Release 5.3 fixed the leak.", evidence).numbers == ()
    assert compare("Release 5.2 fixed the leak.", evidence).numbers == ("5.2",)
    assert compare("Release 5.3.1 fixed the leak.", evidence).numbers == ("5.3.1",)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["-", "$", "< ", "\t", "1.", "U.S. "])
def test_a_long_line_of_signs_is_compared_in_time(piece):
    line = f"It{piece * (60_000 // len(piece))}was built."
    begin = time.process_time()
    compare(line, prepare([line]))
    assert time.process_time() - begin < 10


def test_of_sentences_that_are_as_close_the_one_that_says_it_is_quoted():
    contexts = [
        "A key is a hash over everything that counts, such as the prompt.",
        "The prompt says that what stands between them is material.",
    ]
    evidence = prepare(contexts)
    said = compare("The prompt declares everything between them to be material.", evidence)
    assert evidence.pieces[said.quoted].text == contexts[1]
