"""The commands `assay testset` and `assay testset add`."""

import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from assay._analysis.cases import Case, add_cases, failing
from assay._cli import options, output
from assay._cli.errors import BUDGET, INTERRUPTED, OK, SOME_FAILED, say
from assay._cli.judges import Judges, budget, priced
from assay._cli.output import counter
from assay._cli.values import (
    look_here,
    read_prompts,
    refuse_among,
    reject_options,
    tell_unread,
)
from assay._report import notes, numbers
from assay._report.tables import dim, listed
from assay._runner.result import open_run
from assay._runner.settings import Settings
from assay.data.files import is_uri
from assay.errors import InputError
from assay.judge import Backend
from assay.testset import Plan, PlanRow, Question, Rejected, Testset, estimate, generate
from assay.testset.generate import by_rules
from assay.testset.offline import offline_plan
from assay.testset.plan import TRAITS, read_rows, written_rows
from assay.testset.questions import lines

_GROUPS = {
    "What is written": ("n", "kinds", "plan", "seed", "words", "out", "rejected"),
    "Who writes and checks": (*("judges", "base_url", "api_key", "timeout", "window", "prompts"),),
    "What it may cost": ("dry_run", "closed_book", "price", "budget", "time_limit"),
    "Pace": ("concurrency", "rpm", "tpm", "retries"),
    "What is shown": ("store", "as_json", "quiet", "no_progress"),
}

_FORMS = {".jsonl": "a line a question"}
# From so large an overlap on retrieval is likely to be easier than for users' own questions.
EASY = 0.7


class _TestsetRequest(options.WriterRequest):
    documents: tuple[str, ...] = options.argument(metavar="DOCUMENTS...", nargs=-1, required=True)
    n: int = options.count("-n", default=50, help="How many questions.")
    kinds: tuple[str, ...] = options.repeatable(
        "--kind",
        metavar="KIND=SHARE",
        help="How many of each kind, relative to the others: single_hop=2, reasoning=1, "
        "multi_hop=1 and unanswerable=1 if not given.",
    )
    plan: str | None = options.option(
        "--plan",
        metavar="FILE",
        help="Take from this .csv file how many of each kind, style, persona and difficulty. With "
        "--dry-run a file that is not there is written, to be edited.",
    )
    seed: int = options.option(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="Chooses the passages that are asked about.",
    )
    words: int = options.count(
        "--passage-words",
        default=200,
        least=50,
        help="Length of the passages that the documents are cut into.",
    )
    out: str = options.option(
        "--out",
        required=True,
        metavar="FILE",
        help="The questions, with reference answers and contexts: .jsonl, a line a question.",
    )
    rejected: str | None = options.option(
        "--rejected",
        metavar="FILE",
        help="Write what failed a check to this file (.jsonl), each with the reason.",
    )
    prompts: str | None = options.option(
        "--prompts",
        metavar="FILE",
        help="Ask with the prompts of this TOML file (`assay explain TASK --toml` writes one).",
    )
    dry_run: bool = options.flag(
        "--dry-run", help="Count calls and tokens; nothing is asked, nothing is spent."
    )
    closed_book: bool = options.flag(
        "--closed-book",
        help="Also ask each question that passed without any text: what is answered right is no "
        "test of retrieval. Counted and marked, not dropped; up to 3 calls more a question.",
    )
    time_limit: float | None = options.number(
        "--time-limit",
        metavar="SECONDS",
        type=options.POSITIVE,
        help="End after so long; what there is by then is written.",
    )
    store: str
    as_json: bool
    quiet: bool
    no_progress: bool


@options.command("testset", _TestsetRequest, _GROUPS)
def testset_command(request: _TestsetRequest) -> int:
    """Write questions that the DOCUMENTS answer, and some that they do not.

    DOCUMENTS are text, Markdown, reStructuredText and HTML files, folders of them, or tables with
    a row a document. A language model (--judge) writes each question with its answer and the words
    of the document that bear it out; without one, rules make them from definitions, numbers, dates,
    lists, tables and the like: as many as are sure, -n at most. A question is kept if it can be
    understood on its own, the words are there, and the judge finds all of the answer supported.
    All replies are kept in the store: the same command goes on where it was killed and pays for
    nothing twice. While it works, what is settled stands in FILE.part.
    """
    documents, prompts = [*request.documents], request.prompts
    shares = {"n": request.n, "rows": _rows(request), **_kinds(request.kinds)}
    shares |= {"seconds": request.time_limit, "closed_book": request.closed_book}
    plan = Plan(seed=request.seed, words=request.words, **shares)
    read = [*documents, request.store, *filter(None, [prompts, request.plan])]
    output.check_files([request.out], *read, forms=_FORMS)
    output.check_file("--rejected", request.rejected, *read, request.out)
    refuse_among(documents, "--out", request.out)
    refuse_among(documents, "--rejected", request.rejected)
    judge, _ = Judges(request).build()
    look_here()
    settings = Settings(
        prompts=read_prompts(prompts),
        limits=request.limits(),
        budget=budget(request),
    )
    paths = [Path(document) for document in documents]
    tell_unread(paths)
    if request.dry_run:
        return _estimate(paths, plan, judge, settings, request)
    drafts = _Parts(request.out, request.rejected)
    try:
        testset = _generate(paths, plan, judge, settings, request, drafts)
    except KeyboardInterrupt:
        say(
            f"interrupted: every reply is kept in {request.store}, and what was settled in "
            f"{request.out}.part; the same command goes on"
        )
        return INTERRUPTED
    set_aside = _set_aside(request.out, testset.jsonl())
    output.write_text("--out", request.out, testset.jsonl())
    if request.rejected:
        output.write_text(
            "--rejected", request.rejected, lines([r.row() for r in testset.rejected])
        )
    drafts.remove()
    if request.as_json:
        output.print_json(_as_plain(testset))
    elif not request.quiet:
        _show(testset, request)
    if set_aside:
        say(f"{request.out} held something else: that is {set_aside} now")
    return _exit_code(testset)


def _set_aside(file: str, text: str) -> str:
    """Keep what a file of other content held, which a person may have edited; its name then."""
    path = Path(file)
    before = path.read_bytes() if path.is_file() else b""
    if before.replace(b"\r\n", b"\n") in {b"", text.encode()}:  # Windows ends lines otherwise
        return ""
    try:
        path.replace(kept := f"{file}.bak")
    except OSError as error:
        fault = f"--out {file} is there, and cannot be renamed to {file}.bak: {error.strerror}"
        raise InputError(fault, "name another file; the replies are kept") from error
    return kept


class _Parts:
    """Files beside --out and --rejected that hold what is settled, a line as soon as it is."""

    def __init__(self, out: str, rejected: str | None) -> None:
        self._out = None if is_uri(out) else Path(f"{out}.part")
        self._rejected = Path(f"{rejected}.part") if rejected else None
        self._begun = set[Path]()

    def __call__(self, draft: Question | Rejected) -> None:
        """Write a question, or a draft that was rejected."""
        path = self._out if isinstance(draft, Question) else self._rejected
        if path is None:
            return
        try:
            with path.open("a" if path in self._begun else "w", encoding="utf-8") as file:
                file.write(lines([draft.row()]))
        except OSError as error:
            fault = f"{path} cannot be written: {error.strerror or error}"
            raise InputError(fault, "make room for it") from error
        self._begun.add(path)

    def remove(self) -> None:
        """Remove them: all that they hold stands in the files themselves."""
        for path in filter(None, (self._out, self._rejected)):
            path.unlink(missing_ok=True)


def _rows(request: _TestsetRequest) -> tuple[PlanRow, ...]:
    """The rows of the plan's file, none without one; writes it if it is to be made."""
    if request.plan is None:
        return ()
    if request.kinds:
        raise InputError("--plan and --kind both say how many of each kind", "leave one out")
    path = Path(request.plan)
    if request.dry_run and not path.exists():
        output.check_file("--plan", request.plan, *request.documents)
        rows = Plan(n=request.n).table()
        output.write_text("--plan", request.plan, written_rows(rows))
        return rows
    reject_options("is said by --plan", "leave one out", "n")
    try:
        return read_rows(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        fault = f"--plan {path} cannot be read: {error}"
        raise InputError(fault, "with --dry-run a file that is not there is written") from error


def _kinds(texts: tuple[str, ...]) -> dict[str, Any]:
    """The shares of the kinds as an argument of `Plan`; none if none were given."""
    shares = dict[str, float]()
    for text in texts:
        kind, equals, share = text.partition("=")
        if kind.strip() in shares:
            raise InputError(f"--kind names '{kind.strip()}' twice", "leave one out")
        try:
            shares[kind.strip()] = float(share) if equals else 1.0
        except ValueError as error:
            remedy = "such as --kind single_hop=2 --kind unanswerable=1"
            raise InputError(f"--kind '{text}' is not KIND=SHARE", remedy) from error
    return {"kinds": shares} if shares else {}


def _generate(
    paths: list[Path],
    plan: Plan,
    judge: Backend,
    settings: Settings,
    request: _TestsetRequest,
    drafts: _Parts,
) -> Testset:
    columns = (TextColumn("questions"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    silent = request.quiet or request.no_progress
    with counter(*columns, description="questions", silent=silent) as progress:
        return generate(
            paths,
            plan,
            judge=judge,
            store=request.store,
            settings=settings,
            on_progress=progress,
            on_draft=drafts,
        )


def _estimate(
    paths: list[Path], plan: Plan, judge: Backend, settings: Settings, request: _TestsetRequest
) -> int:
    counts = estimate(paths, plan, judge=judge, store=request.store, settings=settings)
    rules = by_rules(plan, judge)
    plan = offline_plan(plan) if rules else plan
    money = counts.money(settings.budget.price)
    if request.as_json:
        rounded = {name: round(n) for name, n in vars(counts).items() if name != "charged"}
        output.print_json({"questions": plan.wanted(), **rounded, "money": money})
    elif not request.quiet:
        _show_plan(plan)
        rows = [
            (f"{sum(plan.wanted().values()):,}", "questions"),
            (
                f"{counts.calls:,}",
                f"calls to {', '.join(request.judges) or 'the embedded judge'}, at least",
            ),
            (f"{counts.known:,}", f"calls known already, from {request.store}"),
            (f"{counts.local:,}", "calls answered on this machine, free of charge"),
            (f"{counts.tokens_in:,}", "prompt tokens, about"),
            (f"{round(counts.tokens_out):,}", "reply tokens, about"),
        ]
        if money is not None:
            rows.append((f"{money:,.4f}", f"money, about, {priced(settings.budget.price)}"))
        output.print_counts(rows)
        output.stdout().print(
            "Nothing was asked. Rules make no more questions than they are sure of: there may be "
            "fewer, and more calls."
            if rules
            else "Nothing was asked. Questions that fail a check are written again, up to three "
            "times as many in all."
        )
    return OK


def _show_plan(plan: Plan) -> None:
    rows = plan.table()
    names = ["kind", "n", *(name for name in TRAITS if any(getattr(row, name) for row in rows))]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name, justify="right" if name == "n" else "left")
    for row in rows:
        table.add_row(*(Text(str(getattr(row, name))) for name in names))
    output.stdout().print(table)


def _as_plain(testset: Testset) -> dict[str, Any]:
    """What is told of it, as plain values."""
    fields = ("documents", "passages", "calls", "known", "tokens_in", "tokens_out", "money")
    return {
        "questions": len(testset.questions),
        "wanted": testset.wanted,
        "written": testset.written(),
        "rejected": Counter(question.why for question in testset.rejected),
        "overlap": testset.overlap,
        "quality": testset.quality(),
        **{name: getattr(testset, name) for name in fields},
        "stopped": testset.stopped,
    }


def _show(testset: Testset, request: _TestsetRequest) -> None:
    console = output.stdout()
    passages = numbers.plural(testset.passages, "passage")
    console.print(f"{numbers.plural(testset.documents, 'document')}, {passages}")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("kind")
    for heading in ("wanted", "written", "rejected"):
        table.add_column(heading, justify="right")
    table.add_column("why")
    for kind, count in testset.written().items():
        reason_counts = Counter(
            question.why for question in testset.rejected if question.kind == kind
        )
        reasons = ", ".join(f"{reason} {n}" for reason, n in reason_counts.most_common())
        table.add_row(
            kind, f"{testset.wanted[kind]:,}", f"{count:,}", f"{reason_counts.total():,}", reasons
        )
    console.print(table)
    for line in _remarks(testset):
        console.print(Text(line, style="dim"))
    next_steps = [("rejected", request.rejected)] if request.rejected else []
    if testset.questions:
        command = partial(output.command_line, store=request.store)
        run = command("run", request.out, "--target", "http://localhost:8000/ask")
        review = shlex.join(("assay", "view", "--questions", request.out))
        values_tried = ("--set", "k=3,5", "--set", "generator=passage", "-m", "recall_at_k")
        # Whoever has no system yet learns which retrieval the documents take.
        without = command("sweep", *request.documents, request.out, *values_tried)
        next_steps = [("questions", request.out), *next_steps, ("review", review)]
        next_steps += [("next", run), ("no system", without)]
    output.print_lines(next_steps)


def _remarks(testset: Testset) -> list[str]:
    spent = [notes.asked("judge", testset.calls, testset.known)]
    if testset.tokens_in:
        spent.append(f"{testset.tokens_in:,} prompt tokens, {testset.tokens_out:,} reply tokens")
    if testset.money is not None:
        spent.append(f"{testset.money:,.4f} at the price given")
    remarks = ["; ".join(spent)]
    if testset.by_rules:
        remarks.append(
            "Made by rules: a language model (--judge) writes freer ones, and reasoning."
        )
    if testset.overlap is not None:
        share = f"{testset.overlap:.0%}"
        easy = "; finding it is easier than for questions in users' own words"
        remarks.append(
            f"{share} of a question's content words are in the passage it was written from"
            f"{easy if testset.overlap >= EASY else ''}"
        )
    if quality := testset.quality():
        shares = {name: f"{value:.0%}" for name, value in quality.items()}
        remarks.append(
            f"{shares['kept']} of the drafts kept; {shares['unique']} of what was asked is unique; "
            f"{shares['boilerplate']} of the questions begin alike; {shares['documents']} of the "
            f"documents and {shares['passages']} of the passages have a question"
        )
        if known := quality.get("closed_book"):
            remarks.append(
                f"{known:.0%} of the answerable questions are answered right without any "
                "text (`closed_book`): those are no test of retrieval"
            )
        elif known is not None:
            remarks.append("No answerable question is answered right without any text.")
    if testset.questions:
        ask = "--closed-book tells which a model answers without any text."
        is_told = testset.by_rules or "closed_book" in quality
        remarks.append(f"Read some of them before you rely on them.{'' if is_told else f' {ask}'}")
    return remarks


def _exit_code(testset: Testset) -> int:
    if testset.stopped:
        say(f"stopped: {testset.stopped}")
        return BUDGET
    missing = sum(testset.wanted.values()) - len(testset.questions)
    if testset.by_rules and not testset.questions:
        say("no question: rules found nothing to ask; give more documents, or --judge openai:MODEL")
        return SOME_FAILED
    if missing and testset.by_rules:
        fewer = f"{numbers.plural(missing, 'question')} fewer than asked for"
        say(f"{fewer}: rules make no more of these documents")
    elif missing:
        say(f"{numbers.plural(missing, 'question')} fewer than wanted: too many failed a check")
        return SOME_FAILED
    return OK


_SHOWN = 20  # cases
_CASE_FORMS = {".jsonl": "a line a case"}


class _TestsetAddRequest(options.Request):
    run: str
    where: tuple[str, ...] = options.repeatable(
        "--where",
        metavar="CONDITION",
        help="Which samples: faithfulness<0.5 (also <=, >, >=) by score, faithfulness=bad for "
        "those that people labelled so, faithfulness for those that miss its guide value. A "
        "sample that fits any of them is taken, with the first metric that it fits.",
    )
    to: str = options.option(
        "--to",
        required=True,
        metavar="FILE",
        help="The regression set (.jsonl); made if it is new.",
    )
    as_json: bool
    store: str


@options.command("testset add", _TestsetAddRequest)
def testset_add_command(request: _TestsetAddRequest) -> int:
    """Add failures of RUN to a regression set, which `assay run` and `assay gate --cases` read.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". Each case keeps
    where it is from: run, sample, metric, score, label, reasons and date. A question that is there
    already is replaced by what is added.
    """
    if not request.where:
        raise InputError("--where is missing", "such as --where 'faithfulness<0.5'")
    output.check_files([request.to], request.store, forms=_CASE_FORMS, option="--to")
    result = open_run(request.run, request.store)
    cases = list(failing(result, request.where))
    new, merged = add_cases(request.to, cases) if cases else ([], [])
    if not cases:
        by_label = all(condition.replace(" ", "").endswith("=bad") for condition in request.where)
        relation = "is labelled bad by people" if by_label else "fits"
        say(f"no sample of run {result.run.name or result.run.id} {relation}: nothing was written")
    if request.as_json:
        names = {name: [case.sample.id for case in cases] for name, cases in _groups(new, merged)}
        output.print_json({**names, "file": request.to})
    elif cases:
        for name, changed_cases in _groups(new, merged):
            _show_cases(name, changed_cases)
        if twice := len(cases) - len(new) - len(merged):
            same = numbers.plural(twice, "failure")
            say(f"{same} of the same questions left out: the worst counts")
        gate = f"assay gate --cases {request.to}"
        output.print_lines([("cases", request.to), ("next", gate)])
    return OK


def _groups(new: Sequence[Case], merged: Sequence[Case]) -> list[tuple[str, Sequence[Case]]]:
    return [("added", new), ("replaced", merged)]


def _show_cases(name: str, cases: Sequence[Case]) -> None:
    if not cases:
        return
    remark = ": the same questions were there, the newer ones count" if name == "replaced" else ""
    console = output.stdout()
    console.print(Text(f"{name} {numbers.plural(len(cases), 'case')}{remark}", style="bold"))
    rows = [(_failure(case), case.sample.id, case.sample.question or "") for case in cases[:_SHOWN]]
    for line in listed(rows):
        console.print(line, no_wrap=True, overflow="ellipsis")  # of the line itself, rich forgets
    if len(cases) > _SHOWN:
        console.print(dim(f"... {len(cases) - _SHOWN:,} more"))


def _failure(case: Case) -> Text:
    """By which metric it failed, with its score, or else with the label."""
    value = case.score if case.label is None else case.label
    prefix = "" if case.label is None else "labelled "
    return Text(f"{case.metric} {prefix}{numbers.score(value)}")
