"""Tables: a quote that is not closed costs its own row only; a sheet is read as its rows stand."""

import json
import time
import zipfile
from xml.sax.saxutils import escape

import pytest
from data_help import load, problem, read, refused

from assay.data import samples, tables
from assay.errors import InputError

HEADER = "question,answer,reference\n"


@pytest.fixture
def path(tmp_path):
    def written(content):
        file = tmp_path / "x.csv"
        file.write_bytes(content.encode("utf-8", "surrogateescape"))
        return file

    return written


def numbers(rows):
    return [row.number for row in rows if not row.problems]


def test_a_quote_left_open_to_the_end_costs_one_row(path):
    file = path(HEADER + 'q,a,a\nq,a,a\nq3,"a,a\n' + "q,a,a\n" * 997)
    rows = list(read(file))
    assert numbers(rows) == [1, 2, *range(4, 1001)]
    (wrong,) = (row for row in rows if row.problems)
    told = str(wrong.problems[0])
    assert "row 3: is not readable (lines 4 to 1001 of the file)" in told
    assert "the quote opened in line 4 is not closed -> close it" in told
    assert wrong.record.raw == 'q3,"a,a'


def test_a_quote_left_open_up_to_another_costs_one_row(path):
    file = path(HEADER + 'q1,a,a\nq2,"open,b\nq3,a,a\nq4,a,a\nq5,"x",y\nq6,a,a\n')
    rows = list(read(file))
    assert numbers(rows) == [1, 3, 4, 5, 6]
    assert "(lines 3 to 6 of the file)" in str(rows[1].problems[0])
    assert [row.fields["question"] for row in rows[2:]] == ["q3", "q4", "q5", "q6"]


def test_rows_after_an_open_quote_are_skipped_into_no_file(path, tmp_path):
    file = path(HEADER + 'q1,"a,a\n' + "q,a,a\n" * 9)
    assert len(load(file, skip_invalid=tmp_path / "skip.jsonl")) == 9
    (line,) = (tmp_path / "skip.jsonl").read_text().splitlines()
    assert json.loads(line)["raw"] == 'q1,"a,a'


def test_several_open_quotes_cost_a_row_each(path):
    lines = ['q,"a,a' if n % 10 == 3 else "q,a,a" for n in range(1, 41)]
    rows = list(read(path(HEADER + "\n".join(lines))))
    assert [row.number for row in rows if row.problems] == [3, 13, 23, 33]
    assert len(rows) == 40


def test_text_over_several_lines_stays_one_cell_after_an_open_quote(path):
    file = path(HEADER + 'q1,"open,a\nq2,"one\n\ntwo, three",a\nq3,"wrong "b" c",a\nq4,a,a\n')
    rows = list(read(file))
    assert rows[1].fields["answer"] == "one\n\ntwo, three"
    assert numbers(rows) == [2, 4]
    assert "line 6 of the file" in str(rows[2].problems[0])
    assert rows[2].record.raw == 'q3,"wrong "b" c",a'


def test_parts_of_a_text_with_a_wrong_quote_never_pass_for_rows(path, tmp_path):
    file = path(HEADER + 'q1,"one\nthis, that, all\nand "so" on",a\nq2,a,a\n')
    told = str(refused(file, skip_invalid=tmp_path / "skip.jsonl"))
    assert "a quote in lines 2 to 4 is not closed, and line 4 may be part of its text" in told


def test_lines_of_a_single_column_are_not_taken_for_rows_after_an_open_quote(path):
    with pytest.raises(InputError, match="may be part of its text"):
        list(read(path('question\nq1\n"open\nq2\n')))


def test_a_row_of_too_many_characters_is_given_up_and_the_next_lines_are_read(path, monkeypatch):
    monkeypatch.setattr(tables, "LONGEST_ROW", 2**20)
    row = f"q,{'a' * 1000},a\n"
    rows = list(read(path(HEADER + 'q,"a,a\n' + row * 3000)))
    assert numbers(rows) == list(range(2, 3002))
    assert "lines 2 to 10" in str(rows[0].problems[0])


def test_a_file_of_open_quotes_is_refused_before_it_takes_ages(path, monkeypatch):
    monkeypatch.setattr(tables, "_MAX_REREAD", 10_000)
    with pytest.raises(InputError, match="too many quotes are not closed"):
        list(read(path(HEADER + '5",x,"open\n' * 500)))


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_many_columns_take_no_longer_than_as_many_cells(tmp_path, ending):
    names = [*(f"c{n}" for n in range(60_000)), "c0"]
    row = "{" + ", ".join(f'"{name}": 1' for name in names) + "}"
    text = row if ending == "jsonl" else f"{','.join(names)}\n{','.join('1' for _ in names)}"
    (tmp_path / f"x.{ending}").write_text(f"{text}\n", "utf-8")
    began = time.perf_counter()
    with pytest.raises(InputError, match="c0"):
        list(samples(tmp_path / f"x.{ending}", needs={}))
    assert time.perf_counter() - began < 10  # comparing each with each took minutes


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


SHEET_HEADER = ["question", "answer", "contexts", "day", "latency_ms"]


@pytest.fixture
def book(tmp_path):
    rows = [
        SHEET_HEADER,
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
