"""Are two ways of writing a unit, a sum or a date brought into one, and found again in the text?"""

from hypothesis import given
from hypothesis import strategies as st

from assay._text.numbers import normalize
from assay._text.quantities import quantities
from support.over import over

SAME = [
    ("30 s", "30 seconds"),
    ("v5.3.2", "5.3.2"),
    ("Mon–Thu", "Monday–Thursday"),
    ("Sat: 9 to 5", "Saturday: 9 to 5"),
    ("due in Jan.", "due in January."),
    ("chief operating officer of it", "COO of it"),
    ("12 MP", "12 megapixels"),
    ("in Q3", "in third quarter"),
    ("$4.2M", "4.2 million dollars"),
    ("$4.2M", "$4.2 million"),
    ("$1.3bn", "1.3 billion dollars"),
    ("€20", "20 euros"),
    ("12k people", "12,000 people"),
    ("1.5k people", "1,500 people"),
    ("Jan 5, 2020", "January 5, 2020"),
    ("5 Sept. 2020", "5 September 2020"),
    ("on Mon", "on Monday"),
    ("30 mins", "30 minutes"),
    ("2h", "2 hours"),
    ("5kg", "5 kilograms"),
    ("100 km/h", "100 kilometres per hour"),
    ("3 p.m.", "3pm"),
    ("12%", "12 per cent"),
    ("FY23", "fiscal year 2023"),
    ("H1 2023", "first half 2023"),
    ("the '90s", "the 1990s"),
    ("2 degrees Celsius", "2°C"),
    ("a dozen eggs", "twelve eggs"),
    ("the CEO", "the chief executive officer"),
    ("the U.S. market", "the US market"),
]


@over(("one", "other"), SAME)
def test_two_ways_of_writing_are_one(one, other):
    assert normalize(one).text == normalize(other).text


@over(
    "text",
    [
        "a 5G network",  # no grams
        "5 m",  # metres or million
        "7/4 min",  # a fraction or a date
        "version 1.5.2 MB",
        "10 min/day",
        "FOCUS on the USER",
        "Monday and Sunday",
        "May 5",
        "Sun and Sat rose",
        "I like it.",
    ],
)
def test_what_has_another_meaning_or_needs_no_change_stays(text):
    assert normalize(text).text == text
    assert not normalize(text).changes


@over(("one", "other"), SAME)
def test_what_is_written_in_the_usual_form_stays_so(one, other):
    for text in (one, other):
        said = normalize(text).text
        assert normalize(said).text == said


def test_signs_that_look_alike_are_one_in_their_places():
    text = "The high\u2011speed line, 299\u202f792\u202f458 km long, is at \u22125\u00a0°C."
    said = normalize(text)
    assert said.text == "The high-speed line, 299,792,458 km long, is at \u22125 °C."
    assert said.original((4, 14)) == (4, 14)


def test_signs_that_nobody_sees_are_left_out():
    said = normalize("More infor\u00admation\u200b here.")
    assert said.text == "More information here."
    assert said.original((5, 16)) == (5, 17)
    assert said.original((17, 21)) == (19, 23)


def test_a_sort_of_picture_is_no_number():
    assert normalize("two 4K displays").text == "two 4K displays"
    assert normalize("14K users, $4K").text == "14,000 users, $4 thousand"
    assert normalize("4K users, 5k runs").text == "4,000 users, 5,000 runs"
    assert normalize("Sat down in the 1990s").text == "Sat down in the 1990s"


@over("text", ["It is -5 °C.", "It is \u22125 °C.", "It is minus 5 °C."])
def test_a_minus_is_one_sign(text):
    said = normalize(text)
    assert said.text == "It is \u22125 °C."
    assert quantities(said.text) == ()
    assert normalize("10 minus 5, 3-5, a -b").text == "10 minus 5, 3-5, a -b"


@over("text", ["the Earth–Sun distance", "in Mar del Plata", "in Jan Mayen"])
def test_names_are_no_days_and_no_months(text):
    assert normalize(text).text == text


def test_a_place_in_it_is_a_place_in_the_original():
    text = "It cost 20 euros on Jan 5, not $4.2M."
    said = normalize(text)
    assert said.text == "It cost €20 on January 5, not $4.2 million."

    def original(part):
        start = said.text.index(part)
        return text[slice(*said.original((start, start + len(part))))]

    assert original("€20") == original("€") == original("20") == "20 euros"
    assert original("It cost") == "It cost"
    assert original("on January") == "on Jan"
    assert original("$4.2 million.") == "$4.2M."
    assert said.original((0, len(said.text))) == (0, len(text))


@given(st.lists(st.sampled_from([text for pair in SAME for text in pair] + ["so", ",", "."])))
def test_changes_are_in_order_and_the_rest_is_as_it_was(parts):
    text = " ".join(parts)
    said = normalize(text)
    done = at = 0
    for start, end, first, last in said.changes:
        assert said.text[at:start] == text[done:first]
        assert said.original((start, end)) == (first, last)
        at, done = end, last
    assert said.text[at:] == text[done:]
