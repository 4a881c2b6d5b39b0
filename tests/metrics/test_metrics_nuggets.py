"""Nuggets: which count, how much, and that an answer is charged for its length."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics.nuggets import NuggetF, NuggetRecall
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import ChooseLabel, Label, Verdict, VerifyStatements
from support.over import over
from support.scripts import Watched, score

NUGGETS = {
    "Refunds take 14 days.": "vital",
    "Refunds go to the card.": "vital",
    "Sale items are excluded.": "okay",
    "The desk is open daily.": "okay",
}
SUPPORT = {
    "Refunds take 14 days.": "support",
    "Refunds go to the card.": "partial_support",
    "Sale items are excluded.": "support",
    "The desk is open daily.": "not_support",
}


def sample(answer="Refunds take 14 days, not for sale items.", nuggets=NUGGETS):
    return Sample(id="1", question="How do refunds work?", answer=answer, nuggets=nuggets)


def labels(task):
    return ChooseLabel.reply(Label(SUPPORT[dict(task.shown)["nugget"]], "so it says"))


WRITER = {"choose_label": labels}


@over(
    ("metric", "value"),
    [
        (NuggetRecall(), 1 / 2),
        (NuggetRecall(strict=False), 1.5 / 2),
        (NuggetRecall(over="all"), 2 / 4),
        (NuggetRecall(over="all", strict=False), 2.5 / 4),
        (NuggetRecall(over="weighted"), 1.5 / 3),
        (NuggetRecall(over="weighted", strict=False), 2 / 3),
    ],
)
async def test_recall_counts_as_trec_does(metric, value):
    found = await score(metric, sample(), WRITER)
    assert found.value == pytest.approx(value)
    assert [(part.text, part.label) for part in found.parts] == list(SUPPORT.items())
    shares = {"V": 0.75, "A": 0.625, "W": 2 / 3, "V_strict": 0.5, "A_strict": 0.5, "W_strict": 0.5}
    ends = {name: found.details[name] for name in ("low", "high")}
    assert found.details == pytest.approx(shares | ends)
    assert not found.method


async def test_recall_has_an_interval_for_each_question():
    vital = (await score(NuggetRecall(), sample(), WRITER)).details
    every = (await score(NuggetRecall(over="all"), sample(), WRITER)).details
    assert (vital["low"], vital["high"]) == pytest.approx((0.0945, 0.9055), abs=1e-3)  # 1 of 2
    assert (every["low"], every["high"]) == pytest.approx((0.15, 0.85), abs=1e-3)  # 2 of 4
    weighted = (await score(NuggetRecall(over="weighted"), sample(), WRITER)).details
    assert vital["low"] < weighted["low"] < weighted["high"] < vital["high"]


async def test_a_judge_without_labels_verifies_and_the_score_says_so():
    def verdicts(task):
        assert [s.text for s in task.statements] == list(NUGGETS)
        made = zip(task.ids, (0.9, 0.4, 0.8, 0.1), strict=True)
        return VerifyStatements.reply([Verdict(i, p >= 0.5, probability=p) for i, p in made])

    soft = await score(NuggetRecall(strict=False), sample(), {"verify_statements": verdicts})
    assert soft.value == pytest.approx(0.65)
    assert "knows no partial support" in soft.method
    strict = await score(NuggetRecall(), sample(), {"verify_statements": verdicts})
    assert strict.value == 0.5


async def test_f_charges_for_what_is_beyond_the_allowance():
    short = await score(NuggetF(), sample(), WRITER)
    assert short.details["precision"] == 1
    assert short.value == pytest.approx(2 * 0.5 / 1.5)
    # Two nuggets are stated: 200 of 800 characters are allowed.
    stuffed = await score(NuggetF(), sample("x " * 800), WRITER)
    assert stuffed.details["precision"] == pytest.approx(200 / 800)
    assert stuffed.value == pytest.approx(2 * 0.25 * 0.5 / 0.75)
    assert (await score(NuggetF(beta=3), sample("x " * 800), WRITER)).value > stuffed.value


@over("metric", [NuggetRecall(), NuggetF()])
async def test_no_answer_states_nothing_and_nobody_is_asked(metric):
    judge = Watched(Scripted(WRITER))
    found = await score(metric, sample(" "), judge)
    assert isinstance(found, Score)
    assert found.value == 0
    assert not judge.kinds


async def test_without_a_nugget_that_counts_there_is_no_number():
    okay = {"The desk is open daily.": "okay"}
    for metric in (NuggetRecall(), NuggetF()):
        found = await score(metric, sample(nuggets=okay), WRITER)
        assert isinstance(found, Unscored)
        assert "no vital nugget" in found.detail
    assert (await score(NuggetRecall(over="all"), sample(nuggets=okay), WRITER)).value == 0
    assert isinstance(await score(NuggetRecall(over="all"), sample(nuggets={}), WRITER), Unscored)


def test_an_allowance_is_a_number_of_characters():
    with pytest.raises(InputError, match="allowance must be a number above 0"):
        NuggetF(allowance=0.0)
