"""The flows from runs to a decision in a real browser: compare, filter, watch, put labels to use."""

import asyncio
import json

import pytest
from test_view_browser import OVERFLOW, WIDE, press
from test_view_labels_browser import clicked, entered, until

from assay._analysis.labelling import Labelling
from assay._store import Store
from assay._store.integrity import amended
from assay.view.export import export
from assay.view.site import Site
from support import chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH"),
]


@pytest.fixture
def labelled(store):
    """A store in which two people have labelled 30 answers each of "first", and agree."""
    with Store(store) as opened:
        for name in ("anna", "ben"):
            desk = Labelling(opened, "first", "faithfulness", annotator=name, second_opinions=1)
            for _ in range(30):
                bad = int(desk.next().sample[1:]) % 3 == 0
                desk.record(float(not bad), "the year" if bad else "")
    return store


async def chosen(page, name, value):
    """Choose a value of a list of a form, as a reader does."""
    field = f"document.querySelector('.filters [name={name}]')"
    await page.run(f"{field}.value = {value!r}; {field}.dispatchEvent(new Event('change'))")


async def test_runs_are_compared_by_keys(page, serve, store):
    client = await serve(store)
    await entered(page, client, "/")
    await press(page, "j", "x", "j", "x")
    await press(page, "c")
    await until(page, "location.pathname.startsWith('/side/')")
    await until(page, "!document.querySelector('[data-fetch]')")
    assert await page.run("document.querySelectorAll('.duel').length") > 10
    assert await page.run("document.querySelectorAll('ins.now').length") > 0
    await chosen(page, "sort", "better")
    await clicked(page, ".filters button")
    await until(page, "new URLSearchParams(location.search).get('sort') === 'better'")
    await until(page, "document.readyState === 'complete'")
    await press(page, "j", "Enter")
    await until(page, "location.pathname.includes('/samples/')")
    assert not page.complaints


async def test_samples_are_filtered_and_columns_chosen_by_the_form(page, serve, labelled):
    client = await serve(labelled)
    await entered(page, client, "/runs/first")
    n = "document.querySelectorAll('.samples-table tbody tr').length"
    await chosen(page, "label", "bad")
    await clicked(page, ".filters button")
    with Store(labelled) as opened:
        labels = opened.labels.of(opened.run("first").id, "faithfulness")
    bad = len({one.sample for one in labels if not one.value})
    await until(page, f"location.search.includes('label=bad') && {n} === {bad}")
    await chosen(page, "metric", "exact_match")
    await page.run("document.querySelector('[name=min]').value = '0.5'")
    await clicked(page, ".filters button")
    await until(page, "document.querySelectorAll('.chip').length === 2")
    assert await page.run(n) == bad  # the short answers are those of the reference
    await clicked(page, ".chip")
    await until(page, "document.querySelectorAll('.chip').length === 1")
    await page.run(
        "document.querySelector('.columns').open = true;"
        "document.querySelectorAll('[name=col]').forEach("
        "box => { box.checked = ['question', 'reference'].includes(box.value); })"
    )
    await clicked(page, ".columns button")
    heads = "[...document.querySelectorAll('.samples-table thead th')].map(e => e.innerText.trim())"
    await until(page, f"{heads}.join() === 'Sample,Question,Reference'")
    await page.resize(390)
    assert await page.run(OVERFLOW) <= 0, await page.run(WIDE)
    assert not page.complaints


async def test_a_run_that_is_going_moves_on_the_screen(page, serve, store):
    with Store(store) as opened:
        run = opened.run("second")
        name = "(SELECT id FROM names WHERE name = ?)"
        with opened.changing() as db:
            db.execute("CREATE TABLE later AS SELECT * FROM jobs WHERE row > 30")
            db.execute(f"DELETE FROM jobs WHERE row > 30 AND run = {name}", (run.id,))
        with opened.changing() as db, amended(db, "runs", "id = ?", run.id):
            db.execute("UPDATE runs SET finished = NULL WHERE id = ?", (run.id,))
        client = await serve(store)
        await entered(page, client, "/")
        far = "document.querySelector('.run .progress').textContent"
        await until(page, f"{far}.includes('60 of 120 scores')")
        with opened.changing() as db:
            columns = ", ".join(row[1] for row in db.execute("PRAGMA table_info(jobs)"))
            db.execute(
                f"INSERT INTO jobs ({columns}) SELECT {columns} FROM later"
                f" WHERE row <= 45 AND run = {name}",
                (run.id,),
            )
        await until(page, f"{far}.includes('90 of 120 scores')")
    assert not page.complaints


async def test_labels_are_put_to_use_by_buttons(page, serve, labelled, tmp_path):
    client = await serve(labelled)
    query = "?by=anna&metric=faithfulness"
    base = await entered(page, client, f"/label/first/results{query}")
    assert await page.run("document.querySelectorAll('.uses a').length") == 4
    await clicked(page, ".failures button")
    await until(page, "(document.querySelector('.failures .agree') || {}).textContent")
    (case,) = labelled.with_name("regression.jsonl").read_text("utf-8").splitlines()
    assert json.loads(case)["why"] == "the year"
    for name, words in (
        ("corrected", "corrected"),
        ("agreement", "kappa"),
        ("threshold", "good from"),
    ):
        await page.open(f"{base}/label/first/results{query}")
        await clicked(page, f".uses a[href*='/{name}']")
        await until(page, f"location.pathname.endsWith('/{name}')")
        await until(page, f"document.querySelector('main')?.textContent.includes('{words}')")
        await page.resize(390)
        assert await page.run(OVERFLOW) <= 0, await page.run(WIDE)
        await page.resize(1280)
    sheet = tmp_path / "carl.csv"
    with Store(labelled) as opened:
        open_ones = [f"q{n}" for n in range(1, 61)]
        known = {one.sample for one in opened.labels.of(opened.run("first").id, "faithfulness")}
    new = [name for name in open_ones if name not in known][:5]
    sheet.write_text("id,label\n" + "".join(f"{name},1\n" for name in new), "utf-8")
    await page.open(f"{base}/label/first/results?by=carl&metric=faithfulness")
    found = await page.call("DOM.getDocument", depth=-1)
    node = await page.call(
        "DOM.querySelector", nodeId=found["root"]["nodeId"], selector="[type=file]"
    )
    await page.call("DOM.setFileInputFiles", files=[str(sheet)], nodeId=node["nodeId"])
    await clicked(page, ".files form button")
    await until(page, "document.body.textContent.includes('5 new labels imported')")
    assert not page.complaints


async def test_a_viewer_that_only_reads_offers_no_change(page, serve, labelled):
    client = await serve(labelled, read_only=True)
    base = await entered(page, client, "/")
    query = "?metric=faithfulness"
    for path in ("/", "/runs/first", "/runs/first/samples/1", "/matrix", "/label/first",
                 f"/label/first/results{query}", f"/label/first/disagreements{query}"):  # fmt: skip
        await page.open(base + path)
        assert await page.run("document.querySelectorAll('form[method=post]').length") == 0, path
        changes = "document.querySelectorAll('a[href*=edit], a[href*=delete], .to-label').length"
        assert await page.run(changes) == 0, path
    assert not page.complaints


async def test_exported_pages_are_read_from_the_disk(page, labelled, tmp_path):
    await asyncio.to_thread(export, Site(labelled, read_only=True), tmp_path / "out")
    await page.open((tmp_path / "out" / "index.html").as_uri())
    scores = "[...document.querySelectorAll('.run .scores-of')].map(e => e.getBoundingClientRect())"
    # Without boxes to mark runs: one below the other, in the right half.
    lefts = await page.run(f"{scores}.map(e => e.left)")
    assert len(lefts) == 2
    assert lefts[0] == lefts[1] > 1280 * 0.4
    await press(page, "j", "Enter")
    await until(page, "location.pathname.includes('/runs/')")
    await until(page, "document.readyState === 'complete'")
    assert await page.run("document.querySelectorAll('.scores table').length") == 1
    await press(page, "j", "Enter")
    await until(page, "location.pathname.includes('/samples/')")
    await until(page, "document.readyState === 'complete'")
    await press(page, "j")
    await until(page, "location.pathname.includes('/samples/2/')")
    for width in (1280, 390):
        await page.resize(width)
        assert await page.run(OVERFLOW) <= 0, await page.run(WIDE)
    assert await page.run("document.querySelectorAll('form[method=post]').length") == 0
    assert not page.complaints
