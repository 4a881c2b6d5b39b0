"""How is a comparison written where Markdown is read: a pull request, an issue, a wiki?"""

from collections.abc import Mapping
from typing import Any, Final

from assay.report import comparison, labels, numbers, run_titles
from assay.report.markdown import cell, code, folded, inline, joined, table

Json = Mapping[str, Any]
_SHOWN: Final = 3


def runs(data: Json) -> str:
    """Runs compared: the tables, the findings in words, the samples that changed most."""
    title = " against ".join(code(run["called"]) for run in (*data["runs"][1:], data["runs"][0]))
    blocks = [f"## {title}", "\n".join(_run(run) for run in data["runs"])]
    blocks.append("\n>\n".join(f"> **Warning:** {inline(text)}" for text in data["warnings"]))
    tables = comparison.shown(data, show_all=False)
    for (run, metrics, left_out), (_, every) in zip(tables, comparison.others(data), strict=True):
        blocks.append(table(_sides(run), (_row(one) for one in metrics)))
        blocks.append("\n".join(_said(one) for one in metrics))
        if left_out:
            rest = [one for one in every if one not in metrics]
            inner = table(_sides(run), (_row(one) for one in rest))
            blocks.append(folded(" ".join(left_out), inner))
    blocks.append(inline(comparison.legend(data)))
    blocks += [_changes(one) for _, metrics in comparison.others(data) for one in metrics]
    return joined(blocks)


def _run(run: Json) -> str:
    base = ", the baseline" if run["name"] == "A" else ""
    n = numbers.plural(run["n_samples"], "sample")
    return f"- {run['name']}: {code(run['called'])}, {code(run['source'])}, {n}{base}"


def _sides(run: Json) -> dict[str, str]:
    name = run["name"]
    numbered = dict.fromkeys(("metric", "A", name, f"{name} - A", "interval", "p", "d"), "---:")
    words = {"metric": ":---", "interval": ":---:"}
    return numbered | words | {comparison.SIDES: ":---:", "finding": ":---"}


def _row(one: Json) -> list[str]:
    name = cell(one["metric"]) + ("" if one["higher_is_better"] else " (lower is better)")
    found = one["paired"]
    if found is None:
        return [name, *[numbers.DASH] * 7, one["verdict"]]
    return [
        name,
        numbers.score(found["before"]),
        numbers.score(found["after"]),
        f"**{comparison.signed(found['difference'])}**",
        comparison.between(found["interval"]),
        inline(comparison.p_value(one["p"])),
        comparison.signed(found["effect"]),
        f"{one['wins']} / {found['same']} / {one['losses']}",
        f"{labels.SYMBOLS[one['tone']]} {one['verdict']}",
    ]


def _said(one: Json) -> str:
    return f"- {code(one['metric'])}: {inline(one['said'])} {inline(one['counted'])}."


def _changes(one: Json) -> str:
    lines = []
    for what, found in (("worse", one["worst"]), ("better", one["best"])):
        for change in found[:_SHOWN]:
            moved = f"{numbers.score(change['before'])} to {numbers.score(change['after'])}"
            asked = f" {inline(change['question'])}" if change["question"] else ""
            lines.append(f"- {what}, {moved}: {code(change['sample'])}{asked}")
            lines += [_part(part) for part in change["parts"]]
    head = f"**{code(one['metric'])}: what changed most in {one['name']}**"
    return "\n".join([head, "", *lines]) if lines else ""


def _part(part: Json) -> str:
    reason = f" ({inline(part['reason'])})" if part["reason"] else ""
    return f"  - {inline(part['words'])}: {inline(part['text'])}{reason}"


def groups(data: Json) -> str:
    """The scores of one run by a field of its samples."""
    sides = {
        "metric": ":---",
        cell(data["field"]): ":---",
        "mean (s.d.)": "---:",
        "n": "---:",
        "interval": ":---:",
        "against the others": ":---",
    }
    rows = [
        [
            cell(one["metric"]),
            inline(group["name"]),
            group["shown"],
            numbers.count(group["n"]),
            group["span"],
            inline(group["against"]),
        ]
        for one in data["metrics"]
        for group in one["groups"]
    ]
    run = run_titles.beside(data["title"], data["run"])
    return joined(
        [
            f"## run {code(run)} by {code(data['field'])}",
            "\n>\n".join(f"> **Warning:** {inline(text)}" for text in data["warnings"]),
            table(sides, rows),
            "\n".join(
                f"- {code(one['metric'])}: {inline(text)}"
                for one in data["metrics"]
                for text in one["said"]
            ),
            inline(data["legend"]),
        ]
    )
