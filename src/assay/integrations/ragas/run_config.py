"""How long a call may take and how often it is tried, as ragas says it."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from assay.integrations.ragas.absent import missing
from assay.middleware.limiter import Limits


@dataclass
class RunConfig:
    """Bounds on the calls of a run.

    Attributes:
        timeout: Seconds a call may take.
        max_retries: How often a call that brought nothing is made again.
        max_wait: Longest wait between two tries, in seconds.
        max_workers: Most calls at the same time.
        exception_types: Kept for ragas' sake; assay knows which errors are worth another try.
        log_tenacity: Kept for ragas' sake; retries are counted in the store.
        seed: Seed of `rng`.
    """

    timeout: int = 180
    max_retries: int = 10
    max_wait: int = 60
    max_workers: int = 16
    exception_types: Any = (Exception,)
    log_tenacity: bool = False
    seed: int = 42

    @cached_property
    def rng(self) -> Any:
        """A generator of random numbers (numpy) made with the seed."""
        import numpy as np

        return np.random.default_rng(self.seed)

    def limits(self) -> Limits:
        """The same bounds in assay's words."""
        return Limits(
            concurrency=max(1, self.max_workers),
            timeout=float(self.timeout),
            retries=self.max_retries,
            patience=float(self.max_wait),
        )


__getattr__ = partial(missing, "run_config")
