"""Is agreement with people measured as promised: which labels, which threshold, which floor?"""

import json

import numpy as np
import pytest

import assay
from assay import InputError, Part, Score
from assay._analysis.agreement import agree, agree_all
from assay._report.agreement import beats, notes
from assay.data.labels import read_labels
from assay.metrics import METRICS
from assay.tasks import GiveGrade, JudgeContexts, SelectSentences, VerifyStatements
from support import answers, scripts
from support.once import evaluated


@assay.metric(needs=("answer",), range=(0, 5))
def told(sample, judge):
    """The score that the sample's metadata tells."""
    parts = [Part("statement", text, value=v) for text, v in sample.metadata.get("said", [])]
    return Score(sample.metadata["score"], tuple(parts))


@assay.metric(needs=("answer",), higher_is_better=False)
def faults(sample, judge):
    """The same turned round."""
    return Score(1 - sample.metadata["score"])


def run(tmp_path, scores, metrics=told, store="a.db", **fields):
    rows = [
        {"id": f"s{n}", "answer": "w" * (n % 3 + 1), "score": score, **fields}
        for n, score in enumerate(scores)
    ]
    return evaluated(rows, metrics, tmp_path / store)


def labels(values, **more):
    return read_labels([{"id": f"s{n}", "label": v, **more} for n, v in enumerate(values)])


def measure(found, name):
    return next(m for m in found.measures if m.name == name)


SCORES = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
LABELS = [1, 1, 0, 1, 1, 0, 0, 0]


def towns():
    """Answers of what is right, misled by a good or a bad context, invented, or known otherwise."""
    said = (
        *("Paris lies on the Seine.", "Wine is blue.", "Bread swims far."),
        *("Spain rules Paris.", "Lyon makes silk."),
    )
    answers = (" ".join(said), " ".join(said[::-1]), said[0], said[2])
    return [
        {
            "id": f"s{n}",
            "question": "Paris or wine?",
            "contexts": [f"{said[0]} {said[1]}", said[2], "Rome is old."],
            "answer": answer,
            "reference": f"{said[0]} {said[4]}",
            "further_answers": [said[0], said[2]],
            "turns": [
                {"role": "user", "content": "Paris or wine?"},
                {"role": "assistant", "content": answer, "contexts": [said[0]]},
            ],
        }
        for n, answer in enumerate(answers)
    ]


class TestYesAndNo:
    def test_known_numbers_at_a_given_threshold(self, tmp_path):
        found = agree(run(tmp_path, SCORES), labels(LABELS), "told", threshold=0.5)
        assert (found.scale, found.n, found.n_groups, found.base_rate) == ("binary", 8, 8, 0.5)
        assert measure(found, "AUROC").value == pytest.approx(14 / 16)
        assert measure(found, "balanced accuracy").value == pytest.approx(0.75)
        assert measure(found, "Cohen's kappa").value == pytest.approx(0.5)
        c = found.confusion
        assert (c.good_good, c.good_bad, c.bad_good, c.bad_bad) == (3, 1, 1, 3)
        assert (found.threshold, found.threshold_by) == ((0.5, 0.5), "given")

    def test_the_worst_disagreements_come_first_and_only_wrong_calls_are_among_them(self, tmp_path):
        found = agree(run(tmp_path, SCORES), labels(LABELS), "told", threshold=0.5)
        assert [d.sample for d in found.worst] == ["s2", "s4"]
        assert found.worst[0].gap > 0 > found.worst[1].gap

    def test_without_a_threshold_what_agrees_is_no_disagreement(self, tmp_path):
        # One bad label is too few for a threshold; s1 and s2 are good and score no lower than it.
        found = agree(run(tmp_path, [0.9, 0.9, 0.9, 0.1]), labels([0, 1, 1, 1]), "told")
        assert found.threshold is None
        assert [d.sample for d in found.worst] == ["s0", "s3"]
        alike = agree(run(tmp_path, [0.9, 0.1], store="b.db"), labels([1, 1]), "told")
        assert not alike.worst

    def test_f1_and_average_precision_are_of_the_rarer_class(self, tmp_path):
        mostly_good = [1, 1, 1, 1, 1, 1, 0, 0]
        found = agree(run(tmp_path, SCORES), labels(mostly_good), "told", threshold=0.25)
        assert found.rarer == "bad"
        assert measure(found, "F1").value == measure(found, "average precision").value == 1

    def test_a_metric_of_which_low_is_good_is_turned_round(self, tmp_path):
        result = run(tmp_path, SCORES, [told, faults])
        plain, turned = (agree(result, labels(LABELS), name) for name in ("told", "faults"))
        assert [m.value for m in plain.measures] == [m.value for m in turned.measures]

    @pytest.mark.slow
    def test_a_threshold_that_is_not_given_is_chosen_on_other_samples(self, tmp_path):
        chance = np.random.default_rng(1)
        # Scores that tell nothing: a threshold fitted to these very labels would seem to.
        balanced = []
        for n in range(12):
            result = run(tmp_path, chance.random(40).tolist(), store=f"{n}.db")
            found = agree(result, labels(chance.integers(0, 2, 40).tolist()), "told")
            assert "on other samples" in found.threshold_by
            balanced.append(measure(found, "balanced accuracy").value)
        assert np.mean(balanced) == pytest.approx(0.5, abs=0.06)

    def test_too_few_labels_of_one_kind_leave_out_what_needs_a_threshold(self, tmp_path):
        found = agree(run(tmp_path, SCORES), labels([1] * 7 + [0]), "told")
        assert found.threshold_by.startswith("not chosen")
        assert [m.name for m in found.measures] == ["AUROC", "average precision"]
        assert found.confusion is None
        assert measure(found, "AUROC").interval is None

    def test_samples_on_which_people_are_divided_are_left_out_and_counted(self, tmp_path):
        rows = [{"id": f"s{n}", "votes": [v, v] if n else [1, 0]} for n, v in enumerate(LABELS)]
        found = agree(run(tmp_path, SCORES), read_labels(rows), "told")
        assert found.n == 7
        assert found.left_out == {"annotators undecided": 1}


class TestFloors:
    def test_the_best_trivial_rule_stands_beside_each_measure(self, tmp_path):
        # The answers' lengths tell the labels better than the scores do.
        by_length = [n % 3 > 0 for n in range(8)]
        found = measure(agree(run(tmp_path, SCORES), labels(by_length), "told"), "AUROC")
        assert (found.floor, found.floor_name) == (1.0, "longer")

    def test_the_lead_over_it_has_an_interval(self, tmp_path):
        chance = np.random.default_rng(2)
        said = chance.integers(0, 2, 60)
        scores = (said * 0.5 + chance.random(60) * 0.5).tolist()
        found = measure(agree(run(tmp_path, scores), labels(said.tolist()), "told"), "AUROC")
        assert 0 < found.lead.low < found.value - found.floor < found.lead.high

    def test_saying_always_the_same_is_one_of_them(self, tmp_path):
        found = agree(run(tmp_path, [0.5, 0.6] * 4, text=""), labels(LABELS), "told", threshold=0)
        assert measure(found, "balanced accuracy").floor >= 0.5

    def test_no_lead_over_chance_is_shown_where_the_interval_holds_chance(self, tmp_path):
        # 26 of 47 good ones are called good, and all of 3 bad ones bad, which may be chance.
        scores = [0.9] * 26 + [0.1] * 21 + [0.1] * 3
        rows = labels([1] * 47 + [0] * 3)
        found = agree(run(tmp_path, scores, text=""), rows, "told", threshold=0.5)
        one = measure(found, "balanced accuracy")
        assert (one.floor, one.floor_name) == (0.5, "always the same")
        assert (one.interval.low, one.interval.high) == pytest.approx((0.487, 0.843), abs=0.001)
        assert one.lead.low == pytest.approx(one.interval.low - 0.5)
        assert beats(one) == "undecided"


class TestPeople:
    def test_the_ceiling_is_each_person_with_the_others(self, tmp_path):
        rows = [
            {"id": f"s{n}", "votes": [v, v, 1 - v if n == 7 else v]} for n, v in enumerate(LABELS)
        ]
        found = measure(
            agree(run(tmp_path, SCORES), read_labels(rows), "told"), "balanced accuracy"
        )
        # Two of them differ with nobody but where the others are divided; the third once in eight.
        assert found.ceiling == pytest.approx((1 + 1 + 7 / 8) / 3, abs=0.01)

    def test_their_agreement_is_told_by_alpha_and_kappa(self, tmp_path):
        two = [{"id": f"s{n}", "votes": [v, v]} for n, v in enumerate(LABELS)]
        three = [{"id": f"s{n}", "votes": [v, v, 1]} for n, v in enumerate(LABELS)]
        result = run(tmp_path, SCORES)
        names = [
            [m.name for m in agree(result, read_labels(r), "told").among_people]
            for r in (two, three)
        ]
        assert names == [
            ["Krippendorff's alpha, nominal", "Cohen's kappa"],
            ["Krippendorff's alpha, nominal", "Fleiss' kappa"],
        ]

    def test_what_they_are_divided_on_counts_among_them_though_not_for_the_metric(self, tmp_path):
        rows = [{"id": f"s{n}", "votes": [v, 1 - v if n < 2 else v]} for n, v in enumerate(LABELS)]
        found = agree(run(tmp_path, SCORES), read_labels(rows), "told")
        assert found.n == 6
        assert found.among_people[1].value == pytest.approx(0.5, abs=0.05)

    def test_one_person_is_no_ceiling(self, tmp_path):
        found = agree(run(tmp_path, SCORES), labels(LABELS), "told")
        assert found.among_people == []
        assert measure(found, "AUROC").ceiling is None


def test_grades_are_compared_by_their_order(tmp_path):
    result = run(tmp_path, [1.0, 2.0, 3.0, 4.0, 5.0])
    found = agree(result, labels([1, 2, 3, 5, 4]), "told")
    assert found.scale == "ordinal"
    assert measure(found, "Spearman").value == pytest.approx(0.9)
    assert measure(found, "Kendall tau-b").value == pytest.approx(0.8)
    assert measure(found, "pairwise accuracy").value == pytest.approx(0.9)
    assert measure(found, "Cohen's kappa, quadratic").value == pytest.approx(0.9)
    assert found.confusion is None


def test_preferences_between_two_runs_are_met_by_the_difference(tmp_path):
    first, second = run(tmp_path, [0.5] * 4), run(tmp_path, [0.1, 0.9, 0.7, 0.5], store="b.db")
    found = agree(first, labels(["A", "B", "A", "tie"]), "told", other=second)
    assert found.scale == "preference"
    assert measure(found, "preference accuracy").value == pytest.approx(2 / 3)


def test_preferences_that_are_all_met_are_not_certain_to_be(tmp_path):
    """The jackknife gave no interval where all are met, as 34 % of ten are at a true 0.9."""
    first, second = run(tmp_path, [0.5] * 10), run(tmp_path, [0.1] * 10, store="b.db")
    found = measure(agree(first, labels(["A"] * 10), "told", other=second), "preference accuracy")
    assert found.value == found.interval.high == 1
    assert 0.6 < found.interval.low < 0.8
    assert found.lead is not None


def test_preferences_within_a_run_are_met_by_a_metric_that_compares_two_answers(tmp_path):
    @assay.metric(needs=("answer", "other_answer"))
    def first_wins(sample, judge):
        """One of four is lost."""
        return Score(float(sample.id != "s3"))

    result = run(tmp_path, [0.9] * 4, [told, first_wins], other_answer="w")
    found, without = agree_all(result, labels(["A", "A", "A", "B"]))
    assert [one.metric for one in found] == ["first_wins"]
    assert measure(found[0], "preference accuracy").value == 1.0
    assert "told scores one answer by itself" in without["told"]


def test_labels_without_any_majority_are_refused(tmp_path):
    divided = read_labels([{"id": f"s{n}", "label_a": 1, "label_b": 0} for n in range(8)])
    with pytest.raises(InputError, match="divided evenly on all 8 labelled items of told"):
        agree(run(tmp_path, SCORES), divided, "told")


def test_statements_are_called_by_the_judges_verdict(tmp_path):
    said = [["It is red.", 1.0], ["It is blue.", 0.0]]
    result = run(tmp_path, [0.5, 0.5], said=said)
    rows = [
        {"id": f"s{n}", "statement": text, "label": value}
        for n in range(2)
        for text, value in (("It is red.", 1), ("It is blue.", n))
    ]
    found = agree(result, read_labels(rows), "told")
    assert (found.kind, found.n, found.n_groups) == ("statement", 4, 2)
    assert found.threshold_by == "the judge's verdict"
    assert (found.confusion.good_bad, found.confusion.bad_bad) == (1, 1)
    assert found.worst[0].text == "It is blue."


ASKED = (VerifyStatements, SelectSentences, JudgeContexts, GiveGrade)
FIELDS = {"question", "contexts", "answer", "reference", "further_answers", "turns"}
BY_PARTS = [
    name
    for name, metric in METRICS.items()
    if set(metric.tasks) & set(ASKED) and set(metric.needs) <= FIELDS
]


def sure(task):
    """What a plausible judge says, with its probabilities."""
    said = json.loads(answers.answer("".join(task.pieces(task.template_for("all"))), task.kind))
    for n, item in enumerate(said.get("verdicts", said.get("relevant", ()))):
        certain = 0.6 + 0.05 * (n % 8)
        yes = item.get("supported", item.get("useful", True))
        item["probability"] = certain if yes else round(1 - certain, 2)
    if said.get("grade") in (0, 1) and '"grade": 2' not in task.prompt():
        said["probabilities"] = [[said["grade"], 0.8], [1 - said["grade"], 0.2]]
    return json.dumps(said)


def shared(part, *, higher_is_better):
    """Whether people call a part good that the judge says this of."""
    counted = (part.value >= 0.5) is higher_is_better
    return counted and part.label not in ("hallucination", "incorrect, in no context")


@pytest.mark.slow
@pytest.mark.parametrize("judge", [{}, {task.kind: sure for task in ASKED}], ids=["plain", "sure"])
def test_people_who_share_all_verdicts_on_parts_agree_whatever_is_counted(tmp_path, judge):
    backend = scripts.plausible(**judge)
    result = assay.evaluate(towns(), BY_PARTS, backend, store=tmp_path / "parts.db")
    compared = {}
    for name in BY_PARTS:
        high = METRICS[name].higher_is_better
        rows = [
            {"id": sample.id, "place": place, "label": int(shared(part, higher_is_better=high))}
            for sample, outcome in result.outcomes(name)
            if isinstance(outcome, Score)
            for place, part in enumerate((p for p in outcome.parts if p.value is not None), 1)
        ]
        if len({row["label"] for row in rows}) == 2:
            found = agree(result, read_labels(rows), name)
            compared[name] = tuple(
                measure(found, kind).value for kind in ("AUROC", "balanced accuracy")
            )
    assert compared == dict.fromkeys(compared, (1, 1))
    assert set(compared) >= {name for name in BY_PARTS if name.startswith("ragchecker:")}
    assert len(compared) > 40


def test_every_metric_that_labels_can_be_compared_with_is_and_the_others_say_why(tmp_path):
    result = run(tmp_path, SCORES, [told, faults])
    rows = [{"id": f"s{n}", "label": v, "metric": "told"} for n, v in enumerate(LABELS)]
    found, without = agree_all(result, read_labels(rows))
    assert [one.metric for one in found] == ["told"]
    assert "no label" in without["faults"]


def test_that_samples_were_not_chosen_alike_is_said(tmp_path):
    result = run(tmp_path, SCORES)
    for chances, said in (((0.5, 0.5), False), ((0.5, 0.25), True)):
        rows = [
            {"id": f"s{n}", "label": v, "inclusion_probability": chances[n % 2]}
            for n, v in enumerate(LABELS)
        ]
        found = agree(result, read_labels(rows), "told")
        shown = " ".join(notes(found))
        assert ("unequal probabilities (`inclusion_probability`)" in shown) is said


def test_a_second_run_is_for_pairs_only(tmp_path):
    result = run(tmp_path, SCORES)
    with pytest.raises(InputError, match="labels of pairs"):
        agree(result, labels(LABELS), "told", other=result)


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e-6])
def test_a_threshold_is_found_in_whatever_unit_scores_are(tmp_path, unit):
    """Costs of less than a thousandth were all one number, and called good to the last."""
    scores = [unit * (0.6 + n / 100 if n % 2 else n / 100) for n in range(40)]
    found = agree(run(tmp_path, scores), labels([n % 2 for n in range(40)]), "told")
    assert measure(found, "balanced accuracy").value == 1
    assert 0.38 * unit < found.threshold[0] <= found.threshold[1] < 0.61 * unit
