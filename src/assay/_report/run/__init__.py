"""The report of a run: as plain values, on the console with its evidence, and in Markdown."""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from assay._analysis.answering import answered_by
from assay._analysis.cascade import audit_cascade
from assay._analysis.comparability import drift_told, judge_of, judges
from assay._analysis.diagnosis import diagnose
from assay._report import diagnosis as words
from assay._report import labels, notes, numbers, sanitize, tables
from assay._report.numbers import judge_in_words, run_description
from assay._report.run.evidence import Turn, find_quote, turns
from assay._report.sanitize import cell, code, inline
from assay._report.tables import STYLES, dim, grid, joined, markdown_table, numeric, table
from assay._runner.plan import texts_of, trust_in, unmeasured_judges
from assay._runner.result import NOT_DONE, Result
from assay._runner.summary import MetricSummary
from assay._store import Run, Store
from assay._text.language_id import is_english
from assay._version import __version__
from assay.errors import InputError
from assay.judge import Reply
from assay.sample import Sample
from assay.score import Outcome, Part
from assay.tasks import Embed, EmbedTokens

# More samples than this make a page that no browser likes; the table still counts them all.
MOST_SAMPLES = 2000
# Of more samples a summary does not wait for the diagnosis, which takes a millisecond for each.
MOST_DIAGNOSED = 5000
# So many samples, the first ones, are looked at to tell the language of the data.
LOOKED_AT = 200
_THOUGHTS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)


def collect(
    result: Result,
    *,
    limit: int = MOST_SAMPLES,
    only: str | None = None,
    diagnosed: bool | None = None,
) -> dict[str, Any]:
    """Everything a report shows of a run, as plain values.

    Args:
        result: The run.
        limit: Samples shown in full, the first ones; with 0 the report is a summary.
        only: Id of the one sample to show instead.
        diagnosed: Whether what went wrong is looked into; by default where samples are shown.

    Raises:
        InputError: If there is no sample of that id.
    """
    diagnosed = (limit > 0 and only is None) if diagnosed is None else diagnosed
    run = result.run
    baseline = result.baseline()
    cost = result.cost()
    audit = audit_cascade(result)
    unmeasured = [judge_in_words(name) for name in unmeasured_judges(run)]
    summary = result.summary()
    with Store(result.path) as store:
        first = itertools.islice(store.samples(run.id), limit)
        rows = first if only is None else [store.sample(run.id, only)]
        samples = [sample_values(store, run, row, sample) for row, sample in rows]
        metrics = [_metric(store, run, row) for row in summary]
        looked_at = [sample for _, sample in itertools.islice(store.samples(run.id), LOOKED_AT)]
        answering = answered_by(store, run)
        drifts = drift_told(store, run.id, answering)
    return {
        "assay": __version__,
        "run": _run(run),
        "metrics": metrics,
        "baseline": msgspec.to_builtins(baseline) if baseline else None,
        "cost": msgspec.to_builtins(cost),
        "drift": drifts,
        "answered_by": msgspec.to_builtins(answering),
        "cascade": msgspec.to_builtins(audit) if audit else None,
        "unmeasured": notes.unmeasured(unmeasured, metrics),
        "foreign": {
            "samples": sum(not is_english(_text_of(sample)) for sample in looked_at),
            "looked_at": len(looked_at),
        },
        "thoughts": sum(bool(_THOUGHTS.match(sample.answer or "")) for sample in looked_at),
        "diagnosis": words.collect(diagnose(result)) if diagnosed else None,
        "samples": samples,
        "n_shown": len(samples),
    }


def summed_up(result: Result) -> dict[str, Any]:
    """What a report shows of a run without its samples, with what went wrong if that is quick."""
    return collect(result, limit=0, diagnosed=result.run.n_samples <= MOST_DIAGNOSED)


def _text_of(sample: Sample) -> str:
    context = (sample.contexts or ("",))[:1]
    return " ".join(filter(None, [sample.question, sample.answer, *context]))[:5000]


def _run(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        **run_description(run),
        "created": run.created,
        "finished": run.finished is not None,
        "stopped": run.stopped,
        "source": run.source,
        "judge": _judges(run),
        "judge_in_words": judge_in_words(_judges(run)),
        "embedder": run.config["embedder"],
        "n_samples": run.n_samples,
        "skipped": run.skipped,
        "notes": list(run.config.get("data_notes", ())),
        "texts": dict(texts_of(run)),
    }


def _judges(run: Run) -> str:
    """The judge, and who else was asked for what, as far as the metrics of this run ask."""
    terms = (term for signature in run.metrics.values() for term in signature.split("|"))
    kinds_asked = {term.partition("=")[0] for term in terms} - {Embed.kind, EmbedTokens.kind}
    kinds: dict[str, list[str]] = {}
    for kind, name in run.config["routes"].items():
        if kind in kinds_asked and name != run.config["judge"]:
            kinds.setdefault(name, []).append(kind)
    other_judges = [f"{name} for {', '.join(own_kinds)}" for name, own_kinds in kinds.items()]
    return "; ".join(filter(None, [judge_of(run), *other_judges]))


def _metric(store: Store, run: Run, row: MetricSummary) -> dict[str, Any]:
    fields = msgspec.to_builtins(row)
    label = fields.pop("metric")
    facts = run.config["about"][label]
    return {
        "label": label,
        "unit": "",  # of runs that were made before metrics had one
        **facts,
        **trust_in(run, label),
        "asks": judges(label, run.metrics[label]),
        **fields,
        "methods": list(row.methods),
        "values": list(store.numbers(run.id, label).values()),
    }


def sample_values(store: Store, run: Run, row: int, sample: Sample) -> dict[str, Any]:
    """A sample with its scores, their evidence and replies, as plain values."""
    scores = {
        metric: score_values(
            store.outcome(run.id, row, metric) or NOT_DONE, store.replies(run.id, row, metric)
        )
        for metric in run.metrics
    }
    fields = msgspec.to_builtins(sample)
    return {**fields, "row": row, "contexts": list(sample.contexts or ()), "scores": scores}


def score_values(outcome: Outcome, replies: Sequence[Reply]) -> dict[str, Any]:
    """A score with its evidence and replies, or why there is none, as plain values."""
    empty: dict[str, Any] = {"value": None, "why": "", "detail": "", "method": "", "details": {}}
    calls = [{**msgspec.to_builtins(reply), "prompt": reply.prompt} for reply in replies]
    return {**empty, **msgspec.to_builtins(outcome), "replies": calls}


Json = Mapping[str, Any]
_EXCERPT: Final = 240
_FEW: Final = 3  # sentences that do not help, or tokens; more are counted
_TOKENS: Final = ("token", "reference token")
# Columns of the score table that are shown where one of their counts is not 0.
_COUNTS: Final[Mapping[str, Callable[[Json], int]]] = {
    "undef": lambda metric: int(metric["n_undefined"]),
    "fail": notes.failed,
    "not reached": lambda metric: int(metric.get("n_not_reached", 0)),
    "no answer": lambda metric: int(metric.get("n_unanswered", 0)),
}
_WIDE: Final = {"not reached", "no answer"}


def summary(data: Json) -> RenderableType:
    """The score table with everything that must be read beside it."""
    run = data["run"]
    title = Text(sanitize.plain(f"run {numbers.beside(run['title'], run['id'])}"), style="bold")
    source = run["source"] if run["name"] else ""  # otherwise it is called by its data
    partial = "stopped early" if run["stopped"] else "" if run["finished"] else "not finished"
    facts = [source, numbers.plural(run["n_samples"], "sample"), partial]
    title.append("  " + ", ".join(sanitize.plain(fact) for fact in facts if fact), style="not bold")
    warned = [_note(note) for note in notes.notes(data)]
    first = _first_page(data["diagnosis"]) if data["diagnosis"] else []
    remarks = [dim(text)] if (text := numbers.remarks(run)) else []
    remarks_below = [*_remarks_below(data), *warned, dim(notes.cost(data))]
    return Group(title, *remarks, *first, _table(data), *remarks_below)


def about(data: Json) -> RenderableType:
    """Of every metric: its definition, how often its judge is wrong, and its signature."""
    blocks: list[RenderableType] = []
    for metric in data["metrics"]:
        head = Text(sanitize.plain(metric["label"]), style="bold")
        lines = [metric["doc"], metric["source"], notes.trust(metric), metric["signature"]]
        text = Text("\n".join(sanitize.plain(line) for line in lines if line))
        blocks += [head, Padding(text, (0, 0, 0, 2))]
    return Group(*blocks)


def _first_page(diagnosis: Json) -> list[RenderableType]:
    """How many samples were flagged, what mostly, how sure that is, and which to read first."""
    head = Text(words.headline(diagnosis), style=STYLES["bad"] if diagnosis["n_failed"] else "")
    facts = grid(2, right=False)
    for name, text in words.first_page(diagnosis):
        facts.add_row(Text(name, style="dim"), Text(sanitize.plain(text)))
    return [head, facts, Text()]


def sample(
    data: Json, sample_id: str, metric: str | None = None, *, raw: bool = False
) -> RenderableType:
    """The evidence behind the scores of one sample, or behind one of them.

    Raises:
        InputError: If the report does not hold that sample or that metric.
    """
    sample = next((s for s in data["samples"] if str(s["id"]) == sample_id), None)
    if sample is None:
        raise InputError(f"no sample {sample_id!r} in run {data['run']['id']}")
    metrics = [m for m in data["metrics"] if m["label"] in sample["scores"]]
    wanted = [m for m in metrics if metric in (None, m["label"])]
    if not wanted:
        known = ", ".join(m["label"] for m in metrics)
        raise InputError(f"sample {sample_id!r} has no score {metric!r}; it has: {known}")
    texts = [(name, sample[name]) for name in ("question", "answer", "reference")]
    printed: dict[Part, str] = {}
    return Group(
        Rule(Text(f"sample {sanitize.plain(sample['id'])}, row {sample['row']}")),
        *(_labelled_text(name, text or "(empty)") for name, text in texts if text is not None),
        *(_turn(turn) for turn in turns(sample)),
        *(_shown_score(m, sample, printed, raw=raw, show_whole=metric is not None) for m in wanted),
    )


def _table(data: Json) -> Table:
    has_quality = any(notes.quality(metric) for metric in data["metrics"])
    counts = [name for name, count_of in _COUNTS.items() if any(map(count_of, data["metrics"]))]
    rows = table("metric", gap=0 if _WIDE & {*counts} else 1)  # a name is to fit into 80 columns
    numeric(rows, ("mean", "95 % CI", *(("finds", "errs") if has_quality else ()), "n", *counts))
    rows.add_column("spread", no_wrap=True, width=10)
    for metric in data["metrics"]:
        rows.add_row(*_row(metric, counts, known=has_quality))
    return rows


def _row(metric: Json, counts: Sequence[str], *, known: bool) -> list[RenderableType]:
    name = Text(sanitize.plain(metric["label"]))
    if unit := notes.unit(metric):
        name.append(f" {sanitize.plain(unit)}", style="dim")
    if not metric["higher_is_better"]:
        name.append(" \N{DOWNWARDS ARROW}", style="dim")
    rates = notes.quality(metric) or (numbers.DASH, numbers.DASH)
    return [
        tables.Name(name),
        Text(numbers.score(metric["mean"]), style="bold"),
        Text(numbers.span(metric["interval"], numbers.DASH)),
        *(map(Text, rates) if known else ()),
        Text(numbers.count(metric["n_scored"])),
        *(_count(name, _COUNTS[name](metric)) for name in counts),
        Text(tables.spread(metric).line(), style="cyan"),
    ]


def _count(name: str, number: int) -> Text:
    alarming = number and name != "undef"
    return Text(numbers.count(number), style=STYLES["bad"] if alarming else "")


def _remarks_below(data: Json) -> list[RenderableType]:
    lines = notes.beside(data)
    return [Text.assemble((f"{sanitize.plain(k)}: ", "dim"), sanitize.plain(v)) for k, v in lines]


def _shown_score(
    metric: Json, sample: Json, printed: dict[Part, str], *, raw: bool, show_whole: bool
) -> RenderableType:
    score = sample["scores"][metric["label"]]
    head = Text(sanitize.plain(metric["label"]), style="bold")
    if score["value"] is None:
        head.append(f"  {score['why']}: {sanitize.plain(score['detail'])}", style=STYLES["bad"])
    else:
        head.append(f"  {numbers.score(score['value'])}")
    for name, value in score["details"].items():
        if isinstance(value, list):  # positions and the like: --json has them
            continue
        head.append(
            f"  {sanitize.plain(name)} {sanitize.plain(numbers.detail(value))}", style="dim"
        )
    lines: list[RenderableType] = [Text(), head]
    if score["method"]:
        lines.append(dim(f"computed as {sanitize.plain(score['method'])}"))
    for kind, parts in labels.grouped(msgspec.convert(score["parts"], list[Part])).items():
        title = f"{labels.heading(kind)}: {labels.tally(parts)}".rstrip(": ")
        lines.append(Text(sanitize.plain(title)))
        visible, n_more = (parts, 0) if show_whole or raw else _of_weight(parts)
        lines += [_part_block(part, metric, sample, {} if raw else printed) for part in visible]
        if n_more:
            sort = "closer" if kind in _TOKENS else "not relevant"
            more = f"{n_more} {sort} ones are left out: --metric '{metric['label']}' has them"
            lines.append(Padding(dim(more), (0, 0, 0, 2)))
    lines += _replies(score["replies"], raw=raw)
    return Group(*lines)


def _of_weight(parts: list[Part]) -> tuple[list[Part], int]:
    """Sentences that help, or tokens that are least alike, and how many others there are."""
    if parts[0].kind in _TOKENS:
        relevant = sorted(parts, key=lambda part: part.value or 0.0)[:_FEW]
    else:
        relevant = [p for p in parts if p.kind != "sentence" or p.label != "not relevant"]
    n_left_out = len(parts) - len(relevant)
    return (relevant, n_left_out) if n_left_out > _FEW else (parts, 0)


def _printed_under(part: Part, metric: Json, printed: dict[Part, str]) -> str:
    """The metric under which the reason and the quote of this evidence stand already, or ""."""
    key = Part(part.kind, part.text, reason=part.reason, context=part.context, quote=part.quote)
    first = printed.setdefault(key, metric["label"])
    return first if first != metric["label"] and (part.reason or part.quote) else ""


def _part_block(part: Part, metric: Json, sample: Json, printed: dict[Part, str]) -> RenderableType:
    other_metric = _printed_under(part, metric, printed)
    tone = labels.tone(part, higher_is_better=metric["higher_is_better"])
    lines: list[Text] = [Text(sanitize.plain(labels.excerpt(part, sample["contexts"])))]
    facts = [*([labels.meaning(part.label)] if part.label else []), *labels.facts(part, tone)]
    lines.append(Text(sanitize.plain(", ".join(facts)), style=STYLES[tone]))
    if other_metric:
        lines[-1].append(f"; why: see {sanitize.plain(other_metric)}", style="dim")
    elif part.reason:
        lines.append(Text(sanitize.plain(part.reason), style="dim"))
    lines += [] if other_metric else _excerpt(part, sample["contexts"])
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text(labels.SYMBOLS[tone], style=STYLES[tone]), Group(*lines))
    return Padding(grid, (0, 0, 0, 2))


def _excerpt(part: Part, contexts: list[str]) -> list[Text]:
    """The quote with the words around it in its context, so that it can be checked."""
    if not part.quote:
        return []
    if part.context is None:  # of a context that is not the sample's, such as a turn's own
        return [Text(f'"{sanitize.plain(part.quote)}"', style="italic")]
    text = labels.context(part, contexts) or ""
    span = find_quote(text, part.quote)
    if span is None:
        quote_alone = Text(f'"{sanitize.plain(part.quote)}"', style="italic")
        return [quote_alone, Text("~ these words are not in that context", STYLES["warn"])]
    start, end = span
    room = max((_EXCERPT - (end - start)) // 2, 20)
    ellipsis = "\N{HORIZONTAL ELLIPSIS}" if start > room else ""
    after = "\N{HORIZONTAL ELLIPSIS}" if end + room < len(text) else ""
    line = Text("\N{BOX DRAWINGS LIGHT VERTICAL} " + ellipsis, style="dim")
    line.append(_one_line(text[max(start - room, 0) : start]))
    # Brackets show the quote where neither colour nor underline can.
    line.append(f"[{_one_line(text[start:end])}]", style="not dim underline")
    line.append(_one_line(text[end : end + room]) + after)
    return [line]


def _replies(replies: list[Json], *, raw: bool) -> list[RenderableType]:
    if not replies:
        return []
    lines: list[RenderableType] = [dim(numbers.calls(replies))]
    for reply in replies if raw else []:
        name = f"{reply['kind']} by {reply['backend']}, draw {reply['draw']}, key {reply['key']}"
        lines.append(Rule(Text(sanitize.plain(name), style="dim"), align="left", style="dim"))
        lines += [_labelled_text("prompt", reply["prompt"]), _labelled_text("reply", reply["raw"])]
    return lines


def _labelled_text(name: str, text: str) -> RenderableType:
    return Group(Text(name, style="dim"), Padding(Text(sanitize.plain(text)), (0, 0, 0, 2)))


def _turn(turn: Turn) -> RenderableType:
    lines = [Text(sanitize.plain(turn.text))] if turn.text else []
    lines += [Text(f"calls {sanitize.plain(call)}", style="cyan") for call in turn.calls]
    heading = ", ".join(filter(None, [turn.heading.lower(), turn.about]))
    return Group(Text(sanitize.plain(heading), style="dim"), Padding(Group(*lines), (0, 0, 0, 2)))


def _note(note: notes.Note) -> Text:
    symbol, style = ("!", STYLES["bad"]) if note.level == "warn" else ("i", "")
    return Text(f"{symbol} {sanitize.plain(note.text)}", style=style)


def _one_line(text: str) -> str:
    return sanitize.plain(text.replace("\n", " "))


_HEADS: Final = {
    "metric": ":---",
    "mean (95 % interval)": "---:",
    "guide": "---:",
    "worst-case bounds": ":---:",
    "scored": "---:",
    "undefined": "---:",
    "failed": "---:",
    "not reached": "---:",
    "no answer": "---:",
    "distribution": ":---",
}


def markdown(data: Mapping[str, Any]) -> str:
    """The score table with everything that must be read beside it."""
    run = data["run"]
    made_of = [name for name in (run["source"], run["judge_in_words"]) if name]
    samples = numbers.plural(run["n_samples"], "sample")
    first = data["diagnosis"]
    blocks = [
        f"## assay run {code(numbers.beside(run['title'], run['id']))}",
        ", ".join([samples, *map(code, made_of)]),
        "\n>\n".join(
            f"> {'**Warning:** ' if note.level == 'warn' else ''}{inline(note.text)}"
            for note in notes.notes(data)
        ),
        _markdown_first_page(first) if first else "",
        _markdown_table(data["metrics"]),
        "\n".join(f"- {line}" for line in _markdown_beside(data)),
        inline(notes.cost(data)),
    ]
    return joined(blocks)


def _markdown_first_page(diagnosis: Mapping[str, Any]) -> str:
    lines = [f"- {name}: {inline(text)}" for name, text in words.first_page(diagnosis)]
    return "\n".join([f"{inline(words.headline(diagnosis))}.", "", *lines])


def _markdown_table(metrics: Sequence[Mapping[str, Any]]) -> str:
    empty = {name for name in ("not reached", "no answer") if not any(map(_COUNTS[name], metrics))}
    sides = {name: side for name, side in _HEADS.items() if name not in empty}
    rows = (_markdown_cells(metric) for metric in metrics)
    return markdown_table(sides, ([row[name] for name in sides] for row in rows))


def _markdown_cells(metric: Mapping[str, Any]) -> dict[str, str]:
    mean = numbers.score(metric["mean"])
    if metric["interval"]:
        mean += f" ({numbers.span(metric['interval'])})"
    guide = ""
    if metric["guide"] is not None:
        guide = numbers.score(metric["guide"])
    missing = metric["n_failed"] or metric.get("n_unanswered", 0)
    return {
        "metric": cell(metric["label"]) + _remark(metric),
        "mean (95 % interval)": mean,
        "guide": guide,
        "worst-case bounds": numbers.span(metric["bounds"]) if missing else "none failed",
        "scored": numbers.count(metric["n_scored"]),
        "undefined": numbers.count(metric["n_undefined"]),
        "failed": numbers.count(notes.failed(metric)),
        **{name: numbers.count(_COUNTS[name](metric)) for name in ("not reached", "no answer")},
        # Spaces at the ends of a code span are lost, and with them where the axis begins.
        "distribution": "`" + tables.spread(metric).line().replace(" ", "·") + "`",
    }


def _remark(metric: Mapping[str, Any]) -> str:
    lower = "" if metric["higher_is_better"] else "lower is better"
    remark = ", ".join(filter(None, [inline(notes.unit(metric)), lower]))
    return f" ({remark})" if remark else ""


def _markdown_beside(data: Mapping[str, Any]) -> list[str]:
    lines = [inline(text) for text in data["unmeasured"]]
    for text, names in notes.by_remark(data, notes.trust).items():
        lines.append(f"{', '.join(map(code, names))}: {inline(text)}")
    for method, names in notes.methods(data).items():
        lines.append(f"{', '.join(map(code, names))}: computed as {inline(method)}")
    for metric in data["metrics"]:
        tail = notes.percentiles(metric)
        lines += [f"{code(metric['label'])}: {inline(tail)}"] if tail else []
    for remark in (notes.letters, notes.noise):
        for text, names in notes.by_remark(data, remark).items():
            lines.append(f"{', '.join(map(code, names))}: {inline(text)}")
    cosines = [code(metric["label"]) for metric in data["metrics"] if metric["cosine"]]
    if cosines:
        lines.append(f"{', '.join(cosines)}: {inline(notes.baseline(data))}")
    return lines
