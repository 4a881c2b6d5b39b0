"""Does the embedded judge say how far it can be trusted?"""

import pytest

from assay.judges.embedded import Embedded
from assay.judges.embedded import card as cards
from assay.judges.embedded.card import CardFigure
from support.over import over


def made(**more):
    return CardFigure(**({"name": "x", "value": 0.8, "low": 0.7, "high": 0.9, "n": 10} | more))


def test_it_says_how_often_the_metrics_by_it_are_wrong():
    judge = Embedded()
    sentence = judge.quality("faithfulness").sentence
    assert "of 100 answers with a claim that no context supports it flags" in sentence
    assert "RAGTruth QA answers, human labels: 160 and 623" in sentence
    assert judge.quality("answer_similarity") is None


def test_of_another_version_nothing_is_said(monkeypatch):
    monkeypatch.setattr("assay.judges.embedded.judge.VERSION", "v0")
    assert Embedded().quality("faithfulness") is None


@pytest.mark.parametrize(
    ("floor", "told"),
    [(0.3, "would flag 30 of the 100 bad ones at that rate"), (0.55, "at that rate: not beaten")],
)
def test_a_sentence_on_a_judge_names_the_floor(floor, told):
    made = cards.Quality(
        judge="j",
        data="Set",
        bad="wrong answers",
        good="right answers",
        n_bad=40,
        n_good=60,
        found=cards.Rate(0.6, 0.5, 0.7),
        wrong=cards.Rate(0.1),
        floor=floor,
        floor_name="count of new words",
    )
    assert made.sentence.startswith(
        "of 100 wrong answers it flags 60 (50 to 70), of 100 right answers 10 (Set, human "
        "labels: 40 and 60); count of new words alone"
    )
    assert made.sentence.endswith(told)


def test_every_figure_says_what_it_rests_on():
    card = cards.card()
    assert card.judge.startswith("embedded:")
    assert card.weaknesses
    assert card.training_text
    assert card.languages
    standings = {f.name: f.standing for section in card.sections for f in section.figures}
    assert card.at_floor
    assert {standings[name] for name in card.at_floor} <= {"level", "below"}
    for section in card.sections:
        assert section.command.startswith("python -m benchmarks.judge.run --only ")
        for figure in section.figures:
            assert figure.n > 0
            assert (figure.floor is None) == (not figure.floor_name)
            if figure.low is not None:
                assert figure.low <= figure.value <= figure.high


@over(
    ("floor", "lower_is_better", "standing"),
    [
        (0.6, False, "above"),
        (0.75, False, "level"),
        (0.95, False, "below"),
        (0.6, True, "below"),
        (0.95, True, "above"),
        (None, False, None),
    ],
)
def test_a_floor_is_beaten_only_if_the_whole_interval_lies_on_the_good_side(
    floor, lower_is_better, standing
):
    assert made(floor=floor, lower_is_better=lower_is_better).standing == standing


def test_figures_are_shown_with_as_many_digits_as_they_are_worth():
    assert [cards.number(v) for v in (0.8123, 9.5, 142.4)] == ["0.81", "9.50", "142"]
    assert cards.interval(made()) == "0.70 to 0.90"
    assert cards.interval(made(low=None)) == ""
    assert cards.floor(made(floor=0.75, floor_name="new words")) == "0.75 new words, not beaten"
    assert cards.floor(made()) == ""


def test_without_an_interval_it_is_undecided_whether_the_floor_was_beaten():
    figure = made(value=1.0, low=None, high=None, floor=0.5, floor_name="new words")
    assert figure.standing is None
    assert cards.floor(figure) == "0.50 new words, undecided"
