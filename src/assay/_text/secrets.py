"""Keys and passwords that services are called with, and texts in which they are made unreadable."""

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

HIDDEN: Final = "***"
# A word of letters, such as "none" or "ollama", is no key, and stands in too many texts.
SHORTEST, SHORTEST_WORD = 6, 20
SHORTEST_CORE = 8  # of what base64 makes of a key whatever stands before it
_NAMES: Final = re.compile(
    r"auth|key|token|secret|passw|credential|cookie|signature|^sig$", re.IGNORECASE
)
_VARIABLE: Final = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)S?$", re.IGNORECASE)
_PATH: Final = ("/", "~", ".")


class _Forms(NamedTuple):
    """What is looked for: in texts, and in what comes from a server."""

    texts: tuple[str, ...]
    contents: tuple[bytes, ...]


class _Secrets:
    """All that this process knows of."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._forms: _Forms | None = None
        self._lock = threading.Lock()

    def add(self, values: Iterable[str]) -> None:
        new = {value for value in values if _is_secret(value)} - self._values
        if new:
            with self._lock:
                self._values |= new
                self._forms = None

    def forms(self) -> _Forms:
        with self._lock:
            if self._forms is None:
                written = {form for value in self._values for form in _written(value)}
                # The longest first: what stands within another is gone with it.
                texts = tuple(sorted(written, key=len, reverse=True))
                self._forms = _Forms(
                    texts, tuple(form.encode("utf-8", "replace") for form in texts)
                )
            return self._forms


_known = _Secrets()


def remember(*values: str) -> None:
    """Hide these wherever a service repeats them. A short word is none that could be hidden."""
    _known.add(values)


def remember_headers(headers: Mapping[str, str]) -> None:
    """Hide the values of those headers whose name says that they are secret."""
    for name, value in headers.items():
        if _NAMES.search(name):
            _known.add(_in_header(value))


def remember_url(url: str) -> None:
    """Hide the password of an address, and what its query calls a key or a token."""
    from base64 import b64encode
    from urllib.parse import parse_qsl, unquote, urlsplit

    try:
        parts = urlsplit(url)
    except ValueError:
        return
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    login = b64encode(f"{user}:{password}".encode()).decode()
    _known.add([password, *([login] if password else [])])
    _known.add(value for name, value in parse_qsl(parts.query) if _NAMES.search(name))


def remember_environment(environ: Mapping[str, str] = os.environ) -> None:
    """Hide what the environment calls a key, a token, a secret or a password."""
    named = (value for name, value in environ.items() if _VARIABLE.search(name))
    _known.add(value for value in named if not value.startswith(_PATH))


def redacted(text: str) -> str:
    """The text with every secret in it made unreadable, in whichever form it stands there."""
    for form in _known.forms().texts:
        if form in text:
            text = text.replace(form, HIDDEN)
    return text


def redacted_content(content: bytes) -> bytes:
    """As `redacted`, of what came from a server."""
    for form in _known.forms().contents:
        if form in content:
            content = content.replace(form, HIDDEN.encode())
    return content


def _is_secret(value: str) -> bool:
    return len(value) >= (SHORTEST_WORD if value.isalpha() else SHORTEST)


def _in_header(value: str) -> Iterator[str]:
    """A header's value, without its scheme too, and the password of a login in it."""
    from base64 import b64decode

    yield value
    for word in value.split()[1:]:
        yield word
        try:
            login = b64decode(word, validate=True).decode()
        except ValueError:
            continue
        yield login.partition(":")[2]


def _written(secret: str) -> Iterator[str]:
    """The forms in which a text may hold a secret."""
    # Not at the top: hardly any command needs them.
    import html
    import json
    from urllib.parse import quote, quote_plus

    yield secret
    for escaped in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield escaped
        yield re.sub("%..", lambda code: code[0].lower(), escaped)
    quoted = json.dumps(secret)[1:-1]
    yield from (quoted, quoted.replace("/", "\\/"), html.escape(secret))
    for before in range(3):
        yield from _cores(secret.encode("utf-8", "replace"), before)


def _cores(secret: bytes, before: int) -> Iterator[str]:
    """What base64 makes of a secret behind so many bytes, but for where it meets other bytes."""
    from base64 import b64encode

    content = b64encode(b"\0" * before + secret).decode().rstrip("=")
    whole = (before + len(secret)) % 3 == 0
    core = content[(0, 2, 3)[before] : None if whole else -1]
    if len(core) >= SHORTEST_CORE:
        yield core
        yield core.replace("+", "-").replace("/", "_")


remember_environment()
