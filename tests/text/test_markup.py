"""Text without citations and mark-up."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._text.markup import (
    citations,
    without_citations,
    without_lead,
    without_pointers,
    without_tags,
)
from assay._text.statements import statements
from assay.judges.embedded.evidence import prepare
from support.over import over

LIST = "<p>It is <b>open</b> from 9 to 5.</p><ul><li>Fee: $5</li><li>Dogs: no</li></ul>"
PIECES = ["<sup>", "</sup>", "<sub>", "</sub>", "[1]", "2", "a", ".", " ", "<b>", "</b>"]
TABLE = "<table><tr><th>Part</th><th>Size</th></tr><tr><td>RAM</td><td>16 GB</td></tr></table>"


def test_an_answer_in_html():
    found = statements(LIST)
    assert [s.text for s in found] == ["It is open from 9 to 5.", "Fee: $5", "Dogs: no"]
    assert LIST[found[1].start : found[1].end] == "Fee: $5"


def test_a_context_in_html():
    pieces = prepare([TABLE]).pieces
    assert [piece.text for piece in pieces] == ["Part: RAM; Size: 16 GB"]
    assert TABLE[pieces[0].start : pieces[0].end] == "RAM</td><td>16 GB"


def test_a_row_of_a_table_may_stand_on_several_lines():
    apart = TABLE.replace("><", ">\n<")
    assert [piece.text for piece in prepare([apart]).pieces] == ["Part: RAM; Size: 16 GB"]


def test_a_head_beside_each_row_names_no_column():
    box = "<table><tr><th>Born</th><td>1950</td></tr><tr><th>Died</th><td>1999</td></tr></table>"
    assert [piece.text for piece in prepare([box]).pieces] == ["Born; 1950", "Died; 1999"]


def test_what_is_raised_or_lowered_stands_beside_its_word():
    text = "CO<sub>2</sub> on 5 m<sup>2</sup>."
    assert [s.text for s in statements(text)] == ["CO2 on 5 m²."]


def test_what_is_raised_may_be_the_mark_of_a_source():
    text = "It burnt<sup>2</sup> in 1999.<sup>1</sup> Nobody<sup>[3]</sup>, it says, was hurt."
    found = statements(text)
    assert [s.text for s in found] == ["It burnt in 1999.", "Nobody, it says, was hurt."]
    assert text[found[0].start : found[0].end] == "It burnt<sup>2</sup> in 1999."


def test_the_tags_by_which_a_model_marks_its_answer_and_its_sources():
    text = '<answer>It costs <b>$5</b>, <cite index="1-2">not $6</cite>.</answer>'
    assert [s.text for s in statements(text)] == ["It costs $5, not $6."]


@over(
    "text",
    [
        "Use the <source> tag for media.",
        "<5G-GUTI> = <GUAMI><5G-TMSI>",
        "1 < 2 and b > a",
        "if a <b and c> d",
        "<<<CODE before it and CODE>>> after it",
        "<span",
        "The <br> tag breaks a line, `<li>` is an item.",
        "<b> makes it bold, <i> slanted.",
        "Use <p> for texts, <br> to break a line, and <li> in <ul>.",
    ],
)
def test_what_is_no_tag_stays(text):
    assert without_tags(text) == text


@given(st.text(alphabet="<>/abli p=\n") | st.lists(st.sampled_from(PIECES)).map("".join))
def test_it_stays_as_long(text):
    assert len(without_tags(text)) == len(text)


@over(
    "mark",
    [
        *("[1]", "[1, 2]", "[1 and 2]", "[1, and 2]", "[1-3]", "[^4]", "[^4^]", "[cite: 1, 2]"),
        *("(see Passage 2)", "【5†x】", "(doc 3)", "(Document 2, p. 4)", "(chunk 4, chunk 5)"),
        *(
            "(handbook.pdf, p. 12)",
            "[handbook.pdf]",
            "[handbook.pdf#page=3]",
            "[handbook.pdf, p. 1]",
        ),
        *("(Source: handbook.pdf)", "[Sources: the handbook, page 3]", "(ref: 12)"),
    ],
)
def test_a_mark_is_taken_out_with_the_blank_before_it(mark):
    assert without_citations(f"It is red {mark}.") == "It is red."


def test_marks_around_what_is_cited_are_taken_out():
    assert without_citations("It is [cite_start]red[cite_end].") == "It is red."


def test_a_raised_number_behind_a_word_is_a_mark():
    assert without_citations("At 4 years of age¹. It ends.²") == "At 4 years of age. It ends."
    kept = "5 cm², 3 feet², 10⁶ and Na⁺"
    assert without_citations(kept) == kept


@over(
    "power",
    ["(a+b)² is c²", "sin²(x)", "5 miles²", "E = mass × speed²", "speed² × mass", "50 metres²"],
)
def test_a_power_is_no_mark(power):
    assert without_citations(power) == power


@over(
    "mark",
    ["[1](https://a.example/x)", "[[2]](https://a.example)", "([Source](https://a.example))"],
)
def test_a_mark_that_is_a_link_is_taken_out_whole(mark):
    assert without_citations(f"It is red {mark}.") == "It is red."


@over(
    "text",
    [
        *("It is [red].", "See f(1, 2).", "Passage 2 says so.", "Open [settings.json] first."),
        *("Open the file (notes.md).", "Its source (Lake Ada) is cold.", "See chapter 3 (page 5)."),
    ],
)
def test_what_is_no_mark_stays(text):
    assert without_citations(text) == text


def test_a_pointer_in_the_sentence_is_taken_out_where_that_is_asked_for():
    assert without_pointers("3. As passages 1 and 2 say [1]") == "As  say"


@pytest.mark.slow
@over(
    "text",
    [
        "[1" + " " * 100_000 + "]",
        "passage 1" + " " * 100_000,
        "is [1] and [2]" * 10_000,
        "- " * 50_000,
    ],
)
def test_long_blanks_take_no_longer_than_they_are(text):
    start = time.perf_counter()
    without_pointers(text)
    citations(text)
    assert time.perf_counter() - start < 5  # a second way to read them took minutes


@over(
    "text",
    [
        "The council raised the fee in [2,5].",
        "The share lies in [0,1].",
        "Its values [0, 1] are shares.",
        "The range [1-5] is open.",
        "The list is [1, 2, 3] here.",
        "Choose [1] for yes and [2] for no.",
        "Use a[1] to read it.",
        "Room (Section 4) is closed.",
    ],
)
def test_numbers_in_brackets_that_are_said_are_no_marks(text):
    assert without_citations(text) == text


@over(
    ("text", "bare"),
    [
        ("It is so[1][2].", "It is so."),
        ("It rose [0].", "It rose."),
        ("It is red, as shown in [3].", "It is red, as shown in."),
        ("It is red, as described in [2, 5].", "It is red, as described in."),
        ("According to [1], it is red [1–3].", "According to, it is red."),
    ],
)
def test_a_mark_is_one_wherever_it_names_a_source(text, bare):
    assert without_citations(text) == bare


def test_it_is_told_what_the_marks_of_numbers_list():
    text = "In [0,1] it is red [1][2, 4–5], use [3] for b[6], still in use [7], as [^8] says."
    assert listed(text) == [["1"], ["2, 4–5"], ["7"], ["8"]]


def listed(text):
    return [numbers for _, numbers in citations(text)]


@over(
    ("text", "numbers"),
    [
        ("It is red [^2].", [["2"]]),
        ("It is red [^2^].", [["2"]]),
        ("It is red [doc2][source 3].", [["2"], ["3"]]),
        ("It is red [citation:2].", [["2"]]),
        ("[cite_start]It is red [cite: 2, 3].", [["2, 3"]]),
        ("It is red (Source 2).", [["2"]]),
        ("It is red (Source 2, Source 3).", [["2", "3"]]),
        ("It is red (see Passages 1 and 3).", [["1 and 3"]]),
        ("It is red (Document 2, p. 4).", [["2"]]),
        ("It is red [[2]](https://a.example/doc3).", [["2"]]),
        ("It is red【2】【3†source】【4†L1-L9】.", [["2"], ["3"], ["4"]]),
        ("It is red¹,³.", [["1,3"]]),
        ("It holds 5 cm² (step 3).", []),
        ("It is red【4:0†source】.", [[]]),
        ("It is red (handbook.pdf, p. 12).", [[]]),
        ("It is red (Source: the handbook).", [[]]),
        ("It is red [Source](https://a.example/doc3).", [[]]),
    ],
)
def test_what_a_mark_lists_is_told_whatever_its_form(text, numbers):
    assert listed(text) == numbers


@over("mark", ["[1]", "[^1]", "[^1^]", "[doc1]", "[citation:1]", "【1†source】", "¹"])
def test_a_mark_behind_a_full_stop_keeps_no_sentences_together(mark):
    found = statements(f"The lamp is red.{mark} The door is blue.{mark}")
    assert [s.text for s in found] == ["The lamp is red.", "The door is blue."]


@over("text", ["Section 12 forbids it.", "Article 5 is new.", "Option 2 is free."])
def test_what_has_a_number_of_its_own_in_the_world_is_no_pointer(text):
    assert without_pointers(text) == text


@over("lead", ["Step 3: ", "Passage 2: ", "3. ", "- "])
def test_what_numbers_an_item_leads_into_it(lead):
    assert without_lead(f"{lead}open step 4.") == "open step 4."


@over("text", ["-15 degrees was the least.", "$5 is the fee."])
def test_the_sign_of_a_number_that_comes_first_stays(text):
    assert without_pointers(text) == text
