"""How far does a judge agree with people, benchmark by benchmark?

    python -m benchmarks.judge.run                                     the embedded judge
    python -m benchmarks.judge.run --judge openai:gpt-4o-mini --limit 50
    python -m benchmarks.judge.run --only ragtruth,claims --full --out figures.json
    python -m benchmarks.judge.run --write-card                        the card that ships

Large files are sampled, the same rows each time, unless `--full`. Thresholds come from
`benchmarks.judge.thresholds`, which has to be run first for a new judge.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import assay
from benchmarks.data import Absent, Record, thinned
from benchmarks.judge import (
    claims,
    contradiction,
    evouna,
    finegrained,
    injection,
    qags,
    ragchecker,
    ragtruth,
    relevance,
    speed,
    thresholds,
    wikieval,
)
from benchmarks.judge.figures import Figure
from benchmarks.judge.subject import Subject

MODULES = {
    module.NAME: module
    for module in (
        ragtruth,
        claims,
        qags,
        ragchecker,
        wikieval,
        evouna,
        finegrained,
        relevance,
        injection,
        contradiction,
        speed,
    )
}


def chosen(
    module: ModuleType, limit: int | None, *, full: bool
) -> tuple[list[Record], dict[str, str]]:
    """The rows a benchmark is measured on, and by kind in words how they were sampled."""
    records: list[Record] = module.rows()
    found: list[Record] = []
    sampled: dict[str, str] = {}
    for kind, most in module.KINDS.items():
        mine = [record for record in records if module.kind(record) == kind]
        bounds = [bound for bound in (None if full else most, limit) if bound is not None]
        some = thinned(mine, min(bounds)) if bounds else mine
        if len(some) < len(mine):
            sampled[kind] = f"{len(some)} of {len(mine)} {kind} rows".replace("  ", " ")
        found += some
    return found, sampled


def measured(judge: Subject, name: str, limit: int | None, *, full: bool) -> list[Figure]:
    """The figures of one benchmark, each with a word on what was left out."""
    module = MODULES[name]
    records, sampled = chosen(module, limit, full=full)
    before = judge.unanswered
    found: list[Figure] = module.measure(judge, records)
    lost = judge.unanswered - before
    missing = f"{lost} without a readable reply or a score left out" if lost else ""
    title = getattr(module, "title", lambda _: "")  # how the names of a kind's figures begin
    noted = []
    for one in found:
        of = [how for kind, how in sampled.items() if one.name.startswith(title(kind))]
        note = "; ".join(filter(None, (one.note, *of, missing)))
        noted.append(replace(one, note=note))
    return noted


def shown(figure: Figure) -> str:
    """One line."""
    if figure.value is None:
        return f"  {figure.name:<62} undefined on {figure.n}"
    low = "" if figure.low is None else f"[{figure.low:.3f}, {figure.high:.3f}]"
    floor = "" if figure.floor is None else f"floor {figure.floor:.3f} ({figure.floor_name})"
    line = f"  {figure.name:<62}{figure.value:>8.3f}  {low:<18}{figure.n:>5}  {floor}"
    if figure.reach is None:
        return line.rstrip()
    good = figure.value <= figure.reach if figure.lower_is_better else figure.value >= figure.reach
    return f"{line}  {'reached' if good else 'SHORT OF'} {figure.reach:g}"


def main() -> None:
    options = arguments()
    backend = assay.backend(options.judge)
    judge = Subject(backend, thresholds.known(options.thresholds, backend.name))
    if not judge.thresholds:
        print("no thresholds fitted for this judge: run benchmarks.judge.thresholds first")
    print(judge.name)
    content: dict[str, Any] = {
        "judge": judge.name,
        "assay": assay.__version__,
        "command": " ".join(["python -m benchmarks.judge.run", *sys.argv[1:]]),
        "figures": {},
    }
    for name in options.only:
        start = time.perf_counter()
        print(f"== {name}", flush=True)
        try:
            found = measured(judge, name, options.limit, full=options.full)
        except Absent as absent:
            print(f"  {absent}")
            continue
        print(*map(shown, found), sep="\n")
        print(f"  {time.perf_counter() - start:.0f} s", flush=True)
        content["figures"][name] = [asdict(figure) for figure in found]
        # After each one: a run of hours that breaks off has not been for nothing.
        if options.out:
            options.out.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    if options.write_card:
        from benchmarks.judge import card

        card.write(content)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description="How far does a judge agree with people?")
    parser.add_argument("--judge", default="embedded", help="as `assay run --judge` takes it")
    parser.add_argument("--limit", type=int, help="rows of each kind at most")
    parser.add_argument("--full", action="store_true", help="all rows, however long it takes")
    parser.add_argument(
        "--only", default=list(MODULES), type=_names, help=f"of {', '.join(MODULES)}"
    )
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    parser.add_argument("--thresholds", type=Path, default=thresholds.FILE)
    parser.add_argument("--write-card", action="store_true", help="make the embedded judge's card")
    return parser.parse_args(given)


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in MODULES]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: none of {', '.join(MODULES)}")
    return names


if __name__ == "__main__":
    main()
