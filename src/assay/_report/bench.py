"""A measured judge beside baselines and others, and what adapting a model has changed."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._report import numbers, sanitize
from assay._report.page import Section, Sections
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_table
from assay._text.results import between, difference
from assay.bench.benchmark import Figure
from assay.bench.card import JudgeCard, Measured
from assay.judges.embedded import card as cards
from assay.judges.embedded.card import CardFigure

Json = Mapping[str, Any]
_STYLES: Final = {"above": "green", "level": "yellow", "below": "red", None: ""}
_HEADS: Final = (
    "measured", "value", "95 % interval", "n", "base rate", "floor", "others", "beside",
)  # fmt: skip
_RIGHT: Final = frozenset(("value", "n", "base rate"))
_ALWAYS: Final = 4  # columns that are shown even where they are empty


def console(data: Json, other: Json | None = None) -> RenderableType:
    """Every set with its figures, or with why there are none; beside those of another judge."""
    card = msgspec.convert(data, JudgeCard)
    other_card = msgspec.convert(other, JudgeCard) if other else None
    blocks: list[RenderableType] = [Text(sanitize.plain(_title(card)), style="bold")]
    for measured in card.sets:
        head = Text(f"\n{measured.name}", style="bold")
        head.append(f"  {sanitize.plain(measured.about)}", style="not bold")
        blocks.append(head)
        if measured.skipped:
            blocks.append(Text(f"  {sanitize.plain(measured.skipped)}", style="yellow"))
        else:
            beneath = [text for text in (_sources(measured), _resources(measured)) if text]
            blocks += [
                figures_table(measured.figures, other_card),
                *(dim(text) for text in beneath),
            ]
    blocks += [dim(f"\n{note}") for note in _notes(card, other_card)]
    return Group(*blocks)


def figures_table(figures: Sequence[CardFigure], beside: JudgeCard | None = None) -> Table:
    """Figures with their intervals, floors and what others publish; beside those of another."""
    table = _wide(expand=True)
    heads, rows = _rows_of(figures, beside)
    wide = {"measured": 5, "floor": 3, "others": 3}
    for head in heads:
        table.add_column(
            head,
            justify="right" if head in _RIGHT else "left",
            ratio=wide.get(head),
            no_wrap=head not in (*wide, "base rate"),
        )
    for figure, row in zip(figures, rows, strict=True):
        cells = [Text(sanitize.plain(cell)) for cell in row]
        cells[1].stylize(_STYLES[figure.standing])
        if remarks := _remarks(figure):
            cells[0].append(f"\n{sanitize.plain(remarks)}", style="dim")
        table.add_row(*cells)
    return table


def console_costs(costs: Json) -> RenderableType:
    """What each set would take, and all of them."""
    table = _wide()
    heads = ("calls", "known", "here", "prompt tokens", "reply tokens", "money")
    table.add_column("set")
    for head in heads:
        table.add_column(head, justify="right")
    for costs_of_set in (*costs["sets"], costs["all"]):
        if costs_of_set["skipped"]:
            continue
        money = "?" if costs_of_set["money"] is None else f"{costs_of_set['money']:,.4f}"
        counts = ("calls", "known", "local", "tokens_in", "tokens_out")
        table.add_row(
            costs_of_set["name"], *(f"{costs_of_set[count]:,}" for count in counts), money
        )
    remark = "Nothing was asked, nothing was spent. Counts are about right, not exact."
    missed = [
        Text(sanitize.plain(f"{costs_of_set['name']}: {costs_of_set['skipped']}"), style="yellow")
        for costs_of_set in costs["sets"]
        if costs_of_set["skipped"]
    ]
    priced = "" if costs["all"]["money"] is not None else " Money: say what tokens cost, --price."
    return Group(table, *missed, Text(f"\n{remark}{priced}", style="dim"))


def console_catalogue(sets: Json) -> RenderableType:
    """What can be measured, and on which files."""
    table = _wide()
    for head in ("set", "what people said of it", "files and their licence", "there"):
        table.add_column(head, overflow="fold")
    for labelled_set in sets["sets"]:
        files = Text("\n".join(labelled_set["files"]))
        files.append(f"\n{labelled_set['licence']}", style="dim")
        presence = {
            True: Text("yes", style="green"),
            False: Text("no", style="red"),
            None: Text("?"),
        }
        description = Text(labelled_set["about"])
        if labelled_set["family"] != labelled_set["name"]:
            description.append(f"\none of {labelled_set['family']}", style="dim")
        table.add_row(labelled_set["name"], description, files, presence[labelled_set["present"]])
    return table


def _wide(*, expand: bool = False) -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=expand)


def markdown(data: Json, beside: Json | None = None) -> str:
    """Every set with its figures, or with why there are none; beside those of another judge."""
    card = msgspec.convert(data, JudgeCard)
    other_card = msgspec.convert(beside, JudgeCard) if beside else None
    blocks = [
        f"# How far {code(card.judge)} agrees with people",
        f"Measured on {inline(_rows_measured(card))}.",
    ]
    for measured in card.sets:
        blocks += [f"## {measured.name}: {inline(measured.about)}"]
        if measured.skipped:
            blocks.append(inline(measured.skipped))
            continue
        blocks.append(_markdown_table(measured, other_card))
        beneath = [text for text in (_sources(measured), _resources(measured)) if text]
        blocks += [f"{inline(text)}." for text in beneath]
    blocks.append(markdown_list(_notes(card, other_card)))
    return joined(blocks)


def _markdown_table(measured: Measured, other_card: JudgeCard | None) -> str:
    heads, rows = _rows_of(measured.figures, other_card)
    cells = [[inline(cell) for cell in row] for row in rows]
    for figure, row in zip(measured.figures, cells, strict=True):
        if remarks := _remarks(figure):
            row[0] += f"<br>{inline(remarks)}"
    return markdown_table({head: "---:" if head in _RIGHT else ":---" for head in heads}, cells)


def _rows_of(
    figures: Sequence[CardFigure], other_card: JudgeCard | None
) -> tuple[list[str], list[list[str]]]:
    """(heads, a row a figure), without columns in which nothing stands."""
    cells = [_cells(figure, other_card) for figure in figures]
    full = [i for i in range(len(_HEADS)) if i < _ALWAYS or any(row[i] for row in cells)]
    return [_HEADS[i] for i in full], [[row[i] for i in full] for row in cells]


def _cells(figure: CardFigure, other_card: JudgeCard | None) -> list[str]:
    base_rate = figure.base_rate if isinstance(figure, Figure) else None
    return [
        figure.name,
        numbers.DASH if figure.value is None else cards.number(figure.value),
        cards.interval(figure),
        numbers.count(figure.n),
        "" if base_rate is None else f"{base_rate:.2f}",
        "" if figure.value is None else cards.floor(figure),
        figure.reference,
        _value_beside(figure, other_card),
    ]


def _remarks(figure: CardFigure) -> str:
    """What has to be read beside it."""
    return figure.note or ("undefined on these rows" if figure.value is None else "")


def _sources(measured: Measured) -> str:
    """Where the published figures of a set stand; "" if there are none."""
    sources = dict.fromkeys(figure.source for figure in measured.figures if figure.source)
    return f"Others: {'; '.join(sources)}" if sources else ""


def _resources(measured: Measured) -> str:
    """What the judge took for a set."""
    phrases = [numbers.plural(measured.calls, "reply")]
    if tokens := measured.tokens_in + measured.tokens_out:
        phrases.append(f"{tokens:,} tokens")
    phrases.append(numbers.seconds(measured.seconds))
    if measured.money is not None:
        phrases.append(f"cost {numbers.money(measured.money)}")
    if measured.unanswered:
        phrases.append(f"{measured.unanswered:,} without a readable reply")
    return ", ".join(phrases)


def _title(card: JudgeCard) -> str:
    """Who was measured, and on how many rows."""
    return f"{card.judge}, {_rows_measured(card)}"


def _rows_measured(card: JudgeCard) -> str:
    """On how many rows it was measured."""
    if card.full:
        return "all rows"
    if card.limit is not None:
        return f"at most {numbers.plural(card.limit, 'row')} of each kind"
    return "each set's usual rows"


def _notes(card: JudgeCard, other_card: JudgeCard | None) -> list[str]:
    """What must be read beside the figures."""
    lines = [*card.notes]
    lines.append("A judge whose interval does not lie above the floor adds nothing to that rule.")
    if any(measured.figures for measured in card.sets):
        lines.append(
            "Intervals are 95 % intervals in which rows of one source count together. Replies, "
            "tokens and seconds include known replies; seconds of calls at the same time add up."
        )
    if card.limit is not None and card.limit < 100:
        lines.append("So few rows allow no fine comparison: see the intervals.")
    if other_card:
        lines.append(f"beside: {_title(other_card)}")
    if card.stopped:
        lines.append(f"Stopped: {card.stopped}")
    return lines


def _value_beside(figure: CardFigure, other_card: JudgeCard | None) -> str:
    for other_figure in (
        (other_figure for measured in other_card.sets for other_figure in measured.figures)
        if other_card
        else ()
    ):
        if other_figure.name == figure.name and other_figure.value is not None:
            n = "" if other_figure.n == figure.n else f" (n {other_figure.n:,})"
            return f"{cards.number(other_figure.value)}{n}"
    return ""


def embedder_report(data: Json) -> Sections:
    """The table of an adaptation as plain values."""
    facts = [("base", data["base"]), ("adapted", data["folder"]), ("questions", _questions(data))]
    text = "Questions are sentences taken out of the passages: users ask in other words, and may"
    warnings = [f"{text} find less gained, or more."] if data["by_rule"] else []
    heads = ("retrieval", "base", "adapted", "adapted - base", "")
    level = f"{numbers.percent(data['level'])} %"
    note = f"Among {numbers.plural(data['passages'], 'passage')}. In brackets {level} intervals, "
    note += "clustered by document; of the differences, over the same questions."
    rows = list(map(_row, data["gains"]))
    tables = [Section("Retrieval of held-out questions", heads, rows, [note])]
    return Sections("An embedder adapted to a corpus", facts, warnings, tables)


def _questions(data: Json) -> str:
    held_out = numbers.plural(data["held_out"], "question")
    documents = numbers.plural(data["documents"], "document")
    text = f"{data['train']:,} to learn from; {held_out} about {documents} held out"
    return f"{text}; {data['left_out']:,} left out" if data["left_out"] else text


def _row(gain: Json) -> list[str]:
    pairs = gain["paired"]
    ends = pairs["interval"]
    gained = difference(pairs["difference"], ends)
    return [
        gain["measure"],
        numbers.estimate(pairs["before"], gain["base"]),
        numbers.estimate(pairs["after"], gain["adapted"]),
        f"{gained} ({between(ends)})" if ends else gained,
        gain["verdict"],
    ]


_KINDS = {
    "faithfulness": "Statements that the contexts support",
    "context_relevance": "Contexts that help to answer the question",
    "answer_relevance": "Answers that address the question",
}


def judge_report(data: Json) -> Sections:
    """The figures of an adaptation as plain values."""
    facts = [
        ("base", data["base"]),
        ("learnt from", _learnt_in_words(data)),
        ("outcome", judge_outcome(data)),
    ]
    text = "Synthetic cases are what rules make of the documents: a gain on them need not be one on"
    people = any(comparison["cases"] == "people" for comparison in data["compared"])
    warnings = [] if people else [f"{text} real answers. Measure with labels of people: --labels"]
    sections = [
        section
        for kind, title in _KINDS.items()
        for origin in ("people", "synthetic")
        if (section := _section(data, kind, origin, title)) is not None
    ]
    return Sections("The embedded judge adapted to a domain", facts, warnings, sections)


def judge_outcome(data: Json) -> str:
    """What was written, or that nothing is worth using."""
    if data["folder"] is None:
        return "nothing that was tried is better than the judge that ships: keep using embedded"
    phrases = [f"the network as it {'was trained' if data['network'] == 'trained' else 'ships'}"]
    if data["fitted"]:
        phrases.append(f"coefficients fitted for {', '.join(data['fitted'])}")
    return f"better, and written to {data['folder']}: {'; '.join(phrases)}"


def _learnt_in_words(data: Json) -> str:
    steps = f"{data['steps']:,} steps over {numbers.plural(data['windows'], 'window')}"
    labels = [f"{n} of {kind}" for kind, n in data["labels"].items() if n]
    phrases = [steps if data["steps"] else "", f"labels: {', '.join(labels)}" if labels else ""]
    left_out = f"{data['left_out']} cases cannot be read" if data["left_out"] else ""
    return "; ".join(filter(None, [*phrases, left_out]))


def _section(data: Json, kind: str, origin: str, title: str) -> Section | None:
    comparisons = [
        comparison
        for comparison in data["compared"]
        if (comparison["kind"], comparison["cases"]) == (kind, origin)
    ]
    if not comparisons:
        return None
    first = comparisons[0]
    heads = ("judge", "missed", "false alarms", "AUROC", "squared error", "")
    base = [numbers.score(first[name][0]) for name in ("missed", "alarms", "auroc")]
    rows = [["as shipped", *base, numbers.score(first["brier"]["before"]), ""]]
    for comparison in comparisons:
        figures = [numbers.score(comparison[name][1]) for name in ("missed", "alarms", "auroc")]
        ends = comparison["brier"]["interval"]
        error = numbers.score(comparison["brier"]["after"]) + (
            f" ({between(ends)})" if ends else ""
        )
        rows.append([comparison["candidate"], *figures, error, comparison["verdict"]])
    counts = f"{first['good']} right and {first['bad']} wrong"
    legend = "Missed: wrong ones that pass; false alarms: right ones that do not."
    notes = [f"{counts}, of sources that nothing was learnt from. {legend}"]
    level = f"{numbers.percent(data['level'])} %"
    notes.append(
        f"In brackets the difference from the judge as shipped (below 0 is better), with {level}"
        " intervals that hold for all candidates."
    )
    floors = [f"{name} {numbers.score(value)}" for name, value in first["floors"].items()]
    share = first["good"] / (first["good"] + first["bad"])
    constant = numbers.score(share * (1 - share))
    notes.append(f"Without a judge: AUROC of {', '.join(floors)}; squared error of one guess for")
    notes[-1] += f" all {constant}."
    source = {"people": "labels of people", "synthetic": "synthetic cases"}[origin]
    return Section(f"{title} ({source})", heads, rows, notes)
