"""Does `assay diagnose` find a failure that was planted, and how often does it raise false alarms?

140 samples with one planted failure or none, judged by a script that is never wrong (which tests
the rules) and by the embedded judge (which tests what a newcomer gets), with the metrics of
`assay run` and with those that the diagnosis itself asks for. The planted texts are plain; beside
them stand the 48 answers of examples/assay_docs, which are worded freely and marked by hand.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import assay
from assay._analysis.diagnosis import CAUSES, Diagnosis, diagnose
from benchmarks import planted

EXAMPLES = Path(__file__).parents[1] / "examples" / "assay_docs" / "questions.jsonl"
FINE, OPEN = "fine", "cannot tell"
# Causes that say by their name that two others could not be told apart.
EITHER = {"unsupported": ("contradicted", "over_claimed"), "not_in_contexts": ()}


def confusion(diagnosis: Diagnosis, rows: Sequence[planted.Row]) -> Counter[tuple[str, str]]:
    """How often (planted, found as the main cause) occurs."""
    truth = {row["id"]: row["planted"] for row in rows}
    return Counter(
        (truth[one.id], one.main.cause if one.main else FINE if one.state == "fine" else OPEN)
        for one in diagnosis.samples
    )


def figures(diagnosis: Diagnosis, rows: Sequence[planted.Row]) -> dict[str, Mapping[str, int]]:
    """For each cause: samples planted, found as the main cause, left open, false alarms.

    Open is what says by its name that two causes could not be told apart, one of them the right
    one. A false alarm is a main cause that is wrong.
    """
    truth = {row["id"]: row["planted"] for row in rows}
    found = {
        one.id: one.main.cause if one.main else FINE if one.state == "fine" else OPEN
        for one in diagnosis.samples
    }
    table = {}
    for cause in [*CAUSES, FINE]:
        mine = [found[i] for i, planted_cause in truth.items() if planted_cause == cause]
        said = [truth[i] for i, main in found.items() if main == cause]
        allowed = (cause, *EITHER.get(cause, ()))
        if not mine and cause in EITHER:
            continue
        table[cause] = {
            "planted": len(mine),
            "found": mine.count(cause),
            "open": sum(main == OPEN or cause in EITHER.get(main, ()) for main in mine),
            "false": sum(planted_cause not in allowed for planted_cause in said),
        }
    return table


def marked(judge: Any, store: Path) -> Mapping[str, Counter[str]]:
    """What is found of the examples, by the mark that a person gave the answer."""
    result = assay.evaluate(EXAMPLES, planted.SHARPER, judge, store=store)
    rows = [json.loads(line) for line in EXAMPLES.read_text("utf-8").splitlines()]
    kinds = {row["id"]: row["marks"]["kind"] for row in rows}
    found: dict[str, Counter[str]] = {}
    for one in diagnose(result).samples:
        causes = found.setdefault(kinds[one.id], Counter())
        causes[one.main.cause if one.main else one.state] += 1
    return found


def run(judge: Any, metrics: Sequence[str], store: Path) -> Diagnosis:
    """The diagnosis of the planted set by a judge."""
    return diagnose(assay.evaluate(planted.rows(), metrics, judge, store=store))


def show(title: str, table: Mapping[str, Mapping[str, int]]) -> None:
    """The table in Markdown."""
    print(f"\n{title}\n\n| planted | n | found | cannot tell | false alarms |")
    print("|:---|---:|---:|---:|---:|")
    for cause, row in table.items():
        name = CAUSES[cause].title if cause in CAUSES else "no failure"
        print(f"| {name} | {row['planted']} | {row['found']} | {row['open']} | {row['false']} |")
    found, n = (sum(row[column] for row in table.values()) for column in ("found", "planted"))
    print(f"\n{found} of {n} found")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    rows = planted.rows()
    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, judge in (("knowing", planted.knowing()), ("embedded", "embedded")):
            for chosen, metrics in (("usual", planted.USUAL), ("sharper", planted.SHARPER)):
                diagnosis = run(judge, metrics, Path(folder) / "planted.db")
                title = f"{name} judge, {chosen} metrics"
                tables[title] = figures(diagnosis, rows)
                show(title, tables[title])
                wrong = confusion(diagnosis, rows)
                print(*(f"{a} -> {b}: {n}" for (a, b), n in wrong.items() if a != b), sep="; ")
        print("\nexamples/assay_docs, embedded judge\n\n| marked | found |\n|:---|:---|")
        for kind, causes in marked("embedded", Path(folder) / "marked.db").items():
            told = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in causes.most_common())
            print(f"| {kind} | {told} |")
    if options.out:
        options.out.write_text(json.dumps(tables, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
