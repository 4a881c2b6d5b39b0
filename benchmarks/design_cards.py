"""The design cards of sets of questions that people wrote, as a table, and their faults.

    python -m benchmarks.design_cards [xquad clapnq qed telequad]

Whether a fault is one is judged by reading; benchmarks/NOTES.md holds the table.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.testset import Design, Document, check_design
from benchmarks import live
from benchmarks.data import load
from benchmarks.pipeline import XQUAD
from benchmarks.retriever_ranking import SETS, corpus

NAMES = (*SETS, "telequad")


def questions(name: str) -> tuple[list[Mapping[str, Any]], Sequence[Document]]:
    """The rows of a set, and the documents that they are about."""
    if name == "telequad":
        texts, asked = live.telequad()
        documents = [Document(key, text) for key, text in texts.items()]
        return list(_rows(asked)), documents
    rows = load(SETS[name])
    documents = corpus(name)[0]
    if SETS[name] != XQUAD:
        held = {document.text for document in documents}
        rows = [row for row in rows if held & set(row["contexts"])]
    return list(_rows(rows)), documents


def _rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for number, row in enumerate(rows):
        reference = row.get("reference") or row["ground_truth"]
        one = {"id": str(number), "question": row["question"], "reference": reference}
        answerable = (row.get("labels") or {}).get("answerable")
        yield one if answerable is None else {**one, "answerable": bool(answerable)}


def row(name: str, design: Design) -> str:
    """A line of the table."""
    kind, most = max(design.kinds.items(), key=lambda pair: pair[1])
    without = design.kinds.get("unanswerable", 0) / design.questions
    asked = [sum(pair) for pair in zip(*design.coverage.values(), strict=True)]
    cells = (
        name,
        f"{design.questions:,}",
        f"{design.detectable[1] or 1:.1%}",
        f"{kind} {most / design.questions:.0%}",
        f"{without:.0%}",
        f"{design.difficulty or 0:.0%}",
        f"{design.found_first or 0:.0%}",
        f"{design.easy or 0:.0%}",
        f"{asked[0]} of {asked[1]}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", default=NAMES)
    cards = dict[str, Design]()
    for name in parser.parse_args().sets:
        data, documents = questions(name)
        cards[name] = check_design(data, corpus=documents)
        print(row(name, cards[name]), flush=True)
    for name, card in cards.items():
        for finding in card.faults:
            print(f"\n{name}: {finding.check}: {len(finding.rows)} of {card.rows} rows")
            for each in finding.rows:
                print(f"  {each[0]} {each[1]}")


if __name__ == "__main__":
    main()
