from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.served import Served


@pytest.fixture
def served(kept_at: Path | str) -> Iterator[Served]:
    served = Served(kept_at)
    yield served
    served.close()
