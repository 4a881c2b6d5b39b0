"""Figures of a statement beside those that the evidence gives for the same thing."""

import assay
from assay.judges.embedded.comparison import FEATURES, compare
from assay.judges.embedded.evidence import prepare
from support.over import over


def figure(statement, *contexts):
    evidence = prepare(contexts)
    found = compare(evidence.read(statement).text, evidence).figure
    return None if found is None else found.agrees


CORDIAL = (
    "Boil 750 ml of water with 500 g of sugar. The cordial rests for 12 hours before bottling."
)
LAMPS = "The Orla lamp draws 9 watts and weighs 2.5 kg; the Tarn lamp weighs 4 kg."


@over(
    ("statement", "context", "agrees"),
    [
        ("The cordial rests for 12 hours.", CORDIAL, True),
        ("The cordial rests for half a day.", CORDIAL, True),
        ("The cordial rests for 12 minutes.", CORDIAL, False),
        ("The recipe boils half a kilogram of sugar.", CORDIAL, None),
        ("The Orla lamp weighs 2,500 grams.", LAMPS, True),
        ("The Orla lamp weighs 4 kg.", LAMPS, False),
        ("The Tarn lamp weighs 2.5 kg.", LAMPS, False),
        ("The pass is 1,870 m high.", "The pass is 6,135 feet high.", True),
        ("The pass is 1,870 feet high.", "The pass is 1,870 m high.", False),
        ("The ferry leaves Tessen at 14:45.", "The ferry leaves Tessen at 14:15.", False),
        ("The turnout was 54 percent.", "The turnout was 48 %.", False),
        ("The pump delivers 3 litres a second.", "The pump delivers 3 litres a minute.", False),
        ("The pump delivers 180 litres an hour.", "The pump delivers 3 litres a minute.", True),
        ("The oven stands at 250 °F.", "The oven stands at 250 degrees F.", True),
        ("The oven stands at 250F.", "The oven stands at 450 °F.", False),
        ("The fence is 5 ft 6 in high.", "The fence is 5 feet 6 inches high.", True),
        # the other figure stands in the statement as well
        ("The Orla and the Tarn lamp weigh 2.5 kg to 4 kg.", LAMPS, True),
        ("The Hall is 300 m long.", "The Hall opened in May. It is 330 m long.", False),
    ],
)
def test_a_figure_of_the_same_thing_agrees_or_differs(statement, context, agrees):
    assert figure(statement, context) is agrees


@over(
    ("statement", "context"),
    [
        # made of the evidence's figures
        ("The Tarn lamp weighs 1.5 kg more than the Orla lamp.", LAMPS),
        ("The run took 90 minutes.", "The run started at 9:00 and was over at 10:30."),
        ("90 km / 1.5 km a minute = 60 minutes", "The train does 1.5 km a minute for 90 minutes."),
        # decades are no seconds
        ("The band was big in the 70s.", "The band was big in the 1970s."),
        # of something else
        ("The lamp shines for 3 hours.", "The shop is open for 8 hours."),
        # denied, or under a condition
        ("The cordial does not rest for 20 hours.", CORDIAL),
        ("The cordial would rest for 20 hours.", CORDIAL),
        # bounds and counts are left alone
        ("The Orla lamp weighs less than 3 kg.", LAMPS),
        ("Twelve people came.", "Of the forty people asked twenty-eight stayed away."),
    ],
)
def test_what_is_not_clear_is_left_alone(statement, context):
    assert figure(statement, context) is None


def test_the_reason_names_both_figures():
    evidence = prepare([LAMPS])
    found = compare("The Orla lamp weighs 4 kg.", evidence)
    assert found.figure.reason == "the evidence gives '2.5 kg', not '4 kg'"
    features = dict(zip(FEATURES, found.features, strict=True))
    assert (features["figure_agrees"], features["figure_differs"]) == (0.0, 1.0)


def test_another_figure_for_the_same_thing_contradicts():
    verdict = assay.verify(["The Hall is 300 m long."], ["The Hall is 330 m long."])[0]
    assert verdict.contradicted
    assert verdict.probability <= 0.2
    assert "'330 m', not '300 m'" in verdict.reason


def test_the_most_is_not_the_least():
    evidence = prepare(["The lease lasts no longer than 60 months. The deposit is 500 euros."])
    found = compare("The lease lasts at least 60 months.", evidence)
    assert found.figure.reason == "the evidence says 'at most 60 months', not 'at least'"
    assert found.gives_another_figure
    assert compare("The lease lasts at most 60 months.", evidence).figure is None
