"""Does a sample that is written in any format come back equal?"""

import csv
import json

import pyarrow as pa
import pytest
from data_help import load
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from assay.data import values_of
from assay.data.conversations import fill_from_conversation
from assay.data.values import is_invisible
from assay.sample import Sample, ToolCall, Turn, Variant

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
FILLED = TEXT.filter(lambda text: not is_invisible(text))
NUMBER = st.floats(0, 1e9, allow_nan=False)
KEYS = st.text("abcxyz", min_size=1, max_size=4).filter(lambda key: key != "metadata")
PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | TEXT
DATA = st.dictionaries(KEYS, st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3)))


def texts(minimum=0):
    return st.lists(FILLED, min_size=minimum, max_size=3).map(tuple)


def several(values, minimum=0):
    return st.lists(values, min_size=minimum, max_size=3).map(tuple)


CALLS = st.builds(ToolCall, FILLED, DATA)
TURNS = st.builds(
    Turn,
    st.sampled_from(["user", "assistant", "tool", "system"]),
    TEXT,
    st.none() | texts(),
    several(CALLS),
)
VARIANTS = st.builds(
    Variant,
    st.sampled_from(["noise", "counterfactual"]),
    TEXT,
    st.none() | texts(),
    st.none() | st.floats(0, 1),
)


def filled(**fields):
    """A sample as reading leaves it: what its conversation comes down to stands in it."""
    fill_from_conversation(fields)
    return Sample(**fields)


@st.composite
def sample(draw, *, tabular=False):
    contexts = draw(st.none() | texts())
    ids = None
    if contexts is not None and draw(st.booleans()):
        ids = tuple(draw(FILLED) for _ in contexts)
    text = st.none() | (FILLED if tabular else TEXT)
    reference = draw(st.none() | FILLED)
    return filled(
        id="x",
        question=draw(text),
        contexts=contexts,
        answer=draw(text),
        reference=reference,
        accepted=draw(texts()) if reference is not None else (),
        reference_contexts=draw(st.none() | texts()),
        context_ids=ids,
        reference_context_ids=draw(st.none() | texts()),
        relevance_grades=draw(st.none() | st.dictionaries(FILLED, st.floats(0, 9), max_size=3)),
        further_answers=draw(st.none() | several(TEXT)),
        other_answer=draw(text),
        answerable=draw(st.none() | st.booleans()),
        rubric=draw(st.none() | st.dictionaries(FILLED, TEXT, max_size=3)),
        nuggets=draw(
            st.none() | st.dictionaries(FILLED, st.sampled_from(("vital", "okay")), max_size=3)
        ),
        context_access=tuple(draw(texts()) for _ in contexts) if contexts and ids else None,
        user_access=draw(st.none() | texts()),
        turns=draw(st.none() | several(TURNS)),
        reference_tool_calls=draw(st.none() | several(CALLS)),
        reference_topics=draw(st.none() | texts()),
        variants=draw(st.none() | several(VARIANTS)),
        latency_ms=draw(st.none() | NUMBER),
        cost=draw(st.none() | NUMBER),
        tokens=draw(st.none() | st.integers(0, 10**9)),
        group=draw(st.none() | FILLED),
        language=draw(st.none() | st.sampled_from(["en", "pt-BR"])),
        metadata=draw(DATA),
    )


@given(sample())
def test_jsonl(tmp_path, written):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(values_of(written)) + "\n")
    assert load(path) == [written]


@pytest.mark.slow
@given(st.lists(sample(), min_size=1, max_size=3))
def test_json_list(tmp_path, written):
    path = tmp_path / "x.json"
    rows = [{**values_of(one), "id": str(n)} for n, one in enumerate(written)]
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    found = load(path)
    assert [values_of(one) for one in found] == rows


@given(sample())
def test_in_memory(written):
    assert load([written]) == [written]
    assert load([values_of(written)]) == [written]


def spoilt(text):
    """Whether a cell holds a text that spells a list of texts: CSV cannot tell them apart."""
    return isinstance(text, str) and text.lstrip().startswith("[")


@pytest.mark.slow
@given(sample(tabular=True).filter(lambda one: not spoilt(one.reference)))
@pytest.mark.parametrize("mark", [",", "\t"])
def test_csv(tmp_path, mark, written):
    path = tmp_path / {",": "x.csv", "\t": "x.tsv"}[mark]
    row = {
        name: json.dumps(value) if isinstance(value, list | dict) else value
        for name, value in values_of(written).items()
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row), delimiter=mark)
        writer.writeheader()
        writer.writerow(row)
    assert load(path) == [written]


@pytest.mark.slow
@given(st.lists(sample(), min_size=1, max_size=3))
def test_parquet(tmp_path, written):
    plain = [
        Sample(**{**values, "id": str(n), "metadata": {}})
        for n, values in enumerate({f: getattr(s, f) for f in s.__slots__} for s in written)
    ]
    rows = [values_of(one) for one in plain]
    for row in rows:
        del row["metadata"]
        for name in {"relevance_grades", "rubric", "nuggets"} & row.keys():
            row[name] = json.dumps(row[name])
        calls = [call for turn in row.get("turns", ()) for call in turn.get("tool_calls", ())]
        for call in (*calls, *row.get("reference_tool_calls", ())):
            call["args"] = json.dumps(call.get("args", {}))  # Arrow has no object of any values
    names = {name: None for row in rows for name in row}
    table = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])
    parquet.write_table(table, tmp_path / "x.parquet")
    assert load(tmp_path / "x.parquet") == plain
