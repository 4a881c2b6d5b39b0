"""What if the disk is full, the file read-only, damaged, newer, or on a network? A clear word each."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import warnings
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay import Result, evaluate
from assay._store import Store, connection, integrity
from assay._store.browsing import Filter, matching
from assay._store.maintenance import verify
from assay.errors import InputError
from assay.judge import Reply
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "context_precision"]
PLACES = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]


def limited():
    import resource  # Windows has none

    # As a quota or a full disk does it: the write fails, the process goes on.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (220_000, 220_000))


@pytest.mark.posix
class TestAFullDisk:
    CODE = """
        import sys, assay
        from assay._cli.errors import _code
        from support.scripts import plausible, samples

        def run():
            data = samples(200)
            assay.evaluate(data, ["faithfulness", "context_precision"], plausible(), store=sys.argv[1])

        sys.exit(_code(run, debug=False))
        """

    def run(self, code, db):
        command = [sys.executable, "-c", textwrap.dedent(code), str(db)]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(PLACES)}
        return subprocess.run(
            command,
            env=env,
            preexec_fn=limited,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @pytest.mark.slow
    def test_what_was_kept_is_whole_and_the_same_command_goes_on(self, db):
        full = self.run(self.CODE, db)
        assert full.returncode == 2, full.stderr
        assert (
            "the store cannot be used" in full.stderr or "cannot be used as a store" in full.stderr
        )
        assert "Traceback" not in full.stderr
        assert verify(db).problems == ()
        kept = self.kept(db)
        evaluate(samples(200), METRICS, plausible(), store=db)
        assert verify(db).problems == ()
        assert len(kept) < len(self.kept(db))
        judge = Watched(plausible())
        result = evaluate(samples(200), METRICS, judge, store=db)
        assert judge.asked == []
        assert [row.n_scored for row in result.summary()] == [200, 200]

    @pytest.mark.slow
    def test_the_library_says_so_in_its_own_words(self, db):
        code = self.CODE.replace("sys.exit(_code(run, debug=False))", "run()")
        last = self.run(code, db).stderr.strip().splitlines()[-1]
        assert last.startswith("assay._store.integrity.StoreError: '")

    @pytest.mark.slow
    def test_what_is_on_its_way_when_the_disk_is_nearly_full_is_kept(self, db, monkeypatch):
        monkeypatch.setattr(
            connection.shutil, "disk_usage", lambda _: SimpleNamespace(free=next(frees))
        )
        frees = chain([1 << 30] * 20, repeat(1 << 20))

        async def slow(task):
            await asyncio.sleep(0.01)

        judge = Watched(plausible(), before=slow)
        with pytest.raises(InputError, match=r"is full: 1\.0 MB are left -> make room on the disk"):
            evaluate(samples(200), METRICS, judge, store=db)
        assert 0 < len(judge.asked) == len(self.kept(db)) < 200
        monkeypatch.undo()
        again = Watched(plausible())
        evaluate(samples(200), METRICS, again, store=db)
        assert not set(judge.asked) & set(again.asked)

    def test_with_no_room_at_the_start_nobody_is_asked(self, db, monkeypatch):
        monkeypatch.setattr(connection, "ROOM_BYTES", 1 << 80)
        monkeypatch.setattr(connection, "SCORE_BYTES", 1 << 80)
        assert begun(db).startswith("0 the disk of '")

    @pytest.mark.slow
    @pytest.mark.parametrize(("n", "free"), [(20, 1 << 20), (1200, 16 << 20)])
    def test_no_more_room_is_asked_for_than_the_run_can_need(self, db, monkeypatch, n, free):
        left = SimpleNamespace(free=free)
        monkeypatch.setattr(connection.shutil, "disk_usage", lambda _: left)
        assert evaluate(samples(n), "exact_match", plausible(), store=db).run.finished
        with Store(db) as store:
            assert store.path.stat().st_size < free
            left.free = free // 4
            with pytest.raises(InputError, match="is full"):
                store.check_room(n)

    @pytest.mark.parametrize(
        ("free", "told"), [(0, "its disk is full -> make room"), (1 << 20, "the disk fails")]
    )
    def test_a_full_disk_is_told_even_where_sqlite_takes_it_for_a_fault(
        self, db, monkeypatch, free, told
    ):
        monkeypatch.setattr(integrity.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR | (19 << 8)  # SQLITE_IOERR_SHMSIZE
        assert told in str(integrity.as_store_error(error, db))
        with pytest.raises(InputError, match=told), integrity.file_errors(db):
            raise error

    def kept(self, db):
        with Store(db) as store:
            return store.query("SELECT key FROM replies")


@pytest.fixture
def finished(db):
    """A store with a finished run, as it lies on the disk when nobody uses it."""
    evaluate(samples(3), METRICS, plausible(), store=db)
    return db


def as_nobody(ask):
    """What a function says as a user who may write nothing of ours (root may write anything)."""
    if os.getuid():
        return ask()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that a fork leaves behind
        child = os.fork()
    if child == 0:
        try:
            os.setresuid(65534, 65534, 65534)
            said = ask()
        except BaseException as error:  # noqa: BLE001 - told to the parent
            said = repr(error)
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read().decode()


def means(path):
    return str([round(row.mean, 6) for row in Result(path).summary()])


def failed(path):
    """The rows that a filter of the viewer finds."""
    with Store(path) as store:
        return list(matching(store, store.run(), Filter(why="failed", order="faithfulness")))


def begun(path):
    """How many calls were made before a run was refused, and in which words."""
    judge = Watched(plausible())
    try:
        evaluate(samples(4), ["faithfulness"], judge, store=path)
    except InputError as error:
        return f"{len(judge.asked)} {error}"
    return "not refused"


@pytest.fixture
def reachable(finished, tmp_path_factory):
    """A store whose folder others may come to."""
    everyones = tmp_path_factory.getbasetemp().anchor, tempfile.gettempdir()
    for folder in (finished.parent, *finished.parent.parents):
        if str(folder) in everyones:
            break
        folder.chmod(0o755)
    return finished


class TestReadOnly:
    @pytest.mark.posix
    @pytest.mark.parametrize("folder_too", [False, True])
    def test_it_is_read_and_refused_for_writing_before_anything_is_asked(
        self, reachable, folder_too
    ):
        content, expected = reachable.read_bytes(), means(reachable)
        reachable.chmod(0o444)
        reachable.parent.chmod(0o555 if folder_too else 0o777)
        try:
            read, wrote = as_nobody(lambda: means(reachable)), as_nobody(lambda: begun(reachable))
        finally:
            reachable.parent.chmod(0o755)
        assert read == expected
        assert wrote.startswith("0 ")
        assert "cannot be written; take another --store" in wrote
        assert reachable.read_bytes() == content

    @pytest.mark.posix
    def test_an_older_store_without_an_index_is_read_as_it_is(self, reachable):
        expected = means(reachable)
        with sqlite3.connect(reachable) as connection:
            connection.execute("DROP INDEX jobs_value")
            connection.execute("DROP TABLE alerts")
            connection.execute("DROP TABLE prompt_cache")
            connection.execute("DROP TABLE second_opinions")
            connection.execute("DROP TABLE answering_models")
            connection.execute("PRAGMA user_version = 8")
        connection.close()
        content = reachable.read_bytes()
        reachable.parent.chmod(0o555)
        try:
            read = as_nobody(lambda: f"{means(reachable)} {failed(reachable)}")
        finally:
            reachable.parent.chmod(0o755)
        assert read == f"{expected} []"
        assert reachable.read_bytes() == content

    @pytest.mark.posix
    def test_an_older_store_without_a_table_is_not(self, reachable):
        with sqlite3.connect(reachable) as connection:
            connection.execute("DROP TABLE labels")
            connection.execute("DROP TABLE label_queue")
            connection.execute("DROP TABLE alerts")
            connection.execute("DROP TABLE prompt_cache")
            connection.execute("DROP TABLE second_opinions")
            connection.execute("DROP TABLE answering_models")
            connection.execute("DROP INDEX jobs_value")
            connection.execute("PRAGMA user_version = 7")
        connection.close()
        reachable.parent.chmod(0o555)
        try:
            read = as_nobody(lambda: means(reachable))
        finally:
            reachable.parent.chmod(0o755)
        assert "cannot be written" in read

    @pytest.mark.posix
    def test_a_folder_in_which_nothing_may_be_made(self, reachable):
        reachable.parent.chmod(0o555)
        try:
            wrote = as_nobody(lambda: begun(reachable.with_name("new.db")))
        finally:
            reachable.parent.chmod(0o755)
        assert "unable to open database file -> check the folder's permissions" in wrote


class TestDamage:
    @pytest.mark.parametrize("size", [0.3, 0.7])
    def test_a_file_that_was_cut_off_is_refused_or_found_damaged(self, finished, size):
        with Store(finished) as store:
            store.query("PRAGMA wal_checkpoint(TRUNCATE)")
        os.truncate(finished, int(finished.stat().st_size * size))
        try:
            assert verify(finished).problems
        except InputError as error:
            assert "cannot be used as a store" in str(error)  # noqa: PT017 - either will do

    def test_an_empty_file_is_a_new_store(self, db):
        db.touch()
        with Store(db) as store:
            assert store.runs() == []


class TestNetworkFileSystems:
    MOUNTS = (
        "/dev/sda1 / ext4 rw 0 0\n"
        "server:/home /net nfs4 rw 0 0\n"
        "tmpfs /net/local tmpfs rw 0 0\n"
        "//nas/share /media/my\\040share cifs rw 0 0\n"
        "//nas/data /mnt/donn\u00e9es smb3 rw 0 0\n"
        "broken\n"
    )

    @pytest.mark.skipif(sys.platform != "linux", reason="mounts are read on Linux")
    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("/var/assay.db", "ext4"),
            ("/net/me/assay.db", "nfs4"),
            ("/network/assay.db", "ext4"),
            ("/net/local/assay.db", "tmpfs"),
            ("/media/my share/assay.db", "cifs"),
            ("/mnt/donn\u00e9es/assay.db", "smb3"),
        ],
    )
    def test_the_mount_that_holds_a_file_tells_its_type(self, tmp_path, path, kind):
        table = tmp_path / "mounts"
        table.write_text(self.MOUNTS, "utf-8")
        assert connection.file_system(Path(path), table) == kind

    def test_what_cannot_be_known_is_no_network(self, tmp_path):
        assert connection.file_system(tmp_path, tmp_path / "absent") == ""

    def test_a_network_is_warned_of_and_used(self, db, monkeypatch):
        monkeypatch.setattr(connection, "file_system", lambda path: "nfs4")
        match = (
            r"lies on a network file system \(nfs4\): use it from one machine at a time, or name"
        )
        with pytest.warns(integrity.StoreWarning, match=match):
            Store(db).close()

    def test_the_command_line_says_it_in_words(self, db, monkeypatch, capsys):
        from assay._cli.errors import _code

        monkeypatch.setattr(connection, "file_system", lambda path: "nfs4")
        with pytest.warns(integrity.StoreWarning) as caught:
            Store(db).close()

        def warned():
            warnings.simplefilter("always")
            warnings.warn(caught[0].message, stacklevel=1)

        assert _code(warned, debug=False) == 0
        assert capsys.readouterr().err.startswith("warning: '")


def test_two_that_write_the_same_reply_keep_the_first(db):
    with Store(db) as one, Store(db) as other:
        asyncio.run(one.keep_reply(Reply(("p",), "first", key="k"), "a"))
        asyncio.run(other.keep_reply(Reply(("p",), "second", key="k"), "b"))
        assert one.reply("k").raw == other.reply("k").raw == "first"


@pytest.mark.skipif(os.name == "nt", reason="no file that is open can be deleted or moved")
@pytest.mark.parametrize("how", [Path.unlink, lambda path: path.rename(path.with_suffix(".old"))])
def test_a_store_that_is_deleted_or_moved_stops_the_run_instead_of_losing_what_is_paid(db, how):
    async def gone(task):
        if db.exists() and len(judge.asked) >= 20:
            how(db)

    judge = Watched(plausible(), before=gone)
    data = [{"question": "?", "contexts": ["A."], "answer": f"{n} towers."} for n in range(1000)]
    with pytest.raises(InputError, match="was deleted or moved while it was in use"):
        evaluate(data, "faithfulness", judge, store=db)
    assert len(judge.asked) < 1000
