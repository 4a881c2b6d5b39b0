"""The command `assay testset add`: failures of a run become cases of a regression set."""

from collections.abc import Sequence
from dataclasses import dataclass

import click
from rich.text import Text

from assay._analysis.cases import Case, add_cases, failing
from assay._cli import options, output
from assay._cli.errors import OK, say
from assay._report import numbers
from assay._report.tables import dim, listed
from assay._runner.result import open_run
from assay.errors import InputError

_SHOWN = 20  # cases
_FORMS = {".jsonl": "a line a case"}


@dataclass(frozen=True, kw_only=True)
class TestsetAddRequest:
    """What `assay testset add` is asked for."""

    run: str
    where: tuple[str, ...]
    to: str
    as_json: bool
    store: str


@click.command("testset add")
@click.argument("run", metavar="[RUN]", default="last")
@options.repeatable(
    "--where",
    metavar="CONDITION",
    help="Which samples: faithfulness<0.5 (also <=, >, >=) by score, faithfulness=bad for those "
    "that people labelled so, faithfulness for those that miss its guide value. A sample that "
    "fits any of them is taken, with the first metric that it fits.",
)
@click.option(
    "--to", required=True, metavar="FILE", help="The regression set (.jsonl); made if it is new."
)
@options.as_json
@options.store
@options.takes(TestsetAddRequest)
def testset_add_command(request: TestsetAddRequest) -> int:
    """Add failures of RUN to a regression set, which `assay run` and `assay gate --cases` read.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". Each case keeps
    where it is from: run, sample, metric, score, label, reasons and date. A question that is there
    already is replaced by what is added.
    """
    if not request.where:
        raise InputError("--where is missing", "such as --where 'faithfulness<0.5'")
    output.check_files([request.to], request.store, forms=_FORMS)
    result = open_run(request.run, request.store)
    cases = list(failing(result, request.where))
    new, merged = add_cases(request.to, cases) if cases else ([], [])
    if not cases:
        say(f"no sample of run {result.run.id} fits: nothing was written")
    if request.as_json:
        names = {name: [case.sample.id for case in some] for name, some in _groups(new, merged)}
        output.print_json({**names, "file": request.to})
    elif cases:
        for name, some in _groups(new, merged):
            _show(name, some)
        if twice := len(cases) - len(new) - len(merged):
            same = numbers.plural(twice, "failure")
            say(f"{same} of the same questions left out: the first counts")
        gate = f"assay gate --cases {request.to}"
        output.print_lines([("cases", request.to), ("next", gate)])
    return OK


def _groups(new: Sequence[Case], merged: Sequence[Case]) -> list[tuple[str, Sequence[Case]]]:
    return [("added", new), ("replaced", merged)]


def _show(name: str, cases: Sequence[Case]) -> None:
    if not cases:
        return
    why = ": the same questions were there, the newer ones count" if name == "replaced" else ""
    console = output.stdout()
    console.print(Text(f"{name} {numbers.plural(len(cases), 'case')}{why}", style="bold"))
    rows = [(_failure(case), case.sample.id, case.sample.question or "") for case in cases[:_SHOWN]]
    for line in listed(rows):
        console.print(line)
    if len(cases) > _SHOWN:
        console.print(dim(f"... {len(cases) - _SHOWN:,} more"))


def _failure(case: Case) -> Text:
    """By which metric it failed, with its score, or else with the label."""
    value = case.score if case.label is None else case.label
    what = "" if case.label is None else "labelled "
    return Text(f"{case.metric} {what}{numbers.score(value)}")
