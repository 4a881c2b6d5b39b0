"""What happens when `assay bench` runs?"""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.bench import card as cards
from assay.bench.card import JudgeCard
from assay.bench.catalogue import chosen
from assay.bench.data import Data
from assay.bench.measurement import Sampling, estimate_costs, measure, together
from assay.cli import outputs, screen, values
from assay.cli.edge import BAD_INPUT, BUDGET, INTERRUPTED, OK, REFUSED, SOME_FAILED, say
from assay.cli.judges import Judges
from assay.cli.progress import Meter, meter
from assay.cli.request import limits, spending
from assay.errors import Denied, InputError
from assay.report.bench import text
from assay.runner.progress import Progress
from assay.runner.settings import Settings

_FORMS = {".json": "the card, which can be read again", ".md": "Markdown"}


def bench(given: Mapping[str, Any]) -> int:
    """List the sets, or measure the judge and show its card; the exit code."""
    if given["listed"]:
        return _list(given)
    if given["dry_run"]:
        return _foresee(given)
    beside_file = filter(None, [given["beside"]])
    outputs.check(given["outs"], given["store"], *beside_file, forms=_FORMS)
    beside = msgspec.to_builtins(cards.read(given["beside"])) if given["beside"] else None
    try:
        card = _measured(given)
    except KeyboardInterrupt:
        say(f"interrupted: every reply is kept in {given['store']}; the same command goes on")
        return INTERRUPTED
    except Denied as error:
        say(f"error: {error}")
        say(f"every reply is kept in {given['store']}; put it right, and the same command goes on")
        return REFUSED
    data = msgspec.to_builtins(card)
    outputs.write_data(data, given["outs"], {".md": partial(text.markdown, beside=beside)})
    if given["as_json"]:
        screen.write_json(data)
    elif not given["quiet"]:
        screen.out().print(text.console(data, beside))
        screen.tell(outputs.written(given["outs"]))
    return _exit_code(card)


def _foresee(given: Mapping[str, Any]) -> int:
    if given["outs"] or given["beside"]:
        raise InputError("--dry-run measures nothing", "leave out --out and --beside")
    with _Watch(silent=given["quiet"] or given["no_progress"]) as watch:
        found = estimate_costs(**_request(given, watch))
    data = {"sets": msgspec.to_builtins(found), "all": msgspec.to_builtins(together(found))}
    if given["as_json"]:
        screen.write_json(data)
    elif not given["quiet"]:
        screen.out().print(text.console_costs(data))
    return OK


def _measured(given: Mapping[str, Any]) -> JudgeCard:
    with _Watch(silent=given["quiet"] or given["no_progress"]) as watch:
        return measure(**_request(given, watch))


def _request(given: Mapping[str, Any], watch: "_Watch") -> dict[str, Any]:
    """The arguments of `measure`, checked."""
    sets, data = chosen(given["names"]), _data(given["data"])
    if given["full"] and given["limit"] is not None:
        raise InputError("--full and --limit are both given", "keep one of them")
    judges = Judges.of(given)
    judge, embedder = judges.named(given)
    outputs.check(given["outs"], *judges.files, forms=_FORMS)
    values.look_here()
    return {
        "judge": judge,
        "sets": sets,
        "data": data,
        "embedder": embedder,
        "store": given["store"],
        "sampling": Sampling(
            limit=given["limit"], full=given["full"], fit=given["fit"], on_set=watch.begin
        ),
        "settings": Settings(
            limits=limits(given),
            budget=spending(given["price"], given["budget"]),
            on_progress=watch,
        ),
    }


def _data(folder: str | None) -> Data:
    remedy = "`assay bench --list` says which files it is to hold"
    if not folder:
        what = "the labelled sets do not ship: --data says where they are, or ASSAY_DATA"
        raise InputError(what, remedy)
    if not Path(folder).is_dir():
        raise InputError(f"there is no folder '{folder}'", remedy)
    return Data(Path(folder))


def _exit_code(card: JudgeCard) -> int:
    if card.stopped:
        say(f"stopped: {card.stopped}")
        return BUDGET
    if all(one.skipped for one in card.sets):
        say("nothing was measured")
        return BAD_INPUT
    return SOME_FAILED if any(one.unanswered for one in card.sets) else OK


def _list(given: Mapping[str, Any]) -> int:
    data = Data(Path(given["data"])) if given["data"] else None
    sets = [
        {
            "name": one.name,
            "family": one.family,
            "about": one.about,
            "files": list(one.files),
            "licence": one.licence,
            "present": None if data is None else not one.absent(data),
        }
        for one in chosen(given["names"])
    ]
    if given["as_json"]:
        screen.write_json({"sets": sets})
    else:
        screen.out().print(text.console_catalogue({"sets": sets}))
    return OK


class _Watch(ExitStack):
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
