"""How close does a dry run come to the tokens that a run then takes?

    python -m benchmarks.dry_run

Several sets of metrics, each asked of the scripted server. "First": nothing is known of the judge.
"Later": other samples, once the store has the first run. A token is four characters on both sides;
a real judge's words are longer or shorter than the scripted one's, which only "later" can know.
"""

import json
import tempfile
from pathlib import Path

import assay
from assay._runner.estimate import estimate
from assay._store import Store
from assay.judges.openai.judge import OpenAI
from benchmarks.engine import rows, server

SETS = {
    "the five of RAGAS": (
        "faithfulness",
        "answer_relevancy",
        "context_precision",
        "context_recall",
        "factual_correctness",
    ),
    "faithfulness": ("faithfulness",),
    "context_precision": ("context_precision",),
    "RAG triad of TruLens": (
        "trulens:groundedness",
        "trulens:answer_relevance",
        "trulens:context_relevance",
    ),
    "four of DeepEval": (
        "deepeval:faithfulness",
        "deepeval:answer_relevancy",
        "deepeval:contextual_precision",
        "deepeval:contextual_recall",
    ),
    "criteria": ("aspect_critic", "rubrics_score", "answer_accuracy"),
}
SAMPLES = 15


def main() -> None:
    print("| metrics | | calls | prompt tokens | reply tokens | all tokens |")
    print("|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name, server() as url:
        folder = Path(name)
        for title, metrics in SETS.items():
            store = folder / f"{title}.db"
            for seed, when in enumerate(("first", "later")):
                data = folder / f"{title}-{when}.jsonl"
                data.write_text("\n".join(map(json.dumps, rows(SAMPLES, seed))), encoding="utf-8")
                judge = OpenAI("scripted", base_url=url, api_key="none")
                expected = estimate(data, metrics, judge, store=store)
                result = assay.evaluate(data, metrics, judge, store=store)
                with Store(store) as kept:
                    spent = kept.spent(result.run.id)
                    local = kept.query(
                        "SELECT count(*) FROM replies WHERE run ="
                        " (SELECT id FROM names WHERE name = ?) AND tokens_in = 0",
                        result.run.id,
                    )[0][0]
                pairs = (
                    (expected.calls, spent.calls - local),
                    (expected.tokens_in, spent.tokens_in),
                    (expected.tokens_out, spent.tokens_out),
                    (
                        expected.tokens_in + expected.tokens_out,
                        spent.tokens_in + spent.tokens_out,
                    ),
                )
                cells = [f"{would:,} / {was:,} = {would / was:.2f}" for would, was in pairs]
                print(f"| {title} | {when} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
