"""What the handlers of the viewer answer with: a page made on a thread, or another address."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from aiohttp import web

from assay.errors import InputError
from assay.view.site import Place

LIVE: Final = Place()


async def html(make: Callable[..., str], *values: Any) -> web.Response:
    """A page, made beside the event loop."""
    text = await asyncio.to_thread(make, *values)
    return web.Response(text=text, content_type="text/html")


def elsewhere(address: str) -> web.HTTPSeeOther:
    """To be raised: the browser goes on to another address."""
    return web.HTTPSeeOther(address)


def told(error: Exception) -> list[str]:
    """In sentences: what is wrong, and what to do about it."""
    if not isinstance(error, InputError):
        return [str(error)]
    texts = [text for one in error.problems for text in (str(replace(one, remedy="")), one.remedy)]
    return [text[:1].upper() + text[1:] + "." for text in texts if text]
