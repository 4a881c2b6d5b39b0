"""The differences that are known: on which rows each is found, and what either side says there.

docs/ragas-differences.md, docs/deepeval-differences.md and docs/trulens-differences.md explain every one
under its id; `test_peers.py` holds the pages and this table together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import oracle
from pairs import PAIRS
from rows import says_twice, twin

from assay.metrics import parse
from assay.metrics.evidence import sentences

RAGAS = ("ragas4", "ragas4_legacy", "ragas1")
DROP_IN = ("drop-in",)
EVERYONE = (*RAGAS, "deepeval", "trulens", "ragchecker")
NONE = ("undefined", "refused", "nan")
NUMBER = "a number"
RELEVANCY = ("AnswerRelevancy", "ResponseRelevancy")
CORRECT = "AnswerCorrectness"
SIMILARITY = ("SemanticSimilarity", "AnswerSimilarity", CORRECT)
RATED = ("AnswerAccuracy", "ContextRelevance", "ResponseGroundedness")
STATEMENTS = ("Faithfulness", "NoiseSensitivity", CORRECT)
WORDED = ("ExactMatch", "StringPresence", "NonLLMString", "Bleu", "Rouge", "Chrf")
LISTS = ("contexts", "reference_contexts", "context_ids", "reference_context_ids")


@dataclass(frozen=True)
class Look:
    """One value of ours and one of theirs, with all others of the same metric."""

    row: dict[str, Any]
    peer: str
    pair: tuple[str, str]
    ours: dict[str, Any]
    theirs: dict[str, Any]

    @property
    def mine(self):
        return self.ours[self.row["id"]]

    @property
    def other(self):
        return self.theirs[self.row["id"]]

    @property
    def needs(self):
        theirs, ours = self.pair
        if self.peer in DROP_IN:
            ours = PAIRS["ragas4_legacy"][theirs]
        return parse(ours).needs


@dataclass(frozen=True)
class Case:
    """A named difference.

    Attributes:
        id: Its name in the docs.
        peers: Which libraries differ.
        when: Whether a row and a metric are of this case.
        ours: A number, NUMBER for any, or what stands for none of ours.
        theirs: The same of the library; an exception is "error".
        metrics: How the names of the metrics of theirs begin; all where it is empty.
    """

    id: str
    peers: tuple[str, ...]
    when: Callable[[Look], bool]
    ours: Any
    theirs: Any
    metrics: tuple[str, ...] = ()

    def covers(self, look):
        """Whether this difference is the one that the case names."""
        return (
            look.peer in self.peers
            and (not self.metrics or look.pair[0].startswith(self.metrics))
            and says(look.mine, self.ours)
            and says(look.other, self.theirs)
            and self.when(look)
        )


def says(value, wanted):
    """Whether a value is the number, or the kind of none, that a case foresees."""
    if isinstance(value, dict):
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        return value["none"] in kinds or ("error" in kinds and value["none"][0].isupper())
    return wanted == NUMBER or (isinstance(wanted, float) and abs(value - wanted) < 1e-6)


def blank(value):
    """Whether nothing stands in a field."""
    return not "".join(value if isinstance(value, list) else [value or ""]).strip()


def empty(*fields):
    """Whether one of these fields holds nothing, or is missing."""
    return lambda look: any(blank(look.row[field]) for field in fields)


def malformed(look):
    """Whether a list of the row holds an empty item, or ids for another number of contexts."""
    row = look.row
    lists = [row[name] for name in LISTS if row[name]]
    ids, contexts = row["context_ids"], row["contexts"]
    unequal = ids is not None and contexts is not None and len(ids) != len(contexts)
    return unequal or any(not item.strip() for items in lists for item in items)


def lacks_needed(look):
    """Whether a field that our metric needs is missing or holds nothing."""
    return empty(*look.needs)(look)


def claims_nothing(*fields):
    """Whether the text of one of these fields claims nothing."""
    return lambda look: any(not oracle.statements(look.row[field] or "") for field in fields)


def repeated(look):
    """Whether ours is what they say of the same row when it says everything once."""
    if not says_twice(look.row):
        return False
    return abs(look.theirs[twin(look.row)] - look.mine) < 1e-9


def silent(look):
    """Whether the judge leaves out a verdict."""
    return oracle.SILENT in f"{look.row['answer']} {look.row['reference']}"


def hushed(look):
    """Whether the judge gives no question on one draw."""
    return oracle.HUSH in look.row["answer"]


def _claiming(look):
    return [bool(oracle.statements(look.row[name] or "")) for name in ("answer", "reference")]


def both_claim_nothing(look):
    """Whether neither the answer nor the reference claims anything."""
    return not any(_claiming(look))


def one_claims_nothing(look):
    """Whether the answer claims something and the reference nothing, or the other way round."""
    return sum(_claiming(look)) == 1


def contexts_claim_nothing(look):
    """Whether no context claims anything."""
    return not any(oracle.statements(context) for context in look.row["contexts"])


def no_full_stop(look):
    """Whether a sentence that claims something does not end with a full stop."""
    texts = (look.row["answer"] or "", look.row["reference"] or "")
    return any(not s.endswith(".") for text in texts for s in oracle.statements(text))


def several_sentences(look):
    """Whether ragas would cut one of the texts into sentences."""
    return ". " in look.row["answer"] or ". " in look.row["reference"]


def cut_otherwise(look):
    """Whether the two cut the answer into other sentences."""
    return [s.text for s in sentences(look.row["answer"])] != oracle.sentences(look.row["answer"])


def judged_and_lacking(look):
    """Whether a metric that compares more than two texts by wording lacks a field."""
    return not look.pair[0].startswith(WORDED) and lacks_needed(look)


def missing_text(look):
    """Whether one of the two texts is missing, not only empty."""
    return look.row["answer"] is None or look.row["reference"] is None


CASES: tuple[Case, ...] = (
    # What ragas says and we do not.
    Case("bleu-first-sentences", (*RAGAS, *DROP_IN), several_sentences, NUMBER, NUMBER, ("Bleu",)),
    Case("nothing-quoted", RAGAS, lambda look: True, "undefined", 1.0, ("QuotedSpans",)),
    Case("draw-without-question", RAGAS, hushed, "failed", NUMBER, RELEVANCY),
    Case("draw-without-question", DROP_IN, hushed, "nan", NUMBER, RELEVANCY),
    Case("nobody-claims", RAGAS, both_claim_nothing, "undefined", 1.0, (CORRECT,)),
    Case("nobody-claims", DROP_IN, both_claim_nothing, "nan", 1.0, (CORRECT,)),
    Case("one-side-claims", ("ragas4",), one_claims_nothing, 0.0, 1.0, (f"{CORRECT} facts",)),
    Case("one-side-claims", ("ragas4",), one_claims_nothing, NUMBER, NUMBER, (CORRECT,)),
    Case("empty-similarity", (*RAGAS, *DROP_IN), empty("answer"), 0.0, NUMBER, SIMILARITY),
    Case("nothing-to-rate", RAGAS, empty("answer", "contexts"), 0.0, "error", RATED),
    Case(
        "no-context",
        RAGAS,
        empty("contexts"),
        0.0,
        "error",
        ("ContextRecall", "Faithfulness", "ContextPrecision"),
    ),
    Case(
        "empty-answer",
        ("ragas4",),
        empty("answer"),
        0.0,
        "error",
        ("AnswerRelevancy", "FactualCorrectness", "ContextPrecisionWithoutReference"),
    ),
    Case(
        "nothing-to-compare",
        (*RAGAS, *DROP_IN),
        empty("contexts", "reference_contexts"),
        0.0,
        "error",
        ("NonLLMContext",),
    ),
    Case("no-full-stop", ("ragas1",), no_full_stop, NUMBER, ("nan", "error"), STATEMENTS),
    Case("no-full-stop", ("ragas1",), no_full_stop, NUMBER, NUMBER, STATEMENTS),
    Case("contexts-asked-for", ("ragas1",), empty("contexts"), NUMBER, "error", RELEVANCY),
    # What DeepEval says and we do not.
    Case(
        "deepeval-nothing-claimed",
        ("deepeval",),
        claims_nothing("answer"),
        "undefined",
        1.0,
        ("Faithfulness", "AnswerRelevancy", "Hallucination"),
    ),
    Case(
        "deepeval-no-context",
        ("deepeval",),
        empty("contexts"),
        ("undefined", "refused"),
        1.0,
        ("Faithfulness", "Hallucination"),
    ),
    Case(
        "deepeval-nothing-retrieved",
        ("deepeval",),
        contexts_claim_nothing,
        ("undefined", "refused"),
        0.0,
        ("ContextualPrecision", "ContextualRelevancy"),
    ),
    Case(
        "deepeval-asks-for-question",
        ("deepeval",),
        lambda look: look.row["question"] is None,
        NUMBER,
        "error",
        ("ContextualRecall",),
    ),
    # What TruLens says and we do not.
    Case(
        "trulens-nothing-claimed",
        ("trulens",),
        claims_nothing("answer"),
        "undefined",
        0.0,
        ("groundedness",),
    ),
    Case("trulens-sentences", ("trulens",), cut_otherwise, NUMBER, NUMBER, ("groundedness",)),
    # What RAGChecker says and we do not.
    Case(
        "ragchecker-perfect-zero",
        ("ragchecker",),
        lambda look: claims_nothing("answer", "reference")(look) or empty("contexts")(look),
        NONE,
        0.0,
        ("noise_sensitivity", "hallucination", "self_knowledge"),
    ),
    # What we say of every row and judge.
    Case("said-twice", (*EVERYONE, *DROP_IN), repeated, NUMBER, NUMBER),
    Case("no-verdict", EVERYONE, silent, "failed", NUMBER),
    Case("no-verdict", DROP_IN, silent, "nan", NUMBER),
    Case("malformed-row", (*EVERYONE, *DROP_IN), malformed, ("refused", "error"), NUMBER),
    Case("lacking-field", EVERYONE, lacks_needed, NONE, NUMBER),
    Case("lacking-field", DROP_IN, judged_and_lacking, "nan", NUMBER),
    Case("missing-field", DROP_IN, missing_text, "nan", 0.0, ("ExactMatch", "ChrfScore")),
)
