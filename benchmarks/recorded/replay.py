"""What a strong model replied to the main kinds of prompts, replayed and compared with people.

    python -m benchmarks.recorded.replay [--embedded] [--pending FOLDER] [METRIC ...]

`rows.jsonl.gz` has the rows and what people said of each, `replies.jsonl.gz` the model's replies
by the prompt's hash. A prompt that has no reply (since it was changed, or is new) is written to
FOLDER, to be answered from its text alone; the reply goes into the record with its key.
"""

import argparse
import gzip
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import assay
from assay.bench.benchmark import (
    Figure,
    count_of_new_words,
    figure,
    share_of_new_words,
    shared_words,
    token_f1,
)
from assay.errors import Unavailable
from assay.metrics.compat.ragas_paper import FOCUSED
from assay.metrics.criteria import AspectCritic
from assay.metrics.preference import PairwisePreference
from assay.score import Outcome, Score, Unscored
from assay.stats.agreement import auroc, preference_accuracy
from assay.tasks import JudgeContexts, ListNuggets, SplitStatements

HERE: Final = Path(__file__).parent
Row = Mapping[str, Any]
Rule = Callable[[Row, str], float]  # of a row, and of its sentence where sentences are judged
# Sets whose prompts have changed since the model answered them: their figures stand for the
# prompts of before, and the page has to say so.
OUTDATED: Final[frozenset[str]] = frozenset()
# The model was asked for the long form of these.
PROMPTS: Final = {kind.kind: kind.template_for("all") for kind in (SplitStatements, JudgeContexts)}


@cache
def lines(name: str) -> tuple[dict[str, Any], ...]:
    """The lines of a file of the record."""
    with gzip.open(HERE / name, "rt", encoding="utf-8") as file:
        return tuple(json.loads(line) for line in file)


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a set, with what people said of them under "people".

    Of a set named "... ranked", a pair of rows is one, its two texts as answer and other answer.
    """
    base = name.removesuffix(" ranked")
    found = [row for row in lines("rows.jsonl.gz") if row["set"] == base]
    found = [{key: value for key, value in row.items() if key != "set"} for row in found]
    return found if base == name else _ranked(found)


def _ranked(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    pairs: dict[str, dict[str, dict[str, Any]]] = {}
    for row in found:
        text = row.get("answer") or "\n\n".join(row["contexts"])
        pairs.setdefault(row["people"]["pair"], {})[text] = row
    ranked = []
    for name, pair in pairs.items():
        # Which one is shown first is a matter of chance.
        first, second = sorted(pair, key=lambda text: hashlib.sha256(text.encode()).digest())
        ranked.append(pair[first] | {"id": name, "answer": first, "other_answer": second})
    return ranked


@dataclass
class Recorded:
    """A judge that knows what the model replied, and which prompts it never saw.

    Attributes:
        replies: The reply to each prompt, by the first twelve hex digits of its hash.
        asked: The keys that were asked for.
        unknown: The prompts without a reply, by key.
    """

    replies: Mapping[str, str] = field(
        default_factory=lambda: {line["key"]: line["reply"] for line in lines("replies.jsonl.gz")}
    )
    asked: set[str] = field(default_factory=set)
    unknown: dict[str, str] = field(default_factory=dict)

    def ask(self, prompt: str) -> str:
        """The reply on record.

        Raises:
            Unavailable: If there is none.
        """
        key = hashlib.sha256(prompt.encode()).hexdigest()[:12]
        self.asked.add(key)
        if key not in self.replies:
            self.unknown[key] = prompt
            raise Unavailable("the prompt has no reply on record", permanent=True)
        return self.replies[key]

    def write_unknown(self, folder: Path | None) -> None:
        """Write the prompts without a reply into a folder, each under its key."""
        for key, prompt in self.unknown.items() if folder else ():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{key}.txt").write_text(prompt, encoding="utf-8")
        print(f"{len(self.asked)} replies asked for, {len(self.unknown)} not on record")


COMPLETE: Final = (
    "Does the answer give everything that the contexts hold and the question asks for?"
)


@dataclass(frozen=True)
class Comparison:
    """A metric on a set, and how its scores are compared with what people said.

    Attributes:
        metric: Its name on the page.
        set: The rows.
        by: "rows" and "sentences" are told apart into good and bad (AUROC); of "pairs" of rows
            the better one is found, "answers" are pairs within a row (share found; 0.5 for a tie).
        floor: The trivial rule that is best on such data.
        rule: Its score, higher for what is better.
        metrics: What is computed, where that is not `metric`.
        embedded: What the embedded judge computes in its place; "" where it can do nothing.
    """

    metric: str
    set: str
    by: Literal["rows", "sentences", "pairs", "answers"]
    floor: str
    rule: Rule
    metrics: tuple[Any, ...] = ()
    embedded: str = "the same"


def _words_of(name: str) -> Rule:
    return lambda row, sentence: shared_words(row[name], sentence)


def _known(row: Row, _: str) -> float:
    return -share_of_new_words(row["answer"], row.get("contexts") or [row["question"]])


def _few_new(row: Row, _: str) -> float:
    return -count_of_new_words(row["answer"], row["contexts"])


def _longer(row: Row, _: str) -> float:
    return float(len(row["answer"]) - len(row.get("other_answer", "")))


def _fewer_new_than_other(row: Row, _: str) -> float:
    return _known(row, _) - _known({**row, "answer": row["other_answer"]}, _)


def _shorter_than_other(row: Row, _: str) -> float:
    return -_longer(row, _)


def _shorter(row: Row, _: str) -> float:
    return -float(sum(map(len, row.get("contexts") or [row["answer"]])))


def _like_reference(row: Row, _: str) -> float:
    return token_f1(row["answer"], row["reference"])


COMPARISONS: Final = (
    Comparison("context_relevance", "clapnq", "sentences", "words shared with the question",
               _words_of("question")),
    Comparison("context_precision", "clapnq", "sentences", "words shared with the reference",
               _words_of("reference")),
    Comparison("answer_relevancy", "wikieval relevance", "pairs", "longer answer", _longer),
    Comparison("answer_relevancy", "wikieval relevance 2", "pairs", "longer answer", _longer),
    Comparison("answer_relevancy", "wikieval relevance 3", "pairs", "longer answer", _longer),
    Comparison("paper:answer_relevancy", "wikieval relevance", "pairs", "longer answer", _longer,
               embedded="answer_relevancy"),
    Comparison("paper:faithfulness", "wikieval faithfulness", "pairs", "fewer new words", _known,
               embedded="faithfulness"),
    Comparison("paper:context_relevance", "wikieval contexts", "pairs", "shorter contexts",
               _shorter, embedded="context_relevance"),
    *(
        Comparison(f"gpt_score(quality={quality})", f"wikieval {name}", "pairs", floor, rule,
                   embedded="")
        for quality, name, floor, rule in (
            ("faithfulness", "faithfulness", "fewer new words", _known),
            ("answer_relevance", "relevance", "longer answer", _longer),
            ("context_relevance", "contexts", "shorter contexts", _shorter),
        )
    ),
    Comparison("gpt_ranking(quality=faithfulness)", "wikieval faithfulness ranked", "answers",
               "fewer new words", _fewer_new_than_other, embedded=""),
    Comparison("gpt_ranking(quality=answer_relevance)", "wikieval relevance ranked", "answers",
               "longer answer", _longer, embedded=""),
    Comparison("pairwise_preference (contexts)", "wikieval contexts ranked", "answers",
               "shorter contexts", _shorter_than_other,
               metrics=(PairwisePreference(FOCUSED, shows=("question",)),), embedded=""),
    Comparison("factual_correctness", "evouna", "rows", "token F1", _like_reference),
    Comparison("paper:factual_correctness", "evouna", "rows", "token F1", _like_reference,
               embedded=""),
    Comparison("rubrics_score_with_reference", "evouna", "rows", "token F1", _like_reference,
               embedded=""),
    Comparison("negative_rejection, over_refusal", "mtrag", "rows", "shorter answer", _shorter,
               metrics=("negative_rejection", "over_refusal")),
    Comparison("pairwise_preference", "crowd_rag", "answers", "longer answer", _longer),
    Comparison("pairwise_preference", "crowd_rag 2", "answers", "longer answer", _longer),
    Comparison("alce:citation_recall", "expertqa", "rows", "fewer new words", _known),
    Comparison("aspect_critic (completeness)", "finegrained", "rows", "longer answer", _longer,
               metrics=(AspectCritic(COMPLETE, shows=("question", "contexts", "answer")),),
               embedded=""),
    *(
        Comparison(f"graded_faithfulness(reading={reading})", name, "rows",
                   "count of new words", _few_new, embedded=embedded)
        for name in ("ragtruth", "quintd", "expertqa")
        for reading, embedded in (("graded", ""), ("lenient", ""), ("strict", "faithfulness"))
    ),
    Comparison("nugget_recall(over=all,strict=False)", "ragchecker", "pairs", "longer answer",
               _longer),
)  # fmt: skip


def scored(one: Comparison, judge: Any, metrics: Sequence[Any] = ()) -> dict[str, Outcome]:
    """The outcome of each row of the comparison's set, by its id."""
    chosen = metrics or one.metrics or (one.metric,)
    given = [{k: v for k, v in row.items() if k != "people"} for row in rows(one.set)]
    if "nugget" in one.metric:
        given = [row | {"nuggets": _nuggets(row, judge)} for row in given]
    prompts = {} if judge == "embedded" else PROMPTS
    settings = assay.Settings(tries=1, probe=False, prompts=prompts)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "a.db"
        result = assay.evaluate(given, chosen, judge=judge, store=store, settings=settings)
        outcomes: dict[str, Outcome] = {}
        for metric in chosen:
            for sample, outcome in result.outcomes(metric):
                # Of two metrics for two kinds of questions, only one says something of a row.
                if sample.id not in outcomes or isinstance(outcome, Score):
                    outcomes[sample.id] = outcome
    return outcomes


def _nuggets(row: Row, judge: Any) -> dict[str, str]:
    """What the model lists of the reference, all of it vital."""
    task = ListNuggets(row["question"], (row["reference"],))
    ask = judge if callable(judge) else Recorded().ask
    return dict.fromkeys(task.read(ask(task.prompt())), "vital")


def agreement(one: Comparison, outcomes: Mapping[str, Outcome]) -> Figure:
    """How well the scores agree with people, beside the trivial rule on the same rows."""
    known = {i: o for i, o in outcomes.items() if isinstance(o, Score)}
    if one.by in ("pairs", "answers"):
        return _preferences(one, known)
    values, labels, rules, groups = [], [], [], []
    for row in rows(one.set):
        if row["id"] not in known:
            continue
        for value, label, sentence in _judged(row, known[row["id"]], one.by):
            values.append(value)
            labels.append(label)
            rules.append(one.rule(row, sentence))
            groups.append(row["id"])
    return figure(one.metric, auroc(values, labels), groups, {one.floor: auroc(rules, labels)})


def _judged(row: Row, score: Score, by: str) -> Iterable[tuple[float, bool, str]]:
    if by == "rows":
        yield score.value, row["people"]["good"], ""
        return
    for number, sentence in enumerate(row["contexts"]):
        found = [part.value or 0.0 for part in score.parts if part.context == number]
        yield max(found, default=0.0), sentence in row["people"]["relevant"], sentence


def _preferences(one: Comparison, known: Mapping[str, Score]) -> Figure:
    pairs: dict[str, list[dict[str, Any]]] = {}
    for row in rows(one.set):
        pairs.setdefault(row["people"]["pair"], []).append(row)
    leads, rules, better = [], [], []
    for pair in pairs.values():
        if any(row["id"] not in known for row in pair):
            continue
        first = pair[0]
        other = known[pair[1]["id"]].value if len(pair) > 1 else 0.5
        leads.append(known[first["id"]].value - other)
        rules.append(one.rule(first, "") - (one.rule(pair[1], "") if len(pair) > 1 else 0.0))
        better.append(first["people"]["better"])
    names = [str(n) for n in range(len(leads))]
    floor = {one.floor: preference_accuracy(rules, better)}
    return figure(one.metric, preference_accuracy(leads, better), names, floor)


def outdated(judge: Recorded) -> dict[str, int]:
    """Of each set and kind of task, how many replies no prompt asks for any more."""
    left = (one for one in lines("replies.jsonl.gz") if one["key"] not in judge.asked)
    return dict(Counter(f"{o['set']}: {o['task']}" for o in left if o["set"] not in OUTDATED))


def line(one: Comparison, outcomes: Mapping[str, Outcome]) -> str:
    """A line of the page's table, without the embedded judge's figure."""
    found = agreement(one, outcomes)
    failed = sum(isinstance(o, Unscored) and o.why == "failed" for o in outcomes.values())
    return (
        f"| `{one.metric}` | {one.set} | {found.n} {one.by} | {shown(found)} | {failed} | "
        f"{found.floor:.2f} {one.floor} |"
    )


def shown(found: Figure) -> str:
    """A figure with its interval."""
    if found.value is None:
        return "no reply"
    if found.low is None or found.high is None:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def main() -> None:
    """Print the table; write what has no reply."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("metric", nargs="*", help="part of a name; all by default")
    parser.add_argument("--embedded", action="store_true", help="the embedded judge beside it")
    parser.add_argument("--pending", type=Path, help="where prompts without a reply are written")
    given = parser.parse_args()
    judge = Recorded()
    for one in COMPARISONS:
        if given.metric and not any(name in one.metric for name in given.metric):
            continue
        row = line(one, scored(one, judge.ask))
        if given.embedded and one.embedded:
            other = () if one.embedded == "the same" else (one.embedded,)
            row += f" {shown(agreement(one, scored(one, 'embedded', other)))} |"
        print(row if not given.embedded or one.embedded else f"{row} |")
    judge.write_unknown(given.pending)


if __name__ == "__main__":
    main()
