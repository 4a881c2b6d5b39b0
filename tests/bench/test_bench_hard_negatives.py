"""Answers and contexts stand beside those of like questions, and fitting rows are held out."""

from bench_help import write

from assay.bench import hard_negatives
from assay.bench.data import HELD_OUT, Data, dataset, fold_of
from assay.bench.judge import JudgeUnderTest
from assay.judge import Reply
from assay.tasks import Choice, RateAnswer, Rating, SelectSentences


def row(i, question, context, dataset="mtrag_un", **labels):
    return {
        "id": f"{dataset}:{i}",
        "dataset": dataset,
        "question": question,
        "contexts": [context],
        "labels": labels,
    }


BRIDGE = "The old  bridge crosses the Main. It was built in 1869. Many people cross it."
CATS = "Cats purr when they are content. They sleep a lot."
MARKED = [
    row(1, "When was the old bridge built?", BRIDGE, "qed", relevant_sentence="It was built in 1869. "),
    row(2, "Where is the old bridge?", BRIDGE, "qed", relevant_sentence="Nobody said this."),
    row(
        3, "Why do cats purr?", CATS, "clapnq", relevant_sentences=["they are content", "They sleep a lot."]
    ),
]  # fmt: skip


class Says:
    """Chooses the sentences that hold a word."""

    local = True

    def __init__(self, word):
        self.word = word
        self.name = f"says:{word}"

    def identity(self, kind):
        return self.name

    async def reply(self, task, draw=0):
        chosen = [Choice(s.id) for s in task.sentences if self.word in s.text]
        raw = SelectSentences.reply(chosen)
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind)


def test_marked_sentences_are_found_and_rows_without_one_left_out():
    first, second = hard_negatives.marked_sentences(MARKED)
    assert first.helps == (False, True, False)
    assert first.sentences[1] == "It was built in 1869."
    assert second.helps == (True, True)  # part of a sentence was marked, and a whole one


def test_contexts_stand_beside_those_of_the_question_most_like_theirs():
    rows = [
        row(1, "When was the old bridge built?", BRIDGE),
        row(2, "How was the old bridge built?", "With stones."),
        row(3, "Why do cats purr?", CATS),
    ]
    found = list(hard_negatives.alike_contexts(rows))
    assert [case.own for case in found] == [True, False] * 3
    assert found[1].sentences == ("With stones.",)
    assert found[1].helps == (False,)
    assert found[0].helps == (None,) * 3
    shared = [row(1, "Who?", CATS), row(2, "Who else?", CATS)]
    assert [case.own for case in hard_negatives.alike_contexts(shared)] == [True, True]


def test_what_is_measured_of_sentences():
    by_name = {
        f.name: f for f in hard_negatives.measure_contexts(JudgeUnderTest(Says("1869")), MARKED[:2])
    }
    assert by_name["QED sentences that answer, balanced accuracy"].value == 1.0
    assert by_name["QED sentences that answer, F1"].value == 1.0
    assert by_name["QED sentences that answer, F1"].n == 3
    blind = {
        f.name: f
        for f in hard_negatives.measure_contexts(JudgeUnderTest(Says("cross")), MARKED[:1])
    }
    assert blind["QED sentences that answer, balanced accuracy"].value == 0.0


def test_what_is_measured_of_contexts():
    rows = [row(1, "When was the old bridge built?", BRIDGE), row(2, "Do cats purr?", CATS)]
    figures = {
        f.name: f.value
        for f in hard_negatives.measure_contexts(JudgeUnderTest(Says("bridge")), rows)
    }
    # A third of the bridge's sentences and none of the cats', for both questions.
    assert figures["MTRAG-UN contexts, AUROC of context relevance"] == 0.5
    assert figures["MTRAG-UN contexts, balanced accuracy of 'some sentence helps'"] == 0.5


def test_rows_with_contexts_that_fit_the_judge_are_never_measured(tmp_path):
    for name, one in hard_negatives.SETS.items():
        rows = [
            row(i, f"Where is bridge {i}?", BRIDGE, name, relevant_sentence="It was built in 1869.")
            for i in range(40)
        ]
        rows.append(row(40, "Who knows?", BRIDGE, name, answerability="UNANSWERABLE"))
        rows.append(row(41, "Who asks?", BRIDGE, name, answerable=False))
        rows.append(row(42, "Where is nothing?", " ", name))
        write(tmp_path, one.file, rows)
    measured = hard_negatives.rows_with_contexts(Data(tmp_path))
    fitting = hard_negatives.rows_with_contexts(Data(tmp_path), fitting=True)
    assert {dataset(r) for r in fitting} == {"qed", "clapnq", "pubmedqa"}
    assert {dataset(r) for r in measured} == set(hard_negatives.SETS)
    assert all(fold_of(r["question"]) != HELD_OUT for r in fitting)
    assert not {r["id"] for r in fitting} & {r["id"] for r in measured}
    assert len(fitting) + len(measured) == 5 * 40


def answer_row(i, question, answer, dataset="mtrag_un", **labels):
    return {
        "id": f"{dataset}:{i}",
        "dataset": dataset,
        "question": question,
        "contexts": [],
        "ground_truth": answer,
        "labels": labels,
    }


ROWS = [
    answer_row(1, "Where is the old bridge?", "Over the Main."),
    answer_row(2, "When was the old bridge built?", ["In 1869."]),
    answer_row(3, "Why do cats purr?", "They are content."),
]


class OwnWord:
    """Rates an answer 0.9 if it says "Main", else 0.4."""

    name = "own:1"
    local = True

    def identity(self, kind):
        return self.name

    async def reply(self, task, draw=0):
        value = 0.9 if "Main" in task.answer else 0.4
        raw = RateAnswer.reply(Rating(value, noncommittal=False))
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind)


def test_each_question_stands_beside_its_answer_and_that_of_the_question_most_like_it():
    found = list(hard_negatives.answer_pairs(ROWS))
    assert [pair.own for pair in found] == [True, False] * 3
    assert found[:4] == [
        ("Where is the old bridge?", "Over the Main.", True),
        ("Where is the old bridge?", "In 1869.", False),
        ("When was the old bridge built?", "In 1869.", True),
        ("When was the old bridge built?", "Over the Main.", False),
    ]


def test_what_is_measured_of_answers():
    figures = hard_negatives.measure_answers(JudgeUnderTest(OwnWord()), ROWS[:2])
    by_name = {figure.name: figure for figure in figures}
    # Own: 0.9 and 0.4; the other's: 0.4 and 0.9.
    assert by_name["MTRAG-UN people's answers, AUROC"].value == 0.5
    assert by_name["MTRAG-UN people's answers, balanced accuracy at one half"].value == 0.5
    assert [figure.n for figure in figures] == [4, 4, 2, 2]
    assert figures[0].floor_name == "share of the question's words"


def test_rows_with_answers_that_fit_the_judge_are_never_measured(tmp_path):
    for name, one in hard_negatives.ANSWERED.items():
        rows = [answer_row(i, f"Where is bridge {i}?", f"Over river {i}.", name) for i in range(40)]
        rows.append(answer_row(40, "Where is no bridge?", "", name))
        rows.append(answer_row(41, "Who knows?", "Nobody.", name, answerability="UNANSWERABLE"))
        write(tmp_path, one.file, rows)
    measured = hard_negatives.rows_with_answers(Data(tmp_path))
    fitting = hard_negatives.rows_with_answers(Data(tmp_path), fitting=True)
    assert {dataset(r) for r in fitting} == {"clapnq", "pubmedqa"}
    assert {dataset(r) for r in measured} == set(hard_negatives.ANSWERED)
    assert all(fold_of(r["question"]) != HELD_OUT for r in fitting)
    assert not {r["id"] for r in fitting} & {r["id"] for r in measured}
    assert len(fitting) + len(measured) == 4 * 40
