"""What does a model's Yes mean, which file says so, and when is it another model?"""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.judges.data_digest import BLOCK, BLOCKS, digest
from assay.judges.gguf.questions import Fit, InputText, fits, halved, halves
from support.engines import made_file


def test_without_a_fit_yes_means_what_it_says():
    assert Fit().probability(0.8) == pytest.approx(0.8)


def test_a_fit_moves_the_threshold():
    assert Fit(bias=-2.0).probability(0.8) < 0.5 < Fit(bias=-2.0).probability(0.95)


@given(st.floats(0, 1), st.floats(-20, 20), st.floats(-50, 50))
def test_a_fit_always_gives_a_probability(yes, slope, bias):
    assert 0 <= Fit("plain", slope, bias).probability(yes) <= 1


def test_an_unknown_model_has_no_fit(tmp_path):
    assert fits(made_file(tmp_path), "00000000") == {}


def test_a_fit_beside_the_model_is_taken(tmp_path):
    path = made_file(tmp_path)
    kinds = {"verify_statements": {"style": "plain", "slope": 0.5, "bias": -1}}
    content = {digest(path): {"name": path.name, "kinds": kinds}}
    path.with_suffix(".calibration.json").write_text(json.dumps(content))
    assert fits(path, digest(path)) == {"verify_statements": Fit("plain", 0.5, -1.0)}


def test_a_fit_of_another_model_is_refused(tmp_path):
    path = made_file(tmp_path)
    path.with_suffix(".calibration.json").write_text('{"abc": {"name": "x", "kinds": {}}}')
    with pytest.raises(InputError, match=r"not about this model .*abc"):
        fits(path, digest(path))


@pytest.mark.parametrize(
    "content", ["{", '{"a": 1}', '{"a": {"name": "x", "kinds": {"k": {"style": "y"}}}}']
)
def test_a_fit_that_cannot_be_read_is_refused(tmp_path, content):
    path = made_file(tmp_path)
    path.with_suffix(".calibration.json").write_text(content)
    with pytest.raises(InputError, match="cannot be read"):
        fits(path, digest(path))


class TestTheDigest:
    def test_is_that_of_the_content_wherever_it_lies(self, tmp_path):
        one, other = made_file(tmp_path, "a.gguf"), made_file(tmp_path, "b.gguf")
        assert digest(one) == digest(other)

    @pytest.mark.parametrize("share", [0.0, 0.31, 0.5, 0.77, 1.0])
    def test_sees_a_changed_layer_anywhere(self, tmp_path, share):
        size = BLOCKS * BLOCK * 3
        layer = b"x" * (size // 100)
        start = int(share * (size - len(layer)))
        weights = bytes(start) + layer + bytes(size - start - len(layer))
        plain = made_file(tmp_path, "plain.gguf", bytes(size))
        assert digest(plain) != digest(made_file(tmp_path, "tuned.gguf", weights))

    def test_sees_a_file_that_was_replaced(self, tmp_path):
        path = made_file(tmp_path)
        before = digest(path)
        made_file(tmp_path, weights=b"changed")
        os.utime(path, ns=(1, 1))
        assert digest(path) != before


class TestHalves:
    @given(st.text(min_size=2, max_size=400))
    def test_lose_nothing(self, text):
        first, second = halved(text)
        assert first + second == text
        assert first
        assert second

    def test_are_cut_between_sentences_where_there_are_some(self):
        assert halved("It rained all day. It did not stop.") == (
            "It rained all day. ",
            "It did not stop.",
        )

    def test_of_several_texts_are_about_as_long(self):
        texts = [InputText(f"c{n}", "x" * length) for n, length in enumerate((10, 10, 100, 10))]
        first, second = halves(texts)
        assert [len(part) for part in (first, second)] == [2, 2]

    def test_of_a_character_there_are_none(self):
        assert halved("x") is None
        assert halves([InputText("c1", "x")]) is None
