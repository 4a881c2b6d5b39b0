"""CRUD-RAG's files: the data set of its six parts, and what its evaluator writes."""

import json

import pytest
from data_help import load, refused

from assay import evaluate
from assay.score import Score

DATA = {
    "event_summary": [
        {"ID": "a", "event": "台风登陆", "summary": "台风登陆福建。", "text": "新闻。"}
    ],
    "continuing_writing": [{"ID": "b", "beginning": "The mill", "continuing": "was built."}],
    "hallu_modified": [
        {
            "ID": "c",
            "newsBeginning": "The mill was built.",
            "hallucinatedContinuation": "Bob built it.",
            "hallucinatedMod": "Anna built it.",
        }
    ],
    "questanswer_1doc": [
        {"ID": "d", "questions": "Who?", "answers": "Anna.", "news1": "Anna did."}
    ],
    "questanswer_3docs": [
        {
            "ID": 5,
            "questions": "谁？",
            "answers": "安娜。",
            "news1": "一",
            "news2": "二",
            "news3": "三",
        }
    ],
}


def samples(tmp_path, document):
    return load(written(tmp_path, document))


def written(tmp_path, document):
    file = tmp_path / "split_merged.json"
    file.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    return file


def test_each_task_becomes_a_question_with_its_reference(tmp_path):
    found = {sample.id: sample for sample in samples(tmp_path, DATA)}
    assert list(found) == [
        "event_summary-a",
        "continuing_writing-b",
        "hallu_modified-c",
        "questanswer_1doc-d",
        "questanswer_3docs-5",
    ]
    assert [sample.metadata["task"] for sample in found.values()] == [
        "delete",
        "create",
        "update",
        "read, 1 document",
        "read, 3 documents",
    ]
    assert [sample.language for sample in found.values()] == ["zh", "en", "en", "en", "zh"]
    summary, _, update, *_, read3 = found.values()
    assert summary.question == "请概括这一事件：\n\n台风登陆"
    assert (summary.reference, summary.reference_contexts) == ("台风登陆福建。", ("新闻。",))
    assert update.question.endswith("corrected:\n\nThe mill was built.\n\nBob built it.")
    assert update.reference == "Anna built it."
    assert (read3.question, read3.reference_contexts) == ("谁？", ("一", "二", "三"))


def test_what_its_evaluator_wrote_has_answers_and_contexts(tmp_path):
    original = {
        **DATA["questanswer_1doc"][0],
        "retrieve_context": "Anna did.",
        "generated_text": "Anna",
    }
    output = {
        "info": {"task": "QuestAnswer1Doc", "llm": "{}"},
        "overall": {},
        "results": [{"id": "d", "valid": True, "original_data": original}],
    }
    (sample,) = samples(tmp_path, output)
    assert (sample.id, sample.answer, sample.contexts) == (
        "questanswer_1doc-d",
        "Anna",
        ("Anna did.",),
    )


def test_a_text_whose_correction_failed_is_left_out(tmp_path):
    row = DATA["hallu_modified"][0]
    failed = {**row, "hallucinatedMod": '","msg":"request openai failed"'}
    assert len(samples(tmp_path, {"hallu_modified": [failed, row]})) == 1


def test_a_row_that_lacks_something_is_named(tmp_path):
    broken = {"continuing_writing": [DATA["continuing_writing"][0], {"beginning": "So"}]}
    (problem,) = refused(written(tmp_path, broken)).problems
    assert (problem.row, problem.what) == (
        2,
        "a row of CRUD-RAG's continuing_writing without 'continuing'",
    )


def test_its_answers_are_scored_in_both_languages(tmp_path, db):
    rows = [
        {"ID": n, "questions": question, "answers": right, "generated_text": said, "news1": right}
        for n, (question, right, said) in enumerate(
            [
                ("谁建造了磨坊？", "安娜建造了磨坊。", "安娜建造磨坊。"),
                ("Who built it?", "Anna built the mill in May.", "The mill Anna built in May."),
            ]
        )
    ]
    results = [{"original_data": row} for row in rows]
    output = {"info": {"task": "QuestAnswer1Doc"}, "results": results}
    result = evaluate(written(tmp_path, output), ["crud:bleu", "crud:rouge_l", "rouge"], store=db)
    assert all(isinstance(outcome, Score) for outcome in result["crud:bleu"])
    # 6 of the answer's 6 characters and of the reference's 7; the English words but "mill".
    assert [o.value for o in result["crud:rouge_l"]] == pytest.approx([12 / 13, 8 / 10])
    # 1-grams 6/6, 2-grams 4/5, 3-grams 2/4, 4-grams 1/3.
    assert result["crud:bleu"][0].value == pytest.approx((1 * 4 / 5 * 2 / 4 * 1 / 3) ** 0.25)
    assert result["crud:bleu"][1].value == 0.0
    assert result["rouge"][0].value == 0.0


def test_chinese_is_split_into_words_as_crud_rag_does_where_that_is_asked_for(tmp_path, db):
    row = {"ID": 1, "event": "磨坊", "text": "新闻。"}
    row |= {"summary": "磨坊在五月重新开放。", "generated_text": "磨坊五月重新开放。"}
    metrics = ["crud:bleu(split=jieba)", "crud:rouge_l(split=jieba)"]
    result = evaluate(written(tmp_path, {"event_summary": [row]}), metrics, store=db)
    # 磨坊 / 五月 / 重新 / 开放 / 。 beside 磨坊 / 在 / 五月 / 重新 / 开放 / 。
    (bleu,), (rouge,) = (result[metric] for metric in metrics)
    assert bleu.value == pytest.approx((1 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)
    assert rouge.value == pytest.approx(10 / 11)
