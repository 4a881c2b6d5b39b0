"""Do the parts of the viewer that need no page hold: differences, structure, export, progress?"""

import asyncio
import re

import pytest
from aiohttp import ClientSession, CookieJar, web
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from view_rows import ROWS

from assay import evaluate
from assay._cli import main
from assay._store import Store
from assay._store.integrity import amended
from assay.errors import InputError
from assay.view import runs, texts
from assay.view.export import export
from assay.view.http import Access
from assay.view.server import application, first_address, running
from assay.view.site import Site
from support.over import over


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_are_the_texts_again(before, after):
    left, right = texts.differences(before, after)
    assert "".join(text for text, _ in left) == before
    assert "".join(text for text, _ in right) == after


def test_only_the_words_that_differ_are_marked():
    left, right = texts.differences("The tower is red.", "The old tower is blue.")
    assert [text for text, changed in left if changed] == ["red"]
    assert [text.strip() for text, changed in right if changed] == ["old", "blue"]


def test_texts_that_share_few_words_have_no_marks():
    before, after = (
        "Based on the passages, it is red.",
        "The tower was painted green in the spring.",
    )
    assert any(changed for _, changed in texts.differences(before, after)[0])
    assert texts.differences(before, after, 0.5) == ([(before, False)], [(after, False)])
    _, right = texts.differences("The tower is red.", "The old tower is blue.", 0.5)
    assert [text.strip() for text, changed in right if changed] == ["old", "blue"]


def test_blank_lines_are_not_marked():
    _, right = texts.differences("red", "red\n\nnew line\n\nnext")
    assert [text for text, changed in right if changed] == ["new line", "next"]


def test_equal_texts_have_no_mark():
    assert texts.differences("same words", "same words")[0] == [("same words", False)]


@over(
    ("text", "names", "rows"),
    [
        ('[{"a": 1, "b": "x"}, {"a": 2}]', ["a", "b"], [["1", "x"], ["2", ""]]),
        ('{"a": {"b": true}, "c": [1, 2]}', (), [("a.b", "yes"), ("c", "1, 2")]),
        (
            '{"a": [{"b": 1}, {"b": {"c": 2}}]}',
            (),
            [("a.1.b", "1"), ("a.2.b.c", "2")],
        ),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |", ["a", "b"], [["1", "2"], ["3", ""]]),
    ],
)
def test_structure_is_found(text, names, rows):
    grid = texts.grid(text)
    assert (list(grid.names), [list(row) for row in grid.rows]) == (
        list(names),
        [list(r) for r in rows],
    )


@over("text", ["", "Prose, as it is.", "{not json", "[]", "[1] a citation", "a | b", "[" * 5000])
def test_prose_is_no_table(text):
    grid = texts.grid(text)
    assert grid is None or not grid.rows


ELEMENTS = re.compile(
    r"</?(?:p|h6|ul|ol|li|em|strong|code|pre|blockquote|table|thead|tbody|tr|th|td|hr|br)(?: /)?>"
)
MARKS = st.sampled_from(
    [
        "**",
        "`",
        "```\n",
        "# ",
        "- ",
        "1. ",
        "> ",
        "|",
        "\n",
        "|-|-|\n",
        "<b>",
        "[x](javascript:y)",
        "![](z)",
        "&lt;",
        '"',
        "\u202e",
    ]
)


@given(st.lists(MARKS | st.text(max_size=6), max_size=24).map("".join))
def test_markdown_becomes_a_closed_list_of_elements(text):
    found = texts.rendered(text)
    assert found is None or not re.search("[<>]", ELEMENTS.sub("", found))


def test_markdown_is_rendered_and_links_are_not():
    found = texts.rendered("**Two** steps:\n\n- `a`\n- [b](https://c)\n\n```py\n1 < 2\n```")
    for piece in ("<strong>Two</strong>", "<li>", "<code>a</code>", "[b](https://c)", "1 &lt; 2"):
        assert piece in found
    assert texts.rendered("Prose without any of it.") is None


def test_the_export_holds_every_page_with_links_that_lead_somewhere(store, tmp_path):
    folder = tmp_path / "out"
    n = export(Site(store, read_only=True), folder)
    pages = sorted(folder.rglob("index.html"))
    assert len(pages) == n == 1 + 2 * (2 + 60) + 3
    for page in pages[:: max(1, len(pages) // 25)]:
        text = page.read_text("utf-8")
        assert "<form" not in text.replace('<form method="dialog">', "")
        for link in re.findall(r'(?:href|src)="([^"#]+)', text):
            assert (page.parent / link).resolve().is_file(), (page, link)
    # What a star and the marks mean is said where there is no form to choose them by, too.
    (side,) = (folder / "side").glob("*/index.html")
    assert "best by faithfulness</span>" in side.read_text("utf-8")


def test_there_must_be_a_store(tmp_path):
    with pytest.raises(InputError, match="there is no store"):
        Site(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


async def test_a_run_that_is_going_is_read_and_shows_how_far_it_is(serve, store):
    with Store(store) as opened:
        run = opened.run("second")
        with opened.changing() as db:
            db.execute(
                "DELETE FROM jobs WHERE row > 30 AND run = (SELECT id FROM names WHERE name = ?)",
                (run.id,),
            )
        await opened.end(run.id, seconds=0, stopped="", skipped=0)
        with opened.changing() as db, amended(db, "runs", "id = ?", run.id):
            db.execute("UPDATE runs SET finished = NULL WHERE id = ?", (run.id,))
    client = await (await serve(store)).enter()
    _, text, _ = await client.get(f"/runs/{run.id}")
    assert "60 of 120 scores" in text
    assert f'data-live="/runs/{run.id}/progress"' in text
    _, text, _ = await client.get(f"/runs/{run.id}/progress")
    assert "not finished" in text
    _, text, _ = await client.get(f"/runs/{run.id}/scores")
    assert "missing" not in text  # they are to come
    site = await asyncio.to_thread(Site, store)
    assert runs.state(site, run=site.run("second")).open
    await asyncio.to_thread(site.close)


class TestTheCommand:
    def call(self, *arguments):
        return CliRunner().invoke(main, ["view", *map(str, arguments)])

    def test_writes_pages_into_a_new_folder_only(self, tmp_path):
        store = tmp_path / "few.db"
        evaluate(ROWS[:2], "exact_match", store=store)
        done = self.call(store, "--export", tmp_path / "out")
        assert done.exit_code == 0, done.output
        assert "4 pages" in done.output
        done = self.call(store, "--export", tmp_path / "out")
        assert done.exit_code == 2
        assert "not an empty folder" in done.output

    def test_needs_a_store_that_is_there(self, tmp_path):
        done = self.call(tmp_path / "none.db", "--no-browser")
        assert done.exit_code == 2
        assert "there is no store" in done.output

    def test_does_not_both_write_and_serve(self, store, tmp_path):
        done = self.call(store, "--export", tmp_path / "out", "--port", 8900)
        assert done.exit_code == 2
        assert "does not go with --export" in done.output


async def test_it_listens_on_this_machine_and_says_where(store):
    access = Access()
    app = application(await asyncio.to_thread(Site, store), access)
    async with running(app, 0) as port, ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:
        address = first_address(port, access.token)
        assert address.startswith(f"http://127.0.0.1:{port}/?token=")
        async with session.get(address) as reply:
            assert reply.status == 200
            assert reply.url.query_string == ""
        with pytest.raises(InputError, match="cannot listen"):
            async with running(web.Application(), port):
                pass
