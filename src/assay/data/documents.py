"""Documents: texts with ids as they stand in a list, in a cell that spells a list, or printed."""

import ast
import io
import json
import re
import tokenize
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from assay.data.values import FieldError, describe, identifier, is_invisible, text, unboxed

# Fields whose passages may be joined in one text.
JOINED: Final = ("contexts", "reference_contexts")
_TEXT_KEYS: Final = ("page_content", "text", "content", "passage", "chunk", "body")
_ID_KEYS: Final = ("id", "_id", "doc_id", "document_id", "chunk_id", "node_id", "id_")
# [Document(page_content=..., [array([...: how str() shows documents and arrays.
_OBJECTS: Final = re.compile(
    r"\[\s*(?:array\(\[|[A-Z]\w+\((?:id_?|page_content|metadata|text|content|node|meta)[=:])"
)
_ACCESS: Final = "access"
_AS_JSON: Final = "write the list as JSON text"
_BEGINS: Final = re.compile(
    r"\[?\s*(?:[A-Z]\w+\((?:id_?|page_content|metadata|text|content|node|meta)[=:]|page_content=['\"])"
)
_REMOVE: Final = "remove it; [] says that nothing was retrieved"
_TEXTS: Final = ("page_content", "text", "content")
_IDS: Final = ("id", "id_")
_METADATA: Final = ("metadata", "meta")
_TOKEN: Final = re.compile(
    r"(?P<text>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")"
    r"|(?P<key>\b[A-Za-z_]\w*)[=](?!=)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<quote>['\"])",
    re.DOTALL,
)


@dataclass(frozen=True)
class Documents:
    """Texts that stood in one field."""

    texts: tuple[str, ...]  # the texts, in order
    ids: tuple[str, ...] | None = None  # their ids, None if not every one has an id
    rest: tuple[Mapping[str, Any], ...] = ()  # what else stood with each text; empty if nothing did
    printed: bool = False  # whether they were documents that a framework had printed as text

    @property
    def access(self) -> tuple[tuple[str, ...] | None, ...]:
        """The labels under `access` in each document or its metadata; None if it has none."""
        return tuple(map(_access, self.rest)) or (None,) * len(self.texts)


def _access(document_rest: Mapping[str, Any]) -> tuple[str, ...] | None:
    metadata = document_rest.get("metadata")
    inner = metadata.get(_ACCESS) if isinstance(metadata, Mapping) else None
    value = unboxed(document_rest.get(_ACCESS, inner))
    try:
        return None if value is None else labels(value)
    except FieldError:  # something else that is called so
        return None


def listed(value: Any) -> list[Any]:
    """The items of a list field; one text or one document is a list of one."""
    if isinstance(value, str):
        items = list_in_text(value)
        return [value] if items is None else items
    if isinstance(value, Mapping):
        return _as_documents(value)
    if isinstance(value, list | tuple):
        return list(value)
    if _document(value) is not None:
        return [value]
    raise FieldError(f"is {describe(value)}, but must be a list of texts", "write it as a list")


def labels(value: Any, part: str = "") -> tuple[str, ...]:
    """Access labels: one text, or a list of texts."""
    value = unboxed(value)
    items = listed(value) if isinstance(value, str | list | tuple) else [value]
    labels_read = [text(unboxed(item), part) for item in items]
    if any(map(is_invisible, labels_read)):
        subject = f"{part} holds" if part else "holds"
        raise FieldError(f"{subject} an empty label", "[] says that there is none")
    return tuple(labels_read)


def list_in_text(cell: str) -> list[Any] | None:
    """The list that a cell spells out as JSON or as Python prints it, None if it is plain text."""
    stripped = cell.strip()
    if stripped.startswith("array("):
        raise FieldError("is a numpy array printed as text", _AS_JSON)
    if _OBJECTS.match(stripped):
        raise FieldError("is a list of Python objects printed as text", _AS_JSON)
    if not stripped.startswith(("[", "('", '("')):
        return None
    parsed = _parse(stripped)
    if isinstance(parsed, list | tuple):
        return list(parsed)
    if stripped.startswith("("):
        return None
    if stripped[1:].lstrip()[:1] in {'"', "'", "{"}:
        fault = "begins like a list but cannot be read as JSON or as a Python list (cut off?)"
        raise FieldError(fault, _AS_JSON)
    return None


def is_plain(value: Any) -> bool:
    """Whether a value is a text that spells neither a list nor documents."""
    if not isinstance(value, str) or not value.strip():
        return False
    try:
        return list_in_text(value) is None and printed_documents(value) is None
    except (FieldError, RecursionError):
        return False


def _parse(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd backslash in a user's text is no fault here
            parsed = ast.literal_eval(cell)
            tokens = _tokens(cell)
            texts = [ast.literal_eval(t.string) for t in tokens if t.type == tokenize.STRING]
    except (ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError):
        return None
    kinds = [token.type for token in tokens]
    if not any(kind == after == tokenize.STRING for kind, after in pairwise(kinds)):
        return parsed
    # Python would silently join what stands side by side: texts that numpy printed apart.
    if [token.string for token in tokens if token.type != tokenize.STRING] != ["[", "]"]:
        raise FieldError("is a list in which a comma is missing", _AS_JSON)
    return texts


def _tokens(cell: str) -> list[tokenize.TokenInfo]:
    """The tokens of a Python expression, line ends left out."""
    empty = {tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
    return [token for token in tokens if token.type not in empty]


def _as_documents(value: Mapping[Any, Any]) -> list[Any]:
    """One document, or a dict of columns of documents, as a list of documents."""
    columns = {key: unboxed(items) for key, items in value.items()}
    if not any(isinstance(columns.get(key), list) for key in _TEXT_KEYS):
        return [value]
    lengths = {len(items) for items in columns.values() if isinstance(items, list)}
    if len(lengths) != 1 or not all(isinstance(items, list) for items in columns.values()):
        raise FieldError(f"is {describe(value)} whose lists differ in length")
    return [dict(zip(columns, items, strict=True)) for items in zip(*columns.values(), strict=True)]


def documents(value: Any) -> Documents:
    """The texts of a list field, with the ids and whatever else stands beside them."""
    printed = printed_documents(value) if isinstance(value, str) else None
    value = value if printed is None else printed
    items = [_read_item(unboxed(item), f"item {n}") for n, item in enumerate(listed(value), 1)]
    texts = tuple(body for body, _, _ in items)
    ids = tuple(key for _, key, _ in items if key is not None)
    complete = bool(ids) and len(ids) == len(texts)
    rests = tuple(
        fields if complete or key is None else {"id": key, **fields} for _, key, fields in items
    )
    metadata = rests if any(rests) else ()
    return Documents(texts, ids if complete else None, metadata, printed is not None)


def _read_item(item: Any, location: str) -> tuple[str, str | None, Mapping[str, Any]]:
    key: str | None = None
    document_rest: dict[str, Any] = {}
    if not isinstance(item, str):
        fields = _document(item)
        if fields is None:
            keys = ", ".join(_TEXT_KEYS[:3])
            fault = f"{location} is {describe(item)}, but must be text or a document"
            under = f"a document holds its text under one of {keys}"
            raise FieldError(fault, _REMOVE if item is None else under)
        item, key, document_rest = fields
    if is_invisible(text(item, location)):
        raise FieldError(f"{location} is an empty text", _REMOVE)
    return item, key, document_rest


def _document(item: Any) -> tuple[Any, str | None, dict[str, Any]] | None:
    """Text, id and the rest of a document (dict, LangChain, LlamaIndex, Haystack), or None."""
    if isinstance(item, Mapping):
        fields = {str(key): value for key, value in item.items()}
    else:
        names = (*_TEXT_KEYS, *_ID_KEYS, "metadata", "score")
        fields = {
            name: getattr(item, name) for name in names if getattr(item, name, None) is not None
        }
    text_key = next((key for key in _TEXT_KEYS if isinstance(fields.get(key), str)), None)
    if text_key is None:
        return None
    body = unboxed(fields.pop(text_key))
    id_key = next((key for key in _ID_KEYS if unboxed(fields.get(key)) not in (None, "")), None)
    key = identifier(unboxed(fields.pop(id_key)), "the id of a document") if id_key else None
    return body, key, fields


@dataclass
class _Document:
    """One printed document while its parts are collected; of several texts the outermost counts."""

    text: str | None = None
    depth: int = 0
    id: str | None = None
    metadata: Any = None


def printed_documents(cell: str) -> list[dict[str, Any]] | None:
    """Text, id and metadata of each printed document; None if they cannot be read as such."""
    if not _BEGINS.match(cell.lstrip()):
        return None
    documents: list[_Document] = []
    base, depth, key, end = _list_depth(cell), 0, "", 0
    for token in _TOKEN.finditer(cell):
        between, end = cell[end : token.start()], token.end()
        if token["quote"] or (depth <= base and between.strip(" \t\r\n,")[:1].islower()):
            return None  # a text that does not end, or words between documents
        if token["close"]:
            depth -= 1
        elif token["open"]:
            if depth == base and token["open"] == "(":
                documents.append(_Document())
            if key in _METADATA and token["open"] == "{" and depth <= base + 1:
                _keep_metadata(documents, cell, token.start())
            depth += 1
        elif token["text"] and key:
            _keep_text(documents, key, token["text"], depth)
        key = token["key"] or ""
        if depth == base and key == "page_content":  # as str() shows a document
            documents.append(_Document())
    complete = depth == 0 and documents and all(document.text is not None for document in documents)
    return [_printed_as_dict(document) for document in documents] if complete else None


def _list_depth(cell: str) -> int:
    return 1 if cell.lstrip().startswith("[") else 0


def _keep_metadata(documents: Sequence[_Document], cell: str, start: int) -> None:
    if documents and not documents[-1].metadata:
        documents[-1].metadata = _literal(cell, start)


def _keep_text(documents: list[_Document], key: str, spelled: str, depth: int) -> None:
    if not documents:
        return
    document = documents[-1]
    if key in _TEXTS and (document.text is None or depth < document.depth):
        document.text, document.depth = _unquoted(spelled), depth
    elif key in _IDS and document.id is None:
        document.id = _unquoted(spelled)


def _unquoted(spelled: str) -> str | None:
    """What a literal spells; line ends may stand in it as they are, as some tools rewrite them."""
    with warnings.catch_warnings(), suppress(ValueError, SyntaxError, MemoryError):
        warnings.simplefilter("ignore")  # an odd backslash in a user's text is no fault here
        return str(ast.literal_eval(spelled.replace("\r", "\\r").replace("\n", "\\n")))
    return None


def _literal(cell: str, start: int) -> Any:
    """The value that begins there, None if it is no plain one."""
    depth = 0
    for token in (t for t in _TOKEN.finditer(cell, start) if t["open"] or t["close"]):
        depth += 1 if token["open"] else -1
        if depth == 0:
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return ast.literal_eval(cell[start : token.end()])
            return None
    return None


def _printed_as_dict(document: _Document) -> dict[str, Any]:
    id_and_metadata = {"id": document.id, "metadata": document.metadata}
    return {
        "page_content": document.text,
        **{name: value for name, value in id_and_metadata.items() if value},
    }
