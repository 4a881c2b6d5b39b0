"""Planted weaknesses are found, nothing is asked twice; a system asked again with right contexts."""

import pytest

from assay import (
    Denied,
    InputError,
    Result,
    RobustnessSettings,
    Scripted,
    evaluate,
    regenerate,
    robustness,
)
from support import scripts, towers

PRESENT = "string_presence"
ROWS = towers.rows(40)


def rated(task):
    return scripts.rating(1, noncommittal="do not know" in task.answer)


RATER = Scripted({"rate_answer": rated})


def findings(found, metric=PRESENT):
    return {one.perturbation: one.finding for one in found.curves if one.metric == metric}


class Recorder:
    """A system that notes what it is asked, by the number of the tower."""

    def __init__(self, answer=towers.weak):
        self.answer, self.asked = answer, []

    def __call__(self, question, contexts):
        self.asked.append((question, contexts))
        return self.answer(question, contexts)


def asked_under(db, vary, rows=None, **options):
    """What a system is asked beside the unperturbed questions, and what was found."""
    system, rows = Recorder(), rows or ROWS[:6]
    settings = RobustnessSettings(vary=vary, **options)
    found = robustness(rows, system, PRESENT, RATER, store=db, settings=settings)
    given = [(row["question"], list(row["contexts"])) for row in rows]
    return [one for one in system.asked if one not in given], found


VARY = {
    "noise": [0.4, 0.8],
    "position": ["last"],
    "removed": ["replaced"],
    "contradicted": [],
    "typos": [0.5],
    "letters": ["upper"],
    "keywords": [],
}
METRICS = (
    PRESENT,
    f"noise_robustness(metric={PRESENT})",
    f"counterfactual_robustness(metric={PRESENT})",
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What is found of the system with weaknesses, and of the one without."""
    db, settings = tmp_path_factory.mktemp("towers") / "assay.db", RobustnessSettings(vary=VARY)
    return tuple(
        robustness(ROWS, system, METRICS, RATER, store=db, settings=settings)
        for system in (towers.weak, towers.careful)
    )


class TestWhatIsFound:
    @pytest.mark.slow
    def test_planted_weaknesses_are_and_a_robust_system_shows_no_drop(self, found):
        weak, careful = (findings(one) for one in found)
        assert weak["noise"].startswith("drops from 0.4 on, by 0.")
        assert weak["position"] == "drops at last by 1.00"
        assert weak["contradicted"] == "drops at beside, instead, by 1.00 at instead"
        assert weak["typos"].startswith("drops at 0.5 by 0.")
        assert weak["letters"] == weak["keywords"] == "no drop seen"
        # Where the right fact stands nowhere, no system that goes by its contexts can give it.
        assert careful.pop("contradicted") == "drops at instead by 1.00"
        assert set(careful.values()) == {"no drop seen"}

    @pytest.mark.slow
    def test_a_system_that_never_declines_is_told_from_one_that_does(self, found):
        for one, said, share in zip(
            found, ("does not decline", "declines"), (0.0, 1.0), strict=True
        ):
            (curve,) = [c for c in one.curves if c.perturbation == "removed"]
            assert (curve.metric, curve.finding) == ("negative_rejection", said)
            (point,) = curve.points
            assert (point.n, point.mean, point.baseline) == (40, share, 0.0)

    @pytest.mark.slow
    def test_one_that_follows_contradicted_contexts_is_told_from_one_that_notices(self, found):
        weak, careful = (
            next(c for c in one.curves if c.metric == "follows_contexts") for one in found
        )
        beside, instead = weak.points
        assert 0.2 < beside.mean < 0.8  # whichever comes first
        assert (instead.mean, instead.verdict) == (1.0, "mostly")
        share = f"in {beside.mean * beside.n:.0f} of {beside.n}"
        assert weak.finding == (
            f"beside: follows the altered fact {share}; instead: follows the altered fact"
        )
        assert [point.mean for point in careful.points] == [0.0, 1.0]
        assert careful.finding == "beside: does not follow it; instead: follows the altered fact"

    @pytest.mark.slow
    def test_metrics_of_variants_need_none_made_by_hand(self, found):
        weak, _ = found
        noise, counterfactual = weak.combined
        points = next(one for one in weak.curves if one.perturbation == "noise").points
        drop = -sum(point.difference for point in points) / len(points)
        assert (noise.n, noise.mean) == (40, pytest.approx(drop))
        assert (counterfactual.n, counterfactual.mean) == (40, pytest.approx(0.25, abs=0.15))
        sample, _ = next(Result(weak.store, noise.run).outcomes(noise.metric))
        assert [(one.kind, one.ratio) for one in sample.variants] == [
            *(("noise", 0.4), ("noise", 0.8)),
            *(("counterfactual", None), ("counterfactual", None)),
        ]

    @pytest.mark.slow
    def test_all_differences_of_a_curve_hold_together(self, found):
        noise = next(one for one in found[0].curves if one.perturbation == "noise")
        assert [p.difference_interval.level for p in noise.points] == [pytest.approx(0.975)] * 2

    def test_few_questions_leave_it_undecided(self, db):
        settings = RobustnessSettings(vary={"noise": [0.4]})
        found = robustness(ROWS[:5], towers.careful, PRESENT, store=db, settings=settings)
        assert findings(found) == {"noise": "undecided"}
        wide = RobustnessSettings(vary={"noise": [0.4]}, margin=0.9)
        assert findings(robustness(ROWS[:5], towers.careful, PRESENT, store=db, settings=wide)) == {
            "noise": "no drop seen"
        }

    def test_metrics_of_variants_alone_make_no_curve(self, db):
        with pytest.raises(InputError, match="several answers of a sample"):
            robustness(ROWS, towers.weak, METRICS[1], store=db)


class TestTheRules:
    def test_a_higher_noise_level_has_the_noise_of_a_lower_one_and_keeps_the_order(self, db):
        asked, _ = asked_under(db, {"noise": [0.4, 0.8]})
        for row in ROWS[:6]:
            low, high = sorted((c for q, c in asked if q == row["question"]), key=len)
            assert (len(low), len(high)) == (5, 15)
            assert set(low) < set(high)
            for contexts in (low, high):
                assert [text for text in contexts if text in row["contexts"]] == row["contexts"]
                assert sum(row["reference"] in text for text in contexts) == 1

    def test_noise_may_be_a_number_of_passages(self, db):
        asked, _ = asked_under(db, {"noise": [2]})
        assert {len(contexts) for _, contexts in asked} == {5}

    def test_no_passage_of_the_same_group_is_noise(self, db):
        rows = [{**row, "group": "one" if at < 3 else "two"} for at, row in enumerate(ROWS[:6])]
        asked, _ = asked_under(db, {"noise": [2]}, rows)
        for question, contexts in asked:
            group = range(3) if question in [row["question"] for row in rows[:3]] else range(3, 6)
            own = next(row["contexts"] for row in rows if row["question"] == question)
            noise = [text for text in contexts if text not in own]
            assert not any(f"Place{at}town" in text for text in noise for at in group)

    def test_the_relevant_passage_moves(self, db):
        asked, _ = asked_under(db, {"position": ["middle", "last", 2]})
        places = [[row["reference"] in text for text in c].index(True)
                  for row in ROWS[:6] for q, c in asked if q == row["question"]]  # fmt: skip
        assert sorted(places) == [1] * 6 + [2] * 6  # the middle is rank 2, asked once

    def test_relevance_is_known_from_ids_or_from_the_reference_itself(self, db):
        texts = [{k: v for k, v in row.items() if k != "reference_contexts"} for row in ROWS[:6]]
        ids = [
            {**row, "reference": "something else", "context_ids": list("abc")}
            | {"reference_context_ids": ["a"]}
            for row in texts
        ]
        for name, rows in (("texts.db", texts), ("ids.db", ids)):
            asked, _ = asked_under(db.with_name(name), {"removed": ["left_out"]}, rows)
            assert sorted(c for _, c in asked) == sorted(row["contexts"][1:] for row in ROWS[:6])

    def test_what_is_removed_may_be_replaced_by_noise(self, db):
        asked, _ = asked_under(db, {"removed": ["replaced"]})
        assert len(asked) == 6
        for question, contexts in asked:
            (row,) = [row for row in ROWS[:6] if row["question"] == question]
            assert contexts[1:] == row["contexts"][1:]
            assert contexts[0] not in row["contexts"]

    def test_a_number_becomes_another_number_and_a_name_another_name(self, db):
        asked, found = asked_under(db, {"contradicted": ["instead"]})
        for row in ROWS[:6]:
            right, altered = found.altered[row["id"]]
            assert right == row["reference"] != altered
            assert right.isdigit() == altered.isdigit()
            assert right.isdigit() or altered in towers.NAMES
            (contexts,) = [c for q, c in asked if q == row["question"]]
            assert contexts == [text.replace(right, altered) for text in row["contexts"]]

    def test_questions_are_misspelt_put_in_capitals_and_cut_to_keywords(self, db):
        question = ROWS[0]["question"]
        for vary, written in (
            ({"letters": ["upper"]}, [question.upper()]),
            ({"keywords": []}, ["tower Place0town finished"]),
        ):
            asked, _ = asked_under(db, vary, ROWS[:1])
            assert [q for q, _ in asked] == written
        asked, _ = asked_under(db, {"typos": [0.2, 1.0]}, ROWS[:1])
        few, many = (
            [a for a, b in zip(q.split(), question.split(), strict=True) if a != b]
            for q, _ in asked
        )
        assert (len(few), len(many)) == (1, 3)
        assert set(few) < set(many)

    def test_few_contexts_are_filled_up(self, db):
        rows = [{**row, "contexts": row["contexts"][:1]} for row in ROWS[:6]]
        asked, found = asked_under(db, {"position": ["last"]}, rows, fill=4)
        assert {len(contexts) for _, contexts in asked} == {4}
        own = {row["question"]: row["contexts"][0] for row in rows}
        places = [contexts.index(own[question]) for question, contexts in asked]
        assert sorted(places) == [0] * 6 + [3] * 6
        assert found.levels[0].n == 6

    @pytest.mark.slow
    def test_another_seed_draws_otherwise_and_the_same_one_alike(self, db):
        vary = {"noise": [0.4], "typos": [0.3], "contradicted": ["instead"]}
        first, _ = asked_under(db, vary)
        other, _ = asked_under(db, vary, seed=1)
        assert first != other
        again, _ = asked_under(db.with_name("again.db"), vary)
        assert sorted(again) == sorted(first)


class TestWhatItAppliesTo:
    def test_only_such_rows_are_used_and_the_others_counted_with_the_reason(self, db):
        rows = [*ROWS[:4], {"id": "bare", "question": "What is it?", "reference": "a thing"}]
        rows.append({**ROWS[4], "id": "unknown", "reference": "x", "reference_contexts": None})
        vary = {"noise": [0.4], "position": ["last"], "contradicted": ["instead"]}
        _, found = asked_under_rows(db, rows, vary)
        left_out = {one.perturbation: (one.n, dict(one.left_out)) for one in found.levels}
        assert left_out["noise"] == (5, {"it has no contexts": 1})
        assert left_out["position"] == (
            4,
            {
                "it has no contexts": 1,
                "which of its contexts are relevant is not known": 1,
            },
        )
        assert left_out["contradicted"][0] == 4
        for curve in found.curves:
            assert all(point.n == left_out[curve.perturbation][0] for point in curve.points)

    def test_another_context_that_holds_the_reference_keeps_it_from_being_removed(self, db):
        rows = [dict(row) for row in ROWS[:4]]
        rows[0]["contexts"] = [*rows[0]["contexts"], f"It was {rows[0]['reference']} then."]
        _, found = asked_under(db, {"removed": ["left_out"]}, rows)
        reason = "another of its contexts holds the reference, too"
        assert [(one.n, dict(one.left_out)) for one in found.levels] == [(3, {reason: 1})]

    def test_a_question_without_words_for_it_is_left_out(self, db):
        rows = [*ROWS[:2], {**ROWS[2], "question": "塔はいつ完成しましたか"}]
        _, found = asked_under(db, {"typos": [0.5], "letters": ["upper"], "keywords": []}, rows)
        assert [one.n for one in found.levels] == [2, 2, 2]


def asked_under_rows(db, rows, vary):
    system = Recorder(lambda question, contexts: "It is there.")
    return system, robustness(
        rows, system, PRESENT, store=db, settings=RobustnessSettings(vary=vary)
    )


class TestTheStore:
    def test_the_same_call_asks_nothing_again_and_a_further_level_only_what_is_new(self, db):
        system = Recorder()
        settings = RobustnessSettings(vary={"noise": [0.4], "position": ["first"]})
        first = robustness(ROWS[:6], system, PRESENT, store=db, settings=settings)
        assert [(one.asked, one.reused) for one in first.levels] == [(6, 0), (0, 6)]
        again = robustness(ROWS[:6], system, PRESENT, store=db, settings=settings)
        assert [(one.asked, one.reused) for one in again.levels] == [(0, 6), (0, 6)]
        assert again.curves == first.curves
        more = RobustnessSettings(vary={"noise": [0.4, 0.8]})
        further = robustness(ROWS[:6], system, PRESENT, store=db, settings=more)
        assert [one.asked for one in further.levels] == [0, 6]
        assert len(system.asked) == 18

    def test_every_level_is_a_run_with_its_level_as_parameter(self, db):
        found = robustness(
            ROWS[:6],
            towers.weak,
            PRESENT,
            store=db,
            settings=RobustnessSettings(vary={"typos": [0.5]}),
        )
        run = Result(db, found.levels[0].run).run
        assert (dict(run.params), run.tags) == ({"typos": 0.5}, ("robustness",))
        sample, _ = next(Result(db, run.id).outcomes(PRESENT))
        assert sample.question == ROWS[0]["question"]
        assert sample.metadata["asked"] != sample.question

    def test_a_question_that_fails_is_told_and_left_out(self, db):
        def fails(question, contexts):
            if len(contexts) > 3 and "Place1town" in question:
                raise LookupError("too long")
            return towers.careful(question, contexts)

        settings = RobustnessSettings(vary={"noise": [0.4]})
        found = robustness(ROWS[:6], fails, PRESENT, store=db, settings=settings)
        assert found.levels[0].failures == 1
        assert found.curves[0].points[0].n == 5


class TestTargets:
    def test_an_argument_with_a_default_is_given_the_contexts_too(self, db):
        def answer(question, k=3, contexts=None):
            assert contexts is not None
            return towers.weak(question, contexts[:k])

        settings = RobustnessSettings(vary={"noise": [0.4]})
        assert (
            robustness(ROWS[:6], answer, PRESENT, store=db, settings=settings).baseline[0].mean
            == 1.0
        )

    def test_one_that_retrieves_for_itself_can_be_asked_perturbed_questions(self, db):
        def answer(question):
            return next((row["reference"] for row in ROWS if row["question"] == question), "None.")

        with pytest.raises(InputError, match=r"is given no contexts, and noise would change them"):
            robustness(
                ROWS, answer, PRESENT, store=db, settings=RobustnessSettings(vary={"noise": []})
            )
        settings = RobustnessSettings(vary={"letters": ["upper"]})
        found = robustness(ROWS, answer, PRESENT, store=db, settings=settings)
        assert findings(found) == {"letters": "drops at upper by 1.00"}

    def test_reference_contexts_stand_for_contexts_that_are_missing(self, db):
        rows = [{k: v for k, v in row.items() if k != "contexts"} for row in ROWS[:6]]
        settings = RobustnessSettings(vary={"noise": [1]})
        assert robustness(rows, towers.weak, PRESENT, store=db, settings=settings).levels[0].n == 6


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ({}, "nothing is varied"),
        ({"nose": []}, "'nose' is not a perturbation"),
        ({"noise": [0]}, "'0' is no level of noise"),
        ({"noise": [1.5]}, "'1.5' is no level of noise"),
        ({"noise": ["much"]}, "'much' is no level of noise"),
        ({"position": ["top"]}, "first, middle, last or a rank from 1"),
        ({"typos": [2]}, "give a share of its words"),
        ({"removed": ["all"]}, "left_out or replaced"),
        ({"position": [9]}, "no perturbation applies to any sample"),
        ({"wording": []}, "'wording' is named without levels"),
        ({"wording": ["german"]}, "no perturbation applies to any sample"),
    ],
)
def test_what_cannot_be_varied_is_refused_before_anything_is_asked(db, vary, said):
    system = Recorder()
    with pytest.raises(InputError, match=said):
        robustness(ROWS[:6], system, PRESENT, store=db, settings=RobustnessSettings(vary=vary))
    assert system.asked == []


def test_questions_of_another_column_are_asked_and_scored_as_the_one_that_was_meant(db):
    rows = [{**row, "german": f"Wann? {row['question']}"} for row in ROWS[:8]]
    rows[0]["german"] = None
    asked, found = asked_under(db, {"wording": ["german"]}, rows)
    (level,) = found.levels
    assert (level.n, level.left_out) == (7, {"it has no question in that column": 1})
    assert [question[:5] for question, _ in asked] == ["Wann?"] * 7
    assert found.curves[0].points[0].n == 7, "scored beside the question that was meant"


def test_data_without_contexts_are_refused(db):
    rows = [{"question": "When?", "reference": "1889"}]
    with pytest.raises(InputError, match="no sample has contexts"):
        robustness(rows, towers.weak, PRESENT, store=db)


IN_CONTEXTS = "string_presence"


def badly_retrieved(n):
    """Samples whose right context was retrieved last, and answered by the weak system."""
    rows = []
    for row in towers.rows(n):
        right, *others = row["contexts"]
        contexts = [*others, right]
        answer = towers.weak(row["question"], contexts)
        rows.append({**row, "contexts": contexts, "answer": answer})
    return rows


def gains(found):
    (curve,) = found.curves
    return {point.level: point for point in curve.points}


def test_a_system_that_retrieval_alone_lets_down_gains_all_of_it(db):
    result = evaluate(badly_retrieved(20), IN_CONTEXTS, store=db)
    found = regenerate(result, towers.weak)
    (point,) = gains(found).values()
    assert (point.baseline, point.mean, point.difference, point.n) == (0.0, 1.0, 1.0, 20)
    assert 0.5 < point.difference_interval.low < point.difference_interval.high == 1.0
    assert (found.n, found.asked, found.failures) == (20, 40, 0)
    again = regenerate(result, towers.weak)
    assert (again.asked, again.reused, again.curves) == (0, 40, found.curves)


def test_one_that_retrieval_does_not_harm_gains_nothing(db):
    result = evaluate(badly_retrieved(20), IN_CONTEXTS, store=db)
    (point,) = gains(regenerate(result, towers.careful)).values()
    assert point.difference == 0.0


def test_each_wrong_context_is_left_out_by_itself(db):
    # Without the market or the river the right one is among the two that are read.
    result = evaluate(badly_retrieved(6), IN_CONTEXTS, store=db)
    found = regenerate(result, towers.weak, each_wrong=True)
    point = gains(found)["without a wrong one"]
    assert (point.difference, point.n) == (1.0, 6)
    assert found.asked == 6 + 6 + 12


def test_samples_without_reference_contexts_are_left_out(db):
    rows = badly_retrieved(6)
    del rows[0]["reference_contexts"]
    assert regenerate(evaluate(rows, IN_CONTEXTS, store=db), towers.weak).n == 5


@pytest.mark.parametrize(
    ("metric", "lacks", "target", "said"),
    [
        (IN_CONTEXTS, "reference_contexts", towers.weak, "both contexts and reference_contexts"),
        (IN_CONTEXTS, "", lambda question: "1889", "is given no contexts"),
        ("latency", "", towers.weak, "no metric that another answer can be scored by"),
    ],
)
def test_what_cannot_be_asked_again_is_refused(db, metric, lacks, target, said):
    rows = [{**row, "latency_ms": 3.0} for row in badly_retrieved(3)]
    for row in rows:
        row.pop(lacks, None)
    result = evaluate(rows, metric, store=db)
    with pytest.raises(InputError, match=said):
        regenerate(result, target)


def test_a_system_that_refuses_ends_it(db):
    def denies(question, contexts):
        raise Denied("no")

    with pytest.raises(Denied):
        regenerate(evaluate(badly_retrieved(2), IN_CONTEXTS, store=db), denies)
