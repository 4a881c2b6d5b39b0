"""Which columns hold the main fields under names that nobody could list in advance?"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from assay.dataset.aliases import with_others

# A column is a field's if every word of its name says so: "Bot response", but not "response time".
_NOUNS: Final[Mapping[str, frozenset[str]]] = {
    "question": frozenset({"question", "query", "prompt", "input", "request", "utterance"}),
    "contexts": frozenset({"context", "passage", "chunk", "document", "doc", "snippet", "excerpt"}),
    "answer": frozenset(
        {"answer", "response", "reply", "output", "completion", "generation", "prediction"}
    ),
    "reference": frozenset({"answer", "response", "reply", "output", "truth", "reference"}),
}
_BESIDE: Final[Mapping[str, frozenset[str]]] = {
    "question": frozenset({"user", "customer", "client", "end", "test", "original", "asked"}),
    "contexts": frozenset(
        {"retrieved", "retrieval", "retriever", "rag", "source", "supporting", "found", "used"}
        | {"knowledge", "base", "kb", "search", "top", "fetched", "provided", "given"}
    ),
    "answer": frozenset(
        {"bot", "chatbot", "model", "llm", "ai", "assistant", "system", "agent", "rag", "gpt"}
        | {"generated", "predicted", "produced", "actual", "app", "pipeline"}
    ),
    "reference": frozenset(
        {"reference", "gold", "golden", "ground", "expected", "correct", "ideal", "right"}
        | {"expert", "human", "true", "target", "sme", "approved"}
    ),
}
# Words that say nothing of what a column holds.
_FILLERS: Final = frozenset({"the", "of", "a", "by", "from", "to", "text", "column", "s", "full"})
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_LONGEST: Final = 60


def candidates(columns: Iterable[str]) -> dict[str, list[str]]:
    """Field -> columns whose names say that they hold it, several that make a list as one."""
    columns = list(columns)
    found: dict[str, dict[str, None]] = {}
    for column in columns:
        words = _words(column)
        for field in _NOUNS:
            if _names(words, field):
                shown = with_others(field, column, columns)
                found.setdefault(field, {})[shown] = None
    return {field: list(names) for field, names in found.items()}


def _words(column: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(column)] if len(column) <= _LONGEST else []
    return [word for word in words if word not in _FILLERS]


def _names(words: list[str], field: str) -> bool:
    """Whether the words name the field: the last is its noun, all others go with that."""
    nouns, beside = _NOUNS[field], _BESIDE[field]
    if field == "contexts":
        words = [_singular(word, nouns) for word in words]
    if not words or words[-1] not in nouns or not set(words) <= nouns | beside:
        return False
    # Without a word that says so, an answer is the system's and not the right one.
    return field != "reference" or not beside.isdisjoint(words)


def _singular(word: str, nouns: frozenset[str]) -> str:
    return word.removesuffix("s") if word.removesuffix("s") in nouns else word
