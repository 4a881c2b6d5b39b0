"""Do the pages show what the store holds, filtered, ordered and in pages, whatever the texts?"""

import asyncio
import json
import re

import pytest
from view_rows import ATTACK, ROWS, spoilt

from assay import Score, Settings, SweepSettings, Unscored, evaluate, metric, sweep
from assay._analysis.labelling import Labelling
from assay._store import Store
from assay._store.labels import HumanLabel
from assay._store.runs import Description
from assay._store.scores import StoredAlert
from assay.view.export import export
from assay.view.site import Site
from support.over import over
from support.scripts import plausible

MOMENT = "2026-01-01T12:00:00+00:00"


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

    @over("words", ['"', "*", "NEAR(", "a AND", "^x", "col:x", "%", "'; DROP"])
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
        assert "What was flagged" in text
        assert re.search(r'<a href="/runs/[0-9a-f]{12}/samples/\d+\?cause=any">q\d+</a>', text)


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

    async def test_it_leads_back_to_its_place_in_the_list(self, client):
        _, text, _ = await client.get("/runs/first/samples/5?sort=-")
        back = re.search(r'rel="up"[^>]*href="(/runs/\w+/page/2\?sort=-)#row5"', text)
        _, text, _ = await client.get(back[1].replace("&amp;", "&"))
        assert '<tr data-item id="row5">' in text
        _, text, _ = await client.get("/runs/first/samples/7?q=nowhere")
        assert re.search(r'rel="up"[^>]*href="/runs/\w+\?q=nowhere#samples"', text)

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


class TestWhatPeopleSaid:
    """Labels of the store as filters: an address each."""

    @pytest.fixture
    def labelled(self, store):
        with Store(store) as opened:
            run = opened.run("first")
            values = {row: v for row, v, _ in opened.values(run.id, "faithfulness")}
            best = sorted(values, key=lambda row: -values[row])
            good, both, left = best[:3]
            bad = best[-1]
            assert values[left] > 0.9 > values[bad]

            def said(row, value, annotator="anna", **more):
                return HumanLabel(
                    run=run.id,
                    metric="faithfulness",
                    sample=f"q{row}",
                    annotator=annotator,
                    value=value,
                    **more,
                )

            opened.labels.keep(
                [
                    said(good, 0.0, tags=("wrong year", "<b>"), reason="no <i>tower</i>"),
                    said(bad, 0.0),
                    said(both, 1.0),
                    said(both, 0.0, "ben"),
                    said(both, None, "carl", kind="unsure"),
                    said(left, None, "carl", kind="skip"),
                ]
            )
        self.good, self.bad, self.both = (f"q{row}" for row in (good, bad, both))
        return store

    @pytest.fixture
    async def client(self, serve, labelled):
        return await (await serve(labelled)).enter()

    async def test_each_is_a_filter_with_an_address(self, client):
        expected = {
            "label=any": {self.good, self.bad, self.both},
            "label=bad": {self.good, self.bad},
            "label=unsure": {self.both},
            "label=disputed": {self.both},
            "tag=wrong year": {self.good},
            "disagree=faithfulness": {self.good},
            "disagree=any": {self.good},
            "label=bad&range=faithfulness:..0.9": {self.bad},
        }
        for query, found in expected.items():
            _, text, _ = await client.get(f"/runs/first?{query}")
            assert set(ids(text)) == found, query
        _, text, _ = await client.get("/runs/first?label=none")
        assert ">57 of 60 fit<" in text
        assert (await client.get("/runs/first?disagree=nothing"))[0] == 422

    async def test_the_form_offers_them_with_counts_and_can_take_them_off(self, client):
        _, text, _ = await client.get("/runs/first?label=bad")
        assert "labelled bad (2)" in text
        assert "wrong year (1)" in text
        assert "disagree (1)" in text
        assert re.search(r'class="chip" href="/runs/[0-9a-f]+#samples">labelled bad', text)
        _, text, _ = await client.get("/runs/second")
        assert "labelled bad" not in text

    async def test_a_later_decision_takes_the_place_of_the_first(self, client, labelled):
        await client.get("/runs/first?label=bad")
        with Store(labelled) as opened:
            run = opened.run("first").id
            opened.labels.undo([run], "faithfulness", "anna")
            opened.labels.undo([run], "faithfulness", "anna")
        _, text, _ = await client.get("/runs/first?label=bad")
        assert self.bad not in ids(text)

    async def test_they_stand_beside_the_sample_and_in_a_column(self, client):
        _, text, _ = await client.get(f"/runs/first/samples/{self.good[1:]}")
        assert "What people said" in text
        assert "no &lt;i&gt;tower&lt;/i&gt;" in text
        _, text, _ = await client.get("/runs/first?label=any&col=labels")
        assert "anna: bad (wrong year, &lt;b&gt;)" in text


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

    async def test_it_counts_who_is_best_and_leads_to_those(self, serve, tmp_path):
        path = tmp_path / "best.db"
        right = [{"id": f"q{n}", "answer": "yes", "reference": "yes"} for n in range(6)]
        wrong = {"answer": "no"}
        # Of other questions, in another order, and with one that is best with neither alone.
        other = [{**right[n], **(wrong if n < 2 else {})} for n in (5, 0, 3, 1)]
        other.append({"id": "q9", "answer": "yes", "reference": "yes"})
        mine = [{**row, **(wrong if n == 3 else {})} for n, row in enumerate(right)]
        for rows, name in ((mine, "mine"), (other, "other")):
            evaluate(rows, "exact_match", store=path).describe(name=name)
        client = await (await serve(path)).enter()
        _, text, _ = await client.get("/side/mine,other")
        wins = re.findall(r'show=best-([AB])#questions"><b class="letter">.</b> (\d+)</a>', text)
        assert wins == [("A", "2"), ("B", "1")]

        async def shown(query):
            _, text, _ = await client.get(f"/side/mine,other?{query}")
            return re.findall(r'<code class="dim">(q\d+)</code>', text)

        assert await shown("sort=data") == ["q0", "q1", "q2", "q3", "q4", "q5", "q9"]
        assert await shown("sort=data&show=best-A") == ["q0", "q1"]
        assert await shown("sort=data&show=best-B") == ["q3"]
        assert await shown("show=better") == ["q3"]
        assert await shown("show=tied") == ["q5"]
        assert await shown("sort=better") == ["q3", "q5", "q0", "q1", "q2", "q4", "q9"]
        assert await shown("sort=change&show=changed") == ["q0", "q1", "q3"]

    async def test_the_difference_is_that_of_the_comparison(self, client):
        _, text, _ = await client.get("/side/first,second/difference")
        assert "Difference and its interval" in text

    async def test_of_three_runs_it_says_who_won_over_all(self, serve, tmp_path):
        path = tmp_path / "three.db"
        rows = [{"id": f"q{n}", "answer": "yes", "reference": "yes"} for n in range(40)]
        for name, wrong in (("good", 0), ("fair", 3), ("poor", 30)):
            of_run = [{**row, "answer": "no"} if n < wrong else row for n, row in enumerate(rows)]
            evaluate(of_run, "exact_match", store=path).describe(name=name)
        client = await (await serve(path)).enter()
        _, text, _ = await client.get("/side/poor,good,fair/difference")
        assert "2 runs cannot be told apart at the top: good (B); fair (C)." in text
        assert re.findall(r'<td class="verdict \w+">(\w+)</td>', text) == ["tied", "tied", "worse"]
        _, text, _ = await client.get("/side/poor,good/difference")
        assert "over all runs" not in text
        with Store(path) as opened:
            desk = Labelling(opened, "good", "exact_match", annotator="anna", order="random")
            for n in range(12):
                desk.next()
                desk.record(float(n % 2))
        client = await (await serve(path)).enter()
        _, text, _ = await client.get("/side/poor,good,fair/difference")
        assert "by 12 labelled answers of one run: label answers of a second one" in text

    @pytest.mark.parametrize("path", ["/side?run=first", "/side/first", "/side/first,first"])
    async def test_one_run_has_no_other_side(self, client, path):
        assert (await client.get(path))[0] == 422


class TestTestQuestions:
    """Questions of `assay testset` are kept, edited and dropped by forms."""

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "questions.jsonl"
        rows = [
            {
                "id": f"single_hop:guide#{n}",
                "question": f"When was tower {n} built?",
                "reference": f"In 18{n:02}.",
                "reference_contexts": [f"Tower {n} was built in 18{n:02}. It is <b>red</b>."],
                "answerable": True,
                "group": "guide",
                "kind": "single_hop" if n % 2 else "reasoning",
                "quotes": [f"was built in 18{n:02}"],
                "overlap": 0.75,
                "source": [{"document": "guide", "start": 0, "end": 30}],
            }
            for n in range(1, 61)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    @pytest.fixture
    async def client(self, serve, store, path):
        return await (await serve(store, questions=path)).enter()

    def made(self, path):
        return path.with_name("questions.reviewed.jsonl").read_text("utf-8")

    async def test_they_are_listed_filtered_and_in_pages(self, client):
        _, text, _ = await client.get("/questions")
        assert "0</b> of 60 decided" in text
        assert text.count("data-item") == 50
        assert (await client.get("/questions/page/2"))[1].count("data-item") == 10
        _, text, _ = await client.get("/questions?kind=reasoning&q=TOWER+180")
        found = re.findall(r"data-open>When was tower (\d+)", text)
        assert found == ["2", "4", "6", "8"]
        _, text, _ = await client.get("/questions?state=drop")
        assert "No question fits" in text
        _, text, _ = await client.get("/")
        assert 'href="/questions">Test questions</a>' in text

    async def test_one_is_shown_with_its_passage_and_the_quoted_words(self, client):
        _, text, _ = await client.get("/questions/3?kind=single_hop")
        assert '<mark class="quoted">was built in 1803</mark>. It is &lt;b&gt;red' in text
        assert 'rel="next" href="/questions/5?kind=single_hop"' in text

    async def test_decisions_lead_to_the_next_that_is_open(self, client, path):
        status, _, reply = await client.post("/questions/1", {"decision": "keep"})
        assert (status, reply.headers["Location"]) == (303, "/questions/2")
        form = {
            "decision": "edit",
            "question": "Since when\r\nis tower 2 there?",
            "reference": "In 1802.",
        }
        await client.post("/questions/2", form)
        await client.post("/questions/3", {"decision": "drop", "reason": "too <i>easy</i>"})
        assert [json.loads(line)["review"] for line in self.made(path).splitlines()] == [
            "kept",
            "edited",
        ]
        _, text, _ = await client.get("/questions/2")
        assert re.search(r'<ins class="now">Since when\s+is</ins>', text)
        _, text, _ = await client.get("/questions?state=drop")
        assert "too &lt;i&gt;easy&lt;/i&gt;" in text
        status, _, reply = await client.post("/questions/9", {"decision": "undo"})
        assert reply.headers["Location"] == "/questions/3"
        assert "2</b> of 60 decided" in (await client.get("/questions"))[1]

    async def test_the_last_leads_to_the_list(self, client):
        for place in range(1, 61):
            _, _, reply = await client.post(f"/questions/{place}", {"decision": "keep"})
        assert reply.headers["Location"] == "/questions"
        _, text, _ = await client.get("/questions")
        assert "assay run questions.reviewed.jsonl" in text

    async def test_what_cannot_be_is_told(self, client):
        assert (await client.get("/questions/61"))[0] == 404
        assert (await client.get("/questions/page/3"))[0] == 404
        for form in ({}, {"decision": "edit", "question": " "}):
            assert (await client.post("/questions/1", form))[0] == 422
        assert (await client.post("/questions/1", {"decision": "keep"}, token=False))[0] == 403

    async def test_a_viewer_that_only_reads_or_has_none_changes_none(self, serve, store, path):
        client = await (await serve(store, questions=path, read_only=True)).enter()
        assert (await client.post("/questions/1", {"decision": "keep"}))[0] == 403
        assert '<form method="post"' not in (await client.get("/questions/1"))[1]
        client = await (await serve(store)).enter()
        status, text, _ = await client.get("/questions")
        assert status == 404
        assert "--questions FILE" in text

    async def test_without_a_store_they_can_be_reviewed(self, serve, tmp_path, path):
        client = await (await serve(tmp_path / "new.db", questions=path)).enter()
        assert (await client.get("/questions"))[0] == 200
        assert "No run yet" in (await client.get("/"))[1]

    async def test_they_are_exported_too(self, path, tmp_path):
        store = tmp_path / "few.db"
        evaluate(ROWS[:2], "exact_match", store=store)
        site = await asyncio.to_thread(lambda: Site(store, read_only=True, questions=path))
        await asyncio.to_thread(export, site, tmp_path / "out")
        page = (tmp_path / "out/questions/60/index.html").read_text("utf-8")
        assert "When was tower 60 built?" in page
        assert "<textarea" not in page
        assert (tmp_path / "out/questions/page/2/index.html").is_file()


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
        assert "No run has a parameter" in text


def system(question, k=1, cut=10):
    """It is always right with k = 2; cut changes nothing."""
    del cut
    return f"In 18{question.split()[3]:0>2}." if k == 2 or len(question) % 2 else "Never."


def questions(n):
    return [{name: row[name] for name in ("id", "question", "reference")} for row in ROWS[:n]]


def choosy(question, k=1):
    """With k = 2 it does worse at the easy ones, and does not answer the others at all."""
    easy = int(question.split()[3]) % 2
    return ("1.0" if k == 1 else "0.75") if easy else ("0.0" if k == 1 else "I do not know.")


@metric(needs=("answer",))
def told(sample, judge):
    """The score that the answer tells."""
    answer = sample.answer
    return Score(float(answer)) if answer[0].isdigit() else Unscored("undefined", "declines")


class TestGroups:
    @pytest.fixture(scope="class")
    @classmethod
    def groups(cls, made, tmp_path_factory):
        """The store with a sweep and a watch besides, made once."""
        store = tmp_path_factory.mktemp("groups") / "assay.db"
        store.write_bytes(made.read_bytes())
        settings = SweepSettings(settings=Settings(name="rag"))
        grid = {"k": [1, 2], "cut": [10, 20]}
        sweep(
            questions(30), system, grid, ["exact_match", "token_f1"], store=store, settings=settings
        )
        result = evaluate(ROWS[:9], "exact_match", judge=plausible(), store=store)
        result.describe(name="shop/1", tags=["watch:shop"], params={"look": 1, "at": MOMENT})
        body = {"kind": "judge", "look": 1, "why": "<b>another", "anew": ["exact_match"]}
        with Store(store) as opened:
            opened.alerts.add([StoredAlert("shop", 1, "judge of exact_match", body)])
        return store

    @pytest.fixture
    def store(self, groups, tmp_path):
        """A copy of it."""
        path = tmp_path / "assay.db"
        path.write_bytes(groups.read_bytes())
        return path

    @pytest.fixture
    async def grouped(self, serve, store):
        return await (await serve(store)).enter()

    async def ready(self, client, path):
        for _ in range(100):
            _, text, _ = await client.get(path)
            if 'http-equiv="refresh"' not in text:
                return text
            await asyncio.sleep(0.1)
        raise AssertionError(path)

    async def test_a_sweep_and_a_watch_stand_as_one_in_the_list(self, grouped):
        _, text, _ = await grouped.get("/")
        assert re.findall(r"data-open>(\w+)</a>", text) == ["shop", "rag", "second", "first"]
        assert "sweep of 4 configurations: k 1, 2; cut 10, 20" in text
        assert len(re.findall(r'name="run"', text)) == 7
        _, text, _ = await grouped.get("/?q=k=2,cut=10")
        assert re.findall(r"data-open>([^<]+)</a>", text) == ["rag/k=2,cut=10"]
        _, text, _ = await grouped.get("/?sort=-exact_match")
        assert len(re.findall(r"data-open>", text)) == 7

    async def test_the_best_in_the_list_is_the_first_of_the_leaderboard(self, serve, tmp_path):
        settings = SweepSettings(settings=Settings(name="rag"))
        path = tmp_path / "declines.db"
        swept = sweep(questions(9), choosy, {"k": [1, 2]}, told, store=path, settings=settings)
        client = await (await serve(path)).enter()
        first = swept.leaderboards[0].standings[0]
        for _ in range(50):
            _, text, _ = await client.get("/")
            if "of the best" in text:
                break
            await asyncio.sleep(0.1)
        assert f'<b class="mean">{first.mean:.2f}</b> <span class="small">{first.name}' in text

    async def test_the_page_of_a_sweep_is_its_leaderboard(self, grouped):
        text = (await self.ready(grouped, "/runs/rag%2Fk=1,cut=10/sweep")).replace("<wbr>", "")
        assert "No winner: 2 configurations cannot be told apart" in text
        assert '<table class="card heat">' in text
        assert "assay compare rag --out sweep.html --store " in text
        links = re.findall(
            r'<a class="t" href="/runs/\w+">(k=[^<]+)</a>', text.replace("<wbr>", "")
        )
        assert len(links) == 8
        side = re.search(r'href="(/side/[^"]+)"', text)[1]
        assert (await grouped.get(side))[0] == 200
        _, text, _ = await grouped.get("/runs/rag%2Fk=1,cut=10")
        assert re.search(r'k=1, cut=10 of the sweep <a href="/runs/\w+/sweep">rag</a>', text)
        assert (await grouped.get("/runs/first/sweep"))[0] == 404

    async def test_the_page_of_a_watch_has_its_charts_and_alerts(self, grouped):
        text = await self.ready(grouped, "/runs/shop%2F1/watch")
        assert "look 1: another judge of exact_match: &lt;b&gt;another" in text
        assert 'aria-label="exact_match over runs' in text
        assert (await grouped.get("/runs/shop%2F1/sweep"))[0] == 404

    async def test_a_watch_is_charted_by_segment_and_after_a_baseline(self, grouped):
        page = "/runs/shop%2F1/watch"
        text = await self.ready(grouped, f"{page}?segment=language&baseline=first")
        assert 'value="language" checked' in text
        assert 'name="baseline" size="12" value="first"' in text
        assert re.findall(r'<h2 id="m\d">([^<]+)', text) == [
            "exact_match",
            "exact_match, language en",
        ]
        assert len(re.findall(">baseline</a></th>", text)) == 2
        assert "Drift is told from the second day on" in await self.ready(grouped, page)
        assert (await grouped.get(f"{page}?baseline=nobody"))[0] == 404

    def test_they_are_exported(self, tmp_path):
        store = tmp_path / "few.db"
        sweep(questions(4), system, {"k": [1, 2]}, "exact_match", store=store)
        export(Site(store, read_only=True), tmp_path / "site")
        page = (tmp_path / "site" / "index.html").read_text("utf-8")
        (path,) = re.findall(r'href="(runs/\w+/sweep/index.html)"', page)
        assert "No winner" in (tmp_path / "site" / path).read_text("utf-8")


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
