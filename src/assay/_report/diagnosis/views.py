"""A diagnosis on the console, in Markdown and as a page."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay._report import diagnosis as words
from assay._report import labels, numbers, sanitize
from assay._report.sanitize import cell, code, inline
from assay._report.tables import (
    ELLIPSIS,
    STYLES,
    grid,
    joined,
    markdown_table,
    numeric,
    shorten,
    table,
)

Json = Mapping[str, Any]
_EXCERPT: Final = 240
_SHOWN: Final = 3  # samples under each cause; --json and the report have them all


def console(data: Json, *, show_all: bool = False) -> RenderableType:
    """The causes, what to try, the patterns, and what could not be told."""
    run = sanitize.plain(numbers.beside(data["title"], data["run"]))
    blocks: list[RenderableType] = [
        Text.assemble((f"run {run}", "bold"), "  diagnosis"),
        Text(words.headline(data), style=STYLES["bad"] if data["n_failed"] else ""),
    ]
    if known := words.errors(data):
        errors = grid(2, right=False)
        errors.add_row(Text("errors", style="dim"), Text(sanitize.plain(known)))
        blocks.append(errors)
    if data["causes"]:
        blocks += [Text(), _causes(data)]
    if data["advice"]:
        blocks += [_head("What to try, by number of samples affected"), _advice(data)]
    for head, lines in words.what_ifs(data):
        blocks += _what_if_lines(head, lines)
    blocks += _patterns(data)
    blocks += _samples(data, show_all=show_all)
    blocks += _undiagnosed(data, show_all=show_all)
    blocks += _missing(data)
    return Group(*blocks)


def console_sample(data: Json, sample_id: str) -> RenderableType:
    """The findings of one sample with all their evidence."""
    sample = next(s for s in data["samples"] if s["id"] == sample_id)
    lines: list[RenderableType] = [_title(sample)]
    for finding in [sample["main"], *sample["contributing"]] if sample["main"] else []:
        lines.append(Text(finding["title"], style="bold"))
        lines += [_evidence(evidence) for evidence in finding["evidence"]]
    if sample["state"] == "fine":
        lines.append(Text("passed every possible check"))
    return Group(*lines)


def _head(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _causes(data: Json) -> Table:
    rows = table("cause")
    has_further = any(cause["contributing"] for cause in data["causes"])
    numeric(rows, ("samples", "also in") if has_further else ("samples",))
    rows.add_column("share of those checked", no_wrap=True)
    rows.add_column("", overflow="fold")
    for cause in data["causes"]:
        rows.add_row(
            Text(cause["title"], style="bold"),
            numbers.count(cause["n"]),
            *([numbers.count(cause["contributing"])] if has_further else []),
            words.share(cause),
            Text(cause["means"], style="dim"),
        )
    return rows


def _advice(data: Json) -> Table:
    rows = grid()
    for number, advice in enumerate(data["advice"], start=1):
        causes = Text(f"{words.gain(advice)}: {', '.join(advice['causes'])}", style="dim")
        rows.add_row(f"{number}.", Group(Text(advice["advice"]), causes))
    return rows


def _what_if_lines(head: str, lines: Sequence[str]) -> list[RenderableType]:
    rows = grid()
    for line in lines:
        rows.add_row(labels.SYMBOLS["plain"], Text(sanitize.plain(line)))
    return [_head(head), rows]


def _patterns(data: Json) -> list[RenderableType]:
    blocks: list[RenderableType] = []
    for pattern in words.claimed(data):
        head = f"\nPattern: {pattern['title']}"
        blocks += [
            Text.assemble((head, "bold"), f"  {numbers.plural(len(pattern['samples']), 'sample')}"),
            Text(f"{pattern['means']} Try: {pattern['advice']}"),
            *(Text(words.condition(c), style="dim") for c in pattern["conditions"]),
        ]
    undecided = [p["title"] for p in data["patterns"] if p["state"] == "undecided"]
    if undecided:
        text = "\nUndecided patterns (an interval includes the guide value): "
        blocks.append(Text(text + "; ".join(undecided), style="dim"))
    return blocks


def _samples(data: Json, *, show_all: bool) -> list[RenderableType]:
    by_id = {sample["id"]: sample for sample in data["samples"]}
    blocks: list[RenderableType] = []
    for cause in data["causes"]:
        cases = [case for case in cause["samples"] if case["main"]]
        if not cases:
            continue
        blocks.append(_head(cause["title"]))
        for case in cases if show_all else cases[:_SHOWN]:
            sample = by_id[case["id"]]
            first = map(_evidence, sample["main"]["evidence"][:1])
            blocks.append(Padding(Group(_title(sample), *first), (0, 0, 0, 2)))
        if len(cases) > _SHOWN and not show_all:
            blocks.append(Text(f"  and {len(cases) - _SHOWN:,} more (--all)", style="dim"))
    return blocks


def _title(sample: Json) -> Text:
    further = ", ".join(finding["title"] for finding in sample["contributing"])
    title = Text.assemble(
        (sanitize.plain(sample["id"]), "cyan"), f"  {sanitize.flat(sample['question'])}"
    )
    title.append(f"  also {further}" if further else "", style="dim")
    title.append(f"  {sample['remark']}" if sample["remark"] else "", style="dim")
    return title


def _evidence(evidence: Json) -> RenderableType:
    text = Text(shorten(words.evidence_text(evidence), _EXCERPT))
    text.append(f"\n{sanitize.plain(evidence['why'])}", style="dim")
    location = words.rank_and_quote(evidence)
    text.append(f"\n{shorten(location, _EXCERPT)}" if location else "", style="dim italic")
    return Padding(text, (0, 0, 0, 2))


def _undiagnosed(data: Json, *, show_all: bool) -> list[RenderableType]:
    reasons = words.undiagnosed(data)
    if not reasons:
        return []
    rows = grid()
    for reason, ids in reasons if show_all else reasons[:_SHOWN]:
        ids_shown = ids if show_all else ids[:_SHOWN]
        more = (
            f" and {len(ids) - len(ids_shown):,} more (--all)" if len(ids) > len(ids_shown) else ""
        )
        text = Text(", ".join(map(sanitize.plain, ids_shown)), style="cyan").append(
            more, style="dim"
        )
        remark = Text(f"{numbers.plural(len(ids), 'sample')}: {shorten(reason, _EXCERPT)}")
        rows.add_row(labels.SYMBOLS["plain"], Group(remark, text))
    return [_head("Could not be diagnosed"), rows]


def _missing(data: Json) -> list[RenderableType]:
    needs = words.missing(data)
    if not needs:
        return []
    rows = grid()
    for need in needs:
        rows.add_row(labels.SYMBOLS["plain"], Text(words.needed(*need), style="dim"))
    return [_head("Could not be told: what to add, and what it would tell"), rows]


_MARKDOWN_SHOWN: Final = 5
_SIDES: Final = {
    "cause": ":---",
    "samples": "---:",
    "also in": "---:",
    "share of those checked": ":---",
    "such as": ":---",
}


def markdown(data: Json) -> str:
    """The causes, what to try, the patterns and what could not be told."""
    run = numbers.beside(data["title"], data["run"])
    blocks = [
        f"## What was flagged in run {code(run)}, and what to try",
        inline(words.headline(data)) + ".",
        inline(f"Errors: {errors}.") if (errors := words.errors(data)) else "",
        _markdown_causes(data),
        "\n".join(
            f"{number}. {inline(a['advice'])} ({words.gain(a)})"
            for number, a in enumerate(data["advice"], start=1)
        ),
        "\n\n".join(
            "\n".join([f"{head}:", "", *(f"- {inline(line)}" for line in lines)])
            for head, lines in words.what_ifs(data)
        ),
        "\n".join(_markdown_pattern(pattern) for pattern in words.claimed(data)),
        "\n".join(
            f"- Could not be diagnosed: {numbers.plural(len(ids), 'sample')}, {inline(reason)} "
            f"({_first_ids(ids)})."
            for reason, ids in words.undiagnosed(data)[:_MARKDOWN_SHOWN]
        ),
        "\n".join(
            f"- Could not be told on {numbers.plural(n, 'sample')}: {', '.join(causes)}. "
            f"To add: {inline(fact)}."
            for fact, causes, n in words.missing(data)
        ),
    ]
    return joined(blocks)


def _markdown_causes(data: Json) -> str:
    if not data["causes"]:
        return ""
    rows = []
    for cause in data["causes"]:
        examples = _first_ids([case["id"] for case in cause["samples"]])
        row = [
            f"**{cause['title']}**",
            numbers.count(cause["n"]),
            numbers.count(cause["contributing"]),
            words.share(cause),
            examples,
        ]
        rows.append(row)
    return markdown_table(_SIDES, rows)


def _first_ids(ids: Sequence[str]) -> str:
    """The first of them, and how many there are beside."""
    more = len(ids) - _MARKDOWN_SHOWN
    return ", ".join([*map(cell, ids[:_MARKDOWN_SHOWN]), *([f"{more:,} more"] if more > 0 else [])])


def _markdown_pattern(pattern: Json) -> str:
    conditions = "; ".join(inline(words.condition(c)) for c in pattern["conditions"])
    n = numbers.plural(len(pattern["samples"]), "sample")
    title = inline(pattern["title"])
    return f"- **{title}** ({n}; {conditions}). {pattern['means']} {pattern['advice']}"


# The first of a cause's samples are shown under it; the command line lists them all.
_SHOWN_ON_PAGE: Final = 20
_EXCERPT_ON_PAGE: Final = 220
WIDTH: Final = 200


def page(data: Json, links: Mapping[str, str]) -> Json | None:
    """What the section of a report shows, for its template; None without a diagnosis."""
    diagnosis = data.get("diagnosis")
    if diagnosis is None:
        return None
    by_id = {sample["id"]: sample for sample in diagnosis["samples"]}
    # The greatest number of samples that an interval reaches takes all the width.
    reached = [cause["interval"][1] * cause["checked"] for cause in diagnosis["causes"]]
    widest = max(reached, default=1.0) or 1.0
    return {
        "headline": words.headline(diagnosis),
        "more_first": max(0, len(diagnosis["first"]) - words.READ_FIRST),
        "first": [
            (name, text, _with_links(diagnosis["first"][: words.READ_FIRST], links))
            if name == words.FIRST
            else (name, text, ())
            for name, text in words.first_page(diagnosis)
        ],
        "causes": [_cause(cause, by_id, links, widest) for cause in diagnosis["causes"]],
        "advice": [
            (item["advice"], words.gain(item), ", ".join(item["causes"]))
            for item in diagnosis["advice"]
        ],
        "patterns": [_pattern(pattern, links) for pattern in words.claimed(diagnosis)],
        "undecided": [p["title"] for p in diagnosis["patterns"] if p["state"] == "undecided"],
        "undiagnosed": [
            (
                remark,
                numbers.plural(len(ids), "sample"),
                _with_links(ids[:_SHOWN_ON_PAGE], links),
                len(ids[_SHOWN_ON_PAGE:]),
            )
            for remark, ids in words.undiagnosed(diagnosis)[:_SHOWN_ON_PAGE]
        ],
        "what_ifs": words.what_ifs(diagnosis),
        "missing": [words.needed(*need) for need in words.missing(diagnosis)],
    }


def _with_links(ids: Sequence[str], links: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each id with where its sample stands on the page; "" if it is not shown there."""
    return [(sample_id, links.get(sample_id, "")) for sample_id in ids]


def by_sample(data: Json) -> Mapping[str, tuple[str, str]]:
    """By sample that is not fine: what went wrong, the main cause first, and what to know of it."""
    diagnosis = data.get("diagnosis")
    remarks = {}
    for sample in diagnosis["samples"] if diagnosis else ():
        causes = [sample["main"], *sample["contributing"]] if sample["main"] else []
        if causes or sample["remark"]:
            remarks[str(sample["id"])] = (", ".join(f["title"] for f in causes), sample["remark"])
    return remarks


def _cause(cause: Json, by_id: Mapping[str, Json], links: Mapping[str, str], widest: float) -> Json:
    # Samples, not shares: shares of different numbers of checked samples are not alike.
    low, high = (WIDTH * end * cause["checked"] / widest for end in cause["interval"])
    cases = cause["samples"][:_SHOWN_ON_PAGE]
    return {
        "name": cause["cause"],
        "title": cause["title"],
        "means": cause["means"],
        "n": cause["n"],
        "contributing": cause["contributing"],
        "share": words.share(cause),
        "bar": round(WIDTH * cause["n"] / widest, 1),
        "whisker": (round(low, 1), round(high, 1)),
        "cases": [_case(by_id[case["id"]], cause["cause"], links) for case in cases],
        "more": len(cause["samples"]) - len(cases),
    }


def _case(sample: Json, cause: str, links: Mapping[str, str]) -> Json:
    """A sample under a cause, with the further causes that it has."""
    findings = [sample["main"], *sample["contributing"]]
    own_finding = next(finding for finding in findings if finding["cause"] == cause)
    further = [finding["title"] for finding in findings if finding is not own_finding]
    is_main = own_finding is sample["main"]
    evidence = own_finding["evidence"][0]
    return {
        "id": sample["id"],
        "link": links.get(str(sample["id"]), ""),
        "question": _short(sample["question"]),
        "text": _short(words.evidence_text(evidence)),
        "why": _short(evidence["why"]),
        "where": _short(words.rank_and_quote(evidence)),
        "beside": ("also " if is_main else "beside ") + ", ".join(further) if further else "",
    }


def _pattern(pattern: Json, links: Mapping[str, str]) -> tuple[Any, ...]:
    """Title, meaning, advice, conditions, linked samples."""
    samples = _with_links(pattern["samples"][:_SHOWN_ON_PAGE], links)
    conditions = [words.condition(condition) for condition in pattern["conditions"]]
    return pattern["title"], pattern["means"], pattern["advice"], conditions, samples


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT_ON_PAGE else line[:_EXCERPT_ON_PAGE] + ELLIPSIS
