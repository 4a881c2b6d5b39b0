"""Rewords the advice of an error so that it names what a script written for ragas has."""

import re
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from assay.data.missing_fields import SKIP_HINT
from assay.errors import AssayError, InputError, Problem
from assay.integrations.ragas.rows import FIELDS
from assay.runner.event_loop import run_to_completion
from assay.store.integrity import StoreError

T = TypeVar("T")

_COLUMN = {field: column for column, field in reversed(list(FIELDS.items()))}
# As `shlex.quote` writes them: in quotation marks, or of safe letters only.
_MAPPED = re.compile(
    r"--map (?:'(?P<quoted>\w+=[^']*)'|(?P<bare>\w+=[\w@%+:,./-]*))(?: \(mapping= in Python\))?"
)
# What the command line has, by pattern, and what does the same in a script.
_OPTIONS: tuple[tuple[str, str], ...] = (
    (
        r"let the embedded judge do the rest: --judge JUDGE\+embedded",
        "let the embedded judge do the rest: llm='openai:MODEL+embedded'",
    ),
    (
        r"choose another judge \(openai:MODEL\), or mix: .*",
        "give llm= a model that writes: what llm_factory gives, or llm='openai:MODEL'",
    ),
    (
        "name a language model: openai:MODEL, ollama:MODEL or gguf:PATH",
        "give llm= a language model: what llm_factory gives, or 'openai:MODEL', 'ollama:MODEL'",
    ),
    (r"--judge openai:MODEL --base-url URL", "llm_factory('MODEL', base_url='URL')"),
    (
        r"raise --timeout, or lower --concurrency",
        "give run_config=RunConfig(timeout=..., max_workers=...) more time or fewer workers",
    ),
    (r"--map\b", "column_map="),
    (r"no column holds 'turns'", "'user_input' is no conversation"),
    (r"name it with column_map=\{'turns': 'COLUMN'\}", "give MultiTurnSamples"),
    (r"\bragas:(?=\w)", ""),
    (r"\bembedded:v[\w.+:-]+", "the embedded judge"),
    (r"--base-url", "llm_factory('MODEL', base_url='URL')"),
    (r"(?:take )?another --store", "run the script in another folder"),
    (r"name a store, or a run of one .*", "move it away, or run the script in another folder"),
    (r"name a --store on", "run the script in a folder on"),
)


@contextmanager
def reworded() -> Iterator[None]:
    """What is raised inside, said in the words of a script written for ragas.

    Raises:
        AssayError: The same error with other advice, without the traceback of assay's inside.
    """
    try:
        yield
    except AssayError as error:
        raise _in_words(error) from None


def completed(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; what it raises is reworded, with a short traceback.

    Raises:
        AssayError: What the coroutine raised.
    """
    try:
        return run_to_completion(work)
    except AssayError as error:
        raise _in_words(error) from None


def _in_words(error: AssayError) -> AssayError:
    if isinstance(error, InputError):
        kind = StoreError if isinstance(error, StoreError) else InputError
        return kind([_problem(problem) for problem in error.problems], total=error.total)
    error.args = (_text(str(error)), *error.args[1:])
    return error.with_traceback(None)


def _problem(problem: Problem) -> Problem:
    remedy = _text(problem.remedy.removesuffix(SKIP_HINT))
    return replace(problem, what=_text(problem.what), remedy=remedy)


def _text(text: str) -> str:
    text = _MAPPED.sub(_by_column_map, text)
    for option, words in _OPTIONS:
        text = re.sub(option, words, text)
    return text


def _by_column_map(found: re.Match[str]) -> str:
    field, _, column = (found["quoted"] or found["bare"]).partition("=")
    return f"column_map={{'{_COLUMN.get(field, field)}': '{column or 'COLUMN'}'}}"
