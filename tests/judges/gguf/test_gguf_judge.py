"""Does a GGUF model's judge ask one by one, keep the form of replies, and say what happened?"""

import asyncio
import json
import threading
from itertools import pairwise

import pytest

import assay
from assay.errors import CutShort, InputError, Unavailable
from assay.judge import Backend, Judge
from assay.judges.embedded import Embedded
from assay.judges.gguf import Answer, Gguf, Token
from assay.judges.specs import backend
from assay.prompt import Template
from assay.tasks import (
    Embed,
    GenerateQuestions,
    JudgeContexts,
    Passage,
    SelectSentences,
    SplitStatements,
    Statement,
    VerifyStatements,
)
from assay.tasks.paper import PaperStatements
from support.engines import Says, made_file, yes_with

CONTEXTS = ("The mill was built by Anna in 1890.", "Cats sleep for most of the day.")
STATEMENTS = (Statement("s1", "Anna built the mill."), Statement("s2", "Cats never sleep."))
VERIFY = VerifyStatements(STATEMENTS, CONTEXTS)


def by_word(**chances):
    """A probability of Yes for each prompt: that of the word its item holds."""
    return lambda prompt: next(
        p for word, p in chances.items() if word in prompt.rpartition("\n\n")[0].rpartition("\n")[2]
    )


@pytest.fixture
def model(tmp_path):
    return lambda answer, window=10**6, **options: Gguf(
        made_file(tmp_path), engine=Says(answer, window), **options
    )


async def test_each_statement_gets_the_probability_of_yes_in_the_form_of_any_reply(model):
    judge = Judge(model(by_word(Anna=0.9, never=0.2)))
    first, second = await judge(VERIFY)
    assert (first.supported, first.probability) == (True, 0.9)
    assert (second.supported, second.probability) == (False, 0.2)
    assert "Yes 0.900" in first.reason
    assert json.loads(judge.replies[0].raw)["verdicts"][0]["id"] == "s1"


async def test_what_statements_share_stands_first_and_is_told_apart(model):
    gguf = model(by_word(Anna=0.9, never=0.2))
    reply = await gguf.reply(VERIFY)
    (shared, *_), (again, *_) = gguf._engine.asked
    assert shared == again
    assert all(context in "".join(shared) for context in CONTEXTS)
    assert not any(s.text in "".join(shared) for s in STATEMENTS)
    # The trace has all of it: the shared part once, then the ends.
    assert reply.prompt == "".join(shared) + "".join(own for _, own, _ in gguf._engine.asked)
    assert (reply.tokens_in, reply.tokens_out) == (20, 2)


async def test_contexts_and_sentences_are_ranked_the_same_way(model):
    judge = Judge(model(by_word(Anna=0.9, Cats=0.1)))
    useful = await judge(JudgeContexts("Who built it?", "Anna did.", CONTEXTS))
    assert [(u.id, u.useful, u.probability) for u in useful] == [
        ("c1", True, 0.9),
        ("c2", False, 0.1),
    ]
    sentences = (Passage("1.1", CONTEXTS[0]), Passage("2.1", CONTEXTS[1]))
    (chosen,) = await judge(SelectSentences("Who built it?", sentences))
    assert (chosen.id, chosen.probability) == ("1.1", 0.9)


async def test_of_several_contexts_none_is_named_of_one_that_one(model):
    alone = VerifyStatements(STATEMENTS[:1], CONTEXTS[:1])
    judge = Judge(model(by_word(Anna=0.9)))
    assert (await judge(alone))[0].context == 0
    assert (await judge(VerifyStatements(STATEMENTS[:1], CONTEXTS)))[0].context is None


@pytest.mark.parametrize("chance", [0.0, 1.0, 1e-9])
async def test_a_certain_model_stays_within_0_and_1(model, chance):
    (verdict,) = await Judge(model(lambda _: chance))(VerifyStatements(STATEMENTS[:1], CONTEXTS))
    assert 0 <= verdict.probability <= 1
    assert verdict.supported == (chance == 1.0)


async def test_without_contexts_nothing_is_supported_and_nobody_asked(model):
    gguf = model(lambda _: 1.0)
    (verdict,) = await Judge(gguf)(VerifyStatements(STATEMENTS[:1], ()))
    assert not verdict.supported
    assert "no context" in verdict.reason
    assert not gguf._engine.asked


async def test_a_model_that_says_neither_yes_nor_no_fails_with_a_remedy(model):
    gguf = model(lambda _: Answer("<think>", 5, 0, 1, (Token("<think>", {"<think>": -0.1}),)))
    with pytest.raises(Unavailable, match=r"'<think>'.*without thinking aloud") as caught:
        await gguf.reply(VERIFY)
    assert caught.value.permanent


async def test_everything_else_goes_by_prompt_and_schema(model):
    raw = '{"noncommittal": false, "questions": ["Who built the mill?"]}'
    gguf = model(lambda _: Answer(raw, 50, 0, 9))
    found = await gguf.reply(GenerateQuestions("Anna built it.", 1), draw=2)
    ((shared, own, wish),) = gguf._engine.asked
    assert found.raw == raw
    assert found.prompt == "".join(shared) + own
    assert shared == (GenerateQuestions.template.preamble,)
    assert (wish.schema, wish.draw) == (GenerateQuestions.schema, 2)
    assert (found.tokens_in, found.tokens_out) == (50, 9)


async def test_a_prompt_of_ones_own_is_used_whole(model):
    raw = '{"verdicts": [{"id": "s1", "supported": true}, {"id": "s2", "supported": false}]}'
    mine = Template("Be lenient.")
    gguf = model(lambda _: Answer(raw), prompts={"verify_statements": mine})
    reply = await gguf.reply(VERIFY)
    assert reply.raw == raw
    assert reply.prompt.startswith("Be lenient.")
    assert gguf.identity(VerifyStatements) != model(lambda _: 0.5).identity(VerifyStatements)


class TestTextsThatAreTooLong:
    LONG = tuple(f"Fact {n}. " * 60 for n in range(6))
    ONE = VerifyStatements(STATEMENTS[:1], LONG)

    async def test_are_read_in_parts_of_which_the_highest_counts(self, model):
        gguf = model(lambda prompt: 0.8 if "Fact 4" in prompt else 0.3, window=600)
        (verdict,) = await Judge(gguf)(self.ONE)
        assert verdict.probability == 0.8
        assert "the highest of" in verdict.reason
        read = "".join("".join(shared) for shared, *_ in gguf._engine.asked)
        assert all(context in read for context in self.LONG)

    async def test_nothing_of_one_long_text_is_left_out(self, model):
        context = " ".join(f"word{n}" for n in range(1500))
        gguf = model(lambda _: 0.4, window=500)
        await Judge(gguf)(VerifyStatements(STATEMENTS[:1], (context,)))
        read = "".join("".join(shared) for shared, *_ in gguf._engine.asked)
        assert all(word in read for word in context.split())

    async def test_each_part_is_read_once_for_all_statements(self, model):
        gguf = model(lambda _: 0.4, window=600)
        await Judge(gguf)(VerifyStatements(STATEMENTS, self.LONG))
        order = [shared for shared, *_ in gguf._engine.asked]
        changes = sum(a != b for a, b in pairwise(order))
        assert changes == len(set(order)) - 1

    async def test_a_long_item_is_read_in_parts_too(self, model):
        gguf = model(lambda prompt: 0.9 if "word7 " in prompt else 0.2, window=500)
        text = " ".join(f"word{n}" for n in range(1500))
        (found,) = await Judge(gguf)(JudgeContexts("Who?", "Anna", (text,)))
        assert found.probability == 0.9
        assert "parts" in found.reason

    async def test_are_read_in_parts_with_a_prompt_of_ones_own_too(self, model):
        raw = '{"verdicts": [{"id": "s1", "supported": true}]}'
        mine = {"verify_statements": Template("Be lenient.")}
        gguf = model(lambda _: Answer(raw), prompts=mine, window=600)
        (verdict,) = await Judge(gguf)(self.ONE)
        assert verdict.reason.startswith("(contexts read in parts)")

    async def test_what_cannot_be_parted_is_said_to_be_too_long(self, model):
        with pytest.raises(Unavailable, match=r"tokens, the model reads 20 at once"):
            await model(lambda _: 0.5, window=20).reply(self.ONE)


class TestTheQuoteStyle:
    @pytest.fixture
    def quoting(self, tmp_path, model):
        made = model(lambda _: 0.5)
        digest = made.name.split("@")[1]
        kinds = {"verify_statements": {"style": "quote", "slope": 1.0, "bias": 0.0, "card": "ok"}}
        beside = tmp_path / "model.calibration.json"
        beside.write_text(json.dumps({digest: {"name": "model", "kinds": kinds}}))

        def make(quote, compare="It says so."):
            raw = json.dumps({"quote": quote, "compare": compare, "supported": "Yes"})
            (token,) = yes_with(0.7).tokens
            misleading = Token("no", {"no": -0.1})  # a word of the comparison
            return model(lambda _: Answer(raw, 9, 0, 5, (misleading, token, Token('"}', {}))))

        return make

    async def test_takes_the_verdict_from_its_place_and_the_evidence_into_the_reply(self, quoting):
        gguf = quoting("built by Anna")
        verdict = (await Judge(gguf)(VERIFY))[0]
        assert verdict.probability == 0.7
        assert (verdict.quote, verdict.context) == ("built by Anna", 0)
        assert verdict.reason.startswith("It says so.")
        assert gguf.card(VerifyStatements) == "ok"

    async def test_a_quote_that_stands_nowhere_is_no_evidence_but_on_record(self, quoting):
        verdict = (await Judge(quoting("built by Hugo"))(VERIFY))[0]
        assert (verdict.quote, verdict.context) == ("", None)
        assert "'built by Hugo'" in verdict.reason

    async def test_other_draws_are_sampled(self, quoting):
        gguf = quoting("built by Anna")
        await gguf.reply(VERIFY, draw=3)
        assert {wish.draw for *_, wish in gguf._engine.asked} == {3}


class TestTheName:
    def test_names_file_and_weights_and_settings(self, tmp_path):
        engine = Says(lambda _: 0.5)
        one = Gguf(made_file(tmp_path), engine=engine)
        other = Gguf(made_file(tmp_path, weights=b"others!"), engine=engine)
        narrow = Gguf(made_file(tmp_path), engine=engine, window=2048)
        assert one.name.startswith("gguf:model.gguf@")
        assert len({one.name, other.name, narrow.name}) == 3
        assert narrow.name.endswith("?window=2048")

    def test_the_identity_changes_with_the_fit(self, tmp_path):
        made = Gguf(made_file(tmp_path), engine=Says(lambda _: 0.5))
        before = made.identity(VerifyStatements)
        kinds = {"verify_statements": {"slope": 0.5, "bias": -1.0}}
        fit = {made.name.split("@")[1]: {"name": "m", "kinds": kinds}}
        (tmp_path / "model.calibration.json").write_text(json.dumps(fit))
        after = Gguf(made_file(tmp_path), engine=Says(lambda _: 0.5))
        assert after.identity(VerifyStatements) != before
        assert after.identity(SplitStatements) == made.identity(SplitStatements)

    def test_it_is_a_local_backend_without_embeddings(self, tmp_path):
        gguf = Gguf(made_file(tmp_path), engine=Says(lambda _: 0.5))
        assert isinstance(gguf, Backend)
        assert gguf.local
        assert gguf.identity(Embed) is None
        assert gguf.card(VerifyStatements) == gguf.card(SplitStatements) == ""


class TestNothingIsAskedBefore:
    def test_the_file_is_there(self, tmp_path):
        with pytest.raises(InputError, match=r"no model file .* -> give the path"):
            Gguf(tmp_path / "none.gguf", engine=Says(lambda _: 0.5))

    def test_the_file_is_a_model(self, tmp_path):
        (tmp_path / "page.gguf").write_text("<html>")
        with pytest.raises(InputError, match="is not a GGUF file"):
            Gguf(tmp_path / "page.gguf", engine=Says(lambda _: 0.5))

    def test_the_package_is_there(self, tmp_path, monkeypatch):
        monkeypatch.setattr("assay.judges.gguf.engine.find_spec", lambda _: None)
        with pytest.raises(InputError, match=r"pip install .*\[gguf\]'"):
            backend(f"gguf:{made_file(tmp_path)}")

    def test_the_settings_make_sense(self, tmp_path):
        for wrong in ({"threads": 0}, {"max_tokens": 0}, {"window": 500}):
            with pytest.raises(InputError, match="below the window"):
                Gguf(made_file(tmp_path), engine=Says(lambda _: 0.5), **wrong)


class TestAmongOthers:
    async def test_the_event_loop_goes_on_and_a_call_given_up_is_stopped(self, tmp_path):
        entered, stopped = threading.Event(), threading.Event()

        class Slow(Says):
            def ask(self, shared, own, wish, stop):
                entered.set()
                assert stop.wait(10)
                stopped.set()
                raise Unavailable("given up")

        gguf = Gguf(made_file(tmp_path), engine=Slow(None))
        call = asyncio.create_task(gguf.reply(GenerateQuestions("Anna", 1)))
        await asyncio.to_thread(entered.wait, 10)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await gguf.aclose()  # waits for the thread
        assert stopped.is_set()
        assert gguf._engine.closed == 1  # type: ignore[attr-defined]

    def test_a_run_closes_it_and_keeps_its_replies(self, model, db):
        gguf = model(lambda _: 0.9)
        row = {"question": "Who?", "contexts": list(CONTEXTS), "reference": "Anna built it."}
        judge = assay.Route(gguf, {"split_statements": Embedded()})
        result = assay.evaluate([row], "context_recall", judge, store=db)
        assert result.summary()[0].mean == pytest.approx(0.9)
        assert gguf._engine.closed
        asked = len(gguf._engine.asked)
        assay.evaluate([row], "context_recall", judge, store=db)
        assert len(gguf._engine.asked) == asked


async def test_free_text_that_the_length_limit_cut_is_no_reply(model):
    gguf = model(lambda _: Answer("The mill was built by", 20, 0, 5, cut=True))
    with pytest.raises(CutShort, match="raise max_tokens"):
        await gguf.reply(PaperStatements("Who built the mill?", "Anna built it in 1890."))
