"""Whatever a back end says with a task's `reply`, the task reads back."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Unreadable
from assay.tasks import (
    Choice,
    Embed,
    GenerateQuestions,
    JudgeContexts,
    Passage,
    Questions,
    RateAnswer,
    Rating,
    SelectSentences,
    SplitStatements,
    Statement,
    Usefulness,
    Verdict,
    VerifyStatements,
)
from assay.tasks.embedding import cosine
from support.over import over

# Texts that a reader might stumble over are always among the examples. Dots alone are no text: they
# stand for one in the form that a prompt shows.
TEXT = st.text().filter(lambda text: text not in ("...", "…")) | st.sampled_from(
    ["<think>", "</think>", '{"statements": []}', "```json", "\\u0000", "\x00", "\u2028", "\n", '"']
)
FILLED = TEXT.filter(lambda text: text.strip() == text and text != "")
PROBABILITY = st.none() | st.floats(0, 1)


@given(st.lists(st.tuples(FILLED, TEXT), unique_by=lambda pair: pair[0]))
def test_statements(pairs):
    read = SplitStatements("", " ".join(source for _, source in pairs)).read(
        SplitStatements.reply(pairs)
    )
    assert [statement.text for statement in read] == [text for text, _ in pairs]
    assert [statement.id for statement in read] == [f"s{n}" for n in range(1, len(pairs) + 1)]


@given(st.lists(TEXT, min_size=1), st.data())
def test_a_span_is_where_the_source_stands(parts, data):
    text = "".join(parts)
    a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    (read,) = SplitStatements("", text).read(SplitStatements.reply([("claim", text[a:b])]))
    if text[a:b].strip():
        assert text[slice(*read.span)] == text[a:b].strip()
    else:
        assert read.span is None


@given(
    st.lists(
        st.tuples(st.booleans(), TEXT, TEXT, PROBABILITY, st.none() | st.booleans()), min_size=1
    ),
    st.integers(1, 5),
)
def test_verdicts(items, n_contexts):
    statements = tuple(Statement(f"s{n}", "x") for n in range(1, len(items) + 1))
    verdicts = tuple(
        Verdict(s.id, yes, reason, n % n_contexts if yes else None, quote, probability, opposite)
        for n, (s, (yes, reason, quote, probability, opposite)) in enumerate(
            zip(statements, items, strict=True)
        )
    )
    task = VerifyStatements(statements, ("c",) * n_contexts)
    assert task.read(VerifyStatements.reply(verdicts)) == verdicts


@given(st.lists(st.tuples(st.booleans(), TEXT, TEXT, PROBABILITY), min_size=1))
def test_usefulness(items):
    verdicts = tuple(Usefulness(f"c{n}", *item) for n, item in enumerate(items, start=1))
    task = JudgeContexts("?", "!", ("c",) * len(items))
    assert task.read(JudgeContexts.reply(verdicts)) == verdicts


@given(st.lists(st.tuples(TEXT, PROBABILITY)))
def test_choices(items):
    choices = tuple(Choice(f"1.{n}", *item) for n, item in enumerate(items))
    task = SelectSentences("?", tuple(Passage(choice.id, "x") for choice in choices))
    assert task.read(SelectSentences.reply(choices)) == choices


@given(st.lists(FILLED, min_size=1), st.booleans())
def test_questions(texts, noncommittal):
    said = Questions(tuple(texts), noncommittal)
    assert GenerateQuestions("!", len(texts)).read(GenerateQuestions.reply(said)) == said


@given(st.lists(FILLED), st.integers(0, 9))
def test_too_few_questions_are_unreadable_and_of_too_many_the_first_count(texts, n):
    raw = GenerateQuestions.reply(Questions((*texts, " "), noncommittal=False))
    if len(texts) >= n:
        assert GenerateQuestions("!", n).read(raw).questions == tuple(t.strip() for t in texts[:n])
    else:
        with pytest.raises(Unreadable, match=f"{len(texts)} questions instead of {n}"):
            GenerateQuestions("!", n).read(raw)


@given(st.floats(0, 1), st.booleans(), TEXT)
def test_ratings(relevance, noncommittal, reason):
    said = Rating(relevance, noncommittal, reason)
    assert RateAnswer("?", "!").read(RateAnswer.reply(said)) == said


@given(st.floats().filter(lambda x: not 0 <= x <= 1))
def test_a_rating_outside_0_to_1_is_unreadable(relevance):
    with pytest.raises(Unreadable):
        RateAnswer("?", "!").read(RateAnswer.reply(Rating(relevance, noncommittal=False)))


FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(FLOAT32, min_size=1).filter(any))
def test_vectors(vector):
    assert Embed("x").read(Embed.reply(vector)) == tuple(vector)


@over("vector", [[], [0.0, 0.0], [math.nan, 1.0], [1.0, math.inf], [-math.inf, 1.0]])
def test_a_vector_without_a_direction_is_unreadable(vector):
    with pytest.raises(Unreadable, match="empty, not finite or all zeros"):
        Embed("x").read(Embed.reply(vector))


@over("text", ["", "AAA", "AAAA", "????", "é", "AAAAAAA="])
def test_bytes_that_are_no_vector_are_unreadable(text):
    with pytest.raises(Unreadable):
        Embed("x").read('{"embedding": "%s"}' % text)  # noqa: UP031 - braces


class TestCosine:
    def test_equal_opposite_and_orthogonal(self):
        assert cosine((1.0, 2.0), (2.0, 4.0)) == pytest.approx(1)
        assert cosine((1.0, 2.0), (-1.0, -2.0)) == pytest.approx(-1)
        assert cosine((1.0, 0.0), (0.0, 3.0)) == 0

    def test_vectors_of_different_embedders_are_refused(self):
        with pytest.raises(Unreadable, match="of 1 and of 2 numbers"):
            cosine((1.0,), (1.0, 2.0))

    @given(st.lists(st.tuples(FLOAT32, FLOAT32), min_size=1))
    def test_it_is_finite_and_within_minus_1_and_1_for_any_two_vectors(self, pairs):
        a, b = map(tuple, zip(*pairs, strict=True))
        if any(a) and any(b):
            assert -1 <= cosine(a, b) <= 1
            assert cosine(a, b) == cosine(b, a)

    def test_tiny_and_huge_vectors_have_a_direction_too(self):
        (tiny,) = struct.unpack("<f", b"\x01\x00\x00\x00")
        assert cosine((tiny, 0.0), (3e38, 0.0)) == pytest.approx(1)
