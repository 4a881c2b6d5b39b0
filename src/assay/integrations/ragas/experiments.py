"""A function run over every row of a data set, its results kept (ragas 0.4's `@experiment`)."""

import asyncio
import warnings
from collections.abc import Callable
from datetime import datetime
from functools import partial, update_wrapper
from typing import Any

from assay.errors import AssayError
from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.backends import backend_of
from assay.integrations.ragas.dataset import DataTable
from assay.judges.llm import settled

_AT_ONCE = 16


class Experiment(DataTable):
    """The results of an experiment, one row each."""

    DATATABLE_TYPE = "Experiment"


class ExperimentFunction:
    """A function of one row, which `arun` runs over all rows of a data set.

    Args:
        function: The function, plain or async.
        experiment_model: A model of pydantic that its results are like.
        backend: Where results are kept; by default where the data set is.
        name_prefix: What names of experiments begin with.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        experiment_model: type[Any] | None,
        backend: Any,
        name_prefix: str,
    ) -> None:
        update_wrapper(self, function)
        self.function, self.experiment_model = function, experiment_model
        self.backend, self.name_prefix = backend, name_prefix

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives."""
        return await settled(self.function(*args, **kwargs))

    async def arun(
        self, dataset: Any, name: str | None = None, backend: Any = None, *args: Any, **kwargs: Any
    ) -> Experiment:
        """Run it over all rows and save what it gives, in the order of the rows.

        A row for which it raises is left out with a warning; all others are kept.

        Args:
            dataset: The rows.
            name: What the experiment is called; the time if it is not given.
            backend: Where to keep it.
            args: Passed on behind the row.
            kwargs: Passed on.
        """
        called = name or datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
        called = f"{self.name_prefix}-{called}" if self.name_prefix else called
        place = backend_of(backend or self.backend or dataset.backend)
        room = asyncio.Semaphore(_AT_ONCE)

        async def one(row: Any) -> Any:
            async with room:
                return await self(row, *args, **kwargs)

        found = await asyncio.gather(*map(one, dataset), return_exceptions=True)
        table = Experiment(called, place, self.experiment_model)
        for at, result in enumerate(found, 1):
            if isinstance(result, AssayError | Exception):
                warnings.warn(f"{called}: row {at} has no result: {result}", stacklevel=2)
            elif isinstance(result, BaseException):
                raise result
            elif result is not None:
                table.append(result)
        table.save()
        return table


def experiment(
    experiment_model: type[Any] | None = None, backend: Any = None, name_prefix: str = ""
) -> Callable[[Callable[..., Any]], ExperimentFunction]:
    """Make a function of one row an experiment.

    Args:
        experiment_model: A model of pydantic that its results are like.
        backend: Where results are kept; by default where the data set is.
        name_prefix: What names of experiments begin with.
    """

    def made(function: Callable[..., Any]) -> ExperimentFunction:
        return ExperimentFunction(function, experiment_model, backend, name_prefix)

    return made


ExperimentWrapper = ExperimentFunction

__getattr__ = partial(missing, "experiment")
