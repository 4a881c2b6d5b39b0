"""Classification of a sample: where its evidence was lost, and which causes its facts show."""

from collections.abc import Iterable

from assay._analysis.diagnosis.facts import ADDRESSES, Facts, MetricParts, Parts, holds, sure
from assay._analysis.diagnosis.findings import CAUSES, Diagnosed, Evidence, Finding, Support
from assay._analysis.diagnosis.location import (
    WITHIN,
    Location,
    all_held,
    locate_evidence,
)
from assay.metrics.evidence import blank
from assay.metrics.groundedness import any_unsupported
from assay.sample import Sample

_ORDER = {name: number for number, name in enumerate(CAUSES)}
_RETRIEVAL = frozenset(
    {"not_in_corpus", "not_retrieved", "cut_apart", "not_in_contexts", "ranked_too_low"}
)
_BY_CONTEXTS = frozenset({"contradicted", "over_claimed"})
# What is claimed only of contexts that hold the answer.
_HOLDING = frozenset({"wrong_refusal", "ignored", "incomplete"})
_DISPUTED = (
    "what counts as the right context is there and does not hold the reference: see whether the "
    "reference is wrong, the document was cut in two, or another one is worded alike"
)
_OF_ANSWERS = frozenset(name for name, cause in CAUSES.items() if cause.part == "generation")
_GENERATION = ("off_topic", "contradicted", "ignored", "over_claimed", "unsupported", "incomplete")


def unjudged(sample: Sample, row: int, why: str) -> Diagnosed:
    """What is to be said of a sample that the run did not come to judge: neither good nor bad.

    What is known without a judge is left out, too: else all that is told of such samples is bad.
    """
    question, untold = sample.question or "", frozenset(CAUSES)
    return Diagnosed(sample.id, row, question, "open", remark=why, untold=untold)


def diagnosed(facts: Facts, row: int, within: int = WITHIN) -> Diagnosed:
    """What is to be said of a sample."""
    if facts.sample.failure is not None:
        remark = f"the system gave no answer: {facts.sample.failure}"
        question = facts.sample.question or ""
        return Diagnosed(facts.sample.id, row, question, "open", remark=remark, untold=_OF_ANSWERS)
    location = locate_evidence(facts, within)
    findings = sorted(_findings(facts, location), key=lambda finding: _ORDER[finding.cause])
    checked = frozenset(_checked(facts, location)) | {finding.cause for finding in findings}
    sample = facts.sample
    main = findings[0] if findings else None
    remark = _disputed(facts, location) or ("" if main else _unexplained(facts, location, checked))
    unsure = "" if main or remark else _uncertain(facts)
    return Diagnosed(
        sample.id,
        row,
        sample.question or "",
        "failed" if main else "open" if remark else "uncertain" if unsure else "fine",
        main,
        tuple(findings[1:]),
        checked,
        remark or unsure,
        _unanswerable_checks(facts, location) - checked,
        _support(facts),
        _uncertainty(facts),
        None if facts.declined is None else bool(facts.declined),
    )


def _support(facts: Facts) -> Support | None:
    if facts.support is None:
        return None
    if facts.support.no:
        return "flagged"
    return "passed" if all(map(sure, facts.support.parts)) else "uncertain"


def _uncertainty(facts: Facts) -> float:
    if facts.support is None:
        return 0.0
    return any_unsupported(
        float(holds(part)) if part.probability is None else part.probability
        for part in facts.support.parts
    )


def _unanswerable_checks(facts: Facts, location: Location) -> frozenset[str]:
    """What no metric and no further column would tell."""
    if facts.sample.answer is None or _says_nothing(facts):
        return _OF_ANSWERS
    # Of a question without an answer nothing is known that contexts could hold.
    without = location.where == "disputed" or facts.unanswerable
    untold = _HOLDING if without else frozenset()
    contexts = facts.sample.contexts
    return untold if contexts is None or not blank(*contexts) else untold | _BY_CONTEXTS


def _findings(facts: Facts, location: Location) -> list[Finding]:
    if facts.unanswerable:
        return _unanswerable(facts)
    lost = location.finding
    findings = [] if lost is None or _harmless(lost, facts) else [lost]
    if facts.declined:
        return [*findings, *_refusal_findings(facts, location)]
    return [*findings, *(finding for find in _FINDERS if (finding := find(facts, location)))]


def _harmless(finding: Finding, facts: Facts) -> bool:
    """Whether the answer is right and supported in spite of what was lost on the way."""
    if facts.declined:
        return False
    well = _answered_well(facts)
    if finding.cause == "ranked_too_low":
        # Made-up words beside a right answer are no sign that it went without the context.
        return well or _told_from_contexts(facts)
    # Of an answer that is only known to be supported, wrong contexts may be all that supports it.
    return well and facts.coverage is not None


def _told_from_contexts(facts: Facts) -> bool:
    """Whether the answer says the whole reference, and nothing of that from elsewhere."""
    if facts.coverage is None or not facts.coverage.all_hold():
        return False
    unsupported = {part.text for part in _unsupported(facts)}
    if facts.correctness is None:  # which statements are the right ones is not known
        return bool(facts.support and facts.support.yes)
    return not any(holds(part) and part.text in unsupported for part in facts.correctness.parts)


def _unanswerable(facts: Facts) -> list[Finding]:
    if facts.declined is None or facts.declined:
        return []
    answer = Evidence(
        "answer",
        facts.sample.answer or "",
        "answers a question that has no answer here",
        metric=facts.declined_by,
    )
    unsupported = _added_finding(facts, Location("unknown"))
    return [Finding("should_have_refused", (answer,)), *([unsupported] if unsupported else [])]


def _refusal_findings(facts: Facts, location: Location) -> list[Finding]:
    answerable = location.reached_generator or (
        facts.unanswerable is False and location.where == "unknown"
    )
    answerable = answerable or (location.where in ("missed", "cut") and all_held(facts.recall))
    if not answerable or _says_nothing(facts):
        return []
    reason = f"declines: {facts.declined}"
    answer = Evidence("answer", facts.sample.answer or "", reason, metric=facts.declined_by)
    recall = facts.recall
    reached = _part_evidence(recall.yes, "in the contexts", recall.metric) if recall else ()
    return [Finding("wrong_refusal", (answer, *reached))]


def _says_nothing(facts: Facts) -> bool:
    """Whether the answer is empty: cut off, filtered or lost, but declined by nobody."""
    return facts.sample.answer is not None and not facts.sample.answer.strip()


def _off_topic_finding(facts: Facts, location: Location) -> Finding | None:
    if _is_on_topic(facts) or _is_from_elsewhere(facts, location):
        return None
    if facts.answer_relevance:
        parts = facts.answer_relevance.no
        if (
            facts.answer_relevance.yes
            or not parts
            or len(parts) < len(facts.answer_relevance.parts)
        ):
            return None
        return Finding(
            "off_topic",
            _part_evidence(parts, "does not help to answer", facts.answer_relevance.metric),
        )
    if facts.relevance is None or facts.coverage is None:
        return None
    value, minimum, metric = facts.relevance
    # Judges that rate an answer as a whole also rate low what they find wrong: an answer that
    # rests on nothing is not called off-topic for that.
    made_up = minimum == ADDRESSES and bool(_unsupported(facts))
    if value >= minimum or made_up:
        return None
    reason = f"relevance {value:.2f}, and nothing of the reference is said"
    return Finding(
        "off_topic", (Evidence("answer", facts.sample.answer or "", reason, metric=metric),)
    )


def _is_from_elsewhere(facts: Facts, location: Location) -> bool:
    """Whether contexts that hold the answer speak of nothing that is said: they were not read."""
    parts = facts.support.parts if facts.support and facts.coverage else ()
    absent = bool(parts) and all(p.label == "absent" and sure(p) for p in parts)
    return absent and location.reached_generator


def _is_on_topic(facts: Facts) -> bool:
    """Whether the answer says something of what the reference says."""
    coverage, correctness = facts.coverage, facts.correctness
    # That an unsure verdict finds a statement right does not outweigh sure ones that nothing of
    # the reference is said.
    return bool(
        (coverage and any(holds(p) for p in coverage.parts)) or (correctness and correctness.yes)
    )


def _contradicted(facts: Facts, _location: Location) -> Finding | None:
    parts = tuple(p for p in _unsupported(facts) if p.label == "contradicted")
    if not parts or facts.support is None:
        return None
    return Finding(
        "contradicted", _part_evidence(parts, "a context says otherwise", facts.support.metric)
    )


def _ignored(facts: Facts, location: Location) -> Finding | None:
    if (
        not location.reached_generator
        or facts.coverage is None
        or _is_on_topic(facts)
        or _off_topic_finding(facts, location)
    ):
        return None
    if len(facts.coverage.no) < len(facts.coverage.parts):
        return None
    return Finding("ignored", _left_out_evidence(facts, facts.coverage))


def _added_finding(facts: Facts, _location: Location) -> Finding | None:
    """What nothing supports and nothing is known to deny."""
    parts = tuple(p for p in _unsupported(facts) if p.label != "contradicted")
    if not parts or facts.support is None:
        return None
    cause = "over_claimed" if all(p.label == "absent" for p in parts) else "unsupported"
    right = {p.text for p in facts.correctness.yes} if facts.correctness else frozenset()
    evidence = tuple(
        Evidence(
            "statement",
            part.text,
            ("right by the reference, so it came from elsewhere. " if part.text in right else "")
            + (part.reason or "no context supports it"),
            metric=facts.support.metric,
        )
        for part in parts
    )
    return Finding(cause, evidence)


def _incomplete(facts: Facts, location: Location) -> Finding | None:
    coverage = facts.coverage
    if (
        not location.reached_generator
        or coverage is None
        or not coverage.no
        or not _is_on_topic(facts)
    ):
        return None
    in_contexts = {p.text for p in facts.recall.yes} if facts.recall else None
    parts = tuple(p for p in coverage.no if in_contexts is None or p.text in in_contexts)
    return (
        Finding("incomplete", _left_out_evidence(facts, MetricParts(coverage.metric, parts)))
        if parts
        else None
    )


_FINDERS = (_off_topic_finding, _contradicted, _ignored, _added_finding, _incomplete)


def _unsupported(facts: Facts) -> Parts:
    return facts.support.no if facts.support else ()


def _left_out_evidence(facts: Facts, coverage: MetricParts) -> tuple[Evidence, ...]:
    """What the answer does not say, with the words of the context that do."""
    by_text = {p.text: p for p in facts.recall.parts} if facts.recall else {}
    return tuple(
        Evidence(
            "reference statement",
            part.text,
            "the answer does not say it",
            quote=by_text[part.text].quote if part.text in by_text else "",
            rank=_rank(by_text[part.text].context) if part.text in by_text else None,
            metric=coverage.metric,
        )
        for part in coverage.no
    )


def _part_evidence(parts: Parts, reason: str, metric: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(p.kind, p.text, p.reason or reason, p.quote, _rank(p.context), metric)
        for p in parts
    )


def _rank(context: int | None) -> int | None:
    return None if context is None else context + 1


def _answered_well(facts: Facts) -> bool:
    """Whether all that is known of the answer is good, and something is known."""
    checks = [parts for parts in (facts.support, facts.coverage) if parts]
    return (
        bool(checks)
        and all(not parts.no for parts in checks)
        and not _off_topic_finding(facts, _NOWHERE)
    )


_NOWHERE = Location("unknown")


def _checked(facts: Facts, location: Location) -> Iterable[str]:
    """The causes that the facts could have shown."""
    yield from _of_retrieval(facts, location)
    if facts.unanswerable is not None or _right_contexts_known(facts):
        yield "should_have_refused"
    if facts.declined is None:
        return
    if not facts.declined or _refusal_can_be_judged(facts, location):
        yield "wrong_refusal"
    if _says_nothing(facts):
        return
    if facts.declined:  # it says nothing that could be wrong
        yield from _GENERATION
    else:
        yield from _of_generation(facts, location)


def _right_contexts_known(facts: Facts) -> bool:
    return facts.known is not None or facts.corpus_empty


def _refusal_can_be_judged(facts: Facts, location: Location) -> bool:
    """Whether it is known if the question could have been answered."""
    if _says_nothing(facts):
        return False
    if facts.unanswerable:
        return True
    return location.where != "disputed" and (
        facts.unanswerable is not None or location.where != "unknown"
    )


def _of_retrieval(facts: Facts, location: Location) -> Iterable[str]:
    if _right_contexts_known(facts):
        yield from ("not_in_corpus", "not_retrieved", "ranked_too_low")
        if facts.known and facts.known.quoted:
            yield "cut_apart"
    elif facts.recall:
        yield "not_in_contexts"
        if facts.usefulness or not location.reached_generator:
            yield "ranked_too_low"
        if location.reached_generator:
            yield from ("not_in_corpus", "not_retrieved")


def _of_generation(facts: Facts, location: Location) -> Iterable[str]:
    if facts.answer_relevance or _is_on_topic(facts) or (facts.relevance and facts.coverage):
        yield "off_topic"
    if facts.support and all(p.label != "unsupported" for p in facts.support.parts):
        yield from ("contradicted", "over_claimed", "unsupported")
    elif facts.support:  # the judge was not asked whether a context says otherwise
        yield "unsupported"
    if facts.coverage and location.where not in ("unknown", "disputed"):
        yield from ("ignored", "incomplete")


def _disputed(facts: Facts, location: Location) -> str:
    """What is to be said where data and verdicts deny each other; "" if that does no harm."""
    if location.where != "disputed" or facts.unanswerable:
        return ""
    covered = facts.coverage is not None and not facts.coverage.no and not facts.declined
    return "" if covered else _DISPUTED


def _unexplained(facts: Facts, location: Location, checked: frozenset[str]) -> str:
    """Why a sample without findings is not called fine; "" if it is."""
    if facts.sample.answer is None:
        return "" if checked else "there is no answer, and no right context is known"
    if _says_nothing(facts) and not facts.unanswerable:
        return "the answer is empty: see whether it was cut off, filtered or lost"
    if facts.declined and not facts.unanswerable:
        return "it declines, and whether it could have answered cannot be told"
    if facts.coverage and facts.coverage.no and location.where == "unknown":
        return "it does not say what the reference says, and whether it was given it is unknown"
    # Where failures of retrieval count, its successes must, too: else all that is told has failed.
    if not (facts.support or facts.coverage or facts.declined or checked & _RETRIEVAL):
        return "no metric says whether the answer is right or supported"
    return ""


def _uncertain(facts: Facts) -> str:
    """Of what the judge cannot tell either way; "" if it is sure of all."""
    if facts.support and any(not sure(part) for part in facts.support.parts):
        return "the judge is uncertain whether the contexts support a statement of the answer"
    if facts.coverage and any(not sure(part) for part in facts.coverage.parts):
        return "the judge is uncertain whether the answer says what the reference says"
    return ""
