"""What an estimate of calls, tokens, money and time looks like on the console."""

from rich.text import Text

from assay._cli import output
from assay._cli.judges import priced
from assay._middleware.budget import Budget
from assay._middleware.wrapper import Route
from assay._report import numbers, sanitize
from assay._runner.estimate import Estimate
from assay.judge import Backend


def show(cost: Estimate, scores: int | None, judge: Backend, store: str, budget: Budget) -> None:
    """Print what is estimated, and whether a budget would not suffice; nobody is asked."""
    lines = _lines(cost, judge, store, budget)
    if scores is not None:
        lines.insert(1, (f"{scores:,}", "scores in all"))
    output.print_counts(lines)
    console = output.stdout()
    if cost.margins:
        console.print(
            f"Counted on {cost.counted:,} rows drawn from all; ± is the 95 % error of the draw."
        )
    for note in cost.notes:
        console.print(Text(sanitize.plain(f"note: {note}")))
    console.print("Nothing was asked, nothing was spent. Counts are about right, not exact.")
    tokens = cost.tokens_in + cost.tokens_out
    pairs = ((cost.money, budget.money), (tokens, budget.tokens), (cost.calls, budget.calls))
    if any(limit is not None and (amount or 0) > limit for amount, limit in pairs):
        console.print("This exceeds the budget: the run would stop before its end.")


def _lines(cost: Estimate, judge: Backend, store: str, budget: Budget) -> list[tuple[str, str]]:
    judge_names = ", ".join(_paid_judges(judge))
    least_text, rising = "", ""
    if cost.least_calls is not None:
        least_text = f"{cost.least_calls:,} to "
        rising = ": which share goes up the cascade is not known before"
    lines = [
        (f"{cost.samples:,}", "samples"),
        (f"{least_text}{_number(cost, 'calls')}", f"calls to be made to {judge_names}{rising}"),
        (_number(cost, "known"), f"calls known already, from {store}"),
        (_number(cost, "local"), "calls answered on this machine, free of charge"),
        (_number(cost, "tokens_in"), "prompt tokens, about"),
        (_number(cost, "tokens_out"), "reply tokens, about"),
    ]
    if cost.batches:
        lines.insert(2, (f"{cost.batches:,}", "batches that they are submitted in, at least"))
    if cost.local_tokens:
        lines.append((_number(cost, "local_tokens"), "prompt tokens read on this machine, about"))
        tokens = _number(cost, "local_written")
        lines.append((tokens, "reply tokens written on this machine, about"))
    if cost.money is not None:
        least_text = "" if cost.least_money is None else f"{cost.least_money:,.4f} to "
        price = priced(budget.price)
        lines.append((f"{least_text}{cost.money:,.4f}", f"money, about, {price}"))
    elif cost.calls:
        lines.append(("?", "money: say what tokens cost, --price IN/OUT or --price list"))
    if cost.seconds is None:
        lines.append(("?", f"time: {cost.seconds_from}"))
    else:
        basis = f", {cost.seconds_from}" if cost.seconds_from else ""
        lines.append((numbers.seconds(cost.seconds), f"time, about{basis}"))
    return lines


def _paid_judges(judge: Backend) -> list[str]:
    """The names of those that compute elsewhere; of the judge itself if there are none."""
    judges = Route.of(judge).backends
    leaves = [backend for leaf in judges for backend in leaf.behind() or (leaf,)]
    elsewhere = [leaf.name for leaf in leaves if not leaf.capabilities.local]
    return list(dict.fromkeys(elsewhere)) or [numbers.judge_in_words(judge.name)]


def _number(cost: Estimate, name: str) -> str:
    """A count, with its error where it was scaled up."""
    amount, margin = getattr(cost, name), cost.margins.get(name, 0.0)
    return f"{amount:,} ± {100 * margin / amount:.1f} %" if margin and amount else f"{amount:,}"
