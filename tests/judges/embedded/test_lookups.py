"""What the cells of tables and records say of statements."""

import time

import pytest

from assay.judges.embedded.comparison import FEATURES, compare
from assay.judges.embedded.evidence import prepare
from support.over import over

PARKS = """Parks of the Tavel region

| Park | District | Area (ha) | Opened | Fee |
|---|---|---|---|---|
| Alder Moor | North | 412 | 1931 | 4 |
| Birk Fen | South | 287 | 1958 | 6 |
| Corrie Dale | South | 530 | 1974 | 4 |
| Dunlin Marsh | East | 146 | 2003 | 0 |
| Esk Meadows | South | 98 | 1988 | 2 |
"""
PHONES = [
    "Model: Varo 3\nWeight_g: 189\nBattery_mAh: 4800\nHeadphone jack: no",
    "Model: Varo 3 Mini\nWeight_g: 176\nBattery_mAh: 5000\nHeadphone jack: yes",
]


def table(statement, *contexts):
    evidence = prepare(contexts or [PARKS])
    found = compare(evidence.read(statement).text, evidence).table
    return None if found is None else found.agrees


@over(
    ("right", "wrong"),
    [
        ("Alder Moor is in the North district.", "Birk Fen is in the North district."),
        ("Birk Fen opened in 1958.", "Birk Fen opened in 1974."),
        ("Alder Moor has an area of 412 ha.", "Alder Moor has an area of 530 ha."),
        ("Corrie Dale is the largest park.", "Alder Moor is the largest park."),
        ("Esk Meadows has the smallest area.", "Dunlin Marsh has the smallest area."),
        ("Corrie Dale is larger than Birk Fen.", "Birk Fen is larger than Corrie Dale."),
        (
            "The area of Corrie Dale is 118 ha larger than that of Alder Moor.",
            "The area of Corrie Dale is 148 ha larger than that of Alder Moor.",
        ),
        ("Three of the five parks are in the South district.", "Two of the parks are South."),
        (
            "Alder Moor and Corrie Dale have the same fee.",
            "Alder Moor and Birk Fen have the same fee.",
        ),
        ("Dunlin Marsh is the only park in the East.", "Birk Fen is the only park in the South."),
        ("Birk Fen and Esk Meadows are in the South.", "Birk Fen and Alder Moor are in the South."),
        (
            "The fee of all parks comes to 16 in total.",
            "The fee of all parks comes to 18 in total.",
        ),
        ("The area of Alder Moor is more than 400 ha.", "The area of Birk Fen is over 300 ha."),
    ],
)
def test_cells_agree_or_differ(right, wrong):
    assert table(right) is True
    assert table(wrong) is False


@over(
    "statement",
    [
        "Birk Fen is loved by herons.",  # words without a cell
        "Alder Moor was extended by 30 ha.",  # a figure that may be of anything
        "Birk Fen is not in the North.",  # denials are left alone
        "The parks are free on Sundays.",
        "Alder Moor is the oldest park but one.",
    ],
)
def test_what_is_not_clear_is_left_alone(statement):
    assert table(statement) is None


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The Varo 3 Mini has a weight of 176 grams.", "The Varo 3 Mini has a weight of 189 g."),
        ("The Varo 3 weighs more than the Varo 3 Mini.", "The Varo 3 Mini weighs more than it."),
    ],
)
def test_records_of_several_contexts_are_compared(right, wrong):
    assert table(right, *PHONES) is True
    assert table(wrong, *PHONES) is not True


def test_one_record_needs_no_name():
    record = '{"name": "Olm Baths", "visitors": 1450, "price_eur": 9.5, "rooms": {"sauna": 4}}'
    assert table("The price is 9.50 euros.", record) is True
    assert table("The price is 8.50 euros.", record) is False
    assert table("It has four saunas.", record) is True


def test_the_reason_names_the_cells():
    evidence = prepare([PARKS])
    found = compare("Birk Fen opened in 1974.", evidence)
    assert found.table.reason == "the table gives '1958' for 'Birk Fen', not '1974'"
    assert "Birk Fen" in evidence.pieces[found.table.piece].text
    features = dict(zip(FEATURES, found.features, strict=True))
    assert (features["table_agrees"], features["table_differs"]) == (0.0, 1.0)


@pytest.mark.slow
def test_large_tables_take_little_time():
    rows = "\n".join(f"| Place {i} | {i % 7} | {i * 3} |" for i in range(2000))
    evidence = prepare([f"| Place | Zone | Height (m) |\n|---|---|---|\n{rows}"])
    compare("Place 17 has a height of 51 m.", evidence)  # reads the cells once
    begin = time.process_time()
    for number in range(10):
        compare(f"Place {number} has a height of {3 * number} m.", evidence)
    assert time.process_time() - begin < 1
