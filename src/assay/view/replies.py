"""What the handlers of the viewer answer with: a page made on a thread, or another address."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from assay.view.site import Place

LIVE: Final = Place()


async def html(make: Callable[..., str], *values: Any) -> web.Response:
    """A page, made beside the event loop."""
    text = await asyncio.to_thread(make, *values)
    return web.Response(text=text, content_type="text/html")


def elsewhere(address: str) -> web.HTTPSeeOther:
    """To be raised: the browser goes on to another address."""
    return web.HTTPSeeOther(address)
