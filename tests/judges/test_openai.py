"""Is an OpenAI-compatible server asked the right way, and understood when it refuses?"""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from aiohttp import web

from assay.errors import CutShort, Denied, InputError, Unavailable
from assay.judge import Judge
from assay.judges.openai.completion import read_chat
from assay.judges.openai.endpoint import Endpoint, Refusal, meaning, ollama_url, retry_after
from assay.judges.openai.judge import OpenAI
from assay.tasks import (
    GenerateQuestions,
    JudgeContexts,
    PaperExtraction,
    PaperQuestion,
    PaperStatements,
    PaperVerdicts,
    Passage,
    RateAnswer,
    SelectSentences,
    SplitStatements,
    Statement,
    VerifyStatements,
)
from support.faults import Faults
from support.llm_server import LLMServer

TASK = RateAnswer("Who built the mill?", "Anna built the mill.")
STATEMENTS = (Statement("s1", "Anna built the mill."), Statement("s2", "Otto owns a boat."))
CONTEXTS = ("The mill was built by Anna in 1890.", "Cats sleep.")


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for name in ("BASE_URL", "API_KEY", "API_VERSION"):
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)
    for name in ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def server():
    async with LLMServer() as running:
        yield running


@pytest.fixture
async def llm(server):
    made = OpenAI("m", base_url=server.url)
    yield made
    await made.aclose()


@pytest.mark.parametrize(
    "task",
    [
        TASK,
        SplitStatements("Who?", "Anna built it. Otto paid for it."),
        VerifyStatements(STATEMENTS, CONTEXTS),
        JudgeContexts("Who?", "Anna built the mill", CONTEXTS),
        GenerateQuestions("Anna built it.", n=2),
        SelectSentences("Who built the mill?", (Passage("1.1", CONTEXTS[0]),)),
        PaperStatements("Who?", "Anna built it. Otto paid for it."),
        PaperVerdicts(STATEMENTS, CONTEXTS[0]),
        PaperQuestion("Anna built it."),
        PaperExtraction("Who built the mill?", " ".join(CONTEXTS)),
    ],
    ids=lambda task: task.kind,
)
@pytest.mark.parametrize("form", ["schema", "text"])
async def test_every_kind_of_task_is_served(server, llm, task, form):
    if form == "text":
        server.faults = Faults(reject=("json_schema", "json_object"))
    judge = Judge(llm)
    assert await judge(task)
    assert server.log[-1].kind == task.kind
    assert judge.replies[0].tokens_in == len(task.prompt()) // 4
    assert judge.replies[0].tokens_out > 0


async def test_verdicts_are_read_off_the_wire(llm):
    verdicts = await Judge(llm)(VerifyStatements(STATEMENTS, CONTEXTS))
    assert [(v.id, v.supported, v.context) for v in verdicts] == [
        ("s1", True, 0),
        ("s2", False, None),
    ]


async def test_the_request_is_what_it_should_be(server, llm):
    await llm.reply(TASK)
    await llm.reply(TASK, draw=2)
    first, second = (call.body for call in server.log)
    assert first == {
        "model": "m",
        "messages": [{"role": "user", "content": TASK.prompt()}],
        "temperature": 0.0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "rate_answer", "schema": RateAnswer.schema, "strict": True},
        },
    }
    assert (second["temperature"], second["seed"]) == (0.7, 2)
    assert "authorization" not in server.log[0].headers


async def test_options_reach_the_server(server):
    llm = OpenAI(
        "m",
        base_url=server.url,
        api_key=" secret\n",
        temperature=0.2,
        max_tokens=50,
        headers={"X-Team": "rag"},
        extra_body={"top_k": 1},
        schema_extra={"x-guidance": {}},
    )
    await llm.reply(TASK)
    await llm.aclose()
    call = server.log[0]
    assert call.headers["authorization"] == "Bearer secret"
    assert call.headers["x-team"] == "rag"
    body = call.body
    assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.2, 50, 1)
    assert body["response_format"]["json_schema"]["schema"]["x-guidance"] == {}


def test_the_name_holds_all_that_could_change_a_reply_but_no_secret():
    plain = OpenAI("gpt-4o-mini", api_key="secret")
    assert plain.name == "openai:gpt-4o-mini"
    assert plain.identity(RateAnswer) == f"openai:gpt-4o-mini#{RateAnswer.template.digest}"
    url = "https://me:secret@host.example:8443/llm/v1?key=secret"
    names = [
        OpenAI("m", base_url=url, api_key="", **options).name
        for options in (
            {},
            {"temperature": 0.3},
            {"draw_temperature": 0.3},
            {"max_tokens": 9},
            {"extra_body": {"top_k": 1}},
            {"extra_body": {"top_k": 2}},
            {"schema_extra": {"top_k": 1}},
        )
    ]
    assert names[0] == "openai:m@host.example:8443/llm/v1"
    assert names[1] == "openai:m@host.example:8443/llm/v1?temperature=0.3"
    assert len(set(names)) == len(names)
    assert "secret" not in " ".join(names)


def test_the_environment_is_read_when_it_is_made(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://first/v1/")
    llm = OpenAI("m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://second/v1")
    assert llm.name == "openai:m@first/v1"


def find(environ, base_url=None, api_key=None):
    return Endpoint.find(environ, "dep", base_url, api_key, {})


def test_azure_has_its_own_header_and_version():
    environ = {
        "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com/",
        "AZURE_OPENAI_API_KEY": "k",
        "OPENAI_API_VERSION": "2025-01-01",
    }
    found = find(environ)
    assert found.at("chat/completions") == (
        "https://x.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2025-01-01"
    )
    assert found.headers == {"api-key": "k"}
    given = find({}, "https://gw.example/openai/deployments/dep?api-version=1", "k")
    assert given.at("embeddings") == (
        "https://gw.example/openai/deployments/dep/embeddings?api-version=1"
    )
    assert given.headers == {"api-key": "k"}
    newer = find({"AZURE_OPENAI_API_KEY": "k"}, "https://x.openai.azure.com/openai/v1")
    assert newer.at("embeddings") == "https://x.openai.azure.com/openai/v1/embeddings"
    assert newer.headers == {"api-key": "k"}


def test_openai_wins_over_azure_where_both_are_set():
    environ = {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com", "OPENAI_API_KEY": "k"}
    assert find(environ).at("embeddings") == "https://api.openai.com/v1/embeddings"
    assert find(environ).headers == {"Authorization": "Bearer k"}


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://localhost:11434/v1"),
        ("0.0.0.0", "http://localhost:11434/v1"),
        ("box:8080", "http://box:8080/v1"),
        ("http://box", "http://box:11434/v1"),
        ("https://box/", "https://box:443/v1"),
    ],
)
def test_ollama_is_where_its_variable_says(host, url):
    assert ollama_url({"OLLAMA_HOST": host}) == url


@pytest.mark.parametrize(
    "said", ["model 'llama3' not found", 'model "llama3" not found, try pulling it first']
)
def test_a_model_that_ollama_has_not_loaded_is_told_with_how_to_load_it(said):
    endpoint = Endpoint("http://localhost:11434/v1", ollama="llama3")
    refusal = Refusal.of(404, json.dumps({"error": {"message": said}}).encode(), {})
    error = meaning(refusal, endpoint, "llama3")
    assert isinstance(error, Denied)
    assert str(error).startswith("ollama:llama3 at localhost:11434/v1 answered 404: model")
    assert str(error).endswith("-> load the model first: ollama pull llama3")


async def test_an_ollama_that_was_there_before_may_be_starting_anew(monkeypatch):
    async with LLMServer() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.removesuffix("/v1"))
        judge = OpenAI.ollama("llama3")
        await judge.reply(TASK)
        await judge.aclose()
    with pytest.raises(Unavailable) as lost:
        await judge.reply(TASK)
    assert lost.value.unreached
    with pytest.raises(Denied, match="ollama serve"):
        await OpenAI.ollama("llama3").reply(TASK)


def test_ollama_is_never_sent_the_key_of_openai(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert OpenAI.ollama("llama3").name == "openai:llama3@localhost:11434/v1"
    assert OpenAI("m", base_url="http://localhost:11434").name == "openai:m@localhost:11434/v1"
    assert OpenAI.ollama("llama3")._connection.endpoint.headers == {}


@pytest.mark.parametrize(
    ("rejected", "left"),
    [
        (("json_schema",), {"response_format": {"type": "json_object"}}),
        (("json_schema", "json_object"), {}),
        (("response_format", "temperature", "seed"), {}),
    ],
)
async def test_what_a_server_does_not_take_is_left_out_and_remembered(server, llm, rejected, left):
    server.faults = Faults(reject=rejected)
    await llm.reply(TASK, draw=1)
    refused = server.count(status=400)
    assert refused >= 1
    await llm.reply(TASK, draw=2)
    assert server.count(status=400) == refused
    body = server.log[-1].body
    assert body.get("response_format") == left.get("response_format")
    assert ("temperature" in body) == ("temperature" not in rejected)
    assert ("seed" in body) == ("seed" not in rejected)


async def test_the_bound_on_length_has_two_names(server):
    server.faults = Faults(reject=("max_tokens",))
    llm = OpenAI("m", base_url=server.url, max_tokens=9)
    await llm.reply(TASK)
    await llm.aclose()
    assert server.log[-1].body["max_completion_tokens"] == 9


async def test_one_call_probes_for_all(server, llm):
    server.faults = Faults(reject=("json_schema", "json_object"), latency_s=0.02)
    await asyncio.gather(*(llm.reply(TASK, draw=n) for n in range(10)))
    # Those that were on their way are refused once; a single one tries the second form.
    forms = [call.body["response_format"]["type"] for call in server.log if call.status == 400]
    assert forms.count("json_schema") <= 10
    assert forms.count("json_object") == 1
    assert server.count(status=200) == 10
    assert llm.further_requests == server.arrived - 10, "they count for the requests a minute"


async def serve(answer):
    """A server that gives this answer to every request; returns its runner and base URL."""

    async def handle(request):
        await request.read()
        return answer()

    return await serve_by(handle)


async def serve_by(handle):
    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/v1"


async def answered(answer, task=TASK, **options):
    runner, url = await serve(answer)
    llm = OpenAI("m", base_url=url, **options)
    try:
        return await llm.reply(task)
    finally:
        await llm.aclose()
        await runner.cleanup()


def chat(message, **more):
    return lambda: web.json_response({"choices": [{"message": message}], **more})


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "x", "reasoning_content": "long"}, "x"),
        ({"content": "x", "reasoning_content": "{}"}, "x"),
        ({"content": None, "reasoning_content": ' {"a": 1}\n'}, '{"a": 1}'),
        ({"content": " ", "reasoning": '{"a": 1}'}, '{"a": 1}'),
        ({"content": None, "reasoning": 'So {"a": 1} it may be'}, ""),
        ({"content": None, "refusal": "I will not"}, "I will not"),
        ({"content": "", "tool_calls": [{"function": {"arguments": "{}"}}]}, "{}"),
        ({"content": " ", "refusal": None, "tool_calls": []}, " "),
        ({"content": "", "refusal": {}, "tool_calls": [{"function": None}, 1]}, ""),
        ({"content": None, "tool_calls": {"function": 1}}, ""),
        ({"content": [{"type": "thinking", "text": "y"}, {"type": "text", "text": "x"}]}, "x"),
        ({"content": {"ä": [1]}}, '{"ä": [1]}'),
        ({}, ""),
    ],
)
async def test_the_text_is_kept_as_it_came(message, text):
    assert (await answered(chat(message))).raw == text


COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


async def test_tokens_are_estimated_where_the_server_does_not_count(server, llm):
    server.faults = Faults(no_usage=True)
    reply = await llm.reply(TASK)
    assert reply.tokens_in == len(reply.prompt) // 4
    assert reply.tokens_out == len(reply.raw) // 4


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 12.0, "completion_tokens": "3"}, (12, 3)),
        ({"prompt_tokens": 12, "completion_tokens": None}, (12, None)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}, (12, 3)),
        # xAI and Gemini count reasoning in the total alone.
        ({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 2120}, (100, 2020)),
        ({"prompt_tokens": "12", "completion_tokens": "3", "total_tokens": "45"}, (12, 33)),
        ({"prompt_tokens": 12, "completion_tokens": None, "total_tokens": 45}, (12, 33)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 9}, (12, 3)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": -1}, (12, 3)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": "many"}, (12, 3)),
        ({"prompt_tokens": 12, "total_tokens": 12}, (12, None)),
        ({"total_tokens": 45}, (None, None)),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, (None, None)),
        ({"prompt_tokens": 0, "completion_tokens": 3, "total_tokens": 45}, (None, 3)),
        ({"prompt_tokens": 12.5, "completion_tokens": 3}, (None, None)),
        ({"prompt_tokens": -1, "completion_tokens": 3}, (None, None)),
        ({"prompt_tokens": 10**30, "completion_tokens": 3}, (None, None)),
        ([], (None, None)),
        ("12", (None, None)),
    ],
)
async def test_no_reply_is_lost_over_an_odd_count_of_its_tokens(usage, tokens):
    text = "a text of six words or so"
    reply = await answered(chat({"content": text}, usage=usage))
    estimated = len(reply.prompt) // 4, len(text) // 4
    expected = tuple(e if n is None else n for n, e in zip(tokens, estimated, strict=True))
    assert (reply.raw, reply.tokens_in, reply.tokens_out) == (text, *expected)


async def test_what_wrote_nothing_may_have_cost_nothing():
    reply = await answered(chat({"content": ""}, usage=dict.fromkeys(COUNTS, 0)))
    assert (reply.raw, reply.tokens_in, reply.tokens_out) == ("", 0, 0)


async def test_free_text_that_the_length_limit_cut_is_no_reply():
    choice = {"message": {"content": "1. Rome is old.\n2. Rome has"}, "finish_reason": "length"}

    def answer():
        return web.json_response({"choices": [choice]})

    with pytest.raises(Unavailable, match="stopped by the length limit -> raise max_tokens") as e:
        await answered(answer, task=PaperStatements("Who?", "Rome is old. It has walls."))
    assert e.value.permanent
    assert (await answered(answer, task=TASK)).raw, "that JSON was cut shows when it is read"


def completion(message, finish_reason="stop", **choice):
    """The body of a chat completion that was billed."""
    one = {"message": message, "finish_reason": finish_reason, **choice}
    usage = {"prompt_tokens": 500, "completion_tokens": 1000}
    return json.dumps({"choices": [one], "usage": usage}, ensure_ascii=False)


def logprobs(value):
    top = [{"token": "x", "logprob": value}]
    return {"content": [{"token": "x", "logprob": 0, "top_logprobs": top}]}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbf" + completion({"content": "x"}).encode(), "x"),
        (completion({"content": "caf\u00e9"}).encode("latin1"), "caf\ufffd"),
        (completion({"content": "x SURR"}).replace("SURR", "\\ud83d").encode(), "x ?"),
        (completion({"content": "x"}, logprobs=logprobs(float("-inf"))).encode(), "x"),
        (completion({"content": "x"}, logprobs=logprobs(float("nan"))).encode(), "x"),
        (completion(None).encode(), ""),
    ],
    ids=["BOM", "not UTF-8", "half a pair", "minus infinity", "no number", "no message"],
)
async def test_no_reply_is_lost_over_a_flaw_that_is_not_its_text(content, text):
    reply = await answered(lambda: web.Response(body=content))
    assert (reply.raw, reply.tokens_in, reply.tokens_out) == (text, 500, 1000)


STREAM = b"""\
: a comment
data: {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}

data: {"choices": [{"index": 0, "delta": {"content": "a\xe2\x80\xa8b"}, "logprobs": LOGPROBS}]}
data: {"choices": [{"index": 1, "delta": {"content": "another"}}]}
data:{"choices": [{"index": 0, "delta": {"content": "c", "reasoning_content": "hm"}}]}\r
data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
data: {"choices": [], "usage": {"prompt_tokens": 500, "completion_tokens": 1000}}
data: [DONE]
""".replace(b"LOGPROBS", json.dumps(logprobs(-0.5)).encode())


async def test_what_was_streamed_is_a_reply():
    reply = await answered(lambda: web.Response(body=STREAM))
    assert (reply.raw, reply.tokens_in, reply.tokens_out) == ("a\u2028bc", 500, 1000)
    (token,) = read_chat(STREAM).choices[0].tokens
    assert token.top == {"x": -0.5}


@pytest.mark.parametrize(
    ("said", "instead", "text"),
    [
        (b'"content": "c"', b'"content": "c \\ud83d"', "a\u2028bc ?"),
        (b'"content": "c"', b'"content": "caf\xe9"', "a\u2028bcaf\ufffd"),
        (b"-0.5", b"-Infinity", "a\u2028bc"),
        (b'"index": 0', b'"index": null', "a\u2028bc"),
        (b"data: [DONE]", b"data:\r\ndata: [DONE]", "a\u2028bc"),
    ],
    ids=["half a pair", "not UTF-8", "minus infinity", "no index", "an empty event"],
)
async def test_no_stream_is_lost_over_a_flaw_that_is_not_its_text(said, instead, text):
    assert said in STREAM
    reply = await answered(lambda: web.Response(body=STREAM.replace(said, instead)))
    assert (reply.raw, reply.tokens_in, reply.tokens_out) == (text, 500, 1000)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            STREAM[: STREAM.index(b'data: {"choices": [{"index": 0, "delta": {}')],
            "the reply broke off",
        ),
        (b'data: {"error": {"message": "too hot", "code": 500}}\n', "answered 500: too hot"),
        (b'data: {"choices": [\n', "sent no chat completion but"),
        (b"data: [DONE]\n", "without a choice"),
    ],
    ids=["broken off", "error", "no JSON", "nothing"],
)
async def test_a_stream_that_holds_no_reply_is_none(content, says):
    with pytest.raises(Unavailable, match=says):
        await answered(lambda: web.Response(body=content))


async def test_a_server_that_answers_in_a_stream_only_is_asked_for_one():
    async def handle(request):
        body = await request.json()
        if not body.get("stream"):
            text = "This model only support stream mode, please enable the stream parameter"
            return web.json_response({"error": {"message": text, "param": None}}, status=400)
        return web.Response(body=STREAM)

    runner, url = await serve_by(handle)
    llm = OpenAI("m", base_url=url)
    assert (await llm.reply(TASK)).raw == (await llm.reply(TASK, draw=1)).raw == "a\u2028bc"
    assert llm.further_requests == 1
    await llm.aclose()
    await runner.cleanup()


async def test_what_is_said_to_every_dialect_is_not_put_to_all_of_them_again():
    arrived = []

    async def handle(request):
        arrived.append(await request.json())
        return web.json_response({"error": {"message": "the schema migrates"}}, status=500)

    runner, url = await serve_by(handle)
    llm = OpenAI("m", base_url=url)
    for _ in range(4):
        with pytest.raises(Unavailable, match="the schema migrates"):
            await llm.reply(TASK)
    assert len(arrived) == 3 + 3
    assert llm.further_requests == 2
    await llm.aclose()
    await runner.cleanup()


@pytest.mark.parametrize("content", [b'{"choices":' + b"[" * 200_000, b'{"choices": 5}', b"\xff"])
async def test_what_is_no_chat_completion_even_with_leniency_is_no_reply(content):
    with pytest.raises(Unavailable, match="sent no chat completion but") as caught:
        await answered(lambda: web.Response(body=content))
    assert caught.value.cost == (0, 0)


@pytest.mark.parametrize(
    ("content", "task"),
    [
        (completion({"content": "1. Rome"}, "length"), PaperStatements("Who?", "Rome is old.")),
        (completion({"content": ""}, "content_filter"), TASK),
        ('{"choices": [], "usage": {"prompt_tokens": 500, "completion_tokens": 1000}}', TASK),
    ],
    ids=["cut", "filtered", "no choice"],
)
async def test_what_was_billed_without_a_reply_says_what_it_cost(content, task):
    with pytest.raises(Unavailable) as caught:
        await answered(lambda: web.Response(text=content), task=task)
    assert caught.value.cost == (500, 1000)
    counted, _, _ = content.partition(', "usage"')
    with pytest.raises(Unavailable) as caught:
        await answered(lambda: web.Response(text=counted + "}"), task=task)
    assert caught.value.cost[0] == len(task.prompt()) // 4, "estimated where it is not counted"


async def test_a_reply_that_was_cut_before_its_first_word_is_none_and_names_the_remedy():
    with pytest.raises(CutShort, match="stopped by the length limit -> raise max_tokens") as caught:
        await answered(lambda: web.Response(text=completion({"content": ""}, "length")))
    assert caught.value.cost == (500, 1000)


@pytest.mark.parametrize("extra", [{"temperature": 1}, {"seed": 42}, {"max_tokens": 5}])
async def test_what_the_user_has_every_request_carry_is_refused_in_the_servers_words(server, extra):
    (field,) = extra
    server.faults = Faults(reject=(field,))
    llm = OpenAI("m", base_url=server.url, extra_body=extra)
    with pytest.raises(Unavailable, match=f"answered 400: Unsupported parameter: '{field}'"):
        await llm.reply(TASK)
    await llm.aclose()
    assert server.arrived <= 2


async def test_half_a_surrogate_pair_does_not_stop_a_call(server, llm):
    await llm.reply(RateAnswer("Who?", "broken \ud83d emoji"))
    assert "broken ? emoji" in server.log[0].body["messages"][0]["content"]


def error(status, message="no", headers=None, **more):
    body = {"error": {"message": message, **more}}
    return lambda: web.json_response(body, status=status, headers=headers)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (error(401), "none was sent: set the key \\(OPENAI_API_KEY or api_key=\\)"),
        (error(403), "set the key"),
        (error(400, "API key not valid"), "set the key"),
        (error(404, "no such model"), "check the model 'm' and the base URL 127.0.0.1"),
        (error(400, code="model_not_found"), "check the model 'm'"),
        (error(400, "x/y is not a valid model ID", code=400), "check the model 'm'"),
        (error(400, "Invalid model: m", type="invalid_model", code="1500"), "check the model 'm'"),
        (error(400, "Invalid model name passed in model=m", param="None"), "check the model 'm'"),
        (error(400, "no such deployment", param="model", code="400"), "check the model 'm'"),
        (error(400, "The model `m` does not exist"), "check the model 'm'"),
        (error(400, "Model Not Exist"), "check the model 'm'"),
        (error(429, code="insufficient_quota"), "used up"),
        (error(402), "used up"),
        (error(200, code="401"), "answered 401: no -> none was sent: set the key"),
        (lambda: web.Response(status=307, headers={"Location": "/x"}), "redirects to /x"),
    ],
)
async def test_what_no_further_call_can_cure_is_denied(answer, says):
    with pytest.raises(Denied, match=says):
        await answered(answer)


async def test_a_refused_key_is_to_be_checked():
    with pytest.raises(Denied, match="check the key"):
        await answered(error(401), api_key="wrong")


@pytest.mark.parametrize(
    ("answer", "throttled", "wait", "permanent"),
    [
        (error(429, headers={"Retry-After": "2"}), True, 2.0, False),
        (error(429, headers={"Retry-After-Ms": "250"}), True, 0.25, False),
        (error(503), True, None, False),
        (error(500), False, None, False),
        (error(408), False, None, False),
        (error(400, "maximum context length; see response_format schema"), False, None, True),
        (error(400, "odd request"), False, None, True),
        (error(400, "invalid model output"), False, None, True),
        (error(400, "the model you named does not take images"), False, None, True),
        (error(400, "no JSON", code="json_validate_failed"), False, None, False),
        (error(429, "Please try again in 1m0.5s"), True, 60.5, False),
        (error(429, "try again in 1s", headers={"Retry-After": "2"}), True, 2.0, False),
        (error(500, "try again in 20s"), False, None, False),
        (lambda: web.json_response([{"error": {"message": "x"}}], status=429), True, None, False),
        (error(413), False, None, True),
        (error(403, "input flagged by moderation"), False, None, True),
        (error(400, code="content_filter"), False, None, True),
        (lambda: web.json_response({"error": {"code": 429, "message": "x"}}), True, None, False),
        (error(200, code="429"), True, None, False),
        (error(200, code="rate"), False, None, False),
        (error(200, code=0), False, None, False),
        (error(200, code="9" * 5000), False, None, False),
        (lambda: web.json_response({"choices": None, "error": "upstream"}), False, None, False),
        (lambda: web.json_response({"error": "upstream"}), False, None, False),
        (lambda: web.json_response({"choices": []}), False, None, False),
        (lambda: web.Response(text="<html>hello"), False, None, False),
        (lambda: web.Response(status=500, text="<html>oops"), False, None, False),
    ],
)
async def test_what_passes_and_what_does_not(answer, throttled, wait, permanent):
    with pytest.raises(Unavailable) as caught:
        await answered(answer)
    found = caught.value
    assert (found.throttled, found.retry_after, found.permanent) == (throttled, wait, permanent)


async def test_a_refusal_about_the_prompt_teaches_nothing_about_the_server(server, llm):
    dialect = llm._dialect
    refusal = Refusal.of(400, b'{"error": {"message": "schema is odd"}}', {})
    body = {"response_format": {}}
    assert dialect.after(refusal, body) is not None
    too_long = Refusal.of(400, b'{"error": {"message": "maximum context length, schema"}}', {})
    assert dialect.after(too_long, body) is None


def test_what_a_server_says_cannot_steer_the_terminal_that_shows_it():
    body = json.dumps({"error": {"message": "bad\x1b]0;title\x07 \n\u202ekey \u00e9"}}).encode()
    assert Refusal.of(401, body, {}).message == "bad?]0;title? ?key \u00e9"


async def test_a_lost_connection_is_no_reply(server, llm):
    server.faults = Faults(share_cut=1.0)
    with pytest.raises(Unavailable, match=r"connection to 127\.0\.0\.1") as lost:
        await llm.reply(TASK)
    assert lost.value.broke_off
    unreachable = OpenAI("m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(Unavailable, match=r"connection to 127\.0\.0\.1:9/v1 failed") as absent:
        await unreachable.reply(TASK)
    assert not absent.value.broke_off
    await unreachable.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "127.0.0.1:8000/v1",
        "http://",
        "http://box:999999/v1",
        "http://[::1/v1",
        "ws://b",
    ],
)
def test_what_is_no_url_is_refused_before_any_call(url):
    with pytest.raises(InputError, match="is no address of a server -> give the base URL whole"):
        OpenAI("m", base_url=url)


def test_the_password_of_a_wrong_url_is_not_shown():
    with pytest.raises(InputError) as caught:
        OpenAI("m", base_url="user:secret@box:8000/v1")
    assert "secret" not in str(caught.value)


async def test_a_server_that_hangs_is_given_up(server):
    server.faults = Faults(share_hang=1.0)
    llm = OpenAI("m", base_url=server.url, timeout=0.05)
    with pytest.raises(Unavailable, match=r"no reply from .* within 0.05 s"):
        await llm.reply(TASK)
    await llm.aclose()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Sat, 01 Nov 2025 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sat, 01 Nov 2025 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers, seconds):
    assert retry_after(headers, datetime(2025, 11, 1, 12, 0, 0, tzinfo=UTC)) == seconds


def test_a_refusal_is_read_off_any_body():
    for body in (b"", b"\xff\xfe", b"[1]", b'"x"', b'{"detail": [{"loc": ["body"]}]}', b"null"):
        refusal = Refusal.of(500, body, {})
        assert refusal.message
        assert isinstance(meaning(refusal, Endpoint("http://x/v1"), "m"), Unavailable)


def test_one_back_end_serves_several_loops_in_turn():
    with LLMServer().in_thread() as server:
        llm = OpenAI("m", base_url=server.url)
        for draw in range(3):
            # Not closed on purpose: a loop that ends takes its connections with it.
            assert json.loads(asyncio.run(llm.reply(TASK, draw)).raw)
        assert server.count(status=200) == 3


async def test_it_works_again_after_it_was_closed(server, llm):
    await llm.reply(TASK)
    await llm.aclose()
    await llm.aclose()
    assert (await llm.reply(TASK)).raw


async def test_openai_itself_is_not_called_without_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    judge = OpenAI("gpt-4o-mini")
    with pytest.raises(Denied, match="OPENAI_API_KEY"):
        await judge.reply(RateAnswer("Why?", "Because."))
    await judge.aclose()
