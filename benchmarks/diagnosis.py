"""Does `assay diagnose` find a failure that was planted, and how often does it raise false alarms?

120 samples with one planted failure or none, judged by a script that is never wrong (which tests
the rules) and by the embedded judge (which tests what a newcomer gets), with the metrics of
`assay run` and with those that the diagnosis itself asks for.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import assay
from assay.analysis.diagnosis import CAUSES, Diagnosis, diagnose
from benchmarks import planted

FINE, OPEN = "fine", "cannot tell"


def confusion(diagnosis: Diagnosis, rows: Sequence[planted.Row]) -> Counter[tuple[str, str]]:
    """How often (planted, found as the main cause) occurs."""
    truth = {row["id"]: row["planted"] for row in rows}
    return Counter(
        (truth[one.id], one.main.cause if one.main else FINE if one.state == "fine" else OPEN)
        for one in diagnosis.samples
    )


def figures(diagnosis: Diagnosis, rows: Sequence[planted.Row]) -> dict[str, Mapping[str, int]]:
    """For each cause: samples planted, found as the main cause, found at all, false alarms."""
    truth = {row["id"]: row["planted"] for row in rows}
    table = {}
    for cause in [*CAUSES, FINE]:
        mine = [one for one in diagnosis.samples if truth[one.id] == cause]
        others = [one for one in diagnosis.samples if truth[one.id] != cause]
        main = [one.main.cause if one.main else one.state for one in mine]
        table[cause] = {
            "planted": len(mine),
            "main": main.count(cause),
            "at all": sum(cause in (*one.causes, one.state) for one in mine),
            "false": sum((one.main.cause if one.main else one.state) == cause for one in others),
        }
    return table


def run(judge: Any, metrics: Sequence[str], store: Path) -> Diagnosis:
    """The diagnosis of the planted set by a judge."""
    return diagnose(assay.evaluate(planted.rows(), metrics, judge, store=store))


def show(title: str, table: Mapping[str, Mapping[str, int]]) -> None:
    """The table in Markdown."""
    print(f"\n{title}\n\n| planted | n | found | found, or beside | false alarms |")
    print("|:---|---:|---:|---:|---:|")
    for cause, row in table.items():
        name = CAUSES[cause].title if cause in CAUSES else "no failure"
        print(f"| {name} | {row['planted']} | {row['main']} | {row['at all']} | {row['false']} |")
    found = sum(row["main"] for row in table.values())
    print(f"\n{found} of {sum(row['planted'] for row in table.values())} right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    given = parser.parse_args()
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
    if given.out:
        given.out.write_text(json.dumps(tables, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
