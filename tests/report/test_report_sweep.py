"""Does the page of a sweep say what was found, and draw what it says?"""

import random
import re

import pytest

from assay import Pipeline, SweepSettings, sweep
from assay._analysis.sweeps import Interaction
from assay._report.leaderboard import interaction_in_words
from assay._report.sweep import render
from assay.stats.intervals import Interval
from support import chromium

QUESTIONS = [
    {"id": f"q{n}", "question": f"When was tower {n} finished?", "reference": "In 1889."}
    for n in range(40)
]
GRID = {"k": [3, 5], "rerank": [False, True], "chunk": [256, 512]}


def rag(question, k, rerank=None, chunk=256):
    """Only with k = 5 and a reranker it is good; chunk changes nothing."""
    del chunk
    good = k == 5 and rerank is True
    right = random.Random(f"{question} {k} {rerank}").random() < (0.97 if good else 0.4)
    return {"answer": "In 1889." if right else "In 1900.", "cost": k / 1000}


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Eight configurations: two that answer alike are best."""
    db = tmp_path_factory.mktemp("sweep") / "s.db"
    return sweep(QUESTIONS, rag, GRID, "exact_match", store=db)


def marks(page, place):
    """The names that a picture gives to marks on the front ("on") or off it ("off")."""
    return set(re.findall(rf'<g class="{place}"><title>([^:]*):', page))


def test_a_tie_is_the_first_thing_that_is_read_and_both_are_on_the_front(swept):
    page = render(swept)
    (said,) = re.findall(r'<p class="said t">(.*?)</p>', page)
    assert said.replace("<wbr>", "").startswith(
        "No winner: 2 configurations cannot be told apart at the top: "
        "k=5,rerank=true,chunk=256; k=5,rerank=true,chunk=512."
    )
    # Neither is called best in the table, nor is either value of what changes nothing.
    assert re.findall(r'<td class="verdict (\w+)">(\w+)</td>', page)[:3] == [
        ("plain", "tied"),
        ("plain", "tied"),
        ("bad", "worse"),
    ]
    assert {"k=5,rerank=true,chunk=256", "k=5,rerank=true,chunk=512"} <= marks(page, "on")
    # As dear as the best and worse.
    assert {"k=5,rerank=false,chunk=256", "k=5,rerank=false,chunk=512"} <= marks(page, "off")


def test_the_heat_map_is_of_the_two_that_interact(swept):
    page = render(swept)
    assert "Interaction:<wbr> " in page
    assert "averaged over chunk" in page
    cells = re.findall(r'<td class="h(\d+)">([\d.]+)</td>', page)
    assert len(cells) == 4
    assert [score for shade, score in cells if shade == "10"] == [max(s for _, s in cells)]


def test_effects_that_differ_are_shown_so():
    one = Interaction(
        "k", ("3", "1"), "rerank", ("true", "false"), (0.0226, 0.0181), 0.0045,
        Interval(0.0003, 0.0089), found=True,
    )  # fmt: skip
    assert "rerank=true (+0.0226) than with rerank=false (+0.0181)" in interaction_in_words(one)


def test_measures_of_a_ranking_stand_beside_each_other(tmp_path):
    """Only whole documents are found by what stands far from the answer."""
    documents = [
        {"id": f"d{n}", "text": f"Tower {n} stands in the town. It was finished in {1800 + n}."}
        for n in range(20)
    ]
    questions = [
        {
            "id": f"q{n}",
            "question": f"When was tower {n} finished?",
            "reference_contexts": [f"It was finished in {1800 + n}."],
        }
        for n in range(20)
    ]
    grid = {"chunk_size": [6, 40], "retriever": ["bm25"], "generator": ["passage"]}
    found = sweep(
        questions, Pipeline(documents), grid, "hit_at_k(k=1),mrr", store=tmp_path / "s.db"
    )
    page = render(found)
    (shown,) = re.findall(r'<h2 id="retrieval">.*?</section>', page, re.DOTALL)
    assert "over 20 questions" in shown
    assert re.findall(r'data-name="([^"]+)"', shown) == ["hit_at_k(k=1)", "mrr"] * 2
    assert "chunk_size=40" in shown
    assert shown.count("*</b>") == 2
    assert 'id="retrieval"' not in render(
        sweep(QUESTIONS[:2], rag, {"k": [3, 5]}, "exact_match", store=tmp_path / "s.db")
    )


def test_a_winner_is_named_and_a_race_has_no_front(tmp_path):
    settings = SweepSettings(race=True)
    raced = sweep(
        QUESTIONS,
        rag,
        {"k": [3, 5], "rerank": [True]},
        "exact_match",
        store=tmp_path / "s.db",
        settings=settings,
    )
    page = render(raced, [("this sweep", "assay sweep 'a b'")])
    assert "k=5 is best:<wbr> every other configuration is worse." in page
    assert ", raced" in page
    assert marks(page, "on") == set()
    assert "assay sweep &#39;a b&#39;" in page


def test_values_that_are_markup_stay_text_and_there_is_no_script(tmp_path):
    hostile = "<script>alert(1)</script>"
    found = sweep(
        QUESTIONS[:3],
        lambda question, prompt: f"{question}{prompt}",
        {"prompt": [hostile, "plain"]},
        "exact_match",
        store=tmp_path / "s.db",
    )
    page = render(found, [("<b>", hostile)])
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.browser
@pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH")
@pytest.mark.parametrize("width", [1280, 390])
async def test_the_page_fits_every_screen_and_breaks_none_of_its_own_rules(swept, tmp_path, width):
    file = tmp_path / "sweep.html"
    file.write_text(render(swept), "utf-8")
    async with chromium.browser() as page:
        await page.resize(width, 800)
        await page.open(file.as_uri())
        assert await page.run("document.documentElement.scrollWidth <= innerWidth")
        assert await page.run("document.querySelectorAll('figure g .dot').length") == 16
        assert page.complaints == []
