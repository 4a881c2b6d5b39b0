"""Are the written rows whole, and is what they are labelled with where it should be?"""

from collections import Counter

from training.verifier import people
from training.verifier.written import rows as written

from assay.bench.groups import KEPT_OUT, fold_of

ALL = written.written()
ROWS = tuple(written.rows())


def test_every_context_has_its_statements_and_questions():
    for one in ALL:
        labels = Counter(statement.label for statement in one.statements)
        assert labels == {"supported": 5, "refuted": 3, "neutral": 2}, one
        for statement in one.statements:
            assert statement.wrong in statement.text, one
            assert bool(statement.wrong) == (statement.label != "supported"), one
        assert len(one.questions) == 2
        for question in one.questions:
            assert question.helps, one
            assert all(0 <= place < len(one.sentences) for place in question.helps), one


def test_no_two_contexts_share_a_name():
    assert len({one.group for one in ALL}) == len(ALL)


def test_each_row_holds_its_context_and_none_from_the_other_side():
    contexts = {one.context: one.group for one in ALL}
    for row in ROWS:
        groups = [contexts[context] for context in row.contexts]
        assert row.group in groups
        assert len({fold_of(group) == KEPT_OUT for group in groups}) == 1


def test_a_statement_has_its_label():
    for row in ROWS:
        if row.data == "written":
            found = {label for _, _, label in people.segments(row)}
            assert row.label in found
            assert found <= {row.label, "supported"}


def test_half_of_the_statements_are_true():
    single = [row for row in ROWS if row.data == "written"]
    supported = sum(row.label == "supported" for row in single)
    assert 0.45 < supported / len(single) < 0.55


def test_they_are_the_same_each_time():
    assert tuple(written.rows()) == ROWS
