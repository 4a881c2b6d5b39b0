"""The benchmarks are in the repository, not in what is installed; without them nothing is to do."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

collect_ignore_glob = [] if (ROOT / "benchmarks" / "judge").is_dir() else ["test_*.py"]
