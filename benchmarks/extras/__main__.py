"""Installs every extra alone into an environment of its own, uses it, and writes a table.

python -m benchmarks.extras                  all of them: half an hour, and 1.5 GB at most at a time
python -m benchmarks.extras langchain mcp    these
"""

import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import ROOT

USES = Path(__file__).with_name("uses.py")
NOTHING = "nothing"
TIMES = 3
# What has to be imported to use an extra: the module of ours that meets it, or the package.
MODULES = {
    "pandas": "pandas",
    "parquet": "pyarrow.parquet",
    "xlsx": "python_calamine",
    "datasets": "datasets",
    "adapt": "transformers.models.bert.modeling_bert",
    "gguf": "xllamacpp",
    "ray": "ray",
    "otel": "assay.integrations.opentelemetry",
    "mcp": "assay._service.mcp",
    "text": "sacrebleu",
    NOTHING: "assay",
}
# pip itself stands in every environment and is not counted.
BARE = ("pip", "setuptools")


@dataclass(frozen=True)
class Found:
    """What an extra is.

    Attributes:
        extra: Its name.
        packages: Installed packages, assay among them.
        size: Bytes of the environment.
        seconds: Processor time until its module is imported; median.
        fault: What went wrong, "" if nothing.
    """

    extra: str
    packages: int
    size: int
    seconds: float
    fault: str


def main(wanted: Sequence[str]) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [NOTHING, *project["optional-dependencies"]]
    found = []
    for extra in wanted or extras:
        if extra not in extras:
            sys.exit(f"there is no extra '{extra}'; there are {', '.join(extras)}")
        found.append(tried(extra))
        print(row(found[-1]), found[-1].fault, sep="\n" if found[-1].fault else "", flush=True)
    base = next((one for one in found if one.extra == NOTHING), None)
    print("\n| extra | packages | MB | import, s |\n|---|---|---|---|")
    for one in found:
        print(row(one, base if one.extra != NOTHING else None))
    return sum(bool(one.fault) for one in found)


def row(one: Found, base: Found | None = None) -> str:
    """A line of the table; beyond what assay alone is, where that is known."""
    packages, size = one.packages, one.size / 1e6
    if base:
        more = f"+{packages - base.packages} | +{size - base.size / 1e6:.0f}"
    else:
        more = f"{packages} | {size:.0f}"
    return f"| {one.extra} | {more} | {one.seconds:.2f} |"


def tried(extra: str) -> Found:
    """An extra, installed alone and used; what it was installed into is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "venv")
        venv.create(place, with_pip=True)
        python = str(place / "bin" / "python")
        what = f"{ROOT}[{extra}]" if extra != NOTHING else str(ROOT)
        quiet = ["--quiet", "--disable-pip-version-check", "--no-compile"]
        done = called([python, "-m", "pip", "install", *quiet, what], folder)
        if done.returncode:
            return Found(extra, 0, 0, 0.0, done.stderr[-2000:])
        packages, size = installed(place)
        work = Path(folder, "work")
        work.mkdir()
        name = extra.replace("-", "_")
        done = called([python, "-W", "default", str(USES), name], work)
        fault = done.stderr[-2000:] if done.returncode else light(python, work)
        module = MODULES.get(extra, f"assay.integrations.{name}")
        return Found(extra, packages, size, seconds(python, module, work), fault)


def called(command: Sequence[str], folder: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=1800
    )


def light(python: str, folder: Path) -> str:
    """What `import assay` imports beside itself and Python's own; "" if nothing."""
    code = (
        "import sys; before = set(sys.modules); import assay; "
        "new = {m.partition('.')[0] for m in set(sys.modules) - before}; "
        "print(*sorted(new - set(sys.stdlib_module_names) - {'assay'}))"
    )
    found = called([python, "-c", code], folder)
    said = found.stdout.strip() or found.stderr.strip()
    return f"import assay imports {said}" if said else ""


def seconds(python: str, module: str, folder: Path) -> float:
    """Processor time until a module is imported, once it was compiled; median."""
    code = f"import time; import {module}; print(time.process_time())"
    runs = [called([python, "-c", code], folder).stdout for _ in range(TIMES + 1)][1:]
    times = sorted(float(said or "nan") for said in runs)
    return times[TIMES // 2]


def installed(place: Path) -> tuple[int, int]:
    """(packages, bytes) of an environment without what stands in every one."""
    site = next(place.glob("lib/python*/site-packages"))
    names = [p.name for p in site.glob("*.dist-info") if p.name.partition("-")[0] not in BARE]
    files = [f for f in site.rglob("*") if f.is_file() and not f.is_symlink()]
    size = sum(f.stat().st_size for f in files if f.relative_to(site).parts[0] not in BARE)
    return len(names), size


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
