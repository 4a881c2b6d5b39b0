"""Estimates of what a run would cost, and the replies that stand in for a judge's."""

import json

import pytest

from assay import Limits, Settings, evaluate
from assay._runner import estimate as estimating
from assay._runner.dry_run import ENOUGH, QUOTED, REASON, fit_to_schema, guess
from assay._runner.estimate import estimate
from assay.errors import InputError
from assay.judge import RETRY_STRIDE, Judge
from assay.judges.llm import LLM, Completion
from assay.metrics import parse
from assay.sample import Turn
from assay.tasks import (
    AskClosedQuestions,
    JudgeContexts,
    PaperStatements,
    SplitStatements,
    Statement,
    VerifyStatements,
)
from support import answers, scripts
from support.scripts import plausible, samples

N = 600


class Far(LLM):
    """A judge over the network."""

    name = "far"

    async def complete(self, prompt, schema, kind, draw):
        return Completion(answers.answer(prompt, kind, schema, draw))


def rows(n):
    """Rows of one to seven sentences."""
    return [
        {
            "question": f"What is {i}?",
            "contexts": [f"The number {i} is a number."],
            "answer": " ".join(f"It is {i} and {k}." for k in range(i * 37 % 7 + 1)),
        }
        for i in range(n)
    ]


@pytest.mark.slow
def test_of_many_rows_some_are_counted_and_the_error_is_told(db, monkeypatch):
    monkeypatch.setattr(estimating, "ALL_COUNTED", 300)
    monkeypatch.setattr(estimating, "DRAWN", 100)
    drawn = estimate(rows(N), "faithfulness", Far(), store=db)
    assert (drawn.samples, drawn.counted) == (N, 100)
    assert drawn == estimate(rows(N), "faithfulness", Far(), store=db)
    monkeypatch.setattr(estimating, "ALL_COUNTED", N)
    whole = estimate(rows(N), "faithfulness", Far(), store=db, settings=Settings(probe=False))
    assert (whole.counted, whole.margins) == (N, {})
    for name in ("tokens_in", "tokens_out"):
        assert 0 < drawn.margins[name] < 0.1 * getattr(whole, name)
        assert abs(getattr(drawn, name) - getattr(whole, name)) < 2 * drawn.margins[name]
    assert drawn.calls == whole.calls == 2 * N


def test_the_time_is_told_with_what_it_rests_on(db):
    settings = Settings(concurrency=4, probe=False)

    def told(judge, n=80):
        return estimate(rows(n), "faithfulness", judge, store=db, settings=settings)

    assumed = told(Far())
    assert (assumed.calls, assumed.seconds) == (160, 80.0)
    assert assumed.seconds_from == "assuming 2 s a call and 4 calls at once"
    evaluate(rows(30), "faithfulness", Far(), store=db, settings=settings)
    measured = told(Far())
    assert 0 < measured.seconds < 20
    assert measured.seconds_from == "as far took before, with 4 calls at once"
    here = told("embedded", 5)
    assert here.seconds > 0
    assert here.seconds_from == "timed on this machine"


def test_a_rate_that_bounds_a_run_bounds_its_time(db):
    settings = Settings(limits=Limits(requests_per_minute=60), probe=False)
    found = estimate(rows(80), "faithfulness", Far(), store=db, settings=settings)
    assert found.seconds == 160.0


ROWS = [
    {
        "question": "What is the capital of France?",
        "answer": "Paris is the capital of France. It lies on the Seine.",
        "other_answer": "It is Lyon.",
        "contexts": ["Paris is the capital of France.", "Bread is baked."],
        "reference": "Paris.",
        "rubric": {"1": "It names no city.", "5": "It names the capital."},
        "nuggets": {"Paris is the capital of France.": "vital"},
        "context_access": ["crew", []],
        "user_access": [],
        "turns": (
            Turn("user", "What is the capital of France?"),
            Turn("assistant", "Paris is the capital of France.", ("Paris is the capital.",)),
            Turn("user", "And where does it lie?"),
            Turn("assistant", "It lies on the Seine.", ("Paris lies on the Seine.",)),
        ),
        "reference_topics": ("the capital of France",),
    }
]


class Told(LLM):
    """An LLM that says what is plausible and counts how often it is asked."""

    name = "told"
    calls = 0

    async def complete(self, prompt, schema, kind, draw):
        self.calls += 1
        return Completion(answers.answer(prompt, kind, schema, draw))


@pytest.mark.parametrize(
    "metric",
    [
        "aspect_critic(strictness=3)",
        "discrete_criterion",
        "numeric_criterion",
        "ranking_criterion",
        "g_eval",
        "rubrics_score",
        "instance_rubrics",
        "answer_accuracy",
        "gpt_score",
        "gpt_ranking",
        "pairwise_preference",
        "summary_score",
        "turn_faithfulness",
        "topic_adherence",
        "agent_goal_accuracy",
        "agent_goal_accuracy_without_reference",
    ],
)
async def test_as_many_calls_are_counted_as_are_made(metric, tmp_path):
    judge = Told()
    counted = estimate(ROWS, metric, judge, store=tmp_path / "none.db")
    sample = scripts.sample(**{**ROWS[0], "contexts": tuple(ROWS[0]["contexts"])})
    await parse(metric).score(sample, Judge(judge))
    assert counted.calls == judge.calls > 0
    assert counted.tokens_in > 0
    assert counted.tokens_out > 0


class Hesitant(Told):
    """Its first word about a text, and its first two about what to verify, cannot be read."""

    async def complete(self, prompt, schema, kind, draw):
        found = await super().complete(prompt, schema, kind, draw)
        wrong = {"split_statements": 1, "verify_statements": 2}.get(kind, 0)
        return Completion("Well.") if draw // RETRY_STRIDE < wrong else found


METRICS = (["faithfulness"], ["faithfulness", "context_recall"])


@pytest.mark.parametrize("metrics", METRICS)
@pytest.mark.parametrize(
    "change", [{}, {"contexts": ["Lyon is large."], "context_access": ["crew"]}]
)
def test_what_was_asked_again_before_is_known_and_what_comes_after_it_counted(
    metrics, change, tmp_path
):
    store, embedder = tmp_path / "x.db", scripts.plausible()
    evaluate(ROWS, metrics, Hesitant(), embedder=embedder, store=store)
    rows = [{**ROWS[0], **change}]
    judge = Told()  # the same by its name: what it is asked for the first time it gets right
    counted = estimate(rows, metrics, judge, embedder=embedder, store=store)
    evaluate(rows, metrics, judge, embedder=embedder, store=store)
    assert counted.calls == judge.calls
    assert bool(counted.calls) == bool(change)
    assert counted.known > 0


def test_as_many_known_draws_are_read_as_a_run_is_worth_tries(tmp_path):
    class Mute(Told):
        async def complete(self, prompt, schema, kind, draw):
            return Completion("Well.")

    store = tmp_path / "x.db"
    evaluate(ROWS, "faithfulness", Mute(), store=store, settings=Settings(tries=2))
    for tries, calls, known in ((2, 0, 2), (3, 2, 2)):
        counted = estimate(
            ROWS, "faithfulness", Told(), store=store, settings=Settings(tries=tries)
        )
        assert (counted.calls, counted.known) == (calls, known)


def test_what_the_system_did_not_answer_is_not_counted(tmp_path):
    silent = [{"question": f"Who, {n}?", "contexts": ["A b."], "reference": "A."} for n in range(3)]
    silent = [{**row, "failure": "time-out"} for row in silent]
    metrics = ["context_precision", "context_recall", "factual_correctness"]
    counted = [estimate(rows, metrics, Told(), store=tmp_path / "no.db") for rows in (ROWS, silent)]
    both = estimate([*ROWS, *silent], metrics, Told(), store=tmp_path / "no.db")
    assert (counted[1].samples, counted[1].calls, counted[1].local) == (3, 0, 0)
    assert both.calls == counted[0].calls > 0


def test_a_guess_is_a_reply_that_its_task_reads():
    task = AskClosedQuestions("Paris is the capital. It is large.")
    assert len(task.read(guess(task))) == 2


def test_settings_that_are_none_are_refused_as_by_evaluate():
    with pytest.raises(InputError, match="settings is"):
        estimate(ROWS, "faithfulness", "openai:m", settings={"limit": 2})


CHECK = VerifyStatements((Statement("s1", "A."),), ("A context.",))


class Wordy(LLM):
    """Writes 1,000 tokens whatever it is asked."""

    name = "wordy"

    async def complete(self, prompt, schema, kind, draw):
        return Completion(answers.answer(prompt, kind, schema, draw), 100, 1000)


def test_a_stand_ins_reply_is_brought_into_the_form_that_is_asked_for():
    said = {
        "id": "s1",
        "supported": True,
        "reason": "Because.",
        "quote": "word " * 50,
        "probability": 0.4,
    }
    raw = json.dumps({"verdicts": [said]})
    assert json.loads(fit_to_schema(CHECK, raw)) == {"verdicts": [["s1", "supported"]]}
    denied = json.dumps({"verdicts": [{**said, "supported": False}]})
    assert json.loads(fit_to_schema(CHECK, denied)) == {"verdicts": [["s1", REASON, "unsupported"]]}
    bare = fit_to_schema(CHECK, denied, CHECK.template_for("none"))
    assert json.loads(bare) == {"verdicts": [["s1", "unsupported"]]}
    (found,) = json.loads(fit_to_schema(CHECK, raw, CHECK.template_for("all")))["verdicts"]
    assert list(found) == ["id", "reason", "context", "quote", "supported", "contradicted"]
    assert found["reason"] == REASON
    assert len(found["quote"].split()) == QUOTED
    assert (found["supported"], found["contradicted"], found["context"]) == (True, False, None)


def test_no_field_that_is_not_asked_for_is_counted():
    said = {"verdicts": [{"id": "c1", "useful": True, "reason": "x", "quote": "a long quote"}]}
    made = json.loads(fit_to_schema(JudgeContexts("Q?", "A.", ("C.",)), json.dumps(said)))
    assert made == {"verdicts": [["c1", "useful"]]}
    task = JudgeContexts("Q?", "A.", ("C.",))
    made = json.loads(fit_to_schema(task, json.dumps(said), task.template_for("all")))
    assert made == {"verdicts": [{"id": "c1", "reason": REASON, "useful": True}]}


def test_a_split_is_counted_by_the_numbers_of_sentences():
    task = SplitStatements("Q?", "It rains. It pours, and Bob is wet.")
    said = task.reply(
        [("It rains.", "It rains."), ("It pours.", "It pours"), ("Bob is wet.", "Bob is wet.")]
    )
    lists = json.loads(fit_to_schema(task, said))["statements"]
    assert lists == [["1"], ["2", "It pours.", "Bob is wet."]]


def test_free_text_stays_as_it_is():
    assert fit_to_schema(PaperStatements("Q?", "A."), "- One.\n- Two.") == "- One.\n- Two."


def test_what_a_judge_wrote_before_tells_what_it_will_write(db):
    judge = Wordy()
    first = estimate(samples(ENOUGH), "context_precision", judge, store=db)
    assert first.tokens_out < 1000 * ENOUGH / 4
    evaluate(samples(ENOUGH), "context_precision", judge, embedder=plausible(), store=db)
    more = samples(2 * ENOUGH)[ENOUGH:]
    second = estimate(more, "context_precision", judge, store=db)
    assert second.tokens_out == 1000 * ENOUGH


def test_embeddings_that_are_known_in_part_are_counted(db):
    judge = Wordy()
    evaluate(samples(1), "answer_relevancy", judge, store=db)
    other = samples(1)[0]
    changed = [type(other)(id="x", question=other.question, answer="Rome is large.")]
    found = estimate(changed, "answer_relevancy", judge, store=db)
    assert (found.calls, found.known) == (1, 1)
    assert found.local == 3
