"""Names, dates, negations and opposites."""

from hypothesis import given
from hypothesis import strategies as st

from assay._text import entities as names_in_text
from assay._text import numbers, questions, refusals, words
from assay._text.entities import compared, entities, place
from support.over import over

TEXT = (
    "The Eiffel Tower in Paris was opened on 31 March 1889 and is 330 metres tall. It cost "
    "7,800,000 francs. In May 2020, NASA met 1.5% of them."
)


def test_names_dates_and_numbers_are_found_each_once_in_order():
    assert entities(TEXT) == [
        "Eiffel Tower",
        "Paris",
        "31 March 1889",
        "330",
        "7,800,000",
        "May 2020",
        "NASA",
        "1.5%",
    ]
    assert entities(f"{TEXT} {TEXT}") == entities(TEXT)


@over("text", ["", " ", "nothing here.", "Nothing here."])
def test_ordinary_words_are_no_entities(text):
    assert entities(text) == []


@over(
    ("entity", "text", "found"),
    [
        ("Eiffel Tower", "near the EIFFEL  tower.", "EIFFEL  tower"),
        ("the Eiffel Tower", "An Eiffel Tower stands there.", "Eiffel Tower"),
        ("São Paulo", "in Sao Paulo", "Sao Paulo"),
        ("O'Brien", "to O\u2019Brien", "O\u2019Brien"),
        ("Sao Paulo", "in São Paulo", "São Paulo"),
        ("1,000", "some 1000 people", "1000"),
        ("1000", "some 1,000 people", "1,000"),
        ("3.5", "of 3.5 metres", "3.5"),
        ("St. Denis", "St-Denis, today", "St-Denis"),
        ("France", "France's king", "France's"),
        ("東京", "私は東京に住む", "東京"),
        ("Union européenne", "de l'Union européenne", "l'Union européenne"),
        ("l’Italie", "vers l'Italie", "l'Italie"),
        ("Müller", "Herr Mu\u0308ller kam", "Mu\u0308ller"),
        ("राम", "वहाँ राम रहते थे।", "राम"),
        ("The", "by The Band", "The"),
        ("WHO", "Who is the WHO's head?", "WHO's"),
        ("the US", "IN THE US NOW", "US"),
        ("IT", "what IT does", "IT"),
        ("l'ONU", "vers L'ONU", "L'ONU"),
        ("NASA", "the nasa of Nasa's", "Nasa's"),
        ("Us", "with us", "us"),
        ("NEW YORK", "in New York", "New York"),
        ("GPT4", "of gpt4", "gpt4"),
        ("A", "plan a", "a"),
    ],
)
def test_it_is_found_however_it_is_written(entity, text, found):
    assert text[slice(*place(entity, text))] == found


@over(
    ("entity", "text"),
    [
        ("Par", "Paris"),
        ("Eiffel Tower", "Tower of Eiffel"),
        ("3", "3.5"),
        ("か", "が"),
        ("रोम", "राम रहते थे"),
        ("", "x"),
        ("...", "x ... y"),
        ("US", "Tell us"),
        ("WHO", "Who did it?"),
        ("the IT", "It is it."),
        ("CARE", "They care."),
    ],
)
def test_parts_of_words_and_other_words_are_not_it(entity, text):
    assert place(entity, text) is None


@over(
    ("one", "other", "equal"),
    [
        ("Eiffel Tower", "the EIFFEL tower's", True),
        ("1,000", "1000", True),
        ("the WHO", "WHO's", True),
        ("WHO", "Who", False),
        ("Paris", "Lyon", False),
    ],
)
def test_two_are_one_if_they_are_compared_alike(one, other, equal):
    assert (compared(one) == compared(other)) is equal


@given(st.text())
def test_whatever_is_found_stands_in_the_text(text):
    for entity in entities(text):
        assert entity in text


@over(
    ("one", "other"),
    [
        ("1,000", "1000"),
        ("two", "2"),
        ("twenty-five", "25"),
        ("three hundred", "300"),
        ("$2.5 million", "2,500,000"),
        ("half a million", "500000"),
        ("1.50", "1.5"),
        ("the 1990s", "1990"),
        ("the 21st", "21"),
        ("5 PM", "17:00"),
        ("17:0", "5:00 p.m."),
        ("5:30 p. m.", "17:30:00"),
        ("10 am to 9 pm", "10:0-21:0"),
        ("10-9 pm", "10 a.m. until 9 p.m."),
        ("5-9:30pm", "17:0-21:30"),
        ("11 to 1 am", "23:00-1:00"),
        ("5.30 pm", "17:30"),
        ("noon to midnight", "12 PM-12 AM"),
        ("24:00", "0:0"),
        ("50%", "50 percent"),
        ("$12.00", "12 dollars"),
        ("4.0", "4-star"),
        ("120-metre", "120 m"),
    ],
)
def test_one_number_two_spellings(one, other):
    assert set(numbers.numbers(one)) == set(numbers.numbers(other)) != set()


def test_no_numbers_in_names_and_pronouns():
    assert numbers.numbers("B2B is the one we want, see A4.") == {}


def test_amounts_are_no_times():
    assert set(numbers.numbers("It cost $5.50 to 9 people, 3 to 4 am I told, in 10-12 parts.")) == {
        "5.5", "9", "03:00", "04:00", "10", "12",
    }  # fmt: skip
    assert set(numbers.numbers("3.10 amps")) == {"3.1"}


def test_written_form_is_kept():
    assert numbers.numbers("It has 1,000 rooms.") == {"1000": "1,000"}


def test_close_to_any():
    assert numbers.is_close_to_any("100", {"104": "104"}, 0.05)
    assert not numbers.is_close_to_any("100", {"106": "106"}, 0.05)
    assert not numbers.is_close_to_any("17:00", {"17": "17"}, 0.05)


def test_versions_and_addresses_are_whole():
    assert set(numbers.numbers("From 5.3.2 to 192.168.1.1.")) == {"5.3.2", "192.168.1.1"}
    assert not numbers.is_close_to_any("5.3", {"5.3.2": "5.3.2"}, 0.05)
    assert not numbers.is_close_to_any("5.3.2", {"5.3.9": "5.3.9"}, 0.05)


def test_a_verb_before_a_name_and_a_part_of_a_text_are_no_names():
    assert names_in_text.names("Contact HR first. Requires Python.") == ["HR", "Python"]
    assert names_in_text.names("Call of Duty sold well.") == []
    assert names_in_text.names("Under Section 12.2 and Article 5 it ends.") == []


def test_signs_above_and_below_the_line():
    assert words.words("CO₂, m², 10⁶") == ["co2", "m2", "10", "6"]


def test_names():
    text = "NASA said that Carlos Colina moved to New York. Drinking helps. The Alps are high."
    assert names_in_text.names(text) == ["NASA", "Carlos Colina", "New York", "Alps"]


def test_a_name_stands_in_by_parts_or_as_acronym():
    found = names_in_text.acronyms("the World Health Organization")
    assert names_in_text.stands_in("WHO", set(), found)
    assert names_in_text.stands_in("Colina", {"carlos", "colina"}, set())
    assert not names_in_text.stands_in("Rome", {"paris"}, set())


@over("text", ["He did not go.", "It isn't so", "Nobody came", "She can’t"])
def test_negated(text):
    assert names_in_text.is_negated(text)


@over("text", ["He went.", "not only red", "a notable knot", "no doubt"])
def test_not_negated(text):
    assert not names_in_text.is_negated(text)


@over(
    ("statement", "evidence", "pairs"),
    [
        ("Costs increase.", "Costs decrease.", [("increas", "decreas")]),
        ("Costs increase.", "Costs increase, then decrease.", []),
        ("Costs increase and decrease.", "Costs decrease.", []),
        ("The margin declined.", "Revenue rose, while the margin fell.", []),
        ("Ward 3 is older than Ward 5.", "Ward 5 is older than Ward 3.", []),
        ("Ward 3 is younger than Ward 5.", "Ward 5 is older than Ward 3.", []),
        ("Ward 5 is younger than Ward 3.", "Ward 5 is older than Ward 3.", [("younger", "older")]),
        ("The south had lower costs.", "Costs were higher in the north than in the south.", []),
        (
            "The north had lower costs.",
            "Costs were higher in the north than in the south.",
            [("lower", "higher")],
        ),
        ("She sold the mill to Ann.", "Ann bought the mill from her.", []),
        ("The tour starts after lunch.", "Lunch is served before the tour.", []),
        ("The tour starts after lunch.", "The tour starts before lunch.", [("after", "befor")]),
    ],
)
def test_opposites_need_the_evidence_to_say_only_the_other_of_the_same_sides(
    statement, evidence, pairs
):
    stated, given = (frozenset(words.stems(text)) for text in (statement, evidence))
    assert names_in_text.opposites(statement, stated, evidence, given) == pairs


def test_calendar_words():
    assert names_in_text.calendar_words("He may go in May or on Monday.") == {"may", "monday"}
    assert names_in_text.calendar_words("He may go.") == set()


@over(
    "family",
    [
        "cities city",
        "make making makes",
        "stop stopped stopping",
        "study studied studies",
        "box boxes",
    ],
)
def test_inflections_share_a_stem(family):
    assert len({words.stem(word) for word in family.split()}) == 1


def test_words_of_other_scripts_and_possessives():
    assert words.words("The dog's two-stage 1,000 日本") == [
        "the",
        "dog",
        "two",
        "stage",
        "1,000",
        "日",
        "本",
    ]


def test_overlap():
    assert words.recall(["a", "b"], ["b"]) == 0.5
    assert words.recall([], ["b"]) == 1.0
    weights = words.Weights({"a": 1.0, "b": 3.0})
    assert words.weighted_recall(["a", "b"], {"a"}, weights) == 0.25
    assert words.bigram_recall(["a", "b", "c"], {("a", "b")}) == 0.5


@over(
    ("question", "kind", "good", "bad"),
    [
        ("When did he die?", "time", "He died in 1867.", "He died of cholera."),
        ("How many moons are there?", "number", "There are 79.", "They are round."),
        ("Who wrote it?", "person", "Ann Lee wrote it.", "It is long."),
        ("Where is it?", "place", "It is in Rome.", "It is round."),
        ("Why?", "reason", "Because it rains.", "Red."),
    ],
)
def test_question_kinds(question, kind, good, bad):
    assert questions.kind_of(question) == kind
    assert questions.holds(kind, good, question)
    assert not questions.holds(kind, bad, question)


@over(
    "text",
    [
        "I don't know.",
        "I'm sorry, but I cannot answer that.",
        "The passages do not mention his age.",
        "It cannot be determined from the context.",
        "As an AI language model, I have no opinion.",
        "There is not enough information to answer.",
        "N/A",
    ],
)
def test_refusals(text):
    assert refusals.refusal(text)


@over(
    "text",
    ["He did not know his father.", "It is not known who built it.", "You can find it in Rome."],
)
def test_answers_are_no_refusals(text):
    assert refusals.refusal(text) == ""


@given(st.text(max_size=200))
def test_nothing_crashes(text):
    numbers.numbers(text)
    names_in_text.names(text)
    names_in_text.acronyms(text)
    names_in_text.calendar_words(text)
    names_in_text.is_negated(text)
    words.stems(text)
    refusals.refusal(text)
    questions.holds(questions.kind_of(text), text, text)


@over("text", ["It is a myth that", "the claim is wrong", "if it rains", "no"])
def test_what_is_reported_or_supposed_is_doubted(text):
    assert names_in_text.is_doubted(text)
    assert not names_in_text.is_doubted("The tower, said Ann, stands in Paris.")
