"""Are pooled passages graded once, and does what has no grade have no score?"""

import json
import re
from collections import Counter

import pytest

from assay import (
    Denied,
    InputError,
    OverBudget,
    Result,
    Settings,
    SweepSettings,
    Unscored,
    sweep,
)
from assay._middleware.budget import Budget
from assay._store import Store
from assay._store.maintenance import clean
from assay.experiments.pool import BATCH
from assay.judges.embedded.relevance import passage_grade

ROWS = [{"id": f"q{n}", "question": f"Who built mill {n}?"} for n in range(4)]
METRICS = "ndcg_at_k(k=4),recall_at_k(k=4),precision_at_k(k=4),mrr"
SETTINGS = SweepSettings(judge_retrieval=True)


class Grader:
    """A judge that reads the grade in each passage, and notes what it was asked about."""

    def __init__(self, reply=None, stop_after=None):
        self.graded = Counter()
        self.calls = []
        self.reply = reply
        self.stop_after = stop_after

    def __call__(self, prompt):
        if self.stop_after is not None and len(self.calls) >= self.stop_after:
            raise KeyboardInterrupt
        found = re.findall(r"passage (\d)(\w*) on mill (\d)", prompt)
        self.calls.append(len(found))
        self.graded.update(found)
        if self.reply is not None:
            return self.reply(found)
        return pairs(found)


def pairs(found):
    grades = [[f"c{n}", grade] for n, (grade, *_) in enumerate(found, start=1)]
    return json.dumps({"grades": grades})


def retrieve(question, k=2, first=3):
    """Passages whose grades fall from the first one."""
    mill = question.split()[-1].rstrip("?")
    texts = [f"passage {max(0, first - n)}abcdefghijkl on mill {mill}" for n in range(k)]
    return {
        "answer": "Anna.",
        "contexts": [text.replace("abcdefghijkl", "xyzuvw"[n]) for n, text in enumerate(texts)],
    }


def means(swept):
    return {
        (board.metric.partition("(")[0], one.name): one.mean
        for board in swept.leaderboards
        for one in board.standings
    }


def test_metrics_come_from_the_pool_of_all_configurations(db):
    grader = Grader()
    found = sweep(ROWS, retrieve, {"k": [1, 2, 4]}, METRICS, grader, store=db, settings=SETTINGS)
    score = means(found)
    # Grades 3, 2, 1, 0 are in the pool: two passages are relevant, whatever a configuration has.
    assert [score["recall_at_k", f"k={k}"] for k in (1, 2, 4)] == [0.5, 1, 1]
    assert [score["precision_at_k", f"k={k}"] for k in (1, 2, 4)] == [0.25, 0.5, 0.5]
    assert score["mrr", "k=4"] == 1
    assert score["ndcg_at_k", "k=4"] == pytest.approx(1)
    assert score["ndcg_at_k", "k=1"] == pytest.approx(3 / (3 + 2 / 1.585 + 1 / 2), abs=1e-3)
    assert set(grader.graded.values()) == {1}
    pool = found.pool
    assert (pool.passages, pool.asked, pool.reused, pool.grades) == (16, 16, 0, (4, 4, 4, 4))
    assert "judged pool" in found.note
    run = Result(db, found.configurations[0].run)
    assert any("judged pool" in note for note in run.notes)


def test_no_grade_is_asked_for_again_by_another_k_another_sweep_or_the_same_one(db):
    grader = Grader()
    rows = ROWS[:2]
    sweep(rows, retrieve, {"k": [1, 2]}, METRICS, grader, store=db, settings=SETTINGS)
    again = sweep(rows, retrieve, {"k": [1, 2]}, METRICS, grader, store=db, settings=SETTINGS)
    assert (again.pool.asked, again.pool.reused) == (0, 4)
    wider = sweep(rows, retrieve, {"k": [1, 2, 4]}, METRICS, grader, store=db, settings=SETTINGS)
    assert (wider.pool.asked, wider.pool.reused) == (4, 4)
    clean(db)
    sweep(ROWS[:1], retrieve, {"k": [4, 2]}, METRICS, grader, store=db, settings=SETTINGS)
    assert set(grader.graded.values()) == {1}


def test_after_a_stop_at_any_call_no_grade_is_paid_for_twice(db):
    many = SweepSettings(judge_retrieval=True, settings=Settings(concurrency=1))
    rows = ROWS[:1]

    def found(question, k=20):
        del question
        return {"answer": "A.", "contexts": [f"passage {n % 4}n{n} on mill 0" for n in range(k)]}

    graded = Counter()
    for _ in range(5):
        grader = Grader(stop_after=1)
        try:
            done = sweep(rows, found, {"k": [19, 20]}, METRICS, grader, store=db, settings=many)
        except (KeyboardInterrupt, BaseExceptionGroup):
            graded += grader.graded
            continue
        graded += grader.graded
        break
    assert done.pool.passages == 20
    assert set(graded.values()) == {1}
    assert sum(graded.values()) == 20


def test_identical_texts_are_graded_once_and_bring_nothing_twice(db):
    def repeats(question, k=1):
        text = f"passage 3x on mill {question.split()[-1].rstrip('?')}"
        return {"answer": "A.", "contexts": [text] * k, "context_ids": [f"d{n}" for n in range(k)]}

    grader = Grader()
    found = sweep(ROWS, repeats, {"k": [1, 3]}, METRICS, grader, store=db, settings=SETTINGS)
    assert found.pool.passages == 4
    assert set(grader.graded.values()) == {1}
    assert means(found)["precision_at_k", "k=3"] == 0.25


def test_several_passages_are_graded_in_one_call(db):
    grader = Grader()

    def found(question, k=10):
        return {
            "answer": "A.",
            "contexts": [f"passage 1n{n} on mill 0 {question}" for n in range(k)],
        }

    sweep(ROWS[:1], found, {"k": [9, 10]}, METRICS, grader, store=db, settings=SETTINGS)
    assert sorted(grader.calls) == [10 - BATCH, BATCH]


class TestWhatHasNoGrade:
    def test_an_unreadable_reply_leaves_the_question_without_scores_and_says_so(self, db):
        def reply(found):
            return "I would rather not." if any(mill == "1" for *_, mill in found) else pairs(found)

        found = sweep(
            ROWS, retrieve, {"k": [1, 2]}, METRICS, Grader(reply), store=db, settings=SETTINGS
        )
        assert found.pool.ungraded == 2
        assert all(board.n == 3 for board in found.leaderboards)
        run = Result(db, found.configurations[1].run)
        outcomes = {s.id: outcome for s, outcome in run.outcomes("mrr")}
        assert isinstance(outcomes["q1"], Unscored)
        assert outcomes["q1"].why == "failed"
        assert "2 of 2 pooled passages have no grade" in outcomes["q1"].reason
        assert found.configurations[0].failed == 4

    def test_a_passage_that_spoils_its_batch_is_asked_about_alone(self, db):
        def reply(found):
            spoilt = any(grade == "2" for grade, *_ in found)
            return "I cannot help with that." if spoilt else pairs(found)

        found = sweep(
            ROWS, retrieve, {"k": [1, 2]}, METRICS, Grader(reply), store=db, settings=SETTINGS
        )
        assert (found.pool.ungraded, found.pool.grades) == (4, (0, 0, 0, 4))

    def test_a_grade_beyond_the_scale_is_no_grade(self, db):
        grader = Grader(lambda found: pairs([("7",) for _ in found]))
        with pytest.raises(Denied, match="none of the 12 pooled passages got a grade"):
            sweep(ROWS, retrieve, {"k": [1, 3]}, METRICS, grader, store=db, settings=SETTINGS)

    def test_grades_that_are_left_out_are_asked_for_again_alone(self, db):
        def reply(found):
            return pairs(found[:1])

        found = sweep(
            ROWS, retrieve, {"k": [1, 2]}, METRICS, Grader(reply), store=db, settings=SETTINGS
        )
        assert found.pool.grades == (0, 0, 4, 4)

    def test_the_budget_stops_it_and_what_is_graded_stays(self, db):
        settings = SweepSettings(judge_retrieval=True, settings=Settings(budget=Budget(calls=1)))
        grader = Grader()
        with pytest.raises(OverBudget):
            sweep(ROWS, retrieve, {"k": [1, 2]}, METRICS, grader, store=db, settings=settings)
        sweep(ROWS, retrieve, {"k": [1, 2]}, METRICS, grader, store=db, settings=SETTINGS)
        assert set(grader.graded.values()) == {1}


class TestAnEmptyPool:
    def test_a_question_for_which_nothing_was_retrieved_is_undefined(self, db):
        def some(question, k=2):
            return {"answer": "?", "contexts": []} if "0" in question else retrieve(question, k)

        found = sweep(ROWS, some, {"k": [1, 2]}, METRICS, Grader(), store=db, settings=SETTINGS)
        assert (found.pool.questions, found.pool.passages) == (3, 6)
        assert all(board.n == 3 for board in found.leaderboards)

    def test_nothing_relevant_is_undefined_and_counted(self, db):
        grid = {"k": [1, 2], "first": [1]}
        found = sweep(ROWS, retrieve, grid, METRICS, Grader(), store=db, settings=SETTINGS)
        assert found.pool.nothing == 4
        assert means(found)["ndcg_at_k", "k=1"] == 1

    def test_answers_without_contexts_are_refused(self, db):
        with pytest.raises(InputError, match="no answer holds contexts"):
            sweep(
                ROWS,
                lambda question, k: f"{question} {k}",
                {"k": [1]},
                METRICS,
                Grader(),
                store=db,
                settings=SETTINGS,
            )


def test_gold_labels_of_the_data_give_way(db):
    rows = [{**row, "reference_context_ids": ["elsewhere"]} for row in ROWS]
    found = sweep(rows, retrieve, {"k": [1, 2]}, METRICS, Grader(), store=db, settings=SETTINGS)
    assert means(found)["mrr", "k=1"] == 1


def test_ids_of_the_target_stay_and_those_of_two_texts_are_told_apart(db):
    def found(question, k=2):
        texts = [f"passage {n + 1}n{k} on mill 0 {question}" for n in range(2)]
        return {"answer": "A.", "contexts": texts, "context_ids": ["a", "b"]}

    done = sweep(ROWS[:1], found, {"k": [1, 2]}, METRICS, Grader(), store=db, settings=SETTINGS)
    with Store(db) as store:
        first, second = (next(store.samples(one.run))[1] for one in done.configurations)
    assert first.context_ids == ("a", "b")
    assert [name[:2] for name in second.context_ids] == ["a~", "b~"]
    assert len(first.relevance_grades) == 4


@pytest.mark.parametrize(
    ("metrics", "judge", "words"),
    [
        ("exact_match", Grader(), "no metric is about a ranking"),
        (METRICS, "scripted", "cannot do"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_anything_is_asked(db, metrics, judge, words):
    class NoGrades:
        name = "mute"

        def identity(self, kind):
            return None if kind.kind == "grade_passages" else self.name

        async def reply(self, task, draw=0):
            raise AssertionError

    rows = [{**row, "reference": "A."} for row in ROWS]
    asked = []

    def target(question, k=1):
        asked.append((question, k))
        return "A."

    judge = NoGrades() if judge == "scripted" else judge
    with pytest.raises(InputError, match=words):
        sweep(rows, target, {"k": [1]}, metrics, judge, store=db, settings=SETTINGS)
    assert not asked


def test_a_race_cannot_be_judged_by_a_pool():
    with pytest.raises(InputError, match="a race drops"):
        SweepSettings(race=True, judge_retrieval=True)


def test_the_embedded_judge_grades_each_passage_by_itself(db):
    texts = {
        1: ["The lighthouse of Arden was built in 1889 by Anna Berg.", "Tea is grown in hills."],
        2: ["Tea is grown in hills.", "The lighthouse of Arden was built in 1889 by Anna Berg."],
    }
    rows = [{"id": "q", "question": "When was the lighthouse of Arden built?"}]
    found = sweep(
        rows,
        lambda question, k: {"answer": question, "contexts": texts[k]},
        {"k": [1, 2]},
        METRICS,
        store=db,
        settings=SETTINGS,
    )
    assert found.pool.grades[0] == 1
    assert means(found)["mrr", "k=1"] == 1
    assert means(found)["mrr", "k=2"] == 0.5
    assert [passage_grade(p) for p in (0, 0.19, 0.2, 0.5, 0.79, 0.8, 1)] == [0, 0, 1, 2, 2, 3, 3]
