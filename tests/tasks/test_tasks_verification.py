"""Short verdicts: an id and a context, a reason where nothing supports; the quote is found."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import InputError, Unreadable
from assay.judges.llm import LLM, Completion
from assay.sample import Sample
from assay.stats.raters import cohen_kappa
from assay.tasks import (
    GradedVerdict,
    GradeStatements,
    SplitStatements,
    Statement,
    Verdict,
    VerifyStatements,
)
from support.over import over

RECORD = Path(__file__).parents[2] / "benchmarks" / "recorded" / "verify.jsonl.gz"
CONTEXTS = (
    "Bread is baked from flour. It keeps for days.",
    "The mill stands on a hill. It was built in 1874 by monks.",
)
TASK = VerifyStatements(
    (
        Statement("s1", "The mill was built in 1874."),
        Statement("s2", "The mill was built by soldiers."),
        Statement("s3", "The mill is red."),
    ),
    CONTEXTS,
)
SHORT = (
    '{"verdicts": [["s1", "c2"], ["s2", "By monks.", "contradicted"], ["s3", "Silent.", '
    '"unsupported"]]}'
)


def recorded():
    with gzip.open(RECORD, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def recorded_task(row):
    statements = SplitStatements(row["question"], row["answer"]).read(row["split"])
    return VerifyStatements(statements, tuple(row["contexts"]))


class TestReading:
    def test_a_context_is_support_and_the_sentence_most_alike_is_its_quote(self):
        assert TASK.read(SHORT) == (
            Verdict(
                "s1",
                supported=True,
                context=1,
                quote="It was built in 1874 by monks.",
                contradicted=False,
            ),
            Verdict("s2", supported=False, reason="By monks.", contradicted=True),
            Verdict("s3", supported=False, reason="Silent.", contradicted=False),
        )

    def test_a_sentence_that_shares_too_little_is_not_quoted(self):
        (verdict,) = TASK.narrow(["s1"]).read('{"verdicts": [["s1", "c1"]]}')
        assert (verdict.supported, verdict.context, verdict.quote) == (True, 0, "")

    def test_a_reason_may_stand_before_a_context_too(self):
        (verdict,) = TASK.narrow(["s1"]).read('{"verdicts": [["s1", "As it says.", "c2"]]}')
        assert (verdict.supported, verdict.reason, verdict.context) == (True, "As it says.", 1)

    def test_support_without_one_context_has_no_quote(self):
        (verdict,) = TASK.narrow(["s1"]).read('{"verdicts": [["s1", "supported"]]}')
        assert (verdict.supported, verdict.context, verdict.quote) == (True, None, "")

    @over(
        ("given", "problem"),
        [
            (["s1"], "no list of an id, a reason and a finding"),
            (["s1", "a", "b", "c2"], "no list of an id, a reason and a finding"),
            (["s1", "perhaps"], "'perhaps', which names no context"),
            (["s1", "Not in c1.", "perhaps"], "'perhaps', which names no context"),
            (["s1", None], "form that was asked for"),
            (["s1", "c1", "unsupported"], "says both c1 and unsupported"),
            (["s1", "unsupported", "c1"], "says both unsupported and c1"),
            (["s1", "supported", "contradicted"], "says both supported and contradicted"),
            (["s1", "c1", "c2"], "says both c1 and c2"),
        ],
    )
    def test_what_is_no_verdict_spoils_the_reply(self, given, problem):
        with pytest.raises(Unreadable, match=problem):
            TASK.narrow(["s1"]).read(json.dumps({"verdicts": [given]}))

    @over(
        ("given", "expected"),
        [
            (["s1", 2], (True, 1, "", False)),
            (["s1", "C2."], (True, 1, "", False)),
            (["s1", "c2, c1"], (True, 1, "", False)),
            (["s1", "c2 and c1"], (True, 1, "", False)),
            (["s1", "supported", "c2"], (True, 1, "", False)),
            (["s1", "c2", "Supported"], (True, 1, "", False)),
            (["s1", "c2", "It says so."], (True, 1, "It says so.", False)),
            (["s1", "Contradicted."], (False, None, "", True)),
            (["s1", "Not supported"], (False, None, "", False)),
            (["s1", "unsupported", "It is silent."], (False, None, "It is silent.", False)),
            (["s1", "contradicted", "It denies it."], (False, None, "It denies it.", True)),
        ],
    )
    def test_other_ways_to_write_the_same_are_read_alike(self, given, expected):
        for verdicts in ([given], {given[0]: given[1:]}):
            (found,) = TASK.narrow(["s1"]).read(json.dumps({"verdicts": verdicts}))
            assert (found.supported, found.context, found.reason, found.contradicted) == expected

    def test_a_map_from_ids_is_read_as_the_list_is(self):
        task = TASK.narrow(["s1", "s2"])
        given = {"S1": "c2", "s2": ["Silent.", "unsupported"]}
        first, second = task.read(json.dumps({"verdicts": given}))
        assert (first.id, first.supported, first.context) == ("s1", True, 1)
        assert (second.id, second.supported, second.reason) == ("s2", False, "Silent.")
        with pytest.raises(Unreadable, match="which was not asked about"):
            task.read('{"verdicts": {"s1": "c2", "s9": "c1"}}')

    def test_two_different_verdicts_for_one_id_spoil_the_reply(self):
        with pytest.raises(Unreadable, match="two different verdicts for 's1'"):
            TASK.read('{"verdicts": [["s1", "c1"], ["s1", "No.", "unsupported"]]}')

    def test_a_long_reply_of_before_reads_as_it_did(self):
        verdicts = (
            Verdict(
                "s1",
                supported=True,
                reason="Said.",
                context=1,
                quote="built in 1874",
                contradicted=False,
            ),
        )
        assert TASK.narrow(["s1"]).read(VerifyStatements.reply(verdicts)) == verdicts
        unquoted = (Verdict("s1", supported=True, reason="Said.", context=1, contradicted=False),)
        assert TASK.narrow(["s1"]).read(VerifyStatements.reply(unquoted)) == unquoted


class TestGrades:
    TASK = GradeStatements("How old is the mill?", TASK.statements, CONTEXTS)
    REPLY = (
        '{"verdicts": [["s1", "c2"], ["s2", "By monks.", "contradicted", "3"], '
        '["s3", "Silent.", "Absent", "1"]]}'
    )

    def test_a_context_is_support_and_the_rest_has_reason_standing_and_severity(self):
        found = self.TASK.read(self.REPLY)
        assert found == (
            GradedVerdict("s1", "supported", context=1),
            GradedVerdict("s2", "contradicted", 3, "By monks."),
            GradedVerdict("s3", "absent", 1, "Silent."),
        )
        assert self.TASK.read(self.TASK.reply(found)) == found

    @over(
        ("given", "problem"),
        [
            ([], "a verdict is empty"),
            (["s1"], "neither a context nor"),
            (["s1", "maybe"], "names no context"),
            (["s1", "Why.", "absent", "4"], "neither a context nor"),
            (["s1", "Why.", "perhaps", "1"], "neither a context nor"),
        ],
    )
    def test_what_is_no_grade_spoils_the_reply(self, given, problem):
        with pytest.raises(Unreadable, match=problem):
            self.TASK.narrow(["s1"]).read(json.dumps({"verdicts": [given]}))

    def test_of_two_halves_the_one_that_knows_decides(self):
        one = {i: GradedVerdict(i, "absent", 2) for i in self.TASK.ids}
        other = {
            "s1": GradedVerdict("s1", "supported", context=0),
            "s2": GradedVerdict("s2", "contradicted", 3),
            "s3": GradedVerdict("s3", "common knowledge", 1),
        }
        found = self.TASK.joined(one, other)
        assert [found[i].standing for i in self.TASK.ids] == [
            "supported",
            "contradicted",
            "common knowledge",
        ]
        assert found["s1"].context == 1
        first, second = self.TASK.halves()
        assert (first.contexts, second.contexts) == (CONTEXTS[:1], CONTEXTS[1:])


class Writer(LLM):
    """Writes long or short verdicts, as it is asked, and keeps what it was asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    @property
    def name(self):
        return "writer"

    async def complete(self, prompt, schema, kind, draw):
        self.asked.append((prompt, schema, kind))
        if kind == "split_statements":
            statements = [s.text for s in TASK.statements]
            return Completion(json.dumps({"statements": statements}))
        verdicts = TASK.read(SHORT)
        long = schema["properties"]["verdicts"]["items"]["type"] == "object"
        return Completion((TASK.reply if long else TASK.short_reply)(verdicts))


ROW = Sample(id="a", question="What of the mill?", contexts=CONTEXTS, answer="Something.")


class TestSetting:
    @pytest.mark.parametrize("reasons", ["all", "failures", "none"])
    def test_it_chooses_prompt_and_schema_and_the_verdicts_are_the_same(self, tmp_path, reasons):
        judge = Writer()
        settings = assay.Settings(reasons=reasons)
        result = assay.evaluate(
            [ROW], "faithfulness", judge, store=tmp_path / "a.db", settings=settings
        )
        (score,) = [row.mean for row in result.summary()]
        assert score == pytest.approx(1 / 3)
        ((prompt, schema, _),) = [one for one in judge.asked if one[2] == "verify_statements"]
        template = VerifyStatements.template_for(reasons)
        assert template.instruction in prompt
        assert schema == VerifyStatements.schema_for(template)
        parts = result.trace("a", "faithfulness").outcome.parts
        assert parts[0].quote == "It was built in 1874 by monks."

    def test_another_setting_is_another_prompt_and_so_another_run(self, tmp_path):
        judge = Writer()
        runs = {
            assay.evaluate(
                [ROW],
                "faithfulness",
                judge,
                store=tmp_path / "a.db",
                settings=assay.Settings(reasons=reasons),
            ).run.id
            for reasons in ("all", "failures", "none")
        }
        assert len(runs) == 3

    def test_all_is_the_prompt_of_before_so_replies_to_it_are_still_taken(self):
        assert VerifyStatements.template_for("all").digest == "0db9ca12"

    def test_an_unknown_one_is_refused(self):
        with pytest.raises(InputError, match="reasons is 'some'"):
            assay.Settings(reasons="some")

    def test_a_users_own_prompt_may_ask_for_either_form(self):
        built_in = VerifyStatements.template
        own = type(built_in)("Check the statements.", examples=built_in.examples)
        items = VerifyStatements.schema_for(own)["properties"]["verdicts"]["items"]
        assert {each["type"] for each in items["anyOf"]} == {"object", "array"}


class TestRecord:
    """20 RAGTruth answers, whose statements a strong model checked by either prompt."""

    def test_the_short_form_gives_the_same_verdicts_at_a_fifth_of_the_length(self):
        rows = recorded()
        long, short = ([], [])
        for row in rows:
            task = recorded_task(row)
            long += task.read(row["long"])
            short += task.read(row["short"])
        assert (len(rows), len(long)) == (20, 249)
        kappa = cohen_kappa([v.supported for v in long], [v.supported for v in short])
        assert kappa(np.ones(len(long))) == pytest.approx(0.964, abs=0.001)
        letters = {form: sum(len(row[form]) for row in rows) for form in ("long", "short")}
        assert letters["short"] < 0.2 * letters["long"]

    def test_most_quotes_found_are_where_the_model_quoted(self):
        same = total = 0
        for row in recorded():
            task = recorded_task(row)
            for found, given in zip(task.read(row["short"]), task.read(row["long"]), strict=True):
                if not (found.quote and given.quote) or found.context != given.context:
                    continue
                context = task.contexts[found.context]
                at, here = context.find(given.quote), context.find(found.quote)
                total += 1
                same += here < at + len(given.quote) and at < here + len(found.quote)
        assert total > 100
        assert same / total > 0.7
