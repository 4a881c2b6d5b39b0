"""A client judges."""

import asyncio

from openai import AsyncOpenAI, OpenAI
from said import COMPLETION, REPLY, answering

from assay.integrations import openai
from assay.tasks import RateAnswer

with answering(COMPLETION) as url:
    for client in (OpenAI(base_url=url, api_key="k"), AsyncOpenAI(base_url=url, api_key="k")):
        judge = openai.backend(client, "m")
        assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == REPLY
