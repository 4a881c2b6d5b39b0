"""Do the pages show what the store holds, filtered, ordered and in pages, whatever the texts?"""

import re

import pytest
from view_rows import ATTACK, ROWS, spoilt

from assay import evaluate
from assay.store import Store
from assay.store.runs import Description
from support.scripts import plausible


@pytest.fixture
async def client(serve, store):
    return await (await serve(store)).enter()


def ids(text):
    """The samples of a table, in order."""
    return re.findall(r"data-open>(q\d+)</a></th>", text)


class TestTheRuns:
    async def test_each_is_shown_with_what_is_said_of_it_and_its_scores(self, client):
        await client.get("/")
        run = re.search(r'href="(/runs/[0-9a-f]{12})" data-open>second', (await client.get("/"))[1])
        _, scores, _ = await client.get(f"{run[1]}/scores")
        assert "faithfulness" in scores
        assert re.search(r'class="mean[ a-z]*">[01]\.\d\d</b> <span class="dim ci">', scores)
        assert 'aria-label="60 scores from' in scores

    @pytest.mark.parametrize(
        ("query", "found"),
        [("q=FIRST", ["first"]), ("q=k=5", ["second"]), ("tag=nightly", ["first"]), ("q=zzz", [])],
    )
    async def test_they_are_searched_and_filtered(self, client, query, found):
        _, text, _ = await client.get(f"/?{query}")
        assert re.findall(r"data-open>(\w+)</a>", text) == found

    async def test_they_are_sorted(self, client):
        for sort, expected in (
            ("", "second first"),
            ("oldest", "first second"),
            ("name", "first second"),
        ):
            _, text, _ = await client.get(f"/?sort={sort}")
            assert re.findall(r"data-open>(\w+)</a>", text) == expected.split()
        assert (await client.get("/?sort=-faithfulness"))[0] == 200


class TestTheSamplesOfARun:
    async def test_they_come_in_pages(self, client):
        _, text, _ = await client.get("/runs/first")
        assert ids(text) == [f"q{n}" for n in range(1, 51)]
        _, text, _ = await client.get("/runs/first/page/2")
        assert ids(text) == [f"q{n}" for n in range(51, 61)]
        assert (await client.get("/runs/first/page/3"))[0] == 404

    async def test_words_are_found_in_all_texts(self, client):
        _, text, _ = await client.get("/runs/first?q=1807")
        assert ids(text) == ["q7"]
        _, text, _ = await client.get('/runs/first?q="is red" tower 8')
        assert ids(text) == ["q8"]
        _, text, _ = await client.get("/runs/first?q=ABSENT")
        assert "No sample fits" in text

    @pytest.mark.parametrize("words", ['"', "*", "NEAR(", "a AND", "^x", "col:x", "%", "'; DROP"])
    async def test_no_search_is_an_error(self, client, words):
        status, _, _ = await client.get("/runs/first", params={"q": words})
        assert status == 200

    async def test_they_are_filtered_by_scores_and_ordered(self, client, store):
        with Store(store) as opened:
            run = opened.run("first")
            values = {row: v for row, v, _ in opened.values(run.id, "faithfulness")}
        low = [f"q{row}" for row, value in values.items() if value <= 0.5]
        _, text, _ = await client.get("/runs/first?range=faithfulness:..0.5")
        assert ids(text) == low[:50]
        _, text, _ = await client.get("/runs/first?sort=-faithfulness")
        first, last = ids(text)[0], ids(text)[-1]
        assert values[int(first[1:])] == max(values.values())
        assert values[int(first[1:])] >= values[int(last[1:])]

    async def test_a_verdict_and_a_cause_are_filters(self, client):
        await client.get("/runs/first?q=tower")  # waits for the index
        _, text, _ = await client.get("/runs/first")
        label, n = re.search(r'<option value="([a-z ]+)">\1 \((\d+)\)</option>', text).groups()
        _, text, _ = await client.get("/runs/first", params={"verdict": label})
        assert f">{n} of 60 fit<" in text

    async def test_a_form_ends_at_an_address_that_can_be_sent_on(self, client):
        query = "q=tower&metric=faithfulness&min=&max=0.9&verdict=&why=&col=answer&col=faithfulness"
        _, _, reply = await client.get(f"/runs/first?{query}")
        assert reply.url.query_string.replace("%3A", ":") == (
            "q=tower&range=faithfulness:..0.9&col=answer&col=faithfulness"
        )

    @pytest.mark.parametrize(
        "query", ["range=nothing:0..1", "range=faithfulness", "range=faithfulness:a..", "sort=zzz"]
    )
    async def test_a_filter_that_cannot_be_is_told(self, client, query):
        status, text, _ = await client.get(f"/runs/first?{query}")
        assert status == 422
        assert "cannot be shown" in text

    async def test_the_first_page_of_the_report_stands_above(self, client):
        _, text, _ = await client.get("/runs/first/first")
        assert "What went wrong" in text
        assert re.search(r'<a href="/runs/[0-9a-f]{12}/samples/\d+">q\d+</a>', text)


class TestASample:
    async def test_statements_contexts_prompts_and_replies_are_in_one_view(self, client):
        status, text, _ = await client.get("/runs/first/samples/7")
        assert status == 200
        assert "When was tower 7 built?" in text
        assert '<mark class="' in text
        assert 'id="m0p0"' in text
        assert "Prompts and replies" in text

    async def test_its_neighbours_are_those_of_the_list(self, client):
        _, text, _ = await client.get("/runs/first/samples/7?sort=-")
        assert re.search(r'rel="next" href="/runs/\w+/samples/6\?sort=-"', text)
        assert re.search(r'rel="prev" href="/runs/\w+/samples/8\?sort=-"', text)
        _, text, _ = await client.get("/runs/first/samples/7?q=1807")
        assert "<b>1</b> of 1" in text

    @pytest.mark.parametrize("row", [0, 61, 10**17])
    async def test_another_row_is_not_there(self, client, row):
        assert (await client.get(f"/runs/first/samples/{row}"))[0] == 404

    async def test_json_and_tables_are_laid_out(self, serve, tmp_path):
        rows = [
            {
                **ROWS[0],
                "contexts": [
                    '{"name": "Tower", "at": {"city": "Ulm"}}',
                    "| a | b |\n|---|---|\n| 1 | 2 |",
                ],
            }
        ]
        evaluate(rows, "faithfulness", judge=plausible(), store=tmp_path / "json.db")
        client = await (await serve(tmp_path / "json.db")).enter()
        _, text, _ = await client.get("/runs/last/samples/1")
        assert '<th scope="row">at.city</th><td>Ulm</td>' in text
        assert '<th scope="col">b</th>' in text


class TestSideBySide:
    async def test_the_marked_runs_are_the_address(self, client):
        _, text, reply = await client.get("/side?run=second&run=first")
        assert re.fullmatch(r"/side/[0-9a-f]{12},[0-9a-f]{12}", reply.url.path)
        assert text.index(">first</a>") < text.index(">second</a>")
        assert '<del class="was">built</del>' in text
        assert '<ins class="now">erected</ins>' in text

    async def test_all_questions_come_in_pages(self, client):
        seen = []
        for page in ("", "/page/2", "/page/3"):
            _, text, _ = await client.get(f"/side/first,second{page}?sort=data")
            seen += re.findall(r'<code class="dim">(q\d+)</code>', text)
        assert seen == [row["id"] for row in ROWS]

    async def test_the_difference_is_that_of_the_comparison(self, client):
        _, text, _ = await client.get("/side/first,second/difference")
        assert "Difference and its interval" in text

    @pytest.mark.parametrize("path", ["/side?run=first", "/side/first", "/side/first,first"])
    async def test_one_run_has_no_other_side(self, client, path):
        assert (await client.get(path))[0] == 422


class TestTheMatrix:
    async def test_shows_means_by_parameters(self, client, store):
        with Store(store) as opened:
            runs = opened.runs()
            for run, k in zip(runs, (5, 10), strict=True):
                opened.describe(run.id, Description(run.name, (), "", {"k": k, "m": "small"}))
        for _ in range(40):
            _, text, _ = await client.get("/matrix?metric=faithfulness&down=m&across=k")
            if "Working out" not in text:
                break
        assert re.findall(r'<th scope="col">(\d+)</th>', text) == ["5", "10"]
        assert re.search(r'<a class="c h\d+" href="/runs/\w+" title="second"><b>', text)

    async def test_needs_a_parameter(self, serve, tmp_path):
        evaluate(ROWS[:2], "exact_match", store=tmp_path / "plain.db")
        client = await (await serve(tmp_path / "plain.db")).enter()
        status, text, _ = await client.get("/matrix")
        assert status == 422
        assert "no run has a parameter" in text


async def test_no_text_is_markup(serve, tmp_path):
    path = tmp_path / "hostile.db"
    row = spoilt(ROWS[0])
    result = evaluate([row], "faithfulness", judge=plausible(), store=path)
    result.describe(name="<b>n</b>", tags=["<i>t</i>"], note=ATTACK, params={"<u>": "<s>"})
    other = evaluate(
        [{**row, "answer": ATTACK[::-1]}], "faithfulness", judge=plausible(), store=path
    )
    client = await (await serve(path)).enter()
    run = f"/runs/{result.run.id}"
    side = f"/side/{result.run.id},{other.run.id}"
    of_run = (
        run,
        *(f"{run}/{name}" for name in ("first", "scores", "samples/1", "edit", "delete")),
    )
    searches = ("/?q=<script>", f"{run}?q=<script>")
    for page in ("/", *of_run, side, f"{side}/difference", *searches):
        status, text, _ = await client.get(page)
        assert status == 200, page
        for markup in ("<script>doc", "<img", "<b>n</b>", "<i>t</i>", "<u>", "<s>", "\u202e"):
            assert markup not in text, (page, markup)
