"""Labelling in a terminal: one item after the other, a key for each decision."""

from collections.abc import Callable, Sequence
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
from assay._store.labels import HumanLabel
from assay.score import Outcome, Score

_LABEL_KEYS: Final = "u unsure   s skip   r reason   z undo   q quit"
_SETTLE_KEYS: Final = "s leave open   q quit"
_GOOD_OR_BAD: Final = {"y": 1.0, "1": 1.0, "n": 0.0, "0": 0.0}
_GRADES: Final = {str(grade): float(grade) for grade in range(10)}
_PAIR_KEYS: Final = (("a", "1"), ("b", "2"), ("0", "e"))  # the first is better, the second, neither
_STOP: Final = ("q", "\x03", "\x04", "\x1b", "")  # Ctrl-C, Ctrl-D, Escape; the end of input
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
            console.print(Text(f"{_keys(item, grades=grades)}   {_LABEL_KEYS}", style="dim"))
            shown = item.key
        key, values = _key(), _values(item, grades=grades)
        if key in _STOP:
            break
        if key == "r":
            reason = click.prompt("why", default="", show_default=False)
        elif key == "z":
            undone = labelling.undo()
            console.print(Text("taken back" if undone else "nothing to take back", style="yellow"))
            shown = None if undone else shown
        elif key == "s":
            labelling.skip()
            console.print(Text("skipped", style="dim"))
        elif key == "u" or key in values:
            label = labelling.record(values.get(key), reason)
            _tell(console, labelling, label)
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
        item = labelling.item(*key)
        values = _values(item)
        _show(console, item)
        console.print(Text(f"{place} of {len(disputes)}: {said_by(dispute, item)}", style="cyan"))
        console.print(Text(f"{_keys(item)}   {_SETTLE_KEYS}", style="dim"))
        pressed = _key_among((*values, "s", *_STOP))
        if pressed in _STOP:
            break
        if pressed in values:
            labelling.adjudicate(key, values[pressed])
    left = sum(one.settled is None for one in labelling.disputes())
    console.print(Text(f"{numbers.plural(left, 'disagreement')} left", style="bold"))
    return left


def said_by(dispute: Dispute, item: LabelItem) -> str:
    """What each annotator said: ``anna 1, ben 0 (two numbers are wrong)``."""
    said = []
    for label in dispute.labels:
        why = f" ({sanitize.plain(label.reason)})" if label.reason else ""
        said.append(f"{sanitize.plain(label.annotator)} {_in_words(item, label.value)}{why}")
    return ", ".join(said)


def _values(item: LabelItem, *, grades: bool = False) -> dict[str, float]:
    """The label that each key stands for."""
    if item.sides:
        first, second = item.sides
        each = zip(_PAIR_KEYS, (first.value, second.value, 0.5), strict=True)
        return {key: value for keys, value in each for key in keys}
    return _GRADES if grades else _GOOD_OR_BAD


def _keys(item: LabelItem, *, grades: bool = False) -> str:
    """The same for the person."""
    if item.sides:
        return "a A better   b B better   0 neither"
    return "0-9 the grade" if grades else "y good   n bad"


def _in_words(item: LabelItem, value: float | None) -> str:
    """A label as this person would give it: of a pair by the letter of the better answer."""
    if value is None:
        return "unsure"
    if not item.sides:
        return f"{value:g}"
    letters = {side.value: letter for letter, side in zip("AB", item.sides, strict=True)}
    return f"{letters[value]} is better" if value in letters else "neither is better"


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
    ask = f"is each {labelling.per} good?"
    if labelling.per == "pair":
        ask = "which answer is better?"
    title = f"{labelling.metric} of {labelling.run.title}: {ask}"
    console.print(Text(sanitize.plain(title), style="bold"))
    console.print(Text(sanitize.plain(about), style="dim"))


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
    second = "a second opinion; " if item.second else ""
    console.print(Text(f"{second}{item.why}", style="dim"))
    if judged := _judged(item):
        _print(console, "the judge", judged)


def _show_contexts(console: Console, contexts: Sequence[str]) -> None:
    for number, context in enumerate(contexts[:_MOST_CONTEXTS], 1):
        _print(console, f"context {number}", context)
    if (more := len(contexts) - _MOST_CONTEXTS) > 0:
        console.print(Text(f"and {numbers.plural(more, 'further context')}", style="dim"))


def _show_text(console: Console, title: str, text: str) -> None:
    console.print(Panel(Text(_shortened(text)), title=escape(title), title_align="left"))


def _tell(console: Console, labelling: Labelling, label: HumanLabel) -> None:
    """What was said, and now that it is, what the judge says."""
    item = labelling.item(*label.item)
    judged = f"; the judge {judged}" if (judged := _judged(item)) else ""
    console.print(Text(f"{_in_words(item, label.value)}{judged}", style="green"))


def _judged(item: LabelItem) -> str:
    """What the judge says of an item; "" while that is kept back."""
    if item.sides:
        known = zip("AB", (side.outcome for side in item.sides), strict=True)
        return ", ".join(f"{letter} {_score(one)}" for letter, one in known if one is not None)
    return "" if item.outcome is None else _score(item.outcome)


def _score(outcome: Outcome) -> str:
    return numbers.score(outcome.value) if isinstance(outcome, Score) else outcome.reason


def _print(console: Console, name: str, text: str) -> None:
    console.print(Text(f"{name}  ", style="dim").append(_shortened(text), style="not dim"))


def _shortened(text: str) -> str:
    shown = sanitize.plain(text)
    if len(shown) <= _LONG:
        return shown
    return f"{shown[:_LONG]} [and {len(shown) - _LONG:,} characters more: `assay show` has them]"


def _key(read: Callable[[], str] = click.getchar) -> str:
    """The key that is pressed, small; Ctrl-C, Ctrl-D and a terminal that goes away are the end."""
    try:
        return read().lower()
    except (KeyboardInterrupt, EOFError, OSError):
        return ""


def _key_among(keys: tuple[str, ...]) -> str:
    while (pressed := _key()) not in keys:
        pass
    return pressed
