"""Does what a strong model replied still answer our prompts, and does the page tell its figures?"""

import hashlib
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from benchmarks.data import DATA
from benchmarks.recorded import graded, price, short
from benchmarks.recorded.replay import COMPARISONS, Recorded, line, lines, outdated, scored

import assay
from assay.stats.agreement import auroc
from assay.tasks import SplitStatements
from benchmarks import crud, engine, gptscore, leaks, selfcheck

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "prompt-record.md"


@pytest.fixture(scope="module")
def replayed():
    judge = Recorded()
    return judge, [line(one, scored(one, judge.ask)) for one in COMPARISONS]


def test_a_changed_prompt_shows_which_recorded_evidence_it_outdates(replayed):
    judge, _ = replayed
    # Where this fails: have the model answer anew (`--pending`), or name the set in OUTDATED and
    # mark its line on the page as measured with the prompt of before.
    assert outdated(judge) == {}
    assert sorted(judge.unknown) == []


def test_the_page_tells_the_figures_that_the_record_gives(replayed):
    page = PAGE.read_text("utf-8")
    assert [row for row in replayed[1] if row not in page] == []


def test_the_short_form_of_splits_was_answered_to_todays_prompt_and_its_figures_stand():
    for row in lines("short.jsonl.gz"):
        prompt = SplitStatements(row["question"], row["answer"]).prompt()
        assert hashlib.sha256(prompt.encode()).hexdigest()[:12] == row["short_prompt"]
    figures = {name: round(kappa.value, 2) for name, kappa in short.compared().items()}
    assert figures == {"statements (125)": 0.87, "sentences (180)": 0.75, "answers (30)": 0.89}
    assert round(short.compared(short.STEPS)["sentences (157)"].value, 2) == 0.84


def test_the_model_asked_twice_agrees_with_itself_as_the_page_says():
    figures = {name: round(kappa.value, 2) for name, kappa in short.again().items()}
    assert figures == {
        "statements (297)": 0.89,
        "sentences (181)": 0.87,
        "answers (30)": 0.89,
        "statements of other prompts (40)": 1.0,
    }
    assert round(short.contexts()["kappa (122)"], 2) == 0.98


def test_what_replies_cost_is_told_of_the_prompts_that_a_run_asks(tmp_path):
    judge = price.recorded()
    rows, settings = engine.rows(price.SAMPLES), assay.Settings(tries=1, probe=False)
    result = assay.evaluate(
        rows, engine.METRICS, judge.ask, store=tmp_path / "a", settings=settings
    )
    assert not any(row.n_failed for row in result.summary()), judge.unknown
    assert judge.asked == set(judge.replies)
    # Four calls a sample; the aims are 400 tokens of reply, and 60 % of the long form's price.
    assert len(judge.asked) == 4 * price.SAMPLES
    short_form, long_form = price.cost("failures"), price.cost("all")
    assert (short_form["prompt"], short_form["reply"]) == (3622, 311)
    assert (long_form["prompt"], long_form["reply"]) == (4044, 1024)


@pytest.mark.skipif(not leaks.SECOND.has(leaks.CLAIMS), reason="the data is not here")
def test_the_planted_leaks_were_answered_to_todays_prompts_and_their_figures_stand():
    cases = leaks.first_of_each_kind(list(leaks.access_cases(60, Random(7))), leaks.ON_RECORD)
    judge = leaks.record()
    told = leaks.told(cases, judge.ask)
    assert judge.unknown == {}
    assert judge.asked == set(judge.replies)
    missed = Counter(kind for (kind, _), one in zip(cases, told, strict=True) if not one)
    assert [missed[kind] for kind in leaks.LEAKS] == [2, 1, 1]
    assert [leaks.ON_RECORD - missed[kind] for kind in leaks.CLEAN] == [0, 0, 11, 0]


@pytest.mark.skipif(not DATA.has(gptscore.ANSWERS), reason="the data is not here")
def test_g_eval_was_answered_to_todays_prompts_and_its_figure_stands(tmp_path):
    judge, rows = gptscore.record(), gptscore.rows_of(30)
    asked = [{key: value for key, value in row.items() if key != "right"} for row in rows]
    result = assay.evaluate(asked, [gptscore.G_EVAL], judge.ask, store=tmp_path / "a")
    assert judge.unknown == {}
    assert judge.asked == set(judge.replies)
    scores = result.to_pandas()[gptscore.G_EVAL.label].to_numpy(float)
    area = auroc(scores, np.array([row["right"] for row in rows]))
    assert round(area(np.ones(len(rows))), 2) == 0.94


@pytest.mark.skipif(not graded.complete(), reason="the data is not here")
def test_the_rules_for_graded_verdicts_rank_as_the_page_says():
    found = graded.answers()
    assert len(found) == 203
    for names, of_counted, of_graded in (
        (graded.RAGTRUTH, 0.77, 0.82),
        (graded.OTHERS, 0.72, 0.74),
    ):
        rows = [one for one in found if one["set"] in names]
        assert round(graded.pooled("counted (`strict`)", rows), 2) == of_counted
        assert round(graded.pooled("mean loss (`graded`)", rows), 2) == of_graded


def test_questions_about_texts_have_the_figures_that_the_pages_tell():
    rows = crud.recorded_rows()
    judge = Recorded({line["key"]: line["reply"] for line in lines("crud.jsonl.gz")})
    found = crud.figures(rows, crud.QUEST_EVAL, judge.ask)
    page = (PAGE.parent / "crud-rag.md").read_text("utf-8")
    assert [name for name in crud.QUEST_EVAL if f"| {name} | {found[name]}" not in page] == []
    texts = selfcheck.recorded_rows()
    mqag = Recorded({line["key"]: line["reply"] for line in lines("mqag.jsonl.gz")})
    scored = selfcheck.texts(texts, selfcheck.outcomes_of(texts, [selfcheck.MQAG], mqag.ask))
    page = (PAGE.parent / "metrics-and-people.md").read_text("utf-8")
    assert selfcheck.row(scored, selfcheck.MQAG) in page
    assert judge.unknown | mqag.unknown == {}
