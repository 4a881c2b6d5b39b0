"""Does the viewer work in a real browser: its keys, its evidence, hostile texts, a phone?"""

import asyncio

import pytest
from view_rows import ROWS, SIGN, spoilt

from assay import evaluate
from assay._store import Store
from assay.view.export import export
from assay.view.site import Site
from support import chromium
from support.scripts import plausible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH"),
]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

WIDE = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map(e => e.tagName + '.' + e.className)"


async def press(page, *keys):
    for key in keys:
        code = {"Enter": "\r"}.get(key, key)
        for kind in ("keyDown", "keyUp"):
            await page.call(
                "Input.dispatchKeyEvent", type=kind, key=key, text=code if kind == "keyDown" else ""
            )
    await page.settle()


async def test_exported_pages_are_searched_without_a_server(page, store, tmp_path):
    await asyncio.to_thread(export, Site(store, read_only=True), tmp_path / "out")
    run = next((tmp_path / "out" / "runs").iterdir())
    await page.open((run / "page" / "2" / "index.html").as_uri())
    await page.run(
        "(() => { const f = document.querySelector('[data-search] input');"
        " f.value = 'TOWER 1807'; f.dispatchEvent(new Event('input')); })()"
    )
    await page.settle()
    assert await page.run("document.querySelector('[data-search] p').textContent") == (
        "1 of 60 samples"
    )
    link = await page.run("document.querySelector('[data-search] li a').href")
    assert link == (run / "samples" / "7" / "index.html").as_uri()


async def test_a_reader_goes_by_keys_from_the_runs_to_the_evidence(page, serve, store):
    client = await serve(store)
    base = f"http://127.0.0.1:{client.port}"
    await page.open(f"{base}/?token={client.access.token}")
    assert await page.run("location.search") == ""
    assert await page.run("document.cookie") == ""
    await press(page, "j", "Enter")
    await page.settle()
    assert (await page.run("document.querySelector('h1').textContent")).startswith("second")
    await page.settle()
    assert await page.run("document.querySelectorAll('#first .scores table').length") == 1
    await press(page, "j", "j", "Enter")
    await page.settle()
    assert await page.run("location.pathname.endsWith('/samples/2')")
    await press(page, "j")
    await page.settle()
    assert await page.run("location.pathname.endsWith('/samples/3')")
    await page.run("document.querySelector('#answer mark').click()")
    assert await page.run("document.querySelectorAll('.parts li.on').length") >= 1
    await press(page, "p")
    assert await page.run("document.querySelector('.call pre').checkVisibility()")
    await press(page, "?")
    assert await page.run("document.querySelector('#keys').open")
    await press(page, "?", "u")
    await page.settle()
    assert await page.run("document.activeElement.textContent") == "q3"
    top = "document.activeElement.getBoundingClientRect().top"
    assert 0 < await page.run(top) < await page.run("innerHeight")
    await press(page, "j", "Enter")
    await page.settle()
    assert await page.run("location.pathname.endsWith('/samples/4')")
    assert not page.complaints


async def test_a_tag_is_given_and_a_run_deleted_by_its_forms(page, serve, store):
    client = await serve(store)
    base = f"http://127.0.0.1:{client.port}"
    await page.open(f"{base}/runs/first/edit?token={client.access.token}")
    await page.run(
        "document.querySelector('[name=tags]').value = 'gold'; setTimeout(() => document.querySelector('button.main').click(), 0)"
    )
    await asyncio.sleep(1)  # the page goes, and with it what is asked of it
    assert await page.run("document.querySelector('.head .tag').textContent") == "gold"
    await page.open(f"{base}/runs/second/delete")
    await page.run("setTimeout(() => document.querySelector('button.danger').click(), 0)")
    await asyncio.sleep(2)
    assert await page.run("document.querySelectorAll('.run').length") == 1
    assert not page.complaints


async def test_nothing_hostile_runs_and_nothing_is_cut_off_on_a_phone(page, serve, tmp_path):
    path = tmp_path / "hostile.db"
    for answer in ("", " again"):
        rows = [spoilt({**row, "answer": row["answer"] + answer}) for row in ROWS[:3]]
        result = evaluate(rows, ["faithfulness", "exact_match"], judge=plausible(), store=path)
        result.describe(tags=["<script>1</script>"], note="<img src=x>" + "long" * 200)
    client = await serve(path)
    base = f"http://127.0.0.1:{client.port}"
    with Store(path) as opened:
        ids = [run.id for run in opened.runs()]
    await page.open(f"{base}/?token={client.access.token}")
    run = f"/runs/{ids[0]}"
    for width in (1280, 390):
        await page.resize(width)
        for address in ("/", run, f"{run}/samples/1", f"{run}/edit", f"/side/{','.join(ids)}"):
            await page.open(base + address)
            await page.settle()
            assert not (await page.run("document.title")).startswith(SIGN)
            assert (
                await page.run("document.querySelectorAll('main script, main img, iframe').length")
                == 0
            )
            assert await page.run(OVERFLOW) <= 0, (width, address, await page.run(WIDE))
            unnamed = "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')].filter(f => !f.labels.length).length"
            assert await page.run(unnamed) == 0, address
    assert not page.complaints
