"""Does yes or no in a record settle what a statement says of the same thing, and nothing else?"""

from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import AGREED, DENIED, support
from support.over import over

RECORD = (
    '{"name": "Blue Cafe", "stars": 3.5, "hours": {"Sunday": "closed"}, "attributes": {"WiFi": "no",'
    ' "OutdoorSeating": false, "HasTV": true, "GoodForKids": false, "PetsAllowed": true,'
    ' "Parking": {"street": true, "garage": false, "lot": false}}}'
)
LIST = "Wi-Fi: no. Parking: yes. Pets allowed: no."
TABLE = "| Plan | SSO | Seats |\n|---|---|---|\n| Basic | no | 5 |\n| Pro | yes | 50 |"
FAQ = (
    "Q: Do you ship abroad?\nA: No.\nQ: Is the app free?\nA: Yes, it is.\nQ: Is it safe?\nA: Very."
)


def of(statement, *contexts):
    (found,) = support([statement], contexts, Reader(1))
    return found


@over(
    ("context", "right", "wrong"),
    [
        (RECORD, "The cafe has no WiFi.", "The cafe has WiFi."),
        (RECORD, "It lacks outdoor seating.", "Outdoor seating is available."),
        (RECORD, "Outdoor seating is unavailable.", "It has outdoor seating."),
        (RECORD, "It has a TV.", "There is no TV."),
        (RECORD, "The cafe is not good for kids.", "The Blue Cafe is good for kids."),
        (RECORD, "There is street parking.", "There is a parking garage."),
        (RECORD, "Pets are allowed.", "Pets are not allowed."),
        (LIST, "There is no Wi-Fi.", "Wi-Fi: yes"),
        (LIST, "Parking is available.", "No parking is available."),
        (TABLE, "The Pro plan includes SSO.", "The Basic plan includes SSO."),
        (TABLE, "The Basic plan does not include SSO.", "There is no SSO in Pro."),
        (FAQ, "They do not ship abroad.", "They ship abroad."),
        (FAQ, "The app is free.", "The app is not free."),
    ],
)
def test_it_is_settled(context, right, wrong):
    good, bad = of(right, context), of(wrong, context)
    assert good.probability >= AGREED
    assert (bad.probability, bad.contradicted) == (DENIED, True)
    assert bad.reason.startswith("The record says the opposite; closest sentence: ")
    assert bad.sentence in context


STOCK = '{"name": "Trail Shirt", "inStock": false}'


def test_a_reply_is_settled_beside_its_yes_no_question():
    assert of("Is it in stock? It's in stock.", STOCK).probability == DENIED
    assert of("Is it in stock? It is not in stock.", STOCK).probability >= AGREED
    # What is missing, and what is not there, is asked for otherwise.
    assert "opposite" not in of("What does it lack? It lacks stock.", STOCK).reason
    assert "opposite" not in of("Isn't it in stock? In stock.", STOCK).reason


PERSON = '{"name": "Ann Lee", "employed": true, "married": true, "pool": true, "wifi": true}'
SHOP = (
    "Do you ship to Canada? Yes. Can I bring my dog? No problem, dogs are welcome. Is it open? Yes."
)
DOUBLE = "Is breakfast not included? No, guests pay for it. Is there no fee? No."
STOLEN = "Was the money stolen? No, his lawyer said. The court found that it was."
NOT = '{"noPets": true, "cannot_cancel": true, "not_refundable": true, "lift": false}'
WITHOUT = (
    '{"nuts": false, "stock": false, "fever": false, "pool": true, "wifi": true, "sso": false}'
)


@over(
    ("statement", "context"),
    [
        ("It has a lot of guests.", RECORD),  # not a parking lot
        ("It offers WiFi and street parking.", RECORD),  # one is there, the other is not
        ("Parents praise it as good for kids on long rainy Sunday afternoons.", RECORD),
        ("Its owner is a non-TV person.", RECORD),
        ("Does it have WiFi? Perhaps", RECORD),
        ("It is safe.", FAQ),
        ("SSO is included.", TABLE),
        ("They ship books.", FAQ),
        ("The Premium plan has no SSO.", TABLE),  # of which the table says nothing
        ("He is employed at Google.", PERSON),  # a yes says no more than that
        ("WiFi costs 5 dollars.", PERSON),
        ("The pool is under renovation.", PERSON),
        ("There is no heated pool.", PERSON),
        ("Bob Ray is married.", PERSON),
        ("They ship to Canada within 5 days.", SHOP),
        ("You can bring your dog.", SHOP),
        ("Breakfast is not included.", DOUBLE),
        ("Breakfast is included.", DOUBLE),
        ("There is no fee.", DOUBLE),
        ("The money was stolen.", STOLEN),
        ("Pets are not allowed.", NOT),
        ("You cannot cancel.", NOT),
        ("It is not refundable.", NOT),
        ("It is free of nuts.", WITHOUT),
        ("It is out of stock.", WITHOUT),
        ("Absence of fever.", WITHOUT),
        ("It does not lack a pool.", WITHOUT),
        ("There's no problem with the pool.", WITHOUT),
        ("The context does not mention a pool.", WITHOUT),
        ("It is hard to find WiFi here.", WITHOUT),
    ],
)
def test_what_says_something_else_is_read_as_before(statement, context):
    assert of(statement, context).probability not in (AGREED, DENIED)


def test_another_record_with_the_name_says_nothing():
    other = '{"name": "Red Bar", "stars": 4}'
    assert of("The Blue Cafe has WiFi.", RECORD, other).probability == DENIED
    assert of("The Red Bar has WiFi.", RECORD, other).probability != DENIED
