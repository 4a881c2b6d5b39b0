"""Workers of a pool as actors of a Ray cluster."""

import math
import os
import pickle
import socket
from collections.abc import Sequence
from typing import Any

from assay._middleware.workers import Finished, Pool, PoolSettings, WorkerDied, WorkerSide, WorkItem
from assay.errors import InputError
from assay.judge import Backend

# What a worker has at a time for each of its cores: so much that it never waits for the driver.
ROOM = 16
# Replies of a model wait longer for company than those of a server, whose latency they add to.
GATHER_S, GATHER_REMOTE_S = 0.1, 0.005
# Tasks and replies are small and travel without the shared memory.
OBJECT_STORE_BYTES = 128 << 20

REACH_S = 10.0


def connect() -> None:
    """Join the Ray cluster of RAY_ADDRESS, or begin one on this machine; once in a process.

    Raises:
        InputError: If Ray is not installed or the cluster cannot be reached.
    """
    try:
        import ray
    except ImportError:
        raise InputError("the engine ray needs Ray", "pip install 'assay[ray]'") from None
    if ray.is_initialized():
        return
    address = os.environ.get("RAY_ADDRESS")
    if address:
        try:
            _check_listening(address)
            ray.init(address, logging_level="error")
        except (OSError, RuntimeError, ValueError) as error:
            fault = f"there is no Ray cluster at {address}: {error}"
            raise InputError(fault, "correct or unset RAY_ADDRESS") from error
        return
    # Ray would tell its makers that it is used; nothing is told to anybody but the judges.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Not just any that runs here: it may be another's, and end when that one does.
    ray.init(
        "local",
        object_store_memory=OBJECT_STORE_BYTES,
        include_dashboard=False,
        logging_level="error",
    )


def _check_listening(address: str) -> None:
    """See whether anybody listens there: Ray itself would try for ever.

    Raises:
        OSError: If nobody does.
    """
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdecimal():
        with socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_S):
            pass


def pool(
    backend: Backend, *, workers: int | None, cores: int, in_flight: int, sharing: int = 1
) -> Pool:
    """A backend whose work is done by actors of the cluster that this process has joined.

    Args:
        backend: The backend; each actor has its own.
        workers: How many actors; None for as many as the cluster has cores for, or one on every
            machine for a backend that only waits for a server.
        cores: Cores of each actor whose backend computes by itself.
        in_flight: Calls at the same time to a backend that does not.
        sharing: Backends that are to share the cores of the cluster.

    Raises:
        InputError: If the backend cannot be sent to another process, or there are no such cores.
    """
    import ray

    computes = backend.capabilities.local
    if computes:
        pooling = PoolSettings(workers or _max_actors(cores, sharing), ROOM * cores, GATHER_S)
    else:
        machines = sum(1 for node in ray.nodes() if node["Alive"])
        pooling = PoolSettings(workers or machines, in_flight, GATHER_REMOTE_S)
    actor: Any = ray.remote(Actor).options(
        num_cpus=cores if computes else 0,
        max_restarts=0,  # the pool itself puts another in its place
        scheduling_strategy="DEFAULT" if computes else "SPREAD",
    )
    packed = _pickled(backend)
    return Pool(backend, lambda: _ActorWorker(actor.remote(packed, pooling.gather_s)), pooling)


def _max_actors(cores: int, sharing: int) -> int:
    import ray

    workers: int = math.floor(ray.cluster_resources().get("CPU", 0.0) / cores / sharing)
    if workers < 1:
        fault = f"the cluster has no room for a worker of {cores} cores"
        raise InputError(fault, "take fewer (cores), or say how many workers there will be")
    return workers


def _pickled(backend: Backend) -> bytes:
    from ray import cloudpickle

    try:
        packed: bytes = cloudpickle.dumps(backend)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        fault = f"the judge {backend.name} cannot be sent to another process: {error}"
        raise InputError(fault, "make it picklable, or run it with the local engine") from error
    return packed


class Actor(WorkerSide):
    """A `WorkerSide` in a process of the cluster; its models use the cores that Ray counts."""

    def __init__(self, packed: bytes, gather_s: float) -> None:
        super().__init__(pickle.loads(packed), gather_s)  # noqa: S301 - from the driver


class _ActorWorker:
    """An actor as a `Worker`."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def begin(self) -> tuple[str, str]:
        version_and_name: tuple[str, str] = await self._call("begin")
        return version_and_name

    async def put(self, tasks: Sequence[WorkItem]) -> None:
        await self._call("put", tasks)

    async def take(self) -> Finished:
        finished: Finished = await self._call("take")
        return finished

    async def drop(self, number: int) -> None:
        await self._call("drop", number)

    def terminate(self) -> None:
        import ray

        if ray.is_initialized():
            ray.kill(self._actor)

    async def _call(self, method: str, *arguments: Any) -> Any:
        from ray.exceptions import RayError, RayTaskError

        try:
            return await getattr(self._actor, method).remote(*arguments)
        except RayTaskError:  # a mistake in the code, and no mishap of the worker
            raise
        except RayError as error:
            raise WorkerDied(_cause_in(str(error))) from error


def _cause_in(report: str) -> str:
    """The line of Ray's report that tells the cause: of an error in the code it is the last."""
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    return lines[-1 if "creation task" in report else 0] if lines else "no cause is known"
