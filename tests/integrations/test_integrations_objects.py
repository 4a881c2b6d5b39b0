"""Objects of other libraries: what is in their identity, and what their errors mean."""

import asyncio
import threading
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace

import pytest

import assay
from assay._runner.event_loop import run_to_completion
from assay.errors import CutShort, Denied, TimedOut, TooLong, Unavailable
from assay.integrations.objects import (
    StructuredOutput,
    awaited,
    blocking,
    judge_error,
    object_name,
    plain_settings,
    text_of,
    was_cut,
)
from support.over import over


class APIStatusError(Exception):
    """As the packages of OpenAI, Anthropic, Groq and others have it."""

    def __init__(self, status, message="", body=None, headers=None):
        super().__init__(message)
        self.status_code, self.body, self.headers = status, body, headers


class ReadTimeout(Exception):
    """As httpx has it: no TimeoutError."""


class ConnectError(Exception):
    """As httpx has it: no OSError."""


class ClientError(Exception):
    """As botocore has it."""

    def __init__(self, status):
        super().__init__("throttled")
        self.response = {"ResponseMetadata": {"HTTPStatusCode": status}}


class LengthFinishReasonError(Exception):
    """As the openai package has it, for a reply that was cut within its form."""

    def __init__(self):
        super().__init__("Could not parse response content as the length limit was reached")
        self.completion = SimpleNamespace(
            usage=SimpleNamespace(prompt_tokens=500, completion_tokens=1000)
        )


class ContentFilterFinishReasonError(Exception):
    """As the openai package has it."""


class TestWhatAFailureMeans:
    def test_a_reply_that_was_cut_within_its_form_is_told_with_what_it_cost(self):
        error = judge_error("langchain:Chat", LengthFinishReasonError())
        assert isinstance(error, CutShort)
        assert "langchain:Chat was stopped by the length limit -> raise max_tokens" in str(error)
        assert error.cost == (500, 1000)

    def test_a_reply_that_a_filter_withheld_within_its_form_is_no_bug(self):
        error = judge_error("langchain:Chat", ContentFilterFinishReasonError())
        assert isinstance(error, Unavailable)
        assert (error.permanent, "langchain:Chat withheld its reply" in str(error)) == (True, True)

    async def test_for_a_reply_that_was_cut_the_form_is_not_given_up(self):
        async def within():
            raise CutShort("cut")

        async def without():
            return "never"

        form = StructuredOutput()
        with pytest.raises(CutShort):
            await form.ask(within, without)
        assert form.offered

    def test_a_refused_key_ends_the_run_and_names_the_object(self):
        error = judge_error("langchain:Chat", APIStatusError(401, "bad key"))
        assert isinstance(error, Denied)
        assert "langchain:Chat answered 401: bad key" in str(error)
        assert "OPENAI_API_KEY" not in str(error)

    def test_a_rate_limit_is_waited_for_as_long_as_the_server_says(self):
        error = judge_error("x", APIStatusError(429, headers={"Retry-After": "7"}))
        assert isinstance(error, Unavailable)
        assert (error.throttled, error.retry_after, error.permanent) == (True, 7.0, False)

    def test_a_used_up_quota_is_no_rate_limit(self):
        body = {"code": "insufficient_quota", "message": "no credit"}
        assert isinstance(judge_error("x", APIStatusError(429, body=body)), Denied)

    def test_a_prompt_that_is_too_long_is_told_from_other_bad_requests(self):
        body = {"message": "maximum context length is 4096 tokens"}
        assert isinstance(judge_error("x", APIStatusError(400, body=body)), TooLong)
        other = judge_error("x", APIStatusError(400, "no such parameter"))
        assert isinstance(other, Unavailable)
        assert other.permanent

    @over("status", [500, 502, 503, 529])
    def test_a_failing_server_is_asked_again(self, status):
        error = judge_error("x", APIStatusError(status))
        assert isinstance(error, Unavailable)
        assert not error.permanent

    def test_the_status_is_found_where_botocore_keeps_it(self):
        assert judge_error("x", ClientError(503)).throttled

    def test_lost_connections_are_known_by_name_and_by_class(self):
        assert isinstance(judge_error("x", ConnectError("refused")), Unavailable)
        assert isinstance(judge_error("x", ConnectionResetError()), Unavailable)

    def test_what_wraps_an_error_without_saying_as_much_means_the_same(self):
        def wrapped(inner):
            outer = RuntimeError("Connection error.")
            outer.__cause__ = inner
            return judge_error("x", outer)

        assert isinstance(wrapped(ConnectError("refused")), Unavailable)
        assert wrapped(APIStatusError(429, headers={"retry-after": "3"})).retry_after == 3.0
        assert wrapped(KeyError("content")) is None

    def test_what_the_server_asked_for_is_found_in_what_was_wrapped(self):
        outer = APIStatusError(429)
        outer.__cause__ = APIStatusError(429, headers={"retry-after": "3"})
        assert judge_error("x", outer).retry_after == 3.0

    def test_a_reply_that_the_library_cannot_read_is_no_bug_of_ours(self):
        strange = type("UnexpectedModelBehavior", (Exception,), {})
        assert isinstance(judge_error("x", strange("no choices")), Unavailable)

    def test_what_nobody_knows_stays_what_it_is(self):
        assert judge_error("x", KeyError("content")) is None


class TestAskingAnObject:
    async def test_a_bug_is_raised_as_it_came(self):
        with pytest.raises(ZeroDivisionError):
            await blocking("x", lambda: 1 / 0)

    async def test_a_time_out_is_seen_as_one_by_whoever_counts_them(self):
        def late():
            raise ReadTimeout("read")

        with pytest.raises(TimedOut):
            await blocking("x", late)

    async def test_blocking_calls_do_not_wait_for_each_other(self):
        together = threading.Barrier(40)
        numbers = await asyncio.gather(
            *(blocking("x", partial(together.wait, 30)) for _ in range(40))
        )
        assert sorted(numbers) == list(range(40))

    def test_what_can_only_be_awaited_stays_in_one_loop_over_all_runs(self):
        async def where():
            return asyncio.get_running_loop()

        loops = {run_to_completion(awaited("x", where())) for _ in range(3)}
        assert len(loops) == 1

    async def test_who_gives_up_waiting_cancels_the_call(self):
        cancelled = asyncio.Event()
        here = asyncio.get_running_loop()

        async def hang():
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                here.call_soon_threadsafe(cancelled.set)
                raise

        call = asyncio.ensure_future(awaited("x", hang()))
        await asyncio.sleep(0.01)
        call.cancel()
        await asyncio.wait_for(cancelled.wait(), 5)


@over(
    ("about", "cut"),
    [
        ({"finish_reason": "length"}, True),
        ({"finish_reason": "MAX_TOKENS"}, True),
        ({"finish_reason": "FinishReason.MAX_TOKENS"}, True),
        ({"stop_reason": "max_tokens"}, True),
        ({"stopReason": "max_tokens"}, True),
        ({"done_reason": "length"}, True),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, True),
        (SimpleNamespace(finish_reason="length"), True),
        ({"finish_reason": "stop", "incomplete_details": None}, False),
        ({"finish_reason": "content_filter"}, False),
        ({"model": "length"}, False),
        (None, False),
    ],
)
def test_that_a_reply_was_cut_is_seen_in_whatever_form_it_is_told(about, cut):
    assert was_cut(about) is cut


@dataclass
class Inner:
    top_p: float = 1.0


@dataclass
class Model:
    model: str = "m"
    temperature: float = 0.0
    api_key: str = "sk-1"
    max_tokens: int = 10
    max_retries: int = 2
    inner: Inner = field(default_factory=Inner)
    client: object = None


def named(**changed):
    return object_name("langchain", Model(**changed), "m")


class TestTheName:
    def test_it_tells_library_class_and_model(self):
        assert named().startswith("langchain:Model:m@")

    def test_it_changes_with_each_setting_that_changes_replies(self):
        names = {named(), named(temperature=1.0), named(max_tokens=9), named(inner=Inner(0.5))}
        assert len(names) == 4

    def test_it_stays_with_the_key_and_with_how_requests_are_made(self):
        assert named() == named(api_key="sk-2", max_retries=9, client=object())

    def test_no_key_is_among_the_settings(self):
        assert "sk-1" not in repr(plain_settings(Model()))

    def test_it_changes_with_the_code_of_a_class_of_the_users_own(self):
        def made(reply):
            return type("Own", (), {"ask": reply})()

        one = object_name("langchain", made(lambda self: 1), "")
        assert one == object_name("langchain", made(lambda self: 1), "")
        assert one != object_name("langchain", made(lambda self: 2), "")


def test_the_text_of_a_message_is_that_of_its_text_parts():
    parts = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "a"}, "b"]
    assert (text_of(parts), text_of("c"), text_of(None)) == ("ab", "c", "")


def test_an_object_of_a_known_library_is_recognised_by_where_its_class_comes_from():
    class Base:
        pass

    Base.__module__ = "langchain_core.language_models.chat_models"

    class Own(Base):
        model_name = "own-1"

        def __call__(self, prompt):  # chat models could be called once
            raise AssertionError

    assert assay.backend(Own()).name.startswith("langchain:")
    assert ":own-1@" in assay.backend(Own()).name
