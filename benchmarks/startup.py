"""How long does `import assay` take, what does it pull in, and how much is installed?"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.data import ROOT

TIMES = 7


def import_seconds() -> list[float]:
    code = "import time; t = time.perf_counter(); import assay; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for _ in range(TIMES)]  # fmt: skip
    return sorted(float(run.stdout) for run in runs)


def third_party() -> list[str]:
    code = (
        "import sys; before = set(sys.modules); import assay; "
        "new = {m.partition('.')[0] for m in set(sys.modules) - before}; "
        "print(*sorted(new - set(sys.stdlib_module_names) - {'assay'}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


def installed(folder: Path) -> tuple[int, int]:
    """(packages, bytes) of a fresh environment with assay alone, without pip."""
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip"]
    subprocess.run([*pip, "install", "--quiet", "--no-compile", str(ROOT)], check=True)
    listing = subprocess.run([*pip, "list"], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0].lower() for line in listing.splitlines()[2:]}
    site = next(folder.glob("lib/python*/site-packages"))
    size = sum(f.stat().st_size for f in site.rglob("*") if f.is_file() and not f.is_symlink())
    bare = [p for p in ("pip", "setuptools") if (site / p).is_dir()]
    size -= sum(f.stat().st_size for p in bare for f in (site / p).rglob("*") if f.is_file())
    return len(names - {"pip", "setuptools"}), size


def main() -> None:
    times = import_seconds()
    print(f"import assay: median {times[TIMES // 2]:.3f} s, worst {times[-1]:.3f} s of {TIMES}")
    print(f"third-party modules it imports: {' '.join(third_party()) or 'none'}")
    with tempfile.TemporaryDirectory() as folder:
        packages, size = installed(Path(folder))
    print(f"installed: {packages} packages, {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
