"""The commands `assay repeat` and `assay robustness`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis import repeat as analysis
from assay._analysis.robustness import Level
from assay._cli import estimates, evaluation, options, output, values
from assay._cli.errors import INTERRUPTED, OK, SOME_FAILED, say
from assay._cli.evaluation import read_settings
from assay._cli.judges import Judges, budget, read_asking, read_system
from assay._cli.output import meter
from assay._cli.values import look_here, read_prompts
from assay._report import leaderboard, notes, numbers, sanitize
from assay._report import robustness as words
from assay._report.numbers import called
from assay._report.tables import STYLES, numeric, table
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay._runner.summary import Flips, Noise
from assay._store.runs import Value
from assay.errors import InputError
from assay.experiments.robustness import RobustnessSettings, count_robustness, robustness
from assay.judge import Limits, Reasons


class _RepeatRequest(options.PricedJudgeRequest):
    run: str
    draws: int = options.count("--draws", default=3, help="How often to repeat every task.")
    samples: int = options.count(
        "--samples",
        default=100,
        least=2,
        help="Approximate number of samples, drawn at random; the same ones each time.",
    )
    metrics: tuple[str, ...] = options.option(
        "-m",
        "--metric",
        multiple=True,
        metavar="METRIC",
        help="Only these metrics of the run; MODULE:ATTRIBUTE for one of your own.",
    )
    prompts: str | None = options.option(
        "--prompts", metavar="FILE", help="The prompts that the run was judged with."
    )
    reasons: Reasons
    concurrency: int = options.count(
        "--concurrency", default=16, help="Maximum number of concurrent calls to a judge."
    )
    dry_run: bool
    as_json: bool
    store: str
    no_progress: bool


@options.command("repeat", _RepeatRequest)
def repeat_command(request: _RepeatRequest) -> int:
    """Ask the judge of RUN the same again, and measure how its verdicts and scores move.

    Name the same judge as for the run. Every task is asked with the same settings as
    before, which costs as much as judging these samples did, times --draws: --dry-run estimates
    it. The result is stored with the judge and shown beside every score that it gives under
    the same signature. Replies are stored, so the same command asks nothing again.
    """
    result = Result(request.store, request.run)
    spending = budget(request)
    judge, embedder = Judges(request).build()
    look_here()
    settings = Settings(
        prompts=read_prompts(request.prompts),
        reasons=request.reasons,
        limits=Limits(concurrency=request.concurrency, timeout=request.timeout),
        budget=spending,
    )
    options: dict[str, Any] = {
        "draws": request.draws,
        "samples": request.samples,
        "metrics": values.metric_specs(request.metrics) or None,
        "embedder": embedder,
    }
    if request.dry_run:
        cost, n_scores = analysis.estimate_repeat(result, judge, **options, settings=settings)
        if request.as_json:
            output.print_json({"scores": n_scores, **msgspec.to_builtins(cost)})
        else:
            estimates.show(cost, n_scores, judge, request.store, spending)
        return OK
    try:
        with meter(silent=request.no_progress) as progress:
            settings = replace(settings, on_progress=progress)
            repeated = analysis.repeat(result, judge, **options, settings=settings)
    except KeyboardInterrupt:
        kept_line = f"every reply that came is kept in {request.store}"
        say(f"interrupted: {kept_line}; the same command goes on from there")
        return INTERRUPTED
    if request.as_json:
        output.print_json(msgspec.to_builtins(repeated))
    else:
        output.stdout().print(_repeated_view(repeated, result))
    return OK


def _repeated_view(repeated: analysis.Repeated, result: Result) -> RenderableType:
    scored = {row.metric: row.n_scored for row in result.summary()}
    first = next(iter(repeated.metrics.values()))
    times = numbers.plural(first.draws, "more time")
    title = f"run {called(result.run)}, {numbers.plural(first.samples, 'sample')} judged {times}"
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("metric", overflow="fold")
    table.add_column("a score moves\n(s.d.)", justify="right")
    table.add_column("the mean moves\n(95 %)", justify="right")
    table.add_column("verdicts that flip", overflow="fold")
    for label, noise in repeated.metrics.items():
        table.add_row(Text(sanitize.plain(label)), *_row(noise, scored.get(label, 0)))
    lines: list[RenderableType] = [
        Text(_answer(repeated, scored), style="bold"),
        Text(sanitize.plain(f"{title}, by {numbers.judge_in_words(repeated.judge)}")),
        Text(_cost_text(repeated, result), style="dim"),
        *(Text(sanitize.plain(f"! {text}"), style=STYLES["warn"]) for text in repeated.drift),
    ]
    if not all(noise.same for noise in repeated.metrics.values()):
        lines.append(table)
        lines += [Text(text, style="dim") for text in _wording(repeated)]
    return Group(*lines)


def _cost_text(repeated: analysis.Repeated, result: Result) -> str:
    """What asking again took in all, whenever that was."""
    costs = [Result(result.path, run).cost() for run in repeated.runs]
    calls, read, tokens_out = (
        numbers.count(sum(amounts))
        for amounts in zip(*((c.calls, c.tokens_in, c.tokens_out) for c in costs), strict=True)
    )
    paid = [cost.money for cost in costs if cost.money is not None]
    money = f", cost {numbers.money(sum(paid))}" if paid else ""
    return f"asked {calls}, {read} tokens in, {tokens_out} tokens out{money}"


def _answer(repeated: analysis.Repeated, scored: Mapping[str, int]) -> str:
    """How far the judge's noise moves the means."""
    moves = {
        label: move
        for label, noise in repeated.metrics.items()
        if not noise.same and (move := noise.of_mean(scored.get(label, 0))) is not None
    }
    if all(noise.same for noise in repeated.metrics.values()):
        most = max(repeated.metrics.values(), key=lambda noise: noise.samples).samples
        return f"T{notes.always_same(most)[1:]}."
    if not moves:
        return "How far the judge's noise moves the means cannot be told from so few scores."
    label = max(moves, key=lambda label: moves[label])
    if not moves[label]:
        still = notes.unmoved(repeated.metrics[label].samples)
        return f"N{still[1:]}, though its replies differ."
    largest = f"\N{PLUS-MINUS SIGN}{numbers.score(moves[label])}"
    return sanitize.plain(f"The judge's noise moves means by up to {largest} ({label}).")


def _row(noise: Noise, n: int) -> tuple[str, str, str]:
    if noise.same:
        return "0", "0", "none: always the same"
    moves = noise.of_mean(n)
    mean = f"\N{PLUS-MINUS SIGN}{numbers.score(moves)}" if moves else numbers.score(None)
    flips = [_flips(kind, flips) for kind, flips in noise.flips.items()]
    if noise.unsettled:
        flips.append(f"{numbers.plural(noise.unsettled, 'sample')} scored only at times")
    return numbers.score(noise.sd), mean, "; ".join(flips)


def _flips(kind: str, flips: Flips) -> str:
    ends = flips.interval
    span = f" ({_percent(ends[0])} to {_percent(ends[1])})" if ends else ""
    return f"{kind}: {_percent(flips.rate)} of {flips.n:,}{span}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _wording(repeated: analysis.Repeated) -> list[str]:
    lines = []
    for kind, wording in repeated.wording.items():
        tasks = numbers.plural(wording.n, "task")
        same = f"all of {tasks} answered the same, word for word"
        differ = f"{wording.differ:,} of {tasks} answered in other words"
        lines.append(f"{kind}: {differ if wording.differ else same}")
    return lines


_FORMS = {".html": "a page with the curves", ".md": "Markdown", ".json": "what --json shows"}
_GROUPS = evaluation.groups(
    *("vary", "fill", "seed", "margin"),
    comes_out=("outs", "dry_run", "level", "store", "as_json", "quiet"),
    costs=("price", "budget"),
)


class _RobustnessRequest(evaluation.ExperimentRequest):
    data: str = options.argument(metavar="DATA")
    vary: tuple[str, ...] = options.repeatable(
        "--vary",
        metavar="NAME[=LEVEL,LEVEL]",
        help="A perturbation, with its levels or the usual ones: noise=0.2,0.8 (share, or number, "
        "of passages of other questions), position=first,middle,last, removed=left_out,replaced, "
        "contradicted=beside,instead, typos=0.1,0.5 (share of words), letters=upper,lower, "
        "keywords. All of them if none is named, but for wording=COLUMN: the question as another "
        "column of DATA has it, a paraphrase or a translation.",
    )
    fill: int = options.count(
        "--fill",
        default=0,
        least=0,
        help="With fewer contexts than this, passages of other questions follow a sample's own.",
    )
    seed: int = options.count(
        "--seed", default=0, least=0, help="Draw noise, places and typing errors by this."
    )
    margin: float = options.number(
        "--margin",
        type=options.NumberRange(0, 0.99),
        default=0.1,
        metavar="SHARE",
        help="A drop up to this share of the metric's range counts as none.",
    )
    level: float = options.level(
        "Confidence level of each mean, and of all differences of a curve together."
    )
    outs: tuple[str, ...] = options.outs(
        "Write it to .html (a page with the curves), .md (Markdown) or .json. Repeatable."
    )
    dry_run: bool = options.flag(
        "--dry-run", help="Count the questions that would be sent; ask nobody."
    )


@options.command("robustness", _RobustnessRequest, _GROUPS)
def robustness_command(request: _RobustnessRequest) -> int:
    """Ask a target DATA again with noise, wrong contexts and typing errors: where does it drop?

    Every perturbation is made by rule from DATA alone. Each of its levels is one run in the store,
    over the samples that it applies to. The same command asks nothing again.
    """
    if request.target is None:
        raise InputError("no target is named", "--target URL, MODULE:FUNCTION or FILE.py:FUNCTION")
    inputs = [request.data, request.store]
    output.check_file("--skip-invalid", request.skip_invalid, *inputs)
    output.check_files(request.outs, *inputs, forms=_FORMS)
    settings = read_settings(request)
    judge, embedder = Judges(request).build()
    robustness_settings = options.fill(
        RobustnessSettings,
        request,
        vary=_vary(request.vary) if request.vary else None,
        embedder=embedder,
        settings=settings,
        asking=read_asking(request, settings),
        on_level=None if request.quiet else _say_level,
    )
    metrics = values.metric_specs(request.metrics)
    what_and_who = (request.data, read_system(request, contexts=True), metrics, judge)
    if request.dry_run:
        counts = count_robustness(*what_and_who, store=request.store, settings=robustness_settings)
        return _show_counts(counts, request)
    curves = robustness(*what_and_who, store=request.store, settings=robustness_settings)
    writers = {".html": words.html, ".md": words.markdown}
    data = words.collect(curves)
    output.present(data, request, writers, words.console, quiet=request.quiet)
    failures = (
        curves.failures
        + curves.failed
        + sum(level.failures + level.failed for level in curves.levels)
    )
    return SOME_FAILED if failures else OK


def _vary(texts: Iterable[str]) -> dict[str, list[Value]]:
    """``noise=0.2,0.8`` or ``noise`` each; the usual levels where none are named."""
    bare = [text.strip() for text in texts if "=" not in text]
    levels = values.grid(
        (text for text in texts if "=" in text), option="vary", example="noise=0.4"
    )
    if twice := [name for name in bare if name in levels or bare.count(name) > 1]:
        raise InputError(f"--vary names {twice[0]} twice", "name all its levels in one")
    names = dict.fromkeys(text.partition("=")[0].strip() for text in texts)
    return {name: levels.get(name, []) for name in names}


def _say_level(level: Level) -> None:
    line = f"{level.perturbation}={level.level}: {numbers.plural(level.n, 'sample')}"
    line += f"; system asked {level.asked:,}, reused {level.reused:,}"
    if level.failures:
        line += f"; {numbers.plural(level.failures, 'question')} without an answer"
    say(line)


def _show_counts(counts: dict[str, tuple[int, int]], request: _RobustnessRequest) -> int:
    """Show how many questions each level would be sent; nobody is asked."""
    if request.as_json:
        rows = [{"name": name, "ask": new, "known": known} for name, (new, known) in counts.items()]
        output.print_json({"levels": rows})
    elif not request.quiet:
        counts_table = table("level", gap=2)
        numeric(counts_table, ("to ask", "known"))
        for name, (new, known) in counts.items():
            counts_table.add_row(leaderboard.name(name), numbers.count(new), numbers.count(known))
        output.stdout().print(counts_table)
        total = sum(new for new, _ in counts.values())
        say(f"{total:,} questions to send in {len(counts)} levels. Nothing was asked.")
    return OK
