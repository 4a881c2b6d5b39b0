"""Embeddings of texts and tokens: what is read, and what is no vector."""

import base64
import struct

import pytest

from assay import Score, Unscored, evaluate
from assay._runner.summary import PAIRS
from assay.errors import Unreadable
from assay.tasks import Embed, EmbedTokens, TokenVectors
from assay.tasks.embedding import LARGEST
from support import answers
from support.over import over
from support.scripts import plausible, sample, samples


def fitful(odd, text):
    """A judge whose embeddings of texts that name this are odd."""

    def say(task):
        return Embed.reply(odd if text in task.text else answers.vector(task.text))

    return plausible(embed=say)


def test_what_32_bits_hold_is_kept_and_what_they_do_not_is_not_finite():
    assert Embed("x").read(Embed.reply([LARGEST, -LARGEST])) == (LARGEST, -LARGEST)
    for number in (1e300, -1e300, 1.0000001 * LARGEST):
        with pytest.raises(Unreadable, match="not finite"):
            Embed("x").read(Embed.reply([1.0, number]))


@pytest.mark.parametrize(
    ("odd", "why"),
    [([1e300] * 8, "not finite"), ([1.0] * 5, "which have no angle between them")],
)
def test_an_odd_embedding_fails_its_own_score_only(db, odd, why):
    data = [sample(0), sample(1, answer="It is Roma."), sample(2)]
    result = evaluate(data, "answer_similarity", fitful(odd, "Roma."), store=db)
    first, second, third = result["answer_similarity"]
    assert isinstance(first, Score)
    assert isinstance(third, Score)
    assert isinstance(second, Unscored)
    assert second.why == "failed"
    assert why in second.detail


def test_random_pairs_of_different_lengths_are_left_out_of_the_baseline(db):
    judge = fitful([1.0] * 5, "Rome")
    result = evaluate(samples(4), "answer_similarity", judge, store=db)
    assert result.summary()[0].n_scored == 4
    found = result.baseline()
    assert found is not None
    assert 0 < found.pairs < PAIRS


def test_a_reply_reads_back_in_the_same_directions():
    raw = EmbedTokens.reply(["a", "##b"], [(1.0, 0.5), (-0.25, 0.1)])
    found = EmbedTokens("ab").read(raw)
    assert found.tokens == ("a", "##b")
    assert [struct.unpack("2b", v) for v in found.vectors] == [(127, 64), (-127, 51)]


def test_a_text_without_tokens_has_no_vectors():
    assert EmbedTokens("").read(EmbedTokens.reply([], [])) == TokenVectors((), ())


def packed(*numbers):
    return base64.b64encode(struct.pack(f"{len(numbers)}b", *numbers)).decode()


@over("vectors", ["", "?", "AAA", packed(1, 2, 3), packed(0, 0, 1, 1)])
def test_what_does_not_fit_its_tokens_is_refused(vectors):
    with pytest.raises(Unreadable):
        EmbedTokens("ab").read(f'{{"tokens": ["a", "b"], "vectors": "{vectors}"}}')


def test_vectors_without_tokens_are_refused():
    with pytest.raises(Unreadable):
        EmbedTokens("").read(f'{{"tokens": [], "vectors": "{packed(1)}"}}')
