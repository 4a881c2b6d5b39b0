"""Which thresholds ship for the embedded judge? Fitted on training and development data.

    python -m benchmarks.judge.thresholds

Any other judge is fitted by `assay bench --fit`.
"""

import argparse
import json
import tempfile
from pathlib import Path

import assay
from assay.bench import measurement
from assay.bench.judge import open_judge
from benchmarks.data import DATA, present

FILE = Path(measurement.__file__).with_name(measurement.NAME)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="rows of each file")
    options = parser.parse_args()
    for name in (file for files in measurement.FILES.values() for file in files):
        present(name)
    judge = assay.backend("embedded")
    with (
        tempfile.TemporaryDirectory() as folder,
        open_judge(judge, Path(folder) / "thresholds.db") as subject,
    ):
        found = measurement.fit_thresholds(subject, DATA, options.limit)
    # Of the newest version only: an older one cannot be asked any more.
    FILE.write_text(json.dumps({judge.name: found}, indent=2) + "\n", "utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
