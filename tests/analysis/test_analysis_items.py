"""Are several runs put on one scale, and are questions flagged that should be read?"""

import numpy as np
import pytest

import assay
from assay import InputError, Score
from assay._analysis.items import items


@assay.metric(needs=("answer",), guide=0.8)
def told(sample, judge):
    """The score that the metadata tells."""
    return Score(sample.metadata["score"])


def run(tmp_path, scores, question="q", groups=(), **more):
    rows = [
        {
            "id": f"s{n}",
            "question": f"{question} {n}",
            "answer": "a",
            "score": score,
            **({"group": groups[n]} if groups else {}),
        }
        for n, score in enumerate(scores)
        if score is not None
    ]
    return assay.evaluate(rows, told, assay.Scripted({}), store=tmp_path / "i.db", **more)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    chance = np.random.default_rng(0)
    hard = chance.normal(0, 1, 60)
    found = []
    for ability in np.linspace(-1.5, 2, 6):
        right = chance.random(60) < 1 / (1 + np.exp(hard - ability))
        scores = np.where(right, 0.9, 0.3)
        scores[:3] = [1.0, 0.0, 0.0 if ability > 0 else 1.0]
        found.append(run(folder, scores.tolist()))
    return found


def test_no_runs_are_refused_as_one_is(runs):
    with pytest.raises(InputError, match="there are no runs -> name two"):
        items([])
    with pytest.raises(InputError, match="one run is no comparison"):
        items(runs[:1])


@pytest.mark.slow
def test_flags(runs):
    found = items(runs, "told")
    flags = [question.flag for question in found.questions]
    assert flags[:3] == ["all right", "all wrong", "inverted"]
    assert found.questions[2].question == "q 2"
    assert found.inverted_by_chance < 3
    assert (found.threshold, found.threshold_by) == (0.8, "the metric's guide value")
    assert not found.few


@pytest.mark.slow
def test_abilities_rise_with_the_systems(runs):
    found = items(runs)
    abilities = [system.ability for system in found.systems]
    assert np.corrcoef(abilities, range(6))[0, 1] > 0.9
    assert [system.name for system in found.systems] == list("ABCDEF")
    assert all(s.interval.low < s.ability < s.interval.high for s in found.systems)


@pytest.mark.slow
def test_a_threshold_of_ones_own(runs):
    found = items(runs, threshold=0.2)
    assert found.threshold_by == "given"
    # All scores but the planted zeros are right by it.
    assert sum(q.flag == "all right" for q in found.questions) == 58


def test_questions_that_hardly_anyone_answered_are_counted(tmp_path):
    first = run(tmp_path, [1.0, 0.0, 1.0, 0.0])
    second = run(tmp_path, [0.0, 1.0, None, 0.9])
    found = items([first, second])
    assert ([q.sample for q in found.questions], found.left_out) == (["s0", "s1", "s3"], 1)
    assert found.few


def test_runs_over_other_questions_are_refused(tmp_path):
    first, second = run(tmp_path, [1.0, 0.0]), run(tmp_path, [1.0, 0.5], question="another")
    with pytest.raises(InputError, match="another question"):
        items([first, second])


@pytest.mark.slow
def test_the_share_of_a_system_takes_questions_of_a_document_together(tmp_path):
    chance = np.random.default_rng(0)
    documents = [chance.random(12) < share for share in (0.4, 0.6, 0.8)]
    scores = [np.repeat(one, 5).astype(float).tolist() for one in documents]
    alone = items([run(tmp_path, one) for one in scores], "told").systems
    groups = [f"d{n // 5}" for n in range(60)]
    grouped = items([run(tmp_path, one, groups=groups) for one in scores], "told").systems
    for one, together in zip(alone, grouped, strict=True):
        assert (one.right, one.right_interval.method) == (together.right, "Wilson")
        assert together.right_interval.method.endswith("12 groups")
        narrow, wide = (s.right_interval.high - s.right_interval.low for s in (one, together))
        assert wide > 1.5 * narrow


def test_one_run_is_refused(runs):
    with pytest.raises(InputError, match="one run"):
        items(runs[:1])


class TestExam:
    def test_it_names_the_questions_to_keep(self, runs):
        found = items(runs, keep=0.5).exam
        assert found.keep == 0.5
        assert found.n == 60
        assert 0.5 <= found.share < 0.55
        assert len(found.kept) == len(set(found.kept)) < 40
        assert len(items(runs).exam.kept) > len(found.kept)

    @pytest.mark.parametrize("keep", [0, 1.1, -1])
    def test_a_share_that_is_none_is_refused(self, runs, keep):
        with pytest.raises(InputError, match="cannot be kept"):
            items(runs, keep=keep)


class TestNext:
    def test_a_system_that_answered_a_few_is_told_what_to_answer_next(self, runs, tmp_path):
        begun = run(tmp_path, [0.9] * 10 + [None] * 50)
        found = items([*runs, begun], ask_next="G", force=True).following
        assert (found.system, found.answered) == ("G", 10)
        assert set(found.samples) == {f"s{n}" for n in range(10, 60)}
        assert found.ability > 0
        assert found.sd < 2

    def test_a_system_that_is_not_there_is_refused(self, runs):
        with pytest.raises(InputError, match="there is no system Z -> one of A, B, C, D, E, F"):
            items(runs, ask_next="Z")

    def test_there_must_be_others_that_place_the_questions(self, runs):
        with pytest.raises(InputError, match="cannot be placed without B"):
            items(runs[:2], ask_next="B")


class TestComponents:
    PARAMS = tuple({"retriever": r, "k": k} for r in ("bm25", "dense") for k in (1, 5))

    def runs(self, tmp_path, params):
        chance = np.random.default_rng(4)
        hard = chance.normal(0, 1, 150)
        found = []
        for one in params:
            ability = (0.8 if one["retriever"] == "dense" else -0.8) + (one["k"] == 5) * 0.5
            right = chance.random(150) < 1 / (1 + np.exp(hard - ability))
            settings = assay.Settings(params=one)
            scores = np.where(right, 0.9, 0.3).tolist()
            found.append(run(tmp_path, scores, settings=settings))
        return found

    def test_what_runs_share_is_told_apart(self, tmp_path):
        analysis = items(self.runs(tmp_path, self.PARAMS))
        found = {(part.parameter, part.value): part for part in analysis.components}
        assert set(found) == {("retriever", "bm25"), ("retriever", "dense"), ("k", "1"), ("k", "5")}
        dense = found["retriever", "dense"]
        assert dense.runs == 2
        assert dense.interval.low < 0.8 < dense.interval.high
        assert dense.effect == pytest.approx(-found["retriever", "bm25"].effect)
        assert found["k", "5"].interval.low < 0.25 < found["k", "5"].interval.high

    def test_what_changes_together_is_said(self, tmp_path):
        together = [{"retriever": "bm25", "k": 1}, {"retriever": "dense", "k": 5}] * 2
        analysis = items(self.runs(tmp_path, together))
        assert analysis.components == []
        assert any("retriever, k cannot be told apart" in line for line in analysis.warnings)

    def test_runs_of_which_nothing_was_set_have_none(self, runs):
        assert items(runs).components == []
