"""Are only those runs set on one line whose means can be set beside each other?"""

import numpy as np
import pytest

import assay
from assay._analysis.history import history, shifts
from assay._analysis.repeat import repeat
from assay.errors import InputError

REPLIES = {
    "split_statements": '{"statements": ["It is blue."]}',
    "verify_statements": '{"verdicts": [{"id": "s1", "reason": "r", "verdict": "supported"}]}',
}


@assay.metric(needs=("answer",))
def told(sample, judge):
    """The score that the row tells."""
    return sample.metadata["score"]


@pytest.fixture
def run(tmp_path):
    """Score rows whose scores are given; what is told of them is the same in all."""

    def call(scores, metric=told, judge=None, question="What is {}?", **more):
        rows = [
            {"id": f"s{n}", "question": question.format(n), "answer": f"{score}", "score": score}
            for n, score in enumerate(scores)
        ]
        rows = [{**row, "contexts": ["The sky is blue."], **more} for row in rows]
        judge = judge or assay.Scripted(REPLIES)
        return assay.evaluate(rows, metric, judge, store=tmp_path / "h.db")

    call.store = tmp_path / "h.db"  # type: ignore[attr-defined]
    return call


def runs(series):
    return [point.run.id for point in series.points]


def test_runs_over_the_same_questions_by_the_same_judge_are_one_series_the_oldest_first(run):
    first, second = run([0.2, 0.4, 0.6]), run([0.4, 0.6, 0.8])
    (one,) = history(run.store).series
    assert (one.metric, one.name, one.differs) == ("told", "1", ())
    assert runs(one) == [first.run.id, second.run.id]
    assert [point.score for point in one.points] == [*first.summary(), *second.summary()]
    assert [round(point.score.mean, 6) for point in one.points] == [0.4, 0.6]


def test_other_samples_and_other_questions_are_other_series_and_said(run):
    run([0.2, 0.4, 0.6])
    run([0.2, 0.4])
    run([0.2, 0.4, 0.6], question="Who is {}?")
    run([0.3, 0.5, 0.7])
    first, fewer, others = history(run.store).series
    assert [len(one.points) for one in (first, fewer, others)] == [2, 1, 1]
    assert fewer.differs == ("data: 2 samples instead of 3, 2 of them the same",)
    assert others.differs == ("data: 3 samples instead of 3, none of them the same",)
    assert [one.data for one in (first, fewer, others)] == [1, 2, 3]


def test_another_judge_is_another_series_of_the_metrics_that_ask_it_only(run):
    metrics = ["faithfulness", told]
    run([0.2, 0.4], metrics, assay.Scripted(REPLIES, name="ann"))
    run([0.2, 0.5], metrics, assay.Scripted(REPLIES, name="bob"))
    by_name = {}
    for one in history(run.store).series:
        by_name.setdefault(one.metric, []).append(one)
    (own,) = by_name["told"]
    ann, bob = by_name["faithfulness"]
    assert own.judges == ()
    assert len(own.points) == 2
    assert "ann" in ann.judges[0]
    assert len(bob.differs) == 1
    assert bob.differs[0].startswith("judge: ")
    assert bob.differs[0].index("bob") < bob.differs[0].index("ann")


def test_columns_of_the_data_tell_runs_apart_where_that_is_asked(run):
    run([0.2, 0.4], system="old")
    run([0.3, 0.4], system="new")
    run([0.4, 0.4], system="old")
    old, new = history(run.store, by=["system"]).series
    assert (old.settings, new.settings) == ((("system", "old"),), (("system", "new"),))
    assert [len(old.points), len(new.points)] == [2, 1]
    assert new.differs == ()
    assert len(history(run.store, by=["source"]).series) == 1
    with pytest.raises(InputError, match=r"no run can be told apart by 'sytem'.*system"):
        history(run.store, by=["sytem"])


def test_a_column_with_several_values_in_a_run_says_so(run):
    run([0.2, 0.4])
    (one,) = history(run.store, by=["score"]).series
    assert one.settings == (("score", "several"),)


def test_repetitions_are_not_among_the_runs_but_counted(run):
    judge = assay.Scripted(REPLIES)
    first = run([0.2, 0.4, 0.6], ["faithfulness"], judge)
    repeat(first, judge, draws=2)
    found = history(run.store)
    assert [runs(one) for one in found.series] == [[first.run.id]]
    assert (found.n_runs, found.n_derived) == (1, 2)


def test_the_newest_runs_that_have_the_metric_are_taken(run):
    with_it = [run([0.2, n / 10]).run.id for n in range(4)]
    run([0.2, 0.4], ["exact_match"], reference="x")
    found = history(run.store, ["told"], limit=2)
    assert [runs(one) for one in found.series] == [with_it[2:]]
    assert (found.n_runs, found.n_older) == (2, 2)
    with pytest.raises(InputError, match="no run has bleu -> the runs have exact_match, told"):
        history(run.store, ["bleu"])


def test_a_data_frame_has_a_row_for_each_metric_and_run(run):
    pytest.importorskip("pandas")
    result = run([0.2, 0.4, 0.6])
    run([0.2, 0.4])
    table = history(run.store).to_pandas()
    assert list(table["series"]) == ["1", "2"]
    assert table.loc[0, "run"] == result.run.id
    assert table.loc[0, ["mean", "low", "high"]].tolist() == [
        *(result.summary()[0].mean, *result.summary()[0].interval),
    ]
    assert table.loc[0, "lowest"] == table.loc[0, "mean"]


def conversations(random, n, size, german=None):
    """Samples of so many conversations, whose samples share language, subject and length."""
    samples = []
    for number in range(n):
        language = "de" if (german if german is not None else random.random() < 0.3) else "en"
        question = f"{random.choice(['price', 'router', 'login'])} " * int(random.integers(3, 20))
        samples += [
            assay.Sample(
                id=f"{number}-{turn}", question=question, language=language, group=f"c{number}"
            )
            for turn in range(size)
        ]
    return samples


def test_what_all_samples_of_a_conversation_share_is_told_of_as_one():
    """With each sample as independent something was told in 92 of 100 such cases."""
    random, told_of_nothing = np.random.default_rng(5), 0
    for _ in range(20):
        found = shifts(conversations(random, 60, 5), conversations(random, 20, 5))
        told_of_nothing += not found
    assert told_of_nothing >= 18
    before, after = conversations(random, 60, 5), conversations(random, 20, 5, german=True)
    (german,) = [shift for shift in shifts(before, after) if shift.what == "language German"]
    share = sum(sample.language == "de" for sample in before) / len(before)
    assert (german.before, german.after) == (share, 1.0)


def test_there_must_be_a_store(tmp_path):
    with pytest.raises(InputError, match="there is no store"):
        history(tmp_path / "none.db")
