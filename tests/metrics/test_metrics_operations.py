"""Are latency and cost read as they stand, and is their slow end told wherever they are shown?"""

import io
import json
import random
from dataclasses import dataclass

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from assay import Score, Unscored, evaluate
from assay._cli import main
from assay._report import run as views
from assay._report import tables
from assay._report.run import collect, html
from assay._runner.summary import MetricSummary, Summary, unbounded_tail
from assay.metrics import METRICS, parse
from assay.metrics.operations import Latency
from assay.sample import Sample
from support import scripts
from support.over import over
from support.scripts import plausible, score

NAMES = ["latency", "cost_per_query", "tokens_per_query"]
TIMES = [120.0, 80.0, 2400.0, 95.5, 310.0, 88.0, 140.0, 9000.0, 70.0, 101.0]


def slow(times, metrics="latency", **fields):
    data = [scripts.sample(n, latency_ms=time, **fields) for n, time in enumerate(times)]
    return lambda db: evaluate(data, metrics, plausible(), store=db)


@over(
    ("metric", "field", "value"),
    [
        ("latency", "latency_ms", 120.5),
        ("cost_per_query", "cost", 0.002),
        ("tokens_per_query", "tokens", 0),
    ],
)
async def test_it_is_what_the_sample_records(metric, field, value):
    found = await score(parse(metric), Sample(id="1", **{field: value}), {})
    assert isinstance(found, Score)
    assert found.value == value
    assert found.parts[0].text.startswith(field)


@over("metric", NAMES)
@over("value", [None, float("nan"), float("inf"), -1])
async def test_what_cannot_be_is_undefined(metric, value):
    (need,) = METRICS[metric].needs
    assert isinstance(await score(parse(metric), Sample(id="1", **{need: value}), {}), Unscored)


def test_percentiles_are_those_of_numpy(db):
    chance = random.Random(1)
    times = [chance.lognormvariate(6, 1) for _ in range(101)]
    row = slow(times)(db).summary()[0]
    assert row.percentiles == pytest.approx(tuple(np.percentile(times, (50, 95, 99))))
    assert row.mean == pytest.approx(np.mean(times))


def test_one_sample_is_every_percentile_of_itself(db):
    assert slow([120.0])(db).summary()[0].percentiles == (120.0, 120.0, 120.0)


def test_only_what_has_no_upper_end_has_percentiles(db):
    rows = slow(TIMES, ["latency", "faithfulness"])(db).summary()
    assert [row.percentiles is None for row in rows] == [False, True]


def test_a_summary_prints_them_under_its_table(db):
    told = "latency: p50 110, p95 6,030, p99 8,406 (too few samples to bound the highest 5 %)"
    assert told in str(slow(TIMES)(db).summary())


@over(("n", "told"), [(10, "5 %"), (71, "5 %"), (72, "1 %"), (367, "1 %"), (368, ""), (10_000, "")])
def test_few_samples_do_not_bound_what_is_greater_than_most(n, told):
    text = unbounded_tail(n)
    assert bool(text) == bool(told)
    assert told in text


def test_a_failed_sample_leaves_the_worst_case_open():
    row = MetricSummary("latency", 1.0, None, None, 1, 0, 1, (), "", (1.0, 1.0, 1.0))
    assert "  -  " in str(Summary([row]))


TOLD = "half of the samples up to 110 ms, 95 % up to 6,030 ms, 99 % up to 8,406 ms"


class TestReports:
    @pytest.fixture
    def data(self, db):
        return collect(slow(TIMES, ["latency", "faithfulness"])(db))

    def test_the_range_is_plain_json(self, data):
        assert data["metrics"][0]["range"] == [0.0, None]
        json.dumps(data, allow_nan=False)

    def test_every_form_tells_the_slow_end(self, data):
        page = Console(file=io.StringIO(), width=200)
        page.print(views.summary(data))
        assert TOLD in page.file.getvalue()  # type: ignore[attr-defined]
        assert TOLD in views.markdown(data)
        assert html.render(data).count(TOLD) == 1

    def test_every_form_names_the_unit_and_gives_none_to_shares(self, data):
        page = Console(file=io.StringIO(), width=200)
        page.print(views.summary(data))
        assert "latency ms \N{DOWNWARDS ARROW}" in page.file.getvalue()  # type: ignore[attr-defined]
        assert "| `latency` (ms, lower is better) |" in views.markdown(data)
        assert "| `faithfulness` |" in views.markdown(data)
        assert html.render(data).count("<small>ms</small></b>") == 1

    def test_the_bars_reach_to_the_slowest(self, data):
        spread = tables.spread(data["metrics"][0])
        assert (spread.low, spread.high) == (0.0, 9000.0)
        assert (spread.counts[0], spread.counts[-1]) == (8, 1)

    def test_no_time_is_painted_good_or_bad(self, data):
        assert {tables.goodness(time, data["metrics"][0]) for time in TIMES} == {0.5}


def test_a_metric_of_the_same_name_may_count_in_another_unit(db):
    @dataclass(frozen=True)
    class Seconds(Latency):
        """Seconds that the answer took."""

        unit = "s"

    data = collect(slow(TIMES, Seconds())(db))
    assert [metric["unit"] for metric in data["metrics"]] == ["s"]


def test_metrics_are_listed_as_json_that_every_reader_takes():
    def refuse(constant):
        raise AssertionError(constant)

    listed = CliRunner().invoke(main, ["metrics", "--json"])
    rows = {row["name"]: row for row in json.loads(listed.output, parse_constant=refuse)}
    assert rows["latency"]["range"] == [0.0, None]
    assert rows["hit_at_k"]["instead"][-1] == ["contexts", "reference_contexts"]
    shown = CliRunner().invoke(main, ["metrics", "hit_at_k"]).output
    told = " ".join(shown.split())
    assert "context_ids, relevance_grades; or contexts, reference_contexts" in told


def test_the_list_names_every_metric_once_and_says_who_can_judge_it():
    lines = CliRunner().invoke(main, ["metrics"]).output.splitlines()
    who = {line.split()[0]: line.split()[1:] for line in lines if len(line.split()) > 2}
    assert [line.split()[0] for line in lines if line.split()[:1] == ["hit_at_k"]] == ["hit_at_k"]
    assert set(METRICS) <= set(who)
    assert who["hit_at_k"][:2] == ["no", "judge"]
    assert who["faithfulness"][0] == "offline"
    assert who["paper:faithfulness"][:3] == ["needs", "an", "LLM"]
