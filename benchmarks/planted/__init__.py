"""A set with one planted failure a sample, and a judge that is never wrong about it."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import assay
from assay.tasks import (
    Choice,
    JudgeContexts,
    RateAnswer,
    Rating,
    SelectSentences,
    SplitStatements,
    Usefulness,
    Verdict,
    VerifyStatements,
)

Topic = Mapping[str, Any]
Row = dict[str, Any]

TOPICS: list[Topic] = tomllib.loads(Path(__file__).with_name("topics.toml").read_text("utf-8"))[
    "topic"
]
DECLINES = ("I do not know.", "I am sorry, but I cannot answer that.")
# What `assay run` computes of these data by itself, as far as a diagnosis reads it ...
USUAL = (
    "faithfulness",
    "answer_relevancy",
    "context_precision",
    "context_recall",
    "factual_correctness",
)
# ... and what a diagnosis asks for to tell more.
SHARPER = (*USUAL, "hallucination_spans", "answer_relevance_by_statement")


def rows() -> list[Row]:
    """A sample for every topic and failure, and two without any for every topic."""
    return [row for number, topic in enumerate(TOPICS) for row in _rows(number, topic)]


def _rows(number: int, topic: Topic) -> Iterator[Row]:
    doc, others = " ".join(topic["doc"].values()), _others(number)
    first, second = [*topic["good"].values()]
    good = f"{first} {second}"
    memory = " ".join(topic["memory"])
    # With nothing in its contexts a system may decline or make something up.
    lost = DECLINES[0] if number % 2 else memory
    here, low = [doc, *others[:2]], [*others[:4], doc]
    yield _row(topic, "fine", here, good)
    yield _row(topic, "not_in_corpus", others[:3], lost, right=[])
    yield _row(topic, "not_retrieved", others[:3], lost, right=[doc])
    aside = topic["doc"]["aside"]
    quotes = [text for text in topic["doc"].values() if text != aside]
    cut = _row(topic, "cut_apart", [aside, *others[:2]], lost, right=[doc])
    yield {**cut, "quotes": quotes}
    yield _row(topic, "not_in_contexts", others[:3], lost, right=None)
    yield _row(topic, "ranked_too_low", low, lost, right=[doc])
    yield _row(topic, "wrong_refusal", here, DECLINES[number % 2])
    yield _row(topic, "off_topic", here, topic["aside"])
    kept = second if _denies_first(topic) else first
    yield _row(topic, "contradicted", here, f"{topic['denied']} {kept}")
    yield _row(topic, "ignored", here, memory)
    yield _row(topic, "over_claimed", here, f"{good} {topic['extra']}")
    yield _row(topic, "incomplete", here, first if number % 2 else second)
    unasked = {"question": topic["unasked"], "reference": DECLINES[0]}
    yield {**_row(topic, "should_have_refused", here, topic["guess"]), **unasked}
    yield {**_row(topic, "fine", here, DECLINES[1]), **unasked, "id": f"{topic['name']}-declines"}


_GIVEN = object()


def _row(
    topic: Topic, planted: str, contexts: list[str], answer: str, right: object = _GIVEN
) -> Row:
    doc = " ".join(topic["doc"].values())
    return {
        "id": f"{topic['name']}-{planted}",
        "question": topic["question"],
        "contexts": contexts,
        "answer": answer,
        "reference": " ".join(topic["reference"].values()),
        "reference_contexts": [doc] if right is _GIVEN else right,
        "group": topic["name"],
        "planted": planted,
    }


def _others(number: int) -> list[str]:
    following = [TOPICS[(number + step) % len(TOPICS)] for step in range(1, 5)]
    return [" ".join(other["doc"].values()) for other in following]


def _denies_first(topic: Topic) -> bool:
    """Whether the wrong sentence is about the first of the two facts: it shares more words."""
    first, second = (set(text.split()) for text in topic["good"].values())
    denied = set(topic["denied"].split())
    return len(denied & first) > len(denied & second)


# The judge that knows: every sentence of the set stands for a fact.


def _facts() -> dict[str, tuple[str, str]]:
    known: dict[str, tuple[str, str]] = {}
    for topic in TOPICS:
        name = topic["name"]
        for part in ("doc", "reference", "good"):
            known |= {text: (name, key) for key, text in topic[part].items()}
        known |= {topic[key]: (name, key) for key in ("aside", "denied", "extra", "guess")}
        known |= {text: (name, f"memory {n}") for n, text in enumerate(topic["memory"])}
    return known


FACTS = _facts()


def facts(text: str) -> set[tuple[str, str]]:
    """The facts that a text states."""
    return {fact for sentence, fact in FACTS.items() if sentence in text}


def _sentences(text: str) -> list[str]:
    return sorted((sentence for sentence in FACTS if sentence in text), key=text.index)


def _split(task: Any) -> str:
    return SplitStatements.reply([(sentence, sentence) for sentence in _sentences(task.text)])


def _verify(task: Any) -> str:
    return VerifyStatements.reply([_verdict(s, task.contexts) for s in task.statements])


def _verdict(statement: Any, contexts: tuple[str, ...]) -> Verdict:
    fact = FACTS[statement.text]
    held = [number for number, context in enumerate(contexts) if fact in facts(context)]
    told = {topic for context in contexts for topic, key in facts(context)}
    denied = not held and fact[1] == "denied" and fact[0] in told
    quote = next((s for n in held[:1] for s in _sentences(contexts[n]) if fact in facts(s)), "")
    return Verdict(
        statement.id,
        supported=bool(held),
        reason="it is so" if held else "a context says otherwise" if denied else "nothing says so",
        context=held[0] if held else None,
        quote=quote,
        contradicted=denied,
    )


def _judge(task: Any) -> str:
    wanted = facts(task.target)
    return JudgeContexts.reply(
        [Usefulness(i, useful=bool(wanted & facts(text))) for i, text in task.shown().items()]
    )


def _rate(task: Any) -> str:
    declines = task.answer in DECLINES
    aside = {key for _, key in facts(task.answer)} == {"aside"}
    return RateAnswer.reply(Rating(float(not (declines or aside)), noncommittal=declines))


def _select(task: Any) -> str:
    chosen = [s for s in task.sentences if {key for _, key in facts(s.text)} != {"aside"}]
    return SelectSentences.reply([Choice(sentence.id) for sentence in chosen])


_SAYS: dict[str, Callable[[Any], str]] = {
    "split_statements": _split,
    "verify_statements": _verify,
    "judge_contexts": _judge,
    "rate_answer": _rate,
    "select_sentences": _select,
}


def knowing() -> assay.Scripted:
    """The judge that is never wrong on this set."""
    return assay.Scripted(_SAYS, name="knowing")
