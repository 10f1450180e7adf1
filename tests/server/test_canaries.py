"""Nobody sees a word of another's memory, whatever is asked for, by whatever surface."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path
from typing import Any

import pytest
from server.served import Served
from stage import PATIENCE

from wangchuan.operations.table import TABLE

REQUESTS = int(os.environ.get("SOAK_CANARIES", 300))
AGENTS, CLIENTS = (50, 8) if REQUESTS > 10_000 else (5, 3)
WORD = "canary{}word"


def requests_for(agent: str) -> list[tuple[str, str, Any]]:
    """One request for every operation, and some of the dialects, about one agent."""
    bodies: dict[str, Any] = {
        "remember": {"messages": "nothing new"},
        "recall": {"keywords": ["canary"]},
        "search": {"query": "canary secret"},
        "look.search": {"query": "canary secret"},
        "facts.add": {"text": "nothing new"},
        "facts.correct": {"text": "x"},
        "facts.saying": {"text": "x"},
        "facts.decide": {"decision": "keep"},
        "merges.make": {"ids": ["mem_1", "mem_2"]},
        "erase.preview": {"node_id": "mem_1"},
    }
    asked = []
    for name, one in TABLE.items():
        if name in ("erase", "agents.erase", "import", "flush", "tick", "facts.age", "forget"):
            continue
        path = one.path.format(agent=agent, node_id="mem_1", job_id="job_1", seq=1, page="x")
        asked.append((one.verb, path, bodies.get(name, {}) if one.verb == "POST" else None))
    asked += [
        ("GET", f"/v1/agents/{agent}/names?ids=mem_1", None),
        ("POST", "/v3/memories/search/", {"query": "canary", "filters": {"user_id": agent}}),
        ("POST", "/v3/memories/", {"filters": {"user_id": agent}}),
        ("GET", f"/v1/memories/{agent}.mem_1/", None),
        ("GET", f"/v1/memories/{agent}.mem_1/history/", None),
        ("POST", f"/a/{agent}/v1/chat/completions", {"messages": []}),
    ]
    return asked


@pytest.mark.slow
def test_foreign_words_are_never_seen(tmp_path: Path) -> None:
    served = Served(tmp_path, server_rate=1e6, max_open_agents=2)
    names = [f"agent{n}" for n in range(AGENTS)]
    tokens = {}
    for n, name in enumerate(names):
        served.told(name, f"the secret is {WORD.format(n)}")
        served.post(f"{name}/facts", {"text": f"The fact is {WORD.format(n)}"})
        tokens[name] = served.token(name, rights="read,write,erase,admin")
    leaks: list[str] = []
    seen, answered = [0], list[int]()

    def ask(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(REQUESTS // CLIENTS):
            mine, whose = chance.randrange(AGENTS), chance.randrange(AGENTS)
            verb, path, body = chance.choice(requests_for(names[whose]))
            answer = served.ask(verb, path, body, token=tokens[names[mine]])
            answered.append(answer.status)
            told = answer.body.decode("utf-8", "replace")
            foreign = [n for n in range(AGENTS) if n != mine and WORD.format(n) in told]
            seen[0] += WORD.format(mine) in told
            own = path in ("/v1/agents", "/v1/me")  # which tell everybody of themselves
            if foreign or (mine != whose and answer.status == 200 and not own):
                leaks.append(f"{names[mine]} {verb} {path}: {answer.status} {told[:200]}")

    clients = [threading.Thread(target=ask, args=(seed,)) for seed in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(PATIENCE)
    served.close()
    assert leaks == []
    assert len(answered) == REQUESTS // CLIENTS * CLIENTS  # nobody left before the end
    assert seen[0] > 0  # one's own words are there to be seen
