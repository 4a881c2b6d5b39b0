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
    ("orders above 50 euros", "orders over €50"),
    ("More than five people", "Over five people"),
    ("children below the age of 12", "children under 12"),
    ("children younger than 12 years of age", "children under 12"),
    ("a minimum of 3 nights", "at least 3 nights"),
    ("3 nights or more", "at least 3 nights"),
    ("no fewer than 3 nights", "at least 3 nights"),
    ("a maximum of 20 kg", "up to 20 kilograms"),
    ("no more than 20 kg", "20 kg or less"),
    ("fees are capped at $15", "fees are up to 15 dollars"),
    ("max. 20 kg", "maximum 20 kg"),
    ("~45 minutes", "about 45 minutes"),
    ("approximately 45 minutes", "around 45 min"),
    ("between 8 a.m. and 6 pm", "from 8 am to 6 pm"),
    ("between $5 and $6", "from 5 dollars to 6 dollars"),
    ("no later than 14 days before it", "at least 14 days before it"),
    ("Every guest has to pay", "Each guest must pay"),
    ("exclusively for members", "only for members"),
    ("the majority of the staff", "most staff"),
    ("the vast majority of those", "most of those"),
    ("Income decreased to 5", "Income fell to 5"),
    ("Income has declined by 5%", "Income has fallen by 5%"),
    ("Prices increased.", "Prices rose."),
    ("by half past seven", "by 7:30"),
    ("a quarter to one", "12:45"),
]


@over(("one", "other"), SAME)
def test_two_ways_of_writing_are_one(one, other):
    assert normalize(one).text == normalize(other).text


LIMITS = {
    "over": "above|more than|greater than|higher than|exceeding|in excess of|upwards of|older than",
    "under": "below|less than|fewer than|lower than|younger than",
    "at least": "a minimum of|minimum|min.|no less than|not fewer than",
    "up to": "a maximum of|maximum|max.|max|at most|no more than|not exceeding|no longer than|"
    "capped at|limited to|as many as|as much as",
    "about": "approximately|around|roughly|approx.|circa|~",
}
CHANGES = {
    "fell": "decreased|dropped|declined",
    "falls": "decreases|drops|declines",
    "rose": "increased|climbed",
    "rises": "increases|climbs",
}


@over(("usual", "words"), LIMITS.items())
def test_each_limit_is_read_in_its_usual_words_and_no_other_word_is_needed_to_see_it(usual, words):
    for word in words.split("|"):
        assert normalize(f"it is {word} nine").text in {f"it is {usual} nine", "it is ~ nine"}
        assert normalize(f"it is {word} 9").text == f"it is {usual} 9"


@over(("usual", "words"), CHANGES.items())
def test_what_rose_or_fell_is_read_in_one_word(usual, words):
    for word in words.split("|"):
        assert normalize(f"it {word}.").text == f"it {usual}."


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
        "more than half",
        "around the corner",
        "over 5 or more than that",
        "between Monday and Friday",
        "She is 12 years old.",
        "half to three",
        "They dropped the plan and declined the offer.",
        "They do not have to pay.",
        "every other day",
        "It is too much in case of fire.",
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
