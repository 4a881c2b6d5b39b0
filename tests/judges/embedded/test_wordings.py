"""A statement that is worded nearly like a sentence of its contexts."""

import pytest

from assay._text.sentences import sentences
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import support
from assay.judges.embedded.wordings import Near, compare_wordings

READER = Reader()
HOURS = "The gym is open on weekdays. The pool is closed on Sundays for cleaning."
COSTS = "Revenue increased by 12% in 2023 while operating costs decreased slightly."
DRUG = "Metformin is the first medicine for type 2 diabetes. It does not cause weight gain."
DEAL = "Northwind acquired Contoso in 2016 for $3.4 billion."
PROBES = "A failing liveness probe restarts the pod. A failing readiness probe cuts its traffic."
TEAMS = "The Danish team designed the engine and the Swedish team built the hull."
RULES = "Smoking is forbidden in all rooms. At least two signatures are required."
ROOMS = "All rooms have a desk. Some rooms have a balcony. None of the rooms has a bath."
BRIDGE = "The bridge was begun in 1931 and completed in 1934."


@pytest.mark.parametrize(
    ("context", "right", "wrong"),
    [
        (HOURS, "The pool is closed on Sundays.", "The pool is open on Sundays."),
        (COSTS, "Operating costs decreased slightly.", "Operating costs increased slightly."),
        (COSTS, "Revenue rose by 12% in 2023.", "Revenue decreased by 12% in 2023."),
        (DRUG, "Metformin does not cause weight gain.", "Metformin causes weight gain."),
        (DEAL, "Contoso was bought by Northwind.", "Northwind was bought by Contoso."),
        (TEAMS, "The engine was designed by the Danish team.", "The Swedish team designed it."),
        (TEAMS, "The Swedish team built the hull.", "The Danish team built the hull."),
        (PROBES, "A failing liveness probe restarts the pod.", "A failing readiness probe restarts the pod."),
        (RULES, "Smoking is not allowed in all rooms.", "Smoking is allowed in all rooms."),
        (RULES, "A minimum of two signatures is required.", "At most two signatures are required."),
        (ROOMS, "Some rooms have a balcony.", "No room has a balcony."),
        ("Few rooms have a bath.", "Not many rooms have a bath.", "Many rooms have a bath."),
        (ROOMS, "No room has a bath.", "Some rooms have a bath."),
        (BRIDGE, "The bridge was completed in 1934.", "The bridge was completed in 1931."),
    ],
)  # fmt: skip
def test_one_changed_thing_is_seen(context, right, wrong):
    good, bad = support([right, wrong], [context], READER)
    assert good.supported
    assert not bad.supported


@pytest.mark.parametrize(
    ("context", "statement"),
    [
        ("The coupon can be used on any product except gift cards.", "The coupon cannot be used."),
        ("Deliveries are cheap within the city and expensive abroad.", "Deliveries are cheap."),
        ("A litter has two to four pups.", "A litter has three pups."),
        ("Gold, silver and copper are noble metals.", "Gold is a noble metal."),
        ("The train goes from Basel to Milan, the bus from Milan to Basel.", "It goes to Basel."),
        ("Sinking sand is also known as quicksand.", "Quicksand is also known as sinking sand."),
        ("The app does not run on Windows 7.", "The app runs on Windows."),
        ("The fair was held in 2014. It was held again in 2015.", "The fair was held in 2015."),
        ("It is open from Tuesday to Sunday. On Thursdays it stays open.", "It is open on Sunday."),
        (
            "The museum is open from Tuesday to Sunday. On Thursdays it stays open until 9 pm.",
            "The museum is open on Wednesday.",
        ),
        (
            "Soybeans are grown widely. A number of new uses have been found for them.",
            "Soybeans have a number of uses.",
        ),
        (
            "Its code is a hash, so the text cannot hold its own code and close the fence early.",
            "The text cannot close the fence early.",
        ),
    ],
)
def test_what_may_be_so_is_not_denied(context, statement):
    texts = sentences(context)
    near = [Near(text, tuple(texts[:i])) for i, text in enumerate(texts)]
    finding = compare_wordings(statement, near)
    assert finding is None or finding.agrees
