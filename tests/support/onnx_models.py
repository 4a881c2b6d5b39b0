"""Folders with models small enough to be made by a test: a verifier by shared words, an encoder."""

import json
import shutil
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NLI = ("entailment", "contradiction", "neutral")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
NEVER = 2196  # the token "never": a premise that has it contradicts


def verifier(
    folder: Path,
    labels: Sequence[str] = NLI,
    *,
    inputs: Sequence[str] = INPUTS,
    integers: int = TensorProto.INT64,
    longest: int = 512,
    file: str = "model.onnx",
) -> Path:
    """A classifier: a hypothesis follows if nine tenths of its tokens stand in the premise.

    Of two labels it has supported and not, of one supported; without token types it cannot tell
    premise from hypothesis and says no.
    """
    graph = _verifier(list(inputs), integers, len(labels))
    config = {
        "architectures": ["BertForSequenceClassification"],
        "id2label": dict(enumerate(labels)),
        "max_position_embeddings": longest,
    }
    return _saved(folder, graph, config, file)


def encoder(
    folder: Path,
    *,
    output: str = "last_hidden_state",
    pooling: Mapping[str, bool] | None = None,
    longest: int = 512,
) -> Path:
    """An encoder whose vector of a token is (its id, 1), or of a text the mean of those."""
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ids", "last"], ["column"]),
        helper.make_node("Div", ["column", "column"], ["ones"]),
        helper.make_node("Concat", ["column", "ones"], ["states"], axis=2),
    ]
    if output == "sentence_embedding":
        nodes.append(helper.make_node("ReduceMean", ["states"], [output], axes=[1], keepdims=0))
    else:
        nodes.append(helper.make_node("Identity", ["states"], [output]))
    graph = helper.make_graph(
        nodes,
        "encoder",
        [_given("input_ids"), _given("attention_mask")],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [_constant("last", [2])],
    )
    config = {"architectures": ["BertModel"], "max_position_embeddings": longest}
    _saved(folder, graph, config, "model.onnx")
    if pooling is not None:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return folder


def _verifier(inputs: list[str], integers: int, labels: int) -> onnx.GraphProto:
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.INT64),
        helper.make_node("Greater", ["ids", "marks"], ["own"]),
        *_types("token_type_ids" in inputs),
        helper.make_node("And", ["own", "first"], ["premise"]),
        helper.make_node("And", ["own", "second"], ["hypothesis"]),
        helper.make_node("Unsqueeze", ["ids", "axis1"], ["row"]),
        helper.make_node("Unsqueeze", ["ids", "axis2"], ["column"]),
        helper.make_node("Equal", ["row", "column"], ["same"]),
        helper.make_node("Unsqueeze", ["premise", "axis1"], ["there"]),
        helper.make_node("And", ["same", "there"], ["shared"]),
        helper.make_node("Cast", ["shared"], ["shared01"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMax", ["shared01"], ["found"], axes=[2], keepdims=0),
        helper.make_node("Cast", ["hypothesis"], ["said"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["found", "said"], ["hits"]),
        helper.make_node("ReduceSum", ["hits", "axis1"], ["hit"], keepdims=1),
        helper.make_node("ReduceSum", ["said", "axis1"], ["all"], keepdims=1),
        helper.make_node("Add", ["all", "tiny"], ["some"]),
        helper.make_node("Div", ["hit", "some"], ["share"]),
        helper.make_node("Equal", ["ids", "never"], ["is_never"]),
        helper.make_node("And", ["is_never", "premise"], ["denied"]),
        helper.make_node("Cast", ["denied"], ["denied01"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMax", ["denied01"], ["denial"], axes=[1], keepdims=1),
        helper.make_node("Sub", ["share", "enough"], ["over"]),
        helper.make_node("Mul", ["over", "steep"], ["follows"]),
        helper.make_node("Mul", ["denial", "strong"], ["against"]),
        helper.make_node("Sub", ["follows", "against"], ["yes"]),
        helper.make_node("Sub", ["against", "steep"], ["no"]),
        helper.make_node("Sub", ["against", "against"], ["zero"]),
        helper.make_node("Concat", [["yes"], ["yes", "zero"], ["yes", "no", "zero"]][labels - 1],
                         ["logits"], axis=1),
    ]  # fmt: skip
    constants = [
        _constant("marks", [999]),  # ids below are special or single marks
        _constant("never", [NEVER]),
        _constant("one", [1]),
        _constant("axis1", [1]),
        _constant("axis2", [2]),
        *(_constant(name, [value], np.float32) for name, value in (
            ("enough", 0.9), ("steep", 40), ("strong", 80), ("tiny", 1e-6)
        )),
    ]  # fmt: skip
    return helper.make_graph(
        nodes,
        "verifier",
        [_given(name, integers) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, labels])],
        constants,
    )


def _types(given: bool) -> list[onnx.NodeProto]:  # noqa: FBT001
    if not given:
        return [
            helper.make_node("Equal", ["ids", "ids"], ["second"]),
            helper.make_node("Not", ["second"], ["first"]),
        ]
    return [
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.INT64),
        helper.make_node("Equal", ["types", "one"], ["second"]),
        helper.make_node("Not", ["second"], ["first"]),
    ]


def _given(name: str, integers: int = TensorProto.INT64) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, integers, [1, "tokens"])


def _constant(name: str, values: Sequence[float], kind: type = np.int64) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, kind), name)


def _saved(folder: Path, graph: onnx.GraphProto, config: Mapping[str, object], file: str) -> Path:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), folder / file)
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer_file(folder)
    return folder


def tokenizer_file(folder: Path) -> None:
    """The tokenizer that is shipped."""
    shipped = resources.files("assay.judges.embedded") / "minilm" / "tokenizer.json"
    with resources.as_file(shipped) as path:
        shutil.copy(path, folder / "tokenizer.json")
