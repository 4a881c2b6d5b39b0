"""Is the evaluation set about assay's own documentation what its README says it is?"""

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from assay.data import samples

FOLDER = Path(__file__).parents[2] / "examples" / "assay_docs"
KINDS = {
    "good",
    "hallucinated",
    "partly hallucinated",
    "evasive",
    "off-topic",
    "incomplete",
    "redundant",
    "retrieval miss",
}
NEEDS = {
    "all": ("question", "contexts", "answer", "reference", "context_ids", "reference_context_ids")
}


@pytest.fixture(scope="module")
def rows():
    lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_it_loads_without_a_problem(rows):
    found = list(samples(FOLDER / "questions.jsonl", needs=NEEDS))
    assert len(found) == len(rows) >= 40
    assert len({sample.id for sample in found}) == len(found)
    assert all(sample.metadata.keys() == {"marks"} for sample in found)


def test_every_kind_is_there_and_described(rows):
    kinds = Counter(row["marks"]["kind"] for row in rows)
    assert kinds.keys() == KINDS
    assert min(kinds.values()) >= 2
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{kind}` |" in text for kind in KINDS)
    assert all(f"| `{field}` |" in text for field in rows[0])


def test_marked_passages_stand_in_their_answers(rows):
    for row in rows:
        marks = row["marks"]
        for passage in [*marks["wrong"], *marks["unsupported"]]:
            assert passage in row["answer"], (row["id"], passage)
        if "hallucinated" in marks["kind"]:
            assert marks["wrong"], row["id"]
        elif marks["kind"] != "retrieval miss":
            assert not marks["wrong"], row["id"]
        assert marks["note"], row["id"]


def test_rows_of_a_group_share_question_and_reference(rows):
    groups = defaultdict(set)
    for row in rows:
        assert row["id"].startswith(row["group"] + "-")
        groups[row["group"]].add((row["question"], row["reference"]))
    assert len(groups) == 15
    assert all(len(shared) == 1 for shared in groups.values())


def test_chunks_are_real_passages_with_one_id_each(rows):
    chunks = {}
    for row in rows:
        assert 2 <= len(row["contexts"]) <= 4, row["id"]
        for key, text in zip(row["context_ids"], row["contexts"], strict=True):
            assert chunks.setdefault(key, text) == text
            assert 40 <= len(text.split()) <= 120, key
    assert {key for row in rows for key in row["reference_context_ids"]} <= chunks.keys()


def test_retrieval_missed_where_the_mark_says_so(rows):
    for row in rows:
        found = set(row["reference_context_ids"]) & set(row["context_ids"])
        assert bool(found) == (row["marks"]["kind"] != "retrieval miss"), row["id"]


def test_the_right_chunk_is_found_at_every_rank(rows):
    ranks = {
        row["context_ids"].index(key)
        for row in rows
        for key in row["reference_context_ids"]
        if key in row["context_ids"]
    }
    assert ranks == {0, 1, 2}
