"""Does the page work in a real browser, and does no text that it shows ever run?"""

import re
from pathlib import Path

import fixture
import hostile
import pytest

from assay._report.run import html
from support import chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.PATH is None, reason="no Chromium on the PATH"),
]
POLICY = re.compile(r"<meta http-equiv=[^>]*>")
SHOWN = "[...document.querySelectorAll('details.s:not([hidden]) > summary .id')].map(e => e.textContent)"


async def load(page: chromium.Page, tmp_path: Path, text: str, anchor: str = "") -> None:
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    await page.open(file.as_uri() + anchor)


def type_into(field: str, value: str) -> str:
    return (
        f"(() => {{ const f = document.querySelector('#f-{field}'); f.value = {value!r};"
        " f.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


@pytest.mark.parametrize("walls", [2, 1])
async def test_nothing_hostile_runs(page: chromium.Page, tmp_path: Path, walls: int) -> None:
    text = html.render(hostile.report())
    # Escaping has to hold alone, without the policy as the second wall.
    await load(page, tmp_path, text if walls == 2 else POLICY.sub("", text), "#s0")
    for number in range(3):
        await page.run(f"location.hash = '#s{number}'")
        await page.settle()
    await page.run("document.querySelectorAll('.tabs a[data-m=\"-1\"]').forEach(a => a.click())")
    await page.run("document.querySelectorAll('.calls, .call').forEach(d => { d.open = true; })")
    await page.run("document.querySelectorAll('[data-p]').forEach(e => e.click())")
    await page.run(type_into("text", "<script>"))
    await page.settle()
    title = await page.run("document.title")
    assert hostile.SIGN in title  # it is part of the run's id, as text
    assert title.startswith("assay report support-questions.jsonl, 21 Nov 11:00<script>")
    tags = "iframe, img, base, object, embed, link, [onload], [onerror], [onmouseover], [href^=javascript]"
    assert await page.run(f"document.querySelectorAll({tags!r}).length") == 0
    assert await page.run("document.querySelectorAll('script').length") == 3
    assert await page.run("document.querySelectorAll('.call pre[data-text]').length") == 0
    assert not page.complaints


async def test_a_hostile_answer_is_read_as_it_was_written(
    page: chromium.Page, tmp_path: Path
) -> None:
    data = fixture.small()
    answer = "<b>bold</b> &amp; <script>document.title = 'PWNED'</script></noscript> {{ x }}"
    data["samples"][0]["answer"] = answer
    await load(page, tmp_path, html.render(data), "#s0")
    assert await page.run("document.querySelector('#s0 .ann').textContent") == answer
    assert await page.run("document.title") == "assay report support-questions.jsonl, 21 Nov 11:00"
    assert not page.complaints


async def test_filters_narrow_the_list(page: chromium.Page, tmp_path: Path) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    for field, value, expected in (
        ("kind", "failed", ["core-003", "zh-009", "fin-010"]),
        ("kind", "undefined", ["core-004", "empty-011"]),
        ("text", "PUMPED-storage", ["energy-005"]),
        ("text", "{**a, **b}", ["code-012"]),
        ("group", "2", ["core-003", "core-004"]),
    ):
        await page.run("document.querySelector('#filter').reset()")
        await page.settle()
        await page.run(type_into(field, value))
        await page.settle()
        assert await page.run(SHOWN) == expected, value
    await page.run("document.querySelector('#filter').reset()")
    await page.settle()
    await page.run(type_into("metric", "0"))
    await page.run(type_into("limit", "0.6"))
    await page.settle()
    assert await page.run(SHOWN) == ["core-003", "med-007", "zh-009"]
    assert await page.run("document.querySelector('#status').textContent") == "3 of 12 samples"
    assert not page.complaints


@pytest.mark.parametrize("opened", ["", "#s0"])
async def test_texts_are_searched_across_line_breaks_and_headings_are_not(
    page: chromium.Page, tmp_path: Path, opened: str
) -> None:
    data = fixture.small()
    data["samples"][0]["answer"] = "The mast\n  is of larch <wood>."
    await load(page, tmp_path, html.render(data), opened)
    await page.settle()
    for text, expected in (
        ("mast is of LARCH <wood>", ["ran-001"]),
        ("best first", []),  # stands above the contexts of every sample
        ("link to this sample", []),
    ):
        await page.run(type_into("text", text))
        await page.settle()
        assert await page.run(SHOWN) == expected, text


async def test_what_was_searched_for_is_marked_where_it_is_shown(
    page: chromium.Page, tmp_path: Path
) -> None:
    data = fixture.small()
    data["samples"][0]["answer"] = "The mast\n  is of larch. A MAST is of wood."
    await load(page, tmp_path, html.render(data))
    # A text is there once for each metric that colours it.
    marked = "[...new Set([...CSS.highlights.get('found')].map(String))]"
    for text, expected in (("mast is of", ["mast\n  is of", "MAST is of"]), ("", [])):
        await page.run(type_into("text", text))
        await page.settle()
        await page.run("document.querySelector('#s0').open = true")
        await page.settle()
        assert await page.run(marked) == expected
    assert not page.complaints


async def test_the_very_words_of_another_metric_do_not_stand_out(
    page: chromium.Page, tmp_path: Path
) -> None:
    data = fixture.small()
    part = next(p for p in data["samples"][0]["scores"]["faithfulness"]["parts"] if p["span"])
    part["marks"] = [part["span"]]
    await load(page, tmp_path, html.render(data), "#s0m0")
    await page.settle()
    bold = "getComputedStyle(document.querySelector('#s0 mark.exact')).fontWeight"
    found = [await page.run(bold)]
    await page.run("document.querySelector('#s0 .tabs a[data-m=\"5\"]').click()")
    assert [*found, await page.run(bold)] == ["650", "400"]


async def test_the_address_names_the_metric_that_is_looked_at(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.small()), "#s0m3")
    await page.settle()
    place = await page.run("document.querySelector('#s0 > summary').getBoundingClientRect().top")
    assert 0 <= place < 400  # with question and answer in view, not only the evidence below them
    looked_at = "document.querySelector('#s0 .tabs a[aria-current=true]').dataset.m"
    assert [await page.run(what) for what in ("location.hash", looked_at)] == ["#s0m3", "3"]
    await page.run("document.querySelector('#s0 .tabs a[data-m=\"1\"]').click()")
    assert await page.run("location.hash") == "#s0m1"
    await page.run("document.querySelector('#s1 > summary').click()")
    await page.settle()
    assert await page.run("location.hash") == "#s1"
    assert not page.complaints


async def test_a_click_on_a_column_sorts_and_unscored_samples_come_last(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    click = "document.querySelector('[data-sort=\"0\"]').click()"
    await page.run(click)
    worst = await page.run(SHOWN)
    assert worst[:3] == ["core-003", "med-007", "zh-009"]
    assert worst[-3:] == ["core-004", "fin-010", "empty-011"]
    await page.run(click)
    best = await page.run(SHOWN)
    assert best[0] == "ran-002"
    assert best[-3:] == worst[-3:]
    await page.run(click)
    assert await page.run(SHOWN) == [case["id"] for case in fixture.CASES]


async def test_the_link_beside_a_mean_shows_the_samples_beyond_the_guide(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    await page.run("document.querySelector('.find[data-m=\"0\"]').click()")
    await page.settle()
    assert await page.run(SHOWN) == ["core-003", "med-007", "zh-009", "ran-001", "energy-005"]


async def test_a_statement_leads_to_its_context_and_quote(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.small()), "#s0m0")
    await page.run("document.querySelector('#s0m0 li:nth-child(2)').click()")
    lit = "[...document.querySelectorAll('#s0 .ctx .on')].map(e => e.textContent).join('')"
    assert (await page.run(lit)).startswith("In the uplink with CP-OFDM")
    assert await page.run("document.querySelector('#s0c1').classList.contains('on')")
    assert await page.run("document.querySelector('#s0 .ann mark.on').textContent") == (
        "Two codewords are used when more than four layers are sent."
    )


async def test_a_link_to_a_context_opens_its_sample_there(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.small()), "#s4c1")
    assert await page.run("document.querySelector('#s4').open")
    seen = "document.querySelector('#s4c1').getBoundingClientRect().top < innerHeight"
    assert await page.run(seen)


async def test_words_of_a_context_have_the_colour_of_the_metric_that_is_looked_at(
    page: chromium.Page, tmp_path: Path
) -> None:
    data = fixture.small()
    (part,) = data["samples"][0]["scores"]["context_recall"]["parts"]
    part |= {"label": "unsupported", "value": 0.0}
    await load(page, tmp_path, html.render(data), "#s0m0")
    colour = (
        "['bad', 'good'].filter(c => document.querySelector('#s0c0 mark').classList.contains(c))"
    )
    assert await page.run(colour) == ["good"]
    for metric, seen in (("3", ["bad"]), ("0", ["good"]), ("-1", ["bad"])):
        await page.run(f"document.querySelector('#s0 .tabs a[data-m=\"{metric}\"]').click()")
        assert await page.run(colour) == seen


async def test_a_click_on_a_score_opens_its_evidence(page: chromium.Page, tmp_path: Path) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    await page.run("document.querySelectorAll('#s4 > summary .c')[3].click()")
    await page.settle()
    assert await page.run("document.querySelector('#s4').open")
    sections = "[...document.querySelectorAll('#s4 .sec:not([hidden])')].map(e => e.id)"
    assert await page.run(sections) == ["s4m3"]


async def test_prompts_and_replies_are_put_together_when_opened(
    page: chromium.Page, tmp_path: Path
) -> None:
    data = fixture.small()
    await load(page, tmp_path, html.render(data), "#s0m0")
    await page.run(
        "document.querySelectorAll('#s0m0 .calls, #s0m0 .call').forEach(d => { d.open = true; })"
    )
    await page.settle()
    found = await page.run("[...document.querySelectorAll('#s0m0 pre')].map(e => e.textContent)")
    replies = data["samples"][0]["scores"]["faithfulness"]["replies"]
    assert found == [text for r in replies for text in (r["prompt"], r["raw"])]


async def test_the_theme_can_be_switched(page: chromium.Page, tmp_path: Path) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    before = await page.run(colour)
    await page.run("document.querySelector('#theme').click()")
    assert await page.run(colour) != before


async def test_without_scripts_a_sample_opens(page: chromium.Page, tmp_path: Path) -> None:
    await page.call("Emulation.setScriptExecutionDisabled", value=True)
    await load(page, tmp_path, html.render(fixture.small()))
    tree = await page.call("DOM.getDocument")
    found = await page.call(
        "DOM.querySelectorAll", nodeId=tree["root"]["nodeId"], selector="details.s .parts li"
    )
    assert len(found["nodeIds"]) > 100


async def test_thousands_of_samples_stay_quick(page: chromium.Page, tmp_path: Path) -> None:
    await load(page, tmp_path, html.render(fixture.large(2000)))
    assert await page.run("document.getElementsByTagName('*').length") < 30_000
    took = await page.run(
        "(() => { const t = performance.now(); document.querySelector('[data-sort=\"0\"]').click();"
        " document.body.offsetHeight; return performance.now() - t; })()"
    )
    assert took < 3000
    assert not page.complaints


# How many samples are laid out: those out of sight are not, which would make scrolling slow.
LAID_OUT = "[...document.querySelectorAll('.s')].filter(e => e.checkVisibility({contentVisibilityAuto: true})).length"


async def test_samples_out_of_sight_are_not_laid_out_and_can_be_found_and_printed(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.large(400)))
    await page.settle()
    last = "document.querySelector('#s399').getBoundingClientRect()"
    assert await page.run(LAID_OUT) <= 150
    assert await page.run("find(document.querySelector('#s180 .id').textContent)")
    await page.settle()
    seen = "document.querySelector('#s180').getBoundingClientRect()"
    assert 0 <= await page.run(f"{seen}.top") < await page.run("innerHeight")
    await page.run("location.hash = '#s290'")
    await page.settle()
    assert await page.run("document.querySelector('#s290 .question').checkVisibility()")
    estimate = await page.run(f"{last}.bottom + scrollY")
    await page.call("Emulation.setEmulatedMedia", media="print")
    assert await page.run(LAID_OUT) == 400
    await page.call("Emulation.setEmulatedMedia", media="screen")
    await page.run(
        "document.querySelectorAll('.g').forEach(e => e.style.contentVisibility = 'visible')"
    )
    assert await page.run(f"{last}.bottom + scrollY") == pytest.approx(estimate, rel=0.05)


async def test_what_a_filter_leaves_fills_the_list_without_gaps(
    page: chromium.Page, tmp_path: Path
) -> None:
    data = fixture.large(400)
    for number, sample in enumerate(data["samples"]):
        sample["id"] = f"{'kept' if number % 5 == 0 else 'left'}-{number}"
    await load(page, tmp_path, html.render(data))
    await page.run(type_into("text", "kept-"))
    await page.settle()
    shown = await page.run(SHOWN)
    assert (len(shown), shown[-1]) == (80, "kept-395")
    assert await page.run("document.querySelector('#list').offsetHeight") < 80 * 36
    # From the last of a group to the first of the next, by an arrow key.
    await page.run("document.querySelector('#s245 > summary').focus()")
    key = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}))"
    await page.run(key)
    assert await page.run("document.activeElement.parentElement.id") == "s250"


async def test_a_link_to_a_sample_that_a_filter_hides_shows_it(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    await page.run(type_into("text", "uplink"))
    await page.settle()
    await page.run("location.hash = '#s4'")
    await page.settle()
    assert await page.run("document.querySelector('#s4 .question').checkVisibility()")
    assert await page.run("document.querySelector('#f-text').value") == ""


async def test_on_a_narrow_page_every_score_names_its_metric(
    page: chromium.Page, tmp_path: Path
) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    named = (
        "[...document.querySelectorAll('#s0 > summary .c')]"
        ".map(e => getComputedStyle(e, '::before').content)"
    )
    labels = [f'"{metric["label"]}"' for metric in fixture.METRICS]
    for width, expected in ((1300, ["none"] * len(labels)), (420, labels)):
        await page.resize(width)
        assert await page.run(named) == expected


async def test_half_a_screen_shows_the_whole_score_table(
    page: chromium.Page, tmp_path: Path
) -> None:
    data = fixture.small()
    for metric in data["metrics"]:
        metric |= {"n_failed": 0}
    await load(page, tmp_path, html.render(data))
    await page.resize(700)
    table = "document.querySelector('.scores .wide')"
    assert await page.run(f"{table}.scrollWidth <= {table}.clientWidth")
    assert await page.run(f"{table}.querySelector('.dist svg').getBoundingClientRect().width") > 120


@pytest.mark.parametrize("width", [1280, 700])
async def test_the_ends_of_the_axis_stand_clear_of_the_interval(
    page: chromium.Page, tmp_path: Path, width: int
) -> None:
    await load(page, tmp_path, html.render(fixture.small()))
    await page.resize(width)
    gap = (
        "(() => { const svg = [...document.querySelectorAll('.dist svg')]"
        ".find(e => e.querySelector('.at-interval'));"
        " const box = e => svg.querySelector(e).getBoundingClientRect();"
        " return box('text').top - Math.max(box('.at-interval').bottom, box('.at-mean').bottom); })()"
    )
    assert await page.run(gap) >= 0
