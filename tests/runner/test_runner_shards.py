"""Runs over parts of the data, made anywhere, become the run over the whole without a call."""

import assay
from assay._store import Store
from assay._store.transfer import export, import_runs
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "context_recall", "context_precision"]
DATA = samples(9)


def test_parts_judged_apart_are_the_whole_once_their_stores_are_merged(tmp_path):
    whole = assay.evaluate(DATA, METRICS, plausible(), store=tmp_path / "whole.db")
    with Store(tmp_path / "merged.db") as merged:
        for part in range(3):
            path = tmp_path / f"{part}.db"
            assay.evaluate(DATA[part::3], METRICS, plausible(), store=path)
            with Store(path) as store:
                import_runs(merged, export(store))
    judge = Watched(plausible())
    result = assay.evaluate(DATA, METRICS, judge, store=tmp_path / "merged.db")
    assert judge.asked == []
    assert result.run.id == whole.run.id
    assert all(result[metric] == whole[metric] for metric in METRICS)
