"""Is a label lost when the viewer is killed while people label, and how long does each take?

    python -m benchmarks.label_kills                      100 kills
    python -m benchmarks.label_kills --kills 20 --seed 7 --samples 20000

Two people label in `assay view` as a browser does, a form a decision, and take one in twelve back.
The viewer is killed with SIGKILL at random moments, most of them while a decision is on its way,
and started again. Whatever it said was kept must be in the store, each time and in the end; what
was on its way may be. Then the times from a key to the next item are told: machine time only.
"""

import argparse
import asyncio
import http.client
import multiprocessing
import os
import random
import re
import signal
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlencode

import assay
from assay._store import Store
from assay._store.maintenance import verify
from assay.view.http import Access
from assay.view.server import application, running
from assay.view.site import Site

TOKEN = "benchmark-token"
PEOPLE = ("anna", "ben")
_LINK = re.compile(r'name="(row|of)" value="([^"]*)"')
_ON_THE_WAY_S = 0.06  # a decision and the next page take about so long


@assay.metric(needs=("answer",), guide=0.5)
def told(sample: assay.Sample, _: assay.Judge) -> assay.Score:
    """The score that the row tells."""
    return assay.Score(float(sample.metadata["score"]))


@dataclass
class Person:
    """Somebody who labels.

    Attributes:
        name: Who it is.
        kept: The label of each sample that the viewer said was kept.
        order: Those samples, in order.
        sent: The decision that was on its way when the viewer went, None if none was.
        times: Seconds from each decision to the next item.
        size: Bytes of the last page.
    """

    name: str
    kept: dict[str, float] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    sent: tuple[str, str] | None = None
    times: list[float] = field(default_factory=list)
    size: int = 0


def serve(path: Path, said: Connection) -> None:
    """A viewer, until it is killed."""

    async def work() -> None:
        async with running(application(Site(path), Access(TOKEN)), 0) as port:
            said.send(port)
            await asyncio.sleep(3600)

    asyncio.run(work())


class Browser:
    """What a browser sends, and what comes back."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """(status, where to go on, page)."""
        headers = {"Cookie": f"assay-view-{self._port}={TOKEN}"}
        body = None
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode({**form, "form_token": Access(TOKEN).form_token})
        self._connection.request("GET" if body is None else "POST", path, body, headers)
        reply = self._connection.getresponse()
        return reply.status, reply.headers.get("Location", ""), reply.read().decode()


def label(person: Person, port: int, chance: random.Random) -> None:
    """Label until the viewer goes."""
    browser, query = Browser(port), urlencode({"by": person.name, "order": "random"})
    try:
        _, _, page = browser.ask(f"/label/last/next?{query}")
        while found := dict(_LINK.findall(page)):
            sample = f"q{int(found['row'])}"
            begun = time.perf_counter()
            if person.order and chance.random() < 1 / 12:
                person.sent = ("undo", person.order[-1])
                status, there, _ = browser.ask(f"/label/last/undo?{query}", {})
                if status == 303:
                    del person.kept[person.order.pop()]
            else:
                value = chance.choice("01")
                person.sent = (sample, value)
                form = {**found, "decision": f"label:{value}"}
                status, there, _ = browser.ask(f"/label/last/decide?{query}", form)
                if status == 303:
                    person.kept[sample] = float(value)
                    person.order = [s for s in person.order if s != sample] + [sample]
            if status != 303:
                sys.exit(f"REFUSED: {status}")
            person.sent = None
            _, _, page = browser.ask(there)
            person.times.append(time.perf_counter() - begun)
            person.size = len(page.encode())
    except (OSError, http.client.HTTPException):
        pass  # it was killed


def check(path: Path, person: Person) -> None:
    """See that all is kept that was said to be, and note what was on its way and came through."""
    with Store(path) as store:
        run = store.run("last").id
        there = {
            one.sample: one.value
            for one in store.labels.of(run, "told")
            if one.annotator == person.name
        }
    sent, person.sent = person.sent, None
    if sent is not None and sent[0] == "undo" and sent[1] not in there:
        del person.kept[sent[1]]
        person.order.remove(sent[1])
    elif sent is not None and sent[0] != "undo" and there.get(sent[0]) == float(sent[1]):
        person.kept[sent[0]] = float(sent[1])
        person.order = [s for s in person.order if s != sent[0]] + [sent[0]]
    if there != person.kept:
        lost = {sample for sample in person.kept if sample not in there}
        sys.exit(f"BROKEN: {person.name} lost {lost or 'nothing, but labels differ'}")


def killed(path: Path, people: list[Person], chance: random.Random) -> None:
    """A viewer's life: some decisions, and one that is on its way."""
    decisions = sum(len(one.times) for one in people) + chance.randint(1, 12)
    ours, theirs = multiprocessing.Pipe()
    viewer = multiprocessing.get_context("fork").Process(target=serve, args=(path, theirs))
    viewer.start()
    port = ours.recv()
    threads = [
        threading.Thread(target=label, args=(one, port, random.Random(chance.random())))
        for one in people
    ]
    for thread in threads:
        thread.start()
    while sum(len(one.times) for one in people) < decisions and any(t.is_alive() for t in threads):
        time.sleep(0.001)
    time.sleep(chance.uniform(0, _ON_THE_WAY_S))
    os.kill(viewer.pid or 0, signal.SIGKILL)
    viewer.join()
    for thread in threads:
        thread.join()
    for one in people:
        check(path, one)


def main() -> None:
    """Kill, check, tell."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--samples", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "assay.db"
        rows = [
            {
                "id": f"q{n}",
                "question": f"Which is {n}?",
                "answer": f"It is {n}.",
                "score": n % 10 / 9,
            }
            for n in range(1, asked.samples + 1)
        ]
        result = assay.evaluate(rows, told, assay.Scripted({}), store=path)
        with Store(path) as store:
            store.labels.ask_for_seconds(result.run.id, "told", "", 1.0)
        people = [Person(name) for name in PEOPLE]
        for _ in range(asked.kills):
            killed(path, people, chance)
        problems = verify(path).problems
        if problems:
            sys.exit(f"BROKEN: {problems}")
    for one in people:
        times = sorted(one.times) or [0.0]
        middle, late = statistics.median(times), times[int(0.95 * len(times))]
        print(
            f"{one.name}: {len(one.kept):,} labels kept over {asked.kills} kills, none lost;"
            f" {1000 * middle:.0f} ms a label ({1000 * late:.0f} at 95 %), page {one.size:,} bytes"
        )


if __name__ == "__main__":
    main()
