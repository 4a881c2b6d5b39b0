"""One test that tries its check with many values, where a test for each would cost more than the check."""

import functools
import inspect
from collections.abc import Mapping
from contextlib import contextmanager


def over(names, values):
    """Fill the named parameters with each value in turn; a failure says which it was.

    Like `pytest.mark.parametrize`, but for fixtures: all values share those of the one test.
    """
    names = [name.strip() for name in names.split(",")]
    cases = dict(values) if isinstance(values, Mapping) else {repr(v): v for v in values}

    def decorate(check):
        def given(value):
            return dict(zip(names, value if len(names) > 1 else [value], strict=True))

        if inspect.iscoroutinefunction(check):

            @functools.wraps(check)
            async def test(*args, **fixtures):
                for case, value in cases.items():
                    with _named(names, case):
                        await check(*args, **fixtures, **given(value))

        else:

            @functools.wraps(check)
            def test(*args, **fixtures):
                for case, value in cases.items():
                    with _named(names, case):
                        check(*args, **fixtures, **given(value))

        signature = inspect.signature(check)
        test.__signature__ = signature.replace(
            parameters=[one for name, one in signature.parameters.items() if name not in names]
        )
        return test

    return decorate


@contextmanager
def _named(names, case):
    try:
        yield
    except BaseException as error:
        error.add_note(f"with {', '.join(names)} = {case}")
        raise
