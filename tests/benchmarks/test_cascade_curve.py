"""What a cascade saves and risks, as its benchmark tells and draws it."""

import random
from xml.etree import ElementTree as ET

from benchmarks.cascade import Answer, outcome, shift

from benchmarks import cascade_picture


def answers(wrong: float, n: int = 300) -> list[Answer]:
    """Two sure statements an answer, that share of them against what people say."""
    dice = random.Random(1)
    labels = [[dice.random() >= wrong for _ in range(2)] for _ in range(n)]
    return [Answer("a set", [0.99, 0.99], {"people": one}) for one in labels]


def test_a_judge_that_errs_within_the_bound_saves_calls_and_one_that_does_not_saves_none():
    good, bad = (outcome(answers(wrong), "people", 0.1, 3) for wrong in (0.0, 0.3))
    assert (good.opened, good.agreement, good.risk, good.broken) == (1.0, 1.0, 0.0, 0.0)
    assert good.calls == good.statements > 0.3  # the rest are the labels, and what is checked
    assert (bad.opened, bad.calls, bad.agreement) == (0.0, 0.0, 1.0)
    assert 0.25 < bad.alone < 0.35


def test_a_shift_that_breaks_the_bound_closes_the_band_and_is_drawn():
    found = shift(answers(0.0), answers(0.4), 0.1, 2)
    assert found.opened == len(found.closed) == 2
    assert max(found.closed) < 300
    assert 0.35 < found.unwatched < 0.45
    curve = [outcome(answers(0.0), "people", bound, 2) for bound in (0.1, 0.2)]
    drawn = ET.fromstring(cascade_picture.drawn({"RAGTruth": curve}, {"quintd1": found}))
    texts = [text.text for text in drawn.iter() if text.tag.endswith("text")]
    assert "RAGTruth" in texts
    assert any(text.startswith("quintd1, risk") for text in texts)
