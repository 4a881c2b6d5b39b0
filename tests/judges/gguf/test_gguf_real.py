"""Does llama.cpp, run in this process, do what its stand-in does in the other tests?

SmolLM2-135M is far too small to judge: only how it is asked is looked at. The Qwen model of the
benchmarks is tested where it was assembled (see support/qwen.py).
"""

import asyncio
import json
import subprocess
import sys
import threading

import pytest

from assay.judge import Judge
from assay.judges.gguf import Gguf, TooLong, Wish
from assay.judges.gguf.engine import Llama
from assay.tasks import (
    GenerateQuestions,
    JudgeContexts,
    Passage,
    RateAnswer,
    SelectSentences,
    Statement,
    VerifyStatements,
)
from support.llama import idle_cores, missing, smollm
from support.qwen import cached

pytestmark = pytest.mark.llm

CONTEXTS = ("The mill was built by Anna in 1890 beside the river.", "Cats sleep most of the day.")
STATEMENTS = (
    Statement("s1", "Anna built the mill."),
    Statement("s2", "Anna built the mill in 1920."),
    Statement("s3", "Cats never sleep."),
)
VERIFY = VerifyStatements(STATEMENTS, CONTEXTS)


@pytest.fixture(scope="module")
def model():
    if why := missing():
        pytest.skip(why)
    return smollm()


@pytest.fixture
async def gguf(model):
    made = Gguf(model, threads=idle_cores(), window=2048, max_tokens=160)
    yield made
    await made.aclose()


async def test_what_statements_share_is_read_once(model):
    engine, go = Llama(model, idle_cores(), 2048), threading.Event()
    shared = ("Read this.\n", "\ncontext: " + "The mill was built in 1890. " * 12 + "\n")
    wish = Wish(1, probabilities=True)
    asked = [engine.ask(shared, f"\n{s.text} Yes or No?", wish, go) for s in STATEMENTS]
    for answer in asked:
        assert answer.cached > 0.7 * answer.tokens_in
    engine.close()


async def test_a_verdict_does_not_depend_on_the_company(gguf):
    together = await Judge(gguf)(VERIFY)
    await gguf.reply(GenerateQuestions("The mill is old.", 1))
    again = await Judge(gguf)(VerifyStatements(STATEMENTS[::-1], CONTEXTS))
    alone = await Judge(gguf)(VerifyStatements(STATEMENTS[1:2], CONTEXTS))
    assert again[::-1] == together
    assert alone[0] == together[1]


async def test_tasks_one_by_one_end_in_verdicts(gguf):
    judge = Judge(gguf)
    useful = await judge(JudgeContexts("Who built the mill?", "Anna", CONTEXTS))
    assert [u.id for u in useful] == ["c1", "c2"]
    passages = (Passage("1.1", CONTEXTS[0]), Passage("2.1", CONTEXTS[1]))
    assert {c.id for c in await judge(SelectSentences("Who?", passages))} <= {"1.1", "2.1"}
    for reply in judge.replies:
        assert reply.tokens_in > 50
        assert reply.tokens_out == 2


async def test_the_schema_binds_what_the_model_writes_without_padding(gguf):
    reply = await gguf.reply(RateAnswer("Who built the mill?", "Anna built the mill."))
    assert reply.raw.startswith('{"reason": "')
    assert "\n" not in reply.raw
    assert reply.tokens_in > 100
    assert reply.tokens_out > 5


async def test_that_the_length_limit_ended_a_text_is_told(model):
    engine, go = Llama(model, idle_cores(), 2048), threading.Event()
    assert engine.ask((), "Count from one to twenty.", Wish(3), go).cut
    assert not engine.ask((), "Say yes.", Wish(200), go).cut
    engine.close()


async def test_draw_0_repeats_itself_and_other_draws_differ(gguf):
    task = GenerateQuestions("Anna built the mill in 1890.", 1)
    same = [(await gguf.reply(task)).raw for _ in range(2)]
    other = [(await gguf.reply(task, draw)).raw for draw in (1, 2, 3)]
    assert same[0] == same[1]
    assert len({*same, *other}) > 1


async def test_a_long_context_is_read_in_parts(model):
    gguf = Gguf(model, threads=idle_cores(), window=512, max_tokens=100)
    context = " ".join(f"House {n} was painted green." for n in range(80))
    reply = await gguf.reply(VerifyStatements(STATEMENTS[:1], (context,)))
    await gguf.aclose()
    (verdict,) = json.loads(reply.raw)["verdicts"]
    assert "parts" in verdict["reason"]
    assert all(f"House {n} " in reply.prompt for n in range(80))


async def test_a_call_given_up_ends_at_once(gguf):
    call = asyncio.create_task(gguf.reply(RateAnswer("Who?", "Anna")))
    await asyncio.sleep(0.3)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.wait_for(gguf.aclose(), 30)


def test_a_program_that_leaves_it_open_ends(model):
    program = (
        "import asyncio, sys\n"
        "from assay.judges.gguf import Gguf\n"
        "from assay.tasks import JudgeContexts\n"
        "gguf = Gguf(sys.argv[1], threads=1, window=512, max_tokens=50)\n"
        "print(asyncio.run(gguf.reply(JudgeContexts('Who?', 'Anna', ('Anna did.',)))).raw)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(model)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0
    assert "verdicts" in done.stdout


async def test_a_model_that_can_judge_tells_true_from_false():
    path = cached()
    if path is None:
        pytest.skip("the Qwen model is not assembled: python tests/support/qwen.py")
    gguf = Gguf(path, threads=idle_cores(), window=2048)
    supported, _, denied = await Judge(gguf)(VERIFY)
    await gguf.aclose()
    assert supported.probability > denied.probability
    assert supported.supported
    assert not denied.supported


async def test_a_text_is_measured_in_the_models_own_tokens():
    engine = Llama(smollm(), idle_cores(), 512)
    text, stop = 'Paris, not "Lyon".\nIt is', threading.Event()
    found = engine.likelihood("What is the capital of France?", text, stop)
    assert "".join(token.text for token in found.tokens) == text
    # `".` is one token of this model: what is written letter by letter would be another text.
    assert '".' in [token.text for token in found.tokens]
    assert all(next(iter(token.top.values())) <= 0 for token in found.tokens)
    assert engine.likelihood("What is the capital of France?", text, stop) == found
    # The first token is as likely as it is where the model may write what it likes.
    free = engine.ask((), "What is the capital of France?", Wish(1, probabilities=True), stop)
    first = next(iter(free.tokens[0].top))
    forced = engine.likelihood("What is the capital of France?", first, stop).tokens[0]
    assert forced.top[first] == pytest.approx(free.tokens[0].top[first], abs=0.01)
    with pytest.raises(TooLong):
        engine.likelihood("?", "word " * 600, stop)
    engine.close()
