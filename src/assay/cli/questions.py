"""What happens when `assay testset` runs?"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from assay.cli import outputs, screen, values
from assay.cli.edge import BUDGET, INTERRUPTED, OK, SOME_FAILED, say
from assay.cli.judges import Judges
from assay.cli.placeholders import read_prompts
from assay.cli.request import limits, spending
from assay.errors import InputError
from assay.judge import Backend
from assay.report import notes, numbers, sanitize
from assay.runner.settings import Settings
from assay.testset import Plan, Testset, estimate, generate
from assay.testset.generate import lines

_FORMS = {".jsonl": "a line a question"}
# From so large an overlap on retrieval is likely to be easier than for users' own questions.
EASY = 0.7


def write(given: Mapping[str, Any]) -> int:
    """Write the test set, or say what it would cost; the exit code."""
    documents, prompts = [*given["documents"]], given["prompts"]
    plan = Plan(n=given["n"], seed=given["seed"], words=given["words"], **_kinds(given["kinds"]))
    read = [*documents, given["store"], *filter(None, [prompts])]
    outputs.check([given["out"]], *read, forms=_FORMS)
    outputs.check_place("--rejected", given["rejected"], *read, given["out"])
    nothing_embeds = {**given, "embedder": None}
    judge, _ = Judges.of(nothing_embeds).named(nothing_embeds)
    values.look_here()
    settings = Settings(
        prompts=read_prompts(prompts),
        limits=limits(given),
        budget=spending(given["price"], given["budget"]),
    )
    paths = [Path(document) for document in documents]
    if given["dry_run"]:
        return _estimated(paths, plan, judge, settings, given)
    try:
        made = _made(paths, plan, judge, settings, given)
    except KeyboardInterrupt:
        say(f"interrupted: every reply is kept in {given['store']}; the same command goes on")
        return INTERRUPTED
    outputs.write_text("--out", given["out"], made.jsonl())
    if given["rejected"]:
        outputs.write_text("--rejected", given["rejected"], lines([r.row() for r in made.rejected]))
    if given["as_json"]:
        screen.write_json(_plain(made))
    elif not given["quiet"]:
        _show(made, given)
    return _exit_code(made)


def _kinds(texts: tuple[str, ...]) -> dict[str, Any]:
    """The shares of the kinds as an argument of `Plan`; none if none were given."""
    found = {}
    for text in texts:
        kind, equals, share = text.partition("=")
        try:
            found[kind.strip()] = float(share) if equals else 1.0
        except ValueError as error:
            remedy = "such as --kind single_hop=2 --kind unanswerable=1"
            raise InputError(f"--kind '{text}' is not KIND=SHARE", remedy) from error
    return {"kinds": found} if found else {}


def _made(
    paths: list[Path], plan: Plan, judge: Backend, settings: Settings, given: Mapping[str, Any]
) -> Testset:
    console = screen.err()
    hidden = given["quiet"] or given["no_progress"] or not console.is_terminal
    columns = (TextColumn("questions"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden) as shown:
        bar = shown.add_task("questions", total=plan.n)

        def progress(done: int, total: int) -> None:
            shown.update(bar, completed=done, total=total)

        return generate(
            paths, plan, judge=judge, store=given["store"], settings=settings, on_progress=progress
        )


def _estimated(
    paths: list[Path], plan: Plan, judge: Backend, settings: Settings, given: Mapping[str, Any]
) -> int:
    counts = estimate(paths, plan, judge=judge, store=given["store"], settings=settings)
    money = counts.money(settings.budget.price)
    if given["as_json"]:
        found = {name: round(value) for name, value in vars(counts).items()}
        screen.write_json({"questions": plan.wanted(), **found, "money": money})
    elif not given["quiet"]:
        console, who = screen.out(), ", ".join(given["judges"])
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right")
        table.add_row(f"{plan.n:,}", "questions")
        table.add_row(f"{counts.calls:,}", Text(f"calls to {sanitize.plain(who)}, at least"))
        table.add_row(f"{counts.known:,}", Text(f"calls known already, from {given['store']}"))
        table.add_row(f"{counts.local:,}", "calls answered on this machine, free of charge")
        table.add_row(f"{counts.tokens_in:,}", "prompt tokens, about")
        table.add_row(f"{round(counts.tokens_out):,}", "reply tokens, about")
        if money is not None:
            table.add_row(f"{money:,.4f}", "money, about, at the price given")
        console.print(table)
        console.print(
            "Nothing was asked. Questions that fail a check are written again, up to three times "
            "as many in all."
        )
    return OK


def _plain(made: Testset) -> dict[str, Any]:
    """What is told of it, as plain values."""
    fields = ("documents", "passages", "calls", "known", "tokens_in", "tokens_out", "money")
    return {
        "questions": len(made.questions),
        "wanted": made.wanted,
        "written": made.written(),
        "rejected": Counter(found.why for found in made.rejected),
        "overlap": made.overlap,
        **{name: getattr(made, name) for name in fields},
        "stopped": made.stopped,
    }


def _show(made: Testset, given: Mapping[str, Any]) -> None:
    console = screen.out()
    passages = numbers.plural(made.passages, "passage")
    console.print(f"{numbers.plural(made.documents, 'document')}, {passages}")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("kind")
    for heading in ("wanted", "written", "rejected"):
        table.add_column(heading, justify="right")
    table.add_column("why")
    for kind, count in made.written().items():
        why = Counter(found.why for found in made.rejected if found.kind == kind)
        reasons = ", ".join(f"{reason} {n}" for reason, n in why.most_common())
        table.add_row(kind, f"{made.wanted[kind]:,}", f"{count:,}", f"{why.total():,}", reasons)
    console.print(table)
    for line in _remarks(made):
        console.print(Text(line, style="dim"))
    next_steps = [("questions", given["out"])]
    if given["rejected"]:
        next_steps.append(("rejected", given["rejected"]))
    next_steps.append(("next", f"assay run {given['out']} --target http://localhost:8000/ask"))
    screen.tell(next_steps)


def _remarks(made: Testset) -> list[str]:
    spent = [notes.asked("judge", made.calls, made.known)]
    if made.tokens_in:
        spent.append(f"{made.tokens_in:,} prompt tokens, {made.tokens_out:,} reply tokens")
    if made.money is not None:
        spent.append(f"{made.money:,.4f} at the price given")
    found = ["; ".join(spent)]
    if made.overlap is not None:
        share = f"{made.overlap:.0%}"
        easy = "; finding it is easier than for questions in users' own words"
        found.append(
            f"{share} of a question's content words are in the passage it was written from"
            f"{easy if made.overlap >= EASY else ''}"
        )
    if made.questions:
        found.append("Read some of them before you rely on them.")
    return found


def _exit_code(made: Testset) -> int:
    if made.stopped:
        say(f"stopped: {made.stopped}")
        return BUDGET
    missing = sum(made.wanted.values()) - len(made.questions)
    if missing:
        say(f"{numbers.plural(missing, 'question')} fewer than wanted: too many failed a check")
        return SOME_FAILED
    return OK
