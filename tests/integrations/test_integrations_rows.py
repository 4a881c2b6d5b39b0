"""The answer is found where chains and agents put it, and nothing else is taken for one."""

from dataclasses import dataclass, field
from types import SimpleNamespace

from pydantic import BaseModel

from assay.integrations.rows import answer_of
from support.over import over


class Cited(BaseModel):
    answer: str = "Two moons."
    sources: list[str] = []


@dataclass
class Plain:
    answer: str = "Two moons."
    sources: list[str] = field(default_factory=list)


def message(kind, text):
    return SimpleNamespace(type=kind, content=text)


USER = message("human", "How many?")
TOLD = message("tool", "Returning structured response: answer='Two moons.'")


@over(
    "outputs",
    [
        "Two moons.",
        {"answer": "Two moons.", "context": ["..."]},
        {"result": "Two moons.", "source_documents": []},
        {"messages": [USER, message("ai", "Two moons.")]},
        {"messages": [{"role": "user", "content": "?"}, {"role": "ai", "content": "Two moons."}]},
        Cited(),
        Plain(),
        {"answer": Cited(), "context": ["..."]},
        {"answer": {"answer": "Two moons.", "sources": ["a", "b"]}},
        {"answer": {"role": "assistant", "content": [{"type": "text", "text": "Two moons."}]}},
        {"messages": [USER, TOLD], "structured_response": Cited()},
        {"messages": [USER, message("ai", "Two moons.")], "structured_response": {"n": 2}},
        {"messages": [USER, message("tool", "Two moons.")]},  # a tool that answers by itself
    ],
)
def test_the_answer_is_found_where_it_stands(outputs):
    assert answer_of(outputs) == "Two moons."


@over(
    "outputs",
    [
        {"messages": [USER]},  # a graph that waits for a person
        {"messages": [{"role": "user", "content": "How many?"}]},
        {"messages": []},
        USER,
        {},
        None,
    ],
)
def test_what_a_user_asked_is_no_answer(outputs):
    assert answer_of(outputs) is None
