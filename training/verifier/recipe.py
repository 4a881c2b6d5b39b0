"""Make the reader and what is fitted on it, from the data folder to the files that ship.

    make train

Every step writes a file into the work folder and is passed over where that file is there already,
so a recipe that was cut off goes on. `--clean` leaves out all text of MS MARCO.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from training.embedder.build import fetch

STAGES = (
    # name, examples, epochs, learning rate
    ("warm", ("people",), 0.39, 1e-4),
    ("reader", ("people", "asked", "made"), 1.0, 1e-4),
)
# Rules make more rows than there is time for: the share of each kind that is shown.
SHARES = {
    "answers": 0.4,
    "records": 0.5,
    "edits/negation": 0.3,
    "edits/entity": 0.4,
    "edits/antonym": 0.3,
    "edits/number": 0.5,
    "edits/relation": 0.3,
    "edits/otherwise": 0.3,
    "edits/stronger": 0.5,
    "edits/two_numbers": 0.6,
    "edits/date": 0.5,
    "neutral/stays": 0.4,
    "neutral/added": 0.4,
    "neutral/half": 0.6,
    "neutral/lost": 0.6,
    "answers/mentions": 0.15,
}


def step(target: Path, module: str, *arguments: object) -> None:
    """Run a module of this folder unless what it makes is there."""
    if target.exists():
        print(f"{target.name}: there already", flush=True)
        return
    print(f"{target.name}: {module}", flush=True)
    command = [sys.executable, "-m", f"training.verifier.{module}", *map(str, arguments)]
    subprocess.run(command, check=True)


def base(work: Path) -> Path:
    """The base weights, checked."""
    folder = work / "base"
    if not folder.exists():
        download = work / "download"
        download.mkdir(exist_ok=True)
        shutil.copytree(fetch(download), folder)
    return folder


def main() -> None:
    """All steps in order."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--work", type=Path, default=Path("out/training"))
    parser.add_argument("--clean", action="store_true", help="without text of MS MARCO")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    weights = base(work)
    made, asked = work / "made.jsonl", work / "asked.jsonl"
    step(made, "synthetic", "--out", made)
    step(asked, "asked", "--out", asked)
    step(work / "people.pkl", "examples", "--out", work / "people.pkl")
    step(work / "made.pkl", "examples", "--rows", made, "--out", work / "made.pkl")
    step(work / "asked.pkl", "examples", "--asked", asked, "--out", work / "asked.pkl")
    suffix = "-clean" if options.clean else ""
    before: list[object] = []
    for name, sets, epochs, rate in STAGES:
        checkpoint = work / f"{name}{suffix}.pt"
        step(
            checkpoint.with_suffix(".done"), "train",
            "--examples", *(work / f"{name}.pkl" for name in sets),
            "--base", weights, "--out", checkpoint, "--epochs", epochs, "--rate", rate,
            "--seed", options.seed, *before, *(["--clean"] if options.clean else []),
            "--repeat", *(f"{name}={share}" for name, share in SHARES.items()),
        )  # fmt: skip
        checkpoint.with_suffix(".done").touch()
        before = ["--start", checkpoint]
    arguments = [checkpoint, "--base", weights, "--fp32", work / f"reader{suffix}.onnx"]
    step(work / f"reader{suffix}.onnx", "export", *arguments)
    step(work / "never", "fit", "--asked", asked)


if __name__ == "__main__":
    main()
