"""What the labelling pages keep, refuse and tell, asked as a browser without scripts asks."""

import asyncio
import csv
import io
import json
import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from click.testing import CliRunner
from view_rows import ROWS, SIGN, spoilt

from assay import evaluate
from assay._analysis.labelling import Labelling
from assay._cli import main
from assay._store import Store
from support.over import over
from support.scripts import plausible

FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
ANNA = {"by": "anna", "metric": "faithfulness"}


@pytest.fixture
async def client(serve, store):
    return await (await serve(store)).enter()


def fields(page):
    """What the form of the label screen sends along."""
    form = page.partition('class="quick labelling"')[2]
    found = {name: unescape(value) for name, value in FIELD.findall(form)}
    return {name: value for name, value in found.items() if name != "form_token"}


def sample_of(store, about):
    with Store(store) as opened:
        return opened.sample_at(opened.run("first").id, int(about["row"])).id


async def shown(client, run="first", **query):
    _, text, _ = await client.get(f"/label/{run}/next", params={**ANNA, **query})
    return text


async def begin(client, **more):
    """Send the form on which labelling begins; gives the status and the page."""
    status, text, _ = await client.post("/label/first/begin", {**ANNA, **more})
    return status, text


async def decide(client, decision, run="first", more=None, **query):
    """Decide about what is next; gives what was decided about, and the page that follows."""
    about = fields(await shown(client, run, **query))
    path = f"/label/{run}/decide?" + "&".join(f"{k}={v}" for k, v in {**ANNA, **query}.items())
    status, text, reply = await client.post(path, {**about, "decision": decision, **(more or {})})
    assert status == 303, text
    status, text, _ = await client.get(reply.headers["Location"])
    return about, text


def kept(store, run="first", about="faithfulness"):
    with Store(store) as opened:
        return opened.labels.of(opened.run(run).id, about)


def results(text):
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


class TestTheStart:
    async def test_it_asks_what_to_label_and_leads_there_from_the_run(self, client):
        _, run, _ = await client.get("/runs/first")
        address = re.search(r'href="(/label/[^"]+)">Label', run)[1]
        _, text, _ = await client.get(address)
        for words in ("Your name", "Statements", "Pairs", "What narrows the mean", "second"):
            assert words in text

    @over(
        ("query", "why"),
        [
            ({"by": ""}, "your name is missing"),
            ({"by": "anna", "what": "pair"}, "choose the other run"),
            ({"by": "anna", "within": "wide"}, "is no number"),
            ({"by": "anna", "metric": "nothing"}, "has no metric"),
            ({"by": "anna", "what": "song"}, "no what of labels"),
            ({"by": "anna", "what": "pair", "against": "first"}, "compared with itself"),
        ],
    )
    async def test_what_cannot_be_begun_is_said_beside_the_form(self, client, query, why):
        status, text, _ = await client.get("/label/first/next", params=query)
        assert status == 422
        assert why in unescape(text).lower()
        assert "Start labelling" in text
        if query["by"]:
            assert 'value="anna"' in text

    @over(("second", "why"), [("lots", "is no number"), ("101", "of second opinions is 101")])
    async def test_a_share_that_is_none_is_refused(self, client, second, why):
        status, text = await begin(client, second=second)
        assert status == 422
        assert why in text

    async def test_grades_and_yes_or_no_are_not_mixed(self, client):
        await decide(client, "label:1")
        status, text, _ = await client.get("/label/first/next", params={**ANNA, "what": "rubric"})
        assert status == 422
        assert "1 answer of this run" in text
        _, text, _ = await client.get("/label/first")
        assert "go on as anna" in text

    async def test_who_goes_on_does_so_with_all_that_was_asked_for(self, client):
        await decide(client, "label:1", judge="shown", within="0.1")
        _, text, _ = await client.get("/label/first")
        going_on = unescape(re.search(r'href="([^"]+)">go on as anna', text)[1])
        found = dict(parse_qsl(urlsplit(going_on).query))
        assert found == {**ANNA, "judge": "shown", "within": "0.1"}


class TestDecisions:
    async def test_each_is_in_the_store_when_the_reply_comes(self, client, store):
        about, text = await decide(
            client, "label:0", more={"reason": "wrong year", "tag": "made up", "more_tags": "b, c"}
        )
        (label,) = kept(store)
        assert (label.sample, label.annotator, label.value) == (
            sample_of(store, about),
            "anna",
            0.0,
        )
        assert (label.reason, label.tags) == ("wrong year", ("made up", "b", "c"))
        assert label.chance
        assert about["row"] != fields(text)["row"]
        assert "you: <b>No</b>" in text

    async def test_the_judge_is_hidden_until_then(self, client, store):
        text = await shown(client)
        assert "judge:" not in text
        assert "supported" not in text
        _, text = await decide(client, "label:1")
        assert re.search(r"judge: <b>[\d.]+</b>", text)
        text = await shown(client, judge="shown")
        assert "judge:" in text

    async def test_skip_unsure_and_undo(self, client, store):
        first, _ = await decide(client, "skip")
        second, _ = await decide(client, "unsure")
        assert first != second
        assert [one.kind for one in kept(store)] == ["skip", "unsure"]
        status, _, reply = await client.post("/label/first/undo?by=anna&metric=faithfulness")
        assert status == 303
        assert dict(parse_qsl(urlsplit(reply.headers["Location"]).query))["row"] == second["row"]
        assert [one.kind for one in kept(store)] == ["skip"]
        assert fields(await shown(client))["row"] == second["row"]

    async def test_what_was_decided_is_seen_again_and_decided_anew(self, client, store):
        about, _ = await decide(client, "label:0", more={"reason": "because"})
        item = {**ANNA, "row": about["row"]}
        _, text, _ = await client.get("/label/first/item", params=item)
        assert "decided before" in text
        assert ">because</textarea>" in text
        assert re.search(r'value="label:0"[^>]*aria-pressed="true"', text)
        path = "/label/first/decide?by=anna&metric=faithfulness"
        await client.post(path, {**about, "decision": "label:1"})
        values = [one.value for one in kept(store)]
        assert values == [0.0, 1.0]
        _, text = await decide(client, "label:1")
        assert "<b>2</b> of" in text

    async def test_statements_are_marked_in_the_answer(self, client, store):
        about, _ = await decide(client, "label:1", what="statement")
        assert about["statement"] == "0"
        (label,) = kept(store)
        assert label.statement == 0
        text = await shown(client, what="statement")
        assert "Do the contexts support this statement?" in text
        assert 'class="statement t"' in text

    async def test_grades(self, client, store):
        text = await shown(client, what="rubric")
        assert all(word in text for word in ("unusable", "flawless"))
        await decide(client, "label:4", what="rubric")
        assert kept(store)[0].value == 4.0
        _, text, _ = await client.get("/label/first")
        assert "from 1 to 5" in text

    async def test_pairs(self, client, store):
        about, text = await decide(client, "label:0.5", what="pair", against="second")
        assert "you: <b>Tie</b>" in text
        with Store(store) as opened:
            other = opened.run("second").id
        (label,) = kept(store, about=f"faithfulness against {other}")
        assert (label.sample, label.value) == (sample_of(store, about), 0.5)
        assert kept(store) == []

    async def test_the_share_of_second_opinions_outlives_the_viewer(self, client, serve, store):
        await begin(client, second="30")
        await begin(client)  # an empty field leaves it as it is
        _, text, _ = await (await (await serve(store)).enter()).get("/label/first")
        assert 'placeholder="as it is: 30"' in text
        with Store(store) as opened:
            assert opened.labels.share_of_seconds(opened.run("first").id, "faithfulness") == 0.3

    @pytest.mark.slow
    async def test_two_people_meet_where_second_opinions_are_asked_for(self, client, store):
        await begin(client, second="50")
        for name in ("anna", "ben"):
            for n in range(60):
                if "Nothing is left" in await shown(client, by=name):
                    break
                await decide(client, f"label:{n % 2}", by=name)
        by_sample = {}
        for label in kept(store):
            by_sample.setdefault(label.sample, set()).add(label.annotator)
        twice = sum(len(names) == 2 for names in by_sample.values())
        assert len(by_sample) == 60
        assert 15 < twice < 45

    @over(
        ("form", "why"),
        [
            ({"decision": ""}, "decides nothing"),
            ({"decision": "label:maybe"}, "is no label"),
            ({"decision": "label:nan"}, "is no label"),
            ({"decision": "label:1", "row": "1000"}, "no sample in row 1000"),
            ({"decision": "label:1", "row": "-1"}, "is no row"),
            ({"decision": "label:1", "statement": "99"}, "no statement 100"),
            ({"decision": "label:1", "statement": "x"}, "is no statement"),
            ({"decision": "label:1", "of": "elsewhere"}, "elsewhere"),
            ({"decision": "label:1", "reason": "x" * 10_001}, "too long"),
        ],
    )
    async def test_what_cannot_be_kept_is_refused(self, client, store, form, why):
        about = fields(await shown(client))
        path = "/label/first/decide?by=anna&metric=faithfulness"
        status, text, _ = await client.post(path, {**about, **form})
        assert status in (404, 422)
        assert why in unescape(text)
        assert kept(store) == []


class TestTheMargin:
    async def test_it_moves_with_every_label_and_says_when_there_is_enough(self, client, store):
        with Store(store) as opened:
            labelling = Labelling(opened, "first", "faithfulness", annotator="anna")
            for _ in range(59):
                labelling.next()
                labelling.record(1.0)
        text = results(await shown(client))
        assert "59 of 60" in text
        assert "Good by people, corrected" in text
        _, text = await decide(client, "label:1")
        assert "60 of 60" in results(text)
        assert "Nothing is left for you to label" in text
        assert 'class="verdict enough"' in text

    async def test_a_command_s_labels_count_at_once(self, client, store):
        await decide(client, "label:1")
        with Store(store) as opened:
            ben = Labelling(opened, "first", "faithfulness", annotator="ben")
            ben.next()
            ben.record(0)
        assert "2 of 60" in results(await shown(client))


class TestDisagreements:
    @pytest.fixture
    async def disputed(self, client, store):
        about, _ = await decide(client, "label:1")
        path = "/label/first/decide?by=ben&metric=faithfulness"
        form = {**about, "decision": "label:0", "reason": "no source"}
        await client.post(path, form)
        return about

    async def test_they_are_listed_and_settled(self, client, store, disputed):
        query = {"by": "carl", "metric": "faithfulness"}
        _, text, _ = await client.get("/label/first/disagreements", params=query)
        assert "1 of 1 open" in text
        assert "no source" in text
        link = unescape(re.search(r'data-open href="([^"]+)"', text)[1])
        _, text, _ = await client.get(link)
        assert "What annotators said" in text
        form = {**fields(text), "decision": "label:0", "reason": "ben is right"}
        path = "/label/first/decide?by=carl&metric=faithfulness"
        status, _, reply = await client.post(path, form)
        assert status == 303
        _, text, _ = await client.get(reply.headers["Location"])
        assert "0 of 1 open" in text
        assert "settled: <b>No</b> by carl" in text
        assert [one.kind for one in kept(store)] == ["label", "label", "settled"]

    async def test_what_nobody_disputes_cannot_be_settled(self, client, disputed):
        form = {
            **disputed,
            "row": str(int(disputed["row"]) ^ 1),
            "settle": "1",
            "decision": "label:0",
        }
        status, text, _ = await client.post("/label/first/decide?by=carl", form)
        assert status == 422
        assert "do not disagree" in text


class TestUse:
    @pytest.fixture
    async def labelled(self, client, store):
        with Store(store) as opened:
            labelling = Labelling(opened, "first", "faithfulness", annotator="anna", order="random")
            for n in range(60):
                item = labelling.next()
                labelling.record(float(n % 3 > 0), "the year" if n % 3 == 0 else "")
                last = item.sample
        return last

    @over(
        ("page", "words"),
        [
            ("agreement", "best trivial rule"),
            ("agreement", " with all its evidence</a>"),
            ("threshold", "Download the card"),
            ("corrected", "both together"),
            ("results", "Put them to use"),
        ],
    )
    async def test_each_is_a_page(self, client, labelled, page, words):
        status, text, _ = await client.get(f"/label/first/{page}", params=ANNA)
        assert status == 200
        assert words in text
        # Kappa is of another threshold than that of the page of agreement: it says of which.
        assert ("</abbr> (good from 0.80)" in text) is (page in "corrected results")

    async def test_pairs_and_statements_have_them_too(self, client, store):
        query = {**ANNA, "what": "pair", "against": "second", "order": "random"}
        with Store(store) as opened:
            pairs = Labelling(
                opened,
                "first",
                "faithfulness",
                annotator="anna",
                against="second",
                per="pair",
                order="random",
            )
            for n in range(30):
                pairs.next()
                pairs.record(float(n % 2))
            statements = Labelling(
                opened, "first", "faithfulness", annotator="anna", per="statement", order="random"
            )
            for n in range(40):
                statements.next()
                statements.record(float(n % 4 > 0))
        for asked in (query, {**ANNA, "what": "statement"}):
            for page in ("agreement", "corrected", "results", "labels.csv"):
                status, text, _ = await client.get(f"/label/first/{page}", params=asked)
                assert status == 200, (page, results(text))
        _, text, _ = await client.get("/label/first/labels.csv", params=query)
        assert {row["label"] for row in csv.DictReader(io.StringIO(text[1:]))} == {"A", "B"}

    async def test_the_sheet_is_that_of_the_command(self, client, store, labelled, tmp_path):
        _, text, reply = await client.get("/label/first/labels.csv", params=ANNA)
        assert "attachment" in reply.headers["Content-Disposition"]
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        assert len(rows) == 60
        assert {row["annotator"] for row in rows} == {"anna"}
        assert all(float(row["inclusion_probability"]) > 0 for row in rows)

    async def test_a_card_and_examples_are_files(self, client, labelled):
        _, text, _ = await client.get("/label/first/card.json", params=ANNA)
        assert json.loads(text)["metric"] == "faithfulness"
        _, text, reply = await client.get("/label/first/prompts.toml", params=ANNA)
        assert "verify" in text
        assert "faithfulness-prompts.toml" in reply.headers["Content-Disposition"]

    async def test_a_sheet_is_imported(self, client, store):
        sheet = "sample,label,annotator\nq1,1,dora\nq2,0,dora\n"
        _, _, there = await self.send(client, "labels.csv", sheet)
        assert "2 new labels imported" in (await client.get(there))[1]
        assert [(one.sample, one.value, one.annotator) for one in kept(store)] == [
            ("q1", 1.0, "dora"),
            ("q2", 0.0, "dora"),
        ]
        await self.send(client, "labels.csv", sheet)
        assert len(kept(store)) == 2

    async def test_a_large_sheet_is_imported_and_another_file_refused(self, client, store):
        long = "x" * 200_000
        await self.send(client, "labels.csv", f"sample,label,reason,notes\nq1,1,why,{long}\n")
        assert len(kept(store)) == 1
        for name, sheet in (("labels.exe", "MZ"), ("labels.csv", "sample,label\nnobody,1\n")):
            _, text, _ = await self.send(client, name, sheet, expected=422)
            assert "label" in text
        assert len(kept(store)) == 1

    @staticmethod
    async def send(client, name, sheet, expected=303):
        from aiohttp import FormData

        form = FormData()
        form.add_field("form_token", client.access.form_token)
        form.add_field("file", sheet.encode(), filename=name, content_type="text/csv")
        path = f"http://127.0.0.1:{client.port}/label/first/import?by=anna&metric=faithfulness"
        async with client.session.post(path, data=form, allow_redirects=False) as reply:
            text = await reply.text()
            assert reply.status == expected, text
            return reply.status, text, reply.headers.get("Location", "")

    @staticmethod
    def row(store, label):
        with Store(store) as opened:
            return opened.sample(label.run, label.sample)[0]

    async def test_a_failure_becomes_a_test_case_that_a_run_reads(self, client, store, labelled):
        bad = next(one for one in kept(store) if one.value == 0.0)
        path = "/label/first/case?by=anna&metric=faithfulness"
        for _ in range(2):
            status, _, reply = await client.post(path, {"row": self.row(store, bad)})
            assert status == 303
        _, text, _ = await client.get(reply.headers["Location"])
        assert "✓ a test case" in text
        cases = store.with_name("regression.jsonl")
        (row,) = [json.loads(line) for line in cases.read_text("utf-8").splitlines()]
        assert (row["id"], row["why"]) == (bad.sample, "the year")
        again = evaluate(str(cases), ["faithfulness"], judge=plausible(), store=store)
        assert again.run.n_samples == 1
        (sample,) = [sample for sample, _ in again.outcomes("faithfulness")]
        assert sample.metadata["failed_by"] == "faithfulness"

    async def test_the_gate_fails_until_the_case_holds(self, client, store, monkeypatch):
        with Store(store) as opened:
            Labelling(opened, "first", "exact_match", annotator="anna").record(0.0, "too long")
            (bad,) = opened.labels.of(opened.run("first").id, "exact_match")
        form = {"row": self.row(store, bad)}
        await client.post("/label/first/case?by=anna&metric=exact_match", form)
        monkeypatch.chdir(store.parent)
        _, text, _ = await client.get("/label/first/results?by=anna&metric=exact_match")
        assert "assay gate --cases regression.jsonl --store assay.db" in text

        async def called(line):
            return await asyncio.to_thread(CliRunner().invoke, main, line.split())

        gate = "gate {} --cases regression.jsonl --min exact_match=1 --on mean"
        unchanged = await called(gate.format("second"))
        assert unchanged.exit_code == 6
        number = int(bad.sample[1:])
        for name, answer, code in (("worse", "In 1066.", 6), ("mended", f"In 18{number:02}.", 0)):
            system = f"def answer(question):\n    return {answer!r}\n"
            store.with_name(f"{name}.py").write_text(system, "utf-8")
            line = f"run regression.jsonl --target ./{name}.py:answer -m exact_match --name {name}"
            ran = await called(line)
            assert ran.exit_code == 0, ran.output
            judged = await called(gate.format(name))
            assert judged.exit_code == code, judged.output

    async def test_what_nobody_called_bad_is_none(self, client, store, labelled):
        good = next(one for one in kept(store) if one.value == 1.0)
        status, text, _ = await client.post(
            "/label/first/case?by=anna", {"row": self.row(store, good)}
        )
        assert status == 422
        assert "bad" in text


class TestSecurity:
    PAGES = ("", "/next", "/results", "/disagreements", "/labels.csv")
    CHANGES = ("/decide", "/undo", "/case", "/import")

    async def test_nothing_without_the_token(self, serve, store):
        outside = await serve(store)
        for page in self.PAGES:
            status, text, _ = await outside.get(f"/label/first{page}", params=ANNA)
            assert status == 403
            assert "tower" not in text

    async def test_changes_take_the_token_of_a_form_and_no_other_site(self, client, store):
        about = {**fields(await shown(client)), "decision": "label:1"}
        for page in self.CHANGES:
            path = f"/label/first{page}?by=anna"
            assert (await client.post(path, about, token=False))[0] == 403
            evil = {"Origin": "http://evil.example"}
            assert (await client.post(path, about, headers=evil))[0] == 403
            assert (await client.get(path))[0] in (404, 405)
        assert kept(store) == []

    async def test_read_only_shows_and_takes_nothing(self, serve, store):
        client = await (await serve(store, read_only=True)).enter()
        assert (await client.get("/label/first/next", params=ANNA))[0] == 403
        status, _, _ = await client.post("/label/first/decide?by=anna", {"decision": "label:1"})
        assert status == 403
        status, text, _ = await client.get("/label/first")
        assert status == 200
        assert "Start labelling" not in text

    async def test_hostile_texts_stay_texts(self, serve, tmp_path):
        path = tmp_path / "hostile.db"
        evaluate([spoilt(row) for row in ROWS[:4]], ["faithfulness"], judge=plausible(), store=path)
        client = await (await serve(path)).enter()
        query = {"by": "<b>x</b>", "order": "random"}
        for decision in ("label:1", "label:0"):
            _, text, reply = await client.get("/label/last/next", params=query)
            about = fields(text)
            assert "<script>document" not in text
            assert "<img src=x" not in text
            assert "\u202e" not in text
            assert "unsafe" not in reply.headers["Content-Security-Policy"]
            form = {
                **about,
                "decision": decision,
                "reason": f"<script>{SIGN}</script>",
                "tag": "<i>",
            }
            status, text, _ = await client.post(
                "/label/last/decide?by=%3Cb%3Ex%3C/b%3E&order=random", form
            )
            assert status == 303, text
        for page in ("/results", "/disagreements", "", "/corrected"):
            _, text, _ = await client.get(f"/label/last{page}", params=query)
            assert f"<script>{SIGN}" not in text
            assert "<b>x</b>" not in text
            assert " style=" not in text
