from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.served import Served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "memory_data")
    yield served
    served.close()
