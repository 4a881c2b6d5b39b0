"""Does the embedded judge say how far it can be trusted?"""

import pytest

from assay.backends.embedded import Embedded
from assay.backends.embedded import card as cards
from assay.backends.embedded.card import CardFigure
from assay.tasks import TASKS, Embed, VerifyStatements


def made(**more):
    return CardFigure(**({"name": "x", "value": 0.8, "low": 0.7, "high": 0.9, "n": 10} | more))


def test_every_task_that_is_judged_has_a_headline_with_a_pointer_to_the_card():
    judge = Embedded()
    headlines = {kind: judge.card(task) for kind, task in TASKS.items()}
    judged = {"verify_statements", "select_sentences", "judge_contexts", "rate_answer"}
    assert {kind for kind, line in headlines.items() if line} == judged
    for kind in judged:
        assert headlines[kind].endswith("see `assay doctor --card`")
    assert "AUROC" in judge.card(VerifyStatements)
    assert judge.card(Embed) == ""


def test_every_figure_says_what_it_rests_on():
    card = cards.card()
    assert card.judge.startswith("embedded:")
    assert card.weaknesses
    assert card.training_text
    assert card.languages
    for section in card.sections:
        assert section.command.startswith("python -m benchmarks.judge.run --only ")
        for figure in section.figures:
            assert figure.n > 0
            assert (figure.floor is None) == (not figure.floor_name)
            if figure.low is not None:
                assert figure.low <= figure.value <= figure.high


@pytest.mark.parametrize(
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
