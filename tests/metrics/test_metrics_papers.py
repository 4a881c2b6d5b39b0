"""Metrics of papers: baselines, the telecom paper, RAGQuestEval, entity recall."""

from dataclasses import replace

import pytest

from assay import evaluate
from assay.errors import InputError, Unreadable
from assay.judges.embedded import Embedded
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.compat.papers import QuestEvalPrecision, QuestEvalRecall
from assay.metrics.compat.ragas_paper import GptRanking, GptScore
from assay.metrics.contexts import ContextEntityRecall
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import (
    AnswerQuestions,
    AskAboutFacts,
    Embed,
    GiveGrade,
    Grade,
    NameEntities,
    PaperCorrectness,
    PreferAnswer,
    Preference,
    Shared,
    ShortAnswer,
)
from support import scripts
from support.over import over
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1", question="Is water wet?", answer="Yes.", other_answer="No.", contexts=("It is wet.",)
)


@over(
    ("quality", "needs", "begins"),
    [
        ("faithfulness", ("contexts", "answer"), "Faithfulness"),
        ("answer_relevance", ("question", "answer"), "Answer relevance"),
        ("context_relevance", ("question", "contexts"), "Context relevance"),
    ],
)
async def test_a_grade_from_0_to_10_is_given_by_the_definition_of_the_quality(
    quality, needs, begins
):
    judge = Watched(Scripted({"give_grade": GiveGrade.reply(Grade(7, "so"))}))
    metric = GptScore(quality)
    assert metric.needs == needs
    found = await score(metric, SAMPLE, judge)
    assert (found.value, found.parts[0].label) == (7, "7 of 10")
    ((task, _),) = judge.asked
    assert task.criterion.startswith(begins)
    assert [grade for grade, _ in task.grades] == list(range(11))
    assert {name.split()[0] for name, _ in task.shown} == {n.removesuffix("s") for n in needs}


@over("raw", [7.5, 11, -1])
async def test_no_grade_in_between_or_beyond_is_taken(raw):
    judge = {"give_grade": f'{{"reason": "", "grade": {raw}}}'}
    assert (await score(GptScore(), SAMPLE, judge)).why == "failed"


@over(("better", "value"), [("first", 1), ("tie", 0.5), ("second", 0)])
async def test_ranking_asks_once_with_the_answer_first(better, value):
    judge = Watched(Scripted({"prefer_answer": PreferAnswer.reply(Preference(better, "so"))}))
    found = await score(GptRanking("answer_relevance"), SAMPLE, judge)
    assert found.value == value
    ((task, _),) = judge.asked
    assert (task.first, task.second) == ("Yes.", "No.")
    assert task.shown == (("question", "Is water wet?"),)


def test_other_qualities_are_refused():
    with pytest.raises(InputError, match="quality must be"):
        GptScore("beauty")
    with pytest.raises(InputError, match="quality must be faithfulness or answer_relevance"):
        GptRanking("context_relevance")


async def test_an_answer_that_is_empty_is_not_compared():
    sample = Sample(id="1", question="?", answer="", other_answer="No.", contexts=("W.",))
    assert (await score(GptRanking(), sample, {})).why == "undefined"
    assert (await score(GptScore(), sample, {})).why == "undefined"


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
        "paper_correctness": PaperCorrectness.reply(Shared(*lists)),
        "embed": lambda task: Embed.reply(turned if task.text == ROW["answer"] else (1.0, 0.0)),
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

    @over(
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

    @over(
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

    @over("shared", [Shared((), (), ()), Shared(("a“b”", 'c "d", e'), ("]",), ("f\n",))])
    def test_a_reply_is_read_back(self, shared):
        stripped = Shared(
            *(
                tuple(s.strip() for s in part)
                for part in (shared.both, shared.answer_only, shared.reference_only)
            )
        )
        assert TASK.read(PaperCorrectness.reply(shared)) == stripped


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

    @over(("tp", "fp", "fn"), [(2, 1, 1), (1, 0, 3), (3, 4, 0), (0, 0, 2)])
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


class TestContextEntityRecall:
    SAMPLE = Sample(
        id="1",
        contexts=("The EIFFEL tower is old.", "It stands in Paris and has 1000 lamps."),
        reference="The Eiffel Tower, 330 metres tall, stands in Paris and has 1,000 lamps.",
    )

    async def of(self, *entities, **changes):
        judge = {"name_entities": NameEntities.reply(entities)}
        return await score(ContextEntityRecall(), replace(self.SAMPLE, **changes), judge)

    async def test_three_of_four_entities_stand_in_the_contexts(self):
        found = await self.of("Eiffel Tower", "330 metres", "Paris", "1,000")
        assert found.value == 0.75
        assert [(p.text, p.label, p.context, p.quote) for p in found.parts] == [
            ("Eiffel Tower", "found", 0, "EIFFEL tower"),
            ("330 metres", "not found", None, ""),
            ("Paris", "found", 1, "Paris"),
            ("1,000", "found", 1, "1000"),
        ]

    async def test_an_entity_that_the_judge_makes_up_does_not_count(self):
        assert (await self.of("Paris", "London")).value == 1.0

    async def test_a_name_in_capitals_is_no_common_word(self):
        of = {"reference": "The US left WHO because of IT.", "contexts": ("Tell us who did it.",)}
        found = await self.of("US", "WHO", "IT", **of)
        assert (found.value, len(found.parts)) == (0.0, 3)
        assert (await self.of("US", "WHO", "IT", **of | {"contexts": ("US! WHO? IT",)})).value == 1

    async def test_an_entity_that_is_named_twice_counts_once(self):
        found = await self.of(
            "Eiffel Tower",
            "Lyon",
            "the Eiffel Tower",
            reference="""
            The Eiffel Tower is not in Lyon.""",
        )
        assert [p.text for p in found.parts] == ["Eiffel Tower", "Lyon"]
        assert found.value == 0.5

    async def test_without_a_context_nothing_is_found(self):
        assert (await self.of("Paris", contexts=())).value == 0.0

    async def test_a_reference_without_entities_is_undefined(self):
        undefined = Unscored("undefined", "the reference names no entity")
        assert await self.of() == undefined
        assert await self.of("Paris", reference="") == undefined


class TestQuestEval:
    """Four questions, of which the reference answers three and the answer two of these."""

    SAMPLE = Sample(id="1", answer="mine", reference="right")
    RIGHT = ("in May 1932", "six lanes", None, "Rome")
    MINE = ("May 1932", None, "Oslo", "Rome")

    def judge(self, right=RIGHT, mine=MINE, questions=("When?", "How many?", "Who?", "Where?")):
        def say(task):
            said = dict(
                zip(("q1", "q2", "q3", "q4"), right if task.text == "right" else mine, strict=True)
            )
            return AnswerQuestions.reply([ShortAnswer(i, said[i]) for i in task.ids])

        scripts_ = {"ask_about_facts": AskAboutFacts.reply(questions), "answer_questions": say}
        return Watched(scripts.plausible(**scripts_))

    async def test_recall_is_the_share_of_good_questions_that_the_answer_answers(self):
        found = await score(QuestEvalRecall(), self.SAMPLE, self.judge())
        assert found.value == pytest.approx(2 / 3)
        assert [(p.text, p.label) for p in found.parts] == [
            ("When?", "answered"),
            ("How many?", "not answered"),
            ("Where?", "answered"),
        ]

    async def test_precision_is_the_mean_token_f1_of_what_both_answer(self):
        found = await score(QuestEvalPrecision(), self.SAMPLE, self.judge())
        # "May 1932" against "in May 1932": P = 1, R = 2/3, F1 = 0.8; "Rome" against "Rome": 1.
        assert found.value == pytest.approx(0.9)
        assert [p.value for p in found.parts] == [pytest.approx(0.8), None, 1.0]
        assert "reference: 'in May 1932'; answer: 'May 1932'" in found.parts[0].reason

    async def test_if_the_answer_answers_nothing_both_are_0(self):
        judge = self.judge(mine=(None,) * 4)
        assert (await score(QuestEvalRecall(), self.SAMPLE, judge)).value == 0.0
        assert (await score(QuestEvalPrecision(), self.SAMPLE, judge)).value == 0.0

    async def test_an_empty_answer_is_0_and_is_not_asked_anything(self):
        judge = self.judge()
        sample = Sample(id="1", answer=" ", reference="right")
        assert (await score(QuestEvalRecall(), sample, judge)).value == 0.0
        assert judge.kinds == {"ask_about_facts": 1, "answer_questions": 1}

    async def test_null_in_quotation_marks_is_no_answer(self):
        judge = self.judge(mine=("null",) * 4)
        assert (await score(QuestEvalRecall(), self.SAMPLE, judge)).value == 0.0

    @over(
        ("language", "right", "mine"),
        [
            ("de", "der Turm", "Turm"),
            ("fr", "L'eau", "eau"),
            (None, "the tower", "Tower."),
            (None, "A", "A."),
        ],
    )
    async def test_articles_are_those_of_the_samples_language(self, language, right, mine):
        judge = self.judge(right=(right,) * 4, mine=(mine,) * 4)
        sample = Sample(id="1", answer="mine", reference="right", language=language)
        assert (await score(QuestEvalPrecision(), sample, judge)).value == 1.0

    @over("metric", [QuestEvalRecall(), QuestEvalPrecision()])
    async def test_without_a_good_question_it_is_undefined(self, metric):
        for judge in (self.judge(right=(None,) * 4), self.judge(questions=())):
            found = await score(metric, self.SAMPLE, judge)
            assert found == Unscored("undefined", "the reference answers no question")

    async def test_both_ask_the_same_tasks(self):
        one, other = self.judge(), self.judge()
        await score(QuestEvalRecall(), self.SAMPLE, one)
        await score(QuestEvalPrecision(), self.SAMPLE, other)
        assert one.asked == other.asked
