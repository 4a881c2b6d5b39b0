"""`assay bench`: the card shown and written, and what is refused."""

import gzip
import json
import re

import pytest

from assay._cli.errors import BAD_INPUT
from assay._store import Store
from support.once import made_once

FILE = "attribution/attributionbench_test500.jsonl.gz"
JUDGE = '''
from assay.errors import Denied
from assay.judge import Reply
from assay.tasks import Verdict, VerifyStatements


class Own:
    """Supports what stands in a context word for word."""

    def __init__(self, name, says=""):
        self.name = name
        self.says = says

    def identity(self, kind):
        return self.name if kind.kind == "verify_statements" else None

    async def reply(self, task, draw=0):
        if self.says == "no":
            raise Denied("wrong key")
        told = " ".join(task.contexts)
        verdicts = [Verdict(s.id, s.text in told) for s in task.statements]
        raw = self.says or VerifyStatements.reply(verdicts)
        return Reply(task.inputs(), raw, 100, 10, 5.0, backend=self.name, kind=task.kind)


good = Own("good:1")
mumbling = Own("mumbling:1", "?")
refusing = Own("refusing:1", "no")
'''

ASKED = """
import json


def ask(prompt):
    new = "new" in prompt.rpartition("statements")[2]
    verdict = {"id": "s1", "reason": "Read.", "supported": not new}
    return json.dumps({"verdicts": [verdict], "statements": ["It is old."]})
"""


@pytest.fixture
def bench(assay, here):
    """Run `assay bench` in a folder with a small set and judges of its own."""
    file = here / "sets" / FILE
    file.parent.mkdir(parents=True)
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for i in range(8):
            row = {
                "id": f"a{i}",
                "dataset": "attributionbench",
                "contexts": [f"Bridge {i} is old."],
                "claim": f"Bridge {i} is {'old' if i % 2 else 'new'}.",
                "labels": {"supported": bool(i % 2)},
            }
            out.write(json.dumps(row) + "\n")
    (here / "own_bench.py").write_text(JUDGE, "utf-8")

    def call(*arguments, judge="good"):
        judged = () if judge is None else ("--judge", f"own_bench:{judge}")
        return assay("bench", *arguments, "--data", "sets", *judged)

    return call


def words(text):
    return " ".join(text.split())


def test_a_card_is_shown_with_floors_and_what_it_took(bench):
    result = bench("attributionbench", "wice", "--price", "1/10")
    assert result.exit_code == 0, result.output
    shown = words(result.stdout)
    assert "good:1, each set's usual rows" in shown
    assert "1.00 8 0.50" in shown
    assert "1.00 to 1.00" not in shown
    assert "8 replies, 880 tokens, 0.0 s, cost 0.0016" in shown
    assert "skipped: claims/wice_claims.jsonl.gz is not in sets" in shown
    assert "no threshold fitted" in shown
    assert words(result.stderr) == "attributionbench ... wice ..."


def test_a_dry_run_counts_and_asks_nobody(bench, here):
    done = bench("attributionbench", "wice", "--dry-run", "--price", "1/10", judge="refusing")
    assert (done.exit_code, done.stderr.count("...")) == (0, 2), done.output
    shown = words(done.stdout)
    assert "attributionbench 8 0 0" in shown
    assert "wice: skipped: claims/wice_claims.jsonl.gz is not in sets" in shown
    assert "Nothing was asked, nothing was spent." in shown
    assert not list(here.glob("*.db"))
    data = json.loads(bench("attributionbench", "--dry-run", "--json", "--quiet").stdout)
    assert data["all"]["calls"] == data["sets"][0]["calls"] == 8
    refused = bench("attributionbench", "--dry-run", "--out", "a.json")
    assert (refused.exit_code, "--dry-run measures nothing" in refused.stderr) == (2, True)


def test_files_are_written_and_one_card_stands_beside_another(bench, here):
    done = bench("attributionbench", "--out", "a.json", "--out", "a.md", "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert "| AttributionBench test500, AUROC" in (here / "a.md").read_text("utf-8")
    again = bench("attributionbench", "--limit", "5", "--beside", "a.json")
    assert "1.00 (n 8)" in words(again.stdout)
    assert "beside: good:1, each set's usual rows" in again.stdout
    data = json.loads(bench("attributionbench", "--json", "--quiet").stdout)
    assert data == json.loads((here / "a.json").read_text("utf-8"))
    assert data["sets"][0]["calls"] == 8


def test_the_card_beside_is_not_overwritten(bench, here):
    bench("attributionbench", "--limit", "5", "--out", "a.json")
    before = (here / "a.json").read_bytes()
    again = bench("attributionbench", "--limit", "5", "--beside", "a.json", "--out", "a.json")
    assert (again.exit_code, "would overwrite" in again.stderr) == (2, True)
    assert (here / "a.json").read_bytes() == before


def test_published_figures_stand_beside_with_their_source_once(bench, here):
    pairs = [
        {
            "id": f"w{i}",
            "question": f"Is bridge {i} old?",
            "contexts": [f"Bridge {i} is old."],
            "answer_a": f"Bridge {i} is old.",
            "answer_b": f"Bridge {i} is new.",
            "labels": {"dimension": "faithfulness", "better": "a"},
        }
        for i in range(3)
    ]
    file = here / "sets" / "wikieval" / "wikieval_pairs.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), "utf-8")
    done = bench("wikieval", "--out", "w.md", judge=None)
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("report  w.md\n")
    text = (here / "w.md").read_text("utf-8")
    assert "| RAGAS 0.95, GPT score 0.72 |" in text
    assert text.count("arXiv 2309.15217") == 1
    assert words(done.stdout).count("arXiv 2309.15217") == 1


def test_the_sets_are_listed_without_a_judge_or_data(assay, bench, monkeypatch):
    data = json.loads(bench("--list", "--json").stdout)
    there = {one["name"]: one["present"] for one in data["sets"]}
    assert there["attributionbench"] is True
    assert there["telequad"] is False
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    shown = assay("bench", "clapnq", "--list")
    assert shown.exit_code == 0
    assert "retrieval/clapnq.jsonl.gz" in shown.stdout
    assert "Apache-2.0" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("wikival",), "did you mean 'wikieval'"),
        (("wikieval", "--full", "--limit", "3"), "--full and --limit are both given"),
        (("wikieval", "--out", "card.html"), ".json, .md"),
        (("wikieval", "--beside", "data.jsonl"), "not a judge card"),
        (("wikieval", "--budget", "2.50"), "the price of a token is unknown"),
        (("wikieval",), "nothing was measured"),
    ],
)
def test_what_cannot_be_done_is_said(bench, arguments, told):
    result = bench(*arguments)
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_folder_must_be_named_and_be_there(assay, here, monkeypatch):
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    nowhere = assay("bench", "wikieval")
    assert nowhere.exit_code == 2
    assert "--data says where they are, or ASSAY_DATA" in nowhere.stderr
    monkeypatch.setenv("ASSAY_DATA", "absent")
    absent = assay("bench", "wikieval")
    assert "there is no folder 'absent'" in absent.stderr


@pytest.mark.parametrize(
    ("judge", "more", "code", "told"),
    [
        ("mumbling", (), 3, ""),
        ("refusing", (), 4, "wrong key"),
        ("good", ("--budget", "3calls"), 5, "stopped: the next call could exceed the budget"),
    ],
)
def test_the_exit_code_says_how_it_ended(bench, judge, more, code, told):
    result = bench("attributionbench", *more, judge=judge)
    assert result.exit_code == code, result.output
    assert told in result.stderr


def test_after_a_used_up_budget_the_same_command_asks_only_the_rest(bench):
    bench("attributionbench", "--budget", "3calls")
    rest = bench("attributionbench", "--budget", "5calls")
    assert rest.exit_code == 0, rest.output
    assert "8 replies" in rest.stdout


@pytest.mark.usefixtures("card")
class TestBesideTheScoresOfARun:
    """`assay run --judge-card` shows what was measured of the very judge that is asked."""

    MIXED = "good+embedded"

    def scored(self, assay, *arguments, judge="own_bench:good+embedded"):
        asked = ("run", "data.jsonl", "-m", "faithfulness", "--judge", judge)
        return assay(*asked, *arguments)

    @made_once
    def card(self, bench):
        """The card of a mixed judge."""
        assert bench("attributionbench", "--out", "card.json", judge=self.MIXED).exit_code == 0

    def test_its_figures_stand_there_with_the_floor(self, assay):
        shown = words(self.scored(assay, "--judge-card", "card.json").stdout)
        assert re.search(r"faithfulness \d\.\d\d \S+ 100 0 ", shown)
        assert "finds, errs: the judge's true-positive and false-positive rate in %" in shown
        told = words(assay("show", "--about").stdout)
        assert "does not support it flags 100 (51 to 100)" in told
        assert "claims that it supports 0 (0 to 49) (AttributionBench test500" in told
        assert "alone would flag" in told

    def test_without_it_the_judge_is_said_to_be_unmeasured(self, assay):
        shown = words(self.scored(assay).stdout)
        assert "finds" not in shown
        assert "judge: good:1: how often it is wrong has not been measured" in shown
        assert shown.count("has not been measured") == 1

    def test_once_told_it_stays_told(self, assay):
        assert "has not been measured" not in self.scored(assay, "--judge-card", "card.json").stdout
        again = words(self.scored(assay).stdout)
        assert "finds" in again
        assert "has not been measured" not in again

    def test_it_may_be_given_later_to_a_run_that_is_known(self, assay, here):
        self.scored(assay)
        again = self.scored(assay, "--judge-card", "card.json", "--out", "report.html")
        assert "finds" in again.stdout
        assert "AttributionBench" in (here / "report.html").read_text("utf-8")
        assert "finds" in assay("show").stdout

    def test_a_card_of_few_rows_says_how_many(self, bench, assay):
        bench("attributionbench", "--limit", "6", "--out", "few.json", judge=self.MIXED)
        self.scored(assay, "--judge-card", "few.json")
        assert "at most 6 rows of each kind" in words(assay("show", "--about").stdout)

    def test_the_card_of_another_judge_is_refused_before_anything_is_asked(self, assay, here):
        result = self.scored(assay, "--judge-card", "card.json", judge="embedded")
        assert result.exit_code == BAD_INPUT
        assert "the judge card is of another judge" in result.stderr
        assert "good:1" in result.stderr
        with Store(here / "assay.db") as store:
            assert store.runs() == []

    def test_so_is_one_of_other_prompts(self, assay, bench, here):
        (here / "asked.py").write_text(ASKED, "utf-8")
        (here / "prompts.toml").write_text('[verify_statements]\ninstruction = "Be lenient."\n')
        llm = "asked:ask+embedded"
        bench("attributionbench", "--out", "asked.json", "--judge", llm, judge=None)
        card = ("--judge-card", "asked.json")
        assert "finds" in self.scored(assay, *card, judge=llm).stdout
        result = self.scored(assay, *card, "--prompts", "prompts.toml", judge=llm)
        assert result.exit_code == BAD_INPUT
        assert "of other prompts" in result.stderr

    def test_a_card_without_such_figures_is_refused(self, assay, bench, here):
        bench("wice", "--out", "none.json", judge=self.MIXED)
        result = self.scored(assay, "--judge-card", "none.json")
        assert result.exit_code == BAD_INPUT
        assert "no figure that is reported beside scores" in result.stderr

    @pytest.mark.slow
    def test_what_it_does_not_measure_keeps_what_the_judge_says_of_itself(self, assay, bench):
        bench("attributionbench", "--out", "own.json", judge=None)
        asked = ("run", "data.jsonl", "-m", "faithfulness", "-m", "context_relevance")
        assay(*asked, "--judge-card", "own.json")
        told = words(assay("show", "--about").stdout)
        assert "AttributionBench test500" in told
        assert "MTRAG-UN contexts" in told
        assert "RAGTruth" not in told
