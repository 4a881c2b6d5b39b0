"""Every benchmark can be imported: one that cannot is noticed here and not when it is needed."""

import importlib
import pkgutil

import benchmarks
from support.over import over

MODULES = [one.name for one in pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")]


@over("name", [name for name in MODULES if not name.endswith("__main__")])
def test_every_benchmark_can_be_imported(name):
    importlib.import_module(name)


def test_all_benchmarks_are_found():
    assert {"benchmarks.exam", "benchmarks.judge.card", "benchmarks.extras"} <= {*MODULES}
