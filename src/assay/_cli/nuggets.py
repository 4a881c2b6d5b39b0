"""The command `assay nuggets`: the facts that answers to each question should hold."""

from typing import Any

from assay._cli import options, output, values
from assay._cli.errors import BUDGET, OK, SOME_FAILED, say
from assay._cli.judges import Judges, budget
from assay._cli.values import look_here, read_prompts
from assay._report import numbers
from assay._runner.settings import Settings
from assay.testset import NuggetSet, find_nuggets
from assay.testset.nuggets import Pool
from assay.testset.questions import lines

_GROUPS = {
    "What is found": ("pool", "out", "maps", "contexts"),
    "Who finds it": (*("judges", "base_url", "api_key", "timeout", "window", "prompts"),),
    "What it may cost": ("price", "budget"),
    "Pace": ("concurrency", "rpm", "tpm", "retries"),
}


class _NuggetsRequest(options.WriterRequest):
    data: str = options.argument(metavar="DATA")
    pool: Pool = options.choice(
        "--from",
        choices=("answers", "contexts"),
        default="answers",
        help="Where facts are taken from: the answers of several systems to a question, or its "
        "contexts.",
    )
    out: str = options.option(
        "--out",
        required=True,
        metavar="FILE",
        help="The questions with their nuggets, to be read and edited: .jsonl, a line a question.",
    )
    prompts: str | None
    store: str
    as_json: bool
    maps: tuple[str, ...]
    contexts: str


@options.command("nuggets", _NuggetsRequest, _GROUPS)
def nuggets_command(request: _NuggetsRequest) -> int:
    """Find the facts ("nuggets") that an answer to each question of DATA should hold.

    A judge that writes lists them from the answers or contexts and says which are vital. The
    embedded judge keeps the statements that two answers or more share, which is weaker. Read and
    edit them before you score answers by `nugget_recall`.
    """
    read = [request.data, request.store, *filter(None, [request.prompts])]
    output.check_files([request.out], *read, forms={".jsonl": "a line a question"})
    judge, _ = Judges(request).build()
    look_here()
    settings = Settings(
        mapping=values.mapping(request.maps),
        contexts=values.contexts(request.contexts),
        prompts=read_prompts(request.prompts),
        limits=request.limits(),
        budget=budget(request),
    )
    nugget_set = find_nuggets(
        request.data, judge=judge, pool=request.pool, store=request.store, settings=settings
    )
    output.write_text("--out", request.out, lines([dict(row) for row in nugget_set.rows]))
    if request.as_json:
        output.print_json(_plain(nugget_set))
    else:
        _show(nugget_set, request.out)
    for row, why in nugget_set.failed.items():
        say(f"{row}: {why}")
    if nugget_set.stopped:
        say(f"stopped: {nugget_set.stopped}")
        return BUDGET
    return SOME_FAILED if nugget_set.failed else OK


def _plain(found: NuggetSet) -> dict[str, Any]:
    kinds = [kind for row in found.rows for kind in row["nuggets"].values()]
    return {
        "questions": len(found.rows),
        "nuggets": len(kinds),
        "vital": kinds.count("vital"),
        "without": [row["id"] for row in found.rows if not row["nuggets"]],
        "method": found.method,
        "failed": dict(found.failed),
        "left_out": list(found.left_out),
        "stopped": found.stopped,
    }


def _show(found: NuggetSet, out: str) -> None:
    counts = _plain(found)
    questions = numbers.plural(counts["questions"], "question")
    console = output.stdout()
    nuggets = numbers.plural(counts["nuggets"], "nugget")
    text = f"{questions}, {nuggets} ({counts['vital']} vital), {found.method}"
    console.print(output.indented(text, 0))
    for n, why in (
        (len(counts["without"]), "without any nugget: no fact was found"),
        (len(found.left_out), "left out: one text alone shares nothing"),
    ):
        if n:
            console.print(output.indented(f"{numbers.plural(n, 'question')} {why}", 0))
    output.print_lines([("nuggets", out), ("next", f"read and edit {out}; see docs/nuggets.md")])
