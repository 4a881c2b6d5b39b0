"""A fixture that fills the folder of a test: made for the first one, copied for all after it."""

import functools
import inspect
import shutil

import pytest


def made_once(make):
    """Use it as `pytest.fixture`; what the fixture returns must not speak of the folder."""
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
    fixture.__signature__ = inspect.Signature(list(wanted.values()))
    return pytest.fixture(fixture)
