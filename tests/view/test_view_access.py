"""Who may look at a store, and who may change what is said of it?"""

import pytest

from assay._store import Store


@pytest.fixture
async def outside(serve, store):
    """A client that has not brought the token."""
    return await serve(store)


async def test_without_the_token_nothing_is_shown(outside):
    for path in ("/", "/runs/last", "/static/assay.css", "/nonsense", "/?token=wrong"):
        status, text, _ = await outside.get(path)
        assert status == 403, path
        assert "assay view" in text
        assert "first" not in text


async def test_the_token_becomes_a_cookie_that_no_script_and_no_other_site_gets(outside):
    path = f"/runs/first?q=tower&token={outside.access.token}"
    status, _, reply = await outside.get(path, allow_redirects=False)
    assert status == 303
    assert reply.headers["Location"] == "/runs/first?q=tower"
    cookie = reply.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    status, text, _ = await outside.get("/runs/first")
    assert status == 200
    assert outside.access.token not in text


async def test_the_way_in_leads_to_no_other_site(outside):
    path = f"//evil.example/?token={outside.access.token}"
    _, _, reply = await outside.get(path, allow_redirects=False)
    assert not reply.headers.get("Location", "/").startswith("//")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
async def test_another_name_or_another_site_is_refused_even_with_the_token(outside, headers):
    await outside.enter()
    for path in ("/", f"/?token={outside.access.token}"):
        status, _, _ = await outside.get(path, headers=headers)
        assert status == 403
    status, _, _ = await outside.post("/runs/first/edit", {"name": "x"}, headers=headers)
    assert status == 403


async def test_pages_let_in_nothing_but_their_own_files(serve, store):
    client = await (await serve(store)).enter()
    for path in ("/", "/runs/first", "/runs/first/samples/1", "/nothing"):
        _, text, reply = await client.get(path)
        policy = reply.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Cache-Control"] == "no-store"
        assert " style=" not in text
        assert "onclick" not in text


class TestAChange:
    @pytest.fixture
    async def client(self, serve, store):
        return await (await serve(store)).enter()

    async def test_takes_the_token_of_its_form(self, client, store):
        for form in ({}, {"form_token": "wrong"}):
            status, _, _ = await client.post(
                "/runs/first/edit", {"name": "new", **form}, token=False
            )
            assert status == 403
        status, _, _ = await client.post("/runs/first/delete", token=False)
        assert status == 403
        with Store(store) as opened:
            assert [run.name for run in opened.runs()] == ["second", "first"]

    async def test_a_page_of_another_site_cannot_send_it(self, client):
        headers = {"Sec-Fetch-Site": "cross-site"}
        status, _, _ = await client.post("/runs/first/edit", {"name": "x"}, headers=headers)
        assert status == 403

    async def test_renames_tags_and_notes(self, client, store):
        form = {"name": "best", "tags": "a, b c", "note": "n\r\n2", "params": "k=7\nm=small"}
        status, _, reply = await client.post("/runs/first/edit", form)
        assert status == 303
        with Store(store) as opened:
            run = opened.run("best")
        assert reply.headers["Location"] == f"/runs/{run.id}"
        assert (run.tags, run.note, run.params) == (("a", "b c"), "n\n2", {"k": 7, "m": "small"})

    async def test_says_what_is_wrong_with_it(self, client):
        status, text, _ = await client.post("/runs/first/edit", {"name": "last"})
        assert status == 422
        assert "cannot be called" in text

    async def test_deleting_asks_first(self, client, store):
        status, text, _ = await client.get("/runs/first/delete")
        assert status == 200
        assert "cannot be undone" in text
        with Store(store) as opened:
            assert len(opened.runs()) == 2
        status, _, _ = await client.post("/runs/first/delete")
        assert status == 303
        with Store(store) as opened:
            assert [run.name for run in opened.runs()] == ["second"]
        status, _, _ = await client.get("/runs/first")
        assert status == 404

    async def test_a_viewer_that_only_reads_takes_none(self, serve, store):
        client = await (await serve(store, read_only=True)).enter()
        for path in ("/runs/first/edit", "/runs/first/delete"):
            assert (await client.get(path))[0] == 403
            assert (await client.post(path, {"name": "x"}))[0] == 403
        _, text, _ = await client.get("/runs/first")
        assert "/edit" not in text
        assert "read only" in text


class TestAnUnforeseenFailure:
    """Of a page whose work raises this."""

    @pytest.fixture
    async def fails(self, serve, store, monkeypatch):
        async def ask(error):
            def render(*_):
                raise error

            client = await (await serve(store)).enter()
            monkeypatch.setattr("assay.view.runs.render", render)
            return await client.get("/?q=secret")

        return ask

    async def test_is_a_page_that_says_what_to_do_and_the_traceback_is_logged(self, fails, caplog):
        status, text, reply = await fails(KeyError("lost"))
        assert status == 500
        assert "Something failed" in text
        assert "please report" in text
        assert "lost" not in text
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
        (record,) = caplog.records
        assert record.getMessage() == "GET / failed"
        assert record.exc_info[0] is KeyError

    async def test_what_the_machine_refuses_is_named_and_no_bug(self, fails, caplog):
        status, text, _ = await fails(OSError(28, "No space left on device"))
        assert status == 500
        assert "No space left on device: mend that" in text
        assert not caplog.records

    async def test_a_caller_who_is_gone_is_none_of_ours(self, fails, caplog):
        _, text, _ = await fails(ConnectionResetError("gone"))
        assert "Something failed" not in text
        assert not [record for record in caplog.records if record.name == "assay"]
