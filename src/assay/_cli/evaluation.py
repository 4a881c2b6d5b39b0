"""What commands that evaluate, or that try a system, are asked for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from assay._cli import options, output, values
from assay._cli.judges import Judges, Target, budget, measured, read_target
from assay._cli.values import look_here, read_prompts
from assay._middleware.wrapper import Route
from assay._runner.plan import who_can
from assay._runner.settings import Engine, Settings
from assay._runner.stack import choose
from assay.data import FIELDS, Record, read
from assay.data.columns import likely_column
from assay.data.files import is_uri, near
from assay.data.missing_fields import ambiguous_columns, is_missing, not_found
from assay.data.missing_fields import options as map_options
from assay.data.tables import split_sheet
from assay.data.validation import no_rows
from assay.errors import InputError, Problem
from assay.judge import Backend, Task
from assay.metrics import METRICS, Metric, resolve
from assay.metrics.registry import DIAGNOSTIC, OCCASIONAL, USUAL

# So many rows are looked at.
_ROWS = 1000
_INNER_SHOWN = 5
_CANNOT = "the judge cannot do"
_ABSENT = "is in no row"
_MAPPED = ("question", "contexts", "answer")
_COMMON = (*USUAL, *DIAGNOSTIC, *OCCASIONAL)
_NEEDS = {need for name in _COMMON for need in METRICS[name].needs}
# Of two metrics that differ in what they need only, the one that needs more tells more.
_SPARES = {"context_precision_without_reference": "context_precision"}
# Of a conversation with one answer they tell what faithfulness and answer_relevancy tell.
_BY_TURN = {"turn_faithfulness", "turn_relevancy"}


@dataclass(frozen=True)
class MetricSelection:
    """The metrics that fit the data."""

    metrics: tuple[str, ...]  # their names
    left_out: Mapping[str, str]  # name -> why, for the others of the usual ones
    near_columns: str  # the options that would fill what these lack, "" if no column is called so
    known: bool  # whether some row can be used, so that this says what the data fill


@dataclass(frozen=True)
class Evaluation:
    """What is evaluated, and how."""

    data: Any  # path of the data, or what a system answered to it
    # What to compute; none yet if that depends on what a system answers.
    metrics: tuple[Metric, ...]
    selection: MetricSelection | None  # how the metrics were selected, None if the user named them
    judge: Backend  # who judges
    embedder: Backend | None  # who makes embeddings, None for the default
    store: str  # the SQLite file
    settings: Settings  # everything else
    outs: tuple[str, ...]  # files to write
    target: Target | None = None  # the system that is asked first, None if the data holds answers


def read_request(request: options.RunRequest) -> Evaluation:
    """The evaluation that the options describe."""
    data = request.data
    if not is_uri(data) and not split_sheet(Path(data))[0].exists():
        raise InputError(f"there is no file '{data}'", near(Path(data)))
    inputs = [data, request.store, *request.judge_cards, *filter(None, [request.prompts])]
    output.check_files(request.outs, *inputs, *filter(None, [request.skip_invalid]))
    output.check_file("--skip-invalid", request.skip_invalid, *inputs[1:])
    if request.engine == "local":
        values.reject_options("is for --engine ray", "leave it out", "workers", "worker_cores")
    settings = read_settings(request)
    judges = Judges(request)
    judge, embedder = judges.build()
    output.check_files(request.outs, *judges.files)
    output.check_file("--skip-invalid", request.skip_invalid, *judges.files)
    look_here()
    specs = values.metric_specs(request.metrics)
    target, selection = read_target(request, settings), None
    if not specs and not target:
        selection = select_metrics(data, settings, choose(judge, embedder, settings))
        specs = list(selection.metrics)
    return Evaluation(
        data=data,
        metrics=resolve(specs) if specs else (),
        selection=selection,
        judge=judge,
        embedder=embedder,
        store=request.store,
        settings=settings,
        outs=request.outs,
        target=target,
    )


def read_settings(request: options.RunRequest) -> Settings:
    """The settings that the options describe, beside data, metrics and judge."""
    return options.fill(
        Settings,
        request,
        mapping=values.mapping(request.maps),
        contexts=values.contexts(request.contexts),
        skip_invalid=Path(request.skip_invalid) if request.skip_invalid else None,
        prompts=read_prompts(request.prompts),
        concurrency=None,  # it is one of the limits
        limits=request.limits(),
        cores=request.worker_cores,
        budget=budget(request),
        measured=measured(request.judge_cards),
        name=request.name or "",
        note=request.note or "",
        params=values.params(request.params),
        _command=output.given_command(request.store),
    )


def select_metrics(data: Any, settings: Settings, route: Route) -> MetricSelection:
    """The common metrics whose needs some row fills and whose tasks the judge can do.

    With judges in this process also those that only a diagnosis needs: they cost no money.
    """
    survey = _survey(data, settings)
    gaps = survey.gaps()
    fit: list[str] = []
    left_out: dict[str, str] = {}
    unable: list[type[Task[Any]]] = []
    local = route.capabilities.local
    for name in (*USUAL, *(DIAGNOSTIC if local else ()), *OCCASIONAL):
        metric = METRICS[name]
        missing = _reasons(metric.needs, gaps)
        tasks = metric().asks(route.serves)
        cannot = [kind for kind in tasks if not route.serves(kind)]
        if missing:
            left_out[name] = ", ".join(missing)
        elif name not in survey.served:
            left_out[name] = f"no row holds all of {', '.join(metric.needs)}"
        elif cannot:
            left_out[name] = f"{_CANNOT} {', '.join(kind.kind for kind in cannot)}"
            unable += cannot
        elif _SPARES.get(name) not in fit:
            fit.append(name)
    if not fit:
        remedy = who_can(unable[0]) if unable else _map_remedy(survey)
        raise InputError(_no_metric_fits(data, settings.mapping, survey, left_out, remedy))
    usual = {name: left_out[name] for name in USUAL if name in left_out}
    columns_meant = _near_columns(usual, gaps, survey, settings.mapping)
    return MetricSelection(tuple(fit), usual, columns_meant, survey.usable)


def _near_columns(
    left_out: Iterable[str],
    gaps: Mapping[str, str],
    survey: "_Survey",
    mapping: Mapping[str, str],
) -> str:
    """The options that would fill fields that no row holds, by what columns are called."""
    columns = [name for name in survey.columns if name not in mapping.values()]
    needs = {need for name in left_out for need in METRICS[name].needs}
    absent = [need for need in FIELDS if need in needs and gaps.get(need) == _ABSENT]
    columns_by_need = {need: likely_column(need, columns) for need in absent}
    return map_options({need: [column] for need, column in columns_by_need.items() if column})


def _no_metric_fits(
    data: Any,
    mapping: Mapping[str, str],
    survey: "_Survey",
    left_out: Mapping[str, str],
    remedy: str,
) -> list[Problem]:
    needed = {need for name in USUAL for need in METRICS[name].needs}
    reasons = _reasons([need for need in FIELDS if need in needed], survey.gaps())
    reasons += [f"{name}: {reason}" for name, reason in left_out.items() if _CANNOT in reason]
    fault = f"no metric can be computed from {getattr(data, 'name', data)}: {', '.join(reasons)}"
    columns = ", ".join(name + kind for name, kind in survey.columns.items()) or "none"
    unfound_names = (name for name in mapping if name in survey.unfound)
    unfound = [not_found(name, mapping[name], survey.columns) for name in unfound_names]
    return [*unfound, Problem(f"{fault}; columns found: {columns}", remedy)]


def _map_remedy(survey: "_Survey") -> str:
    """How the columns are named that hold what no row seems to hold."""
    gaps = survey.gaps()
    absent = [name for name in _MAPPED if gaps.get(name) == _ABSENT] or _MAPPED
    nested = "; one row is one question" if any(survey.columns.values()) else ""
    unanswered = "answer" in absent and "question" not in gaps
    ask = ", or let your system answer the questions (assay run --target)" if unanswered else ""
    return f"name columns with {' '.join(f'--map {name}=COLUMN' for name in absent)}{ask}{nested}"


def _reasons(needs: Iterable[str], gaps: Mapping[str, str]) -> list[str]:
    """Why these fields cannot be used; those that no row holds are told together."""
    missing = [need for need in needs if need in gaps]
    absent = " or ".join(need for need in missing if gaps[need] == _ABSENT)
    reasons = [f"{need} {gaps[need]}" for need in missing if gaps[need] != _ABSENT]
    return [f"no row holds {absent}", *reasons] if absent else reasons


@dataclass
class _Survey:
    """What the first rows hold, of the fields that the common metrics need."""

    present: set[str] = field(default_factory=set)  # the fields that some row holds
    # Those that some row holds something in: an empty list is present, not filled.
    filled: set[str] = field(default_factory=set)
    # The metrics whose fields stand in one row together.
    served: set[str] = field(default_factory=set)
    # Every column, and what to say of its kind.
    columns: dict[str, str] = field(default_factory=dict)
    unfound: set[str] = field(default_factory=set)  # the fields whose column by --map no row has
    usable: bool = False  # whether some row has nothing wrong with it

    def gaps(self) -> dict[str, str]:
        """Why a field cannot be used, by field."""
        gaps = dict.fromkeys(_NEEDS - self.present, _ABSENT)
        # One empty list says that nothing was retrieved; only empty ones, that none were kept.
        return gaps | dict.fromkeys(self.present - self.filled, "is empty in every row")


def _survey(data: Any, settings: Settings) -> _Survey:
    survey = _Survey(unfound=set(settings.mapping))
    source = read(data, mapping=settings.mapping, limit=min(settings.limit or _ROWS, _ROWS))
    row = None
    for row in source:
        survey.columns |= {name: _nested(row.record, name) for name in row.columns}
        if row.record.values is not None:
            survey.unfound &= row.unfound
        if row.problems:  # refused or skipped when the run begins
            continue
        survey.usable = True
        needs_met = {need for need in _NEEDS if not is_missing(row.fields.get(need), need)}
        survey.present |= needs_met
        survey.filled |= {need for need in needs_met if row.fields.get(need) != ()}
        served = {name for name in _COMMON if needs_met.issuperset(METRICS[name].needs)}
        turns = row.fields.get("turns") or ()
        answers = sum(turn.role == "assistant" and bool(turn.text.strip()) for turn in turns)
        survey.served |= served - _BY_TURN if answers == 1 else served
    if row is None:
        raise no_rows(source.name)
    ambiguous = row.reading.ambiguous.items()
    if unclear := {name: columns for name, columns in ambiguous if name != "reference"}:
        # To compute what needs none of them would be another answer than was asked for.
        raise InputError(ambiguous_columns(unclear))
    if not survey.usable:  # what is wrong with the rows is told when the run begins
        survey.served, survey.present, survey.filled = {*_COMMON}, {*_NEEDS}, {*_NEEDS}
    return survey


def _nested(record: Record, column: str) -> str:
    """What to add to the name of a column that holds more than one value.

    Rows of its own, as in SQuAD's files, or fields, as in those of LangSmith.
    """
    value = (record.values or {}).get(column)
    if isinstance(value, Mapping):
        inner_names = [f"{column}.{key}" for key in value][:_INNER_SHOWN]
        return f" (an object: {', '.join(inner_names)})" if inner_names else ""
    nested = isinstance(value, list) and any(isinstance(item, Mapping) for item in value)
    return " (a list of objects)" if nested else ""


def metrics_to_compute(*, required: bool) -> Any:
    """The metrics, named as for `assay run`."""
    return options.option(
        "-m",
        "--metric",
        multiple=True,
        required=required,
        metavar="METRIC",
        help="What to compute, as for `assay run`: repeatable or separated by commas.",
    )


_READ: Final = ("maps", "contexts", "limit", "skip_invalid")


def groups(
    *varied: str,
    comes_out: Sequence[str],
    costs: Sequence[str] = (),
    pace: Sequence[str] = (),
) -> Mapping[str, Sequence[str]]:
    """The headings of an experiment's help, each with its options."""
    return {
        "What is varied, and scored": ("target", *varied, "metrics", *_READ),
        "Who judges": (*options.WHO_JUDGES, *options.HOW_JUDGED),
        "How the system is asked": options.HOW_ASKED,
        **({"What it may cost": costs} if costs else {}),
        "Pace": (*pace, *options.PACE),
        "What the runs are called": options.NAMES,
        "What comes out": comes_out,
    }


class ExperimentRequest(options.RunRequest):
    """What an experiment is asked for: a system that answers in several ways, in one process."""

    metrics: tuple[str, ...] = metrics_to_compute(required=True)
    judge_cards: tuple[str, ...] = ()
    engine: Engine = "local"
    workers: int | None = None
    worker_cores: int = 1
    probe: bool | None = None
    no_progress: bool = True
