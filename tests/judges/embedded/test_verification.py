"""Does support follow the contexts, and does the reason name what decides?"""

import json

from hypothesis import given
from hypothesis import strategies as st

from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import DENIED, shorten, support
from support.over import over

READER = Reader(threads=2)
CONTEXTS = [
    "The Eiffel Tower is an iron tower in Paris. It was built in 1889. Sales rise in May.",
    "Bananas are rich in potassium. They are yellow when ripe.",
]  # fmt: skip


def check(statement):
    (found,) = support([statement], CONTEXTS, READER)
    return found


def test_supported():
    found = check("The Eiffel Tower was built in 1889.")
    assert found.supported
    assert found.context == 0
    assert found.sentence in CONTEXTS[0]
    assert "built in 1889" in found.sentence


@over(
    ("good", "bad", "named"),
    [
        ("The Eiffel Tower was built in 1889.", "The Eiffel Tower was built in 1887.", "'1887'"),
        ("The Eiffel Tower is in Paris.", "The Eiffel Tower is in Rome.", "'Rome'"),
        ("Sales rise in May.", "Sales fall in May.", "opposite"),
        ("Bananas are rich in potassium.", "Bananas are not rich in potassium.", "negated"),
    ],
)
def test_a_changed_fact_lowers_the_probability_and_is_named(good, bad, named):
    assert check(bad).probability < check(good).probability
    assert named in check(bad).reason


@over("text", ["It is red.", "Bananas are rich in potassium.", "Yes."])
def test_what_stands_there_word_by_word_is_supported(text):
    (found,) = support([text], [f"{text} Something else is said here."], READER)
    assert found.supported


@over(("answer", "right"), [("Paris", True), ("Berlin", False), ("42", False)])
def test_of_a_phrase_the_answer_is_judged_and_not_the_question(answer, right):
    question = "What is the capital of France?"
    (found,) = support([f"{question} {answer}"], ["Paris is the capital of France."], READER)
    assert found.supported is right


@over(("minus", "other"), [("-", "\u2212"), ("\u2212", "-"), ("-", "-")])
def test_a_minus_is_read(minus, other):
    contexts = [f"Temp is {minus}5 °C."]
    good, bad = (
        support([f"The temperature is {sign}5 °C."], contexts, Reader(1))[0] for sign in (other, "")
    )
    assert (good.supported, bad.supported) == (True, False)


def test_no_context_supports_nothing():
    for contexts in ([], ["", " \n"]):
        (found,) = support(["It is."], contexts, READER)
        assert (found.probability, found.supported, found.context) == (0.0, False, None)


def test_no_statement_no_support():
    assert support([], CONTEXTS, READER) == []


def test_long_contexts_keep_their_evidence():
    filler = "".join(
        f"Item {i} is stored in room {i + 7}. " for i in range(300)
    )  # six windows long
    (found,) = support(["Bananas are rich in potassium."], [filler + CONTEXTS[1]], READER)
    assert found.supported
    assert "potassium" in found.sentence


def test_a_record_without_full_stops_is_evidence():
    more = {f"{key}{n}": n for n in range(20) for key in ("Parking", "Noise", "Delivery", "Price")}
    record = json.dumps({"name": "Blue Cafe", "city": "Rome", "OutdoorSeating": True, **more})
    (found,) = support(["City: Rome."], [record], READER)
    assert (found.supported, found.sentence) == (True, '"city": "Rome"')


@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_gets_a_probability_and_an_exact_sentence(statement, contexts):
    (found,) = support([statement], contexts, READER)
    assert 0 <= found.probability <= 1
    if found.context is not None:
        assert found.sentence in contexts[found.context]


def test_unsupported_words_are_marked_and_supported_statements_are_not():
    assert check("The Eiffel Tower was built in 1889.").spans == ()
    bad = check("The Eiffel Tower was built in 1887.")
    assert any(start < 34 <= end for start, end in bad.spans)


@given(st.lists(st.text(max_size=300), max_size=4), st.lists(st.text(max_size=300), max_size=3))
def test_any_text_is_judged_and_marks_lie_within_it(statements, contexts):
    for statement, found in zip(statements, support(statements, contexts, READER), strict=True):
        assert 0 <= found.probability <= 1
        assert not (found.supported and (found.spans or found.contradicted))
        assert all(0 <= start <= end <= len(statement) for start, end in found.spans)


@over(
    ("statement", "context"),
    [
        ("The camera has 12 MP.", "It has a camera of 12 megapixels."),
        ("Revenue rose 12% in Q3.", "In the third quarter revenue rose 12 percent."),
        ("Sales reached $4.2M.", "Sales reached 4.2 million dollars."),
        ("The flight takes 2h.", "The flight takes two hours."),
    ],
)
def test_a_fact_written_in_another_way_is_supported(statement, context):
    (found,) = support([statement], [context], READER)
    assert found.supported
    assert found.sentence == context


def test_marks_and_evidence_stand_as_they_were_written():
    context = "In Q3 revenue rose 12 percent to $4.2M."
    (found,) = support(["Revenue fell to 9 million dollars in Q3."], [context], READER)
    assert not found.supported
    assert found.sentence == context
    assert any(
        "9 million dollars" in "Revenue fell to 9 million dollars in Q3."[a:b]
        for a, b in found.spans
    )


@over(
    ("context", "said"),
    [
        ("It is a myth that the bank failed in 1931.", False),
        ("There is no evidence that the bank failed in 1931, as he wrote.", False),
        ("It is not a myth that the bank failed in 1931.", True),
        ("It is not false that the bank failed in 1931.", True),
        ("It isn't a myth that the bank failed in 1931.", True),
        ("He thought it wrong that the bank failed in 1931.", True),
        ("The rumour that the bank failed in 1931 was confirmed.", True),
        ("It is a myth that the bank failed in 1931. In fact the bank failed in 1931.", True),
    ],
)
def test_what_the_contexts_only_reject_is_not_supported(context, said):
    (found,) = support(["The bank failed in 1931."], [context], READER)
    assert (found.probability == DENIED) is not said
    assert found.contradicted is not said
    assert found.reason.startswith("The evidence mentions it only to reject it") is not said


def test_a_long_sentence_is_cut_between_words():
    assert shorten("word " * 39 + "25.200600") == "word " * 38 + "word…"
    assert shorten("x" * 300) == "x" * 199 + "…"


DELIVERY = "Orders over 50 euros are delivered free of charge. A parcel may weigh up to 30 kg."


@over(
    "statement",
    [
        "Delivery is free for orders above 50 euros.",
        "Delivery is free for orders of more than 50 euros.",
        "Orders exceeding 50 euros are delivered free of charge.",
        "Parcels may weigh no more than 30 kg.",
        "Parcels may weigh at most 30 kg.",
    ],
)
def test_a_limit_in_other_words_is_the_same_limit(statement):
    (verdict,) = support([statement], [DELIVERY], Reader(threads=1))
    assert verdict.probability > 0.7


RULES = (
    "The museum is closed on Mondays. Dogs are not allowed on the beach in summer. Visitors must "
    "register at the front desk before entering the lab. Unused data does not carry over."
)


@over(
    ("statement", "right"),
    [
        ("No, the museum is closed on Mondays.", True),
        ("No, dogs are not allowed on the beach in summer.", True),
        ("No, unused data doesn't carry over.", True),
        ("Yes, the museum is closed on Mondays.", True),
        ("Yes, dogs are allowed on the beach in summer.", False),
        ("No, the museum is open on Mondays.", False),
    ],
)
def test_a_yes_or_no_before_a_sentence_denies_nothing_more(statement, right):
    (verdict,) = support([statement], [RULES], Reader(threads=1))
    assert (verdict.probability > 0.8) is right
    assert (verdict.probability < 0.2) is not right


def test_a_noun_that_begins_a_sentence_is_no_name():
    # "Guests" may be these visitors; "Ann" is no Ben.
    said, named = support(
        ["Guests must register at the front desk before entering the lab.", "Ann leaked the plan."],
        [RULES, "Ben leaked the plan."],
        Reader(threads=1),
    )
    assert said.probability > DENIED
    assert named.probability <= DENIED
