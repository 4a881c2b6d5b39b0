"""Has each configuration the environment that is its own, whatever goes on beside it?"""

import asyncio
import os

import pytest

from assay import Denied, InputError, Limits, SweepSettings, sweep
from assay.data import read
from assay.target import Asking, Configurable, ask

ROWS = [{"id": f"q{n}", "question": f"What is {n}?", "reference": "256"} for n in range(12)]
CODE = """
import asyncio, os, sys, time

CHUNK = os.environ.get("CHUNK", "64")
print("imported")

def answer(question, k=3):
    print("asked")
    time.sleep(0.02)
    return {"answer": CHUNK if CHUNK == os.environ["CHUNK"] else "mixed", "cost": os.getpid()}

async def later(question, sample=None):
    await asyncio.sleep(0.02)
    return CHUNK

def wrong(question):
    raise ValueError(f"no {CHUNK}")

def end(question):
    os._exit(3)

if CHUNK == "none":
    sys.exit("no such chunk")
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rag_by_env.py"
    path.write_text(CODE)
    return path


def systems(file, function, *configurations):
    return Configurable(target=f"{file}:{function}").systems(configurations)


def samples_of(answers):
    return [row.sample for row in read(answers)]


def test_configurations_asked_at_the_same_time_never_see_each_others_variables(db, file):
    grid = {"env:CHUNK": [128, 256, "512"]}
    settings = SweepSettings(parallel=3)
    found = sweep(ROWS, f"{file}:answer", grid, "exact_match", store=db, settings=settings)
    assert [one.asked for one in found.configurations] == [12, 12, 12]
    (board,) = found.leaderboards
    assert board.winner == "env:CHUNK=256"
    assert {one.name: one.mean for one in board.standings} == {
        "env:CHUNK=256": 1.0,
        "env:CHUNK=128": 0.0,
        "env:CHUNK=512": 0.0,
    }
    assert "CHUNK" not in os.environ
    again = sweep(ROWS, f"{file}:answer", grid, "exact_match", store=db, settings=settings)
    assert [(one.asked, one.reused) for one in again.configurations] == [(0, 12)] * 3


def test_a_coroutine_is_called_there_as_well(db, file):
    (system,) = systems(file, "later", {"env:CHUNK": 256})
    assert {sample.answer for sample in samples_of(ask(ROWS, system, store=db))} == {"256"}


def test_one_process_answers_all_questions_of_a_configuration_and_takes_arguments_too(db, file):
    configurations = [{"env:CHUNK": 1, "k": 5}, {"env:CHUNK": 1, "k": 8}]
    one, other = systems(file, "answer", *configurations)
    answers = samples_of(ask(ROWS, one, store=db))
    assert {sample.answer for sample in answers} == {"1"}
    assert len({sample.cost for sample in answers}) == 1
    assert {sample.cost for sample in answers}.isdisjoint({os.getpid()})
    assert ask(ROWS, other, store=db).asked == 12


def test_what_goes_wrong_in_the_other_process_is_told(db, file):
    (wrong,) = systems(file, "wrong", {"env:CHUNK": "x"})
    with pytest.raises(Denied, match=r"ValueError: no x \(rag_by_env.py:17\)"):
        ask(ROWS, wrong, store=db)
    (ended,) = systems(file, "end", {"env:CHUNK": "x"})
    with pytest.raises(Denied, match="its process ended with code 3"):
        ask(ROWS, ended, store=db, asking=Asking(limits=Limits(retries=0)))
    (unfit,) = systems(file, "answer", {"env:CHUNK": "none"})
    with pytest.raises(Denied, match="cannot be imported with these variables: SystemExit: no"):
        ask(ROWS, unfit, store=db)


def test_no_process_is_left_behind(file):
    (system,) = systems(file, "answer", {"env:CHUNK": "x"})

    async def asked_and_closed():
        from assay.target.system import AskSystem

        (sample,) = samples_of(ROWS[:1])
        reply = await system.reply(AskSystem(sample, "What?"))
        worker = system._workers.get()
        await system.aclose()
        return reply.raw, worker.process.returncode

    raw, code = asyncio.run(asked_and_closed())
    assert '"answer": "x"' in raw
    assert code == 0


@pytest.mark.parametrize(
    ("target", "params", "problem"),
    [
        ("http://localhost:1/ask", {"env:CHUNK": 1}, "of whoever serves http://localhost:1/ask"),
        (lambda question: question, {"env:CHUNK": 1}, "name it as MODULE:FUNCTION"),
        ("json:dumps", {"env:": 1}, "'env:' names no variable"),
        ("json:dumps", {"env:A=B": 1}, "'env:A=B' names no variable"),
        ("json:dumps", {"env:A": "\0"}, "has a null character"),
    ],
)
def test_variables_that_cannot_be_set_are_refused(target, params, problem):
    with pytest.raises(InputError, match=problem):
        Configurable(target=target).systems([params])


def test_a_module_that_needs_a_variable_says_which(tmp_path):
    (tmp_path / "needs.py").write_text("import os\nCHUNK = os.environ['ASSAY_NO_SUCH_CHUNK']\n")
    with pytest.raises(InputError, match=r"KeyError: 'ASSAY_NO_SUCH_CHUNK'.*needs a default"):
        Configurable(target=f"{tmp_path}/needs.py:answer").systems([{"env:CHUNK": 1}])
