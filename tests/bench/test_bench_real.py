"""Can every set that is there be measured on a few of its own rows?"""

import os
from pathlib import Path

import pytest

from assay.bench.data import Data
from assay.bench.measurement import BENCHMARKS, Sampling, measure
from assay.judges.embedded import Embedded

FOLDER = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_set_gives_figures_on_real_rows(name, db):
    one, data = BENCHMARKS[name], Data(FOLDER)
    if one.absent(data):
        pytest.skip(f"{', '.join(one.files)}: not in {FOLDER}")
    card = measure(Embedded(), [one], data, store=db, sampling=Sampling(limit=12))
    (found,) = card.sets
    assert found.skipped == ""
    assert found.figures
    assert all(figure.n > 0 for figure in found.figures)
    assert found.unanswered == 0
    known = [figure for figure in found.figures if figure.value is not None]
    assert all(-1 <= figure.value <= 1 for figure in known)
