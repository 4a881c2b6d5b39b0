"""What does `assay calibrate` do and tell?"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from rich.table import Table
from rich.text import Text

from assay.analysis import calibration as analysis
from assay.analysis.calibration import Applied, Card, Quality, apply, load
from assay.analysis.labelled import read_for_run
from assay.analysis.selection import choose_examples, warn_of_other_answers
from assay.cli import alone, outputs, screen
from assay.cli.edge import OK, say
from assay.errors import InputError
from assay.report import calibration as report
from assay.report import numbers, sanitize
from assay.runner.result import Result
from assay.runner.result import labels as meant
from assay.stats.calibration import Objective

CROSS_VALIDATED: Final = "cross-validated, whole groups held out"
OTHERS: Final = "labels that the card was not fitted on, if you kept them apart"
_PAGES: Final = {".html": "a page with the reliability diagram", ".md": "its tables"}
_FORMS: Final = {
    "fit": {".json": "the card", **_PAGES},
    "check": _PAGES,
    "apply": {".jsonl": "the calibrated scores"},
}
_FITTING: Final = ("objective", "costs", "method", "good")


def calibrate(given: Mapping[str, Any]) -> int:
    """Do what the options ask for; the exit code."""
    does = _does(given)
    _check_outs(given, does)
    result = Result(given["store"], given["run"])
    if does == "apply":
        return _apply(load(given["card"]), result, given)
    labels = read_for_run(given["labels"], result)
    if warning := warn_of_other_answers(given["labels"], result):
        say(warning)
    if does == "check":
        card, held_out = load(given["card"]), OTHERS
        _same_metric(card, result, given["metric"])
        quality = analysis.check(card, result, labels)
    else:
        held_out = CROSS_VALIDATED
        card = analysis.calibrate(
            result,
            labels,
            given["metric"],
            objective=_objective(given),
            method=given["method"],
            good_from=given["good"],
        )
        quality = card.quality
    if given["examples"]:
        chosen = choose_examples(result, labels, card.metric, n=given["example_count"])
        outputs.write_text("--examples", given["examples"], chosen.prompts())
        say(f"{len(chosen.examples)} examples in {given['examples']}, for --prompts")
        if chosen.one_sided:
            say("  all with the same verdict: label statements of both kinds for better ones")
    outputs.write_data((card, quality), given["outs"], _writers(held_out))
    if given["as_json"]:
        screen.write_json(msgspec.to_builtins(card if does == "fit" else quality))
    else:
        _show(card, quality, held_out)
        screen.tell(outputs.written(given["outs"]))
        if does == "fit" and not any(out.endswith(".json") for out in given["outs"]):
            say("nothing is kept: --out card.json writes the card")
    return OK


def _does(given: Mapping[str, Any]) -> Literal["fit", "check", "apply"]:
    if given["card"] is None and given["labels"] is None:
        raise InputError("there are no labels to learn from", "--labels FILE, or --card to apply")
    if given["card"] is None:
        return "fit"
    return "apply" if given["labels"] is None else "check"


def _check_outs(given: Mapping[str, Any], does: str) -> None:
    if given["examples"] and not given["examples"].lower().endswith(".toml"):
        raise InputError(f"--examples {given['examples']} is no prompts file", "end it in .toml")
    if given["examples"] and does != "fit":
        raise InputError("--examples are chosen while fitting", "leave --card out")
    if does != "fit":
        why = "is for fitting, and --card is given"
        alone.refuse(why, "leave it out, or --card", *_FITTING)
    if not given["examples"]:
        alone.refuse("is for --examples", "leave it out", "example_count")
    read_files = [file for file in (given["labels"], given["card"], given["store"]) if file]
    outputs.check(given["outs"], *read_files, forms=_FORMS[does])
    outputs.check_place("--examples", given["examples"], *read_files, *given["outs"])


def _same_metric(card: Card, result: Result, metric: str | None) -> None:
    if metric is not None and meant(result.run, metric) != [card.metric]:
        raise InputError(f"--metric {metric}: the card is about {card.metric}", "leave it out")


def _objective(given: Mapping[str, Any]) -> Objective:
    costs: str | None = given["costs"]
    if costs is None:
        return Objective(given["objective"])
    accept, _, reject = costs.partition(":")
    try:
        found = Objective("cost", float(accept), float(reject))
    except ValueError:
        found = None
    if found is None or not all(0 < cost < math.inf for cost in (found.accept, found.reject)):
        raise InputError(f"--costs '{costs}' are not two amounts", "such as --costs 5:1")
    return found


def _show(card: Card, quality: Quality, held_out: str) -> None:
    console = screen.out()
    console.print(Text(sanitize.plain(card.metric), style="bold"))
    for name, value in report.head(card):
        console.print(Text(f"  {name.lower()}: {sanitize.plain(value)}"))
    console.print(Text(f"  {report.counted(quality, held_out)}", style="dim"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "before", "calibrated"):
        table.add_column(name, no_wrap=True)
    table.add_column("", overflow="fold", style="dim")
    for row in report.rows(card, quality):
        table.add_row(row.name, row.before, Text(row.after, style="bold"), row.note)
    console.print(table)
    diagram = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    diagram.title = Text("reliability: do predicted probabilities come true?", style="bold")
    for name in ("labels", "predicted", "observed"):
        diagram.add_column(name, justify="right")
    diagram.add_column("95 % interval")
    diagram.add_column("predicted \N{MIDDLE DOT}, observed \N{BLACK CIRCLE}", no_wrap=True)
    for cells, found in zip(report.bin_rows(quality.bins), quality.bins, strict=True):
        diagram.add_row(*cells, _line(found.said, found.share))
    console.print(diagram)


def _line(said: float, share: float, width: int = 30) -> str:
    places = [" "] * (width + 1)
    places[round(said * width)] = "\N{MIDDLE DOT}"
    places[round(share * width)] = "\N{BLACK CIRCLE}"
    return "".join(places)


def _apply(card: Card, result: Result, given: Mapping[str, Any]) -> int:
    _same_metric(card, result, given["metric"])
    found = apply(card, result)
    for out in given["outs"]:
        lines = (json.dumps(msgspec.to_builtins(one), ensure_ascii=False) for one in found)
        outputs.write_text("--out", out, "".join(f"{line}\n" for line in lines))
    if given["as_json"]:
        screen.write_json(msgspec.to_builtins(found))
        return OK
    if not found:
        raise InputError(f"run {result.run.id} has no score of {card.metric}")
    _show_applied(card, found)
    screen.tell(outputs.written(given["outs"]))
    return OK


def _show_applied(card: Card, found: Sequence[Applied]) -> None:
    n = len(found)
    means = {
        "score": sum(one.score for one in found) / n,
        "called good": sum(one.calibrated for one in found) / n,
        "probability of good": sum(one.probability for one in found) / n,
    }
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(Text(sanitize.plain(card.metric)))
    table.add_column("mean", justify="right")
    for name, mean in means.items():
        table.add_row(name, numbers.score(mean))
    console = screen.out()
    console.print(table)
    console.print(Text(f"{numbers.plural(n, 'sample')}; the store keeps the raw scores", "dim"))
    hint = "a mean over all samples needs labels of these very samples: assay correct"
    console.print(Text(hint, style="dim"))


def _writers(held_out: str) -> dict[str, Callable[[Any], str]]:
    """What writes a card and its quality, by the file's ending."""
    return {
        ".json": lambda found: found[0].json(),
        ".html": lambda found: report.page(*found, held_out=held_out),
        ".md": lambda found: report.markdown(*found, held_out=held_out),
    }
