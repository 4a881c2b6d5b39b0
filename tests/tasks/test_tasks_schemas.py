"""The schema of every reply is one that servers with strict structured outputs take."""

import json

import msgspec
import pytest

from assay.tasks import TASKS

ASKED_IN_JSON = {
    "split_statements",
    "verify_statements",
    "generate_questions",
    "rate_answer",
    "select_sentences",
    "judge_contexts",
    "name_entities",
    "ask_about_facts",
    "answer_questions",
    "split_question",
    "give_grade",
    "choose_label",
    "plan_evaluation",
    "prefer_answer",
    "rank_answers",
    "ask_closed_questions",
    "answer_closed_questions",
    "ask_multiple_choice",
    "answer_multiple_choice",
    "name_topics",
    "judge_topics",
    "match_topics",
    "infer_goal",
    "compare_outcomes",
    "write_single_hop",
    "write_reasoning",
    "write_multi_hop",
    "write_unanswerable",
    "write_follow_up",
    "answer_closed_book",
    "list_nuggets",
    "grade_statements",
    "grade_passages",
}
FREE = {
    "answer_from_passages",
    "embed",
    "embed_tokens",
    "measure_likelihood",
    "paper_statements",
    "paper_verdicts",
    "paper_question",
    "paper_extraction",
    "paper_correctness",
}

# Keywords that OpenAI's strict mode refuses or ignores.
REFUSED = {"$ref", "$defs", "allOf", "oneOf", "not", "if", "default", "title", "patternProperties"}


def nodes(schema):
    yield schema
    for key in ("properties",):
        for child in schema.get(key, {}).values():
            yield from nodes(child)
    for child in [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]:
        yield from nodes(child)


def test_every_task_is_asked_in_json_or_in_free_text():
    assert set(TASKS) == ASKED_IN_JSON | FREE
    assert {kind for kind, task in TASKS.items() if task.schema} == ASKED_IN_JSON


@pytest.mark.parametrize("kind", sorted(ASKED_IN_JSON))
class TestSchema:
    def test_it_is_an_object_of_plain_json(self, kind):
        schema = TASKS[kind].schema
        assert schema["type"] == "object"
        assert json.loads(json.dumps(schema)) == schema

    def test_every_object_is_closed_and_requires_all_it_has(self, kind):
        for node in nodes(TASKS[kind].schema):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])

    def test_it_uses_nothing_that_strict_servers_refuse(self, kind):
        for node in nodes(TASKS[kind].schema):
            assert not REFUSED & set(node)
            assert "type" in node or "anyOf" in node

    def test_forms_and_replies_shown_in_the_prompt_have_the_fields_of_the_schema(self, kind):
        task = TASKS[kind]
        template = task.template
        shown = [template.form] if template.form else [e.reply for e in template.examples]
        assert shown
        for one in map(msgspec.json.decode, shown):
            assert set(one) == set(task.schema["properties"])
            for name, node in task.schema["properties"].items():
                item = node.get("items", {})
                if item.get("type") == "object":
                    assert [list(entry) for entry in one[name]] == [item["required"]] * len(
                        one[name]
                    )

    def test_the_reason_is_asked_for_before_the_verdict(self, kind):
        for node in nodes(TASKS[kind].schema):
            fields = node.get("required", [])
            for verdict in {
                "supported",
                "contradicted",
                "useful",
                "relevance",
                "grade",
                "label",
                "better",
                "order",
                "yes",
                "answered",
                "reference",
                "reached",
            } & set(fields):
                assert fields.index("reason") < fields.index(verdict)
