"""JSON files: one object a line, a list of objects, an object that holds rows, CRUD-RAG's tasks."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

from assay.data.columns import recognised, refuse_doubled
from assay.data.rows import Record, column_records, is_columns
from assay.data.traces import is_trace
from assay.errors import InputError, Problem

# A longer row is a broken file, and reading it could fill the memory.
LONGEST_ROW: Final = 64 * 2**20
_ONE_A_LINE: Final = "each line must be one whole JSON object"
_CHUNK: Final = 2**18
_SPLIT: Final = {"columns", "data", "index"}
# A string, a string that the end of the buffer cuts (group 1), or a bracket or comma. A raw line
# end closes a string as well: JSON allows none inside, so a missing quote spoils only one row.
_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+(?:["\n]|(\\?\Z))|[\[\]{},]', re.DOTALL)


class RepeatedKeyError(ValueError):
    """An object names one key twice: the parser would silently drop a value."""


def line_records(opened: Callable[[], IO[bytes]]) -> Iterator[Record]:
    """Records of the lines that are not blank; a broken one carries its problem."""
    with opened() as stream:
        for number, line in enumerate(lines(stream), 1):
            if line.strip():
                if number == 1 and line.strip() == b"{":
                    message = "the file spreads one JSON object over several lines"
                    raise InputError(message, "put each on one line: jq -c . OLD > NEW")
                yield line_record(number, line)


def lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines of the stream without a byte order mark; of one that is too long only its beginning."""
    line = stream.readline(LONGEST_ROW + 1).removeprefix(b"\xef\xbb\xbf")
    while line:
        yield line
        chunk = line
        while len(chunk) > LONGEST_ROW and not chunk.endswith(b"\n"):
            chunk = stream.readline(LONGEST_ROW + 1)
        line = stream.readline(LONGEST_ROW + 1)


def line_record(number: int, line: bytes) -> Record:
    """The record of one line."""
    if len(line) > LONGEST_ROW:
        text = line[:200].decode(errors="backslashreplace")
        fault = f"is longer than {LONGEST_ROW // 2**20} MiB"
        return broken(number, text, fault, "split it, or correct the line ends")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        fault = f"byte 0x{line[error.start]:02X} at position {error.start + 1} is not UTF-8"
        text = line.decode(errors="backslashreplace").strip()
        return broken(number, text, fault, "save the file as UTF-8")
    return object_record(number, text.strip())


def object_record(number: int, text: str) -> Record:
    """The record that one JSON object makes."""
    try:
        values = DECODER.decode(text)
    except json.JSONDecodeError as error:
        fault = f"is not JSON: {error.msg} at position {error.pos + 1}"
        return broken(number, text, fault, _ONE_A_LINE)
    except RepeatedKeyError as error:
        return broken(number, text, str(error), "keep one of them")
    except (ValueError, RecursionError) as error:
        return broken(number, text, f"cannot be read as JSON: {error}", "correct or remove it")
    if not isinstance(values, dict):
        return broken(number, text, f"is a JSON {_kind(values)}, not an object", _ONE_A_LINE)
    return Record(number, values, text=text)


def broken(number: int, text: str, fault: str, remedy: str, place: str = "") -> Record:
    """The record of something that is no row."""
    problem = Problem(fault, remedy, row=number, place=place)
    return Record(number, None, problem=problem, text=text)


def has_wrong_byte(text: str) -> bool:
    """Whether text that was read with "surrogateescape" holds a byte that is not UTF-8."""
    return not text.isascii() and any("\udc80" <= mark <= "\udcff" for mark in text)


def escaped(text: str) -> str:
    """Such text with its wrong bytes written out."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise RepeatedKeyError(f"names '{twice}' more than once")
    return fields


DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique)


def _kind(value: Any) -> str:
    kinds = {list: "list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "number")


def document_records(opened: Callable[[], IO[bytes]]) -> Iterator[Record]:
    """Records of a JSON document. A list is streamed; an object is read whole."""
    with opened() as stream:
        filled = (line for line in lines(stream) if line.strip())
        first, second = next(filled, b""), next(filled, b"")
    if first.lstrip().startswith(b"["):
        # A wrong byte is kept as half a character, so that only its own row is refused.
        with (
            opened() as stream,
            io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", "") as text,
        ):
            yield from _list_records(text)
    elif not first or (second and is_object(first)):
        yield from line_records(opened)  # one object a line under the name of a document
    else:
        with opened() as stream:
            yield from _object_records(stream.read())


def is_object(line: str | bytes) -> bool:
    """Whether a line is an object in JSON."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _object_records(content: bytes) -> Iterator[Record]:
    """Records of an object that holds a list of rows, columns, or one row."""
    try:
        content_value = DECODER.decode(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"the file is not JSON: {error}", "correct it there") from error
    if not isinstance(content_value, dict):
        raise InputError("the file holds no JSON list or object", "give a list of rows")
    if is_trace(content_value):
        return iter([Record(1, content_value)])
    if (crud := crud_records(content_value)) is not None:
        return crud
    if (frame_records := _frame_records(content_value)) is not None:
        return frame_records
    # A list of documents under a known name is one row's contexts, not a list of rows.
    row_lists = [
        value for key, value in content_value.items() if _is_rows(value) and not recognised([key])
    ]
    if len(row_lists) == 1:
        return (Record(number, row) for number, row in enumerate(row_lists[0], 1))
    return (
        column_records(content_value)
        if is_columns(content_value)
        else iter([Record(1, content_value)])
    )


def _frame_records(document: dict[str, Any]) -> Iterator[Record] | None:
    """Records of what pandas' `to_json` writes by default, or with orient="split"."""
    names, data = document.get("columns"), document.get("data")
    if isinstance(names, list) and isinstance(data, list) and document.keys() <= _SPLIT:
        if not all(isinstance(row, list) and len(row) == len(names) for row in data):
            return None
        names = [str(name) for name in names]
        refuse_doubled(names)
    else:
        cells = [cell for cell in document.values() if isinstance(cell, dict)]
        indexes = {tuple(cell) for cell in cells}
        if len(cells) < len(document) or len(indexes) != 1 or not recognised(document):
            return None
        if not all(key.isdecimal() for key in next(iter(indexes))):
            return None
        names, data = list(document), list(zip(*(cell.values() for cell in cells), strict=True))
    rows = (dict(zip(names, row, strict=True)) for row in data)
    return (Record(number, row) for number, row in enumerate(rows, 1))


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _list_records(stream: IO[str]) -> Iterator[Record]:
    for number, item in enumerate(_items(stream), 1):
        if has_wrong_byte(item):
            fault = "holds bytes that are not UTF-8"
            yield broken(number, escaped(item), fault, "save the file as UTF-8")
        else:
            yield object_record(number, item)


def _items(stream: IO[str]) -> Iterator[str]:
    """Text of each item of the list, found by its brackets so that a broken one hides no other."""
    buffer, start, position, depth, number = "", 0, 0, 0, 1
    # Reading ever more while an item does not end keeps the work linear in its length.
    while chunk := stream.read(max(_CHUNK, len(buffer) - start)):
        buffer, position, start = buffer[start:] + chunk, position - start, 0
        for token in _TOKEN.finditer(buffer, position):
            if token[1] is not None:
                position = token.start()
                break
            position = token.end()
            character = buffer[token.start()]
            ends = depth == 1 and character in ",]"
            if ends and (character == "," or buffer[start : position - 1].strip()):
                yield buffer[start : position - 1].strip()
                number += 1
            if ends or depth == 0:
                start = position
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(character, 0)
            if depth == 0:
                _expect_end(buffer[position:] + stream.read(_CHUNK))
                return
        if len(buffer) - start > LONGEST_ROW:
            break
    message = f"not JSON: the list is not closed; row {number} never ends"
    raise InputError(message, "the file is cut off, or a bracket or quote is missing")


def _expect_end(remainder: str) -> None:
    if remainder.strip():
        message = f"not JSON: more text follows the list ({remainder.strip()[:20]!r})"
        raise InputError(message, "keep one list, or name it '.jsonl' and give one object per line")


_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class CrudTask:
    """One of the tasks."""

    name: str  # what it is called in the column "task"
    # Fields of what the system is given, each with its name in the question.
    inputs: Mapping[str, str]
    reference: str  # field of the right result
    english: str = ""  # what the system is told to do, before what it is given; "" for a question
    chinese: str = ""  # the same in Chinese


def _read_task(number: int) -> CrudTask:
    documents = "1 document" if number == 1 else f"{number} documents"
    return CrudTask(f"read, {documents}", {"questions": ""}, "answers")


# By their names in the data sets. The instructions are ours: CRUD-RAG's prompts stand around the
# passages that its own systems retrieve.
TASKS: Final[Mapping[str, CrudTask]] = {
    "continuing_writing": CrudTask(
        "create",
        {"beginning": ""},
        "continuing",
        "Continue this news article:",
        "请续写这篇新闻\uff1a",
    ),
    "questanswer_1doc": _read_task(1),
    "questanswer_2docs": _read_task(2),
    "questanswer_3docs": _read_task(3),
    "hallu_modified": CrudTask(
        "update",
        {"newsBeginning": "", "hallucinatedContinuation": ""},
        "hallucinatedMod",
        "The second paragraph continues the first and has errors. Give it corrected:",
        "第二段是第一段的续写\uff0c其中有错误。请给出改正后的续写\uff1a",
    ),
    "event_summary": CrudTask(
        "delete",
        {"event": ""},
        "summary",
        "Summarise what happened in this event:",
        "请概括这一事件\uff1a",
    ),
}
# By the names of the classes that CRUD-RAG's evaluator writes into its output.
_CLASSES: Final = {
    "ContinueWriting": "continuing_writing",
    "QuestAnswer1Doc": "questanswer_1doc",
    "QuestAnswer2Docs": "questanswer_2docs",
    "QuestAnswer3Docs": "questanswer_3docs",
    "HalluModified": "hallu_modified",
    "Summary": "event_summary",
}
# What stands for a corrected text where the request for it failed; CRUD-RAG leaves such rows out.
_FAILED: Final = '","msg":"request openai failed"'
_DOCUMENTS: Final = ("news1", "news2", "news3", "text")


def crud_records(document: Mapping[str, Any]) -> Iterator[Record] | None:
    """The rows of a file of CRUD-RAG; None if it is something else."""
    if document and document.keys() <= TASKS.keys():
        if not all(isinstance(rows, list) for rows in document.values()):
            return None
        pairs = [
            (task, row)
            for task, rows in document.items()
            for row in rows
            if not (isinstance(row, dict) and row.get(TASKS[task].reference) == _FAILED)
        ]
        return (_record(number, *pair) for number, pair in enumerate(pairs, 1))
    info, results = document.get("info"), document.get("results")
    task = _CLASSES.get(str(info.get("task"))) if isinstance(info, dict) else None
    if task is None or not isinstance(results, list):
        return None
    return (_record(n, task, _original(result)) for n, result in enumerate(results, 1))


def _original(result: Any) -> Any:
    return result.get("original_data") if isinstance(result, dict) else None


def _record(number: int, key: str, row: Any) -> Record:
    task = TASKS[key]
    required = (*task.inputs, task.reference)
    absent = [name for name in required if not isinstance(row, dict) or not row.get(name)]
    if absent:
        fault = f"a row of CRUD-RAG's {key} without '{absent[0]}'"
        return Record(number, None, problem=Problem(fault, "give it, or leave the row out", number))
    texts = [str(row[name]) for name in task.inputs]
    chinese = bool(_CHINESE.search(texts[0]))
    instruction = task.chinese if chinese else task.english
    values: dict[str, Any] = {
        "id": f"{key}-{row.get('ID', number)}",
        "question": "\n\n".join([instruction, *texts] if instruction else texts),
        "reference": str(row[task.reference]),
        "language": "zh" if chinese else "en",
        "task": task.name,
    }
    if documents := [str(row[name]) for name in _DOCUMENTS if row.get(name)]:
        values["reference_contexts"] = documents
    if "generated_text" in row:
        values["answer"] = str(row["generated_text"])
        values["contexts"] = [str(row[name]) for name in ("retrieve_context",) if row.get(name)]
    return Record(number, values)
