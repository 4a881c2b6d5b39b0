"""A dry run counts the calls of metrics with several steps as a run would make them."""

import pytest

from assay import Settings, evaluate
from assay.errors import InputError
from assay.judge import RETRY_STRIDE, Judge
from assay.judges.llm import LLM, Completion
from assay.metrics import parse
from assay.run.estimate import estimate
from assay.run.guesses import guess
from assay.sample import Turn
from assay.tasks import AskClosedQuestions
from support import answers, scripts

ROWS = [
    {
        "question": "What is the capital of France?",
        "answer": "Paris is the capital of France. It lies on the Seine.",
        "other_answer": "It is Lyon.",
        "contexts": ["Paris is the capital of France.", "Bread is baked."],
        "reference": "Paris.",
        "rubric": {"1": "It names no city.", "5": "It names the capital."},
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
@pytest.mark.parametrize("change", [{}, {"contexts": ["Lyon is large."]}])
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
