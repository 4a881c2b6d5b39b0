"""Is a model another one when its file is?"""

import pytest

from assay.judges.data_digest import BLOCK, BLOCKS, digest, whole_digest


@pytest.mark.slow
@pytest.mark.parametrize("size", [1000, BLOCKS * BLOCK, BLOCKS * BLOCK * 20])
def test_a_byte_anywhere_in_it_makes_another_file(tmp_path, size):
    plain, trained = tmp_path / "plain.onnx", tmp_path / "trained.onnx"
    plain.write_bytes(bytes(size))
    for at in (0, size // 2 + BLOCK * 3 // 2, size - 1):
        if at < size:
            trained.write_bytes(bytes(at) + b"x" + bytes(size - at - 1))
            assert whole_digest(plain) != whole_digest(trained)


def test_a_small_file_keeps_the_digest_that_it_had(tmp_path):
    path = tmp_path / "small.onnx"
    path.write_bytes(b"x" * BLOCKS * BLOCK)
    assert whole_digest(path) == digest(path)
