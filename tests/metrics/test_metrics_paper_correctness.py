"""The telecom paper's prompt, word for word, its replies, and the figures that it counts."""

import pytest

from assay import evaluate
from assay.backends.embedded import Embedded
from assay.errors import InputError, Unreadable
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import PaperCorrectness, Shared, embed, paper_correctness
from support.scripts import Watched, score

ROW = {"question": "What is NR?", "answer": "It is 5G. It is fast.", "reference": "It is 5G. Yes."}
TASK = PaperCorrectness(ROW["question"], ROW["answer"], ROW["reference"])
FACTUAL, CORRECT = "paper:factual_correctness", "paper:answer_correctness"


def judge(tp=0, fp=0, fn=0, cosine=0.704):
    """A judge that names so many statements, and an embedder of that cosine."""
    lists = (
        tuple(f"{name} {i}." for i in range(n)) for name, n in (("a", tp), ("b", fp), ("c", fn))
    )
    turned = (cosine, (1 - cosine**2) ** 0.5)
    return {
        "paper_correctness": paper_correctness.reply(Shared(*lists)),
        "embed": lambda task: embed.reply(turned if task.text == ROW["answer"] else (1.0, 0.0)),
    }


async def found(name, said, **changes):
    return await score(parse(name), Sample(id="1", **{**ROW, **changes}), said)


def test_the_prompt_is_that_of_the_paper():
    assert TASK.prompt() == (
        "Extract following from given question and ground truth. “TP”: statements that are present "
        "in both the answer and the ground truth,“FP”: statements present in the answer but not "
        "found in the ground truth,“FN”: relevant statements found in the ground truth but omitted "
        "in the answer.\n"
        "question: What is NR?, answer: It is 5G. It is fast., ground truth: It is 5G. Yes.,\n"
        "Extracted statements: “TP”: [statement 1, statement 4, ...], “FP”: [statement 2, ...], "
        "“FN”: [statement 3, statement 5, statement 6, ...]"
    )
    assert PaperCorrectness.schema is None


class TestReplies:
    WANTED = Shared(("It is 5G.", "It's new, too."), ("It is fast.",), ())

    @pytest.mark.parametrize(
        "raw",
        [
            '“TP”: ["It is 5G.", "It\'s new, too."], “FP”: ["It is fast."], “FN”: []',
            '{"TP": ["It is 5G.", "It\'s new, too."], "FP": ["It is fast."], "FN": []}',
            '```json\n{"TP": [\n"It is 5G.",\n"It\'s new, too.",\n],\n"FP": ["It is fast."],\n"FN": []}```',
            "So: “TP”: [“It is 5G.”, “It's new, too.”], “FP”: [“It is fast.”], “FN”: [None]\nThat is all.",
            "TP: ['It is 5G.', 'It's new, too.'], FP: ['It is fast.'], FN: [ ]",
            "**TP:** [It is 5G.\nIt's new, too.]\n**FP:** [It is fast.]\n**FN:** []",
            "TP (in both):\n- It is 5G.\n- It's new, too.\n\nFP (answer only):\n- It is fast.\n\nFN:\nNone",
            'FN: [], FP: [It is fast.], TP: ["It is 5G.", "It\'s new, too."]',
            "<think>“TP”: [no]</think>TP: [“It is 5G.”, “It's new, too.”]\nFP: [It is fast.]\nFN: []",
        ],
    )
    def test_lists_are_read_in_the_forms_in_which_models_write_them(self, raw):
        assert TASK.read(raw) == self.WANTED

    def test_statements_without_quotes_end_where_it_is_plain_that_they_do(self):
        read = TASK.read("TP: [It is 5G., It is new.], FP: [1889], FN: [statement 3, statement 5]")
        assert read == Shared(
            ("It is 5G.", "It is new."), ("1889",), ("statement 3", "statement 5")
        )

    def test_brackets_and_commas_within_a_statement_are_its_own(self):
        raw = 'TP: ["NR [5G], the new radio"], FP: ["It has a list: [a, b]."], FN: []'
        assert TASK.read(raw) == Shared(
            ("NR [5G], the new radio",), ("It has a list: [a, b].",), ()
        )

    def test_what_is_named_twice_counts_twice(self):
        read = TASK.read('TP: ["It is 5G.", "It is 5G."], FP: [], FN: []')
        assert read.both == ("It is 5G.", "It is 5G.")

    @pytest.mark.parametrize(
        "raw",
        [
            "",
            "The answer is right.",
            'TP: ["a"], FP: ["b"]',  # a list is missing
            'TP: ["a"], FP: [], FN: [], TP: ["c"]',  # and here there is one too many
            "TP: [It lies in Paris, France], FP: [], FN: []",  # one statement or two
            "“TP”: [statement 1, statement 4, ...], “FP”: [statement 2, ...], “FN”: [statement 3]",
            'TP: ["a", FP: ["b"], FN: []',
            'TP: ["a" and "b"], FP: [], FN: []',
            "TP: the first two, FP: [], FN: []",
        ],
    )
    def test_what_leaves_open_what_is_meant_is_unreadable(self, raw):
        with pytest.raises(Unreadable):
            TASK.read(raw)

    @pytest.mark.parametrize(
        "shared", [Shared((), (), ()), Shared(("a“b”", 'c "d", e'), ("]",), ("f\n",))]
    )
    def test_a_reply_is_read_back(self, shared):
        stripped = Shared(
            *(
                tuple(s.strip() for s in part)
                for part in (shared.both, shared.answer_only, shared.reference_only)
            )
        )
        assert TASK.read(paper_correctness.reply(shared)) == stripped


class TestFigures:
    async def test_the_papers_figure_3(self):
        """Three rows of TP 1 alone, of AnsCor .926, .938 and .905; a refusal of .111."""
        for correctness in (0.926, 0.938, 0.905):
            said = judge(tp=1, cosine=(correctness - 0.75) / 0.25)
            assert (await found(FACTUAL, said)).value == 1.0
            assert (await found(CORRECT, said)).value == pytest.approx(correctness, abs=1e-6)
        refusal = judge(fp=1, fn=2, cosine=0.444)
        assert (await found(FACTUAL, refusal)).value == 0.0
        assert (await found(CORRECT, refusal)).value == pytest.approx(0.111, abs=1e-6)
        assert (await found(FACTUAL, judge(tp=2, fp=1, fn=1))).value == pytest.approx(2 / 3)

    @pytest.mark.parametrize(("tp", "fp", "fn"), [(2, 1, 1), (1, 0, 3), (3, 4, 0), (0, 0, 2)])
    async def test_it_is_tp_over_tp_and_half_of_what_is_wrong(self, tp, fp, fn):
        one = await found(FACTUAL, judge(tp, fp, fn))
        assert one.value == pytest.approx(tp / (tp + (fp + fn) / 2))
        assert one.details == {"TP": tp, "FP": fp, "FN": fn}
        assert [part.label for part in one.parts] == ["TP"] * tp + ["FP"] * fp + ["FN"] * fn

    async def test_the_weights_are_parameters(self):
        said = judge(2, 1, 1, cosine=0.5)
        weighed = f"{CORRECT}(factual_weight=0.7,similarity_weight=0.3)"
        assert (await found(weighed, said)).value == pytest.approx(
            0.7 * 2 / 3 + 0.3 * 0.5, abs=1e-6
        )
        watched = Watched(Scripted(said))
        await found(f"{CORRECT}(similarity_weight=0)", watched)
        assert watched.kinds == {"paper_correctness": 1}

    async def test_nothing_named_is_undefined_and_an_empty_answer_0_unasked(self):
        for name in (FACTUAL, CORRECT):
            assert isinstance(await found(name, judge()), Unscored)
            assert isinstance(await found(name, judge(1), reference=" "), Unscored)
        watched = Watched(Scripted(judge(1)))
        assert (await found(FACTUAL, watched, answer=" ")).value == 0.0
        assert (await found(CORRECT, watched, answer=" ")).value == 0.0
        assert not watched.kinds

    async def test_its_first_component_is_the_papers(self):
        one = await found(CORRECT, judge(2, 1, 1))
        assert [(p.text, p.label) for p in one.parts[:2]] == [
            (FACTUAL, "weight 0.75"),
            ("answer_similarity", "weight 0.25"),
        ]


@pytest.mark.parametrize("name", [FACTUAL, CORRECT, "paper:faithfulness"])
def test_the_embedded_judge_is_refused_before_anything_is_asked(name, db):
    assert Embedded().identity(PaperCorrectness) is None
    with pytest.raises(InputError, match=r"needs an LLM|cannot"):
        evaluate([{**ROW, "contexts": ["It is 5G."]}], name, "embedded", store=db)
