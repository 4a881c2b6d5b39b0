"""Is the page of agreement with people right about what it draws, and harmless?"""

import copy
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import hostile
import msgspec
import pytest

from assay._analysis.agreement import Agreement, agree_all
from assay._analysis.annotators import Concordance, concordance
from assay._report import agreement
from assay.data import read_labels
from support.given import Given, Loss, told

SCORES = [0.05, 0.2, 0.4, 0.6, 0.8, 0.95] * 6
# Where it is told what anybody wrote.
OTHERS = {"run", "source", "judge", "labels", "sample", "question", "text", "reason", "left_out"}


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is shown of a metric and of one of which low scores are good."""
    folder = tmp_path_factory.mktemp("agreement")
    result = told(SCORES, folder / "a.db", [Given(), Loss()])
    lines = [f"q{n},{'yes' if score > 0.5 else 'no'}" for n, score in enumerate(SCORES)]
    (folder / "labels.csv").write_text("\n".join(["id,label", *lines]), "utf-8")
    said = read_labels(str(folder / "labels.csv"), metrics=["given", "loss"])
    found, without = agree_all(result, said)
    return agreement.collect(result.run, said.source, found, without, concordance(result, said))


@pytest.fixture
def data(collected: dict[str, Any]) -> dict[str, Any]:
    """A copy of it, to be changed."""
    return copy.deepcopy(collected)


def test_a_picture_says_that_its_thresholds_are_of_one_minus_the_score(
    data: dict[str, Any],
) -> None:
    page = agreement.html(data)
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert captions[:2] == ["given", "1 - loss"]
    assert captions[2].endswith("given and 1 - loss")
    assert "to the right: 1 - loss" in page


def test_of_a_metric_of_which_low_is_good_the_words_say_which_side_is_called_good(
    tmp_path: Path,
) -> None:
    result = told(SCORES, tmp_path / "a.db", [Given(), Loss()])
    rows = [{"id": f"q{n}", "label": int(score > 0.5)} for n, score in enumerate(SCORES)]
    rows[0]["label"] = 1 - rows[0]["label"]
    found, without = agree_all(result, rows)
    data = agreement.collect(result.run, "labels.csv", found, without, None)
    given, loss = msgspec.convert(data, agreement.AgreementReport).metrics
    assert agreement.notes(given)[1].startswith("Called good: from a score of")
    assert agreement.notes(loss)[1].startswith("Called good: up to a score of")
    assert agreement.difference(given.worst[0], given).startswith("metric 0")
    assert agreement.difference(loss.worst[0], loss).startswith("metric (low is good) 0")
    assert "metric (low is good)" in agreement.html(data)


def test_a_share_of_nearly_all_is_not_drawn_as_all(data: dict[str, Any]) -> None:
    cell = data["concordance"]["rows"][2]["correct_grid"][0][0]
    cell |= {"hits": 996, "n": 1000, "value": 0.996}
    assert ">99.6</text>" in agreement.html(data)


def test_what_is_left_out_of_the_table_is_said_with_its_reason(data: dict[str, Any]) -> None:
    data["concordance"]["without"] = {"latency": "takes scores between 0 and 1"}
    assert "<li>latency: takes scores between 0 and 1</li>" in agreement.html(data)


def test_of_metrics_that_share_no_sample_no_share_is_told(data: dict[str, Any]) -> None:
    nothing = {"hits": 0, "n": 0, "value": None, "interval": None}
    row = {**data["concordance"]["rows"][0], "n": 0, "correct": nothing, "wrong": nothing}
    row["correct_grid"] = row["wrong_grid"] = [[nothing] * 9]
    data["concordance"]["rows"] = [{**row, "base_rate": 0.0}]
    assert agreement.concordance_rows(msgspec.convert(data["concordance"], Concordance)) == [
        ["given", "0", "\N{EN DASH}", "\N{EN DASH} (0)", "\N{EN DASH} (0)"]
    ]
    assert 'class="base"' not in agreement.html(data)


@pytest.mark.parametrize(
    ("auroc", "interval", "better"),
    [
        (0.9, (0.8, 0.95), True),
        (0.62, (0.45, 0.78), False),
        (0.45, (0.3, 0.6), False),
        (0.9, None, True),
        (0.45, None, False),
    ],
)
def test_another_threshold_is_advised_only_where_the_scores_order_things(
    data: dict[str, Any], auroc: float, interval: tuple[float, float] | None, *, better: bool
) -> None:
    metric = data["metrics"][0]
    ends = interval and {"low": interval[0], "high": interval[1]}
    for measure in metric["measures"]:
        if measure["name"] == "AUROC":
            measure |= {"value": auroc, "interval": ends}
        if measure["name"] == "balanced accuracy":
            measure |= {"value": auroc - 0.15}
    notes = " ".join(agreement.notes(msgspec.convert(metric, Agreement)))
    assert ("another threshold may do better" in notes) == better
    assert "Worse than chance" not in notes


@pytest.mark.parametrize(
    ("auroc", "interval", "worse"),
    [(0.2, (0.1, 0.35), True), (0.38, (0.19, 0.63), False), (0.38, None, False)],
)
def test_worse_than_chance_is_said_only_of_what_chance_would_hardly_bring(
    data: dict[str, Any], auroc: float, interval: tuple[float, float] | None, *, worse: bool
) -> None:
    metric = data["metrics"][0]
    (order,) = (measure for measure in metric["measures"] if measure["name"] == "AUROC")
    order |= {"value": auroc, "interval": interval and {"low": interval[0], "high": interval[1]}}
    assert (
        "Worse than chance" in " ".join(agreement.notes(msgspec.convert(metric, Agreement)))
    ) == worse


class Tags(HTMLParser):
    """Every element with the names of its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def test_hostile_texts_add_no_element_and_no_attribute(data: dict[str, Any]) -> None:
    data |= {"judge": "a judge"}
    plain = Tags(agreement.html(data)).found
    page = agreement.html(_spoilt(data))
    shown = [one for one in Tags(page).found if one != ("span", ("class", "title"))]
    assert shown == plain
    assert "<script" not in page
    page.encode("utf-8")


def _spoilt(value: Any, field: str = "") -> Any:
    if isinstance(value, str):
        return value + hostile.EVIL if field in OTHERS else value
    if isinstance(value, list):
        return [_spoilt(item, field) for item in value]
    if isinstance(value, dict):
        return {key: _spoilt(item, key) for key, item in value.items()}
    return value
