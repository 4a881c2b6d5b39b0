"""The analyses as `import assay` offers them; the methods of a result hand over to them."""

import inspect
from types import SimpleNamespace

import pytest

import assay
from assay.score import Readable
from support.given import Given, Loss, told
from support.over import over

SCORES = [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6]
LABELS = [{"id": f"q{n}", "label": int(score > 0.5)} for n, score in enumerate(SCORES)]


@pytest.fixture
def result(db):
    return told(SCORES, db)


@pytest.fixture
def other(tmp_path):
    return told([1 - score for score in SCORES], tmp_path / "other.db")


def test_agreement_takes_rows_of_labels_and_the_only_metric(result):
    found = assay.agree(result, LABELS)
    assert (found.metric, found.n, found.measures[0].value) == ("given", len(SCORES), 1.0)


def test_which_of_several_metrics_is_meant_has_to_be_said(db):
    result = told(SCORES, db, [Given(), Loss()])
    with pytest.raises(assay.InputError, match="which metric"):
        assay.agree(result, LABELS)


def test_a_mean_is_corrected_and_a_threshold_calibrated(result):
    assert assay.correct(result, LABELS).corrected.n_labelled == len(SCORES)
    assert 0.4 < assay.calibrate(result, LABELS).threshold <= 0.6


def test_rules_series_and_items(result, other):
    gate = assay.gate(result, assay.Rules(min={"given": 0.9}, on="mean"))
    assert [check.verdict for check in gate.checks] == ["fail", "pass"]
    assert [one.metric for one in assay.history(result.path).series] == ["given"]
    assert len(assay.items([result, other], threshold=0.5).questions) == len(SCORES)


def test_methods_of_a_result_are_the_functions(result, other, tmp_path):
    assert result.compare(other, most=0) == assay.compare(result, other, most=0)
    assert result.diagnose(within=2) == assay.diagnose(result, within=2)
    written = result.report(tmp_path / "a.html")
    again = assay.write_report(result, tmp_path / "b.html")
    assert written.read_text("utf-8") == again.read_text("utf-8")


@over(
    ("one", "other", "internal"),
    [
        (assay.Result.compare, assay.compare, {"called"}),
        (assay.Result.diagnose, assay.diagnose, set()),
        (assay.repeat, assay.arepeat, set()),
    ],
)
def test_what_hands_over_takes_the_same_arguments(one, other, internal):
    ours, theirs = ({**inspect.signature(each).parameters} for each in (one, other))
    defaults = [
        {name: p.default for name, p in each.items() if p.kind is p.KEYWORD_ONLY}
        for each in (ours, theirs)
    ]
    assert defaults[0] == {name: d for name, d in defaults[1].items() if name not in internal}
    assert not any(p.kind is p.VAR_KEYWORD for p in ours.values())


def test_a_notebook_shows_results_summaries_and_traces(result):
    for value in (result, result.summary(), result.trace("q0", "given")):
        assert value._repr_html_() == assay.notebook_html(value)


def test_findings_print_in_a_few_lines_and_a_notebook_shows_these(result, other):
    lines: list[tuple[Readable, str]] = [
        (assay.agree(result, LABELS), "given and people's labels: 8 samples, people call 50% good"),
        (assay.correct(result, LABELS), "the 8 labels alone: 0.50 ("),
        (assay.calibrate(result, LABELS), "given: good where >= 0."),
        (assay.items([result, other], threshold=0.5), "given: right where >= 0.5"),
        (assay.history(result.path), "given 1 20"),
        (assay.compare(result, other), "given of list in memory"),
        (assay.diagnose(result), "none of 8 samples could be checked"),
        (assay.gate(result, assay.Rules(min={"given": 0.1})), "pass: given: >= 0.1"),
        (result["given"][0], "0.10"),
        (assay.Unscored("undefined", "no answer"), "undefined: no answer"),
    ]
    for found, line in lines:
        shown: list[str] = []
        # IPython prefers the repr of a class to a method that the class inherits.
        show = vars(type(found))["_repr_pretty_"]
        show(found, SimpleNamespace(text=shown.append), cycle=False)
        assert shown == [str(found)]
        assert line in str(found)
        assert "(metric=" not in str(found)


def test_of_an_error_a_notebook_shows_the_users_own_line_and_none_of_ours(result):
    with pytest.raises(assay.InputError) as caught:
        result.trace("q0", "nowhere")
    shown = caught.value._render_traceback_()
    assert len(shown) == 2
    assert 'result.trace("q0", "nowhere")' in shown[0]
    assert shown[1] == f"InputError: {caught.value}"


def test_a_score_prints_with_the_count_of_its_labels():
    parts = [assay.Part("statement", "...", label) for label in ("supported", "other", "supported")]
    assert str(assay.Score(2 / 3, tuple(parts))) == "0.67 (2 supported, 1 other)"


@over(
    "call",
    [
        lambda result: assay.compare(result, "last"),
        lambda result: assay.compare("assay.db", result),
        lambda result: assay.diagnose("last"),
        lambda result: assay.gate("last", assay.Rules(min={"given": 0.5})),
        lambda result: assay.gate(result, assay.Rules(min={"given": 0.5}), "last"),
        lambda result: assay.agree("last", LABELS),
        lambda result: assay.correct("last", LABELS),
        lambda result: assay.repeat("last"),
        lambda result: assay.items([result, "last"]),
    ],
)
def test_the_name_of_a_run_is_no_result(call, result):
    with pytest.raises(assay.InputError, match=r"is not an assay\.Result -> open a stored run"):
        call(result)


def test_rules_that_are_a_dict_are_refused(result):
    with pytest.raises(assay.InputError, match=r"such as assay\.Rules\(min="):
        assay.gate(result, {"min": {"given": 0.5}})  # type: ignore[arg-type]


@over("name", ["evaluate", "verify", "verify_many", "repeat", "sweep", "robustness"])
def test_the_function_that_people_call_says_what_its_arguments_are(name):
    function = getattr(assay, name)
    parts = inspect.getdoc(function).partition("\nArgs:\n")
    assert [p for p in inspect.signature(function).parameters if f"    {p}: " not in parts[2]] == []
