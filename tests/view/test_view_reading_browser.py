"""Reading and labelling long, right-to-left and Markdown answers, zoomed in, while others write."""

import asyncio
import sqlite3

import pytest
from test_view_browser import OVERFLOW, press
from test_view_labels_browser import NEXT, SAMPLE, entered, kept, label, until
from view_rows import ROWS

from assay import evaluate
from support import chromium
from support.scripts import plausible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH"),
]


async def test_a_store_that_is_busy_is_said_and_the_label_kept_once_it_is_not(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    await label(page, "1")
    sample = await page.run(SAMPLE)
    with sqlite3.connect(store, isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        await press(page, "0")
        told = "document.querySelector('.failed-to-keep')"
        await until(page, f"!{told}.hidden && {told}.textContent.startsWith('Not kept yet')")
        await press(page, "0", "1")  # whoever presses again meanwhile decides nothing more
        db.execute("ROLLBACK")
    await until(page, f"{SAMPLE} !== {sample!r} && {told}.hidden")
    assert [(one.sample, one.value) for one in kept(store)][1:] == [(sample, 0.0)]
    assert not page.complaints


async def test_the_flagged_statements_of_a_long_answer_are_gone_through_by_a_key(
    page, serve, tmp_path
):
    rows = [{**ROWS[0], "answer": " ".join(f"Tower {n} is red." for n in range(60))}]
    evaluate(rows, "faithfulness", judge=plausible(), store=tmp_path / "long.db")
    client = await serve(tmp_path / "long.db")
    await entered(page, client, "/runs/last/samples/1")
    flagged = "[...document.querySelectorAll('.parts li.bad, .parts li.warn')]"
    here = f"{flagged}.indexOf(document.activeElement.closest('li'))"
    assert await page.run(f"{flagged}.length") > 2
    for place in (0, 1, 2):
        await press(page, "n")
        assert await page.run(here) == place
        box = "document.activeElement.getBoundingClientRect()"
        assert await page.run(f"{box}.top > 0 && {box}.bottom < innerHeight")
    assert not page.complaints


async def test_zoomed_in_nothing_covers_the_answer(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    await page.resize(640, 450, scale=2)
    await page.settle()
    fixed = "getComputedStyle(document.querySelector('.decide')).position"
    assert await page.run(fixed) == "static"
    assert await page.run(OVERFLOW) <= 0
    await label(page, "1")
    assert len(kept(store)) == 1
    assert not page.complaints


async def test_a_context_written_from_right_to_left_begins_at_the_right(page, serve, tmp_path):
    rows = [{**ROWS[0], "contexts": ["שלום עולם, המגדל נבנה כאן", "The tower stands here."]}]
    evaluate(rows, "faithfulness", judge=plausible(), store=tmp_path / "rtl.db")
    client = await serve(tmp_path / "rtl.db")
    await entered(page, client, "/label/last/next?by=anna")
    gaps = (
        "[...document.querySelectorAll('.l-ctx')].map(card => {"
        " const box = card.getBoundingClientRect(), range = document.createRange();"
        " range.selectNodeContents(card.querySelector('.t'));"
        " const text = range.getBoundingClientRect();"
        " return box.right - text.right < text.left - box.left; })"
    )
    assert await page.run(gaps) == [True, False]


async def test_whoever_reads_one_answer_as_markdown_reads_the_next_so(page, serve, tmp_path):
    rows = [{**row, "answer": f"- **tower** {row['id']}\n- red"} for row in ROWS[:6]]
    evaluate(rows, "faithfulness", judge=plausible(), store=tmp_path / "md.db")
    client = await serve(tmp_path / "md.db")
    await entered(page, client, "/label/last/next?by=anna&metric=faithfulness")
    raw = "document.querySelector('.asked-of section > .answer-of').checkVisibility()"
    assert await page.run(raw)
    await press(page, "m")
    await asyncio.sleep(0.1)
    assert not await page.run(raw)
    assert await page.run("document.querySelector('.prose strong').checkVisibility()")
    await label(page, "1")
    assert not await page.run(raw)
    await press(page, "m")
    assert await page.run(raw)
    assert not page.complaints


async def test_the_head_of_a_statement_stands_above_it(page, serve, store):
    client = await serve(store)
    base = await entered(page, client, "/")
    of = "document.querySelector('.asked-of section h2').getBoundingClientRect()"
    statement = "document.querySelector('.statement').getBoundingClientRect()"
    # Row 3 is the whole answer, row 1 one of two statements: it is picked out in the answer.
    for row, head, first in ((3, "Statement", True), (1, "Answer", False)):
        at = f"/label/first/item?by=anna&metric=faithfulness&what=statement&statement=0&row={row}"
        await page.open(base + at)
        assert await page.run("document.querySelector('.asked-of section h2').innerText") == head
        assert await page.run(f"{of}.bottom <= {statement}.top") is first
