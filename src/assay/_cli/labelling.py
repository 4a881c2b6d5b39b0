"""Labelling in a terminal: one item after the other, a key for each decision."""

from collections.abc import Callable
from typing import Final

import click
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from assay._analysis.label_items import Dispute, LabelItem, Progress
from assay._analysis.labelling import Labelling
from assay._cli import output
from assay._report import numbers, sanitize
from assay.score import Outcome, Score

_KEYS: Final = "y good   n bad   u unsure   s skip   r reason   z undo   q quit"
_GRADE_KEYS: Final = "0-9 the grade   u unsure   s skip   r reason   z undo   q quit"
_SETTLE_KEYS: Final = "y good   n bad   s leave open   q quit"
_YES, _NO = ("y", "Y", "1"), ("n", "N", "0")
_STOP: Final = ("q", "Q", "\x03", "\x04", "\x1b", "")  # Ctrl-C, Ctrl-D, Escape; the end of input
_LONG: Final = 6_000  # characters of one context that are shown
_MOST_CONTEXTS: Final = 20


def label_in_terminal(labelling: Labelling, *, grades: bool = False) -> Progress:
    """Ask for labels until all are given or the person quits. Each is on disk once it is given.

    Args:
        labelling: What is labelled.
        grades: Whether digits are grades of the person's own scale, not 1 for good and 0 for bad.
    """
    console, reason = output.stdout(), ""
    _greet(console, labelling)
    shown = None
    while (item := labelling.next()) is not None:
        if item.key != shown:
            _show(console, item)
            console.print(Text(progress_line(labelling.progress()), style="cyan"))
            console.print(Text(_GRADE_KEYS if grades else _KEYS, style="dim"))
            shown = item.key
        key = _key()
        if key in _STOP:
            break
        if key in ("r", "R"):
            reason = click.prompt("why", default="", show_default=False)
        elif key in ("z", "Z"):
            undone = labelling.undo()
            console.print(Text("taken back" if undone else "nothing to take back", style="yellow"))
            shown = None if undone else shown
        elif key in ("s", "S"):
            labelling.skip()
            console.print(Text("skipped", style="dim"))
        elif key in ("u", "U") or (value := _value(key, grades=grades)) is not None:
            label = labelling.record(None if key in ("u", "U") else value, reason)
            said = "unsure" if label.value is None else f"{label.value:g}"
            _tell(console, labelling, item, said)
            reason = ""
    progress = labelling.progress()
    end = "everything is labelled" if labelling.next() is None else "everything so far is kept"
    console.print(Text(f"{end}: {progress_line(progress)}", style="bold"))
    return progress


def settle_in_terminal(labelling: Labelling) -> int:
    """Ask about each disagreement of annotators which label counts; how many are left open."""
    console = output.stdout()
    disputes = [one for one in labelling.disputes() if one.settled is None]
    for place, dispute in enumerate(disputes, 1):
        key = dispute.run, dispute.sample, dispute.statement
        _show(console, labelling.item(*key))
        console.print(Text(f"{place} of {len(disputes)}: {said_by(dispute)}", style="cyan"))
        console.print(Text(_SETTLE_KEYS, style="dim"))
        pressed = _key_among((*_YES, *_NO, "s", "S", *_STOP))
        if pressed in _STOP:
            break
        if pressed not in ("s", "S"):
            labelling.adjudicate(key, float(pressed in _YES))
    left = sum(one.settled is None for one in labelling.disputes())
    console.print(Text(f"{numbers.plural(left, 'disagreement')} left", style="bold"))
    return left


def said_by(dispute: Dispute) -> str:
    """What each annotator said: ``anna 1, ben 0 (two numbers are wrong)``."""
    said = []
    for label in dispute.labels:
        why = f" ({sanitize.plain(label.reason)})" if label.reason else ""
        said.append(f"{sanitize.plain(label.annotator)} {label.value:g}{why}")
    return ", ".join(said)


def progress_line(progress: Progress) -> str:
    """How far it is and what it tells, in one line."""
    words = [f"{progress.labelled:,} of {progress.total:,} labelled"]
    words.append(f"judge {numbers.score(progress.judge_mean)}")
    if progress.corrected is not None:
        ends = progress.corrected.interval
        span = f" ({numbers.interval(ends)})" if ends else ""
        words.append(f"corrected {numbers.score(progress.corrected.estimate)}{span}")
    if progress.kappa is not None:
        ends = progress.kappa_interval
        span = f" ({numbers.interval(ends)})" if ends else ""
        words.append(f"kappa {numbers.score(progress.kappa)}{span}")
    if progress.disputes:
        words.append(numbers.plural(progress.disputes, "disagreement"))
    return " \N{MIDDLE DOT} ".join([*words, progress.verdict])


def _greet(console: Console, labelling: Labelling) -> None:
    about = labelling.run.config["about"][labelling.metric]["doc"]
    what = "statement" if labelling.per == "statement" else "answer"
    title = f"{labelling.metric} of {labelling.run.title}: is each {what} good?"
    console.print(Text(sanitize.plain(title), style="bold"))
    console.print(Text(sanitize.plain(about), style="dim"))


def _show(console: Console, item: LabelItem) -> None:
    console.rule(style="dim")
    if item.question:
        _print(console, "question", item.question)
    for number, context in enumerate(item.contexts[:_MOST_CONTEXTS], 1):
        _print(console, f"context {number}", context)
    if (more := len(item.contexts) - _MOST_CONTEXTS) > 0:
        console.print(Text(f"and {numbers.plural(more, 'further context')}", style="dim"))
    if item.reference:
        _print(console, "reference", item.reference)
    if item.statement is not None:
        _print(console, "answer", item.answer)
    title = "answer" if item.statement is None else f"statement {item.statement + 1}"
    console.print(Panel(Text(_shortened(item.text)), title=escape(title), title_align="left"))
    second = "a second opinion; " if item.second else ""
    console.print(Text(f"{second}{item.why}", style="dim"))
    if item.outcome is not None:
        _print(console, "the judge", _judged(item.outcome))


def _tell(console: Console, labelling: Labelling, item: LabelItem, said: str) -> None:
    """What was said, and now that it is, what the judge says."""
    outcome = labelling.item(*item.key).outcome
    judged = f"; the judge {_judged(outcome)}" if outcome is not None else ""
    console.print(Text(f"{said}{judged}", style="green"))


def _judged(outcome: Outcome) -> str:
    return numbers.score(outcome.value) if isinstance(outcome, Score) else outcome.reason


def _print(console: Console, name: str, text: str) -> None:
    console.print(Text(f"{name}  ", style="dim").append(_shortened(text), style="not dim"))


def _shortened(text: str) -> str:
    shown = sanitize.plain(text)
    if len(shown) <= _LONG:
        return shown
    return f"{shown[:_LONG]} [and {len(shown) - _LONG:,} characters more: `assay show` has them]"


def _value(key: str, *, grades: bool) -> float | None:
    """The label that a key stands for; None if it stands for none."""
    if grades:
        return float(key) if key.isascii() and key.isdigit() else None
    return 1.0 if key in _YES else 0.0 if key in _NO else None


def _key(read: Callable[[], str] = click.getchar) -> str:
    """The key that is pressed; Ctrl-C, Ctrl-D and a terminal that goes away are the end."""
    try:
        return read()
    except (KeyboardInterrupt, EOFError, OSError):
        return ""


def _key_among(keys: tuple[str, ...]) -> str:
    while (pressed := _key()) not in keys:
        pass
    return pressed
