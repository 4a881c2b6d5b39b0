"""One test that tries its check with many values, where a test for each would cost more than the check."""

import functools
import inspect
from contextlib import contextmanager


def over(names, values):
    """Used like `pytest.mark.parametrize`: a failure says with which values it failed.

    All values share the fixtures of the one test.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    cases = [dict(zip(names, v if len(names) > 1 else [v], strict=True)) for v in values]

    def decorate(check):
        if inspect.iscoroutinefunction(check):

            @functools.wraps(check)
            async def test(*args, **fixtures):
                for case in cases:
                    with _told(case):
                        await check(*args, **fixtures, **case)

        else:

            @functools.wraps(check)
            def test(*args, **fixtures):
                for case in cases:
                    with _told(case):
                        check(*args, **fixtures, **case)

        parameters = inspect.signature(check).parameters
        left = [one for name, one in parameters.items() if name not in names]
        vars(test)["__signature__"] = inspect.Signature(left)
        return test

    return decorate


@contextmanager
def _told(case):
    try:
        yield
    except BaseException as error:
        error.add_note("with " + ", ".join(f"{name} = {value!r}" for name, value in case.items()))
        raise
