"""Haystack: metrics as a component of a pipeline; needs ``assay[haystack]``."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

from assay._text.misspelt import did_you_mean
from assay.data.values import describe
from assay.errors import InputError
from assay.integrations import optional_names

if TYPE_CHECKING:
    from assay.integrations.haystack.evaluator import AssayEvaluator

__all__ = ["AssayEvaluator"]

# What Haystack's own evaluators call the fields of a sample.
INPUTS = {
    "questions": "question",
    "contexts": "contexts",
    "predicted_answers": "answer",
    "ground_truth_answers": "reference",
    "retrieved_documents": "contexts",
    "ground_truth_documents": "reference_contexts",
}


def rows(inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """The samples that the lists hold together.

    Raises:
        InputError: If the lists differ in length or there is none, one is no list, two hold the
            same, or there is no such input.
    """
    filled = {name: values for name, values in inputs.items() if values is not None}
    for name, values in filled.items():
        _check(name, values)
    for first, second in combinations(filled, 2):
        if INPUTS[first] == INPUTS[second]:
            raise InputError(f"'{first}' and '{second}' stand for the same", "give one of them")
    lengths = {name: len(values) for name, values in filled.items()}
    if len(set(lengths.values())) != 1:
        counts = ", ".join(f"{name} has {length}" for name, length in lengths.items()) or "none"
        raise InputError(f"lists of one length are needed: {counts}", f"give {', '.join(INPUTS)}")
    fields = {INPUTS[name]: values for name, values in filled.items()}
    if "answer" in fields:
        fields["answer"] = [_answer_text(value) for value in fields["answer"]]
    (length,) = set(lengths.values())
    return [{field: values[index] for field, values in fields.items()} for index in range(length)]


def _answer_text(value: Any) -> Any:
    """The text of an answer or a message of Haystack; anything else as it is."""
    texts = (getattr(value, name, None) for name in ("data", "text"))
    return next((text for text in texts if isinstance(text, str)), value)


def _check(name: str, values: Any) -> None:
    if name not in INPUTS:
        hint = did_you_mean(name, INPUTS) or f"inputs are {', '.join(INPUTS)}"
        raise InputError(f"there is no input '{name}'", hint)
    if not isinstance(values, list | tuple):
        fault = f"'{name}' is {describe(values)}, but must be a list with one item a sample"
        raise InputError(fault, f"give a list: {name}=[...]")


__getattr__ = optional_names(__name__, {"AssayEvaluator": ("evaluator", "assay[haystack]")})
