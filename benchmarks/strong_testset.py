"""The test set that a strong model wrote about these pages, replayed from its recorded replies.

    python -m benchmarks.strong_testset [--out FILE.jsonl] [--pending FOLDER]

The plan, the prompts and the replies are in benchmarks/recorded/testset.jsonl.gz; the embedded
judge checks the answers anew. The pages are those of the revision named there, from git. Where
prompts have changed since, those of the first wave without a reply are written to FOLDER, to be
answered from their text alone. `keep` is what a reader said of each question that was kept.
"""

import argparse
import gzip
import hashlib
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from assay import Denied, Route, Settings
from assay.judges import backend
from assay.judges.llm import Function
from assay.stats.intervals import wilson
from assay.testset import Plan, PlanRow, check_freshness, generate, read_documents
from assay.testset.checks import comparable
from benchmarks.data import ROOT

WRITES = ("write_single_hop", "write_reasoning", "write_multi_hop", "write_unanswerable")
RECORD = ROOT / "benchmarks" / "recorded" / "testset.jsonl.gz"


def same(sentence: str, quote: str) -> bool:
    """Whether one of two stretches holds the other, mark-up aside."""
    one, other = comparable(sentence), comparable(quote)
    return bool(one) and (one in other or other in one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--pending", type=Path, help="where prompts without a reply are written")
    options = parser.parse_args()
    with gzip.open(RECORD, "rt", encoding="utf-8") as lines:
        head, *rows = map(json.loads, lines)
    replies = {row["key"]: row["reply"] for row in rows}
    missing = dict[str, str]()

    def ask(prompt: str) -> str:
        key = hashlib.sha256(prompt.encode()).hexdigest()[:12]
        if key not in replies:
            missing[key] = prompt
            raise Denied("no reply is on record")
        return json.dumps(replies[key], ensure_ascii=False)

    documents = read_documents(f"{head['revision']}:docs")
    plan = Plan(rows=tuple(PlanRow(**row) for row in head["plan"]))
    with tempfile.TemporaryDirectory() as folder:
        model = dict.fromkeys((*WRITES, "answer_questions"), Function(ask, name="recorded"))
        judge = Route(backend("embedded"), model)
        store, settings = Path(folder) / "s.db", Settings(tries=1)
        try:
            made = generate(documents, plan, judge=judge, store=store, settings=settings)
        except Denied:
            for key, prompt in missing.items() if options.pending else ():
                options.pending.mkdir(parents=True, exist_ok=True)
                (options.pending / f"{key}.txt").write_text(prompt, encoding="utf-8")
            sys.exit(f"{len(missing)} prompts of this wave have no reply")
    print(f"{len(made.rejected)} drafts rejected: {dict(Counter(r.why for r in made.rejected))}")
    print("| kind | kept by the checks | kept by a reader |\n|---|---:|---:|")
    keep = [(question.kind, head["keep"][question.question]) for question in made.questions]
    for kind in (*made.written(), ""):
        kept = [good for name, good in keep if kind in {name, ""}]
        share = sum(kept) / len(kept)
        ends = " to ".join(f"{end:.2f}" for end in wilson(share, len(kept), 1.96))
        print(f"| {kind or 'all'} | {len(kept)} | {sum(kept)}: {share:.2f} ({ends}) |")
    answerable = [row for row in made.rows() if row["answerable"]]
    for name, left_out in (("with their quotes", ()), ("without them", ("quotes",))):
        rows = [{k: v for k, v in row.items() if k not in left_out} for row in answerable]
        told = check_freshness(rows, before=documents, after=documents).questions
        pairs = zip(told, answerable, strict=True)
        right = sum(any(same(each.before, quote) for quote in row["quotes"]) for each, row in pairs)
        print(f"{name}: {right} of {len(rows)} traced to a sentence that the model quoted")
    if options.out:
        options.out.write_text(made.jsonl(), "utf-8")


if __name__ == "__main__":
    main()
