"""Tiny data sets of the form of the real ones, and judges that can be foreseen."""

import gzip
import json

from assay.errors import Denied
from assay.judge import Reply
from assay.tasks import (
    Choice,
    RateAnswer,
    Rating,
    SelectSentences,
    SplitStatements,
    Verdict,
    VerifyStatements,
)


def write(folder, name, rows):
    """Write a file of rows where the sets look for it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def claim(i, text, *, supported, dataset="attributionbench"):
    """A claim about a bridge."""
    return {
        "id": f"{dataset}-{i}",
        "dataset": dataset,
        "question": "",
        "contexts": [f"The bridge is old, no {i}."],
        "claim": f"{text}, no {i}.",
        "labels": {"supported": supported},
    }


CLAIMS = [claim(i, "The bridge is old", supported=True) for i in range(6)]
CLAIMS += [claim(i, "The bridge is new", supported=False) for i in range(6, 12)]
TEST500 = "attribution/attributionbench_test500.jsonl.gz"
DEV = "attribution/attributionbench_dev.jsonl.gz"


class Predictable:
    """Supports what stands in a context word for word; chooses sentences that say "yes".

    Counts how often it is asked, and refuses everything from the `most`-th question on.
    """

    name = "predictable:1"
    local = False

    def __init__(self, most=None, kinds=None):
        self.asked = []
        self.most = most
        self.kinds = kinds

    def identity(self, kind):
        able = self.kinds is None or kind.kind in self.kinds
        return self.name if able and kind.template else None

    async def reply(self, task, draw=0):
        if self.most is not None and len(self.asked) >= self.most:
            raise Denied("no more")
        self.asked.append(task.inputs())
        raw = getattr(self, task.kind)(task)
        return Reply(task.inputs(), raw, 100, 10, 1000.0, backend=self.name, kind=task.kind)

    def split_statements(self, task):
        parts = [part.strip() for part in task.text.split(".") if part.strip()]
        return SplitStatements.reply([(part, part) for part in parts])

    def verify_statements(self, task):
        told = " ".join(task.contexts)
        return VerifyStatements.reply([Verdict(s.id, s.text in told) for s in task.statements])

    def select_sentences(self, task):
        return SelectSentences.reply([Choice(s.id) for s in task.sentences if "yes" in s.text])

    def rate_answer(self, task):
        return RateAnswer.reply(Rating(0.5, noncommittal="sorry" in task.answer))
