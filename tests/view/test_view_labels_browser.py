"""Labelling in a real browser: keys, what a reader sees at once, hostile texts, a phone, a kill."""

import asyncio
import time

import pytest
from test_view_browser import OVERFLOW, WIDE, press
from view_rows import ROWS, SIGN, spoilt

from assay import evaluate
from assay._store import Store
from support import chromium
from support.scripts import plausible

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH"),
]
NEXT = "/label/first/next?by=anna&metric=faithfulness"
SAMPLE = "document.querySelector('.where code').textContent"
SAID = "(document.querySelector('.last p') || {}).textContent || ''"


async def entered(page, client, path):
    sign = "&" if "?" in path else "?"
    base = f"http://127.0.0.1:{client.port}"
    await page.open(f"{base}{path}{sign}token={client.access.token}")
    return base


async def until(page, condition):
    """Wait until something is so in a page that may go meanwhile."""
    for _ in range(100):
        try:
            if await page.run(condition):
                return
        except AssertionError:  # it went
            pass
        await asyncio.sleep(0.1)
    raise AssertionError(condition)


async def label(page, key):
    """Press a key and wait for the next item; gives the sample that was decided about."""
    sample = await page.run(SAMPLE)
    await press(page, key)
    await until(page, f"({SAID}).includes({sample!r}) && !document.querySelector('[aria-busy]')")
    return sample


def kept(store, about="faithfulness", run="first"):
    with Store(store) as opened:
        return opened.labels.of(opened.run(run).id, about)


async def test_a_key_is_a_label_and_the_next_item_comes(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    decided = [await label(page, key) for key in "10us"]
    assert len(set(decided)) == 4
    assert [(one.sample, one.kind, one.value) for one in kept(store)] == [
        (decided[0], "label", 1.0),
        (decided[1], "label", 0.0),
        (decided[2], "unsure", None),
        (decided[3], "skip", None),
    ]
    assert await page.run("location.pathname.endsWith('/next')")
    await press(page, "z")
    await until(page, f"{SAMPLE} === {decided[3]!r}")
    assert len(kept(store)) == 3
    await press(page, "k")
    await until(page, f"{SAMPLE} === {decided[2]!r}")
    await press(page, "k")
    await until(page, f"{SAMPLE} === {decided[1]!r}")
    assert await page.run("document.querySelector('[aria-pressed=true]').value") == "label:0"
    await label(page, "1")
    assert kept(store)[-1].value == 1.0
    assert not page.complaints


async def test_a_reason_is_typed_without_labelling(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    await press(page, "r", "1", "0", "u")
    assert kept(store) == []
    assert await page.run("document.querySelector('[name=reason]').value") == "10u"
    await page.run("document.querySelector('[name=tag]').checked = true")
    await page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    await press(page, "0")
    await until(page, f"({SAID}).includes('No')")
    (one,) = kept(store)
    assert (one.reason, one.value) == ("10u", 0.0)
    assert len(one.tags) == 1
    assert not page.complaints


async def test_a_key_held_down_labels_one_item(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    for repeat in (False, True, True, True):
        await page.call(
            "Input.dispatchKeyEvent", type="keyDown", key="1", text="1", autoRepeat=repeat
        )
    await page.call("Input.dispatchKeyEvent", type="keyUp", key="1")
    await until(page, f"({SAID}).includes('Yes')")
    await page.settle()
    assert len(kept(store)) == 1


async def test_grades_and_pairs_have_keys_of_their_own(page, serve, store):
    client = await serve(store)
    base = await entered(page, client, "/label/second/next?by=anna&what=rubric")
    await label(page, "4")
    assert kept(store, run="second")[0].value == 4.0
    await page.open(f"{base}/label/second/next?by=anna&what=pair&against=first")
    assert await page.run("document.querySelectorAll('.side').length") == 2
    shown = await page.run("document.querySelector('.choice').value")
    await label(page, "a")
    with Store(store) as opened:
        about = f"faithfulness against {opened.run('first').id}"
    assert f"label:{kept(store, about, 'second')[0].value:g}" == shown
    assert not page.complaints


async def test_a_disagreement_is_settled_by_keys(page, serve, store):
    client = await serve(store)
    base = await entered(page, client, NEXT)
    sample = await label(page, "1")
    row = int(sample[1:])
    await page.open(f"{base}/label/first/item?by=ben&metric=faithfulness&row={row}")
    assert await page.run(SAMPLE) == sample
    await label(page, "0")
    await page.open(f"{base}/label/first/disagreements?by=carl&metric=faithfulness")
    await press(page, "j", "Enter")
    await until(page, "document.querySelector('.said-by') !== null")
    await press(page, "0")
    await until(page, "document.querySelector('.settling .agree') !== null")
    assert kept(store)[-1].kind == "settled"
    assert not page.complaints


async def typed(page, field, text):
    await page.run(f"document.querySelector({field!r}).select()")
    await page.call("Input.insertText", text=text)


async def clicked(page, link):
    """Click on what leads away, once this call has returned."""
    await page.run(f"setTimeout(() => document.querySelector({link!r}).click()) && 0")


async def enter(page):
    """Press Enter on what leads away: the page may be gone before it settles."""
    for kind, text in (("keyDown", "\r"), ("keyUp", "")):
        await page.call("Input.dispatchKeyEvent", type=kind, key="Enter", text=text)


async def begun(page, base, name, seconds=""):
    """Fill in the form on which labelling begins."""
    await page.open(f"{base}/label/first")
    await typed(page, "[name=by]", name)
    if seconds:
        await page.run("document.querySelector('.more-options summary').click()")
        await typed(page, "[name=second]", seconds)
    await enter(page)
    await until(page, "location.pathname.endsWith('/next') && !!document.querySelector('.decide')")


async def test_second_opinions_are_asked_for_and_what_they_differ_about_is_settled(
    page, serve, store
):
    client = await serve(store)
    base = await entered(page, client, "/label/first")
    await begun(page, base, "anna", seconds="100")
    first = {await label(page, "1") for _ in range(20)}
    await begun(page, base, "ben")
    differing = {await label(page, "0") for _ in range(3)}
    assert differing < first
    assert await page.run("document.querySelector('.where').textContent.includes('second opinion')")
    # While they label, nobody is told that they differ from others.
    assert await page.run("!document.querySelector('.margin').textContent.includes('disagree')")
    await page.open(f"{base}/label/first/disagreements?metric=faithfulness")
    await typed(page, "[name=by]", "carl")
    await enter(page)
    await until(page, "location.search.includes('by=carl') && !!document.querySelector('.dispute')")
    assert await page.run("document.querySelectorAll('.dispute').length") == 3
    await press(page, "j")
    await enter(page)
    for left in (2, 1, 0):
        await until(page, "!!document.querySelector('.said-by')")
        here = await page.run(SAMPLE)
        await press(page, "1")
        gone = f"(document.querySelector('.where code') || {{}}).textContent !== {here!r}"
        await until(page, f"{gone} && !document.querySelector('[aria-busy]')")
        assert sum(one.kind == "settled" for one in kept(store)) == 3 - left
    await page.open(f"{base}/label/first/results?by=carl&metric=faithfulness")
    # What was settled as good is no failure, though ben called it bad, and counts in agreement.
    assert await page.run("document.querySelectorAll('.failures li').length") == 0
    await page.open(f"{base}/label/first/agreement?by=carl&metric=faithfulness")
    told = await page.run("document.querySelector('main').textContent")
    assert "disagreed about 3 items" in told
    assert "people call 100% good" in told
    assert "undecided)" not in told
    await page.resize(390)  # on a phone its table stands as rows
    wider = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth)"
    assert await page.run(f"{OVERFLOW} + {wider}.length") == 0
    assert await page.run("document.querySelector('.stacked td').clientWidth") > 250
    await page.open(f"{base}/label/first/next?by=ben&metric=faithfulness")
    assert await page.run("document.querySelectorAll('.margin dd').length") == 3
    assert await page.run("document.querySelector('.far').clientWidth") > 100
    assert not page.complaints


async def test_a_sample_is_labelled_from_its_own_page(page, serve, store):
    client = await serve(store)
    base = await entered(page, client, "/runs/first/samples/5")
    await clicked(page, ".to-label")
    await until(page, "document.querySelector('[name=row]')?.value === '5'")
    sample = await page.run("document.querySelector('h1 code').textContent")
    await typed(page, "[name=by]", "anna")
    await enter(page)
    await until(page, f"location.pathname.endsWith('/item') && {SAMPLE} === {sample!r}")
    assert await label(page, "0") == sample
    assert [(one.sample, one.value) for one in kept(store)] == [(sample, 0.0)]
    await page.open(f"{base}/runs/first/samples/5")  # who is known goes on under the same name
    await clicked(page, ".to-label")
    await until(page, "!!document.querySelector('.ongoing')")
    await clicked(page, ".ongoing .links a")
    await until(page, f"location.pathname.endsWith('/item') && {SAMPLE} === {sample!r}")
    assert not page.complaints


async def test_it_works_without_scripts(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    await page.call("Emulation.setScriptExecutionDisabled", value=True)
    await page.open(f"http://127.0.0.1:{client.port}{NEXT}")
    found = await page.call("DOM.getDocument", depth=-1)
    place = await page.call(
        "DOM.querySelector", nodeId=found["root"]["nodeId"], selector=".choice.bad"
    )
    await page.call("DOM.focus", nodeId=place["nodeId"])
    for kind, text in (("keyDown", "\r"), ("keyUp", "")):
        await page.call("Input.dispatchKeyEvent", type=kind, key="Enter", text=text)
    for _ in range(50):
        if kept(store):
            break
        await asyncio.sleep(0.1)
    assert [one.value for one in kept(store)] == [0.0]


async def test_a_viewer_that_is_gone_is_said_and_loses_nothing(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    await label(page, "1")
    sample = await page.run(SAMPLE)
    await client.server.close()
    await press(page, "0")
    await until(page, "!document.querySelector('.failed-to-keep').hidden")
    assert "Not kept" in await page.run("document.querySelector('.failed-to-keep').textContent")
    assert await page.run(SAMPLE) == sample
    assert len(kept(store)) == 1


async def test_all_that_is_needed_is_seen_at_once(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    inside = (
        "['.question', '.answer-of', '.l-ctx', '#ask', '.choice'].every(name => {"
        " const box = document.querySelector(name).getBoundingClientRect();"
        " return box.top >= 0 && box.bottom <= innerHeight; })"
    )
    for width in (1280, 390):
        await page.resize(width)
        await page.settle()
        assert await page.run(inside), width


async def test_a_statement_is_seen_however_long_the_answer_is(page, serve, tmp_path):
    path = tmp_path / "long.db"
    long = [{**row, "answer": row["answer"] + " It is red." * 200} for row in ROWS[:2]]
    evaluate(long, ["faithfulness"], judge=plausible(), store=path)
    client = await serve(path)
    await entered(page, client, "/label/last/next?by=anna&what=statement")
    above = (
        "document.querySelector('.statement').getBoundingClientRect().bottom"
        " < document.querySelector('.decide').getBoundingClientRect().top"
    )
    for width in (1280, 390):
        await page.resize(width)
        await page.settle()
        assert await page.run(above), width


async def test_a_label_takes_one_key_and_little_time(page, serve, store):
    client = await serve(store)
    await entered(page, client, NEXT)
    await label(page, "1")
    begun = time.monotonic()
    for n in range(10):
        await label(page, "10"[n % 2])
    assert len(kept(store)) == 11
    assert (time.monotonic() - begun) / 10 < 5.0  # of which the test itself waits 0.25 s


async def test_nothing_hostile_runs_and_nothing_is_cut_off_on_a_phone(page, serve, tmp_path):
    path = tmp_path / "hostile.db"
    for answer in ("", " again"):
        rows = [spoilt({**row, "answer": row["answer"] + answer}) for row in ROWS[:8]]
        result = evaluate(rows, ["faithfulness"], judge=plausible(), store=path)
        result.describe(name="<script>1</script>" + "long" * 20)
    client = await serve(path)
    with Store(path) as opened:
        newest, oldest = (run.id for run in opened.runs())
    by = "by=%3Cimg%20src=x%3E&order=random"
    at = f"/label/{newest}"
    base = await entered(page, client, f"{at}/next?{by}")
    await label_all(page, ("0", "1", "0"))
    pages = [
        at,
        f"{at}/next?{by}",
        f"{at}/next?{by}&what=statement",
        f"{at}/next?{by}&what=pair&against={oldest}",
        f"{at}/item?{by}&row=1",
        f"{at}/disagreements?{by}",
        f"{at}/results?{by}",
        f"/label/{oldest}/next?{by}&what=rubric",
    ]
    for width in (1280, 390):
        await page.resize(width)
        for address in pages:
            await page.open(base + address)
            await page.settle()
            assert not (await page.run("document.title")).startswith(SIGN)
            harm = "document.querySelectorAll('main script, main img, iframe').length"
            assert await page.run(harm) == 0
            assert await page.run(OVERFLOW) <= 0, (width, address, await page.run(WIDE))
            unnamed = (
                "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]"
                ".filter(f => !f.labels.length).length"
            )
            assert await page.run(unnamed) == 0, address
    assert not page.complaints


async def label_all(page, keys):
    for n, key in enumerate(keys, 1):
        await press(page, key)
        await until(
            page,
            f"(document.querySelector('.margin').textContent).includes('{n} of 8')"
            " && !document.querySelector('[aria-busy]')",
        )
