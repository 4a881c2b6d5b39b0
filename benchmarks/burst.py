"""How soon is a run back at full speed after a server refused everybody?

    python -m benchmarks.burst

1,500 calls to the scripted server (300 ms, 64 in flight), undisturbed and with a burst: from the
second second on it refuses every call (429) for half a second, with and without Retry-After. Shown
are the time of the whole, and the requests in flight allowed at the worst and soon after.
"""

import asyncio
import sys
import time

from assay import Limits
from assay._middleware.limiter import Limiter
from assay.judges.openai.judge import OpenAI
from assay.tasks import RateAnswer
from benchmarks.data import ROOT

sys.path.insert(0, str(ROOT / "tests"))

from support.faults import Faults
from support.llm_server import LLMServer

CALLS, IN_FLIGHT, LATENCY_S = 1500, 64, 0.3
FROM_S, FOR_S = 2.0, 0.5
CALM = Faults(latency_s=LATENCY_S)


async def run(burst: Faults | None) -> tuple[float, list[tuple[float, int]], int]:
    """(seconds, (time, requests allowed) in turn, refusals)."""
    sizes: list[tuple[float, int]] = []
    with LLMServer(CALM).in_thread() as server:
        judge = OpenAI("scripted", base_url=server.url, api_key="none")
        limit = Limiter(judge, Limits(concurrency=IN_FLIGHT))
        start = time.perf_counter()

        async def disturb() -> None:
            if burst is not None:
                await asyncio.sleep(FROM_S)
                server.faults = burst
                await asyncio.sleep(FOR_S)
                server.faults = CALM

        async def watch() -> None:
            while True:
                sizes.append((time.perf_counter() - start, limit.pace.allowed))
                await asyncio.sleep(0.05)

        beside = [asyncio.create_task(disturb()), asyncio.create_task(watch())]
        tasks = (RateAnswer(f"Question {n}?", "An answer.") for n in range(CALLS))
        await asyncio.gather(*map(limit.reply, tasks))
        seconds = time.perf_counter() - start
        for task in beside:
            task.cancel()
        await limit.aclose()
        return seconds, sizes, limit.usage.throttled


def main() -> None:
    print("| server | seconds | refusals | fewest allowed | back at 90 % after the burst, s |")
    print("|---|---:|---:|---:|---:|")
    kinds = {
        "undisturbed": None,
        "429": Faults(latency_s=LATENCY_S, share_429=1.0),
        "429, Retry-After: 1": Faults(latency_s=LATENCY_S, share_429=1.0, retry_after_s=1.0),
    }
    for name, burst in kinds.items():
        seconds, sizes, refused = asyncio.run(run(burst))
        over = FROM_S + FOR_S
        later = [size for at, size in sizes if at >= FROM_S]
        back = (at for at, size in sizes if at > over and size >= 0.9 * IN_FLIGHT)
        cells = [name, f"{seconds:.1f}", str(refused)]
        cells += [str(min(later)), f"{next(back) - over:.1f}"] if burst else ["", ""]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
