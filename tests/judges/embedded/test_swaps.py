"""Is what the contexts say of one thing not taken for what they say of another?"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.swaps import find_swap
from assay.judges.embedded.verification import DENIED, support
from assay.judges.embedded.wordings import Near, compare_wordings
from support.over import over

PEOPLE = "Alice lives in Paris. Bob lives in Rome."
AGES = "Alice is 30 years old. Bob is 40 years old."
ORDERS = "Order 1001 was shipped on May 3; order 1002 was shipped on May 5."
PLANS = "The Basic plan includes email support, while the Pro plan includes phone support."
PRICES = "Adults pay 12 euros and children pay 6 euros."
REVENUE = "Revenue was $5m in 2020 and $7m in 2021."
METALS = "Gold melts at 1064 °C, silver at 962 °C."
TEAMS = "Team A won 3 games; Team B won 5 games."
MONTHS = "Line 4 was closed in May and line 5 was closed in June."
CARS = "The red car belongs to Tom, the blue car to Ann."
PLANS_OF_THREE = (
    "Plan A costs 10 euros a month and includes 5 users. Plan B costs 25 euros a month and "
    "includes 20 users. Plan C costs 60 euros a month and has no limit on users."
)
VERSIONS = (
    "Version 2.1 fixed a memory leak in the parser. Version 2.2, released in May 2024, made the "
    "cache optional."
)
RIVERS = (
    "The Rhone rises in Switzerland and flows into the Mediterranean, while the Loire flows into "
    "the Atlantic."
)
DRUGS = (
    "Aspirin is taken for pain. It should not be given to children under 16. Ibuprofen may be "
    "given to children over 3 months."
)
OVEN = "Bake the cake for 30 minutes. Let it cool. Bake the muffins for 15 minutes only."
OFFICES = "The Porto office, which has 60 employees, is run by Kim Berg. The Ghent office is small."
BUTTONS = "The red button stops the machine and the green button starts it."
SECTIONS = "Section 4 covers liability. Section 5 covers termination and is shorter than section 4."
WARRANTY = "The warranty runs two years for private buyers and twelve months for companies."
OFFICERS = "Anna Berg joined as CFO in 2015 and Tom Reed as CTO in 2018."
TRIAL = "In the trial, 34 % of the treated group and 12 % of the placebo group improved."
PLANTS = "The north plant employs 400 people and the south plant 250."
WINGS = "The east wing houses the coins, the west wing the textiles."
FINES = "Late returns cost 20 cents a day for books and one euro for films."
CASES = [
    (WARRANTY, "Private buyers have two years.", "Companies have a warranty of two years."),
    (OFFICERS, "Tom Reed joined as CTO.", "Tom Reed joined as CFO."),
    (TRIAL, "12 % of the placebo group improved.", "34 % of the placebo group improved."),
    (PLANTS, "The south plant employs 250 people.", "The north plant employs 250 people."),
    (WINGS, "The west wing houses the textiles.", "The east wing houses the textiles."),
    (FINES, "Late returns cost one euro for films.", "Late returns cost one euro for books."),
    (PEOPLE, "Bob lives in Rome.", "Alice lives in Rome."),
    (AGES, "Alice is 30 and Bob is 40.", "Alice is 40 and Bob is 30."),
    (ORDERS, "Order 1002 was shipped on May 5.", "Order 1001 was shipped on May 5."),
    (PLANS, "The Pro plan includes phone support.", "The Basic plan includes phone support."),
    (PRICES, "Children pay 6 euros.", "Children pay 12 euros."),
    (REVENUE, "Revenue was $7m in 2021.", "Revenue was $7m in 2020."),
    (METALS, "Silver melts at 962 °C.", "Silver melts at 1064 °C."),
    (TEAMS, "Team A won 3 games.", "Team A won 5 games."),
    (MONTHS, "Line 4 was closed in May.", "Line 4 was closed in June."),
    (CARS, "The blue car belongs to Ann.", "The blue car belongs to Tom."),
    (PLANS_OF_THREE, "Plan B includes 20 users.", "Plan A includes 20 users."),
    (PLANS_OF_THREE, "Plan C has no limit on users.", "Plan B has no limit on users."),
    (VERSIONS, "Version 2.2 made the cache optional.", "Version 2.1 made the cache optional."),
    (RIVERS, "The Loire flows into the Atlantic.", "The Loire flows into the Mediterranean."),
    (
        DRUGS,
        "Aspirin should not be given to children under 16.",
        "Ibuprofen should not be given to children under 16.",
    ),
    (OVEN, "The cake is baked for 30 minutes.", "The cake is baked for 15 minutes."),
    (OFFICES, "The Porto office has 60 employees.", "The Ghent office has 60 employees."),
    (BUTTONS, "The red button stops the machine.", "The green button stops the machine."),
    (SECTIONS, "Section 5 covers termination.", "Section 4 covers termination."),
]


def mixed(statement, *contexts):
    evidence = prepare(contexts)
    return find_swap(
        evidence.read(statement).text, evidence.parts, evidence.alike, evidence.siblings
    )


def of(statement, context):
    (found,) = support([statement], [context], Reader(1))
    return found


@over(("context", "right", "wrong"), CASES)
def test_what_is_said_of_one_thing_is_not_said_of_another(context, right, wrong):
    found = of(wrong, context)
    assert found.probability <= DENIED
    assert (found.supported, found.contradicted) == (False, True)
    assert "mixes up" in found.reason
    assert of(right, context).supported


@over(
    ("context", "wrong"),
    [
        ("Jane Doe sold Acme to Globex.", "Globex sold Acme to Jane Doe."),
        ("O'Brien won the race ahead of Smith.", "Smith won the race ahead of O'Brien."),
        ("Team A beat Team B in May.", "Team B beat Team A in May."),
        ("Mount Ida is higher than Mount Ossa.", "Mount Ossa is higher than Mount Ida."),
        ("Acme acquired Beta Corp in 2019 for $2 billion.", "Beta Corp acquired Acme in 2019."),
        ("In May the Reds hosted the Blues at home.", "The Blues hosted the Reds in May."),
    ],
)
def test_who_does_it_to_whom_is_not_turned_round(context, wrong):
    found = of(wrong, context)
    assert (found.supported, found.contradicted) == (False, True)
    assert found.probability <= DENIED
    assert of(context, context).supported


@over(
    ("context", "statement"),
    [
        ("Alice married Bob in 1990.", "Bob married Alice in 1990."),
        ("Alice and Bob founded Acme.", "Bob and Alice founded Acme."),
        ("The CEO is Jane Doe.", "Jane Doe is the CEO."),
        ("Ann beat Bob, and Bob beat Ann.", "Bob beat Ann."),
        ("Draw a line under the circle.", "Draw the circle under a line."),
        ("Alice met Bob in Rome. Rex saw Ada and Ada saw Rex.", "Ada saw Rex."),
        ("Alice married Bob in 1990 in Rome.", "Bob married Alice in 1990."),
    ],
)
def test_what_is_so_either_way_is_not_turned_round(context, statement):
    assert mixed(statement, context) is None
    finding = compare_wordings(statement, [Near(context)])
    assert finding is None or finding.agrees


@over(
    ("context", "right"),
    [
        (WARRANTY, "Private buyers have two years and companies twelve months of warranty."),
        (OFFICERS, "Tom Reed came three years after Anna Berg."),
        (PLANTS, "Both plants together employ 650 people."),
        ("Seals fled from the boat on most days and from the drone on none.",
         "Seals did not flee from the drone on any of the days."),
        ("Oak is harder than pine and pine than balsa.", "Pine is harder than balsa."),
        ("Anna sold the bakery and the dairy.", "Anna sold the dairy."),
        ("He was born in Rome in 1950 and died in Paris.", "He died in Paris."),
    ],
)  # fmt: skip
def test_what_a_part_leaves_out_is_not_filled_with_what_is_not_meant(context, right):
    assert mixed(right, context) is None


def test_what_seems_mixed_up_in_other_words_is_left_uncertain():
    context = "The course lasts six weeks for members and nine weeks for guests."
    found = of("Guests are taught for six weeks altogether.", context)
    assert (found.supported, found.probability) == (False, pytest.approx(0.4))
    assert "mixes up" in found.reason
    assert mixed("Guests are taught for nine weeks altogether.", context) is None


def test_the_reason_quotes_both():
    assert (
        "It mixes up 'Alice lives in Paris.' and 'Bob lives in Rome.'"
        in of("Alice lives in Rome.", PEOPLE).reason
    )


def test_an_answer_beside_its_question():
    found = of("What is the capital of Germany? Paris.", "Paris is the capital of France. "
               "Berlin is the capital of Germany.")  # fmt: skip
    assert not found.supported


@over(
    ("statement", "contexts"),
    [
        ("Alice lives in Rome.", [PEOPLE, "Alice lives in Rome with Bob since 2020."]),
        ("Alice lives in Rome.", [PEOPLE, "In Rome, where she was born, Alice lives again."]),
        ("Alice lives in Rome.", ["Alice lives in Paris.", "Bob lives in Rome."]),  # two contexts
        ("Alice and Bob live in Paris and Rome, respectively.", [PEOPLE]),
        ("Alice and Bob live in Paris and Rome.", [PEOPLE]),
        ("Alice works in Rome.", [PEOPLE]),  # not said of anybody
        ("Order 1001 was shipped twice.", [ORDERS]),
        (
            "Draw a line below the circle.",
            ["Draw a circle and make a line below it. Draw a nose above the line."],
        ),
        ("The tower was built in 1889.", ["The tower was built by Eiffel. It opened in 1889."]),
        (
            "Notices under section 5 must be in writing.",
            ["Notices under section 4 must be in writing; the same applies to section 5."],
        ),
        ("Plan B has a trial.", ["Plan A has a trial, and so does Plan B. Plan B costs more."]),
        ("Plan A can be cancelled.", [PLANS_OF_THREE + " All plans can be cancelled."]),
        ("The X3 has a pen.", ["Model X2 weighs 900 g. Model X3 is like the X2, with a pen."]),
        ("The Ghent office is run by Kim Berg's brother.", [OFFICES + " Her brother runs it."]),
        (
            "There is a vaccine against hepatitis B.",
            ["There is a vaccine against hepatitis A and one against hepatitis B."],
        ),
        ("The Seine flows through Paris.", [RIVERS + " Paris lies on the Seine."]),
    ],
)
def test_what_the_contexts_may_well_say_is_no_mix_up(statement, contexts):
    assert mixed(statement, *contexts) is None


@given(st.lists(st.sampled_from([*PEOPLE.split(), "and", ",", ";", "5"]), max_size=30))
def test_no_text_is_a_mix_up_of_itself(words):
    text = " ".join(words)
    assert mixed(text, text) is None


@pytest.mark.slow
def test_a_context_that_says_the_same_again_and_again_takes_no_long_time():
    start = time.perf_counter()
    assert mixed("Ann has 4 cats.", "Ann has 3 cats and Bob has 4 cats. " * 2000)
    assert time.perf_counter() - start < 5
