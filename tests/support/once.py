"""What several tests start from: made for the first one, copied for all after it."""

import functools
import inspect
import os
import shutil

import pytest

from assay import Result, Scripted, evaluate


def made_once(make):
    """A fixture that fills the folder of a test; what it returns must not speak of the folder."""
    first = {}
    wanted = dict(inspect.signature(make).parameters)

    @functools.wraps(make)
    def fixture(*args, tmp_path, tmp_path_factory, **fixtures):
        if first:
            for path in tmp_path.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            shutil.copytree(first["folder"], tmp_path, dirs_exist_ok=True)
            return first["returned"]
        returned = make(*args, **fixtures)
        folder = tmp_path_factory.mktemp("made_once")
        shutil.copytree(tmp_path, folder, dirs_exist_ok=True)
        first.update(folder=folder, returned=returned)
        return returned

    for name in ("tmp_path", "tmp_path_factory"):
        wanted[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
    vars(fixture)["__signature__"] = inspect.Signature(list(wanted.values()))
    return pytest.fixture(fixture)


def store_of(make):
    """A fixture of a store of its own, `db`, that is filled for the first test and copied for others."""
    made = []

    @functools.wraps(make)
    def fixture(db):
        if made:
            db.write_bytes(made[0])
        else:
            make(db)
            made.append(db.read_bytes())
        return db

    vars(fixture)["__signature__"] = inspect.signature(make)
    return pytest.fixture(fixture)


_RUNS = {}


def evaluated(rows, metrics, store):
    """A run without a judge into a new store: what another test has made is copied.

    Within a test each call makes a run of its own, as runs of one id are the same run.
    """
    test = os.environ["PYTEST_CURRENT_TEST"]
    key = (repr(rows), *(metrics if isinstance(metrics, list | tuple) else [metrics]))
    made = _RUNS.get(key)
    if made is None or made[0] == test or store.exists():
        result = evaluate(rows, metrics, Scripted({}), store=store)
        _RUNS.setdefault(key, (test, store.read_bytes()))
        return result
    _RUNS[key] = (test, made[1])
    store.write_bytes(made[1])
    return Result(store)
