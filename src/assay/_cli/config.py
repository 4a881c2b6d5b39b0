"""The defaults that a configuration file gives to options, and the schema of that file."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from assay._runner.config_files import section
from assay._text.misspelt import did_you_mean
from assay.errors import InputError

# What belongs to one call only, or is a secret and belongs in the environment.
_NEVER = ("api-key", "json", "dry-run", "help")
_CONFIGURED = ("run", "sweep")


def defaults(name: str, command: click.Command, folder: Path) -> dict[str, Any]:
    """What stands in the configuration for the parameters of a command.

    For `assay run` and `assay sweep` all of their options, for the others, too, the store that
    `assay run` keeps its results in.
    """
    own_defaults = _defaults(name, command, folder) if name in _CONFIGURED else {}
    if name == "run" or not any(
        parameter.name == "store" and not parameter.required for parameter in command.params
    ):
        return own_defaults
    store = section(folder, "run")[0].get("store")
    return {**({"store": store} if isinstance(store, str) else {}), **own_defaults}


def schema() -> dict[str, Any]:
    """The JSON schema of the configuration: of `assay.toml`, and of `[tool.assay]`."""
    from assay._cli.run import run_command
    from assay._cli.sweep import sweep_command
    from assay.data.fields import DIALECT

    run, swept = (
        {
            name: {"description": option.help or "", **_form(option)}
            for name, option in _options(command).items()
        }
        for command in (run_command, sweep_command)
    )
    number = {"type": "number"}
    by_metric = {"type": "object", "additionalProperties": number}
    share = {"type": "number", "minimum": 0, "maximum": 1}
    gate = {
        "min": {"description": "Least mean by metric.", **by_metric},
        "max": {"description": "Greatest mean by metric.", **by_metric},
        "margin": {
            "description": "How much worse than the baseline a mean may be.",
            "anyOf": [{**number, "minimum": 0}, by_metric],
        },
        "max-unscored": {
            "description": "Greatest share of samples without a score.",
            "anyOf": [share, {"type": "object", "additionalProperties": share}],
        },
        "on": {"description": "What must lie on the right side.", "enum": ["bound", "mean"]},
        "undecided": {"description": "What an undecided rule does.", "enum": ["fail", "pass"]},
        "cases": {"description": "A regression set that must hold.", "type": "string"},
        "no-regression": {"description": "A run to be no worse than.", "type": "string"},
    }
    sections = {
        "run": _table("What `assay run` does unless an option says otherwise.", run),
        "sweep": _table("What `assay sweep` does unless an option says otherwise.", swept),
        "gate": _table("What `assay gate` demands.", gate),
    }
    title = "Configuration of assay: assay.toml, or [tool.assay] of pyproject.toml"
    return {"$schema": DIALECT, "title": title, **_table("Its sections.", sections)}


def _defaults(command_name: str, command: click.Command, folder: Path) -> dict[str, Any]:
    """Defaults for the options of a command, by parameter."""
    options, file = section(folder, command_name)
    known = _options(command)
    for name, value in options.items():
        if name not in known:
            fault = f"[{command_name}] of '{file}' has the unknown option '{name}'"
            raise InputError(fault, did_you_mean(name, known) or f"there are {', '.join(known)}")
        if not _fits_form(value, _form(known[name])):
            fault = f"[{command_name}] of '{file}': {name} is {value!r}"
            raise InputError(fault, f"give {_in_words(_form(known[name]))}")
    return {str(known[name].name): _as_list(known[name], value) for name, value in options.items()}


def _form(option: click.Option) -> dict[str, Any]:
    """What the value of an option may be, as a JSON schema."""
    if option.multiple:
        forms = [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
        return {"anyOf": [*forms, *_table_form(option)]}
    if option.is_flag:
        return {"type": "boolean"}
    kind = option.type
    if isinstance(kind, click.Choice):
        return {"enum": [str(choice) for choice in kind.choices]}
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        minimum = "exclusiveMinimum" if kind.min_open else "minimum"
        name = "integer" if isinstance(kind, click.IntRange) else "number"
        return {"type": name, **({} if kind.min is None else {minimum: kind.min})}
    return {"type": "string"}


def _table_form(option: click.Option) -> list[dict[str, Any]]:
    """What a table may hold in the place of KEY=VALUE texts; [] if those are not what is given."""
    key, equals, value = (option.metavar or "").partition("=")
    if not (equals and key.isalpha()):
        return []
    scalar: dict[str, Any] = {"type": ["string", "number", "boolean"]}
    lists = [{"type": "array", "items": scalar, "minItems": 1}] if "," in value else []
    return [{"type": "object", "additionalProperties": {"anyOf": [scalar, *lists]}}]


def _in_words(form: Mapping[str, Any]) -> str:
    if "anyOf" in form:
        table = ", or a table" if len(form["anyOf"]) > 2 else ""
        return f"a text or a list of texts{table}"
    if "enum" in form:
        return " or ".join(form["enum"])
    kinds = {"boolean": "true or false", "integer": "a whole number", "number": "a number"}
    minimum = f" of at least {form['minimum']:g}" if "minimum" in form else ""
    above = f" above {form['exclusiveMinimum']:g}" if "exclusiveMinimum" in form else ""
    return f"{kinds.get(form['type'], 'a text')}{minimum}{above}"


def _options(command: click.Command) -> dict[str, click.Option]:
    options = {
        max(option.opts, key=len).lstrip("-"): option
        for option in command.params
        if isinstance(option, click.Option)
    }
    return {name: option for name, option in options.items() if name not in _NEVER}


def _as_list(option: click.Option, value: Any) -> Any:
    if isinstance(value, dict):
        return [f"{key}={_in_json(item)}" for key, item in value.items()]
    return [value] if option.multiple and isinstance(value, str) else value


def _in_json(value: Any) -> str:
    """A value as an option has it: a text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _fits_form(value: Any, form: Mapping[str, Any]) -> bool:
    if "anyOf" in form:
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return isinstance(value, str) or texts or _fits_table(value, form["anyOf"][2:])
    if "enum" in form:
        return value in form["enum"]
    kinds: dict[str, Any] = {"boolean": bool, "integer": int, "number": (int, float), "string": str}
    kind = kinds[form["type"]]
    if isinstance(value, bool) and kind is not bool:
        return False
    if not isinstance(value, kind):
        return False
    above = value > form["exclusiveMinimum"] if "exclusiveMinimum" in form else True
    reaches_minimum = value >= form["minimum"] if "minimum" in form else True
    return bool(above and reaches_minimum)


def _fits_table(value: Any, forms: Sequence[Mapping[str, Any]]) -> bool:
    if not (forms and isinstance(value, dict)):
        return False
    lists = len(forms[0]["additionalProperties"]["anyOf"]) > 1
    values: list[Any] = []
    for item in value.values():
        values += item if lists and isinstance(item, list) and item else [item]
    return all(isinstance(item, str | int | float) for item in values)


def _table(description: str, properties: dict[str, Any]) -> dict[str, Any]:
    table = {"description": description, "type": "object", "additionalProperties": False}
    return {**table, "properties": properties}
