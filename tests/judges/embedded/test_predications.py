"""Is what is said the other way round told from what is only said in other words?"""

import json
import time
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._text.predications import predications
from assay.judges.embedded import verification
from assay.judges.embedded.comparison import FEATURES, compare
from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import measure
from support.over import over

HIRED = "Alice hired Ben in 2019."
SOLD = "Tom sold the boat to Priya for 300 euros."
PARENT = "Norvik AG is the parent company of Brell GmbH."
TEACHER = "Ann's teacher was Marie Duval."
BEAT = "In the final Tarnby United beat Osk Rovers."
WHO = "Alice, who hired Ben, left the company in 2020."
OLDER = "Alice is older than Ben."
NURSES = "Ward 5 has more nurses than Ward 3."
ORDER = "The report was published before the merger was announced."
WAY = "The Orla runs from Lake Brede to the Tessin hills."
PRICES = "Umbrella sales rose by 12 percent in the spring quarter."
FEE = "Some visitors pay the entry fee at the northern gate."
DOGS = "Dogs are not allowed in the walled garden."
LID = "Never open the lid during the wash cycle."
BALCONY = "The corner flat on the third floor has no balcony."
DRUG = "The drug may reduce the risk of stroke."
MOST = "Most members voted for the budget in May."
CALLED = "The driver Owen called an ambulance. Greta waited."
TAKEN = "Fenwick bought Sorrel Press in 2012, and the printer praised the editor and blamed Lowe."
KIN = (
    "Ada Rhys, whose daughter Mina Rhys is a judge, was succeeded by Tom Vane, a pupil of Eli Karr."
)
HIRE = "Kestrel Air leases nine jets from Orion Capital. Its pilot was coached by Ulla Berg."
RANKS = "Lane 4 is longer than Lane 7 but two metres narrower. Yara finished just behind Ines."
DEDICATED = "The poet Nora Beck dedicated the book to her teacher Otto Fine."
RATE = (
    "The anchor allocates the address, while the gateway enforces the rate that the server has set."
)
CHIPS = "Bryn Motors buys its chips from Lode Semiconductor."
CHAIR = "The head of sales, Ines Roth, reports to the chair, Tom Lau."
BOILER = "The Orrin 3 is a kettle. Its tank is larger than that of the Orrin 2 but smaller than that of the Orrin 5."
MEN = "Side effects occur more often in women than in men."
DEBT = "The firm said that net debt had been cut to 4 million. Sales of 9 million, up from 7 million, followed."
RINSE = "Rinse the tank after descaling and only then brew coffee."
CELLS = "Hartlin supplies cells to Voltan, and the files written by Brandt were read by Moss."
HEAVY = "The Orrin 3 is cheaper than the Orrin 2, although it is heavier."
TWINS = [
    ("roles", RATE, "The rate is set by the server.", ""),
    ("roles", CHIPS, "Bryn Motors gets chips from Lode Semiconductor.", "Bryn Motors supplies chips to Lode Semiconductor."),
    ("roles", CHAIR, "Tom Lau is Ines Roth's boss.", "Tom Lau reports to Ines Roth."),
    ("roles", CELLS, "Voltan gets cells from Hartlin.", "Voltan supplies cells to Hartlin."),
    ("roles", CELLS, "", "Brandt was written by the files."),
    ("direction", BOILER, "The tank of the Orrin 5 is larger than that of the Orrin 3.", "The tank of the Orrin 2 is larger than that of the Orrin 3."),
    ("direction", MEN, "Men have side effects less often than women.", "Side effects are more common in men than in women."),
    ("direction", DEBT, "", "Net debt rose to 4 million."),
    ("direction", DEBT, "", "Sales fell."),
    ("direction", RINSE, "", "The coffee is brewed before the tank is rinsed."),
    ("direction", HEAVY, "The Orrin 2 is lighter than the Orrin 3.", "The Orrin 3 is lighter than the Orrin 2."),
    ("roles", TAKEN, "Sorrel Press was bought by Fenwick.", "Sorrel Press bought Fenwick."),
    ("roles", TAKEN, "", "The printer was blamed by Lowe."),
    ("roles", KIN, "Ada Rhys is the mother of Mina Rhys.", "Mina Rhys is the mother of Ada Rhys."),
    ("roles", KIN, "Eli Karr taught Tom Vane.", "Tom Vane taught Eli Karr."),
    ("roles", KIN, "", "Ada Rhys was the successor of Tom Vane."),
    ("roles", HIRE, "", "Kestrel Air leases nine jets to Orion Capital."),
    ("roles", DEDICATED, "Otto Fine taught Nora Beck.", "Nora Beck taught Otto Fine."),
    ("direction", RANKS, "Lane 7 is wider than Lane 4.", "Lane 4 is wider than Lane 7."),
    ("direction", RANKS, "", "Yara finished before Ines."),
    ("roles", HIRED, "Ben was hired by Alice.", "Alice was hired by Ben."),
    ("roles", HIRED, "It was Alice who hired Ben.", "It was Ben who hired Alice."),
    ("roles", WHO, "Alice hired Ben.", "Ben hired Alice."),
    ("roles", SOLD, "Priya bought the boat from Tom.", "Tom bought the boat from Priya."),
    ("roles", PARENT, "Norvik AG owns Brell GmbH.", "Brell GmbH owns Norvik AG."),
    ("roles", TEACHER, "Marie Duval taught Ann.", "Ann taught Marie Duval."),
    ("roles", BEAT, "Osk Rovers lost to Tarnby United.", "Tarnby United lost to Osk Rovers."),
    ("direction", OLDER, "Ben is younger than Alice.", "Alice is younger than Ben."),
    ("direction", NURSES, "Ward 3 has fewer nurses than Ward 5.", "Ward 3 has more nurses than Ward 5."),
    (
        "direction",
        ORDER,
        "The merger was announced after the report was published.",
        "The merger was announced before the report was published.",
    ),
    ("direction", WAY, "", "The Orla runs from the Tessin hills to Lake Brede."),
    ("direction", PRICES, "", "Umbrella sales fell by 12 percent in the spring quarter."),
    ("polarity", HIRED, "", "Alice did not hire Ben."),
    ("polarity", HIRED, "", "Alice refused to hire Ben."),
    ("polarity", DOGS, "", "Dogs are allowed in the walled garden."),
    ("polarity", DOGS, "", "Are dogs allowed in the walled garden? Yes, they are."),
    ("polarity", DOGS, "Are dogs allowed in the walled garden? No.", ""),
    ("polarity", BALCONY, "", "The corner flat has a balcony."),
    ("polarity", LID, "", "You should open the lid during the wash cycle."),
    ("roles", CALLED, "", "The cyclist Greta called an ambulance."),
]  # fmt: skip
UNCLEAR = [
    (
        "He was hired by the dean in 2020; before that he had worked for a bank.",
        "He worked for a bank before the dean hired him.",
    ),
    ("There is no evidence that the bank failed.", "The bank failed."),
    (
        "The bees were fed after the harvest and before the frost.",
        "The bees were fed before the frost.",
    ),
    (
        "Plums near the wall grew more than plums near the pond.",
        "Plums near the wall ripened before plums near the pond.",
    ),
    (HIRED, "Ben praised Carla in 2019."),
    ("Alice is older than Ben was in 2010.", "In 2019 Ben was older than Alice."),
    ("Alice met Ben in Rome.", "Ben met Alice in Rome."),
    ("Alice did not hire Ben in 2019 because of the budget.", "Alice hired Ben in 2020."),
    ("Alice called Ben. Ben called Alice.", "Ben called Alice."),
    ("Not all rooms have a fan.", "Some rooms have a fan."),
    ("Nobody but Alice signed the letter.", "Alice signed the letter."),
    ("If it rains, Alice drives Ben to school.", "Alice does not drive Ben to school."),
    ("The shop is open on Monday but not on Sunday.", "The shop is not open on Sunday."),
    ("Skin moisture was measured in half of the women.", "It was not measured in all the women."),
    ("Either Alice or Ben opened the vault.", "Alice opened the vault."),
    ("Ms. Petri's husband gave a kidney to Mr. Lauer.", "Ms. Petri got a kidney from Mr. Lauer."),
]


def grammar(statement, *contexts):
    evidence = prepare(contexts)
    found = compare(evidence.read(statement).text, evidence)
    values = dict(zip(FEATURES, found.features, strict=True))
    names = ("grammar_agrees", "roles_differ", "polarity_differs", "direction_differs")
    return {name for name in names if values[name]}


@over(("kind", "context", "right", "wrong"), TWINS)
def test_what_is_turned_round_is_told_from_the_same_in_other_words(kind, context, right, wrong):
    differs = "roles_differ" if kind == "roles" else f"{kind}_differs"
    if wrong:
        assert grammar(wrong, context) == {differs}
    if right:
        assert grammar(right, context) == {"grammar_agrees"}


@over(("context", "statement"), UNCLEAR)
def test_what_is_not_clear_differs_in_nothing(context, statement):
    assert not grammar(statement, context) - {"grammar_agrees"}


def test_what_the_evidence_says_both_ways_is_left_open():
    assert not grammar("Ben called Alice.", "Alice called Ben.", "Ben called Alice.") - {
        "grammar_agrees"
    }
    assert grammar("Ben called Alice.", "Alice called Ben.") == {"roles_differ"}


def test_a_text_may_name_before_what_its_sentences_are_about():
    context = "Cape Inn is a hotel in Rell. Its rooms are not heated in winter."
    assert grammar("The rooms at the Cape Inn are heated in winter.", context) == {
        "polarity_differs"
    }


def test_a_statement_agrees_only_as_a_whole():
    context = "The ferry was built by Alice Munt."
    assert grammar("Alice Munt built the ferry.", context) == {"grammar_agrees"}
    assert not grammar("Alice Munt built the ferry, which won a prize.", context)


def test_the_reason_names_the_sentence_that_says_otherwise():
    evidence = prepare(("The mill is old. Alice hired Ben in 2019.",))
    (judged,) = measure(["Ben hired Alice in 2019."], evidence, Reader(1))
    (finding,) = judged.comparison.grammar
    assert finding.doubt == "it turns round who does what in 'Alice hired Ben in 2019'"


def test_every_measurement_has_a_coefficient():
    text = resources.files("assay.judges.embedded").joinpath("support.json").read_text("utf-8")
    assert list(json.loads(text)["coefficients"]) == list(verification.FEATURES)


# ruff: noqa: SIM905 - word lists read better as prose

# Words by which clauses are read, however they are written.
_WORDS = st.tuples(
    st.sampled_from(
        "it's we're he'd has have been is was not can't may Alice Ben hired owns reports to by of "
        'the its and who that if before more than 12 % , . ; : ( ) " - ’s'.split()
    ),
    st.sampled_from((str, str.upper, str.title, str.swapcase, lambda word: word[:2].upper())),
).map(lambda pair: pair[1](pair[0]))


@pytest.mark.slow
@given(st.lists(_WORDS, min_size=3, max_size=16).map(" ".join))
@settings(max_examples=600)
def test_clauses_are_read_however_they_are_written(sentence):
    assert all(reading.predicate for reading in predications(sentence))


def test_short_verbs_in_capitals_are_read():
    (reading,) = predications("IT'S BUILT BY ALICE.")
    assert reading.stative
    assert predications("The differences betwEen them HAs been told.") is not None


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared(statement, context):
    if prepare((context,)).pieces:
        assert len(grammar(statement, context)) <= 4


def test_long_texts_take_no_longer_than_their_length():
    words = "alice and ben hired carl before dora who was not named after emil "
    context = ". ".join([words * 4] * 200)
    start = time.process_time()
    grammar(words * 40, context)
    assert time.process_time() - start < 5
