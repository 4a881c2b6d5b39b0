"""The sets about relevant and answerable questions count what they say."""

import pytest
from bench_help import Predictable, write

from assay.bench import measurement, relevance
from assay.bench.data import Data
from assay.bench.judge import JudgeUnderTest
from assay.bench.measurement import measure
from assay.tasks import Choice


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
    card = measure(Predictable(), measurement.chosen(["mtrag_un"]), Data(tmp_path), store=db)
    found = figures(card.sets[0].figures)
    balanced = found["MTRAG-UN replies that decline, balanced accuracy"]
    assert (balanced.value, balanced.n, balanced.base_rate) == (0.75, 4, 0.5)
    # A word of negation stands in 1, 2 and, wrongly, 4: "sorry", "not", "not".
    assert (balanced.floor, balanced.floor_name) == (0.75, "holds a word of negation")
    f1 = found["MTRAG-UN replies that decline, F1"]
    assert (f1.value, f1.floor) == (pytest.approx(2 / 3), pytest.approx(0.8))


class TellsOfOthers:
    """A judge that tells of a sentence that it did not choose, without a probability."""

    def answers(self, tasks):
        return [(Choice("1.1", chosen=len(task.question) > 2),) for task in tasks]


def test_a_sentence_that_was_not_chosen_counts_for_nothing():
    assert relevance.chosen(TellsOfOthers(), [("?", "a"), ("Why?", "b")]) == [0.0, 1.0]
