"""What does `assay doctor` look at, and what is found?"""

import importlib.metadata
import platform
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay._version import __version__
from assay.cli import probe, screen
from assay.cli.edge import OK, REFUSED
from assay.cli.judges import Judges
from assay.cli.probe import Finding
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.report import numbers
from assay.store import Store
from assay.store.connection import check_place

_STYLES = {"ok": "green", "note": "cyan", "FAIL": "bold red"}
_REQUIRED = re.compile(r"([\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")


def examine(given: Mapping[str, Any]) -> int:
    """Look at everything, show what was found; the exit code."""
    judges = Judges.of(given)
    embedded = _embedded()  # before the probes, which load it too: loading is timed
    probes = probe.probes(judges, given["judges"], given["embedder"])
    judges.check()
    console = screen.out()
    failed = False
    for finding in _findings(given, embedded, probes):
        failed |= finding.level == "FAIL"
        table = Table.grid(padding=(0, 2))
        table.add_column(width=4)
        table.add_column(overflow="fold")
        table.add_row(Text(finding.level, style=_STYLES[finding.level]), Text(finding.what))
        console.print(table)
        if finding.remedy:
            console.print(Padding(Text(f"-> {finding.remedy}"), (0, 0, 0, 6)))
    return REFUSED if failed else OK


def _findings(
    given: Mapping[str, Any], embedded: Finding, probes: list[probe.Probe]
) -> Iterator[Finding]:
    yield _python()
    yield from _packages()
    yield embedded
    yield from _store(given["store"])
    for each in probes:
        yield each.finding(given["timeout"])


def _python() -> Finding:
    system = f"{platform.system()} {platform.machine()}"
    what = f"assay {__version__}, Python {platform.python_version()}, {system}"
    # An older Python may get this far when assay was not installed but put on the path.
    right = sys.version_info >= (3, 11)
    return Finding("ok" if right else "FAIL", what, "" if right else "use Python 3.11 or newer")


def _packages() -> Iterator[Finding]:
    try:
        required = importlib.metadata.requires("assay") or []
    except importlib.metadata.PackageNotFoundError:
        yield Finding("note", "assay is not installed as a package: extras are not known")
        return
    groups: dict[str, list[str]] = {}
    for line in required:
        if match := _REQUIRED.match(line):
            groups.setdefault(match[2] or "", []).append(match[1])
    absent = []
    for extra, names in groups.items():
        versions = {name: _version(name) for name in names}
        missing = [name for name, version in versions.items() if not version]
        if extra and missing:
            absent.append(f"{extra} ({', '.join(missing)})")
        else:
            yield _group(extra, versions, missing)
    if absent:
        what = f"extras that are not installed, and what they lack: {'; '.join(absent)}"
        yield Finding("note", what, "if you need one: pip install 'assay[EXTRA]'")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _group(extra: str, versions: Mapping[str, str | None], missing: Sequence[str]) -> Finding:
    if missing:
        what = f"not installed: {', '.join(missing)}"
        return Finding("FAIL", what, "pip install --force-reinstall assay")
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    return Finding("ok", f"extra [{extra}]: {shown}" if extra else shown)


def _embedded() -> Finding:
    start = time.perf_counter()
    try:
        judge = Judges().backend(DEFAULT)
    except Exception as error:  # noqa: BLE001 - the edge: whatever it is, it is the finding
        what = f"the embedded judge cannot be loaded: {type(error).__name__}: {error}"
        return Finding("FAIL", what, "pip install --force-reinstall assay")
    loaded = (time.perf_counter() - start) * 1000
    found = probe.Probe(judge, "verify_statements").finding(60.0)
    return Finding(found.level, f"{found.what}, loaded in {loaded:.0f} ms", found.remedy)


def _store(path: str) -> Iterator[Finding]:
    try:
        check_place(Path(path))
    except InputError as error:
        (problem,) = error.problems
        remedy = problem.remedy or "make it, or name another file"
        yield Finding("FAIL", problem.what, f"{remedy} with --store")
        return
    if not Path(path).is_file():
        yield Finding("note", f"no store '{path}' here yet: `assay run` makes it")
        return
    try:
        with Store(path) as store:
            runs = numbers.plural(len(store.runs()), "run")
    except InputError as error:
        yield Finding("FAIL", str(error), "name another with --store, or move the file away")
        return
    size = Path(path).stat().st_size / 1e6
    yield Finding("ok", f"store '{path}': {runs}, {size:.1f} MB")
