"""Do labels in the store set the choice of a sweep right where the judge errs?"""

import json
import random
from html import unescape

import numpy as np
import pytest

import assay
from assay import sweep
from assay._analysis.labelling import Labelling
from assay._report import leaderboard as words
from assay._report.sweep import render
from assay._store import Store
from assay.score import Part, Score
from assay.stats.best import differences_to_best
from assay.stats.correction import Design, correct_with_shares
from support.once import made_once

METRIC = 'binary_criterion(definition="Is it right?")'
QUESTIONS = [{"id": f"q{n}", "question": f"When was tower {n} finished?"} for n in range(80)]
RIGHT = {3: 0.9, 8: 0.5}


def rag(question, k):
    """With k = 8 it is wrong more often, and says it at length."""
    right = random.Random(f"{question} {k}").random() < RIGHT[k]
    return ("In 1889." if right else "In 1900.") + " To be sure, and beyond doubt." * (k == 8)


def judge(prompt):
    """It takes whatever is said at length for right."""
    right = "In 1889." in prompt or "beyond doubt" in prompt
    return json.dumps({"reason": "It is.", "grade": int(right)})


def label(db, run, n, metric=METRIC):
    """A person labels n answers of a run, drawn at random."""
    with Store(db) as store:
        labelling = Labelling(store, run, metric, annotator="anna", order="random")
        for _ in range(n):
            labelling.record(float("In 1889." in labelling.next().answer))


@made_once
def runs(db):
    """The two runs of a sweep."""
    found = sweep(QUESTIONS, rag, {"k": [3, 8]}, METRIC, judge, store=db)
    return [one.run for one in found.configurations]


@pytest.fixture
def swept(db, runs):
    """Once more, with so many labels of each configuration."""

    def again(labels):
        for run, n in zip(runs, labels, strict=False):
            label(db, run, n)
        return sweep(QUESTIONS, rag, {"k": [3, 8]}, METRIC, judge, store=db)

    return again


def test_a_flattered_configuration_wins_until_people_look_at_it(swept):
    found = swept([30, 30])
    (board,) = found.leaderboards
    assert board.winner == "k=8"
    best, other = board.corrected
    assert (best.name, best.labels, other.name, other.verdict) == ("k=3", 30, "k=8", "worse")
    assert best.interval.low <= RIGHT[3] <= best.interval.high
    assert other.difference_interval.high < 0
    said = words.corrected_in_words(board)
    assert (
        said == "Corrected for the judge's error by 30 labelled answers of each configuration: "
        "k=3 is best."
    )
    assert said in unescape(render(found)).replace("<wbr>", "")


def test_labels_of_one_configuration_say_nothing_of_another(swept):
    (board,) = swept([12]).leaderboards
    assert [(one.name, one.labels) for one in board.corrected] == [("k=3", 12)]
    assert "12 labelled answers of one configuration: label" in words.corrected_in_words(board)


@pytest.mark.slow
def test_too_few_labels_call_nothing_worse(swept):
    (board,) = swept([2, 2]).leaderboards
    assert {one.verdict for one in board.corrected} == {"best", "tied"}
    assert all(one.difference_interval is None for one in board.corrected)


STATEMENTS = 3


def share(sample):
    texts = sample.answer.split(". ")
    parts = [Part("statement", text, value=float("1889" in text or "To" in text)) for text in texts]
    return Score(sum(part.value for part in parts) / len(parts), tuple(parts))


@assay.metric(name="right_share", needs=("answer",))
def right_share(sample):
    """The share of sentences that are right, or sound so."""
    return share(sample)


@assay.metric(name="root", needs=("answer",))
def root(sample):
    """No share of its statements."""
    score = share(sample)
    return Score(score.value**0.5, score.parts)


def in_sentences(question, k):
    """With k = 8 every sentence is wrong more often, and may sound right."""
    draw = random.Random(f"{question} {k}")
    wrong = {3: "In 1900", 8: "To be sure in 1900"}[k]
    rights = [draw.random() < RIGHT[k] for _ in range(STATEMENTS)]
    return ". ".join("In 1889" if right else wrong for right in rights)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "corrected"), [(right_share, 2), (root, 0)])
def test_labels_of_all_statements_of_an_answer_make_its_score(db, metric, corrected):
    found = sweep(QUESTIONS, in_sentences, {"k": [3, 8]}, metric, store=db)
    assert found.leaderboards[0].winner == "k=8"
    for one in found.configurations:
        with Store(db) as store:
            labelling = Labelling(store, one.run, metric.name, annotator="anna", per="statement")
            for _ in range(20 * STATEMENTS + 1):  # the last answer is labelled in part alone
                labelling.record(float("1889" in labelling.next().text))
    (board,) = sweep(QUESTIONS, in_sentences, {"k": [3, 8]}, metric, store=db).leaderboards
    assert len(board.corrected) == corrected
    assert any("label whole answers" in one for one in board.warnings) == (not corrected)
    if corrected:
        best, other = board.corrected
        assert (best.name, best.labels, other.verdict) == ("k=3", 20, "worse")
        truth = np.mean(
            [in_sentences(one["question"], 3).count("1889") / STATEMENTS for one in QUESTIONS]
        )
        assert best.interval.low <= truth <= best.interval.high
        # Whole answers are another thing than shares of statements: they are not mixed.
        label(db, found.configurations[0].run, 25, metric.name)
        (board,) = sweep(QUESTIONS, in_sentences, {"k": [3, 8]}, metric, store=db).leaderboards
        assert [one.labels for one in board.corrected] == [20, 20]
        assert any(one.startswith("25 answers with labels of the answer") for one in board.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("statements", [1, 4])
def test_all_differences_hold_together(statements):
    """The third one is flattered: the judge alone would call it best."""
    rng, held, wrong, times = np.random.default_rng(1), 0, 0, 60
    truth = np.array([0.8, 0.8, 0.7, 0.6])
    for _ in range(times):
        shared = rng.random((200, 1, 1))
        good = (shared + rng.random((200, statements, 4))) / 2
        limits = [1 - np.sqrt((1 - p) / 2) if p > 0.5 else np.sqrt(p / 2) for p in truth]
        right = (good < limits).astype(float)
        errs = np.where(right == 1, 0.15, [0.1, 0.1, 0.7, 0.1])
        judged = np.where(rng.random(right.shape) < errs, 1 - right, right)
        scores, right = judged.mean(axis=1), right.mean(axis=1)
        parts = []
        for column in range(4):
            at = rng.choice(200, 40, replace=False)
            parts.append(correct_with_shares(scores[:, column], at, right[at, column], Design()))
        adds = np.stack([share.adds for _, share in parts], axis=1)
        covariance = adds.T @ adds + np.diag([share.made_up for _, share in parts])
        means = np.array([corrected.estimate for corrected, _ in parts])
        order, found = differences_to_best(means, covariance, 38, span=1.0)
        differences = truth - truth[order[0]]
        held += all(
            ends is None or ends.low <= true <= ends.high
            for true, (_, ends, _) in zip(differences, found, strict=True)
        )
        wrong += "worse" in (found[0][2], found[1][2])
    assert held >= 0.9 * times
    assert wrong <= 0.1 * times
