"""Are sentences, contexts and answers that bear on the question told from those that do not?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import Unavailable
from assay.judges.embedded.embedding import Encoder
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.relevance import (
    answer_relevance,
    context_usefulness,
    sentence_relevance,
)
from support.over import over

MODELS = Encoder(threads=2), Reader(threads=2)
QUESTION = "When was the Eiffel Tower built?"
GOOD = "The Eiffel Tower was built in 1889 for a world's fair."
OTHER = "Bananas are rich in potassium and yellow when ripe."


def test_sentences():
    good, other = sentence_relevance(QUESTION, [[GOOD, OTHER]], *MODELS)
    assert good.relevant
    assert not other.relevant
    assert "holds a time" in good.reason
    assert sentence_relevance(QUESTION, [], *MODELS) == []


def test_contexts_for_every_kind_of_target():
    for target in ("1889", "The Eiffel Tower was built in 1889."):
        good, other, empty = context_usefulness(QUESTION, target, [GOOD, OTHER, ""], *MODELS)
        assert (good.useful, other.useful, empty.useful) == (True, False, False)
        assert (good.sentence, empty.sentence) == (GOOD, "")


def test_a_context_on_the_topic_without_the_target_is_not_useful():
    topic = "The Eiffel Tower is painted every seven years by a team of painters."
    (found,) = context_usefulness(QUESTION, "1889", [topic], *MODELS)
    assert not found.useful
    assert "'1889' does not appear" in found.reason


def test_answers():
    good = answer_relevance(QUESTION, "The Eiffel Tower was built in 1889.", *MODELS)
    off = answer_relevance(QUESTION, OTHER, *MODELS)
    refused = answer_relevance(QUESTION, "I'm sorry, I don't know when it was built.", *MODELS)
    assert good.score > 0.6
    assert off.score < 0.4
    assert not good.noncommittal
    assert not off.noncommittal
    assert refused.noncommittal
    assert "declines" in refused.reason


@over(
    ("question", "answer"),
    [
        ("Why is the sky blue?", "Air molecules scatter sunlight of short wavelengths most."),
        ("How does photosynthesis work?", "Plants turn water and carbon dioxide into sugar."),
        ("How can I reset my password?", "Open the login page and follow the link in the e-mail."),
    ],
)
def test_an_answer_in_words_of_its_own_stands_above_one_to_another_question(question, answer):
    own = answer_relevance(question, answer, *MODELS).score
    assert own > answer_relevance(question, OTHER, *MODELS).score + 0.15


@pytest.mark.parametrize("asked", ["Summarize the following news.", "Translate the text below."])
def test_what_bears_on_work_on_a_text_cannot_be_told(asked):
    with pytest.raises(Unavailable, match="asks for work on a text") as raised:
        answer_relevance(asked, GOOD, *MODELS)
    assert raised.value.permanent
    with pytest.raises(Unavailable, match="name an LLM"):
        sentence_relevance(asked, [GOOD], *MODELS)


def test_a_sentence_beside_the_question_is_quoted_as_it_is_written(tmp_path):
    aside = "Bananas weigh 250 t when expended and are yellow when ripe."
    row = {"question": QUESTION, "answer": f"The Eiffel Tower was built in 1889. {aside}"}
    result = assay.evaluate([row], "answer_relevancy", store=tmp_path / "assay.db")
    (rated,) = result["answer_relevancy"]
    assert aside in rated.parts[0].reason


def test_an_empty_answer_is_noncommittal():
    assert answer_relevance(QUESTION, " ", *MODELS).noncommittal


@given(st.text(max_size=40), st.text(max_size=60), st.text(max_size=30))
def test_any_text_gets_numbers_in_range(question, text, target):
    assert all(0 <= s.probability <= 1 for s in sentence_relevance(question, [[text]], *MODELS))
    (found,) = context_usefulness(question, target, [text], *MODELS)
    assert 0 <= found.probability <= 1
    assert 0 <= answer_relevance(question, text, *MODELS).score <= 1 + 1e-9


FILLER = "Otters live in the lake. The village holds a market. Its church is old. Bread is baked."


@pytest.mark.parametrize("more", [0, 3, 12])
def test_context_relevance_does_not_fall_with_what_stands_beside_the_answer(tmp_path, more):
    contexts = [FILLER] * more + ["The mill at Aldmoor was built in 1873."]
    row = {"question": "When was the mill at Aldmoor built?", "contexts": contexts}
    (found,) = assay.evaluate([row], "context_relevance", store=tmp_path / "a.db")[
        "context_relevance"
    ]
    (without,) = assay.evaluate(
        [{**row, "contexts": [FILLER]}], "context_relevance", store=tmp_path / "a.db"
    )["context_relevance"]
    assert found.value > 0.6 > 0.4 > without.value
    best = max((part for part in found.parts if part.kind == "context"), key=lambda p: p.value)
    assert best.context == more
    assert best.label == "relevant"
