"""`assay doctor`: what is wrong with a judge and what to do, and the embedded judge's card."""

import json

import pytest
from cli_help import JUDGE, SCRIPT, verdicts

from assay.judges.embedded import card as cards
from support.faults import Faults
from support.llm_server import LLMServer


def diagnosis(result):
    """The text without the line breaks that the width makes."""
    return " ".join(result.stdout.split())


def served(assay, faults, *more):
    with LLMServer(faults).in_thread() as server:
        return assay(
            *("doctor", "--judge", "openai:tiny", "--base-url", server.url, "--timeout", "1", *more)
        )


def test_all_is_well(assay):
    result = assay("doctor")
    assert result.exit_code == 0, result.output
    text = diagnosis(result)
    assert "ok assay " in text
    assert "rich " in text
    assert "extra [" in text
    assert "the right answer in" in text
    assert "loading it included" in text
    assert "no store 'assay.db' here yet" in text
    assert "FAIL" not in text


def test_the_store_is_looked_at(scored, here):
    assert "store 'assay.db': 1 run, " in diagnosis(scored("doctor"))
    (here / "assay.db").write_bytes(b"no store at all, and longer than a header of SQLite is")
    result = scored("doctor")
    assert result.exit_code == 4
    assert "FAIL 'assay.db' cannot be used as a store" in diagnosis(result)


def test_a_served_judge_with_latency_tokens_and_form(assay):
    result = served(assay, Faults())
    assert result.exit_code == 0, result.output
    text = diagnosis(result)
    assert "ok openai:tiny@127.0.0.1" in text
    assert " tokens; it accepts a JSON schema" in text


def test_a_judge_that_takes_no_schema(assay):
    assert "has a JSON mode" in diagnosis(served(assay, Faults(reject=("json_schema",))))
    only_text = Faults(reject=("json_schema", "json_object"))
    assert "only the prompt asks for JSON" in diagnosis(served(assay, only_text))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("faults", "said"),
    [
        (Faults(deny=True), "refused"),
        (Faults(quota=True), "refused"),
        (Faults(share_malformed=1.0), "cannot be read"),
        (Faults(share_hang=1.0), "sent no reply"),
    ],
)
def test_what_is_wrong_with_a_served_judge(assay, faults, said):
    result = served(assay, faults, "--timeout", "0.1")
    assert result.exit_code == 4
    text = diagnosis(result)
    assert "FAIL openai:tiny" in text
    assert said in text
    assert "->" in text


def test_a_server_that_answers_is_not_looked_for(assay):
    text = diagnosis(served(assay, Faults(share_500=1.0)))
    assert "answered 500" in text
    assert "-> try again later: the server is there" in text
    assert "--base-url" not in text


def test_a_missing_key_is_told_with_its_own_remedy(assay):
    text = diagnosis(assay("doctor", "--judge", "openai:tiny"))
    assert "refused: api.openai.com/v1 needs a key -> set OPENAI_API_KEY, or name" in text
    assert "--help" not in text


def test_nobody_there(assay):
    line = ("--judge", "openai:tiny", "--base-url", "http://127.0.0.1:9/v1")
    result = assay("doctor", *line)
    assert result.exit_code == 4
    assert "--base-url" in diagnosis(result)


def test_a_judge_that_is_wrong_is_not_to_be_trusted(assay, here):
    script = {**SCRIPT, "verify_statements": verdicts(s1=True, s2=True)}
    (here / "judge.json").write_text(json.dumps(script), "utf-8")
    result = assay("doctor", *JUDGE)
    assert result.exit_code == 4
    assert "answered, but wrongly about 'Volcanoes in Iceland erupt every year.'" in diagnosis(
        result
    )


def test_a_judge_that_raises(assay, here):
    (here / "raises.py").write_text("def ask(prompt):\n    raise TypeError('no such model')\n")
    result = assay("doctor", "--judge", "raises:ask")
    assert result.exit_code == 4
    assert "raised TypeError: no such model" in diagnosis(result)


def test_every_judge_of_a_mix_once(assay, here):
    half = {"split_statements": SCRIPT["split_statements"]}
    (here / "half.json").write_text(json.dumps(half), "utf-8")
    routes = ("--judge", "verify_statements=scripted:judge.json")
    more = ("--judge", "rate_answer=embedded", "--judge", "embed=embedded")
    result = assay("doctor", "--judge", "scripted:half.json", *routes, *more)
    assert result.exit_code == 0, result.output
    text = diagnosis(result)
    assert "scripted:half.json" in text
    assert "was not asked: it does split_statements only" in text
    assert "ok scripted:judge.json" in text
    assert "384 dimensions" in text


def test_an_embedder(assay):
    with LLMServer().in_thread() as server:
        line = ("--judge", "openai:tiny", "--embedder", "openai:vectors", "--base-url", server.url)
        result = assay("doctor", *line)
    assert result.exit_code == 0, result.output
    assert "dimensions in" in diagnosis(result)


@pytest.mark.parametrize(
    ("store", "said"),
    [("nope/x.db", "FAIL there is no folder 'nope' for the store"), (".", "FAIL the store '.' is")],
)
def test_a_store_that_no_run_could_make_fails(assay, store, said):
    result = assay("doctor", "--store", store)
    assert result.exit_code == 4
    assert said in diagnosis(result)


def test_a_store_that_can_only_be_read_is_told(assay, scored, monkeypatch):
    assert "it can be read only" not in diagnosis(scored("doctor"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    told = diagnosis(scored("doctor"))
    assert "it can be read only -> to make runs, name one that can be written with --store" in told


def test_every_section_and_weakness_is_shown(assay):
    result = assay("doctor", "--card")
    assert result.exit_code == 0, result.output
    card, text = cards.card(), diagnosis(result)
    for shown in (*(s.title for s in card.sections), *card.weaknesses, *card.training_text):
        assert " ".join(shown.split()) in text
    assert "95 % interval" in text
    assert "not beaten" in text
    assert card.sections[0].command in text


def test_as_json_it_is_the_card_itself(assay):
    result = assay("doctor", "--card", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["judge"] == cards.card().judge
    first = found["sections"][0]["figures"][0]
    assert {"name", "value", "low", "high", "n", "floor", "floor_name", "reference"} <= set(first)


def test_a_card_of_another_version_says_so(assay, monkeypatch):
    old = cards.Card(
        judge="embedded:v0+other",
        machine="2 cores",
        quality={},
        sections=(),
        languages="English.",
        weaknesses=(),
        training_text={},
    )
    monkeypatch.setattr(cards, "card", lambda: old)
    assert "it has not been measured yet" in diagnosis(assay("doctor", "--card"))


def test_json_without_the_card_is_refused(assay):
    result = assay("doctor", "--json")
    assert result.exit_code == 2
    assert "--json goes with --card" in result.output
