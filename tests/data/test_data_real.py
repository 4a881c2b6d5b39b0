"""Do real data files of many origins load, or say exactly what is wrong with them?"""

import os
from pathlib import Path

import pytest
from data_help import NONE

from assay.data import samples
from assay.errors import InputError

ROOT = Path(os.environ.get("ASSAY_DATA") or Path(__file__).parents[3] / "shared" / "data")
FILES = sorted(path for path in ROOT.glob("*/*.json*") if path.is_file())
ROWS = 100
# What is wrong with these files, found by reading them.
FAULTS = {
    "factcheckgpt_stance.jsonl.gz": "NUL character",
    "wice_claims.jsonl.gz": "is an empty text",
    "wice_nonsupported_tokens.jsonl.gz": "is an empty text",
    "rgb_en_fact.jsonl.gz": "is a list of",
}


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="the shared data is not here (set ASSAY_DATA)")
def test_every_file_loads_or_names_its_problems():
    for path in FILES:
        limit = None if path.name in FAULTS else ROWS
        found = samples(path, needs=NONE, limit=limit)
        if path.name not in FAULTS:
            assert sum(1 for _ in found) == found.rows > 0
            continue
        with pytest.raises(InputError) as caught:
            list(found)
        for problem in caught.value.problems:
            assert FAULTS[path.name] in problem.what
            assert problem.row
            assert problem.remedy


@pytest.mark.skipif(not FILES, reason="the shared data is not here (set ASSAY_DATA)")
def test_rows_that_can_be_judged_have_what_faithfulness_needs():
    needs = {"faithfulness": ("question", "answer", "contexts")}
    path = ROOT / "examples" / "quickstart12.jsonl"
    found = list(samples(path, needs=needs))
    assert len(found) == 12
    assert all(sample.contexts and sample.metadata["labels"]["kind"] for sample in found)
