"""Progress: a bar on a terminal, lines in a log, nothing on request."""

import io

from assay._cli import output
from assay._cli.output import Bar, Lines, Meter, meter, short
from assay._runner.progress import Progress
from support.over import over


def at(seconds, new, **more):
    given = {"undefined": 1, "failed": 2, "calls": 50, "known": 7, "tokens_in": 90_000}
    given |= {"tokens_out": 10_000, "money": 0.0123, "retries": 3, "waiting_for": None} | more
    return Progress(total=100, done=new + 10, new=new, seconds=seconds, **given)


def test_the_pace_is_that_of_the_last_while():
    watch = Meter()
    for second in range(100):
        # The first half of the scores came from the store in no time.
        watch(at(second, 20 + second // 2))
    assert watch.pace(watch.last) == "0.5/s, 00:42 left"


def test_no_pace_without_replies():
    watch = Meter()
    watch(at(3, 0))
    assert watch.pace(watch.last) == "waiting for replies"


def test_hours_are_told_as_hours():
    watch = Meter()
    watch(at(3600, 10))
    assert watch.pace(watch.last) == "0.0/s, 8:00:00 left"


def test_lines_every_few_seconds(capsys):
    with Lines() as lines:
        for second in range(13):
            lines(at(second, second, waiting_for=("q17 faithfulness", 6.2) if second > 9 else None))
    told = capsys.readouterr().err.splitlines()
    spent = "1 undefined, 2 failed; 50 calls + 7 known; 100k tokens; cost 0.0123; 3 retries"
    waiting = "waiting 6 s for q17 faithfulness"
    assert told == [
        f"15/100 scores, 1.0/s, 01:25 left; 2 scored, {spent}",
        f"20/100 scores, 1.0/s, 01:20 left; 7 scored, {spent}; {waiting}",
    ]


@over("width", [40, 80, 120])
def test_a_bar_with_all_counts(width):
    console = output.Console(file=io.StringIO(), force_terminal=True, width=width)
    bar = Bar(console)
    with console.capture() as drawn:
        console.print(bar._renderable())
    assert "reading the data" in drawn.get()
    bar(at(10, 20, waiting_for=("q17 faithfulness", 8.0), trouble="server refuses 5 % (m)"))
    with console.capture() as drawn:
        console.print(bar._renderable())
    text = " ".join(drawn.get().split())
    for word in (
        "30/100",
        "2 failed",
        "100k",
        "waiting 8 s for q17 faithfulness",
        "server refuses 5 % (m)",
    ):
        assert word in text


def test_a_line_names_what_goes_wrong(capsys):
    with Lines() as lines:
        lines(at(6, 6, trouble="server unreachable for 12 s (openai:m)"))
    assert capsys.readouterr().err.endswith("; server unreachable for 12 s (openai:m)\n")


def test_a_bar_is_gone_at_the_end():
    file = io.StringIO()
    with Bar(output.Console(file=file, force_terminal=True, width=80)) as bar:
        bar(at(1, 2))
    assert file.getvalue().endswith("\x1b[2K")


def test_which_one_is_taken(monkeypatch):
    assert type(meter(silent=True)) is Meter
    assert type(meter(silent=False)) is Lines
    terminal = output.Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr(output, "stderr", lambda: terminal)
    assert type(meter(silent=False)) is Bar
    monkeypatch.setenv("TERM", "dumb")
    assert type(meter(silent=False)) is Lines


def test_large_counts_in_few_digits():
    assert [short(n) for n in (0, 9_999, 10_000, 123_456, 12_345_678)] == [
        *("0", "9,999", "10k", "123k", "12M")
    ]
