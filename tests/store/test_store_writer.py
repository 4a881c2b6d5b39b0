"""What a writer remembers of the file is never older than the file."""

import asyncio

import pytest

from assay._store import Store
from assay.judge import Reply

LONG = "a text that is long enough to be kept in a table of its own, under a number"


def reply(key: int) -> Reply:
    return Reply((LONG,), "raw", key=f"{key:032x}", backend="b", kind="k")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "recent.db") as store:
        yield store


def prompt_of(store: Store, key: int) -> str:
    found = store.reply(f"{key:032x}")
    assert found is not None
    return found.prompt


def test_a_text_that_another_connection_deleted_is_written_again(store):
    asyncio.run(store.keep_reply(reply(1), "run"))
    with store.changing() as db:
        db.execute("DELETE FROM replies")
        db.execute("DELETE FROM texts")
        db.execute("DELETE FROM names")
    asyncio.run(store.keep_reply(reply(2), "run"))
    assert prompt_of(store, 2) == LONG


def test_a_text_whose_transaction_was_taken_back_is_written_again(store):
    async def in_one_group() -> list[BaseException | None]:
        def fail(db) -> None:
            raise RuntimeError("a bad write")

        # Both are queued before the writer takes its first group.
        good = asyncio.ensure_future(store.keep_reply(reply(1), "run"))
        bad = asyncio.ensure_future(store._writer.commit(fail))
        return await asyncio.gather(good, bad, return_exceptions=True)

    _, error = asyncio.run(in_one_group())
    assert isinstance(error, RuntimeError)
    assert prompt_of(store, 1) == LONG
    asyncio.run(store.keep_reply(reply(2), "run"))
    assert prompt_of(store, 2) == LONG


def test_equal_texts_are_kept_once_however_much_is_remembered(store, monkeypatch):
    monkeypatch.setattr("assay._store.connection.MAX_TEXTS", 0)
    for key in range(3):
        asyncio.run(store.keep_reply(reply(key), "run"))
    assert store.query("SELECT count(*) FROM texts") == [(1,)]
    assert [prompt_of(store, key) for key in range(3)] == [LONG] * 3
