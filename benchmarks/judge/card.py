"""How do measured figures become the card that ships with the embedded judge?

    python -m benchmarks.judge.card FIGURES.json ...      what `run --out` wrote, joined

`card.toml` holds what cannot be measured. Nothing is typed among the figures.
"""

import argparse
import json
import os
import platform
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay._text.text_kinds import on_texts
from assay.bench.card import SETS, quality
from assay.judges.embedded import card as shipped
from assay.judges.embedded.card import Card, CardFigure, CardSection, Quality
from benchmarks.data import ROOT

FILE = Path(shipped.__file__).with_name("card.json")
LARGE_FILE = ROOT / "packages" / "assay-large" / "src" / "assay_large" / "card.json"
WORDS = Path(__file__).with_name("card.toml")
_DIGITS = 4


def write(*measured: Mapping[str, Any], file: Path | None = None) -> None:
    """Make the card from what one or more runs measured on one and the same judge.

    It goes to where that judge's card lies, if no other file is named.
    """
    made = card(measured, tomllib.loads(WORDS.read_text("utf-8")))
    file = file or (LARGE_FILE if _is_large(made.judge) else FILE)
    encoded = msgspec.json.format(msgspec.json.encode(made), indent=1)
    file.write_bytes(encoded + b"\n")
    print(f"written: {file.name}; now `make docs`, and commit both")


def card(measured: Sequence[Mapping[str, Any]], words: Mapping[str, Any]) -> Card:
    """The card of these figures and words; ends the program where one of them is missing."""
    judges = {run["judge"] for run in measured}
    if len(judges) != 1 or not (judge := judges.pop()).startswith("embedded"):
        sys.exit("the card is of one version of the embedded judge, and of no other")
    by_name = {name: found for run in measured for name, found in run["figures"].items()}
    sections = tuple(
        CardSection(
            title=title,
            command=f"python -m benchmarks.judge.run --only {name}",
            figures=tuple(_figure(found) for found in by_name[name] if found["value"] is not None),
        )
        for name, title in words["sections"].items()
        if by_name.get(name)
    )
    version = judge.partition("+")[0].replace(":", ":large " if _is_large(judge) else " ")
    figures = {figure.name: figure for section in sections for figure in section.figures}
    extra = words.get("large") if _is_large(judge) else None
    return Card(
        judge=judge,
        machine=f"{os.cpu_count()} cores ({platform.machine()}), two threads",
        quality=_quality(version, figures),
        sections=sections,
        languages=words["languages"],
        weaknesses=tuple(words["weaknesses"]),
        training_text=words["training_text"] | (extra["training_text"] if extra else {}),
    )


def _is_large(judge: str) -> bool:
    """Whether a second network takes part in it."""
    return "+mpnet" in judge


def _quality(judge: str, figures: Mapping[str, CardFigure]) -> dict[str, Quality]:
    made = {one.figures: (one, quality(judge, one, figures)) for one in SETS}
    known: dict[str, Quality] = {}
    for name, (one, found) in made.items():
        if found is None:
            sys.exit(f"'{name}' was not measured, but the card needs it: run all benchmarks")
        for metric in one.metrics:
            known.setdefault(on_texts(metric, one.texts), found)
    return known


def _figure(found: Mapping[str, Any]) -> CardFigure:
    known = {name: found[name] for name in CardFigure.__struct_fields__}
    rounded = {
        name: round(value, _DIGITS) if isinstance(value, float) else value
        for name, value in known.items()
    }
    return CardFigure(**rounded)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the card from measured figures.")
    parser.add_argument("files", nargs="+", type=Path, help="written by `run --out`")
    write(*(json.loads(file.read_text("utf-8")) for file in parser.parse_args().files))


if __name__ == "__main__":
    main()
