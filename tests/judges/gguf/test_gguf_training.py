"""Does the fit find what a Yes means, and does a run that was stopped go on?"""

import sys
from pathlib import Path

import numpy as np
import pytest

from assay.judges.gguf.questions import Fit
from assay.tasks import Statement, VerifyStatements
from support.engines import Says

sys.path.append(str(Path(__file__).resolve().parents[3]))

from training.gguf.fit import Kept, auroc, carded, fitted
from training.gguf.rows import Row


def rows(n):
    return [
        Row(
            "claims",
            VerifyStatements((Statement("s1", f"Claim {i}."),), ("A context.",)),
            {"s1": i % 2 == 0},
        )
        for i in range(n)
    ]


def yes_too_readily(prompt):
    number = int(prompt.partition("Claim ")[2].partition(".")[0])
    return (0.93 if number % 2 == 0 else 0.8) + 0.001 * (number % 5)


def test_auroc_is_the_chance_to_rank_rightly():
    labels = np.array([True, True, False, False])
    assert auroc(np.array([3.0, 2.0, 1.0, 0.0]), labels) == 1.0
    assert auroc(np.array([1.0, 1.0, 1.0, 1.0]), labels) == 0.5
    assert auroc(np.array([0.0, 3.0, 2.0, 1.0]), labels) == 0.5


def test_a_fit_finds_where_yes_begins():
    chance = np.random.default_rng(0)
    odds = chance.normal(2.0, 2.0, 2000)
    labels = chance.random(2000) < 1 / (1 + np.exp(-2 * (odds - 2)))
    fit = fitted(odds, labels, "plain")
    assert -fit.bias / fit.slope == pytest.approx(2.0, abs=0.2)
    assert fit.slope == pytest.approx(1.9, abs=0.4)


def test_a_model_that_says_yes_too_readily_is_put_right(tmp_path, capsys):
    kept = Kept(tmp_path / "kept.jsonl", Says(yes_too_readily))
    for row in rows(24):
        kept.ask("fit", "plain", row)
    for row in rows(30):
        kept.ask("measured", "plain", row)
    fit = carded(kept, "verify_statements")
    assert fit.probability(0.8) < 0.5 < fit.probability(0.94)
    assert fit.card.startswith("claims: AUROC 1.00 [1.00, 1.00], balanced accuracy 1.00")
    assert "unfitted 0.50" in capsys.readouterr().out


def test_a_card_is_made_of_no_few_answers(tmp_path):
    kept = Kept(tmp_path / "kept.jsonl", Says(yes_too_readily))
    for use, n in (("fit", 24), ("measured", 8)):
        for row in rows(n):
            kept.ask(use, "plain", row)
    assert carded(kept, "verify_statements").card == ""


def test_too_few_answers_make_no_fit(tmp_path):
    kept = Kept(tmp_path / "kept.jsonl", Says(yes_too_readily))
    kept.ask("fit", "plain", rows(1)[0])
    assert carded(kept, "verify_statements") == Fit()


def test_what_is_kept_is_not_asked_again(tmp_path):
    engine = Says(yes_too_readily)
    for _ in range(2):
        kept = Kept(tmp_path / "kept.jsonl", engine)
        for row in rows(3):
            kept.ask("fit", "plain", row)
    assert len(engine.asked) == 3
    assert len(kept.lines) == 3
