"""Is a store with one wrong byte, or cut short, ever shown as if it were whole?"""

import pytest

from support import flips

FLIPS = 20
CUT = (1, 100, 4096, 8192)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store's file, and what every command shows of it."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    flips.make(path)
    return path, flips.read(path)[""], flips.look(path)


def _judged(whole, content):
    path, _, before = whole
    flips.write(path, {"": content})
    seen = flips.look(path)
    for code, text in (seen.verify, *seen.shown):
        assert code in (0, 2), text[-600:]
        assert "bug in assay" not in text
    code, text = seen.verify
    if code == 0:
        assert seen.shown == before.shown
    else:
        assert "damaged" in text or "cannot be used as a store" in text
    return code


@pytest.mark.slow
def test_a_wrong_byte_is_noticed_or_makes_no_difference(whole):
    content = whole[1]
    codes = [
        _judged(whole, flips.flipped(content, *place))
        for place in flips.offsets(len(content), FLIPS)
    ]
    assert 2 in codes


@pytest.mark.slow
def test_none_of_some_hundred_wrong_bytes_passes(whole):
    content = whole[1]
    for place in flips.offsets(len(content), 300, seed=1):
        _judged(whole, flips.flipped(content, *place))


# What is damaged there: names of columns that every command reads, and the key of a reply.
@pytest.mark.slow
@pytest.mark.parametrize("name", [b"value_checksum INT", b"evidence ", b"checksum I"])
def test_a_schema_with_a_wrong_letter_is_damage_and_no_bug(whole, name):
    content = whole[1]
    at = -1
    while (at := content.find(name, at + 1)) >= 0:
        _judged(whole, flips.flipped(content, at, 1))


@pytest.mark.slow
@pytest.mark.parametrize("missing", CUT)
def test_a_store_cut_short_is_not_whole(whole, missing):
    assert _judged(whole, whole[1][:-missing]) == 2


@pytest.mark.parametrize("left", [0, 1, 15])
def test_nor_is_one_of_which_nothing_is_left(whole, left):
    path, content, _ = whole
    flips.write(path, {"": content[:left]})
    code, text = flips.look(path).verify
    assert code == 2
    assert "is empty: no store, or none any more" in text
