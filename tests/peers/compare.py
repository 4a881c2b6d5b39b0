"""Do other libraries, given the same verdicts, find the numbers that we find? `make test-peers`.

Each library scores the generated rows in an environment of its own, with the oracle in place of a model;
we score them with the oracle as our judge. A difference that no case names, and a case that names no
difference any more, fail.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import run_assay
import run_drop_in
from cases import CASES, Look
from pairs import PAIRS
from rows import rows as all_rows

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# The environment of each library, and the script that runs in it; the drop-in is compared with ragas.
ENVIRONMENTS = {
    "ragas4": "ragas4",
    "ragas4_legacy": "ragas4",
    "ragas1": "ragas1",
    "deepeval": "deepeval",
    "trulens": "trulens",
    "ragchecker": "ragchecker",
}
SCRIPTS = {"drop-in": "ragas4_legacy"}
NEAR = 1e-9


def told(peer, rows):
    """What a library says: value by metric and row id."""
    name = SCRIPTS.get(peer, peer)
    python = ROOT / f".venv-peers-{ENVIRONMENTS[name]}" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "rows.json", Path(folder) / "values.json"
        given.write_text(json.dumps(rows), encoding="utf-8")
        command = [str(python), str(HERE / f"run_{name}.py"), str(given), str(found)]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"run_{name}.py ended with {done.returncode}:\n{done.stderr[-3000:]}")
        return json.loads(found.read_text("utf-8"))


def number(value):
    return not isinstance(value, dict)


def equal(ours, theirs):
    """Whether both found the same number, or neither found one (a judge that failed us is a difference)."""
    if number(ours) and number(theirs):
        return math.isclose(ours, theirs, abs_tol=NEAR)
    return not number(ours) and not number(theirs) and ours["none"] != "failed"


def shown(value):
    return f"{value:.4g}" if number(value) else value["none"]


class Comparison:
    """The counts of one library, and what no case names."""

    def __init__(self, peer):
        self.peer = peer
        self.counts = {}
        self.named = Counter()
        self.unnamed = []

    def add(self, pair, ours, theirs, rows):
        """Compare one metric on all rows."""
        counts = self.counts[pair] = Counter()
        for row in rows:
            mine, other = ours[row["id"]], theirs[row["id"]]
            if equal(mine, other):
                counts["equal" if number(mine) else "no number"] += 1
                continue
            look = Look(row, self.peer, pair, ours, theirs)
            names = [case.id for case in CASES if case.covers(look)]
            self.named.update(names[:1])
            counts["named" if names else "different"] += 1
            if not names:
                self.unnamed.append(f"{pair[0]}: {row['id']}: {shown(mine)} not {shown(other)}")

    def __str__(self):
        lines = [f"{self.peer}: ours against theirs"]
        for (theirs, ours), counts in self.counts.items():
            figures = "  ".join(
                f"{k} {counts[k]:4}" for k in ("equal", "no number", "named", "different")
            )
            lines.append(f"  {figures}  {ours} | {theirs}")
        return "\n".join(lines)


def compare(peers):
    """A comparison for each library."""
    rows = all_rows()
    wanted = {ours for peer in peers if peer != "drop-in" for ours in PAIRS[peer].values()}
    ours = run_assay.values(rows, sorted(wanted))
    if "drop-in" in peers:
        ours |= run_drop_in.values(rows, PAIRS["drop-in"].values())
    known = {name: told(name, rows) for name in {SCRIPTS.get(peer, peer) for peer in peers}}
    for peer in peers:
        found = Comparison(peer)
        theirs = known[SCRIPTS.get(peer, peer)]
        if missing := set(PAIRS[peer]) - set(theirs):
            sys.exit(f"{peer} has no {', '.join(sorted(missing))}")
        for name, metric in PAIRS[peer].items():
            found.add((name, metric), ours[metric], theirs[name], rows)
        yield found


def main():
    """Print the counts; 1 if there is a difference without a name, or a name without a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "peers", nargs="*", help=f"of {', '.join(PAIRS)}; all of them if none is named"
    )
    parser.add_argument(
        "--show", type=int, default=20, help="how many unnamed differences to print"
    )
    options = parser.parse_args()
    peers = options.peers or list(PAIRS)
    total, named, unnamed = Counter(), Counter(), 0
    for found in compare(peers):
        print(found)
        for line in found.unnamed[: options.show]:
            print(f"  DIFFERENT {line}")
        sums = sum(found.counts.values(), Counter())
        print("  sum:", ", ".join(f"{name} {n}" for name, n in sums.items()), "\n")
        total, named, unnamed = total + sums, named + found.named, unnamed + len(found.unnamed)
    stale = [case.id for case in CASES if set(case.peers) <= set(peers) and not named[case.id]]
    print("named:", ", ".join(f"{name} {n}" for name, n in sorted(named.items())))
    print("all:", ", ".join(f"{name} {n}" for name, n in total.items()))
    if stale:
        print("cases that name no difference any more, to be removed:", ", ".join(stale))
    return 1 if stale or unnamed else 0


if __name__ == "__main__":
    sys.exit(main())
