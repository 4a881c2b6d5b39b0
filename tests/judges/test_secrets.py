"""A key that a server repeats reaches neither console, store, export, report nor exception."""

import base64
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from assay import Limits, Result, Settings, evaluate
from assay._cli import main
from assay._text.sanitize import HIDDEN_SECRET, redacted, redacted_content, remember
from assay.errors import Denied, JudgeError, Unavailable
from assay.judges.openai.judge import OpenAI
from support import broken_server as broken
from support.broken_server import POISON, BrokenServer
from support.over import over

KEY = "sk-proj-aB3/dE+fG7=hJ9kLmNoPq"
SMALL = re.sub("%..", lambda code: code[0].lower(), quote(KEY, safe=""))
BASIC = base64.b64encode(f"someone:{KEY}".encode()).decode()
LATER = base64.b64encode(f"x:{KEY}:and more".encode()).decode()
ONCE = Settings(limits=Limits(retries=0, concurrency=1))
FORMS = {
    "plain": KEY,
    "as a header": f"Bearer {KEY}",
    "URL-encoded": quote(KEY, safe=""),
    "URL-encoded, small": SMALL,
    "Basic": BASIC,
    "Basic, with more": LATER,
    "escaped": KEY.replace("/", "\\/"),
}
# What of any form must stand nowhere.
CORES = {
    "plain": KEY[3:],
    "as a header": KEY,
    "URL-encoded": quote(KEY, safe="")[3:],
    "URL-encoded, small": SMALL[3:],
    "Basic": BASIC[14:-6],
    "Basic, with more": LATER[8:24],
    "escaped": KEY.replace("/", "\\/")[3:],
}
ROWS = [
    {"id": name, "question": f"What does {name} say?", "contexts": ["It says nothing."],
     "answer": "It says nothing.", "reference": "It says nothing."}
    for name in ("fine", POISON)
]  # fmt: skip
ANSWERS = {
    "a refusal": lambda text: broken.error(401, f"the key was refused: {text}"),
    "an odd request": lambda text: broken.error(400, f"odd: {text}"),
    "a page": lambda text: broken.sends(
        broken.message(400, f"<html>Authorization: {text}</html>".encode())
    ),
    "no chat completion": lambda text: broken.sends(broken.message(200, f'"{text}"'.encode())),
    "a reply": lambda text: broken.sends(broken.message(200, broken.chat(f"I was sent {text}"))),
}


@over("form", FORMS)
def test_every_form_is_unreadable(form):
    remember(KEY)
    for hidden in (redacted(f"I got {FORMS[form]}."), redacted_content(FORMS[form].encode())):
        assert CORES[form] not in str(hidden)
    assert HIDDEN_SECRET in redacted(FORMS[form])


@over("word", ["", "none", "ollama", "EMPTY", "scripted"])
def test_a_word_that_is_no_key_stays_in_texts(word):
    remember(word)
    assert redacted(f"there is {word} here") == f"there is {word} here"


def test_no_error_of_a_judge_tells_a_key():
    remember(KEY)
    assert KEY not in str(JudgeError(f"x {KEY}"))
    assert str(Unavailable(f"x {KEY}", throttled=True)) == f"x {HIDDEN_SECRET}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "ASSAY_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return tmp_path


def kept_anywhere(folder):
    """What a store says of its rows, and all files of the folder."""
    found = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    lines = (["show"], ["show", "--sample", POISON, "--raw"], ["export", "assay.db"])
    shown = [CliRunner().invoke(main, line) for line in lines]
    assert [one.exit_code for one in shown] == [0] * len(lines)
    trace = [repr(one) for one in Result("assay.db")["context_precision"]]
    return found + "".join([one.output for one in shown] + trace).encode()


WAYS = ("environment", "option", "url", "header")
REPEATED = ("as a header", "Basic", "URL-encoded", "escaped")


# Any two of the three meet: each way with each answer and each form, each answer with each form. The
# fast tests have each of them at least once.
@pytest.mark.parametrize(
    ("given", "answer", "form"),
    [
        pytest.param(
            way,
            answer,
            REPEATED[(i + j) % len(REPEATED)],
            marks=[] if i == j or not i else pytest.mark.slow,
        )
        for i, way in enumerate(WAYS)
        for j, answer in enumerate(ANSWERS)
    ],
)
def test_a_server_that_repeats_the_key_does_not_publish_it(
    folder, monkeypatch, given, answer, form
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY if given == "environment" else "")
    with BrokenServer(ANSWERS[answer](FORMS[form])).in_thread() as server:
        url, options = server.url, []
        if given == "option":
            options = ["--api-key", KEY]
        if given == "url":
            url = url.replace("http://", f"http://someone:{quote(KEY, safe='')}@")
        if given == "header":
            headers = {"X-Api-Key": KEY}
            judge = OpenAI("m", base_url=url, headers=headers, api_key="")
            try:
                evaluate("data.jsonl", "context_precision", judge, settings=ONCE)
                said = ""
            except Denied as error:
                said = str(error)
        else:
            words = ["run", "data.jsonl", "-m", "context_precision", "--judge", "openai:m"]
            words += ["--base-url", url, "--retries", "0", "--concurrency", "1", "--out", "r.html"]
            done = CliRunner().invoke(main, [*words, *options])
            assert done.exit_code in (0, 3, 4), done.output
            said = done.output
        assert server.poisoned
    kept = said.encode() + kept_anywhere(folder)
    assert HIDDEN_SECRET.encode() in kept
    assert CORES[form].encode() not in kept
    assert KEY[3:].encode() not in kept


def test_a_system_that_repeats_a_header_does_not_publish_it(folder, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    page = broken.message(200, json.dumps({"answer": f"You sent {KEY}"}).encode())
    with BrokenServer(broken.sends(page)).in_thread() as server:
        words = ["run", "data.jsonl", "-m", "exact_match", "--target", server.url]
        words += ["--target-header", f"Authorization: Bearer {KEY}"]
        done = CliRunner().invoke(main, words)
    kept = done.output.encode() + b"".join(p.read_bytes() for p in folder.rglob("*.db*"))
    assert KEY.encode() not in kept
