"""How quickly does the viewer show 1,000 runs, and a run of 100,000 samples?

    python -m benchmarks.view_speed                     makes the stores in a folder, and measures
    python -m benchmarks.view_speed --folder /tmp/view  keeps them there, and finds them again

Each page is asked for twice of a server of its own: at once after its start, with nothing of the
store in the memory of the operating system ("cold"), and again (least of five, "warm"). First
paint is Chromium's own figure. "cpu" beside each is what it took of a processor: it holds on a
machine that is busy otherwise. Memory is the most that the server ever held. Then a person labels
in Chromium, a key each: from the key to the next item on the screen.
"""

import argparse
import asyncio
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp

from benchmarks.data import ROOT
from benchmarks.memory import text

sys.path.append(str(ROOT / "tests"))

import assay
from assay._store import Run, Store, rows
from assay._store.labels import HumanLabel
from assay._store.runs import Description
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from support import chromium
from support.scripts import plausible

METRICS: Final = ("faithfulness", "context_relevance", "token_f1", "exact_match")
JUDGED: Final = METRICS[:2]
REPEATS: Final = 5
LABELS: Final = 40
# Presses a key of the label screen and waits until the next item has been painted.
PRESS: Final = """new Promise(done => {
    const main = document.querySelector("#main"), begun = performance.now();
    new MutationObserver((_, seen) => {
        if (main.hasAttribute("aria-busy")) return;
        seen.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
    }).observe(main, {attributes: true, attributeFilter: ["aria-busy"]});
    const key = {key: String(%d %% 2), bubbles: true, cancelable: true};
    document.body.dispatchEvent(new KeyboardEvent("keydown", key));
})"""


@dataclass(frozen=True)
class Page:
    """What is asked for: a page as the table calls it, and its address."""

    name: str
    path: str


def sample(n: int, seed: int) -> Sample:
    return Sample(
        id=f"s{n}",
        question=f"What of {text(n, 6)}",
        answer=" ".join(text(seed * 31 + n + k, 9) for k in range(3)),
        contexts=(text(3 * n, 60), text(3 * n + 1, 60)),
        reference=text(n, 12),
    )


def outcome(metric: str, one: Sample, chance: random.Random) -> Outcome:
    if chance.random() < 0.01:
        return Unscored(chance.choice(("failed", "undefined")), "the reply could not be read")
    if metric not in JUDGED:
        return Score(round(chance.random(), 3) if metric == "token_f1" else chance.choice((0, 1)))
    texts = [f"{line.strip()}." for line in (one.answer or "").split(".") if line.strip()]
    good = [chance.random() < 0.7 for _ in texts]
    parts = tuple(
        Part("statement", line, "supported" if ok else "unsupported", float(ok), "as it says there")
        for line, ok in zip(texts, good, strict=True)
    )
    return Score(sum(good) / len(good), parts=parts)


def config() -> dict[str, Any]:
    """That of a real run by these metrics."""
    with tempfile.TemporaryDirectory() as name:
        row = {"question": "q", "answer": "a", "contexts": ["c"], "reference": "a"}
        path = Path(name) / "one.db"
        return dict(assay.evaluate([row], METRICS, plausible(), store=path).run.config)


def add_run(store: Store, settings: dict[str, Any], n: int, seed: int) -> Run:
    samples = [sample(number, seed) for number in range(1, n + 1)]
    chance = random.Random(seed)
    run = store.begin(samples, settings, f"questions-{seed}.jsonl")
    with store.changing() as db:
        for row, one in enumerate(samples, 1):
            dictionary = rows.evidence_dictionary(one)
            for metric in METRICS:
                values = rows.outcome_values(outcome(metric, one, chance), ())
                rows.write_outcome(db, (run.id, row, metric), values, dictionary)
    asyncio.run(store.end(run.id, seconds=1.0, stopped="", skipped=0))
    return run


def add_labels(store: Store, run: Run, n: int) -> None:
    kinds = ("wrong number", "left out", "")
    labels = [
        HumanLabel(
            run=run.id,
            metric=METRICS[0],
            sample=f"s{7 * k + 1}",
            annotator="anna",
            value=float(k % 3 > 0),
            tags=tuple(filter(None, (kinds[k % 3],))),
        )
        for k in range(n)
    ]
    store.labels.keep(labels)


def make(folder: Path, n_runs: int, n_samples: int) -> tuple[Path, Path]:
    many, large = folder / f"runs-{n_runs}.db", folder / f"samples-{n_samples}.db"
    settings = config()
    if not many.exists():
        with Store(many) as store:
            for seed in range(n_runs):
                run = add_run(store, settings, 50, seed)
                tags = ("nightly",) if seed % 3 else ("weekly",)
                told = Description(
                    f"run {seed}", tags, "", {"k": seed % 5, "model": f"m{seed % 4}"}
                )
                store.describe(run.id, told)
    if not large.exists():
        with Store(large) as store:
            for seed in (1, 2):
                run = add_run(store, settings, n_samples, seed)
            add_labels(store, run, min(500, n_samples // 7))
    return many, large


class Server:
    """`assay view` of a store, as a process of its own; nothing of the store is in memory."""

    def __init__(self, store: Path) -> None:
        for file in (store, Path(f"{store}-wal")):
            if file.exists():
                with file.open("rb") as opened:
                    os.fsync(opened.fileno())
                    os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        command = [sys.executable, "-m", "assay", "view", str(store), "--no-browser"]
        started = time.perf_counter()
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        self.start_s = time.perf_counter() - started
        found = re.search(r"(http://\S+?)/\?(token=\S+)", line)
        assert found, line
        self.base, self.token = found.groups()

    def cpu(self) -> float:
        """The seconds of a processor that it took so far."""
        ticks = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """The most that it ever held, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()


async def timed(session: aiohttp.ClientSession, address: str) -> tuple[float, int]:
    started = time.perf_counter()
    async with session.get(address) as reply:
        body = await reply.read()
        assert reply.status == 200, (address, reply.status, body[-300:])
    return time.perf_counter() - started, len(body)


async def measured(store: Path, page: Page) -> tuple[str, float]:
    """A line of the table, and the server's memory."""
    server = Server(store)
    try:
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            async with session.get(f"{server.base}/?{server.token}", allow_redirects=False):
                pass
            before = server.cpu()
            cold, size = await timed(session, server.base + page.path)
            cpu = server.cpu() - before
            warm = [await again(server, session, page) for _ in range(REPEATS)]
            paint = await first_paint(server, page)
        memory = server.memory()
    finally:
        server.close()
    times, cpus = zip(*warm, strict=True)
    line = f"{page.name:46} {cold:6.2f} {cpu:6.2f} {min(times):6.2f} {min(cpus):6.2f}"
    line += f" {paint} {size / 1024:6.0f}"
    return f"{line} {memory:7.0f}", memory


async def again(server: Server, session: aiohttp.ClientSession, page: Page) -> tuple[float, float]:
    """The seconds of a request, and those of a processor."""
    before = server.cpu()
    took, _ = await timed(session, server.base + page.path)
    return took, server.cpu() - before


async def labelling(store: Path) -> str:
    """How long it takes from a key to the next item, and what the server works for it."""
    if chromium.PATH is None:
        return "no Chromium: labelling is not measured"
    with tempfile.TemporaryDirectory() as name, Store(store) as opened:
        copy = Path(name) / "labels.db"
        shutil.copy(store, copy)
        run = opened.runs()[0].id
        server = Server(copy)
        try:
            async with chromium.browser() as tab:
                await tab.open(f"{server.base}/?{server.token}")
                await tab.open(f"{server.base}/label/{run}/next?by=anna&metric={METRICS[0]}")
                before = server.cpu()
                took = [await tab.run(PRESS % (1 + n % 2)) / 1000 for n in range(LABELS)]
                cpu = (server.cpu() - before) / LABELS
        finally:
            server.close()
    middle, late = statistics.median(took), sorted(took)[int(0.95 * LABELS)]
    return (
        f"labelling, a key each, {LABELS} labels: {middle:.2f} s to the next item in the median,"
        f" least {min(took):.2f}, {late:.2f} at 95 %; server {cpu:.3f} s of CPU each"
    )


async def whole(store: Path, pages: Sequence[Page]) -> str:
    """All pages of one server, what comes later on them, and the whole index of words."""
    server = Server(store)
    try:
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            async with session.get(f"{server.base}/?{server.token}", allow_redirects=False):
                pass
            started = time.perf_counter()
            later = [f"{pages[0].path}/first", f"{pages[-1].path}/difference"]
            for path in (*(page.path for page in pages), *later):
                await timed(session, server.base + path)
            words = server.base + pages[0].path + "?q=harbour"
            for _ in range(1200):
                if "are being indexed" not in await (await session.get(words)).text():
                    break
                await asyncio.sleep(0.5)
            took = time.perf_counter() - started
            found, _ = await timed(session, words.replace("harbour", "winter"))
        line = f"all of them, and the index of words ({took:.0f} s), then words in {found:.2f} s"
        return f"{line:81} {server.memory():7.0f}"
    finally:
        server.close()


async def first_paint(server: Server, page: Page) -> str:
    """Chromium's own figure; blank where there is none."""
    if chromium.PATH is None:
        return " " * 6
    async with chromium.browser() as tab:
        await tab.open(f"{server.base}/static/assay.css?{server.token}")
        await tab.open(server.base + page.path)
        await tab.settle()
        code = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
        return f"{await tab.run(code) / 1000:6.2f}"


def pages_of_runs() -> Sequence[Page]:
    return [
        Page("1,000 runs: the list", "/"),
        Page("search in names", "/?q=run+99"),
        Page("by tag", "/?tag=weekly"),
        Page("sorted by mean", "/?sort=-faithfulness"),
        Page("by parameters", "/matrix?metric=faithfulness&down=k&across=model"),
    ]


def pages_of_samples(store: Path, n: int) -> Sequence[Page]:
    with Store(store) as opened:
        newer, older = (run.id for run in opened.runs())
    run, side = f"/runs/{newer}", f"/side/{older},{newer}"
    return [
        Page(f"{n:,} samples: the run", run),
        Page("score in a range", f"{run}?range=faithfulness:..0.4"),
        Page("two ranges", f"{run}?range=faithfulness:..0.4&range=token_f1:0.5.."),
        Page("sorted by score", f"{run}?sort=faithfulness"),
        Page("judge failed", f"{run}?why=failed"),
        Page("labelled bad", f"{run}?label=bad"),
        Page("judge and people disagree", f"{run}?disagree=faithfulness"),
        Page("error tag", f"{run}?tag=left+out"),
        Page("words (cold: says how far the index is)", f"{run}?q=harbour"),
        Page("page 1,000", f"{run}/page/{max(1, n // 100)}"),
        Page("a sample", f"{run}/samples/{n // 2}?sort=faithfulness"),
        Page("two runs side by side", side),
    ]


def lines(folder: Path, n_runs: int, n_samples: int, only: str) -> Iterator[str]:
    many, large = make(folder, n_runs, n_samples)
    head = ("cold", "cpu", "warm", "cpu", "paint", "KB")
    yield f"{'page':46} {' '.join(f'{word:>6}' for word in head)} {'MB held':>7}"
    for store, pages in ((many, pages_of_runs()), (large, pages_of_samples(large, n_samples))):
        for page in pages:
            if only in page.name:
                yield asyncio.run(measured(store, page))[0]
    if not only or only in "labelling":
        yield asyncio.run(labelling(many))
    if not only:
        yield asyncio.run(whole(large, pages_of_samples(large, n_samples)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="where the stores are, or are made")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--only", default="", help="pages with this in their name")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(exist_ok=True)
        for line in lines(folder, options.runs, options.samples, options.only):
            print(line, flush=True)


if __name__ == "__main__":
    main()
