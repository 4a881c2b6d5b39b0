"""Is every claim of a compound sentence a statement of its own, and nothing else torn apart?"""

import time

import pytest

from assay._text.statements import statements
from support.over import over


def of(answer):
    return [statement.text.rstrip(".") for statement in statements(answer)]


@over(
    ("sentence", "claims"),
    [
        # A comma list of predicates.
        ("The mill costs 5 euros, is run by Orla Finn and has two wheels.",
         ["The mill costs 5 euros", "The mill is run by Orla Finn", "The mill has two wheels"]),
        ("The tower is 330 m tall, it opened in 1889 and was designed by Ann Roe.",
         ["The tower is 330 m tall", "The tower opened in 1889",
          "The tower was designed by Ann Roe"]),
        ("The board must publish the plan and hold a vote in May.",
         ["The board must publish the plan", "The board must hold a vote in May"]),
        ("The firm is closing two mills and dismissing 90 workers.",
         ["The firm is closing two mills", "The firm is dismissing 90 workers"]),
        ("In winter, the museum opens at ten and closes at four.",
         ["In winter, the museum opens at ten", "In winter, the museum closes at four"]),
        # Relative clauses.
        ("The canal, which is 40 km long, links Holm and Moss.",
         ["The canal is 40 km long", "The canal links Holm and Moss"]),
        ("Ida Moe, who cooks and keeps the books, retired in 1990.",
         ["Ida Moe cooks", "Ida Moe keeps the books", "Ida Moe retired in 1990"]),
        ("Gulls breed on the north wall, which is closed in May, and terns use the pier.",
         ["Gulls breed on the north wall", "The north wall is closed in May", "Terns use the pier"]),
        ("The bill, which the senate has passed, lowers the tax.",
         ["The senate has passed the bill", "The bill lowers the tax"]),
        ("The lamp, whose battery lasts 30 hours, is made of oak.",
         ["The lamp's battery lasts 30 hours", "The lamp is made of oak"]),
        # Participles.
        ("Sold in 1801, the clock came to Holm in 1933.",
         ["The clock was sold in 1801", "The clock came to Holm in 1933"]),
        ("Weighing 168 g, the phone is light.", ["The phone weighs 168 g", "The phone is light"]),
        ("The lock, opened in 1927, has two gates.",
         ["The lock was opened in 1927", "The lock has two gates"]),
        ("Finn and Roe rebuilt the bridge in 2021, finishing it a month early.",
         ["Finn and Roe rebuilt the bridge in 2021", "Finn and Roe finished it a month early"]),
        # Appositions.
        ("Lund, the keeper, saved a penalty.", ["Lund was the keeper", "Lund saved a penalty"]),
        ("The walks, free for children, take place in May.",
         ["The walks are free for children", "The walks take place in May"]),
        # Clauses.
        ("Ear trouble is common, hip trouble is rare, and the breed copes well.",
         ["Ear trouble is common", "Hip trouble is rare", "The breed copes well"]),
        ("Although planned for three years, the probe has fuel for seven.",
         ["The probe was planned for three years", "The probe has fuel for seven"]),
        ("The show starts at nine, and if it rains, the hall is opened.",
         ["The show starts at nine", "If it rains, the hall is opened"]),
        # Orders.
        ("Close the zips, turn the coat inside out and wash it at 30 °C.",
         ["Close the zips", "Turn the coat inside out", "Wash it at 30 °C"]),
        ("Do not open the cell and do not crush it.",
         ["Do not open the cell", "Do not crush it"]),
    ],
)  # fmt: skip
def test_a_compound_sentence_makes_its_claims(sentence, claims):
    assert of(sentence) == claims


@over(
    "sentence",
    [
        "The report compares Oslo and Bergen.",
        "The clock belonged to the museum between 2010 and 2015.",
        "Ann and Bob designed the lock together.",
        "If the valve is open, then the lamp is green and the pump runs.",
        "The fee is waived and the bag is free if you book early.",
        "The stew is a salt and pepper chicken with rice.",
        "The kit includes a guide and plans for a shed.",
        "Fish live in lakes and streams by the sea.",
        "Remember to eat well, sleep well and avoid salt.",
        "Melt butter and oil in a pan.",
        "He said the tower was closed and left.",
        "The mill is old and was sold in May, the mayor said.",
        "The plan, she said, was dropped.",
        'The sign says "it is open and it was built in 1990".',
        "The court found that Ann is liable, and Bob was fined.",
        "Oslo, the capital, and Bergen are cities.",
        "Ann, who sings, and Bob, who dances, met in Rome.",
        "Heated to 100 °C, water boils.",
        "He was late, which annoyed the crew.",
        "The average for women is 28.7, and for men aged 80 and older is 26.7.",
        "The hall was designed and built by Orla Finn.",
        "The man who moved to Rome and opened a bar was my uncle.",
        "Knowing what makes people buy goods and services is crucial.",
        "He likes it because it is red and has wheels.",
        "Both helmets and seats are free.",
    ],
)
def test_what_belongs_together_stays_together(sentence):
    assert of(sentence) == [sentence.rstrip(".")]


def test_the_condition_before_a_sentence_holds_for_each_of_its_predicates():
    assert of("In summer, the hut serves soup and is open all night.") == [
        "In summer, the hut serves soup",
        "In summer, the hut is open all night",
    ]


def test_each_statement_points_to_its_part_of_the_answer():
    answer = "Good. **The lock**, opened in 1927 [1], is deep [2] and has two gates [3]."
    parts = [answer[s.start : s.end] for s in statements(answer)]
    assert parts[-3:] == [
        "**The lock**, opened in 1927 [1]",
        "is deep [2]",
        "has two gates [3].",
    ]


def test_an_item_that_makes_several_claims_gets_no_lead_in():
    answer = "How to clean it:\n- Open the lid and rinse the tank."
    assert of(answer) == ["Open the lid", "Rinse the tank"]


@pytest.mark.slow
@over("piece", ["which is a, ", "and has a b ", "x, the y, was z; ", "in 1990, "])
def test_a_long_sentence_is_read_in_time(piece):
    begin = time.process_time()
    statements(f"The dog, {piece * (20_000 // len(piece))}.")
    assert time.process_time() - begin < 5
