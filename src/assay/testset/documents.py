"""Documents: the texts of files, folders, tables and objects of other libraries."""

import io
import os
import re
import shutil
import subprocess
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from assay.data.files import file_records, near, refuse_binary, refuse_endless
from assay.data.rows import Record
from assay.errors import InputError, Problem
from assay.testset.plain_text import MANUAL, plain_as_markdown
from assay.testset.restructured_text import is_restructured, restructured_as_markdown
from assay.testset.web_pages import charset_of, text_and_title

_PLAIN: Final = (".txt", ".md", ".markdown", ".rst")
_TEXTS_OF_LINES: Final = (".txt", ".rst")  # whose marks are not those of Markdown
_HTML: Final = (".html", ".htm")
_TABLES: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_KNOWN: Final = ", ".join((*_PLAIN, *_HTML, *_TABLES))
# Under these names the text of a document stands in a table, or as an attribute of an object.
_TEXTS: Final = (
    "text",
    "page_content",
    "content",
    "contents",
    "body",
    "passage",
    "document",
    "answer",
)
_IDS: Final = ("id", "_id", "doc_id", "docid", "document_id")
# Several documents may share one of these: the pages of a PDF file.
_SOURCES: Final = ("source", "url", "path", "name", "file_name")
_NAMED: Final = 3  # files in a message
_LONGEST: Final = 255  # characters of a file's name
_HEAD: Final = 256  # bytes that tell a text
_TITLES: Final = ("title", "heading", "question", "name", "file_name")
_FRONT_MATTER: Final = re.compile(r"---\n(?:(?!---)[^\n]*\n)*?title:[ ]*(?P<title>[^\n]+)\n")
# A text whose chapters are on one level with its title.
_FIRST_OF_SEVERAL: Final = re.compile(r"# (?P<title>[^\n`]{3,70})\n(?=.*\n# )", re.DOTALL)
# "Fees - Tarn shop", "fs | Node.js": what the pages of a site are called, and it.
_SITE: Final = re.compile(r".*\S(?P<end>\s[|\u2013\u2014\u00b7-]\s.+)")
_FEWEST_PAGES: Final = 3  # that tell what the name of their site is
_RANGE: Final = re.compile(r"^[\w~^@.-]*[\w~^]\.{2,3}[\w@-]")  # "v1.0..v1.1"
# Files that look like documents, and are not read where they lie in a folder.
_UNREAD: Final = frozenset(
    (*_TABLES, ".pdf", ".doc", ".docx", ".odt", ".ppt", ".pptx", ".xlsx", ".epub", ".rtf")
)


@dataclass(frozen=True, slots=True)
class Document:
    """One text that questions can be asked about.

    Attributes:
        id: Unique among the documents: the path of its file, or its id in a table.
        text: The whole of it.
        title: What it is called, "" if nobody says.
    """

    id: str
    text: str
    title: str = ""


def read_documents(data: Any) -> list[Document]:
    """The documents of files, folders or objects.

    Args:
        data: A path or several: text, Markdown, reStructuredText and HTML files, folders of them,
            or tables (JSONL, JSON, CSV, TSV, Parquet) with a row a document and its text in a
            column `text`, `content`, `page_content`, `body` or the like. "REVISION:FOLDER" is a
            folder as git holds it in that revision, named from the repository's root. Or an
            iterable of
            Documents, texts, dicts with these keys, or documents of LangChain or LlamaIndex.

    Raises:
        InputError: If there is none, or one cannot be read; names the file or row.
    """
    # Documents of LangChain and LlamaIndex are iterable, as models of Pydantic.
    is_single = hasattr(data, "page_content") or hasattr(data, "id_")
    if is_single or isinstance(data, Document | Mapping) or not isinstance(data, Iterable):
        data = [data]
    paths = [data] if isinstance(data, str | PathLike) else data
    documents, problems, known = list[Document](), list[Problem](), _Known()
    for number, item in enumerate(paths, start=1):
        if not (isinstance(item, PathLike) or (isinstance(item, str) and _may_be_path(item))):
            documents.append(_of_object(item, number, known.sources))
            continue
        try:
            documents += _of_path(Path(item), known)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    if known.guessed:
        more = f" and {len(known.guessed) - _NAMED} more" * (len(known.guessed) > _NAMED)
        names = ", ".join(known.guessed[:_NAMED]) + more
        description = "read as windows-1252, as no charset is declared and they are no UTF-8"
        warnings.warn(f"{description}: {names}", stacklevel=2)
    documents = [document for document in documents if document.text.strip()]
    if not documents:
        raise InputError("there is no text in the documents", f"give files: {_KNOWN}, or folders")
    return _with_distinct_ids(_without_site(documents))


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the documents read so far."""

    sources: Counter[str] = field(default_factory=Counter)
    guessed: list[str] = field(default_factory=list)  # pages whose charset nobody tells


def _without_site(documents: list[Document]) -> list[Document]:
    """The documents; the pages of one site without its name behind the title of each."""
    titles = [
        document.title
        for document in documents
        if Path(document.id).suffix.lower() in _HTML and document.title
    ]
    ends = Counter(title["end"] for title in map(_SITE.fullmatch, titles) if title)
    site, n = next(iter(ends.most_common(1)), ("", 0))
    if len(titles) < _FEWEST_PAGES or 2 * n <= len(titles):
        return documents
    return [replace(document, title=document.title.removesuffix(site)) for document in documents]


def unread(folders: Iterable[Path]) -> list[str]:
    """The files of folders that may be documents too, and are not read as such."""
    inside = (path for folder in folders if folder.is_dir() for path in sorted(folder.rglob("*")))
    return [path.name for path in inside if path.suffix.lower() in _UNREAD and path.is_file()]


def is_document(path: str | PathLike[str]) -> bool:
    """Whether a file of this name is read where it lies in a folder."""
    return Path(path).suffix.lower() in (*_PLAIN, *_HTML)


def _may_be_path(text: str) -> bool:
    """Whether a file can have this name: not a text of several lines, or longer than names are."""
    return "\n" not in text and all(len(name) <= _LONGEST for name in Path(text).parts)


def _of_path(path: Path, known: _Known) -> Iterator[Document]:
    if path.is_dir():
        yield from _of_folder(path, known)
    elif not path.exists() and (":" in str(path) or _RANGE.search(str(path))):
        yield from _of_revision(str(path), known)
    elif not path.exists():
        raise InputError(f"there is no file '{path}'", near(path))
    elif is_document(path):
        refuse_endless(path)
        yield _of_text_file(path, path.name, known)
    elif path.with_suffix("").suffix.lower() in _TABLES or path.suffix.lower() in _TABLES:
        yield from _of_table(path, known.sources)
    else:
        description = f"extension '{path.suffix}'" if path.suffix else "no extension"
        remedy = f"convert it to text first; known are {_KNOWN}"
        raise InputError(f"'{path}' has {description}, which is no known kind of document", remedy)


def _of_revision(name: str, known: _Known) -> Iterator[Document]:
    """The documents of a folder as it was: "REVISION:FOLDER", as git writes it."""
    if _RANGE.search(name):
        remedy = "name its ends one by one, each with its folder: v1.0:docs"
        raise InputError(f"'{name}' is a range of revisions", remedy)
    if (git := shutil.which("git")) is None:
        raise InputError(f"there is no file '{name}', and no git to look for a revision")
    command = [git, "archive", "--format=zip", "--", name]
    process = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - no shell
    if process.returncode:
        reasons = process.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
        remedy = "write REVISION:FOLDER, the folder from the repository's root: v1.0:docs"
        raise InputError(f"there is no folder '{name}': git says: {reasons[0]}", remedy)
    with TemporaryDirectory() as folder, zipfile.ZipFile(io.BytesIO(process.stdout)) as archive:
        archive.extractall(folder)
        yield from _of_folder(Path(folder), known)


def _of_folder(folder: Path, known: _Known) -> Iterator[Document]:
    """The documents in a folder, all of them or none; what is hidden is no document."""
    problems, any_text = list[Problem](), False
    for path in _files_inside(folder):
        any_text = True
        try:
            yield _of_text_file(path, path.relative_to(folder).as_posix(), known)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    if not any_text:
        raise InputError(f"there is no document in '{folder}'", f"known are {_KNOWN}")


def _files_inside(folder: Path) -> list[Path]:
    documents = list[Path]()
    for parent, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [Path(parent, name) for name in names if not name.startswith(".")]
        documents += [path for path in paths if is_document(path) and path.is_file()]
    return sorted(documents)


def _unreadable(error: OSError) -> None:
    fault = f"'{error.filename}' cannot be read: {error.strerror}"
    raise InputError(fault, "make it readable, or name the files to read") from error


def _of_text_file(path: Path, name: str, known: _Known) -> Document:
    text, is_sure = _text_of(path)
    name = os.fsencode(name).decode("utf-8", "backslashreplace")  # names are bytes to some systems
    if path.suffix.lower() in _HTML:
        known.guessed.extend([] if is_sure else [name])
        return Document(name, *text_and_title(text))
    if front := _FRONT_MATTER.match(text):
        return Document(name, text, front["title"].strip("\"'"))
    manual, title = MANUAL.match(text), None
    if path.suffix.lower() in _TEXTS_OF_LINES:
        restructured = path.suffix.lower() == ".rst" or (not manual and is_restructured(text))
        text = (restructured_as_markdown if restructured else plain_as_markdown)(text)
        title = _FIRST_OF_SEVERAL.match(text)
    title_text = manual["name"].lower() if manual else title["title"] if title else ""
    return Document(name, text, title_text)


def _text_of(path: Path) -> tuple[str, bool]:
    """What stands in a file, and whether it is sure in which charset."""
    charset, is_sure = "utf-8-sig", True
    try:
        data = path.read_bytes()
        if path.suffix.lower() in _HTML:
            charset, is_sure = charset_of(data)
        if charset not in {"utf-16", "utf-32"}:
            refuse_binary(path, data[:_HEAD])
        text = io.TextIOWrapper(io.BytesIO(data), charset).read()
        text.encode()  # some charsets can write half of a pair of surrogates
    except UnicodeError as error:
        location = isinstance(error, UnicodeDecodeError) and f"{error.reason} at byte {error.start}"
        fault = f"'{path}' is not {charset.removesuffix('-sig').upper()}: {location or error}"
        raise InputError(fault, "save it as UTF-8, or take it out if it is no text") from error
    except LookupError as error:
        fault = f"'{path}' declares the charset '{charset}', which is not known"
        raise InputError(fault, "save it as UTF-8, and declare that") from error
    except OSError as error:
        fault = f"'{path}' cannot be read: {error.strerror or error}"
        raise InputError(fault, "make it readable, or take it out") from error
    return text, is_sure


def _of_table(path: Path, sources: Counter[str]) -> Iterator[Document]:
    problems, any_text = list[Problem](), False
    for record in file_records(path)():
        document = _of_record(record, path.name, sources)
        if isinstance(document, Problem):
            problems.append(document)
        else:
            any_text = True
            yield document
    if problems:  # where no row has a text, one says it for all
        raise InputError(problems if any_text else problems[:1])


def _of_record(record: Record, file: str, sources: Counter[str]) -> Document | Problem:
    if record.problem is not None:
        return record.problem
    values = record.values or {}
    text = _first(values, _TEXTS)
    if text is None:
        fault = f"there is no text in columns {', '.join(map(str, values)) or '(none)'}"
        return Problem(fault, f"name the column one of {', '.join(_TEXTS)}", row=record.number)
    name = _name(values, sources) or f"{file}:{record.number}"
    return Document(name, text, _first(values, _TITLES) or "")


def _of_object(item: Any, number: int, sources: Counter[str]) -> Document:
    if isinstance(item, Document):
        return item
    if isinstance(item, str):
        return Document(f"document {number}", item)
    metadata = item if isinstance(item, Mapping) else getattr(item, "metadata", None) or {}
    attributes = {name: getattr(item, name, None) for name in (*_TEXTS, "id", "id_")}
    values = {**attributes, **{k: v for k, v in metadata.items() if v is not None}}
    text = _first(item if isinstance(item, Mapping) else attributes, _TEXTS)
    if text is None:
        fault = f"document {number} is a {type(item).__name__} without a text"
        remedy = f"give texts, or objects with one of {', '.join(_TEXTS)}"
        raise InputError([Problem(fault, remedy, row=number)])
    # LlamaIndex gives an `id_` at random: it names a document only if no file does.
    name = _name(values, sources) or _first(values, ("id_",)) or f"document {number}"
    return Document(name, text, _first(values, _TITLES) or "")


def _name(values: Mapping[Any, Any], sources: Counter[str]) -> str | None:
    """The id of a document, or where it is from, with a number if others are from there too."""
    if (own_id := _first(values, _IDS)) or not (source := _first(values, _SOURCES)):
        return own_id
    sources[source] += 1
    return source if sources[source] == 1 else f"{source}:{sources[source]}"


def _first(values: Mapping[Any, Any], names: Iterable[str]) -> str | None:
    """The first of these columns that holds a text, or a number as text."""
    by_name = {str(key).lower(): value for key, value in values.items()}
    for name in names:
        value = by_name.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def _with_distinct_ids(documents: list[Document]) -> list[Document]:
    """The documents, each under an id of its own.

    Raises:
        InputError: If two texts have the same id.
    """
    first_of_id: dict[str, tuple[int, str]] = {}
    for number, document in enumerate(documents, start=1):
        first, text = first_of_id.setdefault(document.id, (number, document.text))
        if text != document.text:
            fault = f"two documents are called '{document.id}', the ones at {first} and {number}"
            remedy = "give each an id of its own, or name the folder that holds both files"
            raise InputError(fault, remedy)
    return list({document.id: document for document in documents}.values())
