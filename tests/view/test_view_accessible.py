"""Can the pages be read and used by keyboard, with a screen reader, in the dark, on a phone, on paper?

axe-core says what it finds at every page; it is part of the development dependencies, not of assay.
"""

import asyncio
import importlib.util
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from view_rows import ROWS, spoilt

from assay import Settings, SweepSettings, evaluate, sweep
from assay._store import Store
from assay._store.labels import HumanLabel
from assay.experiments.watch import Watch, look
from support import chromium
from support.scripts import plausible

_AXE = importlib.util.find_spec("axe_playwright_python")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH"),
]
needs_axe = pytest.mark.skipif(_AXE is None, reason="axe-playwright-python is not installed")
SCENES = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
FINDINGS = """axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations.map(
    fault => `${fault.id}: ${fault.nodes[0].html.slice(0, 200)}`))"""
LATER = "document.querySelectorAll('[data-fetch], meta[name=assay-again]').length"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# What the focus is on, and whether one sees that it is there.
FOCUS = """(() => {
    const e = document.activeElement, s = getComputedStyle(e);
    const seen = (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none";
    return [e.tagName, (e.labels?.[0] || e).textContent.trim().slice(0, 40), seen];
})()"""
CONTROLS = """[...document.querySelectorAll("a[href], button, input:not([type=hidden], [type=radio]:not(:checked)), select, textarea, summary")]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0).length"""

LABEL_PAGES = (
    *("", "/next?by=dora", "/next?by=dora&what=statement", "/item?by=ben&row=2"),
    *("/results?by=dora", "/disagreements?by=dora", "?row=1"),
    *("/agreement?by=dora", "/corrected?by=dora", "/threshold?by=dora"),
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """(store, questions) in which every text is an attacker's, with labels and a review."""
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "hostile.db"
    for answer in ("", " again"):
        rows = [spoilt({**row, "answer": row["answer"] + answer}) for row in ROWS[:4]]
        long = f"{'very ' * 1200}red."  # what does not fit on a screen scrolls
        rows[0] |= {
            "answer": f"{rows[0]['answer']} It is {long}",
            "contexts": [f"It was {long}"],
        }
        metrics = ["faithfulness", "answer_relevancy", "exact_match"]
        result = evaluate(rows, metrics, judge=plausible(), store=path)
        result.describe(
            tags=["<script>1</script>"], note="<img src=x>", params={"<k>": 1 + len(answer)}
        )
    _add_groups(path, folder)
    with Store(path) as store:
        run = next(run for run in store.runs() if not {"k", "look"} & run.params.keys())
        sample = store.sample_at(run.id, 1).id
        said = {"run": run.id, "metric": "faithfulness", "sample": sample}
        store.labels.keep(
            [
                HumanLabel(
                    annotator="<b>a</b>", value=0.0, tags=("<i>t</i>",), reason="<u>r</u>", **said
                ),
                HumanLabel(annotator="ben", value=1.0, statement=0, **said),
            ]
        )
    rows = [
        {
            **spoilt({"question": row["question"], "reference": row["reference"]}),
            "id": row["id"] + "<b>",
            "reference_contexts": spoilt(row["contexts"]),
            "quotes": [row["contexts"][0]],
            "kind": "<i>kind",
            "group": "<u>group",
        }
        for row in ROWS[:3]
    ]
    questions = folder / "questions.jsonl"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path, questions


def _add_groups(path, folder):
    """A sweep and a watch that has told of drift."""
    questions = [{**spoilt(row), "contexts": spoilt(row["contexts"])} for row in ROWS[:6]]

    def system(question, k=3, style="<b>"):
        return {"answer": f"In {1800 + k}. {style}", "latency_ms": 5 * k, "cost": k / 100}

    asked = [{name: row[name] for name in ("id", "question", "reference")} for row in questions]
    settings = SweepSettings(settings=Settings(name="<u>sweep"))
    grid = {"k": [1, 2, 3], "style": ["<b>", "<i>"]}
    sweep(asked, system, grid, ["exact_match", "token_f1"], store=path, settings=settings)
    traffic = folder / "traffic"
    traffic.mkdir()
    for day in range(8):
        answer = "In 1900." if day > 4 else None
        rows = [
            {**row, "id": f"{day}-{row['id']}", "answer": answer or row["reference"]}
            for row in ROWS[:20]
        ]
        (traffic / f"{day}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        watch = Watch(
            name="<s>watch",
            source=traffic,
            metrics="exact_match",
            judge=plausible(),
            store=path,
        )
        look(watch, datetime(2026, 1, 1 + day, 12, tzinfo=UTC))


@pytest.fixture
async def viewer(serve, hostile, page):
    """(address, pages) of a viewer of the hostile store, the browser let in."""
    path, questions = hostile
    client = await serve(path, questions=questions)
    base = f"http://127.0.0.1:{client.port}"
    with Store(path) as store:
        runs = store.runs()
    ids = [run.id for run in runs if not {"k", "look"} & run.params.keys()]
    swept, watched = (next(r.id for r in runs if name in r.params) for name in ("k", "look"))
    await page.open(f"{base}/?token={client.access.token}")
    run = f"/runs/{ids[0]}"
    pages = [
        *("/", run, f"{run}?label=bad&col=labels&col=faithfulness", f"{run}?q=nothing"),
        *(f"{run}/samples/1", f"{run}/edit", f"{run}/delete", f"/side/{','.join(ids)}"),
        *("/matrix", "/questions", "/questions/1", "/nothing"),
        *(f"/runs/{swept}/sweep", f"/runs/{watched}/watch", f"/runs/{swept}"),
        *(f"/label/{ids[0]}{page}" for page in LABEL_PAGES),
        f"/label/{ids[0]}/next?by=dora&what=pair&against={ids[1]}",
    ]
    return base, pages


async def shown(page, address, width, scheme):
    await page.resize(width)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    await page.call("Emulation.setEmulatedMedia", features=features)
    await page.open(address)
    for _ in range(40):
        if not await page.run(LATER):
            break
        await page.settle()
        if await page.run("!!document.querySelector('meta[name=assay-again]')"):
            await page.open(address)


async def findings(page):
    await page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    await page.run((Path(_AXE.origin).parent / "axe.min.js").read_text("utf-8") + ";0")
    return await page.run(FINDINGS)


@needs_axe
async def test_axe_finds_no_fault_and_nothing_is_cut_off(page, viewer):
    base, pages = viewer
    for path in pages:
        for width, scheme in SCENES:
            await shown(page, base + path, width, scheme)
            assert await findings(page) == [], (path, width, scheme)
            assert await page.run(OVERFLOW) <= 0, (path, width)


@needs_axe
async def test_axe_would_find_one(page, viewer):
    base, _ = viewer
    await shown(page, f"{base}/", 1280, "light")
    await page.run(
        "document.querySelector('h1').style.color = '#ddd';"
        "document.querySelector('main').append(document.createElement('input'))"
    )
    assert [fault.partition(":")[0] for fault in await findings(page)] == [
        "color-contrast",
        "label",
    ]


async def press(page, key, text="", **more):
    for kind in ("keyDown", "keyUp"):
        given = {"text": text} if text and kind == "keyDown" else {}
        await page.call("Input.dispatchKeyEvent", type=kind, key=key, **given, **more)


async def test_every_control_is_reached_by_tab_and_seen(page, viewer):
    base, pages = viewer
    for path in pages:
        await shown(page, base + path, 1280, "light")
        n = await page.run(CONTROLS)
        reached = set()
        for _ in range(n + 2):
            await press(page, "Tab", code="Tab", windowsVirtualKeyCode=9)
            tag, text, seen = await page.run(FOCUS)
            if tag == "BODY":
                break
            assert seen, (path, tag, text)
            number = "[...document.querySelectorAll('*')].indexOf(document.activeElement)"
            reached.add(await page.run(number))
        assert len(reached) >= n, (path, len(reached), n)


async def test_questions_are_reviewed_by_keys(page, serve, hostile, tmp_path):
    path, questions = hostile
    mine = tmp_path / "questions.jsonl"
    mine.write_bytes(questions.read_bytes())
    client = await serve(path, questions=mine)
    base = f"http://127.0.0.1:{client.port}"
    await page.open(f"{base}/questions/1?token={client.access.token}")

    async def at(place):
        for _ in range(50):
            here = "document.readyState === 'complete' && location.pathname"
            if await page.run(here) == place:
                return True
            await asyncio.sleep(0.1)
        return False

    async def key(key, **more):
        await press(page, key, **{"text": key, **more})

    await key("1")
    assert await at("/questions/2")
    await page.settle()
    await key("e")
    assert await page.run("document.activeElement.name") == "question"
    # It is written beside its passages, over the width of its column, and covers nothing.
    assert await page.run("document.activeElement.clientWidth") > 450
    assert (
        await page.run("getComputedStyle(document.querySelector('.decide')).position") == "static"
    )
    await page.run("document.activeElement.value = 'Why 1 tower, and not 0?'")
    await press(page, "Enter", "", code="Enter", windowsVirtualKeyCode=13, modifiers=2)
    assert await at("/questions/3")
    await page.settle()
    await key("0")
    assert await at("/questions")
    made = (tmp_path / "questions.reviewed.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in made.splitlines()]
    assert [row["review"] for row in rows] == ["kept", "edited"]
    assert rows[1]["question"] == "Why 1 tower, and not 0?"
    await page.open(f"{base}/questions/3")
    await key("z")
    await asyncio.sleep(1.0)  # the page goes, and with it what is asked of it
    assert "2</b> of 3" in await page.run("document.querySelector('.review').innerHTML")
    assert not page.complaints
    assert questions.read_bytes() == mine.read_bytes()


async def test_on_paper_nothing_stands_that_only_works_on_a_screen(page, viewer):
    base, pages = viewer
    for path in pages:
        await shown(page, base + path, 1280, "dark")
        await page.call("Emulation.setEmulatedMedia", media="print")
        ink = "getComputedStyle(document.body).backgroundColor"
        assert await page.run(ink) in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), path
        left = "[...document.querySelectorAll('.filters, .pager, .toolbar, .bar button, .buttons')].filter(e => e.checkVisibility()).length"
        assert await page.run(left) == 0, path
        await page.call("Emulation.setEmulatedMedia", media="screen")
