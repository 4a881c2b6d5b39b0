"""The options of the commands: each is declared once, as a field of a request."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

import click

from assay._cli.errors import Grouped
from assay._runner import STORE

if TYPE_CHECKING:
    from assay._runner.settings import Engine
    from assay.judge import Limits, Reasons

R = TypeVar("R", bound="Request")
T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Request:
    """What a command is asked for: a frozen dataclass whose fields are filled by its options.

    A field says which option that is (`option`, `argument` and the like); one that says nothing is
    filled by the shared option of its name. A field with a plain default is no option.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


def command(
    name: str, request: type[R], groups: Mapping[str, Sequence[str]] | None = None
) -> Callable[[Callable[[R], int]], click.Command]:
    """Make a command of a function that does what a request asks for."""

    def decorate(work: Callable[[R], int]) -> click.Command:
        return Grouped(
            name,
            groups=groups or {},
            params=_parameters(request),
            callback=lambda **values: work(request(**values)),
            help=inspect.getdoc(work),
        )

    return decorate


def _parameters(request: type[Request]) -> list[click.Parameter]:
    """The arguments, then the options: those of the request itself before those of its bases."""
    fields_by_name = {field.name: field for field in _fields(request)}
    names = dict.fromkeys(
        name for kind in request.__mro__ for name in inspect.get_annotations(kind)
    )
    declared = [fields_by_name[name] for name in names if fields_by_name[name].default is MISSING]
    parameters = [
        (field.metadata or SHARED[field.name].metadata)["make"](field.name) for field in declared
    ]
    return sorted(parameters, key=lambda parameter: isinstance(parameter, click.Option))


def _fields(request: Any) -> tuple[Field[Any], ...]:
    return fields(request)  # a dataclass, as `Request` makes it


def option(*names: str, secret: bool = False, **attributes: Any) -> Any:
    """A field that an option of these names fills; the attributes are those of click."""
    show_default = attributes.get("default") not in (None, "")

    def make(field_name: str) -> click.Option:
        return click.Option([*names, field_name], **{"show_default": show_default, **attributes})

    return field(repr=not secret, metadata={"make": make})


def argument(**attributes: Any) -> Any:
    """A field that an argument fills; the attributes are those of click."""
    return field(metadata={"make": lambda name: click.Argument([name], **attributes)})


def fill(kind: type[T], request: object, **others: Any) -> T:
    """A dataclass made of the fields of a request that are called as its own, and of others."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # one by contract
    return kind(**{**{n: getattr(request, n) for n in names if hasattr(request, n)}, **others})


class Number(click.types.FloatParamType):
    """Any finite number: to Python, "nan" is a number above any limit."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text is."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


class NumberRange(Number, click.FloatRange):
    """A finite number between two ends."""


NUMBER = Number()
POSITIVE = NumberRange(min=0, min_open=True)


def flag(*names: str, help: str) -> Any:  # noqa: A002 - as click names it
    """An option without a value."""
    return option(*names, is_flag=True, help=help)


def repeatable(*names: str, metavar: str, help: str) -> Any:  # noqa: A002
    """An option that may be given several times."""
    return option(*names, multiple=True, metavar=metavar, help=f"{help} Repeatable.")


def count(
    *names: str,
    help: str,  # noqa: A002
    default: int | None = None,
    least: int = 1,
    metavar: str = "N",
) -> Any:
    """A whole number, not below `least`."""
    kind = click.IntRange(min=least)
    return option(*names, type=kind, default=default, metavar=metavar, help=help)


def number(
    *names: str,
    metavar: str,
    help: str,  # noqa: A002
    type: click.types.FloatParamType = NUMBER,  # noqa: A002
    default: float | None = None,
) -> Any:
    """A finite number."""
    return option(*names, type=type, default=default, metavar=metavar, help=help)


def choice(
    *names: str,
    choices: Sequence[str],
    help: str,  # noqa: A002
    default: str | None = None,
) -> Any:
    """One of several words."""
    kind, metavar = click.Choice(choices), "|".join(choices)
    return option(*names, type=kind, default=default, metavar=metavar, help=help)


def level(help: str) -> Any:  # noqa: A002
    """The confidence level; `help` says of what."""
    kind = NumberRange(0.5, 0.999)
    return number("--level", type=kind, default=0.95, metavar="SHARE", help=help)


def outs(forms: str) -> Any:
    """The option that names the files to write; `forms` says what each ending makes."""
    return option("--out", multiple=True, metavar="FILE", help=forms)


# The headings that several commands have, each with its options.
WHO_JUDGES = ("judges", "embedder", "base_url", "api_key", "timeout", "window")
HOW_JUDGED = ("prompts", "reasons", "together")
PACE = ("concurrency", "rpm", "tpm", "retries")
NAMES = ("name", "tags", "note", "params")
HOW_ASKED = (
    *("target_body", "target_headers", "target_replies", "target_version"),
    *("target_concurrency", "target_timeout", "target_retries", "target_rpm", "draws"),
)
LABELS = "Human labels: CSV, TSV, JSON, JSONL or Parquet with a sample id and a label."
# What fills a field that names no option of its own.
SHARED: Mapping[str, Any] = {
    "run": argument(metavar="[RUN]", default="last"),
    "store": option(
        "--store",
        default=STORE,
        metavar="FILE",
        help="The SQLite file that keeps every reply and every score.",
    ),
    "as_json": flag("--json", help="Write JSON to stdout, and nothing else there."),
    "outs": outs(
        "Write the report: .html (a page), .md (the score table), .jsonl (a line a sample, with "
        "the evidence), .json (all that the page shows), .csv or .parquet (a row a sample). A file "
        "in an object store is named by its URI: s3://BUCKET/FILE. Repeatable."
    ),
    "labels": option("--labels", required=True, metavar="FILE", help=LABELS),
    "maps": repeatable(
        "--map",
        metavar="FIELD=COLUMN",
        help="Which column holds a field, where it is not found by its name; '#' stands for the "
        "numbers of columns that make a list.",
    ),
    "contexts": option(
        "--contexts",
        metavar="auto|whole|numbered|SEPARATOR",
        default="auto",
        help="What becomes of contexts that are one text: split where the first rows show that "
        "passages were joined (and said so), kept whole, split at numbers and labels, or split at "
        "SEPARATOR (\\n is a line end).",
    ),
    "skip_invalid": option(
        "--skip-invalid",
        metavar="FILE",
        help="Leave invalid rows out and write them to FILE, each with what is wrong with it.",
    ),
    "prompts": option(
        "--prompts",
        metavar="FILE",
        help="Ask with the prompts of this TOML file (`assay explain METRIC --toml` writes one).",
    ),
    "reasons": choice(
        "--reasons",
        choices=("all", "failures", "none"),
        default="failures",
        help="Which verdicts on statements a language model gives a reason for: all (with a quote "
        "each), those on what is not supported, or none. The fewer, the cheaper.",
    ),
    "together": option(
        "--together/--apart",
        default=True,
        help="What several metrics ask about the same texts: in one call, or in one of each.",
    ),
    "limit": count("--limit", help="Use only the first N rows."),
    "metrics": repeatable("--metric", "-m", metavar="METRIC", help="Only this metric."),
    "force": flag("--force", help="Continue although definitions or data of the runs differ."),
    "dry_run": flag("--dry-run", help="Estimate the cost and what is cached already; ask nobody."),
    "quiet": flag("--quiet", "-q", help="Show nothing but errors (and --json)."),
    "no_progress": flag("--no-progress", help="Show no progress while it works."),
}


class ShownRequest(Request):
    """The part of a request that says where its result goes."""

    outs: tuple[str, ...]
    as_json: bool


class ReportRequest(ShownRequest):
    """One that says too which store it is about."""

    store: str


class DescriptionRequest(Request):
    """The part of a request that says what a run is called, and what else is said of it."""

    name: str | None = option(
        "--name",
        metavar="NAME",
        help="Call the run so: it is shown, and commands take it in the place of its id.",
    )
    tags: tuple[str, ...] = repeatable(
        "--tag", metavar="TAG", help="Mark the run: `assay runs --tag TAG` lists those that are."
    )
    note: str | None = option("--note", metavar="TEXT", help="Keep a remark with the run.")
    params: tuple[str, ...] = repeatable(
        "--param",
        metavar="KEY=VALUE",
        help="Say what was set of the system, such as k=5: `assay history --by k` shows the scores "
        "by it.",
    )


class JudgeRequest(Request):
    """The part of a request that says who judges."""

    judges: tuple[str, ...] = option(
        "--judge",
        multiple=True,
        metavar="[TASK=]JUDGE",
        help=(
            "Who judges: embedded (the default: offline, no key), openai:MODEL, "
            "openai-batch:MODEL, ollama:MODEL, gguf:PATH, onnx:FOLDER, scripted:FILE, or "
            "MODULE:ATTRIBUTE for one of your own. JUDGE+JUDGE gives the second what the first "
            "cannot do, JUDGE>JUDGE what it is not sure of. Repeatable: TASK=JUDGE gives one kind "
            "of task to another judge."
        ),
    )
    embedder: str | None = option(
        "--embedder",
        metavar="JUDGE",
        help="Who makes embeddings: embedded (the default), openai:MODEL, ollama:MODEL or "
        "onnx:FOLDER.",
    )
    base_url: str | None = option(
        "--base-url", metavar="URL", help="Base URL of openai: judges, instead of OPENAI_BASE_URL."
    )
    api_key: str | None = option(
        "--api-key",
        secret=True,
        metavar="KEY",
        help="Their API key, instead of OPENAI_API_KEY. Never shown, never stored.",
    )
    timeout: float = number(
        "--timeout", type=POSITIVE, default=60.0, metavar="SECONDS", help="Time limit for one call."
    )
    window: int | None = count(
        "--window",
        least=512,
        metavar="TOKENS",
        help="What an openai: or ollama: judge reads at once, prompt and reply; longer contexts "
        "are read in parts. Only for servers that cut prompts off without a word, as Ollama does.",
    )


class PricedJudgeRequest(JudgeRequest):
    """One that says too what a judge costs, and how much may be spent."""

    price: str | None = option(
        "--price",
        metavar="IN/OUT|list",
        help=(
            "What a million prompt tokens and a million reply tokens cost, such as 0.15/0.60; of "
            "several judges JUDGE=IN/OUT,..., after another slash each cached prompt tokens; list: "
            "the list prices of the models, by genai-prices (pip install 'assay[prices]')."
        ),
    )
    budget: str | None = option(
        "--budget",
        metavar="AMOUNT",
        help=(
            "Stop before more than this is spent: money (with --price), 200000tok or 500calls. It "
            "can be exceeded only by what calls on their way cost beyond the dearest so far."
        ),
    )


class LimitedJudgeRequest(PricedJudgeRequest):
    """One that says too how fast a judge may be asked."""

    concurrency: int = count(
        "--concurrency",
        default=64,
        help="Maximum concurrent calls to a judge; fewer while its server is slow or refuses.",
    )
    rpm: float | None = number(
        "--rpm", type=POSITIVE, metavar="N", help="At most N requests a minute to a judge."
    )
    tpm: float | None = number(
        "--tpm", type=POSITIVE, metavar="N", help="At most N tokens a minute to a judge."
    )
    retries: int = count(
        "--retries", default=5, least=0, help="How often to retry a call that got no reply."
    )

    def limits(self) -> "Limits":
        """How a judge may be asked."""
        from assay.judge import Limits

        return Limits(
            concurrency=self.concurrency,
            requests_per_minute=self.rpm,
            tokens_per_minute=self.tpm,
            timeout=self.timeout,
            retries=self.retries,
        )


JUDGE_OPTIONS = tuple(field.name for field in _fields(LimitedJudgeRequest))


class WriterRequest(LimitedJudgeRequest):
    """One of a judge that writes or checks, where nothing is embedded."""

    embedder: str | None = None


class TargetRequest(Request):
    """The part of a request that says which system is asked."""

    target: str | None = option(
        "--target",
        metavar="URL|MODULE:FUNCTION|FILE.py:FUNCTION",
        help="Send the questions of DATA to this system first and evaluate its answers. Answers "
        "are stored, so the same command does not ask again.",
    )
    target_body: str | None = option(
        "--target-body",
        metavar="JSON",
        help="""Body of the request to a URL; default '{"question": "{question}"}'.""",
    )
    target_headers: tuple[str, ...] = repeatable(
        "--target-header",
        metavar="NAME:VALUE",
        help="Request header; $NAME is read from the environment. Never stored.",
    )
    target_replies: tuple[str, ...] = repeatable(
        "--target-reply",
        metavar="FIELD=PATH",
        help="Path of a field in its replies, if not its own name: answer=data.text.",
    )
    target_version: str = option(
        "--target-version",
        default="",
        metavar="NAME",
        help="Version of the system; a new version is asked again.",
    )
    target_concurrency: int = count(
        "--target-concurrency", default=8, help="Maximum number of concurrent questions."
    )
    target_timeout: float = number(
        "--target-timeout",
        type=POSITIVE,
        default=120.0,
        metavar="SECONDS",
        help="Time limit for one answer.",
    )
    target_retries: int = count(
        "--target-retries",
        default=2,
        least=0,
        help="How often to retry a question that got no reply.",
    )
    target_rpm: float | None = number(
        "--target-rpm", type=POSITIVE, metavar="N", help="At most N questions a minute."
    )
    draws: int = count(
        "--draws", default=1, help="Ask each question N times, for consistency metrics."
    )


class RunRequest(
    TargetRequest,
    LimitedJudgeRequest,
    DescriptionRequest,
    ReportRequest,
):
    """What `assay run` is asked for."""

    data: str = argument(metavar="DATA")
    metrics: tuple[str, ...] = option(
        "-m",
        "--metric",
        multiple=True,
        metavar="METRIC",
        help="What to compute: a name, or name(parameter=value), repeatable or separated by "
        "commas; MODULE:ATTRIBUTE or FILE.py:ATTRIBUTE for one of your own. "
        "Default: every metric that the data has columns for. `assay metrics` lists them.",
    )
    maps: tuple[str, ...]
    contexts: str
    limit: int | None
    skip_invalid: str | None
    judge_cards: tuple[str, ...] = repeatable(
        "--judge-card",
        metavar="FILE",
        help="Show what `assay bench --out FILE.json` measured of this judge beside its scores.",
    )
    prompts: str | None
    reasons: "Reasons"
    engine: "Engine" = choice(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="Where judges compute: in this process, or on the workers of a Ray cluster.",
    )
    workers: int | None = count(
        "--workers", help="Number of workers on the cluster; default: as many as it has room for."
    )
    worker_cores: int = count(
        "--worker-cores", default=1, help="CPU cores of each worker with an in-process judge."
    )
    together: bool
    probe: bool | None = option(
        "--probe/--no-probe",
        default=None,
        help="Ask, or do not ask, the few fixed tasks that tell when the model behind a judge's "
        "name has changed. Not given: runs of 100 scores and more do, once a day.",
    )
    dry_run: bool
    quiet: bool
    no_progress: bool
