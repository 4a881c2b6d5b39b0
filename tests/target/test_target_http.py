"""Is a system behind a URL asked as it wants to be, and are its refusals told from its answers?"""

import asyncio
import contextlib
import json
import re
import threading
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import web

from assay import Denied, InputError, Limits, RobustnessSettings, Scripted, robustness, sweep
from assay.data import read
from assay.target import Asking, Configurable, HttpSystem, ask
from assay.target.system import Body
from support import scripts, towers
from support.over import over

ROWS = [
    {"id": f"q{n}", "question": f"What is {n}? & why", "metadata": {"user": {"team": "blue"}}}
    for n in range(3)
]
QUICK = Asking(limits=Limits(backoff=0.001, retries=2))


@contextlib.contextmanager
def served(handle):
    """The URL of a server whose every request goes to `handle`."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    found = {}

    async def start():
        runner = web.ServerRunner(web.Server(handle), shutdown_timeout=0.05)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        found["runner"], found["port"] = runner, runner.addresses[0][1]
        ready.set()

    def run():
        loop.run_until_complete(start())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield f"http://127.0.0.1:{found['port']}/ask"
    finally:
        asyncio.run_coroutine_threadsafe(found["runner"].cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


class Server:
    """Answers with what it is told, by how often it was asked before; notes the requests."""

    def __init__(self, *replies):
        self.replies = replies or ({"answer": "It is.", "contexts": ["So it is."]},)
        self.seen = []

    async def __call__(self, request):
        self.seen.append((request.method, request.path_qs, await request.text(), request.headers))
        reply = self.replies[min(len(self.seen), len(self.replies)) - 1]
        return web.json_response(reply) if isinstance(reply, dict) else web.Response(**dict(reply))


def status(code, text="no", **headers):
    return [("status", code), ("text", text), ("headers", headers)]


def samples_of(answers):
    return [row.sample for row in read(answers)]


class TestRequests:
    def test_the_question_is_posted_as_json(self, db):
        server = Server()
        with served(server) as url:
            found = samples_of(ask(ROWS, url, store=db, asking=QUICK))
        assert [sample.answer for sample in found] == ["It is."] * 3
        assert found[0].contexts == ("So it is.",)
        assert {json.loads(body)["question"] for _, _, body, _ in server.seen} == {
            row["question"] for row in ROWS
        }
        assert server.seen[0][0] == "POST"
        assert server.seen[0][3]["Content-Type"] == "application/json"

    def test_a_body_of_ones_own_is_filled_in(self, db):
        server = Server()
        body = Body.parse(
            '{"messages": [{"content": "Q: {question}"}], "m": "{metadata.user}", "k": 5}'
        )
        with served(server) as url:
            ask(ROWS[:1], HttpSystem(url, body=body), store=db, asking=QUICK)
        (sent,) = [json.loads(body) for _, _, body, _ in server.seen]
        question = {"content": f"Q: {ROWS[0]['question']}"}
        assert sent == {"messages": [question], "m": {"team": "blue"}, "k": 5}

    def test_a_url_that_names_fields_is_got_with_the_fields_quoted(self, db):
        server = Server()
        with served(server) as url:
            ask(ROWS[:1], f"{url}?q={{question}}", store=db, asking=QUICK)
        method, path, body, _ = server.seen[0]
        assert (method, body) == ("GET", "")
        assert parse_qs(urlsplit(path).query) == {"q": [ROWS[0]["question"]]}

    def test_headers_are_sent_and_never_kept(self, db):
        server = Server()
        with served(server) as url:
            system = HttpSystem(url, headers={"Authorization": "Bearer s3cr3t"})
            ask(ROWS, system, store=db, asking=QUICK)
        assert server.seen[0][3]["Authorization"] == "Bearer s3cr3t"
        assert b"s3cr3t" not in db.read_bytes()
        assert "s3cr3t" not in f"{system.name}{system.__dict__['_identity']}"

    def test_a_password_in_the_url_is_no_part_of_its_name(self):
        assert "s3cr3t" not in HttpSystem("http://me:s3cr3t@host/ask").name

    @over("url", ["http://", "http://host:0/", "http://[", "http://host/{nothing}"])
    def test_what_is_no_address_is_refused(self, url):
        with pytest.raises(InputError):
            HttpSystem(url)

    @pytest.mark.parametrize("text", ["{", '{"q": "{nothing}"}'])
    def test_what_is_no_body_is_refused(self, text):
        with pytest.raises(InputError):
            Body.parse(text)


class TestReplies:
    def test_after_a_wrong_path_nothing_is_asked_again(self, db):
        server = Server({"data": {"text": "It is."}})
        with served(server) as url:
            wrong = ask(ROWS, url, store=db, asking=QUICK)
            right = ask(ROWS, url, store=db, asking=Asking(reply={"answer": "data.text"}))
        assert len(wrong.failures) == 3
        assert not right.failures
        assert len(server.seen) == 3

    @pytest.mark.parametrize("code", [500, 502, 503, 429, 408])
    def test_a_server_that_stumbles_is_asked_again(self, db, code):
        server = Server(status(code), {"answer": "It is."})
        with served(server) as url:
            assert not ask(ROWS[:1], url, store=db, asking=QUICK).failures
        assert len(server.seen) == 2

    @pytest.mark.parametrize("code", [302, 400, 404, 422])
    def test_a_request_that_is_at_fault_is_not(self, db, code):
        server = Server(status(code, "no such thing", Location="http://elsewhere/"))
        with served(server) as url:
            found = ask(ROWS[:1], url, store=db, asking=QUICK)
        assert len(server.seen) == 1
        assert f"answered {code}: no such thing" in found.failures["q0"]

    @pytest.mark.parametrize("code", [401, 403])
    def test_a_refusal_stops_the_run(self, db, code):
        with served(Server(status(code))) as url, pytest.raises(Denied, match=str(code)):
            ask(ROWS, url, store=db, asking=QUICK)

    def test_nobody_there_stops_the_run(self, db):
        rows = [{"question": f"Is it {n}?"} for n in range(20)]
        with pytest.raises(Denied):
            ask(rows, "http://127.0.0.1:9/ask", store=db, asking=QUICK)

    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            ("Es ist schön.".encode("latin-1"), "text/plain; charset=iso-8859-1"),
            ("\ufeffEs ist schön.".encode(), "text/plain"),
            ('\ufeff{"answer": "Es ist schön."}'.encode(), "application/json; charset=utf-8"),
            ('{"answer": "Es ist schön."}'.encode("utf-16"), "application/json; charset=utf-16"),
            ("Es ist schön.".encode(), "text/plain; charset=no-such"),
            ("Es ist schön.".encode(), "text/plain; charset=undefined"),
        ],
    )
    def test_its_charset_and_a_byte_order_mark_are_heeded(self, db, body, kind):
        server = Server([("body", body), ("headers", {"Content-Type": kind})])
        with served(server) as url:
            (sample,) = samples_of(ask(ROWS[:1], url, store=db, asking=QUICK))
        assert sample.answer == "Es ist schön."

    @pytest.mark.parametrize(
        ("text", "kind", "said"),
        [
            (
                "<!DOCTYPE html><title>Sign\n in</title>",
                "text/html",
                r"a page 'Sign in' \(text/html",
            ),
            ("\n<html><body>Sign in</body></html>", "text/plain", r"a page \(text/plain\)"),
            ("<h1>Bad gateway</h1>", "text/html; charset=utf-8", r"a page \(text/html\)"),
            ('<?xml version="1.0"?><fault/>', "application/xml", r"a page \(application/xml\)"),
            ('data: {"a": "It"}\n\ndata: [DONE]\n\n', "text/event-stream", "a stream of events"),
            ('event: x\ndata: {"a": "It"}\n\n: ping\n\n', "text/plain", "a stream of events"),
            ("data: It\nis.\n\n", "text/event-stream", r"a stream of events \(text/event"),
            (
                '{"response": "It"}\n{"response": " is."}\n',
                "application/x-ndjson",
                "a stream of JSON",
            ),
        ],
    )
    def test_a_page_or_a_stream_is_no_answer_and_is_not_kept(self, db, text, kind, said):
        headers = {"Content-Type": kind}
        server = Server([("body", text.encode()), ("headers", headers)], {"answer": "It is."})
        with served(server) as url:
            found = ask(ROWS[:1], url, store=db, asking=QUICK)
            assert len(server.seen) == 1
            assert re.search(f"answered 200 with {said}.* -> ", found.failures["q0"])
            assert not ask(ROWS[:1], url, store=db, asking=QUICK).failures

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("It is.", "text/html"),  # as Flask calls every text
            ("<p>It is.</p>", "text/plain"),
            ('{"answer": "It is."}', "text/event-stream"),
            ("It is.", "text/event-stream"),
            ("data: It is.", "text/plain"),
            ('{\n"answer": "It is."\n}', "application/json"),
        ],
    )
    def test_an_answer_under_a_wrong_content_type_is_read(self, db, text, kind):
        server = Server([("body", text.encode()), ("headers", {"Content-Type": kind})])
        with served(server) as url:
            (sample,) = samples_of(ask(ROWS[:1], url, store=db, asking=QUICK))
        assert "It is." in sample.answer

    def test_text_of_any_bytes_is_read(self, db):
        server = Server([("body", b"It \xff is.")])
        with served(server) as url:
            (sample,) = samples_of(ask(ROWS[:1], url, store=db, asking=QUICK))
        assert sample.answer == "It \ufffd is."


class TestPasswords:
    URL = "http://u:SECRET@box:8000/ask?q={question}"

    def test_none_of_the_address_is_kept_with_what_was_asked(self):
        (row, *_) = read(ROWS)
        assert HttpSystem(self.URL).sent(row.sample) == (
            "http://box:8000/ask?q=What%20is%200%3F%20%26%20why"
        )

    def test_one_in_the_address_beside_a_header_is_refused_at_the_start(self):
        with pytest.raises(InputError, match="the address of box has a user or password") as told:
            HttpSystem(self.URL, headers={"authorization": "Bearer k"})
        assert "SECRET" not in str(told.value)


class TestConfigurations:
    def test_parameters_are_fields_of_the_request_and_part_of_its_identity(self, db):
        server = Server()
        body = Body({"query": "{question}", "k": 1})
        with served(server) as url:
            made = Configurable(target=url, body=body).systems([{"k": 3}, {"k": 5, "mode": "a b"}])
            for one in [*made, *made]:
                ask(ROWS[:1], one, store=db, asking=QUICK)
        assert [json.loads(body) for _, _, body, _ in server.seen] == [
            {"query": ROWS[0]["question"], "k": 3},
            {"query": ROWS[0]["question"], "k": 5, "mode": "a b"},
        ]

    def test_without_a_body_they_stand_in_the_query(self, db):
        server = Server()
        with served(server) as url:
            for one in Configurable(target=url + "?q={question}").systems([{"k": 3}, {"k": "a&b"}]):
                ask(ROWS[:1], one, store=db, asking=QUICK)
        queries = [parse_qs(urlsplit(path).query) for _, path, _, _ in server.seen]
        assert [query["k"] for query in queries] == [["3"], ["a&b"]]
        assert [query["q"] for query in queries] == [[ROWS[0]["question"]]] * 2

    def test_a_sweep_shows_and_keeps_no_password_of_a_url(self, db):
        rows = [row | {"reference": "It is."} for row in ROWS]
        with served(Server()) as url:
            secret = url.replace("//", "//me:pa55word@")
            found = sweep(rows, secret, {"k": [3, 5]}, "exact_match", store=db)
        assert found.target == url
        assert "pa55word" not in repr(found)
        assert b"pa55word" not in db.read_bytes()

    @over(
        ("made", "params", "said"),
        [
            ({"target": "http://h/ask?q={question}&k=3"}, {"k": 5}, "has 'k' already"),
            ({"target": "http://h/ask", "body": Body(["{question}"])}, {"k": 5}, "no JSON object"),
            ({"target": "http://h/ask"}, {"k": "{question}"}, "would be filled in"),
            ({"target": "json:loads", "body": Body({})}, {"k": 5}, "for a target with a URL"),
        ],
    )
    def test_what_cannot_be_set_is_refused(self, made, params, said):
        with pytest.raises(InputError, match=re.escape(said)):
            Configurable(**made).systems([params])


class TestPerturbedContexts:
    async def answer(self, request):
        sent = await request.json()
        return web.json_response({"answer": towers.weak(sent["q"], sent["passages"])})

    def test_they_are_sent_in_the_body_even_where_none_is_left(self, db):
        body = Body.parse('{"q": "{question}", "passages": "{contexts}"}')
        rows = [{**row, "contexts": row["contexts"][:1]} for row in towers.rows(4)]
        vary = {"contradicted": ["instead"], "noise": [1], "removed": ["left_out"]}
        judge = Scripted({"rate_answer": lambda task: scripts.rating(1, noncommittal=False)})
        with served(self.answer) as url:
            found = robustness(
                rows,
                HttpSystem(url, body=body),
                "string_presence",
                judge,
                store=db,
                settings=RobustnessSettings(vary=vary, asking=QUICK),
            )
        assert [(one.n, one.failures) for one in found.levels] == [(4, 0)] * 3
        points = {one.perturbation: one.points[0].mean for one in found.curves}
        assert points == {"contradicted": 0.0, "noise": 1.0, "removed": 0.0}
