"""Labelling: what is asked, what is kept, what the labels tell, and that it stays unbiased."""

import os
import signal
import time
import warnings

import numpy as np
import pytest

import assay
from assay._analysis import label_files
from assay._analysis.agreement import agree
from assay._analysis.correction import correct
from assay._analysis.label_progress import verdict
from assay._analysis.labelling import Labelling
from assay._runner.result import Result
from assay._store import Store
from assay._store.maintenance import clean, verify
from assay._store.transfer import export, import_runs
from assay.data.labels import read_labels
from assay.errors import InputError

N = 60
HOSTILE = "<script>alert(1)</script>\x1b[31m \u202edlrow"


@assay.metric(needs=("answer",), guide=0.5)
def told(sample, judge):
    """The score that the row tells, with two statements as its evidence."""
    value = sample.metadata["score"]
    parts = tuple(
        assay.Part("statement", f"{sample.id} says {n}", "supported", value, probability=value)
        for n in (1, 2)
    )
    return assay.Score(value, parts)


def good(sample):
    """What people say: the judge is right but for every fifth sample."""
    n = int(sample[1:])
    return float((n % 3 > 0) != (n % 5 == 0))


def rows(n=N, text="answer", up=0.0):
    return [
        {"id": f"q{k}", "answer": f"{text} {k}", "score": min(1.0, (0.8 if k % 3 else 0.3) + up)}
        for k in range(n)
    ]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A store with two runs: the second one's answers to the first half differ."""
    db = tmp_path_factory.mktemp("judged") / "assay.db"
    first = assay.evaluate(rows(), told, assay.Scripted({}), store=db)
    other = rows(N // 2, "other", 0.1) + rows()[N // 2 :]
    second = assay.evaluate(other, told, assay.Scripted({}), store=db)
    return db, first.run.id, second.run.id


@pytest.fixture
def store(judged, tmp_path):
    (tmp_path / "assay.db").write_bytes(judged[0].read_bytes())
    with Store(tmp_path / "assay.db") as copied:
        yield copied


@pytest.fixture
def run(judged):
    return judged[1]


def labelled(labelling, most=10_000):
    """Label so many, truly; the samples in the order in which they were asked for."""
    asked = []
    while len(asked) < most and (item := labelling.next()) is not None:
        asked.append(item.sample)
        labelling.record(good(item.sample))
    return asked


class TestTheQueue:
    def test_everything_is_asked_once_and_then_the_mean_is_that_of_the_labels(self, store, run):
        labelling = Labelling(store, run, annotator="anna")
        asked = labelled(labelling)
        assert sorted(asked) == sorted(labelling.pool.ids)
        progress = labelling.progress()
        truth = np.mean([good(name) for name in asked])
        assert progress.corrected.estimate == pytest.approx(truth)
        assert (progress.labelled, progress.total, progress.enough) == (N, N, True)
        assert labelling.next() is None
        with pytest.raises(InputError, match="nothing is left to label"):
            labelling.record(1)

    def test_the_same_is_asked_until_it_is_decided_and_by_another_process_too(self, store, run):
        first = Labelling(store, run, annotator="anna").next()
        again = Labelling(store, run, annotator="anna").next()
        assert first == again
        assert 0 < first.chance <= 1
        assert first.why.endswith(f"; drawn with a chance of {100 * first.chance:.0f} %")

    def test_where_all_are_drawn_nothing_is_said_of_a_chance(self, tmp_path):
        few = assay.evaluate(rows(4), told, assay.Scripted({}), store=tmp_path / "few.db")
        with Store(tmp_path / "few.db") as store:
            by_order = {
                order: Labelling(store, few.run.id, annotator="anna", order=order).next()
                for order in ("random", "mean")
            }
        assert {first.chance for first in by_order.values()} == {1}
        assert by_order["random"].why == ""

    def test_chances_are_kept_and_a_draw_by_two_at_once_is_made_once(self, store, run):
        one, two = (Labelling(store, run, annotator=name) for name in ("anna", "ben"))
        assert one.next() is not None
        assert two.next() is not None
        assert one.drawn() == two.drawn()
        assert all(0 < drawn.chance <= 1 for drawn in one.drawn())

    def test_unless_asked_otherwise_all_count_alike_so_that_agreement_is_of_the_run(
        self, store, judged, tmp_path
    ):
        labelling = Labelling(store, judged[1], annotator="anna")
        for _ in range(25):  # a batch, and half of the next
            item = labelling.next()
            labelling.record(good(item.sample))
        assert list(labelling.weights().values()) == pytest.approx([N / 25] * 25)
        label_files.write_labels(labelling, tmp_path / "labels.csv")
        found = agree(Result(judged[0], judged[1]), tmp_path / "labels.csv", "told")
        assert not found.unweighted

    @pytest.mark.parametrize("order", ["mean", "random", "threshold"])
    def test_weights_stand_for_all_samples(self, store, run, order):
        labelling = Labelling(store, run, annotator="anna", order=order)
        labelled(labelling, 40)
        assert sum(labelling.weights().values()) == pytest.approx(N, rel=0.4)

    def test_two_people_share_the_work(self, store, run):
        one = Labelling(store, run, annotator="anna")
        two, asked = one.by("ben"), []
        for _ in range(N // 2):
            for each in (one, two):
                asked += labelled(each, 1)
        assert len(set(asked)) >= N - 2  # they may meet at the end of a batch
        assert one.progress().labelled >= N - 2

    def test_a_share_is_asked_of_two(self, store, run):
        one, two = (
            Labelling(store, run, annotator=name, second_opinions=0.5) for name in ("anna", "ben")
        )
        labelled(one)
        again = labelled(two)
        assert N / 4 < len(again) < 3 * N / 4
        assert labelled(Labelling(store, run, annotator="carl", second_opinions=0.5)) == []
        # Whoever comes later, in a process of their own, is asked for as many.
        assert labelled(Labelling(store, run, annotator="carl")) == []
        Labelling(store, run, annotator="dora", second_opinions=1)
        assert len(labelled(Labelling(store, run, annotator="carl"))) == N - len(again)

    def test_what_is_skipped_or_unsure_is_left_to_others(self, store, run):
        anna = Labelling(store, run, annotator="anna")
        skipped = anna.next().sample
        anna.skip()
        unsure = anna.next().sample
        anna.record(None, "I cannot tell")
        labelled(anna)
        assert anna.progress().left_open == 2
        assert set(labelled(Labelling(store, run, annotator="ben"))) == {skipped, unsure}
        assert anna.progress().left_open == 0

    def test_statements_are_asked_one_by_one(self, store, run):
        labelling = Labelling(store, run, annotator="anna", per="statement")
        items = []
        for _ in range(4):
            items.append(labelling.next())
            labelling.record(1)
        assert [item.statement for item in items] == [0, 1, 0, 1]
        assert items[0].text == f"{items[0].sample} says 1"
        assert labelling.progress().labelled == 2

    def test_the_judge_is_hidden_until_an_item_is_labelled(self, store, run):
        labelling = Labelling(store, run, annotator="anna")
        item = labelling.next()
        assert item.outcome is None
        labelling.record(1)
        assert labelling.item(*item.key).outcome.value in (0.3, 0.8)
        assert Labelling(store, run, annotator="b", blind=False).next().outcome is not None


class TestPairs:
    """Which of two answers is better."""

    @staticmethod
    def pairs(store, judged, name="anna", **options):
        return Labelling(
            store,
            judged[2],
            annotator=name,
            against=judged[1],
            per="pair",
            order="random",
            **options,
        )

    def test_each_pair_is_asked_once_and_the_share_that_is_better_is_corrected(self, store, judged):
        labelling, n = self.pairs(store, judged), 0
        while (item := labelling.next()) is not None:
            assert {side.run for side in item.sides} == set(judged[1:])
            assert {side.value for side in item.sides} == {0.0, 1.0}
            better = next(side for side in item.sides if side.run == judged[2])
            assert better.answer.startswith("other")
            assert better.outcome is None
            labelling.record(better.value if n % 4 else 0.5)
            n += 1
        assert n == N // 2
        progress = labelling.progress()
        tied = -(-n // 4)
        assert progress.corrected.estimate == pytest.approx((n - tied) / N)
        assert progress.enough
        assert "this run is better" in progress.verdict

    def test_they_are_kept_apart_from_labels_of_the_answers(self, store, judged):
        labelling = self.pairs(store, judged)
        key = labelling.next().key
        labelling.record(0)
        assert Labelling(store, judged[2], annotator="anna").labels() == []
        assert labelling.decision(key).value == 0.0
        assert labelling.decided() == [key]
        assert labelling.undo().value == 0.0
        assert labelling.decided() == []

    def test_the_sides_are_mixed_and_another_label_is_refused(self, store, judged):
        labelling, first = self.pairs(store, judged), []
        with pytest.raises(InputError, match="from 0 to 1"):
            labelling.record(3)
        while (item := labelling.next()) is not None:
            first.append(item.sides[0].value)
            labelling.record(1)
        assert 5 < sum(first) < len(first) - 5

    def test_a_sheet_of_them_is_read_again(self, store, judged, tmp_path):
        labelling = self.pairs(store, judged)
        for value in (1, 0, 0.5):
            labelling.next()
            labelling.record(value)
        sheet = tmp_path / "pairs.csv"
        assert label_files.write_labels(labelling, sheet) == (3, 0)
        read = read_labels(sheet)
        assert read.kind == "pair"
        assert sorted(one.value for one in read.labels) == [0.0, 0.5, 1.0]
        assert label_files.take_labels(self.pairs(store, judged, "ben"), sheet) == 0
        with pytest.raises(InputError, match="labels of pairs"):
            label_files.take_labels(Labelling(store, judged[2], annotator="ben"), sheet)

    def test_they_go_with_either_run(self, store, judged):
        labelling = self.pairs(store, judged)
        labelling.next()
        labelling.record(1)
        (tally,) = store.labels.tally(judged[2])
        assert (tally.annotator, tally.n, tally.statements) == ("anna", 1, False)
        path = store.path
        store.close()
        clean(path, [judged[1]])
        with Store(path) as again:
            assert again.labels.tally(judged[2]) == []

    def test_grades_of_a_scale_are_kept_within_it(self, store, run):
        labelling = Labelling(store, run, annotator="anna", scale=(1, 5), half_width=0.2)
        with pytest.raises(InputError, match="from 1 to 5"):
            labelling.record(6)
        for n in range(40):
            labelling.next()
            labelling.record(1 + n % 5)
        assert 1 < labelling.progress().corrected.estimate < 5


class TestDecisions:
    def test_undo_asks_again(self, store, run):
        labelling = Labelling(store, run, annotator="anna")
        first = labelling.next()
        labelling.record(0, "wrong", ["number"])
        label = labelling.undo()
        assert (label.value, label.reason, label.tags) == (0.0, "wrong", ("number",))
        assert labelling.next().key == first.key
        assert labelling.progress().decisions == 0
        assert labelling.undo() is None

    def test_undo_takes_back_what_is_labelled_here_answers_or_statements(self, store, run):
        answers = Labelling(store, run, annotator="anna")
        statements = Labelling(store, run, annotator="anna", per="statement")
        answer = answers.record(0)
        statement = statements.record(1)
        assert answers.undo().item == answer.item
        assert answers.undo() is None
        assert statements.undo().item == statement.item

    def test_undo_takes_back_nobody_else_s(self, store, run):
        anna, ben = (Labelling(store, run, annotator=name) for name in ("anna", "ben"))
        labelled(anna, 1)
        assert ben.undo() is None
        assert anna.progress().decisions == 1

    def test_a_second_decision_of_the_same_person_counts(self, store, run):
        labelling = Labelling(store, run, annotator="anna")
        key = labelling.next().key
        labelling.record(0)
        labelling.record(1, item=key)
        assert [one.value for one in labelling.labels()] == [1.0]

    def test_answers_and_their_statements_are_labelled_apart(self, store, run):
        def at(name, per):
            return Labelling(store, run, annotator=name, per=per)

        answer, statement = at("anna", "answer").next().key, at("anna", "statement").next().key
        for name, value in (("anna", 1), ("ben", 0)):
            at(name, "statement").record(value, item=statement)
        assert at("anna", "answer").disputes() == []
        at("anna", "answer").record(4, item=answer)
        for per, key, values in (("answer", answer, [4.0]), ("statement", statement, [1.0, 0.0])):
            here = at("anna", per)
            assert [one.value for one in here.labels()] == values
            assert here.decided() == [key]
            assert here.progress().decisions == len(values)
            assert here.progress().disputes == len(here.disputes()) == len(values) - 1

    def test_disagreements_are_listed_and_settled(self, store, run):
        anna, ben = (Labelling(store, run, annotator=name) for name in ("anna", "ben"))
        key = anna.next().key
        anna.record(1)
        ben.record(0, item=key)
        (dispute,) = anna.disputes()
        assert {one.annotator: one.value for one in dispute.labels} == {"anna": 1, "ben": 0}
        assert anna.progress().disputes == 1
        Labelling(store, run, annotator="carl").adjudicate(key, 0, "ben is right")
        assert anna.disputes()[0].settled.value == 0
        assert anna.progress().disputes == 0
        assert anna.progress().labelled == 1
        with pytest.raises(InputError, match="do not disagree"):
            anna.adjudicate((run, "nobody", None), 1)

    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"annotator": " "}, "nobody is named"),
            ({"annotator": "a\x1b"}, "no short line"),
            ({"order": "worst"}, "is no way to label"),
            ({"order": "difference"}, "is for two runs"),
            ({"second_opinions": 2}, "a share of 2"),
            ({"half_width": 0}, "half-width of 0"),
            ({"metric": "absent"}, "has no 'absent'"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, store, run, changes, why):
        with pytest.raises(InputError, match=why):
            Labelling(store, run, **{"annotator": "anna", **changes})

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_a_label_is_a_finite_number(self, store, run, value):
        with pytest.raises(InputError, match="is no label"):
            Labelling(store, run, annotator="anna").record(value)

    def test_hostile_words_are_kept_as_they_are(self, store, run):
        labelling = Labelling(store, run, annotator="<b>Ann\u00e1</b>")
        labelling.record(1, HOSTILE, [HOSTILE, HOSTILE, " "])
        (label,) = labelling.labels()
        assert (label.reason, label.tags) == (HOSTILE, (HOSTILE,))
        with pytest.raises(InputError, match="cannot be kept"):
            labelling.record(1, "\ud800")
        with pytest.raises(InputError, match="too long"):
            labelling.record(1, "x" * 10_001)


class TestProgress:
    def test_it_tells_how_many_more_it_takes_and_when_it_is_enough(self, store, run):
        labelling = Labelling(store, run, annotator="anna", half_width=0.15)
        before = labelling.progress()
        assert (before.corrected, before.kappa, before.needed) == (None, None, None)
        labelled(labelling, 20)
        soon = labelling.progress()
        assert soon.needed > 0
        assert "more labels narrow it" in soon.verdict
        assert soon.kappa_interval.low < soon.kappa < soon.kappa_interval.high
        labelled(labelling, 35)
        after = labelling.progress()
        assert after.enough == (after.needed == 0)
        assert after.corrected.judge_mean == pytest.approx(after.judge_mean)

    def test_samples_of_one_document_make_kappa_less_sure(self, tmp_path):
        widths = []
        for size in (1, 10):  # samples of a document, on all of which the judge is right or wrong
            data = [{**row, "group": f"d{n // size}"} for n, row in enumerate(rows())]
            db = tmp_path / f"{size}.db"
            run = assay.evaluate(data, told, assay.Scripted({}), store=db).run.id
            with Store(db) as store:
                labelling = Labelling(store, run, annotator="anna")
                for _ in range(40):
                    n = int(labelling.next().sample[1:])
                    labelling.record(float((n % 3 > 0) != (n // 10 % 3 == 0)))
                found = labelling.progress().kappa_interval
            widths.append(found.high - found.low)
        assert widths[1] > 1.2 * widths[0]

    def test_two_runs_are_compared_by_pairs_that_differ(self, store, judged):
        _, first, second = judged
        labelling = Labelling(store, first, annotator="anna", order="difference", against=second)
        asked = []
        while (item := labelling.next()) is not None:
            asked.append(item)
            better = item.run == second and int(item.sample[1:]) % 2
            labelling.record(float(bool(better)))
        assert len(asked) == N  # two answers of each of the N / 2 pairs that differ
        assert {item.run for item in asked} == {first, second}
        progress = labelling.progress()
        assert progress.corrected.estimate == pytest.approx(-0.25)
        assert progress.enough
        assert "the other run is better" in progress.verdict
        assert labelling.undo() is not None


class TestFiles:
    def test_correct_reads_what_is_exported_and_comes_to_the_same(self, store, run, tmp_path):
        labelling = Labelling(store, run, annotator="anna")
        labelled(labelling, 30)
        assert label_files.write_labels(labelling, tmp_path / "labels.csv") == (30, 0)
        read = read_labels(tmp_path / "labels.csv")
        assert all(label.chance is not None for label in read.labels)
        found = correct(assay.Result(store.path, run), read)
        live = labelling.progress().corrected
        assert found.by_probability
        assert found.corrected.estimate == pytest.approx(live.estimate)
        assert found.corrected.interval.low == pytest.approx(live.interval.low)

    def test_statements_too(self, store, run, tmp_path):
        labelling = Labelling(store, run, annotator="anna", per="statement")
        labelled(labelling, 60)
        label_files.write_labels(labelling, tmp_path / "labels.csv")
        found = correct(assay.Result(store.path, run), tmp_path / "labels.csv")
        live = labelling.progress().corrected
        assert found.corrected.estimate == pytest.approx(live.estimate)

    def test_labels_move_to_another_store_by_a_sheet(self, store, run, judged, tmp_path):
        labelling = Labelling(store, run, annotator="anna")
        labelling.record(0, "=1+1", ["number", "unit"])
        labelled(labelling, 29)
        label_files.write_labels(labelling, tmp_path / "labels.csv")
        with Store(judged[0]) as kept, Store(tmp_path / "new.db") as new:
            import_runs(new, export(kept, [run]))
            there = Labelling(new, run, annotator="ben")
            assert label_files.take_labels(there, tmp_path / "labels.csv") == 30
            assert label_files.take_labels(there, tmp_path / "labels.csv") == 0
            ours, theirs = (
                sorted((one.sample, one.annotator, one.value, one.reason, one.tags) for one in each)
                for each in (labelling.labels(), there.labels())
            )
            assert ours == theirs
            both = labelling.progress().corrected, there.progress().corrected
            assert both[0].estimate == pytest.approx(both[1].estimate)
            labelled(there)
            assert there.progress().labelled == N

    def test_labels_without_chances_count_as_a_random_choice(self, store, run, tmp_path):
        sheet = tmp_path / "labels.csv"
        lines = [f"q{n},{good(f'q{n}'):g}" for n in range(20)]
        sheet.write_text("\n".join(["sample,label", *lines]), "utf-8")
        labelling = Labelling(store, run, annotator="anna")
        assert label_files.take_labels(labelling, sheet) == 20
        assert {one.annotator for one in labelling.labels()} == {"anna"}
        assert list(labelling.weights().values()) == pytest.approx([3.0] * 20)

    def test_what_settled_a_disagreement_stands_alone_unless_everyone_is_asked_for(
        self, store, run, judged, tmp_path
    ):
        anna, ben = (Labelling(store, run, annotator=name) for name in ("anna", "ben"))
        key = anna.next().key
        anna.record(1)
        ben.record(0, item=key)
        ben.adjudicate(key, 0)
        for everyone, count, values in ((False, 1, {0.0}), (True, 2, {0.0, 1.0})):
            path = tmp_path / f"{everyone}.csv"
            assert label_files.write_labels(anna, path, everyone=everyone) == (count, 0)
            assert {label.value for label in read_labels(path).labels} == values
        # Two who disagree are no label of their own: what settled it is, and they still disagree.
        found = agree(Result(store.path, run), path)
        assert (found.n, found.base_rate, found.left_out) == (1, 0.0, {})
        assert found.people == ("anna", "ben")
        with Store(judged[0]) as kept, Store(tmp_path / "new.db") as new:
            import_runs(new, export(kept, [run]))
            there = Labelling(new, run, annotator="carl")
            assert [label_files.take_labels(there, path) for _ in range(2)] == [2, 0]
            (dispute,) = there.disputes()
            assert (dispute.settled.value, dispute.settled.annotator) == (0.0, "carl")

    def test_a_label_of_a_sample_without_a_score_stops_no_import(self, tmp_path):
        db, sheet = tmp_path / "new.db", tmp_path / "labels.csv"
        sheet.write_text("sample,label\nq1,1\nq2,0\nnone,1\n", "utf-8")
        found = assay.evaluate([*rows(5), {"id": "none", "question": "?"}], told, store=db)
        with Store(db) as opened:
            labelling = Labelling(opened, found.run.id, annotator="anna")
            assert label_files.take_labels(labelling, sheet) == 3
            assert len(labelling.labels()) == 3
            assert labelling.progress().labelled == 2
            assert list(labelling.weights().values()) == pytest.approx([2.5] * 2)
            assert labelling.undo().sample == "none"
            labelled(labelling)
            assert labelling.progress().labelled == 5

    def test_what_is_not_in_the_run_is_refused_and_nothing_is_kept(self, store, run, tmp_path):
        sheet = tmp_path / "labels.csv"
        sheet.write_text("sample,label\nq1,1\nelsewhere,1\n", "utf-8")
        labelling = Labelling(store, run, annotator="anna")
        with pytest.raises(InputError, match="no sample 'elsewhere'"):
            label_files.take_labels(labelling, sheet)
        assert labelling.labels() == []
        with pytest.raises(InputError, match="nobody has labelled"):
            label_files.write_labels(labelling, sheet)


class TestTheStore:
    def test_labels_move_along_with_their_run_and_go_with_it(self, store, run, tmp_path):
        labelled(Labelling(store, run, annotator="anna"), 5)
        labels, queue = store.labels.of(run, "told"), store.labels.queue(run, "told")
        with Store(tmp_path / "new.db") as new:
            for _ in range(2):
                import_runs(new, export(store))
            assert new.labels.of(run, "told") == labels
            assert new.labels.queue(run, "told") == queue
        assert verify(tmp_path / "new.db").problems == ()
        clean(tmp_path / "new.db", [run])
        with Store(tmp_path / "new.db") as new:
            assert new.labels.of(run, "told") == []

    def test_a_label_that_was_changed_is_refused(self, store, run):
        labelled(Labelling(store, run, annotator="anna"), 1)
        with store.changing() as db:
            db.execute("UPDATE labels SET value = 1 - value")
        with pytest.raises(InputError, match="is not what was written"):
            Labelling(store, run, annotator="anna").next()
        assert any("labels" in problem for problem in verify(store.path).problems)


@pytest.mark.slow
def test_twenty_kills_lose_nothing(store, run, tmp_path):
    told_of = tmp_path / "told"
    told_of.touch()
    db = store.path
    store.close()
    for kill in range(20):
        _killed(db, run, told_of, least=kill + 1)
    with Store(db) as again:
        kept = {f"{one.sample} {one.value:g}" for one in again.labels.of(run, "told")}
        said = set(told_of.read_text("utf-8").split("\n")[:-1])
        assert said <= kept  # one may be kept that nobody was told of any more
        assert len(said) >= 20
        assert len(kept) <= len(said) + 20
        assert again.query("PRAGMA integrity_check") == [("ok",)]
        labelled(Labelling(again, run, annotator="anna"))
        assert Labelling(again, run, annotator="anna").progress().labelled == N
    assert verify(db).problems == ()


def _killed(db, run, told_of, least):
    """Kill a process that labels once so many labels were told of as kept, at whatever moment."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that a fork leaves behind
        child = os.fork()
    if child == 0:
        try:
            with Store(db) as store, told_of.open("a", encoding="utf-8") as file:
                labelling = Labelling(store, run, annotator="anna")
                while (item := labelling.next()) is not None:
                    labelling.record(good(item.sample))
                    file.write(f"{item.sample} {good(item.sample):g}\n")
                    file.flush()
                    time.sleep(0.002)
            time.sleep(3600)
        finally:
            os._exit(1)
    while told_of.read_bytes().count(b"\n") < least:
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
        time.sleep(0.001)
    time.sleep(least % 5 / 1000)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def test_of_two_samples_it_asks_for_one_label():
    assert verdict(None, None, 0.05, 2, two=False) == "label one"
    assert "fewer than 3 samples" in verdict(None, None, 0.05, 6, two=False)
