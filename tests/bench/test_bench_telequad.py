"""Retrieval counts the passages that come before the right one."""

import math

import numpy as np
import pytest
from bench_help import Predictable, write

from assay._text.words import K1, B
from assay.bench import measurement, relevance
from assay.bench.data import Data
from assay.bench.measurement import Sampling, measure
from assay.tasks import Embed


def figures(found):
    return {figure.name: figure for figure in found}


class Letters(Predictable):
    """Embeds a text by how often it holds each of two letters; judges nothing."""

    def identity(self, kind):
        return "letters" if kind is Embed else None

    def embed(self, task):
        return Embed.reply([1 + task.text.count("x"), 1 + task.text.count("z")])


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
    write(tmp_path, relevance.TELEQUAD, [squad()])
    card = measure(Letters(), measurement.chosen(["telequad"]), Data(tmp_path), store=db)
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
    write(tmp_path, relevance.TELEQUAD, [squad()])
    sampling = Sampling(limit=1)
    sets = measurement.chosen(["telequad"])
    card = measure(Letters(), sets, Data(tmp_path), store=db, sampling=sampling)
    (first, *_) = card.sets[0].figures
    assert first.n == 1
    assert "among 3 passages" in first.note


def test_bm25_is_that_of_the_formula():
    passages = ("red red bridge", "blue bridge", "tower")
    (scores,) = relevance.by_words(passages, ["red bridge"])
    mean = 2.0

    def term(often, length, held):
        rare = math.log(1 + (3 - held + 0.5) / (held + 0.5))
        spread = K1 * (1 - B + B * length / mean)
        return rare * often * (K1 + 1) / (often + spread)

    expected = [term(2, 3, 1) + term(1, 3, 2), term(1, 2, 2), 0.0]
    assert scores == pytest.approx(expected)


def test_ranks_count_what_scores_higher():
    scores = np.array([[0.1, 0.9, 0.5], [0.5, 0.5, 0.1]])
    assert relevance.ranks(scores, [[2], [2]]).tolist() == [1, 2]


def test_passages_that_score_alike_are_in_no_order():
    # One of two stands before the other every second time; whoever tells nothing finds nothing.
    assert relevance.ranks(np.array([[0.5, 0.5, 0.1]]), [[1]]).tolist() == [0.5]
    assert relevance.ranks(np.ones((1, 101)), [[7]]).tolist() == [50.0]
