"""Small questions: the same answers from rules, a language model and a decision endpoint."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from wangchuan.models.deciding import CHOICE, SCORE, Decision, Question, ask, decide, read
from wangchuan.models.http import HTTPModel
from wangchuan.models.offline import OfflineModel
from wangchuan.routines import review

REPLY = {"fact": "主人喜欢寿司", "reply": "那就去吃寿司吧", "said": "晚饭吃什么好"}
USED = Question("used", "Did the reply use the fact?", rule="used", data=REPLY)
SAME = Question(
    "same", "Are these the same?", rule="same", data={"one": "room 12", "other": "room 13"}
)
OLD_HOME = Question("old", "Does it replace that?", rule="replaces",
                    data={"old": "主人住在北京", "new": "主人住在上海"})  # fmt: skip
KEPT = Question("kept", "Keep it?", CHOICE, ("KEEP", "DELETE"))
HOW = Question("how", "How sure?", SCORE)


class Server:
    """A server that has a decision endpoint, or not."""

    def __init__(self, decides: bool) -> None:
        self.decides = decides
        self.paths: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.paths.append(self.path)
                outer.bodies.append(body)
                found = outer.answer(self.path, body, decides)
                self.send_response(404 if found is None else 200)
                sent = json.dumps(found or {}).encode()
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_: Any) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.model = HTTPModel(f"http://127.0.0.1:{self.http.server_port}/v1", "m", timeout=30)

    def answer(self, path: str, body: dict[str, Any], decides: bool) -> dict[str, Any] | None:
        if path.endswith("/decisions"):
            given = {"predicate": {"probability": 0.9}, "score": {"score": 0.25},
                     "choice": {"choice": "KEEP", "confidence": 0.8}}  # fmt: skip
            return {"decisions": [given[q["type"]] for q in body["questions"]]} if decides else None
        told = {"used": True, "kept": "KEEP", "how": 0.25}
        return {"choices": [{"message": {"content": json.dumps(told)}}]}


@pytest.fixture(params=[True, False], ids=["decision endpoint", "language model"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    found = Server(request.param)
    yield found
    found.model.close()
    found.http.shutdown()
    found.http.server_close()


def test_an_endpoint_and_a_language_model_decide_alike(server: Server) -> None:
    decisions = decide(server.model, "…", [USED, KEPT, HOW])
    assert {name: one.value for name, one in decisions.items()} == {
        "used": True, "kept": "KEEP", "how": 0.25,
    }  # fmt: skip


def test_a_server_without_the_endpoint_is_asked_for_it_once(server: Server) -> None:
    decide(server.model, "…", [USED])
    decide(server.model, "…", [USED])
    last = "/v1/decisions" if server.decides else "/v1/chat/completions"
    tried = [] if server.decides else ["/v1/decisions"]
    assert server.paths == [*tried, last, last]


def test_rules_decide_without_a_model() -> None:
    decisions = decide(OfflineModel(), "", [USED, SAME, OLD_HOME])
    assert {n: d.value for n, d in decisions.items()} == {"used": True, "same": False, "old": True}


def test_what_no_rule_knows_stays_undecided() -> None:
    assert decide(OfflineModel(), "", [HOW]) == {}


@pytest.mark.parametrize("given", [None, [], "yes", {"kept": "PROMOTE"}, {"how": 2}, {"how": True}])
def test_an_answer_that_is_none_of_the_options_decides_nothing(given: Any) -> None:
    assert read(given, [KEPT, HOW]) == {}


def test_a_probability_is_a_yes_above_one_half() -> None:
    assert read({"used": {"probability": 0.4}}, [USED]) == {"used": Decision(False, 0.4)}


def test_the_state_is_sent_as_data_and_the_shape_is_asked_for() -> None:
    asked = ask("state", [KEPT, USED])
    assert asked.schema["properties"]["kept"]["enum"] == ["KEEP", "DELETE"]
    assert json.loads(asked.prompt)["state"] == "state"


def test_a_review_is_one_small_question_where_there_is_an_endpoint(server: Server) -> None:
    case = review.Case("decay", "主人喜欢寿司", {"topic": "preference"}, ["主人住在东京"])
    found = server.model.complete(review.ask(case)).data
    if not server.decides:
        assert server.bodies[-1]["messages"]  # a language model thinks in words
        return
    assert review.read(found, case) == review.Verdict(decision="KEEP")
    assert server.bodies[-1]["questions"][0]["choices"] == ["KEEP", "DELETE"]
