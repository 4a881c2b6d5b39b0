"""What holds for every test: no network beyond this machine, and the same examples every time."""

import gc
import os
import shutil
import signal
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from assay._store import connection
from support.offline import guarded

settings.register_profile(
    "default",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=5,
    # What is too slow goes by the clock, which tells of the machine.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("many", settings.get_profile("default"), max_examples=100)
settings.register_profile(
    "thorough", settings.get_profile("default"), derandomize=False, max_examples=2000
)
profile = os.environ.get("HYPOTHESIS_PROFILE", "default")
settings.load_profile(profile)
if profile == "default":
    # Constants of all modules that happen to be imported are no examples: a few would be others from
    # one order of tests to the next, and a failure could not be repeated. There is no public way
    # (https://github.com/HypothesisWorks/hypothesis/issues/4627 asks for one); reading them would
    # cost a worker 1.6 s once and .1 s afterwards, so time is no reason.
    providers._get_local_constants = lambda: providers._local_constants

# Folders of tests are made, synced and removed in memory where there is enough of it.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# Workers share the cores: threads of linear algebra in each would only wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What is imported and collected lives to the end of the session: no search for garbage walks it.
gc.disable()


def pytest_runtest_setup(item):
    if os.name == "nt" and item.get_closest_marker("posix"):
        pytest.skip("needs what Windows has not")


def pytest_collection_finish():
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


# A shell that runs the tests in the background has them ignore Ctrl-C, and all processes they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _no_network():
    """Connections go to this machine only; anything else is a mistake of the test."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def _stores_take_little_time():
    """No power is cut during the tests of this process; a store's commits need not wait for it.

    Nor for one another: what is there when one begins goes into it.
    """
    patch = pytest.MonkeyPatch()
    patch.setattr(connection, "SYNCHRONOUS", "OFF")
    patch.setattr(connection, "GATHER_S", 0.0)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _forgets_modules(tmp_path_factory):
    """A module that a test writes and imports is gone after it: another test's may bear its name."""
    before = set(sys.modules)
    yield
    if imported := sys.modules.keys() - before:
        written = f"{tmp_path_factory.getbasetemp()}{os.sep}"
        for name in imported:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(written):
                del sys.modules[name]


@pytest.fixture
def db(tmp_path):
    """Where a store may be made."""
    return tmp_path / "assay.db"


@pytest.fixture
async def page():
    """A page of a real browser."""
    from support import chromium  # few tests need it, and it loads an HTTP client

    async with chromium.browser() as opened:
        yield opened
