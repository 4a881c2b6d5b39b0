"""Run the scorer of the minimal pairs in ../shared/probes, which knows modules by former names.

The scorer compares counted values, so metrics that give expected ones are told to count.

usage: python -m benchmarks.probes [ARGUMENTS OF score.py]
"""

import functools
import importlib
import os
import runpy
import sys
import types
from pathlib import Path

PROBES = Path(os.environ.get("ASSAY_PROBES", "../shared/probes"))
# Of each former module the names that the scorer takes, and where they are now.
FORMER = {
    "assay.backends.specs": {"backend": "assay.judges.specs:backend"},
    "assay.bench.subject": {
        "Subject": "assay.bench.judge:JudgeUnderTest",
        "Text": "assay.bench.judge:Text",
        "opened": "assay.bench.judge:open_judge",
    },
    "assay.metrics.factual_correctness": {
        "FactualCorrectness": "assay.metrics.correctness:FactualCorrectness"
    },
    "assay.metrics.faithfulness": {"Faithfulness": "assay.metrics.groundedness:Faithfulness"},
    "assay.run.connect": {"choose": "assay._runner.stack:choose"},
    "assay.run.settings": {"Settings": "assay._runner.settings:Settings"},
    "assay.tasks.select_sentences": {"Passage": "assay.tasks.contexts:Passage"},
    "assay.text.sentences": {"sentences": "assay._text.sentences:sentences"},
    "assay.text.words": {"content_words": "assay._text.words:content_words"},
}


def _counting(value: object) -> object:
    """A metric that counts its verdicts; everything else as it is."""
    takes = getattr(value, "__dataclass_fields__", {})
    return functools.partial(value, soft=False) if "soft" in takes else value  # type: ignore[operator]


def main() -> None:
    """Put the former names in place and run the scorer."""
    scorer = PROBES / "score.py"
    if not scorer.exists():
        sys.exit(f"{scorer} is not there: set ASSAY_PROBES to its folder")
    for name, members in FORMER.items():
        module = types.ModuleType(name)
        for member, place in members.items():
            home, _, value = place.partition(":")
            setattr(module, member, _counting(getattr(importlib.import_module(home), value)))
        sys.modules[name] = module
    sys.argv = [str(scorer), *(sys.argv[1:] or [str(PROBES), "--judge", "embedded"])]
    runpy.run_path(str(scorer), run_name="__main__")


if __name__ == "__main__":
    main()
