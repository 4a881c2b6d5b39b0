"""What does the engine cost: calls, tokens, processor time, waiting, memory?

    python -m benchmarks.engine [--samples 200] [--latency 0.3] [--concurrency 64] [--peers]

A scripted server in a process of its own answers chat and embedding calls after a fixed latency.
Every client is a fresh process that evaluates the same samples (five contexts of 120 words, answers
of three to five sentences) by the same four metrics. The bare client is the yardstick: one plain
request for each metric, nothing read, nothing kept. Wall time is put beside the ideal, calls times
latency divided by concurrency; processor time is that of the client's process, imports left out.
"""

import argparse
import asyncio
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.data import ROOT

METRICS = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
PEERS = ("ragas",)
DATA = ROOT / "examples" / "assay_docs" / "questions.jsonl"
CONTEXTS, WORDS = 5, 120
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# What the scripted judge takes for no claim: every sample is to cost the same calls.
_NO_CLAIM = re.compile(r"\?$|not know|don't know|cannot|no information|unknown", re.IGNORECASE)


def rows(n: int, seed: int = 0, words: int = WORDS) -> list[dict[str, Any]]:
    """Samples, no two alike: sentences of the example data in new orders.

    Args:
        n: How many.
        seed: Of the orders.
        words: Words of a context.
    """
    dice = random.Random(seed)
    given = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    texts = {text for row in given for text in row["contexts"]}
    found = {s for text in texts for s in _SENTENCE_END.split(text)}
    pool = sorted(s for s in found if not _NO_CLAIM.search(s))
    return [_row(number, dice, given, pool, words) for number in range(n)]


def _row(
    number: int, dice: random.Random, given: list[dict[str, Any]], pool: list[str], words: int
) -> dict[str, Any]:
    picked = dice.sample(pool, 60)
    picked += dice.choices(pool, k=60 * (words // WORDS - 1))
    by_context = [picked[i::CONTEXTS] for i in range(CONTEXTS)]
    said = [*by_context[0][:2], *by_context[2][: dice.randint(1, 3)]]
    right = [*by_context[0][:2], *by_context[1][:1]]
    return {
        "id": f"r{number}",
        "question": f"{given[number % len(given)]['question']} ({number})",
        "contexts": [" ".join(" ".join(found).split()[:words]) for found in by_context],
        "answer": " ".join(said),
        "reference": " ".join(right),
    }


@dataclass(frozen=True)
class Cost:
    """What one client did.

    Attributes:
        name: The client.
        samples: How many samples.
        chat: Chat calls.
        embed: Embedding calls.
        tokens: Prompt tokens, four characters each.
        written: Reply tokens, likewise; the script's reasons are shorter than a model's.
        cpu_ms: Milliseconds of processor time a sample.
        wall: Seconds.
        ideal: Seconds that the calls take at least.
        peak_mb: Peak memory of the process.
    """

    name: str
    samples: int
    chat: int
    embed: int
    tokens: int
    written: int
    cpu_ms: float
    wall: float
    ideal: float
    peak_mb: float

    def row(self) -> str:
        """A line of the table."""
        n = self.samples
        cells = [
            self.name,
            f"{self.chat / n:.2f} + {self.embed / n:.2f}",
            f"{self.tokens / n:,.0f}",
            f"{self.written / n:,.0f}",
            f"{self.cpu_ms:.2f}",
            f"{self.wall:.2f}",
            f"{self.ideal:.2f}",
            f"{self.wall / self.ideal:.2f}",
            f"{self.peak_mb:.0f}",
        ]
        return f"| {' | '.join(cells)} |"


HEAD = (
    "| client | chat + embedding calls / sample | prompt tokens / sample "
    "| reply tokens / sample | CPU ms / sample "
    "| wall s | ideal s | wall / ideal | peak MB |\n|---|---|---:|---:|---:|---:|---:|---:|---:|"
)


# Clients: each runs in a process of its own and prints its processor time, wall time and memory.


def assay_client(
    url: str, data: str, in_flight: int, *, together: bool = True, local: bool = False
) -> Callable[[], None]:
    """The four metrics, the durable store on; embeddings may be computed in the process."""
    import assay
    from assay.judges.openai.judge import OpenAI, OpenAIEmbedder

    settings = assay.Settings(limits=assay.Limits(concurrency=in_flight), together=together)
    judge = OpenAI("scripted", base_url=url, api_key="none")
    embedder = None if local else OpenAIEmbedder("scripted", base_url=url, api_key="none")
    store = Path(data).with_name(f"{time.time_ns()}.db")

    def work() -> None:
        result = assay.evaluate(
            data, METRICS, judge, embedder=embedder, store=store, settings=settings
        )
        assert not any(row.n_failed for row in result.summary()), result.summary()

    return work


def bare_client(url: str, data: str, in_flight: int) -> Callable[[], None]:
    """One plain request a metric."""
    import aiohttp

    asked = ("supported by the contexts", "relevant to the question", "useful", "attributable")
    given = [json.loads(line) for line in Path(data).read_text("utf-8").splitlines()]

    def prompts() -> Iterator[bytes]:
        for row in given:
            texts = "\n\n".join(row["contexts"])
            for what in asked:
                texts_shown = "" if "question" in what else texts
                text = (
                    f"Say of each statement whether it is {what}, as JSON.\n\n{texts_shown}\n\n"
                    f"{row['question']}\n{row['answer']}\n{row['reference']}"
                )
                body = {"model": "m", "messages": [{"role": "user", "content": text}]}
                yield json.dumps(body).encode()

    async def all_of_them() -> None:
        work = prompts()
        sent = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def worker() -> None:
                for body in work:
                    to = f"{url}/chat/completions"
                    async with session.post(to, data=body, headers=sent) as reply:
                        json.loads(await reply.read())

            await asyncio.gather(*(worker() for _ in range(in_flight)))

    return lambda: asyncio.run(all_of_them())


def ragas_client(url: str, data: str, in_flight: int) -> Callable[[], None]:
    """Ragas 0.4's `evaluate` with the metrics of the same names, if it is installed."""
    import openai
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.embeddings import OpenAIEmbeddings
    from ragas.llms import llm_factory
    from ragas.metrics import answer_relevancy, context_precision, context_recall, faithfulness

    client = openai.AsyncOpenAI(base_url=url, api_key="none")
    given = [json.loads(line) for line in Path(data).read_text("utf-8").splitlines()]
    names = {
        "user_input": "question",
        "retrieved_contexts": "contexts",
        "response": "answer",
        "reference": "reference",
    }
    found = EvaluationDataset.from_list(
        [{theirs: row[ours] for theirs, ours in names.items()} for row in given]
    )
    metrics = [faithfulness, answer_relevancy, context_precision, context_recall]
    llm, embeddings = llm_factory("m", client=client), OpenAIEmbeddings(client=client)
    config = RunConfig(max_workers=in_flight)
    return lambda: evaluate(
        found, metrics, llm=llm, embeddings=embeddings, run_config=config, show_progress=False
    )


CLIENTS: dict[str, Callable[[str, str, int], Callable[[], Any]]] = {
    "bare": bare_client,
    "assay": assay_client,
    "assay --apart": partial(assay_client, together=False),
    "assay, local embeddings": partial(assay_client, local=True),
    "ragas": ragas_client,
}


def client(name: str, url: str, data: str, in_flight: int) -> None:
    """Do one client's work and say what it took."""
    CLIENTS[name](url, str(_warm(Path(data))), in_flight)()  # what is imported is imported
    work = CLIENTS[name](url, data, in_flight)
    _reset(url)
    before, start = _cpu(), time.perf_counter()
    work()
    wall, used = time.perf_counter() - start, _cpu() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    heavy = [name for name in ("scipy", "onnxruntime", "numpy") if name in sys.modules]
    print(json.dumps({"cpu": used, "wall": wall, "peak_mb": peak, "heavy": heavy}))


def _warm(data: Path) -> Path:
    return data.with_name("first.jsonl")


def _reset(url: str) -> None:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/reset"):
        pass


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def server(*options: str) -> Iterator[str]:
    """The scripted server in a process of its own; its base URL."""
    script = ROOT / "tests" / "support" / "llm_server.py"
    process = subprocess.Popen(
        [sys.executable, str(script), *options], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def stats(url: str) -> dict[str, Any]:
    """What the server counted."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        found: dict[str, Any] = json.load(reply)
        return found


def measured(name: str, data: Path, n: int, latency: float, in_flight: int) -> Cost:
    """Run one client against a fresh server."""
    with server("--latency_s", str(latency)) as url:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.engine", "--client", name, url, str(data),
             str(in_flight)],
            stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT,
        )  # fmt: skip
        told = json.loads(done.stdout.splitlines()[-1])
        found = stats(url)
    embed = found["by_kind"].get("embed", 0)
    chat = found["calls"] - embed
    return Cost(
        name=name,
        samples=n,
        chat=chat,
        embed=embed,
        tokens=found["prompt_tokens"],
        written=found["reply_tokens"],
        cpu_ms=told["cpu"] / n * 1000,
        wall=told["wall"],
        ideal=(chat + embed) * latency / in_flight,
        peak_mb=told["peak_mb"],
    )


def main() -> None:
    if "--client" in sys.argv:
        name, url, questions, in_flight = sys.argv[2:6]
        client(name, url, questions, int(in_flight))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.3)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--peers", action="store_true", help="peers too, where installed")
    given = parser.parse_args()
    peers = [name for name in PEERS if given.peers and find_spec(name)]
    names = [*(name for name in CLIENTS if name not in PEERS), *peers]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.jsonl"
        data.write_text("\n".join(map(json.dumps, rows(given.samples))), encoding="utf-8")
        _warm(data).write_text("\n".join(map(json.dumps, rows(2, seed=1))), encoding="utf-8")
        print(HEAD)
        costs = []
        for name in names:
            cost = measured(name, data, given.samples, given.latency, given.concurrency)
            costs.append(cost)
            print(cost.row(), flush=True)
    bare, ours = costs[0], costs[1]
    print(f"assay's processor time is {ours.cpu_ms / bare.cpu_ms:.1f} times the bare client's")


if __name__ == "__main__":
    main()
