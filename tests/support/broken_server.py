"""What if a server breaks off anywhere in its reply? One that speaks HTTP byte by byte.

It answers as `answers` says; a request whose prompt holds the word POISON meets the fault.
"""

import asyncio
import json
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from socket import SO_LINGER, SOL_SOCKET
from typing import TypeAlias

from support import answers

POISON = "POISON"
Fault: TypeAlias = Callable[[asyncio.StreamWriter, bytes], Awaitable[None]]


def message(status: int, body: bytes, *headers: str) -> bytes:
    """An HTTP response."""
    lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", *headers]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close", "", ""])
    return head.encode() + body


def chat(text: str, **choice: str) -> bytes:
    """A chat completion."""
    found = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **choice}
    usage = {"prompt_tokens": 10, "completion_tokens": 10}
    return json.dumps({"choices": [found], "usage": usage}).encode()


def sends(*parts: bytes) -> Fault:
    """Sends these bytes and closes."""

    async def fault(writer: asyncio.StreamWriter, good: bytes) -> None:
        del good
        writer.write(b"".join(parts))

    return fault


def error(status: int, text: str = "no", *headers: str, **more: str) -> Fault:
    """Refuses with a status."""
    return sends(
        message(status, json.dumps({"error": {"message": text, **more}}).encode(), *headers)
    )


async def reset(writer: asyncio.StreamWriter, good: bytes) -> None:
    """Resets the connection instead of answering."""
    del good
    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def never(writer: asyncio.StreamWriter, good: bytes) -> None:
    """Says nothing and keeps the connection."""
    del writer, good
    await asyncio.sleep(3600)


async def slow_body(writer: asyncio.StreamWriter, good: bytes) -> None:
    """Sends the head at once and then a byte now and then."""
    body = message(200, good)
    writer.write(body[:-40])
    for n in range(40):
        await writer.drain()
        await asyncio.sleep(0.5)
        writer.write(body[n - 40 : n - 39])


async def cut(writer: asyncio.StreamWriter, good: bytes) -> None:
    """Closes in the middle of the body."""
    writer.write(message(200, good)[: -len(good) // 2])


class BrokenServer:
    """A server on a free port of this machine.

    Args:
        fault: What befalls requests with POISON in them.

    Attributes:
        poisoned: How many such requests came.
    """

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self.poisoned = 0
        self.port = 0

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    @contextmanager
    def in_thread(self) -> Iterator["BrokenServer"]:
        """The server on a loop of its own in another thread."""
        loop = asyncio.new_event_loop()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0)
        server = loop.run_until_complete(starting)
        self.port = server.sockets[0].getsockname()[1]
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(self._end(server), loop).result(10)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()

    async def _end(self, server: asyncio.AbstractServer) -> None:
        server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if (
                await reader.readexactly(1) == b"\x16"
            ):  # the greeting of TLS, which is not spoken here
                writer.write(message(400, b""))
                return
            head = await reader.readuntil(b"\r\n\r\n")
            lengths = [x for x in head.split(b"\r\n") if x.lower().startswith(b"content-length:")]
            body = json.loads(await reader.readexactly(int(lengths[0].split(b":")[1])))
            prompt = body["messages"][0]["content"]
            good = chat(answers.answer(prompt))
            if POISON in prompt:
                self.poisoned += 1
                await self._fault(writer, good)
            else:
                writer.write(message(200, good))
        except (
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            ConnectionError,
            IndexError,
        ):
            pass  # the client is gone
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            writer.close()
