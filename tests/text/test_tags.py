"""Is HTML read without its tags, and every character left in its place?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.backends.embedded.evidence import prepare
from assay.text.markup import without_tags
from assay.text.statements import statements

LIST = "<p>It is <b>open</b> from 9 to 5.</p><ul><li>Fee: $5</li><li>Dogs: no</li></ul>"
PIECES = ["<sup>", "</sup>", "<sub>", "</sub>", "[1]", "2", "a", ".", " ", "<b>", "</b>"]
TABLE = "<table><tr><th>Part</th><th>Size</th></tr><tr><td>RAM</td><td>16 GB</td></tr></table>"


def test_an_answer_in_html():
    found = statements(LIST)
    assert [s.text for s in found] == ["It is open from 9 to 5.", "Fee: $5", "Dogs: no"]
    assert LIST[found[1].start : found[1].end] == "Fee: $5"


def test_a_context_in_html():
    pieces = prepare([TABLE]).pieces
    assert [piece.text for piece in pieces] == ["Part; Size", "RAM; 16 GB"]
    assert TABLE[pieces[1].start : pieces[1].end] == "RAM</td><td>16 GB"


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


@pytest.mark.parametrize(
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
