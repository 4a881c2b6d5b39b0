"""Are token vectors read as they were sent, and refused where they do not fit?"""

import base64
import struct

import pytest

from assay.errors import Unreadable
from assay.tasks import EmbedTokens, TokenVectors, embed_tokens


def test_a_reply_reads_back_in_the_same_directions():
    raw = embed_tokens.reply(["a", "##b"], [(1.0, 0.5), (-0.25, 0.1)])
    found = EmbedTokens("ab").read(raw)
    assert found.tokens == ("a", "##b")
    assert [struct.unpack("2b", v) for v in found.vectors] == [(127, 64), (-127, 51)]


def test_a_text_without_tokens_has_no_vectors():
    assert EmbedTokens("").read(embed_tokens.reply([], [])) == TokenVectors((), ())


def packed(*numbers):
    return base64.b64encode(struct.pack(f"{len(numbers)}b", *numbers)).decode()


@pytest.mark.parametrize("vectors", ["", "?", "AAA", packed(1, 2, 3), packed(0, 0, 1, 1)])
def test_what_does_not_fit_its_tokens_is_refused(vectors):
    with pytest.raises(Unreadable):
        EmbedTokens("ab").read(f'{{"tokens": ["a", "b"], "vectors": "{vectors}"}}')


def test_vectors_without_tokens_are_refused():
    with pytest.raises(Unreadable):
        EmbedTokens("").read(f'{{"tokens": [], "vectors": "{packed(1)}"}}')
