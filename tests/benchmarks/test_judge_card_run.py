"""Does the maker of the card take only what it knows?"""

import pytest
from benchmarks.judge import run


def test_unknown_benchmarks_are_named(capsys):
    with pytest.raises(SystemExit):
        run.arguments(["--only", "nonsense"])
    assert "none of ragtruth" in capsys.readouterr().err
