"""Which of the samples that people labelled are worth showing to an LLM judge as examples?"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from assay import prompts_file
from assay.analysis.correct import Given, one_metric, read
from assay.analysis.labelled import Item, labelled
from assay.dataset.labels import Labels
from assay.errors import InputError, Unreadable
from assay.judge import Reply
from assay.prompt import Example, Material, fenced
from assay.run.result import Result
from assay.score import Part
from assay.tasks import Statement, Verdict, VerifyStatements
from assay.text.words import tokens

MOST: Final = 4
# Longer material would make every prompt long, and teaches no more.
LONGEST: Final = 3000
_HEAD: Final = re.compile(r"\n?(?P<name>[^\n]+):\n(?:<<<[0-9a-f]+\n)?")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Examples for a prompt.

    Attributes:
        kind: Kind of the task.
        examples: What is given and the right reply, in the order of choice.
        samples: Ids of the samples they come from: nothing may be measured on these afterwards.
        one_sided: Whether all statements in them are supported, or none is: such examples teach a
            judge to say always the same.
    """

    kind: str
    examples: tuple[Example, ...]
    samples: tuple[str, ...]
    one_sided: bool

    def prompts(self) -> str:
        """A prompts file for `--prompts`: the built-in prompt with these examples after its own."""
        built_in = VerifyStatements.template
        template = replace(built_in, examples=(*built_in.examples, *self.examples))
        names = ", ".join(json.dumps(sample) for sample in self.samples)
        note = f"# Examples from the samples {names}.\n# Measure this judge on other samples.\n\n"
        return note + prompts_file.write({self.kind: template})


def choose_examples(
    result: Result, labels: Given, metric: str | None = None, *, n: int = MOST
) -> Chosen:
    """Examples for the task that verifies statements, right by the labels.

    Taken are samples whose statements' verdicts follow from labels on which all annotators agree.
    Those on which this judge erred come first, supported and unsupported ones in turn, and each
    as unlike the ones before as can be.

    Args:
        result: The run.
        labels: What people said of statements; or of samples: a good one bears out all its
            statements, and a bad one that makes a single statement does not.
        metric: The metric; may be left out if the run has only one.
        n: At most so many.

    Raises:
        InputError: If the metric verifies no statements, or no label tells a verdict.
    """
    name = one_metric(result, metric)
    if f"|{VerifyStatements.kind}=" not in result.run.metrics[name]:
        what = f"{name} asks for no verdicts on statements: no examples can be made for it"
        raise InputError(what, "write some by hand: `assay explain METRIC --toml`")
    given = labels if isinstance(labels, Labels) else read(labels, result)
    found = labelled(result, given, name)
    candidates = list(_candidates(result, name, _verdicts(found.items, found.kind)))
    if not candidates:
        what = "no label tells the verdict on a statement of a sample of moderate length"
        raise InputError(what, "label statements (columns sample, statement, label)")
    picked = _pick(candidates, n)
    return Chosen(
        kind=VerifyStatements.kind,
        examples=tuple(c.example for c in picked),
        samples=tuple(c.sample for c in picked),
        one_sided=len({verdict for c in picked for verdict in c.verdicts}) < 2,
    )


@dataclass(frozen=True, slots=True)
class _Candidate:
    sample: str
    example: Example
    words: frozenset[str]
    verdicts: frozenset[bool]
    wrong: bool


def _verdicts(items: Sequence[Item], kind: str) -> dict[str, dict[str, bool]]:
    """By sample, by statement: whether it is supported. Only what labels tell beyond doubt."""
    found: dict[str, dict[str, bool]] = {}
    for item in items:
        if set(item.labels.values()) not in ({0.0}, {1.0}):
            continue
        good = item.label == 1.0
        parts: Sequence[Part] = (item.part,) if item.part is not None else item.outcome.parts
        judged = [part for part in parts if part.value is not None]
        if kind == "statement" or good or len(judged) == 1:
            found.setdefault(item.sample.id, {}).update({part.text: good for part in judged})
    return found


def _candidates(
    result: Result, metric: str, verdicts: Mapping[str, Mapping[str, bool]]
) -> Iterator[_Candidate]:
    for sample, by_text in verdicts.items():
        for reply in result.trace(sample, metric).replies:
            task = _task(reply) if reply.kind == VerifyStatements.kind else None
            if task is None:
                continue
            known = [s for s in task.statements if s.text in by_text]
            asked = task.narrow([statement.id for statement in known])
            given = _shown(asked.material())
            if not known or len(given) > LONGEST:
                continue
            said = _read(task, reply)
            truth = {s.id: by_text[s.text] for s in known}
            items = [_verdict(i, said.get(i), reply, task, good=good) for i, good in truth.items()]
            yield _Candidate(
                sample=sample,
                example=Example(given, json.dumps({"verdicts": items}, ensure_ascii=False)),
                words=frozenset(tokens(given)),
                verdicts=frozenset(truth.values()),
                wrong=any(i in said and said[i].supported != good for i, good in truth.items()),
            )
            break


def _task(reply: Reply) -> VerifyStatements | None:
    """What was asked, from the record of it."""
    material = {
        head["name"]: text
        for before, text in zip(reply.pieces, reply.pieces[1:], strict=False)
        if (head := _HEAD.fullmatch(before))
    }
    try:
        rows = [json.loads(line) for line in material["statements"].splitlines()]
        statements = tuple(Statement(row["id"], row["text"]) for row in rows)
    except (KeyError, TypeError, ValueError):  # a prompt of the user's own form
        return None
    contexts = tuple(text for name, text in material.items() if name.startswith("context c"))
    return VerifyStatements(statements, contexts)


def _read(task: VerifyStatements, reply: Reply) -> dict[str, Verdict]:
    try:
        return task.read_some(reply.raw)
    except Unreadable:
        return {}


def _shown(material: Sequence[Material]) -> str:
    """The material within its fences, as the judge will see the material of its task."""
    return "".join(fenced(material)).strip()


def _verdict(
    name: str, said: Verdict | None, reply: Reply, task: VerifyStatements, *, good: bool
) -> dict[str, Any]:
    """The right verdict, in the judge's own words where it was right and has any."""
    agrees = said if said is not None and said.supported == good else None
    worded = agrees is not None and agrees.reason and reply.tokens_out
    reason = "The contexts bear it out." if good else "The contexts do not bear it out."
    context = agrees.context if agrees is not None and good else None
    if context is None and good and len(task.contexts) == 1:
        context = 0
    return {
        "id": name,
        "reason": agrees.reason if agrees is not None and worded else reason,
        "context": None if context is None else f"c{context + 1}",
        "quote": agrees.quote if agrees is not None and good else "",
        "supported": good,
        "contradicted": bool(agrees is not None and not good and agrees.contradicted),
    }


def _pick(candidates: Sequence[_Candidate], n: int) -> list[_Candidate]:
    picked: list[_Candidate] = []
    left = list(candidates)
    while left and len(picked) < n:
        shown = {good: sum(good in c.verdicts for c in picked) for good in (True, False)}
        wanted = shown[True] < shown[False]
        rare = [c for c in left if wanted in c.verdicts] or left
        best = max(rare, key=lambda c: (1 + c.wrong) * _unlike(c, picked))
        picked.append(best)
        left.remove(best)
    return picked


def _unlike(one: _Candidate, others: Sequence[_Candidate]) -> float:
    """1 - Jaccard similarity of the words to the nearest of the others."""
    alike = (len(one.words & o.words) / len(one.words | o.words) for o in others)
    return 1 - max(alike, default=0.0)
