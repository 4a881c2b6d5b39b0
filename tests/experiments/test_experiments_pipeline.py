"""Does the reference pipeline cut, find, answer and refuse as it says, and is gold found again?"""

import asyncio
import itertools
import json

import numpy as np
import pytest

from assay import InputError, Pipeline, SweepSettings, sweep
from assay._analysis.comparison import compare
from assay._analysis.history import history
from assay._report.leaderboard import sweep_remarks
from assay._report.sweep import render
from assay._runner.result import open_run
from assay._store import Store
from assay._text.words import fused
from assay.errors import Unreadable
from assay.experiments.retrieval import Chunking, Gold, Index, relevant_ids
from assay.experiments.swept import open_sweep
from assay.judge import Judge
from assay.judges.embedder import Embedder
from assay.judges.onnx_model import CrossEncoder, ScorePassage
from assay.target import aask, ask
from assay.testset.documents import Document
from support.onnx_models import encoder, verifier

TOWERS = [
    {"id": f"{name}.txt", "text": f"The {name} tower was finished in {year}.\n\n{name} is a city."}
    for name, year in zip(("Paris", "Rome", "Oslo", "Cairo"), range(1889, 1893), strict=True)
]
QUESTIONS = [
    {
        "id": tower["id"],
        "question": f"When was the {tower['id'][:-4]} tower finished?",
        "reference": "In 1889.",
        "reference_context_ids": [tower["id"]],
    }
    for tower in TOWERS
]
RANKED = "hit_at_k(k=1),mrr,recall_at_k"
HERE = __name__  # by which a spec names what stands in this file
PROSE = Document(
    "prose.md",
    "# One\n\nThe first sentence has six words. The second one has some more words than that.\n\n"
    "A paragraph on its own.\n\n## Two\nAnother section, with a heading above it, of some length. "
    "Its last sentence ends here.\n\n```\n# no heading, a comment\n```\n",
)


class Letters(Embedder):
    """Counts letters: texts with the same letters are near to each other."""

    asked: list[str] = []  # noqa: RUF012 - of all objects of the class

    def __init__(self):
        super().__init__("letters")

    async def vectors(self, texts):
        """The numbers of each letter."""
        Letters.asked += texts
        rows = [[text.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts]
        return rows, 0


def generate(prompt):
    """An LLM that tells what it was asked."""
    return f"I was told: {prompt}"


@pytest.fixture(autouse=True)
def letters():
    Letters.asked = []
    return Letters


def swept(db, grid, metrics="exact_match", data=QUESTIONS, corpus=TOWERS, settings=None):
    params = {"generator": ["passage"], "retriever": ["bm25"], **grid}
    return sweep(data, Pipeline(corpus), params, metrics, store=db, settings=settings)


def samples(found, at=0):
    with Store(found.store) as store:
        return [sample for _, sample in store.samples(found.configurations[at].run)]


class TestChunks:
    @pytest.mark.parametrize("chunker", ["fixed", "sentence", "recursive", "heading", "semantic"])
    @pytest.mark.parametrize("size", [1, 5, 12, 1000])
    def test_they_hold_every_word_once_and_say_where_they_stand(self, chunker, size):
        chunks = list(Chunking(chunker, size).cut(PROSE))
        assert " ".join(one.text for one in chunks).split() == PROSE.text.split()
        for one in chunks:
            assert one.text == PROSE.text[one.start : one.end]
            assert one.id == f"prose.md#{one.start}-{one.end}"
            assert 1 <= len(one.text.split()) <= size

    @pytest.mark.parametrize("chunker", ["fixed", "sentence"])
    def test_the_next_one_begins_with_the_end_of_the_one_before(self, chunker):
        chunks = list(Chunking(chunker, 14, overlap=8).cut(PROSE))
        shared = [a.end - b.start for a, b in itertools.pairwise(chunks)]
        assert max(shared) > 0
        words = [len(PROSE.text[b.start : a.end].split()) for a, b in itertools.pairwise(chunks)]
        assert max(words) <= 8
        assert max(len(one.text.split()) for one in chunks) <= 14
        assert sorted({one.start for one in chunks}) == [one.start for one in chunks]

    def test_sentences_and_paragraphs_that_fit_are_not_cut(self):
        by_sentence = [one.text for one in Chunking("sentence", 12).cut(PROSE)]
        assert "The first sentence has six words." in by_sentence[0]
        assert Chunking("recursive", 12).cut(PROSE)
        by_paragraph = [one.text for one in Chunking("recursive", 16).cut(PROSE)]
        assert by_paragraph[0].startswith("# One")
        assert not any(text.startswith("words than") for text in by_paragraph)

    def test_a_semantic_chunk_begins_where_the_topic_changes(self):
        towers = "The tower is made of iron. It was built in Paris. Its height is 330 metres. " * 2
        bread = "Knead the dough for ten minutes. Let it rise in a warm place. Bake the bread. " * 2
        document = Document("d", towers + bread)
        chunks = list(Chunking("semantic", 1000).cut(document))
        assert len(towers) in [chunk.start for chunk in chunks]
        assert len(chunks) <= 4

    def test_no_chunk_goes_beyond_a_heading(self):
        first, second = Chunking("heading", 1000).cut(PROSE)
        assert second.text.startswith("## Two")
        assert "# no heading" in second.text
        assert first.text.endswith("A paragraph on its own.")

    def test_what_has_no_spaces_is_cut_by_characters(self):
        text = Document("ja", "東京は日本の首都である" * 3)
        assert [len(one.text) for one in Chunking("fixed", 10).cut(text)] == [10, 10, 10, 3]


class TestRanking:
    def test_ranks_are_fused_by_their_reciprocals(self):
        scores = fused([np.array([2, 0]), np.array([0])], 3)
        assert scores.tolist() == pytest.approx([1 / 62 + 1 / 61, 0, 1 / 61])

    def test_the_nearest_vector_comes_first(self, db):
        data = [{"id": "q", "question": "sss", "reference": "x"}]
        corpus = [{"id": "a", "text": "abc"}, {"id": "b", "text": "sass"}, {"id": "c", "text": "s"}]
        found = swept(
            db, {"retriever": ["embedding"], "embedder": [f"{HERE}:Letters"], "k": [2]},
            data=data, corpus=corpus,
        )  # fmt: skip
        (sample,) = samples(found)
        assert sample.context_ids == ("c#0-1", "b#0-4")
        assert sample.contexts == ("s", "sass")

    def test_without_a_word_in_common_nothing_is_found_and_nothing_is_known(self, db):
        data = [{"id": "q", "question": "Zebras?", "reference": "x"}]
        (sample,) = samples(swept(db, {}, data=data))
        assert sample.context_ids == ()
        assert "do not answer" in sample.answer


class TestGold:
    @pytest.mark.parametrize(
        "gold",
        [
            {"reference_context_ids": ["Rome.txt"]},
            {"reference_context_ids": ["Rome"]},
            {"reference_context_ids": ["Rome.txt#0-36"]},
            {"relevance_grades": {"Rome": 2, "Oslo": 0}},
            {"reference_contexts": ["The Rome tower was finished in 1890."]},
            {"reference_contexts": ["The Rome tower was\n finished in 1890."]},
            {"source": [{"document": "Rome.txt", "start": 0, "end": 36}]},
        ],
    )
    def test_it_is_given_by_id_by_text_or_by_range(self, db, gold):
        data = [{"id": "q", "question": "When was the Rome tower finished?", **gold}]
        found = swept(db, {"chunk_size": [8]}, RANKED, data)
        (sample,) = samples(found)
        assert sample.reference_context_ids == ("Rome.txt#0-36",)
        assert [board.standings[0].mean for board in found.leaderboards] == [1, 1, 1]

    def test_the_words_that_bear_an_answer_out_go_before_the_passage_it_was_written_from(self, db):
        passage = {"document": "Rome.txt", "start": 0, "end": 36}
        said = {"question": "When was the Rome tower finished?", "source": [passage]}
        words = [{**passage, "start": 24, "end": 35}]
        rows = [
            {"id": "q", **said, "evidence": words},
            {"id": "none", **said, "evidence": [], "answerable": False},
            {"id": "mine", **said, "evidence": [{"page": 3}]},  # somebody else's column
        ]
        found = swept(db, {"chunk_size": [8]}, RANKED, rows)
        by_id = {sample.id: sample.metadata["gold_ranges"] for sample in samples(found)}
        assert by_id == {"q": words, "none": [], "mine": [passage]}

    def test_a_range_survives_another_chunking(self):
        gold = [Gold("prose.md", 7, 40)]
        for size in (3, 10, 100):
            index = Index([PROSE], Chunking("fixed", size))
            (name,) = relevant_ids(gold, index)
            assert gold[0].covered(index.by_id[name]) >= 0.5

    def test_each_range_counts_once_however_many_chunks_cover_it(self):
        index = Index([PROSE], Chunking("fixed", 4))
        gold = [Gold("prose.md", 0, 60), Gold("prose.md", 150, 200)]
        first, second, third, *_ = index.chunks
        assert relevant_ids(gold, index, [third.id, second.id])[0] == third.id
        assert len(relevant_ids(gold, index)) == 2
        assert gold[0].covered(first) == 1
        assert gold[1].covered(first) == 0

    def test_what_is_not_in_the_documents_is_refused_with_its_row_before_anything_is_asked(
        self, db
    ):
        for gold, said in (
            ({"reference_context_ids": ["Bonn"]}, "row 2.*'Bonn' is no document of the corpus"),
            ({"reference_contexts": ["Bonn."]}, "row 2.*'Bonn.' does not stand in the corpus"),
            (
                {"source": [{"document": "Rome.txt", "start": 0, "end": 360}]},
                "row 2.*is no range of a document",
            ),
        ):
            bad = [QUESTIONS[0], {"id": "q", "question": "Who?", **gold}]
            with pytest.raises(InputError, match=said):
                swept(db, {}, RANKED, bad)
        bad = [{"id": "q", "question": "Who?"}]
        with pytest.raises(InputError, match=r"no question says what.*or --judge-retrieval"):
            swept(db, {}, RANKED, bad)

    def test_it_is_known_by_chunks_though_no_metric_asks_for_it(self, db):
        """Else every retrieval would look wrong in a diagnosis, or by `compare --by retrieval`."""
        rome = {"id": "q1", "question": "When was the Rome tower finished?", "reference": "x"}
        bonn = {"id": "q2", "question": "Who?", "reference": "x"}
        data = [
            {**rome, "reference_context_ids": ["Rome"]},
            {**bonn, "reference_context_ids": ["Bonn"]},
        ]
        first, second = samples(swept(db, {"chunk_size": [8]}, data=data))
        assert first.reference_context_ids == ("Rome.txt#0-36",)
        assert second.reference_context_ids == ("Bonn",), "not in the documents: left as it is"

    def test_a_question_without_an_answer_has_no_rank(self, db):
        data = [*QUESTIONS, {"id": "no", "question": "Who?", "reference_context_ids": []}]
        found = swept(db, {}, RANKED, data)
        assert [board.n for board in found.leaderboards] == [4, 4, 4]


class TestParameters:
    @pytest.mark.parametrize(
        ("params", "said"),
        [
            (
                {"chunks": 3},
                "no parameter 'chunks' -> it has, with their defaults.* chunk_size=200.* k=5",
            ),
            ({"chunker": "best"}, "chunker is 'best' -> choose from fixed, sentence"),
            ({"retriever": 3}, "retriever is 3 -> choose from bm25, embedding, hybrid"),
            ({"k": 0}, "k is 0"),
            ({"k": True}, "k is True"),
            ({"chunk_size": "many"}, "chunk_size is 'many'"),
            ({"chunk_overlap": 200}, "chunk_overlap is 200 -> give less than chunk_size"),
            ({"rerank": "yes"}, "rerank is 'yes' -> give true, false or onnx:FOLDER"),
            ({"rerank": 1}, "rerank is 1 -> give true"),
            ({"rerank": "onnx:none"}, "there is no folder 'none'"),
            ({"rerank": "onnx:none", "candidates": 3}, "candidates is 3"),
            ({"rerank": True, "candidates": 3}, "candidates is 3"),
            ({"embedder": 1}, "embedder is 1"),
            ({"embedder": "foo"}, "embedder is 'foo'.* -> give an encoder"),
            ({"embedder": f"{HERE}:generate"}, "makes no embeddings"),
            ({"generator": "gpt"}, "generator is 'gpt'.* -> give extractive, passage or an LLM"),
            ({"generator": "embedded"}, "generator is 'embedded' -> give extractive"),
            ({"prompt": "Be brief."}, "prompt is 'Be brief.' -> leave it out"),
        ],
    )
    def test_what_is_unknown_is_refused_and_what_is_known_is_said(self, params, said):
        with pytest.raises(InputError, match=said):
            Pipeline(TOWERS).system(**params)

    def test_a_share_is_one(self):
        with pytest.raises(InputError, match="share is 2"):
            Pipeline(TOWERS, share=2)


class TestReuse:
    def test_configurations_share_vectors_and_a_second_sweep_asks_nothing(self, db, letters):
        grid = {"k": [1, 2], "retriever": ["embedding", "hybrid"], "embedder": [f"{HERE}:Letters"]}
        first = swept(db, grid)
        # Two documents make one chunk each; questions are embedded once as well.
        assert len(letters.asked) == len(TOWERS) + len(QUESTIONS)
        assert [one.asked for one in first.configurations] == [4] * 4
        again = swept(db, grid)
        assert len(letters.asked) == len(TOWERS) + len(QUESTIONS)
        assert [one.reused for one in again.configurations] == [4] * 4

    def test_what_has_no_effect_makes_no_other_system(self, db):
        grid = {"retriever": ["bm25", "embedding"], "embedder": ["embedded", f"{HERE}:Letters"]}
        found = swept(db, {**grid, "rerank": [False, True], "candidates": [9, 20]})
        without = [one.without_effect for one in found.configurations]
        assert without == [
            ("embedder", "candidates"),
            *[("embedder",)] * 2,
            *[("candidates",), (), ()] * 2,
        ]
        (board,) = found.leaderboards
        assert {effect.parameter for effect in board.effects} == {*grid, "rerank", "candidates"}
        assert "candidates has no effect in these" in "".join(sweep_remarks(found))
        assert "candidates has no effect in these" in render(found)
        again = open_sweep("sweep", db)
        by_run = {one.run: set(one.without_effect) for one in found.configurations}
        assert {one.run: set(one.without_effect) for one in again.configurations} == by_run

    def test_other_documents_are_another_system_whatever_their_order(self, db):
        swept(db, {})
        assert swept(db, {}, corpus=TOWERS[::-1]).configurations[0].asked == 0
        changed = [*TOWERS[:-1], {"id": "Cairo.txt", "text": "Cairo has no tower."}]
        assert swept(db, {}, corpus=changed).configurations[0].asked == 4

    @pytest.mark.slow
    def test_a_race_is_over_the_same_gold(self, db):
        data = [
            {**QUESTIONS[n % 4], "id": f"q{n}", "question": f"{QUESTIONS[n % 4]['question']} {n}"}
            for n in range(24)
        ]
        settings = SweepSettings(race=True)
        found = swept(db, {"chunk_size": [2, 100]}, "hit_at_k(k=1)", data, settings=settings)
        (board,) = found.leaderboards
        assert {one.name: one.mean for one in board.standings}["chunk_size=100"] == 1
        assert all(one.n > 0 for one in found.configurations)

    async def test_one_is_asked_like_any_other_system(self, db):
        system = Pipeline(TOWERS).system(generator="passage", retriever="bm25", k=1)
        answers = await aask(QUESTIONS, system, store=db)
        (first, *_) = [row.sample for row in answers]
        assert first.answer.startswith("The Paris tower")
        assert first.latency_ms is not None
        others = [{"id": f"{n}", "question": f"Which tower is number {n}?"} for n in range(20)]
        answered = await asyncio.to_thread(
            ask, [*QUESTIONS, *others], system, store=db
        )  # its own loop
        assert (answered.asked, answered.reused, answered.failures) == (20, 4, {})


class TestAnswers:
    def test_an_llm_answers_from_the_passages_and_with_another_prompt(self, db):
        grid = {"generator": [f"{HERE}:generate"], "prompt": ["Be brief.", "Explain."], "k": [1]}
        found = swept(db, grid)
        for at, prompt in enumerate(grid["prompt"]):
            sample = samples(found, at)[0]
            assert sample.answer.startswith(f"I was told: {prompt}")
            assert "tower was finished in 1889" in sample.answer
            assert sample.tokens > 0

    def test_it_says_by_default_that_the_documents_answer_alone_count(self, db):
        sample = samples(swept(db, {"generator": [f"{HERE}:generate"]}))[0]
        assert "from the passages alone" in sample.answer

    def test_the_embedded_judge_quotes_what_answers_or_says_that_nothing_does(self, db):
        data = [*QUESTIONS[:1], {"id": "no", "question": "Who invented the telephone in Rome?"}]
        right, wrong = samples(swept(db, {"generator": ["extractive"], "k": [1]}, data=data,
                                     metrics="context_relevance"))  # fmt: skip
        assert right.answer == "The Paris tower was finished in 1889."
        assert wrong.answer == "I do not know: the documents do not answer this question."

    def test_what_the_embedded_judge_finds_relevant_comes_first(self, db):
        corpus = [
            {"id": "a", "text": "When, when, when? The tower, the tower was finished, they asked."},
            {"id": "b", "text": "Workers completed the tower in March 1889."},
        ]
        data = [{"id": "q", "question": "When was the tower finished?", "reference": "x"}]
        found = swept(db, {"rerank": [False, True], "k": [1]}, data=data, corpus=corpus)
        (plain,), (ranked,) = samples(found), samples(found, 1)
        assert (plain.context_ids[0][0], ranked.context_ids[0][0]) == ("a", "b")


class TestCrossEncoder:
    """The test's model scores a passage by the share of its tokens that the question has."""

    def ranked(self, db, folder):
        corpus = [
            {"id": "a", "text": "The tower, when finished, was not the tower that they had asked."},
            {"id": "b", "text": "Tower finished."},
        ]
        data = [{"id": "q", "question": "When was the tower finished?", "reference": "x"}]
        grid = {"rerank": [False, f"onnx:{folder}"], "k": [2]}
        return swept(db, grid, data=data, corpus=corpus)

    @pytest.mark.parametrize(
        ("labels", "first"),
        [
            (["LABEL_0"], "b"),  # one number
            pytest.param(["relevant", "irrelevant"], "b", marks=pytest.mark.slow),
            (["LABEL_0", "LABEL_1"], "a"),  # the second one counts, which the model meant as "no"
        ],
    )
    def test_its_scores_order_the_passages(self, db, tmp_path, labels, first):
        found = self.ranked(db, verifier(tmp_path, labels))
        ranks = [samples(found, at)[0].context_ids for at in (0, 1)]
        assert {*ranks[0]} == {*ranks[1]}
        assert ranks[1][0][0] == first
        again = self.ranked(db, tmp_path)
        assert [one.reused for one in again.configurations] == [1, 1]

    def test_a_long_passage_counts_by_its_best_part(self, tmp_path):
        judge = CrossEncoder(verifier(tmp_path, ["LABEL_0"], longest=24))
        scores = asyncio.run(
            Judge(judge).each(
                [
                    ScorePassage("When was the tower finished?", text)
                    for text in ("bread " * 60 + "tower finished " * 8, "bread " * 60)
                ]
            )
        )
        assert scores[0] > scores[1]

    def test_what_is_none_is_refused(self, tmp_path):
        (nli := tmp_path / "nli").mkdir()
        with pytest.raises(InputError, match=r"is no cross-encoder.* returns 3 numbers"):
            CrossEncoder(verifier(nli))
        with pytest.raises(InputError, match="do not say which means relevant: yes it is, nope"):
            CrossEncoder(verifier(tmp_path / "odd", ["yes it is", "nope"]))
        model = encoder(tmp_path / "st", pooling={"pooling_mode_mean_tokens": True})
        with pytest.raises(InputError, match=r"returns \d+ x 2 numbers -> name a model that"):
            CrossEncoder(model)

    def test_a_score_is_finite(self):
        for raw in ("nan", "high"):
            with pytest.raises(Unreadable):
                ScorePassage("Q?", "P.").read(raw)


def test_a_folder_is_a_corpus_on_the_command_line(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from assay._cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "docs").mkdir()
    for tower in TOWERS:
        (tmp_path / "docs" / tower["id"]).write_text(tower["text"], "utf-8")
    rows = "\n".join(json.dumps(row) for row in QUESTIONS)
    (tmp_path / "questions.jsonl").write_text(rows, "utf-8")
    grid = ("--set", "chunk_size=3,100", "--set", "retriever=bm25", "--set", "generator=passage")
    line = ["sweep", "docs", "questions.jsonl", *grid]
    result = CliRunner().invoke(main, [*line, "-m", f"{RANKED},hit_at_k(k=3),ndcg_at_k"])
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "pipeline on 4 documents over 4 questions of questions.jsonl" in result.stdout
    table = result.stdout.partition("Retrieval  4 questions")[2].partition("Means")[0]
    assert "retriever" not in table  # it has one value
    assert table.count("chunk_size") == 1
    refused = CliRunner().invoke(main, [*line, "--target", "x:y", "-m", "mrr"])
    assert "a corpus and a target are named" in refused.output
    body = CliRunner().invoke(main, [*line, "--target-body", "{}", "-m", "mrr"])
    assert "--target-body is for a target, not for a corpus" in body.output


def test_runs_over_documents_that_are_cut_otherwise_are_compared(db):
    """Gold is the same ranges of them, though the passages that hold these have other ids."""
    found = swept(db, {"chunk_size": [3, 100]}, f"{RANKED},exact_match")
    assert [one.name for one in found.configurations] == ["chunk_size=3", "chunk_size=100"]
    ids = [[one.reference_context_ids for one in samples(found, at)] for at in (0, 1)]
    assert ids[0] != ids[1]
    small, large = (open_run(one.run, str(db)) for one in found.configurations)
    assert not compare(small, large).warnings
    assert all(len(one.points) == 2 for one in history(db, over=["chunk_size"]).series)
