"""Take the README's picture of the report that its example makes, with Chromium."""  # noqa: INP001

import asyncio
import base64
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Final

from snippets import ROOT

sys.path.append(str(ROOT / "tests"))

from support import chromium

PICTURE: Final = ROOT / "docs" / "report.png"
DATA: Final = "examples/assay_docs/questions.jsonl"
SAMPLE: Final = "fences-random-code"
# About as wide as GitHub shows a picture, so that letters keep their size.
WIDTH: Final = 920
MARGIN: Final = 14
# What was flagged, and of one sample the answer and the nearest context with their marks, and what
# is unsupported: what a glance takes in. All else is left out.
LEFT_OUT: Final = (
    ".top, .notes, .scores, footer, .legend, #filter, .colhead, h2, .dx-cols, .dx-more, .about-s, "
    ".ref, .calls, .method, .sec h5, .parts li:not(.bad), .ctx + .ctx, .right h4 span, "
    ".s > summary, .s:not([open])"
)
ARRANGE: Final = f"""(async () => {{
    const names = [...document.querySelectorAll(".s .id")];
    names.find(e => e.textContent === "{SAMPLE}").parentElement.querySelector(".c").click();
    await new Promise(done => setTimeout(done, 300));
    for (const e of document.querySelectorAll("{LEFT_OUT}")) e.hidden = true;
    const box = e => document.querySelector(e).getBoundingClientRect();
    return [box(".dx .card").top + scrollY, box(".s[open]").bottom + scrollY,
            box(".dx .card").left, box(".dx .card").right];
}})()"""


async def taken(report: Path) -> tuple[bytes, str]:
    """The picture, and its first words."""
    async with chromium.browser() as page:
        await page.call(
            "Emulation.setDeviceMetricsOverride",
            width=WIDTH,
            height=900,
            deviceScaleFactor=2,
            mobile=False,
        )
        await page.open(report.as_uri())
        top, bottom, left, right = await page.run(ARRANGE)
        clip = {
            "x": left - MARGIN,
            "y": top - MARGIN,
            "width": right - left + 2 * MARGIN,
            "height": bottom - top + 2 * MARGIN,
            "scale": 1,
        }
        shot = await page.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )
        headline = await page.run("document.querySelector('.dx-head').textContent")
    return base64.b64decode(shot["data"]), str(headline)


def with_words(png: bytes, words: str) -> bytes:
    """The PNG with words as its comment, by which a test tells whether it is of today."""
    data = b"tEXtComment\0" + words.encode("latin-1")
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    end = png.rindex(b"IEND") - 4
    return png[:end] + chunk + png[end:]


def main() -> None:
    """Run the example and take the picture."""
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.html"
        command = [sys.executable, "-m", "assay", "run", DATA, "--store", f"{name}/assay.db"]
        command += ["-m", "faithfulness,context_recall", "--name", "first", "--out", str(report)]
        subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603 - of our own words
        PICTURE.write_bytes(with_words(*asyncio.run(taken(report))))


if __name__ == "__main__":
    main()
