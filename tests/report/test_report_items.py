"""Is an item analysis shown and drawn as it is, whatever the questions say?"""

import msgspec
import pytest

from assay._analysis.items import ItemAnalysis
from assay._report import items
from assay._report.items import title

HOSTILE = '<script>alert("1")</script> \u202e\x1b[31m'


def typed(data):
    return msgspec.convert(data, ItemAnalysis)


def interval(low, high):
    return {"low": low, "high": high, "level": 0.95, "method": ""}


def system(name, ability, ends=None, right=0.5):
    about = {"run": f"run{name}", "source": "d.jsonl", "n": 3, "mean": 0.5, "right": right}
    ends = interval(*ends) if ends else None
    found = {"right_interval": interval(0.2, 0.8), "ability": ability, "interval": ends}
    return {"name": name, **about, **found}


def question(sample, difficulty, flag="", p=None, text="why?"):
    known = difficulty is not None
    about = {"sample": sample, "question": text, "scores": [1.0, 0.0], "right": [True, None]}
    return about | {
        "difficulty": difficulty,
        "difficulty_sd": 0.5 if known else None,
        "discrimination": 1.0 if known else None,
        "discrimination_sd": 0.25 if known else None,
        "flag": flag,
        "p": p,
    }


@pytest.fixture
def data():
    questions = [
        question("q0", -1.9, "all right"),
        question("q1", 0.2),
        question("q2", 0.4, "inverted", 0.01),
        question("q3", 2.6),
    ]
    return {
        "metric": "told",
        "threshold": 0.5,
        "threshold_by": "given",
        "higher_is_better": True,
        "systems": [system("A", -1.0, (-1.5, -0.5)), system("B", 1.0, (0.25, 30.0))],
        "questions": questions,
        "spread": 1.2,
        "inverted_by_chance": 0.4,
        "few": True,
        "left_out": 0,
        "warnings": ["Mind <this>."],
    }


def test_questions_and_systems_lie_on_one_scale(data):
    found = items._picture(typed(data))
    # From -2 logits to 8, beyond which an end is drawn as if it lay there: 76 units a logit.
    assert [text for _, text in found.ticks] == ["-2", "-1", "0", *(f"+{n}" for n in range(1, 9))]
    assert [(bar.x, bar.height) for bar in found.bars] == [
        (0.5, 48.0),
        (152.5, 96.0),
        (342.5, 48.0),
    ]
    assert found.bars[1].title == "2 questions of difficulty +0 to +0.5"
    assert [(mark.name, mark.low, mark.x, mark.high) for mark in found.marks] == [
        ("A", 38.0, 76.0, 114.0),
        ("B", 171.0, 228.0, 760.0),
    ]
    assert found.marks[1].title == "system B: ability +1.00 (0.25 to 30.00)"


def test_the_outermost_bars_say_that_they_hold_all_beyond(data):
    data["questions"] = [question(f"q{n}", hard) for n, hard in enumerate((-12.7, 0.2, 30.0))]
    assert [bar.title for bar in items._picture(typed(data)).bars] == [
        "1 question of difficulty -7.5 or less",
        "1 question of difficulty +0 to +0.5",
        "1 question of difficulty +7.5 or more",
    ]


ANSWER = "3 of 4 questions tell these systems apart; 1 everyone gets right."


def test_every_question_stands_on_the_page_once_with_what_is_known_of_it(data):
    page = items.html(data)
    assert [page.count(f">{name}</code>") for name in ("q0", "q1", "q2", "q3")] == [1] * 4
    assert "<td>+0.4 ± 0.5</td><td>1.0 ± 0.2</td><td>0.01</td>" in page
    assert page.index(">q2<") < page.index(">q0<") < page.index(">q3<") < page.index(">q1<")
    assert "Nobody gets it right" not in page, "there is none"
    assert 0 < page.index(ANSWER) < page.index("<dl")
    assert "Mind &lt;this&gt;." in page


def test_what_has_no_room_is_counted(data):
    data["questions"] = [question(f"q{n}", 0.1) for n in range(items.MOST + 1200)]
    page = items.html(data)
    assert page.count('<th scope="row"><code') == items.MOST
    assert "1,200 more are in <code>--out FILE.json</code>" in page


def test_without_a_fit_there_is_no_picture_and_no_number(data):
    data |= {"systems": [system("A", None, right=1.0), system("B", None)], "spread": None}
    data["questions"] = [question("q0", None, "all right"), question("q1", None)]
    page = items.html(data)
    assert "<svg" not in page
    assert "there are no abilities" in page


def test_what_questions_say_is_shown_as_text(data):
    data["questions"] = [question(HOSTILE, 0.1, text=HOSTILE)]
    data["metric"] = data["systems"][0]["source"] = HOSTILE
    page = items.html(data)
    assert "<script" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize(("higher", "words"), [(True, "right from 0.50 on"), (False, "up to 0.50")])
def test_where_low_is_good_a_question_is_right_down_to_the_threshold(data, higher, words):
    assert words in title(typed(data | {"higher_is_better": higher}))
