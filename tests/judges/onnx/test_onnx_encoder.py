"""Which vectors does a sentence encoder make?"""

import numpy as np
import pytest

from assay.errors import InputError
from assay.judges.embedded.embedding import Encoder as Embedded
from assay.judges.onnx import Onnx
from support.onnx_models import encoder

MEAN = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
CLS = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
TEXT = "The tower was built in 1889."


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


def ids(text):
    from assay.judges.embedded.inference import tokenizer

    return tokenizer().encode(text).ids


def vector(folder, text):
    return Onnx(folder)._encoder.vector(text)


class TestPooling:
    def test_by_the_mean_of_all_tokens_the_special_ones_too(self, tmp_path):
        found = vector(encoder(tmp_path, pooling=MEAN), TEXT)
        assert found == pytest.approx(unit([np.mean(ids(TEXT)), 1]))
        assert found.dtype == np.float32

    def test_by_the_first_token(self, tmp_path):
        assert vector(encoder(tmp_path, pooling=CLS), TEXT) == pytest.approx(unit([101, 1]))

    def test_an_output_that_holds_the_vector_is_taken(self, tmp_path):
        found = vector(encoder(tmp_path, output="sentence_embedding"), TEXT)
        assert found == pytest.approx(unit([np.mean(ids(TEXT)), 1]))

    @pytest.mark.parametrize(
        "pooling", [None, {}, {"pooling_mode_lasttoken": True}, dict.fromkeys(MEAN, True)]
    )
    def test_what_is_not_told_is_not_guessed(self, tmp_path, pooling):
        with pytest.raises(InputError, match=r"1_Pooling/config\.json"):
            Onnx(encoder(tmp_path, pooling=pooling))

    def test_a_model_that_returns_something_else_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="returns pooler"):
            Onnx(encoder(tmp_path, output="pooler", pooling=MEAN))


class TestATextThatIsLongerThanTheModelReads:
    def test_is_read_in_equal_parts_and_nothing_is_cut_off(self, tmp_path):
        judge = Onnx(encoder(tmp_path, pooling=MEAN, longest=16))
        windows = judge._encoder.network.windows(TEXT * 9)
        own = [ids_[1:-1] for ids_, _ in windows]
        assert [n for part in own for n in part] == ids(TEXT * 9)[1:-1]
        assert max(map(len, own)) - min(map(len, own)) <= len(own)
        assert all(len(part) <= 14 for part in own)

    def test_an_empty_text_has_a_vector_too(self, tmp_path):
        assert vector(encoder(tmp_path, pooling=MEAN), "") == pytest.approx(unit([101.5, 1]))


def test_tokens_have_states_without_the_special_ones(tmp_path):
    judge = Onnx(encoder(tmp_path, pooling=MEAN, longest=16))
    tokens, states = judge._encoder.tokens(TEXT * 9)
    assert len(tokens) == len(states)
    assert states[:, 0].tolist() == ids(TEXT * 9)[1:-1]


def test_a_vector_depends_on_its_text_alone(tmp_path):
    judge = Onnx(encoder(tmp_path, pooling=MEAN))
    alone = judge._encoder.vector(TEXT)
    judge._encoder.vector("Another text.")
    assert np.array_equal(judge._encoder.vector(TEXT), alone)


def test_the_shipped_model_in_a_folder_makes_the_shipped_vectors(tmp_path):
    folder = tmp_path / "minilm"
    encoder(folder, pooling=MEAN, longest=256)
    _shipped(folder)
    mine, theirs = Onnx(folder)._encoder, Embedded()
    for text in (TEXT, TEXT * 60, ""):
        assert mine.vector(text) @ theirs.encode([text])[0] == pytest.approx(1, abs=1e-6)
    assert np.array_equal(mine.tokens(TEXT)[1], theirs.tokens(TEXT)[1])


def _shipped(folder):
    import onnx

    from assay.judges.embedded.inference import folder as shipped

    model = onnx.load_from_string((shipped("minilm") / "model.onnx").read_bytes())
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = ["last_hidden_state" if name == "tokens" else name for name in names]
    for made in list(model.graph.output):
        if made.name == "tokens":
            made.name = "last_hidden_state"
        else:
            model.graph.output.remove(made)
    onnx.save(model, folder / "model.onnx")
