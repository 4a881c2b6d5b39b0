"""Are manners and lists of sources no statements, and what looks like them all the same?"""

import time

import pytest

from assay._text.statements import statements
from support.over import over

SAID = "The dam is 60 m high."


def of(answer):
    return [statement.text for statement in statements(answer)]


@over(
    "line",
    [
        "Happy to help!",
        "Just ask!",
        "Please don't hesitate to reach out.",
        "If you need more information, just let me know.",
        "I'd be happy to provide more details.",
        "I can also provide a table if you'd like.",
        "I'm sorry to hear that your phone isn't charging!",
        "I understand your frustration.",
        "That's a great question!",
        "Thank you for your patience.",
        "Have a great day!",
        "Good luck with your test!",
        "Please note that this is not legal advice.",
        "Disclaimer: I am not a lawyer.",
        "**Disclaimer:** This information is for educational purposes only.",
        "N'hésitez pas à me contacter !",
        "If you have any further questions or need clarification, I'm here to help!",
        "I hope this information helps you with your trip.",
        "Feel free to ask if anything is unclear.",
        "Should you have any questions about the dam, please reach out.",
        "I'd be glad to help with more.",
        "Enjoy your stay!",
        "I hope this email finds you well.",
        "What a lovely plan!",
        "How nice that you play!",
        "Don't worry!",
        "Let's find you something tasty!",
        "No problem, here's the overview!",
        "Here's what the passages say:",
        "The findings can be summarised as follows.",
        "Great news for the village!",
        "I understand this is unsettling.",
    ],
)
def test_manners_state_nothing(line):
    assert of(f"{SAID}\n\n{line}") == [SAID]


@over(
    "line",
    [
        "If you need a visa, apply by May.",
        "This is not a legal requirement.",
        "Good news travels fast.",
        "The staff are happy to help.",
        "Sorry but the tower was closed in 1990.",
        "Please consult the manual on page 5.",
        "If you have any allergies, avoid the drug.",
        "If you have any questions, the office is open till nine.",
        "If you have more than two fines, the licence is revoked.",
        "If you have any questions, call 555-0199.",
        "Feel free to bring a dog.",
        "Enjoy free breakfast at the inn!",
        "Stay well below the limit!",
        "Have a waiting period of a month!",
        "Sorry for the delay; the parcel arrives on Monday.",
        "Let me explain the rule: fees are due in May.",
        "I hope it rains tomorrow.",
        "I'm happy to help you see that the fee is waived.",
        "I'm glad to tell you the parcel arrived.",
        "If you feel pain, don't hesitate to call a doctor.",
        "If you get lost, just ask the guard.",
        "Take care of the filter!",
        "This is not a substitute for medical advice but a leaflet.",
        "Based on the report, I can confirm that the fee is waived.",
        "Based on the report, I would recommend the red pill.",
        "According to the handbook, the following are covered: fire and theft.",
        "What a visitor pays is up to the inn.",
        "Don't worry the horses!",
        "Let us assume that the fee is due.",
        "Si tienes alguna alergia, evita el fármaco.",
        "N'hésitez pas à consulter un médecin.",
    ],
)
def test_what_begins_like_manners_may_state_something(line):
    assert of(f"{SAID}\n\n{line}") == [SAID, line]


@over(
    "sources",
    [
        "**References**\n[1] Smith, J. (2020). *Dams of the world*. Springer.\n[2] https://a.example",
        "## Sources\n\n- Annual Report 2023, p. 12\n- Handbook",
        "Sources:\nAnnual report\nHandbook",
        "*Source: Sections 3 and 4 of the Agreement.*",
        "[^1]: Dams of the World, 2020.",
        "² Annual report",
        "https://a.example/dams",
    ],
)
def test_a_list_of_sources_states_nothing(sources):
    assert of(f"{SAID}\n\n{sources}\n\nIt was built in 1950.") == [
        SAID,
        "The dam was built in 1950.",
    ]


def test_what_is_told_beside_manners_stands_alone():
    assert of(f"{SAID}\n\nI'm not a doctor, but the dose is 5 mg.") == [SAID, "The dose is 5 mg."]


def test_sources_that_are_asked_for_are_told():
    answer = "Iron is a metal.\n\n**Sources:**\n- Lentils\n- Liver"
    assert of(answer) == ["Iron is a metal."]
    found = statements(answer, "What are good sources of iron?")
    assert [statement.text for statement in found] == ["Iron is a metal.", "Lentils", "Liver"]


def test_a_bold_title_ends_the_sources():
    answer = f"{SAID}\n\n**Sources**\n1. Report\n**Fees**\nEntry costs $5."
    assert of(answer) == [SAID, "Entry costs $5."]


def test_a_source_may_be_what_is_told():
    told = "Source: Passage 3 says that it is the Ebb River."
    assert of(f"{SAID}\n\n{told}") == [SAID, told]
    assert of("References") == ["References"]
    assert of("The report includes:\n- References\n- Tables") == [
        "The report includes References",
        "The report includes Tables",
    ]


@pytest.mark.slow
@over("piece", ["a", "sorry for the !", "*a ", "<li>", "1. ", "[1] a\n"])
def test_a_long_answer_is_read_in_time(piece):
    begin = time.process_time()
    statements(piece * (40_000 // len(piece)))
    assert time.process_time() - begin < 10
