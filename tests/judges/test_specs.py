"""What is said of a judge's name that cannot be used: in one line, and without what is secret?"""

import pytest

from assay.errors import InputError
from assay.judges.specs import backend
from support.over import over

LONG = "x" * 3000


def said(spec):
    with pytest.raises(InputError) as caught:
        backend(spec)
    return str(caught.value).partition(" one of: ")[0]


@over(
    "spec",
    [
        f"openai:{LONG},openai:y{LONG}",
        f"embed=openai:{LONG},embed=openai:y{LONG}",
        f"nothing={LONG}",
        LONG,
        f"opneai:{LONG}",
        f"a b:{LONG}",
        ",".join(f"openai:{n}" for n in range(100)),
    ],
)
def test_a_long_name_is_not_quoted_whole(spec):
    assert "xxxxxxxxxx" in said(spec) or "openai:0 and openai:1 (and 98 more)" in said(spec)
    assert len(said(spec).partition(" -> tasks are ")[0]) < 300


def test_two_long_names_are_told_apart_by_their_ends():
    folder = f"onnx:/{LONG}"
    assert "xxx/first and onnx:/xxx" in said(f"{folder}/first,{folder}/second")
    assert "xxx/second -> give one to some tasks only: TASK=JUDGE" in said(
        f"{folder}/first,{folder}/second"
    )


@over(
    "spec",
    [
        "openai:m,http://me:secret@host/v1",
        "embed=openai:m,embed=http://me:secret@host/v1",
        "some=http://me:secret@host/v1",
        "http://me:secret@host/v1",
        "http://me:secret@host/v1+openai:m",
    ],
)
def test_a_password_in_an_address_is_not_shown(spec):
    assert "host" in said(spec)
    assert "secret" not in said(spec)
