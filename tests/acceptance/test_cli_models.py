"""Models on the command line: trying a server, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from acceptance.command import Run, document
from faults import SAID, Server, says, sends


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def model(server: Server) -> dict[str, str]:
    return {"WANGCHUAN_MODEL_URL": server.url, "WANGCHUAN_MODEL_NAME": "tiny"}


def test_without_a_server_the_offline_model_is_named(run: Run) -> None:
    found = document(run("doctor", "--model", "--json"))
    assert found["model"] == "offline"


def test_a_server_that_copies_is_said_to_obey(run: Run, server: Server) -> None:
    def copy(request):  # type: ignore[no-untyped-def]
        import json

        request.say(json.dumps({"text": request.asked["messages"][1]["content"]}))

    server.answer = copy
    found = document(run("doctor", "--model", "--json", env=model(server)))
    assert found["reachable"] is found["present"] is found["obeys_schema"] is True
    assert found["chinese"] is found["english"] is True
    assert found["form"] == "json_schema"
    assert "will be used" in found["verdict"]
    told = run("doctor", "--model", env=model(server))
    assert told.returncode == 0
    assert "copies Chinese        yes" in told.stdout


def test_a_server_that_chatters_is_said_to_be_no_use(run: Run, server: Server) -> None:
    server.answer = says("I would love to!")
    told = run("doctor", "--model", env=model(server))
    assert told.returncode == 3
    assert "the offline model will take over" in told.stdout


def test_a_server_that_is_not_there_is_said_to_be_away(run: Run, server: Server) -> None:
    address = model(server)
    server.close()
    told = run("doctor", "--model", env=address)
    assert told.returncode == 3
    assert "nobody answers" in told.stdout


def test_figures_tell_what_models_cost(run: Run, server: Server) -> None:
    assert run("remember", SAID, env=model(server)).returncode == 0
    usage = document(run("stats", "--json"))["usage"]
    assert usage["digest"]["calls"] == 1
    assert usage["digest"]["prompt_tokens"] == 11
    assert "model: digest" in run("stats").stdout


@pytest.mark.in_both
def test_what_could_not_be_digested_waits_and_is_taken_up_later(run: Run, server: Server) -> None:
    server.answer = sends(b"", 500)
    assert run("remember", "--no-wait", SAID, env=model(server)).returncode == 0
    assert "Berlin" in run("recall", "berlin").stdout
