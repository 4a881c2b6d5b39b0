"""What becomes of a call that fails, class by class, is what docs/failures.md says.

Two samples are judged by a real server on this machine; one of them meets the fault. The other is
scored all the same, unless the failure says that no further call can succeed.
"""

import json
import re
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay import Result
from assay._cli import main
from assay._middleware.limiter import Limiter
from assay.score import Score, Unscored
from support import broken_server as broken
from support.broken_server import POISON, BrokenServer

PAGE = Path(__file__).parents[2] / "docs" / "failures.md"
ROW = re.compile(r"^\| ([^|]+) \| (\d+) \| `([^`]+)` \| (\d) \|", re.MULTILINE)
FAULTS = {
    "reset": broken.reset,
    "closed without a word": broken.sends(),
    "closed in the middle": broken.cut,
    "slow headers, or no answer at all": broken.never,
    "slow body": broken.slow_body,
    "no HTTP": broken.sends(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "compressed as it does not say": broken.sends(
        broken.message(200, broken.chat("{}"), "Content-Encoding: gzip")
    ),
    "no JSON": broken.sends(broken.message(200, b"<html>hello</html>")),
    "JSON cut short, announced as whole": broken.sends(broken.message(200, b'{"choices": [{"mes')),
    "no choice": broken.sends(broken.message(200, b'{"choices": []}')),
    "an error with status 200": broken.sends(broken.message(200, b'{"error": "upstream"}')),
    "an error in place of the text, with status 200": broken.sends(
        broken.message(200, broken.chat("", finish_reason="error"))
    ),
    "empty text": broken.sends(broken.message(200, broken.chat(""))),
    "text that is not what was asked for": broken.sends(
        broken.message(200, broken.chat('{"verdicts": "all good"}'))
    ),
    "stopped by the length limit": broken.sends(
        broken.message(200, broken.chat('{"verdicts": [{"id": "c1", "us', finish_reason="length"))
    ),
    "stopped by the length limit before any text": broken.sends(
        broken.message(200, broken.chat("", finish_reason="length"))
    ),
    "withheld by a content filter": broken.sends(
        broken.message(200, broken.chat("", finish_reason="content_filter"))
    ),
    "400": broken.error(400, "odd request"),
    "400, of JSON that the model wrote": broken.error(
        400, "no JSON", code="json_validate_failed", failed_generation='{"verdicts": "all"}'
    ),
    "400, too long": broken.error(400, "maximum context length is 8192"),
    "400 or 403, content filter": broken.error(400, "x", code="content_filter"),
    "400, no such model": broken.error(400, "x is not a valid model ID"),
    "401": broken.error(401, "Incorrect API key"),
    "402": broken.error(402, "Payment required"),
    "403": broken.error(403, "Forbidden"),
    "404": broken.error(404, "no such model"),
    "408": broken.error(408, "timeout"),
    "409": broken.error(409, "conflict"),
    "413": broken.error(413, "too large"),
    "422": broken.error(422, "unprocessable"),
    "425": broken.error(425, "too early"),
    "429": broken.error(429, "slow down"),
    "429, quota": broken.error(429, "used up", code="insufficient_quota"),
    "429, and come back tomorrow": broken.error(429, "daily limit", "Retry-After: 9999"),
    "500": broken.error(500, "oops"),
    "502": broken.error(502, "bad gateway"),
    "503": broken.error(503, "overloaded"),
    "504": broken.error(504, "upstream timed out"),
    "529": broken.error(529, "overloaded"),
    "a redirect": broken.sends(broken.message(307, b"", "Location: /elsewhere")),
}
# Nobody is reached, so both samples fail.
UNREACHABLE = ("DNS", "refused", "TLS")
TOLD = {name: (int(again), seen, int(code)) for name, again, seen, code in ROW.findall(PAGE.read_text("utf-8"))}  # fmt: skip
ROWS = [
    {
        "id": name,
        "question": f"What does {name} say?",
        "contexts": ["It says nothing.", "Bread is baked."],
        "answer": "It says nothing.",
        "reference": "It says nothing.",
    }
    for name in ("fine", POISON)
]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line against a URL; returns it with the two outcomes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Limiter, "_backoff", lambda self, attempt: 0.0)
    monkeypatch.setattr("assay._middleware.health.LONGEST_S", 0.0)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ASSAY_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")

    def call(url, timeout=30):
        words = ["run", "data.jsonl", "-m", "context_precision", "--judge", "openai:m"]
        words += ["--base-url", url, "--timeout", str(timeout), "--concurrency", "1"]
        done = CliRunner().invoke(main, words)
        return done, Result("assay.db")["context_precision"]

    return call


def test_the_page_tells_of_every_class_and_of_no_other():
    assert list(TOLD) == [*UNREACHABLE, *FAULTS]


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_failure_costs_its_own_sample_only(run, name):
    again, seen, code = TOLD[name]
    patience = 0.3 if name.startswith("slow") else 30
    with BrokenServer(FAULTS[name]).in_thread() as server:
        done, (fine, poisoned) = run(server.url, patience)
    assert server.poisoned == 1 + again
    assert done.exit_code == code, done.output
    assert isinstance(fine, Score)
    assert isinstance(poisoned, Unscored)
    assert poisoned.why == "failed"
    assert seen in (poisoned.detail if code == 3 else done.stderr).replace("`", "")


@pytest.mark.parametrize("name", UNREACHABLE)
def test_nobody_is_reached(run, monkeypatch, name):
    _, seen, code = TOLD[name]
    if name == "DNS":
        real = socket.getaddrinfo

        def lookup(host, *args, **kwargs):
            if host == "judge.invalid":
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return real(host, *args, **kwargs)

        monkeypatch.setattr(socket, "getaddrinfo", lookup)
        done, outcomes = run("http://judge.invalid/v1")
    elif name == "refused":
        done, outcomes = run("http://127.0.0.1:9/v1")
    else:
        with BrokenServer(broken.never).in_thread() as server:
            done, outcomes = run(server.url.replace("http:", "https:"))
    assert done.exit_code == code, done.output
    for outcome in outcomes:
        assert seen in outcome.detail


@pytest.mark.slow
def test_where_nobody_ever_answers_the_run_stops_instead_of_trying_every_sample(run):
    more = [{**ROWS[0], "id": f"{n}", "question": f"Who is {n}?"} for n in range(20)]
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in more), "utf-8")
    done, outcomes = run("http://127.0.0.1:9/v1")
    assert done.exit_code == 4
    assert "cannot reach openai:m" in done.stderr
    assert len(outcomes) == 20
