"""The command `assay explain`: a metric's definition and every prompt, word for word."""

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import click
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from assay import conformance
from assay._cli import options, output, user_modules
from assay._cli.errors import OK
from assay._cli.user_modules import look_here
from assay._runner import config_files
from assay.conformance import STORY, worked
from assay.errors import InputError
from assay.judge import Task
from assay.metrics import ALIASES, METRICS, Metric, parse
from assay.prompt import Template
from assay.tasks import TASKS, Embed, EmbedTokens

_HEADER = """\
# How a judge is asked: edit, then `assay run ... --prompts FILE`, and look at the whole prompt
# with `assay explain {name} --prompts FILE`. What is left out stays as built in.
# The line about fenced material stands in every prompt; the texts come after it.

"""


@dataclass(frozen=True, kw_only=True)
class ExplainRequest:
    """What `assay explain` is asked for."""

    name: str
    toml: bool
    prompts: str | None


@click.command("explain")
@click.argument("name", metavar="METRIC_OR_TASK")
@options.flag(
    "--toml",
    help="Write its prompts as a TOML file to edit, for `--prompts FILE`, and nothing else.",
)
@click.option(
    "--prompts", metavar="FILE", help="Show it with the prompts of this file in their place."
)
@options.takes(ExplainRequest)
def explain_command(request: ExplainRequest) -> int:
    """Show what METRIC_OR_TASK is by definition, and each prompt as an LLM reads it."""
    name = request.name
    templates = user_modules.read_prompts(request.prompts)
    look_here()
    metric = None if name in TASKS else _metric(name)
    kinds = metric.tasks if metric else (TASKS[name],)
    if request.toml:
        replaced = {kind.kind: t for kind in kinds if (t := _template(kind, templates))}
        if not replaced:
            why = "it is served by an embedder" if kinds else "it asks nobody"
            raise InputError(f"no prompt asks {name}: {why}")
        output.print_text(_HEADER.format(name=name) + config_files.write_prompts(replaced))
        return OK
    console = output.stdout()
    if metric:
        _show_metric(metric, console)
        _show_worked(metric, console)
    for number, kind in enumerate(kinds, start=1):
        _show_task(kind, _template(kind, templates), f"{number}. " if metric else "", console)
    return OK


def _metric(name: str) -> Metric:
    try:
        return parse(name)
    except InputError as error:
        # A name that is known, or an import that failed, needs no list of tasks.
        if name.partition("(")[0] in {*METRICS, *ALIASES} or error.__cause__ is not None:
            raise
        raise InputError(f"{error}; tasks are {', '.join(TASKS)}") from None


def _template(kind: type[Task[Any]], templates: Mapping[str, Template]) -> Template | None:
    return templates.get(kind.kind) or kind.template


def _show_metric(metric: Metric, console: Console) -> None:
    console.print(Text(metric.label, style="bold"))
    console.print(Text(_doc(type(metric))))
    console.print()
    for name, value in _facts(metric):
        console.print(Text.assemble((f"{name}: ", "dim"), value))


def _show_worked(metric: Metric, console: Console) -> None:
    """What stands of it on the conformance page."""
    # Code of the user's own is not run on a sample that is not theirs.
    built_in = type(metric).__module__.startswith("assay.")
    example = worked(metric) if built_in else None
    for name, fact in conformance.facts(metric, example):
        if name != "inputs":  # stands above as what it needs
            console.print(Text.assemble((f"{name}: ", "dim"), fact))
    if example is None:
        return
    console.print(Rule(Text("worked example", style="bold"), align="left"))
    console.print(Text(STORY, style="dim"))
    for name, text in conformance.texts():
        console.print(Text.assemble((f"{name}: ", "dim"), text))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("part", "text", "found", "value"):
        table.add_column(head, overflow="fold")
    for row in conformance.rows(example.outcome):
        table.add_row(*map(Text, row))
    console.print(table if table.row_count else Text("It has no parts."))


def _facts(metric: Metric) -> list[tuple[str, str]]:
    low, high = metric.range
    better = "higher is better" if metric.higher_is_better else "lower is better"
    ways = [", ".join(way) or "nothing" for way in (metric.needs, *metric.instead)]
    facts = [("needs", "; or ".join(ways)), ("range", f"{low:g} to {high:g}, {better}")]
    if metric.guide is not None:
        facts.append(("guide", f"teams often call more than {metric.guide:g} good"))
    parameters = [f"{f.name}={getattr(metric, f.name)}" for f in fields(metric)]
    facts.append(("parameters", ", ".join(parameters) or "none"))
    aliases = [alias for alias, name in ALIASES.items() if name == metric.name]
    facts += [("also called", ", ".join(aliases))] if aliases else []
    tasks = metric.asks(_an_llm_can)
    spare = [kind.kind for kind in metric.tasks if kind not in tasks]
    facts.append(("asks", ", ".join(kind.kind for kind in tasks) or "nobody"))
    facts += [("or, of a judge that cannot do these", ", ".join(spare))] if spare else []
    return facts


def _an_llm_can(kind: type[Task[Any]]) -> bool:
    return kind.template is not None or kind in (Embed, EmbedTokens)


def _show_task(
    kind: type[Task[Any]], template: Template | None, number: str, console: Console
) -> None:
    console.print()
    console.print(Rule(Text(f"{number}{kind.kind}", style="bold"), align="left"))
    console.print(Text(_doc(kind)))
    if template is None:
        console.print(Text("No prompt asks this: it is served by an embedder.", style="dim"))
        return
    changed = "" if template == kind.template else ", not the built-in one"
    text = user_modules.full_prompt(kind, template)
    _word_for_word(f"prompt ({template.digest}{changed})", text, console)
    schema = kind.schema_for(template)
    if template.form or schema is None:
        _word_for_word("reply form", template.form or "free text", console)
    if schema is not None:
        _word_for_word("JSON schema", json.dumps(schema), console)


def _doc(documented: type) -> str:
    """Its docstring, each paragraph in one line so that it fills any width."""
    paragraphs = (inspect.getdoc(documented) or "").split("\n\n")
    return "\n\n".join(p if "\n " in p else p.replace("\n", " ") for p in paragraphs)


def _word_for_word(title: str, text: str, console: Console) -> None:
    # Not wrapped: what is shown here may be copied.
    console.print(Text(f"\n{title}:", style="cyan"))
    console.print(Text(text.rstrip("\n")), soft_wrap=True)
