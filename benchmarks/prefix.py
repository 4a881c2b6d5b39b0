"""How much of the prompts would a server find in its prefix cache, by the order of their parts?

    python -m benchmarks.prefix [--samples 100] [--words 120 500 1500]

The samples and metrics of `benchmarks.engine` with contexts of so many words, scripted replies, no
HTTP. Every prompt is cut into blocks of tokens (four characters each); a block counts as cached if
a prompt that began with the same blocks had been answered before this one was sent. *Hosted*: as
providers say of theirs, from 1,024 tokens on in steps of 128. *Own server*: in steps of 16 from
the first token on, as vLLM does it.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import assay
from assay.judge import Reply, Task
from assay.judges.llm import LLM, Completion
from assay.prompt import OPENING, Template, fenced, render
from benchmarks.data import ROOT
from benchmarks.engine import METRICS, rows

sys.path.append(str(ROOT / "tests"))

LATENCY_S = 0.3
LETTERS = 4  # of a token
CACHES = {"hosted": (128, 1024), "own server": (16, 16)}  # tokens of a step, fewest tokens


@dataclass
class Sent:
    """A call: what was asked, when it was sent and when the reply came."""

    task: Task[Any]
    start: float
    end: float = float("inf")


class Watched(LLM):
    """A scripted judge that remembers when it was asked what."""

    name = "scripted"

    def __init__(self) -> None:
        from support import answers

        super().__init__()
        self._answer = answers.answer
        self.sent: list[Sent] = []

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """As any LLM, and noted."""
        clock = asyncio.get_running_loop().time
        sent = Sent(task, clock())
        self.sent.append(sent)
        reply = await super().reply(task, draw)
        sent.end = clock()
        return reply

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What the script says, after a while."""
        await asyncio.sleep(LATENCY_S)
        return Completion(self._answer(prompt, kind, schema, draw))


def instruction_first(task: Task[Any]) -> str:
    """What does not change, then the sample's texts."""
    return _rendered(task, "")


def contexts_first(task: Task[Any]) -> str:
    """The contexts, then what does not change, then the other texts."""
    return _rendered(task, "context ")


def texts_first(task: Task[Any]) -> str:
    """All texts of the sample, contexts above; then what does not change."""
    shown = sorted(task.prompt_texts, key=lambda item: not item.name.startswith("context "))
    between = task.template.between if task.template else ""
    return "".join([OPENING, *fenced(shown), between])


def _rendered(task: Task[Any], leading: str) -> str:
    template = replace(task.template or Template(""), leading=leading)
    return "".join(render(template, task.prompt_texts))


LAYOUTS: dict[str, Callable[[Task[Any]], str]] = {
    "instruction first": instruction_first,
    "contexts first": contexts_first,
    "all texts first": texts_first,
}


def cached(sent: Sequence[Sent], prompts: Sequence[str], step: int, fewest: int) -> float:
    """The share of all prompt tokens that a cache of such steps held when they were sent."""
    known: dict[int, float] = {}  # since when a beginning is known
    letters = step * LETTERS
    hit = 0
    for call, prompt in zip(sent, prompts, strict=True):
        name, found, whole = 0, 0, True
        for at in range(letters, len(prompt) + 1, letters):
            name = hash((name, prompt[at - letters : at]))
            whole = whole and known.get(name, float("inf")) <= call.start
            found = at // LETTERS if whole else found
            known[name] = min(call.end, known.get(name, float("inf")))
        hit += found if found >= fewest else 0
    return hit / sum(len(prompt) // LETTERS for prompt in prompts)


def asked(samples: int, words: int, *, together: bool) -> list[Sent]:
    """The calls of a run in the order in which they were sent."""
    judge = Watched()
    settings = assay.Settings(probe=False, together=together)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.jsonl"
        given = rows(samples, words=words)
        data.write_text("\n".join(map(json.dumps, given)), encoding="utf-8")
        assay.evaluate(data, METRICS, judge, store=Path(folder) / "s.db", settings=settings)
    return judge.sent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--words", type=int, nargs="+", default=[120, 500, 1500])
    given = parser.parse_args()
    heads = [f"{way}, {cache}" for way in ("alone", "together") for cache in CACHES]
    print(f"| words of a context | parts in order | tokens / sample | {' | '.join(heads)} |")
    print(f"|---:|---|---:|{'---:|' * len(heads)}")
    for words in given.words:
        runs = [asked(given.samples, words, together=way) for way in (False, True)]
        for name, layout in LAYOUTS.items():
            shown = [[layout(call.task) for call in run] for run in runs]
            tokens = sum(len(prompt) // LETTERS for prompt in shown[0]) / given.samples
            shares = [
                cached(run, prompts, step, fewest)
                for run, prompts in zip(runs, shown, strict=True)
                for step, fewest in CACHES.values()
            ]
            cells = " | ".join(f"{share:.0%}" for share in shares)
            print(f"| {words:,} | {name} | {tokens:,.0f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
