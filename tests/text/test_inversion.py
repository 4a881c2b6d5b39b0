"""What a yes or no says, as a statement of its own."""

from assay._text.questions import asserted
from support.over import over

SAID = [
    ("Does the Kolo 3 switch itself off?", "The Kolo 3 switches itself off."),
    ("Did the S1 have a radio?", "The S1 had a radio."),
    ("Do fixed-term employees get a bonus?", "Fixed-term employees get a bonus."),
    ("Are bicycles allowed on the tram?", "Bicycles are allowed on the tram."),
    ("Is the function pure?", "The function is pure."),
    ("Is it OK to take it with milk?", "It is OK to take it with milk."),
    ("Is there a card slot in the Tono?", "There is a card slot in the Tono."),
    ("Has the museum been renovated?", "The museum has been renovated."),
    ("May trainees work night shifts?", "Trainees may work night shifts."),
    ("Can the tablets be crushed?", "The tablets can be crushed."),
    ("Is the judge of the first case the only judge?", "The judge of the first case is the only judge."),
]  # fmt: skip
DENIED = [
    ("Does the Kolo 3 switch itself off?", "The Kolo 3 does not switch itself off."),
    ("Can the tablets be crushed?", "The tablets cannot be crushed."),
    ("Are bicycles allowed on the tram?", "Bicycles are not allowed on the tram."),
    ("Did the S1 have a radio?", "The S1 did not have a radio."),
]
OPEN = [
    "Isn't the mixer dishwasher-safe?",
    "Is it red or blue?",
    "Does travel time count as working time?",  # "time" or "count"
    "Who built it?",
    "Do it yourself?",
    "It is closed. Is it?",
]


@over(("question", "statement"), SAID)
def test_yes_says_what_was_asked(question, statement):
    assert asserted(question, yes=True) == statement


@over(("question", "statement"), DENIED)
def test_no_denies_it(question, statement):
    assert asserted(question, yes=False) == statement


@over("question", OPEN)
@over("yes", [True, False])
def test_what_cannot_be_told_is_left_alone(question, yes):
    assert asserted(question, yes=yes) == ""
