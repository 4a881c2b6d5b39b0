"""Are statements traceable, self-contained where safe, and never invented?"""

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.clauses import statements

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
    ("", "The cats are small. It is raining.", ["The cats are small.", "It is raining."]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer", "expected"), CASES)
def test_statements(question, answer, expected):
    assert [statement.text for statement in statements(answer, question)] == expected


ANSWERS = tomllib.loads(Path(__file__).with_name("statements.toml").read_text("utf-8"))["case"]
REACHED = [case for case in ANSWERS if "open" not in case]


@pytest.mark.parametrize("case", REACHED, ids=[case["about"] for case in REACHED])
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


@pytest.mark.parametrize(
    "piece",
    ["The dog was red and ran to it, and the cat is old; it is big. ", "the a and was ", "- a:\n  ",
     "| a | b |\n|---|---|\n", "```\n", "A: b: ", "He was, and is, ", "- x y\n"],
)  # fmt: skip
def test_long_answers_take_no_long_time(piece):
    begin = time.process_time()
    statements(piece * (10_000 // len(piece)))
    assert time.process_time() - begin < 5


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
