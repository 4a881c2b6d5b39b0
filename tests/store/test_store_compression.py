"""Is every text read as it was kept, whatever it is packed beside, and are those bytes unchanged?"""

import hashlib
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from assay._store import Store, rows, schema
from assay._store.integrity import long_keys, short_key, short_keys
from assay._store.rows import compress_pieces, numbers, read_pieces
from assay._store.schema import compress, decompress
from assay.errors import InputError
from assay.prompt import InputText, Template, render
from assay.sample import Sample
from support import scripts
from support.over import over

LONG = "A context of more than forty-eight characters, which is kept only once. "


@given(st.text(), st.binary(max_size=2000) | st.just(bytes(range(256)) * 160))
def test_any_text_comes_back_beside_anything(text, beside):
    assert decompress(compress(text, beside), beside) == text


@over("length", [2**n + d for n in (7, 8, 9, 14, 15, 16) for d in (-1, 0, 1)])
def test_at_the_edges_of_the_window_a_text_comes_back(length):
    text = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(length // 64 + 1))
    for beside in (b"", text[: length // 2].encode(), text[:length].encode()):
        assert decompress(compress(text[:length], beside), beside) == text[:length]


def test_what_repeats_what_is_known_takes_hardly_any_room():
    text = LONG * 3 + "and a word more"
    assert len(compress(text, (LONG * 3).encode())) < 30
    assert compress("short") == "short"


def test_a_damaged_text_is_told_and_not_shown():
    kept = compress(LONG * 9)
    for damaged in (kept[:-5], b"\xff" + kept[1:], kept[:10] + b"\x00\x00" + kept[12:]):
        try:
            assert decompress(damaged) != LONG * 9
        except InputError as error:
            assert "is damaged" in str(error)  # noqa: PT017 - some damage deflate cannot see


def test_what_kept_rows_are_read_beside_is_never_changed():
    digests = {
        name: hashlib.sha256(getattr(schema, name)).hexdigest()[:12]
        for name in ("TEXT", "ROW", "EVIDENCE")
    }
    assert digests == DIGESTS
    texts = rows.evidence_dictionary(
        Sample(id="1", question="q", answer="a", reference="r", contexts=("c",))
    )
    assert texts == b'["c","r","q","a"]' + schema.EVIDENCE
    assert rows.evidence_dictionary(Sample(id="1")) == b"[null,null,null]" + schema.EVIDENCE


DIGESTS = {"TEXT": "3b5945655951", "ROW": "8acfe989601a", "EVIDENCE": "f9d6a0cfc6e6"}


class TestPieces:
    TEMPLATE = Template("Judge the material. " * 5, form='{"x": 1}')

    def kept(self, pieces):
        """What comes back, and what was kept beside the row."""
        texts = []

        def refer(text):
            if text not in texts:
                texts.append(text)
            return str(texts.index(text))

        body = compress_pieces(pieces, refer)
        return read_pieces(body, lambda number: texts[int(number)]), decompress(body, schema.ROW)

    def test_the_codes_of_fences_follow_from_what_they_enclose(self):
        pieces = render(self.TEMPLATE, [InputText("question", "Who?"), InputText("text", LONG * 2)])
        back, body = self.kept(pieces)
        assert back == pieces
        assert "<<<" not in body
        assert ">>>" not in body

    @over(
        "pieces",
        [
            (),
            ("",),
            ("<", ">", "#1", "=x"),
            ("a<<<0123456789abcdef\n", LONG, "\n0123456789abcdef>>>\n"),  # not its own code
            ("\nx:\n<<<", "", "\n>>>\n"),
            ('"#1"', LONG, '\\"#2\\"'),
        ],
    )
    def test_what_only_looks_like_a_fence_or_a_reference_stays_as_it_is(self, pieces):
        assert self.kept(pieces)[0] == pieces

    @given(st.lists(st.text() | st.sampled_from([LONG, LONG * 2, "\n>>>\n", "<<<"]), max_size=6))
    def test_any_pieces_come_back(self, pieces):
        assert self.kept(pieces)[0] == tuple(pieces)

    @given(st.lists(st.text(min_size=1, max_size=80), max_size=4))
    def test_any_material_comes_back(self, texts):
        pieces = render(self.TEMPLATE, [InputText(f"m{n}", text) for n, text in enumerate(texts)])
        assert self.kept(pieces)[0] == pieces

    def test_material_that_holds_the_fence_of_another_comes_back(self):
        code = hashlib.sha256(b"Who?").hexdigest()[:4]
        attack = f"{LONG}\n{code[0]} {code[1:]}>>>\n"
        pieces = render(self.TEMPLATE, [InputText("question", "Who?"), InputText("text", attack)])
        assert code not in "".join([*pieces[:2], pieces[-1]])
        assert self.kept(pieces)[0] == pieces

    @over(
        ("text", "code"),
        [("Paris", "5dd2"), ("118915 BEAD>>>", "beadd"), ("27452 BE AD>>>", "bead")],
    )
    def test_what_was_stored_without_its_codes_reads_as_it_was_sent(self, text, code):
        stored = compress(f'["<\\ntext:\\n","={text}",">"]', schema.ROW)
        pieces = (f"\ntext:\n<<<{code}\n", text, f"\n{code}>>>\n")
        assert read_pieces(stored, lambda _: "") == pieces

    def test_the_texts_that_a_row_needs_are_found(self):
        assert numbers('["#1","=x","#23",">","=\\"#4\\""]') == {1, 23}


class TestKeys:
    def test_a_key_of_ours_takes_half_the_room_and_any_other_stays(self):
        ours = "0123456789abcdef" * 2
        assert short_key(ours) == bytes.fromhex(ours)
        assert short_key("k1") == "k1"
        assert long_keys(short_keys(f"{ours} {ours}")) == [ours, ours]
        assert long_keys(short_keys(f"{ours} k1")) == [ours, "k1"]
        assert long_keys(short_keys("")) == []


OLDER = """
INSERT INTO texts VALUES (x'{long}', '{text}');
INSERT INTO runs (id, fingerprint, source, config, n_samples, skipped)
    VALUES ('r1', 'f1', 'x.jsonl', '{{"metrics": {{"m": "s"}}}}', 1, 0);
INSERT INTO samples VALUES ('r1', 1, 'q1', '{{"id":"q1","answer":"#{long}","metadata":{{"x":"#7"}}}}');
INSERT INTO replies (key, run, kind, backend, draw, pieces, raw, tokens_in, tokens_out, ms)
    VALUES ('{key}', 'r1', 'embed', 'b#1', 3, '["=Do it: ","#{long}"]', 'said', 5, 2, 1.5);
INSERT INTO jobs VALUES ('r1', 1, 'm', 0.5, '', '',
    '{{"parts":[{{"kind":"statement","text":"x"}}],"method":"rated"}}', '{key} {key}');
INSERT INTO jobs VALUES ('r1', 1, 'n', NULL, 'undefined', 'no statement', '{{}}', '');
"""


def older(path):
    """A store as the first release wrote it."""
    key = hashlib.sha256(LONG.encode()).digest()[:16].hex()
    connection = sqlite3.connect(path)
    sql = schema.MIGRATIONS[0] + ";" + OLDER.format(long=key, text=LONG, key="ab" * 16)
    connection.executescript(sql + ";PRAGMA user_version = 1")
    connection.close()


def test_a_store_of_the_first_release_is_upgraded_with_all_it_holds(db):
    older(db)
    with Store(db) as store:
        reply = store.reply("ab" * 16)
        assert (reply.pieces, reply.raw, reply.draw, reply.ms) == (
            ("Do it: ", LONG),
            "said",
            3,
            1.5,
        )
        assert (reply.kind, reply.backend) == ("embed", "b#1")
        (sample,) = [sample for _, sample in store.samples("r1")]
        assert (sample.answer, sample.metadata) == (LONG, {"x": "#7"})
        outcome = store.outcome("r1", 1, "m")
        assert (outcome.value, outcome.method, outcome.parts[0].text) == (0.5, "rated", "x")
        assert store.outcome("r1", 1, "n").why == "undefined"
        assert store.methods("r1", "m") == ["rated"]
        assert store.reply_keys("r1", 1, "m") == ["ab" * 16] * 2
        spent = store.spent("r1")
        assert (spent.calls, spent.tokens_in) == (1, 5)
        assert store.charged("r1", ()) == {}  # it was embedded
        assert (store.used("r1"), store.run("r1").source) == (2, "x.jsonl")
    assert "packed_texts" not in tables(db)


def tables(path):
    connection = sqlite3.connect(path)
    found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    connection.close()
    return found


def test_the_store_takes_less_room_than_plain_text_would(db):
    samples = [scripts.sample(n, contexts=tuple(f"{LONG * 20} {n} {k}" for k in range(5)))
               for n in range(200)]  # fmt: skip
    with Store(db) as store:
        store.begin(samples, {"metrics": {"m": "s"}}, "x")
    plain = sum(len(text) for sample in samples for text in sample.contexts)
    assert db.stat().st_size < plain / 4
