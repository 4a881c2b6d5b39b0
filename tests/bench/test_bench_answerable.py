"""Do the sets about answerable questions and retrieval count what they say?"""

import math

import numpy as np
import pytest
from bench_help import Predictable, write

from assay.bench import catalogue, relevance, retrieval
from assay.bench.data import Data
from assay.bench.judge import JudgeUnderTest
from assay.bench.measurement import Sampling, measure
from assay.tasks import embed


def figures(found):
    return {figure.name: figure for figure in found}


def question(i, context, *, answers):
    return {
        "id": f"c{i}",
        "dataset": "clapnq",
        "question": f"Where is bridge {i}?",
        "contexts": [context],
        "labels": {"answerable": answers},
    }


def test_context_relevance_tells_answerable_questions_by_the_share_of_sentences():
    rows = [
        question(1, "Here, yes. It is old.", answers=True),  # 1 of 2 chosen
        question(2, "Nothing here. It is old.", answers=True),  # none
        question(3, "Of course, yes. It is. So it is.", answers=False),  # 1 of 3
        question(4, "It is old.", answers=False),  # none
    ]
    judge = JudgeUnderTest(Predictable())
    found = figures(relevance.measure_contexts(judge, rows, "X", relevance.clapnq))
    # Pairs (answerable, not): 1/2 over 1/3, 1/2 over 0, 0 under 1/3, 0 level with 0.
    assert found["X, AUROC of context relevance"].value == (1 + 1 + 0 + 0.5) / 4
    # By the best sentence 1 and 3 are level as well.
    assert found["X, AUROC of the best sentence"].value == (0.5 + 1 + 0 + 0.5) / 4
    assert {figure.n for figure in found.values()} == {4}


def test_each_question_of_rgb_is_asked_with_and_without_its_answer():
    row = {
        "id": "rgb:1",
        "question": "Where?",
        "positive": ["In Paris, yes."],
        "negative": ["a.", "b.", "c.", "d."],
    }
    cases = relevance.rgb([row, {**row, "id": "rgb:2", "negative": []}])
    assert [(case.id, case.answerable) for case in cases] == [
        ("rgb:1-positive", True),
        ("rgb:1-negative", False),
        ("rgb:2-positive", True),
    ]
    assert cases[1].contexts == ("a.", "b.", "c.")


def mtrag(i, label, reply):
    return {
        "id": f"m{i}",
        "dataset": "mtrag_un",
        "question": "And then?",
        "contexts": [],
        "ground_truth": reply,
        "labels": {"answerability": label},
    }


MTRAG = [
    mtrag(1, "UNANSWERABLE", "I am sorry, that is unknown."),
    mtrag(2, "UNANSWERABLE", "The documents do not say."),
    mtrag(3, "ANSWERABLE", "In 1932."),
    mtrag(4, "ANSWERABLE", "It was not built before 1932."),
    mtrag(5, "PARTIAL", "In part."),
    mtrag(6, "UNDERSPECIFIED", "Which one?"),
]


def test_replies_that_decline_are_told_from_answers(tmp_path, db):
    write(tmp_path, relevance.MTRAG, MTRAG)
    card = measure(Predictable(), catalogue.chosen(["mtrag_un"]), Data(tmp_path), store=db)
    found = figures(card.sets[0].figures)
    balanced = found["MTRAG-UN replies that decline, balanced accuracy"]
    assert (balanced.value, balanced.n, balanced.base_rate) == (0.75, 4, 0.5)
    # A word of negation stands in 1, 2 and, wrongly, 4: "sorry", "not", "not".
    assert (balanced.floor, balanced.floor_name) == (0.75, "holds a word of negation")
    f1 = found["MTRAG-UN replies that decline, F1"]
    assert (f1.value, f1.floor) == (pytest.approx(2 / 3), pytest.approx(0.8))


class Letters(Predictable):
    """Embeds a text by how often it holds each of two letters; judges nothing."""

    def identity(self, kind):
        return "letters" if kind is embed.Embed else None

    def embed(self, task):
        return embed.reply([1 + task.text.count("x"), 1 + task.text.count("z")])


PASSAGES = ("bridge xxx", "tunnel zzz", "tower xz")
QUESTIONS = (("q1", "which bridge zzz", 0), ("q2", "which tunnel zz", 1), ("q3", "tower?", 2))


def squad():
    def part(i, text):
        asked = [
            {"id": name, "question": q, "answers": [{"text": "it"}]}
            for name, q, gold in QUESTIONS
            if gold == i
        ]
        return {"context": text, "qas": [*asked, {"id": "n", "question": "?", "answers": []}]}

    paragraphs = [part(i, text) for i, text in enumerate(PASSAGES)]
    return {"data": [{"paragraphs": paragraphs}]}


def test_retrieval_counts_the_passages_that_come_before_the_right_one(tmp_path, db):
    write(tmp_path, retrieval.TELEQUAD, [squad()])
    card = measure(Letters(), catalogue.chosen(["telequad"]), Data(tmp_path), store=db)
    found = figures(card.sets[0].figures)
    # By letters q1 is nearest to the tunnel, then to the tower; q2 and q3 to their own. By words
    # q1 is right ("bridge"), though "zzz" speaks for the tunnel as much: both are level.
    first = found["TeleQuAD retrieval, hit rate at 1"]
    assert (first.value, first.n) == (pytest.approx(2 / 3), 3)
    assert (first.floor, first.floor_name) == (1, "words (BM25)")
    assert found["TeleQuAD retrieval, hit rate at 3"].value == 1
    assert "among 3 passages; letters" in first.note
    assert card.sets[0].calls == 6


def test_a_limit_is_one_of_questions_never_of_the_passages_searched(tmp_path, db):
    write(tmp_path, retrieval.TELEQUAD, [squad()])
    sampling = Sampling(limit=1)
    sets = catalogue.chosen(["telequad"])
    card = measure(Letters(), sets, Data(tmp_path), store=db, sampling=sampling)
    (first, *_) = card.sets[0].figures
    assert first.n == 1
    assert "among 3 passages" in first.note


def test_bm25_is_that_of_the_formula():
    passages = ("red red bridge", "blue bridge", "tower")
    (scores,) = retrieval.by_words(passages, ["red bridge"])
    mean = 2.0

    def term(often, length, held):
        rare = math.log(1 + (3 - held + 0.5) / (held + 0.5))
        spread = retrieval.K1 * (1 - retrieval.B + retrieval.B * length / mean)
        return rare * often * (retrieval.K1 + 1) / (often + spread)

    expected = [term(2, 3, 1) + term(1, 3, 2), term(1, 2, 2), 0.0]
    assert scores == pytest.approx(expected)


def test_ranks_count_what_scores_higher():
    scores = np.array([[0.1, 0.9, 0.5], [0.5, 0.5, 0.1]])
    assert retrieval.ranks(scores, np.array([2, 2])).tolist() == [1, 2]


def test_passages_that_score_alike_are_in_no_order():
    # One of two stands before the other every second time; whoever tells nothing finds nothing.
    assert retrieval.ranks(np.array([[0.5, 0.5, 0.1]]), np.array([1])).tolist() == [0.5]
    assert retrieval.ranks(np.ones((1, 101)), np.array([7])).tolist() == [50.0]
