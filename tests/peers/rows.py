"""The rows that all libraries score: drawn by a seed, each field emptied in turn, values on thresholds."""

import random

from oracle import GREETING, HEDGE, HUSH, REFUSAL, SILENT, sentences

SUBJECTS = ("Ada", "Bob", "Cleo", "Dan", "Eve")
VALUES = ("red", "blue", "old")
FIELDS = (
    "question",
    "contexts",
    "answer",
    "reference",
    "reference_contexts",
    "context_ids",
    "reference_context_ids",
)
# Those of them that a sample of ragas has, from 0.2 on, by its name for them.
RAGAS_FIELDS = {
    "user_input": "question",
    "response": "answer",
    "reference": "reference",
    "retrieved_contexts": "contexts",
    "reference_contexts": "reference_contexts",
    "retrieved_context_ids": "context_ids",
    "reference_context_ids": "reference_context_ids",
}
LISTS = {"contexts", "reference_contexts", "context_ids", "reference_context_ids"}
# What stands in a field that is emptied: missing, nothing, blanks; in a list also one empty item.
EMPTIED = {
    "missing": (None, None),
    "empty": ("", []),
    "blank": (" \n", [" "]),
    "empty item": ("", [""]),
}


def rows(drawn=160, seed=7):
    """All rows, each with an id that says what is special in it."""
    draw = random.Random(seed)
    found = [_drawn(draw, f"drawn {n}") for n in range(drawn)]
    found += [row for n in range(3) for row in _emptied(_drawn(draw, f"base {n}", least=1))]
    found += _patterns() + _thresholds() + _odd() + _quoted(draw) + _sentences(draw)
    return found + [_said_once(row) for row in found if says_twice(row)]


def says_twice(row):
    """Whether a text of the row repeats a sentence."""
    return any(len(set(found)) < len(found) for found in map(sentences, _texts(row)))


def twin(row):
    """The id of the row that says everything once."""
    return f"{row['id']}, said once"


def _said_once(row):
    once = {**row, "id": twin(row)}
    for field in ("answer", "reference"):
        once[field] = _once(row[field])
    if row["contexts"] is not None:
        once["contexts"] = [_once(context) for context in row["contexts"]]
    return once


def _once(text):
    return text and " ".join(dict.fromkeys(sentences(text)))


def _texts(row):
    return [text for text in (row["answer"], row["reference"], *(row["contexts"] or ())) if text]


def _fact(draw):
    return f"{draw.choice(SUBJECTS)} is {draw.choice(VALUES)}."


def _text(draw, least, most):
    return " ".join(_fact(draw) for _ in range(draw.randint(least, most)))


def _drawn(draw, name, least=0):
    asked = " and ".join(draw.sample(SUBJECTS, draw.randint(1, 3)))
    ids = [draw.choice("abcdef") for _ in range(draw.randint(1, 4))]
    contexts = [_text(draw, 1, 3) for _ in ids]
    if draw.random() < 0.2:
        contexts[-1] = contexts[0]
    return {
        "id": name,
        "question": f"What is {asked}?",
        "contexts": contexts,
        "answer": _text(draw, max(least, 1), 4),
        "reference": _text(draw, max(least, 1), 4),
        "reference_contexts": [_text(draw, 1, 3) for _ in range(draw.randint(1, 3))],
        "context_ids": ids,
        "reference_context_ids": [draw.choice("abcdef") for _ in range(draw.randint(1, 3))],
    }


def _emptied(row):
    for field in FIELDS:
        for how, values in EMPTIED.items():
            if how == "empty item" and field not in LISTS:
                continue
            value = values[field in LISTS]
            yield {**row, "id": f"{row['id']}, {field} {how}", **_alone(field), field: value}
    nothing = {"answer": "", "reference": "", "contexts": [], "context_ids": []}
    yield {**row, "id": f"{row['id']}, all texts empty", **nothing}
    first = {"contexts": ["", *row["contexts"]], "context_ids": ["x", *row["context_ids"]]}
    yield {**row, "id": f"{row['id']}, an empty context first", **first}


def _alone(field):
    """What goes with a field: contexts and their ids are equally many, where both are there."""
    return {"contexts": {"context_ids": None}, "context_ids": {"contexts": None}}.get(field, {})


FULL = {
    "question": "What is Ada and Bob?",
    "contexts": ["Ada is red.", "Bob is old. Cleo is blue.", "Dan is red."],
    "answer": "Ada is red. Bob is blue.",
    "reference": "Ada is red. Bob is old.",
    "reference_contexts": ["Ada is red.", "Bob is old."],
    "context_ids": ["a", "b", "c"],
    "reference_context_ids": ["a", "b"],
}


def _row(name, **changes):
    if "contexts" in changes:
        changes = {"context_ids": list("abcd"[: len(changes["contexts"])]), **changes}
    return {"id": name, **FULL, **changes}


def _patterns():
    """Every pattern of useful and useless contexts up to four, and of right and wrong statements."""
    found = []
    for length in range(1, 5):
        for bits in range(2**length):
            marks = [bits >> place & 1 for place in range(length)]
            contexts = ["Ada is red." if mark else "Eve is old." for mark in marks]
            ids = ["a" if mark else f"x{n}" for n, mark in enumerate(marks)]
            answer = " ".join(
                f"{subject} is {'red' if mark else 'blue'}."
                for subject, mark in zip(SUBJECTS, marks, strict=False)
            )
            name = "pattern " + "".join(map(str, marks))
            found.append(
                _row(
                    name,
                    contexts=contexts,
                    context_ids=ids,
                    answer=answer,
                    reference="Ada is red. Bob is red. Cleo is red.",
                )
            )
    return found


def _thresholds():
    """Texts whose edit similarity to each other is exactly 0.5, a little less and a little more."""
    near = {"exactly half": "aabb", "below half": "abbb", "above half": "aaab"}
    found = [
        _row(f"similarity {name}", contexts=[text], reference_contexts=["aaaa"])
        for name, text in near.items()
    ]
    found += [
        _row(
            f"two similarities {name}", contexts=["cccc", text], reference_contexts=["aaaa", "dddd"]
        )
        for name, text in near.items()
    ]
    return found


# Marks that people quote with, pairs that do not match and apostrophes among them.
MARKS = (
    ('"', '"'),
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
    ("'", "'"),
    ("\u201e", "\u201c"),
    ("\u00ab", "\u00bb"),
    ("\u300c", "\u300d"),
    ('"', "\u201d"),
    ("\u201c", '"'),
    ("'", "\u2019"),
    ('"', ""),
)


def _quoted(draw):
    """Answers that quote: whole sentences of a context, cut words, other case, what is nowhere."""
    contexts = ["Ada is red and able to pay.", "Bob is old. It's Cleo's."]
    pieces = [
        *("Ada is red", "red and able to", "ADA IS RED AND", "da is re", "to pay. Bob is"),
        *("Bob is old.", "is old. It's Cleo", "It's Cleo's", "Dan is blue", "Ada  is red", "red"),
    ]
    found = []
    for n, (left, right) in enumerate(MARKS):
        for one in pieces:
            other = draw.choice(pieces)
            answer = f"He says {left}{one}{right} and {left}{other}{right}"
            found.append(_row(f"marks {n}, {one}", answer=answer, contexts=contexts))
    return found


def _sentences(draw):
    """Answers and references of one sentence each, which ragas' BLEU takes whole."""
    words = [
        "the",
        "old",
        "red",
        "tower",
        "of",
        "Paris",
        "is",
        "330",
        "metres",
        "high",
        "in",
        "1889",
    ]
    return [
        _row(
            f"sentence {n}",
            answer=" ".join(draw.choices(words, k=draw.randint(1, 12))) + draw.choice([".", ""]),
            reference=" ".join(draw.choices(words, k=draw.randint(1, 12))) + ".",
        )
        for n in range(40)
    ]


def _odd():
    """What people and systems write beside facts, and what judges do beside answering."""
    return [
        _row("a refusal", answer=REFUSAL),
        _row("a refusal among facts", answer=f"Ada is red. {REFUSAL}"),
        _row("a greeting", answer=GREETING),
        _row("a greeting before facts", answer=f"{GREETING} Ada is red. Bob is blue."),
        _row("a greeting as reference", reference=GREETING),
        _row("greetings on both sides", answer=GREETING, reference=GREETING),
        _row("greetings as contexts", contexts=[GREETING, GREETING]),
        _row("a greeting as one context", contexts=[GREETING, "Ada is red."]),
        _row("the same on both sides", answer="Ada is red.", reference="Ada is red."),
        _row("a short reference", reference="red"),
        _row("a short reference and answer", answer="red", reference="red"),
        _row(
            "nothing shared",
            answer="Eve is old.",
            reference="Ada is red.",
            contexts=["Dan is blue."],
        ),
        _row("a statement twice", answer="Ada is red. Ada is red. Bob is blue."),
        _row("a reference statement twice", reference="Ada is red. Ada is red. Bob is old."),
        _row("a context twice", contexts=["Ada is red.", "Ada is red.", "Eve is old."]),
        _row("an id twice", context_ids=["a", "a", "c"], reference_context_ids=["a", "a", "b"]),
        _row("more contexts than ids", context_ids=["a"]),
        _row("other case", answer="ADA IS RED.", reference="Ada is red."),
        _row("other spaces", answer="Ada is  red. ", reference="Ada is red."),
        _row("no final stop", answer="Ada is red. Bob is blue", reference="Ada is red"),
        _row("no Latin letters", answer="エッフェル塔", reference="エッフェル塔は鉄塔"),
        _row("a quotation", answer='He says "Ada is red" and "Eve is old".'),
        _row("a quotation alone", answer='"Bob is old."'),
        _row("an answer that hedges", answer=f"{HEDGE} Ada is red."),
        _row("a draw without a question", answer=f"Ada is red. {HUSH}."),
        _row("a statement without a verdict", answer=f"Ada is red. {SILENT} is blue. Eve is old."),
        _row("a reference statement without a verdict", reference=f"Ada is red. {SILENT} is blue."),
    ]
