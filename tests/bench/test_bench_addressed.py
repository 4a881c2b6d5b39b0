"""Are people's answers put beside the answers to like questions, and rows kept apart for fitting?"""

from bench_help import write

from assay.bench import hard_negatives
from assay.bench.data import Data, dataset
from assay.bench.judge import JudgeUnderTest
from assay.bench.splits import HELD_OUT, fold_of
from assay.judge import Reply
from assay.tasks import Rating, rate_answer


def row(i, question, answer, dataset="mtrag_un", **labels):
    return {
        "id": f"{dataset}:{i}",
        "dataset": dataset,
        "question": question,
        "contexts": [],
        "ground_truth": answer,
        "labels": labels,
    }


ROWS = [
    row(1, "Where is the old bridge?", "Over the Main."),
    row(2, "When was the old bridge built?", ["In 1869."]),
    row(3, "Why do cats purr?", "They are content."),
]


class OwnWord:
    """Rates an answer 0.9 if it says "Main", else 0.4."""

    name = "own:1"
    local = True

    def identity(self, kind):
        return self.name

    async def reply(self, task, draw=0):
        value = 0.9 if "Main" in task.answer else 0.4
        raw = rate_answer.reply(Rating(value, noncommittal=False))
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


def test_what_is_measured():
    figures = hard_negatives.measure_answers(JudgeUnderTest(OwnWord()), ROWS[:2])
    by_name = {figure.name: figure for figure in figures}
    # Own: 0.9 and 0.4; the other's: 0.4 and 0.9.
    assert by_name["MTRAG-UN people's answers, AUROC"].value == 0.5
    assert by_name["MTRAG-UN people's answers, balanced accuracy at one half"].value == 0.5
    assert [figure.n for figure in figures] == [4, 4, 2, 2]
    assert figures[0].floor_name == "share of the question's words"


def test_rows_that_fit_the_judge_are_never_measured(tmp_path):
    for name, one in hard_negatives.ANSWERED.items():
        rows = [row(i, f"Where is bridge {i}?", f"Over river {i}.", name) for i in range(40)]
        rows.append(row(40, "Where is no bridge?", "", name))
        rows.append(row(41, "Who knows?", "Nobody.", name, answerability="UNANSWERABLE"))
        write(tmp_path, one.file, rows)
    measured = hard_negatives.rows_with_answers(Data(tmp_path))
    fitting = hard_negatives.rows_with_answers(Data(tmp_path), fitting=True)
    assert {dataset(r) for r in fitting} == {"clapnq", "pubmedqa"}
    assert {dataset(r) for r in measured} == set(hard_negatives.ANSWERED)
    assert all(fold_of(r["question"]) != HELD_OUT for r in fitting)
    assert not {r["id"] for r in fitting} & {r["id"] for r in measured}
    assert len(fitting) + len(measured) == 4 * 40
