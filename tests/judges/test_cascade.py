"""Who decides in a cascade, what is checked, and what is said of it."""

import json

import pytest

from assay import InputError, Limits, Scripted, Settings, backend, cascade, evaluate, verify
from assay._middleware.wrapper import Route
from assay._store import Store
from assay._store.labels import HumanLabel
from assay.judges.cascade import CascadePolicy, decisions, read_labels
from assay.sample import Sample
from assay.tasks import Statement, Verdict, VerifyStatements
from support.over import over
from support.scripts import plausible

SURE, UNSURE = 0.97, 0.6


def number(text):
    return int(text.rstrip(".").split()[-1])


def truth(text):
    """Whether a statement is true: of ten numbered ones the last is false, and from 5000 on all."""
    return number(text) % 10 != 9 and number(text) < 5000


class Voice:
    """A script that gives verdicts by a rule, and counts the statements that it is asked about."""

    def __init__(self, rule):
        self.rule = rule
        self.calls = 0
        self.statements = 0

    def __call__(self, task):
        self.calls += 1
        self.statements += len(task.statements)
        return VerifyStatements.reply([self.rule(s) for s in task.statements])


def cheap():
    """Calls even statements supported, and is sure; of odd ones it is unsure, and wrong."""

    def rule(statement):
        if number(statement.text) % 2 == 0:
            return Verdict(statement.id, supported=True, probability=SURE)
        supported = not truth(statement.text)
        return Verdict(statement.id, supported, probability=UNSURE if supported else 1 - UNSURE)

    return Voice(rule)


def dear():
    return Voice(lambda s: Verdict(s.id, truth(s.text), "as it is"))


def judge(voice, name):
    return Scripted({"verify_statements": voice}, name=name)


def sample(k):
    return Sample(id=f"q{k}", question="Q?", answer=f"It is {k}. It is so.", contexts=(f"c {k}",))


def tasks(n, start=0):
    """n answers of two statements each, an even and an odd one."""
    for k in range(start, start + n):
        texts = (f"Number {2 * k}.", f"Number {2 * k + 1}.")
        statements = tuple(Statement(f"s{i}", text) for i, text in enumerate(texts, start=1))
        yield VerifyStatements(statements, (f"context {k}",))


async def ask(route, made):
    return [(task, await route.reply(task)) for task in made]


class TestDecisions:
    async def test_without_enough_labels_the_top_judge_decides_all(self):
        low, top = cheap(), dear()
        route = cascade(judge(low, "low"), judge(top, "top"), risk=0.1)
        for task, reply in await ask(route, tasks(50)):
            assert set(decisions(reply).by.values()) == {"top"}
            assert [v.supported for v in task.read(reply.raw)] == [
                truth(s.text) for s in task.statements
            ]
        assert low.statements == top.statements == 100

    async def test_what_the_cheap_judge_is_sure_of_stands_and_the_rest_goes_up(self):
        top = dear()
        route = cascade(judge(cheap(), "low"), judge(top, "top"), risk=0.1, audit=0.1)
        await ask(route, tasks(200))
        before = top.statements
        by = [decisions(reply).by for _, reply in await ask(route, tasks(200, 200))]
        low = sum(one["s1"] == "low" for one in by)
        assert 160 <= low <= 195  # but for those that are checked
        assert all(one["s2"] == "top" for one in by)
        assert top.statements - before == 400 - low

    async def test_a_share_of_what_stands_is_checked_and_the_top_judge_has_the_word(self):
        route = cascade(judge(cheap(), "low"), judge(dear(), "top"), risk=0.1, audit=0.3)
        await ask(route, tasks(200))
        replies = await ask(route, tasks(6, 2500))
        for task, reply in replies:
            found = decisions(reply)
            for one in found.checked:
                assert (one.by, found.by[one.id], found.chance) == ("low", "top", 0.3)
                statement = next(s for s in task.statements if s.id == one.id)
                final = next(v for v in task.read(reply.raw) if v.id == one.id)
                assert final.supported is truth(statement.text) is not one.supported
        assert any(decisions(reply).checked for _, reply in replies)

    async def test_when_the_cheap_judge_begins_to_err_it_decides_no_more(self):
        route = cascade(judge(cheap(), "low"), judge(dear(), "top"), risk=0.1, audit=0.3)
        await ask(route, tasks(200))
        replies = [reply for _, reply in await ask(route, tasks(150, 2500))]
        assert decisions(replies[-1]).closed == 1
        assert set(decisions(replies[-1]).by.values()) == {"top"}

    async def test_a_judge_in_the_middle_decides_what_it_gets_right(self):
        middle = Voice(lambda s: Verdict(s.id, truth(s.text)))
        top = dear()
        judges = (judge(cheap(), "low"), judge(middle, "mid"), judge(top, "top"))
        route = cascade(*judges, risk=0.1, audit=0.05)
        await ask(route, tasks(500))
        before = top.calls
        by = [decisions(reply).by for _, reply in await ask(route, tasks(100, 500))]
        assert sum(one["s1"] == "low" for one in by) > 80
        assert sum(one["s2"] == "mid" for one in by) > 60
        assert top.calls - before < 40

    async def test_where_the_cheap_judge_gives_no_reply_the_top_judge_decides(self):
        broken = Scripted({"verify_statements": "no verdict"}, name="broken")
        route = cascade(broken, judge(dear(), "top"))
        ((_, reply),) = await ask(route, tasks(1))
        assert set(decisions(reply).by.values()) == {"top"}

    async def test_a_repeated_question_goes_to_the_top(self):
        low = cheap()
        route = cascade(judge(low, "low"), judge(dear(), "top"))
        (task,) = tasks(1)
        await route.reply(task, 1000)
        assert low.calls == 0


class TestLabels:
    @pytest.fixture
    def people(self, tmp_path):
        def write(n):
            rows = [
                {"statement": f"Number {2 * k}.", "contexts": [f"c {k}"], "supported": k % 5 != 9}
                for k in range(n)
            ]
            path = tmp_path / f"people{n}.jsonl"
            path.write_text("\n".join(map(json.dumps, rows)))
            return path

        return write

    async def test_peoples_labels_open_the_band_before_the_first_answer(self, people):
        top = dear()
        route = cascade(judge(cheap(), "low"), judge(top, "top"), risk=0.1, labels=people(200))
        replies = await ask(route, tasks(50, 1000))
        assert sum(decisions(reply).by["s1"] == "low" for _, reply in replies) >= 40

    async def test_too_few_of_them_do_not(self, people):
        route = cascade(judge(cheap(), "low"), judge(dear(), "top"), risk=0.1, labels=people(20))
        replies = await ask(route, tasks(20, 1000))
        assert {who for _, reply in replies for who in decisions(reply).by.values()} == {"top"}

    def test_they_are_part_of_the_identity(self, people):
        def identity(**how):
            made = cascade(judge(cheap(), "low"), judge(dear(), "top"), **how)
            return made.identity(VerifyStatements)

        names = {identity(), identity(risk=0.1), identity(audit=0.2)}
        names |= {identity(labels=people(20)), identity(labels=people(30))}
        assert len(names) == 5
        assert identity().startswith("low>top (risk 0.05 at 0.9, audit 0.1")

    def test_those_of_a_store_are_taken_as_they_were_given(self, db):
        result = evaluate([sample(k) for k in range(4)], "faithfulness", plausible(), store=db)
        texts = [part.text for part in result.trace("q0", "faithfulness").outcome.parts]
        run = result.run.id

        def label(sample, statement, value, who="ann", **more):
            about = {"run": run, "metric": "faithfulness", "statement": statement, "value": value}
            return HumanLabel(sample=sample, annotator=who, **{**about, **more})

        with Store(db) as store:
            with pytest.raises(InputError, match="nobody labelled statements for faithfulness in"):
                read_labels(str(db))
            store.labels.keep(
                [
                    label("q0", 0, 1.0),
                    label("q1", 0, 1.0),
                    label("q1", 0, 0.0, "bea"),  # a tie is no label
                    label("q2", 0, 1.0),
                    label("q2", 0, 0.0, "bea"),
                    label("q2", 0, 0.0, "cleo", kind="settled"),
                    label("q3", None, 1.0),  # of the whole answer
                ]
            )
        read = read_labels(str(db))
        assert [labels for _, labels in read] == [{"s1": True}, {"s1": False}]
        assert [s.text for s in read[0][0].statements] == texts[:1]
        assert read[0][0].contexts == sample(0).contexts

    def test_of_answers_that_were_drawn_more_often_fewer_are_taken(self, db):
        rows = [sample(k) for k in range(200)]
        run = evaluate(rows, "faithfulness", plausible(), store=db).run.id
        with Store(db) as store:
            store.labels.keep(
                HumanLabel(
                    run=run,
                    metric="faithfulness",
                    sample=row.id,
                    annotator="ann",
                    statement=0,
                    value=1.0,
                    chance=0.8 if k < 100 else 0.2,
                )
                for k, row in enumerate(rows)
            )
        taken = {task.contexts for task, _ in read_labels(str(db))}
        often = sum(row.contexts in taken for row in rows[:100])
        assert sum(row.contexts in taken for row in rows[100:]) == 100
        assert 10 < often < 40

    def test_a_row_that_is_no_label_is_named(self, tmp_path):
        path = tmp_path / "people.jsonl"
        path.write_text('{"statement": "x", "contexts": ["y"], "supported": true}\n{"claim": "x"}')
        with pytest.raises(InputError, match=r"row 2: .*statement"):
            cascade(judge(cheap(), "low"), judge(dear(), "top"), labels=path)


class TestSpecs:
    def test_a_spec_names_the_judges_from_the_cheapest_up(self):
        made = backend("embedded>openai:gpt-4o-mini>openai:gpt-4o?risk=0.02&audit=0.2")
        assert isinstance(made, Route)
        identity = made.identity(VerifyStatements)
        assert identity.startswith("embedded:")
        assert ">openai:gpt-4o-mini" in identity
        assert identity.endswith("(risk 0.02 at 0.9, audit 0.2)")
        assert made.default.name.startswith("openai:gpt-4o")
        assert made.default is made.to("verify_statements").behind()[-1]

    @over(
        ("spec", "words"),
        [
            ("embedded>openai:m?risk=2", "risk is 2.0"),
            ("embedded>openai:m?risk=low", "'risk=low' in a cascade"),
            ("embedded>openai:m?bound=0.1", "'bound=0.1' in a cascade"),
            ("embedded>", "is no cascade"),
            ("embedded>openai:m?labels=nowhere.jsonl", "nowhere.jsonl"),
            ("openai:m>embedded", "openai:m stands before embedded"),
        ],
    )
    def test_what_cannot_be_used_is_named(self, spec, words):
        with pytest.raises(InputError, match=words):
            backend(spec)

    def test_who_verifies_nothing_is_no_part_of_one(self):
        splitter = Scripted({"split_statements": "{}"}, name="splitter")
        with pytest.raises(InputError, match="splitter cannot verify statements"):
            cascade(splitter, judge(dear(), "top"))

    @over(("risk", "audit"), [(0, 0.1), (0.05, 0), (0.05, 1.5)])
    def test_a_policy_has_shares(self, risk, audit):
        with pytest.raises(InputError, match="in a cascade"):
            CascadePolicy(risk=risk, audit=audit)


class TestRuns:
    def test_a_run_keeps_what_each_judge_said_and_is_not_asked_again(self, db):
        low, top = cheap(), dear()
        made = [
            judge(low, "low"),
            Scripted(
                {
                    "verify_statements": top,
                    "split_statements": lambda task: json.dumps({"statements": [task.text]}),
                },
                name="top",
            ),
        ]
        rows = [
            Sample(id=str(k), question="?", answer=f"Number {2 * k}.", contexts=(f"c {k}",))
            for k in range(150)
        ]
        how = {"store": db, "settings": Settings(limits=Limits(concurrency=1))}
        first = evaluate(rows, "faithfulness", cascade(*made, risk=0.1), **how)
        assert (low.calls, first.run.config["routes"]["verify_statements"]) == (150, "low>top")
        assert "low>top (risk 0.1" in first.run.metrics["faithfulness"]
        asked = top.calls
        assert asked < 150
        again = evaluate(rows, "faithfulness", cascade(*made, risk=0.1), **how)
        assert (again.run.id, low.calls, top.calls) == (first.run.id, 150, asked)
        decided = decisions(first.trace("149", "faithfulness").replies[-1])
        assert set(decided.by.values()) <= {"low", "top"}

    def test_other_tasks_go_to_the_top(self, db):
        made = cascade(judge(cheap(), "low"), plausible("top"))
        rows = [Sample(id="1", question="Where is Paris?", answer="Paris is in France.")]
        result = evaluate(rows, "answer_relevancy", made, store=db)
        replies = result.trace("1", "answer_relevancy").replies
        assert {reply.backend for reply in replies if reply.kind != "embed"} == {"top"}

    def test_verify_takes_one(self):
        made = cascade(judge(cheap(), "low"), judge(dear(), "top"))
        (verdict,) = verify("Number 9.", "nothing", judge=made)
        assert verdict.supported is False
