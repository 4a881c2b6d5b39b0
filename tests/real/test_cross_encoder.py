"""A cross-encoder of the transformers library, exported here, re-ranks as the library ranks."""

import json
import warnings

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from click.testing import CliRunner  # noqa: E402

from assay import Result  # noqa: E402
from assay._cli import main  # noqa: E402
from support.onnx_models import tokenizer_file  # noqa: E402

QUESTION = "When was the iron tower in Paris finished?"
PASSAGES = {
    "a.txt": "The iron tower in Paris was finished in March 1889.",
    "b.txt": "The tower of Rome is made of stone, and was never finished.",
    "c.txt": "Paris is a city in France. It has an iron bridge.",
    "d.txt": "When is the bridge finished? The workers asked, and went home.",
}
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Logits(torch.nn.Module):
    """The network as a function of its inputs in order, which is what an export traces."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, ids, mask, types):
        return self.net(input_ids=ids, attention_mask=mask, token_type_ids=types).logits


@pytest.fixture(scope="module", params=[1, 2], ids=["one number", "two numbers"])
def exported(request, tmp_path_factory):
    """The folder of a small cross-encoder of random weights, and its scores by the library."""
    folder = tmp_path_factory.mktemp("cross-encoder")
    torch.manual_seed(3)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.BertConfig(
        **sizes, intermediate_size=64, num_labels=request.param, initializer_range=0.5
    )
    net = transformers.BertForSequenceClassification(config).eval()
    net.save_pretrained(folder)
    tokenizer_file(folder)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    scores = {}
    for name, text in PASSAGES.items():
        read = tokenizer(QUESTION, text, return_tensors="pt", return_token_type_ids=True)
        with torch.no_grad():
            logits = net(**{key: read[key] for key in INPUTS}).logits[0]
        scores[name] = float(logits[-1] - (logits[0] if request.param == 2 else 0))
    given = tuple(read[key] for key in INPUTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Logits(net),
            given,
            str(folder / "model.onnx"),
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_axes={name: {0: "batch", 1: "length"} for name in INPUTS},
            opset_version=17,
            dynamo=False,
        )
    return folder, scores


def swept(folder, rerank):
    """A sweep over the passages, plain and re-ranked."""
    (folder / "docs").mkdir()
    for name, text in PASSAGES.items():
        (folder / "docs" / name).write_text(text, "utf-8")
    row = {"id": "q", "question": QUESTION, "reference_context_ids": ["a.txt"]}
    (folder / "q.jsonl").write_text(json.dumps(row), "utf-8")
    words = ["sweep", str(folder / "docs"), str(folder / "q.jsonl")]
    words += ["--set", f"rerank=false,{rerank}", "--set", "k=4", "--set", "generator=passage"]
    words += ["-m", "mrr,hit_at_k(k=1)", "--store", str(folder / "assay.db"), "--json"]
    return CliRunner().invoke(main, words)


def test_it_ranks_as_the_library_does(exported, tmp_path):
    model, scores = exported
    made = swept(tmp_path, f"onnx:{model}")
    assert made.exit_code == 0, made.output
    plain, ranked = json.loads(made.stdout)["configurations"]
    orders = [
        [name.partition("#")[0] for name in sample.context_ids]
        for run in (plain, ranked)
        for sample, _ in Result(tmp_path / "assay.db", run["run"]).outcomes("mrr")
    ]
    by_score = sorted(scores, key=lambda name: -scores[name])
    assert orders[1] == by_score
    assert orders[0] != by_score  # else nothing was re-ranked


def test_a_folder_that_holds_none_is_refused_in_one_line(exported, tmp_path):
    (tmp_path / "empty").mkdir()
    made = swept(tmp_path, f"onnx:{tmp_path / 'empty'}")
    assert made.exit_code == 2
    assert "holds no ONNX model -> export the model" in " ".join(made.stderr.split())
    assert "Traceback" not in made.output
