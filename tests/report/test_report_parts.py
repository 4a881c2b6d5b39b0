"""Do the small pieces that every report is made of say what they should?"""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._report import labels, numbers, page, sanitize, tables
from assay._report.run import evidence
from assay._report.run.evidence import TextTable
from assay._report.tables import Spread
from assay._text.sanitize import HIDDEN
from assay.score import Part
from support.over import over

ENDS = st.tuples(st.integers(-5, 60), st.integers(-5, 60))
SPANS = st.lists(st.tuples(ENDS, st.text(max_size=2)), max_size=6)


@given(
    st.text(max_size=80),
    SPANS,
)
def test_a_segment_names_who_speaks_about_it_in_order(
    text: str, spans: list[tuple[tuple[int, int], str]]
) -> None:
    at = 0
    for segment in evidence.segments(text, spans):
        end = at + len(segment.text)
        said = [o for (first, last), o in spans if first < last and first < end and at < last]
        assert list(segment.owners) == (said if segment.text else [])
        at = end


@given(
    st.text(max_size=80),
    SPANS,
)
def test_segments_joined_are_the_text(text: str, spans: list[tuple[tuple[int, int], str]]) -> None:
    assert "".join(segment.text for segment in evidence.segments(text, spans)) == text


def test_overlapping_spans_share_their_characters() -> None:
    found = evidence.segments("abcdef", [((0, 4), "x"), ((2, 6), "y")])
    assert [(s.text, s.owners) for s in found] == [
        ("ab", ("x",)),
        ("cd", ("x", "y")),
        ("ef", ("y",)),
    ]


@over(
    ("quote", "found"),
    [
        ("reservoir is", "reservoir is"),
        ("RESERVOIR  is\n61", "reservoir is 61"),
        ('"is 61"', "is 61"),
        ("not there", None),
        ("", None),
        ("  ", None),
        ("61 (sixty", None),
    ],
)
def test_a_quote_is_found_whatever_its_case_and_spaces(quote: str, found: str | None) -> None:
    text = "The reservoir is 61 metres deep."
    place = evidence.find_quote(text, quote)
    assert (text[slice(*place)] if place else None) == found


@given(st.lists(st.text()))
def test_a_text_table_gives_every_text_back(texts: list[str]) -> None:
    table = TextTable()
    numbers_of = [table.add(text) for text in texts]
    assert [table.text(number) for number in numbers_of] == texts
    assert len(table.texts) == len(set(texts))
    assert len(table.lines) == len({line for text in texts for line in text.split("\n")})


@over(
    ("value", "text"),
    [
        (None, "–"),
        (1.0, "1.00"),
        (0.0, "0.00"),
        (0.996, "0.996"),
        (0.004, "0.004"),
        (0.8333, "0.83"),
        (0.5, "0.50"),
        (0.99999, "0.99999"),  # of a million samples
        (0.00001, "0.00001"),
        (865.25, "865"),
        (34.567, "34.57"),
        (-0.0, "0.00"),
    ],
)
def test_a_rounded_score_never_looks_perfect_or_hopeless(value: float | None, text: str) -> None:
    assert numbers.score(value) == text


@over(
    ("seconds", "text"),
    [(12.34, "12.3 s"), (59.97, "1 min 0 s"), (125, "2 min 5 s"), (7300, "2 h 1 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert numbers.seconds(seconds) == text


def test_nouns() -> None:
    assert [numbers.plural(n, w) for n, w in ((1, "query"), (2, "query"), (3, "day"))] == [
        "1 query",
        "2 queries",
        "3 days",
    ]


def test_money_and_bounds() -> None:
    assert [numbers.money(x) for x in (0.0, 0.0214, 12.5)] == ["0.0000", "0.0214", "12.50"]
    assert numbers.money(0.00002) == "2e-05"  # little is not nothing
    assert [numbers.span(x) for x in (None, (0.5, 0.5), (0.5, 0.75))] == [
        "–",
        "0.50",
        "0.50 to 0.75",
    ]


@over(
    ("share", "text"),
    [(0, "0"), (1, "100"), (0.5, "50"), (0.004, "0.4"), (0.996, "99.6"), (0.0004, "0.04")],
)
def test_a_percentage_never_looks_like_all_or_none(share: float, text: str) -> None:
    assert numbers.percent(share) == text


def test_the_least_and_the_greatest_percentages() -> None:
    assert [numbers.percent(x) for x in (1e-9, 1 - 1e-9)] == ["<0.01", ">99.99"]


def test_what_comes_out_a_hair_beside_the_guide_value_meets_it() -> None:
    metric = {"guide": 0.8, "higher_is_better": True}
    assert not tables.misses(0.7999999999999999, metric)
    assert tables.misses(0.79999, metric)
    lower = {"guide": 0.3, "higher_is_better": False}
    assert not tables.misses(0.30000000000000004, lower)


def test_scores_at_the_edge_of_a_bin_fall_into_the_upper_one() -> None:
    spread = Spread.of([0.0, 0.15, 0.95, 1.0], [0, 1])
    assert [number for number, count in enumerate(spread.counts) for _ in range(count)] == [
        0,
        3,
        19,
        19,
    ]


def test_an_open_range_ends_where_the_scores_do() -> None:
    spread = Spread.of([2.0, 8.0], [0, None])
    assert (spread.low, spread.high, spread.at(4.0)) == (0, 8.0, 0.5)
    assert Spread.of([], None).line() == " " * 10


def test_a_line_shows_even_one_score() -> None:
    line = Spread.of([0.05] + [0.99] * 1000, [0, 1]).line()
    assert line[0] != " "
    assert line[-1] == "█"


def test_lower_may_be_better() -> None:
    metric = {"guide": 0.2, "higher_is_better": False, "range": [0, 1]}
    assert tables.misses(0.3, metric)
    assert not tables.misses(0.1, metric)
    assert tables.goodness(0.0, metric) == 1.0


@over(
    ("label", "value", "higher", "tone"),
    [
        ("supported", 1.0, True, "good"),
        ("FN", 1.0, True, "bad"),
        ("generated", 1.0, True, "plain"),
        ("never met", 1.0, True, "good"),
        ("never met", 1.0, False, "bad"),
        ("never met", 0.4, True, "plain"),
        ("not relevant", 0.0, True, "plain"),
        ("", 1.0, True, "plain"),
        ("1 of 5", 1.0, True, "plain"),  # the worst grade of a rubric
        ("0.5 of 1", 0.0, False, "plain"),
        ("hallucination", 0.0, False, "bad"),
        ("self-knowledge", 1.0, False, "warn"),
        ("correct, in a context", 0.0, False, "good"),
    ],
)
def test_tones(label: str, value: float, *, higher: bool, tone: str) -> None:
    assert labels.tone(Part("sentence", "It is so.", label, value), higher_is_better=higher) == tone


def test_the_weight_of_a_component_is_no_verdict() -> None:
    part = Part("component", "f1", "weight 0.75", 1.0)
    assert labels.tone(part) == "plain"


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_score_that_another_metric_gave_an_answer_is_no_verdict(value: float) -> None:
    part = Part("scored answer", "So it is.", "without noise", value)
    assert labels.tone(part, higher_is_better=False) == "plain"


def test_a_long_context_is_shown_once() -> None:
    long = "word " * 100
    part = Part("context", long, context=0)
    assert len(labels.excerpt(part, [long])) < 150
    assert labels.excerpt(part, []) == long


def test_json_in_a_script_element_cannot_end_it() -> None:
    text = str(sanitize.script_json({"x": "</script><!--\u2028&\ud800"}))
    assert not set("<>&\u2028\ud800") & set(text)


@over(
    ("interval", "higher", "standing"),
    [
        ([0.82, 0.9], True, "good"),
        ([0.6, 0.79], True, "bad"),
        ([0.7, 0.9], True, "warn"),
        ([0.82, 0.9], False, "bad"),
        (None, True, "warn"),
    ],
)
def test_a_guide_value_is_met_or_missed_by_the_whole_interval(
    interval: list[float] | None,
    *,
    higher: bool,
    standing: str,
) -> None:
    metric = {"guide": 0.8, "mean": 0.85, "interval": interval, "higher_is_better": higher}
    assert tables.standing(metric) == standing


@over("hidden", "\u00ad\u200b\u200e\u2060\ufeff\u202e\U000e0041\U000e0101")
def test_what_has_no_width_is_shown_by_its_code_point(hidden: str) -> None:
    code = f"U+{ord(hidden):04X}"
    assert sanitize.plain(f"3{hidden}30 metres") == f"3[{code}]30 metres"
    assert f">{code}</span>30 metres" in sanitize.visible(f"3{hidden}30 metres")


@over(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f469\u200d\U0001f467",
        "\u2708\ufe0f",
    ],
)
def test_what_words_and_signs_are_spelt_with_is_not(text: str) -> None:
    assert sanitize.plain(text) == sanitize.visible(text) == text


def test_the_script_of_the_page_hides_nothing_either() -> None:
    """What Python marks in markup, the script marks in prompts and replies."""
    ours = re.search(r"const hidden = /\[(.*)\]/gu", page.asset("script.js"))
    assert ours is not None
    shown = re.sub(r"\\u\{?([0-9a-f]+)\}?", lambda code: chr(int(code[1], 16)), ours[1])
    assert shown == HIDDEN.pattern.strip("[]")


@over(
    ("ends", "text"),
    [
        ((0.41, 0.78), "0.41 to 0.78"),
        ((0.0778, 0.0821), "0.078 to 0.082"),
        ((0.50001, 0.50001), "0.50"),
        ((0.5, 0.5 + 1e-12), "0.50"),
        ((1200.2, 1200.4), "1,200"),
    ],
)
def test_an_interval_that_is_narrow_is_not_read_as_certain(
    ends: tuple[float, float], text: str
) -> None:
    assert numbers.span(ends) == text


def tones_of(*parts: tuple[tuple[int, int], str, tuple[tuple[int, int], ...]]) -> list[Any]:
    """(words, tone, whether they are the very words) of an answer with statements so judged."""
    text = "Built in 1889 and made of cheese."
    score = {
        "value": 0.5,
        "parts": [
            {"kind": "statement", "text": "t", "label": label, "span": span, "marks": marks}
            for span, label, marks in parts
        ],
        "replies": [],
    }
    metric = {"label": "m", "range": [0, 1], "higher_is_better": True, "guide": None}
    sample = {"answer": text, "reference": "", "contexts": [], "scores": {"m": score}}
    found = evidence.evidence(0, sample, [metric], TextTable())
    united = evidence.united(text, "answer", found.sections)
    assert [found.answers[0][1]] == [united]
    return [(mark.text, mark.tone, mark.exact) for mark in united]


def test_words_of_which_two_statements_are_judged_apart_are_mixed() -> None:
    whole = (0, 33)
    assert tones_of((whole, "supported", ()), (whole, "unsupported", ((26, 32),))) == [
        ("Built in 1889 and made of ", "mixed", False),
        ("cheese", "bad", True),
        (".", "mixed", False),
    ]
    assert tones_of((whole, "supported", ()), (whole, "supported", ()))[0][1] == "good"
    assert tones_of((whole, "uncertain", ()), (whole, "unsupported", ()))[0][1] == "bad"


def test_words_within_two_statements_belong_to_the_shorter() -> None:
    assert tones_of(((0, 33), "supported", ()), ((18, 32), "unsupported", ())) == [
        ("Built in 1889 and ", "good", False),
        ("made of cheese", "bad", False),
        (".", "good", False),
    ]


def test_a_score_that_misses_its_guide_value_does_not_read_as_if_it_met_it() -> None:
    metric = {"label": "m", "range": [0, 1], "higher_is_better": True, "guide": 0.8}
    values = (0.7979, 0.79996, 0.803, 0.8)
    cells = [evidence.cell(metric, {"value": value, "why": "", "detail": ""}) for value in values]
    assert [(cell.text, cell.style.endswith("under")) for cell in cells] == [
        ("0.798", True),
        ("0.79996", True),
        ("0.80", False),
        ("0.80", False),
    ]
