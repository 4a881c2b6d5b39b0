"""Is a conversation shown turn by turn, whatever was said in it?"""

import hostile
import pytest
from rich.console import Console

import assay
from assay import Sample, ToolCall, Turn
from assay._report import run as views
from assay._report import sanitize
from assay._report.run import collect, html

TURNS = (
    Turn("system", "Be brief."),
    Turn("user", "What is the weather in Rome?"),
    Turn("assistant", "", tool_calls=(ToolCall("weather", {"city": "Rome", "days": [1, 2]}),)),
    Turn("tool", '{"sky": "clear"}'),
    Turn("assistant", "The sky over Rome is clear.", ("Rome: clear sky.", "Oslo: rain.")),
)


def collected(tmp_path, *samples):
    result = assay.evaluate(list(samples), "exact_match", store=tmp_path / "s.db")
    return collect(result)


def shown(data, sample_id):
    out = Console(width=100, no_color=True, force_terminal=False)
    with out.capture() as capture:
        out.print(views.sample(data, sample_id))
    return capture.get()


@pytest.fixture
def data(tmp_path):
    return collected(tmp_path, Sample(id="c", turns=TURNS, reference="Clear."))


def test_the_page_shows_every_turn_with_its_calls_and_contexts(data):
    page = html.render(data)
    for turn in TURNS:
        assert str(sanitize.visible(turn.text)) in page
    assert "Turn 5, assistant" in page
    assert "weather(city=&#34;Rome&#34;, days=[1, 2])" in page
    assert "2 contexts</summary>" in page
    assert "Rome: clear sky." in page


def test_the_console_shows_every_turn_with_its_calls(data):
    text = shown(data, "c")
    assert "turn 2, user\n  What is the weather in Rome?" in text
    assert 'calls weather(city="Rome", days=[1, 2])' in text
    assert "turn 5, assistant, 2 contexts" in text


def test_the_last_exchange_is_the_question_and_the_answer(data):
    assert "question\n  What is the weather in Rome?" in shown(data, "c")
    assert data["samples"][0]["answer"] == "The sky over Rome is clear."
    assert views.markdown(data)


def test_hostile_turns_add_no_element(tmp_path):
    evil = hostile.EVIL.replace("\0", "").replace("\ud800", "")
    turns = (
        Turn("user", evil),
        Turn("assistant", evil, (evil,), (ToolCall(evil, {evil: evil}),)),
    )
    data = collected(tmp_path, Sample(id="e", turns=turns, reference="x"))
    page = html.render(data)
    body = page[page.index("<noscript>") :]
    assert "<script>document" not in body
    assert "<img src=x" not in body
    assert body.count("</noscript>") == 1
    assert "\x1b" not in shown(data, "e")


def test_a_sample_without_turns_shows_no_conversation(tmp_path):
    data = collected(tmp_path, Sample(id="s", question="q", answer="a", reference="a"))
    assert "Conversation" not in html.render(data)
    assert "turn 1" not in shown(data, "s")
