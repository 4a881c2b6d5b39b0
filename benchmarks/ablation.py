"""What each rule of the embedded judge is worth: every one is switched off once and measured.

    python -m benchmarks.ablation [--rows 60] [--rules verbatim,number] [--write docs/ablation.md]

A rule is a regular expression that then never matches, a list of words that is then empty, or a
function that then changes nothing. The development sets of $ASSAY_DATA and of the folder `data2`
beside it are sampled with a fixed seed, and all probes are asked; no benchmark and no reserve is
opened. A first pass notes on which rows a rule acts at all; without the rule only these are judged
again, and what the models say of a window is computed once. The whole takes minutes on one core.
"""

import argparse
import asyncio
import gc
import gzip
import json
import math
import random
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import _lru_cache_wrapper, wraps
from pathlib import Path
from typing import Any

from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay._text.clauses import Part
from assay._text.words import stem, words
from assay.bench.judge import JudgeUnderTest
from assay.judges.embedded import Embedded, embedding, reader
from assay.metrics.correctness import FactualCorrectness
from assay.metrics.groundedness import Faithfulness
from assay.sample import Sample
from assay.tasks import (
    Passage,
    RateAnswer,
    SelectSentences,
    SplitStatements,
    Statement,
    VerifyStatements,
)
from benchmarks.data import FOLDER

SEED = 24
HALF = 0.5
EXACT = 1e-6
_TOKEN = re.compile(r"[\w.'\u2019-]+")
# What a regular expression that does not match gives.
_NOTHING: dict[str, Callable[..., Any]] = {
    "search": lambda *_: None,
    "match": lambda *_: None,
    "fullmatch": lambda *_: None,
    "finditer": lambda *_: [],
    "findall": lambda *_: [],
    "sub": lambda _, text, *__: text,
    "split": lambda text, *_: [text],
}
# Set -> its file, how many of its rows are taken for each 60, and by what its rows are judged.
SETS: dict[str, tuple[str, float, str]] = {
    "attributionbench": ("data/attribution/attributionbench_dev.jsonl.gz", 1, "claim"),
    "expertqa": ("data/attribution/expertqa_claims.jsonl.gz", 1, "claim"),
    "fever": ("data/claims/fever_symmetric.jsonl.gz", 1, "claim"),
    "foolmetwice": ("data/claims/foolmetwice.jsonl.gz", 1, "claim"),
    "factcheckgpt": ("data/claims/factcheckgpt_stance.jsonl.gz", 1, "claim"),
    "begin": ("data/claims/begin.jsonl.gz", 1, "claim"),
    "conjnli": ("data/claims/conjnli.jsonl.gz", 1, "claim"),
    "breaking_nli": ("data/claims/breaking_nli.jsonl.gz", 1, "claim"),
    "anli": ("data/claims/anli_dev.jsonl.gz", 1, "claim"),
    "sick": ("data/claims/sick.jsonl.gz", 1, "claim"),
    "scifact": ("data/claims/scifact_rte.jsonl.gz", 1, "claim"),
    "climate_fever": ("data/claims/climate_fever.jsonl.gz", 1, "claim"),
    "covidfact": ("data/claims/covidfact.jsonl.gz", 1, "claim"),
    "healthver": ("data/claims/healthver.jsonl.gz", 1, "claim"),
    "wice": ("data/claims/wice_claims.jsonl.gz", 0.5, "claim"),
    "factcg": ("data2/claims/factcg_doc_dev.jsonl.gz", 1, "claim"),
    "contractnli": ("data2/documents/contractnli_dev.jsonl.gz", 0.25, "claim"),
    "nli4ct": ("data2/documents/nli4ct_dev.jsonl.gz", 0.5, "claim"),
    "infotabs": ("data2/tables/infotabs_dev.jsonl.gz", 1.5, "claim"),
    "pubhealthtab": ("data2/tables/pubhealthtab_dev.jsonl.gz", 1, "claim"),
    "scitab": ("data2/tables/scitab_dev.jsonl.gz", 1, "claim"),
    "tabfact": ("data2/tables/tabfact_pairs_dev.jsonl.gz", 1.5, "claim"),
    "halueval": ("data/claims/halueval_qa500.jsonl.gz", 1, "answer"),
    "summedits": ("data/faithfulness/summedits_dev.jsonl.gz", 1, "answer"),
    "faceval": ("data2/dialogues/faceval_dev.jsonl.gz", 0.5, "answer"),
    "qags": ("data/faithfulness/qags.jsonl.gz", 0.5, "sentences"),
    "ragtruth": ("data/ragtruth/ragtruth_train.jsonl.gz", 1.5, "sentences"),
    "quintd": ("data2/records/quintd1_dev.jsonl.gz", 0.5, "sentences"),
    "llm_spans": ("data2/records/llm_spans_dev.jsonl.gz", 0.35, "sentences"),
    "diasumfact": ("data2/dialogues/diasumfact_dev.jsonl.gz", 0.5, "sentences"),
    "storysumm": ("data2/summaries/storysumm_dev.jsonl.gz", 0.3, "sentences"),
    "trecqa": ("data/relevance/trecqa.jsonl.gz", 1.5, "relevance"),
    "msmarco": ("data/relevance/msmarco_hard_neg400.jsonl.gz", 1.5, "relevance"),
    "evouna": ("data/correctness/evouna_nq.jsonl.gz", 1, "correctness"),
}
# Without these there is no word, no line and no sentence to speak of.
STRUCTURE = frozenset(
    {"WORD", "_WORD", "_LINE", "_STOP", "_TOKEN", "_LAST_WORD", "_NEXT", "_HINT", "_LETTERS"}
    | {"_DIGIT", "_CELL", "_CSV_CELL", "_QUOTED", "_COLON", "_CLOSED", "_SHOWN", "_MARKER"}
    | {"_NAME", "_FORMS", "_FIRST_VERB"}
)


@dataclass(frozen=True)
class Row:
    """One labelled case."""

    group: str  # the set, or the category of a probe
    kind: str
    data: Mapping[str, Any]
    probe: bool = False


@dataclass(frozen=True)
class Said:
    """What the judge says of something that people labelled."""

    score: float
    yes: bool
    label: bool


Outcome = list[Said]


@dataclass
class Rule:
    """A rule, how it is switched off, and the rows on which it acts; None where that is unknown."""

    name: str
    off: Callable[[ExitStack], None]
    rows: set[int] | None = field(default_factory=set)


class Judging:
    """The judge as it is asked for one row."""

    def __init__(self) -> None:
        self._judge = Embedded()
        self._subject = JudgeUnderTest(choose(self._judge, None, Settings()))
        self._loop = asyncio.new_event_loop()

    def __call__(self, row: Row) -> Outcome:
        """What it says of a row."""
        return list(getattr(self, f"_{row.kind}")(row.data))

    def _ask(self, task: Any) -> Any:
        return task.read(self._loop.run_until_complete(self._judge.reply(task)).raw)

    def _verdicts(self, texts: Sequence[str], contexts: Sequence[str]) -> Any:
        stated = tuple(Statement(f"s{i}", text) for i, text in enumerate(texts, start=1))
        return self._ask(VerifyStatements(stated, tuple(contexts)))

    def _claim(self, data: Mapping[str, Any]) -> Iterator[Said]:
        first, *_ = self._verdicts([data["claim"]], data["contexts"])
        yield Said(first.support, first.supported, bool(data["labels"]["supported"]))

    def _statements(self, data: Mapping[str, Any]) -> Any:
        found = self._ask(SplitStatements(data["question"] or "", data["answer"]))
        return found, self._verdicts([s.text for s in found], data["contexts"]) if found else ()

    def _answer(self, data: Mapping[str, Any]) -> Iterator[Said]:
        labels = data["labels"]
        keys = {"supported": False, "consistent": False, "hallucinated": True}
        label = next(
            bool(labels[key]) is not turned for key, turned in keys.items() if key in labels
        )
        _, verdicts = self._statements(data)
        least = min((v.support for v in verdicts), default=1.0)
        yield Said(least, least >= HALF, label)

    def _sentences(self, data: Mapping[str, Any]) -> Iterator[Said]:
        answer = data["answer"]
        found, verdicts = self._statements(data)
        for sentence in data["labels"]["sentences"]:
            start = sentence["start"] if "start" in sentence else answer.find(sentence["text"])
            end = sentence["end"] if "end" in sentence else start + len(sentence["text"])
            mine = [
                verdict.support
                for statement, verdict in zip(found, verdicts, strict=True)
                if any(first < end and start < last for first, last in statement.spans)
            ]
            least = min(mine, default=1.0)
            yield Said(least, least >= HALF, bool(sentence["supported"]))

    def _relevance(self, data: Mapping[str, Any]) -> Iterator[Said]:
        passages = tuple(Passage(f"1.{i}", text) for i, text in enumerate(data["contexts"], 1))
        found = self._ask(SelectSentences(data["question"], passages))
        best = max(choice.probability or 0.0 for choice in found)
        yield Said(best, any(choice.chosen for choice in found), bool(data["labels"]["relevant"]))

    def _correctness(self, data: Mapping[str, Any]) -> Iterator[Said]:
        truth = data["ground_truth"]
        reference = truth if isinstance(truth, str) else truth[0]
        value = self._metric("factual_correctness", data | {"reference": reference})
        score = math.nan if value is None else value.value
        yield Said(score, score >= HALF, bool(data["labels"]["correct"]))

    def _metric(self, name: str, data: Mapping[str, Any]) -> Any:
        sample = Sample(
            id="1",
            question=data["question"],
            contexts=tuple(data.get("contexts") or ()),
            answer=data.get("answer"),
            reference=data.get("reference"),
        )
        metric = FactualCorrectness() if name == "factual_correctness" else Faithfulness()
        return self._subject.outcomes(metric, [sample])[0]

    def _probe(self, data: Mapping[str, Any]) -> Iterator[Said]:
        expect = data["expect"]
        if "statement" in data:
            first, *_ = self._verdicts(
                [data["statement"], *data.get("neighbours", ())], data["contexts"]
            )
            yield Said(first.support, first.supported, expect["supported"])
        elif "refusal" in expect or "addresses" in expect:
            rating = self._ask(RateAnswer(data["question"], data["answer"]))
            declines = "refusal" in expect
            yes = rating.noncommittal if declines else rating.relevance >= HALF
            yield Said(rating.relevance, yes, expect["refusal" if declines else "addresses"])
        elif "correct" in expect:
            score = self._metric("factual_correctness", data)
            value = 0.0 if score is None else score.value
            if score is not None and expect.get("by") == "precision":
                value = score.details["precision"]
            yield Said(value, value > 1 - EXACT, expect["correct"])
        else:
            found = self._metric("faithfulness", data)
            value = None if found is None else found.value
            whole = float(
                Fraction(str(expect.get("faithfulness", int(bool(expect.get("supported"))))))
            )
            right = value is not None and abs(value - whole) < EXACT
            if "faithfulness" not in expect:
                right = value is not None and (value > 1 - EXACT) is bool(whole)
            label = whole > 1 - EXACT
            yield Said(-1.0 if value is None else value, label is right, label)


def sampled(data: Path, n: int) -> list[Row]:
    """The rows of the development sets that are judged."""
    found = []
    for name, (file, share, kind) in SETS.items():
        with gzip.open(data / file, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        rows = [row for row in rows if kind != "sentences" or row["labels"]["sentences"]]
        chosen = random.Random(SEED).sample(rows, min(len(rows), round(n * share)))
        found += [Row(name, kind, row) for row in chosen]
    return found


def probes(folder: Path) -> list[Row]:
    """All probes in languages that the judge reads."""
    lines = [
        line for file in sorted(folder.glob("*.jsonl")) for line in file.open(encoding="utf-8")
    ]
    rows = map(json.loads, lines)
    read = (row for row in rows if row["language"] != "zh")  # which the judge leaves unscored
    return [Row(row["category"], "probe", row, probe=True) for row in read]


class Watched:
    """A regular expression that tells when it matches and can be made never to match."""

    def __init__(self, pattern: re.Pattern[str], seen: Callable[[], None]) -> None:
        self._pattern = pattern
        self._seen = seen
        self._is_off = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _result(self, method: str, *args: Any, **options: Any) -> Any:
        nothing = _NOTHING[method](*args)
        if self._is_off:
            return iter(nothing) if method == "finditer" else nothing
        found = getattr(self._pattern, method)(*args, **options)
        if method == "finditer":
            found = list(found)
        if found != nothing:
            self._seen()
        return iter(found) if method == "finditer" else found

    @contextmanager
    def off(self) -> Iterator[None]:
        """It never matches meanwhile."""
        self._is_off = True
        try:
            yield
        finally:
            self._is_off = False


for _method in _NOTHING:
    setattr(
        Watched,
        _method,
        lambda self, *args, _method=_method, **options: self._result(_method, *args, **options),
    )


def modules() -> list[Any]:
    """Those whose rules are measured."""
    parts = ("assay._text.", "assay.judges.embedded.")
    return [module for name, module in sorted(sys.modules.items()) if name.startswith(parts)]


def everywhere(old: Any, new: Any) -> None:
    """Put one object in the place of another wherever assay's modules name it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("assay"):
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)


class Rules:
    """Everything that can be switched off, and where it acts."""

    def __init__(self) -> None:
        self.row = -1  # the one that is judged
        self.found: dict[str, Rule] = {}

    def _note(self, rule: Rule) -> Callable[[], None]:
        def seen() -> None:
            if rule.rows is not None:
                rule.rows.add(self.row)

        return seen

    def watch_patterns(self) -> None:
        """Every regular expression of the judge, and each one of a list of them."""
        done: dict[int, Any] = {}
        for module in modules():
            for name, value in list(vars(module).items()):
                if name.startswith("__") or id(value) in done:
                    continue
                new = self._watched(value, f"{module.__name__.rpartition('.')[2]}.{name}")
                if new is not value:
                    done[id(value)] = value  # keeps it alive, so that its id stays its own
                    everywhere(value, new)

    def _watched(self, value: Any, name: str) -> Any:
        if isinstance(value, re.Pattern):
            rule = Rule(name, lambda _: None)
            watched = Watched(value, self._note(rule))
            rule.off = lambda stack: stack.enter_context(watched.off())
            if name.rpartition(".")[2].partition("[")[0] not in STRUCTURE:
                self.found[name] = rule
            return watched
        if isinstance(value, tuple) and type(value) is tuple:
            new = tuple(self._watched(each, f"{name}[{i}]") for i, each in enumerate(value))
            return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
        if type(value) is dict and any(isinstance(v, re.Pattern) for v in value.values()):
            return {key: self._watched(v, f"{name}[{key!r}]") for key, v in value.items()}
        return value

    def function(self, module: str, name: str, instead: Callable[..., Any]) -> None:
        """A function in whose place another one can be put."""
        owner: Any = sys.modules[f"assay.{module}"]
        for part in name.split(".")[:-1]:
            owner = getattr(owner, part)
        function = getattr(owner, name.rpartition(".")[2])
        rule = Rule(f"{module.rpartition('.')[2]}.{name}()", lambda _: None)
        seen, state = self._note(rule), {"off": False}

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            other = instead(*args, **options)
            if state["off"]:
                return other
            result = function(*args, **options)
            try:
                same = bool(result == other)
            except ValueError:
                same = False
            if not same:
                seen()
            return result

        def off(stack: ExitStack) -> None:
            state["off"] = True
            stack.callback(state.update, off=False)

        rule.off = off
        if "." in name:
            setattr(owner, name.rpartition(".")[2], call)
        else:
            everywhere(function, call)
        self.found[rule.name] = rule

    def value(
        self, module: str, name: str, instead: Any, label: str = "", rows: set[int] | None = None
    ) -> None:
        """A constant in whose place another one can be put; on which rows it acts is unknown."""
        owner = sys.modules[f"assay.{module}"]

        def off(stack: ExitStack) -> None:
            old = getattr(owner, name)
            everywhere(old, instead)
            stack.callback(everywhere, instead, old)

        short = f"{module.rpartition('.')[2]}.{name}{label}"
        self.found[short] = Rule(short, off, rows)


def nothing(*_: Any, **__: Any) -> None:
    """What finds nothing."""


def no(*_: Any, **__: Any) -> bool:
    """What says no."""
    return False


def same(first: Any, *_: Any, **__: Any) -> Any:
    """What leaves its argument as it is."""
    return first


def empty(*_: Any, **__: Any) -> list[Any]:
    """What lists nothing."""
    return []


def functions(rules: Rules) -> None:
    """The rules that are functions, each beside what is done without it."""
    from assay._text import numbers

    e = "judges.embedded"
    for module, name, instead in (
        (f"{e}.comparison", "_verbatim", no),
        (f"{e}.comparison", "flag", nothing),
        (f"{e}.comparison", "_find_swap", nothing),
        (f"{e}.comparison", "_is_rejected", no),
        (f"{e}.comparison", "_figures", lambda _, evidence: [0.0] * len(evidence.pieces)),
        (f"{e}.swaps", "_mixes", no),
        (f"{e}.swaps", "_sentences", lambda *_: set()),
        (f"{e}.comparison", "_in_reply", lambda *_: iter(())),
        (f"{e}.comparison", "_in_cells", lambda *_: iter(())),
        (f"{e}.evidence", "absence_claim", nothing),
        (f"{e}.evidence", "claim_start", lambda *_: 0),
        (f"{e}.evidence", "without_lead", same),
        (f"{e}.evidence", "without_pointers", same),
        (f"{e}.evidence", "without_tags", same),
        (f"{e}.evidence", "normalize", numbers.Normalized),
        (f"{e}.evidence", "_cut", lambda text: [text]),
        (f"{e}.reader", "nearest_first", lambda found, *_: list(found)),
        (f"{e}.reader", "connected", lambda _, evidence: list(range(len(evidence.pieces)))),
        (f"{e}.selection", "_with_neighbours", lambda *args: args[-1]),
        (f"{e}.judge", "is_phrase", no),
        (f"{e}.relevance", "declines", lambda *_: ""),
        ("_text.quantities", "written_like", same),
        ("_text.records", "_records", lambda *_: iter(())),
        ("_text.records", "rows", nothing),
        ("_text.records", "_labels", lambda *_: {}),
        ("_text.records", "_first_values", lambda items: [""] * len(items)),
        ("_text.records", "_is_deep", no),
        ("_text.tables", "_markdown", nothing),
        ("_text.tables", "_separated", nothing),
        ("_text.tables", "_pairs", nothing),
        ("_text.tables", "read_key", same),
        ("_text.tables", "read_value", same),
        ("_text.tables", "_with_times", same),
        ("_text.tables", "_with_dates", same),
        ("_text.tables", "_apart", same),
        ("_text.entities", "acronyms", lambda *_: set()),
        ("_text.entities", "is_negated", no),
        ("_text.entities", "opposites", empty),
        ("_text.entities", "calendar_words", lambda *_: set()),
        ("_text.entities", "_without_first_word", same),
        ("_text.numbers", "is_close_to_any", lambda number, others, *_: number in others),
        ("_text.numbers", "is_prefix_of_any", no),
        ("_text.words", "_plain_number", same),
        ("_text.words", "_undouble", same),
        ("_text.clauses", "parts", lambda text: [Part(text, 0, len(text))]),
        ("_text.statements", "resolve", same),
        ("_text.statements", "clean", same),
        ("_text.statements", "_usable_lead_in", lambda *_: ""),
        ("_text.statements", "_with_lead_in", same),
        ("_text.statements", "is_plain_refusal", no),
        ("_text.statements", "tables", lambda *_: iter(())),
        ("_text.manners", "is_chatter", no),
        ("_text.manners", "is_source", no),
        ("_text.manners", "names_sources", no),
        ("_text.statements", "_is_heading", no),
        ("_text.predicates", "is_alone", lambda *_: True),
        ("_text.predicates", "subject_of", lambda *_: ""),
        ("_text.refusals", "absence_words", lambda *_: ""),
        ("_text.sentences", "_continues", no),
        ("_text.sentences", "_is_figure", no),
        ("_text.sentences", "_says_no", no),
        ("_text.sentences", "_in_brackets", no),
        ("_text.sentences", "_is_item", no),
        ("_text.sentences", "_is_ordinal", no),
        ("_text.sentences", "_is_initial", no),
        ("_text.questions", "kind_of", lambda *_: "open"),
        ("_text.questions", "holds", lambda *_: True),
        ("_text.questions", "plain", lambda *_: ""),
    ):
        rules.function(module, name, instead)
    for place, kind in enumerate(("date", "spoken", "part", "clock", "amount")):
        kinds = sys.modules["assay._text.quantities"]._KINDS  # noqa: SLF001
        others = (*kinds[:place], *kinds[place + 1 :])
        rules.value("_text.quantities", "_KINDS", others, f" without {kind}")
    _forms(rules, numbers)


def _forms(rules: Rules, numbers: Any) -> None:
    """Each sort of thing that is brought into its usual form."""
    read = numbers._usual_form  # noqa: SLF001 - what is measured
    left: set[str] = set()
    parts = ("sum", "scale", "amount", "times")
    names = [name for name in numbers._FORMS.groupindex if name not in parts]  # noqa: SLF001
    mine = {name: Rule(f"normalize: {name}", lambda _: None) for name in names}
    for name, rule in mine.items():
        rule.off = lambda stack, name=name: (left.add(name), stack.callback(left.discard, name))
    rules.found |= {rule.name: rule for rule in mine.values()}
    notes = {name: rules._note(rule) for name, rule in mine.items()}  # noqa: SLF001

    def call(match: Any) -> str:
        groups = [name for name in names if match[name] is not None]
        if left.intersection(groups):
            return str(match[0])
        for name in groups:
            notes[name]()
        return str(read(match))

    everywhere(read, call)


def spoken_in(row: Row) -> set[str]:
    """The words of a row, as they are written, in lower case and stemmed."""
    found = set(_TOKEN.findall(json.dumps(row.data, ensure_ascii=False)))
    lower = {token.lower() for token in found}
    bare = {token.strip(".'\u2019") for token in lower}
    return found | lower | bare | {stem(word) for token in lower for word in words(token)}


def _rows_with(listed: Iterable[str], spoken: Sequence[set[str]]) -> set[int]:
    wanted = set(listed)
    return {i for i, mine in enumerate(spoken) if not wanted.isdisjoint(mine)}


def lists(rules: Rules, rows: Sequence[Row]) -> None:
    """The lists of words, empty."""
    spoken = [spoken_in(row) for row in rows]
    for module in modules():
        short = module.__name__.removeprefix("assay.")
        for name, value in list(vars(module).items()):
            label = f"{short.rpartition('.')[2]}.{name}"
            judged = name.isupper() and "sanitize" not in short and "language_id" not in short
            listed = isinstance(value, frozenset | set) and all(isinstance(v, str) for v in value)
            if judged and listed and value and label not in rules.found:
                rules.value(short, name, type(value)(), rows=_rows_with(value, spoken))
    rules.value("_text.entities", "OPPOSITES", {})
    rules.value("_text.entities", "_ROMAN", {})
    rules.value("_text.words", "_FIGURES", {})
    rules.value("_text.tables", "_LITERALS", {})
    rules.value("_text.words", "_SUFFIXES", ())
    rules.value("judges.embedded.verification", "OBJECTED", 1.0)
    rules.value("judges.embedded.verification", "FOREIGN", 1.0)


def forget(known: list[Any]) -> None:
    """Forget what was computed from texts; the models stay."""
    for cached in known:
        cached.cache_clear()


def caches() -> list[Any]:
    """What remembers results about texts."""
    kept = ("models", "passes", "judge", "fitted", "card")
    return [
        each
        for each in gc.get_objects()
        if isinstance(each, _lru_cache_wrapper)
        and each.__module__.startswith(("assay._text.", "assay.judges.embedded."))
        and not each.__module__.endswith(kept)
    ]


def auroc(said: Iterable[Said]) -> float:
    """Chance that something supported scores above something that is not; nan without both."""
    found = sorted((s for s in said if not math.isnan(s.score)), key=lambda s: s.score)
    positive = sum(s.label for s in found)
    negative = len(found) - positive
    if not positive or not negative:
        return math.nan
    total, i = 0.0, 0
    while i < len(found):
        j = i
        while j < len(found) and found[j].score == found[i].score:
            j += 1
        total += sum(s.label for s in found[i:j]) * (i + j + 1) / 2
        i = j
    return (total - positive * (positive + 1) / 2) / (positive * negative)


def balanced(said: Iterable[Said]) -> float:
    """Mean accuracy of the classes."""
    by_label: dict[bool, list[bool]] = defaultdict(list)
    for one in said:
        by_label[one.label].append(one.yes is one.label)
    return statistics.fmean(statistics.fmean(each) for each in by_label.values())


def pairs(rows: Sequence[Row], outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How many twins of opposite labels have both right, and how many probes are right."""
    said = {row.data["id"]: out[0] for row, out in zip(rows, outcomes, strict=True) if row.probe}
    twins = {
        frozenset((row.data["id"], row.data["pair"]))
        for row in rows
        if row.probe
        and row.data["pair"] in said
        and said[row.data["id"]].label is not said[row.data["pair"]].label
    }
    right = {name: one.yes is one.label for name, one in said.items()}
    return sum(all(right[name] for name in twin) for twin in twins), sum(right.values())


@dataclass(frozen=True)
class Measured:
    """What the judge reaches."""

    auroc: dict[str, float]
    balanced: dict[str, float]
    pairs: int
    right: int

    @classmethod
    def of(cls, rows: Sequence[Row], outcomes: Sequence[Outcome]) -> "Measured":
        """By the outcomes of all rows."""
        by_set: dict[str, list[Said]] = defaultdict(list)
        for row, out in zip(rows, outcomes, strict=True):
            if not row.probe:
                by_set[row.group] += out
        both, right = pairs(rows, outcomes)
        return cls(
            {name: auroc(said) for name, said in by_set.items()},
            {name: balanced(said) for name, said in by_set.items()},
            both,
            right,
        )


def line(rule: Rule, acts: int, changed: int, full: Measured, less: Measured) -> dict[str, Any]:
    """What a rule is worth: what is lost without it, so that above 0 is in its favour."""
    return {
        "rule": rule.name,
        "acts": acts,
        "changed": changed,
        "auroc": {s: round(full.auroc[s] - less.auroc[s], 4) for s in full.auroc},
        "balanced": {s: round(full.balanced[s] - less.balanced[s], 4) for s in full.balanced},
        "pairs": full.pairs - less.pairs,
        "right": full.right - less.right,
    }


def without(
    rule: Rule, rows: Sequence[Row], full: Sequence[Outcome], judge: Judging, known: list[Any]
) -> tuple[list[Outcome], int]:
    """What is said without a rule, and of how many rows it is another thing."""
    outcomes = list(full)
    changed = 0
    with ExitStack() as stack:
        rule.off(stack)
        forget(known)
        for i in range(len(rows)) if rule.rows is None else sorted(rule.rows):
            try:
                outcomes[i] = judge(rows[i])
            except Exception as error:  # noqa: BLE001 - a rule without which nothing works
                print(f"{rule.name}: {error!r}", file=sys.stderr)
                return outcomes, -1
            changed += outcomes[i] != full[i]
    forget(known)
    return outcomes, changed


def table(lines: Sequence[Mapping[str, Any]]) -> str:
    """The lines as a table in Markdown, what matters most first."""
    head = (
        "| rule | rows it acts on | rows it changes | AUROC | balanced accuracy | pairs of probes "
        "| probes | sets that change most |\n|---|---:|---:|---:|---:|---:|---:|---|"
    )
    out = [head]
    for one in sorted(lines, key=lambda one: (-mean(one), one["rule"])):
        sets = sorted(one["auroc"].items(), key=lambda item: -abs(item[1]))[:4]
        most = ", ".join(f"{name} {value:+.3f}" for name, value in sets if abs(value) >= 0.0005)
        acts = "all" if one["acts"] < 0 else str(one["acts"])
        out.append(
            f"| {one['rule']} | {acts} | {one['changed']} | {mean(one):+.4f} | "
            f"{statistics.fmean(one['balanced'].values()):+.4f} | {one['pairs']:+d} | "
            f"{one['right']:+d} | {most} |"
        )
    return "\n".join(out)


def mean(one: Mapping[str, Any]) -> float:
    """Mean change in AUROC over the sets."""
    return statistics.fmean(value for value in one["auroc"].values() if not math.isnan(value))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60, help="rows of a set")
    parser.add_argument("--rules", default="", help="parts of names, with commas between them")
    parser.add_argument("--part", default="1/1", help="1/2: every other rule, for a second core")
    parser.add_argument("--lines", type=Path, help="write what was measured, one rule a line")
    parser.add_argument("--write", type=Path, help="write the table into this page")
    chosen = parser.parse_args()
    rows = [*sampled(FOLDER.parent, chosen.rows), *probes(FOLDER.parent / "probes")]
    for passes in (reader.passes, embedding.sentences):
        passes._max_results = 10**6  # noqa: SLF001 - every pass is made once
    judge, rules = Judging(), Rules()
    judge(rows[0])
    known = caches()
    rules.watch_patterns()
    functions(rules)
    lists(rules, rows)
    start = time.perf_counter()
    full: list[Outcome] = []
    for rules.row, row in enumerate(rows):
        forget(known)
        full.append(judge(row))
    measured = Measured.of(rows, full)
    print(
        f"{len(rows)} rows, {len(rules.found)} rules, {time.perf_counter() - start:.0f} s",
        file=sys.stderr,
    )
    print(json.dumps(measured.__dict__), file=sys.stderr, flush=True)
    part, parts = map(int, chosen.part.split("/"))
    wanted = [name for name in chosen.rules.split(",") if name]
    rules.row = -1
    lines = []
    order = sorted(rules.found.values(), key=lambda r: len(rows) if r.rows is None else len(r.rows))
    for rule in order[part - 1 :: parts]:
        if wanted and not any(name in rule.name for name in wanted):
            continue
        mine = None if rule.rows is None else set(rule.rows)
        outcomes, changed = without(Rule(rule.name, rule.off, mine), rows, full, judge, known)
        one = line(
            rule, -1 if mine is None else len(mine), changed, measured, Measured.of(rows, outcomes)
        )
        lines.append(one)
        if chosen.lines:
            with chosen.lines.open("a", encoding="utf-8") as file:
                file.write(json.dumps(one) + "\n")
        print(
            f"{time.perf_counter() - start:.0f} s {rule.name} {one['changed']}",
            file=sys.stderr,
            flush=True,
        )
    print(table(lines))


if __name__ == "__main__":
    main()
