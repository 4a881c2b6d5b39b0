"""The command `assay label`: label in the terminal, or choose samples for a sheet."""

import errno
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import click
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from assay._analysis import selection
from assay._analysis.label_files import take_labels, write_labels
from assay._analysis.label_pool import Dispute, LabelItem, Order, Progress
from assay._analysis.labelling import Labelling
from assay._cli import options, output, values
from assay._cli.errors import OK, say
from assay._cli.output import command_line, run_name
from assay._report import labels, numbers, sanitize
from assay._runner.result import Result
from assay._store import Store
from assay._store.labels import HumanLabel
from assay.data.labels import Label, read_labels
from assay.errors import InputError
from assay.score import Outcome, Score

_LABEL_KEYS: Final = "u unsure   s skip   r reason   z undo   q quit"
_SETTLE_KEYS: Final = "s leave open   q quit"
_GOOD_OR_BAD: Final = {"y": 1.0, "1": 1.0, "n": 0.0, "0": 0.0}
_GRADES: Final = {str(grade): float(grade) for grade in range(10)}
_PAIR_KEYS: Final = (("a", "1"), ("b", "2"), ("0", "e"))  # the first is better, the second, neither
_STOP: Final = ("q", "\x03", "\x04", "\x1b", "")  # Ctrl-C, Ctrl-D, Escape; the end of input
_NO_TERMINAL: Final = (errno.ENXIO, errno.ENOENT)  # of opening /dev/tty
_LONG: Final = 6_000  # characters of one context that are shown
_MOST_CONTEXTS: Final = 20


def label_in_terminal(labelling: Labelling, *, grades: bool) -> None:
    """Ask for labels until all are given or the person quits. Each is on disk once it is given.

    Args:
        labelling: What is labelled.
        grades: Whether digits are grades of the person's own scale, not 1 for good and 0 for bad.
    """
    console, reason = output.stdout(), ""
    _print_heading(console, labelling)
    shown_key = None
    while (item := labelling.next()) is not None:
        if item.key != shown_key:
            _show(console, item)
            console.print(Text(progress_line(labelling, labelling.progress()), style="cyan"))
            question = _question(labelling.metric, item, grades=grades)
            console.print(Text(question, style="bold"))
            console.print(Text(f"{_keys(item, grades=grades)}   {_LABEL_KEYS}", style="dim"))
            shown_key = item.key
        key, values = _key(), _values(item, grades=grades)
        if key in _STOP:
            break
        if key == "r":
            reason = click.prompt("why", default="", show_default=False)
        elif key == "z":
            undone = labelling.undo()
            console.print(Text("taken back" if undone else "nothing to take back", style="yellow"))
            shown_key = None if undone else shown_key
        elif key == "s":
            labelling.skip()
            console.print(Text("skipped", style="dim"))
        elif key == "u" or key in values:
            label = labelling.record(values.get(key), reason)
            _confirm(console, labelling, label, grades=grades)
            reason = ""
        else:
            console.print(Text("no such key; see above", style="yellow"))
    end = "everything is labelled" if labelling.next() is None else "everything so far is kept"
    console.print(Text(f"{end}: {progress_line(labelling, labelling.progress())}", style="bold"))


def settle_in_terminal(labelling: Labelling) -> None:
    """Ask about each disagreement of annotators which label counts; say how many are left."""
    console = output.stdout()
    disputes = [dispute for dispute in labelling.disputes() if dispute.settled is None]
    for number, dispute in enumerate(disputes, 1):
        key = dispute.run, dispute.sample, dispute.statement
        item = labelling.item(*key)
        values = _values(item)
        _show(console, item)
        console.print(Text(f"{number} of {len(disputes)}: {said_by(dispute, item)}", style="cyan"))
        console.print(Text(_question(labelling.metric, item), style="bold"))
        console.print(Text(f"{_keys(item)}   {_SETTLE_KEYS}", style="dim"))
        pressed = _key_among((*values, "s", *_STOP))
        if pressed in _STOP:
            break
        if pressed in values:
            labelling.adjudicate(key, values[pressed])
    n_open = sum(dispute.settled is None for dispute in labelling.disputes())
    console.print(Text(f"{numbers.plural(n_open, 'disagreement')} left", style="bold"))


def said_by(dispute: Dispute, item: LabelItem) -> str:
    """What each annotator said: ``anna 1, ben 0 (two numbers are wrong)``."""
    opinions = []
    for label in dispute.labels:
        reason = f" ({sanitize.plain(label.reason)})" if label.reason else ""
        opinions.append(f"{sanitize.plain(label.annotator)} {_in_words(item, label.value)}{reason}")
    return ", ".join(opinions)


def _values(item: LabelItem, *, grades: bool = False) -> dict[str, float]:
    """The label that each key stands for."""
    if item.sides:
        first, second = item.sides
        keys_and_values = zip(_PAIR_KEYS, (first.value, second.value, 0.5), strict=True)
        return {key: value for keys, value in keys_and_values for key in keys}
    return _GRADES if grades else _GOOD_OR_BAD


def _keys(item: LabelItem, *, grades: bool = False) -> str:
    """The same for the person."""
    if item.sides:
        return "a A better   b B better   0 tie"
    return "0-9 the grade" if grades else "y yes   n no"


def _in_words(item: LabelItem, value: float | None) -> str:
    """A label as this person would give it: of a pair by the letter of the better answer."""
    if value is None:
        return "unsure"
    if not item.sides:
        return f"{value:g}"
    letters = {side.value: letter for letter, side in zip("AB", item.sides, strict=True)}
    return f"{letters[value]} is better" if value in letters else "tie"


def progress_line(labelling: Labelling, progress: Progress) -> str:
    """How far it is and what it tells, in one line."""
    words = [f"{progress.labelled:,} of {progress.total:,} labelled"]
    words.append(_judge_in_words(labelling, progress))
    ends = progress.corrected.interval if progress.corrected else None
    if progress.corrected and (ends or progress.labelled == progress.total):
        span = f" ({numbers.interval(ends)})" if ends else ""
        prefix = "" if progress.judge_good is None else "people, "
        words.append(f"{prefix}corrected {numbers.score(progress.corrected.estimate)}{span}")
    if progress.kappa is not None:
        ends = progress.kappa_interval
        span = f" ({numbers.interval(ends)})" if ends else ""
        words.append(f"kappa with the judge {numbers.score(progress.kappa)}{span}")
    if progress.disputes:
        words.append(numbers.plural(progress.disputes, "disagreement"))
    return " \N{MIDDLE DOT} ".join([*words, progress.verdict])


def _judge_in_words(labelling: Labelling, progress: Progress) -> str:
    """What stands beside the corrected mean: a share beside a share, a mean beside a mean."""
    if progress.judge_good is None:
        return f"judge {numbers.score(progress.judge_mean)}"
    bar = "down to" if labelling.pool.first.falling else "from"
    ends = f"{bar} {numbers.score(labelling.threshold)}"
    return f"the judge calls {numbers.score(progress.judge_good)} of all good ({ends})"


def _print_heading(console: Console, labelling: Labelling) -> None:
    description = labelling.run.config["about"][labelling.metric]["doc"]
    title = f"{labelling.metric} of {labelling.run.title}"
    console.print(Text(sanitize.plain(title), style="bold"))
    console.print(Text(sanitize.plain(description), style="dim"))


def _question(metric: str, item: LabelItem, *, grades: bool = False) -> str:
    """What a label replies to: the words of the browser."""
    if item.sides:
        return labels.BETTER
    if grades:
        return labels.HOW_GOOD
    return labels.label_question(metric, None if item.statement is None else "statement")


def _show(console: Console, item: LabelItem) -> None:
    console.rule(style="dim")
    if item.question:
        _print(console, "question", item.question)
    shared = not item.sides or item.sides[0].contexts == item.sides[1].contexts
    if shared:
        _show_contexts(console, item.contexts)
    if item.reference:
        _print(console, "reference", item.reference)
    if item.statement is not None:
        _print(console, "answer", item.answer)
    for letter, side in zip("AB", item.sides, strict=False):
        if not shared:
            _show_contexts(console, side.contexts)
        _show_text(console, f"answer {letter}", side.answer)
    if not item.sides:
        title = "answer" if item.statement is None else f"statement {item.statement + 1}"
        _show_text(console, title, item.text)
    remarks = "; ".join(filter(None, ["a second opinion" if item.second else "", item.why]))
    if remarks:
        console.print(Text(remarks, style="dim"))
    if judged := _judge_says(item):
        _print(console, "the judge", judged)


def _show_contexts(console: Console, contexts: Sequence[str]) -> None:
    for number, context in enumerate(contexts[:_MOST_CONTEXTS], 1):
        _print(console, f"context {number}", context)
    if (more := len(contexts) - _MOST_CONTEXTS) > 0:
        console.print(Text(f"and {numbers.plural(more, 'further context')}", style="dim"))


def _show_text(console: Console, title: str, text: str) -> None:
    console.print(Panel(Text(_shortened(text)), title=escape(title), title_align="left"))


def _confirm(console: Console, labelling: Labelling, label: HumanLabel, *, grades: bool) -> None:
    """What was said, and now that it is, what the judge says."""
    item = labelling.item(*label.item)
    words = _in_words(item, label.value)
    if label.value is not None and not (grades or item.sides):
        words = "yes" if label.value else "no"
    judged = f"; the judge {judged}" if (judged := _judge_says(item)) else ""
    console.print(Text(f"you: {words}{judged}", style="green"))


def _judge_says(item: LabelItem) -> str:
    """What the judge says of an item; "" while that is kept back."""
    if item.sides:
        outcomes = zip("AB", (side.outcome for side in item.sides), strict=True)
        return ", ".join(f"{side} {_score(score)}" for side, score in outcomes if score is not None)
    return "" if item.outcome is None else _score(item.outcome)


def _score(outcome: Outcome) -> str:
    return numbers.score(outcome.value) if isinstance(outcome, Score) else outcome.reason


def _print(console: Console, name: str, text: str) -> None:
    console.print(Text(f"{name}  ", style="dim").append(_shortened(text), style="not dim"))


def _shortened(text: str) -> str:
    clean = sanitize.plain(text)
    if len(clean) <= _LONG:
        return clean
    return f"{clean[:_LONG]} [and {len(clean) - _LONG:,} characters more: `assay show` has them]"


def _key(read: Callable[[], str] = click.getchar) -> str:
    """The key that is pressed, small; Ctrl-C, Ctrl-D and a terminal that goes away are the end.

    Raises:
        InputError: If there is no terminal, as in a pipe of a job without one.
    """
    try:
        return read().lower()
    except OSError as error:
        if error.errno not in _NO_TERMINAL:
            return ""
        remedy = (
            "run it in a terminal, label in a browser (`assay view`), or --out FILE for a sheet"
        )
        raise InputError("there is no terminal whose keys could be read", remedy) from error
    except (KeyboardInterrupt, EOFError):
        return ""


def _key_among(keys: tuple[str, ...]) -> str:
    while (pressed := _key()) not in keys:
        pass
    return pressed


_LIVE = ("annotator", "order", "against", "per", "second_opinions", "half_width")
_LIVE_TOO = ("threshold", "show_judge", "grades", "take", "give", "everyone", "settle")
_SHEET = ("n", "random_share")


class _LabelRequest(options.Request):
    run: str = options.argument(metavar="[RUN|STORE]", default="last")
    run_named: str | None = options.option(
        "--run", metavar="RUN", help="The run, where a store is named before."
    )
    metric: str | None = options.option(
        "--metric", "-m", metavar="METRIC", help="The metric to check."
    )
    annotator: str | None = options.option(
        "--annotator",
        "-a",
        metavar="NAME",
        help="Label in the terminal, under this name. Every decision is kept in the store at once.",
    )
    order: Order | None = options.choice(
        "--order",
        choices=("random", "mean", "difference", "threshold"),
        help="Which samples come first: any (the default, for every use), those that narrow the "
        "corrected mean (it saves 0 to 7 % of the labels) or the difference from another run, or "
        "those near a threshold.",
    )
    against: str | None = options.option(
        "--against",
        metavar="RUN",
        help="Label answers of this run and of the other, where they differ.",
    )
    per: Literal["answer", "statement", "pair"] = options.choice(
        "--per",
        choices=("answer", "statement", "pair"),
        default="answer",
        help="What is labelled: answers, statements, or which of two answers is better "
        "(--against).",
    )
    second_opinions: float | None = options.number(
        "--second-opinions",
        type=options.NumberRange(min=0, max=1),
        metavar="SHARE",
        help="Share of the samples that two annotators label: kept in the store, for everyone.",
    )
    half_width: float = options.number(
        "--half-width",
        type=options.POSITIVE,
        default=0.05,
        metavar="WIDTH",
        help="Labels are enough once the corrected mean is known to within this.",
    )
    threshold: float | None = options.number(
        "--threshold",
        metavar="SCORE",
        help="The score from which on the judge calls a sample good; that of the metric by "
        "default.",
    )
    show_judge: bool = options.flag(
        "--show-judge", help="Show what the judge says before the label, not after it."
    )
    grades: bool = options.flag("--grades", help="The keys 0 to 9 are grades of your own scale.")
    settle: bool = options.flag("--settle", help="Decide what annotators disagree about.")
    take: str | None = options.option(
        "--import", metavar="FILE", help="Keep the labels of a file in the store."
    )
    give: str | None = options.option(
        "--export", metavar="FILE", help="Write the labels of the store to a sheet."
    )
    everyone: bool = options.flag(
        "--everyone", help="Export what every annotator said, for `assay agree`."
    )
    n: int = options.count(
        "-n",
        "--number",
        default=20,
        least=0,
        help="How many samples to add; 0 after deleting the last rows of a sheet.",
    )
    sheet: str | None = options.option(
        "--out",
        metavar="FILE",
        help="Write a sheet (.csv). An existing sheet keeps its content and is extended.",
    )
    random_share: float = options.number(
        "--random-share",
        type=options.NumberRange(min=0, max=1, min_open=True),
        default=0.5,
        metavar="SHARE",
        help="Share of the choice that is uniformly random; 1 is purely random.",
    )
    store: str


@options.command("label", _LabelRequest)
def label_command(request: _LabelRequest) -> int:
    """Label samples of RUN in the terminal, or write a sheet with room for labels.

    A sheet has more of the samples on which the judge is likely to err. With which probability each
    was chosen is kept: `assay correct` needs it to stay unbiased.
    """
    if request.sheet is not None:
        reason = "is for labelling in the terminal, and --out writes a sheet"
        values.reject_options(reason, "leave it out, or --out", *_LIVE, *_LIVE_TOO)
        return _write_sheet(request, request.sheet)
    values.reject_options("is for --out", "leave it out, or name a sheet", *_SHEET)
    if request.take and not request.annotator:
        fault = f"labels of {request.take} that name no annotator would be nobody's"
        raise InputError(fault, "say with --annotator NAME whose those are")
    if not (request.annotator or request.give):
        fault = "there is nobody to label, and no sheet to write"
        raise InputError(fault, "give --annotator NAME to label here, or --out FILE for a sheet")
    return _label(request)


def _store_and_run(request: _LabelRequest) -> tuple[str, str]:
    """(store, run): the first argument may be either."""
    if request.run_named is not None and request.run != "last":
        return request.run, request.run_named
    if request.run_named is not None:
        return request.store, request.run_named
    if Path(request.run).is_file():
        return request.run, "last"
    return request.store, request.run


def _label(request: _LabelRequest) -> int:
    if request.per == "pair" and request.against is None:
        raise InputError("--per pair compares two runs", "name the other with --against RUN")
    if request.per == "pair" and request.grades:
        raise InputError("--grades is for single answers", "leave it out, or --per pair")
    path, run = _store_and_run(request)
    with Store(Result(path, run).path) as store:
        for metric in _metrics(store, Result(path, run), request):
            labelling = _labelling(store, run, metric, request)
            if request.take or request.give:
                _import_and_export(labelling, request)
            elif request.settle:
                settle_in_terminal(labelling)
            else:
                label_in_terminal(labelling, grades=request.grades)
                name = run_name(Result(path, run))
                words = ["label", name, "-m", labelling.metric, "--export", "labels.csv"]
                if request.per == "pair":
                    words += ["--per", "pair", "--against", str(request.against)]
                say(f"as a sheet    {command_line(*words, store=path)}")
    return OK


def _metrics(store: Store, result: Result, request: _LabelRequest) -> list[str | None]:
    """The metric that is named, or those that the labels to be moved are about."""
    metrics = list(result.run.metrics)
    if request.metric is not None or len(metrics) == 1:
        return [request.metric]
    if request.take and not request.give:
        labels = read_labels(request.take, metrics=metrics)
        return [metric for metric in metrics if any(map(_names(metric), labels.labels))] or [None]
    if request.give and not request.take:
        labelled = [metric for metric in metrics if store.labels.of(result.run.id, metric)]
        return [labelled[0]] if len(labelled) == 1 else [None]
    return [None]


def _names(metric: str) -> Callable[[Label], bool]:
    """Whether a label names a metric, with or without its parameters."""
    return lambda label: label.metric in (metric, metric.partition("(")[0])


def _labelling(store: Store, run: str, metric: str | None, request: _LabelRequest) -> Labelling:
    return Labelling(
        store,
        run,
        metric,
        annotator=request.annotator or "export",
        order=request.order or ("difference" if request.against else "random"),
        against=request.against,
        per=request.per,
        blind=not request.show_judge,
        second_opinions=request.second_opinions,
        half_width=request.half_width,
        threshold=request.threshold,
    )


def _import_and_export(labelling: Labelling, request: _LabelRequest) -> None:
    """Labels of a file into the store, and those of the store to a file."""
    if request.take:
        n_taken = take_labels(labelling, request.take)
        subject = f" about {labelling.metric}" if request.metric is None else ""
        say(f"{numbers.plural(n_taken, 'new label')}{subject} of {request.take} kept in the store")
    if request.give:
        try:
            n_written, n_unsure = write_labels(labelling, request.give, everyone=request.everyone)
        except OSError as error:
            fault = f"--export {request.give} cannot be written: {error.strerror or error}"
            raise InputError(fault) from error
        unsure = f", and {n_unsure:,} left unsure" if n_unsure else ""
        say(f"{numbers.plural(n_written, 'label')}{unsure} written to {request.give}")


def _write_sheet(request: _LabelRequest, sheet: str) -> int:
    if not sheet.lower().endswith(".csv"):
        raise InputError(f"--out {sheet} is no sheet", "let it end in .csv")
    path, run = _store_and_run(request)
    result = Result(path, run)
    sheet_rows = selection.read_sheet(sheet)
    targets = selection.label_next(
        result,
        request.metric,
        n=request.n,
        random_share=request.random_share,
        before=list(sheet_rows),
    )
    try:
        selection.write_sheet(targets, sheet, sheet_rows)
    except OSError as error:
        fault = f"--out {sheet} cannot be written: {error.strerror or error}"
        raise InputError(fault) from error
    added = numbers.plural(len(targets) - len(sheet_rows), "sample")
    action = f"{added} added to" if request.n else "probabilities written anew in"
    say(f"{action} {sheet}, {len(targets)} in all; fill in 'label':")
    say("1 or 0 for good or bad, a share between them, or a grade of your own scale")
    line = command_line("correct", run_name(result), "--labels", sheet, store=path)
    say(f"then    {line}")
    return OK
