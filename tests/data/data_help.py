"""How do the tests of the input layer read rows and problems in one line?"""

from assay.data import read, samples
from assay.errors import InputError
from assay.sample import Sample

NONE: dict[str, tuple[str, ...]] = {}


def load(data, **options) -> list[Sample]:
    return list(samples(data, **{"needs": NONE, **options}))


def one(row, **options) -> Sample:
    (sample,) = load([row], **options)
    return sample


def refused(data, **options) -> InputError:
    try:
        load(data, **options)
    except InputError as error:
        return error
    raise AssertionError("the data was accepted")


def problem(data, **options) -> str:
    error = refused(data, **options)
    assert error.total == 1, str(error)
    return str(error)


__all__ = ["NONE", "load", "one", "problem", "read", "refused"]
