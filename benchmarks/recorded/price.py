"""What four metrics cost a sample, as a strong model writes the replies.

    python -m benchmarks.recorded.price

The first samples of `benchmarks.engine`; `price.jsonl.gz` has the model's replies to their default
prompts. A token is four characters, and a reply token costs four times as much as one of the
prompt. In the long form (`--reasons all`) the same statements stand with the words that they were
taken from, and reasons and quotes are as long as those on record.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from assay.judge import Reasons, Task
from assay.tasks import GenerateQuestions, JudgeContexts, Statement, VerifyStatements
from assay.tasks.statements import SplitTexts
from benchmarks.engine import rows
from benchmarks.recorded.replay import Recorded, lines
from benchmarks.recorded.short import found

SAMPLES: Final = 5
REPLY_PRICE: Final = 4  # of a token, in tokens of a prompt
QUESTIONS: Final = 3


def recorded() -> Recorded:
    """The replies to the default prompts."""
    return Recorded({line["key"]: line["reply"] for line in lines("price.jsonl.gz")})


def asked(row: Mapping[str, Any], judge: Recorded) -> Iterator[tuple[Task[Any], str]]:
    """What is asked about a sample of faithfulness, context recall and precision, and relevancy."""
    contexts = tuple(row["contexts"])
    split = SplitTexts(row["question"], (row["answer"], row["reference"]))
    yield split, (reply := judge.ask(split.prompt()))
    texts = dict.fromkeys(item.text for items in split.read(reply).values() for item in items)
    statements = tuple(Statement(f"s{n}", text) for n, text in enumerate(texts, start=1))
    for task in (
        VerifyStatements(statements, contexts),
        JudgeContexts(row["question"], row["reference"], contexts),
        GenerateQuestions(row["answer"], QUESTIONS),
    ):
        yield task, judge.ask(task.prompt())


def filler() -> dict[str, int]:
    """Characters of a reason, with its quote, in the long replies on record."""
    said = [v for row in lines("short.jsonl.gz") for v in found(row, "long")[1]]
    useful = [
        verdict["reason"]
        for line in lines("replies.jsonl.gz")
        if line["task"] == JudgeContexts.kind
        for verdict in json.loads(line["reply"])["verdicts"]
    ]
    return {
        VerifyStatements.kind: round(sum(len(v.reason + v.quote) for v in said) / len(said)),
        JudgeContexts.kind: round(sum(map(len, useful)) / len(useful)),
    }


def in_long_form(task: Task[Any], reply: str, letters: Mapping[str, int]) -> str:
    """The same reply as `--reasons all` asks for it."""
    if isinstance(task, SplitTexts):
        items = task.read(reply)
        texts = [
            {"id": name, "statements": [{"text": i.text, "source": i.source} for i in items[name]]}
            for name in task.ids
        ]
        return json.dumps({"texts": texts})
    if isinstance(task, VerifyStatements | JudgeContexts):
        kind: Any = type(task)
        reason = "." * letters[task.kind]
        said: str = kind.reply([replace(v, quote="", reason=reason) for v in task.read(reply)])
        return said
    return reply


def cost(reasons: Reasons) -> Counter[str]:
    """Tokens a sample: of the prompts with their schemas, of the replies; and the price."""
    judge, letters, fill = recorded(), Counter[str](), filler()
    for row in rows(SAMPLES):
        for task, reply in asked(row, judge):
            template = task.template_for(reasons)
            assert template is not None
            said = in_long_form(task, reply, fill) if reasons == "all" else reply
            prompt = len("".join(task.pieces(template))) + len(
                json.dumps(task.schema_for(template))
            )
            letters.update(
                {"prompt": prompt, "reply": len(said), f"reply to {task.kind}": len(said)}
            )
    tokens = Counter({name: round(n / 4 / SAMPLES) for name, n in letters.items()})
    tokens["price"] = tokens["prompt"] + REPLY_PRICE * tokens["reply"]
    return tokens


def main() -> None:
    """Print both forms."""
    kinds: tuple[Reasons, ...] = ("all", "failures")
    for reasons in kinds:
        print(reasons, dict(cost(reasons)))
    print(f"{cost('failures')['price'] / cost('all')['price']:.1%} of the price")


if __name__ == "__main__":
    main()
