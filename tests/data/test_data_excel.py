"""Is a sheet of an Excel workbook read as its rows stand there?"""

import zipfile
from xml.sax.saxutils import escape

import pytest
from data_help import load, problem, read

from assay.data import samples, tables
from assay.errors import InputError

pytest.importorskip("python_calamine")

DAY = 45413  # 1 May 2024, as Excel counts days
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PARTS = "http://schemas.openxmlformats.org/package/2006"


def workbook(path, **sheets):
    """Write a workbook; a cell is text, a number, a bool, None, or a pair (Excel's type, value)."""
    names = list(sheets)
    relation = f"{LINKS}/worksheet"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PARTS}/content-types"><Default Extension="xml" '
            'ContentType="application/xml"/><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/></Types>',
        )
        out.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PARTS}/relationships"><Relationship Id="r" Type='
            f'"{LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        listed = "".join(
            f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(names, 1)
        )
        out.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>',
        )
        links = "".join(
            f'<Relationship Id="r{n}" Type="{relation}" Target="worksheets/s{n}.xml"/>'
            for n in range(1, len(names) + 1)
        )
        styles = f'<Relationship Id="st" Type="{LINKS}/styles" Target="styles.xml"/>'
        out.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PARTS}/relationships">{links}{styles}</Relationships>',
        )
        out.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/>'
            '<xf numFmtId="14"/></cellXfs></styleSheet>',
        )
        for n, rows in enumerate(sheets.values(), 1):
            body = "".join(
                f'<row r="{at}">{"".join(cell(at, c, v) for c, v in enumerate(row))}</row>'
                for at, row in enumerate(rows, 1)
            )
            out.writestr(
                f"xl/worksheets/s{n}.xml",
                f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>',
            )
    return path


def cell(row, column, value):
    place = f'r="{chr(65 + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c {place}><v>{value}</v></c>"
    if isinstance(value, tuple):
        kind, value = value
        return f"<c {place} {kind}><v>{value}</v></c>"
    return f'<c {place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'


HEADER = ["question", "answer", "contexts", "day", "latency_ms"]


@pytest.fixture
def book(tmp_path):
    rows = [
        HEADER,
        ["When?", 1889, '["one", "two"]', ('s="1"', DAY), 12.5],
        [],
        ["Is it?", True, "c", None, 3],
        ["Who?", "a & b", None, None, None],
    ]
    more = [["question", "answer"], ["q", "a"]]
    return workbook(tmp_path / "book.xlsx", Runs=rows, More=more)


def test_cells_become_the_text_that_a_person_reads(book):
    first, second, third = load(book)
    assert (first.question, first.answer, first.contexts) == ("When?", "1889", ("one", "two"))
    assert (first.metadata["day"], first.latency_ms) == ("2024-05-01", 12.5)
    assert (second.answer, second.latency_ms) == ("TRUE", 3.0)
    assert (third.answer, third.contexts) == ("a & b", None)


def test_rows_have_the_numbers_that_excel_shows(book):
    assert [row.number for row in read(book)] == [2, 4, 5]


def test_the_first_sheet_is_read_and_that_is_said_where_there_are_others(book):
    found = samples(book, needs={})
    assert len(list(found)) == 3
    assert found.notes == ["the first sheet is read; book.xlsx#SHEET names another: 'More'"]
    other = samples(f"{book}#More", needs={})
    assert [sample.question for sample in other] == ["q"]
    assert (other.name, other.notes) == ("book.xlsx#More", [])


def test_what_cannot_be_read_is_told_with_its_place(tmp_path, book):
    assert "no sheet 'Nope' -> its sheets are 'Runs', 'More'" in problem(f"{book}#Nope")
    doubled = workbook(tmp_path / "twice.xlsx", One=[["answer", "answer"], ["a", "b"]])
    assert "field 'answer': two columns have this name" in problem(doubled)
    assert "(sheet 'One')" in problem(doubled)
    short = tmp_path / "short.xlsx"
    short.write_bytes(book.read_bytes()[:300])
    assert "short.xlsx' cannot be read as an Excel file" in problem(short)
    (tmp_path / "text.xlsx").write_text("question,answer\nq,a\n", "utf-8")
    assert "is not an Excel file -> correct its extension" in problem(tmp_path / "text.xlsx")
    (tmp_path / "old.xlsx").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    assert "is an old or a locked Excel file" in problem(tmp_path / "old.xlsx")
    book.rename(tmp_path / "book.csv")
    assert "unpack it, or name it '*.xlsx'" in problem(tmp_path / "book.csv")


def test_skipped_rows_never_overwrite_the_book(book):
    assert "would be overwritten" in problem(f"{book}#Runs", skip_invalid=book)


def test_a_file_whose_name_holds_the_mark_is_that_file(tmp_path):
    named = workbook(tmp_path / "a.xlsx#b.xlsx", One=[["question"], ["q"]])
    assert load(named)[0].question == "q"


def test_labels_are_read_from_a_sheet_too(tmp_path):
    from assay.data import read_labels

    path = workbook(tmp_path / "labels.xlsx", One=[["id", "label"], ["row-1", 1]])
    assert [label.sample for label in read_labels(path).labels] == ["row-1"]


def test_a_cell_far_from_the_table_does_not_fill_the_memory(tmp_path):
    last = "XFD1048576"
    workbook(tmp_path / "x.xlsx", a=[["question", "answer"], ["q", "a"]])
    with (
        zipfile.ZipFile(tmp_path / "x.xlsx") as old,
        zipfile.ZipFile(tmp_path / "y.xlsx", "w") as new,
    ):
        for part in old.namelist():
            content = old.read(part).decode()
            far = f'<row r="{last.lstrip("ABCDEFX")}"><c r="{last}" t="inlineStr"><is><t>x</t></is></c></row>'
            new.writestr(part, content.replace("</sheetData>", f"{far}</sheetData>"))
    with pytest.raises(InputError, match="17,179,869,184 cells, most of them empty -> delete"):
        load(tmp_path / "y.xlsx")


def test_a_workbook_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    assert tables._MAX_WORKBOOK == 512 << 20
    monkeypatch.setattr(tables, "_MAX_WORKBOOK", 4 << 20)
    workbook(tmp_path / "x.xlsx", a=[["question", "answer"], ["q", "a"]])
    with (
        zipfile.ZipFile(tmp_path / "x.xlsx", "a", zipfile.ZIP_DEFLATED) as out,
        out.open("xl/media/a.bin", "w", force_zip64=True) as part,
    ):
        for _ in range(6):
            part.write(bytes(2**20))
    with pytest.raises(InputError, match="unpacks to 6 MiB, more than 4 -> save it as CSV"):
        load(tmp_path / "x.xlsx")
