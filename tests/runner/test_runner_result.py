"""Results: read from the store, by name, resumed, in shards."""

import asyncio
import csv
import json
import math
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay import (
    Budget,
    Limits,
    Part,
    Price,
    Result,
    Score,
    Settings,
    Unscored,
    aevaluate,
    evaluate,
)
from assay._analysis.comparison import compare
from assay._analysis.diagnosis import counterfactual
from assay._analysis.repeat import repeat
from assay._middleware.wrapper import Route
from assay._runner.evaluate import SameRunWarning
from assay._runner.result import NOT_DONE, labels
from assay._user_modules import module_in_file
from assay.errors import InputError, Unavailable
from assay.metrics import METRICS as METRICS_BY_NAME
from support import scripts
from support.over import over
from support.scripts import Watched, plausible, sample, samples

METRICS = ["faithfulness", "answer_relevancy", "context_precision"]


@pytest.fixture
def mixed(db):
    """Five samples: three scored, one undefined, one failed (by faithfulness)."""

    async def sometimes(task):
        if task.kind == "verify_statements" and "Rome" in repr(task):
            raise Unavailable("lost", permanent=True)

    data = [*samples(4), sample(4, answer="I do not know.")]
    return evaluate(data, METRICS, Watched(plausible(), before=sometimes), store=db)


class TestASampleIsNamed:
    def test_by_its_id_even_where_that_was_given_as_a_number(self, db):
        data = [{"id": 7, "question": "q", "contexts": ["c"], "answer": "a"}]
        result = evaluate(data, "faithfulness", Watched(plausible()), store=db)
        assert result.trace(7, "faithfulness").sample.id == "7"  # type: ignore[arg-type]
        with pytest.raises(InputError, match="no sample '0'"):
            result.trace(0, "faithfulness")  # type: ignore[arg-type]

    def test_its_metrics_are_offered_by_tab(self, db):
        result = evaluate(samples(1), ["faithfulness"], Watched(plausible()), store=db)
        assert result._ipython_key_completions_() == ["faithfulness"]


class TestAMetricIsNamed:
    def test_by_the_metric_itself_with_the_same_parameters(self, db):
        recall = METRICS_BY_NAME["factual_correctness"](mode="recall")  # type: ignore[call-arg]
        result = evaluate(samples(1), [recall, "faithfulness"], Watched(plausible()), store=db)
        assert result[recall] == result["factual_correctness(mode=recall)"]
        assert list(result.outcomes(recall)) == list(result.outcomes(recall.label))
        trace = result.trace(next(result.outcomes(recall))[0].id, recall)
        assert trace.metric == recall.label
        with pytest.raises(InputError, match="has no metric factual_correctness -> name a metric"):
            result[type(recall)()]

    @pytest.mark.parametrize("key", [3, None, ["faithfulness"], METRICS_BY_NAME["faithfulness"]])
    def test_by_nothing_that_is_no_name(self, mixed, key):
        with pytest.raises(InputError) as told:
            mixed[key]
        assert f"has no metric {key!r}" in str(told.value)
        assert "name a metric that it has: 'faithfulness', 'answer_relevancy'" in str(told.value)


class TestSummary:
    def test_a_mean_stands_beside_what_it_is_the_mean_of(self, mixed):
        row = mixed.summary()[0]
        assert (row.metric, row.mean) == ("faithfulness", 0.5)
        assert (row.n_scored, row.n_undefined, row.n_failed) == (3, 1, 1)

    def test_worst_case_bounds_take_failed_samples_for_the_lowest_and_highest_value(self, mixed):
        row = mixed.summary()[0]
        assert row.bounds == pytest.approx(((3 * 0.5 + 0) / 4, (3 * 0.5 + 1) / 4))

    def test_without_a_failure_the_bounds_are_the_mean(self, mixed):
        row = mixed.summary()[2]
        assert row.bounds == (row.mean, row.mean)

    def test_bounds_of_a_cosine_reach_to_minus_1(self, db):
        async def lose(task):
            if task.kind == "generate_questions" and "Rome" in repr(task):
                raise Unavailable("lost", permanent=True)

        judge = Watched(plausible(), before=lose)
        result = evaluate(samples(2), "answer_relevancy", judge, store=db)
        row = result.summary()[0]
        assert row.bounds == pytest.approx(((row.mean - 1) / 2, (row.mean + 1) / 2))

    def test_nothing_scored_has_no_mean_and_nothing_known_has_no_bounds(self, db):
        async def lose(task):
            raise Unavailable("lost", permanent=True)

        lost = evaluate(
            samples(2), "faithfulness", Watched(plausible("a"), before=lose), store=db
        ).summary()[0]
        assert (lost.mean, lost.bounds, lost.n_failed) == (None, (0.0, 1.0), 2)
        none = plausible("b", split_statements=scripts.split())
        undefined = evaluate(samples(2), "faithfulness", none, store=db).summary()[0]
        assert (undefined.mean, undefined.bounds, undefined.n_undefined) == (None, None, 2)

    def test_it_prints_as_a_table_with_every_count(self, mixed):
        lines = str(mixed.summary()).splitlines()
        counts = ["scored", "undefined", "failed"]
        assert lines[0].split() == ["metric", "mean", "95", "%", "interval", "bounds", *counts]
        assert lines[1].split()[:2] == ["faithfulness", "0.50"]
        assert lines[1].split()[3:] == ["0.38–0.62", "3", "1", "1"]

    def test_a_method_other_than_the_definition_is_told(self, db):
        judge = plausible(rate_answer=scripts.rating(0.5))
        del judge._script["generate_questions"]
        result = evaluate(samples(2), "answer_relevancy", judge, store=db)
        (row,) = result.summary()
        assert "not the cosine definition" in row.methods[0]
        assert row.methods[0] in str(result.summary())

    def test_the_signature_names_all_that_could_change_the_number(self, mixed):
        from assay import __version__

        assert mixed.summary()[0].signature == (
            "faithfulness|split_statements=plausible|verify_statements=plausible"
            f"|revision=3|assay={__version__}"
        )

    def test_a_metric_whose_definition_changed_says_which_revision_it_is(self, db):
        result = evaluate(
            [{"answer": "a b", "reference": "b"}], ["token_f1", "exact_match"], store=db
        )
        told = {row.metric: row.signature for row in result.summary()}
        assert "|revision=2|" in told["token_f1"]
        assert "revision" not in told["exact_match"]


class TestOutcomes:
    def test_a_metric_gives_its_outcomes_in_the_order_of_the_samples(self, mixed):
        found = mixed["faithfulness"]
        assert [getattr(o, "value", None) or o.why for o in found] == [
            0.5,
            "failed",
            0.5,
            0.5,
            "undefined",
        ]
        assert found[0].parts[0].kind == "statement"

    def test_an_alias_and_a_spec_name_the_metric_too(self, db):
        metrics = ["answer_similarity", "factual_correctness(beta=2)"]
        result = evaluate(samples(2), metrics, plausible(), store=db)
        assert result["semantic_similarity"] == result["answer_similarity"]
        assert result["factual_correctness( beta=2.0 )"] == result["factual_correctness(beta=2)"]

    def test_a_metric_that_was_not_scored_is_refused_with_those_that_were(self, mixed):
        with pytest.raises(InputError, match="has no 'context_recall': it has faithfulness, "):
            mixed["context_recall"]

    def test_samples_come_with_their_outcomes(self, mixed):
        assert [s.id for s, _ in mixed.outcomes("faithfulness")] == [f"q{n}" for n in range(5)]


class TestTrace:
    def test_it_holds_the_sample_its_parts_and_everything_that_was_said(self, mixed):
        trace = mixed.trace("q0", "faithfulness")
        assert trace.sample == sample(0)
        assert trace.outcome == mixed["faithfulness"][0]
        assert [reply.kind for reply in trace.replies] == ["split_statements", "verify_statements"]
        assert all(reply.raw and reply.prompt and reply.key for reply in trace.replies)
        assert all(reply.backend == "plausible" for reply in trace.replies)

    def test_a_failed_score_shows_the_replies_that_could_not_be_read(self, db):
        judge = plausible(verify_statements="I would rather not.")
        result = evaluate(samples(1), "faithfulness", judge, store=db)
        trace = result.trace("q0", "faithfulness")
        assert trace.outcome.why == "failed"
        assert [r.raw for r in trace.replies][1:] == ["I would rather not."] * 3
        assert [r.draw for r in trace.replies][1:] == [0, 1000, 2000]

    @pytest.mark.parametrize(("who", "what"), [("q9", "faithfulness"), ("q0", "context_recall")])
    def test_what_is_not_there_is_refused(self, mixed, who, what):
        with pytest.raises(InputError, match="has no"):
            mixed.trace(who, what)


class TestTables:
    def test_rows_hold_the_sample_and_every_value_or_why_there_is_none(self, mixed):
        rows = list(mixed.rows())
        assert rows[0]["question"] == sample(0).question
        assert (rows[0]["faithfulness"], rows[0]["faithfulness_why"]) == (0.5, "")
        assert (rows[1]["faithfulness"], rows[1]["faithfulness_why"]) == (None, "failed: lost")
        why = "undefined: the answer makes no statement"
        assert (rows[4]["faithfulness"], rows[4]["faithfulness_why"]) == (None, why)

    def test_nan_stands_in_pandas_only_beside_its_reason(self, mixed):
        frame = mixed.to_pandas()
        assert list(frame["id"]) == [f"q{n}" for n in range(5)]
        for metric in METRICS:
            assert frame[metric].dtype == "float64"
            for value, why in zip(frame[metric], frame[f"{metric}_why"], strict=True):
                assert math.isnan(value) is bool(why)

    def test_pandas_begins_with_the_id_and_the_scores_and_the_texts_follow(self, mixed):
        columns = list(mixed.to_pandas().columns)
        first = ["id", *METRICS, "question", "answer", "contexts", "reference"]
        assert columns[: len(first)] == first
        assert {*columns} <= {*next(mixed.rows())}

    def test_pandas_has_no_columns_of_fields_that_no_sample_fills(self, db):
        rows = [{"question": "q", "answer": "It is.", "contexts": ["c"]} for _ in range(2)]
        rows[1] |= {"latency_ms": 3.0, "team": "A"}
        columns = evaluate(rows, "faithfulness", plausible(), store=db).to_pandas().columns
        first = ["id", "faithfulness", "question", "answer", "contexts", "reference"]
        assert columns[:6].tolist() == first
        assert {*columns[6:]} == {"latency_ms", "metadata", "faithfulness_why"}

    def test_a_metric_that_failed_everywhere_is_a_column_of_numbers_too(self, db):
        async def lose(task):
            raise Unavailable("lost", permanent=True)

        result = evaluate(samples(2), "faithfulness", Watched(plausible(), before=lose), store=db)
        assert result.to_pandas()["faithfulness"].dtype == "float64"

    def test_jsonl_holds_every_score_with_its_evidence(self, mixed, tmp_path):
        path = tmp_path / "out.jsonl"
        mixed.to_jsonl(path)
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert [line["id"] for line in lines] == [f"q{n}" for n in range(5)]
        assert lines[0]["scores"]["faithfulness"]["value"] == 0.5
        assert lines[0]["scores"]["faithfulness"]["parts"][0]["label"] == "supported"
        assert lines[1]["scores"]["faithfulness"]["why"] == "failed"

    def test_csv_holds_scores_and_texts_and_computes_nothing(self, tmp_path):
        rows = [
            {"id": "sum", "answer": "=1+1", "contexts": ["A, b", "ü"], "reference": "two"},
            {"id": "gap", "answer": "2", "contexts": None, "reference": None},
        ]
        path = tmp_path / "scores.csv"
        evaluate(rows, "token_f1", plausible(), store=tmp_path / "assay.db").to_csv(path)
        with path.open(encoding="utf-8-sig", newline="") as file:
            first, second = csv.DictReader(file)
        assert (first["id"], first["answer"]) == ("sum", "'=1+1")
        assert (float(first["token_f1"]), first["token_f1_why"]) == (0, "")
        assert json.loads(first["contexts"]) == ["A, b", "ü"]
        assert second["token_f1"] == second["contexts"] == ""
        assert "no reference" in second["token_f1_why"]

    def test_what_jsonl_holds_can_be_evaluated_again(self, mixed, tmp_path):
        path = tmp_path / "out.jsonl"
        mixed.to_jsonl(path)
        again = evaluate(path, "context_precision", plausible(), store=tmp_path / "again.db")
        assert again["context_precision"] == mixed["context_precision"]


class Wordy(Watched):
    """Counts a hundred tokens of every prompt, and ten of every reply."""

    async def reply(self, task, draw=0):
        return replace(await super().reply(task, draw), tokens_in=100, tokens_out=10)


class TestCost:
    def test_it_counts_the_calls_that_this_run_paid_for(self, db):
        judge = Watched(plausible())
        first = evaluate(samples(2), "faithfulness", judge, store=db)
        second = evaluate(samples(3), "faithfulness", judge, store=db)
        assert (first.cost().calls, second.cost().calls) == (4, 2)
        assert first.cost().seconds > 0
        assert first.cost().money is None

    def test_money_is_tokens_times_price(self, db):
        settings = Settings(budget=Budget(price=Price(1.0, 2.0)))
        judge = Wordy(plausible())
        cost = evaluate(samples(2), "faithfulness", judge, store=db, settings=settings).cost()
        assert (cost.tokens_in, cost.tokens_out) == (400, 40)
        assert cost.money == (400 + 2 * 40) / 1e6

    def test_what_is_computed_in_this_process_costs_no_money(self, db):
        settings = Settings(budget=Budget(price=Price(1.0, 2.0)))
        here = Wordy(plausible("here"))
        here.local = True  # type: ignore[attr-defined]
        judge = Route(Wordy(plausible()), {"verify_statements": here, "embed": here})
        result = evaluate(samples(2), "faithfulness", judge, store=db, settings=settings)
        cost = result.cost()
        assert (cost.calls, cost.tokens_in, cost.tokens_out) == (4, 400, 40)
        assert cost.money == (200 + 2 * 20) / 1e6


class TestResult:
    def test_it_is_only_a_name_and_can_be_opened_again(self, mixed, db):
        assert Result(db)["faithfulness"] == mixed["faithfulness"]
        assert Result(db, mixed.run.id[:6]).run == mixed.run
        assert repr(mixed) == f"Result({str(db)!r}, {mixed.run.id!r})"
        assert str(mixed).startswith(str(mixed.summary()))

    def test_a_store_that_is_not_there_is_refused_and_not_made(self, tmp_path):
        with pytest.raises(InputError, match="there is no store"):
            Result(tmp_path / "none.db")
        assert not (tmp_path / "none.db").exists()

    def test_it_is_the_same_store_in_whichever_folder_one_is_later(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = evaluate(samples(1), "faithfulness", plausible(), store="x.db")
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        before = result.summary()
        assert str(result.path) == "x.db"
        monkeypatch.chdir(elsewhere)
        assert result.summary() == before
        assert repr(result) == f"Result('x.db', {result.run.id!r})"
        assert result.path == tmp_path / "x.db"
        assert not list(elsewhere.iterdir())

    def test_reading_one_whose_store_is_gone_makes_no_other(self, mixed, db):
        for file in db.parent.glob(f"{db.name}*"):
            file.unlink()
        with pytest.raises(InputError, match="there is no store"):
            mixed.summary()
        assert not db.exists()

    def test_samples_that_were_not_reached_count_as_failed(self, db):
        settings = Settings(budget=Budget(tokens=400), limits=Limits(concurrency=1))
        judge = Watched(plausible())
        result = evaluate(samples(30), "faithfulness", judge, store=db, settings=settings)
        assert result.stopped
        assert NOT_DONE in result["faithfulness"]
        row = result.summary()[0]
        assert row.n_scored + row.n_failed == 30
        assert row.bounds[0] < row.bounds[1]


def test_the_values_of_a_result_are_what_the_metrics_returned(db):
    result = evaluate([sample()], "faithfulness", plausible(), store=db)
    (found,) = result["faithfulness"]
    assert isinstance(found, Score)
    assert not isinstance(found, Unscored)
    assert all(isinstance(part, Part) for part in found.parts)
    assert found.parts[0].context == 0
    assert found.parts[0].quote in sample().contexts[0]


def test_what_is_written_of_a_run_shows_at_once_however_often_it_was_read(db):
    result = evaluate([sample()], "faithfulness", plausible(), store=db)
    for number in range(6):
        if number % 2:
            time.sleep(0.02)  # the file has settled, and what was read of it is remembered
        assert result.run == result.run
        Result(db).describe(name=f"n{number}")
        assert result.run.name == f"n{number}"


class TestWhatIsSaidOfIt:
    def test_settings_name_a_run_and_the_name_opens_it(self, db):
        settings = Settings(name="k5", tags=["sweep"], note="first", params={"k": np.int64(5)})
        made = evaluate(samples(1), "faithfulness", plausible(), store=db, settings=settings)
        run = Result(db, "k5").run
        assert (run.id, run.title, run.tags, run.note) == (made.run.id, "k5", ("sweep",), "first")
        assert (run.params, type(run.params["k"])) == ({"k": 5}, int)

    def test_it_changes_neither_the_run_nor_what_is_paid(self, db):
        first = evaluate(samples(1), "faithfulness", plausible(), store=db)
        settings = Settings(name="k5", params={"k": 5})
        again = evaluate(samples(1), "faithfulness", plausible(), store=db, settings=settings)
        assert again.run.id == first.run.id
        assert again.run.metrics == first.run.metrics
        assert again.paid.calls == 0

    def test_two_values_that_bring_the_same_answers_are_told_to_be_one_run(self, db):
        def scored(k):
            settings = Settings(name=f"k{k}", params={"k": k})
            return evaluate(samples(1), "faithfulness", plausible(), store=db, settings=settings)

        scored(5)
        with pytest.warns(SameRunWarning, match="name 'k5' by 'k10', k '5' by '10'"):
            assert scored(10).run.params == {"k": 10}

    def test_it_is_set_afterwards_and_what_is_not_given_stays(self, db):
        result = evaluate(samples(1), "faithfulness", plausible(), store=db)
        result.describe(name="a", tags=["x", "y"], params={"k": 5})
        result.describe(tags=["y"], note="n")
        run = result.run
        assert (run.name, run.tags, run.note, run.params) == ("a", ("y",), "n", {"k": 5})

    @over("said", [{"name": "last"}, {"tags": "x"}, {"params": {"k": []}}])
    def test_settings_that_cannot_be_kept_are_refused(self, said):
        with pytest.raises(InputError):
            Settings(**said)


def test_of_what_a_run_cost_it_is_told_what_this_machine_did(db):
    metrics = ["faithfulness", "answer_similarity"]  # two calls a sample, and two vectors
    result = evaluate(samples(2), metrics, plausible(), embedder="embedded", store=db)
    cost = result.cost()
    assert (cost.calls - cost.local, cost.local > 0) == (4, True)


def test_a_call_says_how_often_it_asked_and_what_it_reused(db):
    rows = [{"question": "Who?", "contexts": ["Anna did."], "answer": "Anna did. Bo did not."}]
    first = evaluate(rows, "faithfulness", plausible(), store=db)
    again = evaluate(rows, "faithfulness", plausible(), store=db)
    other = evaluate(rows, "faithfulness,answer_relevancy", plausible(), store=db)
    assert (first.asked, first.reused, first.cost().reused) == (2, 0, 0)
    assert (again.asked, again.reused, again.cost().calls) == (0, 2, 2)
    assert other.reused == other.cost().reused == 2
    assert (Result(db, first.run.id).asked, Result(db, first.run.id).reused) == (0, 2)


async def test_calls_at_the_same_time_count_each_what_it_paid_for_itself(db):
    calls = [aevaluate(samples(4), "faithfulness", plausible(), store=db) for _ in range(3)]
    results = await asyncio.gather(*calls)
    assert len({result.run.id for result in results}) == 1
    assert sum(result.asked for result in results) == results[0].cost().calls == 8


RUN = "import pathlib\npathlib.Path({!r}).touch()\n"


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """(file that the planted module makes if it is run, name of that module)."""
    name = f"planted_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(RUN.format(str(tmp_path / "ran")), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "ran", name
    sys.modules.pop(name, None)


def scored(called, db, data):
    class Named(assay.Metric):
        """Some metric."""

        name, needs = called, ("answer",)

        async def score(self, sample, judge):
            return assay.Score(1.0)

    return evaluate(data, Named(), plausible(), store=db)


def test_not_when_it_is_named_again(planted, db):
    ran, module = planted
    result = scored(f"{module}:attr", db, samples(2))
    assert labels(result.run, f"{module}:attr") == [f"{module}:attr"]
    assert not ran.exists()


def test_not_when_the_run_is_repeated(planted, db):
    ran, module = planted
    result = scored(f"{module}:attr", db, samples(2))
    with pytest.raises(InputError, match="has metrics that are not assay's: planted_"):
        repeat(result, plausible())
    assert not ran.exists()


def test_not_when_another_run_lacks_it(planted, db, tmp_path):
    ran, module = planted
    result = scored(f"{module}:attr", db, samples(2))
    other = evaluate(samples(2), "exact_match", plausible(), store=tmp_path / "other.db")
    with pytest.raises(InputError, match=f"has no '{module}:attr': it has exact_match"):
        compare(result, Result(other.path), metrics=[f"{module}:attr"])
    assert not ran.exists()


def test_not_when_it_begins_as_one_of_assay_and_is_scored_again(planted, db):
    ran, module = planted
    data = [replace(one, reference_contexts=one.contexts) for one in samples(2)]
    result = scored(f"faithfulness(/../{module}.py:attr", db, data)
    again = counterfactual(result, plausible())
    assert set(again.run.metrics) == {"faithfulness", "context_recall"}
    assert not ran.exists()


def test_no_path_climbs_out_of_a_folder_that_is_not_there(planted, tmp_path):
    ran, module = planted
    with pytest.raises(FileNotFoundError):
        module_in_file(tmp_path / "nowhere" / ".." / f"{module}.py")
    assert not ran.exists()
