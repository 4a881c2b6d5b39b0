"""Is the page complete, self-contained, and only what it was meant to be, whatever texts it shows?"""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import fixture
import hostile
import pytest

from assay._report import run as report
from assay._report import sanitize
from assay._report.run import html
from support.over import over

PAGE = html.render(fixture.small())
SPOILT = hostile.report()
HOSTILE = html.render(SPOILT)


class Outline(HTMLParser):
    """Every element with its attributes, and the text of every element that has an id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.names: set[tuple[str, str]] = set()
        self.links: set[str] = set()
        self.raw: dict[str, str] = {}
        self.text = ""
        self._open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        values = dict(attrs)
        self.names |= {(tag, name) for name in values}
        self.links |= {values[n] or "" for n in ("href", "src", "action") if n in values}
        self._open = values.get("id") or tag if tag in {"script", "style"} else ""

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.raw[self._open] = self.raw.get(self._open, "") + data
        else:
            self.text += data


def script_data(page: str, name: str) -> Any:
    return json.loads(Outline(page).raw[name])


def test_hostile_texts_add_no_element_no_attribute_and_no_link() -> None:
    data = fixture.small()
    data["samples"] = [data["samples"][n] for n in (0, 2, 3)]
    harmless, attacked = Outline(html.render(data)), Outline(HOSTILE)
    # Two more kinds of mark-up are ours: hidden characters, and quotes that are not found.
    assert attacked.names - harmless.names <= {("span", "title"), ("p", "class")}
    assert set(attacked.tags) <= set(harmless.tags)
    for tag in ("script", "style", "img", "svg", "iframe", "base", "noscript", "details", "meta"):
        assert attacked.tags[tag] == harmless.tags[tag], tag
    assert attacked.links == harmless.links
    assert all(link.startswith("#") for link in attacked.links)


def test_hostile_texts_are_shown_as_they_are() -> None:
    text = Outline(HOSTILE).text
    for attack in hostile.ATTACKS[:9]:
        assert attack in text


def test_hidden_characters_are_made_visible() -> None:
    assert "U+202E" in HOSTILE
    body = HOSTILE[HOSTILE.index("<body") :]
    found = re.findall(
        "[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\u2028\u2029]", body.split('id="facts"')[0]
    )
    assert not found


def test_the_page_can_be_written_as_utf8() -> None:
    assert HOSTILE.encode("utf-8")


def test_no_address_of_the_network_is_in_the_page() -> None:
    assert not re.search(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", PAGE)
    assert "url(" not in PAGE
    assert "@import" not in PAGE


def test_only_our_script_and_style_may_run() -> None:
    outline = Outline(PAGE)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', PAGE)
    assert policy is not None
    for name in ("script", "style"):
        assert sanitize.source_hash(outline.raw[name]) in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    # The policy forbids these, so that a page which has them would not look or work as meant.
    assert not {name for _, name in outline.names if name == "style" or name.startswith("on")}


def test_equal_reports_give_equal_pages() -> None:
    assert html.render(fixture.small()) == PAGE


def test_every_prompt_and_reply_can_be_put_together_again() -> None:
    data = fixture.small()
    texts = script_data(PAGE, "texts")

    def text(number: int) -> str:
        runs = texts["texts"][number]
        pairs = zip(runs[::2], runs[1::2], strict=True)
        return "\n".join(line for at, n in pairs for line in texts["lines"][at : at + n])

    stored = {text(number) for number in range(len(texts["texts"]))}
    replies = [
        r for s in data["samples"] for score in s["scores"].values() for r in score["replies"]
    ]
    assert stored == {r["prompt"] for r in replies} | {r["raw"] for r in replies}


def test_the_script_knows_every_score() -> None:
    facts = script_data(PAGE, "facts")
    assert facts["rows"][3][1:] == [
        "undefined",
        pytest.approx(0.3, abs=0.1),
        1.0,
        1.0,
        "undefined",
        pytest.approx(0.8, abs=0.2),
    ]
    assert facts["rows"][2][4] == "failed"
    assert [m["label"] for m in facts["metrics"]] == [m["label"] for m in fixture.METRICS]


def test_without_scripts_all_evidence_is_in_the_page() -> None:
    text = Outline(PAGE).text
    for sample in fixture.small()["samples"]:
        for part in (p for s in sample["scores"].values() for p in s["parts"]):
            assert part["reason"] in text
            assert part["quote"] in text
        for context in sample["contexts"]:
            assert context in text


def test_a_score_stands_beside_its_counts_bounds_and_failures() -> None:
    text = Outline(PAGE).text
    assert "faithfulness: scoring failed on 1 of 12 samples." in text
    assert "unrelated texts score 0.11" in text
    assert "of 100 answers with a claim that no context supports it flags 61 (51 to 70)" in text
    assert "unreadable after 3 draws" in text


@over(
    ("n_not_reached", "words"),
    [
        (0, "faithfulness: scoring failed on 3 of 12 samples."),
        (2, "faithfulness: the run did not reach 2 and scoring failed on 1 of 12 samples."),
        (3, "faithfulness: the run did not reach 3 of 12 samples."),
    ],
)
def test_what_a_run_did_not_reach_is_no_failure_of_the_judge(
    n_not_reached: int, words: str
) -> None:
    data = fixture.small()
    data["metrics"][0] |= {"n_failed": 3, "n_not_reached": n_not_reached}
    page, text = html.render(data), report.markdown(data)
    assert words in page
    assert words.replace("_", "\\_") in text
    assert ("Not reached" in page) is ("not reached |" in text) is (n_not_reached > 0)


@over(
    ("change", "words"),
    [
        ({"stopped": "over budget"}, "Stopped early: over budget."),
        ({"finished": False}, "This run is not finished."),
        ({"skipped": 3}, "3 rows of the data that could not be used"),
        ({"n_samples": 900}, "covers 12 of 900 samples"),
    ],
)
def test_what_limits_a_run_is_said_before_its_scores(change: dict[str, Any], words: str) -> None:
    data = fixture.small()
    data["run"] |= change
    page = html.render(data)
    assert words in page
    assert page.index(words) < page.index('class="scores"')


def test_the_interval_stands_in_the_table_in_the_drawing_and_with_its_method() -> None:
    data = fixture.small()
    data["metrics"][0]["interval_method"] = "Wilson, effective n, 7 groups"
    page = html.render(data)
    assert '<td class="num" data-name="95 % interval">0.42 to 0.89</td>' in page
    assert "<title>95 % interval 0.42 to 0.89</title>" in page
    assert "<dd>Wilson, effective n, 7 groups</dd>" in page
    for metric in data["metrics"]:
        metric |= {"interval": None, "interval_method": ""}
    assert "95 % interval" not in html.render(data).partition('class="judge-card"')[0]


def test_failed_samples_are_said_to_be_unknown_to_the_interval() -> None:
    assert Outline(PAGE).text.count("The interval knows nothing of them.") == 2


@over(
    ("change", "words"),
    [
        (
            {"n_scored": 4},
            "faithfulness: 4 independent samples scored. Too few to generalise from",
        ),
        (
            {"n_groups": 2},
            "faithfulness: 2 independent groups scored. Too few to generalise from",
        ),
        ({"n_groups": 7}, "The samples form 7 groups; the intervals treat groups, not samples,"),
    ],
)
def test_what_makes_an_interval_wide_is_said(change: dict[str, Any], words: str) -> None:
    data = fixture.small()
    assert words not in html.render(data)
    data["metrics"][0] |= change
    assert words in html.render(data)


def test_metrics_with_few_samples_share_a_warning() -> None:
    data = fixture.small()
    data["metrics"][0]["n_scored"], data["metrics"][2]["n_scored"] = 2, 3
    words = "faithfulness, context_precision: 2 to 3 independent samples scored."
    assert words in html.render(data)


def test_groups_of_one_are_not_worth_a_word() -> None:
    data = fixture.small()
    for metric in data["metrics"]:
        metric["n_groups"] = metric["n_scored"]
    assert "groups" not in html.render(data).partition('class="scores"')[0]


def test_a_metric_without_a_score_has_no_mean() -> None:
    data = fixture.small()
    nothing = {"mean": None, "interval": None, "bounds": None, "n_scored": 0, "values": []}
    data["metrics"][0] |= nothing
    for sample in data["samples"]:
        sample["scores"]["faithfulness"] = fixture.outcome(None, why="failed", detail="time-out")
    assert "faithfulness: no scores" in html.render(data)
    data["metrics"][0] |= {"n_undefined": 12, "n_failed": 0}
    page = html.render(data)
    assert "faithfulness is undefined on 12 of 12 samples: it says nothing here." in page


@over(
    ("judge", "foreign", "told"),
    [("embedded:v0", 9, True), ("embedded:v0", 1, False), ("openai:gpt-4o-mini", 9, False)],
)
def test_the_embedded_judge_warns_of_other_languages(
    judge: str, foreign: int, *, told: bool
) -> None:
    data = fixture.report(fixture.small()["samples"], judge=judge)
    data["metrics"][0]["asks"] = [judge]
    data["foreign"]["samples"] = foreign
    assert ("9 of 12 samples looked at seem not to be in English" in html.render(data)) == told


def test_it_warns_of_answers_that_begin_with_what_a_model_thought() -> None:
    note = "answers looked at begin with &lt;think&gt;"
    assert note not in html.render(fixture.small())
    assert f"3 of 12 {note}" in html.render({**fixture.small(), "thoughts": 3})


def test_an_empty_run_is_a_page_too() -> None:
    assert "Samples" in html.render(fixture.report([]))


def test_a_baseline_that_was_not_measured_is_said_so() -> None:
    assert "random-pair baseline not measured" in html.render({**fixture.small(), "baseline": None})


def test_a_quote_that_the_judge_made_up_is_not_shown_as_found() -> None:
    data = fixture.small()
    data["samples"][0]["scores"]["faithfulness"]["parts"][0]["quote"] = "words of my own"
    assert "these words are not in context 1" in html.render(data)


def test_evidence_about_a_context_that_is_not_there_is_shown_without_a_link() -> None:
    data = fixture.small()
    data["samples"][0]["scores"]["faithfulness"]["parts"][0]["context"] = 99
    assert "context 100 (not recorded)" in html.render(data)


def test_a_closed_sample_costs_few_elements() -> None:
    page = html.render(fixture.large(100))
    light = re.sub(r"<noscript>.*?</noscript>", "", page, flags=re.DOTALL)
    assert sum(Outline(light).tags.values()) < 100 * 14 + 400


@pytest.mark.slow
def test_two_thousand_samples_make_a_page_of_reasonable_size() -> None:
    assert len(html.render(fixture.large(2000)).encode()) < 50_000_000


def test_the_very_words_without_support_stand_out_in_the_answer() -> None:
    data = fixture.small()
    (label, sample) = data["metrics"][0]["label"], data["samples"][0]
    part = next(p for p in sample["scores"][label]["parts"] if p["span"])
    start, end = part["span"]
    part["marks"] = [[start, start + 5], [end - 3, end]]
    page = html.render(data)
    exact = re.findall(r'<mark class="[a-z]+ exact"[^>]*>([^<]*)</mark>', page)
    assert [sanitize.visible(sample["answer"][a:b]) for a, b in part["marks"]] == exact
    assert " exact" not in PAGE.split("</style>")[1]


def test_where_nothing_failed_there_is_no_column_of_worst_cases() -> None:
    data = fixture.small()
    assert html.render(data).count("Worst-case bounds") == 1
    for metric in data["metrics"]:
        metric["n_failed"] = 0
    page = html.render(data)
    assert "orst-case bounds" not in page
    assert "none failed" not in page


def test_what_the_data_says_of_a_sample_is_not_rounded() -> None:
    data = fixture.small()
    data["samples"][0]["metadata"] = {"price": 1234.56, "year": 2024, "ok": True, "n": None}
    page = html.render(data)
    for text in ("price <b>1234.56<", "year <b>2024<", "ok <b>true<", "n <b>null<"):
        assert text in page
