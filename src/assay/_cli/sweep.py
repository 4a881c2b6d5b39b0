"""The command `assay sweep`: a system in many configurations, compared with the best."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis.telecom import telecom_study
from assay._cli import evaluation, options, output, values
from assay._cli.errors import OK, SOME_FAILED, say
from assay._cli.evaluation import read_settings
from assay._cli.judges import Judges, priced, read_asking, read_configurable
from assay._middleware.budget import Price
from assay._report import leaderboard, numbers, page, sanitize
from assay._report import sweep as report
from assay._report.comparison import groups
from assay._report.leaderboard import retrieval_blocks, sweep_remarks
from assay._report.tables import numeric, table
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay.data import Labels, read, read_labels
from assay.errors import InputError
from assay.experiments.pipeline import Pipeline
from assay.experiments.retrieval import names_gold
from assay.experiments.sweep import PARALLEL, SweepSettings, sweep
from assay.experiments.sweep_cost import ConfigurationCost, estimate_sweep
from assay.experiments.swept import Configuration, Sweep
from assay.metrics import resolve
from assay.target import Configurable

_GROUPS = evaluation.groups(
    *("sets", "random", "seed", "max_configurations", "race", "judge_retrieval"),
    costs=("dry_run", "price", "budget"),
    comes_out=("report", "labels", "level", "outs", "store", "as_json", "quiet"),
    pace=("parallel",),
)
_FORMS = {".html": "a page with pictures", ".json": "what --json shows"}
_STUDY_FORMS = {".html": "the tables as a page", ".md": "Markdown", ".json": "what --json shows"}


def tables() -> Any:
    """The option that asks for the tables of a study."""
    return options.option(
        "--report",
        type=click.Choice(["telecom"]),
        help="The tables of the telecom study: retrievers (accuracy at 1, 3 and 5), scores by "
        "right and wrong retrieval, each run beside the first by retrieval and, with labels, "
        "concordance.",
    )


def labelled() -> Any:
    """The option that names labels for such tables."""
    return options.repeatable(
        "--labels",
        metavar="FILE",
        help="With --report: whether the answers are correct, as for `assay agree`; a file for "
        "each run, in their order.",
    )


class _SweepRequest(evaluation.ExperimentRequest):
    corpus: tuple[str, ...] = options.argument(metavar="[CORPUS]...", nargs=-1)
    data: str = options.argument(metavar="QUESTIONS")
    sets: tuple[str, ...] = options.repeatable(
        "--set",
        metavar="KEY=VALUE,VALUE",
        help="A parameter and its values: an argument of the function, a variable of its "
        "environment (env:NAME=...), a field of the request to a URL, or a parameter of the "
        """pipeline over CORPUS. Values with commas are written as JSON: 'prompt=["a, b", "c"]'.""",
    )
    max_configurations: int = options.count(
        "--max-configurations", default=64, help="Refuse a grid with more configurations than this."
    )
    random: int | None = options.count(
        "--random",
        metavar="N",
        help="Ask only so many configurations, drawn at random from the grid.",
    )
    seed: int = options.count(
        "--seed", default=0, least=0, help="Which configurations --random draws."
    )
    parallel: int = options.count(
        "--parallel",
        default=PARALLEL,
        metavar="N",
        help="Ask and judge so many configurations at the same time; they share all limits.",
    )
    race: bool = options.flag(
        "--race",
        help="Ask in growing batches, and drop a configuration once another one is surely better "
        "by the first metric.",
    )
    judge_retrieval: bool = options.flag(
        "--judge-retrieval",
        help="Have the judge grade (0 to 3) what all configurations retrieve, and compute metrics "
        "of rankings from these grades in the place of gold labels.",
    )
    report: str | None = tables()
    labels: tuple[str, ...] = labelled()
    level: float = options.level(
        "Confidence level of each mean, and of all differences to the best together."
    )
    dry_run: bool = options.flag(
        "--dry-run",
        help="Count the questions that would be sent, and the judge's calls as far as answers are "
        "known; ask nobody.",
    )
    outs: tuple[str, ...] = options.outs(
        "Write it to .html (a page with pictures) or .json (what --json shows). Repeatable."
    )


@options.command("sweep", _SweepRequest, _GROUPS)
def sweep_command(request: _SweepRequest) -> int:
    """Ask a target QUESTIONS in every configuration of a grid, and say which is best, if any is.

    With CORPUS (files or folders of documents) the target is a pipeline that cuts, searches and
    answers from them: no code is needed.

    Each configuration is one run in the store, with its values as parameters and the tag "sweep".
    The same command asks nothing again; killed or stopped, it goes on where it was.
    """
    if not request.sets:
        raise InputError("no parameter is varied", "such as --set k=3,5,8")
    if request.random is None:
        values.reject_options("is for --random", "leave it out, or add --random N", "seed")
    grid = values.grid(request.sets)
    inputs = [request.data, request.store, *request.labels]
    output.check_files(request.outs, *inputs, forms=_STUDY_FORMS if request.report else _FORMS)
    output.check_file("--skip-invalid", request.skip_invalid, *inputs)
    settings = read_settings(request)
    labels: list[Labels] = []
    if request.report:
        labels = _check_study(request, settings)
    else:
        values.reject_options("is for --report", "add --report telecom", "labels")
    judge, embedder = Judges(request).build()
    sweep_inputs = (
        request.data,
        _target(request),
        grid,
        values.metric_specs(request.metrics),
        judge,
    )
    sweep_settings = options.fill(
        SweepSettings,
        request,
        embedder=embedder,
        settings=settings,
        asking=read_asking(request, settings),
        on_configuration=None if request.quiet else _say_configuration,
    )
    if request.dry_run:
        costs = estimate_sweep(*sweep_inputs, store=request.store, settings=sweep_settings)
        return _show_costs(costs, request, settings.budget.price)
    swept = sweep(*sweep_inputs, store=request.store, settings=sweep_settings)
    if request.report:
        _present_study(swept, labels, request)
    else:
        _present_sweep(swept, request)
    failed = any(
        configuration.failures or configuration.failed for configuration in swept.configurations
    )
    return SOME_FAILED if failed else OK


def _present_sweep(swept: Sweep, request: _SweepRequest) -> None:
    """Show and write what came of a sweep."""
    commands = _commands(swept, request.store)
    next_commands = [
        ("this sweep", output.given_command(request.store, target=swept.target)),
        *commands,
    ]
    writers = sweep_writers(swept, request.store, next_commands)
    output.write_data(msgspec.to_builtins(swept), request.outs, writers)
    if request.as_json:
        output.print_json(msgspec.to_builtins(swept))
    elif not request.quiet:
        output.stdout().print(show_sweep(swept))
        output.print_lines([*commands, *output.file_lines(request.outs)])


def _check_study(request: _SweepRequest, settings: Settings) -> list[Labels]:
    """Refuse before anything is asked what makes no tables; the labels that are named."""
    if request.race:
        fault = "a race asks its configurations different questions, and a study all the same"
        raise InputError(fault, "leave out --race or --report")
    rows = read(request.data, mapping=settings.mapping, limit=settings.limit)
    samples = (row.sample for row in rows if row.sample)
    if not (request.judge_retrieval or any(map(names_gold, samples))):
        fault = "--report telecom asks which contexts are right, and no question names any"
        remedy = "give reference_context_ids or reference_contexts, or add --judge-retrieval"
        raise InputError(fault, remedy)
    metrics = [metric.label for metric in resolve(values.metric_specs(request.metrics))]
    return [read_labels(file, metrics=metrics) for file in request.labels]


def _present_study(swept: Sweep, labels: Sequence[Labels], request: _SweepRequest) -> None:
    """Show and write the telecom study's tables of the configurations, the first one the base."""
    results = [Result(request.store, configuration.run) for configuration in swept.configurations]
    data = groups.collect_study(telecom_study(results, labels, level=request.level))
    show, writers = page.renderers(groups.study_report)
    output.present(data, request, writers, show, quiet=request.quiet)
    if not labels and not request.quiet:
        say("Concordance (table 4) takes labels of the answers: --labels FILE for each run.")


def _target(request: _SweepRequest) -> Configurable:
    """The system that is named, or the reference pipeline over the documents."""
    if request.corpus and request.target is not None:
        raise InputError("a corpus and a target are named", "leave one of the two out")
    if request.corpus:
        target_options = ("target_body", "target_headers", "target_replies")
        values.reject_options("is for a target, not for a corpus", "leave it out", *target_options)
        return Pipeline(request.corpus, version=request.target_version)
    if request.target is None:
        remedy = "--target URL, MODULE:FUNCTION or FILE.py:FUNCTION, or documents before QUESTIONS"
        raise InputError("no target is named", remedy)
    return read_configurable(request)


def _say_configuration(config: Configuration) -> None:
    text = f"{config.name}: system asked {config.asked:,}, reused {config.reused:,}"
    text += f"; judge asked {config.judge_asked:,}, reused {config.judge_reused:,}"
    if config.dropped_after is not None:
        text += f"; dropped after {numbers.plural(config.dropped_after, 'question')}"
    if config.failures:
        text += f"; {numbers.plural(config.failures, 'question')} without an answer"
    say(text)


def _show_costs(
    costs: Sequence[ConfigurationCost], request: _SweepRequest, price: Price | None
) -> int:
    """Show what each configuration would ask the system, and the judge; nobody is asked."""
    if request.as_json:
        output.print_json({"configurations": msgspec.to_builtins(costs)})
    elif not request.quiet:
        columns = {
            "to ask": [numbers.count(cost.ask) for cost in costs],
            "known": [numbers.count(cost.known) for cost in costs],
            "judge calls": [numbers.count(cost.calls or None) for cost in costs],
            "tokens": [numbers.count(_tokens([cost]) or None) for cost in costs],
            "money": [numbers.money(cost.money) if cost.money else numbers.DASH for cost in costs],
        }
        columns = {head: cells for head, cells in columns.items() if set(cells) != {numbers.DASH}}
        costs_table = table("configuration", gap=2)
        numeric(costs_table, columns)
        for cost, *cells in zip(costs, *columns.values(), strict=True):
            costs_table.add_row(leaderboard.name(cost.name), *cells)
        output.stdout().print(costs_table)
        at_most = "At most " if request.race else ""
        ask = f"{at_most}{sum(cost.ask for cost in costs):,} questions to send"
        say(
            f"{ask} in {len(costs)} configurations. {_judge_costs(costs, price)} Nothing was asked."
        )
    return OK


def _judge_costs(costs: Sequence[ConfigurationCost], price: Price | None) -> str:
    """What the judge would be asked for in all."""
    if any(cost.calls is None for cost in costs):
        return "What the judge would be asked is known once there are answers: add --limit 10 once."
    text = f"About {sum(cost.calls or 0 for cost in costs):,} calls to the judge"
    if tokens := _tokens(costs):
        text += f", {tokens:,} tokens"
    if any(cost.money for cost in costs):
        text += f", {numbers.money(sum(cost.money or 0.0 for cost in costs))} {priced(price)}"
    return f"{text}."


def _tokens(costs: Sequence[ConfigurationCost]) -> int:
    return sum((cost.tokens_in or 0) + (cost.tokens_out or 0) for cost in costs)


def sweep_writers(
    swept: Sweep, store: str, commands: Sequence[tuple[str, str]] | None = None
) -> Mapping[str, Callable[[Mapping[str, Any]], str]]:
    """What writes the page of a sweep; the commands on it are the next ones if none are given."""
    next_commands = _commands(swept, store) if commands is None else commands
    return {".html": lambda _: report.render(swept, next_commands)}


def show_sweep(swept: Sweep) -> RenderableType:
    """A sweep on the console."""
    n, k = numbers.plural(swept.n, "question"), len(swept.configurations)
    head = f"{swept.target} over {n} of {swept.source}, {numbers.plural(k, 'configuration')}"
    fixed = [
        f"{name}={v}"
        for name, (v, *more) in report.varied(swept.configurations).items()
        if not more
    ]
    head += f", all with {', '.join(fixed)}" if fixed and k > 1 else ""
    answers = leaderboard.findings(swept.leaderboards)
    lines: list[RenderableType] = [Text(sanitize.plain(text), "bold") for text in answers]
    lines.append(Text(sanitize.plain(head)))
    lines += [Text(sanitize.plain(remark)) for remark in sweep_remarks(swept)]
    params = {configuration.name: configuration.params for configuration in swept.configurations}
    lines += retrieval_blocks(swept.leaderboards, params, pool=bool(swept.note))
    for board in swept.leaderboards:
        lines += leaderboard.blocks(board, swept.level, params)
    fronts = any(board.fronts for board in swept.leaderboards)
    legend = leaderboard.legend(swept.level, race=swept.race, fronts=fronts)
    lines += [Text(), _costs_table(swept.configurations), legend, Text()]
    return Group(*lines)


def _costs_table(configurations: Sequence[Configuration]) -> Table:
    """What each configuration took."""
    columns = report.taken(configurations)
    runs_table = table("configuration", "run", gap=2)
    numeric(runs_table, columns)
    for index, configuration in enumerate(configurations):
        cells = (column[index] for column in columns.values())
        runs_table.add_row(leaderboard.name(configuration.name), configuration.run[:8], *cells)
    return runs_table


def _commands(swept: Sweep, store: str) -> list[tuple[str, str]]:
    """The next commands, ready to be copied."""
    first = swept.leaderboards[0].standings
    runs = {configuration.name: configuration.run[:8] for configuration in swept.configurations}
    lines = []
    if len(first) > 1:
        pair = [runs[standing.name] for standing in first[:2]]
        lines.append(("compare", output.command_line("compare", *reversed(pair), store=store)))
    lines.append(
        ("history", output.command_line("history", "--by", _varied_parameter(swept), store=store))
    )
    return lines


def _varied_parameter(swept: Sweep) -> str:
    """The first parameter with several values, or the first."""
    values = report.varied(swept.configurations)
    return next((name for name, levels in values.items() if len(levels) > 1), next(iter(values)))
