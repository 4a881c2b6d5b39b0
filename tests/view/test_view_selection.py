"""What the address of a page of samples says is what is asked for, and is written as it is read."""

from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
from multidict import MultiDict

from assay import InputError
from assay._store.browsing import Bounds
from assay.view.selection import MAX_TEXT, Selection, columns_of, read
from support.over import over

RUN = SimpleNamespace(metrics=[f"m{n}" for n in range(8)])


def asked(address):
    return read(MultiDict(parse_qsl(address, keep_blank_values=True)), RUN)


@over(
    "address",
    [
        "q=tower&why=failed&verdict=supported&cause=not_retrieved",
        "range=m0%3A0.1..&range=m1%3A..0.5",
        "sort=-m2&col=question&col=m7",
        "tag=date&disagree=any",
    ],
)
def test_an_address_is_written_as_it_was_read(address):
    assert asked(asked(address).query()) == asked(address)
    assert sorted(parse_qsl(asked(address).query())) == sorted(parse_qsl(address))


def test_each_chip_leads_to_all_but_itself():
    selection = asked("range=m0:0.1..0.2&range=m1:..0.5&why=failed&q=tower")
    chips = dict(selection.chips())
    assert asked(chips["m0 0.10 to 0.20"]).bounds == (Bounds("m1", None, 0.5),)
    assert asked(chips["m1 at most 0.50"]).bounds == (Bounds("m0", 0.1, 0.2),)
    assert asked(chips["judge failed"]) == asked("range=m0:0.1..0.2&range=m1:..0.5&q=tower")
    assert asked(chips["text: tower"]) == asked("range=m0:0.1..0.2&range=m1:..0.5&why=failed")


def test_a_form_keeps_ranges_and_order_and_adds_a_range():
    selection = asked("range=m0:0.1..&sort=-m2&metric=m1&min=&max=0.5")
    assert selection.bounds == (Bounds("m0", 0.1, None), Bounds("m1", None, 0.5))
    hidden = [("range", "m0:0.1.."), ("range", "m1:..0.5"), ("sort", "-m2")]
    assert selection.hidden_fields() == hidden
    assert Selection().hidden_fields() == []
    assert asked("metric=m1").bounds == ()


def test_what_is_not_known_is_left_out_or_refused():
    assert asked("why=nonsense&label=nonsense&col=nonsense") == Selection()
    assert len(asked(f"q={'x' * 2 * MAX_TEXT}").text) == MAX_TEXT
    for address in ("range=m9:0..1", "range=m0:1", "sort=m9", "disagree=m9"):
        with pytest.raises(InputError):
            asked(address)
    for number in ("inf", "nan", "one"):
        with pytest.raises(InputError, match=r"is no number -> write it as 0\.5"):
            asked(f"metric=m0&min={number}")


def test_columns_stand_in_their_own_order_and_the_usual_ones_are_none():
    texts, metrics = columns_of(asked("col=m3&col=reference&col=m1&col=answer"), RUN)
    assert (texts, metrics) == (["answer", "reference"], ["m1", "m3"])
    usual = "&".join(f"col={name}" for name in ("question", "answer", *RUN.metrics[:6]))
    assert asked(usual).columns == ()
    assert columns_of(Selection(), RUN) == (("question", "answer"), RUN.metrics[:6])
