"""Is a record read as a person would read it, and prose left as it is?"""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._text.records import units
from assay._text.sentences import spans
from support.over import over

RECORD = (
    '{"name": "Finch & Fork", "hours": {"Monday": "17:30-23:0"}, "attributes": {"BusinessParking": '
    '{"garage": true, "lot": false}, "WiFi": "free", "Ambience": null}, "tags": ["Bars", "Food"], '
    '"review_info": [{"review_stars": 5.0, "review_text": "So \\"good\\". We\\u2019ll be back."}]}'
)
READ = [
    "name: Finch & Fork",
    "hours, Monday: 17:30-23:00 (5:30 PM to 11 PM)",
    "business parking, garage: yes",
    "business parking, lot: no",
    "WiFi: free",
    "Ambience: not given",
    "tags: Bars, Food",
    "review info, review stars: 5.0",
    'review info, review text: So "good".',
    "review info, review text: We’ll be back.",
]
CASES = {
    # Python's notation, a record within a string, prose around it.
    "I found {'name': \"Joe's\", 'parking': \"{'lot': False, 'street': None}\", 'WiFi': \"u'no'\"}. Ok?": [
        "I found", "name: Joe's", "parking, lot: no", "parking, street: not given", "WiFi: no", "Ok?",
    ],
    # Cut off at both ends.
    'ing": true}, "open": {"Monday": "9:0"}, "text": "A review that was c': [
        'ing": true},', "open, Monday: 9:00 (9 AM)", "text: A review that was c",
    ],
    '{"a": [1, 2': ["a: 1, 2"],
    '{"a": 1, "b"': ["a: 1", "b"],
    '{"a": 1,\n\nThen there is prose, with a comma. And more.': [
        "a: 1", "Then there is prose, with a comma.", "And more.",
    ],
    # Items of lists are told apart by their names, or counted.
    '[{"title": "Soup", "price": 4}, {"title": "Rice", "price": 3}]': [
        "title: Soup; price: 4", "title: Rice; price: 3",
    ],
    '{"v": [{"x": 1}, {"x": 2}]}': ["v 1, x: 1", "v 2, x: 2"],
    '{"x": 1}\n{"x": 2}': ["record 1, x: 1", "record 2, x: 2"],
    # Times, and what only looks like one.
    '{"openingTime": "9:5", "score": "2:1", "date": "2021-07-05 09:00:00"}': [
        "opening time: 9:05 (9:05 AM)", "score: 2:1", "date: 2021-07-05 09:00:00",
    ],
    # Two letters for a country or a state.
    '{"city": {"state": "CA", "country_code": "US"}, "grade": "CA"}': [
        "city, state: CA (California)", "city, country code: US (United States)", "grade: CA",
    ],
    # Tables.
    "Before.\n\n| City | Is_Capital |\n|---|:---:|\n| **Oslo** | True |\n| Bergen | |\n\nAfter.": [
        "Before.", "City: Oslo; Is Capital: yes", "City: Bergen", "After.",
    ],
    "| a | b |\n| c | d |": ["a; b", "c; d"],
    'name,age,city\nAnn,31,"Rome, Italy"\nBob,40,': [
        "name: Ann; age: 31; city: Rome, Italy", "name: Bob; age: 40",
    ],
    "Tool\tWeight\nSaw\t2 kg": ["Tool: Saw; Weight: 2 kg"],
    # Lines of keys and values.
    "Name: Finch\nHours:\n  Monday: 9:0-17:0\n  Sunday: closed\nOpenSince: 1990": [
        "Name: Finch", "Hours, Monday: 9:00-17:00 (9 AM to 5 PM)", "Hours, Sunday: closed",
        "open since: 1990",
    ],
}  # fmt: skip
PROSE = [
    "It was so [1]. He said {this}: that (x, y).\n\nNote: it ended. Then, on Monday, it began.",
    "One, two, three\nfour, five, six. And, so, on.",
    "Ann: Where were you?\nBob: I was out.",
    "f(x) = {x : x > 0} | a | b",
    'She wrote "yes": nobody knew why.',
    "",
]


def read(context):
    return [unit.text for unit in units(context)]


def test_a_record_is_read_value_by_value():
    assert read(RECORD) == READ
    assert read(json.dumps(json.loads(RECORD), indent=2)) == READ
    assert read(str(json.loads(RECORD))) == READ


@over("context", CASES)
def test_is_read_as_a_person_would(context):
    assert read(context) == CASES[context]


@over("context", PROSE)
def test_prose_is_taken_sentence_by_sentence(context):
    expected = [(start, end, context[start:end]) for start, end in spans(context)]
    if context.startswith("Ann"):
        expected = [(0, 20, "Ann: Where were you?"), (21, 36, "Bob: I was out.")]
    assert units(context) == expected


def test_spans_hold_what_was_read():
    for unit in units(RECORD):
        source = RECORD[unit.start : unit.end]
        assert unit.text.split(": ")[-1].split()[0].strip('"')[:2].lower() in (
            source.lower().replace("true", "yes").replace("false", "no").replace("null", "not")
        )


def test_no_half_of_a_surrogate_pair_is_left():
    assert read('{"a": "x \\ud83d\\ude00 \\ud83d y"}') == ["a: x 😀 \ufffd y"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=20,
)
fragments = st.lists(
    st.sampled_from(
        ['{"a": ', "{'b': ", "[", "]", "}", "{", ", ", '"', "'", "\\", ": ", "x", "1", "null", "\n",
         "| a | b |\n", "|---|---|\n", "a,b,c\n", "Key: v\n", "  Key:\n", "\t", "(", ")", "Prose. "]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(
    st.one_of(
        st.text(max_size=150),
        fragments,
        values.map(json.dumps),
        values.map(str),
        st.tuples(values.map(json.dumps), st.integers(0, 80), st.integers(0, 80)).map(
            lambda cut: "Text. " + cut[0][cut[1] : -cut[2] or None]
        ),
    )
)
def test_spans_are_exact_and_ordered_whatever_comes(context):
    end_before = 0
    for unit in units(context):
        assert end_before <= unit.start < unit.end <= len(context)
        assert unit.text.strip()
        unit.text.encode() if context.isascii() else None
        end_before = unit.end


@given(st.dictionaries(st.from_regex(r"[a-z]{3,8}", fullmatch=True), st.integers(), max_size=8))
def test_every_value_of_a_record_has_its_unit(record):
    expected = [f"{key}: {value}" for key, value in record.items()]
    assert read(json.dumps(record)) == expected or not record


def test_a_list_of_flat_objects_is_read_as_a_table():
    funds = {"funds": [{"fund": "Alpha", "fee": 3}, {"fund": "Beta", "fee": None}]}
    assert read(json.dumps(funds)) == [
        "funds: fund: Alpha; fee: 3", "funds: fund: Beta; fee: not given",
    ]  # fmt: skip


def test_a_name_and_its_value_are_read_as_a_key_and_its_value():
    specs = {"specs": [{"name": "Weight", "value": "180 g"}, {"name": "WiFi", "value": True}]}
    assert read(json.dumps(specs)) == ["specs, Weight: 180 g", "specs, WiFi: yes"]


def test_nested_objects_without_a_name_are_told_apart_by_their_first_strings():
    def nested(first, second):
        return json.dumps([{"kind": kind, "fee": {"eur": 3}} for kind in (first, second)])

    assert read(nested("Alpha", "Beta"))[1] == "Alpha, fee, eur: 3"
    assert read(nested("x", "x"))[1] == "record 1, fee, eur: 3"


@pytest.mark.slow
@over(
    "piece",
    ['{"a": ', "{'a'\n", '{"a": "b\n', "[", '["a", ', '{"a": [', "|", "a: b\n", "a,b,c\n", '"', "{ ", "\t",
     '{"a": 1} ', '"a": ', "{a: 1", "]", '{"a": "\\', "  k:\n"],
)  # fmt: skip
def test_hostile_texts_are_read_in_time(piece):
    begin = time.process_time()
    units(piece * (20_000 // len(piece)))
    assert time.process_time() - begin < 10
