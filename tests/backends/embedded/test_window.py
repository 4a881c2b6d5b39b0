"""Is every statement read once, beside the evidence nearest to it, within the model's reach?"""

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.backends.embedded.evidence import prepare
from assay.backends.embedded.reader import tokenise
from assay.backends.embedded.window import (
    ABSENT,
    FIRST,
    LAST,
    LONGEST,
    NEAR,
    PRESENT,
    QUESTION,
    UNKNOWN,
    answering,
    supporting,
)

EVIDENCE = prepare(["The tower stands in Paris. It was built in 1889.", "Bananas are yellow."])
TEXTS = st.lists(
    st.text(st.sampled_from("ab cd ef 12. X"), min_size=1, max_size=900), min_size=1, max_size=5
)


def text_of(window, part):
    return [window.ids[i] for i in range(part.first, part.last)]


@given(TEXTS)
@settings(max_examples=40, deadline=None)
def test_every_token_of_every_text_is_read_once(texts):
    for found in (supporting(texts, EVIDENCE, tokenise), answering("Why?", texts, tokenise)):
        read = {i: [] for i in range(len(texts))}
        for window in found:
            assert len(window.ids) == len(window.types) <= LONGEST
            assert (window.ids[0], window.ids[-1]) == (FIRST, LAST)
            for part in window.parts:
                read[part.text] += text_of(window, part)
        assert read == {i: tokenise(text).ids.tolist() for i, text in enumerate(texts)}


def test_statements_share_a_window_and_can_be_kept_apart():
    statements = ["The tower is in Paris.", "Bananas are blue."]
    assert len(supporting(statements, EVIDENCE, tokenise)) == 1
    assert len(supporting(statements, EVIDENCE, tokenise, together=False)) == 2


def test_a_word_is_flagged_by_whether_the_evidence_has_it():
    (window,) = supporting(["Bananas are blue, built in 1,889 or 1890."], EVIDENCE, tokenise)
    (part,) = window.parts
    said = "Bananas are blue, built in 1,889 or 1890."
    flags = {
        said[start:end].lower(): window.types[part.first + i]
        for i, (start, end) in enumerate(part.tokens.offsets)
    }
    assert flags["blue"] == ABSENT
    assert flags["built"] == NEAR  # the closest sentence is the one with the year
    assert flags["bananas"] == PRESENT
    assert flags["1890"] == ABSENT


def test_a_number_written_another_way_is_there():
    (window,) = supporting(["It cost 1,500 dollars."], prepare(["It cost 1500 dollars."]), tokenise)
    assert ABSENT not in window.types


def test_of_long_contexts_the_pieces_that_share_words_are_shown_in_order():
    filler = [f"Item {i} is stored in a room of the northern house." for i in range(200)]
    filler[150] = "The zebra was painted by Rembrandt."
    filler[20] = "The zebra lives in Utrecht."
    evidence = prepare([" ".join(filler)])
    (window,) = supporting(["The zebra of Rembrandt is in Utrecht."], evidence, tokenise)
    shown = [evidence.pieces[i].text for i in window.pieces]
    assert filler[150] in shown
    assert filler[20] in shown
    assert list(window.pieces) == sorted(window.pieces)
    assert len(window.ids) <= LONGEST


def test_a_question_is_told_from_the_texts():
    (window,) = answering("Where is it?", ["It is in Paris.", "It is old."], tokenise)
    assert [part.text for part in window.parts] == [0, 1]
    assert set(window.types[window.parts[0].first : window.parts[1].last]) == {UNKNOWN}
    assert window.types.count(QUESTION) == len(tokenise("Where is it?"))


def test_a_long_question_keeps_its_ends():
    words = " ".join(f"w{i}" for i in range(300))
    (window,) = answering(f"Start {words} end?", ["Yes."], tokenise)
    asked = [i for i, kind in zip(window.ids, window.types, strict=True) if kind == QUESTION]
    assert asked[0] == tokenise("Start").ids[0]
    assert asked[-1] == tokenise("?").ids[0]
