"""Is a judge that is asked again asked for new replies, under the settings of the first time?"""

from assay import OpenAI, evaluate
from assay._analysis.repeat import repeat
from assay._middleware.wrapper import Resampler
from assay.judge import REPEAT_STRIDE, repeated
from assay.judges.gguf.engine import Wish, _body
from assay.judges.llm import SEEDS
from assay.tasks import NameEntities
from support.llm_server import LLMServer
from support.over import over
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "answer_relevancy"]


async def test_draws_are_moved_and_nothing_else():
    inner = Watched(plausible())
    again = Resampler(inner, 3)
    assert again.name == inner.name
    task = NameEntities("Paris")
    assert again.identity(NameEntities) == inner.identity(NameEntities)
    await again.reply(task)
    await again.reply(task, 2)
    assert [draw for _, draw in inner.asked] == [3 * REPEAT_STRIDE, 3 * REPEAT_STRIDE + 2]


def test_a_server_sees_the_same_temperature_and_another_seed(db):
    with LLMServer().in_thread() as server:
        judge = OpenAI("tiny", base_url=server.url, api_key="")
        result = evaluate(samples(2), METRICS, judge, store=db)
        first = [call.body for call in server.log]
        repeat(result, judge, draws=1)
        again = [call.body for call in server.log][len(first) :]

    def asked(bodies):
        return sorted((str(b["messages"]), b["temperature"]) for b in bodies if "messages" in b)

    assert asked(first) == asked(again)
    assert {b.get("seed") for b in again if "messages" in b and not b["temperature"]} == {None}


@over(("draw", "temperature"), [(0, 0.0), (1, 0.7), (1000, 0.7)])
def test_a_model_in_this_process_likewise(draw, temperature):
    first, again = (
        _body("x", Wish(10, None, d), cached=False) for d in (draw, draw + REPEAT_STRIDE)
    )
    assert first["temperature"] == again["temperature"] == temperature
    assert first["seed"] == draw
    assert 0 <= again["seed"] < SEEDS
    assert again["seed"] != first["seed"]


def test_a_repetition_of_a_repetition_repeats_the_same():
    assert repeated(2 * REPEAT_STRIDE + 1002) == 1002
