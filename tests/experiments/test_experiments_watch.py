import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import assay
from assay import Result
from assay._analysis.labelling import Labelling
from assay._analysis.watch import Charting, charts, looks
from assay._store import Store
from assay._store.scores import Alerts
from assay.errors import InputError
from assay.experiments.arrivals import arrivals, is_taken
from assay.experiments.watch import Channels, Watch, deliver, look
from assay.target import system
from support import scripts, watched_days
from support.over import over
from support.served import Served

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def rows(n, right, *, prefix="r", **further):
    return [
        {
            "id": f"{prefix}{i}",
            "question": f"Question {i}?",
            "answer": "x" if i < right else "y",
            "reference": "x",
            **further,
        }
        for i in range(n)
    ]


def write(path, made, mode="a"):
    with path.open(mode) as file:
        file.write("".join(json.dumps(row) + "\n" for row in made))


@pytest.fixture
def source(tmp_path):
    return tmp_path / "traffic.jsonl"


def watch(source, **options):
    options = {"metrics": "exact_match", "name": "shop", **options}
    return Watch(source=source, store=source.parent / "w.db", **options)


def days(made, shares, *, start=0, n=60, prefix="d", **further):
    """Look at one day after the other; share of right answers of each."""
    told = []
    for day, share in enumerate(shares, start=start):
        rng = random.Random(day)
        right = sum(rng.random() < share for _ in range(n))
        write(Path(made.source), rows(n, right, prefix=f"{prefix}{day}-", **further))
        told += look(made, NOW + timedelta(days=day)).alerts
    return told


class TestLooks:
    def test_each_look_is_a_run_of_what_is_new(self, source):
        write(source, rows(3, 3))
        first = look(watch(source), NOW)
        write(source, rows(2, 0, prefix="s"))
        second = look(watch(source), NOW)
        assert [s.id for s, _ in second.result.outcomes("exact_match")] in (
            ["s0", "s1"],
            ["s1", "s0"],
        )
        assert first.result.run.tags == ("watch:shop",)
        assert (second.result.run.name, second.result.run.params["look"]) == ("shop/2", 2)
        nothing = look(watch(source), NOW)
        assert (nothing.result, nothing.number, nothing.arrived.known) == (None, 2, 5)

    def test_files_of_a_folder_are_one_stream(self, tmp_path):
        folder = tmp_path / "in"
        folder.mkdir()
        write(folder / "a.jsonl", rows(2, 2))
        with gzip.open(folder / "b.jsonl.gz", "wt") as file:
            file.write(json.dumps(rows(1, 1, prefix="z")[0]) + "\n")
        (folder / "notes.txt").write_text("no data")
        assert look(watch(folder), NOW).result.run.n_samples == 3

    def test_a_compressed_file_that_is_not_whole_does_not_keep_the_others_back(self, tmp_path):
        folder = tmp_path / "in"
        folder.mkdir()
        write(folder / "b.jsonl", rows(2, 2))
        lines = "".join(json.dumps(row) + "\n" for row in rows(9, 9, prefix="z"))
        packed = gzip.compress(lines.encode())
        (folder / "a.jsonl.gz").write_bytes(packed[:-9])
        made = watch(folder)
        found = look(made, NOW)
        assert (found.result.run.n_samples, found.arrived.invalid) == (2, 1)
        assert found.arrived.problem.startswith("a.jsonl.gz ends in the middle")
        (folder / "a.jsonl.gz").write_bytes(packed)
        found = look(made, NOW)
        assert (found.result.run.n_samples, found.arrived.invalid) == (9, 0)

    def test_a_row_of_a_folder_that_cannot_be_read_is_found_in_its_file(self, tmp_path):
        folder = tmp_path / "in"
        folder.mkdir()
        write(folder / "a.jsonl", rows(3, 3))
        (folder / "b.jsonl").write_text(json.dumps(rows(1, 1, prefix="z")[0]) + "\nnonsense\n")
        write(folder / "c.jsonl", rows(2, 2, prefix="y"))
        found = look(watch(folder), NOW)
        assert (found.result.run.n_samples, found.arrived.invalid) == (6, 1)
        assert found.arrived.problem.startswith("row 2 of b.jsonl is not JSON")

    def test_a_share_is_drawn_by_the_id_alone(self, source):
        write(source, rows(400, 200))
        found = look(watch(source, share=0.25), NOW)
        taken = {s.id for s, _ in found.result.outcomes("exact_match")}
        assert taken == {f"r{i}" for i in range(400) if is_taken(f"r{i}", 0.25)}
        assert 70 <= len(taken) <= 130
        assert found.arrived.left_out == 400 - len(taken)

    def test_what_a_limit_leaves_out_comes_with_the_next_look(self, source):
        write(source, rows(5, 5))
        made = watch(source, settings=assay.Settings(limit=3))
        assert [look(made, NOW).result.run.n_samples for _ in range(2)] == [3, 2]
        assert look(made, NOW).result is None

    def test_rows_without_ids_are_known_by_their_content(self, source):
        plain = [{k: v for k, v in row.items() if k != "id"} for row in rows(2, 1)]
        write(source, [*plain, plain[0]])
        assert look(watch(source), NOW).result.run.n_samples == 3
        write(source, [*plain[::-1], plain[0]], mode="w")  # rotated
        assert look(watch(source), NOW).result is None

    def test_a_line_that_is_still_being_written_is_no_broken_row(self, source):
        whole = json.dumps(rows(1, 1)[0])
        source.write_text(f"nonsense\n{whole}\n" + whole[:20])
        found = look(watch(source), NOW)
        assert (found.result.run.n_samples, found.arrived.invalid) == (1, 1)
        assert "JSON" in found.arrived.problem

    def test_a_trace_is_taken_once_it_has_been_quiet(self, source):
        span = {
            "name": "answer",
            "context": {"trace_id": "0x" + "a" * 32, "span_id": "0x" + "1" * 16},
            "start_time": "2026-03-01T11:59:50Z",
            "end_time": "2026-03-01T11:59:55Z",
            "attributes": {
                "openinference.span.kind": "CHAIN",
                "input.value": "When?",
                "output.value": "In 1889.",
            },
        }
        write(source, [span])
        settings = assay.Settings()
        options = {"settle": timedelta(minutes=1), "settings": settings}
        assert arrivals(source, (), now=NOW, **options).waiting == 1
        (sample,) = arrivals(source, (), now=NOW + timedelta(minutes=1), **options).samples
        assert sample.question == "When?"

    def test_a_source_that_is_not_there_and_a_bad_share_are_refused(self, source):
        with pytest.raises(InputError, match="no file or folder"):
            look(watch(source), NOW)
        with pytest.raises(InputError, match="share"):
            watch(source, share=0.0)
        with pytest.raises(InputError, match="called"):
            watch(source, name="a:b")

    def test_a_target_is_asked_anew_in_each_look_when_it_is_due(self, source):
        asked = []

        def answer(question):
            asked.append(question)
            return "x"

        write(source, rows(3, 0))
        made = watch(source, target=lambda n: system(answer, version=f"look {n}"))
        first = look(made, NOW)
        assert look(made, NOW + timedelta(hours=1)).next_at == NOW + 0.9 * timedelta(days=1)
        second = look(made, NOW + timedelta(days=1))
        assert (len(asked), first.number, second.number) == (6, 1, 2)
        assert first.result.run.id != second.result.run.id
        assert second.result.summary()[0].mean == 1.0


class TestDrift:
    def test_a_drop_is_told_once_with_its_evidence(self, source):
        made = watch(source)
        assert days(made, [0.9] * 2) == []
        told = days(made, [0.3] * 2, start=2)
        (alert,) = told
        body = alert.body
        assert (body["metric"], body["direction"], body["worse"]) == ("exact_match", "fell", True)
        assert body["since"]["look"] == 3
        assert body["before"]["mean"] > 0.8 > 0.6 > body["after"]["mean"]
        assert body["label"].startswith(f"assay label {body['run'][:8]} -m exact_match")
        result = Result(made.store, body["run"])
        assert all(
            result.trace(id_, "exact_match").outcome.value == 0 for id_ in body["worst_samples"]
        )

    def test_the_worst_new_samples_are_labelled_first(self, source):
        made = watch(source)
        (alert,) = days(made, [0.9, 0.9, 0.3])
        worst = set(alert.body["worst_samples"])
        with Store(made.store) as store:
            labelling = Labelling(store, alert.body["run"], annotator="anna")
            for _ in worst:
                item = labelling.next()
                assert item.sample in worst
                assert "among the worst" in item.why
                labelling.record(0.0)
            # Chosen on purpose, they tell nothing of the mean.
            assert labelling.progress().corrected is None
            assert labelling.next().sample not in worst
            labelling.record(1.0)
            assert labelling.progress().corrected is not None

    @pytest.mark.slow
    def test_a_chart_begins_anew_after_an_alert(self, source):
        made = watch(source)
        told = days(made, [0.9, 0.9, 0.3, 0.3, 0.3, 1.0, 1.0])
        assert [one.body["direction"] for one in told] == ["fell", "rose"]
        assert [one.body["worse"] for one in told] == [True, False]

    @pytest.mark.slow
    def test_a_segment_is_told_by_itself(self, source):
        made = watch(source, charting=Charting(segments=("topic",)))
        for day in range(4):
            write(source, rows(300, 270, prefix=f"a{day}-", topic="order"))
            write(source, rows(40, 36 if day < 3 else 4, prefix=f"b{day}-", topic="refund"))
            look(made, NOW + timedelta(days=day))
        with Store(made.store) as store:
            alerts = {alert.stream: alert.body for alert in store.alerts.of("shop")}
        assert all(id_[0] == "b" for id_ in alerts["exact_match, topic refund"]["worst_samples"])
        assert "exact_match, topic order" not in alerts

    def test_a_drop_among_the_first_samples_is_told_too(self, source):
        made = watch(source)
        (alert,) = days(made, [1.0, 1.0, 0.2], n=25)
        assert (alert.look, alert.body["before"]["n"]) == (3, 50)

    def test_a_baseline_run_counts_as_what_was_before(self, source):
        assay.evaluate(rows(300, 270, prefix="base"), "exact_match", store=source.parent / "w.db")
        reference = Result(source.parent / "w.db")
        made = watch(source, charting=Charting(reference=reference))
        (alert,) = days(made, [0.4] * 2)
        assert (alert.look, alert.body["since"]["look"], alert.body["before"]["n"]) == (1, 1, 300)

    def test_a_baseline_scored_otherwise_is_refused_before_anything_is_asked(self, source):
        assay.evaluate(rows(3, 3), "exact_match", store=source.parent / "w.db")
        charting = Charting(reference=Result(source.parent / "w.db"))
        write(source, rows(3, 3, prefix="s"))
        with pytest.raises(InputError, match="not scored by the same token_f1"):
            look(watch(source, metrics="token_f1", charting=charting), NOW)

    @pytest.mark.slow
    def test_what_changed_with_it_is_named(self, source):
        made = watch(source)
        days(made, [0.9] * 2, contexts=["one", "two"], context_ids=["a", "b"])
        further = {"contexts": ["one"], "context_ids": ["c"], "language": "de"}
        (alert,) = days(made, [0.1], start=2, **further)
        changed = alert.body["changed"]
        assert "questions: language German 0 % -> 100 %" in changed
        assert "retrieval: contexts, mean 2 -> 1" in changed
        assert "retrieval: document c 0 % -> 100 %" in changed
        assert not any(line.startswith("answers: words") for line in changed)

    @pytest.mark.slow
    def test_with_another_judge_the_chart_begins_anew_and_says_so(self, source):
        def today(day, name):
            contexts = ["The bridge was opened in 1932."]
            made = rows(4, 4, prefix=f"{day}-", contexts=contexts)
            write(source, made)
            options = {"metrics": "faithfulness", "judge": scripts.plausible(name)}
            return look(watch(source, **options), NOW + timedelta(days=day))

        today(0, "one")
        assert today(1, "one").alerts == ()
        (alert,) = today(2, "two").alerts
        assert (alert.body["kind"], alert.body["anew"]) == ("judge", ["faithfulness"])
        assert "two" in alert.body["why"]
        assert "one" in alert.body["why"]
        with Store(source.parent / "w.db") as store:
            (chart,) = charts(store, looks(store, "shop"), Charting())
        assert [point.look.number for point in chart.points] == [3]
        assert [point.look.number for point in chart.earlier] == [1, 2]

    def test_so_it_does_once_nearly_all_replies_name_another_model(self, source):
        def today(day, *models):
            said = {"answer": f"Day {day} is dry.", "contexts": [f"Day {day} is warm and dry."]}
            write(source, rows(4, 4, prefix=f"{day}-", **said))
            judge = Served(*models)
            return look(
                watch(source, metrics="faithfulness", judge=judge), NOW + timedelta(days=day)
            ).alerts

        old, new = "gpt-4o-2024-08-06", "gpt-4o-2024-11-20"
        days = ((old,), (old,), (old, new), (new,), (new,), ("gpt-4o",))
        told = [today(day, *models) for day, models in enumerate(days)]
        assert [len(alerts) for alerts in told] == [0, 0, 0, 1, 0, 0]
        (alert,) = told[3]
        assert (alert.body["kind"], alert.body["anew"]) == ("judge", ["faithfulness"])
        why = f"behind openai:gpt-4o answers {new} now, and {old} did before"
        assert alert.body["why"] == why

    @pytest.mark.slow
    def test_samples_of_one_conversation_count_as_one(self, source):
        write(source, rows(10, 5, group="chat"))
        look(watch(source), NOW)
        with Store(source.parent / "w.db") as store:
            (chart,) = charts(store, looks(store, "shop"), Charting())
        assert chart.points[0].values.tolist() == [0.5]

    def test_a_metric_without_ends_has_a_chart_but_no_test(self, source):
        made = watch(source, metrics="latency")
        days(made, [1.0] * 2, latency_ms=100.0)
        assert days(made, [1.0], start=2, latency_ms=9000.0) == []


class TestKilled:
    def test_a_look_goes_on_with_its_samples_and_what_is_left_of_its_budget(
        self, source, monkeypatch
    ):
        from assay._runner import evaluate as module

        async def killed(*_, **__):
            raise KeyboardInterrupt

        write(source, rows(3, 3))
        with monkeypatch.context() as patch:
            patch.setattr(module, "score_run", killed)
            with pytest.raises(KeyboardInterrupt):
                look(watch(source), NOW)
        write(source, rows(2, 2, prefix="later"))
        again = look(watch(source), NOW + timedelta(days=1))
        assert (again.number, again.result.run.n_samples) == (1, 3)
        assert again.result.run.params["at"] == NOW.isoformat()
        assert look(watch(source), NOW + timedelta(days=1)).number == 2

    @pytest.mark.slow
    def test_an_alert_that_could_not_be_kept_is_told_by_the_next_call(self, source, monkeypatch):
        made = watch(source)
        days(made, [0.9] * 2)

        def full(*_):
            raise InputError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(Alerts, "add", full)
            with pytest.raises(InputError):
                days(made, [0.1], start=2)
        found = look(made, NOW + timedelta(days=3))
        assert found.result is None
        assert [alert.look for alert in found.alerts] == [3]

    @pytest.mark.slow
    def test_thirty_days_with_kills_are_thirty_days_without(self, tmp_path):
        quiet, disturbed = tmp_path / "quiet", tmp_path / "disturbed"
        rng, kills, whole = random.Random(0), 0, 0.0
        for folder in (quiet, disturbed):
            folder.mkdir()
            environ = {**os.environ, "ASSAY_TEST_CALLS": str(folder / "calls")}
            command = [sys.executable, "-m", "support.watched_days", str(folder)]
            ended = None
            while ended != 0:
                began = time.monotonic()
                process = subprocess.Popen(command, env=environ, cwd=Path(__file__).parents[1])
                # A share of the time without kills, so that a fast machine kills as often.
                share = rng.uniform(0.05, 0.2)
                patience = share * whole if folder == disturbed and kills < 15 else 300
                try:
                    ended = process.wait(patience)
                    assert ended == 0
                    whole = time.monotonic() - began
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    kills += 1
        assert kills >= 5
        made = watched_days.found(disturbed)
        assert made == watched_days.found(quiet)
        looks_made, kept, others, alerts = made
        assert [number for number, *_ in looks_made] == list(range(1, 31))
        assert [alert.pending for alert in kept] == [()] * len(alerts)
        assert alerts
        assert others == []
        calls = [len((folder / "calls").read_text().splitlines()) for folder in (quiet, disturbed)]
        # A kill loses the call on its way, and the replies that were being written: one or two.
        assert calls[0] <= calls[1] <= calls[0] + 3 * kills


@contextmanager
def told(source, **options):
    """A store in which one alert is to be sent."""
    channels = Channels(**options)
    made = watch(source, channels=channels.names)
    assert days(made, [0.9, 0.9, 0.1])
    yield made, channels


class TestDelivery:
    def test_a_file_gets_each_alert_once(self, source):
        file = source.parent / "alerts.jsonl"
        file.write_text('{"id": "torn')
        with told(source, file=str(file)) as (made, channels):
            for _ in range(2):
                assert deliver(made.store, "shop", channels) == []
            line = json.loads(file.read_text().splitlines()[-1])
            assert line["id"] == "shop/3/exact_match"
            # Killed after the line, before the store was told.
            with Store(made.store) as store, store.changing() as db:
                db.execute("DELETE FROM alerts")
            with Store(made.store) as store:
                run = looks(store, "shop")[-1].run
                Result(made.store, run.id).describe(
                    params={k: v for k, v in run.params.items() if k != "told"}
                )
            look(made, NOW)
            assert deliver(made.store, "shop", channels) == []
        assert len(file.read_text().splitlines()) == 2

    def test_what_a_webhook_refuses_is_kept_until_it_takes_it(self, source, webhook):
        address, got, statuses = webhook
        statuses += [500, 500, 500, 302]
        with told(source, webhook=address, pause=0.001) as (made, channels):
            (problem,) = deliver(made.store, "shop", channels)
            assert "it answered 500" in problem
            assert "secret-path" not in problem
            assert len(got) == 3
            assert deliver(made.store, "shop", channels) == []
            assert deliver(made.store, "shop", channels) == []
        bodies = {body for body, _ in got}
        assert len(bodies) == 1
        assert len(got) == 5
        assert json.loads(bodies.pop())["stream"] == "exact_match"
        assert {headers["Idempotency-Key"] for _, headers in got} == {"shop/3/exact_match"}

    @over("address", ["file:///etc/passwd", "ftp://host/x", "host/path"])
    def test_a_webhook_is_http(self, address):
        with pytest.raises(InputError, match="http"):
            Channels(webhook=address)


@pytest.fixture
def webhook():
    """(address, what it got, statuses to answer with first)."""
    import threading
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    got, statuses = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((body, dict(self.headers)))
            self.send_response(statuses.pop(0) if statuses else 204)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/secret-path-1234", got, statuses
    server.shutdown()
    server.server_close()
    thread.join()
