"""The command `assay bench`: measure a judge on human-labelled sets."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from assay._cli import options, output
from assay._cli.errors import BAD_INPUT, BUDGET, INTERRUPTED, OK, REFUSED, SOME_FAILED, say
from assay._cli.judges import Judges, budget
from assay._cli.output import Meter, meter
from assay._cli.values import look_here
from assay._report import bench as text
from assay._runner.progress import Progress
from assay._runner.settings import Settings
from assay.bench import card as cards
from assay.bench.card import JudgeCard
from assay.bench.data import Data
from assay.bench.measurement import Sampling, chosen, estimate_costs, measure, total_cost
from assay.errors import Denied, InputError

T = TypeVar("T")

_FORMS = {".json": "the card, which can be read again", ".md": "Markdown"}


class _BenchRequest(options.LimitedJudgeRequest, options.ReportRequest):
    names: tuple[str, ...] = options.argument(metavar="[NAME...]", nargs=-1)
    data: str | None = options.option(
        "--data",
        metavar="DIR",
        envvar="ASSAY_DATA",
        help="The folder with the labelled sets, which do not ship; instead of ASSAY_DATA.",
    )
    listed: bool = options.flag("--list", help="List the sets and their files; ask nobody.")
    dry_run: bool = options.flag(
        "--dry-run", help="Only estimate calls, tokens and money of each set; ask nobody."
    )
    limit: int | None = options.count(
        "--limit", help="At most N rows of each kind; the same ones each time, few among more."
    )
    full: bool = options.flag("--full", help="All rows of large sets, which are sampled otherwise.")
    fit: bool = options.flag(
        "--fit",
        help="Fit the thresholds that sets need on training rows first. Those of the embedded "
        "judge ship.",
    )
    outs: tuple[str, ...] = options.outs(
        "Write the card to .json (it can be read again) or .md (Markdown). Repeatable."
    )
    beside: str | None = options.option(
        "--beside", metavar="FILE", help="Also show the card of another judge: JSON from --out."
    )
    quiet: bool
    no_progress: bool


@options.command("bench", _BenchRequest)
def bench_command(request: _BenchRequest) -> int:
    """Measure a judge's agreement with human labels, beside baselines, on the named sets or all.

    Replies are kept in the store: killed or stopped at any point, the same command asks nothing
    twice. A set whose file is absent, or that asks for what the judge cannot do, says so.
    """
    if request.listed:
        return _list(request)
    if request.dry_run:
        return _estimate(request)
    beside_file = filter(None, [request.beside])
    output.check_files(request.outs, request.store, *beside_file, forms=_FORMS)
    other_card = msgspec.to_builtins(cards.read(request.beside)) if request.beside else None
    try:
        card = _over_sets(measure, request)
    except KeyboardInterrupt:
        say(f"interrupted: every reply is kept in {request.store}; the same command goes on")
        return INTERRUPTED
    except Denied as error:
        say(f"error: {error}")
        say(f"every reply is kept in {request.store}; put it right, and the same command goes on")
        return REFUSED
    data = msgspec.to_builtins(card)
    writers = {".md": partial(text.markdown, beside=other_card)}
    show = partial(text.console, other=other_card)
    output.present(data, request, writers, show, quiet=request.quiet)
    return _exit_code(card)


def _estimate(request: _BenchRequest) -> int:
    if request.outs or request.beside:
        raise InputError("--dry-run measures nothing", "leave out --out and --beside")
    estimates = _over_sets(estimate_costs, request)
    data = {
        "sets": msgspec.to_builtins(estimates),
        "all": msgspec.to_builtins(total_cost(estimates)),
    }
    if request.as_json:
        output.print_json(data)
    elif not request.quiet:
        output.stdout().print(text.console_costs(data))
    return OK


def _over_sets(function: Callable[..., T], request: _BenchRequest) -> T:
    """What `measure` or `estimate_costs` gives for the sets and the judge of the request."""
    sets, data = chosen(request.names), _data(request.data)
    if request.full and request.limit is not None:
        raise InputError("--full and --limit are both given", "keep one of them")
    judges = Judges(request)
    judge, embedder = judges.build()
    output.check_files(request.outs, *judges.files, forms=_FORMS)
    look_here()
    with _SetMeter(silent=request.quiet or request.no_progress) as progress:
        return function(
            judge=judge,
            sets=sets,
            data=data,
            embedder=embedder,
            store=request.store,
            sampling=Sampling(
                limit=request.limit, full=request.full, fit=request.fit, on_set=progress.begin
            ),
            settings=Settings(
                limits=request.limits(),
                budget=budget(request),
                on_progress=progress,
            ),
        )


def _data(folder: str | None) -> Data:
    remedy = "`assay bench --list` says which files it is to hold"
    if not folder:
        fault = "the labelled sets do not ship: --data says where they are, or ASSAY_DATA"
        raise InputError(fault, remedy)
    if not Path(folder).is_dir():
        raise InputError(f"there is no folder '{folder}'", remedy)
    return Data(Path(folder))


def _exit_code(card: JudgeCard) -> int:
    if card.stopped:
        say(f"stopped: {card.stopped}")
        return BUDGET
    if all(labelled_set.skipped for labelled_set in card.sets):
        say("nothing was measured")
        return BAD_INPUT
    return SOME_FAILED if any(labelled_set.unanswered for labelled_set in card.sets) else OK


def _list(request: _BenchRequest) -> int:
    data = Data(Path(request.data)) if request.data else None
    sets = [
        {
            "name": labelled_set.name,
            "family": labelled_set.family,
            "about": labelled_set.about,
            "files": list(labelled_set.files),
            "licence": labelled_set.licence,
            "present": None if data is None else not labelled_set.absent(data),
        }
        for labelled_set in chosen(request.names)
    ]
    if request.as_json:
        output.print_json({"sets": sets})
    else:
        output.stdout().print(text.console_catalogue({"sets": sets}))
    return OK


class _SetMeter(ExitStack):
    """Shows how far each set is: a meter of its own for each."""

    def __init__(self, *, silent: bool) -> None:
        super().__init__()
        self._silent = silent
        self._meter: Meter | None = None

    def begin(self, name: str) -> None:
        """A set begins, and so the last one has ended."""
        self.close()
        if not self._silent:
            say(f"{name} ...")
        self._meter = self.enter_context(meter(silent=self._silent))

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
        if self._meter is not None:
            self._meter(progress)
