"""A metric of the user's own: from a function, by its place, with its errors."""

import functools
import json
import os
import pickle
import re
import subprocess
import sys

import pytest

import assay
from assay.errors import InputError
from assay.judges.code_digest import class_digest
from assay.metrics import METRICS, parse, resolve
from assay.score import Part, Score, Unscored
from support import own_metrics
from support.over import over
from support.own_metrics import Short, brevity, committed, failing
from support.scripts import plausible, rating, sample, samples, score

MODULE = "support.own_metrics"


def made(function, **about):
    return assay.metric(**{"name": "made", "needs": ("answer",), **about})(function)


class TestFunctions:
    async def test_a_bare_number_is_kept_with_the_text_that_it_was_computed_from(self):
        found = await score(brevity, sample(answer="Paris it is, without a doubt."), plausible())
        part = Part("answer", "Paris it is, without a doubt.", "computed", 4 / 6)
        assert found == Score(4 / 6, (part,))

    async def test_it_may_ask_a_judge(self):
        said = {"rate_answer": rating(0.3, noncommittal=True)}
        assert (await score(committed, sample(), said)).value == 0.0

    @over("given", [Score(0.25, (Part("word", "a"),)), Unscored("undefined", "not for these")])
    async def test_a_score_or_the_lack_of_one_is_left_as_it_is(self, given):
        assert await score(made(lambda sample: given), sample(), plausible()) == given

    async def test_the_evidence_of_one_that_needs_metadata_is_that_metadata(self):
        stars = made(lambda sample: sample.metadata["stars"] / 5, needs=("stars",))
        found = await score(stars, sample(metadata={"stars": 4}), plausible())
        assert found == Score(0.8, (Part("stars", "4", "computed", 0.8),))

    @over("value", [float("nan"), float("inf"), -float("inf")])
    async def test_a_number_that_is_not_finite_is_an_error_that_names_the_metric(self, value):
        with pytest.raises(InputError, match=f"made returned {value} -> where there is no"):
            await score(made(lambda sample: value), sample(), plausible())

    @over("value", [None, "a", [1.0], (0.5, "why")])
    async def test_what_is_no_number_is_an_error_that_names_the_metric(self, value):
        with pytest.raises(InputError, match=r"made returned .* -> return a number"):
            await score(made(lambda sample: value), sample(), plausible())

    async def test_of_a_long_text_in_place_of_a_number_the_beginning_is_shown(self):
        with pytest.raises(InputError) as caught:
            await score(made(lambda sample: "a" * 10_000), sample(), plausible())
        assert len(str(caught.value)) < 300

    def test_it_tells_all_that_a_metric_tells(self):
        assert isinstance(committed, assay.Metric)
        assert (committed.name, committed.label, committed.guide) == ("committed", "committed", 0.5)
        assert committed.needs == ("question", "answer")
        assert [kind.kind for kind in committed.tasks] == ["rate_answer"]
        assert committed.range == (0.0, 1.0)
        assert type(committed).__doc__ == "Whether the answer commits itself."
        assert failing.needs == ("answer",), "one field needs no tuple"

    def test_it_can_be_called_as_the_function_that_it_was(self):
        assert brevity(sample(answer="Paris it is, without a doubt.")) == 4 / 6

    def test_it_is_a_value_that_survives_pickling(self):
        assert pickle.loads(pickle.dumps(brevity)) is brevity
        assert brevity == brevity
        assert brevity != committed
        assert hash(brevity) == hash(brevity)

    @over("function", [lambda: 1.0, lambda a, b, c: 1.0, len, 3])
    def test_what_cannot_be_called_with_a_sample_is_refused(self, function):
        with pytest.raises(InputError, match="made: "):
            made(function)

    @over("name", ["two words", "a(b)", "a,b"])
    def test_a_name_that_could_not_be_typed_is_refused(self, name):
        with pytest.raises(InputError, match="a metric cannot be called"):
            made(lambda sample: 1.0, name=name)

    def test_a_decorator_without_its_parentheses_is_told(self):
        with pytest.raises(InputError, match=r"was given <function .* -> write @assay\.metric\("):
            assay.metric(lambda sample: 1.0)

    def test_a_range_the_wrong_way_round_is_refused(self):
        with pytest.raises(InputError, match="its range is 1 to 0"):
            made(lambda sample: 1.0, range=(1, 0))


class TestRuns:
    def test_it_runs_beside_the_others_and_its_signature_names_its_code(self, db):
        given = [brevity, committed, "faithfulness", Short()]
        result = assay.evaluate(samples(2), given, plausible(), store=db)
        assert list(result.run.metrics) == ["brevity", "committed", "faithfulness", "short"]
        assert "|code=" in result.run.metrics["brevity"]
        assert "|rate_answer=plausible|code=" in result.run.metrics["committed"]
        assert (
            result.run.config["about"]["brevity"]["doc"] == "1 for an answer of at most four words."
        )

    def test_a_number_that_is_none_fails_its_sample_alone(self, db):
        first, second = assay.evaluate(samples(2), [failing], plausible(), store=db)["failing"]
        assert isinstance(first, assay.Score)
        assert second.reason.startswith("failed: failing returned nan -> where there is no number")

    @over("is_async", [False, True])
    def test_any_error_within_it_fails_its_sample_and_tells_the_line(self, db, is_async):
        def clumsy(sample):
            return json.loads(sample.metadata["stars"])

        async def clumsy_later(sample):
            return clumsy(sample)

        data = [{"id": stars, "answer": "x", "stars": stars} for stars in ("1", "*")]
        own = made(clumsy_later if is_async else clumsy)
        scored, failed = assay.evaluate(data, own, plausible(), store=db)["made"]
        assert scored.value == 1.0
        line = clumsy.__code__.co_firstlineno + 1
        told = r"JSONDecodeError: Expecting value: .* \(test_metrics_custom\.py, line %d\)"
        assert re.fullmatch(told % line, failed.detail)

    def test_what_an_error_says_is_cut_short(self, db):
        def clumsy(sample):
            raise ValueError("a" * 10_000)

        (failed,) = assay.evaluate(samples(1), made(clumsy), plausible(), store=db)["made"]
        assert len(failed.detail) < 300

    def test_rows_that_lack_what_it_needs_are_named_before_the_run(self, db):
        with pytest.raises(InputError, match="stars"):
            assay.evaluate(samples(1), made(lambda s: 1.0, needs=("stars",)), plausible(), store=db)


class TestDigest:
    """The signature changes with the code, however the code changes."""

    SOURCE = "LEAST = 1\ndef help(s):\n    return s + 1\ndef f(s):\n    return help(s) * LEAST\n"

    def digest(self, source):
        names = {"__name__": "mine"}
        exec(source, names)
        return class_digest(type(made(names["f"])))

    @over(
        ("old", "new"),
        [
            ("help(s) *", "help(s) +"),
            ("LEAST = 1", "LEAST = 2"),
            ("s + 1", "s + 2"),
            ("LEAST = 1", "LEAST = (1, 2)"),
        ],
    )
    def test_another_code_another_digest(self, old, new):
        assert self.digest(self.SOURCE) != self.digest(self.SOURCE.replace(old, new))

    @over(
        "method",
        [
            "@staticmethod\n    def least(): return 1",
            "@classmethod\n    def least(cls): return 1",
            "@property\n    def least(self): return 1",
            "@cached_property\n    def least(self): return 1",
            "def least(self, most=1): return most",
        ],
    )
    def test_every_kind_of_method_counts(self, method):
        def digest(source):
            names = {"__name__": "mine", "cached_property": functools.cached_property}
            exec(f"class Mine:\n    {source}\n", names)
            return class_digest(names["Mine"])

        assert digest(method) == digest(method)
        assert digest(method) != digest(method.replace("1", "2"))

    def test_the_order_in_which_a_set_is_kept_does_not_matter(self):
        # Texts in a set are in another order in every process.
        program = (
            "from assay.judges.code_digest import class_digest\n"
            "KINDS = (frozenset(f'text {n}' for n in range(20)),)\n"
            "class Mine:\n    def f(self): return KINDS\n"
            "print(class_digest(Mine))"
        )
        said = {
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(said) == 1

    def test_where_it_stands_and_what_else_stands_there_does_not_matter(self):
        more = f"\n\nOTHER = 5\n{self.SOURCE}\ndef g(s):\n    return OTHER\n"
        assert self.digest(self.SOURCE) == self.digest(more)

    def test_functions_that_call_each_other_have_one(self):
        source = "def g(s):\n    return f(s)\ndef f(s):\n    return g(s)\n"
        assert self.digest(source) == self.digest(source)


class TestNames:
    @over(
        ("spec", "metric"),
        [
            (f"{MODULE}:brevity", brevity),
            (f"{MODULE}:Short", Short()),
            (f"{MODULE}:Short(most=3)", Short(most=3)),
            (f"{MODULE}:short", Short(most=2)),
            (f"{MODULE}:short(most=4)", Short(most=4)),
            (f" {MODULE}:committed ", committed),
        ],
    )
    def test_a_module_and_an_attribute_name_a_metric(self, spec, metric):
        assert parse(spec) == metric
        assert resolve([spec, spec]) == (metric,)

    def test_so_do_a_file_and_an_attribute(self, tmp_path, monkeypatch):
        # Bytecode that Python kept would be that of the file before, edited in the same second.
        monkeypatch.setattr(sys, "dont_write_bytecode", False)
        path = tmp_path / "in a folder" / "mine.py"
        path.parent.mkdir()
        path.write_text(
            "import assay\n\n@assay.metric(needs='answer')\ndef one(sample):\n    return 1.0\n"
        )
        found = parse(f"{path}:one")
        assert found.name == "one"
        assert parse(f"{path}:one") is found
        assert pickle.loads(pickle.dumps(found)) is found
        path.write_text(path.read_text().replace("1.0", "0.5"))
        assert class_digest(type(parse(f"{path}:one"))) != class_digest(type(found))

    @over(
        ("spec", "message"),
        [
            ("support.nowhere:mine", "cannot be imported: No module named 'support.nowhere'"),
            ("nowhere.py:mine", "cannot be imported: .*No such file"),
            (f"{MODULE}:nothing", f"{MODULE} has no 'nothing'"),
            (f"{MODULE}:plain", "is a plain function -> decorate it with @assay.metric"),
            (f"{MODULE}:number", "is not a metric"),
            (f"{MODULE}:Unfinished", "has no `score`"),
            (f"{MODULE}:brevity(n=3)", "brevity has no parameter 'n': it has none"),
            (f"{MODULE}:Short(most=x)", "most must be like 5, not 'x'"),
            (f"{MODULE}:", "no metric is called"),
            (":mine", "no metric is called"),
        ],
    )
    def test_what_is_not_there_or_no_metric_is_told(self, spec, message):
        with pytest.raises(InputError, match=message):
            parse(spec)

    def test_a_file_that_is_no_python_is_told_with_the_line(self, tmp_path):
        path = tmp_path / "mine.py"
        path.write_text("x = 1\ndef :\n")
        with pytest.raises(InputError, match=r"cannot be imported: mine\.py:2: "):
            parse(f"{path}:one")

    @pytest.mark.parametrize("name", ["paper:faithfulnes", "faithfulnes"])
    def test_a_slip_in_a_name_that_is_built_in_imports_nothing(self, name, monkeypatch):
        monkeypatch.setattr("importlib.import_module", lambda name: pytest.fail(f"imported {name}"))
        with pytest.raises(InputError, match="did you mean"):
            parse(name)

    def test_no_name_that_is_built_in_is_looked_for_elsewhere(self, monkeypatch):
        monkeypatch.setattr(
            "assay.metrics.custom.find", lambda spec: pytest.fail(f"looked for {spec}")
        )
        assert [parse(name).name for name in METRICS] == list(METRICS)


@over("lacking", ["name", "needs"])
def test_a_class_that_does_not_say_its_name_or_needs_is_told(lacking):
    said = {"name": "own", "needs": ("answer",), "score": Short.score}
    cls = type("Own", (assay.Metric,), {k: v for k, v in said.items() if k != lacking})
    with pytest.raises(InputError, match=f"the metric Own does not define '{lacking}'"):
        resolve(cls())


def test_the_module_of_these_tests_is_found_by_its_name_as_users_modules_are():
    assert parse(f"{MODULE}:brevity") is own_metrics.brevity
