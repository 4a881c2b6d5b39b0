"""CRUD-RAG's published files: its four tasks, and the answers that its evaluator wrote down."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.data.rows import Record
from assay.errors import Problem

_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class CrudTask:
    """One of the tasks.

    Attributes:
        name: What it is called in the column "task".
        given: Fields of what the system is given, each with its name in the question.
        reference: Field of the right result.
        english: What the system is told to do, before what it is given; "" for a question.
        chinese: The same in Chinese.
    """

    name: str
    given: Mapping[str, str]
    reference: str
    english: str = ""
    chinese: str = ""


def _read(number: int) -> CrudTask:
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
    "questanswer_1doc": _read(1),
    "questanswer_2docs": _read(2),
    "questanswer_3docs": _read(3),
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
    wanted = (*task.given, task.reference)
    absent = [name for name in wanted if not isinstance(row, dict) or not row.get(name)]
    if absent:
        what = f"a row of CRUD-RAG's {key} without '{absent[0]}'"
        return Record(number, None, problem=Problem(what, "give it, or leave the row out", number))
    texts = [str(row[name]) for name in task.given]
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
