"""`assay adapt`: questions divided by document, hard negatives, and what an embedder gained."""

import json

import numpy as np
import pytest

from assay.errors import InputError
from assay.experiments import adapt as adapting
from assay.experiments.adaptation import (
    Question,
    TrainingData,
    Triplet,
    batches,
    gains,
    mine,
    ranked,
    read_training_data,
    split,
)
from assay.stats.comparison import paired
from support.onnx_models import tokenizer_file
from support.tower_corpus import MEAN, TOWERS, asked, corpus


def by_words(texts):
    """Vectors of texts by the words that they hold."""
    vocabulary = [*TOWERS, "lamp", "steps", "warden", "the"]
    rows = [[word in text.lower().rstrip("?.").split() for word in vocabulary] for text in texts]
    vectors = np.array(rows, dtype=float) + 1e-6
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def data(n=4, per=3):
    """Passages a, b, c ..., and questions about each."""
    questions = [
        Question(f"{place}-{k}", f"question {k} of {place}", frozenset([place]), f"d{place}")
        for place in range(n)
        for k in range(per)
    ]
    return TrainingData(tuple(f"passage {place}" for place in range(n)), tuple(questions))


class TestMaterial:
    def test_questions_meet_passages_by_id(self):
        found = read_training_data(corpus(), asked())
        assert len(found.passages) == 12
        assert found.questions[2].right == {1}
        assert found.questions[2].source == "tower1"

    def test_without_ids_by_text_and_without_texts_by_reference(self):
        texts = {row["id"]: row["text"] for row in corpus()}
        rows = [
            {"question": "Where is the path?", "reference_contexts": [texts["tower7"]]},
            {"question": "Who visits tower5?", "reference": "a warden once a week, in tower5"},
            {"question": "What is the meaning of life?", "reference": "Happiness"},
        ]
        found = read_training_data(corpus(), rows)
        assert [sorted(question.right) for question in found.questions] == [[7], [5]]
        assert found.unmatched == 1

    def test_of_a_document_that_was_cut_the_passage_that_holds_the_reference(self):
        long = [
            {"id": name, "text": "\n\n".join(f"{row['text']} It is {name}." for row in corpus())}
            for name in ("a", "b")
        ]
        rows = [
            {"question": "How?", "reference": corpus()[11]["text"], "reference_context_ids": [name]}
            for name in ("a", "b")
        ]
        found = read_training_data(long, rows, words=60)
        first, second = (min(question.right) for question in found.questions)
        assert [question.source for question in found.questions] == ["a", "b"]
        assert all("tower11" in found.passages[place] for place in (first, second))

    def test_where_nothing_meets_the_names_of_passages_are_told(self):
        rows = [{"question": "What?", "reference_context_ids": ["nothing"]}]
        with pytest.raises(InputError, match=r"passages are called 'tower0#1'"):
            read_training_data(corpus(), rows)

    def test_one_passage_is_no_corpus(self):
        with pytest.raises(InputError, match="has 1 passages"):
            read_training_data(corpus()[:1], asked())

    def test_without_questions_a_sentence_is_taken_out_of_its_passage(self):
        found = read_training_data(corpus())
        assert found.by_rule
        texts = [row["text"] for row in corpus()]
        for question, passage, text in zip(found.questions, found.passages, texts, strict=True):
            assert question.text in text
            assert question.text not in passage
        assert found == read_training_data(corpus()), "the same every time"

    def test_long_documents_are_cut_unless_they_are_to_be_whole(self):
        long = [{"id": "a", "text": "\n\n".join(row["text"] for row in corpus())}]
        assert len(read_training_data(long, words=60).passages) > 3
        with pytest.raises(InputError, match="has 1 passages"):
            read_training_data(long, words=None)


class TestSplit:
    def test_no_document_is_on_both_sides(self):
        questions = read_training_data(corpus(), asked()).questions
        found = split(questions, 0.5)
        train, held_out = ({q.source for q in side} for side in (found.train, found.held_out))
        assert not train & held_out
        assert (len(train), len(held_out), found.mixed) == (6, 6, 0)
        assert found != split(questions, 0.5, seed=1)

    def test_questions_about_several_documents_are_on_neither(self):
        rows = [*asked(), {"question": "Both?", "reference_context_ids": TOWERS[:2]}]
        assert split(read_training_data(corpus(), rows).questions, 0.5).mixed == 1

    def test_too_few_documents_or_questions_are_refused(self):
        with pytest.raises(InputError, match="about 3 documents"):
            split(data(3, per=9).questions)
        with pytest.raises(InputError, match="2 questions are held out"):
            split(data(4, per=1).questions)


class TestMining:
    def test_the_nearest_wrong_passage_is_the_negative(self):
        passages = ("the lamp of tower0", "the lamp of tower1", "the warden")
        questions = [
            Question("a", "the lamp of tower0", frozenset([0]), "x"),
            Question("b", "warden", frozenset([2]), "y"),
            Question("c", "tower1", frozenset([1]), "z"),
        ]
        found = mine(questions, TrainingData(passages, tuple(questions)), by_words, 1)
        assert [(t.positive, t.negatives) for t in found] == [(0, (1,)), (2, (0,)), (1, (0,))]

    def test_no_passage_that_is_held_out_is_learnt_from(self):
        given = read_training_data(corpus(), asked())
        train = [question for question in given.questions if question.source < "tower3"]
        allowed = {place for question in train for place in question.right}
        negatives = [place for one in mine(train, given, by_words, 3) for place in one.negatives]
        assert {*negatives} <= allowed

    def test_one_passage_has_no_other(self):
        with pytest.raises(InputError, match="about one passage"):
            mine(data(1).questions, data(1), by_words)


def test_batches_hold_every_triplet_once_and_questions_of_a_passage_together():
    given = data(6, per=4)
    triplets = [Triplet(q, min(q.right), 0) for q in given.questions]
    found = batches(triplets, 8, most=2, seed=0)
    assert sorted(t.question.id for batch in found for t in batch) == sorted(
        q.id for q in given.questions
    )
    assert [len(batch) for batch in found] == [8, 8, 8]
    assert all(len({t.positive for t in batch}) <= 4 for batch in found)
    assert found != batches(triplets, 8, most=2, seed=1)


class TestGains:
    def test_the_rank_is_that_of_the_first_right_passage_and_ties_count_half(self):
        vectors = {"q": [1, 0], "a": [0.9, 0.1], "b": [0.5, 0.5], "c": [0.5, 0.5], "d": [0, 1]}
        given = TrainingData(("a", "b", "c", "d"), ())
        questions = [Question("1", "q", frozenset(right), "x") for right in ([1], [3, 0], [3])]
        found = ranked(questions, given, lambda texts: np.array([vectors[t] for t in texts]))
        assert list(found) == [1.5, 0, 3]

    def test_they_are_paired_differences_clustered_by_document(self):
        questions = data(10, per=2).questions
        base, adapted = np.array([4.0, 0.0] * 10), np.array([0.0, 0.0] * 10)
        at_1, _, at_5, mrr = gains(questions, base, adapted)
        groups = [question.source for question in questions]
        expected = paired([0.0, 1.0] * 10, [1.0] * 20, groups=groups, span=1)
        assert at_1.paired == expected
        assert (at_1.verdict, at_5.verdict) == ("better", "no gain shown")
        assert mrr.paired.before == pytest.approx(0.6)

    def test_worse_is_called_worse_and_chance_no_gain(self):
        questions = data(20, per=1).questions
        best, worst = np.zeros(20), np.full(20, 9.0)
        assert gains(questions, best, worst)[0].verdict == "worse"
        swapped = np.where(np.arange(20) % 2, 9.0, 0.0)
        assert gains(questions, swapped, 9 - swapped)[0].verdict == "no gain shown"


class TestBase:
    def folder(self, path, pooling):
        path.mkdir()
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            (path / name).write_text("{}")
        (path / "1_Pooling").mkdir()
        (path / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
        return path

    def test_what_is_no_model_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="there is no folder"):
            adapting.check_files(tmp_path / "nothing")
        with pytest.raises(InputError, match=r"no config.json, .*no model.safetensors"):
            adapting.check_files(tmp_path)

    def test_pooling_is_told_by_the_model(self, tmp_path):
        assert adapting.pooling(self.folder(tmp_path / "a", MEAN)) == "mean"
        cls = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
        assert adapting.pooling(self.folder(tmp_path / "b", cls)) == "cls"
        with pytest.raises(InputError, match="by pooling_mode_max_tokens"):
            adapting.check_files(self.folder(tmp_path / "c", {"pooling_mode_max_tokens": True}))


@pytest.fixture
def tiny(tmp_path):
    """A BERT of one layer that nobody has trained."""
    torch = pytest.importorskip(
        "torch", reason="training needs PyTorch: pip install 'assay[adapt]'"
    )
    transformers = pytest.importorskip("transformers", reason="pip install 'assay[adapt]'")
    torch.manual_seed(0)
    base = tmp_path / "base"
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.BertConfig(**sizes, intermediate_size=32, max_position_embeddings=64)
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(base)
    tokenizer_file(base)
    (base / "1_Pooling").mkdir()
    (base / "1_Pooling" / "config.json").write_text(json.dumps(MEAN))
    return base


def test_a_tiny_model_learns_and_is_read_as_onnx(tiny, tmp_path):
    training = adapting.Training(epochs=6, batch=8, rate=1e-3, tokens=32, threads=1)
    settings = adapting.Adapting(held_out=0.5, training=training)
    made = adapting.adapt(tiny, corpus(), asked(), out=tmp_path / "new", settings=settings)
    assert made.loss < 3
    assert adapting.embedding(tmp_path / "new")(["a tower"]).shape == (1, 32)
    modes = {
        (tmp_path / "new" / name).stat().st_mode for name in ("model.safetensors", "config.json")
    }
    assert len(modes) == 1  # who may read the one may read the other
