"""Do runs and evidence show themselves in a notebook, whole and harmless?"""

import html
import re
from dataclasses import dataclass, replace

import pytest

from assay import Metric, Part, Score, evaluate
from assay._report.sanitize import source_hash
from assay._runner.progress import Meter, Progress, in_notebook
from assay.judges.embedded import Embedded
from assay.target import ask
from support.scripts import plausible

NASTY = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e\"' {{ 7*7 }} \x00".replace(
    "\x00", "\x1b"
)
ROWS = [
    {
        "id": f"<b>{n}</b>",
        "question": NASTY,
        "contexts": [f"{NASTY} The tower was built in 1889."],
        "answer": f"It was built in 1889. {NASTY}",
    }
    for n in range(3)
]


@pytest.fixture
def result(db):
    return evaluate(
        ROWS, ["faithfulness", "context_precision_without_reference"], plausible(), store=db
    )


def cell(shown):
    """The page that stands in the frame of a notebook's cell."""
    page = shown._repr_html_()
    frame = re.fullmatch(
        r'<iframe sandbox="" title="assay" srcdoc="([^"]*)" [^<>]*>[^<>]*</iframe>\n?', page
    )
    assert frame, page[:200]
    return html.unescape(frame[1])


def harmless(page):
    """No element that runs code, no attribute that does, no hidden character."""
    assert not re.search(r"<\s*(script|img|iframe|object|link)\b", page, re.IGNORECASE)
    assert not re.search(r"<[^>]*\son\w+\s*=", page)
    assert "{{" in page
    assert "49" not in re.findall(r"7\*7|49", page)
    assert not re.search("[\u202e\x1b]", page)
    return page


def test_a_result_shows_its_table(result):
    page = cell(result)
    assert not re.search(r"<\s*script", page)
    for row in result.summary():
        assert row.metric in page
        assert f"{row.mean:.2f}" in page
    assert f"{result.run.title} ({result.run.id[:8]})" in page


@dataclass(frozen=True)
class Own(Metric):
    """A metric of one's own, whose evidence has labels that no report knows."""

    name = "own_rate"
    needs = ("answer",)
    higher_is_better = False

    async def score(self, sample, judge):
        """One piece that counts in full, one that does not count."""
        return Score(0.5, (Part("claim", "a", "one", 1.0), Part("claim", "b", "other", 0.0)))


def test_in_the_evidence_of_an_error_rate_of_ones_own_what_counts_is_bad(db):
    trace = evaluate(ROWS[:1], Own(), store=db).trace("<b>0</b>", "own_rate")
    assert not trace.higher_is_better
    page = cell(trace)
    assert "\N{BALLOT X} a" in page
    assert "\N{CHECK MARK} b" in page
    assert "\N{CHECK MARK} a" in cell(replace(trace, higher_is_better=True))


def test_a_trace_shows_its_evidence(result):
    trace = result.trace("<b>1</b>", "faithfulness")
    page = harmless(cell(trace))
    assert "&lt;b&gt;1&lt;/b&gt;" in page
    for part in trace.outcome.parts:
        assert part.label in page
    assert "Statements of the answer" in page
    assert trace.replies[0].kind in page


def test_what_must_be_known_stands_beside_the_table(db):
    rows = [{**row, "reference": "It was built in 1889."} for row in ROWS]
    result = evaluate(rows, ["answer_relevancy", "answer_similarity"], store=db)
    page = cell(result)
    for told in (
        "false-positive rate in %",
        "computed as rated directly by the judge",
        "unrelated texts",
    ):
        assert told in page
    rates = Embedded().quality("answer_relevancy")
    assert f">{100 * rates.found.value:.0f}<" in page
    assert f">{100 * rates.wrong.value:.0f}<" in page


@dataclass(frozen=True)
class Made(Metric):
    """A score with numbers on the way to it, one true quote and one that was made up."""

    name = "made"
    needs = ("answer", "contexts")

    async def score(self, sample, judge):
        """Two pieces of evidence that name the same context."""
        quotes = ("The tower was built in 1889.", "The tower was built in 1926.")
        parts = (Part("claim", "a", "one", 1.0, context=0, quote=quote) for quote in quotes)
        return Score(0.5, (*parts,), method="the mean of two", details={"precision": 0.25})


def test_a_trace_shows_how_the_number_was_made_and_which_quotes_do_not_stand(db):
    page = harmless(cell(evaluate(ROWS[:1], Made(), store=db).trace("<b>0</b>", "made")))
    assert "computed as the mean of two" in page
    assert "precision 0.25" in page
    true, made_up = page.split("in 1926", 1)
    assert "are not in context" not in true
    assert "~ these words are not in context 1" in made_up


def test_of_a_conversation_every_turn_is_shown_with_its_calls_and_contexts(db):
    call = {"name": "search", "args": {"for": "<b>tower</b>"}}
    turns = [
        {"role": "user", "text": "When was it built?"},
        {"role": "assistant", "text": NASTY, "tool_calls": [call]},
        {"role": "assistant", "text": "In 1889.", "contexts": ["Built <i>in 1889</i>."]},
    ]
    result = evaluate([{"id": "talk", "turns": turns}], "turn_faithfulness", plausible(), store=db)
    page = harmless(cell(result.trace("talk", "turn_faithfulness")))
    for shown in ("Turn 1, user", "Turn 3, assistant", "&lt;b&gt;tower", "Built &lt;i&gt;in 1889"):
        assert shown in page


def test_a_score_that_is_not_there_says_why(db):
    def fails(question):
        raise ValueError("<script>lost</script>")

    result = evaluate(ask(ROWS[:1], fails, store=db), "faithfulness", plausible(), store=db)
    page = cell(result.trace("<b>0</b>", "faithfulness"))
    assert "unanswered" in page
    assert "&lt;script&gt;lost" in page
    assert "unanswered" in cell(result)


def test_a_cell_has_the_content_policy_of_the_report(result, tmp_path):
    """In a frame of its own: what the notebook typesets ("$5 to $6") or runs does not reach it."""
    policy = re.compile(r'Content-Security-Policy" content="([^"]*)"')
    (of_report,) = policy.findall(result.report(tmp_path / "r.html").read_text("utf-8"))
    for shown in (result, result.summary(), result.trace("<b>1</b>", "faithfulness")):
        page = cell(shown)
        (of_cell,) = policy.findall(page)
        assert source_hash(re.search("<style>(.*)</style>", page, re.DOTALL)[1]) in of_cell
        hashes = re.compile(r" (?:script-src )?'sha256-[^']*';?")
        assert hashes.sub("", of_cell) == hashes.sub("", of_report)
        assert "unsafe" not in of_cell
        # The policy forbids these: such a cell would not look as meant.
        assert not re.search(r"<[^>]*\s(?:style|on\w+)=", page)


def test_a_very_long_text_is_cut(db):
    rows = [{**ROWS[0], "contexts": ["word " * 100_000]}]
    result = evaluate(rows, "context_precision_without_reference", plausible(), store=db)
    assert (
        len(
            result.trace(
                "<b>0</b>", result.run.metrics and next(iter(result.run.metrics))
            )._repr_html_()
        )
        < 200_000
    )


class Handle:
    def __init__(self):
        self.shown = []

    def update(self, data, raw):
        assert raw
        self.shown.append(data)


def progress(done, **more):
    zero = dict.fromkeys(
        ("undefined", "failed", "calls", "known", "tokens_in", "tokens_out", "retries"), 0
    )
    return Progress(
        total=10, done=done, new=done, money=None, waiting_for=None, seconds=2.0, **{**zero, **more}
    )


def test_progress_is_one_line_that_reaches_its_end():
    handle = Handle()
    meter = Meter(handle)
    for done in range(11):
        meter(progress(done, calls=done, failed=1))
    assert len(handle.shown) == 2  # the first, and the last: those between came too soon
    assert handle.shown[-1]["text/plain"] == "10/10 scores, 5.0/s, 10 calls, 1 failed"
    assert 'value="100.0"' in handle.shown[-1]["text/html"]


def test_elsewhere_there_is_no_notebook():
    assert not in_notebook()
