"""Thirty days of a system that is watched, in a process that may be killed at any time.

    python -m support.watched_days FOLDER

Each day's traffic appears at once as a file in FOLDER/traffic. Half of the answers of day 16 and
later are wrong. Begun again, it goes on with the last day. `ASSAY_TEST_CALLS` names the file of
calls.
"""

import json
import random
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import assay
from assay._analysis.watch import looks
from assay._store import Store
from assay.experiments.watch import Channels, Watch, deliver, look
from support import counted

DAYS, A_DAY, WORSE_FROM = 30, 10, 16
BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)


def rows(day):
    """What was asked on a day."""
    rng = random.Random(day)
    for n in range(A_DAY):
        wrong = day >= WORSE_FROM and rng.random() < 0.5
        said = "The bridge was painted blue." if wrong else "The bridge was opened in 1932."
        yield {
            "id": f"{day}-{n}",
            "question": f"When was the bridge number {day}-{n} opened?",
            "contexts": ["The bridge was opened in 1932.", f"It is number {day}-{n}."],
            "answer": said,
        }


def watch(folder, **options):
    """The watch of the traffic in a folder."""
    return Watch(
        name="bridge",
        source=folder / "traffic",
        metrics="faithfulness",
        judge=counted.judge,
        store=folder / "watch.db",
        settings=assay.Settings(limits=assay.Limits(concurrency=1)),
        channels=("file",),
        **options,
    )


def main(folder):
    traffic = folder / "traffic"
    traffic.mkdir(exist_ok=True)
    for day in range(max(0, len(list(traffic.glob("*.jsonl"))) - 1), DAYS):
        file = traffic / f"{day:02}.jsonl"
        if not file.exists():
            being_written = folder / "new"
            being_written.write_text("".join(json.dumps(row) + "\n" for row in rows(day)))
            being_written.replace(file)
        look(watch(folder), BEGIN + timedelta(days=day))
        deliver(folder / "watch.db", "bridge", Channels(file=str(folder / "alerts.jsonl")))


def found(folder):
    """What came of it: the looks with their samples and scores, and the alerts."""
    with Store(folder / "watch.db") as store:
        made = [
            (one.number, one.at, one.run.id, store.values(one.run.id, "faithfulness"))
            for one in looks(store, "bridge")
        ]
        kept = [replace(alert, body={}) for alert in store.alerts.of("bridge")]
        others = [run for run in store.runs() if "watch:bridge" not in run.tags]
    alerts = (folder / "alerts.jsonl").read_text().splitlines()
    folderless = {"label": "", "test_cases": ""}  # which name the folder
    told = [json.loads(line) | folderless for line in alerts]
    return made, kept, others, told


if __name__ == "__main__":
    main(Path(sys.argv[1]))
