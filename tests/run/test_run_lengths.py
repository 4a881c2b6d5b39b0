"""A dry run takes replies to be as long as a language model's, and learns from those in the store."""

import json

from assay import evaluate
from assay.judges.llm import LLM, Completion
from assay.run.estimate import estimate
from assay.run.guesses import REASON
from assay.run.lengths import QUOTED, as_asked
from assay.run.stand_in import ENOUGH
from assay.tasks import JudgeContexts, PaperStatements, Statement, VerifyStatements
from support import answers
from support.scripts import plausible, samples

CHECK = VerifyStatements((Statement("s1", "A."),), ("A context.",))


class Wordy(LLM):
    """Writes 1,000 tokens whatever it is asked."""

    name = "wordy"

    async def complete(self, prompt, schema, kind, draw):
        return Completion(answers.answer(prompt, kind, schema, draw), 100, 1000)


def test_a_stand_ins_reply_is_brought_into_the_form_that_is_asked_for():
    said = {
        "id": "s1",
        "supported": True,
        "reason": "Because.",
        "quote": "word " * 50,
        "probability": 0.4,
    }
    (found,) = json.loads(as_asked(CHECK, json.dumps({"verdicts": [said]})))["verdicts"]
    assert list(found) == ["id", "reason", "context", "quote", "supported", "contradicted"]
    assert found["reason"] == REASON
    assert len(found["quote"].split()) == QUOTED
    assert (found["supported"], found["contradicted"], found["context"]) == (True, False, None)


def test_no_field_that_is_not_asked_for_is_counted():
    said = {"verdicts": [{"id": "c1", "useful": True, "reason": "x", "quote": "a long quote"}]}
    made = json.loads(as_asked(JudgeContexts("Q?", "A.", ("C.",)), json.dumps(said)))
    assert made == {"verdicts": [{"id": "c1", "reason": REASON, "useful": True}]}


def test_free_text_stays_as_it_is():
    assert as_asked(PaperStatements("Q?", "A."), "- One.\n- Two.") == "- One.\n- Two."


def test_what_a_judge_wrote_before_tells_what_it_will_write(db):
    judge = Wordy()
    first = estimate(samples(ENOUGH), "context_precision", judge, store=db)
    assert first.tokens_out < 1000 * ENOUGH / 4
    evaluate(samples(ENOUGH), "context_precision", judge, embedder=plausible(), store=db)
    more = samples(2 * ENOUGH)[ENOUGH:]
    second = estimate(more, "context_precision", judge, store=db)
    assert second.tokens_out == 1000 * ENOUGH


def test_embeddings_that_are_known_in_part_are_counted(db):
    judge = Wordy()
    evaluate(samples(1), "answer_relevancy", judge, store=db)
    other = samples(1)[0]
    changed = [type(other)(id="x", question=other.question, answer="Rome is large.")]
    found = estimate(changed, "answer_relevancy", judge, store=db)
    assert (found.calls, found.known) == (1, 1)
    assert found.local == 3
