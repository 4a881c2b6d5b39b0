"""The commands `assay metrics` and `assay explain`: what metrics are, word for word."""

import inspect
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from assay import conformance
from assay._cli import options, output, values
from assay._cli.errors import OK
from assay._cli.evaluation import Evaluation
from assay._cli.output import command_line, run_name
from assay._cli.run import run_command
from assay._cli.scoring import run
from assay._cli.values import look_here
from assay._report import numbers, sanitize
from assay._runner import config_files
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay.conformance import STORY, definition, worked
from assay.data.missing_fields import SKIP_HINT
from assay.errors import InputError
from assay.judge import Task
from assay.judges.specs import DEFAULT
from assay.metrics import ALIASES, METRICS, Metric, parse, resolve
from assay.metrics.registry import GROUPS
from assay.prompt import Template
from assay.sample import Sample
from assay.score import Outcome, Score
from assay.tasks import TASKS, Embed, EmbedTokens

_LLM = "needs an LLM"
_SHOWN_SAMPLES = 5  # on the terminal; --json has them all


class _MetricsRequest(options.LimitedJudgeRequest):
    names: tuple[str, ...] = options.argument(metavar="[METRIC]...", nargs=-1)
    data: str | None = options.option(
        "--compare",
        metavar="DATA",
        help="Compute these METRICs for DATA side by side, from the same evidence, and say why "
        "they differ.",
    )
    store: str
    maps: tuple[str, ...]
    limit: int | None
    dry_run: bool
    as_json: bool
    no_progress: bool


@options.command("metrics", _MetricsRequest)
def metrics_command(request: _MetricsRequest) -> int:
    """List the metrics, a line each, and whether they need an LLM.

    With METRICs only those, one of your own (MODULE:ATTRIBUTE) included: definition, needs, the
    tasks it asks, who can do them, other names. With --compare they are computed for the same
    samples, each by its own definition (--dry-run: what that costs). To compare two systems, use
    `assay compare`.
    """
    look_here()
    names = values.metric_specs(request.names)
    if request.data is not None:
        return _compare(names, request)
    needless = (*options.JUDGE_OPTIONS, "store", "maps", "limit", "dry_run", "no_progress")
    values.reject_options("is for --compare", "leave it out, or add --compare DATA", *needless)
    rows = _describe_metrics(names)
    if request.as_json:
        output.print_json(rows)
        return OK
    (_print_details if names else _print_list)(rows)
    return OK


def _print_list(rows: Sequence[dict[str, Any]]) -> None:

    console = output.stdout()
    by_name = {row["name"]: row for row in rows}
    width = max(map(len, by_name))
    for group, metrics in GROUPS.items():
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column(width=width, no_wrap=True)
        table.add_column(width=len(_LLM), no_wrap=True, style="dim")
        table.add_column()
        for name in (metric.name for metric in metrics):
            row = by_name[name]
            table.add_row(name, _judge_kind(row), Text(row["definition"]))
        console.print(Text(f"\n{group}", style="bold"))
        console.print(table)
    console.print(
        "\n`assay metrics METRIC` shows what one needs, `assay explain METRIC` all of it."
    )


def _judge_kind(row: dict[str, Any]) -> str:
    if not row["tasks"]:
        return "no judge"
    return _LLM if row["embedded_lacks"] else "offline"


def _print_details(rows: Sequence[dict[str, Any]]) -> None:

    console = output.stdout()
    for row in rows:
        console.print(Text(row["name"], style="bold"))
        console.print(Padding(Text(row["definition"]), (0, 0, 0, 4)))
        for line in _details(row):
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 4)))
    console.print("`assay explain METRIC` shows the whole definition and every prompt.")


def _describe_metrics(names: Sequence[str]) -> list[dict[str, Any]]:
    route = choose(DEFAULT, None, Settings())
    rows = []
    for metric in resolve(names or [kind() for kind in METRICS.values()]):
        tasks = metric.asks(route.serves)
        row = {
            "name": metric.name,
            "definition": (type(metric).__doc__ or "").strip().partition("\n")[0],
            "parameters": {field.name: getattr(metric, field.name) for field in fields(metric)},
            "source": metric.source,
            "follows": metric.follows,
            "needs": list(metric.needs),
            "instead": [list(fields) for fields in metric.instead],
            "tasks": [kind.kind for kind in metric.tasks],
            "range": metric.ends(),
            "higher_is_better": metric.higher_is_better,
            "guide": metric.guide,
            "embedded_asks": [kind.kind for kind in tasks],
            "embedded_lacks": [k.kind for k in tasks if not route.serves(k)],
            "aliases": [alias for alias, name in ALIASES.items() if name == metric.name],
        }
        rows.append(row)
    return rows


def _details(row: dict[str, Any]) -> list[str]:
    alternatives = [", ".join(fields) or "nothing" for fields in (row["needs"], *row["instead"])]
    lines = [f"follows {row['follows']}"] if row["follows"] else []
    lines.append(f"needs {'; or '.join(alternatives)}")
    lines.append(f"asks {', '.join(row['tasks']) or 'nobody'}")
    if row["embedded_lacks"]:
        lines.append(
            f"needs an LLM: the embedded judge cannot do {', '.join(row['embedded_lacks'])}"
        )
    elif row["embedded_asks"] != row["tasks"]:
        lines.append(f"the embedded judge can, asked {', '.join(row['embedded_asks'])} only")
    elif row["tasks"]:
        lines.append("the embedded judge can")
    if row["parameters"]:
        parameters = (f"{name}={value}" for name, value in row["parameters"].items())
        lines.append(f"parameters: {', '.join(parameters)}")
    if row["aliases"]:
        lines.append(f"also called {', '.join(row['aliases'])}")
    return lines


def _compare(names: Sequence[str], request: _MetricsRequest) -> int:
    """Score the data by every metric named and show them side by side; the exit code."""
    if len(names) < 2:
        fault = "--compare takes two metrics or more"
        raise InputError(fault, "assay metrics --compare DATA faithfulness deepeval:faithfulness")
    defaults = run_command.make_context("run", ["DATA"]).params
    of_request = {f.name: getattr(request, f.name) for f in fields(request) if f.name != "names"}
    try:
        run_request = options.RunRequest(**{**defaults, **of_request, "metrics": tuple(names)})
        return run(run_request, _show_comparison, _comparison_json)
    except InputError as error:
        raise error.without(SKIP_HINT) from error


@dataclass(frozen=True)
class Row:
    """One sample under every definition."""

    sample: Sample  # the sample
    outcomes: Mapping[str, Outcome]  # what each metric gives, by its label
    spread: float  # how far the values lie apart, as a share of the metrics' ranges


def rows(result: Result, metrics: Sequence[Metric]) -> list[Row]:
    """Every sample, those first on which the definitions differ most."""
    columns = [list(result.outcomes(metric.label)) for metric in metrics]
    compared = []
    for cells in zip(*columns, strict=True):
        outcomes = [outcome for _, outcome in cells]
        labelled = dict(zip((m.label for m in metrics), outcomes, strict=True))
        compared.append(Row(cells[0][0], labelled, _score_range(metrics, outcomes)))
    return sorted(compared, key=lambda row: -row.spread)


def _score_range(metrics: Sequence[Metric], outcomes: Sequence[Outcome]) -> float:
    shares = [
        _goodness(metric, outcome.value)
        for metric, outcome in zip(metrics, outcomes, strict=True)
        if isinstance(outcome, Score)
    ]
    return max(shares) - min(shares) if shares else 0.0


def _goodness(metric: Metric, value: float) -> float:
    # Faithfulness of 1 and hallucination of 0 say the same; so do 0.5 of 1 and 5 of 10. Some
    # ranges have no end (latency): such values are compared as they are.
    low, high = metric.range
    span = high - low
    share = (value - low) / span if span < float("inf") else value
    return share if metric.higher_is_better else 1 - share


def _evidence(outcome: Outcome) -> str:
    """``2 supported, 1 contradicted``, or why there is no score."""
    if not isinstance(outcome, Score):
        return outcome.reason
    counts = Counter(part.label or part.kind for part in outcome.parts)
    return ", ".join(f"{n} {label}" for label, n in counts.items())


def _show_comparison(result: Result, evaluation: Evaluation) -> None:
    """The means, the samples on which they differ most, the definitions."""
    console = output.stdout()
    compared = rows(result, evaluation.metrics)
    console.print(_means(result, evaluation.metrics))
    differing = [row for row in compared if row.spread > 0][:_SHOWN_SAMPLES]
    if not differing:
        console.print("\nNo sample on which they differ.")
    for row in differing:
        _show_row(row, console)
    console.print(Text("\nWhy they differ: what each one computes", style="bold"))
    for metric in evaluation.metrics:
        console.print(Text(f"\n{metric.label}", style="bold"))
        console.print(Text(_filled(definition(metric))))
        console.print(Text(_inputs(metric), style="dim"))
    line = command_line("show", run_name(result), "--sample", "ID", store=evaluation.store)
    console.print(Text(f"\n{line}", style="dim"), soft_wrap=True)


def _comparison_json(result: Result, evaluation: Evaluation) -> dict[str, Any]:
    """The same for programs."""
    summary = {row.metric: row for row in result.summary()}
    return {
        "run": result.run.id,
        "store": evaluation.store,
        "metrics": [
            {
                "metric": metric.label,
                "mean": summary[metric.label].mean,
                "n_scored": summary[metric.label].n_scored,
                "n_undefined": summary[metric.label].n_undefined,
                "n_failed": summary[metric.label].n_failed,
                "higher_is_better": metric.higher_is_better,
                "definition": definition(metric),
                "source": metric.source,
                "needs": list(metric.needs),
            }
            for metric in evaluation.metrics
        ],
        "samples": [_row_json(row) for row in rows(result, evaluation.metrics)],
    }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "sample": row.sample.id,
        "question": row.sample.question,
        "spread": row.spread,
        "values": {
            label: outcome.value if isinstance(outcome, Score) else None
            for label, outcome in row.outcomes.items()
        },
        "evidence": {label: _evidence(outcome) for label, outcome in row.outcomes.items()},
    }


def _means(result: Result, metrics: Sequence[Metric]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("metric")
    for head in ("mean", "scored", "undefined", "failed"):
        table.add_column(head, justify="right")
    table.add_column("better")
    for metric, row in zip(metrics, result.summary(), strict=True):
        mean = numbers.score(row.mean)
        counts = (row.n_scored, row.n_undefined, row.n_failed)
        better = "higher" if metric.higher_is_better else "lower"
        table.add_row(Text(row.metric), mean, *map(str, counts), better)
    return table


def _show_row(row: Row, console: Console) -> None:
    console.print()
    question = sanitize.plain(row.sample.question or "")
    console.print(Text.assemble((sanitize.plain(row.sample.id), "bold"), f"  {question}"))
    table = Table.grid(padding=(0, 2))
    for label, outcome in row.outcomes.items():
        value = numbers.score(outcome.value if isinstance(outcome, Score) else None)
        table.add_row(
            Text(f"  {label}"), value, Text(sanitize.plain(_evidence(outcome)), style="dim")
        )
    console.print(table)


def _filled(text: str) -> str:
    return "\n".join(
        " ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n")
    )


def _inputs(metric: Metric) -> str:
    source = f" ({metric.source})" if metric.source else ""
    return f"from {', '.join(metric.needs) or 'nothing'}{source}"


_HEADER = """\
# How a judge is asked: edit, then `assay run ... --prompts FILE`, and look at the whole prompt
# with `assay explain {name} --prompts FILE`. What is left out stays as built in.
# The line about fenced texts stands in every prompt; the texts come after it.

"""


class _ExplainRequest(options.Request):
    name: str = options.argument(metavar="METRIC_OR_TASK")
    toml: bool = options.flag(
        "--toml",
        help="Write its prompts as a TOML file to edit, for `--prompts FILE`, and nothing else.",
    )
    prompts: str | None = options.option(
        "--prompts", metavar="FILE", help="Show it with the prompts of this file in their place."
    )


@options.command("explain", _ExplainRequest)
def explain_command(request: _ExplainRequest) -> int:
    """Show what METRIC_OR_TASK is by definition, and each prompt as an LLM reads it."""
    name = request.name
    templates = values.read_prompts(request.prompts)
    look_here()
    metric = None if name in TASKS else _metric(name)
    kinds = metric.tasks if metric else (TASKS[name],)
    if request.toml:
        replaced = {kind.kind: t for kind in kinds if (t := _template(kind, templates))}
        if not replaced:
            reason = "it is served by an embedder" if kinds else "it asks nobody"
            raise InputError(f"no prompt asks {name}: {reason}")
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
    alternatives = [", ".join(fields) or "nothing" for fields in (metric.needs, *metric.instead)]
    facts = [("needs", "; or ".join(alternatives)), ("range", f"{low:g} to {high:g}, {better}")]
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
    text = values.full_prompt(kind, template)
    _word_for_word(f"prompt ({template.digest}{changed})", text, console)
    schema = kind.schema_for(template)
    if template.form or schema is None:
        _word_for_word("reply form", template.form or "free text", console)
    if schema is not None:
        _word_for_word("JSON schema", json.dumps(schema), console)


def _doc(documented: type) -> str:
    """Its docstring, each paragraph and each parameter in one line so that it fills any width."""
    paragraphs = re.sub(r"\n {8,}", " ", inspect.getdoc(documented) or "").split("\n\n")
    return "\n\n".join(p if "\n " in p else p.replace("\n", " ") for p in paragraphs)


def _word_for_word(title: str, text: str, console: Console) -> None:
    # Not wrapped: what is shown here may be copied.
    console.print(Text(f"\n{title}:", style="cyan"))
    console.print(Text(text.rstrip("\n")), soft_wrap=True)
