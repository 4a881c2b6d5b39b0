"""`TestsetGenerator` of ragas, in its old and its new form, writes checked questions."""

import json

import pytest
from assay.integrations.ragas.testset.evolutions import multi_context, reasoning, simple

from assay._middleware.wrapper import Route
from assay._text.sentences import sentences
from assay.errors import InputError
from assay.integrations.ragas.testset import TestsetGenerator
from assay.judges import backend
from assay.judges.scripted import Scripted
from assay.tasks import AnswerQuestions, ShortAnswer, WriteQuestion, Written

KINDS = ("write_single_hop", "write_reasoning", "write_multi_hop")
PLACES = ("Oslo", "Rome", "Paris", "Lima", "Kyoto", "Accra")


class Document:
    """As LangChain's."""

    def __init__(self, place, year):
        filler = "Nothing else is told of this town by those who wrote about it. " * 3
        self.page_content = f"{filler}\n\nThe harbour of {place} opened in {year}."
        self.metadata = {"source": f"{place}.md"}


DOCUMENTS = [Document(place, 1800 + 7 * n) for n, place in enumerate(PLACES)]


def written(task):
    facts = [sentences(text)[-1] for text in task.passages]
    asked = " and ".join(fact.split(" opened")[0].removeprefix("The ") for fact in facts)
    return WriteQuestion.reply(
        Written(f"When did the {asked} open?", " ".join(facts), tuple(facts))
    )


def knows(task):
    told = all(place in task.text for place in PLACES if place in task.questions[0])
    return AnswerQuestions.reply([ShortAnswer(i, "then" if told else None) for i in task.ids])


def writer():
    return Scripted(dict.fromkeys(KINDS, written), name="writer")


def critic():
    return Route(backend("embedded"), {"answer_questions": Scripted({"answer_questions": knows})})


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_as_in_ragas_0_1():
    generator = TestsetGenerator.from_langchain(writer(), critic(), object())
    shares = {simple: 0.5, reasoning: 0.25, multi_context: 0.25}
    made = generator.generate_with_langchain_docs(DOCUMENTS, test_size=4, distributions=shares)
    kinds = [row["synthesizer_name"] for row in made.to_list()]
    assert kinds == ["single_hop", "single_hop", "reasoning", "multi_hop"]
    frame = made.to_pandas()
    columns = ["user_input", "reference_contexts", "reference", "synthesizer_name"]
    assert list(frame.columns) == columns
    assert all("opened in" in reference for reference in frame["reference"])


def test_as_in_later_versions(tmp_path):
    class Embeds:
        def embed_query(self, text):
            raise AssertionError("nothing is embedded")

    both = Route(critic().default, {**critic().kinds, **dict.fromkeys(KINDS, writer())})
    generator = TestsetGenerator.from_langchain(both, Embeds())
    assert generator.critic_llm is None
    made = generator.generate_with_langchain_docs(DOCUMENTS, testset_size=4, transforms=None)
    dataset = made.to_evaluation_dataset()
    assert len(made) == len(dataset) == 4
    assert dataset[0].reference_contexts
    assert dataset[0].response is None
    made.to_jsonl(tmp_path / "q.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text("utf-8").splitlines()]
    assert [row["question"] for row in rows] == [row["user_input"] for row in made]
    assert rows[0]["source"][0]["document"].endswith(".md")


@pytest.mark.parametrize(
    ("given", "how", "said"),
    [
        ({"persona_list": ["a clerk"]}, {}, "no persona_list= of TestsetGenerator"),
        ({}, {"query_distribution": [("x", 1.0)]}, "no query_distribution="),
        ({}, {"nonsense": 1}, "has no nonsense="),
    ],
)
def test_what_is_not_supported_is_refused_before_anything_is_asked(given, how, said):
    with pytest.raises(InputError, match=said):
        TestsetGenerator(llm=writer(), **given).generate_with_langchain_docs(DOCUMENTS, **how)


def test_a_judge_that_cannot_write_is_told(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with (
        pytest.warns(UserWarning, match="embedded judge is asked"),
        pytest.raises(InputError, match="give llm= a language model"),
    ):
        TestsetGenerator().generate_with_langchain_docs(DOCUMENTS)
