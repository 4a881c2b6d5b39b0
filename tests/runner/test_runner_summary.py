"""Does every mean of a run have its interval, and is it the one of what is independent?"""

import html
import math
from dataclasses import dataclass, replace

import pytest

from assay import Metric, Score, Unscored, evaluate
from assay.stats.intervals import mean_interval
from support.scripts import plausible, samples


@dataclass(frozen=True)
class Told(Metric):
    """The number in a sample's metadata, undefined where there is none."""

    name = "told"
    source = "here"
    needs = ()
    range = (0.0, 1.0)

    async def score(self, sample, judge):
        value = sample.metadata.get("told")
        return Unscored("undefined", "not told") if value is None else Score(value)


@dataclass(frozen=True)
class Seconds(Told):
    """The same without an upper end."""

    name = "seconds"
    range = (0.0, math.inf)


def rows(values, groups=None):
    made = samples(len(values))
    groups = groups or [None] * len(values)
    return [
        replace(sample, metadata={"told": value}, group=group)
        for sample, value, group in zip(made, values, groups, strict=True)
    ]


def summary(db, values, groups=None, metric=None):
    (row,) = evaluate(rows(values, groups), metric or Told(), plausible(), store=db).summary()
    return row


def test_it_is_the_interval_of_the_scored_samples_in_the_metrics_range(db):
    row = summary(db, [0.1, 0.5, None, 0.9, 0.8])
    expected = mean_interval([0.1, 0.5, 0.9, 0.8], low=0, high=1)
    assert row.interval == (expected.low, expected.high)
    assert row.interval_method == "Wilson, effective n"
    assert row.n_groups is None


def test_a_metric_without_an_upper_end_has_that_of_an_open_range(db):
    row = summary(db, [0.1, 0.5, 3.0, 0.9, 0.8], metric=Seconds())
    expected = mean_interval([0.1, 0.5, 3.0, 0.9, 0.8], low=0)
    assert row.interval == (expected.low, expected.high)
    assert row.interval_method == "skewness-corrected t"


def test_samples_of_one_group_count_together_and_one_without_a_group_alone(db):
    values, groups = [0.1, 0.2, 0.9, 0.8, 0.5, None], ["a", "a", "b", "b", None, "c"]
    row = summary(db, values, groups)
    units = ["a", "a", "b", "b", 5]
    expected = mean_interval(values[:5], groups=units, low=0, high=1)
    assert row.interval == (expected.low, expected.high)
    assert (row.n_groups, row.interval_method) == (3, "Wilson, effective n, 3 groups")


def test_a_group_named_like_a_row_is_not_taken_for_it(db):
    assert summary(db, [0.1, 0.2, 0.9], ["3", "3", None]).n_groups == 2


@pytest.mark.parametrize(
    ("values", "groups"), [([0.5, None], None), ([0.5, 0.7, 0.9], ["a", "a", "a"])]
)
def test_one_that_is_independent_has_a_mean_and_no_interval(db, values, groups):
    row = summary(db, values, groups)
    assert row.mean is not None
    assert (row.interval, row.interval_method) == (None, "")


def test_the_table_prints_it_or_a_dash(db):
    found = evaluate(rows([0.1, 0.5, 0.9, 0.8]), Told(), plausible(), store=db).summary()
    low, high = found[0].interval
    # 0.575, whichever way `sum` rounds: it does so otherwise from Python 3.12 on.
    assert f"0.58      {low:.2f}–{high:.2f}    0.58" in str(found)
    lone = evaluate(rows([0.1]), Told(), plausible(), store=db).summary()
    assert lone[0].interval is None
    assert str(lone).splitlines()[1].split()[:4] == ["told", "0.10", "-", "0.10"]


def test_as_a_data_frame_it_has_a_row_a_metric_with_the_ends_in_columns_of_their_own(db):
    data = rows([0.1, 0.5, 0.9, 0.8])
    result = evaluate(data, [Told(), Seconds()], plausible(), store=db)
    found, frame = result.summary(), result.summary().to_pandas()
    assert list(frame["metric"]) == ["told", "seconds"]
    assert list(zip(frame["low"], frame["high"], strict=True)) == [row.interval for row in found]
    assert list(frame["n_scored"]) == [4, 4]
    assert list(frame["p50"].isna()) == [True, False]


def test_it_is_a_table_wherever_it_is_evaluated(db):
    found = evaluate(rows([0.1, 0.5, 0.9, 0.8]), Told(), plausible(), store=db).summary()
    assert repr(found) == str(found)
    assert repr(found).startswith("metric")
    page = html.unescape(found._repr_html_())  # a page in a frame
    assert "<table" in page
    assert "told" in page
    assert "0.57" in page or "0.58" in page


def test_what_failed_says_why_where_the_summary_is_printed(db):
    silent = evaluate(samples(2), "faithfulness", lambda prompt: "", store=db).summary()
    assert (silent[0].n_failed, silent[0].why_failed) == (2, "the reply is empty")
    assert "faithfulness: 2 failed, most often: the reply is empty" in str(silent)
    scored = evaluate(samples(2), "faithfulness", plausible(), store=db).summary()
    assert scored[0].why_failed == ""
    assert "failed, most often" not in str(scored)
