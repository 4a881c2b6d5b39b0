"""Is one odd value from a server or an environment told as what it is, and a bug of nobody's?"""

import json
from dataclasses import replace
from datetime import UTC, datetime
from ssl import SSLCertVerificationError

import pytest
from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientHttpProxyError,
    ClientProxyConnectionError,
)
from aiohttp.client_reqrep import ConnectionKey

from assay.errors import Denied, InputError, TooLong, Unavailable
from assay.judges.openai.connection import Connection
from assay.judges.openai.endpoint import (
    Endpoint,
    Refusal,
    meaning,
    nothing_left,
    retry_after,
    too_long,
)
from assay.judges.openai.judge import FEWER_LIKELY, Dialect, OpenAI
from assay.judges.specs import backend
from support.over import over

THERE = ConnectionKey("box", 3128, *[None] * 5)
WHERE = Endpoint("http://x/v1", {"Authorization": "Bearer k"})
TO_A_POLICY = "The prompt triggered Azure OpenAI's content management policy."


def said(status, text):
    """What a refusal with this body means."""
    return meaning(Refusal.of(status, text.encode(), {}), WHERE, "m")


PASSWORD = "give it a name and a password: https_proxy=http://NAME:PASSWORD@HOST:PORT"


def by_proxy(status, message):
    """What aiohttp raises where a proxy refuses to connect to a server."""
    return ClientHttpProxyError(None, (), status=status, message=message)


def as_error(message, **more):
    return json.dumps({"error": {"message": message, **more}})


@over(
    "value",
    [
        "Wed, 21 Oct 99999999999999999999 07:28:00 GMT",
        "Wed, 21 Oct 2026 07:28:00 +999999999999999",
        "Wed, 99 Oct 2026 07:28:00 GMT",
        "Wed, 21 Oct 2026 07:28:00",
        "-5",
    ],
)
def test_a_time_that_no_calendar_has_is_no_time(value):
    assert retry_after({"retry-after": value}, datetime(2025, 11, 1, tzinfo=UTC)) is None


def test_a_wait_without_end_is_one():
    endless = "9" * 400
    now = datetime(2025, 11, 1, tzinfo=UTC)
    assert retry_after({"retry-after": endless}, now) == float("inf")
    headers = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": f"{endless}d"}
    assert nothing_left(headers) == float("inf")


@over(
    ("environ", "given", "named"),
    [
        ({"OPENAI_API_KEY": "abc\ndef"}, None, "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "abc\x00"}, None, "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "fine"}, "abc\r\ndef", "api_key="),
        (
            {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com", "AZURE_OPENAI_API_KEY": "a\nb"},
            None,
            "AZURE_OPENAI_API_KEY",
        ),
    ],
)
def test_a_key_that_no_header_can_hold_is_refused_where_it_comes_from(environ, given, named):
    with pytest.raises(InputError, match=f"the key in {named} has a line break") as caught:
        Endpoint.find(environ, "m", None, given, {})
    assert "abc" not in str(caught.value)


@over(
    ("key", "fault"),
    [
        ('"sk-abc123"', "stands in quotes"),
        ("'sk-abc123'", "stands in quotes"),
        ("Bearer sk-abc123", "begins with 'Bearer'"),
        ("sk-...c123", "is a shortened one"),
        ("sk-\N{HORIZONTAL ELLIPSIS}c123", "is a shortened one"),
    ],
)
def test_what_was_copied_with_a_key_or_left_out_of_it_is_named(key, fault):
    with pytest.raises(InputError, match=f"the key in OPENAI_API_KEY {fault}") as caught:
        Endpoint.find({"OPENAI_API_KEY": key}, "m", None, None, {})
    assert "c123" not in str(caught.value)


@over(
    ("given", "at"),
    [
        ("http://x/v1/chat/completions", "http://x/v1/chat/completions"),
        (" http://x/v1/ \n", "http://x/v1/chat/completions"),
        (
            "https://x.openai.azure.com/openai/deployments/m/chat/completions?api-version=1",
            "https://x.openai.azure.com/openai/deployments/m/chat/completions?api-version=1",
        ),
    ],
)
def test_an_address_is_taken_as_a_page_or_a_file_gives_it(given, at):
    assert Endpoint.find({}, "m", given, "k", {}).at("chat/completions") == at


@over(
    ("path", "at"),
    [
        ("/", "/openai/deployments/m/embeddings?api-version=2024-10-21"),
        ("/openai/", "/openai/deployments/m/embeddings?api-version=2024-10-21"),
        ("/openai/v1/", "/openai/v1/embeddings"),
    ],
)
def test_azures_endpoint_is_taken_with_what_may_follow_its_host(path, at):
    place = "https://x.openai.azure.com"
    environ = {"AZURE_OPENAI_ENDPOINT": place + path, "AZURE_OPENAI_API_KEY": "k"}
    found = Endpoint.find(environ, "m", None, None, {})
    assert found.at("embeddings") == place + at
    assert found.headers == {"api-key": "k"}


@over(("url", "told"), [("http://x", True), ("http://x/v2", False)])
def test_an_address_without_a_path_is_told_of_the_one_that_most_servers_have(url, told):
    refusal = Refusal.of(404, b'{"detail": "Not Found"}', {})
    error = meaning(refusal, Endpoint.find({}, "m", url, "k", {}), "m")
    assert ("mostly ends in /v1" in str(error)) == told


def test_a_key_is_sent_without_the_line_break_at_its_end():
    found = Endpoint.find({"OPENAI_API_KEY": "k\n"}, "m", None, None, {})
    assert found.headers == {"Authorization": "Bearer k"}
    unused = Endpoint.find({"OPENAI_API_KEY": "a\nb"}, "m", "http://x/v1", "", {})
    assert unused.headers == {}


@over(
    ("status", "text"),
    [
        (500, "<html>The upstream server took too long to respond</html>"),
        (500, "<html>The request line is too long</html>"),
        (500, as_error("The model took too long.")),
        (500, as_error("It was too long to respond within the time")),
    ],
)
def test_a_server_that_was_slow_is_no_prompt_that_was_long(status, text):
    error = said(status, text)
    assert not too_long(Refusal.of(status, text.encode(), {}))
    assert (type(error), error.permanent) == (Unavailable, False)


@over(
    ("status", "text"),
    [
        (400, as_error("Your prompt is too long")),
        (400, as_error("The prompt is too long to be read")),
        (400, "input has too many tokens"),
        (400, as_error("x", code="context_length_exceeded")),
        (500, as_error("input is too long")),
        (500, "the request exceeds the available context size"),
    ],
)
def test_a_prompt_that_was_too_long_is_told_in_many_words(status, text):
    assert isinstance(said(status, text), TooLong)


@over(
    "text",
    [
        "<html>Access denied. Our content management system is closed</html>",
        "\n<!doctype html>Your address was flagged: see our content policy",
        as_error("no access", details="the content policy of another service"),
        as_error("The content management system is closed"),
    ],
)
def test_whoever_denies_access_is_no_filter_of_the_provider(text):
    error = said(403, text)
    assert isinstance(error, Denied)
    assert "check the key" in str(error)
    is_page = text.lstrip().startswith("<")
    assert ("if this page is a proxy's, have it let the address through" in str(error)) is is_page


def test_a_proxy_that_wants_a_password_is_told_from_a_judge_that_fails():
    error = said(407, "<html>Proxy Authentication Required</html>")
    assert isinstance(error, Denied)
    assert str(error).endswith("-> " + PASSWORD)


@over("status", [400, 403])
@over(
    "text",
    [
        as_error(TO_A_POLICY),
        as_error("no", code="content_policy_violation"),
        as_error("no", type="content_filter"),
        as_error("Your input was flagged"),
        "Your input was flagged",
    ],
)
def test_a_filter_of_the_provider_is_named(status, text):
    error = said(status, text)
    assert isinstance(error, Unavailable)
    assert error.permanent
    assert "blocked by the provider's filter" in str(error)


@over(
    ("status", "text"),
    [
        (400, as_error("Your credit balance is too low to access the Anthropic API.")),
        (402, as_error("Insufficient Balance")),
        (403, as_error("Your team has used all available credits")),
        (429, as_error("Your account is suspended", type="exceeded_current_quota_error")),
        (400, as_error("Access denied, please settle your bills", code="Arrearage")),
    ],
)
def test_credit_that_is_used_up_is_told_in_many_words(status, text):
    error = said(status, text)
    assert isinstance(error, Denied)
    assert "the quota or credit of this key is used up" in str(error)


def test_a_quota_of_a_minute_is_no_credit():
    text = "You exceeded your current quota, please check your plan and billing details."
    error = said(429, as_error(f"{text} Please retry in 1.2s.", status="RESOURCE_EXHAUSTED"))
    assert isinstance(error, Unavailable)
    assert (error.throttled, error.retry_after) == (True, 1.2)


@over(
    ("status", "text", "remedy"),
    [
        (400, '{"message": "The provided model identifier is invalid."}', "check the model 'm'"),
        (
            400,
            '{"message": "Retry your request with the ID or ARN of an inference profile."}',
            "check the model 'm'",
        ),
        (
            403,
            as_error("Project `p` does not have access to model `m`", code="model_not_found"),
            "this key may not use the model 'm'",
        ),
        (
            403,
            '{"message": "You don\'t have access to the model with the specified model ID."}',
            "this key may not use the model 'm'",
        ),
        (403, as_error("Country not supported"), "check the key"),
    ],
)
def test_a_model_that_is_refused_is_told_from_a_key(status, text, remedy):
    error = said(status, text)
    assert isinstance(error, Denied)
    assert remedy in str(error)


@over("around", ["%s", '{"error": %s}', '{"choices": [{"message": %s}]}'])
@over("status", [200, 400, 500])
def test_json_nested_without_end_is_a_reply_that_cannot_be_read(status, around):
    deep = around % ("[" * 100_000 + "]" * 100_000)
    if status != 200:
        error = said(status, deep)
        assert isinstance(error, Unavailable)
        assert f"answered {status}" in str(error)
        return
    with pytest.raises(Unavailable, match="sent no chat completion but") as caught:
        OpenAI("m", base_url="http://x/v1")._read_response(status, deep.encode(), {}, "prompt")
    assert not caught.value.permanent


PROMPT = "a prompt of 24 characters"
FAILED = {"code": 502, "message": "Provider disconnected"}


def heard(body, status=200):
    """What is read off a reply to a prompt: a completion or a refusal."""
    judge = OpenAI("m", base_url="http://x/v1")
    return judge._read_response(status, json.dumps(body).encode(), {}, PROMPT)


@over(
    ("choice", "status", "message"),
    [
        ({"error": FAILED, "finish_reason": "error"}, 502, "Provider disconnected"),
        ({"error": {"code": 429, "message": "busy"}}, 429, "busy"),
        ({"finish_reason": "error"}, 502, "the reply broke off"),
    ],
)
@over("content", ["", '{"relevance": 1'])
def test_a_choice_that_reports_an_error_is_no_reply(choice, status, message, content):
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    found = heard({"choices": [{"message": {"content": content}, **choice}], "usage": usage})
    assert isinstance(found, Refusal)
    assert (found.status, found.message, found.cost) == (status, message, (10, 2))
    assert not meaning(found, WHERE, "m").permanent  # type: ignore[attr-defined]
    assert heard({"choices": [choice]}).cost == (0, 0)


def no_json(**more):
    error = {"message": "does not match the schema", "code": "json_validate_failed", **more}
    return {"error": error}


def test_what_a_server_refuses_of_the_models_own_words_is_a_reply_like_any_other():
    found = heard(no_json(failed_generation='{"relevance": '), 400)
    assert (found.text, found.tokens_in, found.cut) == ('{"relevance": ', len(PROMPT) // 4, False)
    cut = heard(no_json(failed_generation="max completion tokens reached before a document"), 400)
    assert (cut.text, cut.cut) == ("", True)


@over("more", [{}, {"failed_generation": ""}, {"failed_generation": None}])
def test_words_that_it_keeps_to_itself_are_asked_for_again_and_no_matter_of_the_form(more):
    found = heard(no_json(**more), 400)
    assert not meaning(found, WHERE, "m").permanent  # type: ignore[attr-defined]
    assert Dialect().after(found, {"response_format": {}, "temperature": 0.0}) is None


class Unconnected:
    """A session whose requests all fail before they are sent."""

    def __init__(self, error):
        self.error = error

    def request(self, *args, **kwargs):
        raise self.error


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (
            ClientConnectorCertificateError(THERE, SSLCertVerificationError("self-signed")),
            Denied,
            "the certificate of x/v1 is not trusted: ('self-signed',) -> name the file",
        ),
        (
            ClientProxyConnectionError(THERE, OSError("refused")),
            Unavailable,
            "connection to x/v1 by the proxy box:3128 failed: refused",
        ),
        (
            by_proxy(407, "Proxy Authentication Required"),
            Denied,
            f"the proxy lets no call through to x/v1: 407 Proxy Authentication Required -> {PASSWORD}",
        ),
        (
            by_proxy(403, "Forbidden"),
            Denied,
            "the proxy lets no call through to x/v1: 403 Forbidden -> have it let the address",
        ),
        (
            by_proxy(502, "Bad Gateway"),
            Unavailable,
            "the proxy lets no call through to x/v1: 502 Bad Gateway",
        ),
        (
            ClientConnectorError(THERE, OSError("refused")),
            Unavailable,
            "connection to x/v1 failed: refused",
        ),
    ],
)
async def test_why_there_is_no_connection_is_told(monkeypatch, error, kind, says):
    async def opened(self):
        return Unconnected(error)

    monkeypatch.setattr("assay.judges.openai.connection._Pool.open", opened)
    with pytest.raises(kind) as caught:
        await Connection(WHERE, None).post("chat/completions", b"{}")
    assert str(caught.value).startswith(says)
    assert getattr(caught.value, "unreached", True)


def refused(message, status=400, **more):
    return Refusal.of(status, as_error(message, **more).encode(), {})


@over(
    ("field", "refusal"),
    [
        ("temperature", refused("invalid temperature: only 1 is allowed for this model")),
        ("temperature", refused("`temperature` must be strictly positive", 422)),
        ("temperature", refused("`temperature` may only be set to 1 when thinking is enabled")),
        ("temperature", refused("temperature: range: 0..1", param="None")),
        ("seed", refused("seed must be below 1000", 422)),
        ("seed", refused("no", param="seed")),
    ],
)
def test_a_server_that_names_temperature_or_seed_is_asked_without(field, refusal):
    asked = {"temperature": 0.0, "seed": 1, "response_format": {}}
    assert Dialect().after(refusal, asked) == replace(Dialect(), **{field: False})
    del asked[field]
    assert Dialect().after(refusal, asked) is None


@over(
    ("refusal", "changed"),
    [
        (refused("temperature: worker died", 500), None),
        (refused("too hot", param="top_p", details="temperature"), None),
        (refused("the seeds of temperatures"), None),
        (refused("no logprobs; there are temperature, seed"), {"likely": FEWER_LIKELY}),
        (refused("no json_schema; there are temperature, seed"), {"form": "json_object"}),
        (
            refused("Unknown name \"x\" at 'generation_config.response_schema'"),
            {"form": "json_object"},
        ),
        (
            refused("You are not allowed to request logprobs from this model.", 403),
            {"likely": FEWER_LIKELY},
        ),
        (refused("Logprobs is not enabled for models/m"), {"likely": FEWER_LIKELY}),
        (refused("Your key is not allowed", 403), None),
        (refused("enable_thinking must be false for non-streaming calls"), {"stream": True}),
        (refused("stream 5 was reset by an upstream", 500), None),
    ],
)
def test_what_a_refusal_is_about_comes_before_what_it_names(refusal, changed):
    asked = {"temperature": 0.0, "seed": 1, "response_format": {}, "logprobs": True}
    expected = None if changed is None else replace(Dialect(), **changed)
    assert Dialect().after(refusal, asked) == expected


@over("url", ["http://u:SECRET@box/v1", "http://u@box/v1", "http://:SECRET@box"])
def test_a_password_in_the_address_beside_a_key_is_refused_at_the_start(url):
    told = "the address of box has a user or password in it, and a key is given besides"
    with pytest.raises(InputError, match=told) as refused:
        OpenAI("m", base_url=url, api_key="k")
    assert "SECRET" not in str(refused.value)
    assert Endpoint.find({}, "m", url, "", {}).url == url


@pytest.mark.parametrize("proxy", ["http://[u:SECRET", "http://u:SECRET@h:x", "h:3128", "SECRET"])
def test_a_proxy_that_is_no_address_is_told_at_the_start_and_not_shown(monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(InputError, match="the proxy that http_proxy names is no address") as told:
        Connection(WHERE, None)
    assert "SECRET" not in str(told.value)
    monkeypatch.setenv("no_proxy", "x")
    Connection(WHERE, None)


def test_the_query_of_an_address_that_is_none_is_not_shown():
    with pytest.raises(InputError, match="'htp://box/v1' is no address of a server"):
        OpenAI("m", base_url="htp://box/v1?key=SECRET")


def test_an_address_as_a_judge_is_not_shown_with_its_password():
    with pytest.raises(InputError, match="'http://u@box/v1' is no judge -> name its model"):
        backend("http://u:SECRET@box/v1?key=SECRET")
