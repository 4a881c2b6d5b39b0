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

# (learning rate, windows of each kind of row made by rule: there are more than there is time for)
STAGES = ((1.5e-4, 700), (1.2e-4, 900), (1.2e-4, 1100), (1.2e-4, 700), (1.5e-4, 400))
# What ships is a mean: of each stage after the first so much, of the mean before it the rest.
SHARES = (0.65, 0.7, 0.75, 1.0)


def step(target: Path, module: str, *arguments: object) -> None:
    """Run a module of this folder unless what it makes is there."""
    if target.exists():
        print(f"{target.name}: there already", flush=True)
        return
    print(f"{target.name}: {module}", flush=True)
    run(module, *arguments)


def train(checkpoint: Path, *arguments: object) -> None:
    """Train unless it was done; a run that was cut off goes on from its checkpoint."""
    done = checkpoint.with_suffix(".done")
    step(done, "train", "--out", checkpoint, *arguments)
    done.touch()


def run(module: str, *arguments: object) -> None:
    """Run a module of this folder."""
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
    step(work / "documents.pkl", "examples", "--documents", "--out", work / "documents.pkl")
    step(work / "pairs.pkl", "examples", "--pairs", "--out", work / "pairs.pkl")
    step(work / "retrieved.pkl", "examples", "--retrieved", "--out", work / "retrieved.pkl")
    step(work / "made.pkl", "examples", "--rows", made, "--out", work / "made.pkl")
    step(work / "asked.pkl", "examples", "--asked", asked, "--out", work / "asked.pkl")
    suffix, clean = ("-clean", ["--clean"]) if options.clean else ("", [])
    sets = [work / f"{name}.pkl" for name in ("people", "documents", "pairs", "retrieved")]
    by_rule = [work / f"{name}.pkl" for name in ("asked", "made")]
    reader: Path | None = None
    for n, (rate, most) in enumerate(STAGES):
        stage = work / f"stage{n + 1}{suffix}.pt"
        given = ["--base", weights, "--rate", rate, "--most", most, "--seed", options.seed + n]
        # The second goes on where the first ended, each later one from the mean before it.
        given += ["--start", reader] if reader else []
        train(stage, "--examples", *sets, "--made", *by_rule, *given, *clean)
        if reader:
            mean = work / f"reader{n + 1}{suffix}.pt"
            step(mean, "mean", reader, stage, "--share", SHARES[n - 1], "--out", mean)
            stage = mean
        reader = stage
    graph = work / f"reader{suffix}.onnx"
    step(graph, "export", reader, "--base", weights, "--fp32", graph)
    run("fit", "--asked", asked, *clean)  # writes into the package


if __name__ == "__main__":
    main()
