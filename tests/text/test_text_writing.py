"""Is a fact the same whatever way it is written, and another one where it is another?"""

from assay._text import entities, numbers, words
from assay._text.markup import without_citations, without_pointers
from assay._text.statements import statements
from assay.judges.embedded.comparison import compare
from assay.judges.embedded.evidence import prepare
from support.over import over


@over(
    ("one", "other"),
    [
        ("age 59½", "age 59 1/2"),
        ("59 1/2 years", "59.5 years"),
        ("3-1/2 inches", "3.5 inches"),
        ("¾ cup", "3/4 cup"),
        ("5 mln", "5 million"),
        ("$3.1 bn", "3.1 billion"),
        ("2 bln", "2bn"),
        ("the sixth city", "the 6th city"),
        ("250F", "250 °F"),
    ],
)
def test_a_number_is_read_in_either_way(one, other):
    assert set(numbers.numbers(one)) == set(numbers.numbers(other)) != set()


@over(
    ("text", "found"),
    [
        ("a fifth of them", set()),
        ("one-fifth of them", set()),
        ("It was first.", set()),
        ("seven days, 24/7", {"7", "24"}),
        ("the season of 1895/96", {"1895", "96"}),
        ("on 9/11", {"9", "11"}),
        ("on 7/4", {"7", "4"}),
        ("on 1/2/2020", {"1", "2", "2020"}),
    ],
)
def test_a_share_or_a_date_is_no_other_number(text, found):
    assert set(numbers.numbers(text)) == found


@over(
    ("one", "other"),
    [
        ("250F", "250 °F"),
        ("5km", "5 km"),
        ("10mg", "10 mg"),
        ("April 25th", "April 25"),
        ("the 1st", "the 1"),
        ("Noël's café", "Noel cafe"),
        ("Noe\u0308l", "Noël"),
        ("d’Urville", "Urville"),
        ("l'Aquila", "Aquila"),
    ],
)
def test_a_word_has_the_same_stems_in_either_way(one, other):
    assert words.stems(one) == words.stems(other)


def test_words_that_only_look_so_are_left_alone():
    assert words.words("B2B, 3D and O'Brien don't; 안녕 für") == [
        "b2b", "3d", "and", "o'brien", "don't", "안", "녕", "fur",
    ]  # fmt: skip


@over(
    ("name", "text"),
    [
        ("World War II", "after World War 2"),
        ("World War 2", "after World War II"),
        ("John F. Kennedy", "John Fitzgerald Kennedy"),
        ("BMIs", "The BMI is high."),
        ("WiFi", "a Wi-Fi router"),
        ("United States", "in the U.S. today"),
        ("World Health Organization", "WHO says so."),
        ("Noël Coward", "by Noel Coward"),
    ],
)
def test_a_name_stands_in_a_text_in_another_way(name, text):
    assert entities.stands_in(name, entities.lookup(text), entities.acronyms(text))


@over(
    ("name", "text"),
    [
        ("World War III", "after World War II"),
        ("Henry V", "Henry VIII"),
        ("John F. Kennedy", "Robert Kennedy"),
        ("United States", "sent to us by ship"),
        ("RMDs", "The BMI is high."),
    ],
)
def test_another_name_does_not(name, text):
    assert not entities.stands_in(name, entities.lookup(text), entities.acronyms(text))


@over(
    ("text", "names"),
    [
        ("It is by C. S. Lewis.", ["C. S. Lewis"]),
        ("The critic of The A.V. Club liked it.", ["The A.V. Club"]),
        ("Some met John F. Kennedy in the U.S. in 1961.", ["John F. Kennedy", "U.S"]),
    ],
)
def test_initials_belong_to_the_name_behind_them(text, names):
    assert entities.names(text) == names


def test_units_are_no_names():
    assert entities.names("Heat it to 350 degrees Fahrenheit, or 177 Celsius.") == []


def test_a_mark_with_blanks_within_is_a_mark():
    assert without_citations("It is red ( passage 2).") == "It is red."


@over(
    "lead",
    [
        "Based on the given passages, ",
        "According to the information provided in the context, ",
        "As stated in the document, ",
        "3. Based on the passages provided, ",
    ],
)
def test_what_only_points_at_the_contexts_claims_nothing(lead):
    assert without_pointers(f"{lead}it is red.") == "it is red."


@over("text", ["According to Ann, it is red.", "Based on a novel, it is red."])
def test_what_names_a_source_of_its_own_is_part_of_the_claim(text):
    assert without_pointers(text) == text


def test_a_letter_begins_and_ends_without_a_statement():
    letter = "Dear [Manager's Name],\n\nI am ill today.\n\nBest regards,\n[Your Name]"
    assert [s.text for s in statements(letter)] == ["I am ill today."]


@over("text", ["Truly great views of the sea", "Regards the law as good"])
def test_what_only_begins_as_a_letter_ends_is_a_statement(text):
    assert [s.text for s in statements(text)] == [text]


def test_nothing_of_a_statement_is_missing_that_is_only_written_otherwise():
    evidence = prepare(
        ["After World War 2 the café of Noël Hall in the U.S. sold 2 mln cups at 90C."]
    )
    said = (
        "According to the passages, Noel Hall's cafe in the United States sold 2 million at 90 °C."
    )
    found = compare(said, evidence)
    assert (found.numbers, found.names, found.far_numbers) == ((), (), ())
