"""TOML files that users write: the configuration and prompts."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from assay._text.misspelt import did_you_mean
from assay.errors import InputError, Problem
from assay.prompt import Example, Template

# Where configuration may stand, and under which tables; the first file that has a section counts.
FILES = {"assay.toml": (), "pyproject.toml": ("tool", "assay")}
SECTIONS = ("run", "gate", "sweep")


def section(folder: Path, name: str) -> tuple[dict[str, Any], str]:
    """A section of the configuration in a folder, and the file that it stands in.

    Returns:
        What it says, {} if there is none; the name of the file, "" if there is none.

    Raises:
        InputError: If a file cannot be read, or holds what is no configuration.
    """
    for file, tables in FILES.items():
        path = folder / file
        table: Any = _parsed(path) if path.is_file() else {}
        for key in tables:
            table = table.get(key, {}) if isinstance(table, dict) else {}
        if not isinstance(table, dict):
            raise InputError(f"the configuration in '{file}' is no table", "write [tool.assay.run]")
        if unknown := sorted(set(table) - set(SECTIONS)):
            fault = f"'{file}' has the unknown section '{unknown[0]}'"
            raise InputError(fault, f"there are {', '.join(SECTIONS)}")
        if name in table:
            if not isinstance(table[name], dict):
                raise InputError(f"'{name}' in '{file}' is no table", f"write [{name}]")
            return table[name], file
    return {}, ""


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"'{path.name}' cannot be read: {error}") from error


_KEYS = tuple(field.name for field in fields(Template))
_EXAMPLE_KEYS = tuple(field.name for field in fields(Example))


def read_prompts(path: str | Path) -> dict[str, Template]:
    """The templates of a TOML prompt file by kind of task. What it leaves out stays as built in.

    Raises:
        InputError: Naming everything that is wrong with it.
    """
    try:
        text = Path(path).read_text("utf-8-sig")
        tables = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"'{path}' is no prompt file: {error}") from error
    problems: list[Problem] = []
    templates = {kind: _template(kind, table, problems) for kind, table in tables.items()}
    if not tables:
        remedy = "`assay explain faithfulness --toml` writes one to begin with"
        problems.append(Problem(f"'{path}' holds no prompts", remedy))
    if problems:
        raise InputError(problems)
    return templates


def write_prompts(templates: Mapping[str, Template]) -> str:
    """A TOML prompt file that `read` reads to the same templates."""
    return "\n".join(_table(kind, template) for kind, template in templates.items())


def _template(kind: str, table: Any, problems: list[Problem]) -> Template:
    from assay.tasks import TASKS  # the command line reads its configuration before it needs tasks

    built_in = TASKS[kind].template if kind in TASKS else None
    if built_in is None:
        reason = "reads no prompt" if kind in TASKS else "is no task"
        with_prompts = [name for name, task in TASKS.items() if task.template]
        problems.append(Problem(f"[{kind}] {reason}", _meant_key(kind, with_prompts)))
        return Template("")
    if not isinstance(table, dict):
        problems.append(Problem(f"{kind} is no table", f"write [{kind}] and below it its keys"))
        return built_in
    problems += _unknown(f"[{kind}]", table, _KEYS)
    changed: dict[str, Any] = {}
    for key, value in table.items():
        if key == "examples":
            changed[key] = _examples(kind, value, problems)
        elif key in _KEYS and type(value) is not type(getattr(built_in, key)):
            sort = "true or false" if key == "verbatim" else "a text"
            problems.append(Problem(f"[{kind}] {key} is not {sort}"))
        elif key in _KEYS:
            changed[key] = value
    if changed.get("instruction", "...").strip() == "":
        problems.append(Problem(f"[{kind}] instruction is empty", "say what is to be done"))
    return replace(built_in, **changed)


def _examples(kind: str, value: Any, problems: list[Problem]) -> tuple[Example, ...]:
    items = value if isinstance(value, list) else [None]
    examples = []
    for number, item in enumerate(items, start=1):
        location = f"[{kind}] example {number}"
        texts = item if isinstance(item, dict) else {}
        problems += _unknown(location, texts, _EXAMPLE_KEYS)
        missing = [key for key in _EXAMPLE_KEYS if not isinstance(texts.get(key), str)]
        if missing:
            fault = f"{location} has no text {' and no text '.join(missing)}"
            problems.append(Problem(fault, 'examples = [{given = "...", reply = "..."}]'))
        else:
            examples.append(Example(texts["given"], texts["reply"]))
    return tuple(examples)


def _unknown(location: str, table: Mapping[str, Any], known: Iterable[str]) -> list[Problem]:
    names = list(known)
    return [
        Problem(f"{location} has an unknown key '{key}'", _meant_key(key, names))
        for key in table
        if key not in names
    ]


def _meant_key(name: str, known: list[str]) -> str:
    return did_you_mean(name, known) or f"there are {', '.join(known)}"


def _table(kind: str, template: Template) -> str:
    from assay.tasks import TASKS

    lines = [f"[{kind}]", f"instruction = {_string(template.instruction)}"]
    lines.append(f"form = {_string(template.form)}")
    built_in = TASKS[kind].template
    if template.verbatim or (built_in and built_in.verbatim):
        lines.append(f"verbatim = {str(template.verbatim).lower()}")
    if template.leading or (built_in and built_in.leading):
        lines.append(f"leading = {_string(template.leading)}")
    if not template.examples:
        lines.append("examples = []")
    for example in template.examples:
        lines += ["", f"[[{kind}.examples]]", f"given = {_string(example.given)}"]
        lines.append(f"reply = {_string(example.reply)}")
    return "\n".join(lines) + "\n"


def _string(text: str) -> str:
    """A TOML string as readable as it can be: as it stands where nothing needs an escape."""
    printable = all(letter.isprintable() or letter in "\n\t" for letter in text)
    if printable and "'''" not in text and not text.endswith("'"):
        if "\n" in text or len(text) > 80:
            return f"'''\n{text}'''"
        if "'" not in text:
            return f"'{text}'"
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return "".join(
        _ESCAPES.get(letter) or (letter if letter.isprintable() else f"\\U{ord(letter):08X}")
        for letter in text
    )


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
