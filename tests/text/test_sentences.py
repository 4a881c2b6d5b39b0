"""Do sentence spans slice back, keep order and cut where a reader would?"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.sentences import sentences, spans

CASES = {
    "Dr. Smith met J. K. Rowling. They talked.": ["Dr. Smith met J. K. Rowling.", "They talked."],
    "It cost $3.50 in the U.S. Army shop.": ["It cost $3.50 in the U.S. Army shop."],
    "He moved to the U.S. The rest stayed.": ["He moved to the U.S.", "The rest stayed."],
    "Fruit, e.g. apples, is good. Eat it.": ["Fruit, e.g. apples, is good.", "Eat it."],
    '"Why?" he asked. She left!': ['"Why?" he asked.', "She left!"],
    "See https://a.example/b.c?d=e.f now. Done.": ["See https://a.example/b.c?d=e.f now.", "Done."],
    "It held the record.The next did not.": ["It held the record.", "The next did not."],
    "It is big.[2] It is old.": ["It is big.[2]", "It is old."],
    "Items:\n- one thing\n* Two. Three.\n2) four": [
        "Items:",
        "one thing",
        "Two.",
        "Three.",
        "four",
    ],
    "A line that\ngoes on here.\n\nNext one": ["A line that\ngoes on here.", "Next one"],
    "# Title\nText follows": ["Title", "Text follows"],
    "中文句子。第二句！好吗？": ["中文句子。", "第二句！", "好吗？"],
    "It was 1998. The war began.": ["It was 1998.", "The war began."],
    "Steps: 1. Open it. 2. Close it.": ["Steps: 1. Open it.", "2. Close it."],
    "it is red. it is blue.": ["it is red.", "it is blue."],
    "Ok. . Fine ...": ["Ok.", "Fine ..."],
    "": [],
    " \n\t- \n...": [],
}


@pytest.mark.parametrize("text", CASES)
def test_cuts_where_a_reader_would(text):
    assert sentences(text) == CASES[text]


prose = st.text(st.sampled_from("aB1.?!。 \n\r\t\"')]-•#:,é\u2028"), max_size=80)


@given(st.one_of(st.text(max_size=200), prose))
def test_spans_are_exact_ordered_and_lose_no_word(text):
    found = spans(text)
    end_before = 0
    for start, end in found:
        assert end_before <= start < end <= len(text)
        piece = text[start:end]
        assert piece == piece.strip()
        assert any(char.isalnum() for char in piece)
        end_before = end


@given(st.text(st.sampled_from("ab.?! \n"), max_size=80))
def test_no_letter_is_lost(text):
    kept = "".join(sentences(text))
    assert [c for c in kept if c.isalpha()] == [c for c in text if c.isalpha()]


def test_is_linear():
    text = "This is a sentence of a few words, by Mr. Smith of the U.S. in 1990. " * 3000
    begin = time.perf_counter()
    assert len(spans(text)) > 2999
    assert time.perf_counter() - begin < 5
    for hostile in ("." * 50_000, "a" * 50_000, "(" * 50_000, "\n" * 50_000, "- " * 25_000):
        begin = time.perf_counter()
        spans(hostile)
        assert time.perf_counter() - begin < 5
