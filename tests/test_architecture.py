"""The rules that keep the code a waist and not a maze, held over all files at once."""

import ast
import functools
import importlib
import re
import socket
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import assay
import assay.judges.embedded
import assay.testset
from assay._text.expressions import expression
from support.offline import NetworkForbidden

ROOT = Path(assay.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# A part imports only parts of a lower rank (and itself). A new part has to be given its place here.
RANK = {
    "_lazy": 0,
    "_version": 0,
    "_working_folder": 0,
    "_user_modules": 0,
    "errors": 0,
    "sample": 0,
    "score": 0,
    "stats": 0,
    "_text": -1,
    "prompt": 1,
    "data": 1,
    "judge": 2,
    "tasks": 3,
    "metrics": 4,
    "_store": 5,
    "_middleware": 6,
    "judges": 7,
    "_runner": 8,
    "_analysis": 9,
    "bench": 9,
    "target": 9,
    "testset": 9,
    "conformance": 9,
    "experiments": 10,
    "_report": 11,
    "_service": 11,
    "view": 12,
    "_cli": 13,
    "integrations": 13,
    "pytest_plugin": 13,
    "types": 13,
    "__init__": 14,
    "__main__": 14,
}
PURE = ("metrics", "tasks")
IMPURE = {"aiohttp", "asyncio.subprocess", "http", "httpx", "os", "requests", "socket", "sqlite3"}
IMPURE |= {
    "subprocess",
    "urllib",
    "assay.judges",
    "assay._middleware",
    "assay._store",
    "assay._runner",
    "assay.data",
}

# Where everything may be caught: at the command line, where a page is answered with, and around a
# system that is not ours.
EDGES = ("_cli", "view", "target")
# Once more around a metric that is not ours.
CALLS_OWN_METRICS = ROOT / "_runner" / "engine.py"

LONGEST_FILE = 500
LONGEST_FUNCTION = 62


def part(path):
    """The part of the package that a file belongs to."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


class Import(NamedTuple):
    """The full name of what is imported, whether within a function, and whether for types alone."""

    name: str
    late: bool
    for_types: bool


class Facts(NamedTuple):
    """What the rules ask of a file. Its tree is not kept: of all files it has a million nodes."""

    docstring: str
    lines: int
    imports: list[Import]
    broad_handlers: list[int]
    function_lengths: dict[str, int]


def statements(node, *, late=False, for_types=False):
    """(statement, whether within a function, whether for types alone); expressions hold none."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            typed = for_types or (
                isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING"
            )
            yield child, inside, typed
            yield from statements(child, late=inside, for_types=typed)


@functools.cache
def facts(path):
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    imports, broad, lengths = [], [], {}
    for node, late, for_types in statements(tree):
        if isinstance(node, ast.Import):
            imports += [Import(alias.name, late, for_types) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            imports += [Import(f"{node.module}.{a.name}", late, for_types) for a in node.names]
        elif isinstance(node, ast.ExceptHandler):
            if node.type is None or getattr(node.type, "id", "") == "Exception":
                broad.append(node.lineno)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lengths[f"{node.name}:{node.lineno}"] = node.end_lineno - node.lineno + 1
    docstring = ast.get_docstring(tree) or ""
    return Facts(docstring, len(text.splitlines()), imports, broad, lengths)


def ours(names):
    """The parts of assay among them."""
    found = {name.split(".")[1] for name in names if name.startswith("assay.")}
    return {name if name in RANK else "__init__" for name in found}


def test_every_part_has_its_place_in_the_order():
    assert {part(path) for path in FILES} <= set(RANK)


class TestEveryFile:
    def test_it_imports_only_what_stands_below_it(self):
        for path in FILES:
            me = part(path)
            at_import = [i.name for i in facts(path).imports if not (i.late or i.for_types)]
            for other in ours(at_import) - {me, "_version"}:
                # The package's own lazy door is for what stands above all.
                highest = RANK["_cli"] if other == "__init__" else RANK[other] + 1
                assert RANK[me] >= highest, f"{path} imports {other}"

    def test_what_it_imports_late_stands_below_it_too(self):
        for path in FILES:
            me = part(path)
            names = [one.name for one in facts(path).imports]
            for other in ours(names) - {me, "_version", "__init__"}:
                assert RANK[other] < RANK[me], f"{path} imports {other}"

    def test_metrics_and_tasks_touch_no_network_file_or_back_end(self):
        for path in FILES:
            for name, *_ in facts(path).imports if part(path) in PURE else ():
                impure = any(name == bad or name.startswith(f"{bad}.") for bad in IMPURE)
                assert not impure, f"{path} imports {name}"

    def test_it_catches_everything_at_the_edge_only(self):
        for path in FILES:
            allowed = 1 if path == CALLS_OWN_METRICS else 0
            assert part(path) in EDGES or len(facts(path).broad_handlers) <= allowed, path

    def test_it_begins_with_a_sentence_that_says_what_it_is_for(self):
        for path in FILES:
            first = facts(path).docstring.split("\n\n")[0]
            assert first.rstrip().endswith((".", "?", "!")), path

    def test_it_is_short(self):
        for path in FILES:
            assert facts(path).lines <= LONGEST_FILE, path
            for name, length in facts(path).function_lengths.items():
                assert length <= LONGEST_FUNCTION, f"{path}: {name} has {length} lines"


def module(path):
    """The full name of the module that a file is."""
    return ".".join(("assay", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    )


def test_no_modules_import_each_other_in_a_circle_not_even_inside_functions():
    modules = {module(path): path for path in FILES}
    imports = {}
    for name, path in modules.items():
        names = {one.name for one in facts(path).imports if not one.for_types}
        names |= {name.rpartition(".")[0] for name in names if name not in modules}
        # The package itself is the door that imports everything lazily.
        imports[name] = names & modules.keys() - {"assay", name}
    order = TopologicalSorter(imports)
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


LAZY = [assay, assay.judges.embedded, assay.testset]


def homes(package):
    """Name -> the module that it is imported from when it is first used."""
    return {name: module for module, names in package._NAMES.items() for name in names.split()}


@pytest.mark.parametrize("package", LAZY, ids=lambda package: package.__name__)
class TestThePublicNames:
    def test_they_are_those_that_have_a_home(self, package):
        assert sorted({*package.__all__} - {"__version__"}) == sorted(homes(package))

    def test_each_is_there(self, package):
        for name in package.__all__:
            assert getattr(package, name) is not None, name

    def test_type_checkers_are_told_the_same_homes(self, package):
        (block,) = [
            node
            for node in ast.parse(Path(package.__file__).read_text("utf-8")).body
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ]
        told = {alias.name: node.module for node in block.body for alias in node.names}  # type: ignore[attr-defined]
        assert told == homes(package)

    def test_a_name_that_does_not_exist_is_an_attribute_error(self, package):
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            _ = package.nonsense

    def test_each_explains_itself(self, package):
        for name, module in homes(package).items():
            if name not in {"METRICS", "Outcome"}:
                assert getattr(importlib.import_module(module), name).__doc__, name


def test_the_public_names_are_found_by_dir():
    assert set(assay.__all__) <= set(dir(assay))


def test_importing_assay_loads_no_third_party_module():
    code = (
        "import sys; before = set(sys.modules); import assay; "
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "assay" in loaded
    assert loaded - {"assay"} <= sys.stdlib_module_names


def loaded_by(what):
    """The modules of assay that are loaded once this was imported, in a process of its own."""
    code = f"import sys, {what}; print(*sorted(m for m in sys.modules if m.startswith('assay')))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.split()


def test_importing_assay_loads_hardly_anything_of_its_own_either():
    assert loaded_by("assay") == ["assay", "assay._lazy", "assay._version"]


@pytest.mark.parametrize("command", ["diagnose", "runs"])  # `assay show` is in the first
def test_reading_a_run_loads_nothing_that_writes_questions(command):
    writes = {"assay.testset.generate", "assay.testset.drafts", "assay.testset.design"}
    assert not writes.intersection(loaded_by(f"assay._cli.{command}"))


def test_expressions_that_are_compiled_late_are_right():
    names = [
        f"assay.{path.relative_to(ROOT).with_suffix('').as_posix().replace('/', '.')}"
        for path in FILES
        if part(path) == "_text" or path.parent == ROOT / "judges" / "embedded"
    ]
    late = [
        value
        for name in names
        if not name.endswith("__init__")
        for value in vars(importlib.import_module(name)).values()
        if type(value) is type(expression(""))
    ]
    assert len(late) > 100
    for one in late:
        assert one.groups >= 0, one.pattern  # compiles it


def test_the_suite_cannot_leave_this_machine():
    with socket.socket() as outside, pytest.raises(NetworkForbidden):
        outside.connect(("192.0.2.1", 80))


def test_the_pages_import_nothing_that_is_private_by_name():
    root = ROOT.parents[1]
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    assert len(pages) > 20
    for page in pages:
        private = re.findall(
            r"^\s*(?:from|import) assay[.\w]*\._.*", page.read_text("utf-8"), re.MULTILINE
        )
        assert not private, f"{page.name}: {private}"
