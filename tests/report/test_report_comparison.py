"""The words of a comparison, and its page in a browser."""

import re
from dataclasses import replace

import msgspec
import pytest

from assay._analysis.comparability import LeftOut
from assay._analysis.comparison import Compared, Comparison, MetricComparison
from assay._report import comparison
from assay._report.comparison import views
from assay.stats.comparison import Paired
from assay.stats.intervals import Interval
from support import chromium
from support.over import over

RUN = Compared("3f9a12cd", "a.db", "data.jsonl", "judge", 50, "2026-11-01T10:00:00Z")


FOUND = Paired(
    n=48,
    units=48,
    before=0.7,
    after=0.72,
    difference=0.02,
    interval=Interval(-0.03, 0.07),
    p=0.4,
    p_of_signs=0.4,
    test="sign-flip permutation, exact",
    effect=0.1,
    effect_interval=None,
    up=12,
    same=26,
    down=10,
    error=0.02,
    deviation=0.14,
    moved=22,
    size=0.1,
    unseen=0.5,
)
ONE = MetricComparison(
    metric="faithfulness",
    run=1,
    higher_is_better=True,
    verdict="no difference found",
    paired=FOUND,
    p=0.8,
    detectable=0.06,
    least=6,
    aim=0.02,
    needed=400,
    left_out=(),
    worst=(),
    best=(),
    range=(0.0, 1.0),
)


def numbers(**more):
    return replace(FOUND, **more)


def one(paired=FOUND, **more):
    return replace(ONE, paired=paired, **more)


@over(
    ("found", "words"),
    [
        (
            one(),
            "48 pairs show differences of 0.06 and more. It takes about 400 to show the 0.02 seen.",
        ),
        (one(needed=20_000), "48 pairs show differences of 0.06 and more."),
        (
            one(numbers(p=0.03), needed=None),
            (
                "p = 0.030 alone, but of so many tests one may reach that by chance. "
                "48 pairs show differences of 0.06 and more."
            ),
        ),
        (
            one(numbers(p_of_signs=0.0002, p=0.09), needed=None),
            (
                "p < 0.001 by permutation, but so few pairs cannot rule out rare large losses "
                "that would undo it. 48 pairs show differences of 0.06 and more."
            ),
        ),
        (
            one(numbers(units=5), detectable=None, needed=None),
            "5 independent samples cannot show any, however large it is.",
        ),
        (
            one(numbers(moved=1), detectable=None, needed=None),
            "Only 1 of 48 pairs differs; it takes 6, all in one direction, to show a difference.",
        ),
        (
            one(numbers(units=12, moved=5), detectable=0.4, needed=None),
            (
                "Only 5 of 12 groups differ; it takes 6, all in one direction, to show a difference. "
                "48 pairs show differences of 0.40 and more."
            ),
        ),
        (one(numbers(up=0, down=0), needed=None), "No sample scores differently."),
        (one(verdict="worse"), ""),
        (
            one(numbers(n=1, units=1), verdict="too few pairs"),
            "1 pair of one group say nothing of others.",
        ),
    ],
)
def test_beside_its_row_a_metric_says_what_so_many_pairs_can_tell(found, words):
    assert comparison.finding(found, 0.95) == words


WORSE = one(numbers(difference=-0.2, interval=Interval(-0.3, -0.1), effect=-0.9), verdict="worse")
BETTER = replace(WORSE, metric="errors", verdict="better", higher_is_better=False)


@over(
    ("metrics", "words"),
    [
        ((ONE, WORSE), "B is worse than A by faithfulness (−0.20, interval −0.30 to −0.10)."),
        (
            (WORSE, BETTER),
            (
                "B is worse than A by faithfulness (−0.20, interval −0.30 to −0.10) and "
                "better than A by errors (−0.20, interval −0.30 to −0.10)."
            ),
        ),
        (
            (ONE, replace(ONE, metric="recall", needed=90, aim=0.05)),
            (
                "48 samples cannot tell which is better, A or B. "
                "About 90 could, by recall, if the difference is the 0.05 seen."
            ),
        ),
        ((one(needed=20_000),), "48 samples cannot tell which is better, A or B."),
        ((one(numbers(moved=0)),), "B and A score the same on every sample."),
        ((one(None),), "Nothing to compare: no sample has a score in both A and B."),
    ],
)
def test_the_first_line_says_which_is_better_or_that_it_cannot_be_told(metrics, words):
    data = comparison.collect(Comparison((RUN, RUN), metrics, (), 0.95))
    assert comparison.answers(data) == [words]


def test_the_first_line_names_the_largest_differences_and_counts_the_rest():
    effects = (-0.3, -0.9, -0.6, -0.5, -0.4)
    metrics = [
        replace(WORSE, metric=f"m{n}", paired=replace(WORSE.paired, effect=effect))
        for n, effect in enumerate(effects)
    ]
    difference = "(−0.20, interval −0.30 to −0.10)"
    assert comparison.headline(metrics) == (
        f"B is worse than A by m1 {difference}, m2 {difference}, m3 {difference} and 2 more metrics."
    )


@over(
    ("found", "words"),
    [
        (one(verdict="worse", asked=True), "It takes about 400 pairs to show 0.02, 352 more."),
        (one(needed=30, asked=True), "It takes about 30 pairs to show 0.02: these are enough."),
        (one(needed=None, asked=True), "How many it takes to show 0.02 cannot be told from these."),
    ],
)
def test_what_a_difference_takes_is_told_whatever_was_found_if_it_was_asked_for(found, words):
    assert words in comparison.finding(found, 0.95)
    unasked = comparison.finding(replace(found, asked=False), 0.95)
    assert words not in unasked


def test_without_a_pair_there_is_nothing_to_say():
    assert comparison.finding(one(None), 0.95) == "No sample has a score in both runs."


def test_pairs_groups_and_those_in_no_pair_are_counted():
    left = (LeftOut("undefined in", "other", 3), LeftOut("only in", "baseline", 1))
    data = comparison.collect(Comparison((RUN, RUN), (one(left_out=left),), (), 0.95))
    assert data["metrics"][0]["counted"] == "not compared: 3 undefined in B, 1 only in A"
    clustered = one(numbers(units=12))
    assert comparison.counted(clustered, "1 only in A") == "12 groups; not compared: 1 only in A"


@over(
    ("value", "text"),
    [(0.021, "+0.02"), (-0.5, "−0.50"), (0.0, "0.00"), (-1234.0, "−1,234")],
)
def test_a_difference_always_shows_its_sign(value, text):
    assert comparison.signed(value) == text


@over(
    ("found", "text"),
    [
        (numbers(difference=-0.0009, interval=Interval(-0.1, 0.002)), ("0.00", "−0.10 to +0.00")),
        (numbers(difference=0.0004, interval=Interval(0, 0.002)), ("+0.0004", "0.00 to +0.002")),
    ],
)
def test_a_difference_has_no_more_digits_than_its_interval_leaves_room_for(found, text):
    values = msgspec.to_builtins(found)
    assert (
        comparison.difference(values["difference"], values["interval"]),
        comparison.between(values["interval"]),
    ) == text


@over(("p", "text"), [(0.0002, "<0.001"), (0.0312, "0.031"), (0.31, "0.31"), (None, "–")])
def test_p_values_are_written_as_usual(p, text):
    assert comparison.p_value(p) == text


@pytest.mark.browser
@pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH")
@pytest.mark.parametrize("width", [1280, 420])
async def test_the_page_fits_every_screen_and_breaks_none_of_its_own_rules(tmp_path, width):
    data = comparison.collect(
        Comparison((RUN, RUN), (one(), one(verdict="worse")), ("The judges differ.",), 0.95)
    )
    file = tmp_path / "compare.html"
    file.write_text(views.html(data), "utf-8")
    async with chromium.browser() as page:
        await page.resize(width, 800)
        await page.open(file.as_uri())
        assert await page.run("document.documentElement.scrollWidth <= innerWidth")
        assert await page.run("document.querySelectorAll('svg .dot').length") == 2
        assert page.complaints == []


@over(("level", "words"), [(0.95, "95 %"), (0.999, "99.9 %"), (0.975, "97.5 %")])
def test_the_level_is_told_as_it_is(level: float, words: str) -> None:
    data = comparison.collect(Comparison((RUN, RUN), (ONE,), (), level))
    assert f"with {words} intervals" in comparison.legend(data)


def test_without_a_sample_that_changed_there_is_no_list_of_them() -> None:
    page = views.html(comparison.collect(Comparison((RUN, RUN), (ONE,), (), 0.95)))
    assert "What changed most" not in page


def other(name, ends, difference, low, high):
    """A metric of another range, with its difference and interval."""
    found = numbers(difference=difference, interval=Interval(low, high))
    return one(found, metric=name, range=ends, detectable=None)


def drawn(*metrics):
    """Of each metric: left end, dot and right end of what is drawn, and the end of its axis."""
    page = views.html(comparison.collect(Comparison((RUN, RUN), metrics, (), 0.95)))
    found = []
    for picture in re.findall("<svg.*?</svg>", page, re.DOTALL):
        low, high = re.search(r'class="ends \w+" d="M([\d.]+) [\d.]+H([\d.]+)', picture).groups()
        at = re.search(r'cx="([\d.]+)"', picture)[1]
        end = re.search(r">\+([^<]+)</text>", picture)[1]
        found.append((float(low), float(at), float(high), end))
    return found


def test_each_metric_is_drawn_on_an_axis_of_its_own_range():
    middle = views.WIDTH / 2
    share, cost, latency, grade = drawn(
        one(),  # 0.02 (-0.03 to 0.07)
        other("cost", (0.0, None), 0.0001, 0.00004, 0.00014),
        other("latency", (0.0, None), 900.0, 700.0, 1100.0),
        other("grade", (1.0, 5.0), -0.5, -1.1, 0.1),
    )
    assert [found[3] for found in (share, cost, latency, grade)] == [
        *("0.08", "0.00015", "1,500", "1.50")
    ]
    assert share[:3] == (75.0, 150.0, 225.0)
    assert cost[:3] == (152.0, 200.0, 232.0)
    assert latency[:3] == (176.0, 192.0, 208.0)
    assert grade[0] < grade[1] < middle < grade[2]


def test_metrics_of_one_range_share_their_axis_and_it_is_no_longer_than_the_range():
    large = other("recall", (0.0, 1.0), 0.6, 0.2, 1.0)
    assert [end for *_, end in drawn(one(), large)] == ["1.00", "1.00"]
    nothing = other("recall", (0.0, 1.0), 0.0, 0.0, 0.0)
    assert [found[1:] for found in drawn(nothing)] == [(120.0, 120.0, "0.05")]
    assert [found[3] for found in drawn(other("cost", (0.0, None), 0.0, 0.0, 0.0))] == ["1.00"]


def test_commands_in_warnings_are_shown_as_code_and_nothing_else_is():
    warning = "see `assay runs` <b>`<i>`</b> and a lone ` too"
    data = comparison.collect(Comparison((RUN, RUN), (ONE,), (warning,), 0.95))
    page = views.html(data)
    assert (
        "see <code>assay runs</code> &lt;b&gt;<code>&lt;i&gt;</code>&lt;/b&gt; and a lone ` too"
        in page
    )


def change(before, after, old=None, new=None):
    return {"before": before, "after": after, "values": [old, new]}


@over(
    ("part", "words"),
    [
        (change("FN", "covered", 0.0, 1.0), "was missing from the answer, now in the answer"),
        (change("FP", "TP", 0.0, 1.0), "was not in the reference, now in the reference"),
        (change("weight 0.75", "weight 0.75", 0.75, 1.0), "was 0.75, now 1.00"),
        (change("closest", "closest", 0.444, 0.222), "was 0.44, now 0.22"),
        (change("closest", "", 0.9, 0.2), "was 0.90, now 0.20"),
        (change("cosine", "cosine", 0.12341, 0.12349), "was 0.1234, now 0.1235"),
        (
            change("partly matched", "partly matched", 0.5, 0.8),
            "partly matched: was 0.50, now 0.80",
        ),
        (change("3 of 5", "4 of 5", 0.5, 0.75), "was 3 of 5, now 4 of 5"),
        (change("supported", "unsupported", 1.0, 0.0), "was supported, now unsupported"),
        (change(None, "FP", None, 0.0), "new, not in the reference"),
        (change(None, "supported", None, 0.76), "new, supported 0.76"),
        (change("supported", None, 0.89, None), "was supported 0.89, now gone"),
        (change(None, "generated", None, 0.5), "new, 0.50"),
        (change("TP", None, 1.0, None), "was in the reference, now gone"),
        (change("", None), "gone"),
        (change(None, ""), "new"),
    ],
)
def test_what_it_was_and_is(part, words):
    assert comparison._words(part) == words
