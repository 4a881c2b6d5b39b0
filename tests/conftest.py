"""What holds for every test: no network beyond this machine, and the same examples every time."""

import os
import socket

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "thorough", settings.get_profile("default"), derandomize=False, max_examples=2000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

HERE = ("127.0.0.1", "::1", "localhost")


class NetworkForbidden(RuntimeError):
    """A test wanted to leave this machine."""


@pytest.fixture(autouse=True, scope="session")
def _no_network():
    """Connections go to this machine only; anything else is a mistake of the test."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def checked(method):
        def connect_here(self, address):
            if self.family != getattr(socket, "AF_UNIX", None) and address[0] not in HERE:
                raise NetworkForbidden(f"a test wanted to connect to {address}")
            return method(self, address)

        return connect_here

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", checked(connect))
    patch.setattr(socket.socket, "connect_ex", checked(connect_ex))
    yield
    patch.undo()


@pytest.fixture
def db(tmp_path):
    """Where a store may be made."""
    return tmp_path / "assay.db"
