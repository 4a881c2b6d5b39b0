"""Do runs get from one store to another whole, once, and not at all if a line is amiss?"""

import contextlib
import json

import pytest

from assay import Result, evaluate
from assay._store import Store
from assay._store.judges import Fingerprint
from assay._store.maintenance import verify
from assay._store.rows import write_reply
from assay._store.transfer import export, import_runs, store_for_import
from assay.errors import InputError, Unavailable
from assay.judge import RETRY_STRIDE, Reply
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "answer_relevancy", "context_precision"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The bytes of a store with a run of three metrics, and a run that uses its replies."""
    path = tmp_path_factory.mktemp("made") / "elsewhere.db"
    evaluate(samples(4), METRICS, plausible(), store=path)
    evaluate(samples(2), "faithfulness", plausible(), store=path)
    return path.read_bytes()


@pytest.fixture
def elsewhere(made, tmp_path):
    """A copy of it."""
    path = tmp_path / "elsewhere.db"
    path.write_bytes(made)
    return path


def lines(path, *runs):
    with Store(path) as store:
        return list(export(store, runs))


def taken(path, found):
    with Store(path) as store:
        return import_runs(store, found)


def shown(path):
    """All that can be read of every run."""
    with Store(path) as store:
        runs = store.runs()
        return {
            run.id: (
                run,
                list(store.samples(run.id)),
                [
                    (store.outcome(run.id, row, metric), store.replies(run.id, row, metric))
                    for row in range(1, run.n_samples + 1)
                    for metric in run.metrics
                ],
                store.spent(run.id),
            )
            for run in runs
        }


def test_all_that_can_be_read_of_a_run_is_the_same_in_the_other_store(elsewhere, db):
    moved = taken(db, lines(elsewhere))
    assert shown(db) == shown(elsewhere)
    assert verify(db).problems == ()
    assert set(moved.runs) == set(shown(elsewhere))
    assert (moved.new["run"], moved.new["sample"], moved.known["sample"]) == (2, 6, 0)


def test_what_was_exported_is_exported_again_word_for_word(elsewhere, db):
    taken(db, lines(elsewhere))
    assert lines(db) == lines(elsewhere)


def test_what_was_billed_without_a_reply_to_a_later_draw_comes_along(elsewhere, db):
    with Store(elsewhere) as store, store.changing() as connection:
        run = store.run()
        lost = Reply((), "", 30, 4, key="ab" * 16, backend="b", kind="k", draw=~RETRY_STRIDE)
        write_reply(connection, lost, run.id)
    taken(db, lines(elsewhere))
    assert shown(db) == shown(elsewhere)


def test_importing_twice_changes_nothing(elsewhere, db):
    taken(db, lines(elsewhere))
    before = shown(db)
    again = taken(db, lines(elsewhere))
    assert shown(db) == before
    assert set(again.new.values()) == {0}


def test_one_run_brings_the_replies_that_another_paid_for(elsewhere, db):
    short = Result(elsewhere, "last").run.id
    assert Result(elsewhere, short).cost().calls == 0
    taken(db, lines(elsewhere, short))
    assert list(shown(db)) == [short]
    assert shown(db)[short] == shown(elsewhere)[short]
    # The payer comes later, or begins anew here: both are one run.
    judge = Watched(plausible())
    evaluate(samples(4), METRICS, judge, store=db)
    assert judge.kinds["split_statements"] == 2
    assert verify(db).problems == ()
    taken(db, lines(elsewhere))
    assert verify(db).problems == ()


def test_the_same_command_asks_nobody_after_an_import(elsewhere, db):
    taken(db, lines(elsewhere))
    judge = Watched(plausible())
    result = evaluate(samples(4), METRICS, judge, store=db)
    assert judge.asked == []
    assert [row.mean for row in result.summary()] == [
        row.mean for row in Result(elsewhere, result.run.id).summary()
    ]


def test_a_failed_score_gives_way_to_one_that_did_not_fail_there(elsewhere, db):
    async def lost(task):
        if task.kind == "verify_statements":
            raise Unavailable("lost", permanent=True)

    evaluate(samples(4), METRICS, Watched(plausible(), before=lost), store=db)
    assert Result(db).summary()[0].n_failed == 4
    moved = taken(db, lines(elsewhere))
    assert moved.new["score"] == 4 + 2
    run = Result(elsewhere, lines(elsewhere)[1].split('"id": "')[1][:12]).run.id
    assert Result(db, run)["faithfulness"] == Result(elsewhere, run)["faithfulness"]
    # And not the other way round.
    failed = db.with_name("failed.db")
    evaluate(samples(4), METRICS, Watched(plausible(), before=lost), store=failed)
    assert taken(db, lines(failed)).new["score"] == 0


def test_a_run_that_has_finished_here_keeps_when_it_did(elsewhere, db):
    here = evaluate(samples(4), METRICS, plausible(), store=db).run
    taken(db, lines(elsewhere))
    assert Result(db, here.id).run == here


async def test_what_is_known_of_a_judge_comes_along(elsewhere, db):
    with Store(elsewhere) as store:
        run = store.run().id
        found = Fingerprint(run, "j", 20000, {"p1": ("a", "b")})
        await store.judges.keep_fingerprint(found)
        await store.judges.keep_noise("signature", run, {"flips": 0.1})
    for _ in range(2):
        taken(db, lines(elsewhere))
    with Store(db) as store:
        assert store.judges.fingerprints(run) == [found]
        assert store.judges.noise("signature") == {"run": run, "flips": 0.1}


class TestWhatIsAmiss:
    def refused(self, path, found, match):
        with pytest.raises(InputError, match=match):
            taken(path, found)
        with Store(path) as store:
            assert store.runs() == []
            assert store.query("SELECT count(*) FROM replies") == [(0,)]
            assert store.query("SELECT count(*) FROM samples") == [(0,)]

    @pytest.mark.parametrize("missing", [1, 2, 5, 20])
    def test_a_file_that_ends_early_leaves_nothing(self, elsewhere, db, missing):
        self.refused(db, lines(elsewhere)[:-missing], "the file ends early, after line")

    def test_an_empty_file(self, db):
        self.refused(db, [], "the file ends early")

    def test_a_sample_that_was_changed_is_not_taken_for_another(self, elsewhere, db):
        found = [line.replace("Paris is", "Lyon is") for line in lines(elsewhere)]
        self.refused(db, found, "is not what it was named by")

    def test_a_run_cannot_be_named_at_will(self, elsewhere, db):
        (run, *_) = shown(elsewhere)
        found = [line.replace(run, "x (a); --") for line in lines(elsewhere, run)]
        self.refused(db, found, r"row 2: is not as .*'x \(a\); --' is no name of a run")

    def test_a_sample_that_is_missing(self, elsewhere, db):
        found = lines(elsewhere)
        at = next(n for n, line in enumerate(found) if line.startswith('{"sample"'))
        self.refused(db, found[:at] + found[at + 1 :], f"row {at + 1}: .*sample 1 is missing")

    def test_a_line_cut_in_the_middle_is_named(self, elsewhere, db):
        found = lines(elsewhere)
        self.refused(db, [*found[:3], found[3][:50], *found[4:]], "row 4: is not as")

    def test_a_field_of_another_type_is_named(self, elsewhere, db):
        found = [line.replace('"draw": 0', '"draw": "x"') for line in lines(elsewhere)]
        self.refused(db, found, r"row \d+: is not as .assay export. writes it")

    @pytest.mark.parametrize(
        ("kind", "field", "value"),
        [
            ("run", "seconds", "long"),
            ("run", "config", {"metrics": ["faithfulness"]}),
            ("reply", "tokens_in", 10**30),
            ("reply", "at", {"a": 1}),
            ("score", "metric", "unknown"),
            ("score", "row", 0),
        ],
    )
    def test_a_value_that_cannot_be_is_named(self, elsewhere, db, kind, field, value):
        found = [json.loads(line) for line in lines(elsewhere)]
        next(line for line in found if kind in line)[kind][field] = value
        self.refused(db, map(json.dumps, found), r"row \d+: is not as .assay export. writes it")

    @pytest.mark.parametrize("value", [1e308, -1e308, 1e101, -0.5, 1.5, float("nan"), 10**400])
    def test_a_score_that_cannot_be_is_refused(self, elsewhere, db, value):
        found = [json.loads(line) for line in lines(elsewhere)]
        scored = next(n for n, line in enumerate(found) if "score" in line.get("score", {}))
        found[scored]["score"]["score"]["value"] = value
        self.refused(
            db, [json.dumps(line) for line in found], f"row {scored + 1}: .*export it anew"
        )

    @pytest.mark.parametrize(
        "line",
        [
            *("{}", "[]", "1", '{"run": "x"}', '{"sample": "x"}'),
            *('{"what": 1}', '{"a": 1, "b": 2}', "[" * 100_000),
        ],
        ids=lambda line: line[:20],
    )
    def test_a_line_of_another_kind_is_named(self, elsewhere, db, line):
        found = lines(elsewhere)
        self.refused(db, [*found[:2], line, *found[2:]], "row 3: is not as")

    def test_another_file(self, db):
        self.refused(db, ['{"question": "?"}\n'], "holds no runs -> `assay export")

    def test_a_newer_format(self, elsewhere, db):
        header = json.loads(lines(elsewhere)[0])
        found = [json.dumps({**header, "version": 2}), *lines(elsewhere)[1:]]
        self.refused(db, found, "version 2, and this assay reads 1 -> upgrade assay")

    def test_a_run_that_is_not_there_cannot_be_exported(self, elsewhere):
        with pytest.raises(InputError, match="no run is called 'zzz'"):
            lines(elsewhere, "zzz")


def test_a_store_made_for_an_import_that_is_refused_goes_again_unless_others_have_it_open(
    tmp_path,
):
    path = tmp_path / "new.db"
    with pytest.raises(InputError, match="ends early"), store_for_import(path) as store:
        import_runs(store, ())
    assert not path.exists()
    other = None
    with contextlib.suppress(InputError), store_for_import(path) as store:
        other = Store(path)
        import_runs(store, ())
    other.close()
    assert path.exists()
