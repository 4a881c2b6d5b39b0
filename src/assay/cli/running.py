"""What happens when `assay run` runs: an estimate or the run, and what is said at its end."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from assay.cli import asking, closing, outputs, screen
from assay.cli.edge import BUDGET, INTERRUPTED, OK, REFUSED, SOME_FAILED, say
from assay.cli.estimated import estimated
from assay.cli.progress import Meter, meter
from assay.cli.request import Request, understand
from assay.errors import Denied
from assay.runner.evaluate import evaluate
from assay.runner.result import Result


class Ending(Protocol):
    """How the end of a run is told."""

    def show(self, result: Result, request: Request) -> None:
        """To people, on the screen."""

    def as_json(self, result: Result, request: Request) -> dict[str, Any]:
        """To programs."""


def run(given: Mapping[str, Any], ending: Ending = closing) -> int:
    """Do what the options ask for; the exit code."""
    request = understand(given)
    silent = given["quiet"]
    if target := request.target:
        if given["dry_run"]:
            return asking.estimated(request, target, as_json=given["as_json"], silent=silent)
        request = asking.answered(request, target, silent=silent or given["no_progress"])
    if not silent:
        _introduce(request)
    if given["dry_run"]:
        return estimated(request, as_json=given["as_json"], silent=silent)
    watch = meter(silent=silent or given["no_progress"])
    try:
        with watch:
            result = _evaluate(request, watch)
    except KeyboardInterrupt:
        say(f"interrupted: {_kept(watch, request)}; the same command goes on from there")
        if watch.last is not None and watch.last.batches:
            say(
                "Submitted batches continue at the provider. Their replies are fetched by "
                "the same command, within 30 days, and is not paid for again."
            )
        return INTERRUPTED
    except Denied as error:
        say(f"error: {error}")
        say(f"{_kept(watch, request)}; put it right, and the same command goes on from there")
        return REFUSED
    outputs.write(result, request.outs)
    if given["as_json"]:
        screen.write_json(ending.as_json(result, request))
    elif not silent:
        ending.show(result, request)
    return _exit_code(result)


def _evaluate(request: Request, watch: Meter) -> Result:
    return evaluate(
        request.data,
        request.metrics,
        request.judge,
        embedder=request.embedder,
        store=request.store,
        settings=replace(request.settings, on_progress=watch),
    )


def _exit_code(result: Result) -> int:
    if result.stopped:
        say(f"stopped: {result.stopped}")
        return BUDGET
    some = any(row.n_failed or row.n_unanswered for row in result.summary())
    return SOME_FAILED if some else OK


def _kept(watch: Meter, request: Request) -> str:
    if watch.last is None:
        return "nothing was asked yet"
    progress = watch.last
    # A failed score is no score to keep: it is tried again.
    done = progress.done - progress.failed
    return f"{done:,} of {progress.total:,} scores and every reply are kept in {request.store}"


def _introduce(request: Request) -> None:
    found = request.fitting
    if found is not None:
        say(f"metrics that the data fills: {', '.join(found.metrics)} (choose with -m)")
        by_reason: dict[str, list[str]] = {}
        for name, why in found.left_out.items():
            by_reason.setdefault(why, []).append(name)
        for why, names in by_reason.items():
            say(f"  left out, since {why}: {', '.join(names)}")
    for kind, template in request.settings.prompts.items():
        say(f"prompt replaced: {kind} ({template.digest})")
