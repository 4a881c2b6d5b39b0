"""What would a run cost? Shown before anything is spent."""

import msgspec
from rich.table import Table
from rich.text import Text

from assay.cli import screen
from assay.cli.edge import OK
from assay.cli.request import Request
from assay.report import numbers, sanitize
from assay.runner.estimate import Estimate, estimate


def estimated(request: Request, *, as_json: bool, silent: bool) -> int:
    """Show the estimate; nobody is asked and nothing is stored."""
    found = estimate(
        request.data,
        request.metrics,
        request.judge,
        embedder=request.embedder,
        store=request.store,
        settings=request.settings,
    )
    if as_json:
        names = [metric.label for metric in request.metrics]
        screen.write_json({"metrics": names, **msgspec.to_builtins(found)})
    elif not silent:
        _show(found, request)
    return OK


def _show(found: Estimate, request: Request) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    for number, what in _lines(found, request):
        table.add_row(number, Text(sanitize.plain(what)))
    console = screen.out()
    console.print(table)
    if found.margins:
        console.print(
            f"Counted on {found.counted:,} rows drawn from all; ± is the 95 % error of the draw."
        )
    for note in found.notes:
        console.print(Text(sanitize.plain(f"note: {note}")))
    console.print("Nothing was asked, nothing was spent. Counts are about right, not exact.")
    budget = request.settings.budget
    tokens = found.tokens_in + found.tokens_out
    pairs = (
        (found.money, budget.money),
        (tokens, budget.tokens),
        (found.calls, budget.calls),
    )
    if any(most is not None and (would or 0) > most for would, most in pairs):
        console.print("This exceeds the budget: the run would stop before its end.")


def _lines(found: Estimate, request: Request) -> list[tuple[str, str]]:
    lines = [
        (f"{found.samples:,}", "samples"),
        (f"{found.samples * len(request.metrics):,}", "scores in all"),
        (_number(found, "calls"), f"calls to be made to {request.judge.name}"),
        (_number(found, "known"), f"calls known already, from {request.store}"),
        (_number(found, "local"), "calls answered on this machine, free of charge"),
        (_number(found, "tokens_in"), "prompt tokens, about"),
        (_number(found, "tokens_out"), "reply tokens, about"),
    ]
    if found.batches:
        lines.insert(3, (f"{found.batches:,}", "batches that they are submitted in, at least"))
    if found.local_tokens:
        lines.append((_number(found, "local_tokens"), "prompt tokens read on this machine, about"))
        written = _number(found, "local_written")
        lines.append((written, "reply tokens written on this machine, about"))
    if found.money is not None:
        lines.append((f"{found.money:,.4f}", "money, about, at the price given"))
    elif found.calls:
        lines.append(("?", "money: say what tokens cost, --price IN/OUT"))
    if found.seconds is None:
        lines.append(("?", f"time: {found.seconds_from}"))
    else:
        basis = f", {found.seconds_from}" if found.seconds_from else ""
        lines.append((numbers.seconds(found.seconds), f"time, about{basis}"))
    return lines


def _number(found: Estimate, name: str) -> str:
    """A count, with its error where it was scaled up."""
    amount, margin = getattr(found, name), found.margins.get(name, 0.0)
    return f"{amount:,} ± {100 * margin / amount:.1f} %" if margin and amount else f"{amount:,}"
