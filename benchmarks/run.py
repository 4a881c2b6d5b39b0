"""All benchmarks, one after the other; each says what it needs and skips where that is absent."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = (
    "startup",
    "engine",
    "overhead",
    "embedded",
    "burst",
    "scaling",
    "dry_run",
    "faults",
    "kills",
    "batch_kills",
    "disk",
    "memory",
    "view_speed",
    "wikieval",
    "ragchecker",
    "ray",
    "human_labels",
    "coverage",
    "coverage_ppi",
    "coverage_agreement",
    "concordance",
    "telequad",
    "aa",
    "gate",
)


def main() -> None:
    worst = 0
    for name in NAMES:
        print(f"== {name}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=ROOT, check=False)
        worst = max(worst, done.returncode)
    sys.exit(worst)


if __name__ == "__main__":
    main()
