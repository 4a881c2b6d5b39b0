"""Does a run survive a bad server and kill -9, and what does it pay twice?

200 samples x 5 metrics against the scripted server with 5 % 429, 2 % 500, 5 % malformed JSON and
one call that never returns: once undisturbed, once killed with SIGKILL three times. The second
may ask for no more replies than the first, but for those in flight when it was killed.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from benchmarks.data import ROOT, load

sys.path.insert(0, str(ROOT / "tests"))

from support.faults import Faults
from support.llm_server import LLMServer

METRICS = [
    "faithfulness",
    "answer_relevancy",
    "context_precision",
    "context_recall",
    "factual_correctness",
]
IN_FLIGHT = 16
TIMEOUT = 10.0


def rows() -> list[dict[str, object]]:
    """200 samples: the 50 WikiEval questions with four different answers."""
    return [
        {
            "id": f"{row['id']}-{field}",
            "question": row["question"],
            "contexts": row["context_v2"],
            "answer": row[field] + (" In short: yes." if field == "ground_truth" else ""),
            "ground_truth": row["ground_truth"],
        }
        for row in load("wikieval/wikieval.jsonl")
        for field in ("answer", "ungrounded_answer", "poor_answer", "ground_truth")
    ]


def client(url: str, store: str, data: str) -> None:
    """The run that is killed: a process of its own."""
    import assay
    from assay.backends.openai import OpenAI

    limits = assay.Limits(in_flight=IN_FLIGHT, timeout=TIMEOUT, backoff=0.1)
    settings = assay.Settings(limits=limits)
    judge = OpenAI("scripted", base_url=url, api_key="none")
    started = time.perf_counter()
    result = assay.evaluate(data, METRICS, judge, store=store, settings=settings)
    print(result.summary())
    print(f"{time.perf_counter() - started:.1f} s, {result.cost()}")


def stats(url: str) -> dict[str, dict[str, int]]:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        found: dict[str, dict[str, int]] = json.load(reply)
        return found


def run(url: str, store: Path, data: Path, kills: list[int]) -> int:
    """Run the client, killing it whenever the server has given so many replies; returns kills."""
    killed = 0
    command = [sys.executable, __file__, "--client", url, str(store), str(data)]
    while True:
        process = subprocess.Popen(command)
        while process.poll() is None:
            if kills and stats(url)["by_status"].get("200", 0) >= kills[0]:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
                kills = kills[1:]
                process.wait()
                break
            time.sleep(0.02)
        else:
            if process.returncode:
                sys.exit(f"the client failed with {process.returncode}")
            return killed


def faults(seed: int = 0) -> Faults:
    return Faults(
        latency_s=0.1,
        jitter=0.5,
        share_429=0.05,
        retry_after_s=0.2,
        share_500=0.02,
        share_malformed=0.05,
        hang_on=(100,),
        seed=seed,
    )


def measure(folder: Path, data: Path, name: str, kills: list[int]) -> int:
    with LLMServer(faults()).in_thread() as server:
        killed = run(server.url, folder / f"{name}.db", data, kills)
        found = stats(server.url)
    print(f"{name}: killed {killed} times, {found}\n", flush=True)
    return found["by_status"]["200"]


def main() -> None:
    if "--client" in sys.argv:
        client(*sys.argv[2:5])
        return
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "data.jsonl"
        data.write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
        undisturbed = measure(folder, data, "undisturbed", [])
        kills = [undisturbed * k // 4 for k in (1, 2, 3)]
        disturbed = measure(folder, data, "killed", kills)
    allowed = len(kills) * IN_FLIGHT
    extra = disturbed - undisturbed
    print(f"replies: {undisturbed} undisturbed, {disturbed} killed 3 times: {extra} more")
    print(f"allowed: {allowed} (in flight when killed): {'kept' if extra <= allowed else 'BROKEN'}")
    sys.exit(extra > allowed)


if __name__ == "__main__":
    main()
