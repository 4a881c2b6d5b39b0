"""Does a card learn from labels, tell how well it does on others, and refuse other judges?"""

import json

import numpy as np
import pytest

import assay
from assay import InputError, Part, Score
from assay._analysis.calibration import calibrate, check, load
from assay._analysis.selection import choose_examples
from assay._report.calibration import markdown, page
from assay._runner import config_files
from assay.stats.agreement import balanced_interval, f1_of_table, verdicts_interval
from assay.stats.calibration import Objective
from assay.stats.intervals import mean_interval
from assay.tasks import Verdict, VerifyStatements
from support import scripts
from support.once import evaluated


@assay.metric(needs=("answer",), guide=0.5)
def told(sample, judge):
    """The score that the sample's metadata tells."""
    said = sample.metadata.get("said", [])
    parts = [Part("statement", text, value=v, probability=p) for text, v, p in said]
    return Score(sample.metadata["score"], tuple(parts))


@assay.metric(needs=("answer",), higher_is_better=False)
def faults(sample, judge):
    """The same turned round."""
    return Score(1 - sample.metadata["score"])


def run(tmp_path, scores, metrics=told, store="a.db", **fields):
    rows = [
        {"id": f"s{n}", "answer": "a", "score": score, **{k: v[n] for k, v in fields.items()}}
        for n, score in enumerate(scores)
    ]
    return evaluated(rows, metrics, tmp_path / store)


def labels(values):
    return [{"id": f"s{n}", "label": int(v)} for n, v in enumerate(values)]


def lenient(seed, n=200):
    """A judge whose scores are good from 0.8 on only, with some noise."""
    chance = np.random.default_rng(seed)
    score = chance.random(n)
    return score.tolist(), score + chance.normal(0, 0.05, n) > 0.8


class TestCalibrate:
    @pytest.mark.parametrize(("n", "surely"), [(200, True), (24, False)])
    def test_a_threshold_of_few_labels_is_not_said_to_be_better(self, tmp_path, n, surely):
        scores, good = lenient(3, n)
        card = calibrate(run(tmp_path, scores), labels(good))
        told_so = "label more"
        assert (told_so in page(card, card.quality, held_out="held out")) is not surely

    def test_a_threshold_that_does_worse_than_the_usual_one_is_not_recommended(self, tmp_path):
        scores, _ = lenient(3, 24)
        card = calibrate(run(tmp_path, scores), labels(score > 0.5 for score in scores))
        assert card.quality.reached.value <= card.quality.before.value == 1
        shown = page(card, card.quality, held_out="held out")
        assert "no better: keep the old one, or label more" in shown
        assert "not surely better" not in shown

    def test_it_finds_the_threshold_and_says_what_it_brings(self, tmp_path):
        scores, good = lenient(0)
        card = calibrate(run(tmp_path, scores), labels(good))
        assert card.threshold == pytest.approx(0.8, abs=0.05)
        quality = card.quality
        assert quality.usual == 0.5
        assert quality.reached.interval.low > quality.before.interval.high
        assert quality.brier.value < quality.brier_before.value / 2
        assert quality.error.value < quality.error_before.value / 2

    def test_documents_make_the_reliability_diagram_less_sure(self, tmp_path):
        # Documents of ten, each of one score and good or bad as a whole.
        score = [0.1 + 0.8 * (n // 10 % 5) / 4 for n in range(200)]
        good = [(n // 50 % 2 == 0) == (n // 10 % 5 > 1) for n in range(200)]

        def spans(**fields):
            quality = calibrate(run(tmp_path, score, **fields), labels(good)).quality
            widths = [one.interval.high - one.interval.low for one in quality.bins_before]
            return np.array(widths), quality.error_by_chance

        alone, by_chance = spans()
        together, by_chance_together = spans(group=[f"d{n // 10}" for n in range(200)])
        assert (together > 1.3 * alone).all()
        assert by_chance_together > 2 * by_chance

    def test_the_metric_that_the_labels_name_need_not_be_named_again(self, tmp_path):
        scores, good = lenient(0)
        result = run(tmp_path, scores, [told, faults])
        named = [{**label, "metric": "faults"} for label in labels(good)]
        assert calibrate(result, named).metric == "faults"
        with pytest.raises(InputError, match="which metric"):
            calibrate(result, labels(good))

    def test_what_annotators_are_undecided_about_is_neither_good_nor_bad(self, tmp_path):
        scores, good = lenient(0)
        result = run(tmp_path, scores)
        split = [{"id": f"s{n}", "label": 1 - int(good[n]), "annotator": "b"} for n in range(30)]
        found = calibrate(result, [*labels(good), *split])
        rest = calibrate(result, [row for row in labels(good) if int(row["id"][1:]) >= 30])
        assert found.quality.undecided == 30
        assert (found.threshold, found.points) == (rest.threshold, rest.points)
        assert "(30 more left out: annotators undecided)" in markdown(
            found, found.quality, held_out="x"
        )
        any_of_them = calibrate(result, [*labels(good), *split], good_from=0.4)
        assert any_of_them.quality.n == 200

    @pytest.mark.slow
    def test_labels_that_have_nothing_to_do_with_scores_bring_nothing(self, tmp_path):
        scores, _ = lenient(0)
        result = run(tmp_path, scores)
        reached = []
        for seed in range(6):
            good = np.random.default_rng(seed).random(200) < 0.5
            reached.append(calibrate(result, labels(good)).quality.reached.value)
        # On the rows that it was fitted on, a threshold always looks better than chance.
        assert np.mean(reached) == pytest.approx(0.5, abs=0.03)

    def test_low_scores_may_be_the_good_ones(self, tmp_path):
        scores, good = lenient(0)
        for method in ("platt", "isotonic"):
            card = calibrate(run(tmp_path, scores, faults), labels(good), method=method)
            assert card.threshold == pytest.approx(0.2, abs=0.05)
            assert list(card.good(np.array([0.1, 0.9]))) == [True, False]
            assert card.to_probability([0.1])[0] > 0.9
            assert card.quality.reached.value > 0.85
            assert card.quality.brier_before is None

    def test_costs_move_the_threshold(self, tmp_path):
        scores, good = lenient(0)
        result = run(tmp_path, scores)
        strict = calibrate(result, labels(good), objective=Objective("cost", 20, 1))
        loose = calibrate(result, labels(good), objective=Objective("cost", 1, 20))
        assert strict.threshold > loose.threshold

    def test_statements_are_calibrated_by_their_probability(self, tmp_path):
        chances = np.linspace(0, 1, 40).tolist()
        said = [
            [(text, float(c >= 0.5), c) for text, c in (("one", p), ("two", p / 2))]
            for p in chances
        ]
        result = run(tmp_path, [1.0] * 40, said=said)
        rows = [
            {"id": f"s{n}", "statement": text, "label": int(p > 0.4)}
            for n, parts in enumerate(said)
            for text, _, p in parts
        ]
        card = calibrate(result, rows)
        assert (card.kind, card.n_groups) == ("statement", 40)
        assert card.threshold == pytest.approx(0.4, abs=0.03)
        applied = card.apply(result)
        assert [applied[0].calibrated, applied[20].calibrated, applied[-1].calibrated] == [
            0,
            0.5,
            1,
        ]

    @pytest.mark.slow
    @pytest.mark.parametrize("sure", [True, False], ids=["probabilities", "verdicts alone"])
    def test_what_a_statement_counts_as_does_not_turn_its_card_round(self, tmp_path, sure):
        result, rows = verified(tmp_path, sure=sure)
        cards = [calibrate(result, rows, name) for name in ("faithfulness", "hallucination_spans")]
        assert cards[0].threshold == cards[1].threshold
        assert cards[0].points == cards[1].points
        assert cards[0].quality == cards[1].quality
        assert cards[0].quality.before.value > 0.8
        one, other = (card.apply(result) for card in cards)
        assert [a.calibrated for a in one] == [a.calibrated for a in other]
        assert [a.probability for a in one] == [a.probability for a in other]

    def test_the_interval_of_a_balanced_accuracy_is_not_jackknifed(self, tmp_path):
        # All of the few bad ones are called bad: they may be by chance.
        scores = [0.1] * 6 + [0.2, 0.3] * 4 + [0.8, 0.9] * 18
        good = np.arange(50) >= 6
        result = run(tmp_path, scores)
        expected = balanced_interval(np.array(scores) >= 0.5, good, range(50))
        quality = calibrate(result, labels(good)).quality
        assert quality.before.interval == expected
        assert quality.reached.interval.method == expected.method
        other = calibrate(result, labels(good), objective=Objective("f1-bad")).quality
        called_good = np.array(scores) >= 0.5
        expected = verdicts_interval(f1_of_table, ~called_good, ~good, range(50))
        assert other.before.interval == expected

    def test_costs_and_squares_have_intervals_of_means(self, tmp_path):
        """Of 20 labels of which one in ten is bad the jackknife held a Brier score in 0.83."""
        scores = [0.1] * 3 + [0.2] * 2 + [0.8, 0.9] * 10
        good = np.array([0] * 3 + [1] * 2 + [1] * 19 + [0], bool)
        result, by_cost = run(tmp_path, scores), Objective("cost", 5.0, 1.0)
        quality = calibrate(result, labels(good), objective=by_cost).quality
        squares = (np.array(scores) - good) ** 2
        assert quality.brier_before.interval == mean_interval(squares, low=0, high=1)
        costs = np.array([0.0] * 3 + [1.0] * 2 + [0.0] * 19 + [5.0])
        assert quality.before.interval == mean_interval(-costs, low=-5, high=0)

    def test_that_samples_were_not_chosen_alike_is_said(self, tmp_path):
        scores, good = lenient(0)
        result = run(tmp_path, scores)
        for chances, unweighted in (((0.5, 0.5), False), ((0.5, 0.25), True)):
            rows = [
                {**row, "inclusion_probability": chances[n % 2]}
                for n, row in enumerate(labels(good))
            ]
            card = calibrate(result, rows)
            assert card.quality.unweighted is unweighted
            shown = markdown(card, card.quality, held_out="x")
            assert ("unequal probabilities (inclusion_probability)" in shown) is unweighted

    @pytest.mark.parametrize(
        ("values", "message"),
        [([1, 1, 1], "all 3 labels are good"), ([1, 0, 0], "too few to fit on some")],
    )
    def test_labels_that_teach_nothing_are_refused(self, tmp_path, values, message):
        with pytest.raises(InputError, match=message):
            calibrate(run(tmp_path, lenient(0)[0]), labels(values))


class TestTheCard:
    def test_it_is_read_as_it_was_written(self, tmp_path):
        scores, good = lenient(0)
        for method in ("platt", "isotonic"):
            card = calibrate(run(tmp_path, scores), labels(good), method=method)
            (tmp_path / "card.json").write_text(card.json(), "utf-8")
            assert load(tmp_path / "card.json") == card

    def test_it_does_as_well_on_other_samples_as_it_said(self, tmp_path):
        scores, good = lenient(0)
        card = calibrate(run(tmp_path, scores), labels(good))
        scores, good = lenient(1)
        found = check(card, run(tmp_path, scores, store="b.db"), labels(good))
        low, high = card.quality.reached.interval.low, card.quality.reached.interval.high
        assert low <= found.reached.value <= high

    def test_scores_in_the_store_stay_as_they_are(self, tmp_path):
        scores, good = lenient(0)
        result = run(tmp_path, scores)
        card = calibrate(result, labels(good))
        found = card.apply(result)
        assert [one.score for one in found] == scores == [o.value for o in result["told"]]
        assert [one.calibrated for one in found] == [float(s >= card.threshold) for s in scores]

    def test_another_judge_or_version_is_refused(self, tmp_path):
        scores, good = lenient(0)
        card = calibrate(run(tmp_path, scores), labels(good))
        with pytest.raises(InputError, match="the card is about told"):
            card.apply(run(tmp_path, scores, faults, store="b.db"))
        text = card.json().replace("assay=", "assay=9.")
        (tmp_path / "card.json").write_text(text, "utf-8")
        with pytest.raises(InputError, match="for another judge or version: assay=9"):
            load(tmp_path / "card.json").apply(run(tmp_path, scores))

    def test_another_file_is_refused(self, tmp_path):
        (tmp_path / "card.json").write_text('{"metric": "told"}', "utf-8")
        with pytest.raises(InputError, match="is no calibration card"):
            load(tmp_path / "card.json")


class TestHowItIsShown:
    def test_tables_and_picture_hold_the_bins(self, tmp_path):
        scores, good = lenient(0)
        card = calibrate(run(tmp_path, scores), labels(good))
        shown = page(card, card.quality, held_out="held out")
        assert shown.count('class="dot"') == len(card.quality.bins)
        assert shown.count('class="raw"') == len(card.quality.bins_before)
        table = markdown(card, card.quality, held_out="held out")
        assert table.count("\n| ") >= len(card.quality.bins) + 5

    def test_names_of_others_are_no_markup(self, tmp_path):
        scores, good = lenient(0)
        card = calibrate(run(tmp_path, scores), labels(good))
        text = card.json().replace('"labels in memory"', '"<script>alert(1)</script>"')
        (tmp_path / "card.json").write_text(text, "utf-8")
        card = load(tmp_path / "card.json")
        assert "<script>" not in page(card, card.quality, held_out="held out")


def verified(tmp_path, *, sure, n=40):
    """A run of two metrics that share their verdicts, and labels that mostly agree with these."""
    supported = {f"Thing {i} is {c}.": (i * 7 + c) % 3 > 0 for i in range(n) for c in (1, 2)}

    def verdicts(task):
        said = [
            Verdict(s.id, supported[s.text], probability=chance(s.text) if sure else None)
            for s in task.statements
        ]
        return VerifyStatements.reply(said)

    def chance(text):
        certain = 0.55 + 0.04 * (int(text.split()[1]) % 10)
        return certain if supported[text] else 1 - certain

    rows = [
        {
            "id": f"s{i}",
            "question": "?",
            "contexts": ["Something."],
            "answer": f"Thing {i} is 1. Thing {i} is 2.",
        }
        for i in range(n)
    ]
    judge = assay.Scripted({"split_statements": scripts.by_sentence, "verify_statements": verdicts})
    names = ["faithfulness", "hallucination_spans"]
    result = assay.evaluate(rows, names, judge, store=tmp_path / "verified.db")
    said = [
        {"id": f"s{text.split()[1]}", "statement": text, "label": int(good != (place % 9 == 0))}
        for place, (text, good) in enumerate(supported.items())
    ]
    return result, said


TRUE, FALSE = "The tower is tall.", "The tower is green."


def judged(tmp_path, n=6):
    rows = [
        {
            "id": f"s{i}",
            "question": "What is it like?",
            "contexts": [f"Number {i}: the tower is tall and grey."],
            "answer": f"{TRUE} {FALSE}",
        }
        for i in range(n)
    ]
    split = {"statements": [{"text": TRUE, "source": ""}, {"text": FALSE, "source": ""}]}
    script = {
        "split_statements": json.dumps(split),
        "verify_statements": scripts.verify(*[True] * 2),
    }
    return assay.evaluate(rows, "faithfulness", assay.Scripted(script), store=tmp_path / "a.db")


class TestExamples:
    def test_they_say_what_people_said_where_the_judge_was_wrong(self, tmp_path):
        rows = [
            {"id": f"s{i}", "statement": text, "label": int(text == TRUE)}
            for i in range(6)
            for text in (TRUE, FALSE)
        ]
        found = choose_examples(judged(tmp_path), rows, n=3)
        assert len(set(found.samples)) == 3
        assert not found.one_sided
        for example, sample in zip(found.examples, found.samples, strict=True):
            assert f"Number {sample[1:]}:" in example.given
            verdicts = json.loads(example.reply)["verdicts"]
            assert [(v[0], v[-1]) for v in verdicts] == [("s1", "c1"), ("s2", "unsupported")]

    def test_the_file_is_a_prompts_file_that_names_the_samples(self, tmp_path):
        found = choose_examples(judged(tmp_path), labels([1] * 6), n=2)
        (tmp_path / "p.toml").write_text(found.prompts(), "utf-8")
        template = config_files.read_prompts(tmp_path / "p.toml")["verify_statements"]
        assert template.examples[-2:] == found.examples
        assert all(f'"{sample}"' in found.prompts() for sample in found.samples)
        assert found.one_sided

    def test_material_stands_within_its_fence(self, tmp_path):
        (example,) = choose_examples(judged(tmp_path), labels([1] * 6), n=1).examples
        assert example.given.startswith("context c1:\n<<<")

    def test_labels_that_tell_no_verdict_and_annotators_at_odds_are_left_out(self, tmp_path):
        result = judged(tmp_path)
        with pytest.raises(InputError, match="no label tells the verdict"):
            choose_examples(result, labels([0] * 6))  # which of its two statements is wrong?
        odd = [{"id": "s0", "statement": TRUE, "label_a": 1, "label_b": 0}]
        with pytest.raises(InputError, match="no label tells the verdict"):
            choose_examples(result, odd)

    def test_a_metric_without_verdicts_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="asks for no verdicts"):
            choose_examples(run(tmp_path, [1.0]), labels([1]))
