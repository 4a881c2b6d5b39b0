"""Which files make up a model, and what is said where one is missing?"""

import json

import pytest

from assay.errors import InputError
from assay.judges.onnx import Onnx
from assay.judges.onnx_model import LONGEST, Folder
from support.onnx_models import INPUTS, verifier


class TestWhatIsTaken:
    def test_the_models_file_of_a_folder(self, tmp_path):
        folder = Folder.at(verifier(tmp_path / "nli"))
        assert folder.model == tmp_path / "nli" / "model.onnx"
        assert folder.name.startswith("nli/model.onnx@")

    def test_that_of_the_folder_onnx_as_on_a_models_page(self, tmp_path):
        folder = Folder.at(verifier(tmp_path / "nli", file="onnx/model.onnx"))
        assert folder.model.parent.name == "onnx"
        assert folder.tokenizer == tmp_path / "nli" / "tokenizer.json"

    def test_a_single_one_of_another_name(self, tmp_path):
        folder = Folder.at(verifier(tmp_path / "nli", file="model_qint8.onnx"))
        assert folder.model.name == "model_qint8.onnx"

    def test_the_one_that_is_named(self, tmp_path):
        verifier(tmp_path / "nli", file="onnx/model_int8.onnx")
        root = verifier(tmp_path / "nli", file="onnx/model_fp16.onnx")
        assert Folder.at(root / "onnx" / "model_fp16.onnx").model.name == "model_fp16.onnx"

    def test_no_more_than_512_tokens_are_read_at_once(self, tmp_path):
        assert Folder.at(verifier(tmp_path / "long", longest=8192)).longest == LONGEST == 512
        assert Folder.at(verifier(tmp_path / "short", longest=128)).longest == 128

    def test_what_the_tokenizer_says_it_was_trained_with_counts_too(self, tmp_path):
        root = verifier(tmp_path)
        (root / "tokenizer_config.json").write_text('{"model_max_length": 256}')
        assert Folder.at(root).longest == 256
        unknown = json.dumps({"model_max_length": 1_000_000_000_000_000_019_884_624_838_656})
        (root / "tokenizer_config.json").write_text(unknown)
        assert Folder.at(root).longest == 512


class TestItsName:
    def test_is_the_same_wherever_its_folder_is(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        one, two = verifier(tmp_path / "a" / "nli"), verifier(tmp_path / "b" / "nli")
        assert Folder.at(one).name == Folder.at(two).name

    @pytest.mark.parametrize(
        "change",
        [
            lambda root: (root / "model.onnx").write_bytes(
                (root / "model.onnx").read_bytes() + b"\0"
            ),
            lambda root: (root / "model.onnx_data").write_bytes(b"weights"),
            lambda root: (root / "tokenizer.json").write_text(
                (root / "tokenizer.json").read_text() + " "
            ),
            lambda root: (root / "config.json").write_text(
                (root / "config.json").read_text().replace("neutral", "nei")
            ),
            lambda root: (root / "tokenizer_config.json").write_text('{"model_max_length": 64}'),
        ],
        ids=["weights", "weights beside", "tokenizer", "labels", "length"],
    )
    def test_changes_with_whatever_may_change_a_verdict(self, tmp_path, change):
        root = verifier(tmp_path / "nli")
        before = Folder.at(root).name
        change(root)
        assert Folder.at(root).name != before


class TestWhatIsRefused:
    def refused(self, path):
        with pytest.raises(InputError) as caught:
            Onnx(path)
        return str(caught.value)

    def test_a_folder_that_is_not_there(self, tmp_path):
        assert "there is no folder" in self.refused(tmp_path / "none")

    def test_a_file_that_is_not_there(self, tmp_path):
        assert "optimum-cli export onnx" in self.refused(tmp_path / "model.onnx")

    def test_a_folder_without_a_model(self, tmp_path):
        assert "holds no ONNX model" in self.refused(tmp_path)

    def test_several_models(self, tmp_path):
        verifier(tmp_path, file="model_int8.onnx")
        told = self.refused(verifier(tmp_path, file="model_fp16.onnx"))
        assert "holds 2 models" in told
        assert f"onnx:{tmp_path / 'model_fp16.onnx'}" in told

    @pytest.mark.parametrize("missing", ["tokenizer.json", "config.json"])
    def test_a_model_without_what_belongs_to_it(self, tmp_path, missing):
        (verifier(tmp_path) / missing).unlink()
        assert missing in self.refused(tmp_path)

    @pytest.mark.parametrize("broken", ["tokenizer.json", "config.json", "model.onnx"])
    def test_a_broken_file(self, tmp_path, broken):
        (verifier(tmp_path) / broken).write_text("[1, 2")
        assert broken in self.refused(tmp_path)

    def test_a_model_that_reads_more_than_tokens(self, tmp_path):
        told = self.refused(verifier(tmp_path, inputs=[*INPUTS, "pixel_values"]))
        assert "wants pixel_values" in told

    def test_labels_for_other_numbers(self, tmp_path):
        root = verifier(tmp_path)
        config = json.loads((root / "config.json").read_text())
        config["id2label"] = {"0": "not_supported", "1": "supported"}
        (root / "config.json").write_text(json.dumps(config))
        assert "returns 3 numbers for 2 labels" in self.refused(root)
