"""A chain is watched, its rows are scored, and a chat model judges."""

import asyncio

from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda
from said import REPLY, ROWS

import assay
from assay.integrations.langchain import Collector, RunEvaluator
from assay.tasks import RateAnswer

seen = Collector(ROWS)
RunnableLambda(lambda _: ROWS[0]["answer"]).invoke(
    ROWS[0]["question"], config={"callbacks": [seen]}
)
assert assay.evaluate(seen.rows, ["faithfulness"])["faithfulness"][0].value == 0.5
judge = assay.backend(FakeListChatModel(responses=[REPLY]))
assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == REPLY
assert RunEvaluator("faithfulness").feedback_keys == ["faithfulness"]
