"""Tables and records are the same grid in whatever format they stand."""

import json

from assay._text.grids import grids
from assay._text.markup import without_tags
from assay._text.records import units
from support.over import over

RIVERS = [("Arvel", "412", "Grey Bay"), ("Lonn", "287", "Arvel"), ("Pestra", "530", "South Sea")]
NAMES = ("River", "Length (km)", "Mouth")


def markdown():
    lines = [NAMES, ("---",) * 3, *RIVERS]
    return "Rivers of Tarsia\n\n" + "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def csv():
    return "\n".join(",".join(cells) for cells in (NAMES, *RIVERS))


def html():
    head = "".join(f"<th>{name}</th>" for name in NAMES)
    rows = ["".join(f"<td>{cell}</td>" for cell in cells) for cells in RIVERS]
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def json_rows():
    return json.dumps(
        {"title": "Rivers", "rows": [dict(zip(NAMES, r, strict=True)) for r in RIVERS]}
    )


def barred():
    return "\n".join(" | ".join(cells) for cells in (NAMES, *RIVERS))


def read(*contexts):
    return grids(
        [(i, unit.text) for i, text in enumerate(contexts) for unit in units(without_tags(text))]
    )


@over("written", [markdown, csv, html, json_rows, barred])
def test_a_table_has_the_same_cells_in_every_format(written):
    grid = next(grid for grid in read(written()) if not grid.record)
    assert [column.name.lower() for column in grid.columns] == ["river", "length (km)", "mouth"]
    assert [tuple(row.cells[i].text for i in range(3)) for row in grid.rows] == RIVERS
    assert [grid.number(row, 1).value for row in range(3)] == [412_000, 287_000, 530_000]
    assert grid.key == 0
    assert grid.numeric(1)
    assert not grid.numeric(2)


def test_records_with_the_same_keys_are_rows_of_one_grid():
    first = "Model: Karo 5\nWeight_g: 189\nHeadphone jack: no"
    second = "Model: Karo 5 Lite\nWeight_g: 176\nHeadphone jack: yes"
    (grid,) = read(first, second)
    assert grid.record
    assert [row.cells[0].text for row in grid.rows] == ["Karo 5", "Karo 5 Lite"]
    assert [grid.number(row, 1).text for row in range(2)] == ["189 grams", "176 grams"]


def test_a_table_of_fields_and_values_is_a_record():
    (grid,) = read("| Field | Value |\n|---|---|\n| Born | 1868 |\n| Children | 2 |")
    assert grid.record
    assert [column.name for column in grid.columns] == ["Born", "Children"]


def test_a_scale_of_a_column_counts():
    (grid,) = read("| Year | Sales (millions) |\n|---|---|\n| 2019 | 1.5 |\n| 2020 | 1.7 |")
    assert [grid.number(row, 1).value for row in range(2)] == [1_500_000, 1_700_000]


def test_empty_cells_are_no_cells():
    (grid,) = read("| Name | Deaths |\n|---|---|\n| Ada | |\n| Bo | 3 |\n| Cy | 0 |")
    assert [sorted(row.cells) for row in grid.rows] == [[0], [0, 1], [0, 1]]
    assert grid.number(0, 1) is None


def test_prose_is_no_grid():
    assert read("The Arvel is 412 km long. It rises on Mount Tessa; its mouth is Grey Bay.") == ()


def test_a_huge_table_is_not_read():
    rows = "\n".join(f"| r{i} | {i} | {i} |" for i in range(7000))
    assert read(f"| Name | A | B |\n|---|---|---|\n{rows}") == ()
