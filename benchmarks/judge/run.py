"""How far does the embedded judge agree with people, and how fast is it? What its card is made of.

    python -m benchmarks.judge.run                                     all of it
    python -m benchmarks.judge.run --only ragtruth,claims --full --out figures.json
    python -m benchmarks.judge.run --write-card                        the card that ships

Any other judge: `assay bench --judge`, which measures the same. Large files are sampled, the same
rows each time, unless `--full`.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import assay
from assay.bench import measurement
from assay.bench.benchmark import Figure
from assay.bench.judge import JudgeUnderTest, ReplyTotals, open_judge
from assay.bench.measurement import FAMILIES, Sampling, figures
from benchmarks.data import DATA, Absent, present
from benchmarks.judge.aims import AIMS
from benchmarks.judge.speed import SPEED

SETS = {**FAMILIES, "speed": (SPEED,)}
# Patience for a model on few cores that is served over HTTP.
SETTINGS = assay.Settings(limits=assay.Limits(concurrency=4, timeout=1200, retries=2))


def measured(judge: JudgeUnderTest, family: str, sampling: Sampling) -> list[Figure]:
    """The figures of a section of the card."""
    found = []
    for one in SETS[family]:
        for file in one.files:
            present(file)
        judge.totals = ReplyTotals()
        found += figures(judge, one, DATA, sampling)
    return found


def shown(figure: Figure) -> str:
    """One line."""
    if figure.value is None:
        return f"  {figure.name:<62} undefined on {figure.n}"
    low = "" if figure.low is None else f"[{figure.low:.3f}, {figure.high:.3f}]"
    floor = "" if figure.floor is None else f"floor {figure.floor:.3f} ({figure.floor_name})"
    line = f"  {figure.name:<62}{figure.value:>8.3f}  {low:<18}{figure.n:>5}  {floor}"
    aim = AIMS.get(figure.name)
    if aim is None:
        return line.rstrip()
    good = figure.value <= aim if figure.lower_is_better else figure.value >= aim
    return f"{line}  {'reached' if good else 'SHORT OF'} {aim:g}"


def main() -> None:
    options = arguments()
    backend = assay.backend(options.judge)
    known = measurement.known_thresholds(backend.name)
    print(backend.name)
    content: dict[str, Any] = {
        "judge": backend.name,
        "assay": assay.__version__,
        "command": " ".join(["python -m benchmarks.judge.run", *sys.argv[1:]]),
        "figures": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "bench.db"
        with open_judge(backend, store, thresholds=known, settings=SETTINGS) as judge:
            for name in options.only:
                _one(judge, name, options, content)
    if options.write_card:
        from benchmarks.judge import card

        card.write(content)


def _one(
    judge: JudgeUnderTest, name: str, options: argparse.Namespace, content: dict[str, Any]
) -> None:
    start = time.perf_counter()
    print(f"== {name}", flush=True)
    try:
        found = measured(judge, name, Sampling(limit=options.limit, full=options.full))
    except Absent as absent:
        print(f"  {absent}")
        return
    print(*map(shown, found), sep="\n")
    print(f"  {time.perf_counter() - start:.0f} s", flush=True)
    content["figures"][name] = [msgspec.structs.asdict(figure) for figure in found]
    # After each one: a run of hours that breaks off has not been for nothing.
    if options.out:
        options.out.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description="How far does a judge agree with people?")
    parser.add_argument("--judge", default="embedded", help="as `assay run --judge` takes it")
    parser.add_argument("--limit", type=int, help="rows of each kind at most")
    parser.add_argument("--full", action="store_true", help="all rows, however long it takes")
    parser.add_argument("--only", default=list(SETS), type=_names, help=f"of {', '.join(SETS)}")
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    parser.add_argument("--store", type=Path, help="keep replies here")
    parser.add_argument("--write-card", action="store_true", help="make the embedded judge's card")
    return parser.parse_args(given)


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in SETS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: none of {', '.join(SETS)}")
    return names


if __name__ == "__main__":
    main()
