"""What is shown while a system is asked, and what is said when it has been."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from assay.cli import screen
from assay.cli.edge import OK, say
from assay.cli.fitting import fitting
from assay.cli.request import Request
from assay.cli.targeting import Target
from assay.data.missing_fields import is_missing, missing_in_all_answers
from assay.errors import InputError
from assay.metrics import Metric, resolve
from assay.report import notes
from assay.runner.plan import plan
from assay.runner.stack import choose
from assay.target import Answers, ask
from assay.target.reply import FOUND, MADE
from assay.target.system import System

# So many reasons are shown; all of them are in the report.
SHOWN = 3
_SENDING = (
    "send {contexts} in --target-body if the data's are meant (a function: let it take 'sample')"
)


def answered(request: Request, target: Target, *, silent: bool) -> Request:
    """The request with what the target answered as its data.

    Raises:
        InputError: If data or metrics cannot be used.
        Denied: If the system refuses.
    """
    if request.metrics:  # what the judge cannot do is told before the system is asked
        plan(request.data, request.metrics, request.judge, request.embedder, request.settings)
    console = screen.err()
    columns = (TextColumn("asking {task.description}"), BarColumn(), MofNCompleteColumn())
    shown = Progress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=silent or not console.is_terminal,
    )
    with shown:
        bar = shown.add_task(target.system.name, total=None)

        def progress(done: int, total: int) -> None:
            shown.update(bar, completed=done, total=total)

        how = replace(target.asking, on_progress=progress)
        found = ask(
            request.data, target.system, metrics=request.metrics, store=request.store, asking=how
        )
    if not silent:
        _tell(found)
    if request.metrics:
        _check(found, target.system, request.metrics)
        return replace(request, data=found)
    settings = request.settings
    route = choose(request.judge, request.embedder, settings)
    fit = fitting(found, settings.mapping, settings.limit, route)
    return replace(request, data=found, metrics=resolve(fit.metrics), fitting=fit)


def _check(found: Answers, system: System, metrics: Sequence[Metric]) -> None:
    """See that the answers hold what the system makes and metrics need.

    Raises:
        InputError: If none of them does: no column of the data could be named in its place.
    """
    made = set(MADE) - (set(FOUND) if system.told_contexts else set())
    unserved, held, answered = list(metrics), set[str](), False
    for row in found:
        if row.fields.get("failure") is None:
            answered = True
            held |= {name for name in made if not is_missing(row.fields.get(name), name)}
            unserved = [metric for metric in unserved if not _serves(held, made, metric)]
        if not unserved:
            return
    users: dict[str, list[str]] = {}
    for metric in unserved if answered else ():
        for name in metric.needs:
            if name in made - held:
                users.setdefault(name, []).append(metric.label)
    if users:
        raise InputError(
            [
                missing_in_all_answers(name, labels, system.name, _SENDING if name in FOUND else "")
                for name, labels in users.items()
            ]
        )


def _serves(held: AbstractSet[str], made: AbstractSet[str], metric: Metric) -> bool:
    return any(made & set(names) <= held for names in (metric.needs, *metric.instead))


def _tell(found: Answers) -> None:
    said = notes.asked(f"system {found.system}", found.asked, found.reused)
    say(f"{said}; {found.n - len(found.failures):,} of {found.n:,} questions answered")
    for id_, why in list(found.failures.items())[:SHOWN]:
        say(f"  no answer to {id_}: {why}")
    if len(found.failures) > SHOWN:
        say(f"  ... and {len(found.failures) - SHOWN:,} more")


def estimated(request: Request, target: Target, *, as_json: bool, silent: bool) -> int:
    """Say what the target would be asked, and ask nobody; the exit code."""
    from assay.target.ask import count

    found = count(request.data, target.system, request.metrics, request.store, target.asking)
    data: dict[str, Any] = {"target": target.system.name, "ask": found[0], "known": found[1]}
    if as_json:
        screen.write_json(data)
    elif not silent:
        say(f"{found[0]:,} questions to send to {target.system.name}, {found[1]:,} known already")
        say("Nothing was asked. The cost of the judge can be estimated once there are answers.")
    return OK
