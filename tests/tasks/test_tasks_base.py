"""InputText that a judge cannot read at once is read in parts; nothing is cut off in silence."""

import pytest

from assay import Score, Settings, evaluate
from assay.errors import InputError, TooLong
from assay.judge import Judge
from assay.judges.llm import LLM, Completion
from assay.judges.openai.judge import OpenAI, tokens_at_most
from assay.metrics import resolve
from assay.tasks import JudgeContexts, RateAnswer, Statement, Verdict, VerifyStatements
from assay.tasks.base import IN_PARTS, SHORTEST, halved_texts
from support import answers
from support.llm_server import LLMServer, _error
from support.over import over
from support.scripts import plausible, sample

FILL = "Bread is baked from flour and water. "
PARIS = "Paris is the capital of France. "
ROME = "Rome is the capital of Italy. "
STATEMENTS = (
    Statement("s1", "Paris is the capital of France."),
    Statement("s2", "Rome is the capital of Italy."),
    Statement("s3", "Penguins founded Oslo."),
)


class Narrow(LLM):
    """Reads so many characters at once."""

    name = "narrow"

    def __init__(self, window):
        super().__init__()
        self.window, self.refused, self.read = window, 0, []

    async def complete(self, prompt, schema, kind, draw):
        if len(prompt) > self.window:
            self.refused += 1
            raise TooLong("too long")
        self.read.append(prompt)
        return Completion(answers.answer(prompt, kind, schema, draw), 100, 10)


@over(
    "texts",
    [("a", "b", "c"), ("a", "b"), (FILL * 40,), ("x" * SHORTEST,), ("a. " * SHORTEST, "b")],
)
def test_two_halves_are_the_whole(texts):
    first, second = halved_texts(texts)
    assert first
    assert second
    assert "".join(first + second) == "".join(texts)
    assert max(len(first), len(second)) < len(texts) or len(texts) == 1


def test_a_single_text_is_divided_between_sentences():
    ((first,), (second,)) = halved_texts((FILL * 20,))
    assert first.endswith("water.")
    assert abs(len(first) - len(second)) <= len(FILL)


@over("texts", [(), ("short",)])
def test_what_is_short_is_not_divided(texts):
    assert halved_texts(texts) is None


async def test_a_statement_is_supported_wherever_its_evidence_stands():
    contexts = (FILL * 50 + PARIS, FILL * 30, FILL * 30 + ROME + FILL * 30)
    judge = Judge(backend := Narrow(5000))
    verdicts = await judge(VerifyStatements(STATEMENTS, contexts))
    assert [v.supported for v in verdicts] == [True, True, False]
    assert [v.context for v in verdicts] == [0, 2, None]
    assert all(v.reason.startswith(IN_PARTS) for v in verdicts)
    assert all(v.reason.count(IN_PARTS) == 1 for v in verdicts)
    assert backend.refused >= 1
    assert len(judge.replies) == len(backend.read) >= 2  # every part is on record


async def test_one_context_alone_may_be_too_long():
    judge = Judge(Narrow(5000))
    verdicts = await judge(VerifyStatements(STATEMENTS, (FILL * 200 + ROME,)))
    assert [v.context for v in verdicts] == [None, 0, None]


def test_what_one_half_supports_is_not_undone_by_the_other():
    task = VerifyStatements((STATEMENTS[0],), ("a", "b"))
    yes, no = Verdict("s1", supported=True, context=0), Verdict("s1", supported=False)
    denied = Verdict("s1", supported=False, contradicted=True)
    assert task.joined({"s1": yes}, {"s1": denied})["s1"].supported
    assert task.joined({"s1": no}, {"s1": yes})["s1"].context == 1
    assert task.joined({"s1": no}, {"s1": denied})["s1"].contradicted


async def test_contexts_are_judged_in_parts_each_under_its_own_id():
    contexts = (FILL * 120 + PARIS, FILL * 30, PARIS + FILL * 30)
    judge = Judge(Narrow(3500))
    found = await judge(JudgeContexts("Capital of France?", PARIS, contexts))
    assert [(u.id, u.useful) for u in found] == [("c1", True), ("c2", False), ("c3", True)]
    assert found[0].reason.startswith(IN_PARTS)
    assert not found[2].reason.startswith(IN_PARTS)


async def test_what_cannot_be_divided_fails_and_says_so():
    with pytest.raises(TooLong):
        await Judge(Narrow(100))(VerifyStatements(STATEMENTS, ("short",)))
    with pytest.raises(TooLong):
        await Judge(Narrow(100))(RateAnswer("Q?", FILL * 99))


def test_the_evidence_of_a_score_says_it(db):
    row = sample(contexts=(FILL * 100, FILL * 100 + PARIS))
    result = evaluate([row], "faithfulness", Narrow(7000), embedder=plausible(), store=db)
    (score,) = result["faithfulness"]
    assert isinstance(score, Score)
    assert score.parts[0].reason.startswith(IN_PARTS)
    assert (score.parts[0].label, score.parts[0].context) == ("supported", 1)


def test_metrics_that_ask_together_are_read_in_parts_each(db):
    row = sample(contexts=(FILL * 100, FILL * 100 + PARIS))
    result = evaluate(
        [row],
        [m.name for m in resolve(["faithfulness", "context_recall"])],
        Narrow(7000),
        embedder=plausible(),
        store=db,
        settings=Settings(together=True),
    )
    assert [row.n_scored for row in result.summary()] == [1, 1]


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000",
        "the request exceeds the available context size (4096 tokens), try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
async def test_servers_say_it_in_many_ways(message, monkeypatch):
    async with LLMServer() as server:
        monkeypatch.setattr("support.llm_server._refusal", lambda *_: _error(400, message))
        judge = OpenAI("m", base_url=server.url)
        with pytest.raises(TooLong, match="take a model that reads more at once"):
            await judge.reply(RateAnswer("Q?", "A."))
        await judge.aclose()
        assert server.arrived == 1


class TestAWindowThatTheUserNames:
    """For servers that cut off what is too long, and do not say so."""

    CONTEXTS = (FILL * 100, FILL * 100 + PARIS)

    async def test_no_prompt_that_may_be_longer_is_sent_and_nothing_is_left_out(self):
        async with LLMServer() as server:
            judge = OpenAI("m", base_url=server.url, window=2048)
            task = VerifyStatements((Statement("s1", PARIS),), self.CONTEXTS)
            (verdict,) = await Judge(judge)(task)
            await judge.aclose()
            prompts = [call.body["messages"][0]["content"] for call in server.log]
        assert (verdict.supported, verdict.context) == (True, 1)
        assert verdict.reason.startswith(IN_PARTS)
        assert len(prompts) > 1
        assert max(len(prompt) for prompt in prompts) <= (2048 - 1024) * 3
        assert max(map(tokens_at_most, prompts)) <= 2048 - 1024
        assert sum(prompt.count(FILL.strip()) for prompt in prompts) == 200

    async def test_what_cannot_be_divided_fails_and_says_what_to_do(self):
        judge = OpenAI("m", base_url="http://127.0.0.1:9/v1", window=2048)
        with pytest.raises(TooLong, match="2,048 tokens that m reads at once -> give it a larger"):
            await judge.reply(RateAnswer("Q?", FILL * 200))

    async def test_a_text_of_another_script_is_not_taken_for_short(self):
        judge = OpenAI("m", base_url="http://127.0.0.1:9/v1", window=2048)
        with pytest.raises(TooLong):
            await judge.reply(RateAnswer("Q?", "巴黎是法国的首都。" * 100))

    async def test_a_table_of_numbers_is_not_taken_for_short(self):
        judge = OpenAI("m", base_url="http://127.0.0.1:9/v1", window=2048)
        with pytest.raises(TooLong):  # a token a digit, as most vocabularies have it
            await judge.reply(RateAnswer("Q?", "3,141 5926 " * 100))

    @over(
        ("text", "most"),
        [("the tower", 3), ("1889", 4), ("in 1889, AD", 9), ("a-b", 3), ("巴黎", 6), ("", 0)],
    )
    def test_each_digit_sign_capital_and_byte_of_another_script_may_be_a_token(self, text, most):
        assert tokens_at_most(text) == most

    def test_replies_of_another_window_are_not_taken_for_this_ones(self):
        names = {OpenAI("m", window=window).name for window in (None, 2048, 4096)}
        assert len(names) == 3

    def test_a_window_without_room_for_a_prompt_is_refused(self):
        with pytest.raises(InputError, match="no room for a prompt"):
            OpenAI("m", window=1024, max_tokens=1024)
