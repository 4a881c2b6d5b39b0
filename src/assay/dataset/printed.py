"""The documents that LangChain and LlamaIndex print: ``[Document(page_content='...'), ...]``."""

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

_BEGINS: Final = re.compile(
    r"\[?\s*(?:[A-Z]\w+\((?:id_?|page_content|metadata|text|content|node|meta)[=:]|page_content=['\"])"
)
_TEXTS: Final = ("page_content", "text", "content")
_IDS: Final = ("id", "id_")
_TOKEN: Final = re.compile(
    r"(?P<text>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")"
    r"|(?P<key>\b[A-Za-z_]\w*)[=](?!=)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<quote>['\"])",
    re.DOTALL,
)


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
    found: list[_Document] = []
    base, depth, key, at = _base(cell), 0, "", 0
    for token in _TOKEN.finditer(cell):
        between, at = cell[at : token.start()], token.end()
        if token["quote"] or (depth <= base and between.strip(" \t\r\n,")[:1].islower()):
            return None  # a text that does not end, or words between documents
        if token["close"]:
            depth -= 1
        elif token["open"]:
            if depth == base and token["open"] == "(":
                found.append(_Document())
            if key in ("metadata", "meta") and found and token["open"] == "{" and depth <= base + 1:
                found[-1].metadata = found[-1].metadata or _literal(cell, token.start())
            depth += 1
        elif token["text"] and key:
            _note(found, key, token["text"], depth)
        key = token["key"] or ""
        if depth == base and key == "page_content":  # as str() shows a document
            found.append(_Document())
    complete = depth == 0 and found and all(document.text is not None for document in found)
    return [_as_dict(document) for document in found] if complete else None


def _base(cell: str) -> int:
    """How deep documents stand: in a list, or not."""
    return 1 if cell.lstrip().startswith("[") else 0


def _note(found: list[_Document], key: str, spelled: str, depth: int) -> None:
    """Keep a text that stands under a key of the last document."""
    if not found:
        return
    document = found[-1]
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
    for token in _brackets(cell, start):
        depth += 1 if token["open"] else -1
        if depth == 0:
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return ast.literal_eval(cell[start : token.end()])
            return None
    return None


def _brackets(cell: str, start: int) -> Iterator[re.Match[str]]:
    return (t for t in _TOKEN.finditer(cell, start) if t["open"] or t["close"])


def _as_dict(document: _Document) -> dict[str, Any]:
    beside = {"id": document.id, "metadata": document.metadata}
    return {"page_content": document.text, **{name: it for name, it in beside.items() if it}}
