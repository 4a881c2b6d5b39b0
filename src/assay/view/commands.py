"""What to run next in a terminal: commands that fit what a page shows, ready to be copied."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from assay._analysis.sweeps import TAG, named_sweep
from assay._store import Run
from assay._text.sanitize import plain
from assay.target.ask import ANSWERED_BY
from assay.view.labelling import Queue
from assay.view.site import Site

SHEET: Final = "labels.csv"  # what labels are written to
EVERYONE: Final = "everyone.csv"  # with what each annotator said
USES: Final = {
    "correct": "What people would make of all samples, by their labels",
    "agree": "How far judge and people agree",
    "calibrate": "From which score on a sample is good",
}


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do next, and the commands that do it."""

    words: str
    lines: tuple[str, ...]


def command(site: Site, *words: str) -> str:
    """A command about the store that is shown, quoted for a shell."""
    # A control character of a name must not steer the terminal, not even in quotation marks.
    return plain(shlex.join(("assay", *words, "--store", from_here(site.path))))


def from_here(path: Path) -> str:
    """A path as it is written where the viewer was started."""
    below = path.is_relative_to(Path.cwd())
    return str(path.relative_to(Path.cwd()) if below else path)


def name_of(site: Site, run: Run) -> str:
    """How a run is named in a command: by its name where no other is called so."""
    return run.name if run.name and site.store.called(run.name) == 1 else run.short


def of_runs(site: Site, runs: Sequence[Run]) -> list[Step]:
    """Runs against the first of them."""
    names = [name_of(site, run) for run in runs]
    page = command(site, "compare", *names, "--out", "comparison.html")
    return [Step("The comparison as a file to send on", (page,))]


def of_sweep(site: Site, title: str, runs: Sequence[Run]) -> list[Step]:
    """The leaderboard of a sweep; nothing where no name stands for it."""
    steps = given("Go on with it, or add values", runs)
    for name in (title, TAG):
        sweep = named_sweep(site.runs(), name)
        if sweep and {run.id for run in sweep.runs} == {run.id for run in runs}:
            page = command(site, "compare", name, "--out", "sweep.html")
            return [*steps, Step("The whole sweep as a file to send on", (page,))]
    return steps


def given(words: str, runs: Sequence[Run]) -> list[Step]:
    """The command that made the runs, the last of them if several did; none of what Python made."""
    lines = [plain(line) for run in runs if (line := run.config.get("command"))][-1:]
    return [Step(f"{words}: what was asked is not asked again", (line,)) for line in lines]


def of_run(site: Site, run: Run, other: Run | None, *, alone: bool) -> list[Step]:
    """What to do with a run.

    Args:
        site: The store's pages.
        run: The run.
        other: Another run that was asked the same questions, None where there is none.
        alone: Whether it is part of no sweep and no watch.
    """
    name = name_of(site, run)
    unfinished = run.finished is None or run.stopped
    steps = given("Go on where it stopped" if unfinished else "Make it again", [run])
    if other:
        by_age = sorted((run, other), key=lambda member: member.created)
        pair = [name_of(site, member) for member in by_age]
        words = "Compare it with another run of the same questions"
        steps.append(Step(words, (command(site, "compare", *pair),)))
    tally = site.store.labels.tally(run.id)
    labelled = next((count for count in tally if count.about in run.metrics), None)
    if labelled:
        queue = Queue(
            run=run.id, metric=labelled.about, what="statement" if labelled.statements else "answer"
        )
        steps += of_labels(site, run, queue)[:1]
    else:
        words = "Label answers, to know how far the judge is right on these data"
        metric = next(iter(run.metrics))
        label = command(site, "label", name, "-m", metric, "--annotator", "NAME")
        steps.append(Step(words, (label,)))
    data, _, system = run.source.partition(ANSWERED_BY)
    if alone and PurePath(data).suffix:
        target = system.partition("@")[0] or "my_rag.py:answer"
        swept = ("sweep", data, "--target", target, "--set", "k=3,5")
        words = "Try configurations of your system on these questions: name it, and what to set"
        steps.append(Step(words, (command(site, *swept, "-m", ",".join(run.metrics)),)))
    page = command(site, "report", name, "--out", "report.html")
    return [*steps, Step("The run as a file to send on", (page,))]


def of_labels(site: Site, run: Run, queue: Queue) -> list[Step]:
    """What labels are good for: each use with the command that writes the labels for it."""
    arguments = (name_of(site, run), "-m", queue.metric)
    kind: tuple[str, ...] = ("--per", "statement") if queue.what == "statement" else ()
    uses: dict[str, tuple[str, ...]] = {
        "correct": (),
        "agree": (),
        "calibrate": ("--out", "card.json"),
    }
    if queue.what == "pair":
        other_name = name_of(site, site.run(queue.against))
        kind, uses = ("--per", "pair", "--against", other_name), {"agree": ("--other", other_name)}
    steps = []
    for use, more in uses.items():
        everyone = ("--everyone",) if use == "agree" else ()
        sheet = EVERYONE if everyone else SHEET
        export = command(site, "label", *arguments, *kind, "--export", sheet, *everyone)
        steps.append(
            Step(USES[use], (export, command(site, use, *arguments, "--labels", sheet, *more)))
        )
    return steps
