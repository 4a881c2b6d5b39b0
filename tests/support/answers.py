"""What would a plausible judge say to this prompt? By word overlap; the same prompt, the same words.

Nothing of assay is imported: what a prompt asks for is read off the prompt, as an LLM does it.
"""

import json
import math
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any

_MATERIAL = re.compile(r"^([^\n]+):\n<<<([0-9a-f]{4,64})\n(.*?)\n\2>>>$", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_EVASIVE = re.compile(r"do(?:es)? not know|don't know|cannot|no information|unknown", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r"text t\d+\Z")
_BY_SENTENCE = re.compile(r"<(\d+)> (.*?)(?=<\d+> |\Z)", re.DOTALL)
_HARM = re.compile(r"\bharm|deceive", re.IGNORECASE)
_STOP = frozenset(
    "a an and are as at be by for from in is it of on or that the to was with".split(" ")  # noqa: SIM905
)

Texts = Mapping[str, str]


def prompt_texts(prompt: str) -> dict[str, str]:
    """The fenced texts of a prompt by their names."""
    return {name: text for name, _, text in _MATERIAL.findall(prompt)}


def words(text: str) -> frozenset[str]:
    """The words of a text that mean something."""
    return frozenset(_WORD.findall(text.lower())) - _STOP


def overlap(part: str, whole: str) -> float:
    """Share of the words of `part` that stand in `whole`."""
    wanted = words(part)
    return len(wanted & words(whole)) / len(wanted) if wanted else 0.0


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()]


def kind_of(prompt: str, texts: Texts) -> str:
    """Which task a prompt is, told from the names of its materials; "" if it is none of ours."""
    criterion = next((kind for name, kind in _BY_CRITERION.items() if name in texts), "")
    if "criterion" in texts and (criterion or "answer a1" in texts):
        return criterion or "rank_answers"
    if any(_NUMBERED.match(name) for name in texts):
        return "split_statements"
    contexts = any(name.startswith("context ") for name in texts)
    named = frozenset(name for name in texts if not name.startswith("context "))
    known = {
        (frozenset({"question", "text"}), False): "split_statements",
        (frozenset({"earlier turns", "question", "text"}), False): "split_statements",
        (frozenset({"earlier turns", "number", "answer"}), False): "generate_questions",
        (frozenset({"earlier turns", "question", "answer"}), False): "rate_answer",
        (frozenset({"conversation", "topics"}), False): "judge_topics",
        (frozenset({"reference topics", "topics"}), False): "match_topics",
        (frozenset({"desired outcome", "achieved outcome"}), False): "compare_outcomes",
        (frozenset({"question", "statements"}), True): "grade_statements",
        (frozenset({"statements"}), True): "verify_statements",
        (frozenset({"statements"}), False): "verify_statements",
        (frozenset({"question", "answer"}), True): "judge_contexts",
        (frozenset({"question", "answer"}), False): "rate_answer",
        (frozenset({"number", "answer"}), False): "generate_questions",
        (frozenset({"text", "yes-or-no questions"}), False): "answer_closed_questions",
        (frozenset({"text", "multiple-choice questions"}), False): "answer_multiple_choice",
        (frozenset({"number", "text", "sentence"}), False): "ask_multiple_choice",
        (frozenset({"question", "sentences"}), False): "select_sentences",
        (frozenset({"text", "questions"}), False): "answer_questions",
        (frozenset({"question"}), False): "split_question",
    }
    if (named, contexts) in known:
        return known[named, contexts]
    return next((kind for start, kind in _PAPER.items() if prompt.startswith(start)), "")


def answer(
    prompt: str, kind: str = "", schema: Mapping[str, Any] | None = None, seed: int = 0
) -> str:
    """What a plausible judge replies.

    Args:
        prompt: The prompt.
        kind: Kind of the task (the name of the schema), "" to tell it from the prompt.
        schema: JSON schema of the reply, for kinds that are not known here.
        seed: Other seeds word questions differently.
    """
    texts = prompt_texts(prompt)
    kind = kind or kind_of(prompt, texts)
    if kind in _SAID:
        return _SAID[kind](prompt)
    if kind == "verify_statements" and '[["s1", "c1"]' in prompt:
        return json.dumps(_short(_verify(texts, seed)), ensure_ascii=False)
    if kind == "split_statements" and "<1> " in prompt.partition("\n<<<")[0]:
        return json.dumps(_by_sentence(texts), ensure_ascii=False)
    if kind == "judge_contexts" and '["c1", "..."]' in prompt:
        return json.dumps(_useful(_judge_contexts(texts, seed)), ensure_ascii=False)
    if kind in _MADE:
        return json.dumps(_MADE[kind](texts, seed), ensure_ascii=False)
    return json.dumps(_least(schema)) if schema else "I have nothing to say about that."


def _split(texts: Texts, seed: int) -> Any:
    if "text" in texts:
        return _claims(texts["text"])
    several = ((name.split(" ")[1], text) for name, text in texts.items() if _NUMBERED.match(name))
    return {"texts": [{"id": name, **_claims(text)} for name, text in several]}


def _claims(text: str) -> Any:
    claims = [s for s in sentences(text) if not s.endswith("?") and not _EVASIVE.search(s)]
    return {"statements": [{"text": s, "source": s} for s in claims]}


def _by_sentence(texts: Texts) -> Any:
    # A sentence that is one statement is named by its number alone.
    lists = []
    for name, text in texts.items():
        for number, sentence in _BY_SENTENCE.findall(text) if name.startswith("text") else ():
            # The "0." of "1.0." is no statement, and that of another sentence may be one.
            claims = [one["text"] for one in _claims(sentence)["statements"]]
            made = [claim for claim in claims if any(map(str.isalpha, claim))]
            lists.append([number, *([] if made == [sentence.strip()] else made or [""])])
    return {"statements": lists}


def _useful(made: Any) -> Any:
    return {
        "verdicts": [[v["id"], "useful" if v["useful"] else "useless"] for v in made["verdicts"]]
    }


def _verify(texts: Texts, seed: int) -> Any:
    contexts = [
        (n.removeprefix("context "), t) for n, t in texts.items() if n.startswith("context ")
    ]
    verdicts = []
    for line in texts["statements"].splitlines():
        item = json.loads(line)
        places = [(overlap(item["text"], s), c, s) for c, text in contexts for s in sentences(text)]
        share, context, quote = max(places, default=(0.0, "", ""), key=lambda place: place[0])
        supported = share >= 0.6
        verdicts.append(
            {
                "id": item["id"],
                "reason": f"{share:.0%} of its words stand in one sentence.",
                "context": context if supported else None,
                "quote": quote if supported else "",
                "supported": supported,
                # Of three classes: what shares nothing is taken to be denied.
                "contradicted": share == 0.0,
            }
        )
    return {"verdicts": verdicts}


def _short(made: Any) -> Any:
    # As the prompt's example is, which gives a reason only for what is not supported.
    return {
        "verdicts": [
            [v["id"], v["context"]]
            if v["supported"]
            else [v["id"], v["reason"], "contradicted" if v["contradicted"] else "unsupported"]
            for v in made["verdicts"]
        ]
    }


def _judge_contexts(texts: Texts, seed: int) -> Any:
    shares = {
        name.removeprefix("context "): overlap(texts["answer"], text)
        for name, text in texts.items()
        if name.startswith("context ")
    }
    return {
        "verdicts": [
            {"id": i, "reason": f"It has {share:.0%} of the words.", "useful": share >= 0.5}
            for i, share in shares.items()
        ]
    }


def _questions(texts: Texts, seed: int) -> Any:
    n, subject = int(texts["number"]), " ".join(texts["answer"].split()[:12]).rstrip(".")
    ways = ("What is known about", "What can be said on", "Which facts are there on", "Why")
    return {
        "noncommittal": bool(_EVASIVE.search(texts["answer"])),
        "questions": [f"{ways[(seed + i) % len(ways)]}: {subject} ({seed + i})?" for i in range(n)],
    }


def _rate(texts: Texts, seed: int) -> Any:
    share = overlap(texts["question"], texts["answer"])
    evasive = bool(_EVASIVE.search(texts["answer"]))
    return {
        "reason": f"{share:.0%} of the question's words are taken up.",
        "noncommittal": evasive,
        "relevance": 0.0 if evasive else round(min(1.0, 0.4 + share), 2),
    }


def _select(texts: Texts, seed: int) -> Any:
    items = [json.loads(line) for line in texts["sentences"].splitlines()]
    chosen = [i for i in items if overlap(texts["question"], i["text"]) >= 0.3]
    return {"relevant": [{"id": i["id"], "reason": "It names what was asked."} for i in chosen]}


def _quality(texts: Texts) -> float:
    # How much of the shorter one of what is graded and all else they have in common.
    others = {n: t for n, t in texts.items() if n not in ("criterion", *_BY_CRITERION)}
    start = "answer" if any(n.startswith("answer") for n in others) else "context"
    judged = words(" ".join(t for n, t in others.items() if n.startswith(start)))
    rest = words(" ".join(t for n, t in others.items() if not n.startswith(start)))
    smaller = min(len(judged), len(rest))
    share = len(judged & rest) / smaller if smaller else 0.0
    return 1.0 - share if _HARM.search(texts["criterion"]) else share


def _grade(texts: Texts, seed: int) -> Any:
    grades = sorted(json.loads(line)["grade"] for line in texts["grades"].splitlines())
    share = _quality(texts)
    return {
        "reason": f"{share:.0%} of the words are shared.",
        "grade": grades[min(len(grades) - 1, int(share * len(grades)))],
    }


def _label(texts: Texts, seed: int) -> Any:
    labels = [json.loads(line)["label"] for line in texts["labels"].splitlines()]
    share = _quality(texts)
    return {
        "reason": f"{share:.0%} of the words are shared.",
        "label": labels[min(len(labels) - 1, int(share * len(labels)))],
    }


def _plan(texts: Texts, seed: int) -> Any:
    return {"steps": [f"Read the {texts['the grader is shown']}.", "Compare their words."]}


def _taken_up(texts: Texts, answer: str) -> float:
    # How much of what is consulted the answer takes up.
    consulted = (n for n in texts if n != "criterion" and "answer" not in n)
    return overlap(" ".join(texts[n] for n in consulted), texts[answer])


def _prefer(texts: Texts, seed: int) -> Any:
    first, second = (_taken_up(texts, f"{which} answer") for which in ("first", "second"))
    better = "tie" if first == second else "first" if first > second else "second"
    return {"reason": f"{first:.0%} and {second:.0%} of the words.", "better": better}


def _rank(texts: Texts, seed: int) -> Any:
    answers = [name for name in texts if name.startswith("answer a")]
    order = sorted(answers, key=lambda name: -_taken_up(texts, name))
    ids = [name.removeprefix("answer ") for name in order]
    return {"reason": "By the words taken up.", "order": ids}


def _entities(texts: Texts, seed: int) -> Any:
    return {"entities": re.findall(r"[A-Z]\w+(?: [A-Z]\w+)*", texts["text"])}


def _ask_about_facts(texts: Texts, seed: int) -> Any:
    facts = [words(s) and s.rstrip(".!? ") for s in sentences(texts["text"])]
    return {"questions": [f"Which is it: {fact}?" for fact in facts if fact]}


def _answer_questions(texts: Texts, seed: int) -> Any:
    answers = []
    for item in map(json.loads, texts["questions"].splitlines()):
        fact = item["text"].removeprefix("Which is it: ").rstrip("?")
        said = max(sentences(texts["text"]), key=lambda s: overlap(fact, s), default="")
        answers.append({"id": item["id"], "answer": said if overlap(fact, said) >= 0.5 else None})
    return {"answers": answers}


def _ask_closed(texts: Texts, seed: int) -> Any:
    facts = [s.rstrip(".!? ") for s in sentences(texts["text"]) if words(s)]
    asked = [{"phrase": f.split()[0], "question": f"Is it so: {f}?"} for f in facts]
    return {"questions": asked}


def _answer_closed(texts: Texts, seed: int) -> Any:
    items = [json.loads(line) for line in texts["yes-or-no questions"].splitlines()]
    shares = [(i["id"], overlap(i["text"].removeprefix("Is it so:"), texts["text"])) for i in items]
    return {
        "answers": [
            {"id": i, "reason": f"{share:.0%} of its words.", "yes": share >= 0.6}
            for i, share in shares
        ]
    }


def _ask_multiple_choice(texts: Texts, seed: int) -> Any:
    fact = texts["sentence"].rstrip(".!? ")
    options = [fact, "Penguins swim", "It was never known"]
    asked = [{"question": f"Which is it: {fact}?", "options": options}] if words(fact) else []
    return {"questions": asked}


def _answer_multiple_choice(texts: Texts, seed: int) -> Any:
    chosen = []
    for item in map(json.loads, texts["multiple-choice questions"].splitlines()):
        options = item["options"]
        best = max(options, key=lambda letter: overlap(options[letter], texts["text"]))
        right = overlap(options[best], texts["text"]) >= 0.6
        chosen.append({"id": item["id"], "option": best if right else None})
    return {"answers": chosen}


def _split_question(texts: Texts, seed: int) -> Any:
    return {"questions": [f"{part.strip().rstrip('?')}?" for part in texts["question"].split(";")]}


def _said_by(role: str, conversation: str) -> list[str]:
    lines = (line.partition(": ") for line in conversation.splitlines())
    return [text for speaker, _, text in lines if speaker == role]


def _name_topics(texts: Texts, seed: int) -> Any:
    asked = sentences(" ".join(_said_by("user", texts["conversation"])))
    return {"topics": [topic.rstrip("?. ") for topic in asked]}


def _judge_topics(texts: Texts, seed: int) -> Any:
    said = " ".join(_said_by("assistant", texts["conversation"]))
    items = [json.loads(line) for line in texts["topics"].splitlines()]
    shares = [(i["id"], overlap(i["text"], said)) for i in items]
    return {
        "verdicts": [
            {"id": i, "reason": f"{share:.0%} of its words.", "answered": share >= 0.5}
            for i, share in shares
        ]
    }


def _match_topics(texts: Texts, seed: int) -> Any:
    known = [json.loads(line) for line in texts["reference topics"].splitlines()]
    matches = []
    for item in map(json.loads, texts["topics"].splitlines()):
        share, name = max((overlap(k["text"], item["text"]), k["id"]) for k in known)
        found = name if share >= 0.5 else None
        matches.append({"id": item["id"], "reason": f"{share:.0%}.", "reference": found})
    return {"matches": matches}


def _infer_goal(texts: Texts, seed: int) -> Any:
    asked, said = (_said_by(role, texts["conversation"]) for role in ("user", "assistant"))
    return {"goal": (asked or ["Nothing."])[0], "outcome": (said or ["Nothing."])[-1]}


def _compare_outcomes(texts: Texts, seed: int) -> Any:
    share = overlap(texts["desired outcome"], texts["achieved outcome"])
    return {"reason": f"{share:.0%} of its words.", "reached": share >= 0.5}


def _after(prompt: str, label: str) -> str:
    # The paper's prompts mark their texts with nothing but a label at the start of a line.
    found = re.search(
        rf"^{label}: (.*?)(?=^\w+(?: \[\d+\])?: |\Z)", prompt, re.MULTILINE | re.DOTALL
    )
    return found[1].strip() if found else ""


def _paper_statements(prompt: str) -> str:
    return "\n".join(f"- {s}" for s in sentences(_after(prompt, "answer")))


def _paper_verdicts(prompt: str) -> str:
    context = _after(prompt, "context")
    asked = re.findall(r"^statement: (.*)$", prompt, re.MULTILINE)
    verdicts = ["Yes" if overlap(s, context) >= 0.6 else "No" for s in asked]
    reasons = [f"{n}. Words of it stand in the context: {v}" for n, v in enumerate(verdicts, 1)]
    return "\n".join([*reasons, "Final verdict: " + ". ".join(verdicts) + "."])


def _paper_question(prompt: str) -> str:
    return f"What is known about: {' '.join(_after(prompt, 'answer').split()[:12])}?"


def _paper_extraction(prompt: str) -> str:
    question, context = _after(prompt, "question"), _after(prompt, "context")
    found = [s for s in sentences(context) if overlap(question, s) >= 0.3]
    return "\n".join(found) or "Insufficient Information"


def _graded(texts: Texts, seed: int) -> Any:
    short = _short(_verify(texts, seed))["verdicts"]
    standing = {"unsupported": "absent", "contradicted": "contradicted"}
    return {"verdicts": [v if len(v) == 2 else [*v[:2], standing[v[2]], "2"] for v in short]}


def _paper_correctness(prompt: str) -> str:
    told = re.search(r"answer: (.*), ground truth: (.*),\nExtracted statements", prompt, re.DOTALL)
    answer, truth = (told[1], told[2]) if told else ("", "")
    mine, theirs = sentences(answer), sentences(truth)
    found = {
        "TP": [s for s in mine if overlap(s, truth) >= 0.8],
        "FP": [s for s in mine if overlap(s, truth) < 0.8],
        "FN": [s for s in theirs if overlap(s, answer) < 0.8],
    }
    return ", ".join(f"“{k}”: {json.dumps(v, ensure_ascii=False)}" for k, v in found.items())


_MADE: dict[str, Callable[[Texts, int], Any]] = {
    "split_statements": _split,
    "verify_statements": _verify,
    "grade_statements": _graded,
    "judge_contexts": _judge_contexts,
    "generate_questions": _questions,
    "rate_answer": _rate,
    "select_sentences": _select,
    "name_entities": _entities,
    "ask_about_facts": _ask_about_facts,
    "answer_questions": _answer_questions,
    "split_question": _split_question,
    "give_grade": _grade,
    "choose_label": _label,
    "plan_evaluation": _plan,
    "prefer_answer": _prefer,
    "rank_answers": _rank,
    "ask_closed_questions": _ask_closed,
    "answer_closed_questions": _answer_closed,
    "ask_multiple_choice": _ask_multiple_choice,
    "answer_multiple_choice": _answer_multiple_choice,
    "name_topics": _name_topics,
    "judge_topics": _judge_topics,
    "match_topics": _match_topics,
    "infer_goal": _infer_goal,
    "compare_outcomes": _compare_outcomes,
}
_BY_CRITERION = {
    "grades": "give_grade",
    "labels": "choose_label",
    "first answer": "prefer_answer",
    "the grader is shown": "plan_evaluation",
}
_SAID: dict[str, Callable[[str], str]] = {
    "paper_statements": _paper_statements,
    "paper_verdicts": _paper_verdicts,
    "paper_question": _paper_question,
    "paper_extraction": _paper_extraction,
    "paper_correctness": _paper_correctness,
}
_PAPER = {
    "Name the topics that the user": "name_topics",
    "Tell in one sentence each": "infer_goal",
    "Find the key phrases of the text": "ask_closed_questions",
    "Given a question and answer, create": "paper_statements",
    "Consider the given context and following": "paper_verdicts",
    "Generate a question for the given answer": "paper_question",
    "Please extract relevant sentences": "paper_extraction",
    "Extract following from given question": "paper_correctness",
    # Two tasks of ours that show nothing but a text.
    "List the entities": "name_entities",
    "Write questions that test": "ask_about_facts",
}


def _least(schema: Mapping[str, Any]) -> Any:
    # The smallest value that a schema allows, for kinds of task that are not known here.
    if "anyOf" in schema:
        return _least(schema["anyOf"][-1])
    made: dict[str, Callable[[], Any]] = {
        "object": lambda: {k: _least(v) for k, v in schema.get("properties", {}).items()},
        "array": list,
        "string": lambda: schema.get("enum", ["none"])[0],
        "number": lambda: 0.0,
        "integer": lambda: 0,
        "boolean": lambda: False,
    }
    return made.get(schema.get("type", "null"), lambda: None)()


def vector(text: str, dimensions: int = 64) -> list[float]:
    """An embedding of length 1 made of the text's words: texts that share words lie close."""
    values = [0.0] * dimensions
    for word in words(text) or {text or " "}:
        values[zlib.crc32(word.encode("utf-8", "replace")) % dimensions] += 1.0
    norm = math.sqrt(sum(v * v for v in values))
    return [v / norm for v in values]
