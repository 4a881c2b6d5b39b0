"""Does each page lead on to what a reader wants next, and say what became of a decision?"""

import asyncio
import json
import os
import re
import sys
from html import unescape

import pytest
from click.testing import CliRunner
from test_view_labels import decide, fields, kept, results, sample_of, shown
from view_rows import ROWS

from assay import evaluate
from assay._analysis.labelling import Labelling
from assay._cli import main
from assay._runner.result import Result
from assay._store import Store
from support.scripts import plausible

ANNA = "by=anna&metric=faithfulness"
MARKDOWN = "| a | b |\n|---|---|\n| 1 | 2 |\n\n- **one**\n- two"


@pytest.fixture
async def client(serve, store):
    return await (await serve(store)).enter()


async def said_last(client, run="first", query=ANNA):
    """What stands above the next item about the decision before it."""
    _, text, _ = await client.get(f"/label/{run}/next?{query}")
    return results(text.partition('class="last quick"')[2].partition("</form>")[0])


async def diagnosed(client):
    """What was flagged in a run, once its causes are known."""
    for _ in range(50):
        _, text, _ = await client.get("/runs/first/first")
        if "dx-cause" in text:
            break
        await asyncio.sleep(0.1)
    return text


class TestASample:
    async def test_the_same_question_in_another_run_is_one_click_away(self, client, store):
        with Store(store) as opened:
            second = opened.run("second").id
        _, text, _ = await client.get("/runs/first/samples/7")
        assert f'<a href="/runs/{second}/samples/7">second</a>' in text
        assert "The same question elsewhere, by faithfulness:" in text

    async def test_another_question_of_the_same_id_is_not_the_same(self, serve, store):
        other = [{**row, "question": "Why?"} for row in ROWS[:8]]
        evaluate(other, "faithfulness", judge=plausible(), store=store).describe(name="third")
        client = await (await serve(store)).enter()
        _, text, _ = await client.get("/runs/first/samples/7")
        assert ">second</a>" in text
        assert ">third</a>" not in text

    async def test_of_many_statements_the_first_flagged_one_is_linked(self, serve, tmp_path):
        rows = [{**ROWS[0], "answer": " ".join(f"Tower {n} is red." for n in range(60))}]
        evaluate(rows, "faithfulness", judge=plausible(), store=tmp_path / "long.db")
        client = await (await serve(tmp_path / "long.db")).enter()
        _, text, _ = await client.get("/runs/last/samples/1")
        link = re.search(r'class="first-flagged" href="#(m0p\d+)"', text)
        flagged = re.findall(r'<li id="(m0p\d+)" class="(?:bad|warn)"', text)
        assert link is not None
        assert link[1] == flagged[0]


async def test_a_cause_leads_to_all_its_samples(client):
    text = await diagnosed(client)
    link = re.search(r'href="(/runs/\w+\?cause=[\w-]+)#samples">All of them', text)
    assert link is not None
    assert "assay diagnose --all" not in text
    status, text, _ = await client.get(link[1])
    assert status == 200


async def test_whoever_goes_on_from_a_flagged_sample_comes_to_the_next_flagged_one(client):
    text = await diagnosed(client)
    n_flagged = int(re.search(r"(\d+) of \d+ samples flagged", text)[1])
    link = re.search(r"<dt>read first</dt><dd><a href=\"([^\"]+)", text)[1]
    more = re.search(r'and <a href="([^"]+)#samples">(\d+) more', text)
    assert int(more[2]) == n_flagged - 10
    _, text, _ = await client.get(link)
    assert f"of {n_flagged}" in results(text)
    assert re.search(r'Flagged <a href="/runs/\w+\?cause=\w+#samples"', text)
    _, text, _ = await client.get(more[1])
    assert f"Samples {n_flagged} of 60 fit" in results(text)
    assert f"flagged for any ({n_flagged})" in text


def copied(text):
    """The commands that a page has to be copied."""
    return [unescape(one) for one in re.findall(r"data-copy>([^<]+)</pre>", text)]


class TestWhatToRunNext:
    async def test_a_run_is_compared_labelled_swept_and_reported(self, client, store):
        _, text, _ = await client.get("/runs/second")
        told, at = copied(text), f" --store {store}"
        assert told == [
            f"assay compare first second{at}",
            f"assay label second -m faithfulness --annotator NAME{at}",
            f"assay report second --out report.html{at}",
        ]

    async def test_once_there_are_labels_they_are_put_to_use(self, client, store):
        await decide(client, "label:1")
        _, text, _ = await client.get("/runs/first")
        export = f"assay label first -m faithfulness --export labels.csv --store {store}"
        assert any(one.startswith(f"{export}\nassay correct first ") for one in copied(text))
        _, text, _ = await client.get(f"/label/first/results?{ANNA}")
        uses = [one.partition("\n")[2].split()[1] for one in copied(text)]
        assert uses == ["correct", "agree", "calibrate"]

    async def test_of_pairs_the_agreement_alone(self, client, store):
        with Store(store) as opened:
            other = opened.run("second").id
        await decide(client, "label:1", what="pair", against=other)
        _, text, _ = await client.get(f"/label/first/results?{ANNA}&what=pair&against={other}")
        (told,) = copied(text)
        assert "--per pair --against second --export everyone.csv --everyone" in told
        assert "assay agree first -m faithfulness --labels everyone.csv --other second" in told

    async def test_a_name_that_two_runs_have_is_not_used(self, client, store):
        with Store(store) as opened:
            one, two = opened.run("first"), opened.run("second")
        Result(store, two.id).describe(name="first")
        _, text, _ = await client.get(f"/runs/{one.id}")
        assert copied(text)[0].startswith(f"assay compare {one.short} {two.short} ")

    async def test_runs_side_by_side_are_a_command_and_lead_to_questions_by_a_metric(
        self, client, store
    ):
        with Store(store) as opened:
            pair = f"/side/{opened.run('first').id},{opened.run('second').id}"
        _, text, _ = await client.get(pair)
        assert copied(text) == [f"assay compare first second --out comparison.html --store {store}"]
        _, text, _ = await client.get(f"{pair}/difference")
        assert f'href="{pair}?metric=exact_match&amp;sort=worse#questions"' in text


class TestTheCommandThatMadeIt:
    """A page starts nothing: it says what to type."""

    @pytest.fixture
    def typed(self, tmp_path, monkeypatch):
        """The command line, in a folder with questions and a system."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", [*sys.path])
        questions = [{"id": r["id"], "question": r["question"], "reference": "no"} for r in ROWS]
        lines = "".join(json.dumps(question) + "\n" for question in questions)
        (tmp_path / "questions.jsonl").write_text(lines, "utf-8")
        code = "def answer(question, k=1):\n    return 'no' * k\n"
        (tmp_path / "told_rag.py").write_text(code, "utf-8")
        return lambda *words: CliRunner().invoke(main, [*words, "--store", "new.db"])

    async def test_a_run_says_it_without_its_budget_and_sweeps_the_same_system(
        self, serve, tmp_path, typed
    ):
        asked = ("run", "questions.jsonl", "--target", "told_rag.py:answer", "-m", "exact_match")
        told = typed(*asked, "--name", "my first", "--budget", "9calls", "--api-key", "K" * 9, "-q")
        assert told.exit_code == 2  # a key that nobody has a use for
        told = typed(*asked, "--name", "my first", "--budget", "9calls", "-q")
        assert told.exit_code == 0, told.output
        client = await (await serve(tmp_path / "new.db")).enter()
        _, text, _ = await client.get("/runs/my%20first")
        commands = copied(text)
        again = "assay run questions.jsonl --metric exact_match --target told_rag.py:answer"
        assert commands[0] == f"{again} --name 'my first' --store new.db"
        assert "Make it again: what was asked is not asked again" in text
        swept = "assay sweep questions.jsonl --target told_rag:answer --set k=3,5 -m exact_match"
        assert any(command.startswith(swept) for command in commands)

    async def test_a_sweep_says_how_it_goes_on(self, serve, tmp_path, typed):
        asked = ("sweep", "questions.jsonl", "--target", "told_rag.py:answer", "--set", "k=1,2")
        told = typed(*asked, "-m", "exact_match", "-q")
        assert told.exit_code == 0, told.output
        client = await (await serve(tmp_path / "new.db")).enter()
        with Store(tmp_path / "new.db") as opened:
            run = opened.runs()[0].id
        _, text, _ = await client.get(f"/runs/{run}/sweep")
        assert "Go on with it, or add values: what was asked" in text
        again = "assay sweep questions.jsonl --set k=1,2 --metric exact_match"
        assert copied(text)[0] == f"{again} --target told_rag.py:answer --store new.db"


class TestWhatBecameOfADecision:
    async def test_a_decision_that_took_the_place_of_another_says_so(self, client, store):
        about, _ = await decide(client, "label:1")
        assert ", before" not in await said_last(client)
        # The same item stands in another window still, and is decided there, too.
        await client.post(f"/label/first/decide?{ANNA}", {**about, "decision": "label:0"})
        said = await said_last(client)
        assert f"{sample_of(store, about)} you: No , before Yes" in said
        await client.post(f"/label/first/undo?{ANNA}")
        assert [one.value for one in kept(store)] == [1.0]

    async def test_where_nobody_disagrees_second_opinions_are_a_click_away(self, client):
        _, text, _ = await client.get(f"/label/first/disagreements?{ANNA}")
        asked = re.search(r'href="([^"]+)#second">Ask for second opinions', text)
        _, settings, _ = await client.get(asked[1].replace("&amp;", "&"))
        assert '<input id="second"' in settings

    async def test_ones_own_label_is_no_second_opinion(self, client):
        about, _ = await decide(client, "label:1")
        path = f"/label/first/item?{ANNA}&row={about['row']}"
        _, text, _ = await client.get(path)
        assert "decided before" in text
        assert "second opinion" not in text
        _, text, _ = await client.get(path.replace("anna", "ben"))
        assert "second opinion" in text

    async def test_a_label_of_what_has_no_score_is_told_and_can_be_taken_back(
        self, serve, tmp_path
    ):
        path = tmp_path / "empty.db"
        rows = [*ROWS[:4], {**ROWS[4], "answer": ""}]
        evaluate(rows, "faithfulness", judge=plausible(), store=path).describe(name="first")
        client = await (await serve(path)).enter()
        _, text, _ = await client.get(f"/label/first/item?{ANNA}&row=5")
        assert "without a score: a label here counts in no mean" in text
        await client.post(f"/label/first/decide?{ANNA}", {**fields(text), "decision": "label:0"})
        assert "q5 you: No · judge: no score Undo" in await said_last(client)
        await client.post(f"/label/first/undo?{ANNA}")
        assert kept(path) == []


class TestWhatLabelsTell:
    async def test_who_gave_no_name_is_a_click_away_from_labelling(self, client):
        for page, links in (("results", 1), ("agreement", 2)):
            _, text, _ = await client.get(f"/label/first/{page}?metric=faithfulness")
            found = re.findall(r'href="(/label/\w+\?[^"]*)">Label(?: more)?</a>', text)
            assert len(found) == links
            _, start, _ = await client.get(found[0])
            assert "Start labelling" in start

    async def test_labels_that_do_not_do_say_so_where_one_labels_on(self, client):
        await decide(client, "label:1")
        for what in ("threshold", "card.json"):
            status, text, reply = await client.get(f"/label/first/{what}?{ANNA}")
            assert status == 422
            assert reply.content_type == "text/html"
            assert 'class="button main" href="/label/' in text
            assert 'aria-label="Labelling"' in text

    async def test_the_card_comes_with_the_command_that_takes_it(self, client, store):
        for _ in range(12):
            about = fields(await shown(client))
            good = int(sample_of(store, about)[1:]) % 3 > 0
            form = {**about, "decision": f"label:{int(good)}"}
            await client.post(f"/label/first/decide?{ANNA}", form)
        _, text, _ = await client.get(f"/label/first/threshold?{ANNA}")
        (told,) = copied(text)
        assert told.startswith("assay calibrate first -m faithfulness --card card.json --out ")

    async def test_a_number_below_zero_has_a_sign_that_is_no_hyphen(self, serve, store):
        with Store(store) as opened:
            desk = Labelling(opened, "first", "faithfulness", annotator="anna")
            for n in range(8):
                item = desk.next()
                assert item is not None
                called, _ = desk.verdicts(item.key)
                desk.record(float(not called if n % 3 else bool(called)))
        client = await (await serve(store)).enter()
        told = await shown(client)
        kappa = re.search(r"Agreement, κ.*?<dd>(.*?)</dd>", told, re.DOTALL)
        assert kappa is not None
        assert "−" in kappa[1]
        assert "-" not in re.sub(r"<[^>]+>", "", kappa[1])


class TestTheLabelScreen:
    async def test_a_record_is_read_line_by_line(self, serve, tmp_path):
        record = '{"name": "Veldt Kids", "hours": {"Monday": "9:0-17:0"}, "price": "890 euros"}'
        row = {
            "id": "kids",
            "question": "What does it cost?",
            "answer": "It costs 890 euros.",
            "contexts": [record],
        }
        evaluate([row], "faithfulness", judge=plausible(), store=tmp_path / "record.db")
        client = await (await serve(tmp_path / "record.db")).enter()
        text = await shown(client, "last")
        assert "name: Veldt Kids\nhours.Monday: 9:0-17:0\n" in text
        assert '<mark class="near">price: </mark><mark class="word">890</mark>' in text

    async def test_passages_that_are_equally_near_are_all_marked(self, serve, tmp_path):
        row = {
            "id": "kids",
            "question": "What does it cost?",
            "answer": "The Veldt Kids costs 890 euros.",
            "contexts": ["The Veldt Kids weighs 8.9 kilograms. It costs 790 euros."],
        }
        evaluate([row], "faithfulness", judge=plausible(), store=tmp_path / "near.db")
        client = await (await serve(tmp_path / "near.db")).enter()
        text = await shown(client, "last")
        for word in ("Veldt", "costs", "euros"):
            assert f'<mark class="word">{word}</mark>' in text

    async def test_an_answer_in_markdown_can_be_read_as_such(self, serve, tmp_path):
        rows = [{**ROWS[0], "answer": MARKDOWN}, *ROWS[1:3]]
        evaluate(rows, "faithfulness", judge=plausible(), store=tmp_path / "md.db")
        client = await (await serve(tmp_path / "md.db")).enter()
        _, text, _ = await client.get(f"/label/last/item?{ANNA}&row=1")
        assert "<strong>one</strong>" in text
        _, text, _ = await client.get(f"/label/last/item?{ANNA}&row=2")
        assert "As Markdown" not in text


async def test_a_store_that_cannot_be_written_is_shown_and_offers_no_change(
    serve, store, monkeypatch
):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    client = await (await serve(store)).enter()
    for path in ("/", "/runs/first", "/label/first"):
        status, text, _ = await client.get(path)
        assert status == 200
        assert ">read only</span>" in text
        assert '<form method="post"' not in text
    assert "The store assay.db cannot be written: nothing can be labelled." in text
    status, text, _ = await client.get(f"/label/first/next?{ANNA}")
    assert (status, text) == (403, "the store assay.db cannot be written\n")
