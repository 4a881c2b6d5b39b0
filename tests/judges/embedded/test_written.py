"""Are the written rows whole, and is what they are labelled with where it should be?"""

from collections import Counter, defaultdict
from functools import cache

import pytest
from training.data import DATA
from training.verifier import examples, people
from training.verifier.written import pages, references, reports
from training.verifier.written import rows as written
from training.verifier.written.statement import records

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import UNKNOWN

ALL = written.written()


@cache
def texts():
    return tuple(written.rows())


@cache
def text_reports():
    return tuple(reports.rows())


needs_data = pytest.mark.skipif(
    not (DATA / "claims").is_dir(), reason="the shared data is not here (set ASSAY_DATA)"
)


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


@pytest.mark.slow
def test_each_row_holds_its_context_and_none_from_the_other_side():
    contexts = {one.context: one.group for one in ALL}
    for row in texts():
        groups = [contexts[context] for context in row.contexts]
        assert row.group in groups
        assert len({fold_of(group) == HELD_OUT for group in groups}) == 1


@pytest.mark.slow
def test_a_statement_has_its_label():
    own = {one.group: {each.text: each.label for each in one.statements} for one in ALL}
    seen = 0
    for row in texts():
        if row.data == "written":
            for start, end, label in people.segments(row):
                expected = own[row.group].get(row.answer[start:end])
                assert label == expected or expected is None
                seen += expected is not None
    assert seen >= sum(map(len, own.values()))


@pytest.mark.slow
def test_half_of_the_statements_are_true():
    rows = (row for row in texts() if row.data == "written")
    labels = [label for row in rows for _, _, label in people.segments(row)]
    assert 0.45 < labels.count("supported") / len(labels) < 0.55


@pytest.mark.slow
def test_they_are_the_same_each_time():
    assert tuple(written.rows()) == texts()


def test_every_source_has_two_texts_and_what_is_wrong_stands_in_them():
    for one in reports.reports():
        assert len(one.texts) == 2, one
        for statement in (said for text in one.texts for said in text):
            assert statement.label in ("supported", "refuted", "neutral"), statement
            assert statement.wrong in statement.text, one
            assert bool(statement.wrong) == (statement.label != "supported"), one
    assert len({one.group for one in reports.reports()}) == len(reports.reports())


def test_a_text_is_marked_where_it_is_wrong():
    wrong = {s.wrong for one in reports.reports() for text in one.texts for s in text}
    for row in text_reports():
        assert all(row.answer[start:end] in wrong for start, end, _ in row.spans or ())


def test_most_sentences_of_texts_are_right():
    labels = Counter(s.label for one in reports.reports() for text in one.texts for s in text)
    assert 0.6 < labels["supported"] / labels.total() < 0.7
    assert labels["refuted"] > 500
    assert labels["neutral"] > 500


@pytest.mark.slow
@needs_data
def test_every_document_that_is_written_about_is_found():
    fields = Counter(one.field for one in pages.pages())
    named = Counter(field for field, _ in records(pages.TEXTS))
    assert fields == named
    assert all(one.contexts and one.texts for one in pages.pages())


@pytest.mark.slow
@needs_data
def test_what_is_wrong_in_a_text_about_a_document_stands_in_it():
    for one in pages.pages():
        for statement in (said for text in one.texts for said in text):
            assert statement.label in ("supported", "refuted", "neutral"), statement
            assert statement.wrong in statement.text, statement
            assert bool(statement.wrong) == (statement.label != "supported"), statement


@pytest.mark.slow
@needs_data
def test_documents_are_kept_out_with_rows_they_are_from():
    groups: dict[str, set[str]] = defaultdict(set)
    for row in people.rows():
        groups[pages.digest(row.contexts)].add(row.group)
    for field, record in records(pages.TEXTS):
        if not field.startswith(("expert", "records")):  # passages together, and made-up records
            (name,) = record["of"]
            assert pages.documents()[name].group in groups[name]


@needs_data
@pytest.mark.slow
def test_claims_of_the_game_are_only_for_training():
    """FoolMeTwice and FEVER-Symmetric are benchmarks on the groups kept out."""
    claims = [row for row in pages.rows() if row.data == pages.CLAIMS]
    assert claims
    assert all(fold_of(row.group) != HELD_OUT for row in claims)


def test_every_reference_is_compared_with_two_answers_in_both_directions():
    labels = {"supported", "refuted", "neutral"}
    for _, record in records(references.TEXTS):
        assert len(record["answers"]) == 2, record["question"]
        for answer in record["answers"]:
            assert len(answer["covers"]) == len(record["reference"]), record["question"]
            assert labels.issuperset(answer["covers"]), record["question"]
            for said in answer["said"]:
                assert said["label"] in labels, said
                assert said["wrong"] in said["text"], said
                assert bool(said["wrong"]) == (said["label"] != "supported"), said


def test_what_an_answer_covers_is_known_of_sentences_and_not_of_words():
    covered = [row for row in references.rows() if row.data == references.COVERED]
    found = [one for row in covered[:5] for one in examples.windows([row])]
    assert {label for one in found for _, _, label in one.parts} == {0, 1, 2}
    assert all((one.tokens == UNKNOWN).all() for one in found)


def test_both_directions_of_a_pair_are_kept_out_together():
    groups = defaultdict(set)
    for row in references.rows():
        groups[row.group].add(row.data)
    assert all(len(names) == 4 for names in groups.values())
