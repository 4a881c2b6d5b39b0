"""Is it told when not one model answers under a judge's name, and kept quiet while one does?"""

import dataclasses
import json

import pytest

from assay import Result, cascade, compare, evaluate, repeat
from assay._middleware.wrapper import Route
from assay._report.notes import notes
from assay._report.run import collect
from assay._store import Store
from assay._store.maintenance import clean, verify
from assay._store.transfer import export, import_runs
from assay.judge import Reply
from assay.judges.openai.completion import read_chat
from assay.judges.openai.judge import OpenAI
from assay.score import Score
from assay.tasks import RateAnswer
from support.llm_server import LLMServer
from support.scripts import plausible, samples
from support.served import Served

OLD, NEW = "gpt-4o-2024-08-06", "gpt-4o-2024-11-20"


def scored(store, *models, n=4, metric="faithfulness", **more):
    return evaluate(samples(n), metric, Served(*models, **more), store=store)


def told(result):
    return [note.text for note in notes(collect(result, limit=0)) if "answered" in note.text]


@pytest.mark.parametrize(
    "models",
    [
        ("gpt-4o",),
        (OLD,),
        ("",),
        ("gpt-4o", OLD),
        ("claude-sonnet-latest", "claude-sonnet-20250514"),
        ("", OLD),
    ],
)
def test_of_one_model_under_one_name_nothing_is_said(db, models):
    assert told(scored(db, *models)) == []


@pytest.mark.parametrize("models", [(OLD, NEW), ("gpt-4o", "gpt-4o-mini"), ("gpt-4o", OLD, NEW)])
def test_several_models_in_one_run_are_told_once_with_counts(db, models):
    (text,) = told(scored(db, *models))
    assert text.startswith("Behind openai:gpt-4o more than one model answered: ")
    assert all(f"{model} (" in text for model in models)


def test_scores_are_counted_whose_replies_came_before_the_model_changed(db):
    scored(db, OLD, n=3)
    result = scored(db, NEW, n=5)
    assert collect(result, limit=0)["answered_by"] == [
        {"judge": "openai:gpt-4o", "model": OLD, "scores": 3},
        {"judge": "openai:gpt-4o", "model": NEW, "scores": 2},
    ]
    assert f"{OLD} (3 scores), {NEW} (2 scores)" in told(result)[0]


def test_of_many_models_the_commonest_are_named(db):
    models = [f"provider-{letter}" for letter in "abcdef"]
    assert " and 2 more." in told(scored(db, *models, n=12))[0]


def test_two_judges_of_a_mix_are_two_models_by_intent(db):
    mix = Route(Served(OLD), {"verify_statements": Served("gpt-4o-mini", name="openai:mini")})
    result = evaluate(samples(3), "faithfulness", mix, store=db)
    assert told(result) == []
    assert len(collect(result, limit=0)["answered_by"]) == 2


def test_the_judge_at_the_top_of_a_cascade_is_watched_also_where_its_replies_are_reused(db):
    def judged(model, n):
        top = Served(model, name="openai:top")
        return evaluate(samples(n), "faithfulness", cascade(plausible("cheap"), top), store=db)

    judged(OLD, 4)
    result = judged(NEW, 8)
    answered = collect(result, limit=0)["answered_by"]
    assert {(one["judge"], one["model"]) for one in answered} >= {
        ("cheap>openai:top", OLD),
        ("cheap>openai:top", NEW),
    }
    assert told(result)


class TestAComparison:
    def test_says_that_other_models_answered(self, db):
        before = scored(db, OLD, n=4)
        later = [dataclasses.replace(one, answer=f"{one.answer} Well.") for one in samples(4)]
        after = evaluate(later, "faithfulness", Served(NEW), store=db)
        (text,) = [one for one in compare(before, after).warnings if "answered" in one]
        assert text == (
            f"Behind openai:gpt-4o it was not one model that answered: in A {OLD} (4 scores), in B "
            f"{NEW} (4 scores). A difference may be one of the models, not of the systems."
        )

    @pytest.mark.parametrize("models", [(OLD, OLD), ("gpt-4o", OLD), (OLD, ""), ("", "")])
    def test_says_nothing_of_the_same_or_of_what_nobody_knows(self, db, models):
        before = scored(db, models[0])
        later = [dataclasses.replace(one, answer=f"{one.answer} Well.") for one in samples(4)]
        after = evaluate(later, "faithfulness", Served(models[1]), store=db)
        assert not [one for one in compare(before, after).warnings if "answered" in one]


class TestTheStore:
    async def test_a_score_may_rest_on_any_number_of_replies_by_any_number_of_prompts(self, db):
        with Store(db) as store:
            run = store.begin(samples(2), {"metrics": {"m": "s"}}, "x")
            keys = [f"{n:032x}" for n in range(600)]
            for n, key in enumerate(keys):
                named = {"backend": f"judge#{n % 3}", "model": OLD if n else NEW}
                await store.keep_reply(Reply((), "", key=key, **named), run.id)
            await store.keep_outcome(run.id, 1, "m", Score(1.0), keys)
            await store.keep_outcome(run.id, 2, "m", Score(1.0), keys[1:])
            assert store.answered_by(run.id, ["m"]) == {("judge", OLD): 2, ("judge", NEW): 1}

    async def test_a_reply_has_its_model_when_it_is_read_again(self, db):
        reply = Reply(("?",), "!", key="ab" * 16, model=OLD)
        with Store(db) as store:
            await store.keep_reply(reply, "run")
        with Store(db) as store:
            assert store.reply(reply.key).model == OLD

    def test_it_goes_to_another_store_and_with_the_reply(self, db, tmp_path):
        result = scored(db, OLD, NEW)
        with Store(db) as store, Store(tmp_path / "other.db") as other:
            lines = list(export(store, [result.run.id]))
            import_runs(other, lines)
            assert list(export(other, [result.run.id])) == lines
        assert told(Result(tmp_path / "other.db")) == told(result) != []
        assert verify(tmp_path / "other.db").problems == ()
        clean(tmp_path / "other.db", [result.run.id])
        with Store(tmp_path / "other.db") as other:
            assert other.query("SELECT * FROM answering_models") == []

    def test_what_is_changed_in_it_is_found(self, db):
        result = scored(db, OLD)
        with Store(db) as store, store.changing() as changed:
            changed.execute("UPDATE answering_models SET model = 1")
        assert any("answering_models" in problem for problem in verify(result.path).problems)


async def test_the_model_is_read_off_the_wire():
    async with LLMServer() as server:
        server.answers_as = lambda asked: f"{asked}-2024-08-06"
        judge = OpenAI("gpt-4o", base_url=server.url)
        reply = await judge.reply(RateAnswer("Who built it?", "Anna."))
        await judge.aclose()
    assert reply.model == OLD


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (OLD, OLD),
        ("  a\nb ", "a b"),
        ("m" * 999, "m" * 200),
        (None, ""),
        (7, ""),
        (["m"], ""),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_no_reply_is_lost_over_an_odd_name_of_a_model(model, expected, streamed):
    said = {"content": "Yes."}
    whole = {"model": model, "choices": [{"message": said, "finish_reason": "stop"}]}
    content = json.dumps(whole).encode()
    if streamed:
        piece = {"model": model, "choices": [{"delta": said, "finish_reason": "stop"}]}
        content = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n".encode()
    chat = read_chat(content)
    assert (chat.choices[0].text, chat.answered) == ("Yes.", expected)


@pytest.mark.parametrize("model", [OLD, NEW])
def test_another_model_is_not_taken_for_the_noise_of_the_one_that_judged(db, model):
    result = scored(db, OLD)
    repeated = repeat(result, Served(model), draws=1)
    expected = (
        f"Behind openai:gpt-4o it was not one model that answered: in the run {OLD} (4 scores), in "
        f"repetition 1 {NEW} (4 scores). What moved may be the model behind the name, not its noise."
    )
    assert repeated.drift == ((expected,) if model == NEW else ())
    assert all(text in str(repeated) for text in repeated.drift)
