"""The service over HTTP: evaluates for callers who may, refuses all others with a clear reason."""

import asyncio
import contextlib
import gzip
import io
import json
from types import SimpleNamespace

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from assay import Denied, Scripted
from assay._service import Service
from assay._service.http import Connections, application, running
from assay._service.limits import Bounds
from assay.data.fields import document as rows_schema
from support.scripts import plausible

TOKEN = "s3cr3t"
ROW = {
    "id": "tower/../1",
    "question": "When was it built?",
    "contexts": ["It was built in 1889."],
    "answer": "It was built in 1889.",
}
FAITHFULNESS = {"sample": ROW, "metrics": ["faithfulness"]}


class Client:
    """A caller of a service of its own."""

    def __init__(self, session, server):
        self._session, self._server = session, server

    async def __call__(self, method, path, token=TOKEN, json_=None, **given):
        headers = {
            **({"Authorization": f"Bearer {token}"} if token else {}),
            **given.pop("headers", {}),
        }
        if json_ is not None:
            given["data"], headers["Content-Type"] = json.dumps(json_), "application/json"
        url = self._server.make_url(path)
        async with self._session.request(method, url, headers=headers, **given) as response:
            body = await response.read()
            return response.status, json.loads(body), response.headers

    async def post(self, path, what, **given):
        return await self("POST", path, json_=what, **given)


@pytest.fixture
async def call(db):
    """A caller of a service that needs the token."""
    service = Service(plausible(), store=db, max_samples=3)
    server = TestServer(application(service, Bounds(token=TOKEN)))
    await server.start_server()
    async with ClientSession() as session:
        yield Client(session, server)
    await server.close()


async def caller(stack, db, judge=None, **bounds):
    """A caller of a service with other bounds."""
    service = Service(judge or plausible(), store=db)
    server = TestServer(application(service, Bounds(**{"token": TOKEN, **bounds})))
    await server.start_server()
    stack.push_async_callback(server.close)
    return Client(await stack.enter_async_context(ClientSession()), server)


class TestSlips:
    @pytest.mark.parametrize(
        ("metric", "remedy"),
        [
            ("faithfulnes", "did you mean 'faithfulness' or"),
            ("exact_mach(x=1)", "did you mean 'exact_match'"),
            ("os:system", "ask for the list of metrics"),
        ],
    )
    async def test_a_metric_that_was_meant_is_told(self, call, metric, remedy):
        status, found, _ = await call.post("/v1/evaluate", {"sample": ROW, "metrics": [metric]})
        (problem,) = found["problems"]
        assert (status, problem["remedy"].startswith(remedy)) == (422, True)

    @pytest.mark.parametrize(
        ("slip", "told"),
        [
            ({"metric": ["faithfulness"]}, "unknown field `metric`; did you mean 'metrics'?"),
            ({"zzz": 1}, "unknown field `zzz`; it has sample, metrics"),
            ({"metrics": "faithfulness"}, "Expected `array`, got `str` - at `$.metrics`"),
        ],
    )
    async def test_a_field_that_was_meant_is_told(self, call, slip, told):
        status, found, _ = await call.post("/v1/evaluate", {"sample": ROW, **slip})
        assert (status, told in found["error"]) == (422, True)

    async def test_an_unknown_path_says_where_the_paths_are_listed(self, call):
        status, found, _ = await call.post("/v1/evaluat", FAITHFULNESS)
        assert (status, found["error"]) == (404, "Not Found: /openapi.json lists what there is")


class TestWork:
    async def test_a_sample_is_scored_with_its_evidence(self, call):
        status, found, _ = await call.post("/v1/evaluate", FAITHFULNESS)
        assert status == 200
        assert found["sample"] == ROW["id"]
        outcome = found["outcomes"]["faithfulness"]
        assert 0 <= outcome["value"] <= 1
        assert outcome["parts"][0]["kind"] == "statement"

    async def test_a_run_is_named_and_found_by_its_name(self, call):
        said = {"name": "k5", "tags": ["sweep"], "params": {"k": 5}, "note": "by a service"}
        sent = {"samples": [ROW], "metrics": ["faithfulness"], **said}
        status, run, _ = await call.post("/v1/runs", sent)
        assert (status, {key: run[key] for key in said}) == (200, said)
        _, again, _ = await call("GET", "/v1/runs/k5")
        assert again == run
        _, listed, _ = await call("GET", "/v1/runs")
        assert [one["title"] for one in listed["runs"]] == ["k5"]
        status, refused, _ = await call.post("/v1/runs", {**sent, "name": "last"})
        assert status in (400, 422)
        assert "cannot be called 'last'" in refused["problems"][0]["what"]

    async def test_samples_are_a_run_that_can_be_fetched_with_all_that_is_behind_it(self, call):
        rows = [{**ROW, "id": str(n)} for n in range(3)]
        sent = {"samples": rows, "metrics": ["faithfulness", "latency"]}
        sent["samples"][0]["latency_ms"] = sent["samples"][1]["latency_ms"] = 5
        sent["samples"][2]["latency_ms"] = 7
        status, run, _ = await call.post("/v1/runs", sent)
        assert (status, run["samples"], run["finished"]) == (200, 3, True)
        assert [row["metric"] for row in run["metrics"]] == ["faithfulness", "latency"]
        _, again, _ = await call("GET", f"/v1/runs/{run['run'][:6]}")
        assert again == run
        _, listed, _ = await call("GET", "/v1/runs?limit=1")
        assert [one["run"] for one in listed["runs"]] == [run["run"]]
        _, page, _ = await call("GET", "/v1/runs/last/samples?offset=1&limit=1")
        assert [(s["id"], s["scores"]["latency"]) for s in page["samples"]] == [("1", 5.0)]
        assert (page["offset"], page["total"]) == (1, 3)
        _, proof, _ = await call("GET", "/v1/runs/last/evidence?sample=2&metric=faithfulness")
        assert proof["sample"]["question"] == ROW["question"]
        assert proof["calls"][0]["kind"] == "split_statements"
        assert ROW["answer"] in proof["calls"][0]["prompt"]

    async def test_an_id_may_be_anything(self, call):
        await call.post("/v1/evaluate", FAITHFULNESS)
        path = "/v1/runs/last/evidence?sample=tower/../1&metric=faithfulness"
        status, found, _ = await call("GET", path)
        assert (status, found["sample"]["id"]) == (200, ROW["id"])

    async def test_metrics_are_listed_with_what_they_need(self, call):
        _, found, _ = await call("GET", "/v1/metrics")
        by_name = {metric["name"]: metric for metric in found["metrics"]}
        assert by_name["faithfulness"]["needs"] == ["question", "contexts", "answer"]

    async def test_the_document_is_open_and_names_every_path(self, call):
        status, found, _ = await call("GET", "/openapi.json", token="")
        assert (status, found["openapi"]) == (200, "3.1.0")
        assert set(found["paths"]) >= {"/v1/evaluate", "/v1/runs", "/v1/runs/{run}/evidence"}
        assert (await call("GET", "/health", token=""))[1]["status"] == "ok"


class TestCallers:
    @pytest.mark.parametrize("token", ["", "s3cr3", "s3cr3tt", "\xe4\xf6", "a b"])
    @pytest.mark.parametrize("path", ["/v1/runs", "/v1/metrics", "/v1/nothing", "/nothing"])
    async def test_without_the_token_nothing_is_told(self, call, token, path):
        status, found, headers = await call("GET", path, token=token)
        assert (status, headers["WWW-Authenticate"]) == (401, 'Bearer realm="assay"')
        assert "token" in found["error"]

    async def test_the_token_is_another_scheme_s_too_late(self, call):
        status, *_ = await call("GET", "/v1/runs", headers={"Authorization": f"Basic {TOKEN}"})
        assert status == 401

    async def test_without_a_token_only_this_machine_is_answered(self, db):
        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db, token="")
            assert (await call("GET", "/v1/runs", token=""))[0] == 200
            status, found, _ = await call(
                "GET", "/v1/runs", token="", headers={"Host": "evil.example:80"}
            )
            assert status == 403
            assert "localhost" in found["error"]

    @pytest.mark.parametrize(
        ("host", "status"),
        [
            *((host, 200) for host in ("localhost", "127.0.0.1:80", "[::1]", "[::1]:1", "LocalHost:1")),
            *((host, 403) for host in ("localhost.evil.example", "localhost:80:90", "evil:localhost")),
        ],
    )  # fmt: skip
    async def test_this_machine_goes_by_its_own_names_only(self, db, host, status):
        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db, token="")
            found, *_ = await call("GET", "/v1/runs", token="", headers={"Host": host})
            assert found == status

    @pytest.mark.parametrize(
        ("origin", "status"),
        [
            *((origin, 200) for origin in ("http://localhost:80", "HTTP://LocalHost:80")),
            *((origin, 403) for origin in ("http://evil.example", "null", "http://localhost:3000")),
        ],
    )
    async def test_without_a_token_no_page_of_another_site_is_answered(self, db, origin, status):
        headers = {"Host": "localhost:80", "Origin": origin}
        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db, token="")
            found, said, _ = await call("GET", "/v1/runs", token="", headers=headers)
            assert found == status
            assert status == 200 or "no page of another site" in said["error"]

    async def test_too_many_requests_are_sent_away_and_told_when_to_come_again(self, db):
        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db, per_minute=60.0)
            found = [await call("GET", "/health") for _ in range(6)]
            assert {status for status, *_ in found} == {200, 429}
            assert int(found[-1][2]["Retry-After"]) >= 1

    async def test_evaluations_wait_for_each_other_and_not_too_many_of_them(self, db):
        class Slow:
            name = "slow"

            def __init__(self):
                self.inner, self.now, self.most = plausible(), 0, 0

            def identity(self, kind):
                return self.inner.identity(kind)

            async def reply(self, task, draw=0):
                self.now += 1
                self.most = max(self.most, self.now)
                await asyncio.sleep(0.05)
                self.now -= 1
                return await self.inner.reply(task, draw)

        async with contextlib.AsyncExitStack() as stack:
            judge = Slow()
            call = await caller(stack, db, judge, at_once=1, waiting=1)
            rows = [
                {**FAITHFULNESS, "sample": {**ROW, "id": str(n), "answer": f"It {n}."}}
                for n in range(4)
            ]
            found = await asyncio.gather(*(call.post("/v1/evaluate", row) for row in rows))
            statuses = sorted(status for status, *_ in found)
            assert statuses == [200, 200, 429, 429]
            assert judge.most == 1


HOSTILE = [
    ("not json", b"{", 400),
    ("no utf-8", b'{"sample": {"question": "\xff"}, "metrics": ["latency"]}', 400),
    ("half a character", b'{"sample": {"question": "\\ud800"}, "metrics": ["faithfulness"]}', 400),
    ("deep", b"[" * 1_000_000, 422),
    ("deep within", b'{"sample": {"x": ' + b"[" * 900 + b"]" * 900 + b'}, "metrics": ["latency"]}', 422),
    ("long", b'{"sample": {"answer": "' + b"a" * 11_000_000 + b'"}}', 413),
    ("empty", b"", 400),
    ("a list", b"[]", 422),
    ("other fields", b'{"sample": {}, "metrics": ["faithfulness"], "judge": "os:system"}', 422),
    ("no metric", b'{"sample": {}, "metrics": []}', 422),
    ("no field", b'{"sample": {}, "metrics": ["faithfulness"]}', 422),
    ("NUL", b'{"sample": {"question": "a\\u0000b"}, "metrics": ["faithfulness"]}', 422),
    ("code of the caller's", b'{"sample": {"question": "x"}, "metrics": ["os:system"]}', 422),
    ("a file of the caller's", b'{"sample": {"question": "x"}, "metrics": ["/tmp/x.py:f"]}', 422),
    ("a long metric", b'{"sample": {"question": "x"}, "metrics": ["' + b"(" * 1001 + b'"]}', 422),
    ("a deep metric", b'{"sample": {"question": "x"}, "metrics": ["faithfulness(a=' + b"(" * 900 + b')"]}', 422),
    ("a huge number", b'{"sample": {"question": "x", "answer": "y", "contexts": [], "cost": 1e400}, "metrics": ["faithfulness"]}', 422),
]  # fmt: skip


TEXTS = {"question": "q", "contexts": ["c"], "answer": "a"}
MISTAKES = [
    ("no field", [{"question": "q", "contexts": ["c"]}], "rename the field that holds it to 'answer'"),
    ("a slip", [{"question": "q", "contexts": ["c"], "model_anwser": "a"}], "rename 'model_anwser' to 'answer'"),
    ("gaps", [{**TEXTS, "id": "a", "answer": None}, {**TEXTS, "id": "b", "question": None}], "or drop faithfulness"),
    ("all empty", [{**TEXTS, "contexts": None}], "fill it in, or drop faithfulness"),
    ("no text", [{**TEXTS, "question": {"a": 1}}], "give one text"),
    ("texts", [{**TEXTS, "answer": ["a", "b"]}], "rename the field to 'reference'"),
    ("two", [{**TEXTS, "response": "b"}], "keep one of them"),
    ("optional", [{**TEXTS, "latency_ms": "long"}], "or leave the field out"),
]  # fmt: skip


class TestRemedies:
    @pytest.mark.parametrize(
        ("rows", "said"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES]
    )
    async def test_each_is_one_that_a_caller_can_follow(self, call, rows, said):
        sent = {"samples": rows, "metrics": ["faithfulness"]}
        status, found, _ = await call.post("/v1/runs", sent)
        assert status == 422
        told = [problem["remedy"] for problem in found["problems"]]
        assert said in "; ".join(told)
        assert all(told)
        assert "--" not in "".join(told)

    async def test_of_what_the_judge_cannot_do_too(self, db):
        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db, Scripted({"split_statements": "{}"}))
            status, found, _ = await call.post("/v1/evaluate", FAITHFULNESS)
        assert status == 422
        assert "calls available" in found["problems"][0]["remedy"]


class TestHostileInput:
    @pytest.mark.parametrize(
        ("body", "status"), [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE]
    )
    async def test_what_cannot_be_used_gets_a_clear_4xx(self, call, body, status):
        headers = {"Content-Type": "application/json"}
        sent = {"data": io.BytesIO(body), "headers": headers}
        found, told, _ = await call("POST", "/v1/evaluate", **sent)
        assert found == status, told
        assert told["error"]

    async def test_a_body_of_unknown_length_is_cut_off_too(self, call):
        async def endless():
            for _ in range(200):
                yield b"a" * 2**16

        headers = {"Content-Type": "application/json"}
        try:
            found, *_ = await call("POST", "/v1/evaluate", data=endless(), headers=headers)
        except OSError:  # the service hung up while it was being sent
            found = 413
        assert found == 413

    async def test_who_hangs_up_in_the_middle_leaves_no_stack_trace(self, db, caplog):
        app = application(Service(plausible(), store=db), Bounds(token=TOKEN))
        async with running(app) as runner:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            _, writer = await asyncio.open_connection(*runner.addresses[0][:2])
            head = f"POST /v1/evaluate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
            head += "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
            writer.write(head.encode())
            await asyncio.sleep(0.1)
            writer.transport.abort()
            await asyncio.sleep(0.1)
        assert [record.getMessage() for record in caplog.records] == []

    async def test_what_is_compressed_is_refused_unread(self, db):
        service = application(Service(plausible(), store=db), Bounds(token=TOKEN))
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        async with running(service) as runner, ClientSession() as session:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            host, port = runner.addresses[0][:2]
            for encoding, body in (("gzip", b"no gzip"), ("gzip", gzip.compress(b"a" * 10**7))):
                sent = {**headers, "Content-Encoding": encoding}
                url = f"http://{host}:{port}/v1/evaluate"
                async with session.post(url, data=body, headers=sent) as response:
                    assert response.status == 415
                    assert "uncompressed" in (await response.json())["error"]

    @pytest.mark.parametrize(
        "more",
        [{"answer": "a" * 200_001}, {"contexts": ["x", "word " * 50_000]}, {"x" * 200_001: 1}],
    )
    async def test_a_text_that_would_be_judged_for_minutes_is_refused(self, call, more):
        sent = {"sample": {**ROW, **more}, "metrics": ["faithfulness"]}
        status, found, _ = await call.post("/v1/evaluate", sent)
        assert status == 422
        assert "characters" in found["problems"][0]["what"]
        assert found["problems"][0]["row"] == 1

    @pytest.mark.parametrize(
        "more", [{"contexts": ["x"] * 10_001}, {str(n): n for n in range(5_001)}]
    )
    async def test_a_row_of_very_many_values_is_refused(self, call, more):
        sent = {"sample": {**ROW, **more}, "metrics": ["faithfulness"]}
        status, found, _ = await call.post("/v1/evaluate", sent)
        assert (status, "values" in found["problems"][0]["what"]) == (422, True)

    async def test_rows_of_very_many_values_together_are_refused(self, db):
        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db)
            rows = [{**ROW, "id": str(n), "x": [[]] * 9_000} for n in range(23)]
            status, found, _ = await call.post(
                "/v1/runs", {"samples": rows, "metrics": ["faithfulness"]}
            )
            assert status == 422
            assert "together" in found["problems"][0]["what"]

    async def test_no_more_is_held_of_all_requests_than_eight_of_the_longest(self, db):
        body = json.dumps(FAITHFULNESS).encode().ljust(900)
        headers = {"Content-Type": "application/json"}
        go_on = asyncio.Event()

        async def slowly():
            yield body
            await go_on.wait()
            yield b" "

        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db, max_bytes=1000)
            sent = [
                asyncio.create_task(
                    call("POST", "/v1/evaluate", data=slowly(), headers=dict(headers))
                )
                for _ in range(9)
            ]
            done, _ = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
            ((status, found, told),) = [task.result() for task in done]
            assert (status, told["Retry-After"]) == (429, "5")
            assert "at the same time" in found["error"]
            go_on.set()
            assert sorted(status for status, *_ in await asyncio.gather(*sent)) == [200] * 8 + [429]
            again = [call.post("/v1/evaluate", FAITHFULNESS) for _ in range(9)]
            assert {status for status, *_ in await asyncio.gather(*again)} == {200}

    async def test_other_kinds_of_content_are_refused(self, call):
        headers = {"Content-Type": "text/plain"}
        found, *_ = await call("POST", "/v1/evaluate", data=b"{}", headers=headers)
        assert found == 415

    async def test_more_samples_than_allowed_are_refused(self, call):
        rows = [{**ROW, "id": str(n)} for n in range(4)]
        status, found, _ = await call.post("/v1/runs", {"samples": rows, "metrics": ["latency"]})
        assert status == 422
        assert "4 samples" in found["problems"][0]["what"]

    @pytest.mark.parametrize(
        "path",
        [
            *("/v1/runs/..%2f..%2fetc%2fpasswd", "/v1/runs/%00", "/v1/runs/zz", "/v1/runs/%25"),
            *("/v1/runs/" + "a" * 2000, "/v1/runs/%ff", "/v1/runs/' OR 1=1 --", "/v1/x"),
            "/v1/runs/last/evidence?sample=no&metric=faithfulness",
            "/v1/runs/last/evidence?sample=tower/../1&metric=os:system",
            "/v1/runs/last/evidence?sample=tower/../1&metric=no.py:f",
        ],
    )
    async def test_what_is_not_there_is_not_found(self, call, path):
        await call.post("/v1/evaluate", FAITHFULNESS)
        status, found, _ = await call("GET", path)
        assert status == 404
        assert found["error"]

    async def test_no_metric_runs_a_file_of_this_machine(self, call, tmp_path):
        await call.post("/v1/evaluate", FAITHFULNESS)
        file, ran = tmp_path / "hostile.py", tmp_path / "ran"
        file.write_text(f"open({str(ran)!r}, 'w')")
        # What has no folder of that name is climbed out of when the path is made absolute.
        for spec in (f"faithfulness(/{'../' * 40}{file}:f", f"faithfulness({file}:f"):
            sent = {"sample": ROW, "metrics": [spec]}
            assert (await call.post("/v1/evaluate", sent))[0] == 422
            asked = {"sample": ROW["id"], "metric": spec}
            assert (await call("GET", "/v1/runs/last/evidence", params=asked))[0] == 404
        assert not ran.exists()

    @pytest.mark.parametrize(
        "query", ["limit=0", "limit=x", "limit=1&limit=2", "limit=9999999999999", "other=1"]
    )
    async def test_parameters_that_make_no_sense_are_told(self, call, query):
        status, found, _ = await call("GET", f"/v1/runs?{query}")
        assert (status, "parameter" in found["error"]) == (422, True)

    async def test_another_method_is_told_which_there_are(self, call):
        status, _, headers = await call("DELETE", "/v1/runs")
        assert (status, headers["Allow"]) == (405, "GET,POST")

    async def test_a_judge_that_refuses_is_told_as_such(self, db):
        def refuse(prompt):
            raise Denied("the key is wrong")

        async with contextlib.AsyncExitStack() as stack:
            call = await caller(stack, db, refuse)
            status, found, _ = await call.post("/v1/evaluate", FAITHFULNESS)
            assert (status, "the key is wrong" in found["error"]) == (502, True)


class TestConnections:
    """Those of a stand-in server, closed as the clock says."""

    class Line:
        def __init__(self):
            self.closed = False

        def force_close(self):
            self.closed = True

    def test_one_that_brings_no_request_is_closed_and_one_that_is_answered_is_not(self):
        now = [100.0]
        connections = Connections(30.0, 10, clock=lambda: now[0])
        silent, asked = self.Line(), self.Line()
        server = SimpleNamespace(connections=[silent, asked])
        connections.close_idle(server)
        connections.busy(asked)
        now[0] += 31
        connections.close_idle(server)
        assert (silent.closed, asked.closed) == (True, False)
        connections.free(asked)
        now[0] += 29
        connections.close_idle(server)
        assert not asked.closed
        now[0] += 2
        connections.close_idle(server)
        assert asked.closed

    @pytest.mark.parametrize("answered", [False, True])
    def test_of_too_many_those_that_brought_nothing_longest_go(self, answered):
        now = [100.0]
        connections = Connections(30.0, 2, clock=lambda: now[0])
        lines = [self.Line() for _ in range(3)]
        for n in range(3):
            now[0] += 1
            if n == 2 and answered:
                connections.busy(lines[0])
            connections.close_idle(SimpleNamespace(connections=lines[: n + 1]))
        assert [line.closed for line in lines] == [not answered, answered, False]


class TestTheSchemaOfRows:
    def test_it_knows_every_name_that_a_column_may_have(self):
        from assay.data import ALIASES

        names = {name for names in ALIASES.values() for name in names}
        assert set(rows_schema()["items"]["properties"]) == names
