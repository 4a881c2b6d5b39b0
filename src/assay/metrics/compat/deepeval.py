"""DeepEval's metrics of RAG and of tools, on what other metrics use as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from assay._text.statements import is_phrase
from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric, override
from assay.metrics.contexts import ContextPrecision
from assay.metrics.conversation import call
from assay.metrics.evidence import (
    CONTRADICTION_UNKNOWN,
    Statements,
    blank,
    by_context,
    choices,
    context_parts,
    contradicted,
    relevance_share,
    sentences,
    share,
    split,
    supported_share,
    three_way_parts,
    three_way_tasks,
    verdict_parts,
    verify,
    verify_three_way,
)
from assay.metrics.operations import NOTHING, assistant_calls, canonical
from assay.sample import Sample, ToolCall
from assay.score import Outcome, Part, Unscored
from assay.tasks import (
    ChooseLabel,
    JudgeContexts,
    SelectSentences,
    SplitStatements,
    Verdict,
    VerifyStatements,
)

DEEPEVAL = "DeepEval (confident-ai/deepeval), its code"
FOLLOWS = "DeepEval 4.3.1"
NEWEST, TURNED = 4.3, 4.2  # the release that is followed; since when less hallucination is more


@dataclass(frozen=True)
class DeepEvalFaithfulness(Metric):
    """Share of the answer's statements that no retrieved context contradicts.

    F = (statements - contradicted statements) / statements, in [0, 1] (DeepEval's
    FaithfulnessMetric): what the contexts do not mention passes, only a direct contradiction fails.
    It is therefore never below faithfulness. Undefined if the answer makes no statement (1 in
    DeepEval) or nothing was retrieved that could contradict it (1 there as well). A judge that does
    not say which unsupported statements are contradicted is asked to label each; failed if it
    cannot.
    """

    name = "deepeval:faithfulness"
    source = DEEPEVAL
    follows = FOLLOWS
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, VerifyStatements, ChooseLabel)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Statements and verdicts, and labels where the verdicts leave it unsaid."""
        return (SplitStatements, *three_way_tasks(can))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the answer, ask of each statement whether the contexts support or deny it."""
        answer, contexts = sample.answer or "", sample.contexts or ()
        (statements,) = await split(sample.question or "", [answer], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        if blank(*contexts):
            return Unscored("undefined", "there is no context that could contradict the answer")
        (verdicts,) = await verify_three_way([(statements, contexts)], judge)
        denied = [contradicted(verdict) for verdict in verdicts]
        passed = [float(not d) for d in denied]
        parts = three_way_parts(statements, verdicts, answer, passed)
        return Unscored("failed", CONTRADICTION_UNKNOWN, parts) if None in denied else share(parts)


@dataclass(frozen=True)
class DeepEvalAnswerRelevancy(Metric):
    """Share of the answer's statements that are relevant to the question.

    AR = relevant statements / statements of the answer, in [0, 1] (DeepEval's
    AnswerRelevancyMetric). DeepEval asks for yes, no or borderline and counts borderline as
    relevant; here a statement is relevant if someone who answers the question would use it.
    Undefined if the answer makes no statement (1 in DeepEval) or the question is empty.
    """

    name = "deepeval:answer_relevancy"
    source = DEEPEVAL
    follows = FOLLOWS
    needs = ("question", "answer")
    tasks = (SplitStatements, SelectSentences)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the answer and let the judge choose what helps."""
        question = sample.question or ""
        if blank(question):
            return Unscored("undefined", "the question is empty")
        (statements,) = await split(question, [sample.answer or ""], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        return await relevance_share(question, statements, judge)


@dataclass(frozen=True)
class DeepEvalContextualPrecision(Metric):
    """Weighted cumulative precision of the ranked contexts, judged against the reference.

    WCP = 1/R sum_k (R_k / k) r_k in [0, 1], with r_k = 1 if context k is useful for arriving at
    the reference, R_k the useful ones down to rank k and R all useful ones (DeepEval's
    ContextualPrecisionMetric): the same number as context_precision, on the same verdicts. 0 if
    no context is useful; an empty context is not. Undefined if nothing was retrieved (0 in
    DeepEval) or the reference is empty.
    """

    name = "deepeval:contextual_precision"
    ranked = True
    source = DEEPEVAL
    follows = FOLLOWS
    needs = ("question", "contexts", "reference")
    tasks = (JudgeContexts,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The same verdicts and the same average as context_precision."""
        return await ContextPrecision().score(sample, judge)


@dataclass(frozen=True)
class DeepEvalContextualRecall(Metric):
    """Share of the sentences of the expected output that the contexts account for.

    CR = attributable sentences / sentences of the reference, in [0, 1] (DeepEval's
    ContextualRecallMetric). It counts whole sentences, where context_recall counts statements: one
    unsupported detail fails the whole sentence. A reference of a few words ("Yes") is judged with
    its question, where there is one. Undefined if the reference is empty (0 in DeepEval). With no
    context retrieved: 0.
    """

    name = "deepeval:contextual_recall"
    revision = 4
    source = DEEPEVAL
    follows = FOLLOWS
    needs = ("contexts", "reference")
    tasks = (VerifyStatements,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify each sentence of the reference against all contexts."""
        reference = sample.reference or ""
        statements = sentences(reference)
        if not statements:
            return Unscored("undefined", "the reference holds no sentence")
        if len(statements) == 1 and is_phrase(reference) and not blank(sample.question or ""):
            statements = (replace(statements[0], text=f"{sample.question} {statements[0].text}"),)
        (verdicts,) = await verify([(statements, sample.contexts or ())], judge)
        parts = verdict_parts(statements, verdicts, reference, kind="reference sentence")
        return supported_share(parts)


@dataclass(frozen=True)
class DeepEvalContextualRelevancy(Metric):
    """Share of the statements of all contexts that are relevant to the question.

    CR = relevant statements / statements, pooled over the contexts, in [0, 1] (DeepEval's
    ContextualRelevancyMetric). It counts statements, where context_relevance counts sentences.
    Undefined if the contexts make no statement (0 in DeepEval) or the question is empty.
    """

    name = "deepeval:contextual_relevancy"
    source = DEEPEVAL
    follows = FOLLOWS
    needs = ("question", "contexts")
    tasks = (SplitStatements, SelectSentences)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split every context and let the judge choose what helps."""
        question = sample.question or ""
        if blank(question):
            return Unscored("undefined", "the question is empty")
        # A context does not answer the question, so the question explains nothing in it.
        groups = await split("", sample.contexts or (), judge)
        pooled = by_context(groups)
        if not pooled:
            return Unscored("undefined", "the contexts make no statement")
        by_id = await choices(question, tuple(statement for _, statement in pooled), judge)
        return share(context_parts(pooled, by_id, "context statement"))


@dataclass(frozen=True)
class DeepEvalHallucination(Metric):
    """Share of the contexts that the answer does not contradict, or up to DeepEval 4.1 contradicts.

    contexts that are not contradicted / contexts, in [0, 1] (DeepEval's HallucinationMetric from
    4.2 on: more is better). Up to 4.1 it was contradicted contexts / contexts, less being better:
    that is version=4.1. The label always names the version, and a threshold must: what was written
    for the one is wrong for the other. A context is contradicted if a statement of the answer says
    the opposite of it, each context judged alone; saying less, or other things, is not counted.
    DeepEval assumes contexts known to be true: give them as `contexts`; reference contexts do where
    a row has none. Empty contexts are left out. Undefined if the answer makes no statement or
    there is no context (the best value in DeepEval: 1, up to 4.1 0). A judge that does not say
    which unsupported statements are contradicted is asked as for deepeval:faithfulness.

    Args:
        version: The release of DeepEval that is followed; only below and from 4.2 on differ.
    """

    version: float = NEWEST

    name = "deepeval:hallucination"
    source = DEEPEVAL
    follows = FOLLOWS
    turned = (
        "from DeepEval 4.2 on it is the share of contexts not contradicted, more is better "
        "(version=4.3); up to 4.1 it was the share contradicted, less was better (version=4.1)"
    )
    needs = ("question", "contexts", "answer")
    instead = (("question", "reference_contexts", "answer"),)
    tasks = (SplitStatements, VerifyStatements, ChooseLabel)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.version <= NEWEST:
            fault = f"{self.name}: version must be a release of DeepEval up to {NEWEST}"
            raise InputError(f"{fault}, not {self.version}", "such as 4.3 or 4.1")
        if self._counts_denied:
            override(self, higher_is_better=False, follows="DeepEval up to 4.1")

    @property
    def _counts_denied(self) -> bool:
        return self.version < TURNED

    @cached_property
    def label(self) -> str:
        """Its name with the version, even that which is the default: directions never mix."""
        return f"{self.name}(version={self.version:g})"

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Statements and verdicts, and labels where the verdicts leave it unsaid."""
        return (SplitStatements, *three_way_tasks(can))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify the answer's statements against each context alone."""
        given = sample.contexts is not None
        texts = sample.contexts if given else sample.reference_contexts
        contexts = [(rank, c) for rank, c in enumerate(texts or ()) if not blank(c)]
        (statements,) = await split(sample.question or "", [sample.answer or ""], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        if not contexts:
            return Unscored("undefined", "there is no context that could be contradicted")
        groups = [(statements, (context,)) for _, context in contexts]
        verdicts_by_context = await verify_three_way(groups, judge)
        parts = [
            self._reversed(_denied_part(rank if given else None, context, statements, verdicts))
            for (rank, context), verdicts in zip(contexts, verdicts_by_context, strict=True)
        ]
        if any(part.value is None for part in parts):
            return Unscored("failed", CONTRADICTION_UNKNOWN, tuple(parts))
        return share(parts, _DENIED_SHARE if self._counts_denied else _SPARED_SHARE)

    def _reversed(self, part: Part) -> Part:
        turn = part.value is not None and not self._counts_denied
        return replace(part, value=1 - (part.value or 0.0)) if turn else part


_SPARED_SHARE = (
    "the share of contexts that are not contradicted, as in DeepEval from 4.2 on: more is better "
    "(version=4.1 counts those that are)"
)
_DENIED_SHARE = (
    "the share of contexts that are contradicted, as in DeepEval up to 4.1: less is better "
    "(version=4.3 counts those that are not)"
)


def _denied_part(
    rank: int | None, context: str, statements: Statements, verdicts: tuple[Verdict, ...]
) -> Part:
    """The verdict on one context; its rank is None if it is a reference context."""
    kind = "context" if rank is not None else "reference context"
    against = [(s, v) for s, v in zip(statements, verdicts, strict=True) if contradicted(v)]
    if not against and any(contradicted(v) is None for v in verdicts):
        return Part(kind, context, "not told", None, CONTRADICTION_UNKNOWN, context=rank)
    reason = "; ".join(f"{s.text} {v.reason}".strip() for s, v in against)
    label = "contradicted" if against else "not contradicted"
    return Part(kind, context, label, float(bool(against)), reason, context=rank)


@dataclass(frozen=True)
class DeepEvalToolCorrectness(Metric):
    """Share of the expected tools that were called, by name.

    (tools expected and called) / tools expected, in [0, 1] (DeepEval's ToolCorrectnessMetric
    without `available_tools`): calls that nobody expected cost nothing, and arguments do not count
    unless asked for. 0 if tools were called and none was expected; undefined if neither was (1 in
    DeepEval). As there, a call that was made twice alike is found once, unless the order counts.

    Args:
        arguments: Whether a call counts with the share of its arguments, expected or given, that
            agree (DeepEval's evaluation_params=[INPUT_PARAMETERS]).
        order: "free"; "kept": the longest run of expected calls that were made in that order
            (should_consider_ordering); "exact": 1 if the calls are those expected and no others, in
            their order, else 0 (should_exact_match).
    """

    arguments: bool = False
    order: Literal["free", "kept", "exact"] = "free"

    name = "deepeval:tool_correctness"
    source = DEEPEVAL
    follows = FOLLOWS
    needs = ("turns", "reference_tool_calls")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Find each expected call among those made; nobody is asked."""
        del judge
        calls = [made.call for made in assistant_calls(sample)]
        expected_calls = sample.reference_tool_calls or ()
        if not calls and not expected_calls:
            return NOTHING
        if not expected_calls:
            parts = [Part("tool call", call(made), "unexpected", 0.0) for made in calls]
            return share(parts)
        find = {"free": self._free, "kept": self._kept, "exact": self._exact}[self.order]
        values = find(calls, expected_calls)
        return share(
            [
                Part("tool call", call(tool_call), _found(value), value)
                for tool_call, value in zip(expected_calls, values, strict=True)
            ]
        )

    def _match(self, expected: ToolCall, made: ToolCall) -> float:
        if expected.name != made.name:
            return 0.0
        return _agreement(expected.args, made.args) if self.arguments else 1.0

    def _free(self, calls: Sequence[ToolCall], expected_calls: Sequence[ToolCall]) -> list[float]:
        taken, values = set[tuple[str, str]](), []
        for expected in expected_calls:
            free = [made for made in calls if _identity(made) not in taken]
            best = max(free, key=lambda made: self._match(expected, made), default=None)
            values.append(0.0 if best is None else self._match(expected, best))
            if best is not None and values[-1]:
                taken.add(_identity(best))
        return values

    def _kept(self, calls: Sequence[ToolCall], expected_calls: Sequence[ToolCall]) -> list[float]:
        """The values along the heaviest common subsequence."""
        best: list[list[list[float]]] = [[[] for _ in range(len(calls) + 1)]]
        for n, expected in enumerate(expected_calls, 1):
            best.append([[0.0] * n])
            for m, made in enumerate(calls, 1):
                both = [*best[n - 1][m - 1], self._match(expected, made)]
                ways = ([*best[n - 1][m], 0.0], best[n][m - 1], both)
                best[n].append(max(ways, key=sum))
        return best[-1][-1]

    def _exact(self, calls: Sequence[ToolCall], expected_calls: Sequence[ToolCall]) -> list[float]:
        pairs = zip(calls, expected_calls, strict=False)
        same = len(calls) == len(expected_calls) and all(
            self._match(expected, made) == 1 for made, expected in pairs
        )
        return [float(same)] * len(expected_calls)


def _identity(tool_call: ToolCall) -> tuple[str, str]:
    return tool_call.name, canonical(tool_call.args)


def _found(value: float) -> str:
    return "matched" if value == 1 else "partly matched" if value else "missing"


def _agreement(expected: Mapping[str, Any], made: Mapping[str, Any]) -> float:
    """The share of all arguments that are equal; objects count by what is equal in them."""
    if canonical(expected) == canonical(made):
        return 1.0
    total = 0.0
    for name in expected.keys() & made.keys():
        values = expected[name], made[name]
        if all(isinstance(value, Mapping) for value in values):
            total += _agreement(*values)
        else:
            total += canonical(values[0]) == canonical(values[1])
    return total / len(expected.keys() | made.keys())
