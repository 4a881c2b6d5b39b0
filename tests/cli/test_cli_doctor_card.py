"""Does `assay doctor --card` show what was measured of the embedded judge?"""

import json

from assay.backends.embedded import card as cards


def plain(result):
    """The text without the line breaks that the width makes."""
    return " ".join(result.stdout.split())


def test_every_section_and_weakness_is_shown(assay):
    result = assay("doctor", "--card")
    assert result.exit_code == 0, result.output
    card, text = cards.card(), plain(result)
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
    assert "it has not been measured yet" in plain(assay("doctor", "--card"))


def test_json_without_the_card_is_refused(assay):
    result = assay("doctor", "--json")
    assert result.exit_code == 2
    assert "--json goes with --card" in result.output
