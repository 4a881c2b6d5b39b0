"""Are a server's own words about its limits heeded?"""

import pytest

from assay import Limits
from assay._middleware.limiter import Limiter
from assay.judges.openai.endpoint import advised, nothing_left
from assay.judges.openai.judge import OpenAI
from assay.tasks import RateAnswer
from support.faults import Faults
from support.llm_server import LLMServer
from support.over import over


@over(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "9s"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m0.5s"}, 60.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "250ms"}, 0.25),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "2"}, 2.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "soon"}, 0.0),
        ({"x-ratelimit-remaining-tokens": "0"}, 0.0),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "1h2m3s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "5s",
            },
            3723.0,
        ),
    ],
)
def test_headers_say_how_long_nothing_is_left(headers, seconds):
    assert nothing_left(headers) == pytest.approx(seconds)


@over(
    ("text", "seconds"),
    [
        ('[{"error": {"details": [{"retryDelay": "20s"}]}}]', 20.0),
        ('{"raw": "{\\"retryDelay\\": \\"20.5s\\"}"}', 20.5),
        ("You exceeded your current quota. Please retry in 26.5s.", 26.5),
        ("Please try again in 6m0s.", 360.0),
        ("Please try again in 20ms. Visit", 0.02),
        ("try again in 500 milliseconds", 0.5),
        ("Please retry after 6 seconds.", 6.0),
        ("Try again in 1 hour 2 minutes", 3720.0),
        (f"try again in {'9' * 400}d", float("inf")),
        ("retry later", None),
        ("try again in 20 slots", None),
        ("", None),
    ],
)
def test_a_refusal_says_in_words_how_long_to_wait(text, seconds):
    assert advised(text) == seconds


async def test_a_server_that_has_nothing_left_is_not_asked_before_its_time():
    async with LLMServer(Faults(remaining_0_for_s=0.2)) as server:
        limit = Limiter(OpenAI("m", base_url=server.url), Limits(concurrency=1))
        await limit.reply(RateAnswer("One?", "Answer."))
        await limit.reply(RateAnswer("Two?", "Answer."))
        await limit.aclose()
        first, second = (call.at for call in server.log)
        assert second - first >= 0.2


async def test_a_reset_longer_than_anyone_waits_is_left_to_the_refusals():
    async with LLMServer(Faults(remaining_0_for_s=5000.0)) as server:
        limit = Limiter(OpenAI("m", base_url=server.url), Limits(concurrency=1, patience=60.0))
        for n in range(2):
            await limit.reply(RateAnswer(f"{n}?", "Answer."))
        await limit.aclose()
        assert server.count(status=200) == 2
