"""The statements of an answer."""

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._text.statements import statements
from support.over import over

CASES = [
    ("", "Paris", ["Paris"]),
    ("Who is Ann Lee?", "She was born in 1867, and she won a prize.",
     ["Ann Lee was born in 1867", "Ann Lee won a prize."]),
    ("", "Sure! Here are the steps:\n1. Open the file.\n2. Close it.\nI hope this helps!",
     ["Open the file.", "Close it."]),
    ("", "The moons of Jupiter are:\n- Io\n- Europa",
     ["The moons of Jupiter are Io", "The moons of Jupiter are Europa"]),
    ("", "Starship was built by SpaceX. Its engines are Raptors.",
     ["Starship was built by SpaceX.", "Starship's engines are Raptors."]),
    ("", "The law was passed in 1990; the court upheld it.",
     ["The law was passed in 1990", "The court upheld it."]),
    ("", "If it rains, the road is wet, and the brakes are weak.",
     ["If it rains, the road is wet, and the brakes are weak."]),
    ("", "She said that it was late, and he was tired of it.",
     ["She said that it was late, and he was tired of it."]),
    ("", "## Summary\n**Height:** It is 120 m tall [1].", ["Height: It is 120 m tall."]),
    ("", "It is hot. Would you like to know more?", ["It is hot."]),
    ("", "It is important to rest.", ["It is important to rest."]),
    ("What is a cat?", "I don't know.", []),
    ("", "Hello! How can I help you today?", []),
    ("", "", []),
    ("", "Sure, the gate is open until 9 pm", ["The gate is open until 9 pm"]),
    ("Is Mill Gate open?", "Sure, it is open until 9 pm", ["Mill Gate is open until 9 pm"]),
    ("", "Ok, the limit is 5 MB", ["The limit is 5 MB"]),
    ("", "No problem, refunds take 5 days", ["Refunds take 5 days"]),
    ("", "Hi there, the museum opens at 9", ["The museum opens at 9"]),
    ("", "Sorry but the tower was closed in 1990", ["Sorry but the tower was closed in 1990"]),
    ("", "Of course the tower is 330 m tall", ["Of course the tower is 330 m tall"]),
    ("", "Thanks to the treaty, the war ended", ["Thanks to the treaty, the war ended"]),
    ("", "Hello Kitty was created in 1974", ["Hello Kitty was created in 1974"]),
    ("", "Okay is a town in Oklahoma", ["Okay is a town in Oklahoma"]),
    ("", "Hi-Fi means high fidelity", ["Hi-Fi means high fidelity"]),
    ("", "Sure thing! The gate is open. Thank you so much for asking!", ["The gate is open."]),
    ("", "Hello Ann,\n\nThe gate is open.\n\nSure, I can help you with that.",
     ["The gate is open."]),
    ("", "Sure, I don't know", []),
    ("", "The cats are small. It is raining.", ["The cats are small.", "It is raining."]),
]  # fmt: skip


@over(("question", "answer", "expected"), CASES)
def test_statements(question, answer, expected):
    assert [statement.text for statement in statements(answer, question)] == expected


LINES = [
    ("Price: $20\nDelivery: 3 days", ["Price: $20", "Delivery: 3 days"]),
    ("Night: -5 °C\nNoise: <5 dB\nFee: €20\nRoom 4: 20 EUR\nIt is open.",
     ["Night: -5 °C", "Noise: <5 dB", "Fee: €20", "Room 4: 20 EUR", "It is open."]),
    ("Height: 330 m\nCost: $5 million\nOwner: City",
     ["Height: 330 m", "Cost: $5 million", "Owner: City"]),
    ("Anna Smith\nBob Lee\nCarl Roe", ["Anna Smith", "Bob Lee", "Carl Roe"]),
    ("Anna Smith\nBob Lee\n\nBoth sail.", ["Anna Smith", "Bob Lee", "Both sail."]),
    ("Paris\nRome\nBerlin", ["Paris", "Rome", "Berlin"]),
    ("Paris\n\nRome\n\nBerlin", ["Paris", "Rome", "Berlin"]),
    ("**Paris**\n**Rome**\n**Berlin**", ["Paris", "Rome", "Berlin"]),
    ("Red wine, 5 EUR\nWhite wine, 6 EUR", ["Red wine, 5 EUR", "White wine, 6 EUR"]),
    ("Step 1: Open the valve\nStep 2: Close the valve",
     ["Step 1: Open the valve", "Step 2: Close the valve"]),
    ("Step 1: Open the valve\n\nStep 2: Wait until the lamp is green.",
     ["Step 1: Open the valve", "Step 2: Wait until the lamp is green."]),
    ("A. 5 km\nB. 7 km", ["A. 5 km", "B. 7 km"]),
    ("The winner stands below.\n\nIda Moe", ["The winner stands below.", "Ida Moe"]),
    ("The winners are:\nIda Moe\nBob Lee", ["The winners are Ida Moe", "The winners are Bob Lee"]),
    ("The winners are:\n- Ida Moe\n\nBob Lee\nCarl Roe",
     ["The winners are Ida Moe", "Bob Lee", "Carl Roe"]),
    # A title over a heading over a text.
    ("My soup\n\nPreparation\n\nHeat the oil.", ["Heat the oil."]),
    ("**My soup**\n**Preparation**\nHeat the oil.", ["Heat the oil."]),
]  # fmt: skip


@over(("answer", "expected"), LINES)
def test_lines_with_nothing_beneath_them_are_no_headings(answer, expected):
    assert [statement.text for statement in statements(answer)] == expected


CODE = [
    ("Install it.\n```pip install x```\nIt is new.", ["Install it.", "It is new."]),
    ("The call ```ls``` is short.\nThe end is near.",
     ["The call ls is short.", "The end is near."]),
    ("```ls``` is short.\nThe end is near.", ["Ls is short.", "The end is near."]),
    ("````\na\n```\nb\n````\nThe end is near.", ["The end is near."]),
    ("```py\na\n`````\nThe end is near.", ["The end is near."]),
    ("```py\r\na\r\n```\r\nThe end is near.", ["The end is near."]),
    ("~~~ a`b\nc\n~~~\nThe end is near.", ["The end is near."]),
]  # fmt: skip


@over(("answer", "expected"), CODE)
def test_code_ends_where_its_fence_is_closed(answer, expected):
    assert [statement.text for statement in statements(answer)] == expected


@over("rule", ["|-|-|", "|:-:|-:|", "-|-"])
def test_one_dash_a_column_is_a_rule_of_a_table(rule):
    found = statements(f"| City | Size |\n{rule}\n| Paris | 2 |\n| Rome | 3 |\n\nThat is all.")
    texts = [statement.text for statement in found]
    assert texts == ["City: Paris; Size: 2", "City: Rome; Size: 3", "That is all."]


def test_a_lone_dash_without_a_bar_is_no_rule_of_a_table():
    assert statements("Paris | Rome\n-\nThat is all.")[0].text == "Paris | Rome"


ANSWERS = tomllib.loads(Path(__file__).with_name("statements.toml").read_text("utf-8"))["case"]
REACHED = [case for case in ANSWERS if "open" not in case]


@over("case", REACHED)
def test_answers_are_taken_apart_as_a_reader_would(case):
    found = statements(case["answer"], case.get("question", ""))
    assert [statement.text for statement in found] == case["statements"]


def test_what_is_not_reached_is_left_whole():
    found = made = wanted = 0
    for case in ANSWERS:
        texts = [s.text for s in statements(case["answer"], case.get("question", ""))]
        found += len(set(texts) & set(case["statements"]))
        made += len(texts)
        wanted += len(case["statements"])
    assert found / made > 0.97
    assert found / wanted > 0.96


@pytest.mark.slow
@over(
    "piece",
    ["The dog was red and ran to it, and the cat is old; it is big. ", "the a and was ", "- a:\n  ",
     "| a | b |\n|---|---|\n", "```\n", "A: b: ", "He was, and is, ", "- x y\n",
     "Anna Roe\n", "Step 1: a b\n", "Sure, ", "Thanks so much ", "``` a\n", "````a```\n"],
)  # fmt: skip
def test_long_answers_take_no_long_time(piece):
    begin = time.process_time()
    statements(piece * (10_000 // len(piece)))
    assert time.process_time() - begin < 5


def test_a_long_sentence_of_clauses_takes_linear_time():
    begin = time.process_time()
    statements("The dog was red and names the cat " * 2_400)
    assert time.process_time() - begin < 5


@over(
    ("answer", "count"),
    [
        ("The dog was red and names the cat and was old.", 3),
        ("The dog was red and cakes the cat and was old.", 3),
        # Nothing behind the dash is surely of the dog.
        ("The dog was red and names the cat - and names the owl and was old.", 2),
        ("The dog was red and names (the cat and was old) in it.", 1),
    ],
)
def test_a_predicate_is_found_behind_one_that_was_passed_over(answer, count):
    assert len(statements(answer)) == count


fragments = st.lists(
    st.sampled_from(
        ["It ", "He ", "Ann Lee ", "was ", "born", ", and ", "; ", "she ", "the dog ", "is ", ". ",
         ":\n", "- ", "\n", "1. ", "? ", "**", "[1]", "While ", "they ", "are ", "x",
         "and died ", "Yes, ", "A: ", "```\n", "| a | b |\n", "|---|---|\n", "  - ", "However, "]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(st.one_of(st.text(max_size=150), fragments), st.text(max_size=40))
def test_spans_lie_in_the_answer_in_order(answer, question):
    end_before = 0
    for statement in statements(answer, question):
        assert end_before <= statement.start < statement.end <= len(answer)
        assert statement.text.strip()
        end_before = statement.end


def test_a_power_is_no_mark_up():
    answer = "The **key** space is 2**64, and __that__ is x**2 * y**3."
    assert [s.text for s in statements(answer, whole=True)] == [
        "The key space is 2**64, and that is x**2 * y**3."
    ]
