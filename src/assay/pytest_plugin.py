"""The pytest plugin: a test demands a score of a sample, or a gate of a whole data set.

Nothing is imported, read or asked in a test suite that does not use it.

    from assay.pytest_plugin import faithfulness

    def test_the_answer_is_borne_out(assert_score):
        assert_score(ask("When was the tower finished?"), faithfulness >= 0.8)
"""

import math
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from inspect import signature
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay._runner.result import Result
    from assay.metrics import Metric

STORE = "assay-tests.db"
_MARKER = (
    "assay_samples(path, *, limit=None, mapping=None, contexts='auto', name='sample'): "
    "call the test with every sample of a data set"
)
_RUN_FIELDS = ("name", "tags", "note", "params")
_SESSION = pytest.StashKey["Session"]()


@dataclass(frozen=True)
class Demand:
    """What is demanded of a sample: a metric, ">=", ">", "<=" or "<", and a number."""

    metric: "str | Metric"
    sign: str
    value: float

    def __bool__(self) -> bool:
        """Neither true nor false: of ``0.5 <= faithfulness <= 0.9`` Python would keep one half."""
        raise TypeError("give two demands: faithfulness >= 0.5, faithfulness <= 0.9")


@dataclass(frozen=True)
class Measured:
    """A metric that can be compared with a number: ``faithfulness >= 0.8`` is a `Demand`."""

    metric: "str | Metric"

    def __ge__(self, value: float) -> Demand:
        return Demand(self.metric, ">=", value)

    def __gt__(self, value: float) -> Demand:
        return Demand(self.metric, ">", value)

    def __le__(self, value: float) -> Demand:
        return Demand(self.metric, "<=", value)

    def __lt__(self, value: float) -> Demand:
        return Demand(self.metric, "<", value)


def measured(metric: "str | Metric") -> Measured:
    """Any metric: ``measured("factual_correctness(mode=recall)") >= 0.7``, or one of your own."""
    return Measured(metric)


def __getattr__(name: str) -> Measured:
    """The metrics by name: ``from assay.pytest_plugin import faithfulness``."""
    # pytest looks for names of its own here; these must not load anything.
    if not name.startswith(("_", "pytest")):
        from assay.metrics import ALIASES, METRICS

        if name in METRICS or name in ALIASES:
            return Measured(name)
    raise AttributeError(f"module 'assay.pytest_plugin' has no metric '{name}'")


@dataclass
class Session:
    """One judge and one store for all tests of a session: what was asked once is known.

    Attributes:
        judge: Who judges.
        store: The SQLite file; processes that share the tests (xdist) share it too.
        calls: What each run has paid for in this session.
    """

    judge: Any
    store: Path
    calls: dict[str, int] = field(default_factory=dict)

    async def scored(
        self, data: Any, metrics: "Iterable[str | Metric]", **description: Any
    ) -> "Result":
        """The result of scoring some data; name, tags, note and params of its run may be given."""
        from assay._runner.evaluate import aevaluate
        from assay._runner.settings import Settings

        settings = Settings(probe=False, **description)
        result = await aevaluate(data, metrics, self.judge, store=self.store, settings=settings)
        self.paid(result.run.id, result.paid.calls)
        return result

    def paid(self, run: str, calls: int) -> None:
        """Count what a run has paid for."""
        self.calls[run] = self.calls.get(run, 0) + calls

    async def demand(self, sample: Any, *demands: Demand) -> "tuple[Result, str]":
        """(the scores of a sample, which demands it misses with the evidence; "" if none)."""
        if not demands or not all(isinstance(demand, Demand) for demand in demands):
            raise TypeError("assert_score takes a sample and demands such as faithfulness >= 0.8")
        for demand in demands:
            check_demand(demand.metric, demand.sign, demand.value)
        result = await self.scored([sample], [demand.metric for demand in demands])
        missed = [text for demand in demands if (text := _describe_miss(result, demand))]
        if missed:
            missed.append(_shown_by(result))
        return result, "\n\n".join(missed)

    async def gate(
        self,
        data: Any,
        metrics: "Iterable[str | Metric] | None" = None,
        *,
        baseline: "str | Result | None" = None,
        **rules: Any,
    ) -> "tuple[Result, str]":
        """(the scores of a data set, why `assay gate` would not pass them; "" if it would).

        Args:
            data: Whatever `assay.evaluate` takes, or a Result.
            metrics: What to compute; by default what the rules name.
            baseline: A Result, or STORE:RUN.
            rules: Fields of `assay.Rules`; name, tags, note and params of the run.
        """
        from assay._analysis.gate import Rules, gate
        from assay._report.gate import console
        from assay._runner.result import Result, open_run
        from assay.errors import InputError

        description = {key: rules.pop(key) for key in _RUN_FIELDS if key in rules}
        if unknown := rules.keys() - {rule.name for rule in fields(Rules)}:
            fault = f"assay_gate knows no rule '{min(unknown)}'"
            raise InputError(fault, f"its rules: {', '.join(rule.name for rule in fields(Rules))}")
        checked_rules = Rules(**rules)
        names = metrics or list(dict.fromkeys([*checked_rules.min, *checked_rules.max]))
        if isinstance(data, Result):
            result = data
            result.describe(**description)
        else:
            result = await self.scored(data, names, **description)
        if isinstance(baseline, str):
            baseline = open_run(baseline, str(self.store))
        verdict = gate(result, checked_rules, baseline)
        if verdict.passed:
            return result, ""
        return result, f"{_text(console(verdict, show_all=True))}\n{_shown_by(result)}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("assay", "assay: scores of RAG systems")
    judge = "who judges: embedded (the default), openai:MODEL ... as `assay run --judge`"
    store = f"the file that keeps replies and scores (default: {STORE} in the root folder)"
    group.addoption("--assay-judge", metavar="JUDGE", help=judge)
    group.addoption("--assay-store", metavar="FILE", help=store)
    parser.addini("assay_judge", judge)
    parser.addini("assay_store", store)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Call a marked test with every sample of its data set."""
    marker = metafunc.definition.get_closest_marker("assay_samples")
    if marker is None:
        return
    from assay.errors import InputError

    try:
        signature(_samples).bind(metafunc, *marker.args, **marker.kwargs)
        cases = _samples(metafunc, *marker.args, **marker.kwargs)
    except (InputError, TypeError) as error:
        pytest.fail(f"assay_samples: {error}", pytrace=False)
    name = marker.kwargs.get("name", "sample")
    metafunc.parametrize(name, cases, ids=[sample.id for sample in cases])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a process of xdist: tell the one that prints what the tests have paid for."""
    kept, output = session.config.stash.get(_SESSION, None), _output(session.config)
    if kept is not None and output is not None:
        output["assay"] = (str(kept.store), kept.calls)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Where xdist has others run the tests: add what one of them has paid for."""
    if spent := (_output(node) or {}).get("assay"):
        store, calls = spent
        session = node.config.stash.setdefault(_SESSION, Session(None, Path(store)))
        for run, n in calls.items():
            session.paid(run, n)


def _output(holder: Any) -> Any:
    """What a process of xdist hands over at its end; None in any other, and if it crashed."""
    return getattr(holder, "workeroutput", None)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What the tests have paid for, where any did."""
    session = config.stash.get(_SESSION, None)
    if session is not None and session.calls:
        calls, runs = sum(session.calls.values()), len(session.calls)
        line = f"assay: {runs} scored, {calls} judge calls paid for, kept in {session.store}"
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def assay_judge(pytestconfig: pytest.Config) -> Any:
    """Who judges: --assay-judge, else `assay_judge` of the ini file, else the embedded judge.

    Override it to give a backend, or a function from prompt to text.
    """
    return _option(pytestconfig, "assay_judge") or "embedded"


@pytest.fixture(scope="session")
def assay_store(pytestconfig: pytest.Config) -> Path:
    """Where replies and scores are kept: --assay-store, else `assay_store` of the ini file."""
    return pytestconfig.rootpath / (_option(pytestconfig, "assay_store") or STORE)


@pytest.fixture(scope="session")
def assay_session(pytestconfig: pytest.Config, assay_judge: Any, assay_store: Path) -> Session:
    """The judge and the store that all tests share."""
    from assay.judges import backend

    if (root := str(pytestconfig.rootpath)) not in sys.path:
        sys.path.append(root)  # where a judge of the user's own may be
    session = Session(backend(assay_judge), Path(assay_store))
    pytestconfig.stash[_SESSION] = session
    return session


@pytest.fixture
def assert_score(assay_session: Session) -> "Callable[..., Result]":
    """Fail if a sample misses a demand, with the evidence; gives its result.

    ``assert_score(sample, faithfulness >= 0.8, ...)``, where the sample is an `assay.Sample` or a
    dict as a row of a data set.
    """
    return _blocking(assay_session.demand)


@pytest.fixture
def aassert_score(assay_session: Session) -> "Callable[..., Awaitable[Result]]":
    """`assert_score` for async tests, to be awaited: the event loop goes on meanwhile."""
    from assay.errors import InputError

    async def call(sample: Any, *demands: Demand) -> "Result":
        __tracebackhide__ = True
        try:
            outcome = await assay_session.demand(sample, *demands)
        except InputError as error:
            raise _failure(error) from None
        return _result_or_failure(*outcome)

    return call


@pytest.fixture
def assay_gate(request: pytest.FixtureRequest, assay_session: Session) -> "Callable[..., Result]":
    """Fail if a data set does not hold the rules; gives its result.

    ``assay_gate("questions.jsonl", min={"faithfulness": 0.8}, baseline="before.db:last")``: both
    files are looked for beside the test, then in the root folder.
    """
    folders = (request.path.parent, request.config.rootpath)

    async def gate(
        data: Any,
        metrics: "Iterable[str | Metric] | None" = None,
        *,
        baseline: "str | Result | None" = None,
        **rules: Any,
    ) -> "tuple[Result, str]":
        if isinstance(data, str | PathLike):
            data = _find_file(data, *folders)
        if isinstance(baseline, str):
            baseline = _find_run(baseline, *folders)
        if rules.get("cases"):
            rules["cases"] = str(_find_file(rules["cases"], *folders))
        return await assay_session.gate(data, metrics, baseline=baseline, **rules)

    return _blocking(gate)


def _blocking(work: Callable[..., Any]) -> "Callable[..., Result]":
    from assay._runner.event_loop import run_to_completion
    from assay.errors import InputError

    def call(*args: Any, **kwargs: Any) -> "Result":
        __tracebackhide__ = True
        try:
            outcome = run_to_completion(work(*args, **kwargs))
        except InputError as error:
            raise _failure(error) from None
        return _result_or_failure(*outcome)

    return call


def _shown_by(result: "Result") -> str:
    """The command that shows the evidence."""
    return f"assay show {result.run.id[:8]} --store {result.path}"


def _failure(error: Exception) -> BaseException:
    """What is wrong with a call, in words at its own line of the test."""
    return pytest.fail.Exception(str(error))


def _result_or_failure(result: "Result", failure: str) -> "Result":
    __tracebackhide__ = True
    if failure:
        raise AssertionError(failure)
    return result


def _option(config: pytest.Config, name: str) -> str:
    return str(config.getoption(name) or config.getini(name) or "")


def _samples(
    metafunc: pytest.Metafunc,
    path: str,
    *,
    limit: int | None = None,
    mapping: Mapping[str, str] | None = None,
    contexts: str | None = None,
    name: str = "sample",
) -> list[Any]:
    """The samples of a file beside the test, or in the root folder."""
    from assay.data import read, samples

    del name
    file = _find_file(path, metafunc.definition.path.parent, metafunc.config.rootpath)
    rows = read(file, mapping=mapping, limit=limit, contexts=contexts)
    return list(samples(rows, needs={}))


def _find_file(path: "str | PathLike[str]", folder: Path, root: Path) -> "str | PathLike[str]":
    """A file in the folder of the test, or in the root folder; a URI as it is."""
    from assay.data.files import is_uri

    if is_uri(path):
        return path
    return folder / path if (folder / path).exists() else root / path


def _find_run(spec: str, folder: Path, root: Path) -> str:
    """STORE:RUN, or STORE, with the place of the file; a run alone as it is."""
    store_path = Path(_find_file(spec, folder, root))
    if store_path.is_file():
        return str(store_path)
    store, colon, run = spec.rpartition(":")
    return f"{_find_file(store, folder, root)}:{run}" if colon else spec


def check_demand(metric: "str | Metric", sign: str, limit: Any) -> None:
    """Check that scores of a metric can be compared with a number.

    Raises:
        InputError: If it is none, or lies where no score can: all would meet it, or none; or if the
            metric's name does not say which way it counts.
    """
    from assay.errors import InputError
    from assay.metrics import resolve
    from assay.metrics.registry import check_threshold

    check_threshold(metric)
    (resolved,) = resolve(metric)
    low, high = resolved.range
    is_number = isinstance(limit, Real | Decimal) and not isinstance(limit, bool)
    if not is_number:
        raise InputError(f"{resolved.label} {sign} {limit!r}", "compare it with a number")
    beyond = not low <= limit <= high
    if beyond or (sign == ">" and limit == high) or (sign == "<" and limit == low):
        fault = f"{resolved.label} {sign} {limit}: its values are {low:g} to {high:g}"
        raise InputError(fault)


def holds(value: float, sign: str, limit: float) -> bool:
    """Whether a score meets a demand; what differs by rounding only is the same."""
    if math.isclose(value, limit, rel_tol=1e-9, abs_tol=1e-12):
        return "=" in sign
    return (value > limit) == sign.startswith(">")


def _describe_miss(result: "Result", demand: Demand) -> str:
    """How a demand was missed, with the evidence; "" if it was met."""
    from assay._report.run import collect
    from assay._report.run import sample as shown
    from assay._text.results import beside
    from assay.metrics import resolve
    from assay.score import Score

    (metric,) = resolve(demand.metric)
    ((sample, outcome),) = result.outcomes(metric.label)
    demanded = f"{demand.sign} {demand.value:g}"
    if not isinstance(outcome, Score):
        head = f"{metric.label} {demanded}: no score, {outcome.reason}"
    elif holds(outcome.value, demand.sign, demand.value):
        return ""
    else:
        head = f"{metric.label} {demanded}: it is {beside(outcome.value, demand.value)}"
    evidence = shown(collect(result, only=sample.id), sample.id, metric.label)
    return f"{head}\n{_text(evidence)}"


def _text(renderable: Any) -> str:
    """What the console would show, without colours."""
    import io

    from rich.console import Console

    console = Console(file=io.StringIO(), width=100, color_system=None)
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
