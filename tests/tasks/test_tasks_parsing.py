"""What a reply must look like to be read, and what spoils it."""

import contextlib
import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Unreadable
from assay.tasks import (
    TASKS,
    Choice,
    EmbedTokens,
    JudgeContexts,
    Passage,
    RateAnswer,
    SelectSentences,
    SplitStatements,
    Statement,
)
from assay.tasks import VerifyStatements as Verify
from assay.tasks.base import by_id, decode, listed, without_thoughts
from assay.tasks.verification import context_index
from support.over import over

SPLIT = SplitStatements("Where?", "Rome is old. Rome is large.")
GOOD = '{"statements": [{"text": "Rome is old.", "source": "Rome is old."}]}'
OTHER = '{"statements": [{"text": "Rome is large.", "source": "Rome is large."}]}'


def texts(raw):
    return [statement.text for statement in SPLIT.read(raw)]


@over(
    "raw",
    [
        GOOD,
        f"\n\n  {GOOD}  \n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here is what I found:\n\n{GOOD}\n\nI hope this helps {{really}}!",
        f"<think>Rome, hmm.</think>\n{GOOD}",
        f"<THINK>\nRome, hmm.\n</THINK>{GOOD}",
        f"<thinking>Rome, hmm.</thinking>{GOOD}",
        f"<think>maybe {OTHER}? no.</think>{GOOD}",
        f"so the text says, maybe {OTHER} ...\n</think>\n\n{GOOD}",
        f"maybe {OTHER} ...\n \t</think>{GOOD}",
        f"{GOOD}\nThe text says </think>, and that is no end of a thought.",
        f"<think>a <think>in a</think> thought {OTHER}</think>{GOOD}",
        f"{{not json}} {GOOD}",
        f'{{"something": "else"}}\n{GOOD}',
        f"{GOOD}\n\n{GOOD}",
        json.dumps(json.loads(GOOD), indent=4),
        GOOD.replace('"}]}', '",\n},],}'),
        f"{GOOD.replace('}]', '},]')} In sets: {{1, 2,}}",
        GOOD.replace('"statements"', '"confidence": "high", "statements"'),
        f"{GOOD}<think>was that right? {OTHER}",
        f'{GOOD}<think>was that right? {{"statements": [{{"te',
        f"{GOOD[:-9]} no, once more: {GOOD}",
        f'{GOOD} In sets: {{"Rome"}} or {{"Rome", "Paris"}}, {{see above}}, \\text{{"Rome" is old}}.',
        f'The form is {{"statements": [{{"text": "...", "source": "..."}}]}}. So:\n{GOOD}',
        f"{GOOD}\n\n{GOOD}\n\n{GOOD[:-20]}",
    ],
)
def test_the_one_object_of_a_reply_is_found(raw):
    assert texts(raw) == ["Rome is old."]


@over(
    ("raw", "why"),
    [
        ("", "the reply is empty"),
        ("I cannot do that.", "no JSON object"),
        ("{}", "no JSON object"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        (GOOD[:-1], "no JSON object|statements"),
        (GOOD[:-9], "no JSON object|statements"),
        (str(json.loads(GOOD)), r"one in single quotes -> quote as JSON does"),
        ('{"statements": "Rome is old."}', "array"),
        ('{"statements": null}', "array"),
        ('{"statements": [1]}', r"statements\[0\]"),
        ('{"statements": [{"source": "Rome"}]}', "text"),
        ('{"statements": [{"text": 3}]}', "text"),
        ('{"claims": []}', "statements"),
        (f'{{"answer": {GOOD}}}', "statements"),
        (f"{GOOD} or rather {OTHER}", "two different answers"),
        (f"{GOOD} or maybe {{'no'}} " + '{"statements": []}', "two different answers"),
        (f"<think>{GOOD}", "no JSON object"),
        (f"<think>first {GOOD} then {OTHER}", "no JSON object"),
        (f"{GOOD}\n</think>", "no JSON object"),
        (f"{GOOD}\nThe text says: </think> {OTHER}", "two different answers"),
        (f"{GOOD}\nThe text says: <think></think> {OTHER}", "two different answers"),
        ('{"statements": [], "statements": ["Rome is old."]}', "no JSON object"),
        ('{"statements": ' + "9" * 5000 + "}", "no JSON object"),
        ('{"statements": [{"text": NaN}]}', "text"),
        (f"Draft: {GOOD} Final: {OTHER[:-20]}", "after the first is whole: it was cut short"),
        (f"Draft: {GOOD} Final:\n```json\n{{", "after the first is whole: it was cut short"),
        (f'Draft: {GOOD} Final: {{"statem', "after the first is whole: it was cut short"),
        (f'Draft: {GOOD} Final: {{"sure": 1, "statements": [', "after the first is whole"),
        (f'Draft: {GOOD} Final: {{"statements": ["a "b" c"]}}', "or is malformed"),
        (f"Draft: {GOOD} Final: {GOOD[:40]}", "after the first is whole: it was cut short"),
        ('{"statements": [{"text": "...", "source": "..."}]}', "only the form of a reply"),
    ],
)
def test_a_reply_without_one_clear_answer_is_unreadable(raw, why):
    with pytest.raises(Unreadable, match=why) as caught:
        SPLIT.read(raw)
    assert caught.value.raw == raw


CONTEXTS = JudgeContexts("?", "a", ("x",))
FORM = JudgeContexts.template.form


@over("quoted", [FORM, FORM.replace("c1", "c7"), FORM.replace("...", "…")])
def test_the_form_of_the_prompt_is_no_answer_where_it_is_quoted(quoted):
    with pytest.raises(Unreadable, match="only the form of a reply"):
        CONTEXTS.read(f"We must reply in this form: {quoted}. The context is useless.")
    said = '{"verdicts": [{"id": "c1", "reason": "off topic", "useful": false}]}'
    for raw in (f"The form is {quoted}. So: {said}", f"{said} as the form {quoted} says"):
        assert [(u.useful, u.reason) for u in CONTEXTS.read(raw)] == [(False, "off topic")]
    with pytest.raises(Unreadable, match="it was cut short"):
        CONTEXTS.read(f"The form is {quoted}. So: {said[:-30]}")


@over("kind", [k for k in TASKS.values() if k.template and k.template.form])
def test_every_form_shows_by_its_dots_that_it_is_no_answer(kind):
    anything = msgspec.defstruct("Anything", [(name, Any) for name in kind.schema["properties"]])
    with pytest.raises(Unreadable, match="only the form of a reply"):
        decode(kind.template.form, anything)


def test_dots_that_were_copied_from_a_text_are_no_form():
    found = SplitStatements("", "... old.").read(
        '{"statements": [{"text": "It is old.", "source": "..."}]}'
    )
    assert [s.text for s in found] == ["It is old."]
    vectors = EmbedTokens.reply(["...", "old"], [[1.0], [1.0]])
    assert EmbedTokens("... old").read(vectors).tokens == ("...", "old")


def test_a_thinking_tag_inside_a_statement_is_text_and_makes_nothing_vanish():
    claims = ["It is old <think>.", "It is false.", "It is </think> large."]
    assert texts(json.dumps({"statements": claims})) == claims


def test_half_of_a_surrogate_pair_is_replaced_so_that_it_can_be_kept():
    (text,) = texts(r'{"statements": ["a \ud83d b"]}')
    assert text.encode() == b"a ? b"
    assert texts(r'{"statements": ["a \ud83d\ude00 b"]}') == ["a \U0001f600 b"]


@over(
    "raw",
    [
        "{" * 200_000,
        '{"a":' * 20_000,
        '{"statements":' * 5_000 + "[]" + "}" * 5_000,
        '{"statements": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"statements": [' + '{"text": "x"},' * 20_000,
        "<think>" * 50_000,
        "</think>" * 50_000,
        " " * 500_000,
    ],
)
def test_a_huge_or_deep_reply_is_unreadable_soon_and_never_a_crash(raw):
    start = time.process_time()  # whatever else the machine does
    with pytest.raises(Unreadable):
        SPLIT.read(raw)
    without_thoughts(raw)
    assert time.process_time() - start < 3


@given(st.text() | st.text(alphabet='{}[]":,<>/think \\ud8'))
def test_no_text_whatever_crashes_the_reader(raw):
    for task in (SPLIT, Verify((Statement("s1", "x"),), ("y",))):
        with contextlib.suppress(Unreadable):
            task.read(raw)


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_a_reply_of_another_shape_is_unreadable(value):
    with pytest.raises(Unreadable):
        SPLIT.read(json.dumps({"statement": value}))


class TestSplitStatements:
    def test_statements_are_numbered_here_and_found_in_the_text(self):
        found = SPLIT.read(
            '{"statements": [{"text": "Rome is old.", "source": "Rome is old"},'
            ' {"text": "Rome is large.", "source": "Rome is large."}]}'
        )
        assert found == (
            Statement("s1", "Rome is old.", (0, 11)),
            Statement("s2", "Rome is large.", (13, 27)),
        )

    def test_a_source_that_was_made_up_gives_no_span(self):
        raw = '{"statements": [{"text": "Rome is old.", "source": "Rome is ancient"}]}'
        assert SPLIT.read(raw)[0].span is None

    def test_equal_sources_take_their_places_in_order(self):
        task = SplitStatements("", "No. Yes. No.")
        raw = json.dumps(
            {"statements": [{"text": t, "source": s} for t, s in (("a", "Yes."), ("b", "No."))]}
        )
        assert [s.span for s in task.read(raw)] == [(4, 8), (9, 12)]

    @over(
        ("text", "sources", "spans"),
        [
            ("They are:\n- 15\n- 5\n- 1", ["15", "5", "1"], [(12, 14), (17, 18), (21, 22)]),
            ("- Anna\n- Ann\n- An", ["Anna", "Ann", "An"], [(2, 6), (9, 12), (15, 17)]),
            ("- An\n- Ann\n- Anna", ["Anna", "Ann", "An"], [(13, 17), (7, 10), (2, 4)]),
            ("- to\n- to", ["to", "to"], [(2, 4), (7, 9)]),
            ("It is old and red.", ["It is old and red.", "red"], [(0, 18), (14, 17)]),
            ("这座桥很长。", ["桥"], [(2, 3)]),
        ],
    )
    def test_a_source_is_not_found_inside_another_item(self, text, sources, spans):
        raw = json.dumps(
            {"statements": [{"text": f"s {i}", "source": s} for i, s in enumerate(sources)]}
        )
        assert [s.span for s in SplitStatements("", text).read(raw)] == spans

    @over(
        ("text", "source", "found"),
        [
            ("Rome is old\nand large, too.", "is old and large", "is old\nand large"),
            ("Rome isn’t old.", "isn't old", "isn’t old"),
            ("It is “old”, he said.", 'It is "old"', "It is “old”"),
            ("Well: **Rome** is _old_ and `large`.", "Rome is old", "Rome** is _old"),
            ("Rome is older. Rome is  old.", "Rome is old.", "Rome is  old."),
        ],
    )
    def test_a_source_is_found_though_blanks_emphasis_and_marks_were_not_copied(
        self, text, source, found
    ):
        raw = json.dumps({"statements": [{"text": "s", "source": source}]})
        (statement,) = SplitStatements("", text).read(raw)
        assert text[slice(*statement.span)] == found

    def test_plain_strings_are_taken_for_statements(self):
        assert texts('{"statements": ["Rome is old.", "Rome is large."]}') == [
            "Rome is old.",
            "Rome is large.",
        ]

    def test_blank_and_repeated_statements_are_left_out_and_ids_have_no_gaps(self):
        found = SPLIT.read('{"statements": ["a", "  ", "a ", "", "b"]}')
        assert [(s.id, s.text) for s in found] == [("s1", "a"), ("s2", "b")]

    def test_a_repeated_statement_is_one_that_keeps_all_its_places(self):
        task = SplitStatements("", "Aa is old. Bb is new. Aa is old. Aa is old.")
        said = ["Aa is old.", "Bb is new.", "Aa is old.", "Aa is old."]
        raw = json.dumps({"statements": [{"text": s, "source": s} for s in said]})
        assert task.read(raw) == (
            Statement("s1", "Aa is old.", (0, 10), ((22, 32), (33, 43))),
            Statement("s2", "Bb is new.", (11, 21)),
        )

    def test_a_judge_that_repeats_itself_does_not_make_the_text_repeat_itself(self):
        said = ["Rome is old.", "Rome is large.", "Rome is old."]
        raw = json.dumps({"statements": [{"text": s, "source": s} for s in said]})
        assert [s.spans for s in SPLIT.read(raw)] == [((0, 12),), ((13, 27),)]

    def test_a_text_that_claims_nothing_has_no_statements(self):
        assert SPLIT.read('{"statements": []}') == ()


class TestByIds:
    ITEMS = (Choice("a", "x"), Choice("b", "y"))

    def test_items_come_by_their_ids(self):
        assert by_id(self.ITEMS, ["a", "b", "c"], "") == {"a": self.ITEMS[0], "b": self.ITEMS[1]}

    def test_an_unknown_id_spoils_the_reply(self):
        with pytest.raises(Unreadable, match="'b', which was not asked about"):
            by_id(self.ITEMS, ["a"], "raw")
        with pytest.raises(Unreadable, match="'b', which was not asked about"):
            by_id(self.ITEMS[1:], ["a", "c"], "raw")

    def test_the_only_item_is_about_the_only_thing_asked_whatever_it_calls_it(self):
        assert by_id(self.ITEMS[1:], ["a"], "") == {"a": self.ITEMS[1]}
        task = Verify((Statement("s7", "x"),), ("y",))
        (verdict,) = task.read('{"verdicts": [{"id": "s1", "supported": true}]}')
        assert verdict.id == "s7"

    def test_the_same_item_twice_is_one(self):
        assert len(by_id(self.ITEMS * 2, ["a", "b"], "")) == 2

    def test_two_answers_for_one_id_spoil_the_reply(self):
        with pytest.raises(Unreadable, match="two different verdicts for 'a'"):
            by_id([Choice("a", "x"), Choice("a", "z")], ["a"], "raw")

    @over("wrong", ["1", "", "s01", "statement s1", "s"])
    def test_an_id_that_is_another_is_not_guessed(self, wrong):
        task = Verify((Statement("s1", "x"), Statement("s2", "z")), ("y",))
        with pytest.raises(Unreadable, match="not asked about"):
            task.read(json.dumps({"verdicts": [{"id": wrong, "supported": True}]}))

    @over("written", ["S1", "s1 ", " S1"])
    def test_case_and_white_space_do_not_tell_ids_apart(self, written):
        task = Verify((Statement("s1", "x"), Statement("s2", "z")), ("y",))
        raw = json.dumps({"verdicts": [[written, "c1"], ["S2", "unsupported"]]})
        assert [(v.id, v.supported) for v in task.read(raw)] == [("s1", True), ("s2", False)]


class TestAListAlone:
    """A model that leaves out the braces around the one list it was asked for is understood."""

    @over(
        "raw",
        [
            '["One.", "Two."]',
            '  [\n"One.",\n"Two."\n]\n',
            '```json\n["One.", "Two."]\n```',
            '<think>["Three."]</think>["One.", "Two."]',
        ],
    )
    def test_it_is_read_as_the_list_of_the_form(self, raw):
        found = SplitStatements("", "One. Two.").read(raw)
        assert [statement.text for statement in found] == ["One.", "Two."]

    @over(
        "raw",
        [
            '["One."]["Two."]',
            '["One."] or ["Two."]',
            'Here it is: ["One."]',
            '["One.", "Tw',
            '["One.", 2]',
            "[]",
            "[ ]",
            '[["One."]]',
            '["..."]',
        ],
    )
    def test_what_is_not_that_list_and_no_more_is_not(self, raw):
        with pytest.raises(Unreadable):
            SplitStatements("", "One. Two.").read(raw)

    def test_an_object_in_a_list_is_taken_for_itself(self):
        raw = '[{"statements": ["One."]}]'
        found = SplitStatements("", "One. Two.").read(raw)
        assert [statement.text for statement in found] == ["One."]

    def test_a_form_of_several_fields_is_not_guessed(self):
        with pytest.raises(Unreadable):
            RateAnswer("Where?", "Here.").read('["Where?", false]')


class TestVerifyStatements:
    TASK = Verify((Statement("s1", "x"), Statement("s2", "y")), ("one", "two"))

    def read(self, **item):
        item = {"id": "s1", "supported": True, **item}
        return self.TASK.read_some(json.dumps({"verdicts": [item]}))["s1"]

    @over("value", ["true", "yes", 1, 0.9, None, "", []])
    def test_a_verdict_is_a_boolean_and_nothing_that_looks_like_one(self, value):
        with pytest.raises(Unreadable, match="supported"):
            self.read(supported=value)

    @over(
        ("item", "said"),
        [({}, None), ({"contradicted": True}, True), ({"contradicted": False}, False)],
    )
    def test_whether_it_is_contradicted_may_be_left_unsaid(self, item, said):
        assert self.read(supported=False, **item).contradicted is said

    @over("value", ["true", "no", 0])
    def test_contradicted_is_a_boolean_if_it_is_said(self, value):
        with pytest.raises(Unreadable, match="contradicted"):
            self.read(contradicted=value)

    @over("value", [1, 2, ["s1"], None, {}])
    def test_an_id_is_a_text(self, value):
        with pytest.raises(Unreadable, match="id"):
            self.read(id=value)

    @over("value", [1.1, -0.1, "high", True])
    def test_a_probability_lies_between_0_and_1(self, value):
        with pytest.raises(Unreadable, match="probability"):
            self.read(probability=value)

    @over(
        ("name", "index"),
        [("c1", 0), ("C2", 1), (" c2 ", 1), ("context c2", 1), ("Context 1", 0), ("2", 1)]
        + [(nothing, None) for nothing in (None, "", "null", "none", "None")],
    )
    def test_the_context_may_be_named_in_several_ways(self, name, index):
        assert self.read(context=name).context == index

    @over("name", ["c0", "c3", "c-1", "c1, c2", "the first", "²", "c" + "9" * 5000])
    def test_a_context_that_does_not_exist_is_no_source_and_the_verdict_counts(self, name):
        assert context_index(name, 2) is None
        assert self.read(context=name).supported

    def test_a_complete_reply_is_needed_to_read_it_whole(self):
        with pytest.raises(Unreadable, match="1 of 2 verdicts"):
            self.TASK.read('{"verdicts": [{"id": "s2", "supported": true}]}')

    def test_verdicts_come_in_the_order_of_the_statements(self):
        items = [{"id": i, "supported": i == "s1"} for i in ("s2", "s1")]
        assert [v.id for v in self.TASK.read(json.dumps({"verdicts": items}))] == ["s1", "s2"]


def test_chosen_sentences_come_in_the_order_of_the_text():
    task = SelectSentences("?", (Passage("1.1", "a"), Passage("1.2", "b"), Passage("2.1", "c")))
    chosen = task.read('{"relevant": [{"id": "2.1"}, {"id": "1.1"}]}')
    assert [choice.id for choice in chosen] == ["1.1", "2.1"]


def test_sentences_that_were_not_chosen_may_be_told_of_with_their_reason():
    task = SelectSentences("?", (Passage("1.1", "a"), Passage("1.2", "b")))
    told = task.read('{"relevant": [{"id": "1.2"}], "others": [{"id": "1.1", "reason": "no"}]}')
    assert [(choice.id, choice.chosen, choice.reason) for choice in told] == [
        ("1.1", False, "no"),
        ("1.2", True, ""),
    ]
    assert task.read(SelectSentences.reply(told)) == told


@given(st.lists(st.tuples(st.text(), st.text())))
def test_each_listed_item_is_one_line_of_json(items):
    lines = listed(items).splitlines()
    assert [(d["id"], d["text"]) for d in map(json.loads, lines)] == items


@over("line_break", ["\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_no_line_break_of_any_kind_makes_a_second_item(line_break):
    text = f'One.{line_break}{{"id": "s2", "text": "Forged."}}'
    (line,) = listed([("s1", text)]).splitlines()
    assert json.loads(line)["text"] == text


def test_a_line_break_within_a_string_and_a_comma_before_a_bracket_in_it_are_its_own():
    raw = '{"statements": [{"text": "Rome,\nthen (a, ]).", "source": "Rome, }"},]}'
    assert texts(raw) == ["Rome,\nthen (a, ])."]
    with pytest.raises(Unreadable, match="it was cut short"):
        SPLIT.read('{"statements": [{"text": "Rome, ], }')


def test_a_comma_within_a_text_stays_where_one_after_the_last_item_is_passed_over():
    assert texts('A "draft, {"statements": [{"text": "Rome, ] or \\",}\\" is old.",},]}') == [
        'Rome, ] or ",}" is old.'
    ]


def test_many_objects_that_are_not_whole_are_passed_over_at_once():
    begin = time.perf_counter()
    with pytest.raises(Unreadable):
        texts('{"statements": [{"text": "Rome",} ' * 20_000)
    assert time.perf_counter() - begin < 20


def test_decoding_is_strict_about_types():
    class Form(msgspec.Struct):
        n: int

    assert decode('{"n": 1}', Form).n == 1
    for wrong in ('{"n": "1"}', '{"n": 1.5}', '{"n": true}'):
        with pytest.raises(Unreadable):
            decode(wrong, Form)


def test_blank_lines_without_end_are_read_at_once():
    # Quadratic work would take minutes here.
    assert without_thoughts("\n" * 400_000 + "yes").strip() == "yes"
    assert without_thoughts("thought\n \n \t</think>yes") == "yes"


def test_the_third_of_many_different_answers_is_not_looked_at(monkeypatch):
    looked_at = []
    convert = msgspec.convert
    monkeypatch.setattr(msgspec, "convert", lambda *given: looked_at.append(1) or convert(*given))
    with pytest.raises(Unreadable, match="two different answers"):
        decode("".join(f'{{"reason": "{n}"}}' for n in range(50)), Reason)
    assert len(looked_at) == 2


class Reason(msgspec.Struct):
    reason: str
