"""The options that several commands share, and the parts that options are built from."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from assay._runner import STORE
from assay.errors import InputError

if TYPE_CHECKING:
    from assay._middleware.limiter import Limits
    from assay._runner.settings import Engine
    from assay.judge import Reasons

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class ReportRequest:
    """The part of a request that says where its result goes, and which store it is about."""

    outs: tuple[str, ...]
    as_json: bool
    store: str


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """The part of a request that says who judges, as `options.judge` asks for it."""

    judges: tuple[str, ...]
    embedder: str | None = None
    base_url: str | None
    api_key: str | None = field(repr=False)
    timeout: float
    window: int | None


JUDGE_OPTIONS = tuple(option.name for option in fields(JudgeRequest))


@dataclass(frozen=True, kw_only=True)
class PricedJudgeRequest(JudgeRequest):
    """One that says too what a judge costs, and how much may be spent."""

    price: str | None
    budget: str | None


@dataclass(frozen=True, kw_only=True)
class LimitedJudgeRequest(PricedJudgeRequest):
    """One that says too how fast a judge may be asked."""

    concurrency: int
    retries: int
    rpm: float | None
    tpm: float | None

    def limits(self) -> "Limits":
        """How a judge may be asked."""
        from assay._middleware.limiter import Limits

        return Limits(
            concurrency=self.concurrency,
            requests_per_minute=self.rpm,
            tokens_per_minute=self.tpm,
            timeout=self.timeout,
            retries=self.retries,
        )


@dataclass(frozen=True, kw_only=True)
class TargetRequest:
    """The part of a request that says which system is asked, as `options.target` asks for it."""

    target: str | None
    target_body: str | None
    target_headers: tuple[str, ...]
    target_replies: tuple[str, ...]
    target_version: str
    target_concurrency: int
    target_timeout: float
    target_retries: int
    target_rpm: float | None
    draws: int


@dataclass(frozen=True, kw_only=True)
class RunRequest(LimitedJudgeRequest, TargetRequest, ReportRequest):
    """What `assay run` is asked for."""

    data: str
    metrics: tuple[str, ...]
    name: str | None
    tags: tuple[str, ...]
    note: str | None
    params: tuple[str, ...]
    maps: tuple[str, ...]
    contexts: str
    limit: int | None
    skip_invalid: str | None
    judge_cards: tuple[str, ...]
    prompts: str | None
    reasons: "Reasons"
    engine: "Engine"
    workers: int | None
    worker_cores: int
    together: bool
    probe: bool | None
    dry_run: bool
    quiet: bool
    no_progress: bool


def takes(request: type[R]) -> Callable[[Callable[[R], int]], Callable[..., int]]:
    """Give a command its options as one request, whose fields are named as they are."""

    def decorate(command: Callable[[R], int]) -> Callable[..., int]:
        @functools.wraps(command)
        def call(**values: Any) -> int:
            return command(request(**values))

        return call

    return decorate


def fill(kind: type[R], request: object, **others: Any) -> R:
    """A dataclass made of the fields of a request that are called as its own, and of others."""
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]  # one by contract
    return kind(**{**{n: getattr(request, n) for n in names if hasattr(request, n)}, **others})


def reject_options(why: str, remedy: str, *names: str) -> None:
    """See that none of these options, which do nothing here, stands on the command line.

    Args:
        why: What is wrong with giving them: "is for --counterfactual".
        remedy: What to do.
        names: Parameters of the command.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for option in context.command.params:
        if option.name not in names:
            continue
        if context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise InputError(f"{max(option.opts, key=len)} {why}", remedy)


class Number(click.types.FloatParamType):
    """Any finite number: to Python, "nan" is a number above any limit."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text is."""
        return _finite(self, super().convert(value, param, ctx), param, ctx)


class NumberRange(click.FloatRange):
    """A finite number between two ends."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text is."""
        return _finite(self, super().convert(value, param, ctx), param, ctx)


def _finite(
    kind: Number | NumberRange,
    number: float,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> float:
    if not math.isfinite(number):
        kind.fail(f"{number} is not a finite number.", param, ctx)
    return number


NUMBER = Number()
POSITIVE = NumberRange(min=0, min_open=True)


def flag(*names: str, help: str) -> Callable[[F], F]:  # noqa: A002 - as click names it
    """An option without a value."""
    return click.option(*names, is_flag=True, help=help)


def repeatable(*names: str, metavar: str, help: str) -> Callable[[F], F]:  # noqa: A002
    """An option that may be given several times."""
    return click.option(*names, multiple=True, metavar=metavar, help=f"{help} Repeatable.")


def count(
    *names: str,
    help: str,  # noqa: A002
    default: int | None = None,
    least: int = 1,
    metavar: str = "N",
) -> Callable[[F], F]:
    """A whole number, not below `least`."""
    kind = click.IntRange(min=least)
    return _valued(*names, type=kind, default=default, metavar=metavar, help=help)


def number(
    *names: str,
    metavar: str,
    help: str,  # noqa: A002
    type: click.types.FloatParamType = NUMBER,  # noqa: A002
    default: float | None = None,
) -> Callable[[F], F]:
    """A finite number."""
    return _valued(*names, type=type, default=default, metavar=metavar, help=help)


def choice(
    *names: str,
    choices: Sequence[str],
    help: str,  # noqa: A002
    default: str | None = None,
) -> Callable[[F], F]:
    """One of several words."""
    kind, metavar = click.Choice(choices), "|".join(choices)
    return _valued(*names, type=kind, default=default, metavar=metavar, help=help)


def _valued(*names: str, default: Any, **attributes: Any) -> Callable[[F], F]:
    if default is None:
        return click.option(*names, **attributes)
    return click.option(*names, default=default, show_default=True, **attributes)


def level(help: str) -> Callable[[F], F]:  # noqa: A002
    """The confidence level; `help` says of what."""
    kind = NumberRange(0.5, 0.999)
    return number("--level", type=kind, default=0.95, metavar="SHARE", help=help)


store = click.option(
    "--store",
    default=STORE,
    metavar="FILE",
    show_default=True,
    help="The SQLite file that keeps every reply and every score.",
)
as_json = flag("--json", "as_json", help="Write JSON to stdout, and nothing else there.")


def outs(forms: str) -> Callable[[F], F]:
    """The option that names the files to write; `forms` says what each ending makes."""
    return click.option("--out", "outs", multiple=True, metavar="FILE", help=forms)


report = outs(
    "Write the report: .html (a page), .md (the score table), .jsonl (a line a sample, with "
    "the evidence), .json (all that the page shows), .parquet (a row a sample). A file in an "
    "object store is named by its URI: s3://BUCKET/FILE. Repeatable."
)
_LABELS = "Human labels: CSV, TSV, JSON, JSONL or Parquet with a sample id and a label."
labels = click.option("--labels", required=True, metavar="FILE", help=_LABELS)
labels_if_any = click.option("--labels", metavar="FILE", help=_LABELS)

maps = repeatable(
    "--map",
    "maps",
    metavar="FIELD=COLUMN",
    help="Which column holds a field, where it is not found by its name; '#' stands for the "
    "numbers of columns that make a list.",
)
contexts = click.option(
    "--contexts",
    metavar="auto|whole|numbered|SEPARATOR",
    default="auto",
    show_default=True,
    help="What becomes of contexts that are one text: split where the first rows show that "
    "passages were joined (and said so), kept whole, split at numbers and labels, or split at "
    "SEPARATOR (\\n is a line end).",
)
skip_invalid = click.option(
    "--skip-invalid",
    metavar="FILE",
    help="Leave invalid rows out and write them to FILE, each with what is wrong with it.",
)
prompts = click.option(
    "--prompts",
    metavar="FILE",
    help="Ask with the prompts of this TOML file (`assay explain METRIC --toml` writes one).",
)
reasons = choice(
    "--reasons",
    choices=("all", "failures", "none"),
    default="failures",
    help="Which verdicts on statements a language model gives a reason for: all (with a quote "
    "each), those on what is not supported, or none. The fewer, the cheaper.",
)
together = click.option(
    "--together/--apart",
    default=True,
    show_default=True,
    help="What several metrics ask about the same texts: in one call, or in one of each.",
)
limit = count("--limit", help="Use only the first N rows.")
only_metrics = repeatable("--metric", "-m", "metrics", metavar="METRIC", help="Only this metric.")
force = flag("--force", help="Continue although definitions or data of the runs differ.")

concurrency = count(
    "--concurrency",
    default=64,
    help="Maximum concurrent calls to a judge; fewer while its server is slow or refuses.",
)
retries = count(
    "--retries", default=5, least=0, help="How often to retry a call that got no reply."
)
rpm = number("--rpm", type=POSITIVE, metavar="N", help="At most N requests a minute to a judge.")
tpm = number("--tpm", type=POSITIVE, metavar="N", help="At most N tokens a minute to a judge.")
price = click.option(
    "--price",
    metavar="IN/OUT|list",
    help=(
        "What a million prompt tokens and a million reply tokens cost, such as 0.15/0.60; of "
        "several judges JUDGE=IN/OUT,..., after another slash each cached prompt tokens; list: the "
        "list prices of the models, by genai-prices (pip install 'assay[prices]')."
    ),
)
budget = click.option(
    "--budget",
    metavar="AMOUNT",
    help=(
        "Stop before more than this is spent: money (with --price), 200000tok or 500calls. It can "
        "be exceeded only by what calls on their way cost beyond the dearest so far."
    ),
)
quiet = flag("--quiet", "-q", help="Show nothing but errors (and --json).")
no_progress = flag("--no-progress", help="Show no progress while it works.")

_DESCRIPTION = (
    click.option(
        "--name",
        metavar="NAME",
        help="Call the run so: reports show it, and commands take it in the place of its id.",
    ),
    repeatable(
        "--tag",
        "tags",
        metavar="TAG",
        help="Mark the run: `assay runs --tag TAG` lists those that are.",
    ),
    click.option("--note", metavar="TEXT", help="Keep a remark with the run."),
    repeatable(
        "--param",
        "params",
        metavar="KEY=VALUE",
        help="Say what was set of the system, such as k=5: `assay history --by k` shows the scores "
        "by it.",
    ),
)
_EMBEDDER = click.option(
    "--embedder",
    metavar="JUDGE",
    help="Who makes embeddings: embedded (the default), openai:MODEL, ollama:MODEL or onnx:FOLDER.",
)
_JUDGE = (
    click.option(
        "--judge",
        "judges",
        multiple=True,
        metavar="[TASK=]JUDGE",
        help=(
            "Who judges: embedded (the default: offline, no key), openai:MODEL, "
            "openai-batch:MODEL, ollama:MODEL, gguf:PATH, onnx:FOLDER, scripted:FILE, or "
            "MODULE:ATTRIBUTE for one of your own. JUDGE+JUDGE gives the second what the first "
            "cannot do, JUDGE>JUDGE what it is not sure of. Repeatable: TASK=JUDGE gives one kind "
            "of task to another judge."
        ),
    ),
    _EMBEDDER,
    click.option(
        "--base-url", metavar="URL", help="Base URL of openai: judges, instead of OPENAI_BASE_URL."
    ),
    click.option(
        "--api-key",
        metavar="KEY",
        help="Their API key, instead of OPENAI_API_KEY. Never shown, never stored.",
    ),
    number(
        "--timeout", type=POSITIVE, default=60.0, metavar="SECONDS", help="Time limit for one call."
    ),
    count(
        "--window",
        least=512,
        metavar="TOKENS",
        help="What an openai: or ollama: judge reads at once, prompt and reply; longer contexts "
        "are read in parts. Only for servers that cut prompts off without a word, as Ollama does.",
    ),
)


def all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator, in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


description = all_of(*_DESCRIPTION)
# What may be spent on a judge, and how fast it is asked.
spending = all_of(price, budget, concurrency, rpm, tpm, retries)
judge = all_of(*_JUDGE)
# Who judges, where nothing is embedded.
writer = all_of(*(option for option in _JUDGE if option is not _EMBEDDER))


class Grouped(click.Command):
    """A command whose help shows its options in groups.

    Args:
        groups: Heading -> the names of its options; those that no group names stand in "Other".
    """

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups."""
        options = (p for p in self.get_params(ctx) if isinstance(p, click.Option))
        rows = {option.name: row for option in options if (row := option.get_help_record(ctx))}
        for heading, names in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl([rows.pop(name) for name in names])
        with formatter.section("Other"):
            formatter.write_dl(list(rows.values()))


target = all_of(
    click.option(
        "--target",
        metavar="URL|MODULE:FUNCTION|FILE.py:FUNCTION",
        help="Send the questions of DATA to this system first and evaluate its answers. Answers "
        "are stored, so the same command does not ask again.",
    ),
    click.option(
        "--target-body",
        metavar="JSON",
        help="""Body of the request to a URL; default '{"question": "{question}"}'.""",
    ),
    repeatable(
        "--target-header",
        "target_headers",
        metavar="NAME:VALUE",
        help="Request header; $NAME is read from the environment. Never stored.",
    ),
    repeatable(
        "--target-reply",
        "target_replies",
        metavar="FIELD=PATH",
        help="Path of a field in its replies, if not its own name: answer=data.text.",
    ),
    click.option(
        "--target-version",
        default="",
        metavar="NAME",
        help="Version of the system; a new version is asked again.",
    ),
    count("--target-concurrency", default=8, help="Maximum number of concurrent questions."),
    number(
        "--target-timeout",
        type=POSITIVE,
        default=120.0,
        metavar="SECONDS",
        help="Time limit for one answer.",
    ),
    count(
        "--target-retries",
        default=2,
        least=0,
        help="How often to retry a question that got no reply.",
    ),
    number("--target-rpm", type=POSITIVE, metavar="N", help="At most N questions a minute."),
    count("--draws", default=1, help="Ask each question N times, for consistency metrics."),
)
