"""Entities, questions about facts, and short answers: what is read, and what spoils a reply."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Unreadable
from assay.tasks import AnswerQuestions, AskAboutFacts, NameEntities, ShortAnswer, SplitQuestion
from support.over import over

# Dots alone stand for an answer in the form that a prompt shows.
FILLED = st.text(min_size=1).filter(lambda text: text.strip() == text not in ("...", "…"))
ASKED = AnswerQuestions(("When?", "Where?"), "It was in May.")


@given(st.lists(FILLED, unique=True))
def test_entities_and_questions_are_read_back(texts):
    assert NameEntities("x").read(NameEntities.reply(texts)) == tuple(texts)
    assert AskAboutFacts("x").read(AskAboutFacts.reply(texts)) == tuple(texts)


def test_empty_ones_are_left_out_and_repeated_ones_kept():
    reply = '{"entities": ["Rome", " ", "Rome ", "Paris"]}'
    assert NameEntities("x").read(reply) == ("Rome", "Rome", "Paris")
    assert AskAboutFacts("x").read('{"questions": ["Who?", "", "Who?"]}') == ("Who?",)


@given(st.lists(FILLED, unique=True, min_size=1))
def test_parts_of_a_question_are_read_back(texts):
    assert SplitQuestion("x").read(SplitQuestion.reply(texts)) == tuple(texts)


def test_a_question_has_at_least_one_part():
    with pytest.raises(Unreadable, match="no question"):
        SplitQuestion("x").read('{"questions": [" "]}')


@given(st.lists(st.none() | FILLED.filter(lambda text: text.strip("-–—")), min_size=1))
def test_short_answers_are_read_back(said):
    answers = tuple(ShortAnswer(f"q{n}", text) for n, text in enumerate(said, start=1))
    task = AnswerQuestions(("?",) * len(said), "Such as null, none and n/a.")
    assert task.read(AnswerQuestions.reply(answers)) == answers


@over("nothing", [None, "", "  "])
def test_no_answer_is_a_value_of_its_own(nothing):
    raw = json.dumps({"answers": [{"id": "q1", "answer": nothing}]})
    assert ASKED.read_some(raw) == {"q1": ShortAnswer("q1", None)}


@over(
    ("said", "answer"),
    [
        ("null", None),
        ("None.", None),
        ("N/A", None),
        ("-", None),
        ("—", None),
        ("nil", "nil"),
        ("None of them", "None of them"),
        ("-5", "-5"),
    ],
)
def test_a_word_for_null_is_no_answer(said, answer):
    raw = json.dumps({"answers": [{"id": "q1", "answer": said}]})
    assert ASKED.read_some(raw) == {"q1": ShortAnswer("q1", answer)}


@over("said", ["null", "None"])
def test_a_word_for_null_that_the_text_has_is_an_answer(said):
    task = AnswerQuestions(("What does it return?",), "It returns null; of the flags it sets none.")
    raw = json.dumps({"answers": [{"id": "q1", "answer": said}]})
    assert task.read(raw) == (ShortAnswer("q1", said),)


def test_a_question_that_is_passed_over_is_missing_and_not_unanswered():
    assert list(ASKED.read_some('{"answers": [{"id": "q2", "answer": "Rome"}]}')) == ["q2"]
    narrow = ASKED.narrow(["q1"])
    assert narrow.ids == ("q1",)
    assert [m.text for m in narrow.input_texts()] == [
        "It was in May.",
        '{"id": "q1", "text": "When?"}',
    ]


@over(
    "raw",
    [
        '{"answers": [{"id": "q1"}]}',
        '{"answers": [{"id": "q1", "answer": 3}]}',
        '{"answers": [{"id": "q3", "answer": "x"}]}',
        '{"answers": [{"id": "q1", "answer": "x"}, {"id": "q1", "answer": null}]}',
    ],
)
def test_what_is_no_answer_to_these_questions_is_unreadable(raw):
    with pytest.raises(Unreadable):
        ASKED.read_some(raw)
