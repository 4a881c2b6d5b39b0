"""A model object judges."""

import asyncio

from pydantic_ai.models.test import TestModel
from said import REPLY

import assay
from assay.tasks import RateAnswer

judge = assay.backend(TestModel(custom_output_text=REPLY))
assert asyncio.run(judge.reply(RateAnswer("q", "a"))).raw == REPLY
