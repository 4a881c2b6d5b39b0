"""Requests and replies: who is let in, and what comes back."""

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from aiohttp import web

from assay._service.limits import Refused, is_local_host
from assay.errors import InputError
from assay.view.site import Place

# Nothing runs and nothing styles but the two files of ours; no other page shows this one in itself.
POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # "no-referrer" would have browsers keep the origin of our own forms from us.
    "Referrer-Policy": "same-origin",
}
PARAMETER: Final = "token"
_WHY: Final = "open the address that `assay view` printed: it holds the token that lets you in"


class Access:
    """Lets requests in that come from a page of ours, or bring the token.

    Args:
        token: The secret; made if none is given.

    Attributes:
        token: What the first address must hold. It becomes a cookie.
        form_token: What every form that changes something sends along.
    """

    def __init__(self, token: str = "") -> None:
        self.token = token or secrets.token_urlsafe(24)
        self.form_token = hmac.new(self.token.encode(), b"forms", hashlib.sha256).hexdigest()

    def check_origin(self, request: web.Request) -> None:
        """Refuse what calls this machine by another name, and the pages of other sites.

        Raises:
            Refused: If it is one of them.
        """
        host = request.headers.get("Host", "")
        if not is_local_host(host):
            # A name of another's that was pointed at this machine ("DNS rebinding").
            raise Refused(403, "the viewer answers to localhost and 127.0.0.1 only")
        origin = request.headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{host}".lower():
            raise Refused(403, "the viewer answers to no page of another site")

    def brings_token(self, request: web.Request) -> bool:
        """Whether the address holds the token."""
        return self._is_token(request.query.get(PARAMETER, ""))

    def check(self, request: web.Request) -> None:
        """Refuse who did not bring the token before.

        Raises:
            Refused: If the cookie is missing or another's.
        """
        if not self._is_token(request.cookies.get(_cookie(request), "")):
            raise Refused(403, _WHY)

    def check_form(self, request: web.Request, form: Mapping[str, object]) -> None:
        """Refuse a change that none of our own forms asks for.

        Raises:
            Refused: If the form's token is missing or wrong, or another site sends it.
        """
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise Refused(403, "the viewer takes forms from its own pages only")
        if not _is_same(str(form.get("form_token", "")), self.form_token):
            raise Refused(
                403, "the form is of an earlier start: go back, reload, and send it again"
            )

    def admit(self, request: web.Request) -> web.Response:
        """To the same address without the token, which the browser keeps as a cookie."""
        query = {name: value for name, value in request.query.items() if name != PARAMETER}
        location = request.rel_url.with_query(query)
        response = web.Response(status=303, headers={"Location": "/" + str(location).lstrip("/")})
        response.set_cookie(_cookie(request), self.token, httponly=True, samesite="Strict")
        return response

    def _is_token(self, text: str) -> bool:
        return _is_same(text, self.token)


def _cookie(request: web.Request) -> str:
    """Cookies know no ports: each viewer on this machine has one of its own."""
    return f"assay-view-{request.url.port}"


def _is_same(sent: str, known: str) -> bool:
    return hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), known.encode())


LIVE: Final = Place()


async def html(make: Callable[..., str], *values: Any) -> web.Response:
    """A page, made beside the event loop."""
    text = await asyncio.to_thread(make, *values)
    return web.Response(text=text, content_type="text/html")


def elsewhere(address: str) -> web.HTTPSeeOther:
    """To be raised: the browser goes on to another address."""
    return web.HTTPSeeOther(address)


def sentences(error: Exception) -> list[str]:
    """In sentences: what is wrong, and what to do about it."""
    if not isinstance(error, InputError):
        return [str(error)]
    texts = [
        text
        for problem in error.problems
        for text in (str(replace(problem, remedy="")), problem.remedy)
    ]
    return [text[:1].upper() + text[1:] + "." for text in texts if text]
