"""Do a strong model's grades on record still answer our prompt, and does the page tell of them?"""

from pathlib import Path

import numpy as np

from assay.stats.raters import cohen_kappa
from benchmarks import judged_pool

PAGE = Path(__file__).parents[2] / "docs" / "sweep.md"


def test_the_record_answers_the_prompt_and_the_page_tells_its_agreement():
    # Where this fails: have the model answer anew (`--recorded --pending`), and change the page.
    rows, replies = judged_pool.recorded()
    model = judged_pool.Recorded(replies)
    grades = judged_pool.by_judge(rows, model.ask).grades
    assert (model.unknown, model.asked) == ({}, set(replies))
    said, gold = (
        np.array([of(row, text) for row in rows for text in row["passages"]])
        for of in (
            lambda row, text: grades[row["question"], text] >= judged_pool.RELEVANT,
            lambda row, text: row["passages"][text]["gold"],
        )
    )
    kappa = float(cohen_kappa(said, gold)(np.ones(len(gold))))
    assert (
        f"| strong model | 20 | {len(gold)} | {gold.mean():.2f} | {kappa:.2f} (" in PAGE.read_text()
    )


def test_a_judge_that_is_always_right_agrees_in_all():
    rows, _ = judged_pool.recorded()
    line = judged_pool.simulated(rows, 1.0, 10)
    assert line == "| 1.0 | 10 | 1.00 | 1.00 |"
