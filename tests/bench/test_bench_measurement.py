"""Is a judge measured so that nothing is asked twice and nothing is left out in silence?"""

import json

import msgspec
import pytest
from bench_help import CLAIMS, DEV, TEST500, Predictable, claim, write

import assay
from assay._store import Store
from assay._store.maintenance import clean
from assay.bench import card as cards
from assay.bench import measurement, relevance
from assay.bench.card import Measured
from assay.bench.data import Data
from assay.bench.judge import JudgeUnderTest
from assay.bench.measurement import Sampling, measure
from assay.errors import Denied, InputError


def run(folder, names, judge, db, **more):
    return measure(judge, measurement.chosen(names), Data(folder), store=db, **more)


def only(card):
    (one,) = card.sets
    return one


def by_name(one):
    return {figure.name: figure for figure in one.figures}


@pytest.fixture
def folder(tmp_path):
    """A folder with twelve claims of AttributionBench."""
    write(tmp_path / "data", TEST500, CLAIMS)
    return tmp_path / "data"


class TestWhatIsFound:
    def test_figures_come_with_all_that_is_needed_to_believe_them(self, folder, db):
        one = only(run(folder, ["attributionbench"], Predictable(), db))
        auroc = by_name(one)["AttributionBench test500, AUROC"]
        assert (auroc.value, auroc.high, auroc.n) == (1, 1, 12)
        assert auroc.low < 0.6  # so few in the right order may be by chance
        assert auroc.base_rate == 0.5
        assert auroc.floor_name == "share of new words"

    def test_what_it_took_is_counted_from_the_replies(self, folder, db):
        price = assay.Price(1.0, 10.0)
        settings = assay.Settings(budget=assay.Budget(price=price))
        one = only(run(folder, ["attributionbench"], Predictable(), db, settings=settings))
        assert (one.calls, one.tokens_in, one.tokens_out, one.seconds) == (12, 1200, 120, 12.0)
        assert one.money == pytest.approx(12 * (100 + 10 * 10) / 1e6)

    def test_limits_take_the_same_rows_each_time_and_say_so(self, folder, db):
        card = run(folder, ["attributionbench"], Predictable(), db, sampling=Sampling(limit=5))
        figures = only(card).figures
        of_all = [f for f in figures if f.name.endswith(("AUROC", "accuracy"))]
        assert {figure.n for figure in of_all} == {5}
        assert all("5 of 12 attributionbench rows" in figure.note for figure in figures)
        assert card.limit == 5

    def test_progress_goes_up_to_all_that_was_asked(self, folder, db):
        seen = []
        settings = assay.Settings(on_progress=seen.append)
        run(folder, ["attributionbench"], Predictable(), db, settings=settings)
        assert [p.done for p in seen] == list(range(1, 13))
        assert seen[-1].total == 12
        assert seen[-1].tokens_in == 1200


class TestNothingIsAskedTwice:
    def test_known_replies_give_the_same_card(self, folder, db):
        first, second = Predictable(), Predictable()
        card = run(folder, ["attributionbench"], first, db)
        assert run(folder, ["attributionbench"], second, db) == card
        assert (len(first.asked), len(second.asked)) == (12, 0)

    def test_what_was_refused_midway_goes_on_from_there(self, folder, db):
        broken, mended = Predictable(most=5), Predictable()
        with pytest.raises(Denied):
            run(folder, ["attributionbench"], broken, db)
        one = only(run(folder, ["attributionbench"], mended, db))
        assert one.calls == 12
        assert len(broken.asked) == 5
        assert not set(broken.asked) & set(mended.asked)

    def test_cleaning_the_store_keeps_the_replies(self, folder, db):
        run(folder, ["attributionbench"], Predictable(), db)
        clean(db)
        again = Predictable()
        run(folder, ["attributionbench"], again, db)
        assert again.asked == []

    def test_it_makes_no_run(self, folder, db):
        run(folder, ["attributionbench"], Predictable(), db)
        with Store(db) as store:
            assert store.runs() == []


async def test_it_can_be_called_where_a_loop_is_running_already(folder, db):
    one = only(run(folder, ["attributionbench"], Predictable(), db))
    assert one.calls == 12


class TestNothingIsLeftOutInSilence:
    @pytest.mark.parametrize("name", measurement.BENCHMARKS)
    def test_an_absent_file_is_named(self, name, tmp_path, db):
        judge = Predictable()
        one = only(run(tmp_path, [name], judge, db))
        assert one.skipped.startswith("skipped: ")
        for file in measurement.BENCHMARKS[name].files:
            assert file in one.skipped
        assert one.skipped.endswith(f"not in {tmp_path}")
        assert judge.asked == []

    def test_what_the_judge_cannot_do_is_named(self, folder, db):
        judge = Predictable(kinds=("split_statements", "rate_answer"))
        one = only(run(folder, ["attributionbench"], judge, db))
        assert one == Measured(
            name="attributionbench",
            about=one.about,
            skipped="predictable:1 cannot do verify_statements",
        )

    def test_without_a_threshold_its_row_says_what_to_do(self, folder, db):
        one = only(run(folder, ["attributionbench"], Predictable(), db))
        fixed = by_name(one)["AttributionBench test500, balanced accuracy at the threshold of dev"]
        assert fixed.value is None
        assert fixed.note.startswith("no threshold fitted: `--fit`")

    def test_a_used_up_budget_ends_it_cleanly(self, folder, db):
        write(folder, "claims/wice_claims.jsonl.gz", [])
        settings = assay.Settings(budget=assay.Budget(calls=5))
        names = ["attributionbench", "wice"]
        card = run(folder, names, Predictable(), db, settings=settings)
        assert "budget in calls" in card.stopped
        assert [one.skipped for one in card.sets] == ["not reached: the budget was used up"] * 2
        card = run(folder, names, Predictable(), db)
        assert (card.stopped, card.sets[0].skipped) == ("", "")

    def test_replies_that_cannot_be_read_are_left_out_and_counted(self, folder, db):
        class Mumbling(Predictable):
            def verify_statements(self, task):
                return super().verify_statements(task) if "old" in task.statements[0].text else "?"

        one = only(run(folder, ["attributionbench"], Mumbling(), db))
        assert one.unanswered == 6
        assert by_name(one)["AttributionBench test500, AUROC"].n == 6
        assert "6 without a readable reply" in one.figures[0].note

    def test_a_pair_without_a_score_is_told(self, folder, db):
        better = {"labels": {"better": "a", "dimension": "faithfulness"}, "question": "How old?"}
        pair = {**better, "contexts": ["The bridge is old."], "answer_a": "The bridge is old."}
        # An answer that states nothing has no faithfulness.
        pairs = [{**pair, "id": f"p{n}", "answer_b": "Sorry, I do not know."} for n in range(2)]
        write(folder, "wikieval/wikieval_pairs.jsonl", pairs)
        one = only(run(folder, ["wikieval"], assay.backend("embedded"), db))
        assert one.unanswered == 2
        found = by_name(one)["WikiEval faithfulness, agreement"]
        assert (found.value, found.n) == (0.5, 2)
        assert found.note == "2 ties or unscored count half; 2 without a readable reply or a score"


class TestThresholds:
    def test_one_near_the_highest_score_is_not_rounded_over_it(self, folder):
        # A judge without probabilities is all but sure of each answer with something unsupported.
        row = {"dataset": "attributionbench", "question": "", "contexts": ["The bridge is old."]}
        one, two = "The bridge is red.", "The bridge is red. The bridge is new."
        rows = [{**row, "id": "a", "answer": one, "labels": {"supported": True}}]
        rows += [{**row, "id": "b", "answer": two, "labels": {"supported": False}}]
        write(folder, DEV, rows)
        found = measurement.fit_thresholds(
            JudgeUnderTest(Predictable()), Data(folder), names=("attributionbench",)
        )
        assert 0.999999 < found["attributionbench"]["judge"] < 0.9999995

    def test_they_are_fitted_on_train_rows_and_used(self, folder, db):
        write(folder, DEV, [claim(i, "The bridge is odd", supported=False) for i in range(20, 24)])
        card = run(folder, ["attributionbench"], Predictable(), db, sampling=Sampling(fit=True))
        assert card.notes[0].startswith("No threshold fitted for attributionbench: no threshold")
        rows = [claim(i, "The bridge is odd", supported=False) for i in range(20, 24)]
        rows += [claim(i, "The bridge is old", supported=True) for i in range(24, 28)]
        write(folder, DEV, rows)
        card = run(folder, ["attributionbench"], Predictable(), db, sampling=Sampling(fit=True))
        fitted = card.thresholds["attributionbench"]
        assert 0 < fitted["judge"] < 1
        found = by_name(only(card))
        fixed = found["AttributionBench test500, balanced accuracy at the threshold of dev"]
        assert fixed.value == 1
        assert (
            fixed.note
            == f"threshold {fitted['judge']:.3f}; other floors: "
            + (fixed.note.partition("other floors: ")[2])
        )

    def test_an_absent_train_file_is_named(self, folder, db):
        card = run(folder, ["attributionbench"], Predictable(), db, sampling=Sampling(fit=True))
        assert DEV in card.notes[0]
        assert card.thresholds == {}


class TestTheCard:
    def test_it_can_be_read_again(self, folder, db, tmp_path):
        card = run(folder, ["attributionbench", "wice"], Predictable(), db)
        file = tmp_path / "card.json"
        file.write_text(json.dumps(msgspec.to_builtins(card)), "utf-8")
        assert cards.read(file) == card

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (None, "cannot be read"),
            ("{", "is not a judge card"),
            ('{"a": 1}', "is not a judge card"),
        ],
    )
    def test_what_is_no_card_is_refused(self, text, told, tmp_path):
        file = tmp_path / "other.json"
        if text is not None:
            file.write_text(text, "utf-8")
        with pytest.raises(InputError, match=told):
            cards.read(file)


class TestTheCatalogue:
    def test_every_set_says_what_it_is(self):
        for name, one in measurement.BENCHMARKS.items():
            assert one.name == name
            assert one.about
            assert one.files
            assert one.licence
            assert one.tasks or one.metrics
            assert set(one.whole) <= set(one.kinds)

    def test_families_and_names_are_taken_in_one_order(self):
        names = [one.name for one in measurement.chosen(["telequad", "relevance"])]
        assert names == ["trecqa", "msmarco", "rgb_passages", "helpful", "telequad"]
        assert [one.name for one in measurement.chosen([])] == list(measurement.BENCHMARKS)

    def test_unknown_names_are_refused_with_what_was_meant(self):
        with pytest.raises(InputError, match="did you mean 'wikieval'") as caught:
            measurement.chosen(["wikival", "mtrag", "zzz"])
        assert "mtrag_un" in str(caught.value)
        assert "`assay bench --list`" in str(caught.value)


class TestData:
    def test_a_broken_line_is_named(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('{"id": "1"}\n{oh', "utf-8")
        with pytest.raises(InputError, match=r"a\.jsonl, line 2 is not JSON"):
            Data(tmp_path).rows("a.jsonl")
        (tmp_path / "b.jsonl").write_text("[1]", "utf-8")
        with pytest.raises(InputError, match=r"b\.jsonl, line 1 is not a JSON object"):
            Data(tmp_path).rows("b.jsonl")

    def test_what_is_not_compressed_is_named(self, tmp_path):
        (tmp_path / "a.jsonl.gz").write_text("{}", "utf-8")
        with pytest.raises(InputError, match="cannot be read"):
            Data(tmp_path).rows("a.jsonl.gz")

    def test_rows_of_another_form_are_named(self, tmp_path, db):
        write(tmp_path, TEST500, [{"id": "1", "claim": "It is old."}])
        with pytest.raises(
            InputError, match=r"attributionbench: rows of .* do not have the expected form"
        ):
            run(tmp_path, ["attributionbench"], Predictable(), db)

    def test_a_file_that_is_no_squad_is_named(self, tmp_path):
        write(tmp_path, relevance.TELEQUAD, [{"version": 1}])
        with pytest.raises(InputError, match="not a SQuAD-like file"):
            relevance.corpus(Data(tmp_path))
