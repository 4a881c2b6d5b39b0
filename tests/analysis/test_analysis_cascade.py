"""What is said of a cascade after a run: who decided, the realised risk, the corrected mean."""

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

from assay import Limits, Scripted, Settings, audit_cascade, backend, cascade, evaluate
from assay._report.run import summary, summed_up
from assay.sample import Sample
from assay.tasks import SplitStatements, Verdict, VerifyStatements
from support import answers

ONE_BY_ONE = Settings(limits=Limits(concurrency=1))
N = 300


def number(text):
    return int(text.rstrip(".").split()[-1])


def truth(text):
    """One of ten statements is false."""
    return number(text) % 10 != 3


def low(task):
    """Calls everything supported and is sure, but for one false statement of three."""
    said = []
    for statement in task.statements:
        supported = truth(statement.text) or number(statement.text) % 3 > 0
        probability = 0.97 if supported else 0.45
        said.append(Verdict(statement.id, supported, probability=probability))
    return VerifyStatements.reply(said)


def top(task):
    return VerifyStatements.reply([Verdict(s.id, truth(s.text)) for s in task.statements])


def split(task):
    parts = [f"{part.strip()}." for part in task.text.split(".") if part.strip()]
    return SplitStatements.reply([(part, part) for part in parts])


def prompted(prompt):
    """An LLM that knows the truth."""
    statements = re.findall(r'\{"id": "(s\d+)", "text": "(Number \d+\.)"\}', prompt)
    if answers.kind_of(prompt, answers.prompt_texts(prompt)) == "split_statements":
        return answers.answer(prompt)
    return VerifyStatements.reply([Verdict(i, truth(text)) for i, text in statements])


def text_of(shown):
    text = io.StringIO()
    Console(width=300, file=text).print(shown)
    return text.getvalue()


@pytest.fixture(scope="module")
def rows():
    return [
        Sample(id=f"{k}", question="?", answer=f"Number {k}. Number {k + 5}.", contexts=(f"c {k}",))
        for k in range(N)
    ]


def made(**how):
    judges = (
        Scripted({"verify_statements": low}, name="low"),
        Scripted({"verify_statements": top, "split_statements": split}, name="top"),
    )
    return cascade(*judges, **{"risk": 0.2, "audit": 0.2, **how})


@pytest.fixture(scope="module")
def result(rows, tmp_path_factory):
    db = tmp_path_factory.mktemp("cascade") / "assay.db"
    return evaluate(rows, "faithfulness", made(), store=db, settings=ONE_BY_ONE)


class TestAudit:
    def test_it_counts_who_decided_and_what_each_was_asked(self, result):
        audit = audit_cascade(result)
        assert set(audit.statements) == {"low", "top"}
        assert sum(audit.statements.values()) == 2 * N
        assert audit.statements["low"] > N
        assert audit.spent["low"].calls == N
        assert audit.spent["top"].calls < N / 2

    def test_the_realised_risk_stands_beside_its_bound(self, result):
        audit = audit_cascade(result)
        # Of ten statements one is false, and low calls two of three false ones supported.
        assert audit.interval.low < 0.067 < audit.interval.high
        assert audit.interval.low < audit.risk < audit.interval.high < audit.bound == 0.2
        assert audit.n_missed == audit.n_unsupported > 0
        assert audit.closed == 0

    def test_answers_of_one_group_count_together_in_the_risk(self, tmp_path):
        def sure(task):
            return VerifyStatements.reply(
                [Verdict(s.id, supported=True, probability=0.97) for s in task.statements]
            )

        def knowing(task):  # all answers of one group of ten are wrong
            return VerifyStatements.reply(
                [Verdict(s.id, supported=number(s.text) // 6 % 10 != 3) for s in task.statements]
            )

        judge = cascade(
            Scripted({"verify_statements": sure}, name="low"),
            Scripted({"verify_statements": knowing, "split_statements": split}, name="top"),
            risk=0.4,
            audit=0.9,
        )
        widths = []
        for size in (1, 6):
            texts = [(f"{k}", f"Number {k}.", (f"c {k}",), f"{k // size}") for k in range(N)]
            samples = [
                Sample(id=name, question="?", answer=answer, contexts=contexts, group=group)
                for name, answer, contexts, group in texts
            ]
            store = tmp_path / f"{size}.db"
            result = evaluate(samples, "faithfulness", judge, store=store, settings=ONE_BY_ONE)
            interval = audit_cascade(result).interval
            widths.append(interval.high - interval.low)
        assert widths[1] > 1.8 * widths[0]

    def test_the_mean_is_corrected_for_what_the_cheap_judge_decided(self, result):
        true = 1 - sum(n % 10 == 3 for k in range(N) for n in (k, k + 5)) / (2 * N)
        corrected = audit_cascade(result).corrected["faithfulness"]
        seen = result.summary()[0].mean
        assert seen > true + 0.02
        assert abs(corrected.estimate - true) < 0.02
        assert corrected.interval.low < true < corrected.interval.high

    def test_where_the_top_judge_decided_all_there_is_nothing_to_correct(self, rows, db):
        result = evaluate(rows[:30], "faithfulness", made(), store=db)
        audit = audit_cascade(result)
        assert (audit.statements, audit.corrected, audit.risk) == ({"top": 60}, {}, None)
        assert result.cost().calls == 3 * 30  # the split, and the verdicts of either judge

    @pytest.mark.slow
    def test_metrics_that_split_their_texts_in_one_call_are_corrected_too(self, rows, db):
        both = [replace(row, reference=f"Number {k + 1}.") for k, row in enumerate(rows[:400])]
        cheap = Scripted({"verify_statements": low}, name="low")
        judge = cascade(cheap, backend(prompted), risk=0.2, audit=0.3)
        metrics = "faithfulness,context_recall"
        result = evaluate(both, metrics, judge, store=db, settings=ONE_BY_ONE)
        assert "|together=" in result.run.metrics["faithfulness"]
        audit = audit_cascade(result)
        assert (set(audit.corrected), dict(audit.uncorrected)) == (set(metrics.split(",")), {})
        assert audit.n_missed > 0

    def test_a_run_without_a_cascade_has_none(self, rows, db):
        judge = Scripted({"verify_statements": top, "split_statements": split}, name="top")
        assert audit_cascade(evaluate(rows[:3], "faithfulness", judge, store=db)) is None


class TestSaid:
    def test_a_run_says_it_beside_the_table(self, result):
        text = text_of(summary(summed_up(result)))
        assert "cascade: 600 statements decided: " in text
        assert "the bound is 20 %" in text
        assert "faithfulness corrected: 0." in text
        json.dumps(summed_up(result))

    def test_a_run_that_could_not_save_anything_says_why(self, rows, db):
        result = evaluate(rows[:30], "faithfulness", made(), store=db)
        assert "no verdict of a cheap judge stood (the bound is" in text_of(
            summary(summed_up(result))
        )
