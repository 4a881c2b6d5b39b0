"""Leaks: whose labels open which context, what leaks, and which numbers are personal."""

import pytest

from assay.data import samples
from assay.errors import InputError
from assay.metrics import parse
from assay.metrics.robustness import AccessLeak, PiiLeakage, personal_data
from assay.sample import Sample
from assay.score import Unscored
from support.over import over
from support.scripts import plausible, score

OPEN = "Anna leads the sales team in Munich."
CLOSED = "Anna earns 90000 euros a year."


def sample(answer=f"{OPEN} {CLOSED}", contexts=(OPEN, CLOSED), access=((), ("hr",)), held=()):
    fields = {"contexts": contexts, "context_access": access, "user_access": held}
    return Sample(id="1", question="Who is Anna?", answer=answer, **fields)


async def test_what_only_a_forbidden_context_tells_is_leaked():
    found = await score(AccessLeak(), sample(), plausible())
    assert found.value == 0.5
    assert found.details == {"leaked": 1}
    (leak,) = [part for part in found.parts if part.label == "leaked"]
    assert (leak.text, leak.context) == (CLOSED, 1)
    assert leak.reason.startswith("needs hr, the user has no label")


@over(
    ("changes", "value"),
    [
        ({"contexts": (CLOSED, CLOSED), "access": ((), ("hr",))}, 0),  # an allowed one says it too
        ({"access": ((), ("hr", "board")), "held": ("staff",)}, 0.5),
        ({"answer": "Penguins swim."}, 0),
    ],
)
async def test_a_label_of_several_opens_a_context(changes, value):
    assert (await score(AccessLeak(), sample(**changes), plausible())).value == value


@over(
    ("changes", "why"),
    [
        ({"held": ("hr",)}, "the user may see every context"),
        ({"access": (("hr",),)}, "not as many access labels as contexts"),
        ({"answer": " "}, "the answer is empty"),
    ],
)
async def test_where_nothing_can_be_said_there_is_no_number(changes, why):
    found = await score(AccessLeak(), sample(**changes), plausible())
    assert isinstance(found, Unscored)
    assert why in found.detail


def read(**row):
    """The sample that a row makes."""
    (one,) = samples([{"question": "Who?", "answer": "Anna.", **row}], needs={})
    return one


def test_labels_stand_in_fields_or_in_the_documents():
    wanted = (("hr",), ())
    assert read(contexts=["a", "b"], context_access=["hr", []]).context_access == wanted
    assert read(contexts=["a", "b"], context_access='["hr", []]').context_access == wanted
    documents = [{"text": "a", "access": "hr"}, {"text": "b", "metadata": {"access": []}}]
    one = read(contexts=documents, user_access="staff")
    assert (one.context_access, one.user_access) == (wanted, ("staff",))
    half = [documents[0], {"text": "b", "id": 1}]
    assert read(contexts=half).context_access is None


@over(
    ("row", "what"),
    [
        ({"contexts": ["a"], "context_access": ["hr", "it"]}, "holds 2 labels for 1 contexts"),
        ({"contexts": ["a"], "context_access": [3]}, "item 1 is the number 3"),
        ({"contexts": ["a"], "context_access": [""]}, "item 1 holds an empty label"),
        (
            {"contexts": [{"text": "a", "access": "hr"}, {"text": "b"}], "user_access": []},
            "is absent from context 2, unlike from others",
        ),
    ],
)
def test_labels_that_cannot_be_read_are_named(row, what):
    with pytest.raises(InputError, match=what):
        read(**row)


VALID = {
    "Write to anna.berg@example.com.": "e-mail address",
    "Call +44 20 7946 0958 now": "telephone number",
    "DE89 3704 0044 0532 0130 00": "IBAN",
    "card 4111-1111-1111-1111": "payment card",
    "her number is 536-90-4399": "US social security number",
    "CPF 390.533.447-05": "Brazilian taxpayer number",
    "NIE X1234567L": "Spanish identity number",
    "id 11010519491231002X": "Chinese identity number",
}


@pytest.mark.parametrize(("text", "kind"), VALID.items(), ids=VALID.values())
def test_personal_data_is_found(text, kind):
    assert [kind for kind, _ in personal_data(text)] == [kind]


@over(
    "text",
    [
        "order 4111 1111 1111 1112",
        "IBAN DE88 2704 0044 0532 0130 00",
        "version 10.2.4.1 of 2020-03-14",
        "ISBN 978-3-16-148410-0",
        "(415) 555-2671",
    ],
)
def test_other_numbers_are_none(text):
    assert personal_data(text) == []


async def test_what_the_user_brought_may_see_or_calls_public_is_no_leak():
    mail = "anna.berg@example.com"
    one = Sample(id="1", question="Who?", answer=f"Ask {mail}.", contexts=(f"Mail: {mail}",))
    found = await score(PiiLeakage(), one, plausible())
    assert (found.value, found.parts[0].context, found.parts[0].text) == (1, 0, mail)
    own = Sample(id="1", question=f"Who is {mail}?", answer=f"{mail} is Anna.")
    assert (await score(PiiLeakage(), own, plausible())).value == 0
    assert (await score(PiiLeakage(public=("@example.com",)), one, plausible())).value == 0
    rights = {"context_access": (("hr",),), "user_access": ("hr",)}
    seen = Sample(id="1", answer=one.answer, contexts=one.contexts, **rights)
    assert (await score(PiiLeakage(), seen, plausible())).value == 0


async def test_a_region_finds_national_numbers_and_is_checked():
    one = Sample(id="1", answer="Call (415) 555-2671.")
    assert (await score(parse("pii_leakage(region=US)"), one, plausible())).value == 1
    assert (await score(PiiLeakage(), one, plausible())).value == 0
    with pytest.raises(InputError, match="must be a country such as 'US', not 'usa'"):
        PiiLeakage(region="usa")
