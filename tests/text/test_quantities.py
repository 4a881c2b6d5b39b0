"""Are amounts, times and dates that are the same known as such, and only these?"""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay._text.numbers import normalize
from assay._text.quantities import quantities, spellings_of, written_like
from support.over import over

SAME = [
    ("1500 ms", "1.5 s"),
    ("180 basis points", "1.8 percentage points"),
    ("1,287 MWh", "1.287 GWh"),
    ("610 Pa", "6.1 hPa"),
    ("2.5 Gbps", "2500 Mbps"),
    ("at 15:00", "at 3 pm"),
    ("at noon", "at 12:00"),
    ("at 8:30 p.m.", "at 20:30"),
    ("one and a half hours", "90 minutes"),
    ("an hour and a half", "1.5 hours"),
    ("half an hour", "30 min"),
    ("three quarters of an hour", "45 minutes"),
    ("two weeks", "14 days"),
    ("a decade", "ten years"),
    ("18 months", "a year and a half"),
    ("2020-05-13", "May 13, 2020"),
    ("5/13/2020", "13 May 2020"),
    ("31.12.2024", "the 31st of December 2024"),
    ("twice", "two times"),
    ("half of the votes", "50% of the votes"),
    ("three-quarters of them", "75 percent of them"),
    ("3 out of 4 people", "75% of people"),
    ("one in five", "20%"),
    ("fell by a fifth", "fell by 20%"),
    ("two thirds", "66.7%"),
    ("half a million", "500,000"),
    ("two dozen", "24"),
    ("twenty-four", "24"),
    ("2,500", "2.5 thousand"),
    ("1.2 km", "1,200 metres"),
    ("2 kg", "2,000 g"),
    ("6 feet", "2 yards"),
    ("half a litre", "500 ml"),
    ("EUR 120", "120 euros"),
    ("50 cents", "$0.50"),
    ("$0.5 million", "$500,000"),
    ("1.5 GHz", "1,500 MHz"),
]
OTHER = [
    ("at 15:00", "at 3 am"),
    ("at nine", "9 am"),
    ("90 minutes", "1.6 hours"),
    ("5 km", "5 miles"),
    ("5 km", "3.1 miles"),  # only what is exactly as much
    ("$5", "5%"),
    ("5 days", "5"),
    ("May 13, 2020", "May 12, 2020"),
    ("13.5.2020", "2020-13-05"),  # there is no month 13
    ("a third of it", "30%"),
    ("third quarter", "75%"),
    ("a quarter", "25%"),  # three months, or a coin
    ("2 kg", "2 pounds"),
    ("five", "a fifth of it"),
    ("one of them", "1 hour"),
    ("5 MB", "5 m"),
]
EITHER = [
    ("300 m", "300 metres"),
    ("300 m", "300 million"),
    ("5/1/2020", "May 1, 2020"),
    ("5/1/2020", "January 5, 2020"),
]


def keys(text):
    return {key for quantity in quantities(normalize(text).text) for key in quantity.keys}


@over(("one", "other"), SAME + EITHER)
def test_what_is_the_same_is_known_as_such(one, other):
    assert keys(one) & keys(other)


@over(("one", "other"), OTHER)
def test_what_is_another_thing_is_not(one, other):
    assert not keys(one) & keys(other)


@over("text", ["I like it.", "One of us.", "version 1.5.2", "10:99", "A tenant left."])
def test_what_states_no_quantity_has_none(text):
    assert quantities(text) == ()


def test_a_text_says_it_as_the_other_one_does_and_its_places_stay_known():
    said = normalize("It lasts 90 mins and costs €20, not $4.2M.")
    read = written_like(
        said, spellings_of(["The film lasts one and a half hours.", "It costs €20."])
    )
    assert read.text == "It lasts one and a half hours and costs €20, not $4.2 million."

    def original(part):
        start, end = read.original((read.text.index(part), read.text.index(part) + len(part)))
        return "It lasts 90 mins and costs €20, not $4.2M."[start:end]

    assert original("one and a half hours") == original("half") == "90 mins"
    assert original("costs") == "costs"
    assert original("$4.2 million") == "$4.2M"


def test_what_the_other_text_says_in_these_words_too_stays():
    said = normalize("50% of them left.")
    assert written_like(said, spellings_of(["Half of the men left.", "50% of them did."])) is said
    assert written_like(said, spellings_of(["A third left."])) is said


def test_a_first_word_keeps_its_capital():
    read = written_like(
        normalize("75% of them left."), spellings_of(["It was three quarters of them."])
    )
    assert read.text == "Three quarters of them left."


@given(st.text(alphabet="0123456789.,:/-% ahlfdpmkourntiwyeMBK$€", max_size=40))
def test_any_text_can_be_read(text):
    found = quantities(text)
    places = [quantity.span for quantity in found]
    assert places == sorted(places)
    assert all(text[slice(*q.span)] == q.text and q.keys for q in found)
    assert all(before[1] <= after[0] for before, after in pairwise(places))
